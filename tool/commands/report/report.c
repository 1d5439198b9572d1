// SPDX-License-Identifier: GPL-2.0
/* buildid report: what a recording shows, and what changed between two contents. */

#include <stdlib.h>

#include "commands/commands.h"
#include "commands/options.h"
#include "common/supervise.h"
#include "report_diff.h"
#include "report_profile.h"

static const char help[] =
	"Make of a perf.data, perf.data unless --input is given, a page to look at: a flame graph in "
	"which functions are those of their own content, a timeline of which content each path led "
	"to when, and a table of contents. The page is one file, and loads nothing.\n\n"
	"With --diff, compare the functions of two contents: each is a file, a build-id in "
	"hex or 8 of its digits or more, or PATH@ID as a recording has it. Of a PATH which has had "
	"two contents, in the recording or else in ~/.debug and now, it is these. With --input the "
	"samples in each function are shown, too, as a share of all that are in that content.\v"
	"A function is \"same\" where its bytes are; \"moved\" where they are but for references "
	"to what has the same name; \"data\" where others of them may be references to data that "
	"has none, and is not compared; \"calls\" where it calls functions of another name; "
	"\"code\" or \"size\" where it is another one. It is \"bytes\" where it is not known which "
	"bytes are references, as of machines other than x86-64, and \"unknown\" where several "
	"have its name. What is called and used has verdicts of its own; data has none.";

static void report_check(bool diff, const struct report_diff *job,
			 const struct report_profile *profile)
{
	const bool made = profile->html || profile->flamegraph || profile->folded;

	if (diff && made)
		args_error("--diff", "not together with --html, --flamegraph and --folded");
	if (diff && !*job->operands)
		args_error("BEFORE", "missing operand");
	if (!diff && !made)
		args_error("--html", "missing option, or --flamegraph, --folded or --diff");
	if (!diff && *job->operands && job->operands[1])
		args_error(job->operands[1], "too many operands");
	if (!diff && job->raw)
		args_error("--no-demangle", "only together with --diff");
}

int cmd_report(int argc, char **argv)
{
	struct output out;
	bool diff = false;
	struct report_diff job = { .out = &out };
	struct report_profile profile = { .out = &out };
	const struct args_option options[] = {
		{ "html", 0, "FILE", "write a page with all of it", .string = &profile.html },
		{ "flamegraph", 0, "FILE", "write a flame graph alone, as SVG",
		  .string = &profile.flamegraph },
		{ "folded", 0, NULL, "print a line for each stack, as other flame graphs take them",
		  .flag = &profile.folded },
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
		.operands = "--html=FILE [perf.data]\n--diff BEFORE AFTER\n--diff PATH",
		.max_operands = 2,
		.help = help,
		.options = options,
		.out = &out,
	};

	job.operands = args_parse(&args, argc, argv);
	report_check(diff, &job, &profile);
	if (!diff) {
		option_recorded(job.operands, &job.input, NULL);
		profile.input = job.input ? job.input : "perf.data";
	}
	profile.directory = job.directory;
	profile.no_servers = job.no_servers;
	supervise();
	return diff ? report_diff_run(&job) : report_profile_run(&profile);
}
