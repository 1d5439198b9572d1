// SPDX-License-Identifier: GPL-2.0
/*
 * Perf line: the words of a command line as perf, and the programs that run it, parse them.
 *
 * Options are added to a line only if perf certainly gets them: "grep perf record" must not change.
 * Where perf writes may be guessed, as it is checked afterwards whether a file was written there.
 */

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "common/array.h"
#include "perf_line.h"

enum {
	OTHER = 256,
};

static size_t count_of(char *const *words)
{
	size_t count = 0;

	while (words[count])
		count++;
	return count;
}

static const char *name_of(const char *word)
{
	const char *slash = strrchr(word, '/');

	return slash ? slash + 1 : word;
}

static bool is_perf(const char *word)
{
	const char *name = name_of(word);

	return !strcmp(name, "perf") || !strncmp(name, "perf_", 5);
}

/* ------------------------------------------------------------- wrappers -- */

/**
 * struct wrapper - a program that runs the rest of its command line
 * @short_options, @long_options: for getopt_long(3), without those that make it run something else,
 *	elsewhere, or in the background
 * @number: an operand that starts with a digit comes first
 * @assignments: NAME=VALUE may come first
 */
struct wrapper {
	const char *name;
	const char *short_options;
	const struct option *long_options;
	bool number;
	bool assignments;
};

#define FLAG(name)                             \
	{                                      \
		name, no_argument, NULL, OTHER \
	}
#define VALUE(name)                                  \
	{                                            \
		name, required_argument, NULL, OTHER \
	}
#define OPTIONAL(name)                               \
	{                                            \
		name, optional_argument, NULL, OTHER \
	}
#define LONG(...) ((const struct option[]){ __VA_ARGS__, { NULL, 0, NULL, 0 } })

static const struct wrapper wrappers[] = {
	{ .name = "sudo",
	  .short_options = "+ABC:EHg:h:kNnPp:r:ST:t:U:u:",
	  .long_options = LONG(FLAG("askpass"), FLAG("bell"), VALUE("close-from"),
			       OPTIONAL("preserve-env"), FLAG("set-home"), VALUE("group"),
			       VALUE("host"), FLAG("reset-timestamp"), FLAG("no-update"),
			       FLAG("non-interactive"), FLAG("preserve-groups"), VALUE("prompt"),
			       VALUE("role"), FLAG("stdin"), VALUE("command-timeout"),
			       VALUE("type"), VALUE("other-user"), VALUE("user")),
	  .assignments = true },
	{ .name = "doas", .short_options = "+a:nu:" },
	{ .name = "taskset",
	  .short_options = "+ac",
	  .long_options = LONG(FLAG("all-tasks"), FLAG("cpu-list")),
	  .number = true },
	{ .name = "timeout",
	  .short_options = "+fk:ps:v",
	  .long_options = LONG(FLAG("foreground"), VALUE("kill-after"), FLAG("preserve-status"),
			       VALUE("signal"), FLAG("verbose")),
	  .number = true },
	{ .name = "chrt",
	  .short_options = "+abdfiorRvT:P:D:",
	  .long_options = LONG(FLAG("all-tasks"), FLAG("batch"), FLAG("deadline"), FLAG("fifo"),
			       FLAG("idle"), FLAG("other"), FLAG("rr"), FLAG("reset-on-fork"),
			       FLAG("verbose"), VALUE("sched-runtime"), VALUE("sched-period"),
			       VALUE("sched-deadline")),
	  .number = true },
	{ .name = "nice",
	  .short_options = "+n:0123456789",
	  .long_options = LONG(VALUE("adjustment")) },
	{ .name = "ionice",
	  .short_options = "+c:n:t",
	  .long_options = LONG(VALUE("class"), VALUE("classdata"), FLAG("ignore")) },
	{ .name = "env",
	  .short_options = "+iu:v",
	  .long_options = LONG(FLAG("ignore-environment"), VALUE("unset"), FLAG("debug"),
			       OPTIONAL("block-signal"), OPTIONAL("default-signal"),
			       OPTIONAL("ignore-signal")),
	  .assignments = true },
	{ .name = "setsid",
	  .short_options = "+cw",
	  .long_options = LONG(FLAG("ctty"), FLAG("wait")) },
	{ .name = "nohup", .short_options = "+" },
	{ .name = "stdbuf",
	  .short_options = "+i:o:e:",
	  .long_options = LONG(VALUE("input"), VALUE("output"), VALUE("error")) },
};

static const struct wrapper *wrapper_of(const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrappers); i++)
		if (!strcmp(name_of(word), wrappers[i].name))
			return &wrappers[i];
	return NULL;
}

/* The first word of what it runs; 0 if that is unclear. */
static size_t skip_wrapper(const struct wrapper *wrapper, char *const *command)
{
	static const struct option none[] = { { NULL, 0, NULL, 0 } };
	size_t at;
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long((int)count_of(command), command, wrapper->short_options,
				     wrapper->long_options ? wrapper->long_options : none, NULL)) !=
		       -1 &&
	       option != '?')
		;
	opterr = 1;
	if (option == '?')
		return 0;
	at = (size_t)optind;
	while (wrapper->assignments && command[at] && strchr(command[at], '='))
		at++;
	if (wrapper->number)
		return command[at] && isdigit((unsigned char)*command[at]) ? at + 1 : 0;
	return at;
}

/* The index of perf, if everything before it is known; else of the first unknown word. */
static size_t skip_wrappers(char *const *command)
{
	const struct wrapper *wrapper;
	size_t at = 0, skipped;

	while (command[at] && (wrapper = wrapper_of(command[at]))) {
		skipped = skip_wrapper(wrapper, command + at);
		if (!skipped)
			break;
		at += skipped;
	}
	return at;
}

/* ----------------------------------------------------------- subcommand -- */

/**
 * struct subcommand - one that runs perf record, with what follows "record"
 * @flags: short options without a value that have one in perf record, or have none there
 * @no_options: perf record's are not passed on
 * @nested: another word may come before "record"
 */
struct subcommand {
	const char *name;
	const char *flags;
	bool no_options;
	const char *nested;
};

/* As of perf 6.1 to 7.2: builtin-*.c. */
static const struct subcommand subcommands[] = {
	{ .name = "mem", .flags = "pUK" },
	{ .name = "c2c", .flags = "ku" },
	{ .name = "sched" },
	{ .name = "lock" },
	{ .name = "kmem" },
	{ .name = "kwork" },
	{ .name = "trace" },
	{ .name = "timechart", .flags = "PTIg", .no_options = true },
	{ .name = "kvm", .nested = "stat" },
};

static const struct subcommand *subcommand_of(const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(subcommands); i++)
		if (!strcmp(word, subcommands[i].name))
			return &subcommands[i];
	return NULL;
}

/* Options of perf itself; @perf is its word. */
static size_t skip_perf_options(char *const *command, size_t perf)
{
	static const char *const values[] = { "--debugfs-dir", "--buildid-dir", "--debug" };
	size_t at, i;

	for (at = perf + 1; command[at] && *command[at] == '-'; at++)
		for (i = 0; i < ARRAY_SIZE(values); i++)
			if (!strcmp(command[at], values[i]) && command[at + 1]) {
				at++;
				break;
			}
	return at;
}

/* After a subcommand perf also accepts "rec". */
static bool is_record(const char *word)
{
	return strlen(word) > 2 && !strncmp("record", word, strlen(word));
}

/*
 * After a subcommand: the index of its "record", 0 if there is none. A word after an option may be
 * its value. @output: set to the value of perf kvm -o.
 */
static size_t find_record(const struct subcommand *subcommand, char *const *command, size_t at,
			  const char **output)
{
	bool value = false;

	for (; command[at]; at++) {
		if (*command[at] == '-') {
			value = true;
			if (!strncmp(command[at], "-o", 2) && command[at][2])
				*output = command[at] + 2;
			else if (!strncmp(command[at], "--output=", 9))
				*output = command[at] + 9;
			else if (!strcmp(command[at], "-o") || !strcmp(command[at], "--output"))
				*output = command[at + 1];
			continue;
		}
		if (is_record(command[at]))
			return at;
		if (!value && !(subcommand->nested && !strcmp(command[at], subcommand->nested)))
			return 0;
		value = false;
	}
	return 0;
}

/* --------------------------------------------------------------- output -- */

/*
 * The options of perf record, 6.1 to 7.2, that have a value, which may be the next word; and those
 * without one whose names are a prefix of such a name.
 */
#define RECORD_OPTIONS "e:p:t:r:c:o:F:m:G:D:u:j:k:C:I::S::z::l:"

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	OPTIONAL("switch-output"),
	FLAG("off-cpu"),
	VALUE("event"),
	VALUE("filter"),
	VALUE("pid"),
	VALUE("tid"),
	VALUE("realtime"),
	VALUE("count"),
	VALUE("freq"),
	VALUE("mmap-pages"),
	VALUE("call-graph"),
	VALUE("cpu"),
	VALUE("cgroup"),
	VALUE("delay"),
	VALUE("uid"),
	VALUE("branch-filter"),
	VALUE("clockid"),
	VALUE("max-size"),
	VALUE("num-thread-synthesize"),
	VALUE("affinity"),
	VALUE("switch-max-files"),
	VALUE("proc-map-timeout"),
	VALUE("vmlinux"),
	VALUE("clang-path"),
	VALUE("clang-opt"),
	VALUE("mmap-flush"),
	VALUE("control"),
	VALUE("synth"),
	VALUE("off-cpu-thresh"),
	VALUE("setup-filter"),
	VALUE("switch-output-event"),
	/* Of perf mem and perf c2c. */
	VALUE("ldlat"),
	VALUE("type"),
	{ NULL, 0, NULL, 0 },
};

/* @command: from "record" on. Options end with the first word of the workload. */
static void find_output(struct perf_line *line, const char *flags, char *const *command)
{
	char short_options[64];
	int option;

	/* Of two options with one letter, getopt uses the first. */
	snprintf(short_options, sizeof(short_options), "+%s" RECORD_OPTIONS, flags ? flags : "");
	optind = 0;
	/* Unknown to us, not to perf. */
	opterr = 0;
	while ((option = getopt_long((int)count_of(command), command, short_options, long_options,
				     NULL)) != -1) {
		if (option != 'o')
			continue;
		line->outputs[0] = optarg;
		line->nr_outputs = 1;
		line->named = true;
	}
	opterr = 1;
}

/* @output: of perf kvm -o, or NULL. Which of the three depends on options and version. */
static void set_kvm_outputs(struct perf_line *line, const char *output)
{
	line->own_name = true;
	if (output) {
		line->outputs[0] = output;
		return;
	}
	line->outputs[0] = "perf.data.guest";
	line->outputs[1] = "perf.data.kvm";
	line->outputs[2] = "perf.data.host";
	line->nr_outputs = 3;
}

/* @perf: the index of perf's word. */
static bool parse_perf(struct perf_line *line, char *const *command, size_t perf)
{
	size_t at = skip_perf_options(command, perf);
	const struct subcommand *subcommand;
	const char *output = NULL;

	*line = (struct perf_line){ .outputs = { "perf.data" }, .nr_outputs = 1 };
	if (!command[at])
		return false;
	subcommand = subcommand_of(command[at]);
	if (subcommand)
		at = find_record(subcommand, command, at + 1, &output);
	else if (strcmp(command[at], "record"))
		at = 0;
	if (!at)
		return false;
	if (subcommand && subcommand->nested)
		set_kvm_outputs(line, output);
	if (!subcommand || !subcommand->no_options)
		line->options = at + 1;
	find_output(line, subcommand ? subcommand->flags : NULL, command + at);
	return true;
}

enum perf_line_kind perf_line_parse(struct perf_line *line, char *const *command)
{
	size_t certain = skip_wrappers(command);
	size_t at;

	if (command[certain] && is_perf(command[certain])) {
		if (!parse_perf(line, command, certain))
			return PERF_LINE_OTHER;
		line->certain = true;
		return PERF_LINE_RECORD;
	}
	for (at = certain; command[at]; at++)
		if (is_perf(command[at]) && parse_perf(line, command, at))
			return PERF_LINE_RECORD;
	return PERF_LINE_NONE;
}
