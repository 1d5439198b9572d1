// SPDX-License-Identifier: GPL-2.0
/*
 * Sampler: one ring per CPU. The event is the CPU clock, which every machine has,
 * also a virtual one without counters.
 */

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sampler.h"

#define RING_SIZE (1U << 20) /* a power of two */
/* The size of a record has 16 bits. */
#define RECORD_MAX 65536

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	const unsigned char *bytes;
};

struct sampler {
	size_t page_size;
	size_t nr_rings;
	struct ring *rings;
	uint64_t record[RECORD_MAX / sizeof(uint64_t)];
};

/* The layouts that follow from sample_type below. */
struct sample {
	struct perf_event_header header;
	uint64_t address;
	uint32_t pid, tid;
	uint64_t time;
};

struct fork {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct comm {
	struct perf_event_header header;
	uint32_t pid, tid;
};

struct lost {
	struct perf_event_header header;
	uint64_t id, count;
};

static int open_event(pid_t pid, int cpu, unsigned int frequency)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = frequency,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.disabled = pid > 0,
		.enable_on_exec = pid > 0,
		.inherit = pid > 0,
		.exclude_idle = 1,
		/* For FORK records, and COMM records that are an exec. */
		.task = 1,
		.comm = 1,
		.comm_exec = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid > 0 ? pid : -1, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static int open_ring(struct sampler *sampler, struct ring *ring, pid_t pid, int cpu,
		     unsigned int frequency)
{
	void *map;

	ring->fd = open_event(pid, cpu, frequency);
	if (ring->fd < 0)
		return -1;
	map = mmap(NULL, sampler->page_size + RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		   ring->fd, 0);
	if (map == MAP_FAILED)
		return -1;
	ring->page = map;
	ring->bytes = (unsigned char *)map + sampler->page_size;
	return 0;
}

void sampler_close(struct sampler *sampler)
{
	size_t i;

	if (!sampler)
		return;
	for (i = 0; i < sampler->nr_rings; i++) {
		if (sampler->rings[i].page)
			munmap(sampler->rings[i].page, sampler->page_size + RING_SIZE);
		if (sampler->rings[i].fd >= 0)
			close(sampler->rings[i].fd);
	}
	free(sampler->rings);
	free(sampler);
}

struct sampler *sampler_open(pid_t pid, unsigned int frequency)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct sampler *sampler = calloc(1, sizeof(*sampler));
	int cpu;
	int error;

	if (!sampler)
		return NULL;
	sampler->page_size = (size_t)sysconf(_SC_PAGESIZE);
	sampler->rings = calloc((size_t)cpus, sizeof(*sampler->rings));
	for (cpu = 0; sampler->rings && cpu < cpus; cpu++) {
		struct ring *ring = &sampler->rings[sampler->nr_rings];

		/* A CPU that is offline has none. */
		if (!open_ring(sampler, ring, pid, cpu, frequency))
			sampler->nr_rings++;
		else if (errno != ENODEV)
			goto fail;
	}
	if (sampler->nr_rings)
		return sampler;
fail:
	error = errno;
	sampler_close(sampler);
	errno = error;
	return NULL;
}

/* ------------------------------------------------------------------ read -- */

static void copy_out(const struct ring *ring, uint64_t pos, void *to, size_t size)
{
	size_t at = pos & (RING_SIZE - 1);
	size_t first = RING_SIZE - at < size ? RING_SIZE - at : size;

	memcpy(to, ring->bytes + at, first);
	memcpy((unsigned char *)to + first, ring->bytes, size - first);
}

/* Records other than samples have it at their end. */
static uint64_t time_of(const struct perf_event_header *header)
{
	uint64_t time;

	memcpy(&time, (const unsigned char *)header + header->size - sizeof(time), sizeof(time));
	return time;
}

static bool to_event(const struct perf_event_header *header, struct sampler_event *event)
{
	const struct sample *sample = (const void *)header;
	const struct fork *fork = (const void *)header;
	const struct comm *comm = (const void *)header;

	*event = (struct sampler_event){ .time = time_of(header) };
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		event->type = SAMPLER_SAMPLE;
		event->time = sample->time;
		event->pid = sample->pid;
		event->address = sample->address;
		event->kernel = (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
				PERF_RECORD_MISC_KERNEL;
		return true;
	case PERF_RECORD_FORK:
		event->type = SAMPLER_FORK;
		event->pid = fork->pid;
		event->parent = fork->ppid;
		return fork->pid != fork->ppid;
	case PERF_RECORD_COMM:
		event->type = SAMPLER_EXEC;
		event->pid = comm->pid;
		return header->misc & PERF_RECORD_MISC_COMM_EXEC;
	case PERF_RECORD_LOST:
		event->type = SAMPLER_LOST;
		event->lost = ((const struct lost *)header)->count;
		return true;
	default:
		return false;
	}
}

static void read_ring(struct sampler *sampler, const struct ring *ring,
		      void (*handle)(const struct sampler_event *event, void *data), void *data)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	struct perf_event_header header;
	struct sampler_event event;

	while (tail != head) {
		copy_out(ring, tail, &header, sizeof(header));
		copy_out(ring, tail, sampler->record, header.size);
		if (to_event((const void *)sampler->record, &event))
			handle(&event, data);
		tail += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

void sampler_read(struct sampler *sampler,
		  void (*handle)(const struct sampler_event *event, void *data), void *data)
{
	size_t i;

	for (i = 0; i < sampler->nr_rings; i++)
		read_ring(sampler, &sampler->rings[i], handle, data);
}
