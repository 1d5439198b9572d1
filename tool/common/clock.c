// SPDX-License-Identifier: GPL-2.0
/*
 * Clock: a time namespace, as a container may have, offsets two clocks for its processes. What the
 * kernel records is in the initial one.
 */

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

/* The inode of the initial namespace, on every Linux. */
#define INITIAL "time:[4026531834]"

#define SECOND 1000000000

static bool read_namespace(const char *name, char text[64])
{
	ssize_t size = readlink(name, text, 63);

	text[size > 0 ? size : 0] = '\0';
	return size > 0;
}

/* The offsets in /proc apply to children, and differ from our own after unshare(2). */
static bool are_ours(void)
{
	char own[64], children[64];

	return read_namespace("/proc/self/ns/time", own) && strcmp(own, INITIAL) &&
	       read_namespace("/proc/self/ns/time_for_children", children) &&
	       !strcmp(own, children);
}

struct shifts {
	bool known;
	int64_t mono, boot;
};

static void read_shifts(struct shifts *shifts)
{
	FILE *file = are_ours() ? fopen("/proc/self/timens_offsets", "re") : NULL;
	int64_t seconds, nanoseconds, all;
	char name[16];

	shifts->known = true;
	while (file &&
	       fscanf(file, "%15s %" SCNd64 " %" SCNd64, name, &seconds, &nanoseconds) == 3) {
		all = seconds * SECOND + nanoseconds;
		if (!strcmp(name, "monotonic"))
			shifts->mono = all;
		else if (!strcmp(name, "boottime"))
			shifts->boot = all;
	}
	if (file)
		fclose(file);
}

int64_t clock_shift(clockid_t clock)
{
	static struct shifts shifts;

	if (clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME)
		return 0;
	if (!shifts.known)
		read_shifts(&shifts);
	return clock == CLOCK_MONOTONIC ? shifts.mono : shifts.boot;
}

uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec - (uint64_t)clock_shift(clock);
}
