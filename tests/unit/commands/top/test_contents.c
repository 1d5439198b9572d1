// SPDX-License-Identifier: GPL-2.0
/* Contents: what processes have, by events. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "commands/top/contents.h"
#include "streams.h"

static struct contents contents;

static int set_up(void **state)
{
	(void)state;
	return contents_init(&contents) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	contents_free(&contents);
	return 0;
}

static void take(const union any_record *record, const union any_record *file, uint32_t flags)
{
	const struct buildid_event event = {
		.size = sizeof(event),
		.flags = flags,
		.record = &record->header,
		.file = file ? &file->file : NULL,
	};

	assert_true(contents_take(&contents, &event));
}

static void map_as(uint32_t pid, uint64_t file_id, const char *path, uint16_t record_flags,
		   uint32_t file_flags)
{
	union any_record mmap, file;

	make_mmap(&mmap, file_id, BUILDID_STATE_KNOWN, pid);
	mmap.header.flags = record_flags;
	mmap.header.time_mono = 5;
	make_file(&file, file_id, 20, 0, path);
	file.file.flags = file_flags;
	take(&mmap, &file, 0);
}

static void map(uint32_t pid, uint64_t file_id, const char *path)
{
	map_as(pid, file_id, path, 0, 0);
}

static void task(uint16_t type, uint32_t pid, uint32_t parent)
{
	union any_record record;

	make_process(&record, type, pid, parent);
	take(&record, NULL, 0);
}

static uint64_t processes(size_t content)
{
	contents_tick(&contents, 1);
	return contents.all[content].processes;
}

static void a_process_counts_once(void **state)
{
	(void)state;
	map(7, 1, "/a");
	map(7, 1, "/a");
	map(8, 1, "/a");
	assert_int_equal(contents.count, 1);
	assert_int_equal(contents.all[0].mappings, 3);
	contents_tick(&contents, 2);
	assert_int_equal(contents.all[0].processes, 2);
	assert_true(contents.all[0].rate > 1.49 && contents.all[0].rate < 1.51);
	contents_tick(&contents, 2);
	assert_true(contents.all[0].rate < 0.01);
	assert_int_equal(contents_processes(&contents), 2);
}

static void one_content_under_two_paths_is_two(void **state)
{
	(void)state;
	map(7, 1, "/a");
	map(7, 2, "/b");
	assert_int_equal(contents.count, 2);
	assert_int_equal(processes(0), 1);
	assert_int_equal(processes(1), 1);
}

static void children_have_what_their_parent_has_until_they_exec_or_exit(void **state)
{
	(void)state;
	map(7, 1, "/a");
	task(BUILDID_RECORD_FORK, 8, 7);
	task(BUILDID_RECORD_FORK, 9, 8);
	task(BUILDID_RECORD_FORK, 11, 10); /* of one that has nothing */
	assert_int_equal(processes(0), 3);
	task(BUILDID_RECORD_EXEC, 8, 0);
	assert_int_equal(processes(0), 2);
	task(BUILDID_RECORD_EXIT, 9, 0);
	task(BUILDID_RECORD_EXIT, 12, 0);
	assert_int_equal(processes(0), 1);
	/* a number that comes again is another process */
	map(9, 2, "/b");
	assert_int_equal(processes(0), 1);
	assert_int_equal(processes(1), 1);
}

static void a_snapshot_says_what_was_unmapped(void **state)
{
	(void)state;
	map_as(7, 1, "/a", BUILDID_RECORD_SNAPSHOT, 0);
	assert_int_equal(processes(0), 0); /* not before a snapshot has begun */
	contents_snapshot_begin(&contents);
	map_as(7, 1, "/a", BUILDID_RECORD_SNAPSHOT, 0);
	map_as(7, 2, "/b", BUILDID_RECORD_SNAPSHOT, 0);
	contents_snapshot_end(&contents);
	assert_int_equal(processes(0), 1);
	assert_int_equal(contents.all[0].mappings, 0);

	contents_snapshot_begin(&contents);
	map_as(7, 2, "/b", BUILDID_RECORD_SNAPSHOT, BUILDID_FILE_DELETED);
	map(8, 1, "/a"); /* meanwhile */
	task(BUILDID_RECORD_FORK, 9, 8);
	assert_int_equal(processes(0), 3);
	contents_snapshot_end(&contents);
	assert_int_equal(processes(0), 2);
	assert_int_equal(processes(1), 1);
	assert_true(contents.all[1].is_deleted);
	assert_false(contents.all[0].is_deleted);
}

static void what_comes_after_the_first_snapshot_is_new(void **state)
{
	(void)state;
	contents_snapshot_begin(&contents);
	map(7, 1, "/a");
	map_as(8, 2, "/b", BUILDID_RECORD_SNAPSHOT, 0);
	contents_snapshot_end(&contents);
	map(8, 2, "/b");
	map(8, 3, "/c");
	assert_false(contents.all[0].is_new);
	assert_false(contents.all[1].is_new);
	assert_true(contents.all[2].is_new);
	assert_int_equal(contents.all[2].since, 5);
}

static void a_file_that_follows_is_waited_for(void **state)
{
	union any_record mmap, file;

	(void)state;
	make_mmap(&mmap, 4, BUILDID_STATE_FOLLOWS, 7);
	take(&mmap, NULL, BUILDID_EVENT_FILE_FOLLOWS);
	make_mmap(&mmap, 4, BUILDID_STATE_FOLLOWS, 8);
	take(&mmap, NULL, BUILDID_EVENT_FILE_FOLLOWS);
	assert_int_equal(contents.count, 0);
	make_file(&file, 4, 20, 0, "/late");
	take(&file, &file, 0);
	take(&file, &file, 0);
	assert_int_equal(contents.count, 1);
	assert_int_equal(processes(0), 2);
	assert_int_equal(contents.all[0].mappings, 2);
	assert_int_equal(contents.unidentified, 0);

	make_mmap(&mmap, 0, BUILDID_STATE_UNRESOLVED, 7);
	take(&mmap, NULL, 0);
	assert_int_equal(contents.unidentified, 1);
}

static void files_that_never_come_are_counted(void **state)
{
	union any_record mmap;
	int i;

	(void)state;
	for (i = 0; i < 5000; i++) {
		make_mmap(&mmap, 1000 + (uint64_t)i, BUILDID_STATE_FOLLOWS, 7);
		take(&mmap, NULL, BUILDID_EVENT_FILE_FOLLOWS);
	}
	assert_int_equal(contents.unidentified, 5000 - 4096);
}

/* As any user can make them. */
static void what_nobody_has_is_forgotten(void **state)
{
	char path[32];
	int i;

	(void)state;
	contents_snapshot_begin(&contents);
	contents_snapshot_end(&contents);
	map(7, 1, "/first");
	for (i = 0; i < CONTENTS_MAX + 10; i++) {
		snprintf(path, sizeof(path), "/f%d", i);
		map(8, 2, path);
	}
	assert_int_equal(contents.count, CONTENTS_MAX);
	assert_int_equal(contents.not_added, 11);
	map(7, 3, "/last");
	contents_snapshot_begin(&contents);
	map_as(7, 1, "/f16000", BUILDID_RECORD_SNAPSHOT, 0);
	map_as(7, 1, "/first", BUILDID_RECORD_SNAPSHOT, 0);
	contents_snapshot_end(&contents);
	assert_int_equal(contents.count, 2);
	assert_int_equal(contents.moves, 1);
	assert_int_equal(processes(0), 1);
	assert_string_equal(contents.all[0].path, "/first");
	assert_string_equal(contents.all[1].path, "/f16000");
	map(9, 1, "/first");
	map(9, 1, "/last");
	assert_int_equal(processes(0), 2);
	assert_int_equal(contents.count, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_process_counts_once),
		TEST(one_content_under_two_paths_is_two),
		TEST(children_have_what_their_parent_has_until_they_exec_or_exit),
		TEST(a_snapshot_says_what_was_unmapped),
		TEST(what_comes_after_the_first_snapshot_is_new),
		TEST(a_file_that_follows_is_waited_for),
		TEST(files_that_never_come_are_counted),
		TEST(what_nobody_has_is_forgotten),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
