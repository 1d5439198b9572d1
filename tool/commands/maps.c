// SPDX-License-Identifier: GPL-2.0
/* buildid maps: the mappings of processes as they are. */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/arguments.h"
#include "print.h"
#include "module.h"
#include "unstrip.h"

static const char help[] =
	"usage: buildid maps [OPTIONS] PID...\n"
	"       buildid maps [OPTIONS] --all\n"
	"\n"
	"Show the file mappings of processes as /proc/PID/maps does, each with the\n"
	"identity of its content before the path. Executable ones, if not told otherwise.\n"
	"Of several processes each has a line with its number and name before its own.\n"
	"\n"
	"  -a, --all            every process\n"
	"      --data           mappings that are not executable, too\n"
	"      --format FORMAT  maps, if not given;\n"
	"                       unstrip: a line for each file, as eu-unstrip -n has it;\n"
	"                       json: one object per line\n"
	"  -j, --json           the same as --format json\n"
	"  -h, --help           this text\n"
	"\n"
	"Processes of others need CAP_PERFMON or CAP_SYS_ADMIN.\n";

enum format {
	MAPS,
	UNSTRIP,
	JSON
};

struct maps {
	struct output out;
	struct buildid *handle;
	struct buildid_files *files;
	struct unstrip *unstrip;
	enum format format;
	bool data;
	bool headings;
	uint32_t pid; /* of the mapping before, or 0 */
	bool failed;
};

/* ---------------------------------------------------------------- lines -- */

static void put_range(struct output *out, uint64_t addr, uint64_t len)
{
	char text[64];

	snprintf(text, sizeof(text), "%08" PRIx64 "-%08" PRIx64, addr, addr + len);
	out_string(out, NULL, 0, text);
}

static void put_place(struct output *out, const struct buildid_mmap *mmap,
		      const struct buildid_file *file)
{
	char text[64];

	snprintf(text, sizeof(text), "%08" PRIx64, (uint64_t)mmap->pgoff);
	out_string(out, NULL, 0, text);
	snprintf(text, sizeof(text), "%02" PRIx32 ":%02" PRIx32, file ? file->user_dev_major : 0,
		 file ? file->user_dev_minor : 0);
	out_string(out, NULL, 0, text);
	snprintf(text, sizeof(text), "%" PRIu64, (uint64_t)(file ? file->user_ino : 0));
	out_string(out, NULL, 8, text);
}

static void show_mapping(struct maps *maps, const struct buildid_event *event)
{
	const struct buildid_mmap *mmap = (const void *)event->record;
	char text[PRINT_ID_MAX];

	out_begin(&maps->out);
	put_range(&maps->out, mmap->addr, mmap->len);
	out_string(&maps->out, NULL, 0, print_prot(mmap, text));
	put_place(&maps->out, mmap, event->file);
	print_put_id(&maps->out, event->file);
	out_string(&maps->out, NULL, 0, print_path(event));
	print_put_flags(&maps->out, event->file);
	out_end(&maps->out);
}

static void show_cookie(struct maps *maps, const struct buildid_cookie *cookie)
{
	char text[PRINT_ID_MAX];

	out_begin(&maps->out);
	put_range(&maps->out, cookie->addr, cookie->len);
	out_string(&maps->out, NULL, 0, "----");
	out_styled(&maps->out, OUT_GOOD, NULL, 0, print_id(cookie, text));
	out_string(&maps->out, NULL, 0, "[cookie]");
	out_end(&maps->out);
}

static void show_heading(struct maps *maps, uint32_t pid, const uint8_t *comm)
{
	char text[32];

	if (maps->pid == pid)
		return;
	if (maps->pid && maps->unstrip)
		unstrip_end(maps->unstrip);
	maps->pid = pid;
	if (!maps->headings || maps->format == JSON)
		return;
	snprintf(text, sizeof(text), "%" PRIu32 ":", pid);
	out_begin(&maps->out);
	out_string(&maps->out, NULL, 0, text);
	out_string(&maps->out, NULL, 0, (const char *)comm);
	out_end(&maps->out);
}

static void show(struct maps *maps, const struct buildid_event *event)
{
	static const struct print_clock no_clock;
	const struct buildid_cookie *cookie = (const void *)event->record;
	const struct buildid_mmap *mmap = (const void *)event->record;
	bool is_cookie = event->record->type == BUILDID_RECORD_COOKIE;

	if (!is_cookie && event->record->type != BUILDID_RECORD_MMAP)
		return;
	if (is_cookie)
		show_heading(maps, cookie->pid, cookie->comm);
	else
		show_heading(maps, mmap->pid, mmap->comm);

	if (maps->format == JSON)
		print_event(&maps->out, event, &no_clock);
	else if (maps->format == UNSTRIP && !is_cookie)
		unstrip_mapping(maps->unstrip, event);
	else if (maps->format == MAPS && is_cookie)
		show_cookie(maps, cookie);
	else if (maps->format == MAPS)
		show_mapping(maps, event);
}

/* ------------------------------------------------------------ processes -- */

static int take(struct maps *maps, struct buildid_snapshot *snapshot)
{
	const struct buildid_record *record;
	const struct buildid_event *event;
	int err = buildid_snapshot_next(snapshot, &record);

	if (err == -EINTR)
		return 0;
	if (!err)
		err = buildid_files_push(maps->files, record);
	while (!err && (event = buildid_files_next(maps->files, BUILDID_FILES_ALL)))
		show(maps, event);
	return err;
}

/* How many processes there were. */
static size_t show_processes(struct maps *maps, const char *name,
			     const struct buildid_options *options)
{
	struct buildid_snapshot *snapshot;
	size_t count = 0;
	int err;

	err = buildid_snapshot_new(&snapshot, maps->handle, options);
	if (!err) {
		do {
			err = take(maps, snapshot);
		} while (!err);
		if (maps->pid && maps->unstrip)
			unstrip_end(maps->unstrip);
		maps->pid = 0;
		count = buildid_snapshot_processes(snapshot);
		buildid_snapshot_free(snapshot);
	}
	if (err == -ENODATA)
		return count;
	module_error(&maps->out, name, err, NULL);
	maps->failed = true;
	return 1;
}

static void show_process(struct maps *maps, uint32_t pid)
{
	struct buildid_options options = {
		.size = sizeof(options),
		.flags = maps->data ? BUILDID_SUB_DATA : 0,
		.nr_pids = 1,
		.pids = &pid,
	};
	char name[32];

	snprintf(name, sizeof(name), "pid %" PRIu32, pid);
	if (show_processes(maps, name, &options))
		return;
	out_error(&maps->out, name, "%s",
		  !kill((pid_t)pid, 0) || errno != ESRCH ?
			  "has no memory of its own: a thread of the kernel, or at its end" :
			  strerror(ESRCH));
	maps->failed = true;
}

static void show_all(struct maps *maps)
{
	const struct buildid_options options = {
		.size = sizeof(options),
		.flags = maps->data ? BUILDID_SUB_DATA : 0,
	};

	show_processes(maps, "maps", &options);
}

static bool parse_pid(const char *text, uint32_t *pid)
{
	uint64_t number;

	if (!args_number("PID", text, 1, INT32_MAX, &number))
		return false;
	*pid = (uint32_t)number;
	return true;
}

static int prepare(struct maps *maps)
{
	maps->handle = module_open(&maps->out);
	if (!maps->handle)
		return -1;
	if (maps->format == UNSTRIP)
		maps->unstrip = unstrip_new(&maps->out);
	if (!buildid_files_new(&maps->files, NULL) && (maps->unstrip || maps->format != UNSTRIP))
		return 0;
	out_error(&maps->out, "maps", "out of memory");
	return -1;
}

/* All processes when @pids are none. */
static void show_request(struct maps *maps, char **pids)
{
	uint32_t pid;

	if (!*pids)
		show_all(maps);
	for (; *pids; pids++)
		if (parse_pid(*pids, &pid))
			show_process(maps, pid);
}

static int run(struct maps *maps, char **pids)
{
	if (prepare(maps))
		maps->failed = true;
	else
		show_request(maps, pids);
	unstrip_free(maps->unstrip);
	buildid_files_free(maps->files);
	buildid_close(maps->handle);
	return maps->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

enum {
	DATA = 256,
	FORMAT
};

static const struct option options[] = {
	{ "all", no_argument, NULL, 'a' },
	{ "data", no_argument, NULL, DATA },
	{ "format", required_argument, NULL, FORMAT },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static bool set_format(struct maps *maps, const char *name)
{
	static const char *const names[] = {
		[MAPS] = "maps",
		[UNSTRIP] = "unstrip",
		[JSON] = "json",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], name))
			continue;
		maps->format = (enum format)i;
		return true;
	}
	return false;
}

int cmd_maps(int argc, char **argv)
{
	struct maps maps = {};
	bool all = false;
	uint32_t pid;
	int option;
	int i;

	optind = 0;
	while ((option = getopt_long(argc, argv, "ajh", options, NULL)) != -1) {
		switch (option) {
		case 'a':
			all = true;
			break;
		case DATA:
			maps.data = true;
			break;
		case FORMAT:
			if (!set_format(&maps, optarg))
				return args_wrong(argv, optarg,
						  "not one of maps, unstrip and json");
			break;
		case 'j':
			maps.format = JSON;
			break;
		case 'h':
			return args_help(help);
		default:
			return args_usage(argv);
		}
	}
	if (all && optind < argc)
		return args_wrong(argv, argv[optind], "not together with --all");
	if (!all && optind == argc)
		return args_wrong(argv, "PID", "none given");
	for (i = optind; i < argc; i++)
		if (!parse_pid(argv[i], &pid))
			return args_usage(argv);

	maps.headings = all || argc - optind > 1;
	/* A file is one line there, however its parts are mapped. */
	maps.data |= maps.format == UNSTRIP;
	out_init(&maps.out, stdout, maps.format == JSON);
	return run(&maps, argv + optind);
}
