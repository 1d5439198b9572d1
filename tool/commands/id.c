// SPDX-License-Identifier: GPL-2.0
/* buildid id: identify files. */

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "common/arguments.h"
#include "common/open_regular.h"
#include "content/elf_file.h"
#include "print.h"
#include "module.h"

static const char help[] =
	"usage: buildid id [--verify] [-j] FILE...\n"
	"       buildid id [--verify] [-j] [-0] --files-from LIST\n"
	"\n"
	"Identify files as the module does: a line with the identity and the path for\n"
	"each. A build-id is in hex; another kind's identity has the kind before it, as\n"
	"in go:... and htlhash:...; a file without any has the reason in parentheses.\n"
	"\n"
	"      --verify           read the build-id with libelf too, and fail on any\n"
	"                         that differs\n"
	"      --files-from LIST  the paths are the lines of LIST, - for stdin\n"
	"  -0, --null             they end with a NUL, not with a newline\n"
	"  -j, --json             one object per line\n"
	"  -h, --help             this text\n"
	"\n"
	"A file that cannot be identified is told on stderr, with -j also as an object\n"
	"with the keys error and object; the others are done, and the exit status is 1.\n";

struct job {
	struct output out;
	struct buildid *handle;
	bool verify;
	bool failed;
};

static void fail(struct job *job, const char *path, const char *reason)
{
	out_error(&job->out, path, "%s", reason);
	job->failed = true;
}

static void verify(struct job *job, const char *path, int fd, const struct buildid_file *file)
{
	bool build_id = file->kind == BUILDID_KIND_GNU || file->kind == BUILDID_KIND_GO;
	char module[PRINT_ID_MAX], libelf[PRINT_ID_MAX];
	struct identity identity;
	struct elf_info info;
	const uint8_t *bytes;
	size_t size;

	elf_file_id(fd, &info);
	bytes = buildid_file_id_bytes(file, &size);
	if (!build_id && info.kind == BUILDID_KIND_NONE)
		return;
	if (file->kind == info.kind && size == info.id.size && !memcmp(bytes, info.id.bytes, size))
		return;

	identity = (struct identity){ info.kind, info.reason, info.id };
	out_error(&job->out, path, "the module reads %s, libelf reads %s", print_id(file, module),
		  print_identity(&identity, libelf));
	job->failed = true;
}

static void identify(struct job *job, const char *path)
{
	uint64_t buffer[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	const struct buildid_file *file;
	struct reason reason;
	int err;
	int fd;

	fd = open_regular(path, &reason);
	if (fd < 0) {
		fail(job, path, reason.text);
		return;
	}

	err = buildid_resolve_fd(job->handle, fd, buffer, sizeof(buffer), &file);
	if (err) {
		module_error(&job->out, path, err, NULL);
		job->failed = true;
	} else {
		print_file(&job->out, file, path);
		if (job->verify)
			verify(job, path, fd, file);
	}
	close(fd);
}

static void identify_list(struct job *job, const char *list, int delimiter)
{
	FILE *file = strcmp(list, "-") ? fopen(list, "re") : stdin;
	char *path = NULL;
	size_t room = 0;
	ssize_t length;

	if (!file) {
		fail(job, list, strerror(errno));
		return;
	}
	while ((length = getdelim(&path, &room, delimiter, file)) > 0) {
		if (path[length - 1] == delimiter)
			path[--length] = '\0';
		if (length)
			identify(job, path);
	}
	if (ferror(file))
		fail(job, list, strerror(errno));
	free(path);
	if (file != stdin)
		fclose(file);
}

enum {
	VERIFY = 256,
	FILES_FROM
};

static const struct option options[] = {
	{ "verify", no_argument, NULL, VERIFY },
	{ "files-from", required_argument, NULL, FILES_FROM },
	{ "null", no_argument, NULL, '0' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

int cmd_id(int argc, char **argv)
{
	struct job job = {};
	const char *list = NULL;
	int delimiter = '\n';
	bool json = false;
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, "0jh", options, NULL)) != -1) {
		switch (option) {
		case VERIFY:
			job.verify = true;
			break;
		case FILES_FROM:
			list = optarg;
			break;
		case '0':
			delimiter = '\0';
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
	if (!list && optind == argc)
		return args_wrong(argv, "FILE", "none given");
	if (list && optind < argc)
		return args_wrong(argv, argv[optind], "not together with --files-from");

	out_init(&job.out, stdout, json);
	job.handle = module_open(&job.out);
	if (!job.handle)
		return EXIT_FAILURE;
	if (list)
		identify_list(&job, list, delimiter);
	for (; optind < argc; optind++)
		identify(&job, argv[optind]);
	buildid_close(job.handle);
	return job.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
