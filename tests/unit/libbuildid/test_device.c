// SPDX-License-Identifier: GPL-2.0
/* Device: ioctls, and walking the mapped ring. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"
#include "fake_module.h"
#include "libbuildid/internal.h"

static struct buildid *handle;

static int set_up(void **state)
{
	handle = NULL;
	return fake_reset(state);
}

static int tear_down(void **state)
{
	(void)state;
	buildid_close(handle);
	return 0;
}

static void subscribe(void)
{
	assert_int_equal(buildid_open(&handle), 0);
	assert_int_equal(buildid_subscribe(handle, NULL), 0);
}

static void put_mmap(uint32_t pid)
{
	union any_record record;

	make_mmap(&record, 1, 0, pid);
	assert_true(fake_put(&record));
}

static void assert_next_pid(int timeout, uint32_t pid)
{
	const struct buildid_record *record;

	assert_int_equal(buildid_next(handle, timeout, &record), 0);
	assert_int_equal(record->type, BUILDID_RECORD_MMAP);
	assert_int_equal(((const struct buildid_mmap *)record)->pid, pid);
}

static void assert_next_error(int timeout, int error)
{
	const struct buildid_record *record;

	assert_int_equal(buildid_next(handle, timeout, &record), error);
	assert_null(record);
}

static void errors_of_open_are_returned(void **state)
{
	(void)state;
	fake.open_error = ENOENT;
	assert_int_equal(buildid_open(&handle), -ENODEV);
	assert_null(handle);
	fake.open_error = ENXIO;
	assert_int_equal(buildid_open(&handle), -ENODEV);
	fake.open_error = EACCES;
	assert_int_equal(buildid_open(&handle), -EACCES);
	fake.open_error = 0;
	fake.info_error = EPERM;
	assert_int_equal(buildid_open(&handle), -EPERM);
	assert_null(handle);
}

static void another_abi_is_refused(void **state)
{
	uint32_t abi = 0;

	(void)state;
	fake.abi = BUILDID_ABI_VERSION + 1;
	assert_int_equal(buildid_open(&handle), -EPROTONOSUPPORT);
	assert_null(handle);
	assert_int_equal(buildid_module_abi(&abi), 0);
	assert_int_equal(abi, BUILDID_ABI_VERSION + 1);
	/* The struct of ABI 1 was that long. */
	fake.abi = 1;
	fake.grown = 200 - (int)sizeof(struct buildid_info);
	assert_int_equal(buildid_open(&handle), -EPROTONOSUPPORT);
	assert_int_equal(buildid_module_abi(&abi), 0);
	assert_int_equal(abi, 1);
	fake.open_error = ENOENT;
	assert_int_equal(buildid_module_abi(&abi), -ENODEV);
}

static void info_stats_and_flush_reach_the_module(void **state)
{
	struct buildid_stats stats;
	struct buildid_info info;
	uint64_t flushed = 0;

	(void)state;
	fake.stats.mappings = 42;
	fake.flushed = 7;
	assert_int_equal(buildid_open(&handle), 0);
	assert_int_equal(buildid_get_info(handle, &info, sizeof(info)), 0);
	assert_int_equal(info.max_entries, 65536);
	assert_int_equal(buildid_get_stats(handle, &stats, sizeof(stats)), 0);
	assert_int_equal(stats.mappings, 42);
	assert_int_equal(buildid_flush(handle, &flushed), 0);
	assert_int_equal(flushed, 7);
	assert_int_equal(buildid_flush(handle, NULL), 0);

	fake.stats_error = fake.flush_error = EPERM;
	assert_int_equal(buildid_get_stats(handle, &stats, sizeof(stats)), -EPERM);
	flushed = 1;
	assert_int_equal(buildid_flush(handle, &flushed), -EPERM);
	assert_int_equal(flushed, 1);
}

static void a_file_is_resolved(void **state)
{
	const struct buildid_file *file;
	union any_record buffer;

	(void)state;
	assert_int_equal(buildid_open(&handle), 0);
	assert_int_equal(buildid_resolve_fd(handle, 0, &buffer, sizeof(buffer), &file), 0);
	assert_ptr_equal(file, &buffer);
	assert_int_equal(file->id_len, 20);
	assert_int_equal(fake.resolved.by, BUILDID_BY_FD);

	assert_int_equal(buildid_resolve_fd(handle, 0, buffer.bytes + 4, 1024, &file), -EINVAL);
	assert_null(file);
	assert_int_equal(buildid_resolve_fd(handle, 0, &buffer, 64, &file), -ENOSPC);
	fake.resolve_error = EBADF;
	assert_int_equal(buildid_resolve_fd(handle, -1, &buffer, sizeof(buffer), &file), -EBADF);
}

static void resolve_to_mmap(int fd, union any_record *record)
{
	(void)fd;
	make_mmap(record, 1, 0, 1);
}

static void resolve_to_malformed(int fd, union any_record *record)
{
	(void)fd;
	make_file(record, 1, 20, 0, "/f");
	record->file.path_len = 1000;
}

static void a_wrong_reply_is_refused(void **state)
{
	const struct buildid_file *file;
	union any_record buffer;

	(void)state;
	assert_int_equal(buildid_open(&handle), 0);
	fake.resolve = resolve_to_mmap;
	assert_int_equal(buildid_resolve_fd(handle, 0, &buffer, sizeof(buffer), &file), -EBADMSG);
	fake.resolve = resolve_to_malformed;
	assert_int_equal(buildid_resolve_fd(handle, 0, &buffer, sizeof(buffer), &file), -EBADMSG);
	assert_null(file);
	fake.resolve = NULL;
	fake.resolved_size = BUILDID_RECORD_MAX + 8;
	assert_int_equal(buildid_resolve_fd(handle, 0, &buffer, sizeof(buffer), &file), -EBADMSG);
}

static void an_inode_is_resolved(void **state)
{
	const struct buildid_file *file;
	struct buildid_key key = {
		.size = sizeof(key),
		.flags = BUILDID_KEY_ANY_GENERATION,
		.dev_major = 8,
		.dev_minor = 1,
		.ino = 4711,
	};
	union any_record buffer;

	(void)state;
	assert_int_equal(buildid_open(&handle), 0);
	assert_int_equal(buildid_resolve_key(handle, &key, &buffer, sizeof(buffer), &file), 0);
	assert_ptr_equal(file, &buffer);
	assert_int_equal(fake.resolved.size, sizeof(fake.resolved));
	assert_int_equal(fake.resolved.by, BUILDID_BY_KEY);
	assert_int_equal(fake.resolved.flags, BUILDID_KEY_ANY_GENERATION);
	assert_int_equal(fake.resolved.dev_major, 8);
	assert_int_equal(fake.resolved.dev_minor, 1);
	assert_int_equal(fake.resolved.ino, 4711);
	assert_int_equal(fake.resolved.generation, 0);
	key.flags = 0;
	key.generation = 9;
	key.tree = 256;
	assert_int_equal(buildid_resolve_key(handle, &key, &buffer, sizeof(buffer), &file), 0);
	assert_int_equal(fake.resolved.flags, 0);
	assert_int_equal(fake.resolved.generation, 9);
	assert_int_equal(fake.resolved.tree, 256);
	key.size = offsetof(struct buildid_key, tree);
	assert_int_equal(buildid_resolve_key(handle, &key, &buffer, sizeof(buffer), &file), 0);
	assert_int_equal(fake.resolved.tree, 0);
	key.size = sizeof(key);

	assert_int_equal(buildid_resolve_key(handle, &key, buffer.bytes + 4, 1024, &file), -EINVAL);
	assert_null(file);
	assert_int_equal(buildid_resolve_key(handle, &key, &buffer, 64, &file), -ENOSPC);
	fake.resolve_error = ENOENT;
	assert_int_equal(buildid_resolve_key(handle, &key, &buffer, sizeof(buffer), &file),
			 -ENOENT);
}

static void an_address_is_resolved(void **state)
{
	struct buildid_address address = {
		.size = sizeof(address),
		.pid = 7,
		.addr = 0x1234,
		.start_time = 5,
	};
	const struct buildid_file *file;
	union any_record buffer;

	(void)state;
	fake.resolved_offset = 0x234;
	assert_int_equal(buildid_open(&handle), 0);
	assert_int_equal(buildid_resolve_addr(handle, &address, &buffer, sizeof(buffer), &file), 0);
	assert_ptr_equal(file, &buffer);
	assert_int_equal(fake.resolved.size, sizeof(fake.resolved));
	assert_int_equal(fake.resolved.flags, 0);
	assert_int_equal(fake.resolved.by, BUILDID_BY_ADDR);
	assert_int_equal(fake.resolved.pid, 7);
	assert_int_equal(fake.resolved.addr, 0x1234);
	assert_int_equal(fake.resolved.start_time, 5);
	assert_int_equal(address.source, 0);
	assert_int_equal(address.start_time, 777);
	assert_int_equal(address.offset, 0x234);

	address.offset = 1;
	fake.resolve_error = ENOENT;
	assert_int_equal(buildid_resolve_addr(handle, &address, &buffer, sizeof(buffer), &file),
			 -ENOENT);
	assert_null(file);
	assert_int_equal(address.offset, 1);
	assert_int_equal(buildid_resolve_addr(handle, &address, buffer.bytes + 4, 1024, &file),
			 -EINVAL);
}

static void a_version_is_resolved(void **state)
{
	const struct buildid_file *file;
	union any_record buffer;

	(void)state;
	assert_int_equal(buildid_open(&handle), 0);
	assert_int_equal(buildid_resolve_id(handle, 42, &buffer, sizeof(buffer), &file), 0);
	assert_ptr_equal(file, &buffer);
	assert_int_equal(fake.resolved.size, sizeof(fake.resolved));
	assert_int_equal(fake.resolved.flags, 0);
	assert_int_equal(fake.resolved.by, BUILDID_BY_ID);
	assert_int_equal(fake.resolved.file_id, 42);
	assert_int_equal(buildid_resolve_id(handle, 42, &buffer, 64, &file), -ENOSPC);
	assert_int_equal(buildid_resolve_id(handle, 42, buffer.bytes + 4, 1024, &file), -EINVAL);
	assert_null(file);
}

/* On the heap, so that the sanitizer sees a write behind the struct. */
static void nothing_is_written_behind_an_older_struct(void **state)
{
	const size_t older = sizeof(struct buildid_stats) - 8;
	struct buildid_stats *stats = malloc(older);
	struct buildid_info *info = malloc(sizeof(*info) - 8);

	(void)state;
	fake.stats.mappings = 42;
	fake.grown = 8;
	assert_int_equal(buildid_open(&handle), 0);
	assert_int_equal(buildid_get_stats(handle, stats, older), 0);
	assert_int_equal(stats->mappings, 42);
	assert_int_equal(stats->size, older);
	assert_int_equal(buildid_get_info(handle, info, sizeof(*info) - 8), 0);
	assert_int_equal(info->max_entries, 65536);
	free(stats);
	free(info);
	/* Too small for the size itself. */
	assert_int_equal(buildid_get_stats(handle, NULL, 3), -EINVAL);
}

static void what_an_older_module_lacks_is_zero(void **state)
{
	struct buildid_stats stats;

	(void)state;
	memset(&stats, 0xff, sizeof(stats));
	fake.stats.mappings = 42;
	fake.stats.cookies = 7;
	fake.grown = -8;
	assert_int_equal(buildid_open(&handle), 0);
	assert_int_equal(buildid_get_stats(handle, &stats, sizeof(stats)), 0);
	assert_int_equal(stats.mappings, 42);
	assert_int_equal(stats.cookies, 0);
	assert_int_equal(stats.size, sizeof(stats) - 8);
}

static void what_only_a_newer_struct_has_is_zeroed(void **state)
{
	struct {
		struct buildid_stats known;
		uint64_t newer[2];
	} stats;

	(void)state;
	memset(&stats, 0xff, sizeof(stats));
	fake.stats.mappings = 42;
	assert_int_equal(buildid_open(&handle), 0);
	assert_int_equal(buildid_get_stats(handle, &stats.known, sizeof(stats)), 0);
	assert_int_equal(stats.known.mappings, 42);
	assert_int_equal(stats.newer[0], 0);
	assert_int_equal(stats.newer[1], 0);
	assert_int_equal(stats.known.size, sizeof(stats.known));
}

static void structs_of_other_versions_are_copied_in(void **state)
{
	struct {
		uint32_t size, first, second;
	} longer = { sizeof(longer), 1, 0 };
	struct {
		uint32_t size, first;
	} known;
	uint32_t *shorter = malloc(sizeof(*shorter));

	(void)state;
	known.first = 99;
	*shorter = sizeof(*shorter);
	assert_int_equal(buildid_struct_copy_in(&known, sizeof(known), shorter, 4), 0);
	assert_int_equal(known.first, 0);
	assert_int_equal(buildid_struct_copy_in(&known, sizeof(known), shorter, 8), -EINVAL);
	free(shorter);
	assert_int_equal(buildid_struct_copy_in(&known, sizeof(known), &longer, 4), 0);
	assert_int_equal(known.first, 1);
	longer.second = 1;
	assert_int_equal(buildid_struct_copy_in(&known, sizeof(known), &longer, 4), -E2BIG);
	longer.size = UINT32_MAX;
	assert_int_equal(buildid_struct_copy_in(&known, sizeof(known), &longer, 4), -E2BIG);
}

static void a_struct_without_its_size_is_refused(void **state)
{
	const struct buildid_options options = { .flags = BUILDID_SUB_PATH };
	const struct buildid_files_options bounds = { .max_files = 1 };
	const struct buildid_recorder_options recorder_options = {};
	struct buildid_address address = { .pid = 1 };
	const struct buildid_key key = { .ino = 1 };
	struct buildid_recorder *recorder;
	struct buildid_snapshot *snapshot;
	const struct buildid_file *file;
	struct buildid_files *files;
	union any_record buffer;

	(void)state;
	assert_int_equal(buildid_open(&handle), 0);
	assert_int_equal(buildid_subscribe(handle, &options), -EINVAL);
	assert_int_equal(buildid_snapshot_new(&snapshot, handle, &options), -EINVAL);
	assert_int_equal(buildid_files_new(&files, &bounds), -EINVAL);
	assert_int_equal(buildid_recorder_new(&recorder, &recorder_options), -EINVAL);
	assert_int_equal(buildid_resolve_key(handle, &key, &buffer, sizeof(buffer), &file),
			 -EINVAL);
	assert_int_equal(buildid_resolve_addr(handle, &address, &buffer, sizeof(buffer), &file),
			 -EINVAL);
}

static void cookies_are_set(void **state)
{
	uint8_t id[BUILDID_ID_MAX + 1] = "cookie";

	(void)state;
	assert_int_equal(buildid_open(&handle), 0);
	assert_int_equal(buildid_set_cookie_mapping(handle, id, 4096, BUILDID_KIND_GO, id, 6), 0);
	assert_int_equal(fake.cookie.size, sizeof(fake.cookie));
	assert_int_equal(fake.cookie.flags, 0);
	assert_int_equal(fake.cookie.fd, 0);
	assert_int_equal(fake.cookie.addr, (uintptr_t)id);
	assert_int_equal(fake.cookie.len, 4096);
	assert_int_equal(fake.cookie.kind, BUILDID_KIND_GO);
	assert_int_equal(fake.cookie.id_len, 6);
	assert_memory_equal(fake.cookie_id, "cookie", 6);

	assert_int_equal(buildid_set_cookie_fd(handle, 3, id, BUILDID_ID_MAX), 0);
	assert_int_equal(fake.cookie.flags, BUILDID_COOKIE_FD);
	assert_int_equal(fake.cookie.fd, 3);
	assert_int_equal(fake.cookie.kind, BUILDID_KIND_COOKIE);
	assert_int_equal(fake.cookie.addr, 0);
	assert_int_equal(fake.cookie.len, 0);
	assert_int_equal(fake.cookie.id_len, BUILDID_ID_MAX);

	assert_int_equal(buildid_set_cookie_fd(handle, 3, NULL, 0), 0);
	assert_int_equal(fake.cookie.id_len, 0);
	assert_int_equal(fake.cookie.id, 0);
	assert_int_equal(fake.cookie.kind, BUILDID_KIND_NONE);
	fake.cookie_error = EEXIST;
	assert_int_equal(buildid_set_cookie_fd(handle, 3, id, 1), -EEXIST);
	/* What does not fit must not be cut to another length or kind. */
	fake.cookie_error = 0;
	assert_int_equal(buildid_set_cookie_fd(handle, 3, id, BUILDID_ID_MAX + 1), -EINVAL);
	assert_int_equal(buildid_set_cookie_fd(handle, 3, id, 65537), -EINVAL);
	assert_int_equal(buildid_set_cookie_mapping(handle, id, 1, 65537, id, 1), -EINVAL);
}

/* It gets the addresses of the ring, which it has not: the kernel fills the highest hole first. */
static void a_child_that_closes_keeps_its_memory(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *own[256];
	int status = -1;
	size_t i;
	pid_t pid;

	(void)state;
	subscribe();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		for (i = 0; i < ARRAY_SIZE(own); i++)
			own[i] = mmap(NULL, page, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		buildid_close(handle);
		for (i = 0; i < ARRAY_SIZE(own); i++)
			*own[i] = 1;
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void options_reach_the_module(void **state)
{
	static const uint32_t pids[] = { 3, 5 };
	const struct buildid_options options = {
		.size = sizeof(options),
		.flags = BUILDID_SUB_DATA | BUILDID_SUB_TASKS,
		.ring_size = 8192,
		.watermark = 100,
		.nr_pids = 2,
		.pids = pids,
		.uid = 99,
		.cgroup_fd = 5,
	};
	const struct buildid_options newer = { .size = sizeof(newer), .reserved = 1 };

	(void)state;
	assert_int_equal(buildid_open(&handle), 0);
	assert_int_equal(buildid_subscribe(handle, &options), 0);
	assert_int_equal(fake.subscribed.size, sizeof(fake.subscribed));
	assert_int_equal(fake.subscribed.flags, BUILDID_SUB_DATA | BUILDID_SUB_TASKS);
	assert_int_equal(fake.subscribed.ring_size, 8192);
	assert_int_equal(fake.subscribed.watermark, 100);
	assert_int_equal(fake.subscribed.nr_pids, 2);
	assert_int_equal(fake.subscribed.reserved, 0);
	assert_memory_equal(fake.pids, pids, sizeof(pids));
	assert_int_equal(fake.subscribed.uid, 99);
	assert_int_equal(fake.subscribed.cgroup_fd, 5);
	buildid_close(handle);
	assert_int_equal(buildid_open(&handle), 0);
	assert_int_equal(buildid_subscribe(handle, &newer), -EINVAL);
}

static void a_subscription_may_fail(void **state)
{
	(void)state;
	assert_int_equal(buildid_open(&handle), 0);
	assert_next_error(0, -EINVAL);
	fake.subscribe_error = ESRCH;
	assert_int_equal(buildid_subscribe(handle, NULL), -ESRCH);
	fake.subscribe_error = 0;
	fake.ring_size = 12345;
	assert_int_equal(buildid_subscribe(handle, NULL), -EBADMSG);
	assert_next_error(0, -EINVAL);
}

static void records_come_in_order(void **state)
{
	(void)state;
	subscribe();
	put_mmap(1);
	put_mmap(2);
	assert_next_pid(0, 1);
	put_mmap(3);
	assert_next_pid(0, 2);
	assert_next_pid(-1, 3);
	assert_int_equal(fake.polls, 0);
	assert_next_error(0, -EAGAIN);
}

static void a_record_is_released_by_the_next_call(void **state)
{
	const struct buildid_record *record;

	(void)state;
	subscribe();
	put_mmap(1);
	assert_int_equal(buildid_next(handle, 0, &record), 0);
	assert_int_equal(fake_consumed(), 0);
	assert_next_error(0, -EAGAIN);
	assert_int_equal(fake_consumed(), record->size);
}

static void records_are_whole_across_the_end_of_the_ring(void **state)
{
	char path[2048];
	union any_record record;
	const struct buildid_record *next;
	uint32_t i;

	(void)state;
	fake.ring_size = 4096;
	subscribe();
	for (i = 0; i < 2000; i++) {
		size_t length = i * 37 % 1500;

		memset(path, 'a' + (int)(i % 26), length);
		path[length] = '\0';
		make_file(&record, i, 20, 0, path);
		assert_true(fake_put(&record));
		assert_int_equal(buildid_next(handle, 0, &next), 0);
		assert_memory_equal(next, &record, record.header.size);
		assert_next_error(0, -EAGAIN);
	}
}

static void a_full_ring_is_read_to_its_end(void **state)
{
	union any_record record;
	uint32_t count = 0, i;

	(void)state;
	fake.ring_size = 4096;
	subscribe();
	make_mmap(&record, 1, 0, 0);
	while (fake_put(&record))
		record.mmap.pid = ++count;
	assert_true(count > 30);
	for (i = 0; i < count; i++)
		assert_next_pid(0, i);
	assert_next_error(0, -EAGAIN);
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void a_wait_ends_after_its_time(void **state)
{
	uint64_t start = now_ms();

	(void)state;
	subscribe();
	assert_next_error(30, -EAGAIN);
	assert_true(now_ms() - start >= 30);
	assert_true(fake.polls >= 1);
}

static void put_one(void)
{
	put_mmap(9);
	fake.on_poll = NULL;
}

/* As of what was lost, when nothing comes after it. */
static void a_record_that_comes_when_the_module_is_asked_is_not_missed(void **state)
{
	(void)state;
	subscribe();
	fake.on_poll = put_one;
	assert_next_pid(0, 9);
	assert_next_error(0, -EAGAIN);
}

static void a_record_ends_a_wait(void **state)
{
	(void)state;
	subscribe();
	fake.on_poll = put_one;
	assert_next_pid(-1, 9);
	fake.on_poll = put_one;
	assert_next_pid(10000, 9);
}

static void put_quietly(void)
{
	fake.on_poll = NULL;
	fake.poll_error = 0;
	put_mmap(9);
}

/* Below the watermark poll(2) does not return. */
static void records_below_the_watermark_come_when_the_time_is_over(void **state)
{
	(void)state;
	subscribe();
	fake.on_poll = put_quietly;
	assert_next_pid(1, 9);
}

static void a_signal_ends_a_wait(void **state)
{
	(void)state;
	subscribe();
	fake.poll_error = EINTR;
	assert_next_error(-1, -EINTR);
	fake.poll_error = 0;
	put_mmap(4);
	assert_next_pid(0, 4);
}

static void a_busy_record_is_waited_for(void **state)
{
	union any_record record;

	(void)state;
	subscribe();
	put_mmap(1);
	make_mmap(&record, 1, 0, 2);
	assert_true(fake_put_busy(&record));
	assert_next_pid(0, 1);
	assert_next_error(0, -EAGAIN);
	assert_next_error(5, -EAGAIN);
	assert_true(fake.naps > 0);
	/* poll(2) would return at once. */
	assert_int_equal(fake.polls, 0);
	fake.on_wait = fake_commit;
	assert_next_pid(-1, 2);
}

static void a_record_of_wrong_size_ends_the_stream(void **state)
{
	static const uint32_t sizes[] = { 0, 8, 36, 65536, 0x7ffffff8 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		set_up(state);
		subscribe();
		put_mmap(1);
		put_mmap(2);
		fake_break_size(sizes[i]);
		assert_next_pid(0, 1);
		assert_next_error(0, -EBADMSG);
		assert_next_error(-1, -EBADMSG);
		buildid_close(handle);
		handle = NULL;
	}
}

static void a_malformed_record_is_skipped(void **state)
{
	union any_record record;

	(void)state;
	subscribe();
	make_file(&record, 1, 20, 0, "/path");
	record.file.path_len = 4000;
	assert_true(fake_put(&record));
	put_mmap(2);
	assert_next_error(0, -EBADMSG);
	assert_next_pid(0, 2);
}

static void errors_have_a_text(void **state)
{
	int error;

	(void)state;
	for (error = 0; error < 134; error++) {
		assert_true(*buildid_strerror(error));
		assert_string_equal(buildid_strerror(-error), buildid_strerror(error));
	}
	assert_non_null(strstr(buildid_advice(-ENODEV), "modprobe buildid"));
	/* Of what was asked for, not of the module. */
	assert_null(strstr(buildid_strerror(-ENOENT), "loaded"));
	assert_null(buildid_advice(-ENOENT));
	assert_non_null(strstr(buildid_advice(-EPERM), "CAP_PERFMON"));
	assert_null(buildid_advice(-EIO));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(errors_of_open_are_returned),
		TEST(another_abi_is_refused),
		TEST(info_stats_and_flush_reach_the_module),
		TEST(a_file_is_resolved),
		TEST(a_wrong_reply_is_refused),
		TEST(an_inode_is_resolved),
		TEST(an_address_is_resolved),
		TEST(a_version_is_resolved),
		TEST(nothing_is_written_behind_an_older_struct),
		TEST(what_an_older_module_lacks_is_zero),
		TEST(what_only_a_newer_struct_has_is_zeroed),
		TEST(structs_of_other_versions_are_copied_in),
		TEST(a_struct_without_its_size_is_refused),
		TEST(cookies_are_set),
		TEST(a_child_that_closes_keeps_its_memory),
		TEST(options_reach_the_module),
		TEST(a_subscription_may_fail),
		TEST(records_come_in_order),
		TEST(a_record_is_released_by_the_next_call),
		TEST(records_are_whole_across_the_end_of_the_ring),
		TEST(a_full_ring_is_read_to_its_end),
		TEST(a_wait_ends_after_its_time),
		TEST(a_record_that_comes_when_the_module_is_asked_is_not_missed),
		TEST(a_record_ends_a_wait),
		TEST(records_below_the_watermark_come_when_the_time_is_over),
		TEST(a_signal_ends_a_wait),
		TEST(a_busy_record_is_waited_for),
		TEST(a_record_of_wrong_size_ends_the_stream),
		TEST(a_malformed_record_is_skipped),
		TEST(errors_have_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
