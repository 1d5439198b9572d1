// SPDX-License-Identifier: GPL-2.0
/* Recorder: ring and snapshot, merged and joined; and what it allocates. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "fake_module.h"
#include "memory.h"

/* ---------------------------------------------------------------- clock -- */

/* Called once, after the clock was read. */
static void (*after_clock)(void);

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	int err = __real_clock_gettime(clock, time);
	void (*call)(void) = after_clock;

	after_clock = NULL;
	if (call)
		call();
	return err;
}

/* -------------------------------------------------------------- fixture -- */

static struct buildid_recorder *recorder;
static const struct buildid_event *event;

static const uint32_t pids[] = { 1, 2 };

#define FOLLOWS BUILDID_STATE_FOLLOWS
/* Nanoseconds: longer than any file is waited for, and not as long. */
#define LONG_WAIT  600000000000
#define SHORT_WAIT 20000000

static int set_up(void **state)
{
	recorder = NULL;
	memory_left = SIZE_MAX;
	return fake_reset(state);
}

static int tear_down(void **state)
{
	(void)state;
	memory_left = SIZE_MAX;
	buildid_recorder_free(recorder);
	return 0;
}

static void start(uint32_t flags)
{
	const struct buildid_options subscribe = {
		.size = sizeof(subscribe),
		.nr_pids = 2,
		.pids = pids,
	};
	const struct buildid_files_options files = {
		.size = sizeof(files),
		.max_files = 64,
	};
	const struct buildid_recorder_options options = {
		.size = sizeof(options),
		.flags = flags,
		.subscribe = &subscribe,
		.files = &files,
	};

	assert_int_equal(buildid_recorder_new(&recorder, &options), 0);
}

static void put_file_of(uint32_t pid, uint64_t file_id, int64_t age)
{
	union any_record record;

	make_file(&record, file_id, 20, 0, "/f");
	record.file.pid = pid;
	record.file.tid = pid + 1;
	record.header.time_mono = clock_ns(CLOCK_MONOTONIC) - (uint64_t)age;
	assert_true(fake_put(&record));
}

static void put_file(uint64_t file_id)
{
	put_file_of(0, file_id, 0);
}

static void make_mapping(union any_record *record, uint64_t file_id, uint32_t state, uint32_t pid,
			 uint64_t addr)
{
	make_mmap(record, file_id, state, pid);
	record->mmap.addr = addr;
	record->header.time_mono = clock_ns(CLOCK_MONOTONIC);
}

static void put_mapping(uint64_t file_id, uint32_t state, uint32_t pid, uint64_t addr)
{
	union any_record record;

	make_mapping(&record, file_id, state, pid, addr);
	assert_true(fake_put(&record));
}

static void add_mapping(struct buildid_maps *request, uint64_t file_id, uint64_t addr)
{
	union any_record record;

	make_file(&record, file_id, 20, 0, "/f");
	fake_add_map(request, &record);
	make_mapping(&record, file_id, 0, request->pid, addr);
	fake_add_map(request, &record);
}

static void assert_file(uint64_t file_id)
{
	assert_int_equal(buildid_recorder_next(recorder, 0, &event), 0);
	assert_int_equal(event->record->type, BUILDID_RECORD_FILE);
	assert_ptr_equal(event->record, event->file);
	assert_int_equal(event->file->file_id, file_id);
}

/* The files before it come, too. */
static const struct buildid_mmap *next_mapping(int timeout_ms)
{
	do
		assert_int_equal(buildid_recorder_next(recorder, timeout_ms, &event), 0);
	while (event->record->type == BUILDID_RECORD_FILE);
	assert_int_equal(event->record->type, BUILDID_RECORD_MMAP);
	return (const void *)event->record;
}

static void assert_mapping(uint32_t pid, uint64_t addr, uint16_t record_flags, uint32_t event_flags)
{
	const struct buildid_mmap *mmap = next_mapping(0);

	assert_int_equal(mmap->pid, pid);
	assert_int_equal(mmap->addr, addr);
	assert_int_equal(mmap->header.flags, record_flags);
	assert_int_equal(event->flags, event_flags);
}

static void assert_error(int timeout_ms, int error)
{
	assert_int_equal(buildid_recorder_next(recorder, timeout_ms, &event), error);
}

/* --------------------------------------------------------------- stream -- */

static void events_are_joined(void **state)
{
	(void)state;
	start(0);
	put_file(1);
	put_mapping(1, 0, 7, 0x1000);
	put_mapping(0, BUILDID_STATE_UNRESOLVED, 7, 0x2000);
	assert_mapping(7, 0x1000, 0, 0);
	assert_non_null(event->file);
	assert_int_equal(event->file->file_id, 1);
	assert_mapping(7, 0x2000, 0, 0);
	assert_null(event->file);
	assert_error(0, -EAGAIN);
	assert_int_equal(buildid_recorder_timeout(recorder), -1);
	assert_int_equal(fake.subscribed.nr_pids, 2);
}

static void nothing_waits_for_a_file(void **state)
{
	(void)state;
	start(0);
	put_mapping(1, FOLLOWS, 1, 0x1000);
	put_mapping(0, BUILDID_STATE_UNRESOLVED, 1, 0x2000);
	assert_mapping(1, 0x1000, 0, BUILDID_EVENT_FILE_FOLLOWS);
	assert_null(event->file);
	assert_mapping(1, 0x2000, 0, 0);
	assert_error(0, -EAGAIN);
	assert_int_equal(buildid_recorder_timeout(recorder), -1);
	put_file(1);
	assert_file(1);
	put_mapping(1, 0, 1, 0x3000);
	assert_mapping(1, 0x3000, 0, 0);
	assert_int_equal(event->file->id_len, 20);
}

/* @age: nanoseconds that are subtracted from the time. */
static void put_old_mapping(uint64_t file_id, uint32_t state, uint64_t addr, int64_t age)
{
	union any_record record;

	make_mapping(&record, file_id, state, 1, addr);
	record.header.time_mono -= (uint64_t)age;
	assert_true(fake_put(&record));
}

static void put_one(void)
{
	fake.on_poll = NULL;
	put_mapping(0, BUILDID_STATE_UNRESOLVED, 1, 0x1000);
}

static void an_event_ends_a_wait(void **state)
{
	(void)state;
	start(0);
	fake.on_poll = put_one;
	assert_int_equal(next_mapping(-1)->addr, 0x1000);
	fake.on_poll = put_one;
	assert_int_equal(next_mapping(10000)->addr, 0x1000);
}

static void a_signal_ends_a_wait(void **state)
{
	(void)state;
	start(0);
	fake.poll_error = EINTR;
	assert_error(-1, -EINTR);
}

static void other_records_come_through(void **state)
{
	union any_record record;

	(void)state;
	start(0);
	make_lost(&record, 3);
	fake_put(&record);
	make_image(&record, BUILDID_RECORD_KERNEL, 20, "6.1");
	fake_put(&record);
	assert_int_equal(buildid_recorder_next(recorder, 0, &event), 0);
	assert_int_equal(event->record->type, BUILDID_RECORD_LOST);
	assert_int_equal(buildid_recorder_next(recorder, 0, &event), 0);
	assert_int_equal(event->record->type, BUILDID_RECORD_KERNEL);
	assert_null(event->file);
	assert_int_equal(event->size, sizeof(*event));
}

/* ------------------------------------------------------------- snapshot -- */

/* Each process maps 0x1000 just before its mappings are listed. */
static int maps_during_the_snapshot(struct buildid_maps *request)
{
	put_file(5);
	put_mapping(5, 0, request->pid, 0x1000);
	add_mapping(request, 5, 0x1000);
	add_mapping(request, 6, 0x2000);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void what_came_from_the_ring_is_marked_in_the_snapshot(void **state)
{
	uint32_t pid;

	(void)state;
	fake.maps = maps_during_the_snapshot;
	start(BUILDID_RECORDER_SNAPSHOT);
	assert_true(buildid_recorder_snapshotting(recorder));
	assert_int_equal(buildid_recorder_timeout(recorder), 0);
	for (pid = 1; pid <= 2; pid++) {
		/* From the ring first, then from the snapshot. */
		assert_mapping(pid, 0x1000, 0, 0);
		assert_mapping(pid, 0x1000, BUILDID_RECORD_SNAPSHOT, BUILDID_EVENT_DUPLICATE);
		assert_mapping(pid, 0x2000, BUILDID_RECORD_SNAPSHOT, 0);
		assert_int_equal(event->file->file_id, 6);
	}
	assert_error(0, -EAGAIN);
	assert_false(buildid_recorder_snapshotting(recorder));
	assert_int_equal(buildid_recorder_timeout(recorder), -1);
}

static int maps_something_else(struct buildid_maps *request)
{
	if (request->pid == 1) {
		/* Of another process, at another address, of another file. */
		put_mapping(5, 0, 2, 0x1000);
		put_mapping(5, 0, 1, 0x2000);
		put_mapping(6, 0, 1, 0x1000);
		add_mapping(request, 5, 0x1000);
	}
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void similar_mappings_are_no_duplicates(void **state)
{
	(void)state;
	put_file(5);
	put_file(6);
	fake.maps = maps_something_else;
	start(BUILDID_RECORDER_SNAPSHOT);
	assert_mapping(2, 0x1000, 0, 0);
	assert_mapping(1, 0x2000, 0, 0);
	assert_mapping(1, 0x1000, 0, 0);
	assert_mapping(1, 0x1000, BUILDID_RECORD_SNAPSHOT, 0);
}

static int is_written_during_the_snapshot(struct buildid_maps *request)
{
	union any_record record;

	if (request->pid == 1) {
		put_file(5);
		make_mapping(&record, 5, 0, 1, 0x1000);
		assert_true(fake_put_busy(&record));
		add_mapping(request, 5, 0x1000);
	}
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void an_event_that_is_being_written_is_waited_for(void **state)
{
	(void)state;
	fake.maps = is_written_during_the_snapshot;
	start(BUILDID_RECORDER_SNAPSHOT);
	assert_file(5);
	assert_error(0, -EAGAIN);
	fake.on_wait = fake_commit;
	assert_mapping(1, 0x1000, 0, 0);
	assert_mapping(1, 0x1000, BUILDID_RECORD_SNAPSHOT, BUILDID_EVENT_DUPLICATE);
}

static int makes_events_all_the_time(struct buildid_maps *request)
{
	static uint64_t addr;
	int i;

	put_file(5);
	for (i = 0; i < 300; i++)
		put_mapping(5, 0, 9, addr += 0x1000);
	add_mapping(request, 5, request->cursor);
	request->cursor += 0x1000;
	if (request->cursor == 0x100000)
		request->cursor = BUILDID_MAPS_END;
	return 0;
}

/* 512 times half of the ring, and none is lost. */
static void the_ring_is_read_while_a_snapshot_is_taken(void **state)
{
	size_t events = 0, shown = 0;
	int err;

	(void)state;
	fake.maps = makes_events_all_the_time;
	start(BUILDID_RECORDER_SNAPSHOT);
	while (!(err = buildid_recorder_next(recorder, 0, &event))) {
		if (event->record->type == BUILDID_RECORD_FILE)
			continue;
		if (event->record->flags & BUILDID_RECORD_SNAPSHOT)
			shown++;
		else
			events++;
	}
	assert_int_equal(err, -EAGAIN);
	assert_int_equal(events, 2 * 256 * 300);
	assert_int_equal(shown, 2 * 256);
}

static int has_a_cookie(struct buildid_maps *request)
{
	union any_record record;

	if (request->pid == 1) {
		add_mapping(request, 1, 0x1000);
		make_cookie(&record, 1, 8);
		fake_add_map(request, &record);
	}
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void cookies_come_too(void **state)
{
	(void)state;
	fake.maps = has_a_cookie;
	start(BUILDID_RECORDER_SNAPSHOT);
	assert_file(1);
	assert_true(event->record->flags & BUILDID_RECORD_SNAPSHOT);
	assert_mapping(1, 0x1000, BUILDID_RECORD_SNAPSHOT, 0);
	assert_int_equal(event->file->file_id, 1);
	assert_int_equal(buildid_recorder_next(recorder, 0, &event), 0);
	assert_int_equal(event->record->type, BUILDID_RECORD_COOKIE);
	assert_error(0, -EAGAIN);
}

static void a_snapshot_may_be_taken_again(void **state)
{
	int i;

	(void)state;
	fake.maps = has_a_cookie;
	start(0);
	assert_error(0, -EAGAIN);
	assert_false(buildid_recorder_snapshotting(recorder));
	for (i = 0; i < 2; i++) {
		assert_int_equal(buildid_recorder_snapshot(recorder), 0);
		assert_mapping(1, 0x1000, BUILDID_RECORD_SNAPSHOT, 0);
	}
	/* What is left of one is dropped for the next. */
	assert_int_equal(buildid_recorder_snapshot(recorder), 0);
	assert_mapping(1, 0x1000, BUILDID_RECORD_SNAPSHOT, 0);
	assert_int_equal(buildid_recorder_next(recorder, 0, &event), 0);
	assert_int_equal(event->record->type, BUILDID_RECORD_COOKIE);
	assert_error(0, -EAGAIN);
	assert_false(buildid_recorder_snapshotting(recorder));
}

static int refuses(struct buildid_maps *request)
{
	return request->pid == 1 ? EPERM : has_a_cookie(request);
}

static void errors_of_a_snapshot_are_returned(void **state)
{
	(void)state;
	fake.maps = refuses;
	start(BUILDID_RECORDER_SNAPSHOT);
	assert_error(0, -EPERM);
	put_mapping(0, BUILDID_STATE_UNRESOLVED, 3, 0x1000);
	assert_mapping(3, 0x1000, 0, 0);
	assert_error(0, -EAGAIN);
	assert_false(buildid_recorder_snapshotting(recorder));
}

/* ------------------------------------------------------------------ end -- */

static void what_was_mapped_before_the_end_is_delivered(void **state)
{
	(void)state;
	start(0);
	put_mapping(0, BUILDID_STATE_UNRESOLVED, 1, 0x1000);
	put_mapping(1, FOLLOWS, 1, 0x2000);
	buildid_recorder_stop(recorder);
	put_mapping(0, BUILDID_STATE_UNRESOLVED, 1, 0x3000);
	put_mapping(3, FOLLOWS, 1, 0x3000);
	put_file(2);
	put_file(1);
	put_file(3);
	assert_int_equal(buildid_recorder_snapshot(recorder), -EINVAL);
	assert_int_equal(next_mapping(-1)->addr, 0x1000);
	assert_int_equal(next_mapping(-1)->addr, 0x2000);
	/* Its file came later, but it was mapped before. */
	assert_file(2);
	assert_file(1);
	assert_error(-1, -ENODATA);
	assert_error(0, -ENODATA);
}

static void the_end_gives_up_no_file_that_is_in_the_ring(void **state)
{
	(void)state;
	start(0);
	put_old_mapping(1, FOLLOWS, 0x1000, 0);
	buildid_recorder_stop(recorder);
	put_old_mapping(0, BUILDID_STATE_UNRESOLVED, 0x2000, 0);
	put_file(1);
	usleep(1100000);
	assert_int_equal(next_mapping(-1)->addr, 0x1000);
	assert_file(1);
	assert_error(-1, -ENODATA);
}

static void put_the_file(void)
{
	put_file(1);
}

static void put_the_file_after_the_clock(void)
{
	fake.on_poll = NULL;
	after_clock = put_the_file;
}

/* The ring was empty, and is no more when the time is known. */
static void nor_one_that_comes_meanwhile(void **state)
{
	(void)state;
	start(0);
	put_mapping(1, FOLLOWS, 1, 0x1000);
	buildid_recorder_stop(recorder);
	usleep(1100000);
	assert_int_equal(next_mapping(-1)->addr, 0x1000);
	fake.on_poll = put_the_file_after_the_clock;
	assert_error(0, -EAGAIN);
	assert_file(1);
	assert_error(0, -ENODATA);
}

static void nor_one_that_is_being_written(void **state)
{
	union any_record record;

	(void)state;
	start(0);
	put_mapping(1, FOLLOWS, 1, 0x1000);
	buildid_recorder_stop(recorder);
	usleep(1100000);
	assert_int_equal(next_mapping(-1)->addr, 0x1000);
	make_file(&record, 1, 20, 0, "/f");
	assert_true(fake_put_busy(&record));
	assert_error(0, -EAGAIN);
	assert_int_equal(buildid_recorder_timeout(recorder), 0);
	fake.on_wait = fake_commit;
	assert_int_equal(buildid_recorder_next(recorder, -1, &event), 0);
	assert_int_equal(event->file->file_id, 1);
	assert_error(-1, -ENODATA);
}

static void the_end_waits_no_longer_than_a_second(void **state)
{
	uint64_t before = clock_ns(CLOCK_MONOTONIC);

	(void)state;
	start(0);
	put_mapping(1, FOLLOWS, 1, 0x1000);
	buildid_recorder_stop(recorder);
	assert_int_equal(next_mapping(-1)->addr, 0x1000);
	assert_error(0, -EAGAIN);
	assert_true(buildid_recorder_timeout(recorder) <= 1000);
	assert_error(-1, -ENODATA);
	assert_true(clock_ns(CLOCK_MONOTONIC) - before >= 1000000000);
}

/* However fast others go on. */
static void what_comes_too_late_is_not_waited_for(void **state)
{
	(void)state;
	start(0);
	put_mapping(1, FOLLOWS, 1, 0x1000);
	buildid_recorder_stop(recorder);
	put_old_mapping(0, BUILDID_STATE_UNRESOLVED, 0x2000, -LONG_WAIT);
	put_file(1);
	assert_int_equal(next_mapping(-1)->addr, 0x1000);
	assert_error(-1, -ENODATA);
}

static void with_paths_the_end_waits_for_each_thread(void **state)
{
	const struct buildid_options subscribe = {
		.size = sizeof(subscribe),
		.flags = BUILDID_SUB_PATH,
	};
	const struct buildid_recorder_options options = {
		.size = sizeof(options),
		.subscribe = &subscribe,
	};

	(void)state;
	assert_int_equal(buildid_recorder_new(&recorder, &options), 0);
	put_mapping(1, FOLLOWS, 1, 0x1000);
	put_mapping(1, FOLLOWS, 2, 0x1000);
	put_file_of(1, 1, 0);
	buildid_recorder_stop(recorder);
	put_file_of(2, 1, 0);
	assert_mapping(1, 0x1000, 0, BUILDID_EVENT_FILE_FOLLOWS);
	assert_mapping(2, 0x1000, 0, BUILDID_EVENT_FILE_FOLLOWS);
	assert_file(1);
	assert_file(1);
	assert_int_equal(event->file->pid, 2);
	assert_error(-1, -ENODATA);
}

static void a_stop_drops_a_snapshot(void **state)
{
	(void)state;
	fake.maps = maps_during_the_snapshot;
	start(BUILDID_RECORDER_SNAPSHOT);
	assert_mapping(1, 0x1000, 0, 0);
	buildid_recorder_stop(recorder);
	assert_error(-1, -ENODATA);
}

/* --------------------------------------------------------------- errors -- */

static void errors_of_recorder_new_are_returned(void **state)
{
	struct buildid_options subscribe = { .size = sizeof(subscribe), .reserved = 1 };
	struct buildid_recorder_options options = {
		.size = sizeof(options),
		.flags = 1U << 31,
	};

	(void)state;
	assert_int_equal(buildid_recorder_new(&recorder, &options), -EINVAL);
	options.flags = 0;
	options.subscribe = &subscribe;
	assert_int_equal(buildid_recorder_new(&recorder, &options), -EINVAL);
	subscribe = (struct buildid_options){
		.size = sizeof(subscribe),
		.nr_pids = BUILDID_SUB_PIDS_MAX + 1,
		.pids = pids,
	};
	assert_int_equal(buildid_recorder_new(&recorder, &options), -EINVAL);
	subscribe = (struct buildid_options){
		.size = sizeof(subscribe),
		.flags = BUILDID_SUB_CGROUP,
		.cgroup_fd = 99,
	};
	assert_int_equal(buildid_recorder_new(&recorder, &options), -EBADF);
	fake.subscribe_error = EPERM;
	assert_int_equal(buildid_recorder_new(&recorder, NULL), -EPERM);
	fake.open_error = ENOENT;
	assert_int_equal(buildid_recorder_new(&recorder, NULL), -ENODEV);
	assert_null(recorder);
}

static void a_cgroup_may_be_closed(void **state)
{
	struct buildid_options subscribe = {
		.size = sizeof(subscribe),
		.flags = BUILDID_SUB_CGROUP,
	};
	const struct buildid_recorder_options options = {
		.size = sizeof(options),
		.subscribe = &subscribe,
	};

	(void)state;
	subscribe.cgroup_fd = open("/", O_RDONLY | O_DIRECTORY);
	assert_int_equal(buildid_recorder_new(&recorder, &options), 0);
	close(subscribe.cgroup_fd);
	/* ENOENT, not EBADF: the recorder has it open, although it is no cgroup. */
	assert_int_equal(buildid_recorder_snapshot(recorder), -ENOENT);
}

static void any_allocation_may_fail(void **state)
{
	const struct buildid_options subscribe = {
		.size = sizeof(subscribe),
		.nr_pids = 2,
		.pids = pids,
	};
	const struct buildid_recorder_options options = {
		.size = sizeof(options),
		.flags = BUILDID_RECORDER_SNAPSHOT,
		.subscribe = &subscribe,
	};
	size_t after;
	int err = -ENOMEM;

	(void)state;
	fake.maps = has_a_cookie;
	for (after = 0; err; after++) {
		memory_left = after;
		err = buildid_recorder_new(&recorder, &options);
		assert_true(!err || err == -ENOMEM);
	}
	assert_true(after > 4);
	memory_left = 0;
	assert_error(0, -ENOMEM);
	memory_left = SIZE_MAX;
	/* The FILE was lost, and only that. */
	assert_mapping(1, 0x1000, BUILDID_RECORD_SNAPSHOT, 0);
	assert_null(event->file);
}

/* ----------------------------------------------------- bounded memory -- */

#define FILES 200 /* of which 64 are remembered */

/* A new file, one that is read when it is mapped, and a known one. */
static void put_round(uint64_t round)
{
	char path[256];
	union any_record record;
	uint64_t file_id = 1 + round % FILES;

	memset(path, 'a' + (int)(round % 26), sizeof(path));
	path[round * 7 % 250 + 1] = '\0';
	make_file(&record, file_id, 20, 0, path);
	assert_true(fake_put(&record));
	put_mapping(file_id, 0, 1, 0x1000 * round);

	put_mapping(FILES + file_id, FOLLOWS, 1, 0x1000 * round);
	put_mapping(file_id, 0, 1, 0x2000 * round);
	put_file(FILES + file_id);
}

static void run_rounds(uint64_t from, uint64_t to)
{
	uint64_t round;
	int i;

	for (round = from; round < to; round++) {
		put_round(round);
		for (i = 0; i < 3; i++) {
			next_mapping(0);
			assert_true(i == 1 || event->file->id_len == 20);
		}
		assert_file(FILES + 1 + round % FILES);
		assert_error(0, -EAGAIN);
	}
}

static void a_table_that_is_full_allocates_nothing(void **state)
{
	size_t before;

	(void)state;
	start(0);
	run_rounds(0, 2000);
	before = memory_tried;
	assert_true(before > 64);
	run_rounds(2000, 20000);
	assert_int_equal(memory_tried, before);
}

static int maps_a_lot(struct buildid_maps *request)
{
	uint64_t i;

	for (i = 0; i < 100; i++)
		add_mapping(request, 1 + i % 50, request->cursor + i);
	request->cursor += 100;
	if (request->cursor == 10000)
		request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void a_snapshot_allocates_for_what_is_new_only(void **state)
{
	size_t before, events = 0;

	(void)state;
	fake.maps = maps_a_lot;
	start(0);
	assert_int_equal(buildid_recorder_snapshot(recorder), 0);
	while (events < 200 && !buildid_recorder_next(recorder, 0, &event))
		events++;
	before = memory_tried;
	while (!buildid_recorder_next(recorder, 0, &event))
		events++;
	assert_int_equal(events, 2 * 2 * 10000);
	assert_int_equal(memory_tried, before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_are_joined),
		TEST(nothing_waits_for_a_file),
		TEST(an_event_ends_a_wait),
		TEST(a_signal_ends_a_wait),
		TEST(other_records_come_through),
		TEST(what_came_from_the_ring_is_marked_in_the_snapshot),
		TEST(similar_mappings_are_no_duplicates),
		TEST(an_event_that_is_being_written_is_waited_for),
		TEST(the_ring_is_read_while_a_snapshot_is_taken),
		TEST(cookies_come_too),
		TEST(a_snapshot_may_be_taken_again),
		TEST(errors_of_a_snapshot_are_returned),
		TEST(what_was_mapped_before_the_end_is_delivered),
		TEST(the_end_gives_up_no_file_that_is_in_the_ring),
		TEST(nor_one_that_comes_meanwhile),
		TEST(nor_one_that_is_being_written),
		TEST(the_end_waits_no_longer_than_a_second),
		TEST(what_comes_too_late_is_not_waited_for),
		TEST(with_paths_the_end_waits_for_each_thread),
		TEST(a_stop_drops_a_snapshot),
		TEST(errors_of_recorder_new_are_returned),
		TEST(a_cgroup_may_be_closed),
		TEST(any_allocation_may_fail),
		TEST(a_table_that_is_full_allocates_nothing),
		TEST(a_snapshot_allocates_for_what_is_new_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
