// SPDX-License-Identifier: GPL-2.0
/*
 * buildid users: who runs a content.
 *
 * Three sources, read alike: the mappings that processes have now, those that the module
 * remembers, and a log. What the second adds to the first is processes that have exited,
 * or have unmapped the content since.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "common/arguments.h"
#include "common/array.h"
#include "common/clock.h"
#include "common/hash_map.h"
#include "common/open_regular.h"
#include "current_file.h"
#include "identities/boot.h"
#include "identities/log.h"
#include "mapped_package.h"
#include "module.h"
#include "options.h"
#include "print.h"
#include "print_package.h"
#include "print_process.h"
#include "waiting.h"

#define WIDTH_STATE 8

/* What it finds is nothing. */
#define EXIT_NOBODY 3

static const char help[] =
	"Show who has mapped a content, under whatever path and in whatever container: process, "
	"unit or container, state, since when if that is known, path. The content is given by its "
	"build-id or other identity in hex, or by a file that has it: with a slash, if its name "
	"could be an ID; or any content of a package.\v"
	"The state is \"mapped\" now; \"unmapped\", by a process that is still there; or "
	"\"exited\". The last two go as far back as the module remembers, about a thousand "
	"mappings on each processor, or with --log to the beginning of the log. What a log of "
	"another boot or machine has is \"logged\". A child of fork(2) that has exited is not known "
	"unless it mapped something itself.\n\n"
	"Exit status: 0 somebody has or had it, 3 nobody, 1 failed, 2 wrong usage.";

/* A process that was seen alive. */
struct process {
	uint64_t start_time;
	uint32_t pid;
	bool mapped; /* the content, now */
};

/* A line that was printed: a process has one for each file. */
struct line {
	uint64_t start_time;
	uint64_t file_id;
	uint32_t pid;
};

struct users {
	struct output out;
	struct process_layout layout;
	bool full;
	struct buildid *handle;
	struct waiting *waiting;
	const char *state; /* of what is being read; NULL: of processes that may have exited */
	int64_t real;	   /* CLOCK_REALTIME less that of the records */
	bool present;	   /* processes that are alive were looked at */
	struct identity wanted;
	bool any_kind;
	const char *package; /* in place of @wanted, as it was given */
	struct package_wish wish;
	struct mapped_packages *packages;
	struct hash_map unversioned; /* file_ids of that package, of nobody knows which version */

	struct process *processes;
	size_t nr_processes;
	struct hash_map by_pid; /* indexes of @processes */
	struct line *lines;
	size_t nr_lines;
	struct hash_map by_line; /* indexes of @lines */

	size_t denied;
	size_t skipped; /* that kept calling exec, or kept their address space locked */
	bool failed;
};

static void fail(struct users *users, const char *object, int error)
{
	module_error(&users->out, object, error, NULL);
	users->failed = true;
}

static void out_of_memory(struct users *users)
{
	out_error(&users->out, "users", "%s", strerror(ENOMEM));
	users->failed = true;
}

/* --------------------------------------------------------------- content -- */

static bool is_wanted(const struct users *users, uint16_t kind, const uint8_t *bytes, size_t size)
{
	return bytes && (users->any_kind || kind == users->wanted.kind) &&
	       size == users->wanted.id.size && !memcmp(bytes, users->wanted.id.bytes, size);
}

/* The content of a file; false after the error was printed. */
static bool want_file(struct users *users, const char *path)
{
	uint64_t buffer[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	const struct buildid_file *file;
	struct reason reason;
	int fd = open_regular(path, &reason);
	int err;

	if (fd < 0) {
		out_error(&users->out, path, "%s", reason.text);
		return false;
	}
	err = buildid_resolve_fd(users->handle, fd, buffer, sizeof(buffer), &file);
	close(fd);
	if (err) {
		module_error(&users->out, path, err, NULL);
		return false;
	}
	current_file_identity(file, &users->wanted);
	if (users->wanted.id.size)
		return true;
	out_error(&users->out, path, "has no identity: %s",
		  buildid_reason_name(users->wanted.reason));
	return false;
}

/* The name says that it may be one: whether it is, nobody knows any more. */
static bool is_of_package(struct users *users, const struct buildid_mmap *mmap,
			  const struct buildid_file *file)
{
	const struct packages *packages = mapped_packages_find(users->packages, mmap, file);

	switch (packages ? packages_match(packages, &users->wish) : PACKAGE_OTHER) {
	case PACKAGE_MATCHES:
		return true;
	case PACKAGE_VERSION_UNKNOWN:
		hash_map_set(&users->unversioned, file->file_id, 1);
		return false;
	default:
		return false;
	}
}

static bool is_wanted_file(struct users *users, const struct buildid_mmap *mmap,
			   const struct buildid_file *file)
{
	const uint8_t *bytes;
	size_t size = 0;

	if (!file)
		return false;
	if (users->package)
		return is_of_package(users, mmap, file);
	bytes = buildid_file_id_bytes(file, &size);
	return is_wanted(users, file->kind, bytes, size);
}

/* ------------------------------------------------------------- processes -- */

/* NULL when it was not seen alive. */
static struct process *find_process(const struct users *users, uint32_t pid, uint64_t start_time)
{
	struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&users->by_pid, pid, slot)))
		if (users->processes[slot->value].start_time == start_time)
			return &users->processes[slot->value];
	return NULL;
}

static void add_process(struct users *users, uint32_t pid, uint64_t start_time, bool mapped)
{
	struct process *process = find_process(users, pid, start_time);

	if (process) {
		process->mapped |= mapped;
		return;
	}
	if (!array_reserve(users->processes, users->nr_processes) ||
	    !hash_map_add(&users->by_pid, pid, (uint32_t)users->nr_processes)) {
		out_of_memory(users);
		return;
	}
	users->processes[users->nr_processes++] = (struct process){ start_time, pid, mapped };
}

/* Whether a line is the first of its kind. */
static bool add_line(struct users *users, const struct buildid_mmap *mmap)
{
	struct line line = { mmap->start_time, mmap->file_id, mmap->pid };
	uint64_t key = hash_bytes(hash_start(), &mmap->start_time, sizeof(mmap->start_time)) ^
		       mmap->file_id ^ mmap->pid;
	struct hash_slot *slot = NULL;
	const struct line *other;

	while ((slot = hash_map_next(&users->by_line, key, slot))) {
		other = &users->lines[slot->value];
		if (other->pid == line.pid && other->start_time == line.start_time &&
		    other->file_id == line.file_id)
			return false;
	}
	if (!array_reserve(users->lines, users->nr_lines) ||
	    !hash_map_add(&users->by_line, key, (uint32_t)users->nr_lines)) {
		out_of_memory(users);
		return false;
	}
	users->lines[users->nr_lines++] = line;
	return true;
}

/* ----------------------------------------------------------------- lines -- */

/* On a terminal. */
static void begin(struct users *users)
{
	struct output *out = &users->out;

	out_fit(out, users->full);
	users->layout = process_layout_of(out->width, 1, WIDTH_STATE + 1);
	if (!out->width)
		return;
	out_begin(out);
	print_process_header(out, &users->layout);
	out_string(out, NULL, WIDTH_STATE, "STATE");
	out_string(out, NULL, users->layout.moment, "SINCE");
	out_string(out, NULL, users->layout.id, "IDENTITY");
	out_string(out, NULL, 0, "PATH");
	out_end(out);
}

static void show(struct users *users, const struct buildid_event *event, const char *state)
{
	const struct buildid_mmap *mmap = (const void *)event->record;
	const struct process_layout *layout = &users->layout;
	struct output *out = &users->out;
	const struct packages *packages = mapped_packages_find(users->packages, mmap, event->file);
	const char *comm = (const char *)mmap->comm;
	struct identity identity;
	char *tail;

	if (users->nr_lines == 1)
		begin(users);
	current_file_identity(event->file, &identity);
	out_begin(out);
	out_string(out, "type", OUT_HIDDEN, "user");
	if (find_process(users, mmap->pid, mmap->start_time))
		print_process(out, layout, mmap->pid, mmap->start_time, comm);
	else
		print_exited(out, layout, mmap->pid, mmap->start_time, comm);

	out_string(out, "state", WIDTH_STATE, state);
	print_moment(out, layout, "time",
		     users->state ? 0 : users->real + (int64_t)mmap->header.time_mono);
	print_content(out, layout, "build_id", "kind", &identity);
	tail = package_tail(packages, NULL);
	print_put_path(out, print_path(event), tail);
	free(tail);
	print_package(out, "", packages);
	out_end(out);
}

static void take_mapping(struct users *users, const struct buildid_event *event)
{
	const struct buildid_mmap *mmap = (const void *)event->record;
	const struct process *process;
	const char *state = users->state;
	bool wanted = is_wanted_file(users, mmap, event->file);

	if (state)
		add_process(users, mmap->pid, mmap->start_time, wanted);
	if (!wanted)
		return;
	process = find_process(users, mmap->pid, mmap->start_time);
	if (!state && process && process->mapped)
		return;
	if (!state)
		state = !users->present ? "logged" : process ? "unmapped" : "exited";
	if (add_line(users, mmap))
		show(users, event, state);
}

static void take_event(struct users *users, const struct buildid_event *event)
{
	if (event->record->type == BUILDID_RECORD_MMAP)
		take_mapping(users, event);
}

static void take(struct users *users, const struct buildid_record *record, uint64_t now)
{
	const struct buildid_event *event;
	int err = waiting_push(users->waiting, record);

	if (err)
		fail(users, "users", err);
	while ((event = waiting_next(users->waiting, now)))
		take_event(users, event);
}

/* --------------------------------------------------------------- sources -- */

/* Frees @snapshot. */
static int read_snapshot(struct users *users, struct buildid_snapshot *snapshot)
{
	const struct buildid_record *record;
	int err;

	for (;;) {
		err = buildid_snapshot_next(snapshot, &record);
		if (!err)
			take(users, record, WAITING_END);
		else if (err == -EPERM && users->state)
			users->denied++;
		else if (err == -ESTALE || err == -ETIMEDOUT)
			users->skipped++;
		else if (err != -EINTR)
			break;
	}
	buildid_snapshot_free(snapshot);
	return err == -ENODATA ? 0 : err;
}

static void read_present(struct users *users)
{
	struct buildid_snapshot *snapshot;
	int err;

	users->state = "mapped";
	err = buildid_snapshot_new(&snapshot, users->handle, NULL);
	if (!err)
		err = read_snapshot(users, snapshot);
	if (err)
		fail(users, "users", err);
	users->present = !err && !users->denied && !users->skipped;
}

static void read_history(struct users *users)
{
	struct buildid_snapshot *snapshot;
	int err;

	users->state = NULL;
	users->real = (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
	err = buildid_snapshot_history(&snapshot, users->handle, 0);
	if (!err)
		err = read_snapshot(users, snapshot);
	if (err == -ENOTTY)
		fprintf(stderr,
			"buildid: users: processes that have exited are not known to a module of "
			"this version; %s\n",
			buildid_advice(err));
	else if (err)
		fail(users, "users", err);
}

static void read_log(struct users *users, const char *path)
{
	struct log_reader *log = log_open(path);
	const struct buildid_record *record;
	const struct log_header *header;
	const struct buildid_event *event;
	const char *problem = log ? log_error(log) : strerror(ENOMEM);
	int found = 0;

	if (!problem) {
		header = log_header(log);
		if (boot_is_now(header->boot_id) && users->handle)
			read_present(users);
		users->state = NULL;
		users->real = (int64_t)(header->time_real - header->time_mono);
		while ((found = log_next(log, &record)) > 0)
			take(users, record, record->time_mono);
		while ((event = waiting_next(users->waiting, WAITING_END)))
			take_event(users, event);
		problem = found < 0 ? log_error(log) : NULL;
	}
	if (problem) {
		out_error(&users->out, path, "%s", problem);
		users->failed = true;
	}
	log_close(log);
}

/* ------------------------------------------------------------------- run -- */

static bool prepare(struct users *users, const char *content, bool module)
{
	bool by_file = !users->package && !build_id_parse(&users->wanted.id, content);

	users->any_kind = !by_file;
	if (module || by_file)
		users->handle = module_open(&users->out);
	else
		buildid_open(&users->handle);
	if (!users->handle && (module || by_file))
		return false;
	users->waiting = waiting_new(0);
	users->packages = mapped_packages_new();
	if (!users->waiting || !users->packages ||
	    (users->package && !package_wish_parse(&users->wish, users->package))) {
		out_of_memory(users);
		return false;
	}
	return !by_file || want_file(users, content);
}

static void note_what_is_missing(const struct users *users)
{
	if (users->denied)
		fprintf(stderr,
			"buildid: users: %zu processes were not looked at, as that is not "
			"permitted; run as root\n",
			users->denied);
	if (users->skipped)
		fprintf(stderr,
			"buildid: users: %zu processes were not looked at, as they kept calling "
			"exec or kept their address space locked\n",
			users->skipped);
}

static void note_packages(const struct users *users)
{
	if (users->unversioned.count)
		fprintf(stderr,
			"buildid: users: %zu files at paths of %s were mapped before they were "
			"replaced, so that their version is not known\n",
			users->unversioned.count, users->wish.name);
	if (users->packages)
		mapped_packages_report(users->packages, "users");
}

static int run(struct users *users, const char *content, const char *log)
{
	if (!prepare(users, content, !log)) {
		users->failed = true;
	} else if (log) {
		read_log(users, log);
	} else {
		read_present(users);
		read_history(users);
	}
	note_what_is_missing(users);
	note_packages(users);
	mapped_packages_free(users->packages);
	hash_map_free(&users->unversioned);
	free(users->wish.name);
	waiting_free(users->waiting);
	buildid_close(users->handle);
	hash_map_free(&users->by_pid);
	hash_map_free(&users->by_line);
	free(users->processes);
	free(users->lines);
	if (users->failed)
		return EXIT_FAILURE;
	return users->nr_lines ? EXIT_SUCCESS : EXIT_NOBODY;
}

int cmd_users(int argc, char **argv)
{
	struct users users = {};
	const char *log = NULL;
	const struct args_option options[] = {
		{ "package", 0, "NAME[=VERSION]",
		  "any content of this package, or of one from this source; * and ? are wildcards, "
		  "and epoch and revision of VERSION may be left out",
		  .string = &users.package },
		OPTION_LOG(&log),
		OPTION_FULL(&users.full),
		{},
	};
	const struct args args = {
		.command = "users",
		.operands = "ID\nFILE\n--package=NAME[=VERSION]",
		.max_operands = 1,
		.help = help,
		.options = options,
		.out = &users.out,
	};
	char **operands = args_parse(&args, argc, argv);

	if (!*operands && !users.package)
		args_error("ID", "missing operand");
	if (*operands && users.package)
		args_error(*operands, "not together with --package");
	if (users.package && (!*users.package || *users.package == '='))
		args_error("--package", "no name of a package");
	return run(&users, *operands, log);
}
