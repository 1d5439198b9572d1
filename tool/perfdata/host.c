// SPDX-License-Identifier: GPL-2.0
/*
 * perf.data: when and where it was recorded. An identity is only good for the same boot
 * of the same machine: there is no boot id in a perf.data, but a host name, the address
 * of _text, and the clock of its times.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file.h"

#define TEXT_NAME PERFDATA_KERNEL_NAME "_text"

enum perfdata_clock perfdata_clock(const struct perfdata *data)
{
	size_t i;

	for (i = 0; i < data->nr_formats; i++)
		if (data->formats[i].clock != PERFDATA_CLOCK_NONE && data->formats[i].sample_id_all)
			return data->formats[i].clock;
	return PERFDATA_CLOCK_NONE;
}

bool perfdata_clock_pair(struct perfdata *data, uint64_t *real, uint64_t *time)
{
	struct perfdata_clock_data pair = {};
	unsigned char *bytes;
	size_t size;

	if (perfdata_feature(data, PERFDATA_FEATURE_CLOCK_DATA, &bytes, &size))
		return false;
	if (size >= sizeof(pair))
		memcpy(&pair, bytes, sizeof(pair));
	free(bytes);
	*real = pair.real;
	*time = pair.clock;
	return pair.version == 1 && pair.clock;
}

/*
 * Within a round perf reads one CPU's buffer after the other. What a buffer still held back in
 * the first round comes in the second, and all later rounds are of later times.
 */
#define FIRST_ROUNDS 2

static void take_time(uint64_t *earliest, uint64_t time)
{
	if (time && (!*earliest || time < *earliest))
		*earliest = time;
}

/* Take SAMPLEs in memory at once: with uniform attrs they have their times at one offset. */
static void take_samples(struct perfdata *data, uint64_t *earliest)
{
	const struct perfdata_sample_format *format = data->formats;
	const unsigned char *bytes, *end;
	struct perfdata_event event;
	uint64_t time;
	size_t size;

	if (!data->nr_formats || !data->uniform || !(format->sample_type & PERFDATA_SAMPLE_TIME))
		return;
	size = perfdata_next_samples(data, &bytes);
	if (!size)
		return;
	for (end = bytes + size; bytes < end; bytes += event.size) {
		memcpy(&event, bytes, sizeof(event));
		if (format->time + sizeof(time) > event.size)
			continue;
		memcpy(&time, bytes + format->time, sizeof(time));
		take_time(earliest, time);
	}
}

/* perf writes the kernel's mapping before any event with a time. */
int perfdata_begin(struct perfdata *data, uint64_t *time, uint64_t *text)
{
	struct perfdata_mapping mapping;
	struct perfdata_item item;
	int rounds = 0;
	int answer = 0;

	*time = 0;
	*text = 0;
	perfdata_rewind(data);
	while (rounds < FIRST_ROUNDS && (answer = perfdata_next(data, &item)) > 0) {
		take_time(time, perfdata_time(data, item.event));
		if (*time && item.event->type == PERFDATA_FINISHED_ROUND)
			rounds++;
		if (!*text && perfdata_mapping(data, item.event, &mapping) &&
		    mapping.kind == PERFDATA_KIND_KERNEL && !strcmp(mapping.path, TEXT_NAME))
			*text = mapping.pgoff;
		if (rounds < FIRST_ROUNDS)
			take_samples(data, time);
	}
	return answer < 0 ? -1 : 0;
}

bool perfdata_stat(const struct perfdata *data, struct stat *status)
{
	return data->nr_streams && !fstat(data->streams[0].fd, status);
}

uint64_t perfdata_modified(const struct perfdata *data)
{
	struct stat status;

	if (!perfdata_stat(data, &status))
		return 0;
	return (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
}

int perfdata_host(struct perfdata *data, char name[PERFDATA_HOST_MAX])
{
	unsigned char *bytes;
	uint32_t length = 0;
	size_t size;

	*name = '\0';
	if (perfdata_feature(data, PERFDATA_FEATURE_HOSTNAME, &bytes, &size))
		return -1;
	if (size > sizeof(length))
		memcpy(&length, bytes, sizeof(length));
	if (length && length <= size - sizeof(length)) {
		if (length > PERFDATA_HOST_MAX - 1)
			length = PERFDATA_HOST_MAX - 1;
		memcpy(name, bytes + sizeof(length), length);
		name[length] = '\0';
	}
	free(bytes);
	return 0;
}
