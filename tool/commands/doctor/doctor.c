// SPDX-License-Identifier: GPL-2.0
/*
 * buildid doctor: what is missing here, and the remedy.
 *
 * For whoever has just installed it, so it says what other programs leave to be found
 * out, asks for no right, and changes nothing: the module is not loaded by looking.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands/commands.h"
#include "common/arguments.h"
#include "common/array.h"
#include "doctor.h"

static const char help[] =
	"Look at what the module and the tool need, and print a line for each: what was found "
	"and, where something is wrong, what to do.\v"
	"Works without the module and for any user; what may not be looked at is \"unknown\". "
	"Nothing is changed, and the module is not loaded.\n\n"
	"Exit status: 0 nothing has failed, 1 something has, 2 wrong usage.";

static const char examples[] = "buildid doctor\n"
			       "buildid doctor -j | jq -r 'select(.remedy) | .remedy'\n";

/* clang-format off */
static const struct check {
	const char *name;
	doctor_check *run;
} checks[] = {
	{ "headers", check_headers },
	{ "module", check_module },
	{ "loaded", check_loaded },
	{ "signature", check_signature },
	{ "lockdown", check_lockdown },
	{ "kprobes", check_kprobes },
	{ "hook", check_hook },
	{ "visits", check_visits },
	{ "device", check_device },
	{ "rights", check_rights },
	{ "perf", check_perf },
	{ "debuginfod", check_debuginfod },
	{ "debug-dir", check_debug_dir },
};
/* clang-format on */

/* What a terminal has at least. */
#define COLUMNS 80
/* Of the two columns before a text. */
#define INDENT 19

void finding_set(struct finding *finding, enum finding_status status, const char *format, ...)
{
	va_list args;

	finding->status = status;
	va_start(args, format);
	vsnprintf(finding->message, sizeof(finding->message), format, args);
	va_end(args);
}

void finding_remedy(struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->remedy, sizeof(finding->remedy), format, args);
	va_end(args);
}

static void doctor_indent(struct output *out)
{
	out_string(out, NULL, INDENT - 1, "");
}

/* Behind what takes INDENT columns: lines that fit, broken at blanks. */
static void doctor_put(struct output *out, const char *text)
{
	char line[sizeof(((struct finding *)NULL)->message)];
	size_t size;

	for (;;) {
		size = doctor_line(text, COLUMNS - INDENT);
		snprintf(line, sizeof(line), "%.*s", (int)size, text);
		out_string(out, NULL, 0, line);
		text += size;
		if (!*text)
			return;
		text++;
		out_end(out);
		out_begin(out);
		doctor_indent(out);
	}
}

static void doctor_show(struct output *out, const char *name, const struct finding *finding)
{
	static const struct {
		const char *word;
		enum out_style style;
	} statuses[] = {
		[FINDING_OK] = { "ok", OUT_GOOD },
		[FINDING_WARNING] = { "warning", OUT_PLAIN },
		[FINDING_FAILED] = { "failed", OUT_BAD },
		[FINDING_UNKNOWN] = { "unknown", OUT_WEAK },
	};
	out_begin(out);
	out_string(out, "type", OUT_HIDDEN, "check");
	out_styled(out, statuses[finding->status].style, "status", 7,
		   statuses[finding->status].word);
	out_string(out, "check", 10, name);
	out_string(out, "message", OUT_HIDDEN, finding->message);
	out_string(out, "remedy", OUT_HIDDEN, *finding->remedy ? finding->remedy : NULL);
	if (!out->json)
		doctor_put(out, finding->message);
	out_end(out);
	if (out->json || !*finding->remedy)
		return;
	out_begin(out);
	doctor_indent(out);
	doctor_put(out, finding->remedy);
	out_end(out);
}

int cmd_doctor(int argc, char **argv)
{
	struct output out;
	const struct args args = {
		.command = "doctor", .help = help, .examples = examples, .out = &out
	};
	const struct check *check;
	struct machine machine;
	bool failed = false;

	args_parse(&args, argc, argv);
	machine_look(&machine);
	for (check = checks; check < checks + ARRAY_SIZE(checks); check++) {
		struct finding finding = {};

		check->run(&machine, &finding);
		failed |= finding.status == FINDING_FAILED;
		doctor_show(&out, check->name, &finding);
	}
	machine_free(&machine);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
