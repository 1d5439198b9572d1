// SPDX-License-Identifier: GPL-2.0
/* buildid report: what a recording shows, and what changed between two contents. */

#include <string.h>

#include "commands/commands.h"
#include "commands/options.h"
#include "common/supervise.h"
#include "report_diff.h"
#include "report_perf.h"
#include "report_profile.h"

static const char help[] =
	"Run perf report on a perf.data, perf.data if none is given, after buildid store has put what "
	"it needs into ~/.debug; what is behind -- is for perf.\n\n"
	"With --html, make a page of it to look at: a flame graph in which functions are those of "
	"their own content, a timeline of which content each path led to when, and a table of "
	"contents. The page is one file, and loads nothing.\n\n"
	"With --diff, compare the functions of two contents: each is a file, a build-id in "
	"hex or 8 of its digits or more, or PATH@ID as a recording has it. Of a PATH which has had "
	"two contents, in the recording or else in ~/.debug and now, it is these. With --input the "
	"samples in each function are shown, too, as a share of all that are in that content. With "
	"--html, that is a page.\v"
	"A function is \"same\" where its bytes are; \"moved\" where they are but for references "
	"to what has the same name; \"data\" where others of them may be references to data that "
	"has none, and is not compared; \"calls\" where it calls functions of another name; "
	"\"code\" or \"size\" where it is another one. It is \"bytes\" where it is not known which "
	"bytes are references, as of machines other than x86-64, and \"unknown\" where several "
	"have its name. What is called and used has verdicts of its own; data has none.";

static bool is_made(const struct report_profile *profile)
{
	return profile->html || profile->flamegraph || profile->folded;
}

/* An operand without a dash is the perf.data, not an option for perf. */
static int run_perf(const struct report_diff *job)
{
	struct report_perf perf = {
		.out = job->out,
		.input = job->input,
		.options = job->operands,
		.directory = job->directory,
		.no_servers = job->no_servers,
	};

	if (!perf.input && *perf.options && **perf.options != '-')
		perf.input = *perf.options++;
	if (!perf.input)
		perf.input = "perf.data";
	if (!strcmp(perf.input, "-"))
		args_error("-", "is read twice; write it to a file first");
	return report_perf_run(&perf);
}

static void report_check(bool diff, const struct report_diff *job,
			 const struct report_profile *profile)
{
	const bool made = is_made(profile);

	if (diff && (profile->flamegraph || profile->folded))
		args_error("--diff", "not together with --flamegraph and --folded");
	if (diff && made && job->out->json)
		args_error("--json", "not together with --html");
	if (diff && !*job->operands)
		args_error("BEFORE", "missing operand");
	if ((diff || made) && *job->operands && job->operands[1] && (!diff || job->operands[2]))
		args_error(job->operands[diff ? 2 : 1], "too many operands");
	if (!diff && job->out->json)
		args_error("--json", "only together with --diff");
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
		{ "html", 0, "FILE", "write a page with all of it, or of the comparison",
		  .string = &profile.html },
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
		.operands = "[perf.data] [-- PERF-OPTION...]\n--html=FILE [perf.data]\n"
			    "--diff BEFORE AFTER\n--diff PATH",
		.max_operands = ARGS_ANY,
		.help = help,
		.options = options,
		.out = &out,
	};

	job.operands = args_parse(&args, argc, argv);
	report_check(diff, &job, &profile);
	if (!diff && !is_made(&profile))
		return run_perf(&job);
	if (!diff)
		profile.input = option_perfdata(job.input, job.operands);
	job.html = profile.html;
	profile.directory = job.directory;
	profile.no_servers = job.no_servers;
	supervise();
	return diff ? report_diff_run(&job) : report_profile_run(&profile);
}
