// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments: argp(3) fed from a table of rows.
 *
 * argp sorts options by name within a group; each row is its own group, so that help keeps the
 * order of the table.
 */

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arguments.h"
#include "nearest.h"

#define LONG_ONLY 256 /* first key of options without a letter */

/* One command per process: args_error() is called long after args_parse(), too. */
static const struct args *current;
static struct args_option rows[ARGS_MAX_ROWS];
static size_t row_count;
static bool json, help;

static __attribute__((noreturn)) void hint(void)
{
	fprintf(stderr, "buildid: try 'buildid help %s'\n", current->command);
	exit(EXIT_USAGE);
}

void args_error(const char *object, const char *reason)
{
	fprintf(stderr, "buildid: %s: %s\n", object, reason);
	hint();
}

static void suggest(const char *word)
{
	struct nearest nearest = { .word = word };
	size_t i;

	for (i = 0; i < row_count; i++)
		if (rows[i].name)
			nearest_offer(&nearest, rows[i].name);
	if (nearest.name && nearest.distance)
		fprintf(stderr, "buildid: did you mean --%s?\n", nearest.name);
}

/* getopt has said what is wrong with @word, or with a letter in it. */
static __attribute__((noreturn)) void explain(const char *word)
{
	char name[64];

	if (!strncmp(word, "--", 2) && word[2]) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
		suggest(name);
	}
	if (current->unknown)
		fprintf(stderr, "buildid: %s\n", current->unknown);
	hint();
}

static void arguments_set(const struct args_option *row, const char *value)
{
	const char *wrong = NULL;

	if (row->flag)
		*row->flag = true;
	else if (row->string)
		*row->string = value;
	else
		wrong = row->parse(row->to, value);
	if (!wrong)
		return;
	fprintf(stderr, "buildid: --%s %s: %s\n", row->name, value, wrong);
	hint();
}

static int key_of(size_t index)
{
	return rows[index].letter ? rows[index].letter : LONG_ONLY + (int)index;
}

static error_t arguments_parse(int key, char *value, struct argp_state *state)
{
	size_t i;

	switch (key) {
	case ARGP_KEY_INIT:
		/* getopt reports the error; argp would add a hint to its own help. */
		state->err_stream = NULL;
		return 0;
	case ARGP_KEY_ERROR:
		explain(state->argv[state->next - 1]);
	}
	for (i = 0; i < row_count; i++) {
		if (key_of(i) != key)
			continue;
		arguments_set(&rows[i], value);
		if (help) {
			state->name = state->input;
			argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		}
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* argp frees it. */
static char *examples(void)
{
	const char *line = current->examples;
	char *text = NULL;
	size_t size;
	FILE *file;

	file = line ? open_memstream(&text, &size) : NULL;
	if (!file)
		return NULL;
	fputs("Examples:", file);
	for (; *line; line += strcspn(line, "\n") + 1)
		fprintf(file, "\n  %.*s", (int)strcspn(line, "\n"), line);
	fclose(file);
	return text;
}

/* Omits argp's note that mandatory arguments apply to short options as well. */
static char *filter_help(int key, const char *text, void *input)
{
	(void)input;
	if (key == ARGP_KEY_HELP_EXTRA)
		return examples();
	return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)(uintptr_t)text;
}

static void add_row(struct argp_option *option, const struct args_option *row)
{
	rows[row_count] = *row;
	*option = (struct argp_option){
		.name = row->name,
		.key = key_of(row_count),
		.arg = row->value,
		.doc = row->help,
		.group = (int)row_count + 1,
	};
	row_count++;
}

char **args_parse(const struct args *args, int argc, char **argv)
{
	static const struct args_option common[] = {
		{ "json", 'j', NULL, "one JSON object per line", .flag = &json },
		{ "help", 'h', NULL, "this text", .flag = &help },
	};
	static struct argp_option options[ARGS_MAX_ROWS + 1];
	const struct argp argp = {
		.options = options,
		.parser = arguments_parse,
		.args_doc = args->operands,
		.doc = args->help,
		.help_filter = filter_help,
	};
	const struct args_option *row;
	char name[32];
	int first;

	current = args;
	for (row = args->options; row && (row->name || row->letter); row++)
		add_row(&options[row_count], row);
	add_row(&options[row_count], &common[0]);
	add_row(&options[row_count], &common[1]);

	snprintf(name, sizeof(name), "buildid %s", args->command);
	if (argp_parse(&argp, argc, argv, ARGP_NO_HELP | (args->stop ? ARGP_NO_ARGS : 0), &first,
		       name))
		hint();
	if (argc - first > args->max_operands)
		args_error(argv[first + args->max_operands], "extra operand");
	out_init(args->out, stdout, json);
	return argv + first;
}

/* -------------------------------------------------------------- numbers -- */

static bool parse_digits(const char *text, uint64_t *number, char **end)
{
	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	/* No octal: 010 is ten, as in the names of /proc. */
	*number = strtoull(text, end, strncasecmp(text, "0x", 2) ? 10 : 16);
	return !errno;
}

bool args_number(const char *text, uint64_t *number)
{
	char *end;

	return parse_digits(text, number, &end) && !*end;
}

bool args_size(const char *text, uint64_t *size)
{
	static const char suffixes[] = "kMG";
	const char *suffix;
	unsigned int shift;
	char *end;

	if (!parse_digits(text, size, &end))
		return false;
	if (!*end)
		return true;
	suffix = strchr(suffixes, *end);
	if (!suffix || end[1])
		return false;
	shift = 10 * (unsigned int)(suffix - suffixes + 1);
	if (*size > UINT64_MAX >> shift)
		return false;
	*size <<= shift;
	return true;
}
