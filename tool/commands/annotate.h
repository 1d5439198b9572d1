/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Annotate: a perf.data is rewritten by a log, and by what the module remembers.
 *
 * For buildid annotate, and for buildid record when perf record has ended.
 */
#ifndef TOOL_ANNOTATE_H
#define TOOL_ANNOTATE_H

#include <stdbool.h>

#include "common/output.h"

/**
 * struct annotation - what to annotate, from what, to where
 * @path: a perf.data, "-" for standard input
 * @log: of buildid record; NULL: by what the module remembers alone
 * @log_name: of @log in messages; NULL: @log
 * @output: where to write; NULL: in place of @path, standard output for standard input
 * @name: of @path in messages; NULL: @path
 * @strict: fail if anything is not annotated, once it is written
 * @quiet: neither progress nor a summary
 * @keep_names: contents of one path get no names of their own
 * @signals: of signals_open(), by which it ends; -1: signals end the process
 */
struct annotation {
	const char *path;
	const char *log;
	const char *log_name;
	const char *output;
	const char *name;
	bool keep_names;
	bool strict;
	bool quiet;
	int signals;
};

/* False when it failed, which has been reported. */
bool annotate(struct output *out, const struct annotation *annotation);

#endif
