// SPDX-License-Identifier: GPL-2.0
/* buildid resolve: a file with a given content. */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "common/arguments.h"
#include "common/array.h"
#include "common/output.h"
#include "content/debug_dir.h"
#include "content/locate.h"
#include "identities/netlink.h"

static const char help[] =
	"usage: buildid resolve [--dir DIR] [--no-debuginfod] [-j] ID\n"
	"\n"
	"Print the path of a file whose own build-id is ID, in hex: where the module saw\n"
	"that content mapped (the path, or what a process has mapped when no path leads\n"
	"to it any more), in ~/.debug, in /usr/lib/debug, else from the servers in\n"
	"DEBUGINFOD_URLS. A file of another content at the same path is never printed.\n"
	"\n"
	"      --dir DIR        in place of ~/.debug\n"
	"      --no-debuginfod  ask no server\n"
	"  -j, --json           an object\n"
	"  -h, --help           this text\n"
	"\n"
	"Works without the module, which then has nothing to say. Exit status: 1 when\n"
	"there is no such file.\n";

struct job {
	struct output out;
	struct build_id id;
	const char *text;
	const char *directory;
	bool servers;
	struct locator *here;
	struct locator *there;
};

static void show(struct job *job, const char *path, const char *source)
{
	char text[BUILD_ID_TEXT];

	out_begin(&job->out);
	out_string(&job->out, "type", OUT_HIDDEN, "resolve");
	out_string(&job->out, "build_id", OUT_HIDDEN, build_id_text(&job->id, text));
	out_string(&job->out, "path", 0, path);
	out_string(&job->out, "source", OUT_HIDDEN, source);
	out_end(&job->out);
}

/* ---------------------------------------------------------- the module's -- */

static bool is_wanted(const struct buildid_record *record, const struct build_id *id)
{
	const struct buildid_file *file = (const void *)record;
	const uint8_t *bytes;
	size_t size;

	if (record->type != BUILDID_RECORD_FILE)
		return false;
	bytes = buildid_file_id_bytes(file, &size);
	return bytes && size == id->size && !memcmp(bytes, id->bytes, size);
}

static bool show_located(struct job *job, const char *path)
{
	struct request request = {
		.kind = REQUEST_FILE, .id = job->id, .path = path, .path_first = true
	};
	struct reason reason;
	struct located_file found;
	bool done = locate_request(job->here, &request, &found, &reason);

	if (done)
		show(job, found.path, found.source);
	located_file_free(&found);
	return done;
}

/* False without a word: whoever may not ask the module can ask the others. */
static bool from_module(struct job *job)
{
	const struct netlink_filter filter = { .by_kind = true, .kind = BUILDID_KIND_GNU };
	const struct buildid_record *record;
	struct netlink *netlink;
	bool done = false;

	if (netlink_open(&netlink))
		return false;
	if (!netlink_dump(netlink, &filter))
		while (!netlink_next(netlink, &record))
			if (!done && is_wanted(record, &job->id))
				done = show_located(job, buildid_file_path((const void *)record));
	netlink_close(netlink);
	return done;
}

/* -------------------------------------------------------------- others -- */

static bool from_directory(struct job *job)
{
	static const enum content_part parts[] = { CONTENT_ELF, CONTENT_VDSO, CONTENT_DEBUG };
	struct reason reason;
	struct debug_dir *dir = debug_dir_open(job->directory, false, &reason);
	char *entry = dir ? debug_dir_entry(dir, &job->id) : NULL;
	char *path = NULL;
	size_t i;
	int fd = -1;

	for (i = 0; entry && fd < 0 && i < ARRAY_SIZE(parts); i++) {
		fd = debug_dir_find(dir, &job->id, parts[i]);
		if (fd >= 0 && asprintf(&path, "%s/%s/%s", debug_dir_path(dir), entry,
					content_part_name(parts[i])) < 0)
			path = NULL;
	}
	if (path)
		show(job, path, "kept");
	if (fd >= 0)
		close(fd);
	free(entry);
	debug_dir_close(dir);
	free(path);
	return fd >= 0;
}

static bool show_found(struct job *job, struct located_file *found, bool is)
{
	if (is)
		show(job, found->path, found->source);
	located_file_free(found);
	return is;
}

static bool from_kernel(struct job *job)
{
	struct located_file found;
	bool is = locate_kernel(&job->id, &found);

	return show_found(job, &found, is);
}

static bool from_debug_files(struct job *job)
{
	struct reason reason;
	struct located_file found;
	bool is = locate_debug(job->here, &job->id, false, &found, &reason);

	return show_found(job, &found, is);
}

static bool from_servers(struct job *job, struct reason *reason)
{
	struct located_file found;
	bool is = locate_on_servers(job->there, &job->id, &found, reason) ||
		  locate_debug(job->there, &job->id, true, &found, reason);

	return show_found(job, &found, is);
}

static int resolve(struct job *job)
{
	struct reason reason = {};

	if (from_module(job) || from_kernel(job) || from_directory(job) || from_debug_files(job) ||
	    from_servers(job, &reason))
		return EXIT_SUCCESS;
	out_error(&job->out, job->text, "no file with that content is known; %s", reason.text);
	return EXIT_FAILURE;
}

static int run(struct job *job)
{
	int status = EXIT_FAILURE;

	job->here = locator_new(false);
	job->there = locator_new(job->servers);
	if (job->here && job->there)
		status = resolve(job);
	else
		out_error(&job->out, job->text, "%s", strerror(ENOMEM));
	locator_free(job->here);
	locator_free(job->there);
	return status;
}

enum {
	DIR_ = 256,
	NO_DEBUGINFOD
};

static const struct option options[] = {
	{ "dir", required_argument, NULL, DIR_ },
	{ "no-debuginfod", no_argument, NULL, NO_DEBUGINFOD },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

int cmd_resolve(int argc, char **argv)
{
	struct job job = { .servers = true };
	bool json = false;
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, "jh", options, NULL)) != -1) {
		switch (option) {
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
	if (optind + 1 != argc)
		return args_wrong(argv, "resolve", "takes one build-id");
	job.text = argv[optind];
	if (!build_id_parse(&job.id, job.text))
		return args_wrong(argv, job.text, "not a build-id in hex");
	out_init(&job.out, stdout, json);
	return run(&job);
}
