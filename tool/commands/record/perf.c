// SPDX-License-Identifier: GPL-2.0
/*
 * buildid perf: perf with our recorder around it where it records, and nothing in between
 * where it does not.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "commands/perf_program.h"
#include "common/arguments.h"
#include "perf_line.h"
#include "record_command.h"

static const char help[] =
	"Run perf. Where it records, as perf record, perf mem record or perf sched record do, the "
	"perf.data that it writes is annotated when it has ended: buildid perf record is buildid "
	"record -- perf record. Everything else is as without buildid.\v"
	"COMMAND and ARGs are perf's, with all its options. Options of perf itself go behind "
	"--, as in buildid perf -- --no-pager report.";

static const char examples[] = "buildid perf record -a -g -- sleep 10\n"
			       "buildid perf report --stdio\n";

static int perf_exec(struct output *out, char **command)
{
	int error;

	execvp(command[0], command);
	error = errno;
	out_error(out, command[0], "%s", perf_program_reason(command[0], error));
	return error == ENOENT ? 127 : 126;
}

/* To be freed; NULL without memory. */
static char **perf_command(char *const *operands)
{
	static char perf[] = "perf";
	size_t count = 0, i;
	char **command;

	while (operands[count])
		count++;
	command = calloc(count + 2, sizeof(*command));
	for (i = 0; command && i < count; i++)
		command[i + 1] = operands[i];
	if (command)
		command[0] = perf;
	return command;
}

static int perf_run(struct output *out, char **command)
{
	const struct record_request request = {};
	const struct buildid_options options = {
		.size = sizeof(options),
		.flags = BUILDID_SUB_KERNEL,
	};
	struct perf_line line;

	if (perf_line_parse(&line, command) == PERF_LINE_RECORD)
		return record_command(out, &request, command, &options);
	return perf_exec(out, command);
}

int cmd_perf(int argc, char **argv)
{
	struct output out;
	const struct args args = {
		.command = "perf",
		.operands = "COMMAND [ARG...]",
		.max_operands = ARGS_ANY,
		.stop = true,
		.help = help,
		.examples = examples,
		.out = &out,
	};
	char **operands = args_parse(&args, argc, argv);
	char **command;
	int status;

	if (!*operands)
		args_error("COMMAND", "missing operand");
	command = perf_command(operands);
	if (!command) {
		out_error(&out, "perf", "%s", strerror(ENOMEM));
		return EXIT_FAILURE;
	}
	status = perf_run(&out, command);
	free(command);
	return status;
}
