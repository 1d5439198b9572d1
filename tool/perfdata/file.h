/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An open perf.data; only for this room.
 *
 * Its events are in one or more streams: the data section of a file, the rest of a
 * pipe's output, the files data.N of a directory. They are read one after the other,
 * forwards and with buffers of a fixed size, as a perf.data may be larger than memory.
 * Nothing in it is trusted: sizes and offsets are checked before they are used.
 *
 * Functions return -1, or NULL, with an error that perfdata_error() returns.
 */
#ifndef TOOL_PERFDATA_FILE_H
#define TOOL_PERFDATA_FILE_H

#include "format.h"
#include "perfdata.h"

/* The longest event: sizes have 16 bits. */
#define PERFDATA_EVENT_MAX 65536

struct ZSTD_DCtx_s;

/* The events in a file from @begin to @end. */
struct perfdata_stream {
	int fd;
	char *name; /* in the directory, else NULL */
	uint64_t begin;
	uint64_t end;
};

/* How events of an attr are laid out, and which clock stamped them. */
struct perfdata_sample_format {
	uint64_t sample_type;
	uint64_t read_format;
	bool sample_id_all;
	enum perfdata_clock clock;
	size_t id_size; /* of the sample_id at the end of events other than SAMPLE */
	size_t id_time; /* offset of its time */
	size_t time;	/* offset of the time in a SAMPLE */
};

/* An id that events carry, and the attr they belong to, as an index. */
struct perfdata_event_id {
	uint64_t id;
	uint32_t format;
};

struct perfdata {
	char error[192];
	char *path;
	bool directory;
	int directory_fd; /* or -1 */
	bool unfinished;
	bool pipe;
	bool attrs_read; /* from a pipe's output: those at the beginning */
	bool aux;	 /* it has AUX data, which is found by offset, so nothing may move */
	bool aux_events; /* AUX data was read, as from a pipe's output */
	uint64_t size;	 /* of the file with the header */
	/* Standard input if its temporary file ran out of room; else -1. */
	int input;
	int spool;	  /* the file, or -1 */
	uint64_t spooled; /* bytes in it */
	char *unspooled;  /* the next ones */
	size_t nr_unspooled;

	struct perfdata_header header;
	struct perfdata_section features[PERFDATA_FEATURES];

	struct perfdata_stream *streams;
	size_t nr_streams;

	struct perfdata_sample_format *formats;
	size_t nr_formats;
	bool uniform;		       /* all formats are the same */
	struct perfdata_event_id *ids; /* sorted at the first lookup */
	size_t nr_ids;
	bool ids_sorted;

	size_t current;	   /* stream */
	uint64_t position; /* in its file, where to read on */
	unsigned char *buffer;
	size_t start; /* unused bytes are from here up to filled */
	size_t filled;
	uint64_t payload; /* bytes behind the last event, not read yet */

	/* Compressed events. */
	struct ZSTD_DCtx_s *zstd;
	const unsigned char *compressed; /* the rest of the last COMPRESSED event */
	size_t nr_compressed;
	uint64_t expanded;  /* bytes decompressed so far, of this stream */
	bool decompressing; /* there may be more to decompress */
	uint64_t compressed_at;
	unsigned char *decompressed;
	size_t decompressed_start;
	size_t decompressed_filled;

	bool quiet; /* the caller shows progress */

	uint64_t *aligned; /* copy of an event that is not aligned in its buffer */

	struct perfdata_dsos *dsos;
};

/**
 * struct perfdata_item - an event and its place
 * @event: complete, aligned to 8 bytes, valid until the next call
 * @offset: in the file, of the event or of the COMPRESSED event it was in
 * @payload: bytes that follow it and are no part of its size
 * @decompressed: it was compressed
 */
struct perfdata_item {
	const struct perfdata_event *event;
	uint64_t offset;
	uint64_t payload;
	bool decompressed;
};

/* 1 with an event; 0 at the end of all streams; -1. */
int perfdata_next(struct perfdata *data, struct perfdata_item *item);
/* The same, but skips nearly all SAMPLEs, which are most of a file. */
int perfdata_next_but_samples(struct perfdata *data, struct perfdata_item *item);
/*
 * The next events that are SAMPLEs and in memory: sets @bytes to them, unaligned, and returns their
 * size. After 0, the next event may be of any type.
 */
size_t perfdata_next_samples(struct perfdata *data, const unsigned char **bytes);
/*
 * Offset of the next event, or of the data after the last one, in the file of the current stream.
 */
uint64_t perfdata_offset(const struct perfdata *data);
/* Continue at @offset, which is further on; not within compressed events. */
void perfdata_skip(struct perfdata *data, uint64_t offset);
/* Up to @size bytes of the last event's payload; 0 at its end, -1. */
long perfdata_payload(struct perfdata *data, void *bytes, size_t size);

/* Set the error, unless one is set. Returns -1 for the caller to return. */
int perfdata_fail(struct perfdata *data, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int perfdata_no_memory(struct perfdata *data);
/* All of @size bytes at @offset: 0 or -1. */
int perfdata_pread(struct perfdata *data, int fd, void *bytes, size_t size, uint64_t offset);

/* An attr of @size bytes, whose events have one of @ids. */
int perfdata_add_attr(struct perfdata *data, const void *attr, size_t size, const uint64_t *ids,
		      size_t nr_ids);
/* The format of @event; NULL if it is unknown. */
const struct perfdata_sample_format *perfdata_sample_format(struct perfdata *data,
							    const struct perfdata_event *event);
/* Derive sizes and offsets in @format from its other fields. */
void perfdata_lay_out_format(struct perfdata_sample_format *format);
/* 0 if @event has no time. */
uint64_t perfdata_time(struct perfdata *data, const struct perfdata_event *event);
/* Whether @event is an MMAP or MMAP2; and the path in it, NULL if it is malformed. */
bool perfdata_is_mapping(const struct perfdata_event *event);
const char *perfdata_mapping_name(const struct perfdata_event *event);
/* False if @event is not a well-formed MMAP or MMAP2. */
bool perfdata_mapping(struct perfdata *data, const struct perfdata_event *event,
		      struct perfdata_mapping *mapping);
/* The kind of a path; @misc is that of its MMAP, MMAP2 or BUILD_ID. */
enum perfdata_kind perfdata_kind(const char *path, uint16_t misc);

bool perfdata_has_feature(const struct perfdata_header *header, unsigned int number);
/* The bytes of feature @number, which the caller frees; NULL and 0 if it does not exist. */
int perfdata_feature(struct perfdata *data, unsigned int number, unsigned char **bytes,
		     size_t *size);

struct perfdata_dsos;
void perfdata_dsos_free(struct perfdata_dsos *dsos);

#endif
