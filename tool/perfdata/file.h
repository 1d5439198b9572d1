/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A perf.data being read: for perfdata*.c.
 *
 * It is one or more streams of events: the data section of a file, the rest of a
 * pipe's output, the files data.N of a directory. They are read one after the
 * other, forwards, in memory of a fixed size.
 */
#ifndef TOOL_PERFDATA_FILE_H
#define TOOL_PERFDATA_FILE_H

#include "format.h"
#include "perfdata.h"

/* No event is longer, as its size is 16 bits wide. */
#define PERFDATA_EVENT_MAX 65536

struct ZSTD_DCtx_s;

/* Events of a file, from @begin up to @end. */
struct perfdata_stream {
	int fd;
	char *name; /* in the directory; NULL for a file or a pipe */
	uint64_t begin;
	uint64_t end;
};

/* What an attr says of the layout of its events. */
struct perfdata_layout {
	uint64_t sample_type;
	uint64_t read_format;
	bool sample_id_all;
	enum perfdata_clock clock;
};

/* Of an id: which attr. */
struct perfdata_owner {
	uint64_t id;
	uint32_t layout;
};

struct perfdata {
	char error[192];
	char *path;
	bool directory;
	bool unfinished;
	bool pipe;
	bool attrs_taken; /* of a pipe: those in front */
	bool aux;	  /* offsets in it must stay */
	uint64_t size;	  /* of the file; of a directory's first */
	struct perfdata_header header;
	struct perfdata_section features[PERFDATA_FEATURES];

	struct perfdata_stream *streams;
	size_t nr_streams;

	struct perfdata_layout *layouts;
	size_t nr_layouts;
	bool uniform;		       /* all layouts are alike */
	struct perfdata_owner *owners; /* sorted by id, once looked for */
	size_t nr_owners;
	bool owners_sorted;

	/* Reading: bytes from filled - left on are the next of the stream. */
	size_t current;	   /* stream */
	uint64_t position; /* in its file, of what is read next */
	unsigned char *buffer;
	size_t start; /* in the buffer, of what is not used yet */
	size_t filled;
	uint64_t payload; /* bytes behind the last event, not read yet */

	/* Compressed events. */
	struct ZSTD_DCtx_s *zstd;
	const unsigned char *packed; /* what is left of the last COMPRESSED */
	size_t nr_packed;
	bool unpacking; /* more may come out of it */
	uint64_t packed_at;
	unsigned char *plain;
	size_t plain_start;
	size_t plain_filled;

	uint64_t *aligned; /* an event that does not lie so */

	struct perfdata_dsos *dsos;
};

/**
 * struct perfdata_item - an event where it lies
 * @event: all of it is there, aligned to 8 bytes; valid until the next call
 * @offset: in the file, of the event or of what it came packed in
 * @payload: bytes that follow it and are no part of its size
 * @unpacked: it was compressed
 */
struct perfdata_item {
	const struct perfdata_event *event;
	uint64_t offset;
	uint64_t payload;
	bool unpacked;
};

/* 1 with an event; 0 at the end of all streams; -1 with an error. */
int perfdata_next(struct perfdata *data, struct perfdata_item *item);
/* Up to @size bytes of the last event's payload; 0 at its end, -1. */
long perfdata_payload(struct perfdata *data, void *bytes, size_t size);

/* -1, so that it can be returned. */
int perfdata_fail(struct perfdata *data, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* @size bytes at @offset, all of them, or -1 with an error. */
int perfdata_pread(struct perfdata *data, int fd, void *bytes, size_t size, uint64_t offset);

/* An attr of @size bytes with @nr_ids of ids. */
int perfdata_add_attr(struct perfdata *data, const void *attr, size_t size, const uint64_t *ids,
		      size_t nr_ids);
/* Of the event; NULL when that cannot be told. */
const struct perfdata_layout *perfdata_layout(struct perfdata *data,
					      const struct perfdata_event *event);
/* Bytes of the trailer that @layout puts behind what is no sample. */
size_t perfdata_trailer(const struct perfdata_layout *layout);
/* When it happened; 0 when that is not known. */
uint64_t perfdata_time(struct perfdata *data, const struct perfdata_event *event);
/* Bytes of an event without its trailer. */
size_t perfdata_body(struct perfdata *data, const struct perfdata_event *event);

/* Whether @event is a good MMAP or MMAP2, and which. */
bool perfdata_mapping(struct perfdata *data, const struct perfdata_event *event,
		      struct perfdata_mapping *mapping);
/* Where the name of it begins. */
const char *perfdata_mapping_name(const struct perfdata_event *event);
/* The name in an entry of the table, NULL when it has no good one. */
const char *perfdata_build_id_name(const struct perfdata_build_id *entry);
size_t perfdata_build_id_size(const struct perfdata_build_id *entry);
/* What the path of a mapping or an entry is of. */
enum perfdata_kind perfdata_kind(const char *path, uint16_t misc);

/* All of feature @number, to free; NULL with @size 0 when it is not there. */
int perfdata_feature(struct perfdata *data, unsigned int number, unsigned char **bytes,
		     size_t *size);

struct perfdata_dsos;
void perfdata_dsos_free(struct perfdata_dsos *dsos);

#endif
