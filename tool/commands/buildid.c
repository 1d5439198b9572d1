// SPDX-License-Identifier: GPL-2.0
/*
 * buildid: the table of commands, and what is said when none of them is run.
 *
 * A command may end by exit(3) anywhere, so that whether all output was written is
 * checked as the process exits.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "common/arguments.h"
#include "common/array.h"
#include "common/nearest.h"
#include "common/output.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *description;
} commands[] = {
	{ "mon", cmd_mon, "watch mappings as they are made" },
	{ "top", cmd_top, "watch contents, a line for each" },
	{ "maps", cmd_maps, "show the mappings of processes as they are" },
	{ "stale", cmd_stale, "show processes that run what was replaced or deleted" },
	{ "users", cmd_users, "show who has mapped a content, or had lately" },
	{ "record", cmd_record, "record with perf, or write all records to a log" },
	{ "perf", cmd_perf, "run perf, and annotate the perf.data where it records" },
	{ "annotate", cmd_annotate, "give each mapping in a perf.data its build-id" },
	{ "id", cmd_id, "identify files" },
	{ "list", cmd_list, "list build-ids as perf buildid-list does" },
	{ "store", cmd_store, "put the files that perf report needs into ~/.debug" },
	{ "resolve", cmd_resolve, "print a file with a given build-id" },
	{ "symbolize", cmd_symbolize, "name the addresses of processes, dead or alive" },
	{ "report", cmd_report, "run perf report, show a page, or what an upgrade changed" },
	{ "bundle", cmd_bundle, "pack a perf.data with the files it needs" },
	{ "unbundle", cmd_unbundle, "unpack what bundle packed" },
	{ "cookie", cmd_cookie, "give an identity to a file that has none" },
	{ "doctor", cmd_doctor, "say what is missing here, and what to do" },
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

	fputs("Usage: buildid COMMAND [OPTION...]\n"
	      "  or:  buildid help COMMAND\n"
	      "  or:  buildid version\n\n",
	      file);
	FOR_EACH_COMMAND(command)
	fprintf(file, "  %-10s%s\n", command->name, command->description);
	fputs("\nEvery command takes -h, --help and -j, --json: one object per line.\n"
	      "Exit status: 0 done, 1 failed, 2 wrong usage.\n",
	      file);
	return status;
}

static int unknown(const char *name)
{
	struct nearest nearest = { .word = name };
	const struct command *command;

	FOR_EACH_COMMAND(command)
	nearest_offer(&nearest, command->name);
	fprintf(stderr, "buildid: %s: no such command\n", name);
	if (nearest.name)
		fprintf(stderr, "buildid: did you mean %s?\n", nearest.name);
	fputs("buildid: try 'buildid help'\n", stderr);
	return EXIT_USAGE;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	static char prefix[] = "buildid";

	/* getopt begins its messages with it, here as everywhere "buildid:". */
	argv[0] = prefix;
	return command->run(argc, argv);
}

static int help(const char *name)
{
	const struct command *command = command_of(name);
	char option[] = "--help";
	char *argv[] = { NULL, option, NULL };

	return command ? run_command(command, 2, argv) : unknown(name);
}

static int dispatch(int argc, char **argv)
{
	const char *self = strrchr(argv[0], '/');
	const struct command *command;
	const char *name;

	self = self ? self + 1 : argv[0];
	if (!strcmp(self, "buildid-mon"))
		return run_command(command_of("mon"), argc, argv);

	if (argc < 2)
		return usage(stderr, EXIT_USAGE);
	name = argv[1];
	if (!strcmp(name, "version") || !strcmp(name, "--version") || !strcmp(name, "-V")) {
		puts("buildid " BUILDID_VERSION);
		return EXIT_SUCCESS;
	}
	if (!strcmp(name, "help") && argc > 2)
		return help(argv[2]);
	if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
		return usage(stdout, EXIT_SUCCESS);

	command = command_of(name);
	return command ? run_command(command, argc - 1, argv + 1) : unknown(name);
}

static void check_output(void)
{
	bool broken = ferror(stdout);
	int err = fflush(stdout) ? errno : out_write_error();

	/* EPIPE: a reader that closed the pipe has what it wanted. */
	if (err == EPIPE || (!err && !broken))
		return;
	fprintf(stderr, "buildid: standard output: %s\n",
		err ? strerror(err) : "not all was written");
	_exit(EXIT_FAILURE);
}

/*
 * What is opened must not become one of the three, or a message ends up in the middle of
 * a file. To read from or to write to what was closed fails as it did.
 */
static void open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", fcntl(STDIN_FILENO, F_GETFD) < 0 ? O_WRONLY : O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	open_standard_files();
	atexit(check_output);
	return argc ? dispatch(argc, argv) : EXIT_USAGE;
}
