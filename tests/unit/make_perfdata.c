// SPDX-License-Identifier: GPL-2.0
/* Make perf.data: as perf record writes them, of any shape, in memory. */

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "make_perfdata.h"

#define FEATURE_HOSTNAME 3

/* What make_end() would otherwise write behind the room. */
static void check_room(const struct make *make, size_t size)
{
	if (size > sizeof(make->bytes) - make->size)
		abort();
}

void make_raw(struct make *make, const void *bytes, size_t size)
{
	check_room(make, size);
	memcpy(make->bytes + make->size, bytes, size);
	make->size += size;
}

static void make_attr(struct perfdata_attr *attr, const struct make *make)
{
	*attr = (struct perfdata_attr){
		.type = 1,
		.size = sizeof(*attr),
		.sample_type = make->sample_type,
		.flags = make->no_ids ? 0 : PERFDATA_ATTR_SAMPLE_ID_ALL,
	};
	if (make->clockid >= 0) {
		attr->flags |= PERFDATA_ATTR_USE_CLOCKID;
		attr->clockid = make->clockid;
	}
}

static void begin_pipe(struct make *make)
{
	const uint64_t header[] = { PERFDATA_MAGIC, PERFDATA_PIPE_HEADER };
	struct {
		struct perfdata_event event;
		struct perfdata_attr attr;
		uint64_t id;
	} attr = {
		.event = { .type = PERFDATA_ATTR, .size = sizeof(attr) },
		.id = 1,
	};

	make_attr(&attr.attr, make);
	make_raw(make, header, sizeof(header));
	make->events = make->size;
	make_raw(make, &attr, sizeof(attr));
}

/* As much of it as this perf knows, and what it knows besides. */
static void put_attr(struct make *make, const struct perfdata_attr *attr, size_t size)
{
	static const char zeros[256];
	size_t known = size < sizeof(*attr) ? size : sizeof(*attr);

	make_raw(make, attr, known);
	make_raw(make, zeros, size - known);
}

static void begin_file(struct make *make)
{
	struct perfdata_header header = {
		.magic = PERFDATA_MAGIC,
		.size = sizeof(header),
	};
	const uint64_t ids[] = { 1, 2 };
	unsigned int count = make->other_attr ? 2 : 1;
	size_t size = make->attr_size ? make->attr_size : sizeof(struct perfdata_attr);
	unsigned int i;

	header.attr_size = size + sizeof(struct perfdata_section);
	header.attrs.offset = sizeof(header) + sizeof(ids);
	header.attrs.size = count * header.attr_size;
	header.data.offset = header.attrs.offset + header.attrs.size;
	make_raw(make, &header, sizeof(header));
	make_raw(make, ids, sizeof(ids));
	for (i = 0; i < count; i++) {
		const struct perfdata_section section = {
			.offset = sizeof(header) + i * sizeof(ids[0]),
			.size = sizeof(ids[0]),
		};
		struct perfdata_attr attr;

		make_attr(&attr, make);
		attr.size = (uint32_t)size;
		if (i)
			attr.sample_type |= PERFDATA_SAMPLE_ADDR | PERFDATA_SAMPLE_CPU;
		put_attr(make, &attr, size);
		make_raw(make, &section, sizeof(section));
	}
	make->events = make->size;
}

void make_begin(struct make *make)
{
	if (!make->sample_type)
		make->sample_type = MAKE_SAMPLE;
	if (make->pipe)
		begin_pipe(make);
	else if (!make->bare)
		begin_file(make);
}

/* What comes behind an event of the first attr. */
static void put_trailer(struct make *make, uint32_t pid, uint64_t time)
{
	const uint64_t fields[][2] = {
		{ PERFDATA_SAMPLE_TID, (uint64_t)pid << 32 | pid },
		{ PERFDATA_SAMPLE_TIME, time },
		{ PERFDATA_SAMPLE_ID, 1 },
		{ PERFDATA_SAMPLE_STREAM_ID, 1 },
		{ PERFDATA_SAMPLE_CPU, 0 },
		{ PERFDATA_SAMPLE_IDENTIFIER, 1 },
	};
	size_t i;

	if (make->no_ids)
		return;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (make->sample_type & fields[i][0])
			make_raw(make, &fields[i][1], 8);
}

/* The size of the event that begins at @start. */
static void set_size(struct make *make, size_t start)
{
	const uint16_t size = (uint16_t)(make->size - start);

	memcpy(make->bytes + start + offsetof(struct perfdata_event, size), &size, sizeof(size));
}

static void put_name(struct make *make, const char *name)
{
	static const char zeros[8];
	size_t size = strlen(name) + 1;

	make_raw(make, name, size);
	make_raw(make, zeros, -size & 7);
}

void make_mmap2_event(struct make *make, uint32_t pid, uint64_t start, uint64_t len, uint64_t pgoff,
		      uint64_t ino, uint64_t time, const char *path)
{
	const struct perfdata_mmap2 mmap = {
		.event = { .type = PERFDATA_MMAP2, .misc = PERFDATA_MISC_USER },
		.pid = pid,
		.tid = pid,
		.start = start,
		.len = len,
		.pgoff = pgoff,
		.major = 8,
		.minor = 1,
		.ino = ino,
		.prot = 5,
		.flags = 2,
	};
	size_t at = make->size;

	make_raw(make, &mmap, sizeof(mmap));
	put_name(make, path);
	put_trailer(make, pid, time);
	set_size(make, at);
}

void make_identified_event(struct make *make, uint32_t pid, uint64_t start, uint64_t len,
			   uint64_t time, const struct build_id *id, const char *path)
{
	struct perfdata_mmap2 mmap = {
		.event = { .type = PERFDATA_MMAP2, .misc = PERFDATA_MISC_USER | PERFDATA_MISC_ID },
		.pid = pid,
		.tid = pid,
		.start = start,
		.len = len,
		.id_size = (uint8_t)id->size,
		.prot = 5,
		.flags = 2,
	};
	size_t at = make->size;

	memcpy(mmap.id, id->bytes, id->size);
	make_raw(make, &mmap, sizeof(mmap));
	put_name(make, path);
	put_trailer(make, pid, time);
	set_size(make, at);
}

void make_mmap_event(struct make *make, uint16_t misc, uint32_t pid, uint64_t start, uint64_t len,
		     uint64_t time, const char *path)
{
	const struct perfdata_mmap mmap = {
		.event = { .type = PERFDATA_MMAP, .misc = misc },
		.pid = pid,
		.tid = pid,
		.start = start,
		.len = len,
	};
	size_t at = make->size;

	make_raw(make, &mmap, sizeof(mmap));
	put_name(make, path);
	put_trailer(make, pid, time);
	set_size(make, at);
}

void make_sample(struct make *make, uint16_t misc, uint32_t pid, uint64_t time, uint64_t ip)
{
	const struct perfdata_event event = { .type = PERFDATA_SAMPLE, .misc = misc };
	const uint64_t fields[][2] = {
		{ PERFDATA_SAMPLE_IDENTIFIER, 1 },
		{ PERFDATA_SAMPLE_IP, ip },
		{ PERFDATA_SAMPLE_TID, (uint64_t)pid << 32 | pid },
		{ PERFDATA_SAMPLE_TIME, time },
		{ PERFDATA_SAMPLE_PERIOD, 1 },
		/* A chain of three: the context and two addresses. */
		{ PERFDATA_SAMPLE_CALLCHAIN, 3 },
		{ PERFDATA_SAMPLE_CALLCHAIN, PERFDATA_CONTEXT_USER },
		{ PERFDATA_SAMPLE_CALLCHAIN, ip },
		{ PERFDATA_SAMPLE_CALLCHAIN, 0x400100 },
	};
	size_t at = make->size;
	size_t i;

	make_raw(make, &event, sizeof(event));
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (make->sample_type & fields[i][0])
			make_raw(make, &fields[i][1], 8);
	set_size(make, at);
}

void make_task(struct make *make, uint32_t type, uint16_t misc, uint32_t pid, uint32_t parent,
	       uint64_t time)
{
	const struct perfdata_task task = {
		.event = { .type = type, .misc = misc },
		.pid = pid,
		.ppid = parent,
		.tid = pid,
		.ptid = parent,
		.time = time,
	};
	const struct {
		struct perfdata_event event;
		uint32_t pid, tid;
		char comm[8];
	} comm = {
		.event = { .type = type, .misc = misc },
		.pid = pid,
		.tid = pid,
		.comm = "name",
	};
	size_t at = make->size;

	if (type == PERFDATA_COMM)
		make_raw(make, &comm, sizeof(comm));
	else
		make_raw(make, &task, sizeof(task));
	put_trailer(make, pid, time);
	set_size(make, at);
}

void make_exec(struct make *make, uint32_t pid, uint64_t time, const char *comm)
{
	const struct {
		struct perfdata_event event;
		uint32_t pid, tid;
	} event = {
		.event = { .type = PERFDATA_COMM, .misc = PERFDATA_MISC_USER | PERFDATA_MISC_EXEC },
		.pid = pid,
		.tid = pid,
	};
	size_t at = make->size;

	make_raw(make, &event, sizeof(event));
	put_name(make, comm);
	put_trailer(make, pid, time);
	set_size(make, at);
}

void make_round(struct make *make)
{
	const struct perfdata_event round = {
		.type = PERFDATA_FINISHED_ROUND,
		.size = sizeof(round),
	};

	make_raw(make, &round, sizeof(round));
}

void make_auxtrace(struct make *make, const void *bytes, uint64_t size)
{
	const struct {
		struct perfdata_auxtrace aux;
		uint64_t rest[4];
	} event = {
		.aux = {
			.event = { .type = PERFDATA_AUXTRACE, .size = sizeof(event) },
			.size = size,
		},
	};

	make_raw(make, &event, sizeof(event));
	make_raw(make, bytes, (size_t)size);
}

static size_t fill_build_id(struct perfdata_build_id *entry, uint16_t misc, uint8_t first,
			    const char *path)
{
	size_t size = (sizeof(*entry) + strlen(path) + 1 + 7) & ~(size_t)7;
	unsigned int i;

	*entry = (struct perfdata_build_id){
		.event = {
			.type = PERFDATA_BUILD_ID,
			.misc = (uint16_t)(misc | PERFDATA_MISC_ID_SIZE),
			.size = (uint16_t)size,
		},
		.pid = UINT32_MAX,
		.id_size = 20,
	};
	for (i = 0; i < 20; i++)
		entry->id[i] = (uint8_t)(first + i);
	memset(entry->name, 0, size - sizeof(*entry));
	memcpy(entry->name, path, strlen(path));
	return size;
}

union room {
	struct perfdata_build_id entry;
	unsigned char bytes[1024];
};

void make_build_id(struct make *make, uint16_t misc, uint8_t first, const char *path)
{
	union room room;

	make_raw(make, &room, fill_build_id(&room.entry, misc, first, path));
}

void make_entry(struct make *make, uint16_t misc, uint8_t first, const char *path)
{
	union room room;
	size_t size = fill_build_id(&room.entry, misc, first, path);

	if (size > sizeof(make->table) - make->table_size)
		abort();
	memcpy(make->table + make->table_size, &room, size);
	make->table_size += size;
}

/* One stream, flushed now and then; an event may end in the next record. */
void make_pack(struct make *make, uint32_t type, size_t size)
{
	static unsigned char plain[MAKE_ROOM], packed[MAKE_ROOM];
	size_t head = type == PERFDATA_COMPRESSED2 ? sizeof(struct perfdata_compressed2) :
						     sizeof(struct perfdata_event);
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_inBuffer in = { .src = plain };
	size_t total = make->size - make->events;
	size_t done;

	memcpy(plain, make->bytes + make->events, total);
	make->size = make->events;
	for (done = 0; done < total; done = in.pos) {
		struct perfdata_compressed2 event = { .event = { .type = type } };
		ZSTD_outBuffer out = { .dst = packed, .size = sizeof(packed) };
		size_t padded;

		in.size = done + size < total ? done + size : total;
		if (ZSTD_isError(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush)))
			abort();
		padded = (head + out.pos + 7) & ~(size_t)7;
		event.size = out.pos;
		/* COMPRESSED has no other size, and may end anywhere. */
		if (type == PERFDATA_COMPRESSED)
			padded = head + out.pos;
		event.event.size = (uint16_t)padded;
		memset(packed + out.pos, 0, 8);
		make_raw(make, &event, head);
		make_raw(make, packed, padded - head);
	}
	ZSTD_freeCCtx(context);
}

static void put_feature(struct make *make, struct perfdata_section *section, const void *bytes,
			size_t size)
{
	section->offset = make->size;
	section->size = size;
	make_raw(make, bytes, size);
}

void make_end(struct make *make)
{
	struct perfdata_section sections[5] = {};
	const struct perfdata_clock_data clocks = { 1, make->clockid, make->clock_data[0],
						    make->clock_data[1] };
	struct perfdata_header header;
	size_t count = 0, at, n = 0;
	const uint64_t zeros[8] = {};
	uint64_t compressed;

	if (make->pipe || make->bare)
		return;
	memcpy(&header, make->bytes, sizeof(header));
	header.data.size = make->size - make->events;
	compressed = make->events < make->size &&
		     (make->bytes[make->events] == PERFDATA_COMPRESSED ||
		      make->bytes[make->events] == PERFDATA_COMPRESSED2);
	header.features[0] = 1ULL << FEATURE_HOSTNAME |
			     (uint64_t) !!make->table_size << PERFDATA_FEATURE_BUILD_ID |
			     (uint64_t)make->aux << PERFDATA_FEATURE_AUXTRACE |
			     compressed << PERFDATA_FEATURE_COMPRESSED |
			     (uint64_t) !!clocks.clock << PERFDATA_FEATURE_CLOCK_DATA;
	count = (size_t)__builtin_popcountll(header.features[0]);
	at = make->size;
	make_raw(make, sections, count * sizeof(sections[0]));
	if (make->table_size)
		put_feature(make, &sections[n++], make->table, make->table_size);
	put_feature(make, &sections[n++], MAKE_HOSTNAME, sizeof(MAKE_HOSTNAME));
	if (make->aux)
		put_feature(make, &sections[n++], zeros, 16);
	if (compressed)
		put_feature(make, &sections[n++], zeros, 20);
	if (clocks.clock)
		put_feature(make, &sections[n++], &clocks, sizeof(clocks));
	memcpy(make->bytes + at, sections, count * sizeof(sections[0]));
	memcpy(make->bytes, &header, sizeof(header));
}
