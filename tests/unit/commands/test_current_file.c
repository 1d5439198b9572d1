// SPDX-License-Identifier: GPL-2.0
/* Current file: what is kept of the places that were looked up. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/param.h>

#include <cmocka.h>

#include "commands/current_file.c"
#include "source/file_record.h"

#define PATHS 20000

static void places_take_no_more_memory_than_that(void **state)
{
	uint64_t record[FILE_RECORD_WORDS];
	const struct mapped_place mapped = { (uint32_t)getpid(), 0, (const void *)record };
	const struct file_state file = { .ino = 1, .ctime = 1 };
	const struct current_file *now;
	struct current_files *files;
	struct source *source;
	char path[4000];
	size_t most = 0;
	int i;

	(void)state;
	assert_int_equal(source_open(&source, SOURCE_PERF), 0);
	files = current_files_new(source);
	assert_non_null(files);
	assert_true(current_files_enter(files, mapped.pid));
	for (i = 0; i < PATHS; i++) {
		snprintf(path, sizeof(path), "%0*d", (int)sizeof(path) - 1, i);
		memset(path, '/', 3900);
		file_record_make(record, &file, path);
		assert_int_equal(current_files_find(files, &mapped, &now), CURRENT_GONE);
		most = MAX(files->bytes, most);
	}
	assert_in_range(most, PLACES_BYTES_MAX / 2, PLACES_BYTES_MAX + 2 * sizeof(path));
	/* The last one is known, and not looked up again. */
	assert_true(files->nr_places < PATHS / 2);
	i = (int)files->nr_places;
	assert_int_equal(current_files_find(files, &mapped, &now), CURRENT_GONE);
	assert_int_equal(files->nr_places, i);
	current_files_free(files);
	source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_take_no_more_memory_than_that),
	};

	return cmocka_run_group_tests_name("current_file", tests, NULL, NULL);
}
