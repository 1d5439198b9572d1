// SPDX-License-Identifier: GPL-2.0
/*
 * perf.data: read one event after the other, decompressed.
 *
 * perf record -z makes one zstd stream of the events and cuts it into COMPRESSED events, at any
 * byte: an event may begin in one and end in the next. So there are two buffers, one of the file's
 * bytes and one of decompressed ones, and in both an event at the end is moved to the beginning
 * before more is read. AUX data and tracing data follow their events and are not counted in the
 * event's size (payload).
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "common/progress.h"
#include "file.h"

#define BUFFER		    (1U << 20)
#define DECOMPRESSED_BUFFER (256U << 10)
/* Real events decompress to some thirty times their size; a decompression bomb, to more. */
#define EXPANDED_FREE  (64ULL << 20)
#define EXPANDED_TIMES 1000

static const struct perfdata_stream *stream_of(const struct perfdata *data)
{
	return &data->streams[data->current];
}

uint64_t perfdata_offset(const struct perfdata *data)
{
	return data->position - (data->filled - data->start);
}

/* The error with its place in the file. */
static int fail_at(struct perfdata *data, const char *what, uint64_t offset)
{
	const char *name = stream_of(data)->name;

	return perfdata_fail(data, "%s at byte %" PRIu64 "%s%s", what, offset, name ? " of " : "",
			     name ? name : "");
}

static int cut_short(struct perfdata *data)
{
	return fail_at(data, "cut short: ends in an event", perfdata_offset(data));
}

/* ------------------------------------------------------------------ reading -- */

static void reset_decompression(struct perfdata *data)
{
	if (data->zstd)
		ZSTD_DCtx_reset(data->zstd, ZSTD_reset_session_only);
	data->nr_compressed = 0;
	data->expanded = 0;
	data->decompressing = false;
	data->decompressed_start = 0;
	data->decompressed_filled = 0;
}

static void begin_stream(struct perfdata *data, size_t number)
{
	data->current = number;
	data->start = 0;
	data->filled = 0;
	data->payload = 0;
	reset_decompression(data);
	if (number < data->nr_streams)
		data->position = stream_of(data)->begin;
}

void perfdata_rewind(struct perfdata *data)
{
	begin_stream(data, 0);
}

void perfdata_skip(struct perfdata *data, uint64_t offset)
{
	uint64_t skipped = offset - perfdata_offset(data);

	if (skipped <= data->filled - data->start) {
		data->start += (size_t)skipped;
		return;
	}
	data->start = data->filled = 0;
	data->position = offset;
}

static int make_buffers(struct perfdata *data)
{
	if (data->buffer)
		return 0;
	data->buffer = malloc(BUFFER);
	data->aligned = malloc(PERFDATA_EVENT_MAX);
	return data->buffer && data->aligned ? 0 : perfdata_no_memory(data);
}

static void tell_progress(const struct perfdata *data)
{
	uint64_t done = data->position - stream_of(data)->begin, total = 0;
	size_t i;

	for (i = 0; i < data->nr_streams; i++) {
		total += data->streams[i].end - data->streams[i].begin;
		if (i < data->current)
			done += data->streams[i].end - data->streams[i].begin;
	}
	progress_show(data->path, done, total, "bytes");
}

/* Read more into the buffer; 0 at the end of the stream. */
static int events_fill(struct perfdata *data)
{
	const struct perfdata_stream *stream = stream_of(data);
	uint64_t rest = stream->end - data->position;
	size_t left = data->filled - data->start;
	size_t room = BUFFER - left;
	ssize_t done;

	memmove(data->buffer, data->buffer + data->start, left);
	data->start = 0;
	data->filled = left;
	if (rest < room)
		room = (size_t)rest;
	if (!room)
		return 0;
	do {
		done = pread(stream->fd, data->buffer + left, room, (off_t)data->position);
	} while (done < 0 && errno == EINTR);
	if (done < 0)
		return perfdata_fail(data, "byte %" PRIu64 ": %s", data->position, strerror(errno));
	data->position += (uint64_t)done;
	data->filled += (size_t)done;
	if (!data->quiet)
		tell_progress(data);
	return done > 0;
}

/* Read until @size bytes are in the buffer; 0 if the stream ends before. */
static int events_need(struct perfdata *data, size_t size)
{
	int answer;

	while (data->filled - data->start < size) {
		answer = events_fill(data);
		if (answer <= 0)
			return answer;
	}
	return 1;
}

long perfdata_payload(struct perfdata *data, void *bytes, size_t size)
{
	size_t there;
	int answer;

	if (!data->payload)
		return 0;
	answer = events_need(data, 1);
	if (answer < 0)
		return -1;
	if (!answer)
		return cut_short(data);
	there = data->filled - data->start;
	if (size > there)
		size = there;
	if (size > data->payload)
		size = (size_t)data->payload;
	if (bytes)
		memcpy(bytes, data->buffer + data->start, size);
	data->start += size;
	data->payload -= size;
	return (long)size;
}

/* Seek over it: AUX data is most of a file that has any. */
static int skip_payload(struct perfdata *data)
{
	size_t there = data->filled - data->start;

	if (there > data->payload)
		there = (size_t)data->payload;
	data->start += there;
	data->payload -= there;
	if (data->payload > stream_of(data)->end - data->position)
		return cut_short(data);
	data->position += data->payload;
	data->payload = 0;
	return 0;
}

/* ------------------------------------------------------------------- events -- */

static struct perfdata_event header_at(const unsigned char *bytes)
{
	struct perfdata_event event;

	memcpy(&event, bytes, sizeof(event));
	return event;
}

static const struct perfdata_event *aligned(struct perfdata *data, const unsigned char *bytes,
					    size_t size)
{
	if ((uintptr_t)bytes % 8) {
		memcpy(data->aligned, bytes, size);
		return (const void *)data->aligned;
	}
	return (const void *)bytes;
}

/*
 * The size if it is a SAMPLE, else 0. Kept short: samples are most of a file, and of the run time.
 */
static inline size_t size_of_sample(const unsigned char *bytes)
{
	const unsigned int shift = 8 * offsetof(struct perfdata_event, size);
	uint64_t event;

	memcpy(&event, bytes, sizeof(event));
	if ((uint32_t)event != PERFDATA_SAMPLE || event >> shift < sizeof(event))
		return 0;
	return event >> shift;
}

/* The length of the complete SAMPLEs at the beginning of @bytes. */
static size_t size_of_samples(const unsigned char *bytes, size_t size)
{
	const size_t two = 2 * PERFDATA_EVENT_MAX;
	const unsigned char *at = bytes, *end = bytes + size;
	const unsigned char *two_left = size > two ? end - two : bytes;
	size_t sample;

	while (at < two_left && (sample = size_of_sample(at))) {
		at += sample;
		at += size_of_sample(at);
	}
	while ((size_t)(end - at) >= sizeof(struct perfdata_event)) {
		sample = size_of_sample(at);
		if (!sample || sample > (size_t)(end - at))
			break;
		at += sample;
	}
	return (size_t)(at - bytes);
}

size_t perfdata_next_samples(struct perfdata *data, const unsigned char **bytes)
{
	size_t size;

	if (*data->error || !data->buffer || data->payload)
		return 0;
	if (data->decompressing || data->decompressed_start < data->decompressed_filled) {
		*bytes = data->decompressed + data->decompressed_start;
		size = size_of_samples(*bytes,
				       data->decompressed_filled - data->decompressed_start);
		data->decompressed_start += size;
	} else {
		*bytes = data->buffer + data->start;
		size = size_of_samples(*bytes, data->filled - data->start);
		data->start += size;
	}
	return size;
}

/* How many bytes follow @event that its size does not count. */
static int payload_of(struct perfdata *data, const struct perfdata_event *event, uint64_t offset,
		      uint64_t *payload)
{
	*payload = 0;
	if (event->type == PERFDATA_AUXTRACE) {
		if (event->size < sizeof(struct perfdata_auxtrace))
			return fail_at(data, "damaged: no size of AUX data", offset);
		*payload = ((const struct perfdata_auxtrace *)event)->size;
		data->aux_events = true;
	} else if (event->type == PERFDATA_TRACING_DATA && data->pipe) {
		if (event->size < sizeof(struct perfdata_tracing_data))
			return fail_at(data, "damaged: no size of tracing data", offset);
		*payload = ((const struct perfdata_tracing_data *)event)->size;
		*payload = (*payload + 7) & ~7ULL;
	}
	if (*payload > stream_of(data)->end - offset)
		return fail_at(data, "cut short: ends in the data behind an event", offset);
	return 1;
}

/* The next event of the file itself. */
static int next_of_file(struct perfdata *data, struct perfdata_item *item)
{
	struct perfdata_event event;
	int answer;

	answer = events_need(data, sizeof(event));
	if (answer < 0)
		return -1;
	if (!answer)
		return data->filled == data->start ? 0 : cut_short(data);
	event = header_at(data->buffer + data->start);
	if (event.size < sizeof(event))
		return fail_at(data, "damaged: an event without a size", perfdata_offset(data));
	answer = events_need(data, event.size);
	if (answer <= 0)
		return answer < 0 ? -1 : cut_short(data);

	item->offset = perfdata_offset(data);
	item->event = aligned(data, data->buffer + data->start, event.size);
	item->decompressed = false;
	data->start += event.size;
	answer = payload_of(data, item->event, item->offset, &item->payload);
	if (answer > 0)
		data->payload = item->payload;
	return answer;
}

/* --------------------------------------------------------------- compressed -- */

static bool is_compressed(const struct perfdata_event *event)
{
	return event->type == PERFDATA_COMPRESSED || event->type == PERFDATA_COMPRESSED2;
}

static int begin_decompressing(struct perfdata *data, const struct perfdata_item *item)
{
	const struct perfdata_compressed2 *compressed = (const void *)item->event;
	size_t skip = sizeof(*item->event);

	if (!data->zstd) {
		data->zstd = ZSTD_createDCtx();
		data->decompressed = malloc(DECOMPRESSED_BUFFER);
		if (!data->zstd || !data->decompressed)
			return perfdata_no_memory(data);
	}
	data->nr_compressed = item->event->size - skip;
	if (item->event->type == PERFDATA_COMPRESSED2) {
		skip = sizeof(*compressed);
		if (item->event->size < skip || compressed->size > item->event->size - skip)
			return fail_at(data, "damaged: compressed data without a size",
				       item->offset);
		data->nr_compressed = (size_t)compressed->size;
	}
	/* Point into the buffer, as the aligned copy is reused. */
	data->compressed = data->buffer + data->start - item->event->size + skip;
	data->compressed_at = item->offset;
	data->decompressing = true;
	return 1;
}

/* Decompress some more; 0 when that needs the next event of the file. */
static int events_decompress(struct perfdata *data)
{
	ZSTD_inBuffer in = { .src = data->compressed, .size = data->nr_compressed };
	ZSTD_outBuffer out = { .dst = data->decompressed, .size = DECOMPRESSED_BUFFER };
	size_t left = data->decompressed_filled - data->decompressed_start;
	size_t result;

	if (!data->decompressing)
		return 0;
	memmove(data->decompressed, data->decompressed + data->decompressed_start, left);
	out.pos = left;
	result = ZSTD_decompressStream(data->zstd, &out, &in);
	if (ZSTD_isError(result))
		return perfdata_fail(data, "damaged: compressed data at byte %" PRIu64 ": %s",
				     data->compressed_at, ZSTD_getErrorName(result));
	data->compressed += in.pos;
	data->nr_compressed -= in.pos;
	/* With a full output, zstd may hold back more. */
	data->decompressing = data->nr_compressed || out.pos == out.size;
	if (out.pos == left && !in.pos)
		data->decompressing = false;
	data->decompressed_start = 0;
	data->decompressed_filled = out.pos;
	data->expanded += out.pos - left;
	if (data->expanded > EXPANDED_FREE + EXPANDED_TIMES * data->position)
		return fail_at(data, "decompresses to more than 1000 times its size",
			       data->compressed_at);
	return 1;
}

/* Events with a payload, or whose size determines an allocation, must not be compressed. */
static bool may_be_compressed(const struct perfdata_event *event)
{
	return !is_compressed(event) && event->type != PERFDATA_AUXTRACE &&
	       event->type != PERFDATA_TRACING_DATA && event->type != PERFDATA_ATTR;
}

/* The next completely decompressed event; 0 if there is none. */
static int next_decompressed(struct perfdata *data, struct perfdata_item *item)
{
	size_t there = data->decompressed_filled - data->decompressed_start;
	const unsigned char *bytes;
	struct perfdata_event event;

	if (there < sizeof(event))
		return 0;
	bytes = data->decompressed + data->decompressed_start;
	event = header_at(bytes);
	if (event.size < sizeof(event))
		return fail_at(data, "damaged: an event without a size, compressed",
			       data->compressed_at);
	if (there < event.size)
		return 0;
	if (!may_be_compressed(&event))
		return fail_at(data, "damaged: an event that cannot be compressed",
			       data->compressed_at);

	item->event = aligned(data, bytes, event.size);
	item->offset = data->compressed_at;
	item->payload = 0;
	item->decompressed = true;
	data->decompressed_start += event.size;
	return 1;
}

static int next_of_compressed(struct perfdata *data, struct perfdata_item *item)
{
	int answer;

	for (;;) {
		answer = next_decompressed(data, item);
		if (answer)
			return answer;
		answer = events_decompress(data);
		if (answer <= 0)
			return answer;
	}
}

/* ---------------------------------------------------------------------- all -- */

/* A pipe's output has its attrs as events. */
static int read_attr(struct perfdata *data, const struct perfdata_event *event)
{
	const struct perfdata_attr *attr = (const void *)(event + 1);
	size_t room = event->size - sizeof(*event);

	if (event->type != PERFDATA_ATTR || !data->pipe || data->attrs_read)
		return 1;
	if (room < PERFDATA_ATTR_MIN || attr->size < PERFDATA_ATTR_MIN || attr->size > room ||
	    attr->size % 8)
		return perfdata_fail(data, "damaged: an attr without a size");
	return perfdata_add_attr(data, attr, attr->size,
				 (const void *)((const char *)attr + attr->size),
				 (room - attr->size) / 8) ?
		       -1 :
		       1;
}

static int next_of_stream(struct perfdata *data, struct perfdata_item *item)
{
	int answer;

	for (;;) {
		answer = data->zstd ? next_of_compressed(data, item) : 0;
		if (answer)
			return answer;
		if (data->payload && skip_payload(data) < 0)
			return -1;
		answer = next_of_file(data, item);
		if (answer <= 0)
			break;
		if (!is_compressed(item->event))
			return 1;
		if (begin_decompressing(data, item) < 0)
			return -1;
	}
	if (!answer && data->decompressed_filled != data->decompressed_start)
		return perfdata_fail(data, "cut short: ends in a compressed event");
	return answer;
}

int perfdata_next(struct perfdata *data, struct perfdata_item *item)
{
	int answer = 0;

	if (*data->error || make_buffers(data))
		return -1;
	while (data->current < data->nr_streams) {
		answer = next_of_stream(data, item);
		if (answer)
			break;
		begin_stream(data, data->current + 1);
	}
	if (answer <= 0)
		progress_clear();
	return answer > 0 ? read_attr(data, item->event) : answer;
}

int perfdata_next_but_samples(struct perfdata *data, struct perfdata_item *item)
{
	const unsigned char *skipped;

	perfdata_next_samples(data, &skipped);
	return perfdata_next(data, item);
}
