// SPDX-License-Identifier: GPL-2.0
/*
 * buildid bundle: pack a perf.data with the files that perf report needs for it.
 *
 * The archive has the layout of ~/.debug, so that tar can unpack it there as well. Files
 * go in from ~/.debug only, where store has checked them; the archive gets its name when
 * it is whole.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/commands.h"
#include "common/arguments.h"
#include "common/open_regular.h"
#include "common/own_place.h"
#include "common/supervise.h"
#include "common/temporary.h"
#include "content/tarball.h"
#include "commands/options.h"
#include "request_list.h"
#include "store_entry.h"

static const char help[] =
	"Write one archive, a tar in zstd, with a perf.data and all that perf report needs for "
	"it on another machine, where buildid unbundle unpacks it. What is missing in ~/.debug "
	"is put there first, as by buildid store, with a line for each. The recording is "
	"perf.data unless it is given; the archive is PERF_DATA.tar.zst unless --output is "
	"given, of which - is standard output; the lines go to standard error then.\v"
	"Where its author is trusted tar can unpack the archive in ~/.debug, too. Exit status: "
	"1 when any file failed; the others are in the archive.";

static const char examples[] = "buildid bundle perf.data\n";

/* As tarball.h packs it. */
#define ZSTD_MAGIC "\x28\xb5\x2f\xfd"

struct job {
	struct output out;
	const char *input;
	const char *bundle;
	const char *directory;
	bool no_data;
	bool all;
	bool debug;
	bool no_servers;
	bool failed;
	uint64_t files;
};

static void bundle_fail(struct job *job, const char *object, const char *problem)
{
	out_error(&job->out, object, "%s", problem);
	job->failed = true;
}

/* --------------------------------------------------------------- content -- */

/* False when nothing more can be written. */
static bool add_part(struct job *job, struct tarball *tarball, const struct debug_dir *dir,
		     const struct build_id *id, const char *entry, enum content_part part)
{
	int fd = debug_dir_find(dir, id, part);
	const char *problem;
	char *name;

	if (fd < 0)
		return true;
	problem = asprintf(&name, "%s/%s", entry, content_part_name(part)) < 0 ?
			  strerror(ENOMEM) :
			  tarball_add_file(tarball, name, fd);
	close(fd);
	job->files++;
	if (problem)
		bundle_fail(job, job->bundle, problem);
	else
		free(name);
	return !problem;
}

static bool add_entry(struct job *job, struct tarball *tarball, const struct debug_dir *dir,
		      const struct build_id *id)
{
	/* The debug file can be stored only where the other part already is. */
	static const enum content_part parts[] = {
		CONTENT_ELF,
		CONTENT_VDSO,
		CONTENT_KALLSYMS,
		CONTENT_DEBUG,
	};
	char name[PATH_MAX], target[PATH_MAX], text[BUILD_ID_TEXT];
	char *entry = debug_dir_entry(dir, id);
	const char *problem;
	bool good = true;
	size_t i;

	if (!entry)
		return true;
	for (i = 0; good && i < CONTENT_PARTS; i++)
		good = add_part(job, tarball, dir, id, entry, parts[i]);
	build_id_text(id, text);
	snprintf(name, sizeof(name), ".build-id/%.2s/%s", text, text + 2);
	snprintf(target, sizeof(target), "../../%s", entry);
	free(entry);
	problem = good ? tarball_add_link(tarball, name, target) : NULL;
	if (problem)
		bundle_fail(job, job->bundle, problem);
	return good && !problem;
}

/* Two paths may have one content. */
static bool is_first(const struct request_list *list, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (build_id_equal(&list->items[i].id, &list->items[index].id))
			return false;
	return true;
}

static bool add_contents(struct job *job, struct tarball *tarball, const struct debug_dir *dir,
			 const struct request_list *list)
{
	bool good = true;
	size_t i;

	for (i = 0; good && i < list->count; i++)
		if (is_first(list, i))
			good = add_entry(job, tarball, dir, &list->items[i].id);
	return good;
}

/* ------------------------------------------------------------------ data -- */

static bool add_file(struct job *job, struct tarball *tarball, int handle, const char *name)
{
	struct reason reason;
	const char *problem = reason.text;
	int fd = open_untrusted_handle(handle, &reason);

	if (fd >= 0) {
		problem = tarball_add_file(tarball, name, fd);
		close(fd);
	}
	if (problem)
		bundle_fail(job, name, problem);
	return !problem;
}

/* Not every filesystem says so with the name. */
static bool is_directory(int parent, const struct dirent *entry)
{
	struct stat stat_;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return !fstatat(parent, entry->d_name, &stat_, AT_SYMLINK_NOFOLLOW) &&
	       S_ISDIR(stat_.st_mode);
}

/* NULL at the end, and when it cannot be read, which fails the job. */
static struct dirent *next_entry(struct job *job, DIR *directory, const char *name)
{
	struct dirent *entry;

	errno = 0;
	entry = readdir(directory);
	if (!entry && errno)
		bundle_fail(job, name, strerror(errno));
	return entry;
}

/*
 * As perf record --threads makes it, with all that is below. It may be another user's, and
 * links in it would have files packed that this user cannot read.
 */
static bool add_directory(struct job *job, struct tarball *tarball, int fd, const char *name)
{
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool good = directory;
	char path[PATH_MAX];

	if (!directory) {
		bundle_fail(job, name, strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	while (good && (entry = next_entry(job, directory, name))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", name, entry->d_name);
		if (is_directory(fd, entry))
			good = add_directory(job, tarball,
					     openat(fd, entry->d_name,
						    O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
							    O_CLOEXEC),
					     path);
		else
			good = add_file(job, tarball,
					openat(fd, entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC),
					path);
	}
	if (directory)
		closedir(directory);
	return good;
}

static bool add_data(struct job *job, struct tarball *tarball)
{
	int directory = open(job->input, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (directory >= 0)
		return add_directory(job, tarball, directory, "perf.data");
	return add_file(job, tarball, open(job->input, O_PATH | O_CLOEXEC), "perf.data");
}

/* --------------------------------------------------------------- archive -- */

static bool bundle_fill(struct job *job, int fd, const struct debug_dir *dir,
			const struct request_list *list)
{
	struct tarball *tarball = tarball_write(fd);
	const char *problem = tarball ? tarball_problem(tarball) : strerror(ENOMEM);
	bool good = !problem;

	if (good)
		good = (job->no_data || add_data(job, tarball)) &&
		       add_contents(job, tarball, dir, list);
	if (good)
		problem = tarball_finish(tarball);
	if (problem)
		bundle_fail(job, job->bundle, problem);
	tarball_close(tarball);
	return good && !problem;
}

/* The archive gets its name only when it is whole. */
static const char *write_into(struct job *job, const struct own_place *place,
			      const struct debug_dir *dir, const struct request_list *list)
{
	struct temporary file;
	struct stat stat_ = {};
	const char *problem = NULL;

	if (!temporary_open(&file, place->directory, 0600))
		problem = strerror(errno);
	else if (bundle_fill(job, file.fd, dir, list) &&
		 (fstat(file.fd, &stat_) || fsync(file.fd) ||
		  !temporary_name(&file, place->directory, place->name, true)))
		problem = strerror(errno);
	temporary_close(&file);
	if (!problem && !job->failed)
		fprintf(stderr, "buildid: %s: %" PRIu64 " files, %" PRIu64 " kB\n", job->bundle,
			job->files, (uint64_t)stat_.st_size >> 10);
	return problem;
}

static bool is_standard_output(const struct job *job)
{
	return !strcmp(job->bundle, "-");
}

static void write_bundle(struct job *job, const struct debug_dir *dir,
			 const struct request_list *list)
{
	const char *problem = NULL;
	struct own_place place;
	struct reason reason;

	if (is_standard_output(job)) {
		bundle_fill(job, STDOUT_FILENO, dir, list);
		return;
	}
	if (!own_place_open(&place, job->bundle, true, &reason) ||
	    !own_place_is_free(&place, ZSTD_MAGIC, strlen(ZSTD_MAGIC), &reason))
		problem = reason.text;
	else
		problem = write_into(job, &place, dir, list);
	if (problem)
		bundle_fail(job, job->bundle, problem);
	own_place_close(&place);
}

static void pack(struct job *job, struct store_job *store)
{
	struct request_list list;

	if (!request_list_read(&list, &job->out, job->input, job->all)) {
		job->failed = true;
		return;
	}
	store_requests(store, &list);
	write_bundle(job, store->dir, &list);
	request_list_free(&list);
}

static int bundle_run(struct job *job)
{
	struct store_job store = { .out = &job->out, .debug = job->debug };
	struct reason reason = { "out of memory" };

	store.dir = debug_dir_open(job->directory, true, &reason);
	store.locate = locator_new(!job->no_servers);
	if (!store.dir || !store.locate)
		bundle_fail(job, job->directory ? job->directory : "~/.debug", reason.text);
	else
		pack(job, &store);
	locator_free(store.locate);
	debug_dir_close(store.dir);
	return job->failed || store.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Beside the input, of which "x/" is the directory x. */
static char *default_bundle(const char *input)
{
	size_t length = strlen(input);
	char *bundle;

	while (length > 1 && input[length - 1] == '/')
		length--;
	return asprintf(&bundle, "%.*s.tar.zst", (int)length, input) < 0 ? NULL : bundle;
}

int cmd_bundle(int argc, char **argv)
{
	struct job job = {};
	const struct args_option options[] = {
		OPTION_INPUT(&job.input),
		OPTION_OUTPUT(&job.bundle),
		OPTION_NO_DATA(&job.no_data),
		OPTION_ALL(&job.all),
		OPTION_DEBUG(&job.debug),
		OPTION_DIR(&job.directory),
		OPTION_NO_DEBUGINFOD(&job.no_servers),
		{},
	};
	const struct args args = {
		.command = "bundle",
		.operands = "[PERF_DATA]",
		.max_operands = 1,
		.help = help,
		.examples = examples,
		.options = options,
		.out = &job.out,
	};
	char **operands = args_parse(&args, argc, argv);
	char *named;
	int status;

	job.input = option_perfdata(job.input, operands);
	if (!strcmp(job.input, "-"))
		args_error("-", "standard input cannot be bundled, as it is read twice");
	named = job.bundle ? NULL : default_bundle(job.input);
	if (named)
		job.bundle = named;
	if (job.bundle && is_standard_output(&job)) {
		if (isatty(STDOUT_FILENO))
			args_error("-", "standard output is a terminal");
		/* Which is the archive's. */
		job.out.file = stderr;
	}
	supervise();
	status = job.bundle ? bundle_run(&job) : EXIT_FAILURE;
	free(named);
	return status;
}
