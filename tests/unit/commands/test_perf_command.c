// SPDX-License-Identifier: GPL-2.0
/* Perf command: its options, and where it writes. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/perf_command.h"
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

static void join(char *const *words, char text[512])
{
	for (*text = '\0'; *words; words++) {
		strcat(text, *words);
		if (words[1])
			strcat(text, " ");
	}
}

/* With @fd for standard output, as what that is matters. */
static void prepare(struct perf_command *perf, const char *line, int fd)
{
	int saved = dup(STDOUT_FILENO);

	fflush(stdout);
	assert_true(fd >= 0 && saved >= 0);
	dup2(fd, STDOUT_FILENO);
	assert_true(perf_command_prepare(perf, split(line)));
	dup2(saved, STDOUT_FILENO);
	close(saved);
}

static void prepare_plain(struct perf_command *perf, const char *line)
{
	int fd = open("/dev/null", O_WRONLY);

	prepare(perf, line, fd);
	close(fd);
}

static void perf_record_is_known(void **state)
{
	(void)state;
	assert_true(perf_command_is(split("perf record")));
	assert_true(perf_command_is(split("/usr/bin/perf_6.1 record -a")));
	assert_false(perf_command_is(split("perf")));
	assert_false(perf_command_is(split("perf stat")));
	assert_false(perf_command_is(split("perform record")));
	assert_false(perf_command_is(split("record")));
	assert_false(perf_command_is(split("")));
}

static void the_output_is_found(void **state)
{
	static const struct {
		const char *line, *output;
		bool many;
	} cases[] = {
		{ "perf record true", "perf.data", false },
		{ "perf record -o a true", "a", false },
		{ "perf record -oa true", "a", false },
		{ "perf record -ago a true", "a", false },
		{ "perf record -agoa true", "a", false },
		{ "perf record --output a true", "a", false },
		{ "perf record --output=a true", "a", false },
		{ "perf record --out a true", "a", false },
		{ "perf record -o a -o b true", "b", false },
		{ "perf record -o - true", "-", false },
		/* Of the workload. */
		{ "perf record gcc -o a", "perf.data", false },
		{ "perf record -- gcc -o a", "perf.data", false },
		{ "perf record -e cpu-clock gcc -o a", "perf.data", false },
		{ "perf record -F 99 -g -- gcc -o a", "perf.data", false },
		{ "perf record -z gcc -o a", "perf.data", false },
		{ "perf record -z3 -o a gcc -o b", "a", false },
		{ "perf record --call-graph dwarf gcc -o a", "perf.data", false },
		{ "perf record --call-graph=dwarf -o a gcc", "a", false },
		{ "perf record --no-buildid -o a gcc", "a", false },
		/* The value of another option. */
		{ "perf record -e -o gcc", "perf.data", false },
		{ "perf record --event -o gcc", "perf.data", false },
		{ "perf record -Po a gcc", "a", false },
		{ "perf record -k mono -o a gcc", "a", false },
		{ "perf record -a --switch-output=1G -o a", "a", true },
		{ "perf record --switch-output -o a gcc", "a", true },
		{ "perf record --off-cpu -o a gcc", "a", false },
		{ "perf record --off-cpu-thresh 5 -o a gcc", "a", false },
		{ "perf record -o", "perf.data", false },
		{ "perf record", "perf.data", false },
	};
	struct perf_command perf;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		prepare_plain(&perf, cases[i].line);
		if (strcmp(perf.output, cases[i].output))
			fail_msg("%s: %s", cases[i].line, perf.output);
		assert_int_equal(perf.many, cases[i].many);
		perf_command_free(&perf);
	}
}

static void its_options_go_through(void **state)
{
	struct perf_command perf;
	char text[512];

	(void)state;
	prepare_plain(&perf, "perf record -a -o x gcc -o a");
	join(perf.argv, text);
	assert_string_equal(text, "perf record -B -a -o x gcc -o a");
	perf_command_free(&perf);
}

/* Then perf would write there by itself; we stand in between. */
static void a_pipe_is_an_output(void **state)
{
	struct perf_command perf;
	char text[512];
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	prepare(&perf, "perf record true", fds[1]);
	join(perf.argv, text);
	close(fds[0]);
	close(fds[1]);
	assert_string_equal(text, "perf record -B -o - true");
	assert_string_equal(perf.output, "-");
	perf_command_free(&perf);
}

static void what_was_there_before_is_not_what_perf_wrote(void **state)
{
	char path[] = "/tmp/buildid-perf.XXXXXX";
	struct perf_command perf;
	char line[64];
	int fd;

	(void)state;
	fd = mkstemp(path);
	assert_true(fd >= 0);
	snprintf(line, sizeof(line), "perf record -o %s true", path);
	prepare_plain(&perf, line);
	assert_false(perf_command_wrote(&perf));
	assert_int_equal(unlink(path), 0);
	assert_false(perf_command_wrote(&perf));
	close(fd);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	assert_true(perf_command_wrote(&perf));
	close(fd);
	unlink(path);
	perf_command_free(&perf);
}

static int execute(const char *command, const char *argument)
{
	char line[128];

	snprintf(line, sizeof(line), "%s %s", command, argument);
	return system(line);
}

static void touch(const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fclose(file);
}

static void several_outputs_are_those_that_are_new(void **state)
{
	char directory[] = "/tmp/buildid-perf.XXXXXX";
	struct perf_command perf;
	char **paths;

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
	touch("data.2026010100000000");
	prepare_plain(&perf, "perf record --switch-output -o data true");
	assert_true(perf_command_outputs(&perf, &paths));
	assert_null(paths[0]);
	perf_command_free_outputs(paths);

	touch("data.2026010100000002");
	touch("data.2026010100000001");
	touch("data.buildid");
	touch("data.old");
	touch("data.2026010100000003x");
	touch("other.2026010100000001");
	assert_true(perf_command_outputs(&perf, &paths));
	assert_string_equal(paths[0], "data.2026010100000001");
	assert_string_equal(paths[1], "data.2026010100000002");
	assert_null(paths[2]);
	perf_command_free_outputs(paths);
	perf_command_free(&perf);

	/* With the directory that it is in. */
	prepare_plain(&perf, "perf record --switch-output -o ./new true");
	touch("new.2026010100000001");
	assert_true(perf_command_outputs(&perf, &paths));
	assert_string_equal(paths[0], "./new.2026010100000001");
	assert_null(paths[1]);
	perf_command_free_outputs(paths);
	perf_command_free(&perf);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(execute("rm -r", directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_record_is_known),
		cmocka_unit_test(the_output_is_found),
		cmocka_unit_test(its_options_go_through),
		cmocka_unit_test(a_pipe_is_an_output),
		cmocka_unit_test(several_outputs_are_those_that_are_new),
		cmocka_unit_test(what_was_there_before_is_not_what_perf_wrote),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
