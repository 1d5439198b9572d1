// SPDX-License-Identifier: GPL-2.0
/* buildid record: write the stream of records to a log. */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "annotate.h"
#include "args.h"
#include "child.h"
#include "commands.h"
#include "common.h"
#include "filter.h"
#include "log.h"
#include "module.h"
#include "perf_command.h"
#include "signals.h"
#include "spool.h"

static const char help[] =
	"usage: buildid record [-o LOG] [--ring-size SIZE] [-p PID[,PID]...]\n"
	"                      [[--] COMMAND [ARG...]]\n"
	"\n"
	"Write all records to a log until COMMAND ends, or without one until SIGINT or\n"
	"SIGTERM. Recording begins before COMMAND does, with the mappings that exist, and\n"
	"is of the whole machine: give -p for less. buildid mon -i LOG shows the log.\n"
	"\n"
	"When COMMAND is \"perf record\" the perf.data it writes is annotated when it has\n"
	"ended, see buildid annotate, and no log is left unless -o is given. perf runs with\n"
	"its options and -B, as it need not look for build-ids itself.\n"
	"\n"
	"  -o, --output LOG        the log, buildid.log if not given\n"
	"      --ring-size SIZE    bytes for records not yet written, a power of two; k\n"
	"                          and M multiply; 4M if not given\n"
	"  -p, --pid PID[,PID]...  only these processes\n"
	"  -h, --help              this text\n"
	"\n"
	"Exit status: COMMAND's; 128 and the signal's number when one killed it; 127 when\n"
	"there is no COMMAND of that name, 126 when it cannot be run; 1 when recording or\n"
	"annotating failed, unless COMMAND did.\n";

#define DEFAULT_LOG	"buildid.log"
#define DEFAULT_RING	(4U << 20)
#define RING_MAX	(1U << 30)

/* Records between two looks at signals. */
#define BATCH		4096
/* What is less than the watermark is written that often, too. */
#define PERIOD_MS	200
/* After the end: how long to wait for files that are still being read. */
#define LINGER_NS	500000000ULL
#define LINGER_MS	10
/* Records of the snapshot between two looks at the ring. */
#define SNAPSHOT_BATCH	256

struct recorder {
	struct output out;
	struct buildid *handle;
	struct buildid_files *files;	/* only for which of them are pending */
	struct log_writer *log;
	const char *path;
	uint64_t lost;
	bool failed;

	pid_t command;			/* 0 for none */
	int status;
	bool stopping;
	uint64_t stopped;		/* when: no mapping after it is wanted */

	struct perf_command *perf;	/* COMMAND is that; else NULL */
	int spool;			/* in place of its standard output, or -1 */
	bool keep_log;
};

static void stop(struct recorder *recorder)
{
	if (recorder->stopping)
		return;
	recorder->stopping = true;
	recorder->stopped = clock_ns(CLOCK_MONOTONIC);
}

static void fail(struct recorder *recorder, const char *object, int error)
{
	/* Once is enough: each record after it would fail alike. */
	if (!recorder->failed)
		out_error(&recorder->out, object, "%s", strerror(-error));
	recorder->failed = true;
	/* COMMAND is not to suffer from it. */
	if (!recorder->command)
		stop(recorder);
}

/* -------------------------------------------------------------- command -- */

static void reap(struct recorder *recorder)
{
	int status;

	if (!recorder->command ||
	    waitpid(recorder->command, &status, WNOHANG) != recorder->command)
		return;
	recorder->status = child_status(status);
	recorder->command = 0;
	stop(recorder);
}

static void handle_signal(struct recorder *recorder, int number)
{
	switch (number) {
	case SIGCHLD:
		reap(recorder);
		break;
	case SIGINT:
		/* From the terminal COMMAND had it, too, and decides. */
		if (!recorder->command)
			stop(recorder);
		break;
	case SIGTERM:
		if (recorder->command)
			kill(recorder->command, SIGTERM);
		else
			stop(recorder);
		break;
	}
}

/* -------------------------------------------------------------- records -- */

static void write_record(struct recorder *recorder,
			 const struct buildid_record *record)
{
	const struct buildid_lost *lost = (const void *)record;
	int err = 0;

	if (record->type == BUILDID_RECORD_LOST)
		recorder->lost += lost->ring_full + lost->missed_probe;
	if (recorder->failed)
		return;
	if (record->type == BUILDID_RECORD_FILE)
		err = buildid_files_push(recorder->files, record);
	if (!err)
		err = log_write(recorder->log, record);
	if (err)
		fail(recorder, recorder->path, err);
}

/* The machine goes on making mappings: those after the end are not written. */
static bool is_late(const struct recorder *recorder,
		    const struct buildid_record *record)
{
	return recorder->stopping && record->type == BUILDID_RECORD_MMAP &&
	       record->time_mono > recorder->stopped;
}

/* False when the ring is empty. */
static bool write_records(struct recorder *recorder)
{
	const struct buildid_record *record;
	int batch;
	int err;

	for (batch = 0; batch < BATCH; batch++) {
		err = buildid_next(recorder->handle, 0, &record);
		if (err == -EAGAIN || err == -EINTR)
			return false;
		if (err) {
			fail(recorder, BUILDID_DEVICE, err);
			return false;
		}
		if (!is_late(recorder, record))
			write_record(recorder, record);
	}
	return true;
}

/*
 * What is mapped already. Subscribed before it, nothing is missed in between; the
 * ring is not to overflow meanwhile.
 */
static void write_snapshot(struct recorder *recorder,
			   const struct buildid_options *options)
{
	const struct buildid_record *record;
	struct buildid_snapshot *snapshot;
	unsigned int count = 0;
	int err;

	err = buildid_snapshot_new(&snapshot, recorder->handle, options);
	while (!err && !recorder->failed) {
		err = buildid_snapshot_next(snapshot, &record);
		if (!err) {
			write_record(recorder, record);
			if (++count % SNAPSHOT_BATCH == 0)
				write_records(recorder);
		} else if (err == -EINTR) {
			err = 0;
		} else if (err != -ENODATA) {
			/* Of one process, which is not all of them. */
			out_error(&recorder->out, "snapshot", "%s", buildid_strerror(err));
			err = 0;
		}
	}
	if (err != -ENODATA && err)
		fail(recorder, "snapshot", err);
	buildid_snapshot_free(snapshot);
}

static bool has_lingered(const struct recorder *recorder)
{
	return clock_ns(CLOCK_MONOTONIC) - recorder->stopped > LINGER_NS;
}

/* @more: the ring was not read to its end. */
static bool may_end(const struct recorder *recorder, bool more)
{
	if (recorder->failed || has_lingered(recorder))
		return true;
	return !more && !buildid_files_pending(recorder->files);
}

static void wait_for_more(struct recorder *recorder, int signals, bool more)
{
	struct pollfd polls[] = {
		{ .fd = signals, .events = POLLIN },
		/* Not when it is readable, but cannot be read any more. */
		{ .fd = recorder->failed ? -1 : buildid_fd(recorder->handle),
		  .events = POLLIN },
	};
	int timeout = recorder->stopping ? LINGER_MS : PERIOD_MS;
	int number;

	poll(polls, ARRAY_SIZE(polls), more ? 0 : timeout);
	while ((number = signals_take(signals)))
		handle_signal(recorder, number);
}

static void record_all(struct recorder *recorder, int signals)
{
	bool stopping, more;
	int err;

	for (;;) {
		/* Only a look at the ring that began after the end is the last. */
		stopping = recorder->stopping;
		more = write_records(recorder);
		if (!more && !recorder->failed) {
			err = log_flush(recorder->log);
			if (err)
				fail(recorder, recorder->path, err);
		}
		if (stopping && may_end(recorder, more))
			return;
		wait_for_more(recorder, signals, more);
	}
}

static void finish_log(struct recorder *recorder)
{
	uint64_t written = log_written(recorder->log);
	int err;

	err = log_finish(recorder->log);
	if (err)
		fail(recorder, recorder->path, err);
	if (!recorder->failed && (recorder->keep_log || recorder->lost))
		fprintf(stderr, "buildid: %s: %" PRIu64 " records, %" PRIu64 " lost\n",
			recorder->path, written, recorder->lost);
}

/* False when the log is still of use, as there is no perf.data to do without. */
static bool annotate_output(struct recorder *recorder)
{
	const struct perf_command *perf = recorder->perf;
	struct annotation annotation = { .path = perf->output, .log = recorder->path };
	char spool[32];

	if (perf->many) {
		out_error(&recorder->out, recorder->path,
			  "kept, as there are several perf.data: buildid annotate them one by one");
		return false;
	}
	if (recorder->spool >= 0) {
		snprintf(spool, sizeof(spool), "/proc/self/fd/%d", recorder->spool);
		annotation.path = spool;
		annotation.name = "standard output";
		annotation.output = "-";
	} else if (!perf_command_wrote(perf)) {
		/* Why not perf has said. */
		return true;
	}
	if (annotate(&recorder->out, &annotation))
		return true;
	recorder->failed = true;
	if (recorder->spool < 0)
		out_error(&recorder->out, recorder->path,
			  "kept; %s is as perf wrote it", perf->output);
	else
		spool_copy(recorder->spool, STDOUT_FILENO);
	return false;
}

static int finish(struct recorder *recorder)
{
	finish_log(recorder);
	if (recorder->perf && !recorder->failed &&
	    annotate_output(recorder) && !recorder->keep_log)
		unlink(recorder->path);
	return recorder->failed && !recorder->status ? EXIT_FAILURE : recorder->status;
}

static int run(struct recorder *recorder, char **command,
	       const struct buildid_options *options)
{
	int signals = signals_open();
	int error = signals < 0 ? -signals : 0;
	int status;

	if (!error)
		write_snapshot(recorder, options);
	if (!error && *command)
		error = child_start(command, recorder->spool, &recorder->command);
	if (error) {
		out_error(&recorder->out, *command ? *command : "record", "%s",
			  strerror(error));
		log_finish(recorder->log);
		if (!recorder->keep_log)
			unlink(recorder->path);
		return error == ENOENT ? 127 : 126;
	}

	record_all(recorder, signals);
	status = finish(recorder);
	signals_close(signals);
	return status;
}

/* The module would only say that it refuses. */
static bool fits(struct recorder *recorder, uint32_t ring_size)
{
	struct buildid_info info;
	int err = buildid_get_info(recorder->handle, &info);

	if (err)
		module_error(&recorder->out, BUILDID_DEVICE, err, NULL);
	else if (ring_size > info.ring_max)
		out_error(&recorder->out, "--ring-size",
			  "more than the module takes, %" PRIu32 " bytes",
			  info.ring_max);
	return !err && ring_size <= info.ring_max;
}

static int prepare_and_run(struct recorder *recorder, char **command,
			   const struct buildid_options *options)
{
	int status = EXIT_FAILURE;
	int err;

	recorder->handle = module_open(&recorder->out);
	if (!recorder->handle)
		return EXIT_FAILURE;

	if (!fits(recorder, options->ring_size))
		goto close;
	err = buildid_subscribe(recorder->handle, options);
	if (err) {
		module_error(&recorder->out, BUILDID_DEVICE, err, NULL);
		goto close;
	}
	err = buildid_files_new(&recorder->files, NULL);
	/* Last: an old log is not to go for a subscription that is refused. */
	if (!err)
		err = log_create(&recorder->log, recorder->path);
	if (err) {
		out_error(&recorder->out, recorder->path, "%s", strerror(-err));
		goto free_files;
	}

	status = run(recorder, command, options);
free_files:
	buildid_files_free(recorder->files);
close:
	buildid_close(recorder->handle);
	return status;
}

/* Beside perf.data, where there is room for it; without a name beside a stream. */
static char *log_beside(const struct perf_command *perf, int *unnamed)
{
	char *path = NULL;
	int done;

	if (strcmp(perf->output, "-")) {
		done = asprintf(&path, "%s.buildid", perf->output);
	} else {
		*unnamed = spool_open();
		done = *unnamed < 0 ? -1 :
		       asprintf(&path, "/proc/self/fd/%d", *unnamed);
	}
	return done < 0 ? NULL : path;
}

static int run_perf(struct recorder *recorder, char **command,
		    const struct buildid_options *options)
{
	struct perf_command perf;
	int status = EXIT_FAILURE;
	int unnamed = -1;
	char *log = NULL;

	recorder->perf = &perf;
	if (!perf_command_prepare(&perf, command)) {
		out_error(&recorder->out, "memory", "out of it");
		return EXIT_FAILURE;
	}
	if (!strcmp(perf.output, "-"))
		recorder->spool = spool_open();
	recorder->keep_log = recorder->path;
	if (!recorder->path)
		recorder->path = log = log_beside(&perf, &unnamed);
	if (recorder->path && (recorder->spool >= 0 || strcmp(perf.output, "-")))
		status = prepare_and_run(recorder, perf.argv, options);
	else
		out_error(&recorder->out, "standard output", "no room to keep it in TMPDIR");
	if (recorder->spool >= 0)
		close(recorder->spool);
	if (unnamed >= 0)
		close(unnamed);
	perf_command_free(&perf);
	free(log);
	return status;
}

enum { RING_SIZE = 256 };

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "ring-size", required_argument, NULL, RING_SIZE },
	{ "pid", required_argument, NULL, 'p' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

int cmd_record(int argc, char **argv)
{
	struct recorder recorder = { .spool = -1 };
	struct buildid_options wanted = { };
	struct filter filter = { };
	uint64_t ring_size = DEFAULT_RING;
	const char *wrong;
	int option;

	optind = 0;
	/* "+": options behind COMMAND are COMMAND's. */
	while ((option = getopt_long(argc, argv, "+o:p:h", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			recorder.path = optarg;
			break;
		case RING_SIZE:
			if (!args_size("--ring-size", optarg, 4096, RING_MAX, &ring_size))
				return args_usage(argv);
			if (ring_size & (ring_size - 1))
				return args_wrong(argv, optarg, "not a power of two");
			break;
		case 'p':
			wrong = filter_add_pids(&filter, optarg);
			if (wrong)
				return args_wrong(argv, optarg, wrong);
			break;
		case 'h':
			return args_help(help);
		default:
			return args_usage(argv);
		}
	}

	out_init(&recorder.out, stdout, false);
	if (!filter_pids_exist(&filter, &recorder.out))
		return EXIT_FAILURE;
	wanted.ring_size = (uint32_t)ring_size;
	wanted.watermark = wanted.ring_size / 4;
	wanted.flags = BUILDID_SUB_KERNEL;
	wanted.nr_pids = filter.nr_pids;
	wanted.pids = filter.pids;
	if (perf_command_is(argv + optind))
		return run_perf(&recorder, argv + optind, &wanted);
	recorder.keep_log = true;
	if (!recorder.path)
		recorder.path = DEFAULT_LOG;
	return prepare_and_run(&recorder, argv + optind, &wanted);
}
