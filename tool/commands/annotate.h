/* SPDX-License-Identifier: GPL-2.0 */
/* Annotate: a perf.data and a log, brought together. */
#ifndef TOOL_ANNOTATE_H
#define TOOL_ANNOTATE_H

#include <stdbool.h>

#include "common/output.h"

/**
 * struct annotation - what to annotate, from what, to where
 * @path: a perf.data, "-" for standard input
 * @log: of buildid record; NULL for what the module remembers alone
 * @output: NULL for @path itself, of standard input standard output
 * @name: what to call @path when it has another name; else NULL
 * @signals: of signals_open(), which then end it; -1: they end the process
 */
struct annotation {
	const char *path;
	const char *log;
	const char *output;
	const char *name;
	int signals;
};

/* True when all is well; what is not was told. */
bool annotate(struct output *out, const struct annotation *annotation);

#endif
