// SPDX-License-Identifier: GPL-2.0
/* The events of a perf.data: one after the other, in memory. */

#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "perf_events.h"
#include "perfdata/format.h"

struct events {
	const unsigned char *next;
	const unsigned char *end;
	bool pipe;
	struct perfdata_event header;
	size_t size; /* with what is behind it and not counted in its own */
};

static void begin(struct events *events, const unsigned char *bytes, size_t size)
{
	struct perfdata_header header = {};

	memcpy(&header, bytes, size < sizeof(header) ? size : sizeof(header));
	events->pipe = header.size == PERFDATA_PIPE_HEADER;
	events->next = bytes + (events->pipe ? PERFDATA_PIPE_HEADER : header.data.offset);
	events->end = events->pipe ? bytes + size : events->next + header.data.size;
	events->size = 0;
	if (events->next > events->end || events->end > bytes + size)
		fuzz_die("events outside of the file");
}

static bool next(struct events *events)
{
	uint64_t payload = 0;
	uint32_t tracing;

	events->next += events->size;
	if (events->next == events->end)
		return false;
	memcpy(&events->header, events->next, sizeof(events->header));
	if (events->header.type == PERFDATA_AUXTRACE) {
		memcpy(&payload, events->next + sizeof(events->header), sizeof(payload));
	} else if (events->header.type == PERFDATA_TRACING_DATA && events->pipe) {
		memcpy(&tracing, events->next + sizeof(events->header), sizeof(tracing));
		payload = ((uint64_t)tracing + 7) & ~7ULL;
	}
	events->size = events->header.size + payload;
	if (events->size < sizeof(events->header) ||
	    events->size > (size_t)(events->end - events->next))
		fuzz_die("an event of type %u is outside", events->header.type);
	return true;
}

static bool is_mapping(const struct perfdata_event *event)
{
	return (event->type == PERFDATA_MMAP && event->size >= sizeof(struct perfdata_mmap)) ||
	       (event->type == PERFDATA_MMAP2 && event->size >= sizeof(struct perfdata_mmap2));
}

/* Kept in any form, dropped, or added: of modules, and of build-ids. */
static bool is_free(const struct events *events)
{
	const struct perfdata_event *event = &events->header;
	uint32_t pid;

	memcpy(&pid, events->next + sizeof(*event), event->size < 12 ? 0 : sizeof(pid));
	return event->type == PERFDATA_KSYMBOL || event->type == PERFDATA_BUILD_ID ||
	       event->type == PERFDATA_EVENT_TYPE || event->type == PERFDATA_FEATURE ||
	       (is_mapping(event) && pid == UINT32_MAX);
}

static bool next_fixed(struct events *events)
{
	while (next(events))
		if (!is_free(events))
			return true;
	return false;
}

static bool has_compressed(const unsigned char *bytes, size_t size)
{
	struct events events;

	begin(&events, bytes, size);
	while (next(&events))
		if (events.header.type == PERFDATA_COMPRESSED ||
		    events.header.type == PERFDATA_COMPRESSED2)
			return true;
	return false;
}

/* What is behind the name: the time, among others. */
static size_t trailer(const struct events *events, const unsigned char **bytes)
{
	size_t at = events->header.type == PERFDATA_MMAP ? sizeof(struct perfdata_mmap) :
							   sizeof(struct perfdata_mmap2);

	at += PERFDATA_NAME_ROOM(strnlen((const char *)events->next + at, events->size - at));
	*bytes = events->next + at;
	return at < events->size ? events->size - at : 0;
}

static bool is_same_mapping(const struct events *one, const struct events *other)
{
	const size_t from = sizeof(one->header);
	const unsigned char *behind, *behind_other;
	size_t size = trailer(one, &behind), size_other = trailer(other, &behind_other);

	/* pid, tid, start, len, pgoff */
	return !memcmp(one->next + from, other->next + from, sizeof(struct perfdata_mmap) - from) &&
	       size == size_other && !memcmp(behind, behind_other, size);
}

static void compare(const struct events *one, const struct events *other)
{
	if (is_mapping(&one->header) && is_mapping(&other->header)) {
		if (is_same_mapping(one, other))
			return;
	} else if (one->size == other->size && !memcmp(one->next, other->next, one->size)) {
		return;
	}
	fuzz_die("an event of type %u and %zu bytes became one of type %u and %zu bytes",
		 one->header.type, one->size, other->header.type, other->size);
}

static unsigned char *read_all(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char *bytes = NULL;
	struct stat status;

	if (fd >= 0 && !fstat(fd, &status))
		bytes = malloc((size_t)status.st_size + 1);
	if (!bytes || read(fd, bytes, (size_t)status.st_size) != status.st_size)
		err(1, "%s", path);
	*size = (size_t)status.st_size;
	close(fd);
	return bytes;
}

void perf_events_compare(const unsigned char *bytes, size_t size, const char *annotated)
{
	struct events before, after;
	unsigned char *copy;
	size_t copy_size;
	bool more;

	if (has_compressed(bytes, size)) {
		fuzz_count("compressed events, not compared");
		return;
	}
	copy = read_all(annotated, &copy_size);
	begin(&before, bytes, size);
	begin(&after, copy, copy_size);
	while ((more = next_fixed(&before)) && next_fixed(&after))
		compare(&before, &after);
	if (more || next_fixed(&after))
		fuzz_die("%s event of type %u", more ? "lost an" : "a new",
			 more ? before.header.type : after.header.type);
	fuzz_count("the same events");
	free(copy);
}
