// SPDX-License-Identifier: GPL-2.0
/*
 * buildid unbundle: unpack what buildid bundle wrote.
 *
 * An archive may come from anybody, so nothing in it is trusted. A name becomes a path
 * only if it has the shape of one in ~/.debug, and through debug_dir.c, which follows no
 * link; symbolic links are checked and made by us, never unpacked; the build-id in a file
 * is checked before the file gets a name; nothing that exists is replaced.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/commands.h"
#include "common/arguments.h"
#include "common/entry.h"
#include "common/hash_map.h"
#include "common/open_regular.h"
#include "common/own_place.h"
#include "common/temporary.h"
#include "content/tarball.h"
#include "commands/options.h"
#include "store_entry.h"

static const char help[] =
	"Unpack an archive of buildid bundle: its files into ~/.debug, each only if the "
	"build-id in it is the one it is filed under, and its perf.data into the current "
	"directory, or where --output says. All else in the archive is refused and reported. "
	"Nothing that exists is replaced.\v"
	"A list of kernel symbols has no build-id in it: whether it belongs to the kernel it "
	"is filed under is up to the author of the bundle. Exit status: 1 when any was "
	"refused.";

static const char examples[] = "buildid unbundle perf.data.tar.zst\n";

#define DATA  "perf.data"
#define LINKS ".build-id/"

#define EXISTS	     "already exists; choose another name with --output"
#define NO_PLACE     "refused: not a path of ~/.debug"
#define NO_DATA_PART "refused: not a path that perf makes in a perf.data"

/* A perf.data that is a directory: made by this process, else @fd is -1. */
struct data_directory {
	char *path; /* as job's, without slashes at the end */
	struct own_place place;
	int fd;
	char temporary[32];
};

struct job {
	struct output out;
	struct store_job store;
	struct tarball *tarball;
	const char *bundle;
	const char *directory;
	const char *data_path;
	bool no_data;
	bool failed;
	struct data_directory data;
	struct hash_map stored; /* parts of contents, by name and build-id */
};

static void unbundle_refuse(struct job *job, const char *name, const char *problem)
{
	out_error(&job->out, *name ? name : job->bundle, "%s", problem);
	job->failed = true;
}

/* ---------------------------------------------------------------- shape -- */

/* "usr/bin/ls/<id>/elf" in its parts. */
struct member {
	char name[PATH_MAX + 1]; /* "/usr/bin/ls", "[vdso]" */
	struct build_id id;
	const char *file; /* "elf" */
	mode_t mode;
};

/* Only the canonical form, so that no two names mean one id. */
static bool parse_id(struct build_id *id, const char *text)
{
	char again[BUILD_ID_TEXT];

	return build_id_parse(id, text) && !strcmp(build_id_text(id, again), text);
}

/* "usr/bin/ls/<id>". */
static bool parse_entry(struct member *member, const char *path)
{
	char *slash;
	size_t length = strlen(path);

	if (*path == '/' || length >= sizeof(member->name) - 1)
		return false;
	member->name[0] = '/';
	memcpy(member->name + 1, path, length + 1);
	slash = strrchr(member->name, '/');
	if (slash == member->name || !parse_id(&member->id, slash + 1))
		return false;
	*slash = '\0';
	if (member->name[1] == '[' && !strchr(member->name + 1, '/'))
		memmove(member->name, member->name + 1, strlen(member->name));
	return debug_dir_is_name(member->name);
}

static bool parse_member(struct member *member, const char *path)
{
	const char *slash = strrchr(path, '/');
	char entry[PATH_MAX];

	if (!slash || slash - path >= (ptrdiff_t)sizeof(entry))
		return false;
	memcpy(entry, path, (size_t)(slash - path));
	entry[slash - path] = '\0';
	member->file = slash + 1;
	return parse_entry(member, entry);
}

/* ".build-id/ab/cdef..." -> "../../usr/bin/ls/abcdef..." */
static bool is_link(const char *path, const char *target)
{
	struct member member;
	char text[BUILD_ID_TEXT], link[BUILD_ID_TEXT + 16];

	if (strncmp(target, "../../", 6) || !parse_entry(&member, target + 6))
		return false;
	build_id_text(&member.id, text);
	snprintf(link, sizeof(link), LINKS "%.2s/%s", text, text + 2);
	return !strcmp(link, path);
}

/* -------------------------------------------------------------- contents -- */

static bool find_part(const char *file, enum content_part *part)
{
	for (*part = 0; *part < CONTENT_PARTS; (*part)++)
		if (!strcmp(file, content_part_name(*part)))
			return true;
	return false;
}

/* The content of the member into @file, to be closed whatever is returned. */
static const char *extract(struct job *job, int directory, mode_t mode, struct temporary *file)
{
	if (!temporary_open(file, directory, mode))
		return strerror(errno);
	return tarball_extract(job->tarball, file->fd);
}

/* One line for an entry, whether it has a debug file or not. */
static void report_ok(struct job *job, const struct member *member, enum content_part part,
		      const char *source)
{
	if (part != CONTENT_DEBUG)
		store_report_ok(&job->store, &member->id, member->name, source, NULL);
}

/* It is read as a whole for that: once, though one header after another names it. */
static bool is_stored(struct job *job, const struct member *member, enum content_part part)
{
	uint64_t key = hash_bytes(hash_text(member->file), member->id.bytes, member->id.size);

	if (hash_map_get(&job->stored, key, false))
		return true;
	return store_has(&job->store, &member->id, part) && hash_map_set(&job->stored, key, true);
}

static void unpack_part(struct job *job, const struct member *member, enum content_part part)
{
	struct debug_item item = {
		.id = &member->id,
		.name = member->name,
		.part = part,
		.may_link = true,
		.stay = true,
	};
	struct temporary file;
	struct reason reason;
	const char *problem;

	if (is_stored(job, member, part)) {
		report_ok(job, member, part, "kept");
		return;
	}
	problem = extract(job, debug_dir_fd(job->store.dir), 0700, &file);
	if (!problem) {
		/* Others may read it at most. */
		fchmod(file.fd, (member->mode & 0755) | 0400);
		item.fd = file.fd;
		if (!debug_dir_put(job->store.dir, &item, &reason))
			problem = reason.text;
	}
	if (problem)
		store_report_fail(&job->store, &member->id, member->name, problem);
	else
		report_ok(job, member, part, "bundle");
	temporary_close(&file);
}

static void unpack_content(struct job *job, const struct tarball_member *file)
{
	struct member member = { .mode = file->mode };
	enum content_part part;

	if (!parse_member(&member, file->name))
		unbundle_refuse(job, file->name, NO_PLACE);
	else if (find_part(member.file, &part))
		unpack_part(job, &member, part);
	/* perf looks for the probes in a file by itself. */
	else if (strcmp(member.file, "probes"))
		unbundle_refuse(job, file->name, NO_PLACE);
}

/* ------------------------------------------------------------------ data -- */

/* What already exists is not replaced, not even a link. */
static const char *unbundle_save(struct job *job, int directory, const char *name)
{
	struct temporary file;
	const char *problem = extract(job, directory, 0600, &file);

	if (!problem && !temporary_name(&file, directory, name, false))
		problem = errno == EEXIST ? EXISTS : strerror(errno);
	temporary_close(&file);
	return problem;
}

static void unpack_data(struct job *job)
{
	struct own_place place;
	struct reason reason;
	const char *problem = reason.text;

	if (own_place_open(&place, job->data_path, false, &reason))
		problem = unbundle_save(job, place.directory, place.name);
	if (problem)
		unbundle_refuse(job, job->data_path, problem);
	own_place_close(&place);
}

/* A new directory, so that nobody else can have put anything into it; it has no name yet. */
static const char *open_data_directory(struct job *job, struct reason *reason)
{
	struct data_directory *data = &job->data;

	if (data->fd >= 0)
		return NULL;
	if (data->place.directory < 0 && !own_place_open(&data->place, data->path, false, reason))
		return reason->text;
	if (data->place.there >= 0)
		return EXISTS;
	temporary_make_name(data->temporary);
	data->fd = entry_make_directory(data->place.directory, data->temporary, 0700);
	return data->fd < 0 ? strerror(errno) : NULL;
}

/* An empty one is replaced: not every filesystem can rename to what must not be there. */
static const char *name_data_directory(const struct data_directory *data)
{
	const struct own_place *place = &data->place;
	int fd = entry_make_directory(place->directory, place->name, 0700);

	if (fd < 0)
		return errno == EEXIST ? EXISTS : strerror(errno);
	close(fd);
	if (entry_rename(place->directory, data->temporary, place->directory, place->name, 0))
		return NULL;
	return strerror(errno);
}

/* Of half an archive nothing is kept: perf reads what is there of a recording. */
static void end_data_directory(struct job *job, bool whole)
{
	struct data_directory *data = &job->data;
	const char *problem = NULL;

	if (data->fd >= 0) {
		close(data->fd);
		problem = whole ? name_data_directory(data) : NULL;
		if (problem)
			unbundle_refuse(job, job->data_path, problem);
		if (problem || !whole)
			entry_remove_tree(data->place.directory, data->temporary);
	}
	own_place_close(&data->place);
}

/* "data.0", "kcore_dir/kcore": one directory below the other is all perf makes. */
static const char *save_below(struct job *job, const char *path)
{
	const char *slash = strchr(path, '/');
	const char *problem;
	char *parent;
	int fd;

	if (!slash)
		return unbundle_save(job, job->data.fd, path);
	if (strchr(slash + 1, '/'))
		return NO_DATA_PART;
	parent = strndup(path, (size_t)(slash - path));
	if (!parent)
		return strerror(ENOMEM);
	fd = entry_need_directory(job->data.fd, parent, 0700);
	free(parent);
	if (fd < 0)
		return strerror(errno);
	problem = unbundle_save(job, fd, slash + 1);
	close(fd);
	return problem;
}

static void unpack_data_part(struct job *job, const char *name)
{
	const char *below = name + sizeof(DATA "/") - 1;
	struct reason reason;
	const char *problem;

	/* The rules for names in ~/.debug serve here, too: none goes up. */
	if (!debug_dir_is_name(below - 1)) {
		unbundle_refuse(job, name, NO_DATA_PART);
		return;
	}
	problem = open_data_directory(job, &reason);
	if (!problem)
		problem = save_below(job, below);
	if (problem)
		unbundle_refuse(job, name, problem);
}

/* --------------------------------------------------------------- archive -- */

static bool is_below(const char *name, const char *directory)
{
	return !strncmp(name, directory, strlen(directory));
}

static void unpack_file(struct job *job, const struct tarball_member *member)
{
	bool single = !strcmp(member->name, DATA);

	if (!single && !is_below(member->name, DATA "/")) {
		unpack_content(job, member);
	} else if (!job->no_data) {
		if (single)
			unpack_data(job);
		else
			unpack_data_part(job, member->name);
	}
}

static void unpack_member(struct job *job, const struct tarball_member *member)
{
	switch (member->type) {
	case S_IFREG:
		unpack_file(job, member);
		break;
	case S_IFLNK:
		/* A good one is made when the file that it leads to is stored. */
		if (!is_link(member->name, member->target))
			unbundle_refuse(job, member->name, "refused: a symbolic link to elsewhere");
		break;
	case S_IFDIR:
		/* Made as they are needed. */
		break;
	default:
		unbundle_refuse(job, member->name, "refused: neither a file nor a symbolic link");
	}
}

static void unpack_all(struct job *job, int fd)
{
	struct tarball_member member;
	int got;

	job->tarball = tarball_read(fd);
	if (!job->tarball) {
		unbundle_refuse(job, job->bundle, strerror(ENOMEM));
		return;
	}
	while ((got = tarball_next(job->tarball, &member)) > 0)
		unpack_member(job, &member);
	if (got < 0)
		unbundle_refuse(job, job->bundle, tarball_problem(job->tarball));
	end_data_directory(job, !got);
	tarball_close(job->tarball);
}

static int unbundle_run(struct job *job)
{
	struct reason reason = { "out of memory" };
	int fd = open_untrusted(AT_FDCWD, job->bundle, &reason);

	if (fd < 0) {
		unbundle_refuse(job, job->bundle, reason.text);
		return EXIT_FAILURE;
	}
	job->store.out = &job->out;
	job->store.dir = debug_dir_open(job->directory, true, &reason);
	if (job->store.dir)
		unpack_all(job, fd);
	else
		unbundle_refuse(job, job->directory ? job->directory : "~/.debug", reason.text);
	debug_dir_close(job->store.dir);
	hash_map_free(&job->stored);
	close(fd);
	return job->failed || job->store.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int cmd_unbundle(int argc, char **argv)
{
	struct job job = { .data_path = DATA,
			   .data = { .place = { .directory = -1, .there = -1 }, .fd = -1 } };
	size_t length;
	int status;
	const struct args_option options[] = {
		OPTION_OUTPUT(&job.data_path),
		OPTION_NO_DATA(&job.no_data),
		OPTION_DIR(&job.directory),
		{},
	};
	const struct args args = {
		.command = "unbundle",
		.operands = "BUNDLE",
		.max_operands = 1,
		.help = help,
		.examples = examples,
		.options = options,
		.out = &job.out,
	};

	job.bundle = *args_parse(&args, argc, argv);
	if (!job.bundle)
		args_error("BUNDLE", "missing operand");
	job.data.path = strdup(job.data_path);
	if (!job.data.path) {
		unbundle_refuse(&job, job.bundle, strerror(ENOMEM));
		return EXIT_FAILURE;
	}
	for (length = strlen(job.data.path); length > 1 && job.data.path[length - 1] == '/';)
		job.data.path[--length] = '\0';
	status = unbundle_run(&job);
	free(job.data.path);
	return status;
}
