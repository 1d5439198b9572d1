// SPDX-License-Identifier: GPL-2.0
/*
 * Recording: the stream of records written to a log, around a command.
 *
 * The subscription comes first, then the snapshot of what is mapped already, then the
 * command: so no mapping of it is missed. Recording ends with the command, but the
 * files of its last mappings may still be read then, and are waited for.
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
#include "common/signals.h"
#include "identities/log.h"
#include "module.h"
#include "recording.h"

/* Records between two checks for signals. */
#define BATCH 4096
/* Records that stay below the watermark are written this often. */
#define PERIOD_MS 200
/* After the end: how long to wait for files that are still being read. */
#define LINGER_NS 500000000ULL
#define LINGER_MS 10
/* Records of the snapshot between two reads of the ring. */
#define SNAPSHOT_BATCH 256

struct recording {
	struct output *out;
	const struct recording_plan *plan;
	const char *path; /* of the log */
	struct buildid *handle;
	struct buildid_files *files; /* only to know which are pending */
	struct log_writer *log;
	uint64_t lost;
	bool failed;

	pid_t command; /* 0 for none */
	int status;
	uint64_t stop_time; /* 0 until it stops; no later mapping is written */
};

static void stop(struct recording *recording)
{
	if (!recording->stop_time)
		recording->stop_time = clock_ns(CLOCK_MONOTONIC);
}

static void fail(struct recording *recording, const char *object, int error)
{
	/* Each record after it would fail alike. */
	if (!recording->failed)
		out_error(recording->out, object, "%s", strerror(-error));
	recording->failed = true;
	/* A command runs on: it is not there for the recording. */
	if (!recording->command)
		stop(recording);
}

/* -------------------------------------------------------------- command -- */

static void reap(struct recording *recording)
{
	int status;

	if (!recording->command ||
	    waitpid(recording->command, &status, WNOHANG) != recording->command)
		return;
	recording->status = child_status(status);
	recording->command = 0;
	stop(recording);
}

static void handle_signal(struct recording *recording, int number)
{
	switch (number) {
	case SIGCHLD:
		reap(recording);
		break;
	case SIGINT:
	case SIGTERM:
		/* From a terminal the command got SIGINT, too, and decides. */
		if (!recording->command)
			stop(recording);
		else if (number == SIGTERM)
			kill(recording->command, SIGTERM);
		break;
	}
}

/* -------------------------------------------------------------- records -- */

static void write_record(struct recording *recording, const struct buildid_record *record)
{
	const struct buildid_lost *lost = (const void *)record;
	int err = 0;

	if (record->type == BUILDID_RECORD_LOST)
		recording->lost += lost->ring_full + lost->missed_probe;
	if (recording->failed)
		return;
	if (record->type == BUILDID_RECORD_FILE)
		err = buildid_files_push(recording->files, record);
	if (!err)
		err = log_write(recording->log, record);
	if (err)
		fail(recording, recording->path, err);
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
		err = buildid_next(recording->handle, 0, &record);
		if (err == -EAGAIN || err == -EINTR)
			return false;
		if (err) {
			fail(recording, BUILDID_DEVICE, err);
			return false;
		}
		if (!is_late(recording, record))
			write_record(recording, record);
	}
	return true;
}

/*
 * The mappings that exist already. The ring is read in between, as it would overflow
 * meanwhile.
 */
static void write_snapshot(struct recording *recording, const struct buildid_options *options)
{
	const struct buildid_record *record;
	struct buildid_snapshot *snapshot;
	unsigned int count = 0;
	int err;

	err = buildid_snapshot_new(&snapshot, recording->handle, options);
	if (err) {
		fail(recording, "snapshot", err);
		return;
	}
	while (!recording->failed) {
		err = buildid_snapshot_next(snapshot, &record);
		if (err == -ENODATA)
			break;
		if (!err) {
			write_record(recording, record);
			if (++count % SNAPSHOT_BATCH == 0)
				write_records(recording);
		} else if (err != -EINTR) {
			/* Of one process: the others may do better. */
			out_error(recording->out, "snapshot", "%s", buildid_strerror(err));
		}
	}
	buildid_snapshot_free(snapshot);
}

/* @more: the ring was not read to its end. */
static bool may_end(const struct recording *recording, bool more)
{
	if (recording->failed || clock_ns(CLOCK_MONOTONIC) - recording->stop_time > LINGER_NS)
		return true;
	return !more && !buildid_files_pending(recording->files);
}

static void wait_for_more(struct recording *recording, int signals, bool more)
{
	struct pollfd polls[] = {
		{ .fd = signals, .events = POLLIN },
		/* After a failure it would stay readable for ever. */
		{ .fd = recording->failed ? -1 : buildid_fd(recording->handle), .events = POLLIN },
	};
	int timeout = recording->stop_time ? LINGER_MS : PERIOD_MS;
	int number;

	poll(polls, ARRAY_SIZE(polls), more ? 0 : timeout);
	while ((number = signals_read(signals)))
		handle_signal(recording, number);
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
				fail(recording, recording->path, err);
		}
		if (stopping && may_end(recording, more))
			return;
		wait_for_more(recording, signals, more);
	}
}

static void print_object(const struct recording *recording, uint64_t written)
{
	struct output *out = recording->out;

	out_begin(out);
	out_string(out, "type", 0, "record");
	out_string(out, "path", 0, recording->path);
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
		fail(recording, recording->path, err);
	if (recording->failed || !(recording->plan->keep_log || recording->lost))
		return;
	fprintf(stderr, "buildid: %s: %" PRIu64 " records, %" PRIu64 " lost\n", recording->path,
		written, recording->lost);
	if (recording->out->json)
		print_object(recording, written);
}

static int finish(struct recording *recording, int signals)
{
	const struct recording_plan *plan = recording->plan;

	finish_log(recording);
	if (plan->use && !plan->use(plan, recording->status, signals))
		recording->failed = true;
	else if (!recording->failed && !plan->keep_log)
		unlink(recording->path);
	return recording->failed && !recording->status ? EXIT_FAILURE : recording->status;
}

static int run(struct recording *recording, char **command, const struct buildid_options *options)
{
	int signals = signals_open();
	int error = signals < 0 ? -signals : 0;
	int status;

	if (!error)
		write_snapshot(recording, options);
	if (!error && *command)
		error = child_start(command, recording->plan->output, &recording->command);
	if (error) {
		out_error(recording->out, *command ? *command : "record", "%s", strerror(error));
		log_finish(recording->log);
		if (!recording->plan->keep_log)
			unlink(recording->path);
		return error == ENOENT ? 127 : 126;
	}

	record_all(recording, signals);
	status = finish(recording, signals);
	signals_close(signals);
	return status;
}

int recording_run(struct output *out, const struct recording_plan *plan, char **command,
		  const struct buildid_options *options)
{
	struct recording recording = { .out = out, .plan = plan, .path = plan->log };
	int status = EXIT_FAILURE;
	int err;

	recording.handle = module_subscribe(out, options);
	if (!recording.handle)
		return EXIT_FAILURE;
	err = buildid_files_new(&recording.files, NULL);
	/* Last: a subscription that is refused must not cost an old log. */
	if (!err)
		err = log_create(&recording.log, recording.path);
	if (err)
		out_error(out, recording.path, "%s", strerror(-err));
	else
		status = run(&recording, command, options);
	buildid_files_free(recording.files);
	buildid_close(recording.handle);
	return status;
}
