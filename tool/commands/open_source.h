/* SPDX-License-Identifier: GPL-2.0 */
/* Open source: the source of a command, and the line that says which it is. */
#ifndef TOOL_OPEN_SOURCE_H
#define TOOL_OPEN_SOURCE_H

#include "common/arguments.h"
#include "common/output.h"
#include "source/source.h"

/* Into an enum source_kind. */
#define OPTION_SOURCE(var)                                                                     \
	((struct args_option){ "source", 0, "SOURCE",                                          \
			       "module, or perf to do without it; the module, if it is there", \
			       .parse = option_source, .to = (var) })

const char *option_source(void *kind, const char *name);

/*
 * NULL after the error was printed. Without the module each line of JSON has a field that says so;
 * for readers of text it is said now, with what @command cannot know then, or NULL.
 */
struct source *source_for(struct output *out, const char *command, enum source_kind kind,
			  const char *missing);

/* Subscribe, and warn where nothing would come. NULL after the error was printed. */
struct source_stream *source_subscribe(struct output *out, struct source *source,
				       const struct buildid_options *options);

/* Say the same where what @command reads is log @path, recorded so. */
void source_say_log(struct output *out, const char *command, const char *path);
/* On standard error alone, where not all objects are from that log. */
void source_note_log(const char *command, const char *path);

/* Say how many processes a command has not looked at, and why. */
void source_note_missed(const char *command, size_t denied, size_t skipped);

/*
 * Whether servers of some users have kept so many workers that files of others were not asked for:
 * then it is printed.
 */
bool source_fails_by_silence(struct output *out, const char *command);

/* Print @error of @source, with what helps there. */
void source_error(struct output *out, const char *object, const struct source *source, int error);

#endif
