// SPDX-License-Identifier: GPL-2.0
/* File table: joining, order, and bounds. */

#include <errno.h>
#include <string.h>

#include "common/array.h"
#include "streams.h"

#define PENDING BUILDID_REASON_PENDING
#define SECOND	1000000000ULL
/* The time_mono of the records of streams.c. */
#define NOW 1000

static struct buildid_files *files;

static int set_up(void **state)
{
	(void)state;
	return buildid_files_new(&files, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	buildid_files_free(files);
	return 0;
}

static void set_bounds(size_t max_files, size_t max_waiting, uint64_t max_wait)
{
	struct buildid_files_options options = {
		.size = sizeof(options),
		.max_files = max_files,
		.max_waiting = max_waiting,
		.max_wait = max_wait,
	};

	buildid_files_free(files);
	assert_int_equal(buildid_files_new(&files, &options), 0);
}

static void push_file(uint64_t file_id, uint16_t id_len, uint16_t reason)
{
	union any_record record;

	make_file(&record, file_id, id_len, reason, "/f");
	assert_int_equal(buildid_files_push(files, &record.header), 0);
}

/* The record has to stay where it is until it is delivered. */
static int push_mmap(union any_record *record, uint64_t file_id, uint32_t state, uint32_t pid)
{
	make_mmap(record, file_id, state, pid, "");
	return buildid_files_push(files, &record->header);
}

static void assert_next(uint64_t now, uint32_t pid, uint16_t id_len)
{
	const struct buildid_event *event;

	event = buildid_files_next(files, now);
	assert_non_null(event);
	assert_int_equal(event->record->type, BUILDID_RECORD_MMAP);
	assert_int_equal(((const struct buildid_mmap *)event->record)->pid, pid);
	assert_non_null(event->file);
	assert_int_equal(event->file->id_len, id_len);
}

static void assert_none(uint64_t now)
{
	assert_null(buildid_files_next(files, now));
}

static void a_mapping_is_joined_with_its_file(void **state)
{
	union any_record record;

	(void)state;
	push_file(1, 20, 0);
	push_file(2, 8, 0);
	assert_none(NOW);
	assert_int_equal(push_mmap(&record, 2, 0, 10), 0);
	assert_next(NOW, 10, 8);
	assert_int_equal(push_mmap(&record, 1, 0, 11), 0);
	assert_next(NOW, 11, 20);
	assert_none(NOW);
	assert_int_equal(buildid_files_timeout(files, NOW), -1);
}

static void a_mapping_that_need_not_wait_is_not_copied(void **state)
{
	const struct buildid_event *event;
	union any_record record;

	(void)state;
	push_file(1, 20, 0);
	push_mmap(&record, 1, 0, 10);
	event = buildid_files_next(files, NOW);
	assert_non_null(event);
	assert_ptr_equal(event->record, &record);
}

static void the_last_file_with_an_id_holds(void **state)
{
	union any_record record;

	(void)state;
	push_file(1, 20, 0);
	push_file(1, 8, 0);
	push_mmap(&record, 1, 0, 10);
	assert_next(NOW, 10, 8);
}

static void a_pending_mapping_waits_for_its_file(void **state)
{
	union any_record record;

	(void)state;
	push_file(1, 0, PENDING);
	push_mmap(&record, 1, BUILDID_STATE_PENDING, 10);
	memset(&record, 0xff, sizeof(record));
	assert_none(NOW);
	assert_int_equal(buildid_files_pending(files), 1);
	/* As a snapshot has it, too. */
	push_file(1, 0, PENDING);
	assert_int_equal(buildid_files_pending(files), 1);
	assert_int_equal(buildid_files_timeout(files, NOW), 1000);
	push_file(1, 20, 0);
	assert_int_equal(buildid_files_pending(files), 0);
	assert_next(NOW, 10, 20);
	assert_none(NOW);
}

static void what_follows_waits_too(void **state)
{
	const struct buildid_event *event;
	union any_record first, second, lost;

	(void)state;
	push_file(1, 0, PENDING);
	push_file(2, 8, 0);
	push_mmap(&first, 1, BUILDID_STATE_PENDING, 10);
	push_mmap(&second, 2, 0, 11);
	make_lost(&lost, 5);
	assert_int_equal(buildid_files_push(files, &lost.header), 0);
	assert_none(NOW);

	push_file(1, 20, 0);
	assert_next(NOW, 10, 20);
	assert_next(NOW, 11, 8);
	event = buildid_files_next(files, NOW);
	assert_non_null(event);
	assert_int_equal(event->record->type, BUILDID_RECORD_LOST);
	assert_null(event->file);
	assert_none(NOW);
}

static void a_path_that_was_known_stays_known(void **state)
{
	const struct buildid_file *found;
	union any_record record;
	size_t size;

	(void)state;
	make_file(&record, 7, 0, BUILDID_REASON_PENDING, "/usr/lib/a.so");
	assert_int_equal(buildid_files_push(files, &record.header), 0);
	make_file(&record, 7, 20, 0, "");
	record.file.flags = BUILDID_FILE_NO_PATH | BUILDID_FILE_UNSTABLE;
	assert_int_equal(buildid_files_push(files, &record.header), 0);
	found = buildid_files_find(files, 7);
	assert_non_null(found);
	assert_int_equal(buildid_record_check(found, found->header.size), 0);
	assert_string_equal(buildid_file_path(found), "/usr/lib/a.so");
	assert_non_null(buildid_file_id_bytes(found, &size));
	assert_int_equal(size, 20);
	assert_int_equal(found->flags, BUILDID_FILE_UNSTABLE);

	/* A path of its own replaces it. */
	make_file(&record, 7, 20, 0, "/b");
	assert_int_equal(buildid_files_push(files, &record.header), 0);
	assert_string_equal(buildid_file_path(buildid_files_find(files, 7)), "/b");
}

static void two_pending_files_keep_the_order(void **state)
{
	union any_record record;

	(void)state;
	push_file(1, 0, PENDING);
	push_file(2, 0, PENDING);
	push_mmap(&record, 1, BUILDID_STATE_PENDING, 10);
	push_mmap(&record, 2, BUILDID_STATE_PENDING, 11);
	push_file(2, 8, 0);
	assert_none(NOW);
	push_file(1, 20, 0);
	assert_next(NOW, 10, 20);
	assert_next(NOW, 11, 8);
}

static void a_file_without_an_id_ends_the_wait(void **state)
{
	union any_record record;

	(void)state;
	push_file(1, 0, PENDING);
	push_mmap(&record, 1, BUILDID_STATE_PENDING, 10);
	push_file(1, 0, BUILDID_REASON_NO_NOTE);
	assert_next(NOW, 10, 0);
}

static void a_mapping_may_come_before_any_file(void **state)
{
	union any_record record;

	(void)state;
	push_mmap(&record, 1, BUILDID_STATE_PENDING, 10);
	assert_none(NOW);
	push_file(1, 0, PENDING);
	assert_none(NOW);
	push_file(1, 20, 0);
	assert_next(NOW, 10, 20);
}

static void a_wait_ends_after_its_time(void **state)
{
	union any_record record;

	(void)state;
	push_file(1, 0, PENDING);
	push_mmap(&record, 1, BUILDID_STATE_PENDING, 10);
	assert_none(NOW + SECOND - 1);
	assert_int_equal(buildid_files_timeout(files, NOW + SECOND - 1), 1);
	assert_int_equal(buildid_files_timeout(files, NOW + SECOND), 0);
	assert_next(NOW + SECOND, 10, 0);
	assert_int_equal(buildid_files_timeout(files, NOW), -1);
}

static void each_wait_has_its_own_time(void **state)
{
	union any_record record;

	(void)state;
	push_file(1, 0, PENDING);
	push_mmap(&record, 1, BUILDID_STATE_PENDING, 10);
	make_mmap(&record, 1, BUILDID_STATE_PENDING, 11, "");
	record.header.time_mono += SECOND / 2;
	assert_int_equal(buildid_files_push(files, &record.header), 0);
	assert_next(NOW + SECOND, 10, 0);
	assert_none(NOW + SECOND);
	assert_int_equal(buildid_files_timeout(files, NOW + SECOND), 500);
	assert_next(NOW + SECOND + SECOND / 2, 11, 0);
}

static void a_clock_that_is_behind_does_not_prolong_a_wait(void **state)
{
	union any_record record;

	(void)state;
	push_file(1, 0, PENDING);
	push_mmap(&record, 1, BUILDID_STATE_PENDING, 10);
	assert_none(0);
	assert_int_equal(buildid_files_timeout(files, 0), 1000);
}

static void too_many_waits_end_the_oldest(void **state)
{
	union any_record record;

	(void)state;
	set_bounds(0, 2, 0);
	push_file(1, 0, PENDING);
	push_mmap(&record, 1, BUILDID_STATE_PENDING, 10);
	push_mmap(&record, 1, BUILDID_STATE_PENDING, 11);
	assert_none(NOW);
	push_mmap(&record, 1, BUILDID_STATE_PENDING, 12);
	assert_next(NOW, 10, 0);
	assert_none(NOW);
}

static void nothing_is_held_back_at_the_end(void **state)
{
	union any_record record;

	(void)state;
	push_file(1, 0, PENDING);
	push_mmap(&record, 1, BUILDID_STATE_PENDING, 10);
	make_mmap(&record, 1, BUILDID_STATE_PENDING, 11, "");
	record.header.time_mono = UINT64_MAX;
	assert_int_equal(buildid_files_push(files, &record.header), 0);
	assert_next(BUILDID_FILES_ALL, 10, 0);
	assert_next(BUILDID_FILES_ALL, 11, 0);
	assert_none(BUILDID_FILES_ALL);
}

static void a_mapping_without_a_file_does_not_wait(void **state)
{
	static const uint32_t states[] = {
		BUILDID_STATE_KNOWN,
		BUILDID_STATE_DEFERRED,
		BUILDID_STATE_UNRESOLVED,
	};
	const struct buildid_event *event;
	union any_record record;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		push_mmap(&record, i ? 0 : 7, states[i], 10);
		event = buildid_files_next(files, NOW);
		assert_non_null(event);
		assert_null(event->file);
	}
}

static void what_is_known_stays_known(void **state)
{
	union any_record record;

	(void)state;
	push_file(1, 20, 0);
	push_file(1, 0, PENDING);
	assert_int_equal(buildid_files_pending(files), 0);
	push_mmap(&record, 1, BUILDID_STATE_PENDING, 10);
	assert_next(NOW, 10, 20);
}

static void an_event_that_was_not_delivered_is_not_lost(void **state)
{
	union any_record record, other;

	(void)state;
	push_file(1, 20, 0);
	assert_int_equal(push_mmap(&record, 1, 0, 10), 0);
	assert_int_equal(push_mmap(&other, 1, 0, 11), -EBUSY);
	assert_next(NOW, 10, 20);
	assert_int_equal(push_mmap(&other, 1, 0, 11), 0);
	assert_next(NOW, 11, 20);
}

static void a_malformed_record_is_refused(void **state)
{
	union any_record record;

	(void)state;
	make_file(&record, 1, 20, 0, "/f");
	record.file.id_len = 200;
	assert_int_equal(buildid_files_push(files, &record.header), -EBADMSG);
	assert_null(buildid_files_find(files, 1));
}

static void the_least_recently_used_file_is_forgotten(void **state)
{
	(void)state;
	set_bounds(3, 0, 0);
	push_file(1, 20, 0);
	push_file(2, 20, 0);
	push_file(3, 20, 0);
	assert_non_null(buildid_files_find(files, 1));
	push_file(4, 20, 0);
	assert_null(buildid_files_find(files, 2));
	assert_non_null(buildid_files_find(files, 1));
	assert_non_null(buildid_files_find(files, 3));
	assert_non_null(buildid_files_find(files, 4));
}

static void a_file_waited_for_is_not_forgotten(void **state)
{
	union any_record record;
	uint64_t file_id;

	(void)state;
	set_bounds(2, 0, 0);
	push_file(1, 0, PENDING);
	push_mmap(&record, 1, BUILDID_STATE_PENDING, 10);
	for (file_id = 2; file_id < 10; file_id++)
		push_file(file_id, 20, 0);
	push_file(1, 8, 0);
	assert_next(NOW, 10, 8);
	push_file(10, 20, 0);
	push_file(11, 20, 0);
	assert_null(buildid_files_find(files, 1));
}

static void many_files_are_all_found(void **state)
{
	const uint64_t count = 20000, step = 0x100000001ULL;
	const struct buildid_file *file;
	uint64_t i;

	(void)state;
	for (i = 1; i <= count; i++)
		push_file(i * step, (uint16_t)(1 + i % BUILDID_ID_MAX), 0);
	for (i = 1; i <= count; i++) {
		file = buildid_files_find(files, i * step);
		assert_non_null(file);
		assert_int_equal(file->id_len, 1 + i % BUILDID_ID_MAX);
	}
}

static void pending_files_that_are_forgotten_do_not_count(void **state)
{
	(void)state;
	set_bounds(1, 0, 0);
	push_file(1, 0, PENDING);
	push_file(2, 20, 0);
	assert_int_equal(buildid_files_pending(files), 0);
}

/* Random streams: nothing is lost or reordered. */
static void order_is_kept_whatever_comes(void **state)
{
	uint32_t seed = 1, sent = 0, got = 0, round;
	const struct buildid_event *event;
	union any_record record;

	(void)state;
	set_bounds(8, 5, 0);
	for (round = 0; round < 20000; round++) {
		uint64_t file_id;

		seed = seed * 1664525 + 1013904223;
		file_id = 1 + (seed >> 24) % 16;
		switch (seed >> 20 & 3) {
		case 0:
			push_file(file_id, 0, PENDING);
			break;
		case 1:
			push_file(file_id, 20, 0);
			break;
		default:
			assert_int_equal(push_mmap(&record, file_id, seed >> 19 & 1, ++sent), 0);
		}
		while ((event = buildid_files_next(files, NOW)))
			assert_int_equal(((const struct buildid_mmap *)event->record)->pid, ++got);
		assert_true(sent - got <= 5);
	}
	while ((event = buildid_files_next(files, BUILDID_FILES_ALL)))
		got++;
	assert_int_equal(got, sent);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_mapping_is_joined_with_its_file),
		TEST(a_mapping_that_need_not_wait_is_not_copied),
		TEST(the_last_file_with_an_id_holds),
		TEST(a_pending_mapping_waits_for_its_file),
		TEST(what_follows_waits_too),
		TEST(a_path_that_was_known_stays_known),
		TEST(two_pending_files_keep_the_order),
		TEST(a_file_without_an_id_ends_the_wait),
		TEST(a_mapping_may_come_before_any_file),
		TEST(a_wait_ends_after_its_time),
		TEST(each_wait_has_its_own_time),
		TEST(a_clock_that_is_behind_does_not_prolong_a_wait),
		TEST(too_many_waits_end_the_oldest),
		TEST(nothing_is_held_back_at_the_end),
		TEST(a_mapping_without_a_file_does_not_wait),
		TEST(what_is_known_stays_known),
		TEST(an_event_that_was_not_delivered_is_not_lost),
		TEST(a_malformed_record_is_refused),
		TEST(the_least_recently_used_file_is_forgotten),
		TEST(a_file_waited_for_is_not_forgotten),
		TEST(many_files_are_all_found),
		TEST(pending_files_that_are_forgotten_do_not_count),
		TEST(order_is_kept_whatever_comes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
