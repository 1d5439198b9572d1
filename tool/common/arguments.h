/* SPDX-License-Identifier: GPL-2.0 */
/* Args: what all commands do with their options. */
#ifndef TOOL_ARGUMENTS_H
#define TOOL_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#define EXIT_USAGE 2

/*
 * A wrong @value of @option is told on stderr.
 */
bool args_number(const char *option, const char *value, uint64_t min, uint64_t max,
		 uint64_t *number);
/* Takes the suffixes k, M and G, too; powers of 1024. */
bool args_size(const char *option, const char *value, uint64_t min, uint64_t max, uint64_t *size);

/* Print @help and return EXIT_SUCCESS. */
int args_help(const char *help);
/* Say where there is help, and return EXIT_USAGE. */
int args_usage(char **argv);
/* The same after the reason: "buildid: OBJECT: reason". */
int args_wrong(char **argv, const char *object, const char *reason);

/* For commands without arguments and options but -j and -h: -1 to go on. */
int args_plain(int argc, char **argv, const char *help, bool *json);

#endif
