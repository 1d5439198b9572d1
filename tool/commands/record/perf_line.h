/* SPDX-License-Identifier: GPL-2.0 */
/* Perf line: whether a command line records with perf, and to where. */
#ifndef TOOL_PERF_LINE_H
#define TOOL_PERF_LINE_H

#include <stdbool.h>
#include <stddef.h>

#define PERF_LINE_OUTPUTS 3

enum perf_line_kind {
	PERF_LINE_NONE,	  /* perf is not in it */
	PERF_LINE_OTHER,  /* perf, but not to record */
	PERF_LINE_RECORD, /* all of struct perf_line is set */
};

/**
 * struct perf_line - perf record, or another command of perf that records as it does
 * @certain: perf will be run, in this directory: it is the first word, or everything before it
 *	belongs to programs that are known to run the rest of their command line
 * @options: where options of perf record may be added, an index; 0: nowhere
 * @outputs: what it writes, or candidates of which it writes one; "-" for standard output
 * @nr_outputs: at least 1
 * @named: -o is on the line; otherwise perf writes to standard output if that is a pipe,
 *	but see @own_name
 * @own_name: never to a pipe
 */
struct perf_line {
	bool certain;
	size_t options;
	const char *outputs[PERF_LINE_OUTPUTS];
	size_t nr_outputs;
	bool named;
	bool own_name;
};

/* @command ends with NULL; @line refers to it afterwards. */
enum perf_line_kind perf_line_parse(struct perf_line *line, char *const *command);

#endif
