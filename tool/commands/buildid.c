// SPDX-License-Identifier: GPL-2.0
/* The command table. */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/arguments.h"
#include "common/array.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *description;
} commands[] = {
	{ "mon", cmd_mon, "watch mappings as they are made" },
	{ "maps", cmd_maps, "show the mappings of processes as they are" },
	{ "record", cmd_record, "write the stream of records to a log" },
	{ "annotate", cmd_annotate, "give each mapping in a perf.data its build-id" },
	{ "id", cmd_id, "identify files" },
	{ "list", cmd_list, "list the files that the module remembers, or the kernel" },
	{ "store", cmd_store, "keep the files that were used, for perf report" },
	{ "resolve", cmd_resolve, "print a file with a given content" },
	{ "bundle", cmd_bundle, "pack a perf.data with the files it needs" },
	{ "unbundle", cmd_unbundle, "take up what bundle packed" },
	{ "cookie", cmd_cookie, "name a file that has no identity of its own" },
	{ "info", cmd_info, "show what the module is" },
	{ "stats", cmd_stats, "show the module's counters" },
	{ "flush", cmd_flush, "make the module forget all files" },
};

#define FOR_EACH_COMMAND(command) \
	for ((command) = commands; (command) < commands + ARRAY_SIZE(commands); (command)++)

static const struct command *command_of(const char *name)
{
	const struct command *command;

	FOR_EACH_COMMAND(command)
	if (!strcmp(command->name, name))
		return command;
	return NULL;
}

static int usage(FILE *file, int status)
{
	const struct command *command;

	fputs("usage: buildid COMMAND [OPTIONS]\n"
	      "       buildid help COMMAND\n"
	      "       buildid --version\n\n",
	      file);
	FOR_EACH_COMMAND(command)
	fprintf(file, "  %-10s%s\n", command->name, command->description);
	fputs("\nEvery command but record takes -j, --json: one object per line.\n"
	      "Exit status: 0 done, 1 failed, 2 wrong usage.\n",
	      file);
	return status;
}

static int unknown(const char *name)
{
	fprintf(stderr, "buildid: %s: no such command; try: buildid help\n", name);
	return EXIT_USAGE;
}

static int run(const struct command *command, int argc, char **argv)
{
	char name[32];

	/* getopt_long() begins what it has to say with this. */
	snprintf(name, sizeof(name), "buildid %s", command->name);
	argv[0] = name;
	return command->run(argc, argv);
}

static int help(const char *name)
{
	const struct command *command = command_of(name);
	char option[] = "--help";
	char *argv[] = { NULL, option, NULL };

	return command ? run(command, 2, argv) : unknown(name);
}

static int dispatch(int argc, char **argv)
{
	const char *self = strrchr(argv[0], '/');
	const struct command *command;
	const char *name;

	self = self ? self + 1 : argv[0];
	if (!strcmp(self, "buildid-mon"))
		return run(command_of("mon"), argc, argv);

	if (argc < 2)
		return usage(stderr, EXIT_USAGE);
	name = argv[1];
	if (!strcmp(name, "--version")) {
		puts("buildid " BUILDID_VERSION);
		return EXIT_SUCCESS;
	}
	if (!strcmp(name, "help") && argc > 2)
		return help(argv[2]);
	if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
		return usage(stdout, EXIT_SUCCESS);

	command = command_of(name);
	return command ? run(command, argc - 1, argv + 1) : unknown(name);
}

int main(int argc, char **argv)
{
	int status = argc ? dispatch(argc, argv) : EXIT_USAGE;

	bool broken = ferror(stdout);

	errno = 0;
	/* EPIPE: a reader that had enough has what it wanted. */
	if (!fflush(stdout) ? !broken : errno == EPIPE)
		return status;
	fprintf(stderr, "buildid: standard output: %s\n",
		errno ? strerror(errno) : "not all was written");
	return EXIT_FAILURE;
}
