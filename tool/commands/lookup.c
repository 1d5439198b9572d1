// SPDX-License-Identifier: GPL-2.0
/*
 * Lookup: a question is a path with a descriptor of its root directory, and where files are
 * compared how far that is; an answer is a struct lookup or a struct progress. Files are
 * compared in parts, so that a large one on a slow disk is not taken for a silent server.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/open_regular.h"
#include "common/waits.h"
#include "content/mapped_files.h"
#include "content/process_user.h"
#include "lookup.h"
#include "source/file_record.h"

/* What is compared for one answer, and at a time. */
#define PART_SIZE  (4U << 20)
#define BLOCK_SIZE 65536U

struct inode {
	uint32_t major, minor;
	uint64_t ino;
};

/*
 * @pid 0: look the path up; else compare what it leads to with what @pid has at @addr, or, without
 * a descriptor, open that.
 */
struct question {
	uint32_t pid;
	bool without_module; /* the path that is looked up is identified here */
	uint64_t addr;
	uint64_t inos[2];     /* of the mapped file: as users see it, and as it is */
	struct inode current; /* in the answers before; an @ino of 0 at first */
	uint64_t offset;
	char path[BUILDID_RECORD_MAX];
};

struct progress {
	int error;
	bool differs;
	bool done;
	uint64_t offset;
	struct inode current;
};

/* open_untrusted_in() says it in words. Only regular files can be compared. */
static int why_not(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	struct stat stat_;
	int error;

	if (fd < 0)
		return errno;
	error = fstat(fd, &stat_) ? errno : S_ISREG(stat_.st_mode) ? EACCES : ENOENT;
	close(fd);
	return error;
}

static int look_up(int root, const struct question *question, struct lookup *lookup)
{
	/* The worker's own. */
	static struct buildid *handle;
	const struct buildid_file *file;
	struct reason reason;
	int err, fd;

	err = handle || question->without_module ? 0 : buildid_open(&handle);
	if (err)
		return -err;
	fd = open_untrusted_in(root, question->path, &reason);
	if (fd < 0)
		return why_not(root, question->path);
	if (question->without_module)
		err = file_record_of(fd, lookup->record);
	else
		err = buildid_resolve_fd(handle, fd, lookup->record, sizeof(lookup->record), &file);
	close(fd);
	return -err;
}

/* ------------------------------------------------------------ comparison -- */

static bool same_inode(const struct inode *one, const struct inode *other)
{
	return one->ino == other->ino && one->major == other->major && one->minor == other->minor;
}

static struct inode inode_of(const struct stat *stat_)
{
	return (struct inode){ major(stat_->st_dev), minor(stat_->st_dev), stat_->st_ino };
}

/*
 * What is mapped, if it is what was: the process may have mapped something else meanwhile. By
 * inode numbers alone, as stat(2) has another device of an overlay than /proc/PID/maps.
 */
static bool is_mapped(int fd, const struct question *question)
{
	struct stat stat_;

	return fd >= 0 && !fstat(fd, &stat_) &&
	       (stat_.st_ino == question->inos[0] || stat_.st_ino == question->inos[1]);
}

/* By map_files, if the caller may; a program also by /proc/PID/exe, if they may trace it. */
static int open_mapped(const struct question *question)
{
	int handle = mapped_handle_at(question->pid, question->addr);
	struct reason reason;
	char exe[64];
	int fd = handle < 0 ? -1 : open_untrusted_handle(handle, &reason);

	if (is_mapped(fd, question))
		return fd;
	if (fd >= 0)
		close(fd);
	snprintf(exe, sizeof(exe), "/proc/%" PRIu32 "/exe", question->pid);
	fd = open_untrusted_handle(open(exe, O_PATH | O_CLOEXEC), &reason);
	if (is_mapped(fd, question))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* As many bytes as there are, up to @size; fewer only at the end. */
static ssize_t read_block(int fd, unsigned char *to, size_t size, uint64_t offset)
{
	size_t done = 0;
	ssize_t count;

	while (done < size) {
		count = pread(fd, to + done, size - done, (off_t)(offset + done));
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -1;
		if (!count)
			break;
		done += (size_t)count;
	}
	return (ssize_t)done;
}

/* One part, from @progress->offset on. */
static int compare_part(int mapped, int current, struct progress *progress)
{
	static unsigned char one[BLOCK_SIZE], other[BLOCK_SIZE];
	const uint64_t end = progress->offset + PART_SIZE;
	ssize_t size;

	while (!progress->done && progress->offset < end) {
		size = read_block(mapped, one, sizeof(one), progress->offset);
		if (size < 0 || read_block(current, other, sizeof(other), progress->offset) < 0)
			return errno;
		progress->differs = memcmp(one, other, (size_t)size) != 0;
		progress->done = progress->differs || size < (ssize_t)sizeof(one);
		progress->offset += (uint64_t)size;
	}
	return 0;
}

static int compare_files(const struct question *question, int mapped, int current,
			 struct progress *progress)
{
	struct stat of_mapped, of_current;

	if (fstat(mapped, &of_mapped) || fstat(current, &of_current))
		return errno;
	progress->offset = question->offset;
	progress->current = inode_of(&of_current);
	if (question->current.ino && !same_inode(&question->current, &progress->current))
		return EAGAIN;
	progress->differs = of_mapped.st_size != of_current.st_size;
	progress->done = progress->differs;
	return compare_part(mapped, current, progress);
}

static int lookup_compare_files(const struct question *question, int root,
				struct progress *progress)
{
	struct reason reason;
	int current, mapped;
	int error = EAGAIN;

	if (*question->path)
		current = open_untrusted_in(root, question->path, &reason);
	else
		current = open_untrusted_handle(dup(root), &reason);
	if (current < 0)
		return *question->path ? why_not(root, question->path) : EACCES;
	mapped = open_mapped(question);
	if (mapped >= 0) {
		error = compare_files(question, mapped, current, progress);
		close(mapped);
	}
	close(current);
	return error;
}

/* ---------------------------------------------------------------- worker -- */

static void answer_question(const struct worker_message *message, struct worker_message *answer)
{
	const struct question *question = message->data;
	struct progress *progress = answer->data;
	struct lookup *lookup = answer->data;

	memset(answer->data, 0, answer->size);
	if (!question->pid) {
		lookup->error = look_up(message->fd, question, lookup);
		return;
	}
	answer->size = sizeof(*progress);
	if (message->fd < 0)
		answer->fd = open_mapped(question);
	else
		progress->error = lookup_compare_files(question, message->fd, progress);
}

struct worker lookup_worker(void)
{
	return (struct worker){
		.task = answer_question,
		.question_max = sizeof(struct question),
		.answer_max = sizeof(struct lookup),
		.socket = -1,
	};
}

/* 0 or an errno. */
static int lookup_ask(struct worker *worker, const struct waited *waited, int root,
		      struct question *question, struct worker_message *answer)
{
	const struct worker_message message = {
		question, offsetof(struct question, path) + strlen(question->path) + 1, root
	};

	return waits_ask(waited, worker, &message, answer);
}

static struct waited waited_of(const struct mapped_place *mapped)
{
	bool in_our_namespace;

	return (struct waited){ process_blamed(mapped->pid, &in_our_namespace),
				mapped->file->dev_major, mapped->file->dev_minor };
}

static bool set_path(struct question *question, const char *path)
{
	size_t length = strlen(path);

	if (length >= sizeof(question->path))
		return false;
	memcpy(question->path, path, length + 1);
	return true;
}

void lookup_find(struct worker *worker, const struct source *source, int root, const char *path,
		 const struct mapped_place *mapped, struct lookup *lookup)
{
	const struct waited waited = waited_of(mapped);
	struct worker_message answer = { lookup, sizeof(*lookup), -1 };
	struct question question = { .without_module = !source_module(source) };
	int error = EINVAL;

	if (*path && set_path(&question, path))
		error = lookup_ask(worker, &waited, root, &question, &answer);
	if (error)
		lookup->error = error;
}

static struct question about(const struct mapped_place *mapped)
{
	return (struct question){
		.pid = mapped->pid,
		.addr = mapped->addr,
		.inos = { mapped->file->user_ino, mapped->file->ino },
	};
}

int lookup_open(struct worker *worker, const struct mapped_place *mapped)
{
	const struct waited waited = waited_of(mapped);
	struct question question = about(mapped);
	struct progress progress;
	struct worker_message answer = { &progress, sizeof(progress), -1 };

	return lookup_ask(worker, &waited, -1, &question, &answer) ? -1 : answer.fd;
}

int lookup_compare(struct worker *worker, int root, const char *path,
		   const struct mapped_place *mapped, uint64_t most, bool *same)
{
	const struct waited waited = waited_of(mapped);
	const uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	struct question question = about(mapped);
	struct progress progress = {};
	struct worker_message answer;
	int error;

	if (!set_path(&question, path))
		return EINVAL;
	while (!progress.done) {
		if (clock_ns(CLOCK_MONOTONIC) - begin > most)
			return ETIME;
		answer = (struct worker_message){ &progress, sizeof(progress), -1 };
		error = lookup_ask(worker, &waited, root, &question, &answer);
		if (error || progress.error)
			return error ? error : progress.error;
		question.offset = progress.offset;
		question.current = progress.current;
	}
	*same = !progress.differs;
	return 0;
}
