// SPDX-License-Identifier: GPL-2.0
/*
 * Mapped package: a worker opens files and databases, and its parent caches the answers.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/clock.h"
#include "common/hash_map.h"
#include "common/open_regular.h"
#include "common/process_stat.h"
#include "common/worker.h"
#include "content/elf_file.h"
#include "content/mapped_files.h"
#include "content/package_database.h"
#include "content/process_place.h"
#include "mapped_package.h"

/* Halved by each timeout, so that all of them together take at most twice as long. */
#define NOTE_TIMEOUT_MS 5000
/* The first question about a root reads its whole database, perhaps from a cold disk. */
#define OWNER_TIMEOUT_MS 30000
#define TIMEOUT_MIN_MS	 78
/*
 * Budget for all slow answers, as a server, or a database that keeps changing, may use up the time
 * for each; it grows by a tenth of elapsed time.
 */
#define SLOW_MAX_MS 120000
#define SLOW_SHARE  10

/* Each takes some MB; processes of one container usually come in a row. */
#define DATABASES_MAX 4

#define ANSWER_MAX 32768

/* Some 50 MB. */
#define REMEMBERED_MAX 65536

#define NONE UINT32_MAX

enum what {
	ASK_NOTE,
	ASK_OWNER,
};

/* Identifies the file: another one may be there by now. */
struct version {
	struct {
		uint32_t major, minor;
		uint64_t ino;
	} inodes[2]; /* as mapped, and as users see it */
	int64_t mtime;
	uint64_t size;
	/* For what is at a path now: the time instead of all others; and a number for the path. */
	int64_t ctime;
	uint64_t place;
};

struct question {
	uint32_t what;	     /* enum what */
	uint32_t pid;	     /* 0 for ASK_OWNER of a process that has exited */
	uint32_t root;	     /* its number, for ASK_OWNER */
	uint64_t start, end; /* of the mapping, or 0 */
	struct version version;
	uint64_t file_id; /* of it, or 0 */
	char path[];
};

/* ------------------------------------------------------------ the worker -- */

static bool is_version(const struct version *version, const struct statx *stat_)
{
	int64_t mtime = stat_->stx_mtime.tv_sec * 1000000000LL + stat_->stx_mtime.tv_nsec;
	int64_t ctime = stat_->stx_ctime.tv_sec * 1000000000LL + stat_->stx_ctime.tv_nsec;
	size_t i;

	if (version->ctime)
		return ctime == version->ctime;
	if (mtime != version->mtime || stat_->stx_size != version->size)
		return false;
	for (i = 0; i < ARRAY_SIZE(version->inodes); i++)
		if (version->inodes[i].ino == stat_->stx_ino &&
		    version->inodes[i].major == stat_->stx_dev_major &&
		    version->inodes[i].minor == stat_->stx_dev_minor)
			return true;
	return false;
}

/* stat(2) has other numbers for files on an overlay; the module knows the lower inode. */
static bool has_file_id(int fd, uint64_t file_id)
{
	/* The worker's own. */
	static struct buildid *handle;
	uint64_t buffer[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	const struct buildid_file *file;

	if (!file_id || (!handle && buildid_open(&handle)))
		return false;
	return !buildid_resolve_fd(handle, fd, buffer, sizeof(buffer), &file) &&
	       file->file_id == file_id;
}

static bool is_file(int fd, const struct question *question)
{
	struct statx stat_;

	return !statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &stat_) &&
	       (is_version(&question->version, &stat_) || has_file_id(fd, question->file_id));
}

/* @fd, or -1 with @fd closed if it is another file. */
static int only_if(int fd, const struct question *question)
{
	if (fd < 0 || is_file(fd, question))
		return fd;
	close(fd);
	return -1;
}

static int open_mapped(const struct question *question)
{
	struct reason reason;
	char path[96];

	if (!question->start)
		return -1;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64,
		 question->pid, question->start, question->end);
	return open_untrusted(AT_FDCWD, path, &reason);
}

/* If the mapping has been split or merged since. */
static int open_part(const struct question *question)
{
	int handle = question->start ? mapped_handle_at(question->pid, question->start) : -1;
	struct reason reason;

	return handle < 0 ? -1 : open_untrusted_handle(handle, &reason);
}

/* Requires the right to trace the process, nothing else. */
static int open_program(const struct question *question)
{
	struct reason reason;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/exe", question->pid);
	return open_untrusted_handle(open(path, O_PATH | O_CLOEXEC), &reason);
}

/* For an exited process, try our own root. */
static int open_base(const struct question *question, const char **path, bool *own)
{
	int base;

	*path = question->path;
	base = process_place(question->pid, path);
	*own = base < 0;
	if (base >= 0)
		return base;
	*path = question->path;
	return process_place((uint32_t)getpid(), path);
}

static int open_named(const struct question *question)
{
	struct reason reason;
	const char *path;
	int base, fd;
	bool own;

	base = open_base(question, &path, &own);
	if (base < 0)
		return -1;
	fd = open_untrusted_in(base, path, &reason);
	close(base);
	return fd;
}

static void take_note(void *data, const char *text, size_t size)
{
	packages_add_note(data, text, size);
}

static int find_note(const struct question *question, struct packages *packages)
{
	int fd = only_if(open_mapped(question), question);
	bool read;

	if (fd < 0)
		fd = only_if(open_named(question), question);
	if (fd < 0)
		fd = only_if(open_part(question), question);
	if (fd < 0)
		fd = only_if(open_program(question), question);
	if (fd < 0)
		return ENOENT;
	read = elf_file_package_notes(fd, take_note, packages);
	close(fd);
	return read ? 0 : EIO;
}

/* Only used in the worker: databases of the roots asked for last. */
static struct {
	uint32_t root;
	struct package_database *database;
} cache[DATABASES_MAX];

static const struct package_database *database_of(uint32_t root, int base)
{
	static size_t next;
	size_t i;

	for (i = 0; i < DATABASES_MAX; i++)
		if (cache[i].database && cache[i].root == root)
			break;
	if (i < DATABASES_MAX && package_database_is_current(cache[i].database))
		return cache[i].database;
	if (i == DATABASES_MAX)
		i = next++ % DATABASES_MAX;
	package_database_close(cache[i].database);
	cache[i].root = root;
	cache[i].database = package_database_open(base);
	return cache[i].database;
}

static bool is_there(int base, const char *path, const struct question *question)
{
	struct reason reason;
	int fd = open_untrusted_in(base, path, &reason);
	bool there = fd >= 0 && is_file(fd, question);

	if (fd >= 0)
		close(fd);
	return there;
}

static int find_owner(const struct question *question, struct packages *packages)
{
	struct package *package = &packages->all[0];
	const struct package_database *database;
	bool own, there, unread;
	const char *path;
	int base;

	base = open_base(question, &path, &own);
	if (base < 0)
		return ENOENT;
	there = is_there(base, path, question);
	/* the process may have had another root: an answer from ours does not apply to that */
	if (!own)
		database = database_of(question->root, base);
	else
		database = there ? database_of(NONE, base) : NULL;
	if (database)
		package_database_find(database, path, package);
	unread = (!own || there) && (!database || package_database_is_unread(database));
	close(base);
	if (unread && package->origin == PACKAGE_NONE)
		return EFBIG;
	packages->count = package->origin != PACKAGE_NONE;
	if (packages->count && !there)
		package_forget_version(package);
	return 0;
}

/* An errno, then the packages. */
static void answer_question(const struct worker_message *message, struct worker_message *answer)
{
	const struct question *question = message->data;
	struct packages packages = {};
	int32_t error;

	error = question->what == ASK_NOTE ? find_note(question, &packages) :
					     find_owner(question, &packages);
	memcpy(answer->data, &error, sizeof(error));
	answer->size = sizeof(error) + packages_pack(&packages,
						     (char *)answer->data + sizeof(error),
						     ANSWER_MAX - sizeof(error));
	packages_free(&packages);
}

/* ------------------------------------------------------------ the parent -- */

/* The note of a version of a file. */
struct noted {
	struct version version;
	uint64_t file_id;
	struct packages packages;
};

/* What a root's database says about the path of a file. */
struct owned {
	uint32_t root;
	uint64_t file_id;
	struct version version;
	char *path;
	struct packages packages;
};

struct root {
	struct process_root root;
	bool silent;
};

struct mapped_packages {
	struct worker worker;
	int timeout_ms[2]; /* by enum what */
	uint64_t begin;	   /* CLOCK_MONOTONIC */
	uint64_t slow_ms;  /* taken by slow answers */
	/* Of pointers, as answers stay where they are. */
	struct noted **noted;
	size_t nr_noted;
	struct hash_map by_file;
	struct owned **owned;
	size_t nr_owned;
	struct hash_map by_path;
	struct root *roots;
	size_t nr_roots;
	/* The process asked for last, and the number of its root, or NONE. */
	uint32_t pid;
	uint64_t start_time;
	uint32_t root;
	bool exited; /* or another one has its pid */
	size_t malformed;
	size_t unread;
	size_t unowned;
	char answer[ANSWER_MAX];
};

struct mapped_packages *mapped_packages_new(void)
{
	struct mapped_packages *packages = calloc(1, sizeof(*packages));

	if (!packages)
		return NULL;
	packages->begin = clock_ns(CLOCK_MONOTONIC);
	packages->timeout_ms[ASK_NOTE] = NOTE_TIMEOUT_MS;
	packages->timeout_ms[ASK_OWNER] = OWNER_TIMEOUT_MS;
	packages->worker = (struct worker){
		.task = answer_question,
		.question_max = sizeof(struct question) + PATH_MAX,
		.answer_max = ANSWER_MAX,
		.socket = -1,
	};
	return packages;
}

static void mapped_package_forget(struct mapped_packages *packages)
{
	size_t i;

	for (i = 0; i < packages->nr_noted; i++) {
		packages_free(&packages->noted[i]->packages);
		free(packages->noted[i]);
	}
	for (i = 0; i < packages->nr_owned; i++) {
		packages_free(&packages->owned[i]->packages);
		free(packages->owned[i]->path);
		free(packages->owned[i]);
	}
	free(packages->noted);
	free(packages->owned);
	packages->noted = NULL;
	packages->owned = NULL;
	packages->nr_noted = 0;
	packages->nr_owned = 0;
	hash_map_free(&packages->by_file);
	hash_map_free(&packages->by_path);
}

void mapped_packages_free(struct mapped_packages *packages)
{
	if (!packages)
		return;
	mapped_package_forget(packages);
	free(packages->roots);
	worker_end(&packages->worker);
	free(packages);
}

void mapped_packages_make_room(struct mapped_packages *packages)
{
	if (packages->nr_noted >= REMEMBERED_MAX || packages->nr_owned >= REMEMBERED_MAX)
		mapped_package_forget(packages);
}

void mapped_packages_report(const struct mapped_packages *packages, const char *command)
{
	if (packages->malformed)
		fprintf(stderr,
			"buildid: %s: %zu files have a note of their package that is malformed\n",
			command, packages->malformed);
	if (packages->unread)
		fprintf(stderr,
			"buildid: %s: of %zu files the package is not known, as they are not "
			"there any more or cannot be read\n",
			command, packages->unread);
	if (packages->unowned)
		fprintf(stderr,
			"buildid: %s: of %zu files the package is not known, as the database "
			"of their root directory cannot be read, or not in time\n",
			command, packages->unowned);
}

static int timeout_now(const struct mapped_packages *packages, int most)
{
	uint64_t since = (clock_ns(CLOCK_MONOTONIC) - packages->begin) / 1000000;
	uint64_t budget = SLOW_MAX_MS + since / SLOW_SHARE;

	if (packages->slow_ms >= budget)
		return TIMEOUT_MIN_MS;
	return (int)MAX(MIN((uint64_t)most, budget - packages->slow_ms), TIMEOUT_MIN_MS);
}

static void note_slow(struct mapped_packages *packages, uint64_t begin)
{
	uint64_t took = (clock_ns(CLOCK_MONOTONIC) - begin) / 1000000;

	if (took > TIMEOUT_MIN_MS)
		packages->slow_ms += took;
}

static bool mapped_package_ask(struct mapped_packages *packages, struct question *question,
			       const char *path, struct packages *found)
{
	struct worker_message message = { .data = question, .fd = -1 };
	struct worker_message answer = { packages->answer, sizeof(packages->answer), -1 };
	int *timeout = &packages->timeout_ms[question->what];
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	int32_t error = EINVAL;

	if (strlen(path) < PATH_MAX) {
		strcpy(question->path, path);
		message.size = sizeof(*question) + strlen(path) + 1;
		packages->worker.timeout_ms = timeout_now(packages, *timeout);
		error = worker_ask(&packages->worker, &message, &answer);
		note_slow(packages, begin);
	}
	if (error == ETIMEDOUT)
		*timeout = MAX(*timeout / 2, TIMEOUT_MIN_MS);
	if (error)
		return false;
	memcpy(&error, packages->answer, sizeof(error));
	return !error && packages_unpack(found, packages->answer + sizeof(error),
					 answer.size - sizeof(error));
}

static struct version version_of(const struct buildid_file *file)
{
	return (struct version){
		.inodes = { { file->dev_major, file->dev_minor, file->ino },
			    { file->user_dev_major, file->user_dev_minor, file->user_ino } },
		.mtime = file->mtime,
		.size = file->file_size,
	};
}

static bool same_version(const struct version *one, const struct version *other)
{
	return one->inodes[0].major == other->inodes[0].major &&
	       one->inodes[0].minor == other->inodes[0].minor &&
	       one->inodes[0].ino == other->inodes[0].ino && one->mtime == other->mtime &&
	       one->size == other->size && one->ctime == other->ctime && one->place == other->place;
}

/* The module numbers what it remembers; other files are identified by inode. */
static uint64_t key_of(uint64_t file_id, const struct version *version)
{
	uint64_t hash = hash_start();

	if (file_id)
		return hash_bytes(hash, &file_id, sizeof(file_id));
	hash = hash_bytes(hash, &version->inodes[0].ino, sizeof(version->inodes[0].ino));
	hash = hash_bytes(hash, &version->mtime, sizeof(version->mtime));
	return hash_bytes(hash, &version->place, sizeof(version->place));
}

static bool same_file(uint64_t one_id, const struct version *one, uint64_t other_id,
		      const struct version *other)
{
	return one_id == other_id && (one_id || same_version(one, other));
}

/* A question, with room for the path. */
static struct question *make_question(enum what what, const struct buildid_mmap *mmap,
				      uint64_t file_id, const struct version *version)
{
	static union {
		struct question question;
		char room[sizeof(struct question) + PATH_MAX];
	} place;

	place.question = (struct question){
		.what = what,
		.pid = mmap->pid,
		.version = *version,
		.file_id = file_id,
	};
	return &place.question;
}

/* ----------------------------------------------------------------- notes -- */

static struct noted *find_noted(const struct mapped_packages *packages, uint64_t key,
				uint64_t file_id, const struct version *version)
{
	struct hash_slot *slot = NULL;
	struct noted *noted;

	while ((slot = hash_map_next(&packages->by_file, key, slot))) {
		noted = packages->noted[slot->value];
		if (same_file(noted->file_id, &noted->version, file_id, version))
			return noted;
	}
	return NULL;
}

static struct noted *add_noted(struct mapped_packages *packages, uint64_t key, uint64_t file_id,
			       const struct version *version)
{
	struct noted *noted = calloc(1, sizeof(*noted));

	if (!noted || !array_reserve(packages->noted, packages->nr_noted) ||
	    !hash_map_add(&packages->by_file, key, (uint32_t)packages->nr_noted)) {
		free(noted);
		return NULL;
	}
	noted->file_id = file_id;
	noted->version = *version;
	packages->noted[packages->nr_noted++] = noted;
	return noted;
}

static const struct packages *note_of(struct mapped_packages *packages,
				      const struct buildid_mmap *mmap, const char *path,
				      uint64_t file_id, const struct version *version)
{
	uint64_t key = key_of(file_id, version);
	struct noted *noted = find_noted(packages, key, file_id, version);
	struct question *question;

	if (noted)
		return &noted->packages;
	noted = add_noted(packages, key, file_id, version);
	if (!noted)
		return NULL;
	question = make_question(ASK_NOTE, mmap, file_id, version);
	if (!version->ctime) {
		question->start = mmap->addr;
		question->end = mmap->addr + mmap->len;
	}
	if (!mapped_package_ask(packages, question, path, &noted->packages))
		packages->unread++;
	packages->malformed += noted->packages.malformed != 0;
	return &noted->packages;
}

/* ---------------------------------------------------------------- owners -- */

static uint32_t number_of(struct mapped_packages *packages, const struct process_root *root)
{
	size_t i;

	for (i = packages->nr_roots; i; i--)
		if (process_root_same(&packages->roots[i - 1].root, root))
			return (uint32_t)(i - 1);
	if (!array_reserve(packages->roots, packages->nr_roots))
		return NONE;
	packages->roots[packages->nr_roots] = (struct root){ .root = *root };
	return (uint32_t)packages->nr_roots++;
}

/* For an exited process, use our own root: the worker checks whether the file is there. */
static uint32_t root_of(struct mapped_packages *packages, const struct buildid_mmap *mmap)
{
	struct process_root root;

	if (packages->pid == mmap->pid && packages->start_time == mmap->start_time)
		return packages->root;
	packages->pid = mmap->pid;
	packages->start_time = mmap->start_time;
	packages->root = NONE;
	packages->exited = !process_is_there((pid_t)mmap->pid, mmap->start_time) ||
			   !process_root_read(mmap->pid, &root);
	if (!packages->exited || process_root_read((uint32_t)getpid(), &root))
		packages->root = number_of(packages, &root);
	return packages->root;
}

static struct owned *find_owned(const struct mapped_packages *packages, uint64_t key,
				const struct owned *like)
{
	struct hash_slot *slot = NULL;
	struct owned *owned;

	while ((slot = hash_map_next(&packages->by_path, key, slot))) {
		owned = packages->owned[slot->value];
		if (owned->root == like->root && !strcmp(owned->path, like->path) &&
		    same_file(owned->file_id, &owned->version, like->file_id, &like->version))
			return owned;
	}
	return NULL;
}

static struct owned *add_owned(struct mapped_packages *packages, uint64_t key,
			       const struct owned *like)
{
	struct owned *owned = malloc(sizeof(*owned));
	char *path = strdup(like->path);

	if (!owned || !path || !array_reserve(packages->owned, packages->nr_owned) ||
	    !hash_map_add(&packages->by_path, key, (uint32_t)packages->nr_owned)) {
		free(owned);
		free(path);
		return NULL;
	}
	*owned = *like;
	owned->path = path;
	packages->owned[packages->nr_owned++] = owned;
	return owned;
}

static const struct packages *owner_of(struct mapped_packages *packages,
				       const struct buildid_mmap *mmap, const char *path,
				       uint64_t file_id, const struct version *version)
{
	struct owned like = { .root = root_of(packages, mmap),
			      .file_id = file_id,
			      .version = *version,
			      .path = (char *)(uintptr_t)path };
	uint64_t key = key_of(file_id, version) ^ like.root;
	struct question *question;
	struct owned *owned;
	struct root *root;

	if (like.root == NONE)
		return NULL;
	owned = find_owned(packages, key, &like);
	if (owned)
		return &owned->packages;
	owned = add_owned(packages, key, &like);
	if (!owned)
		return NULL;
	root = &packages->roots[like.root];
	question = make_question(ASK_OWNER, mmap, file_id, version);
	question->root = like.root;
	if (packages->exited)
		question->pid = 0;
	/* after a timeout it is not asked again */
	root->silent = root->silent ||
		       !mapped_package_ask(packages, question, path, &owned->packages);
	packages->unowned += root->silent;
	return &owned->packages;
}

/* ------------------------------------------------------------------ both -- */

static const struct packages *mapped_package_find(struct mapped_packages *packages,
						  const struct buildid_mmap *mmap, const char *path,
						  uint64_t file_id, const struct version *version)
{
	const struct packages *noted = note_of(packages, mmap, path, file_id, version);
	const struct packages *owned = NULL;

	if (noted && !noted->count)
		owned = owner_of(packages, mmap, path, file_id, version);
	return owned ? owned : noted;
}

/* Anonymous memory, and what a loader creates, was never installed. */
static bool may_be_packaged(const struct buildid_file *file, const char *path)
{
	return path && *path == '/' && !(file->flags & BUILDID_FILE_MEMFD) &&
	       file->reason != BUILDID_REASON_NOT_REGULAR;
}

const struct packages *mapped_packages_find(struct mapped_packages *packages,
					    const struct buildid_mmap *mmap,
					    const struct buildid_file *file)
{
	static const struct packages none;
	const char *path = buildid_file_path(file);
	struct version version = version_of(file);

	if (!may_be_packaged(file, path))
		return &none;
	return mapped_package_find(packages, mmap, path, file->file_id, &version);
}

const struct packages *mapped_packages_now(struct mapped_packages *packages,
					   const struct buildid_mmap *mmap,
					   const struct buildid_file *file,
					   const struct current_file *now)
{
	const char *path = buildid_file_path(file);
	const struct version version = {
		.ctime = now->ctime,
		.place = hash_text(path) ^ root_of(packages, mmap),
	};

	return mapped_package_find(packages, mmap, path, now->file_id, &version);
}
