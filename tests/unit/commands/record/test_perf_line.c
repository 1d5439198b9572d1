// SPDX-License-Identifier: GPL-2.0
/* Perf line: which words are perf record, and where it writes. */

#include <stdio.h>
#include <string.h>

#include "commands/record/perf_line.h"
#include "streams.h"

#define WORDS_MAX 16

/* The words of a command line without quotes. */
static char **split(const char *line)
{
	static char *words[WORDS_MAX + 1];
	static char copy[512];
	size_t count = 0;
	char *word;

	snprintf(copy, sizeof(copy), "%s", line);
	for (word = strtok(copy, " "); word && count < WORDS_MAX; word = strtok(NULL, " "))
		words[count++] = word;
	words[count] = NULL;
	return words;
}

static enum perf_line_kind parse(struct perf_line *line, const char *text)
{
	return perf_line_parse(line, split(text));
}

static void perf_record_is_known(void **state)
{
	static const struct {
		const char *line;
		enum perf_line_kind kind;
		bool certain;
		size_t options;
	} cases[] = {
		{ "perf record", PERF_LINE_RECORD, true, 2 },
		{ "/usr/bin/perf_6.1 record -a", PERF_LINE_RECORD, true, 2 },
		{ "perf --no-pager record true", PERF_LINE_RECORD, true, 3 },
		{ "perf --debug verbose=1 --buildid-dir x record", PERF_LINE_RECORD, true, 6 },
		{ "perf mem record", PERF_LINE_RECORD, true, 3 },
		{ "perf mem -t load rec", PERF_LINE_RECORD, true, 5 },
		{ "perf c2c record -- true", PERF_LINE_RECORD, true, 3 },
		{ "perf sched record", PERF_LINE_RECORD, true, 3 },
		{ "perf lock record", PERF_LINE_RECORD, true, 3 },
		{ "perf kmem --slab record", PERF_LINE_RECORD, true, 4 },
		{ "perf kwork record", PERF_LINE_RECORD, true, 3 },
		{ "perf trace -e open record", PERF_LINE_RECORD, true, 5 },
		{ "perf kvm --host record", PERF_LINE_RECORD, true, 4 },
		{ "perf kvm stat record", PERF_LINE_RECORD, true, 4 },
		/* It takes none of perf record's. */
		{ "perf timechart record", PERF_LINE_RECORD, true, 0 },

		{ "sudo perf record", PERF_LINE_RECORD, true, 3 },
		{ "sudo -u perf perf record", PERF_LINE_RECORD, true, 5 },
		{ "sudo -E PATH=x A=b perf record", PERF_LINE_RECORD, true, 6 },
		{ "doas -u nobody perf record", PERF_LINE_RECORD, true, 5 },
		{ "taskset -c 0,2 perf record", PERF_LINE_RECORD, true, 5 },
		{ "taskset 0x3 perf record", PERF_LINE_RECORD, true, 4 },
		{ "timeout -s INT -k 5 10 perf record", PERF_LINE_RECORD, true, 8 },
		{ "timeout --signal=INT 10s perf record", PERF_LINE_RECORD, true, 5 },
		{ "chrt -f 50 perf record", PERF_LINE_RECORD, true, 5 },
		{ "nice perf record", PERF_LINE_RECORD, true, 3 },
		{ "nice -n -5 perf record", PERF_LINE_RECORD, true, 5 },
		{ "nice -10 perf record", PERF_LINE_RECORD, true, 4 },
		{ "ionice -c 2 -n 0 perf record", PERF_LINE_RECORD, true, 7 },
		{ "env A=b -u C perf record", PERF_LINE_RECORD, false, 6 },
		{ "env -u C A=b perf record", PERF_LINE_RECORD, true, 6 },
		{ "setsid -w perf record", PERF_LINE_RECORD, true, 4 },
		{ "nohup perf record", PERF_LINE_RECORD, true, 3 },
		{ "stdbuf -oL perf record", PERF_LINE_RECORD, true, 4 },
		{ "sudo nice -n 5 timeout 3 perf --no-pager mem record", PERF_LINE_RECORD, true,
		  10 },

		/* Elsewhere, in the background, or not to be told. */
		{ "sudo -D /tmp perf record", PERF_LINE_RECORD, false, 5 },
		{ "sudo -i perf record", PERF_LINE_RECORD, false, 4 },
		{ "setsid -f perf record", PERF_LINE_RECORD, false, 4 },
		{ "env -C /tmp perf record", PERF_LINE_RECORD, false, 5 },
		{ "strace -f perf record", PERF_LINE_RECORD, false, 4 },
		{ "grep perf record", PERF_LINE_RECORD, false, 3 },
		{ "nice grep perf record", PERF_LINE_RECORD, false, 4 },

		{ "perf", PERF_LINE_OTHER, false, 0 },
		{ "perf stat", PERF_LINE_OTHER, false, 0 },
		{ "perf stat perf record", PERF_LINE_OTHER, false, 0 },
		{ "perf stat record", PERF_LINE_OTHER, false, 0 },
		{ "perf mem report", PERF_LINE_OTHER, false, 0 },
		{ "perf trace ls record", PERF_LINE_OTHER, false, 0 },
		{ "perf --no-pager", PERF_LINE_OTHER, false, 0 },
		{ "sudo perf ftrace", PERF_LINE_OTHER, false, 0 },
		{ "perform record", PERF_LINE_NONE, false, 0 },
		{ "record", PERF_LINE_NONE, false, 0 },
		{ "sudo", PERF_LINE_NONE, false, 0 },
		{ "timeout 5", PERF_LINE_NONE, false, 0 },
		{ "taskset -p", PERF_LINE_NONE, false, 0 },
		{ "", PERF_LINE_NONE, false, 0 },
	};
	struct perf_line line;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (parse(&line, cases[i].line) != cases[i].kind)
			fail_msg("%s", cases[i].line);
		if (cases[i].kind == PERF_LINE_RECORD &&
		    (line.certain != cases[i].certain || line.options != cases[i].options))
			fail_msg("%s: %d, options at %zu", cases[i].line, line.certain,
				 line.options);
	}
}

static void the_output_is_found(void **state)
{
	static const struct {
		const char *line, *output;
	} cases[] = {
		{ "perf record true", "perf.data" },
		{ "perf record -o a true", "a" },
		{ "perf record -oa true", "a" },
		{ "perf record -ago a true", "a" },
		{ "perf record -agoa true", "a" },
		{ "perf record --output a true", "a" },
		{ "perf record --output=a true", "a" },
		{ "perf record --out a true", "a" },
		{ "perf record -o a -o b true", "b" },
		{ "perf record -o - true", "-" },
		/* Of the workload. */
		{ "perf record gcc -o a", "perf.data" },
		{ "perf record -- gcc -o a", "perf.data" },
		{ "perf record -e cpu-clock gcc -o a", "perf.data" },
		{ "perf record -F 99 -g -- gcc -o a", "perf.data" },
		{ "perf record -z gcc -o a", "perf.data" },
		{ "perf record -z3 -o a gcc -o b", "a" },
		{ "perf record --call-graph dwarf gcc -o a", "perf.data" },
		{ "perf record --call-graph=dwarf -o a gcc", "a" },
		{ "perf record --no-buildid -o a gcc", "a" },
		/* The value of another option. */
		{ "perf record -e -o gcc", "perf.data" },
		{ "perf record --event -o gcc", "perf.data" },
		{ "perf record -Po a gcc", "a" },
		{ "perf record -k mono -o a gcc", "a" },
		{ "perf record -a --switch-output=1G -o a", "a" },
		{ "perf record --switch-output -o a gcc", "a" },
		{ "perf record --off-cpu -o a gcc", "a" },
		{ "perf record --off-cpu-thresh 5 -o a gcc", "a" },
		{ "perf record --switch-output-event x -o a gcc", "a" },
		{ "perf record --timestamp-filename -o a gcc", "a" },
		/* Behind other commands of perf. */
		{ "perf mem record -p -o a gcc -o b", "a" },
		{ "perf mem record --ldlat 30 -o a gcc", "a" },
		{ "perf c2c record -u -k -o a gcc", "a" },
		{ "perf trace -o x record -o a gcc", "a" },
		{ "perf timechart -o x record", "perf.data" },
		{ "perf kvm -o a record", "a" },
		{ "perf kvm --output=a record", "a" },
		{ "perf kvm -oa stat record", "a" },
		{ "perf kvm -o a record -o b", "b" },
		{ "perf kvm record", "perf.data.guest" },
		{ "nice -n 5 perf record -o a gcc -o b", "a" },
		{ "perf record -o", "perf.data" },
		{ "perf record", "perf.data" },
	};
	struct perf_line line;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(&line, cases[i].line), PERF_LINE_RECORD);
		if (strcmp(line.outputs[0], cases[i].output))
			fail_msg("%s: %s", cases[i].line, line.outputs[0]);
		if (!line.own_name && line.named != !!strcmp(cases[i].output, "perf.data"))
			fail_msg("%s: named %d", cases[i].line, line.named);
	}
}

static void perf_kvm_has_several_names_and_no_pipe(void **state)
{
	struct perf_line line;

	(void)state;
	parse(&line, "perf kvm record");
	assert_int_equal(line.nr_outputs, 3);
	assert_string_equal(line.outputs[1], "perf.data.kvm");
	assert_true(line.own_name);
	parse(&line, "perf kvm record -o x");
	assert_int_equal(line.nr_outputs, 1);
	parse(&line, "perf mem record");
	assert_false(line.own_name);
	assert_false(line.named);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_record_is_known),
		cmocka_unit_test(the_output_is_found),
		cmocka_unit_test(perf_kvm_has_several_names_and_no_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
