// SPDX-License-Identifier: GPL-2.0
/*
 * Fake module: a device in memory.
 *
 * The library's own device.c is included, with its system calls replaced, so that its
 * reading of the ring runs as it is. A memfd is the ring, mapped as the module maps it.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "fake_module.h"

static int fake_open(const char *path, int flags);
static int fake_ioctl(int fd, unsigned long number, void *argument);
static void *fake_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
static int fake_poll(struct pollfd *polls, nfds_t count, int timeout);
static int fake_nanosleep(const struct timespec *time, struct timespec *left);

#define open(...)      fake_open(__VA_ARGS__)
#define ioctl(...)     fake_ioctl(__VA_ARGS__)
#define mmap(...)      fake_mmap(__VA_ARGS__)
#define poll(...)      fake_poll(__VA_ARGS__)
#define nanosleep(...) fake_nanosleep(__VA_ARGS__)
#include "libbuildid/device.c"
#undef open
#undef ioctl
#undef mmap
#undef poll
#undef nanosleep

struct fake_module *fake_module;

/* Consumer page, producer page, records; @memory is the fake's own view. */
static int memory_fd = -1;
static unsigned char *memory;
static size_t page;
static struct buildid_record *last;

static uint64_t *consumer_pos(void)
{
	return (uint64_t *)(void *)memory;
}

static uint64_t *producer_pos(void)
{
	return (uint64_t *)(void *)(memory + page);
}

static void __attribute__((destructor)) free_memory(void)
{
	if (memory_fd < 0)
		return;
	munmap(memory, 2 * page + FAKE_RING_SIZE);
	close(memory_fd);
}

int fake_reset(void **state)
{
	(void)state;
	page = (size_t)sysconf(_SC_PAGESIZE);
	if (!fake_module)
		fake_module = mmap(NULL, sizeof(fake), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fake_module == MAP_FAILED)
		return -1;
	free_memory();
	memory_fd = memfd_create("fake", MFD_CLOEXEC);
	if (memory_fd < 0 || ftruncate(memory_fd, (off_t)(2 * page + FAKE_RING_SIZE)))
		return -1;
	memory = mmap(NULL, 2 * page + FAKE_RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		      memory_fd, 0);
	if (memory == MAP_FAILED)
		return -1;
	fake = (struct fake_module){
		.abi = BUILDID_ABI_VERSION,
		.status = BUILDID_STATUS_ARMED,
		.ring_size = FAKE_RING_SIZE,
	};
	return 0;
}

/* In two pieces where it wraps around. */
static void copy_in(uint64_t pos, const void *bytes, size_t size)
{
	size_t at = pos % fake.ring_size;
	size_t first = fake.ring_size - at < size ? fake.ring_size - at : size;
	unsigned char *ring = memory + 2 * page;

	memcpy(ring + at, bytes, first);
	memcpy(ring, (const unsigned char *)bytes + first, size - first);
	last = (void *)(ring + at);
}

static bool put(union any_record *record, uint32_t busy)
{
	uint32_t size = record->header.size;
	uint64_t pos = *producer_pos();

	record->header.seq = ++fake.seq;
	if (pos + size - __atomic_load_n(consumer_pos(), __ATOMIC_ACQUIRE) > fake.ring_size)
		return false;
	record->header.size |= busy;
	copy_in(pos, record, size);
	record->header.size = size;
	__atomic_store_n(producer_pos(), pos + size, __ATOMIC_RELEASE);
	return true;
}

bool fake_put(union any_record *record)
{
	return put(record, 0);
}

bool fake_put_busy(union any_record *record)
{
	return put(record, BUILDID_RECORD_BUSY);
}

void fake_commit(void)
{
	__atomic_and_fetch(&last->size, ~BUILDID_RECORD_BUSY, __ATOMIC_RELEASE);
}

void fake_break_size(uint32_t size)
{
	last->size = size;
}

uint64_t fake_consumed(void)
{
	return *consumer_pos();
}

uint64_t fake_produced(void)
{
	return *producer_pos();
}

/* --------------------------------------------------------- system calls -- */

static int result(int error)
{
	errno = error;
	return error ? -1 : 0;
}

static int fake_open(const char *path, int flags)
{
	assert_string_equal(path, BUILDID_DEVICE);
	assert_int_equal(flags, O_RDWR | O_CLOEXEC);
	if (fake.open_error)
		return result(fake.open_error);
	/* Always readable: users of buildid_fd() may find an empty ring. */
	return eventfd(1, EFD_CLOEXEC);
}

static int reply_resolve(struct buildid_resolve *request)
{
	uint32_t room = request->record_size;
	union any_record record;

	fake.resolved = *request;
	if (fake.resolve)
		fake.resolve(request->by == BUILDID_BY_FD ? request->fd : -1, &record);
	else
		make_file(&record, 1, 20, 0, "/resolved");
	if (request->by == BUILDID_BY_ADDR && fake.exited)
		return result(ESRCH);
	if (request->by == BUILDID_BY_ADDR) {
		request->start_time = 777;
		request->offset = fake.mapped_at ? request->addr - fake.mapped_at :
						   fake.resolved_offset;
	}
	request->record_size = fake.resolved_size ? fake.resolved_size : record.header.size;
	if (record.header.size > room)
		return result(ENOSPC);
	memcpy((void *)(uintptr_t)request->record, &record, record.header.size);
	return result(fake.resolve_error);
}

static void add_record(uint64_t records, uint32_t *bytes, union any_record *record)
{
	record->header.flags = BUILDID_RECORD_SNAPSHOT;
	record->header.seq = 0;
	memcpy((char *)(uintptr_t)records + *bytes, record, record->header.size);
	*bytes += record->header.size;
}

void fake_add_map(struct buildid_maps *request, union any_record *record)
{
	add_record(request->records, &request->bytes, record);
}

void fake_add_history(struct buildid_history *request, union any_record *record)
{
	add_record(request->records, &request->bytes, record);
}

static int reply_maps(struct buildid_maps *request)
{
	assert_true(request->bytes >= 2 * BUILDID_RECORD_MAX);
	request->bytes = 0;
	return result(fake.maps ? fake.maps(request) : ESRCH);
}

static int reply_history(struct buildid_history *request)
{
	assert_true(request->bytes >= 2 * BUILDID_RECORD_MAX);
	request->bytes = 0;
	return result(fake.history ? fake.history(request) : EPERM);
}

static int reply_cookie(const struct buildid_set_cookie *request)
{
	fake.cookie = *request;
	if (request->id_len)
		memcpy(fake.cookie_id, (const void *)(uintptr_t)request->id, request->id_len);
	return result(fake.cookie_error);
}

static int reply_subscribe(struct buildid_subscribe *request)
{
	if (fake.subscribe_error)
		return result(fake.subscribe_error);
	fake.subscribed = *request;
	if (request->nr_pids)
		memcpy(fake.pids, (const void *)(uintptr_t)request->pids,
		       request->nr_pids * sizeof(fake.pids[0]));
	request->ring_size = fake.ring_size;
	return 0;
}

static int reply_info(struct buildid_info *info)
{
	info->abi = fake.abi;
	info->features = BUILDID_FEATURE_NETLINK;
	info->records = 1 << BUILDID_RECORD_FILE | 1 << BUILDID_RECORD_MMAP;
	info->ioctls = 3;
	info->status = fake.status;
	info->max_entries = 65536;
	info->slept = fake.slept;
	info->real_offset_max = clock_real();
	info->real_offset_min = info->real_offset_max - (int64_t)fake.slept;
	info->known_flags[_IOC_NR(BUILDID_IOC_SUBSCRIBE)] = 0x7f;
	info->ring_min = 2 * BUILDID_RECORD_MAX;
	info->ring_max = 1 << 26;
	/* All of the field, without a NUL. */
	memset(info->version, 'v', sizeof(info->version));
	memcpy(info->hook, "hook", 5);
	return result(fake.info_error);
}

static int reply_stats(struct buildid_stats *stats)
{
	*stats = fake.stats;
	return result(fake.stats_error);
}

static int reply_flush(struct buildid_flush *flush)
{
	flush->flushed = fake.flushed;
	return result(fake.flush_error);
}

static size_t known_size(unsigned long number)
{
	return (size_t)((long)_IOC_SIZE(number) + fake.grown);
}

static int dispatch(unsigned long number, void *argument)
{
	switch (number) {
	case BUILDID_IOC_INFO:
		return reply_info(argument);
	case BUILDID_IOC_STATS:
		return reply_stats(argument);
	case BUILDID_IOC_RESOLVE:
		return reply_resolve(argument);
	case BUILDID_IOC_MAPS:
		return reply_maps(argument);
	case BUILDID_IOC_HISTORY:
		return reply_history(argument);
	case BUILDID_IOC_SET_COOKIE:
		return reply_cookie(argument);
	case BUILDID_IOC_SUBSCRIBE:
		return reply_subscribe(argument);
	case BUILDID_IOC_FLUSH:
		return reply_flush(argument);
	default:
		return result(ENOTTY);
	}
}

/*
 * As in the uapi header: fields that one side lacks are 0, and nothing is written
 * behind the caller's struct.
 */
static int fake_ioctl(int fd, unsigned long number, void *argument)
{
	static unsigned char copy[1024];
	size_t known = known_size(number);
	uint32_t size, both, i;
	int err;

	(void)fd;
	memcpy(&size, argument, sizeof(size));
	/* A struct that has grown was published shorter. */
	if (!fake.grown && size < known)
		return result(EINVAL);
	both = size < known ? size : (uint32_t)known;
	for (i = both; i < size; i++) {
		if (!((unsigned char *)argument)[i])
			continue;
		size = (uint32_t)known;
		memcpy(argument, &size, sizeof(size));
		return result(E2BIG);
	}
	/* Fill what it has grown by. */
	memset(copy, 0xee, sizeof(copy));
	memset(copy, 0, _IOC_SIZE(number));
	memcpy(copy, argument, both);
	err = dispatch(number, copy);
	memcpy(copy, &both, sizeof(both));
	memcpy(argument, copy, both);
	return err;
}

static void *fake_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	unsigned char *map;

	(void)fd;
	assert_null(at);
	assert_int_equal(flags, MAP_SHARED);
	if (!offset) {
		assert_int_equal(size, page);
		return mmap(NULL, size, prot, flags, memory_fd, 0);
	}

	assert_int_equal(offset, page);
	assert_int_equal(size, page + 2 * (size_t)fake.ring_size);
	assert_int_equal(prot, PROT_READ);
	map = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	mmap(map, page + fake.ring_size, PROT_READ, MAP_SHARED | MAP_FIXED, memory_fd, (off_t)page);
	mmap(map + page + fake.ring_size, fake.ring_size, PROT_READ, MAP_SHARED | MAP_FIXED,
	     memory_fd, (off_t)(2 * page));
	return map;
}

static int fake_poll(struct pollfd *polls, nfds_t count, int timeout)
{
	assert_int_equal(count, 1);
	assert_int_equal(polls->events, POLLIN);
	fake.polls++;
	if (fake.on_poll)
		fake.on_poll();
	if (fake.poll_error)
		return result(fake.poll_error);
	polls->revents = 0;
	if (*producer_pos() != *consumer_pos()) {
		polls->revents = POLLIN;
		return 1;
	}
	/* This would wait for ever. */
	assert_true(timeout >= 0);
	usleep((useconds_t)timeout * 1000);
	return 0;
}

static int fake_nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)time;
	(void)left;
	fake.naps++;
	if (fake.on_wait)
		fake.on_wait();
	return 0;
}
