// SPDX-License-Identifier: GPL-2.0
/* buildid report: what a recording shows, and what changed between two contents. */

#include <stdlib.h>

#include "commands/commands.h"
#include "commands/options.h"
#include "common/supervise.h"
#include "report_diff.h"

static const char help[] =
	"Compare the functions of two contents, BEFORE and AFTER: each is a file, a build-id in "
	"hex or 8 of its digits or more, or PATH@ID as a recording has it. Of a PATH which has had "
	"two contents, in the recording or else in ~/.debug and now, it is these. With --input the "
	"samples in each function are shown, too, as a share of all that are in that content.\v"
	"A function is \"same\" where its bytes are; \"moved\" where they are but for references "
	"to what has the same name; \"data\" where others of them may be references to data that "
	"has none, and is not compared; \"calls\" where it calls functions of another name; "
	"\"code\" or \"size\" where it is another one. It is \"bytes\" where it is not known which "
	"bytes are references, as of machines other than x86-64, and \"unknown\" where several "
	"have its name. What is called and used has verdicts of its own; data has none.";

int cmd_report(int argc, char **argv)
{
	struct output out;
	bool diff = false;
	struct report_diff job = { .out = &out };
	const struct args_option options[] = {
		{ "diff", 0, NULL, "compare the functions of two contents", .flag = &diff },
		OPTION_INPUT(&job.input),
		{ "no-demangle", 0, NULL, "names of C++, Rust and D as they are in the file",
		  .flag = &job.raw },
		OPTION_DIR(&job.directory),
		OPTION_NO_DEBUGINFOD(&job.no_servers),
		{},
	};
	const struct args args = {
		.command = "report",
		.operands = "--diff BEFORE AFTER\n--diff PATH",
		.max_operands = 2,
		.help = help,
		.options = options,
		.out = &out,
	};

	job.operands = args_parse(&args, argc, argv);
	if (!diff)
		args_error("--diff", "missing option");
	if (!*job.operands)
		args_error("BEFORE", "missing operand");
	supervise();
	return report_diff_run(&job);
}
