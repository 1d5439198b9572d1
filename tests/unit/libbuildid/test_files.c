// SPDX-License-Identifier: GPL-2.0
/* File table: joining, what is to follow, and bounds. */

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "common/array.h"
#include "streams.h"

#define FOLLOWS BUILDID_STATE_FOLLOWS

static struct buildid_files *files;
static const struct buildid_event *event;

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

static void set_options(uint32_t flags, size_t max_files, size_t max_following)
{
	struct buildid_files_options options = {
		.size = sizeof(options),
		.flags = flags,
		.max_files = max_files,
		.max_following = max_following,
	};

	buildid_files_free(files);
	assert_int_equal(buildid_files_new(&files, &options), 0);
}

static void join_file_of(uint32_t pid, uint64_t file_id, uint16_t id_len)
{
	union any_record record;

	make_file(&record, file_id, id_len, 0, "/f");
	record.file.pid = pid;
	record.file.tid = pid + 1;
	assert_int_equal(buildid_files_join(files, &record.header, &event), 0);
}

static void join_file(uint64_t file_id, uint16_t id_len)
{
	join_file_of(0, file_id, id_len);
}

/* As the event is that of @record. */
static void join_mmap(union any_record *record, uint64_t file_id, uint32_t state, uint32_t pid)
{
	make_mmap(record, file_id, state, pid);
	assert_int_equal(buildid_files_join(files, &record->header, &event), 0);
	assert_ptr_equal(event->record, record);
	assert_int_equal(event->size, sizeof(*event));
}

static void announce(uint64_t file_id, uint32_t pid)
{
	union any_record record;

	join_mmap(&record, file_id, FOLLOWS, pid);
	assert_int_equal(event->flags, BUILDID_EVENT_FILE_FOLLOWS);
}

static void a_mapping_is_joined_with_its_file(void **state)
{
	union any_record record;

	(void)state;
	join_file(1, 20);
	join_file(2, 8);
	join_mmap(&record, 2, 0, 10);
	assert_int_equal(event->file->id_len, 8);
	assert_int_equal(event->flags, 0);
	join_mmap(&record, 1, 0, 11);
	assert_int_equal(event->file->id_len, 20);
	assert_int_equal(buildid_files_following(files), 0);
}

static void a_file_is_an_event_of_its_own(void **state)
{
	union any_record record;

	(void)state;
	make_file(&record, 1, 20, 0, "/f");
	assert_int_equal(buildid_files_join(files, &record.header, &event), 0);
	assert_ptr_equal(event->record, &record);
	assert_ptr_equal(event->file, &record);
	assert_int_equal(event->flags, 0);
}

static void the_last_file_with_an_id_holds(void **state)
{
	union any_record record;

	(void)state;
	join_file(1, 20);
	join_file(1, 8);
	join_mmap(&record, 1, 0, 10);
	assert_int_equal(event->file->id_len, 8);
	/* A reply may be older. */
	join_file(1, 0);
	assert_int_equal(event->file->id_len, 0);
	join_mmap(&record, 1, 0, 10);
	assert_int_equal(event->file->id_len, 8);
}

static void a_mapping_says_that_its_file_follows(void **state)
{
	union any_record record;

	(void)state;
	join_mmap(&record, 1, FOLLOWS, 10);
	assert_null(event->file);
	assert_int_equal(event->flags, BUILDID_EVENT_FILE_FOLLOWS);
	assert_int_equal(buildid_files_following(files), 1);
	join_file(1, 20);
	assert_int_equal(buildid_files_following(files), 0);
	/* After a loss, or with a path of its own. */
	join_mmap(&record, 1, FOLLOWS, 10);
	assert_int_equal(event->file->id_len, 20);
	assert_int_equal(event->flags, BUILDID_EVENT_FILE_FOLLOWS);
	assert_int_equal(buildid_files_following(files), 1);
}

static void one_file_follows_for_all_that_map_it(void **state)
{
	(void)state;
	announce(1, 10);
	announce(1, 20);
	announce(2, 10);
	assert_int_equal(buildid_files_following(files), 2);
	join_file_of(30, 1, 20);
	assert_int_equal(buildid_files_following(files), 1);
	assert_int_equal(buildid_files_give_up(files), 2);
	assert_int_equal(buildid_files_give_up(files), 0);
}

static void with_paths_one_follows_for_each_thread(void **state)
{
	(void)state;
	set_options(BUILDID_SUB_PATH | BUILDID_SUB_DATA, 0, 0);
	announce(1, 10);
	announce(1, 20);
	announce(1, 20);
	announce(2, 10);
	assert_int_equal(buildid_files_following(files), 3);
	join_file_of(20, 1, 20);
	join_file_of(30, 2, 20);
	assert_int_equal(buildid_files_following(files), 2);
	join_file_of(10, 1, 20);
	join_file_of(10, 2, 20);
	assert_int_equal(buildid_files_following(files), 0);
}

static void the_oldest_is_given_up_first(void **state)
{
	(void)state;
	set_options(0, 0, 2);
	announce(1, 10);
	announce(2, 10);
	announce(3, 10);
	assert_int_equal(buildid_files_following(files), 2);
	assert_int_equal(buildid_files_give_up(files), 2);
	assert_int_equal(buildid_files_give_up(files), 3);
	assert_int_equal(buildid_files_give_up(files), 0);
	/* It may come all the same. */
	join_file(2, 20);
	assert_non_null(buildid_files_find(files, 2));
}

static void a_mapping_without_a_file_has_none(void **state)
{
	union any_record record;

	(void)state;
	/* As of a reply that is not stored. */
	join_file(0, 20);
	assert_int_equal(event->file->id_len, 20);
	join_mmap(&record, 0, BUILDID_STATE_UNRESOLVED, 10);
	assert_null(event->file);
	join_mmap(&record, 0, FOLLOWS, 10);
	assert_null(event->file);
	assert_int_equal(event->flags, 0);
	/* It was forgotten. */
	join_mmap(&record, 7, BUILDID_STATE_KNOWN, 10);
	assert_null(event->file);
	assert_int_equal(event->flags, 0);
}

static void other_records_come_through(void **state)
{
	union any_record record;

	(void)state;
	make_lost(&record, 5);
	assert_int_equal(buildid_files_join(files, &record.header, &event), 0);
	assert_ptr_equal(event->record, &record);
	assert_null(event->file);
}

static void a_malformed_record_is_refused(void **state)
{
	union any_record record;

	(void)state;
	make_file(&record, 1, 20, 0, "/f");
	record.file.id_len = 200;
	assert_int_equal(buildid_files_join(files, &record.header, &event), -EBADMSG);
	assert_null(event);
	assert_null(buildid_files_find(files, 1));
}

static void the_least_recently_used_file_is_forgotten(void **state)
{
	(void)state;
	set_options(0, 3, 0);
	join_file(1, 20);
	join_file(2, 20);
	join_file(3, 20);
	assert_non_null(buildid_files_find(files, 1));
	join_file(4, 20);
	assert_null(buildid_files_find(files, 2));
	assert_non_null(buildid_files_find(files, 1));
	assert_non_null(buildid_files_find(files, 3));
	assert_non_null(buildid_files_find(files, 4));
}

static void many_files_are_all_found(void **state)
{
	const uint64_t count = 20000, step = 0x100000001ULL;
	const struct buildid_file *file;
	uint64_t i;

	(void)state;
	for (i = 1; i <= count; i++) {
		announce(i * step, 10);
		join_file(i * step, (uint16_t)(1 + i % BUILDID_ID_MAX));
	}
	assert_int_equal(buildid_files_following(files), 0);
	for (i = 1; i <= count; i++) {
		file = buildid_files_find(files, i * step);
		assert_non_null(file);
		assert_int_equal(file->id_len, 1 + i % BUILDID_ID_MAX);
	}
}

static void options_of_other_versions_are_read_as_far_as_known(void **state)
{
	struct {
		struct buildid_files_options known;
		uint64_t more;
	} options = { .known.size = sizeof(options) };
	struct buildid_files *other;

	(void)state;
	assert_int_equal(buildid_files_new(&other, &options.known), 0);
	buildid_files_free(other);
	options.more = 1;
	assert_int_equal(buildid_files_new(&other, &options.known), -E2BIG);
	assert_null(other);
	options.known.size = 8;
	assert_int_equal(buildid_files_new(&other, &options.known), -EINVAL);
}

/* Random streams, against the same in arrays. */
static void what_follows_is_known_whatever_comes(void **state)
{
	bool expected[16][4] = {};
	uint32_t seed = 1, round;
	size_t count = 0, pid;

	(void)state;
	set_options(BUILDID_SUB_PATH, 8, 0);
	for (round = 0; round < 20000; round++) {
		uint64_t file_id;

		seed = seed * 1664525 + 1013904223;
		file_id = 1 + (seed >> 24) % 16;
		pid = seed >> 18 & 3;
		count -= expected[file_id - 1][pid];
		expected[file_id - 1][pid] = seed >> 20 & 1;
		count += expected[file_id - 1][pid];
		if (seed >> 20 & 1)
			announce(file_id, (uint32_t)pid);
		else
			join_file_of((uint32_t)pid, file_id, 20);
		assert_int_equal(buildid_files_following(files), count);
	}
}

static uint64_t cpu_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* The file_ids of a log are anybody's: these had one hash, up to its 20th bit. */
static void file_ids_may_be_chosen_by_an_enemy(void **state)
{
	const uint64_t factor = 0x9e3779b97f4a7c15ULL, begin = cpu_ms();
	uint64_t inverse = factor, hash;
	unsigned int i;

	(void)state;
	for (i = 0; i < 6; i++)
		inverse *= 2 - factor * inverse;
	for (i = 1; i <= 30000; i++) {
		hash = (uint64_t)i << 20;
		hash ^= hash >> 29 ^ hash >> 58;
		join_file(hash * inverse, 20);
	}
	assert_in_range(cpu_ms() - begin, 0, 1500);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_mapping_is_joined_with_its_file),
		TEST(a_file_is_an_event_of_its_own),
		TEST(the_last_file_with_an_id_holds),
		TEST(a_mapping_says_that_its_file_follows),
		TEST(one_file_follows_for_all_that_map_it),
		TEST(with_paths_one_follows_for_each_thread),
		TEST(the_oldest_is_given_up_first),
		TEST(a_mapping_without_a_file_has_none),
		TEST(other_records_come_through),
		TEST(a_malformed_record_is_refused),
		TEST(the_least_recently_used_file_is_forgotten),
		TEST(many_files_are_all_found),
		TEST(options_of_other_versions_are_read_as_far_as_known),
		TEST(what_follows_is_known_whatever_comes),
		TEST(file_ids_may_be_chosen_by_an_enemy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
