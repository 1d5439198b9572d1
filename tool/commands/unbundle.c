// SPDX-License-Identifier: GPL-2.0
/*
 * buildid unbundle: take up what buildid bundle wrote.
 *
 * Who wrote an archive is not known. No name in it becomes a path but through
 * debug_dir.c, which follows no link, and is given only what has its shape; links
 * in it are looked at and made anew; files are checked before they have a name.
 */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
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
#include "store_entry.h"

static const char help[] =
	"usage: buildid unbundle [-o PERF_DATA | --no-data] [--dir DIR] [-j] BUNDLE\n"
	"\n"
	"Take up an archive of buildid bundle: the files into ~/.debug, each only if its\n"
	"own build-id is the one it is filed under, and the perf.data into the current\n"
	"directory. Whatever else is in the archive is refused and told, and the rest\n"
	"is kept.\n"
	"\n"
	"  -o, --output PERF_DATA  where to put the perf.data; perf.data if not given.\n"
	"                          Nothing that is there is replaced\n"
	"      --no-data           leave it in the archive\n"
	"      --dir DIR           in place of ~/.debug\n"
	"  -j, --json              one object per line\n"
	"  -h, --help              this text\n"
	"\n"
	"Nothing in a kernel's list of symbols says of which kernel it is: that it is as\n"
	"named is up to who made the bundle.\n"
	"Exit status: 1 when any was refused.\n";

#define DATA  "perf.data"
#define LINKS ".build-id/"

struct job {
	struct output out;
	struct store_job store;
	struct tarball *tarball;
	const char *bundle;
	const char *directory;
	const char *data_path;
	bool data;
	bool failed;
	int data_directory; /* ours, when the data is one; else -1 */
};

static void refuse(struct job *job, const char *name, const char *problem)
{
	out_error(&job->out, *name ? name : job->bundle, "%s", problem);
	job->failed = true;
}

/* ---------------------------------------------------------------- shape -- */

/* "usr/bin/ls/<id>/elf" taken apart. */
struct member {
	char name[PATH_MAX + 1]; /* "/usr/bin/ls", "[vdso]" */
	struct build_id id;
	const char *file; /* "elf" */
	mode_t mode;
};

/* As it is written only: no two names are to be of one id. */
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

/* What the member holds; to be closed whatever is returned. */
static const char *extract(struct job *job, int directory, mode_t mode, struct temporary *file)
{
	if (!temporary_open(file, directory, mode))
		return strerror(errno);
	return tarball_extract(job->tarball, file->fd);
}

/* One line for an entry, whether it has a debug file or not. */
static void tell_taken(struct job *job, const struct member *member, enum content_part part,
		       const char *source)
{
	if (part != CONTENT_DEBUG)
		store_report_ok(&job->store, &member->id, member->name, source);
}

static void take_part(struct job *job, const struct member *member, enum content_part part)
{
	struct debug_item item = {
		.id = &member->id,
		.name = member->name,
		.part = part,
		.may_link = true,
	};
	struct temporary file;
	struct reason reason;
	const char *problem;

	if (store_has(&job->store, &member->id, part)) {
		tell_taken(job, member, part, "kept");
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
		tell_taken(job, member, part, "bundle");
	temporary_close(&file);
}

static void take_content(struct job *job, const struct tarball_member *file)
{
	struct member member = { .mode = file->mode };
	enum content_part part;

	if (!parse_member(&member, file->name))
		refuse(job, file->name, "refused: no place in ~/.debug has that name");
	else if (find_part(member.file, &part))
		take_part(job, &member, part);
	/* What probes perf found there is for it to find here. */
	else if (strcmp(member.file, "probes"))
		refuse(job, file->name, "refused: no file of ~/.debug has that name");
}

/* ------------------------------------------------------------------ data -- */

/* What is there already is left alone, be it a link. */
static const char *save(struct job *job, int directory, const char *name)
{
	struct temporary file;
	const char *problem = extract(job, directory, 0600, &file);

	if (!problem && !temporary_name(&file, directory, name, false))
		problem = errno == EEXIST ? "is there already; give another: -o FILE" :
					    strerror(errno);
	temporary_close(&file);
	return problem;
}

static void take_data(struct job *job)
{
	const char *problem, *name;
	int directory = temporary_parent(job->data_path, &name);

	problem = directory < 0 ? strerror(errno) : save(job, directory, name);
	if (directory >= 0)
		close(directory);
	if (problem)
		refuse(job, job->data_path, problem);
}

/* Made by this call, so that nothing in it was put there by anybody else. */
static const char *open_data_directory(struct job *job)
{
	if (job->data_directory >= 0)
		return NULL;
	if (mkdir(job->data_path, 0700))
		return errno == EEXIST ? "is there already; give another: -o FILE" :
					 strerror(errno);
	job->data_directory = open(job->data_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return job->data_directory < 0 ? strerror(errno) : NULL;
}

/* "data.0", "kcore_dir/kcore": one directory below the other is all perf makes. */
static const char *save_below(struct job *job, const char *path)
{
	const char *slash = strchr(path, '/');
	const char *problem;
	char *parent;
	int fd;

	if (!slash)
		return save(job, job->data_directory, path);
	if (strchr(slash + 1, '/'))
		return "refused: no recording has that name in it";
	parent = strndup(path, (size_t)(slash - path));
	if (!parent)
		return strerror(ENOMEM);
	mkdirat(job->data_directory, parent, 0700);
	fd = openat(job->data_directory, parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	free(parent);
	if (fd < 0)
		return strerror(errno);
	problem = save(job, fd, slash + 1);
	close(fd);
	return problem;
}

static void take_data_part(struct job *job, const char *name)
{
	const char *below = name + sizeof(DATA "/") - 1;
	const char *problem;

	/* Names are judged as those of ~/.debug: none goes up. */
	if (!debug_dir_is_name(below - 1)) {
		refuse(job, name, "refused: no recording has that name in it");
		return;
	}
	problem = open_data_directory(job);
	if (!problem)
		problem = save_below(job, below);
	if (problem)
		refuse(job, name, problem);
}

/* --------------------------------------------------------------- archive -- */

static bool is_below(const char *name, const char *directory)
{
	return !strncmp(name, directory, strlen(directory));
}

static void take_file(struct job *job, const struct tarball_member *member)
{
	bool single = !strcmp(member->name, DATA);

	if (!single && !is_below(member->name, DATA "/")) {
		take_content(job, member);
	} else if (job->data) {
		if (single)
			take_data(job);
		else
			take_data_part(job, member->name);
	}
}

static void take_member(struct job *job, const struct tarball_member *member)
{
	switch (member->type) {
	case S_IFREG:
		take_file(job, member);
		break;
	case S_IFLNK:
		/* One of the right shape is made when the file it leads to is put. */
		if (!is_link(member->name, member->target))
			refuse(job, member->name, "refused: a symbolic link to elsewhere");
		break;
	case S_IFDIR:
		/* Made as they are needed. */
		break;
	default:
		refuse(job, member->name, "refused: neither a file nor a symbolic link");
	}
}

static void take_all(struct job *job, int fd)
{
	struct tarball_member member;
	int got;

	job->tarball = tarball_read(fd);
	if (!job->tarball) {
		refuse(job, job->bundle, strerror(ENOMEM));
		return;
	}
	while ((got = tarball_next(job->tarball, &member)) > 0)
		take_member(job, &member);
	if (got < 0)
		refuse(job, job->bundle, tarball_problem(job->tarball));
	tarball_close(job->tarball);
}

static int run(struct job *job)
{
	struct reason reason = { "out of memory" };
	int fd = open_untrusted(AT_FDCWD, job->bundle, &reason);

	if (fd < 0) {
		refuse(job, job->bundle, reason.text);
		return EXIT_FAILURE;
	}
	job->store.out = &job->out;
	job->store.dir = debug_dir_open(job->directory, true, &reason);
	if (job->store.dir)
		take_all(job, fd);
	else
		refuse(job, job->directory ? job->directory : "~/.debug", reason.text);
	debug_dir_close(job->store.dir);
	if (job->data_directory >= 0)
		close(job->data_directory);
	close(fd);
	return job->failed || job->store.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

enum {
	DIR_ = 256,
	NO_DATA
};

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' }, { "no-data", no_argument, NULL, NO_DATA },
	{ "dir", required_argument, NULL, DIR_ },   { "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },	    { NULL, 0, NULL, 0 },
};

int cmd_unbundle(int argc, char **argv)
{
	struct job job = { .data = true, .data_path = DATA, .data_directory = -1 };
	bool json = false;
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, "o:jh", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			job.data_path = optarg;
			break;
		case NO_DATA:
			job.data = false;
			break;
		case DIR_:
			job.directory = optarg;
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
	if (optind + 1 != argc)
		return args_wrong(argv, "unbundle", "takes one archive");
	job.bundle = argv[optind];
	out_init(&job.out, stdout, json);
	return run(&job);
}
