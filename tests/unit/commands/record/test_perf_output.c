// SPDX-License-Identifier: GPL-2.0
/* Perf output: what was written since it was looked at. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "commands/record/perf_output.h"
#include "streams.h"

static char directory[32];

static int set_up(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/buildid-test.XXXXXX");
	return mkdtemp(directory) ? chdir(directory) : -1;
}

static int tear_down(void **state)
{
	char remove[64];

	(void)state;
	snprintf(remove, sizeof(remove), "rm -r %s", directory);
	return chdir("/") || system(remove);
}

static void touch(const char *path)
{
	FILE *file = fopen(path, "a");

	assert_non_null(file);
	fputc('x', file);
	fclose(file);
}

static void assert_written(const struct perf_output *output, const char *const *wanted)
{
	char **paths = perf_output_written(output);
	size_t i;

	assert_non_null(paths);
	for (i = 0; wanted[i]; i++) {
		assert_non_null(paths[i]);
		assert_string_equal(paths[i], wanted[i]);
	}
	assert_null(paths[i]);
	perf_output_free_paths(paths);
}

#define ASSERT_WRITTEN(output, ...) \
	assert_written(output, (const char *const[]){ __VA_ARGS__ __VA_OPT__(, ) NULL })

static void what_was_there_before_is_not_what_perf_wrote(void **state)
{
	struct perf_output output;

	(void)state;
	touch("data");
	assert_true(perf_output_look(&output, "data"));
	ASSERT_WRITTEN(&output);
	assert_int_equal(rename("data", "data.old"), 0);
	ASSERT_WRITTEN(&output);
	touch("data");
	ASSERT_WRITTEN(&output, "data");
	perf_output_free(&output);

	/* Written to as it is. */
	assert_true(perf_output_look(&output, "data"));
	touch("data");
	ASSERT_WRITTEN(&output, "data");
	perf_output_free(&output);
}

static void those_with_a_time_are_found(void **state)
{
	struct perf_output output;

	(void)state;
	touch("many.2026010100000000");
	assert_true(perf_output_look(&output, "many"));
	ASSERT_WRITTEN(&output);
	touch("many.2026010100000002");
	touch("many.2026010100000001");
	touch("many.buildid");
	touch("many.old");
	touch("many.2026010100000003x");
	touch("other.2026010100000001");
	ASSERT_WRITTEN(&output, "many.2026010100000001", "many.2026010100000002");
	touch("many");
	/* As perf does with --switch-max-files. */
	assert_int_equal(unlink("many.2026010100000000"), 0);
	assert_int_equal(unlink("many.2026010100000001"), 0);
	ASSERT_WRITTEN(&output, "many", "many.2026010100000002");
	perf_output_free(&output);
}

static void a_directory_goes_with_it(void **state)
{
	struct perf_output output;

	(void)state;
	assert_true(perf_output_look(&output, "./new/"));
	touch("new.2026010100000001");
	assert_int_equal(mkdir("new", 0755), 0);
	ASSERT_WRITTEN(&output, "./new", "./new.2026010100000001");
	perf_output_free(&output);

	assert_true(perf_output_look(&output, "nowhere/new"));
	ASSERT_WRITTEN(&output);
	perf_output_free(&output);
}

static void a_pipe_in_its_place_is_not_what_perf_wrote(void **state)
{
	struct perf_output output;

	(void)state;
	assert_true(perf_output_look(&output, "pipe"));
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(mkfifo("pipe.2026010100000001", 0600), 0);
	ASSERT_WRITTEN(&output);
	perf_output_free(&output);
}

static void without_a_look_the_time_counts(void **state)
{
	struct timespec since, old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	struct perf_output output;

	(void)state;
	clock_gettime(CLOCK_REALTIME_COARSE, &since);
	touch("late");
	touch("late.2026010100000000");
	assert_int_equal(utimensat(AT_FDCWD, "late", old, 0), 0);
	assert_int_equal(utimensat(AT_FDCWD, "late.2026010100000000", old, 0), 0);
	assert_true(perf_output_expect(&output, "late", since));
	ASSERT_WRITTEN(&output);
	touch("late");
	touch("late.2026010100000001");
	ASSERT_WRITTEN(&output, "late", "late.2026010100000001");
	perf_output_free(&output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_there_before_is_not_what_perf_wrote),
		cmocka_unit_test(those_with_a_time_are_found),
		cmocka_unit_test(a_directory_goes_with_it),
		cmocka_unit_test(a_pipe_in_its_place_is_not_what_perf_wrote),
		cmocka_unit_test(without_a_look_the_time_counts),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
