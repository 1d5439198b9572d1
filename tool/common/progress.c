// SPDX-License-Identifier: GPL-2.0

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "progress.h"

/* Nanoseconds: what ends earlier shows nothing. */
#define MOMENT 500000000ULL
#define PERIOD 100000000ULL

static struct {
	bool disabled;
	bool shown;
	char object[64];
	uint64_t next; /* when to show more; 0 without work */
} line;

/* Names are others': nothing of them may control the terminal. */
static void progress_begin(const char *object)
{
	size_t i;

	snprintf(line.object, sizeof(line.object), "%s", object);
	for (i = 0; line.object[i]; i++)
		if (line.object[i] < ' ' || line.object[i] > '~')
			line.object[i] = '?';
	line.next = clock_ns(CLOCK_MONOTONIC) + MOMENT;
	line.disabled |= !isatty(STDERR_FILENO);
}

void progress_show(const char *object, uint64_t done, uint64_t total, const char *unit)
{
	uint64_t now;

	if (line.disabled)
		return;
	if (!line.next)
		progress_begin(object);
	now = clock_ns(CLOCK_MONOTONIC);
	if (now < line.next)
		return;
	line.next = now + PERIOD;
	line.shown = true;
	if (total)
		fprintf(stderr, "\rbuildid: %s: %3u %%\033[K\r", line.object,
			(unsigned int)(done >= total ? 100 : done * 100 / total));
	else
		fprintf(stderr, "\rbuildid: %s: %" PRIu64 " %s\033[K\r", line.object, done, unit);
}

void progress_clear(void)
{
	if (line.shown)
		fputs("\r\033[K", stderr);
	line.shown = false;
	line.next = 0;
}

void progress_disable(void)
{
	line.disabled = true;
}
