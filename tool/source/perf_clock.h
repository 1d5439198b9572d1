/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Perf clock: the one of perf's records by default, which nothing but such a record shows. It
 * drifts against CLOCK_MONOTONIC, so it is to be read again from time to time.
 */
#ifndef TOOL_PERF_CLOCK_H
#define TOOL_PERF_CLOCK_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct perf_clock - read by a record that this thread causes
 * @ahead: perf's clock minus CLOCK_MONOTONIC, when it was last read
 * @read: CLOCK_MONOTONIC then
 */
struct perf_clock {
	int64_t ahead;
	uint64_t read;

	int fd;
	struct perf_event_mmap_page *page;
	size_t page_size;
};

/* Open and read it: 0 or a negative errno, and then it is closed. */
int perf_clock_open(struct perf_clock *clock);
/* Of zeros, too. */
void perf_clock_close(struct perf_clock *clock);

/* Read it again, if it was last read a second ago or more. */
void perf_clock_update(struct perf_clock *clock);

#endif
