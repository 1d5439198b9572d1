// SPDX-License-Identifier: GPL-2.0
/* Log: the end is written last, and its absence is an error. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot.h"
#include "common/clock.h"
#include "common/copy.h"
#include "common/open_own.h"
#include "log.h"
#include "wall_clock.h"

#define WRITE_BUFFER (256 * 1024)
#define READ_BUFFER  (256 * 1024)
/* Later versions may have more, up to this. */
#define HEADER_MAX 4096
/* Of the module's records. */
#define HEADER_MIN offsetof(struct log_header, source)
/* Size of the end in the first version. */
#define END_MIN offsetof(struct log_end, time_real)

_Static_assert(READ_BUFFER >= BUILDID_RECORD_MAX && READ_BUFFER >= HEADER_MAX, "log: one fits");
_Static_assert(HEADER_MIN == 56 && sizeof(struct log_header) == 64, "log: size of the header");
_Static_assert(sizeof(struct log_end) == 48, "log: size of the end");
_Static_assert(sizeof(struct log_clock) == 56, "log: size of a clock");

/* -------------------------------------------------------------- writing -- */

struct log_writer {
	int fd;
	size_t filled;
	uint64_t records;
	bool has_before; /* and it still has to be written */
	struct wall_range before;
	_Alignas(8) unsigned char buffer[WRITE_BUFFER];
};

struct clocks {
	uint64_t mono, real;
};

/* Both clocks at one moment, as closely as the scheduler permits. */
static struct clocks read_clocks(void)
{
	uint64_t best = UINT64_MAX;
	struct clocks clocks = {};
	int i;

	for (i = 0; i < 3; i++) {
		uint64_t mono = clock_ns(CLOCK_MONOTONIC);
		uint64_t real = clock_ns(CLOCK_REALTIME);
		uint64_t took = clock_ns(CLOCK_MONOTONIC) - mono;

		if (took < best) {
			best = took;
			clocks = (struct clocks){ mono, real };
		}
	}
	return clocks;
}

static int write_buffer(struct log_writer *writer)
{
	size_t filled = writer->filled;

	writer->filled = 0;
	return write_all(writer->fd, writer->buffer, filled) ? 0 : -errno;
}

/* The buffer always has room for it. */
static void put_clock(struct log_writer *writer, const struct wall_range *range, uint16_t flags)
{
	const struct clocks now = read_clocks();
	int64_t ahead = (int64_t)(now.real - now.mono);
	const struct log_clock clock = {
		.header = {
			.type = LOG_RECORD_CLOCK,
			.flags = flags,
			.size = sizeof(clock),
			.time_mono = now.mono,
		},
		.time_real = now.real,
		.ahead_min = range ? range->min : ahead,
		.ahead_max = range ? range->max : ahead,
	};

	memcpy(writer->buffer + writer->filled, &clock, sizeof(clock));
	writer->filled += sizeof(clock);
}

static void put_before(struct log_writer *writer)
{
	if (writer->has_before)
		put_clock(writer, &writer->before, LOG_CLOCK_BEFORE);
	writer->has_before = false;
}

int log_flush(struct log_writer *writer)
{
	if (!writer->filled)
		return 0;
	put_before(writer);
	put_clock(writer, NULL, 0);
	return write_buffer(writer);
}

void log_clock_before(struct log_writer *writer, const struct wall_range *range)
{
	writer->has_before = true;
	writer->before = *range;
}

int log_clock_set(struct log_writer *writer, const struct wall_range *range)
{
	int err = log_flush(writer);

	if (err)
		return err;
	put_clock(writer, range, 0);
	return write_buffer(writer);
}

static int log_append(struct log_writer *writer, const void *bytes, size_t size)
{
	const size_t room = sizeof(writer->buffer) - 2 * sizeof(struct log_clock);
	int err;

	if (size > room)
		return -EMSGSIZE;
	if (size > room - writer->filled) {
		err = log_flush(writer);
		if (err)
			return err;
	}
	memcpy(writer->buffer + writer->filled, bytes, size);
	writer->filled += size;
	return 0;
}

static int open_log(const char *path, bool chosen, struct reason *reason)
{
	int fd;

	/* For the owner only, as it shows who ran what. */
	if (strcmp(path, "-") != 0)
		return open_own(path, chosen, LOG_MAGIC, strlen(LOG_MAGIC), reason);
	if (isatty(STDOUT_FILENO)) {
		reason_set(reason, "standard output is a terminal; name a file");
		return -1;
	}
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		reason_set(reason, "%s", strerror(errno));
	return fd;
}

struct log_writer *log_create(const char *path, bool chosen, struct reason *reason)
{
	const struct clocks now = read_clocks();
	struct log_header header = {
		.byte_order = LOG_BYTE_ORDER,
		.version = LOG_VERSION,
		.size = HEADER_MIN,
		.abi = BUILDID_ABI_VERSION,
		.time_mono = now.mono,
		.time_real = now.real,
	};
	struct log_writer *writer = malloc(sizeof(*writer));

	if (!writer) {
		reason_set(reason, "%s", strerror(ENOMEM));
		return NULL;
	}
	writer->fd = open_log(path, chosen, reason);
	if (writer->fd < 0) {
		free(writer);
		return NULL;
	}

	writer->filled = 0;
	writer->records = 0;
	writer->has_before = false;
	memcpy(header.magic, LOG_MAGIC, sizeof(header.magic));
	boot_id_read(header.boot_id);
	log_append(writer, &header, header.size);
	return writer;
}

/* The header is the first in the buffer. */
void log_set_source(struct log_writer *writer, enum log_source source)
{
	struct log_header *header = (void *)writer->buffer;

	if (source == LOG_SOURCE_MODULE)
		return;
	header->version = LOG_VERSION_SOURCE;
	header->size = sizeof(*header);
	header->source = source;
	header->reserved = 0;
	writer->filled = sizeof(*header);
}

int log_write(struct log_writer *writer, const struct buildid_record *record)
{
	int err = log_append(writer, record, record->size);

	if (!err)
		writer->records++;
	return err;
}

uint64_t log_written(const struct log_writer *writer)
{
	return writer->records;
}

/* A pipe or a device cannot, and need not, be synced. */
static int sync_file(int fd)
{
	return fsync(fd) && errno != EINVAL && errno != EROFS ? -errno : 0;
}

int log_finish(struct log_writer *writer)
{
	const struct clocks now = read_clocks();
	struct log_end end = {
		.header = {
			.type = LOG_RECORD_END,
			.size = sizeof(end),
			.time_mono = now.mono,
		},
		.records = writer->records,
		.time_real = now.real,
	};
	int err;

	put_before(writer);
	err = log_append(writer, &end, sizeof(end));
	if (!err)
		err = write_buffer(writer);
	if (!err)
		err = sync_file(writer->fd);
	if (close(writer->fd) && !err)
		err = -errno;
	free(writer);
	return err;
}

/* -------------------------------------------------------------- reading -- */

struct log_reader {
	int fd;
	int problem;	 /* errno of read(2), or 0 */
	uint64_t offset; /* of what is next */
	uint64_t records;
	uint64_t time; /* of the last record, or of the end */
	uint64_t real; /* of the end */
	bool ended;
	struct log_clocks clocks;
	uint64_t moved; /* CLOCK_MONOTONIC of the last clock record */
	int64_t ahead;	/* as of that */
	int64_t ahead_before;
	char error[128];
	struct log_header header;
	size_t start; /* unused bytes are from here up to filled */
	size_t filled;
	_Alignas(8) unsigned char buffer[READ_BUFFER];
};

__attribute__((format(printf, 2, 3))) static int fail(struct log_reader *reader, const char *format,
						      ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reader->error, sizeof(reader->error), format, arguments);
	va_end(arguments);
	return -1;
}

/* The number of unused bytes in memory. */
static size_t there(const struct log_reader *reader)
{
	return reader->filled - reader->start;
}

static int cut_short(struct log_reader *reader, uint64_t start)
{
	uint64_t end = reader->offset + there(reader);

	if (reader->problem)
		return fail(reader, "byte %" PRIu64 ": %s", end, strerror(reader->problem));
	return fail(reader, "cut short: ends at byte %" PRIu64 ", in what starts at byte %" PRIu64,
		    end, start);
}

static int garbage(struct log_reader *reader, uint64_t start)
{
	return fail(reader, "damaged: no record at byte %" PRIu64, start);
}

/* Sizes of records and header are multiples of 8, so what comes next stays aligned. */
static ssize_t log_fill(struct log_reader *reader)
{
	size_t left = there(reader);
	ssize_t got;

	memmove(reader->buffer, reader->buffer + reader->start, left);
	reader->start = 0;
	reader->filled = left;
	do {
		got = read(reader->fd, reader->buffer + left, sizeof(reader->buffer) - left);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		reader->problem = errno;
	else
		reader->filled += (size_t)got;
	return got;
}

/* Make sure that @size more bytes are in memory; false if there are not that many. */
static bool log_need(struct log_reader *reader, size_t size)
{
	while (there(reader) < size)
		if (log_fill(reader) <= 0)
			return false;
	return true;
}

/* The next bytes, which log_need() has read. */
static const void *log_take(struct log_reader *reader, size_t size)
{
	const void *bytes = reader->buffer + reader->start;

	reader->start += size;
	reader->offset += size;
	return bytes;
}

/* CLOCK_REALTIME is ahead by @ahead at @mono, and has been by @range since the last time. */
static void add_clock(struct log_reader *reader, uint64_t mono, int64_t ahead,
		      const struct wall_range *range)
{
	const struct wall_range now = { ahead, ahead };

	wall_range_widen(&reader->clocks.ahead, range);
	wall_range_widen(&reader->clocks.ahead, &now);
	reader->clocks.until = mono;
	reader->moved = mono;
	reader->ahead_before = reader->ahead;
	reader->ahead = ahead;
}

static int begin_clocks(struct log_reader *reader)
{
	const struct log_header *header = &reader->header;
	int64_t ahead = (int64_t)(header->time_real - header->time_mono);

	reader->clocks.ahead = (struct wall_range){ ahead, ahead };
	reader->ahead = ahead;
	add_clock(reader, header->time_mono, ahead, &reader->clocks.ahead);
	if (!log_need(reader, header->size))
		return cut_short(reader, 0);
	log_take(reader, header->size);
	return 0;
}

/* What follows the first version's. */
static int read_source(struct log_reader *reader)
{
	struct log_header *header = &reader->header;

	if (header->version == LOG_VERSION)
		return 0;
	if (header->size < sizeof(*header))
		return fail(reader, "damaged: no size at byte 16");
	if (!log_need(reader, sizeof(*header)))
		return cut_short(reader, 0);
	memcpy(header, reader->buffer, sizeof(*header));
	if (header->source != LOG_SOURCE_PERF)
		return fail(reader,
			    "records of source %" PRIu32 ", which this buildid does not know",
			    header->source);
	return 0;
}

static int read_header(struct log_reader *reader)
{
	struct log_header *header = &reader->header;
	bool whole = log_need(reader, HEADER_MIN);

	/* A file that is not a log may be shorter than a header. */
	if (there(reader) < sizeof(header->magic) ||
	    memcmp(reader->buffer, LOG_MAGIC, sizeof(header->magic)) != 0)
		return reader->problem ? cut_short(reader, 0) :
					 fail(reader, "not a log of buildid record");
	if (!whole)
		return cut_short(reader, 0);
	memcpy(header, reader->buffer, HEADER_MIN);
	if (header->byte_order == __builtin_bswap32(LOG_BYTE_ORDER))
		return fail(reader, "written on a machine of the other byte order");
	if (header->byte_order != LOG_BYTE_ORDER)
		return fail(reader, "damaged: no byte order at byte 8");
	if (header->version != LOG_VERSION && header->version != LOG_VERSION_SOURCE)
		return fail(reader,
			    "a log of version %" PRIu32 "; this buildid reads versions %d and %d",
			    header->version, LOG_VERSION, LOG_VERSION_SOURCE);
	if (header->abi != BUILDID_ABI_VERSION)
		return fail(reader, "records of ABI %" PRIu32 "; this buildid reads ABI %d",
			    header->abi, BUILDID_ABI_VERSION);
	if (header->size < HEADER_MIN || header->size > HEADER_MAX || header->size % 8)
		return fail(reader, "damaged: no size at byte 16");
	return read_source(reader) ? -1 : begin_clocks(reader);
}

struct log_reader *log_open(const char *path)
{
	struct log_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (reader->fd < 0)
		fail(reader, "%s", strerror(errno));
	else
		read_header(reader);
	return reader;
}

static int read_end(struct log_reader *reader, const struct buildid_record *record, uint64_t start)
{
	struct log_end end = {};

	memcpy(&end, record, MIN(record->size, sizeof(end)));
	if (end.header.size < END_MIN || end.records != reader->records)
		return garbage(reader, start);
	if (log_need(reader, 1))
		return fail(reader, "damaged: goes on at byte %" PRIu64 ", behind its end",
			    reader->offset);
	reader->ended = true;
	reader->time = end.header.time_mono;
	if (end.header.size < sizeof(end))
		return 0;
	reader->real = end.time_real;
	add_clock(reader, reader->time, (int64_t)(reader->real - reader->time),
		  &reader->clocks.ahead);
	reader->clocks.until = UINT64_MAX;
	return 0;
}

/* 1, or -1 if it is malformed. */
static int read_clock(struct log_reader *reader, const struct buildid_record *record,
		      uint64_t start)
{
	const struct log_clock *clock = (const void *)record;
	const uint64_t mono = clock->header.time_mono;
	struct wall_range range;

	if (clock->header.size < sizeof(*clock))
		return garbage(reader, start);
	range = (struct wall_range){ clock->ahead_min, clock->ahead_max };
	if (clock->header.flags & LOG_CLOCK_BEFORE) {
		reader->clocks.has_before = true;
		reader->clocks.before = range;
	} else {
		add_clock(reader, mono, (int64_t)(clock->time_real - mono), &range);
	}
	return 1;
}

static int no_record(struct log_reader *reader)
{
	if (there(reader) || reader->problem)
		return cut_short(reader, reader->offset);
	return fail(reader, "cut short: no end at byte %" PRIu64, reader->offset);
}

/* The next record, completely in memory; NULL with an error. */
static const struct buildid_record *need_record(struct log_reader *reader)
{
	const struct buildid_record *head;

	if (!log_need(reader, sizeof(*head))) {
		no_record(reader);
		return NULL;
	}
	head = (const void *)(reader->buffer + reader->start);
	if (head->size < sizeof(*head) || head->size > BUILDID_RECORD_MAX || head->size % 8) {
		garbage(reader, reader->offset);
		return NULL;
	}
	if (!log_need(reader, head->size)) {
		cut_short(reader, reader->offset);
		return NULL;
	}
	return (const void *)(reader->buffer + reader->start);
}

/* As log_next(), but also returns clock records. */
static int read_record(struct log_reader *reader, const struct buildid_record **record)
{
	uint64_t start = reader->offset;
	const struct buildid_record *head;

	if (*reader->error)
		return -1;
	if (reader->ended)
		return 0;
	head = need_record(reader);
	if (!head)
		return -1;
	*record = log_take(reader, head->size);
	if (head->type == LOG_RECORD_END)
		return read_end(reader, head, start);
	if (head->type == LOG_RECORD_CLOCK)
		return read_clock(reader, head, start);
	if (buildid_record_check(head, head->size))
		return garbage(reader, start);

	reader->records++;
	if (head->time_mono > reader->time)
		reader->time = head->time_mono;
	return 1;
}

int log_next(struct log_reader *reader, const struct buildid_record **record)
{
	int answer;

	do
		answer = read_record(reader, record);
	while (answer > 0 && (*record)->type == LOG_RECORD_CLOCK);
	return answer;
}

const char *log_error(const struct log_reader *reader)
{
	return *reader->error ? reader->error : NULL;
}

uint64_t log_ended(const struct log_reader *reader)
{
	return reader->time;
}

uint64_t log_ended_real(const struct log_reader *reader)
{
	return reader->real;
}

const struct log_clocks *log_clocks(const struct log_reader *reader)
{
	return &reader->clocks;
}

int64_t log_ahead(const struct log_reader *reader, uint64_t mono)
{
	return mono < reader->moved ? reader->ahead_before : reader->ahead;
}

const struct log_header *log_header(const struct log_reader *reader)
{
	return &reader->header;
}

enum log_source log_source(const struct log_reader *reader)
{
	return reader->header.source;
}

void log_close(struct log_reader *reader)
{
	if (reader->fd > STDIN_FILENO)
		close(reader->fd);
	free(reader);
}
