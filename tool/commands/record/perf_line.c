// SPDX-License-Identifier: GPL-2.0
/*
 * Perf line: the words of a command line as perf, and the programs that run it, parse them.
 *
 * Options are added to a line only if perf gets them: "grep perf record" must not change.
 * Where perf writes may be guessed, as it is checked afterwards whether a file was written there.
 */

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "common/array.h"
#include "perf_line.h"

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

/* Programs that run the rest of their command line. */
static bool is_wrapper(const char *word)
{
	static const char *const names[] = { "chrt", "doas",	"env",	  "ionice",
					     "nice", "nohup",	"setsid", "stdbuf",
					     "sudo", "taskset", "timeout" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name_of(word), names[i]))
			return true;
	return false;
}

/*
 * The index of perf, if all before it is of wrappers: their names, options, a word behind an
 * option, which may be its value and is no path, NAME=VALUE and numbers. Else of the first other
 * word.
 */
static size_t skip_wrappers(char *const *command)
{
	bool value = false;
	size_t at;

	for (at = 0; command[at]; at++) {
		const char *word = command[at];

		if (is_wrapper(word))
			value = false;
		else if (at && *word == '-')
			value = true;
		else if (at && !is_perf(word) &&
			 ((value && !strchr(word, '/')) || strchr(word, '=') ||
			  isdigit((unsigned char)*word)))
			value = false;
		else
			break;
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

/* Short options of perf record, 6.1 to 7.2, that have a value. */
#define RECORD_OPTIONS "e:p:t:r:c:o:F:m:G:D:u:j:k:C:I::S::z::l:"

/* Whether the word at @at may be the value of a long option, of which there are many. */
static bool may_be_value(char *const *command, int at)
{
	const char *before = command[at - 1];

	return command[at] && !strncmp(before, "--", 2) && before[2] && !strchr(before, '=');
}

/* @command: from "record" on. Options end with the first word of the workload. */
static void find_output(struct perf_line *line, const char *flags, char *const *command)
{
	static const struct option output[] = { { "output", required_argument, NULL, 'o' }, {} };
	char short_options[64];
	bool guess = false;
	int option;

	/* Of two options with one letter, getopt uses the first. */
	snprintf(short_options, sizeof(short_options), "+%s" RECORD_OPTIONS, flags ? flags : "");
	optind = 0;
	/* Unknown to us, not to perf. */
	opterr = 0;
	do {
		while ((option = getopt_long((int)count_of(command), command, short_options, output,
					     NULL)) != -1) {
			if (option != 'o')
				continue;
			line->outputs[1] = line->outputs[0];
			line->outputs[0] = optarg;
			line->nr_outputs = guess ? 2 : 1;
			line->guess = guess;
			line->named = true;
		}
		guess = may_be_value(command, optind++);
	} while (guess);
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
