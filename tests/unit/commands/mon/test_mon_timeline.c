// SPDX-License-Identifier: GPL-2.0
/* Mon timeline: what is late, what nothing is known of, and what finds no room. */

#include <string.h>

#include "commands/mon/mon_timeline.h"
#include "streams.h"

#define MAX 64

static struct mon_timeline *timeline;
static union any_record file;

static int begin(void **state)
{
	(void)state;
	timeline = mon_timeline_new(MAX);
	make_file(&file, 7, 20, 0, "/lib.so");
	return timeline ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	mon_timeline_free(timeline);
	return 0;
}

static void take(union any_record *record, uint64_t time, const struct buildid_file *its)
{
	const struct buildid_event event = { sizeof(event), 0, &record->header, its };

	record->header.time_mono = time;
	mon_timeline_take(timeline, &event, 5);
}

static void map(uint32_t pid, uint64_t time)
{
	union any_record record;

	make_mmap(&record, 7, 0, pid);
	take(&record, time, &file.file);
}

static void task(uint16_t type, uint32_t pid, uint32_t parent, uint64_t time)
{
	union any_record record;

	make_process(&record, type, pid, parent);
	take(&record, time, NULL);
}

static void assert_use(size_t index, uint32_t pid, uint64_t from, uint64_t until)
{
	assert_true(index < timeline->nr_uses);
	assert_int_equal(timeline->uses[index].pid, pid);
	assert_int_equal(timeline->uses[index].from, from);
	assert_int_equal(timeline->uses[index].until, until);
}

static void a_mapping_that_comes_after_the_exit_ends_with_it(void **state)
{
	(void)state;
	task(BUILDID_RECORD_EXEC, 4, 0, 100);
	task(BUILDID_RECORD_EXIT, 4, 0, 300);
	map(4, 200);
	mon_timeline_finish(timeline, 1000);
	assert_int_equal(timeline->nr_uses, 1);
	assert_use(0, 4, 200, 300);
}

static void a_mapping_that_comes_after_the_exec_ends_with_it(void **state)
{
	(void)state;
	task(BUILDID_RECORD_EXEC, 4, 0, 300);
	map(4, 200);
	map(4, 400);
	mon_timeline_finish(timeline, 1000);
	assert_int_equal(timeline->nr_uses, 2);
	assert_use(0, 4, 400, UINT64_MAX);
	assert_use(1, 4, 200, 300);
}

static void a_pid_that_is_used_again_ends_what_had_it(void **state)
{
	union any_record record;

	(void)state;
	map(4, 100);
	make_mmap(&record, 7, 0, 4);
	record.mmap.start_time++;
	take(&record, 200, &file.file);
	mon_timeline_finish(timeline, 1000);
	assert_int_equal(timeline->losses.unended, 1);
	assert_use(0, 4, 200, UINT64_MAX);
	assert_use(1, 4, 100, 200);
}

static void a_process_whose_start_is_not_known_is_the_one_there_is(void **state)
{
	union any_record record;

	(void)state;
	map(4, 100);
	make_mmap(&record, 7, 0, 4);
	record.mmap.start_time = 0;
	take(&record, 200, &file.file);
	mon_timeline_finish(timeline, 1000);
	assert_int_equal(timeline->nr_uses, 1);
}

static void what_is_not_known_is_counted(void **state)
{
	union any_record record;

	(void)state;
	make_mmap(&record, 0, BUILDID_STATE_UNRESOLVED, 4);
	take(&record, 100, NULL);
	record.mmap.prot = 0;
	take(&record, 200, &file.file);
	mon_timeline_finish(timeline, 1000);
	assert_int_equal(timeline->losses.unknown, 1);
	assert_int_equal(timeline->nr_uses, 0);
	assert_false(timeline->tasks);
}

static void what_finds_no_room_is_counted(void **state)
{
	uint32_t pid;

	(void)state;
	for (pid = 1; pid <= MAX + 10; pid++)
		map(pid, pid);
	mon_timeline_finish(timeline, 1000);
	assert_int_equal(timeline->nr_uses, MAX);
	assert_int_equal(timeline->losses.full, 10);
}

static void a_fork_for_which_there_is_no_room_costs_nothing(void **state)
{
	uint32_t n;

	(void)state;
	for (n = 1; n <= MAX / 2 + 1; n++) {
		file.file.file_id = n;
		file.file.file_size = n;
		map(4, n);
	}
	task(BUILDID_RECORD_FORK, 5, 4, 1000);
	assert_int_equal(timeline->nr_uses, MAX / 2 + 1);
	assert_int_equal(timeline->losses.full, MAX / 2 + 1);
}

static void what_a_process_maps_the_one_it_shares_memory_with_has_too(void **state)
{
	union any_record record;

	(void)state;
	task(BUILDID_RECORD_EXEC, 4, 0, 100);
	make_process(&record, BUILDID_RECORD_FORK, 5, 4);
	record.task.flags = BUILDID_TASK_SHARES_MM;
	take(&record, 200, NULL);
	map(5, 300);
	task(BUILDID_RECORD_EXIT, 5, 0, 400);
	mon_timeline_finish(timeline, 1000);
	assert_int_equal(timeline->nr_uses, 2);
	assert_use(0, 4, 300, UINT64_MAX);
	assert_use(1, 5, 300, 400);
}

static void a_deleted_file_was_there_before_the_one_that_is_not(void **state)
{
	union any_record record;

	(void)state;
	make_mmap(&record, 7, 0, 4);
	record.header.flags = BUILDID_RECORD_SNAPSHOT;
	take(&record, 100, &file.file);
	file.file.file_size++;
	file.file.flags = BUILDID_FILE_DELETED;
	make_mmap(&record, 8, 0, 5);
	record.header.flags = BUILDID_RECORD_SNAPSHOT;
	take(&record, 100, &file.file);
	mon_timeline_finish(timeline, 1000);
	assert_int_equal(timeline->nr_contents, 2);
	assert_int_equal(timeline->contents[0].replaced, UINT64_MAX);
	assert_int_equal(timeline->contents[1].replaced, 100);
	assert_int_equal(timeline->contents[1].replacement, 0);
}

static void a_clock_that_is_set_is_a_step(void **state)
{
	union any_record record;

	(void)state;
	map(4, 100);
	make_mmap(&record, 7, 0, 4);
	record.header.time_mono = 200;
	mon_timeline_take(timeline,
			  &(const struct buildid_event){ sizeof(struct buildid_event), 0,
							 &record.header, &file.file },
			  1000000000);
	mon_timeline_finish(timeline, 1000);
	assert_int_equal(timeline->nr_clocks, 2);
	assert_int_equal(timeline->clocks[1].time, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_mapping_that_comes_after_the_exit_ends_with_it,
						begin, end),
		cmocka_unit_test_setup_teardown(a_mapping_that_comes_after_the_exec_ends_with_it,
						begin, end),
		cmocka_unit_test_setup_teardown(a_pid_that_is_used_again_ends_what_had_it, begin,
						end),
		cmocka_unit_test_setup_teardown(
			a_process_whose_start_is_not_known_is_the_one_there_is, begin, end),
		cmocka_unit_test_setup_teardown(what_is_not_known_is_counted, begin, end),
		cmocka_unit_test_setup_teardown(what_finds_no_room_is_counted, begin, end),
		cmocka_unit_test_setup_teardown(a_fork_for_which_there_is_no_room_costs_nothing,
						begin, end),
		cmocka_unit_test_setup_teardown(
			what_a_process_maps_the_one_it_shares_memory_with_has_too, begin, end),
		cmocka_unit_test_setup_teardown(a_deleted_file_was_there_before_the_one_that_is_not,
						begin, end),
		cmocka_unit_test_setup_teardown(a_clock_that_is_set_is_a_step, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
