// SPDX-License-Identifier: GPL-2.0
/* Perf rings: of a kernel with three processors whose rings are memory of this test. */

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "streams.h"

#define CPUS	  3
#define EVENTS	  16
#define PAGE	  4096
#define RING_SIZE 4096

/* What the kernel was asked for, by fd less FD. */
#define FD 1000
struct event {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	int output; /* an event's index, or -1 */
	bool off, closed;
	uint64_t lost;
};

static struct event events[EVENTS];
static size_t nr_events;
static unsigned char *ring_of[CPUS];
static size_t mapped_size;
static int offline;	  /* a processor, or -1 */
static pid_t ended;	  /* a thread */
static bool no_counts;	  /* as before Linux 6.0 */
static bool no_build_ids; /* as before 5.12 */
static bool denied;

static long fake_syscall(long number, struct perf_event_attr *attr, pid_t pid, int cpu, int group,
			 unsigned long flags)
{
	assert_int_equal(number, SYS_perf_event_open);
	assert_int_equal(group, -1);
	assert_int_equal(flags, PERF_FLAG_FD_CLOEXEC);
	errno = denied			       ? EACCES :
		no_build_ids		       ? EINVAL :
		no_counts && attr->read_format ? EINVAL :
		cpu == offline		       ? ENODEV :
		ended && pid == ended	       ? ESRCH :
						 0;
	if (errno)
		return -1;
	assert_true(nr_events < EVENTS);
	events[nr_events] = (struct event){ .attr = *attr, .pid = pid, .cpu = cpu, .output = -1 };
	return FD + (long)nr_events++;
}

static void *fake_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	struct perf_event_mmap_page *page = calloc(1, size);

	(void)at;
	(void)flags;
	assert_int_equal(prot, PROT_READ | PROT_WRITE);
	assert_int_equal(offset, 0);
	assert_non_null(page);
	mapped_size = size;
	ring_of[events[fd - FD].cpu] = (void *)page;
	return page;
}

static int fake_munmap(void *at, size_t size)
{
	assert_int_equal(size, mapped_size);
	free(at);
	return 0;
}

static int fake_ioctl(int fd, unsigned long request, int argument)
{
	struct event *event = &events[fd - FD];

	if (request == PERF_EVENT_IOC_SET_OUTPUT)
		event->output = argument - FD;
	else if (request == PERF_EVENT_IOC_DISABLE)
		event->off = true;
	else
		fail();
	return 0;
}

static int fake_close(int fd)
{
	if (fd < FD)
		return close(fd);
	assert_false(events[fd - FD].closed);
	events[fd - FD].closed = true;
	return 0;
}

static ssize_t fake_read(int fd, void *values, size_t size)
{
	if (fd < FD)
		return read(fd, values, size);
	assert_int_equal(size, 2 * sizeof(uint64_t));
	memcpy((uint64_t *)values + 1, &events[fd - FD].lost, sizeof(uint64_t));
	return (ssize_t)size;
}

static long fake_sysconf(int name)
{
	return name == _SC_NPROCESSORS_CONF ? CPUS : PAGE;
}

#define syscall(...) fake_syscall(__VA_ARGS__)
#define mmap(...)    fake_mmap(__VA_ARGS__)
#define munmap(...)  fake_munmap(__VA_ARGS__)
#define ioctl(...)   fake_ioctl(__VA_ARGS__)
#define close(...)   fake_close(__VA_ARGS__)
#define read(...)    fake_read(__VA_ARGS__)
#define sysconf(...) fake_sysconf(__VA_ARGS__)
#include "source/perf_rings.c"
#undef close
#undef read

static struct perf_rings *rings;

static int begin(void **state)
{
	(void)state;
	memset(events, 0, sizeof(events));
	memset(ring_of, 0, sizeof(ring_of));
	nr_events = 0;
	offline = -1;
	ended = 0;
	no_counts = no_build_ids = denied = false;
	rings = NULL;
	return 0;
}

static int end(void **state)
{
	size_t i;

	(void)state;
	perf_rings_close(rings);
	for (i = 0; i < nr_events; i++)
		assert_true(events[i].closed);
	return 0;
}

static void open_all(void)
{
	assert_int_equal(perf_rings_open(&rings, NULL, 0, false, RING_SIZE), 0);
}

/* A record of @size bytes, all of them @byte but its header and its time. */
static void put(int cpu, uint64_t time, size_t size, uint8_t byte)
{
	struct perf_event_mmap_page *page = (void *)ring_of[cpu];
	struct perf_event_header header = { .type = PERF_RECORD_COMM, .size = (uint16_t)size };
	unsigned char record[RING_SIZE];
	size_t i;

	memset(record, byte, size);
	memcpy(record, &header, sizeof(header));
	memcpy(record + size - sizeof(time), &time, sizeof(time));
	for (i = 0; i < size; i++)
		ring_of[cpu][PAGE + (page->data_head + i) % RING_SIZE] = record[i];
	page->data_head += size;
}

static void expect(uint64_t until, uint64_t expected, uint8_t byte)
{
	uint64_t time;
	const struct perf_event_header *header = perf_rings_next(rings, until, &time);

	assert_non_null(header);
	assert_true(time == expected);
	assert_int_equal(((const uint8_t *)header)[sizeof(*header)], byte);
	assert_int_equal(((const uint8_t *)header)[header->size - sizeof(time) - 1], byte);
}

static void expect_none(uint64_t until)
{
	uint64_t time;

	assert_null(perf_rings_next(rings, until, &time));
}

static void each_processor_has_an_event_and_a_ring(void **state)
{
	size_t i;

	(void)state;
	open_all();
	assert_int_equal(nr_events, CPUS);
	assert_int_equal(mapped_size, PAGE + RING_SIZE);
	for (i = 0; i < CPUS; i++) {
		assert_int_equal(events[i].pid, -1);
		assert_int_equal(events[i].cpu, i);
		assert_int_equal(events[i].attr.inherit, 0);
		assert_int_equal(events[i].attr.mmap2, 1);
		assert_int_equal(events[i].attr.build_id, 1);
		assert_int_equal(events[i].attr.exclude_kernel, 1);
		/* perf's own, by default */
		assert_int_equal(events[i].attr.use_clockid, 0);
		assert_int_equal(events[i].attr.mmap_data, 0);
	}
	perf_rings_close(rings);
	assert_int_equal(perf_rings_open(&rings, NULL, 0, true, 0), 0);
	assert_int_equal(mapped_size, PAGE + PERF_RINGS_SIZE);
	assert_int_equal(events[nr_events - 1].attr.mmap_data, 1);
}

static void threads_share_the_ring_of_a_processor(void **state)
{
	const uint32_t tids[] = { 10, 11, 12 };
	size_t i;

	(void)state;
	ended = 11;
	assert_int_equal(perf_rings_open(&rings, tids, 3, false, RING_SIZE), 0);
	assert_int_equal(nr_events, 2 * CPUS);
	for (i = 0; i < nr_events; i++) {
		assert_int_equal(events[i].pid, i % 2 ? 12 : 10);
		assert_int_equal(events[i].attr.inherit, 1);
		assert_int_equal(events[i].output, i % 2 ? (int)i - 1 : -1);
	}
}

static void a_processor_may_be_offline(void **state)
{
	(void)state;
	offline = 1;
	open_all();
	assert_int_equal(nr_events, CPUS - 1);
	put(0, 10, 24, 'a');
	put(2, 9, 24, 'b');
	expect(100, 9, 'b');
	expect(100, 10, 'a');
}

static void who_has_ended_or_may_not_gets_none(void **state)
{
	const uint32_t tids[] = { 11 };

	(void)state;
	ended = 11;
	assert_int_equal(perf_rings_open(&rings, tids, 1, false, RING_SIZE), -ESRCH);
	assert_null(rings);
	ended = 0;
	denied = true;
	assert_int_equal(perf_rings_open(&rings, tids, 1, false, RING_SIZE), -EACCES);
	denied = false;
	no_build_ids = true;
	assert_int_equal(perf_rings_open(&rings, tids, 1, false, RING_SIZE), -EINVAL);
	assert_int_equal(nr_events, 0);
}

static void records_come_in_the_order_of_their_times(void **state)
{
	(void)state;
	open_all();
	put(2, 30, 32, 'd');
	put(0, 10, 40, 'a');
	put(0, 20, 24, 'c');
	put(1, 15, 56, 'b');
	expect(100, 10, 'a');
	expect(100, 15, 'b');
	expect(100, 20, 'c');
	expect(100, 30, 'd');
	expect_none(100);
}

/* Another processor may write one that is earlier. */
static void those_of_now_are_left(void **state)
{
	(void)state;
	open_all();
	put(0, 10, 24, 'a');
	put(0, 20, 24, 'c');
	expect(15, 10, 'a');
	expect_none(15);
	put(1, 15, 24, 'b');
	expect(15, 15, 'b');
	expect_none(15);
	expect(20, 20, 'c');
}

/* The header, the middle and the time are where the ring begins again. */
static void a_record_may_go_round_the_end(void **state)
{
	uint64_t time = 1;
	size_t size;

	(void)state;
	open_all();
	for (size = 24; size < 1200; size += 8) {
		put(1, time, size, (uint8_t)size);
		put(1, time + 1, 40, 'x');
		expect(UINT64_MAX, time, (uint8_t)size);
		expect(UINT64_MAX, time + 1, 'x');
		time += 2;
	}
	expect_none(UINT64_MAX);
}

static void what_was_read_makes_room(void **state)
{
	const struct perf_event_mmap_page *page;

	(void)state;
	open_all();
	page = (const void *)ring_of[1];
	put(1, 10, 64, 'a');
	put(1, 11, 64, 'b');
	expect(100, 10, 'a');
	assert_int_equal(page->data_tail, 64);
	expect(100, 11, 'b');
	assert_int_equal(page->data_tail, 128);
}

static void it_is_readable_until_nothing_is_left(void **state)
{
	struct pollfd timer;

	(void)state;
	open_all();
	timer = (struct pollfd){ .fd = perf_rings_fd(rings), .events = POLLIN };
	assert_int_equal(poll(&timer, 1, 60000), 1);
	put(0, 10, 24, 'a');
	expect(100, 10, 'a');
	assert_int_equal(poll(&timer, 1, 0), 1);
	expect_none(100);
	/* Until the next tick. */
	assert_int_equal(poll(&timer, 1, 60000), 1);
}

static void what_was_dropped_is_counted_by_each_event(void **state)
{
	uint64_t count;

	(void)state;
	open_all();
	events[0].lost = 3;
	events[2].lost = 4;
	assert_true(perf_rings_dropped(rings, &count));
	assert_int_equal(count, 7);
	perf_rings_stop(rings);
	assert_true(events[0].off && events[1].off && events[2].off);
}

static void older_kernels_count_nothing(void **state)
{
	uint64_t count;

	(void)state;
	no_counts = true;
	open_all();
	assert_int_equal(nr_events, CPUS);
	assert_false(perf_rings_dropped(rings, &count));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_processor_has_an_event_and_a_ring),
		TEST(threads_share_the_ring_of_a_processor),
		TEST(a_processor_may_be_offline),
		TEST(who_has_ended_or_may_not_gets_none),
		TEST(records_come_in_the_order_of_their_times),
		TEST(those_of_now_are_left),
		TEST(a_record_may_go_round_the_end),
		TEST(what_was_read_makes_room),
		TEST(it_is_readable_until_nothing_is_left),
		TEST(what_was_dropped_is_counted_by_each_event),
		TEST(older_kernels_count_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
