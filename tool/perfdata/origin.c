// SPDX-License-Identifier: GPL-2.0
/* perf.data: when it was recorded, and where. */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file.h"

#define TEXT_NAME "[kernel.kallsyms]_text"

enum perfdata_clock perfdata_clock(const struct perfdata *data)
{
	size_t i;

	for (i = 0; i < data->nr_layouts; i++)
		if (data->layouts[i].clock != PERFDATA_CLOCK_NONE && data->layouts[i].sample_id_all)
			return data->layouts[i].clock;
	return PERFDATA_CLOCK_NONE;
}

int perfdata_begin(struct perfdata *data, uint64_t *time)
{
	struct perfdata_item item;
	int answer;

	*time = 0;
	perfdata_rewind(data);
	do {
		answer = perfdata_next(data, &item);
		if (answer > 0)
			*time = perfdata_time(data, item.event);
	} while (answer > 0 && !*time);
	return answer < 0 ? -1 : 0;
}

uint64_t perfdata_modified(const struct perfdata *data)
{
	struct stat status;

	if (!data->nr_streams || fstat(data->streams[0].fd, &status))
		return 0;
	return (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
}

int perfdata_text(struct perfdata *data, uint64_t *address)
{
	struct perfdata_mapping mapping;
	struct perfdata_item item;
	int answer;

	*address = 0;
	perfdata_rewind(data);
	while ((answer = perfdata_next(data, &item)) > 0) {
		if (perfdata_mapping(data, item.event, &mapping) &&
		    mapping.kind == PERFDATA_KIND_KERNEL && !strcmp(mapping.path, TEXT_NAME)) {
			*address = mapping.pgoff;
			break;
		}
		/* perf tells of the kernel before anything happens. */
		if (perfdata_time(data, item.event))
			break;
	}
	return answer < 0 ? -1 : 0;
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
