// SPDX-License-Identifier: GPL-2.0
/*
 * buildid users: who runs a content.
 *
 * Three sources, read alike: the mappings that processes have now, those that the module, if it is
 * there, remembers, and a log. What the second adds to the first is processes that have exited,
 * or have unmapped the content since.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "commands.h"
#include "common/arguments.h"
#include "common/array.h"
#include "common/clock.h"
#include "common/hash_map.h"
#include "common/open_regular.h"
#include "common/waits.h"
#include "evidence.h"
#include "id_prefix.h"
#include "identities/boot.h"
#include "identities/log.h"
#include "lookup.h"
#include "mapped_package.h"
#include "module.h"
#include "open_source.h"
#include "options.h"
#include "print.h"
#include "print_package.h"
#include "print_process.h"
#include "waiting.h"

#define WIDTH_STATE 8
/* Times are shown in seconds. */
#define MOMENT 1000000000ULL

#define MISSING "processes that have exited are not known"

#define NOT_COMPARED "same id, not compared"

/* What it finds is nothing. */
#define EXIT_NOBODY 3

static const char help[] =
	"Show who has mapped a content, under whatever path and in whatever container: process, "
	"unit or container, state, since when if that is known, path. The content is given by its "
	"build-id or other identity in hex, or 8 or more of its first digits, or by a file that has "
	"it: with a slash, if its name could be an ID; or any content of a package, or of files that "
	"are called NAME, such as libc.so.6 or bash.\v"
	"Equal identities prove nothing: sizes are compared, and at equal size all bytes where the "
	"file that a process has mapped can still be opened, which takes root for other users' "
	"processes. Who has another content than FILE is counted; with ID each that has another one "
	"than the first has \"" PRINT_SAME_ID "\" behind its path. What could not be compared has "
	"\"" NOT_COMPARED "\" there.\n\n"
	"The state is \"mapped\" now; \"unmapped\", by a process that is still there; or "
	"\"exited\". The last two go as far back as the module remembers, about a thousand "
	"mappings on each processor, or with --log to the beginning of the log. What a log of "
	"another boot or machine has is \"logged\". A child of fork(2) that has exited is not known "
	"unless it mapped something itself.\n\n"
	"Exit status: 0 somebody has or had it, 3 nobody, 1 failed, or the log does not\nknow, 2 wrong usage.";

static const char examples[] = "buildid users /usr/lib/x86_64-linux-gnu/libssl.so.3\n"
			       "buildid users libc.so.6\n"
			       "buildid users --package=openssl=3.0.11\n";

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

/* A file with the wanted identity. */
struct candidate {
	struct buildid_file file; /* without its identity and path */
	enum evidence evidence;
};

struct users {
	struct output out;
	struct process_layout layout;
	bool full;
	enum source_kind kind;
	struct source *source;
	struct waiting *waiting;
	const char *state; /* of what is being read; NULL: of processes that may have exited */
	const struct log_reader *log; /* that is being read */
	int64_t ahead;		      /* CLOCK_REALTIME less CLOCK_MONOTONIC, now */
	uint64_t slept, slept_loaded; /* since the boot, and since the module was loaded */
	size_t no_time;		      /* lines */
	bool present;		      /* processes that are alive were looked at */
	struct identity wanted;
	bool any_kind;
	const char *name;    /* in place of @wanted, the base name of its paths */
	const char *package; /* in place of @wanted, as it was given */
	struct package_wish wish;
	struct mapped_packages *packages;
	struct hash_map unversioned; /* file_ids of that package, of nobody knows which version */
	bool by_file;		     /* nothing but the content of @file is wanted */
	struct buildid_file *file;   /* to compare with: that one, else the first that was found */
	int fd;			     /* of it, or -1 */
	struct candidate *candidates;
	size_t nr_candidates;
	struct worker worker; /* compares */

	struct process *processes;
	size_t nr_processes;
	struct hash_map by_pid; /* indexes of @processes */
	struct line *lines;
	size_t nr_lines;
	struct hash_map by_line; /* indexes of @lines */

	size_t shown;  /* of @lines */
	size_t others; /* of @lines, of another content with the wanted identity */
	size_t unsure; /* of @lines, of the content of @file or another */
	uint64_t lost; /* records of the log */
	size_t unread; /* mappings of the log whose file nobody has read */
	size_t denied;
	size_t skipped; /* that kept calling exec, or kept their address space locked */
	bool failed;
};

static void users_fail(struct users *users, const char *object, int error)
{
	source_error(&users->out, object, users->source, error);
	users->failed = true;
}

static void out_of_memory(struct users *users)
{
	out_error(&users->out, "users", "%s", strerror(ENOMEM));
	users->failed = true;
}

/* --------------------------------------------------------------- content -- */

static bool compare_with(struct users *users, const struct buildid_file *file)
{
	users->file = malloc(file->header.size);
	if (users->file)
		memcpy(users->file, file, file->header.size);
	else
		out_of_memory(users);
	return users->file;
}

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
	int err;

	users->fd = open_regular(path, &reason);
	if (users->fd < 0) {
		out_error(&users->out, path, "%s", reason.text);
		return false;
	}
	err = source_resolve_fd(users->source, users->fd, buffer, sizeof(buffer), &file);
	if (err) {
		source_error(&users->out, path, users->source, err);
		return false;
	}
	users->wanted = print_identity_of(file);
	if (users->wanted.id.size)
		return compare_with(users, file);
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
	if (users->name)
		return !strcmp(basename(buildid_file_path(file)), users->name);
	if (users->package)
		return is_of_package(users, mmap, file);
	bytes = buildid_file_id_bytes(file, &size);
	return is_wanted(users, file->kind, bytes, size);
}

static struct candidate *find_candidate(struct users *users, const struct buildid_file *file)
{
	struct candidate *candidate = users->candidates;
	size_t i;

	for (i = 0; i < users->nr_candidates; i++, candidate++)
		if (evidence_not_written(&candidate->file, file))
			return candidate;
	if (!array_reserve(users->candidates, users->nr_candidates))
		return NULL;
	candidate = &users->candidates[users->nr_candidates++];
	*candidate = (struct candidate){ *file, evidence_of(users->file, file) };
	return candidate;
}

/* Whether a mapping of a file with the wanted identity is of the content of @users->file. */
static enum evidence users_judge(struct users *users, const struct buildid_event *event)
{
	const struct buildid_mmap *mmap = (const void *)event->record;
	const struct mapped_place mapped = { mmap->pid, mmap->addr, event->file };
	struct candidate *candidate;
	bool same;

	if (users->package || users->name)
		return EVIDENCE_SAME;
	if (!users->file) {
		if (!compare_with(users, event->file))
			return EVIDENCE_NONE;
		users->fd = users->state ? lookup_open(&users->worker, &mapped) : -1;
	}
	candidate = find_candidate(users, event->file);
	if (!candidate)
		return EVIDENCE_NONE;
	/* What is not mapped now is not at hand. */
	if (candidate->evidence == EVIDENCE_NONE && users->state && users->fd >= 0 &&
	    !lookup_compare(&users->worker, users->fd, "", &mapped, WAITS_MOST_NS, &same))
		candidate->evidence = same ? EVIDENCE_SAME : EVIDENCE_OTHER;
	return candidate->evidence;
}

/* Frees @snapshot. */
static void offer_snapshot(struct id_prefix *prefix, struct source_snapshot *snapshot)
{
	const struct buildid_record *record;
	int err;

	/* What cannot be looked at is said when the content is looked for. */
	while ((err = source_snapshot_next(snapshot, &record)) != -ENODATA) {
		if (!err)
			id_prefix_offer_file(prefix, record);
		else if (err != -EPERM && err != -ESTALE && err != -ETIMEDOUT && err != -EINTR)
			break;
	}
	source_snapshot_free(snapshot);
}

static void offer_log(struct id_prefix *prefix, const char *path)
{
	struct log_reader *log = log_open(path);
	const struct buildid_record *record;

	while (log && !log_error(log) && log_next(log, &record) > 0)
		id_prefix_offer_file(prefix, record);
	log_close(log);
}

/* From the first digits; false after the error was printed. */
static bool users_complete(struct users *users, const char *digits, const char *log)
{
	struct source_snapshot *snapshot;
	struct id_prefix prefix;

	id_prefix_start(&prefix, digits);
	if (log)
		offer_log(&prefix, log);
	if (users->source && !source_snapshot_new(&snapshot, users->source, NULL))
		offer_snapshot(&prefix, snapshot);
	if (!log && !source_snapshot_history(&snapshot, users->source))
		offer_snapshot(&prefix, snapshot);
	return id_prefix_settle(&prefix, &users->out, &users->wanted.id);
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
static void users_begin(struct users *users)
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

/*
 * By the clock of now, so that one that was set does not matter; but the times of records leave
 * out how long the machine slept since. It did by so much at most, and what had slept before a
 * process began is in its start time.
 */
static uint64_t slept_since(const struct users *users, const struct buildid_mmap *mmap)
{
	uint64_t before = mmap->start_time > mmap->header.time_mono ?
				  mmap->start_time - mmap->header.time_mono :
				  0;
	uint64_t since = users->slept > before ? users->slept - before : 0;

	return since < users->slept_loaded ? since : users->slept_loaded;
}

/* Since the epoch; 0 when it is not known, as of the mappings that are there now. */
static int64_t moment_of(struct users *users, const struct buildid_mmap *mmap)
{
	int64_t mono = (int64_t)mmap->header.time_mono;

	if (users->state)
		return 0;
	if (users->log)
		return mono + log_ahead(users->log, mmap->header.time_mono);
	if (slept_since(users, mmap) < MOMENT)
		return mono + users->ahead;
	users->no_time++;
	return 0;
}

static void users_show(struct users *users, const struct buildid_event *event, const char *state,
		       enum evidence evidence)
{
	static const char *const notes[] = {
		[EVIDENCE_OTHER] = PRINT_SAME_ID,
		[EVIDENCE_NONE] = NOT_COMPARED,
	};
	const struct buildid_mmap *mmap = (const void *)event->record;
	const struct process_layout *layout = &users->layout;
	struct output *out = &users->out;
	const struct packages *packages = mapped_packages_find(users->packages, mmap, event->file);
	const char *comm = (const char *)mmap->comm;
	const struct identity identity = print_identity_of(event->file);
	const char *note = evidence < ARRAY_SIZE(notes) ? notes[evidence] : NULL;
	char *tail;

	if (!users->shown++)
		users_begin(users);
	out_begin(out);
	out_string(out, "type", OUT_HIDDEN, "user");
	if (find_process(users, mmap->pid, mmap->start_time))
		print_process(out, layout, mmap->pid, mmap->start_time, comm);
	else
		print_exited(out, layout, mmap->pid, mmap->start_time, comm);

	out_string(out, "state", WIDTH_STATE, state);
	print_moment(out, layout, "time", moment_of(users, mmap));
	print_content(out, layout, "build_id", "kind", &identity);
	out_string(out, "note", OUT_HIDDEN, note);
	tail = package_tail(packages, NULL);
	print_put_path(out, print_path(event), note, tail);
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
	enum evidence evidence = wanted ? users_judge(users, event) : EVIDENCE_OTHER;
	bool shown = wanted && (evidence != EVIDENCE_OTHER || !users->by_file);

	if (state)
		add_process(users, mmap->pid, mmap->start_time, shown);
	if (!shown) {
		users->others += wanted && add_line(users, mmap);
		return;
	}
	process = find_process(users, mmap->pid, mmap->start_time);
	if (!state && process && process->mapped)
		return;
	if (!state)
		state = !users->present ? "logged" : process ? "unmapped" : "exited";
	if (!add_line(users, mmap))
		return;
	users->others += evidence == EVIDENCE_OTHER;
	users->unsure += evidence == EVIDENCE_NONE;
	users_show(users, event, state, evidence);
}

/* It may be what is looked for. */
static bool is_unread(const struct users *users, const struct buildid_event *event)
{
	const struct buildid_mmap *mmap = (const void *)event->record;

	if (!users->log || users->name || users->package || !(mmap->prot & PROT_EXEC))
		return false;
	return !event->file ||
	       (!event->file->id_len && (event->file->reason == BUILDID_REASON_NOT_READ ||
					 event->file->reason == BUILDID_REASON_DENIED ||
					 event->file->reason == BUILDID_REASON_INTERRUPTED));
}

static void take_event(struct users *users, const struct buildid_event *event)
{
	if (event->record->type == BUILDID_RECORD_LOST && users->log)
		users->lost += ((const struct buildid_lost *)event->record)->ring_full;
	if (event->record->type != BUILDID_RECORD_MMAP)
		return;
	users->unread += is_unread(users, event);
	take_mapping(users, event);
}

static void users_take(struct users *users, const struct buildid_record *record, uint64_t now)
{
	const struct buildid_event *event;
	int err = waiting_push(users->waiting, record);

	if (err)
		users_fail(users, "users", err);
	while ((event = waiting_next(users->waiting, now)))
		take_event(users, event);
}

/* --------------------------------------------------------------- sources -- */

/* Frees @snapshot. */
static int read_snapshot(struct users *users, struct source_snapshot *snapshot)
{
	const struct buildid_record *record;
	int err;

	for (;;) {
		err = source_snapshot_next(snapshot, &record);
		if (!err)
			users_take(users, record, WAITING_END);
		else if (err == -EPERM && users->state)
			users->denied++;
		else if (err == -ESTALE || err == -ETIMEDOUT)
			users->skipped++;
		else if (err != -EINTR)
			break;
	}
	source_snapshot_free(snapshot);
	return err == -ENODATA ? 0 : err;
}

static void read_present(struct users *users)
{
	struct source_snapshot *snapshot;
	int err;

	users->state = "mapped";
	err = source_snapshot_new(&snapshot, users->source, NULL);
	if (!err)
		err = read_snapshot(users, snapshot);
	if (err)
		users_fail(users, "users", err);
	users->present = !err && !users->denied && !users->skipped;
}

static int read_clocks(struct users *users)
{
	struct buildid *module = source_module(users->source);
	struct buildid_info info = {};
	int err = module ? buildid_get_info(module, &info, sizeof(info)) : 0;

	if (err)
		return err;
	users->ahead = clock_real();
	users->slept = clock_ns(CLOCK_BOOTTIME) - clock_ns(CLOCK_MONOTONIC);
	users->slept_loaded = info.slept;
	return 0;
}

static void read_history(struct users *users)
{
	struct source_snapshot *snapshot;
	int err = read_clocks(users);

	users->state = NULL;
	if (!err)
		err = source_snapshot_history(&snapshot, users->source);
	if (!err)
		err = read_snapshot(users, snapshot);
	if (err == -ENOTTY)
		fprintf(stderr,
			"buildid: users: processes that have exited are not known to a module of "
			"this version; %s\n",
			buildid_advice(err));
	else if (err)
		users_fail(users, "users", err);
}

static void read_log(struct users *users, const char *path)
{
	struct log_reader *log = log_open(path);
	const struct buildid_record *record;
	const struct buildid_event *event;
	const char *problem = log ? log_error(log) : strerror(ENOMEM);
	int found = 0;

	if (!problem) {
		if (boot_is_now(log_header(log)->boot_id) && users->source &&
		    source_module(users->source))
			read_present(users);
		users->state = NULL;
		users->log = log;
		if (log_source(log) == LOG_SOURCE_PERF)
			source_say_log(&users->out, "users", path);
		while ((found = log_next(log, &record)) > 0)
			users_take(users, record, record->time_mono);
		while ((event = waiting_next(users->waiting, WAITING_END)))
			take_event(users, event);
		users->out.source = NULL;
		problem = found < 0 ? log_error(log) : NULL;
	}
	if (problem) {
		out_error(&users->out, path, "%s", problem);
		users->failed = true;
	}
	log_close(log);
}

/* ------------------------------------------------------------------- run -- */

/* Else it is the last part of one, wherever that is. */
static bool is_path(const char *content)
{
	return strchr(content, '/') || !access(content, F_OK);
}

/* With a log it says whose its records are, whatever a file is read by. */
static bool users_open(struct users *users, const char *log, bool by_file)
{
	int err;

	if (!log) {
		users->source = source_for(&users->out, "users", users->kind, MISSING);
	} else if (by_file) {
		err = source_open(&users->source, users->kind);
		if (err)
			module_open_error(&users->out, err);
	} else if (users->kind != SOURCE_PERF) {
		source_open(&users->source, SOURCE_MODULE);
	}
	return users->source || (log && !by_file);
}

static bool users_prepare(struct users *users, const char *content, const char *log)
{
	const bool begins = !users->package && id_prefix_is(content);
	const bool by_path = !users->package && !begins &&
			     !build_id_parse(&users->wanted.id, content);
	const bool by_file = by_path && is_path(content);

	users->by_file = by_file;
	if (by_path && !by_file)
		users->name = content;
	users->any_kind = !by_file;
	if (!users_open(users, log, by_file))
		return false;
	users->waiting = waiting_new(0);
	users->packages = mapped_packages_new();
	if (!users->waiting || !users->packages ||
	    (users->package && !package_wish_parse(&users->wish, users->package))) {
		out_of_memory(users);
		return false;
	}
	if (begins)
		return users_complete(users, content, log);
	return !by_file || want_file(users, content);
}

static void note_what_is_missing(const struct users *users)
{
	source_note_missed("users", users->denied, users->skipped);
	if (users->lost)
		fprintf(stderr,
			"buildid: users: %" PRIu64 " records of the log were lost, mappings among "
			"them\n",
			users->lost);
	if (users->unread)
		fprintf(stderr,
			"buildid: users: %zu mappings in the log are of files that nobody has read, "
			"and may be of this content\n",
			users->unread);
	if (users->no_time)
		fputs("buildid: users: when it was mapped is not known where the machine may have "
		      "slept since\n",
		      stderr);
	if (users->name && !users->shown && !users->failed)
		fprintf(stderr,
			"buildid: users: no file called %s is mapped, or was as far as is known; "
			"with a slash it is the path of a file\n",
			users->name);
	if (users->others && users->by_file)
		fprintf(stderr, "buildid: users: not shown: %zu with the " PRINT_SAME_ID "\n",
			users->others);
	else if (users->others)
		fprintf(stderr,
			"buildid: users: %zu of these have the " PRINT_SAME_ID " than the first; "
			"FILE in place of ID shows those of one\n",
			users->others);
	if (users->unsure)
		fprintf(stderr,
			"buildid: users: %zu of these may have another content: their file has the "
			"same identity and size, and could not be compared\n",
			users->unsure);
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

static int users_run(struct users *users, const char *content, const char *log)
{
	if (!users_prepare(users, content, log)) {
		users->failed = true;
	} else if (log) {
		read_log(users, log);
	} else {
		read_present(users);
		read_history(users);
	}
	note_what_is_missing(users);
	users->failed |= source_fails_by_silence(&users->out, "users");
	note_packages(users);
	mapped_packages_free(users->packages);
	hash_map_free(&users->unversioned);
	free(users->wish.name);
	waiting_free(users->waiting);
	worker_end(&users->worker);
	source_close(users->source);
	if (users->fd >= 0)
		close(users->fd);
	free(users->file);
	free(users->candidates);
	hash_map_free(&users->by_pid);
	hash_map_free(&users->by_line);
	free(users->processes);
	free(users->lines);
	if (users->failed)
		return EXIT_FAILURE;
	if (users->shown)
		return EXIT_SUCCESS;
	/* Then nobody knows whether it is nobody. */
	return users->lost || users->unread ? EXIT_FAILURE : EXIT_NOBODY;
}

int cmd_users(int argc, char **argv)
{
	struct users users = { .fd = -1, .worker = lookup_worker() };
	const char *log = NULL;
	const struct args_option options[] = {
		{ "package", 0, "NAME[=VERSION]",
		  "any content of this package, or of one from this source; * and ? are wildcards, "
		  "and epoch and revision of VERSION may be left out",
		  .string = &users.package },
		OPTION_LOG(&log),
		OPTION_FULL(&users.full),
		OPTION_SOURCE(&users.kind),
		{},
	};
	const struct args args = {
		.command = "users",
		.operands = "ID\nFILE\nNAME\n--package=NAME[=VERSION]",
		.max_operands = 1,
		.help = help,
		.examples = examples,
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
	if (log && !strcmp(log, "-") && *operands && id_prefix_is(*operands))
		args_error(*operands, "from standard input an ID has to be whole: the log is read "
				      "twice for its first digits");
	return users_run(&users, *operands, log);
}
