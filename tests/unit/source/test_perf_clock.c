// SPDX-License-Identifier: GPL-2.0
/* Perf clock: of a kernel whose clock is a minute ahead, and whose ring is memory of this test. */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.h"
#include "source/perf_clock.h"
#include "streams.h"

#define AHEAD  (60 * 1000000000LL)
#define PAGE   4096
#define RECORD 40
#define FD     1000
/* However long the two reads of the clock around it take. */
#define TOLERANCE  (AHEAD / 4)
#define OTHER_NAME "other"

static unsigned char *ring;
static bool enabled, silent, denied, closed;
static int64_t ahead;

static long fake_syscall(long number, struct perf_event_attr *attr, pid_t pid, int cpu, int group,
			 unsigned long flags)
{
	(void)flags;
	assert_int_equal(number, SYS_perf_event_open);
	/* This thread, on any processor. */
	assert_int_equal(pid, 0);
	assert_int_equal(cpu, -1);
	assert_int_equal(group, -1);
	assert_true(attr->comm && attr->exclude_kernel && !attr->use_clockid);
	errno = EACCES;
	return denied ? -1 : FD;
}

static void *fake_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	(void)at, (void)prot, (void)flags, (void)offset;
	assert_int_equal(fd, FD);
	assert_int_equal(size, 2 * PAGE);
	ring = calloc(1, size);
	return ring;
}

static int fake_munmap(void *at, size_t size)
{
	(void)size;
	free(at);
	return 0;
}

static int fake_close(int fd)
{
	assert_int_equal(fd, FD);
	closed = true;
	return 0;
}

static int fake_ioctl(int fd, unsigned long request, int unused)
{
	(void)fd, (void)unused;
	enabled = request == PERF_EVENT_IOC_ENABLE;
	return 0;
}

static int fake_prctl(int request, char *name)
{
	struct perf_event_mmap_page *page = (void *)ring;
	unsigned char record[RECORD] = {};
	uint64_t time;
	size_t i;

	if (request == PR_GET_NAME) {
		strcpy(name, OTHER_NAME);
		return 0;
	}
	assert_int_equal(request, PR_SET_NAME);
	/* It keeps its name. */
	assert_string_equal(name, OTHER_NAME);
	if (!enabled || silent)
		return 0;
	time = clock_ns(CLOCK_MONOTONIC) + (uint64_t)ahead;
	memcpy(record + RECORD - sizeof(time), &time, sizeof(time));
	/* A reader that does not say what it has read gets no more. */
	if (page->data_head + RECORD - page->data_tail > PAGE)
		return 0;
	for (i = 0; i < RECORD; i++)
		ring[PAGE + (page->data_head + i) % PAGE] = record[i];
	page->data_head += RECORD;
	return 0;
}

static long fake_sysconf(int name)
{
	assert_int_equal(name, _SC_PAGESIZE);
	return PAGE;
}

#define syscall(...) fake_syscall(__VA_ARGS__)
#define mmap(...)    fake_mmap(__VA_ARGS__)
#define munmap(...)  fake_munmap(__VA_ARGS__)
#define ioctl(...)   fake_ioctl(__VA_ARGS__)
#define close(...)   fake_close(__VA_ARGS__)
#define prctl(...)   fake_prctl(__VA_ARGS__)
#define sysconf(...) fake_sysconf(__VA_ARGS__)
#include "source/perf_clock.c"

static struct perf_clock clock_;

static int begin(void **state)
{
	(void)state;
	enabled = silent = denied = closed = false;
	ahead = AHEAD;
	clock_ = (struct perf_clock){};
	return 0;
}

static int end(void **state)
{
	(void)state;
	perf_clock_close(&clock_);
	perf_clock_close(&clock_);
	return 0;
}

static void assert_ahead(int64_t expected)
{
	assert_true(clock_.ahead > expected - TOLERANCE && clock_.ahead < expected + TOLERANCE);
}

static void it_is_read_by_a_record_of_one_s_own(void **state)
{
	(void)state;
	assert_int_equal(perf_clock_open(&clock_), 0);
	assert_ahead(AHEAD);
	/* Names that others give this thread do not fill its ring. */
	assert_false(enabled);
}

static void it_is_read_again_after_a_second(void **state)
{
	int i;

	(void)state;
	assert_int_equal(perf_clock_open(&clock_), 0);
	ahead = 2 * AHEAD;
	perf_clock_update(&clock_);
	if (clock_ns(CLOCK_MONOTONIC) - clock_.read < PERIOD_NS)
		assert_ahead(AHEAD);
	/* Several times round the ring. */
	for (i = 3; i < 300; i++) {
		ahead = i * AHEAD;
		clock_.read -= PERIOD_NS;
		perf_clock_update(&clock_);
		assert_ahead(i * AHEAD);
	}
}

static void without_a_record_it_is_what_it_was(void **state)
{
	(void)state;
	assert_int_equal(perf_clock_open(&clock_), 0);
	silent = true;
	ahead = 2 * AHEAD;
	clock_.read -= PERIOD_NS;
	perf_clock_update(&clock_);
	assert_ahead(AHEAD);
}

static void what_fails_is_closed(void **state)
{
	(void)state;
	denied = true;
	assert_int_equal(perf_clock_open(&clock_), -EACCES);
	denied = false;
	silent = true;
	assert_int_equal(perf_clock_open(&clock_), -ENODATA);
	assert_true(closed);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_is_read_by_a_record_of_one_s_own),
		TEST(it_is_read_again_after_a_second),
		TEST(without_a_record_it_is_what_it_was),
		TEST(what_fails_is_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
