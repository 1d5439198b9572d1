// SPDX-License-Identifier: GPL-2.0
/*
 * Perf rings: one for each processor, as the kernel does not allow a ring to be shared by them; the
 * events of several processes on one processor share its ring. The event is one that never
 * counts: its records of mappings are what it is for.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"
#include "perf_rings.h"

/* The size of a record has 16 bits. */
#define RECORD_MAX 65536

#define PERIOD_NS (100 * 1000000L)

struct ring {
	struct perf_event_mmap_page *page;
	const unsigned char *bytes;
};

struct perf_rings {
	size_t page_size;
	size_t ring_size;
	struct ring *rings;
	size_t nr_rings;
	int *fds;
	size_t nr_fds;
	int timer;
	bool no_counts; /* of what is dropped */
	uint64_t record[RECORD_MAX / sizeof(uint64_t)];
};

/* Of a processor, or of @pid there. */
static int open_event(struct perf_rings *rings, pid_t pid, int cpu, bool data)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME,
		.read_format = rings->no_counts ? 0 : PERF_FORMAT_LOST,
		.sample_id_all = 1,
		.inherit = pid > 0,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.mmap_data = data,
		.build_id = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)rings->ring_size,
	};

	int fd = (int)syscall(SYS_perf_event_open, &attr, pid > 0 ? pid : -1, cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0 || errno != EINVAL || rings->no_counts)
		return fd;
	rings->no_counts = true;
	return open_event(rings, pid, cpu, data);
}

static int add_ring(struct perf_rings *rings, int fd)
{
	void *map;

	if (!array_reserve(rings->rings, rings->nr_rings))
		return -ENOMEM;
	map = mmap(NULL, rings->page_size + rings->ring_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		   fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	rings->rings[rings->nr_rings++] = (struct ring){
		.page = map,
		.bytes = (unsigned char *)map + rings->page_size,
	};
	return 0;
}

/* -ENODEV of a processor that is offline, -ESRCH of a thread that has ended. */
static int add_event(struct perf_rings *rings, pid_t pid, int cpu, bool data, int *leader)
{
	int fd;

	if (!array_reserve(rings->fds, rings->nr_fds))
		return -ENOMEM;
	fd = open_event(rings, pid, cpu, data);
	if (fd < 0)
		return -errno;
	rings->fds[rings->nr_fds++] = fd;
	if (*leader >= 0)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, *leader) ? -errno : 0;
	*leader = fd;
	return add_ring(rings, fd);
}

/* A thread may have ended since it was found. */
static int add_processor(struct perf_rings *rings, int cpu, const uint32_t *pids, size_t nr_pids,
			 bool data)
{
	int leader = -1;
	int err = 0;
	size_t i;

	if (!nr_pids)
		err = add_event(rings, -1, cpu, data, &leader);
	for (i = 0; i < nr_pids && !err; i++) {
		err = add_event(rings, (pid_t)pids[i], cpu, data, &leader);
		if (err == -ESRCH)
			err = 0;
	}
	return err == -ENODEV ? 0 : err;
}

static int add_timer(struct perf_rings *rings)
{
	const struct itimerspec period = { .it_interval.tv_nsec = PERIOD_NS,
					   .it_value.tv_nsec = PERIOD_NS };

	rings->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return rings->timer < 0 || timerfd_settime(rings->timer, 0, &period, NULL) ? -errno : 0;
}

int perf_rings_open(struct perf_rings **rings, const uint32_t *pids, size_t nr_pids, bool data,
		    size_t ring_size)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct perf_rings *new = calloc(1, sizeof(*new));
	int cpu, err;

	*rings = NULL;
	if (!new)
		return -ENOMEM;
	new->timer = -1;
	new->ring_size = ring_size ? ring_size : PERF_RINGS_SIZE;
	new->page_size = (size_t)sysconf(_SC_PAGESIZE);
	err = add_timer(new);
	for (cpu = 0; cpu < cpus && !err; cpu++)
		err = add_processor(new, cpu, pids, nr_pids, data);
	if (!err && !new->nr_rings)
		err = -ESRCH;
	if (err) {
		perf_rings_close(new);
		return err;
	}
	*rings = new;
	return 0;
}

void perf_rings_close(struct perf_rings *rings)
{
	size_t i;

	if (!rings)
		return;
	for (i = 0; i < rings->nr_rings; i++)
		munmap(rings->rings[i].page, rings->page_size + rings->ring_size);
	for (i = 0; i < rings->nr_fds; i++)
		close(rings->fds[i]);
	if (rings->timer >= 0)
		close(rings->timer);
	free(rings->rings);
	free(rings->fds);
	free(rings);
}

int perf_rings_fd(const struct perf_rings *rings)
{
	return rings->timer;
}

/* ------------------------------------------------------------------ read -- */

static void copy_from(const struct perf_rings *rings, const struct ring *ring, uint64_t pos,
		      void *to, size_t size)
{
	const size_t at = pos % rings->ring_size;
	const size_t first = rings->ring_size - at < size ? rings->ring_size - at : size;

	memcpy(to, ring->bytes + at, first);
	memcpy((char *)to + first, ring->bytes, size - first);
}

/* Of the first record that is unread, which has its time at its end; false when there is none. */
static bool first_time(const struct perf_rings *rings, const struct ring *ring,
		       struct perf_event_header *header, uint64_t *time)
{
	const uint64_t tail = ring->page->data_tail;

	if (__atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) == tail)
		return false;
	copy_from(rings, ring, tail, header, sizeof(*header));
	copy_from(rings, ring, tail + header->size - sizeof(*time), time, sizeof(*time));
	return true;
}

const struct perf_event_header *perf_rings_next(struct perf_rings *rings, uint64_t until,
						uint64_t *time)
{
	struct perf_event_header header, first = {};
	struct ring *from = NULL;
	uint64_t ticks, its_time;
	size_t i;

	for (i = 0; i < rings->nr_rings; i++) {
		if (!first_time(rings, &rings->rings[i], &header, &its_time) || its_time > until ||
		    (from && its_time >= *time))
			continue;
		from = &rings->rings[i];
		first = header;
		*time = its_time;
	}
	if (!from) {
		/* The next tick is the one that counts. */
		(void)!read(rings->timer, &ticks, sizeof(ticks));
		return NULL;
	}
	copy_from(rings, from, from->page->data_tail, rings->record, first.size);
	__atomic_store_n(&from->page->data_tail, from->page->data_tail + first.size,
			 __ATOMIC_RELEASE);
	return (const void *)rings->record;
}

void perf_rings_stop(struct perf_rings *rings)
{
	size_t i;

	for (i = 0; i < rings->nr_fds; i++)
		ioctl(rings->fds[i], PERF_EVENT_IOC_DISABLE, 0);
}

bool perf_rings_dropped(const struct perf_rings *rings, uint64_t *count)
{
	uint64_t values[2]; /* of the event, and what it lost */
	size_t i;

	*count = 0;
	if (rings->no_counts)
		return false;
	for (i = 0; i < rings->nr_fds; i++) {
		if (read(rings->fds[i], values, sizeof(values)) != sizeof(values))
			return false;
		*count += values[1];
	}
	return true;
}
