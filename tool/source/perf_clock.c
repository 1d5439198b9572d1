// SPDX-License-Identifier: GPL-2.0
/* Perf clock: a thread that gives itself its own name again makes a record of that. */

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.h"
#include "perf_clock.h"

#define PERIOD_NS 1000000000ULL
/* The least delay of these counts. */
#define READS 3

/* The ring has one page, which is read before it is full. */
static uint64_t last_time(const struct perf_clock *clock, uint64_t head)
{
	const unsigned char *bytes = (const unsigned char *)clock->page + clock->page_size;
	uint64_t time;

	/* At the end of the record, and of the same alignment as the ring. */
	memcpy(&time, bytes + (head - sizeof(time)) % clock->page_size, sizeof(time));
	return time;
}

/* False where no record came, as on another thread than that of perf_clock_open(). */
static bool read_once(struct perf_clock *clock, uint64_t *best)
{
	char name[16] = "";
	uint64_t before, after, head;

	prctl(PR_GET_NAME, name);
	before = clock_ns(CLOCK_MONOTONIC);
	prctl(PR_SET_NAME, name);
	after = clock_ns(CLOCK_MONOTONIC);
	head = __atomic_load_n(&clock->page->data_head, __ATOMIC_ACQUIRE);
	if (head == clock->page->data_tail)
		return false;
	__atomic_store_n(&clock->page->data_tail, head, __ATOMIC_RELEASE);
	if (after - before >= *best)
		return true;
	*best = after - before;
	clock->ahead = (int64_t)(last_time(clock, head) - before - (after - before) / 2);
	clock->read = after;
	return true;
}

static bool read_clock(struct perf_clock *clock)
{
	uint64_t best = UINT64_MAX;
	bool good = true;
	int i;

	/* Else other names that this thread is given fill the ring. */
	ioctl(clock->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < READS && good; i++)
		good = read_once(clock, &best);
	ioctl(clock->fd, PERF_EVENT_IOC_DISABLE, 0);
	return good;
}

int perf_clock_open(struct perf_clock *clock)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.comm = 1,
	};
	int err;

	*clock = (struct perf_clock){ .page_size = (size_t)sysconf(_SC_PAGESIZE) };
	clock->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (clock->fd < 0)
		return -errno;
	clock->page =
		mmap(NULL, 2 * clock->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, clock->fd, 0);
	if (clock->page == MAP_FAILED) {
		err = -errno;
		close(clock->fd);
		clock->page = NULL;
		return err;
	}
	err = read_clock(clock) ? 0 : -ENODATA;
	if (err)
		perf_clock_close(clock);
	return err;
}

void perf_clock_close(struct perf_clock *clock)
{
	if (!clock->page)
		return;
	munmap(clock->page, 2 * clock->page_size);
	close(clock->fd);
	*clock = (struct perf_clock){};
}

void perf_clock_update(struct perf_clock *clock)
{
	if (clock->page && clock_ns(CLOCK_MONOTONIC) - clock->read >= PERIOD_NS)
		read_clock(clock);
}
