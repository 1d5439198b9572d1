/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf.data: what perf record writes, whoever wrote it.
 *
 * Only the files perfdata*.c know the format. Here is what others want of it:
 *
 *	struct perfdata *data = perfdata_open(path);
 *	struct perfdata_mapping mapping;
 *
 *	while (data && perfdata_next_mapping(data, &mapping) > 0)
 *		...
 *	if (!data || perfdata_error(data))
 *		...
 *	perfdata_close(data);
 *
 * A perf.data is a file, a directory, or a stream as of perf record -o -; it
 * may be compressed. Nothing in it is trusted. Of the other byte order it is
 * refused.
 */
#ifndef TOOL_PERFDATA_H
#define TOOL_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest id that fits into a perf.data, in bytes. */
#define PERFDATA_ID_MAX 20

struct perfdata;

/*
 * @path: a file or a directory; "-" is standard input. A stream that cannot be
 * read twice is copied to an unnamed file in TMPDIR first. NULL only without
 * memory: look at perfdata_error().
 */
struct perfdata *perfdata_open(const char *path);
void perfdata_close(struct perfdata *data);
/* What is wrong with it, with the offset, or NULL as long as all is well. */
const char *perfdata_error(const struct perfdata *data);
/* Whether @path is one that perf record never ended, so that it has no events. */
bool perfdata_is_unfinished(const char *path);
/* The bytes of a file or a stream, as they were, to @fd: 0 or -errno. */
int perfdata_copy(const struct perfdata *data, int fd);
/* Begin anew with the first event. */
void perfdata_rewind(struct perfdata *data);

/* --------------------------------------------------------------- mappings -- */

enum perfdata_kind {
	PERFDATA_KIND_USER,   /* a file, mapped by a process */
	PERFDATA_KIND_KERNEL, /* the kernel's image, "[kernel.kallsyms]..." */
	PERFDATA_KIND_MODULE, /* a module of it: a path, or "[name]" */
	PERFDATA_KIND_VDSO,   /* the kernel's code in each 64-bit process, "[vdso]" */
	PERFDATA_KIND_OTHER,  /* no file: "//anon", "[heap]", a guest's */
};

/**
 * struct perfdata_mapping - a mapping made, or found at the start
 * @path: as perf has it
 * @kind: what is mapped
 * @pid: process; of the kernel 0xffffffff
 * @tid: thread
 * @start: first address
 * @len: in bytes
 * @pgoff: offset in the file of @start, in bytes
 * @time: nanoseconds by the clock of perfdata_clock(); 0 for what was there
 *	when recording began, and where perf kept no time
 * @id_size: bytes of @id, 0 when there is none
 * @id: the build-id
 * @has_inode: the next four are known
 * @major: device of the file
 * @minor: likewise
 * @ino: inode number
 * @generation: of @ino; 0 also for not known
 * @data: mapped not to be executed
 */
struct perfdata_mapping {
	const char *path;
	enum perfdata_kind kind;
	uint32_t pid;
	uint32_t tid;
	uint64_t start;
	uint64_t len;
	uint64_t pgoff;
	uint64_t time;
	size_t id_size;
	uint8_t id[PERFDATA_ID_MAX];
	bool has_inode;
	uint32_t major;
	uint32_t minor;
	uint64_t ino;
	uint64_t generation;
	bool data;
};

/* 1 with a mapping, its path valid until the next call; 0 at the end; -1. */
int perfdata_next_mapping(struct perfdata *data, struct perfdata_mapping *mapping);

enum perfdata_clock {
	PERFDATA_CLOCK_NONE, /* it has no times */
	PERFDATA_CLOCK_PERF, /* time_perf of a record */
	PERFDATA_CLOCK_MONO, /* time_mono of a record */
	PERFDATA_CLOCK_OTHER,
};

enum perfdata_clock perfdata_clock(const struct perfdata *data);
/* Set @time to that of the first event that has one, else 0. 0 or -1. */
int perfdata_begin(struct perfdata *data, uint64_t *time);
/* When it was written last, in nanoseconds since the epoch. */
uint64_t perfdata_modified(const struct perfdata *data);
/*
 * Set @address to where _text was in the kernel that ran, which is another in each
 * boot; 0 when it does not say. 0 or -1.
 */
int perfdata_text(struct perfdata *data, uint64_t *address);
#define PERFDATA_HOST_MAX 256
/* The machine's name, "" when it does not say, as a stream. 0 or -1. */
int perfdata_host(struct perfdata *data, char name[PERFDATA_HOST_MAX]);

/* ------------------------------------------------------------------- DSOs -- */

/**
 * struct perfdata_dso - one content of one path
 * @path: of the kernel "[kernel.kallsyms]"
 * @kind: what it is
 * @id_size: bytes of @id, 0 when it is not known
 * @id: the build-id
 * @hit: a sample, or a call chain of one, lies in it
 * @pids: some processes that have it mapped, in the order they came
 * @nr_pids: how many are in @pids
 */
struct perfdata_dso {
	const char *path;
	enum perfdata_kind kind;
	size_t id_size;
	uint8_t id[PERFDATA_ID_MAX];
	bool hit;
	uint32_t pids[4];
	size_t nr_pids;
};

/*
 * All DSOs of @data, from its mappings and its table of build-ids: the kernel
 * first, then its modules, then files, each in the order they came. They are
 * @data's. Reads it all. The number of them, or -1 with an error.
 */
int perfdata_dsos(struct perfdata *data, const struct perfdata_dso **dsos);

#endif
