// SPDX-License-Identifier: GPL-2.0
/*
 * buildid maps: the mappings that processes have now, with identities.
 *
 * What /proc/PID/maps and eu-unstrip -n show by path is shown by content here: what is mapped,
 * whatever is at the path by now.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/arguments.h"
#include "common/array.h"
#include "common/clock.h"
#include "common/supervise.h"
#include "print.h"
#include "print_package.h"
#include "mapped_member.h"
#include "mapped_package.h"
#include "open_source.h"
#include "options.h"
#include "process_operand.h"
#include "unstrip.h"

static const char help[] =
	"Show the file mappings of processes in the columns of /proc/PID/maps, each with the "
	"identity of its content before the path: executable ones, unless --data is given. "
	"With several processes a line with the pid and the name precedes the mappings of "
	"each.\v"
	"FORMAT is maps; or unstrip, a line for each file as eu-unstrip -n prints it; or json. "
	"Any process but the caller needs CAP_PERFMON or CAP_SYS_ADMIN; without the module those of "
	"other users need CAP_SYS_PTRACE.";

static const char examples[] = "buildid maps $$\n"
			       "buildid maps --long $(pidof sshd)\n";

/* Of lines with all columns, or with short identities, and 24 for the path. */
#define WIDTH_ALL   120
#define WIDTH_PLACE 92
#define ID_SHORT    12

enum format {
	MAPS,
	UNSTRIP,
	JSON
};

struct maps {
	struct output out;
	enum source_kind kind;
	struct source *source;
	struct buildid_files *files;
	struct unstrip *unstrip;
	struct mapped_packages *packages; /* with @long_lines */
	struct mapped_members *members;	  /* with @long_lines */
	enum format format;
	bool all;
	bool data;
	struct filter filter; /* of which only the pids are set */
	bool long_lines;
	bool headings;
	bool full;
	bool place;		       /* offset, device and inode have room */
	int id;			       /* columns */
	uint32_t pid;		       /* of the previous mapping, or 0 */
	size_t shown, denied, skipped; /* with @all */
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

static const struct packages *packages_of(const struct maps *maps,
					  const struct buildid_event *event)
{
	if (!maps->packages || !event->file || event->record->type != BUILDID_RECORD_MMAP)
		return NULL;
	return mapped_packages_find(maps->packages, (const void *)event->record, event->file);
}

static const struct elf_member *member_of(const struct maps *maps,
					  const struct buildid_event *event)
{
	if (!maps->members || !event->file || event->record->type != BUILDID_RECORD_MMAP)
		return NULL;
	return mapped_members_find(maps->members, (const void *)event->record, event->file);
}

static void show_mapping(struct maps *maps, const struct buildid_event *event)
{
	const struct buildid_mmap *mmap = (const void *)event->record;
	const struct elf_member *member = member_of(maps, event);
	char *tail = package_tail(packages_of(maps, event), NULL);
	char text[PRINT_ID_MAX];

	out_begin(&maps->out);
	put_range(&maps->out, mmap->addr, mmap->len);
	out_string(&maps->out, NULL, 0, print_prot(mmap, text));
	if (maps->place)
		put_place(&maps->out, mmap, event->file);
	if (member) {
		print_member(&maps->out, print_path(event), member);
	} else {
		print_put_id(&maps->out, maps->id, event->file);
	}
	print_put_mapped(&maps->out, member ? NULL : print_path(event), event->file, tail);
	free(tail);
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

static void maps_show(struct maps *maps, const struct buildid_event *event)
{
	const struct buildid_cookie *cookie = (const void *)event->record;
	const struct buildid_mmap *mmap = (const void *)event->record;
	const struct print_view view = {
		.layout = layout_of(0, false, false),
		.real = clock_real(),
		.packages = packages_of(maps, event),
		.member = member_of(maps, event),
	};
	bool is_cookie = event->record->type == BUILDID_RECORD_COOKIE;

	if (!is_cookie && event->record->type != BUILDID_RECORD_MMAP)
		return;
	if (is_cookie)
		show_heading(maps, cookie->pid, cookie->comm);
	else
		show_heading(maps, mmap->pid, mmap->comm);

	if (maps->format == JSON)
		print_event(&maps->out, event, &view);
	else if (maps->format == UNSTRIP && !is_cookie)
		unstrip_mapping(maps->unstrip, event);
	else if (maps->format == MAPS && is_cookie)
		show_cookie(maps, cookie);
	else if (maps->format == MAPS)
		show_mapping(maps, event);
}

/* ------------------------------------------------------------ processes -- */

static int next(struct maps *maps, struct source_snapshot *snapshot)
{
	const struct buildid_record *record;
	const struct buildid_event *event;
	int err = source_snapshot_next(snapshot, &record);

	if (err == -EINTR)
		return 0;
	if (!err)
		err = buildid_files_join(maps->files, record, &event);
	if (!err)
		maps_show(maps, event);
	maps->shown += !err;
	return err;
}

/* Of all processes some may not be looked at: of the others it is shown all the same. */
static bool is_missed(struct maps *maps, int err)
{
	if (!maps->all)
		return false;
	maps->denied += err == -EPERM;
	maps->skipped += err == -ESTALE || err == -ETIMEDOUT;
	return err == -EPERM || err == -ESTALE || err == -ETIMEDOUT;
}

/* Returns how many processes there were. */
static size_t show_processes(struct maps *maps, const char *name,
			     const struct buildid_options *options)
{
	struct source_snapshot *snapshot;
	size_t count = 0;
	int err;

	err = source_snapshot_new(&snapshot, maps->source, options);
	if (!err) {
		do {
			err = next(maps, snapshot);
		} while (!err || is_missed(maps, err));
		if (maps->pid && maps->unstrip)
			unstrip_end(maps->unstrip);
		maps->pid = 0;
		count = source_snapshot_processes(snapshot);
		source_snapshot_free(snapshot);
	}
	if (err == -ENODATA)
		return count;
	source_error(&maps->out, name, maps->source, err);
	maps->failed = true;
	return 1;
}

static void show_process(struct maps *maps, const struct listed_process *process)
{
	struct buildid_options options = {
		.size = sizeof(options),
		.flags = maps->data ? BUILDID_SUB_DATA : 0,
		.nr_pids = 1,
		.pids = &process->pid,
	};
	char name[32];

	snprintf(name, sizeof(name), "pid %" PRIu32, process->pid);
	if (show_processes(maps, name, &options) || process->called)
		return;
	out_error(&maps->out, name, "%s", process_operand_missing(process->pid));
	maps->failed = true;
}

static void show_all(struct maps *maps)
{
	const struct buildid_options options = {
		.size = sizeof(options),
		.flags = maps->data ? BUILDID_SUB_DATA : 0,
	};

	show_processes(maps, "maps", &options);
	if (maps->denied && !maps->shown) {
		source_error(&maps->out, "maps", maps->source, -EPERM);
		maps->failed = true;
		maps->denied = 0;
	}
	source_note_missed("maps", maps->denied, maps->skipped);
}

/* Of narrow lines the beginning of identities is enough, and then there is no place in files. */
static void maps_fit(struct maps *maps)
{
	int width;

	if (maps->format == MAPS)
		out_fit(&maps->out, maps->full);
	width = maps->out.width;
	maps->id = !width || width >= WIDTH_ALL ? PRINT_WIDTH_ID : ID_SHORT;
	maps->place = !width || width >= WIDTH_PLACE;
}

static int maps_prepare(struct maps *maps)
{
	maps->source = source_for(&maps->out, "maps", maps->kind, NULL);
	if (!maps->source)
		return -1;
	if (maps->format == UNSTRIP)
		maps->unstrip = unstrip_new(&maps->out);
	if (maps->long_lines) {
		maps->packages = mapped_packages_new();
		maps->members = mapped_members_new();
	}
	if ((!maps->long_lines || (maps->packages && maps->members)) &&
	    !buildid_files_new(&maps->files, NULL) && (maps->unstrip || maps->format != UNSTRIP))
		return 0;
	out_error(&maps->out, "maps", "out of memory");
	return -1;
}

static void show_request(struct maps *maps, const struct process_list *list)
{
	size_t i;

	if (maps->all)
		show_all(maps);
	for (i = 0; i < list->count; i++)
		show_process(maps, &list->all[i]);
}

static int maps_run(struct maps *maps, char **operands)
{
	struct process_list list;

	process_operands(&list, &maps->out, &maps->filter, operands);
	maps->failed = list.failed;
	maps->headings = maps->all || list.count > 1;
	if (!maps->all && !list.count)
		maps->failed = true;
	else if (maps_prepare(maps))
		maps->failed = true;
	else
		show_request(maps, &list);
	process_list_free(&list);
	maps->failed |= source_fails_by_silence(&maps->out, "maps");
	if (maps->packages)
		mapped_packages_report(maps->packages, "maps");
	mapped_packages_free(maps->packages);
	mapped_members_free(maps->members);
	unstrip_free(maps->unstrip);
	buildid_files_free(maps->files);
	source_close(maps->source);
	return maps->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static const char *parse_format(void *format, const char *name)
{
	static const char *const names[] = {
		[MAPS] = "maps",
		[UNSTRIP] = "unstrip",
		[JSON] = "json",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], name))
			continue;
		*(enum format *)format = (enum format)i;
		return NULL;
	}
	return "not one of maps, unstrip and json";
}

static void maps_check(const struct maps *maps, char **pids)
{
	if (!maps->all && !*pids && !maps->filter.nr_pids)
		args_error("PID", "missing operand");
	if (maps->all && (*pids || maps->filter.nr_pids))
		args_error(*pids ? *pids : "--pid", "not together with --all-processes");
	if (maps->long_lines && maps->format == UNSTRIP)
		args_error("--long", "not together with --format=unstrip");
}

int cmd_maps(int argc, char **argv)
{
	struct maps maps = {};
	const struct args_option options[] = {
		{ "all-processes", 'A', NULL, "every process", .flag = &maps.all },
		OPTION_PID(&maps.filter),
		OPTION_DATA(&maps.data),
		OPTION_SOURCE(&maps.kind),
		OPTION_FULL(&maps.full),
		{ "long", 0, NULL,
		  "the package of each file, and what is mapped from within an archive",
		  .flag = &maps.long_lines },
		{ "format", 0, "FORMAT", "maps, unstrip or json", .parse = parse_format,
		  .to = &maps.format },
		{},
	};
	const struct args args = {
		.command = "maps",
		.operands = "PID|NAME...\n--all-processes",
		.max_operands = ARGS_ANY,
		.help = help,
		.examples = examples,
		.options = options,
		.out = &maps.out,
	};
	char **pids = args_parse(&args, argc, argv);

	maps_check(&maps, pids);
	if (maps.out.json)
		maps.format = JSON;
	out_init(&maps.out, stdout, maps.format == JSON);
	/* A file is one line there, however its parts are mapped. */
	maps.data |= maps.format == UNSTRIP;
	maps_fit(&maps);
	if (maps.format == UNSTRIP || maps.long_lines)
		supervise();
	return maps_run(&maps, pids);
}
