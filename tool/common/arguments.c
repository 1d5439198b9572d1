// SPDX-License-Identifier: GPL-2.0
/* Args: numbers, help, and what to say about wrong usage. */

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"

static bool parse(const char *value, uint64_t *number, char **end)
{
	/* strtoull() takes a sign and blanks. */
	if (!isdigit((unsigned char)*value))
		return false;
	errno = 0;
	*number = strtoull(value, end, 0);
	return !errno;
}

static bool check(const char *option, const char *value, bool parsed, uint64_t number, uint64_t min,
		  uint64_t max)
{
	if (parsed && number >= min && number <= max)
		return true;
	fprintf(stderr, "buildid: %s %s: not a number from %" PRIu64 " to %" PRIu64 "\n", option,
		value, min, max);
	return false;
}

bool args_number(const char *option, const char *value, uint64_t min, uint64_t max,
		 uint64_t *number)
{
	char *end;
	bool parsed = parse(value, number, &end) && !*end;

	return check(option, value, parsed, *number, min, max);
}

bool args_size(const char *option, const char *value, uint64_t min, uint64_t max, uint64_t *size)
{
	static const char suffixes[] = "kMG";
	const char *suffix;
	unsigned int shift = 0;
	char *end;
	bool parsed = parse(value, size, &end);

	if (parsed && *end) {
		suffix = strchr(suffixes, *end);
		parsed = suffix && !end[1];
		shift = suffix ? 10 * (unsigned int)(suffix - suffixes + 1) : 0;
	}
	if (parsed && *size > max >> shift)
		parsed = false;
	if (parsed)
		*size <<= shift;
	return check(option, value, parsed, *size, min, max);
}

int args_help(const char *help)
{
	fputs(help, stdout);
	return EXIT_SUCCESS;
}

int args_usage(char **argv)
{
	const char *name = strrchr(argv[0], ' ');

	fprintf(stderr, "buildid: try: buildid help%s\n", name ? name : "");
	return EXIT_USAGE;
}

int args_wrong(char **argv, const char *object, const char *reason)
{
	fprintf(stderr, "buildid: %s: %s\n", object, reason);
	return args_usage(argv);
}

int args_plain(int argc, char **argv, const char *help, bool *json)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	*json = false;
	optind = 0;
	while ((option = getopt_long(argc, argv, "jh", options, NULL)) != -1) {
		switch (option) {
		case 'j':
			*json = true;
			break;
		case 'h':
			return args_help(help);
		default:
			return args_usage(argv);
		}
	}
	if (optind < argc)
		return args_wrong(argv, argv[optind], "takes no argument");
	return -1;
}
