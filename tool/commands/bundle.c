// SPDX-License-Identifier: GPL-2.0
/* buildid bundle: a recording and what it needs in one archive. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "common/arguments.h"
#include "common/open_regular.h"
#include "common/temporary.h"
#include "content/tarball.h"
#include "request_list.h"
#include "store_entry.h"

static const char help[] =
	"usage: buildid bundle [-o BUNDLE] [--no-data] [-a] [-g] [--dir DIR]\n"
	"                      [--no-debuginfod] [-j] [PERF_DATA]\n"
	"\n"
	"Write one archive with a perf.data and all that perf report needs on another\n"
	"machine: buildid unbundle takes it up there. What is missing in ~/.debug is put\n"
	"there first, as buildid store does, with a line for each; what cannot be had is\n"
	"told, and all else is in the archive.\n"
	"\n"
	"  -o, --output BUNDLE  the archive, a tar in zstd; PERF_DATA.tar.zst if not given\n"
	"      --no-data        without the perf.data itself\n"
	"  -a, --all            what has no sample in it, too\n"
	"  -g, --debug          debug files of what has no symbols, too, by debuginfod if\n"
	"                       need be\n"
	"      --dir DIR        in place of ~/.debug\n"
	"      --no-debuginfod  ask no server\n"
	"  -j, --json           one object per line\n"
	"  -h, --help           this text\n"
	"\n"
	"PERF_DATA is perf.data if not given. The archive has the layout of ~/.debug, so\n"
	"that tar can unpack it there, too, where its writer is trusted.\n"
	"Exit status: 1 when any failed.\n";

struct job {
	struct output out;
	const char *input;
	const char *bundle;
	const char *directory;
	bool data;
	bool all;
	bool debug;
	bool servers;
	bool failed;
	uint64_t files;
};

static void fail(struct job *job, const char *object, const char *problem)
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
		fail(job, job->bundle, problem);
	else
		free(name);
	return !problem;
}

static bool add_entry(struct job *job, struct tarball *tarball, const struct debug_dir *dir,
		      const struct build_id *id)
{
	/* The debug file has no place before the other is there. */
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
		fail(job, job->bundle, problem);
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

static bool add_file(struct job *job, struct tarball *tarball, int directory, const char *path,
		     const char *name)
{
	struct reason reason;
	const char *problem = reason.text;
	int fd = open_untrusted(directory, path, &reason);

	if (fd >= 0) {
		problem = tarball_add_file(tarball, name, fd);
		close(fd);
	}
	if (problem)
		fail(job, name, problem);
	return !problem;
}

/* As perf record --threads makes it; what is in its directories, too. */
static bool add_directory(struct job *job, struct tarball *tarball, int fd, const char *name)
{
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool good = directory;
	char path[PATH_MAX];

	if (!directory) {
		fail(job, name, strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	while (good && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", name, entry->d_name);
		if (entry->d_type == DT_DIR)
			good = add_directory(job, tarball,
					     openat(fd, entry->d_name,
						    O_RDONLY | O_DIRECTORY | O_CLOEXEC),
					     path);
		else
			good = add_file(job, tarball, fd, entry->d_name, path);
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
	return add_file(job, tarball, AT_FDCWD, job->input, "perf.data");
}

/* --------------------------------------------------------------- archive -- */

static bool fill(struct job *job, int fd, const struct debug_dir *dir,
		 const struct request_list *list)
{
	struct tarball *tarball = tarball_write(fd);
	const char *problem = tarball ? tarball_problem(tarball) : strerror(ENOMEM);
	bool good = !problem;

	if (good)
		good = (!job->data || add_data(job, tarball)) &&
		       add_contents(job, tarball, dir, list);
	if (good)
		problem = tarball_finish(tarball);
	if (problem)
		fail(job, job->bundle, problem);
	tarball_close(tarball);
	return good && !problem;
}

/* A rename would put an archive in place of /dev/null, too. */
static const char *is_in_the_way(int directory, const char *name)
{
	struct stat stat_;

	if (fstatat(directory, name, &stat_, 0) || S_ISREG(stat_.st_mode))
		return NULL;
	return S_ISDIR(stat_.st_mode) ? strerror(EISDIR) : "not a regular file";
}

/* Only a whole one has a name. */
static const char *write_into(struct job *job, int directory, const char *name,
			      const struct debug_dir *dir, const struct request_list *list)
{
	struct temporary file;
	struct stat stat_ = {};
	const char *problem = NULL;

	if (!temporary_open(&file, directory, 0600))
		problem = strerror(errno);
	else if (fill(job, file.fd, dir, list) && (fstat(file.fd, &stat_) || fsync(file.fd) ||
						   !temporary_name(&file, directory, name, true)))
		problem = strerror(errno);
	temporary_close(&file);
	if (!problem && !job->failed)
		fprintf(stderr, "buildid: %s: %" PRIu64 " files, %" PRIu64 " kB\n", job->bundle,
			job->files, (uint64_t)stat_.st_size >> 10);
	return problem;
}

static void write_bundle(struct job *job, const struct debug_dir *dir,
			 const struct request_list *list)
{
	const char *problem, *name;
	int directory = temporary_parent(job->bundle, &name);

	problem = directory < 0 ? strerror(errno) : is_in_the_way(directory, name);
	if (!problem)
		problem = write_into(job, directory, name, dir, list);
	if (problem)
		fail(job, job->bundle, problem);
	if (directory >= 0)
		close(directory);
}

static void bundle(struct job *job, struct store_job *store)
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

static int run(struct job *job)
{
	struct store_job store = { .out = &job->out, .debug = job->debug };
	struct reason reason = { "out of memory" };

	store.dir = debug_dir_open(job->directory, true, &reason);
	store.locate = locator_new(job->servers);
	if (!store.dir || !store.locate)
		fail(job, job->directory ? job->directory : "~/.debug", reason.text);
	else
		bundle(job, &store);
	locator_free(store.locate);
	debug_dir_close(store.dir);
	return job->failed || store.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

enum {
	DIR_ = 256,
	NO_DEBUGINFOD,
	NO_DATA
};

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "no-data", no_argument, NULL, NO_DATA },
	{ "all", no_argument, NULL, 'a' },
	{ "debug", no_argument, NULL, 'g' },
	{ "dir", required_argument, NULL, DIR_ },
	{ "no-debuginfod", no_argument, NULL, NO_DEBUGINFOD },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* "x/" is the directory x. */
static char *default_bundle(const char *input)
{
	size_t length = strlen(input);
	char *bundle_;

	while (length > 1 && input[length - 1] == '/')
		length--;
	return asprintf(&bundle_, "%.*s.tar.zst", (int)length, input) < 0 ? NULL : bundle_;
}

int cmd_bundle(int argc, char **argv)
{
	struct job job = { .data = true, .servers = true };
	char *named;
	bool json = false;
	int option;
	int status;

	optind = 0;
	while ((option = getopt_long(argc, argv, "o:agjh", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			job.bundle = optarg;
			break;
		case NO_DATA:
			job.data = false;
			break;
		case 'a':
			job.all = true;
			break;
		case 'g':
			job.debug = true;
			break;
		case DIR_:
			job.directory = optarg;
			break;
		case NO_DEBUGINFOD:
			job.servers = false;
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			return args_help(help);
		default:
			return args_usage(argv);
		}
	}
	if (optind + 1 < argc)
		return args_wrong(argv, argv[optind + 1], "bundle takes one perf.data");
	job.input = optind < argc ? argv[optind] : "perf.data";
	if (!strcmp(job.input, "-"))
		return args_wrong(argv, "-", "bundle takes a file, as it reads it twice");
	out_init(&job.out, stdout, json);
	named = job.bundle ? NULL : default_bundle(job.input);
	if (named)
		job.bundle = named;
	status = job.bundle ? run(&job) : EXIT_FAILURE;
	free(named);
	return status;
}
