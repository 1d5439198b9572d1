// SPDX-License-Identifier: GPL-2.0
/*
 * buildid record: write the stream of records to a log, around a command.
 *
 * When the command is perf record, its perf.data is annotated from that log at the end. It is
 * made of the options where these are perf's, as perf's users type them.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "common/arguments.h"
#include "commands/filter.h"
#include "commands/open_source.h"
#include "commands/options.h"
#include "perf_line.h"
#include "perf_words.h"
#include "record_command.h"

static const char help[] =
	"With options of perf record, run it with these, and annotate the perf.data that it writes: "
	"each mapping gets the build-id of its content. What else perf record takes, buildid perf "
	"record passes on.\n\n"
	"Without them, write all records to a log, buildid.log unless --output is given, until "
	"COMMAND ends, or without one until SIGINT, SIGTERM or SIGHUP. Recording begins before "
	"COMMAND does, with the mappings that exist, and covers the whole machine unless --cgroup "
	"is given. buildid mon --log shows the log.\n\n"
	"When COMMAND is \"perf record\" or another command of perf that records, also by way "
	"of sudo, nice, timeout and the like, the perf.data it writes is annotated when it has "
	"ended, see buildid annotate, and no log is left unless --output is given. perf runs "
	"with its options and -B, as it need not look for build-ids itself. What a perf "
	"writes that COMMAND runs in another way, as a script does, is annotated, too.\v"
	"A log that exists already is replaced, another file is not. Without COMMAND the log may "
	"be -, standard output.\n\n"
	"Signals are passed on: SIGINT, SIGTERM, SIGHUP and SIGQUIT end COMMAND, and then "
	"what it has written is annotated; SIGUSR2 makes perf write a snapshot.\n\n"
	"Exit status: that of COMMAND, or it ends by the signal that killed COMMAND; 127 "
	"when COMMAND is not found, 126 when it cannot be run; 1 when recording or annotating "
	"failed and COMMAND did not.";

static const char examples[] = "buildid record -a -g sleep 10\n"
			       "buildid record -F 999 -p $(pidof -s server) sleep 10\n"
			       "buildid record -o build.log -- make\n"
			       "buildid record -- sudo -u www perf record ./server\n";

/* Most of perf record's are not in our table. */
static const char unknown[] = "for all options of perf record: buildid perf record";

struct record {
	struct output out;
	struct filter filter, perf_filter;
	struct perf_words words;
	struct record_request request;
	bool tasks;
	uint32_t ring_size;
};

static int record_run(struct record *record, char **command)
{
	struct buildid_options request = {
		.size = sizeof(request),
		.flags = BUILDID_SUB_KERNEL | (record->tasks ? BUILDID_SUB_TASKS : 0),
		.ring_size = record->ring_size,
	};
	int status;

	if (!filter_set_options(&record->filter, &record->out, &request))
		return EXIT_FAILURE;
	status = record_command(&record->out, &record->request, command, &request);
	filter_close_options(&request);
	return status;
}

/* What has to be perf's to be of use. */
static void check_perf(const struct record *record, char *const *command)
{
	struct perf_line line;

	if (record->filter.cgroup)
		args_error("--cgroup",
			   "of a log, see --no-annotate; for perf's: buildid perf record -G NAME");
	if (record->filter.children)
		args_error("--children",
			   "of a log, see --no-annotate; perf record takes them without it");
	if (perf_line_parse(&line, command) == PERF_LINE_RECORD && line.certain)
		args_error(record->words.words[0],
			   "COMMAND is perf record, behind which perf's options go");
}

/* The options that are perf's are all there is for @record to do. */
static char **make_perf(struct record *record, char **command)
{
	check_perf(record, command);
	if (record->request.log && perf_words_add(&record->words, "-o", record->request.log))
		return NULL;
	record->request.log = NULL;
	/* perf follows children, so the log has to have everybody's mappings. */
	record->perf_filter = record->filter;
	record->filter = (struct filter){};
	record->request.pids = record->perf_filter.pids;
	record->request.nr_pids = record->perf_filter.nr_pids;
	return perf_words_command(&record->words, command);
}

/* Then its records are the module's, or there are none. */
static const char *option_of_device(const struct record *record)
{
	if (record->filter.children)
		return "--children";
	if (record->filter.by_uid)
		return "--uid";
	if (record->filter.cgroup)
		return "--cgroup";
	return record->tasks ? "--tasks" : NULL;
}

static void choose_source(struct record *record)
{
	const char *option = option_of_device(record);

	if (option && record->request.source == SOURCE_PERF)
		args_error(option, "not together with --source=perf; it is for the module");
	if (option)
		record->request.source = SOURCE_MODULE;
}

static char **record_prepare(struct record *record, char **command)
{
	option_check_filter(&record->filter);
	if (!record->request.no_annotate && record->words.count)
		return make_perf(record, command);
	if (record->words.only)
		args_error(record->words.only, "of perf record, which --no-annotate does not run");
	return command;
}

/* As perf has it, "-" is standard output. */
static void check_output(struct record *record, char *const *command)
{
	if (!record->request.log || strcmp(record->request.log, "-") != 0)
		return;
	if (*command)
		args_error("-", "standard output is the command's; write the log to a file");
	/* Objects are not to be mixed with the log. */
	record->out.file = stderr;
}

static const char *record_take_pids(void *to, const char *list)
{
	struct record *record = to;

	return perf_words_add(&record->words, "-p", list) ?: filter_add_pids(&record->filter, list);
}

static const char *record_take_uid(void *to, const char *user)
{
	struct record *record = to;

	return perf_words_add(&record->words, "-u", user) ?: filter_set_uid(&record->filter, user);
}

int cmd_record(int argc, char **argv)
{
	struct record record = {};
	const struct args_option options[] = {
		{ "all-cpus", 'a', NULL, "perf record's: the whole machine",
		  .parse = perf_word_take, .to = PERF_WORD(&record.words, "-a") },
		{ "event", 'e', "EVENT", "perf record's: count this", .parse = perf_word_take,
		  .to = PERF_WORD(&record.words, "-e") },
		{ "freq", 'F', "N", "perf record's: samples per second", .parse = perf_word_take,
		  .to = PERF_WORD(&record.words, "-F") },
		{ NULL, 'g', NULL, "perf record's: call chains", .parse = perf_word_take,
		  .to = PERF_WORD(&record.words, "-g") },
		{ "call-graph", 0, "MODE", "perf record's: call chains by fp, dwarf or lbr",
		  .parse = perf_word_take, .to = PERF_WORD(&record.words, "--call-graph") },
		{ "pid", 'p', "PID[,PID]...",
		  "perf record's: these processes; with --no-annotate of the log, at most 64",
		  .parse = record_take_pids, .to = &record },
		{ "uid", 'u', "USER",
		  "perf record's: processes of this real user; with --no-annotate of the log",
		  .parse = record_take_uid, .to = &record },
		{ "output", 'o', "FILE", "write to FILE: the perf.data, else the log",
		  .string = &record.request.log },
		OPTION_RING_SIZE(&record.ring_size),
		OPTION_NO_NAMES(&record.request.keep_names),
		{ "no-annotate", 0, NULL,
		  "write a log and nothing else, and leave what perf writes as it is, for later",
		  .flag = &record.request.no_annotate },
		OPTION_CHILDREN(&record.filter),
		OPTION_CGROUP(&record.filter),
		OPTION_TASKS(&record.tasks),
		OPTION_SOURCE(&record.request.source),
		{},
	};
	const struct args args = {
		.command = "record",
		.operands = "[COMMAND [ARG...]]",
		.max_operands = ARGS_ANY,
		.stop = true,
		.help = help,
		.examples = examples,
		.unknown = unknown,
		.options = options,
		.out = &record.out,
	};
	char **command = args_parse(&args, argc, argv);
	int status;

	command = record_prepare(&record, command);
	if (!command) {
		out_error(&record.out, "record", "%s", strerror(ENOMEM));
		return EXIT_FAILURE;
	}
	check_output(&record, command);
	choose_source(&record);
	status = record_run(&record, command);
	perf_words_free(&record.words);
	return status;
}
