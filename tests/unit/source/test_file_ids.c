// SPDX-License-Identifier: GPL-2.0
/* File ids: one for each version, in memory that users cannot make grow. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "source/file_ids.h"
#include "source/file_record.h"

static struct file_ids ids;

/* A ctime of 0 is that of a file that nobody could open. */
static uint64_t id_of(uint64_t ino, int64_t ctime, const char *path)
{
	const struct file_state state = { .major = 8, .minor = 1, .ino = ino, .ctime = ctime };
	uint64_t record[FILE_RECORD_WORDS];

	return file_ids_of(&ids, file_record_make(record, &state, path));
}

static void each_version_has_its_own(void **state)
{
	const uint64_t first = id_of(1, 5, "/a");

	(void)state;
	assert_int_equal(first, FILE_IDS_FIRST);
	assert_int_equal(id_of(1, 6, "/a"), first + 1);
	assert_int_equal(id_of(1, 5, "/b"), first);
	assert_int_equal(id_of(1, 0, "/a"), first + 2);
	assert_int_equal(id_of(1, 0, "/b"), first + 3);
	assert_int_equal(id_of(1, 0, "/a"), first + 2);
	file_ids_free(&ids);
}

static void paths_of_what_was_opened_take_no_memory(void **state)
{
	char path[4000];
	uint64_t ino;

	(void)state;
	memset(path, '/', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	ids = (struct file_ids){};
	for (ino = 0; ino < 1000; ino++)
		id_of(ino, 5, path);
	assert_in_range(ids.bytes, 1, 1000 * 256);
	file_ids_free(&ids);
}

static void they_are_forgotten_when_they_are_too_many(void **state)
{
	char path[4000];
	uint64_t ino, last = 0, id;
	size_t most = 0;

	(void)state;
	memset(path, '/', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	ids = (struct file_ids){};
	for (ino = 0; ino < 40000; ino++) {
		file_ids_bound(&ids);
		id = id_of(ino, 0, path);
		assert_true(id > last);
		last = id;
		most = ids.bytes > most ? ids.bytes : most;
	}
	assert_in_range(most, FILE_IDS_BYTES_MAX / 2, FILE_IDS_BYTES_MAX + sizeof(path) * 2);
	assert_int_equal(last, FILE_IDS_FIRST + 40000 - 1);
	/* Those that are still known keep theirs. */
	assert_int_equal(id_of(39999, 0, path), last);
	file_ids_free(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_version_has_its_own),
		cmocka_unit_test(paths_of_what_was_opened_take_no_memory),
		cmocka_unit_test(they_are_forgotten_when_they_are_too_many),
	};

	return cmocka_run_group_tests_name("file_ids", tests, NULL, NULL);
}
