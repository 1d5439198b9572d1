// SPDX-License-Identifier: GPL-2.0
/*
 * buildid id: identify files.
 *
 * The module reads them through an open file descriptor, in this process's context, as it
 * reads what is mapped; --verify compares that with what libelf finds.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "common/arguments.h"
#include "common/open_regular.h"
#include "content/elf_file.h"
#include "content/elf_member.h"
#include "print.h"
#include "module.h"

static const char help[] =
	"Identify files as the module does, and print the identity and the path of each. A "
	"build-id is in hex; an identity of another kind follows its kind, as in go:... and "
	"htlhash:...; a file without any has the reason in parentheses. Behind an archive, as an APK, "
	"there are the ELF files that it holds uncompressed: ARCHIVE!NAME.\v"
	"A file that cannot be identified is reported; the others are done, and the exit "
	"status is 1.";

static const char examples[] =
	"buildid id /usr/bin/*\n"
	"find / -xdev -name '*.so*' -print0 | buildid id -0 --files-from=-\n";

struct job {
	struct output out;
	struct buildid *handle;
	bool verify;
	bool failed;
};

static void id_fail(struct job *job, const char *path, const char *reason)
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

struct archive {
	struct job *job;
	const char *path;
};

static void show_member(void *data, const struct elf_member *member)
{
	const struct archive *archive = data;

	print_file_member(&archive->job->out, archive->path, member);
}

static void id_identify(struct job *job, const char *path)
{
	struct archive archive = { job, path };
	uint64_t buffer[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	const struct buildid_file *file;
	struct reason reason;
	int err;
	int fd;

	fd = open_regular(path, &reason);
	if (fd < 0) {
		id_fail(job, path, reason.text);
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
		if (file->reason == BUILDID_REASON_NOT_ELF)
			elf_members_each(fd, show_member, &archive);
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
		id_fail(job, list, strerror(errno));
		return;
	}
	while ((length = getdelim(&path, &room, delimiter, file)) > 0) {
		if (path[length - 1] == delimiter)
			path[--length] = '\0';
		if (length)
			id_identify(job, path);
	}
	if (ferror(file))
		id_fail(job, list, strerror(errno));
	free(path);
	if (file != stdin)
		fclose(file);
}

int cmd_id(int argc, char **argv)
{
	struct job job = {};
	const char *list = NULL;
	bool null = false;
	const struct args_option options[] = {
		{ "verify", 0, NULL,
		  "read the build-id with libelf, too, and fail for any file where it differs",
		  .flag = &job.verify },
		{ "files-from", 0, "LIST",
		  "read the paths from LIST, one per line; - is standard input", .string = &list },
		{ "null", '0', NULL, "in LIST a NUL ends a path, not a newline", .flag = &null },
		{},
	};
	const struct args args = {
		.command = "id",
		.operands = "FILE...\n--files-from=LIST",
		.max_operands = ARGS_ANY,
		.help = help,
		.examples = examples,
		.options = options,
		.out = &job.out,
	};
	char **paths = args_parse(&args, argc, argv);
	char **path;

	for (path = paths; *path; path++)
		if (!strcmp(*path, "-"))
			args_error("-", "paths from standard input: --files-from=-; a file of that "
					"name: ./-");
	if (!list && !*paths)
		args_error("FILE", "missing operand");
	if (list && *paths)
		args_error(*paths, "not together with --files-from");

	job.handle = module_open(&job.out);
	if (!job.handle)
		return EXIT_FAILURE;
	if (list)
		identify_list(&job, list, null ? '\0' : '\n');
	for (; *paths; paths++)
		id_identify(&job, *paths);
	buildid_close(job.handle);
	return job.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
