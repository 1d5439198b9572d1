/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options: those that several commands have, declared once, as rows for args_parse().
 *
 * A letter or a long name that is here means the same wherever it is taken; a command
 * that needs another meaning needs another name.
 */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include "common/arguments.h"
#include "filter.h"

#define OPTION(...) ((struct args_option){ __VA_ARGS__ })

/* What is read and written. */
#define OPTION_INPUT(var) \
	OPTION("input", 'i', "FILE", "read this perf.data, a file or a directory", .string = (var))
#define OPTION_LOG(var)                                                                  \
	OPTION("log", 'l', "LOG", "read what buildid record wrote; - is standard input", \
	       .string = (var))
#define OPTION_OUTPUT(var) OPTION("output", 'o', "FILE", "write to FILE", .string = (var))
#define OPTION_NO_DATA(var) \
	OPTION("no-data", 0, NULL, "without the perf.data itself", .flag = (var))
#define OPTION_NO_NAMES(var)                                                                 \
	OPTION("no-names", 0, NULL,                                                          \
	       "leave the path to each content of it, in place of PATH@ID for further ones", \
	       .flag = (var))

/* Which processes, for a struct filter; which mappings. */
#define OPTION_PID(filter)                                                     \
	OPTION("pid", 'p', "PID[,PID]...", "only these processes, at most 64", \
	       .parse = filter_add_pids, .to = (filter))
#define OPTION_CHILDREN(filter)                                                       \
	OPTION("children", 0, NULL, "of the processes of --pid all descendants, too", \
	       .flag = &(filter)->children)
#define OPTION_UID(filter)                                                                 \
	OPTION("uid", 'u', "USER", "only processes of this real user, a name or a number", \
	       .parse = filter_set_uid, .to = (filter))
#define OPTION_CGROUP(filter)                                                     \
	OPTION("cgroup", 0, "DIR", "only processes in or below this cgroup (v2)", \
	       .string = &(filter)->cgroup)
#define OPTION_DATA(var) \
	OPTION("data", 0, NULL, "mappings that are not executable, too", .flag = (var))
#define OPTION_TASKS(var) \
	OPTION("tasks", 0, NULL, "processes that fork, exec and exit, too", .flag = (var))
/* Into a uint32_t. */
#define OPTION_RING_SIZE(var)                                                              \
	OPTION("ring-size", 0, "SIZE",                                                     \
	       "bytes for records that wait to be read, a power of two; k and M multiply", \
	       .parse = option_ring_size, .to = (var))

#define OPTION_QUIET(var) \
	OPTION("quiet", 'q', NULL, "neither progress nor a summary", .flag = (var))

/* Of who fits a terminal. */
#define OPTION_FULL(var) \
	OPTION("full", 0, NULL, "on a terminal, too, identities and paths in full", .flag = (var))

/* Files by their build-id. */
#define OPTION_DIR(var) OPTION("dir", 0, "DIR", "in place of ~/.debug", .string = (var))
#define OPTION_NO_DEBUGINFOD(var) \
	OPTION("no-debuginfod", 0, NULL, "ask no debuginfod server", .flag = (var))
#define OPTION_ALL(var) \
	OPTION("all", 0, NULL, "files of the recording without a sample, too", .flag = (var))
#define OPTION_DEBUG(var)                                                                     \
	OPTION("debug", 0, NULL,                                                              \
	       "the debug file of what has no symbol table, too, from debuginfod if need be", \
	       .flag = (var))

const char *option_ring_size(void *size, const char *value);

/* --children is of --pid. */
void option_check_filter(const struct filter *filter);

/*
 * Operands that are each a perf.data or a log, by what is in them, in place of --input and --log.
 * @input, @log: what they said, or NULL; a null pointer where the command does not read that.
 */
void option_recorded(char *const *operands, const char **input, const char **log);
/* The perf.data that --input or else an operand names, or the default. */
const char *option_perfdata(const char *input, char *const *operands);

#endif
