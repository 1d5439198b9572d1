// SPDX-License-Identifier: GPL-2.0
/*
 * Recording: the stream of records written to a log, around a command.
 *
 * The subscription comes first, then the snapshot of what is mapped already, then the
 * command: so no mapping of it is missed. Recording ends with the command, but the
 * files of its last mappings may still be read then, and are waited for. For what does
 * not come, or was lost, the module is asked.
 *
 * Without the module the records are perf's. Where those of the whole machine are not permitted they
 * are of the command and what it forks: the events are this process's, and inherited.
 */

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"
#include "common/child.h"
#include "common/clock.h"
#include "common/clock_watch.h"
#include "common/own_place.h"
#include "common/signals.h"
#include "identities/log.h"
#include "identities/wall_clock.h"
#include "commands/module.h"
#include "commands/open_source.h"
#include "commands/perf_program.h"
#include "recording.h"

/* Records between two checks for signals. */
#define BATCH 4096
/* Records that stay below the watermark are written this often. */
#define PERIOD_MS 200
/* More often at first, as a perf that a command runs may be gone soon. */
#define PERIOD_MIN_MS 5
#define NS_PER_MS     1000000
/* After the end: how long to wait for files that are still being read. */
#define LINGER_NS 500000000ULL
#define LINGER_MS 10
/* Records of the snapshot between two reads of the ring. */
#define SNAPSHOT_BATCH 256
/* Unless another is wanted. */
#define MODULE_RING_SIZE (4U << 20)
/* Of each processor: most of what a user may lock is for the perf that is run. */
#define PERF_RING_SIZE (128U << 10)

struct recording {
	struct output *out;
	const struct recording_plan *plan;
	const char *path; /* of the log */
	const char *name; /* of it in messages */
	struct source *source;
	struct buildid *handle; /* the source's; NULL without the module */
	struct source_stream *stream;
	struct buildid_options options;
	uint32_t pids[BUILDID_SUB_PIDS_MAX + 1]; /* for these */
	struct buildid_files *files;		 /* only to know which are to follow */
	struct log_writer *log;
	int clock_watch;
	uint64_t lost;
	bool failed;

	uint64_t start_time;

	pid_t command; /* 0 for none */
	struct recording_end end;
	uint64_t stop_time; /* 0 until it stops; no later mapping is written */
};

static void stop(struct recording *recording)
{
	if (recording->stop_time)
		return;
	recording->stop_time = clock_ns(CLOCK_MONOTONIC);
	/* Files that are still being read come from the module. */
	if (!recording->handle)
		source_stream_stop(recording->stream);
}

static void recording_fail(struct recording *recording, const char *object, const char *reason)
{
	/* Each record after it would fail alike. */
	if (!recording->failed)
		out_error(recording->out, object, "%s", reason);
	recording->failed = true;
	/* A command runs on: it is not there for the recording. */
	if (!recording->command)
		stop(recording);
}

/* -------------------------------------------------------------- command -- */

static void recording_reap(struct recording *recording)
{
	int status;

	if (!recording->command ||
	    waitpid(recording->command, &status, WNOHANG) != recording->command)
		return;
	recording->end.status = child_status(status);
	recording->end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	recording->command = 0;
}

/* A shell that is ended leaves its perf running, which writes its perf.data yet. */
static bool has_ended(const struct recording *recording)
{
	return recording->plan->watch->command && !recording->command &&
	       !perf_watch_is_running(recording->plan->watch);
}

/* perf does not take SIGHUP, which would leave an unfinished perf.data. */
static int for_perf(int number)
{
	return number == SIGHUP ? SIGTERM : number;
}

/*
 * To the command and to perf, which not every program in between passes signals on to.
 * What controls perf is for perf alone, if it was found: it would end anything else.
 */
static void pass_on(struct recording *recording, int number)
{
	const struct recording_plan *plan = recording->plan;
	bool sent = perf_watch_signal(plan->watch, for_perf(number), recording->command);

	if (recording->command && !(sent && (number == SIGUSR1 || number == SIGUSR2)))
		kill(recording->command, plan->is_perf ? for_perf(number) : number);
}

static void handle_signal(struct recording *recording, int number, pid_t sender)
{
	if (number == SIGCHLD)
		recording_reap(recording);
	else if (!recording->plan->watch->command)
		stop(recording);
	/* From a terminal the command has it already, and decides. */
	else if (sender && sender != recording->command)
		pass_on(recording, number);
}

/* -------------------------------------------------------------- records -- */

static void write_record(struct recording *recording, const struct buildid_record *record)
{
	const struct buildid_lost *lost = (const void *)record;
	const struct buildid_event *unused;
	int err;

	if (record->type == BUILDID_RECORD_LOST)
		recording->lost += lost->ring_full + lost->missed_probe;
	if (recording->failed)
		return;
	err = buildid_files_join(recording->files, record, &unused);
	if (!err)
		err = log_write(recording->log, record);
	if (err)
		recording_fail(recording, recording->name, strerror(-err));
}

/* What the clock did only the module has seen, if it was set back at once. */
static bool read_range(struct recording *recording, struct wall_range *range)
{
	int err = 0;

	if (recording->handle)
		err = wall_clock_range(recording->handle, range, NULL);
	else
		range->min = range->max = clock_real();
	if (err)
		recording_fail(recording, BUILDID_DEVICE, buildid_strerror(err));
	return !recording->failed;
}

static void write_clock(struct recording *recording)
{
	struct wall_range range;
	int err;

	if (!read_range(recording, &range))
		return;
	err = log_clock_set(recording->log, &range);
	if (err)
		recording_fail(recording, recording->name, strerror(-err));
}

/* Other processes go on mapping files after the command has ended. */
static bool is_late(const struct recording *recording, const struct buildid_record *record)
{
	return recording->stop_time && record->type == BUILDID_RECORD_MMAP &&
	       record->time_mono > recording->stop_time;
}

/* False when the ring is empty. */
static bool write_records(struct recording *recording)
{
	const struct buildid_record *record;
	int batch;
	int err;

	for (batch = 0; batch < BATCH; batch++) {
		err = source_stream_next(recording->stream, &record);
		if (err == -EAGAIN || err == -EINTR || err == -ENODATA)
			return false;
		if (err) {
			recording_fail(recording, BUILDID_DEVICE, buildid_strerror(err));
			return false;
		}
		if (recording->command)
			perf_watch_record(recording->plan->watch, record);
		if (!is_late(recording, record))
			write_record(recording, record);
	}
	return true;
}

/*
 * The mappings that exist already. The ring is read in between, as it would overflow
 * meanwhile.
 */
static void write_snapshot(struct recording *recording)
{
	const struct buildid_record *record;
	struct source_snapshot *snapshot;
	size_t denied = 0, skipped = 0;
	unsigned int count = 0;
	int err;

	err = source_snapshot_new(&snapshot, recording->source, &recording->options);
	if (err) {
		recording_fail(recording, "snapshot", buildid_strerror(err));
		return;
	}
	while (!recording->failed) {
		err = source_snapshot_next(snapshot, &record);
		if (err == -ENODATA)
			break;
		if (!err) {
			write_record(recording, record);
			if (++count % SNAPSHOT_BATCH == 0)
				write_records(recording);
		} else if (!recording->handle &&
			   (err == -EPERM || err == -ESTALE || err == -ETIMEDOUT)) {
			*(err == -EPERM ? &denied : &skipped) += 1;
		} else if (err != -EINTR) {
			/* Of one process: the others may do better. */
			out_error(recording->out, "snapshot", "%s", buildid_strerror(err));
		}
	}
	source_snapshot_free(snapshot);
	source_note_missed("record", denied, skipped);
}

/*
 * @more: the ring was not read to its end. perf's rings have one, as they were stopped: what is in
 * them when the log ends would be missing there, and counted nowhere.
 */
static bool may_end(const struct recording *recording, bool more)
{
	if (recording->failed)
		return true;
	if (more && !recording->handle)
		return false;
	if (clock_ns(CLOCK_MONOTONIC) - recording->stop_time > LINGER_NS)
		return true;
	return !more && !buildid_files_following(recording->files);
}

static int period(const struct recording *recording)
{
	uint64_t age = clock_ns(CLOCK_MONOTONIC) - recording->start_time;

	if (recording->stop_time)
		return LINGER_MS;
	if (age / 16 >= PERIOD_MS * (uint64_t)NS_PER_MS)
		return PERIOD_MS;
	return PERIOD_MIN_MS + (int)(age / 16 / NS_PER_MS);
}

static void wait_for_more(struct recording *recording, int signals, bool more)
{
	struct pollfd polls[] = {
		{ .fd = signals, .events = POLLIN },
		/* After a failure it would stay readable for ever. */
		{ .fd = recording->failed ? -1 : source_stream_fd(recording->stream),
		  .events = POLLIN },
		{ .fd = recording->clock_watch, .events = POLLIN },
	};
	pid_t sender;
	int number;

	poll(polls, ARRAY_SIZE(polls), more ? 0 : period(recording));
	while ((number = signals_read_from(signals, &sender)))
		handle_signal(recording, number, sender);
	if (clock_watch_was_set(recording->clock_watch))
		write_clock(recording);
	if (has_ended(recording))
		stop(recording);
}

static void record_all(struct recording *recording, int signals)
{
	bool stopping, more;
	int err;

	for (;;) {
		/* The last read of the ring has to begin after the command has ended. */
		stopping = recording->stop_time;
		more = write_records(recording);
		if (!more && !recording->failed) {
			err = log_flush(recording->log);
			if (err)
				recording_fail(recording, recording->name, strerror(-err));
		}
		if (stopping && may_end(recording, more))
			return;
		wait_for_more(recording, signals, more);
	}
}

/* Files that mappings in the log have, and that are not in it. */
static void write_missing(struct recording *recording)
{
	union {
		struct buildid_file file;
		uint64_t words[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	} reply;
	const struct buildid_file *unused;
	uint64_t file_id;

	while ((file_id = buildid_files_give_up(recording->files))) {
		if (buildid_resolve_id(recording->handle, file_id, &reply, sizeof(reply), &unused))
			continue;
		reply.file.header.flags |= BUILDID_RECORD_SNAPSHOT;
		write_record(recording, &reply.file.header);
	}
}

static void write_end(struct recording *recording)
{
	if (recording->handle)
		write_missing(recording);
	else if (!source_stream_losses_known(recording->stream))
		fputs("buildid: record: whether records were lost at the end is not known\n",
		      stderr);
}

static void print_object(const struct recording *recording, uint64_t written)
{
	struct output *out = recording->out;

	out_begin(out);
	out_string(out, "type", 0, "record");
	out_string(out, "path", 0, recording->name);
	out_number(out, "records", 0, written);
	out_number(out, "lost", 0, recording->lost);
	out_end(out);
}

static void finish_log(struct recording *recording)
{
	uint64_t written = log_written(recording->log);
	int err;

	err = log_finish(recording->log);
	if (err)
		recording_fail(recording, recording->name, strerror(-err));
	if (recording->failed || !(recording->plan->keep_log || recording->lost))
		return;
	fprintf(stderr, "buildid: %s: %" PRIu64 " records, %" PRIu64 " lost\n", recording->name,
		written, recording->lost);
	if (recording->out->json)
		print_object(recording, written);
}

static void recording_finish(struct recording *recording, int signals)
{
	const struct recording_plan *plan = recording->plan;

	finish_log(recording);
	if (!plan->use(plan, &recording->end, signals))
		recording->failed = true;
	else if (!recording->failed && !plan->keep_log)
		own_place_remove(recording->path);
	if (recording->failed && !recording->end.status)
		recording->end.status = EXIT_FAILURE;
}

static void recording_run_watched(struct recording *recording, int signals, char **command)
{
	struct wall_range range;
	int error = 0;

	if (!recording->handle)
		log_set_source(recording->log, LOG_SOURCE_PERF);
	else if (read_range(recording, &range))
		log_clock_before(recording->log, &range);
	write_snapshot(recording);
	if (*command)
		error = child_start(command, recording->plan->output, &recording->command);
	recording->plan->watch->command = recording->command;
	recording->start_time = clock_ns(CLOCK_MONOTONIC);
	recording->end.status = EXIT_SUCCESS;
	if (error) {
		out_error(recording->out, *command, "%s", perf_program_reason(*command, error));
		log_finish(recording->log);
		if (!recording->plan->keep_log)
			own_place_remove(recording->path);
		recording->end.status = error == ENOENT ? 127 : 126;
		return;
	}

	record_all(recording, signals);
	write_end(recording);
	recording_finish(recording, signals);
}

/* False, too, where it fails in another way. */
static bool is_denied(struct recording *recording)
{
	int err = source_stream_open(&recording->stream, recording->source, &recording->options);

	return err == -EACCES || err == -EPERM;
}

/* Of this process, whose events the command inherits, and of those that it records by itself. */
static void narrow(struct recording *recording)
{
	const struct recording_plan *plan = recording->plan;
	struct buildid_options *options = &recording->options;

	recording->pids[0] = (uint32_t)getpid();
	if (plan->nr_pids)
		memcpy(recording->pids + 1, plan->pids, plan->nr_pids * sizeof(*plan->pids));
	options->pids = recording->pids;
	options->nr_pids = 1 + plan->nr_pids;
	options->flags |= BUILDID_SUB_CHILDREN;
}

static void open_perf(struct recording *recording, bool has_command)
{
	struct buildid_options *options = &recording->options;

	if (!options->ring_size && geteuid())
		options->ring_size = PERF_RING_SIZE;
	if (!has_command || options->nr_pids || !is_denied(recording))
		return;
	fputs("buildid: record: not permitted for all processes; recording those of the command\n",
	      stderr);
	narrow(recording);
}

static bool recording_open(struct recording *recording, bool has_command)
{
	struct buildid_options *options = &recording->options;

	recording->source = source_for(recording->out, "record", recording->plan->source, NULL);
	if (!recording->source)
		return false;
	recording->handle = source_module(recording->source);
	if (!recording->handle)
		open_perf(recording, has_command);
	else if (!options->ring_size)
		options->ring_size = MODULE_RING_SIZE;
	options->watermark = options->ring_size / 4;
	if (!recording->stream)
		recording->stream = source_subscribe(recording->out, recording->source, options);
	return recording->stream;
}

static void recording_close(struct recording *recording)
{
	if (recording->clock_watch >= 0)
		close(recording->clock_watch);
	buildid_files_free(recording->files);
	source_stream_close(recording->stream);
	source_close(recording->source);
}

struct recording_end recording_run(struct output *out, const struct recording_plan *plan,
				   char **command, const struct buildid_options *options)
{
	/* Of the last two perf record starts another file, or takes a snapshot. */
	static const int others[] = { SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };
	struct recording recording = {
		.out = out,
		.plan = plan,
		.path = plan->log,
		.name = plan->log_name ?: plan->log,
		.clock_watch = -1,
		.options = *options,
	};
	struct reason reason;
	const struct buildid_files_options none = { .size = sizeof(none), .max_files = 1 };
	int signals, err;

	recording.end.status = EXIT_FAILURE;

	if (!recording_open(&recording, *command)) {
		recording_close(&recording);
		return recording.end;
	}
	/* Before there is a log, which a signal would leave without its end. */
	signals = signals_open_with(others, *command ? ARRAY_SIZE(others) : 1);
	err = signals < 0 ? signals : buildid_files_new(&recording.files, &none);
	recording.clock_watch = clock_watch_open();
	if (recording.clock_watch < 0 && !err)
		err = recording.clock_watch;
	if (err)
		reason_set(&reason, "%s", strerror(-err));
	else
		/* Last: a subscription that is refused must not cost an old log. */
		recording.log = log_create(recording.path, plan->log_chosen, &reason);
	if (recording.log)
		recording_run_watched(&recording, signals, command);
	else if (plan->beside)
		out_error(out, plan->beside, "no log beside it: %s", reason.text);
	else
		out_error(out, recording.name, "%s", reason.text);
	if (signals >= 0)
		signals_close(signals);
	recording_close(&recording);
	return recording.end;
}
