// SPDX-License-Identifier: GPL-2.0
/* Waiting: what waits for its file, for how long, and nothing else. */

#include <errno.h>

#include "commands/waiting.h"
#include "streams.h"

#define SECOND 1000000000ULL
/* The time_mono of the records of streams.c. */
#define NOW  1000
#define MOST 4096

static struct waiting *waiting;

static int set_up(void **state)
{
	(void)state;
	waiting = waiting_new(0);
	return waiting ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	waiting_free(waiting);
	return 0;
}

static void push_mmap(uint64_t file_id, uint32_t pid, uint64_t time)
{
	union any_record record;

	make_mmap(&record, file_id, BUILDID_STATE_FOLLOWS, pid);
	record.header.time_mono = time;
	assert_int_equal(waiting_push(waiting, &record.header), 0);
}

static union any_record file;

static void push_file(uint32_t pid, uint64_t file_id, uint16_t id_len)
{
	make_file(&file, file_id, id_len, 0, "/f");
	file.file.pid = pid;
	file.file.tid = pid + 1;
	assert_int_equal(waiting_push(waiting, &file.header), 0);
}

/* With its file of @id_len bytes, or 0 and in vain. */
static void assert_next(uint64_t now, uint32_t pid, uint16_t id_len)
{
	const struct buildid_event *event = waiting_next(waiting, now);

	assert_non_null(event);
	assert_int_equal(event->record->type, BUILDID_RECORD_MMAP);
	assert_int_equal(((const struct buildid_mmap *)event->record)->pid, pid);
	assert_int_equal(event->flags, id_len ? 0 : BUILDID_EVENT_FILE_FOLLOWS);
	assert_int_equal(event->file ? event->file->id_len : 0, id_len);
}

static void assert_none(uint64_t now)
{
	assert_null(waiting_next(waiting, now));
}

static void a_mapping_waits_for_its_file(void **state)
{
	(void)state;
	push_mmap(1, 10, NOW);
	push_mmap(2, 11, NOW);
	push_mmap(1, 12, NOW);
	assert_none(NOW);
	push_file(10, 1, 20);
	assert_next(NOW, 10, 20);
	assert_next(NOW, 12, 20);
	assert_none(NOW);
	push_file(11, 2, 8);
	assert_next(NOW, 11, 8);
	assert_none(NOW);
	assert_int_equal(waiting_timeout(waiting, NOW), -1);
}

static void other_records_do_not_wait(void **state)
{
	const struct buildid_event *event;
	union any_record record;

	(void)state;
	push_mmap(1, 10, NOW);
	make_lost(&record, 3);
	assert_int_equal(waiting_push(waiting, &record.header), 0);
	event = waiting_next(waiting, NOW);
	assert_ptr_equal(event->record, &record);
	assert_none(NOW);
	make_mmap(&record, 7, BUILDID_STATE_KNOWN, 11);
	assert_int_equal(waiting_push(waiting, &record.header), 0);
	event = waiting_next(waiting, NOW);
	assert_ptr_equal(event->record, &record);
	assert_none(NOW);
}

static void what_is_known_is_not_waited_for(void **state)
{
	const struct buildid_event *event;
	union any_record record;

	(void)state;
	push_file(10, 1, 20);
	make_mmap(&record, 1, BUILDID_STATE_FOLLOWS, 11);
	assert_int_equal(waiting_push(waiting, &record.header), 0);
	event = waiting_next(waiting, NOW);
	assert_int_equal(event->file->id_len, 20);
}

static void but_for_the_path_of_a_process(void **state)
{
	(void)state;
	waiting_free(waiting);
	waiting = waiting_new(BUILDID_SUB_PATH);
	push_file(10, 1, 20);
	push_mmap(1, 11, NOW);
	push_mmap(1, 12, NOW);
	assert_none(NOW);
	push_file(12, 1, 20);
	assert_next(NOW, 12, 20);
	push_file(10, 1, 20);
	assert_none(NOW);
	push_file(11, 1, 20);
	assert_next(NOW, 11, 20);
}

static void a_wait_ends_after_its_time(void **state)
{
	(void)state;
	push_mmap(1, 10, NOW);
	push_mmap(2, 11, NOW + SECOND / 2);
	assert_none(NOW + SECOND - 1);
	assert_int_equal(waiting_timeout(waiting, NOW + SECOND - 1), 1);
	assert_int_equal(waiting_timeout(waiting, 0), 1000);
	assert_next(NOW + SECOND, 10, 0);
	assert_none(NOW + SECOND);
	assert_int_equal(waiting_timeout(waiting, NOW + SECOND), 500);
	assert_next(WAITING_END, 11, 0);
	assert_none(WAITING_END);
	/* Too late: it was given up. */
	push_file(10, 1, 20);
	assert_none(WAITING_END);
}

static void too_many_end_the_wait_of_the_first(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < MOST + 2; i++)
		push_mmap(i + 1, i, NOW);
	assert_next(NOW, 0, 0);
	assert_next(NOW, 1, 0);
	assert_none(NOW);
}

/* In a ring there is another record where it was. */
static void a_file_that_has_come_is_not_looked_at_again(void **state)
{
	(void)state;
	push_mmap(1, 10, NOW);
	push_file(10, 2, 20);
	assert_none(NOW);
	file.file.file_id = 1;
	assert_none(NOW);
}

static void a_malformed_record_is_refused(void **state)
{
	union any_record record;

	(void)state;
	make_file(&record, 1, 20, 0, "/f");
	record.file.id_len = 200;
	assert_int_equal(waiting_push(waiting, &record.header), -EBADMSG);
	assert_none(NOW);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_mapping_waits_for_its_file),
		TEST(other_records_do_not_wait),
		TEST(what_is_known_is_not_waited_for),
		TEST(but_for_the_path_of_a_process),
		TEST(a_wait_ends_after_its_time),
		TEST(too_many_end_the_wait_of_the_first),
		TEST(a_file_that_has_come_is_not_looked_at_again),
		TEST(a_malformed_record_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
