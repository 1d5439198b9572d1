/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Log: records in a file, as buildid record writes it.
 *
 *	struct log_header
 *	records, as they came from their source: the FILE record of a mapping may follow it
 *	struct log_clock in between, at each flush and whenever the clock is set
 *	struct log_end
 *
 * in the byte order of the machine that wrote it. Without the end, a log truncated between two
 * records would look complete.
 */
#ifndef TOOL_LOG_H
#define TOOL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/reason.h"
#include "libbuildid/libbuildid.h"
#include "wall_clock.h"

#define LOG_MAGIC   "\211BIDLOG\n"
#define LOG_VERSION 2
/* With @source: what reads version 2 alone would take such records for the module's. */
#define LOG_VERSION_SOURCE 3
#define LOG_BYTE_ORDER	   0x01020304U

/* Not used for records of the module. */
#define LOG_RECORD_END	 0
#define LOG_RECORD_CLOCK 0xffff

/**
 * struct log_header - what a log starts with
 * @magic: LOG_MAGIC, without a NUL
 * @byte_order: LOG_BYTE_ORDER
 * @version: LOG_VERSION of the module's records, else LOG_VERSION_SOURCE
 * @size: of this header; records start there. A multiple of 8
 * @abi: BUILDID_ABI_VERSION of the records
 * @boot_id: /proc/sys/kernel/random/boot_id, without the dashes: file_id, pids and both clocks are
 *	only valid within this boot
 * @time_mono: CLOCK_MONOTONIC as the log began, nanoseconds
 * @time_real: CLOCK_REALTIME at the same moment, nanoseconds
 * @source: enum log_source. Not there with LOG_VERSION
 * @reserved: 0
 */
struct log_header {
	char magic[8];
	uint32_t byte_order;
	uint32_t version;
	uint32_t size;
	uint32_t abi;
	uint8_t boot_id[16];
	uint64_t time_mono;
	uint64_t time_real;
	uint32_t source;
	uint32_t reserved;
};

/* Of the records. */
enum log_source {
	LOG_SOURCE_MODULE = 0,
	/* perf and /proc: a build-id without an inode, or an inode without */
	LOG_SOURCE_PERF = 1,
};

/**
 * struct log_end - what a log ends with
 * @header: type LOG_RECORD_END; time_mono as the log ended
 * @records: number of records in the log
 * @time_real: CLOCK_REALTIME at the same moment: it may have been set. Older logs end without it
 */
struct log_end {
	struct buildid_record header;
	uint64_t records;
	uint64_t time_real;
};

/* log_clock.header.flags: for all the time before the log began */
#define LOG_CLOCK_BEFORE (1U << 0)

/**
 * struct log_clock - where CLOCK_REALTIME was
 * @header: type LOG_RECORD_CLOCK; @flags is LOG_CLOCK_BEFORE or 0; time_mono as it was read
 * @time_real: CLOCK_REALTIME at the same moment
 * @ahead_min: the least that it was ahead of CLOCK_MONOTONIC since the previous record of this
 *	kind, or the header
 * @ahead_max: the most
 *
 * Not counted as a record. Older logs have none.
 */
struct log_clock {
	struct buildid_record header;
	uint64_t time_real;
	int64_t ahead_min;
	int64_t ahead_max;
};

/* Writing. Functions return 0 or a negative errno. */
struct log_writer;

/*
 * An existing log at @path is replaced, but nothing else; see open_own(), also for @chosen. NULL
 * with @reason if it cannot be written.
 */
struct log_writer *log_create(const char *path, bool chosen, struct reason *reason);
/* From another source than the module: before anything else is done with @writer. */
void log_set_source(struct log_writer *writer, enum log_source source);
int log_write(struct log_writer *writer, const struct buildid_record *record);
/* Before the log began CLOCK_REALTIME may have been ahead by @range. */
void log_clock_before(struct log_writer *writer, const struct wall_range *range);
/* CLOCK_REALTIME was set, and may have been ahead by @range. Written at once. */
int log_clock_set(struct log_writer *writer, const struct wall_range *range);
/* Write what is buffered, and the present CLOCK_REALTIME, so that both survive the process. */
int log_flush(struct log_writer *writer);
uint64_t log_written(const struct log_writer *writer);
/* Write the end, sync, close. Frees @writer in any case. */
int log_finish(struct log_writer *writer);

/* Reading. */
struct log_reader;

/* NULL only without memory; check log_error(). @path "-" is stdin. */
struct log_reader *log_open(const char *path);
/*
 * 1 with a record, checked, valid until the next call; 0 at the end of a complete log;
 * -1 with an error.
 */
int log_next(struct log_reader *reader, const struct buildid_record **record);
/* What is wrong and where, or NULL. */
const char *log_error(const struct log_reader *reader);
/* CLOCK_MONOTONIC at its end, or of the last record if it was truncated. */
uint64_t log_ended(const struct log_reader *reader);
/* CLOCK_REALTIME at log_ended(), 0 if it is unknown. */
uint64_t log_ended_real(const struct log_reader *reader);
/**
 * struct log_clocks - CLOCK_REALTIME according to the part that was read
 * @ahead: range since the log began
 * @has_before: @before is set
 * @before: range of the time before
 * @until: CLOCK_MONOTONIC after which it is unknown; UINT64_MAX for a complete log
 */
struct log_clocks {
	struct wall_range ahead;
	bool has_before;
	struct wall_range before;
	uint64_t until;
};

const struct log_clocks *log_clocks(const struct log_reader *reader);
/* How far CLOCK_REALTIME was ahead at @mono, the time of the last record or an earlier one. */
int64_t log_ahead(const struct log_reader *reader, uint64_t mono);
const struct log_header *log_header(const struct log_reader *reader);
enum log_source log_source(const struct log_reader *reader);
void log_close(struct log_reader *reader);

#endif
