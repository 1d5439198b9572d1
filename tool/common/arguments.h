/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments: the command line of one command, as a table over argp(3).
 *
 * A row of the table says how an option is spelled and where its value goes. Rows shared by several
 * commands are in commands/options.h, so that an option means the same everywhere; -j, --json and
 * -h, --help are added here, to every command.
 *
 * A usage error is reported as
 *
 *	buildid: OBJECT: reason
 *	buildid: try 'buildid help COMMAND'
 *
 * and ends the process, as --help does: a command only sees a valid command line.
 */
#ifndef TOOL_ARGUMENTS_H
#define TOOL_ARGUMENTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "output.h"

#define EXIT_USAGE    2
#define ARGS_ANY      INT_MAX
#define ARGS_MAX_ROWS 32

/**
 * struct args_option - an option; one of @flag, @string and @parse is set
 * @name: after "--"; NULL ends the table
 * @letter: after "-", or 0
 * @value: what help calls the value; NULL when there is none
 * @help: what it does
 * @flag: set to true
 * @string: set to the value
 * @parse: puts the value into @to; returns NULL, or what is wrong with it
 * @to: for @parse
 */
struct args_option {
	const char *name;
	int letter;
	const char *value;
	const char *help;
	bool *flag;
	const char **string;
	const char *(*parse)(void *to, const char *value);
	void *to;
};

/**
 * struct args - the command line that a command accepts
 * @command: its name
 * @operands: as shown in help, one line per alternative; may be NULL
 * @max_operands: ARGS_ANY for no bound
 * @stop: options after the first operand are operands, too
 * @help: what the command does; a "\v" is where the options are listed
 * @options: ends with a row of zeros
 * @out: set up for standard output, in JSON with --json
 */
struct args {
	const char *command;
	const char *operands;
	int max_operands;
	bool stop;
	const char *help;
	const struct args_option *options;
	struct output *out;
};

/* Returns the operands, up to a NULL. */
char **args_parse(const struct args *args, int argc, char **argv);

void args_error(const char *object, const char *reason) __attribute__((noreturn));

/* Unlike strtoull(3), accepts no sign or blanks. */
bool args_number(const char *text, uint64_t *number);
/* The same with the suffixes k, M and G, powers of 1024. */
bool args_size(const char *text, uint64_t *size);

#endif
