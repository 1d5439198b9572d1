/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf.data, what perf record writes. Only this room knows the format. Others read
 * mappings and DSOs:
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
 * A perf.data is a file, a directory (perf record --threads), or a pipe's output (perf
 * record -o -); it may be compressed. Nothing in it is trusted. One from a machine of
 * the other byte order is refused.
 */
#ifndef TOOL_PERFDATA_H
#define TOOL_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/build_id.h"

/* The longest id that fits into a perf.data, in bytes. */
#define PERFDATA_ID_MAX 20

struct perfdata;
struct stat;

/*
 * @path: a file or a directory; "-" is standard input. What cannot be read twice is
 * copied to an unnamed file in TMPDIR first. NULL only without memory: look at
 * perfdata_error().
 */
struct perfdata *perfdata_open(const char *path);
void perfdata_close(struct perfdata *data);
/* What is wrong and where, or NULL. */
const char *perfdata_error(const struct perfdata *data);
/* Whether perf record did not get to finish @path, which has no events then. */
bool perfdata_is_unfinished(const char *path);
/*
 * Write what was read to @fd unchanged, and what is still to come of a standard input for
 * which there was no room; not a directory. Once. 0 or -errno.
 */
int perfdata_copy(const struct perfdata *data, int fd);
/* Back to the first event. */
void perfdata_rewind(struct perfdata *data);

/* --------------------------------------------------------------- mappings -- */

enum perfdata_kind {
	PERFDATA_KIND_USER,   /* a file mapped by a process */
	PERFDATA_KIND_KERNEL, /* the kernel's image, "[kernel.kallsyms]..." */
	PERFDATA_KIND_MODULE, /* a kernel module: a path, or "[name]" */
	PERFDATA_KIND_VDSO,   /* "[vdso]" of 64-bit processes */
	PERFDATA_KIND_OTHER,  /* "//anon", "[heap]", in a virtual machine's guest ... */
};

/**
 * struct perfdata_mapping - an MMAP or MMAP2 event
 * @path: as perf has it
 * @kind: what is mapped
 * @pid: process; 0xffffffff for the kernel
 * @tid: thread
 * @start: first address
 * @len: in bytes
 * @pgoff: offset in the file of @start, in bytes
 * @time: nanoseconds by perfdata_clock(); 0 for a mapping that existed when recording
 *	began, and without times
 * @id: the build-id, or none
 * @has_inode: the next four are set
 * @major: of the file's device
 * @minor: of the file's device
 * @ino: inode number
 * @generation: of the inode; 0 also when it is not known
 * @data: not executable
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
	struct build_id id;
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
	PERFDATA_CLOCK_NONE, /* no times */
	PERFDATA_CLOCK_PERF, /* as time_perf of a record: perf's default */
	PERFDATA_CLOCK_MONO, /* as time_mono of a record: perf record -k mono */
	PERFDATA_CLOCK_OTHER,
};

enum perfdata_clock perfdata_clock(const struct perfdata *data);
/* As perf record -k began: CLOCK_REALTIME and its own clock. Whether that is known. */
bool perfdata_clock_pair(struct perfdata *data, uint64_t *real, uint64_t *time);
/*
 * Set @time to the earliest of all events, and @text to the address of the
 * kernel's _text, which with KASLR differs from boot to boot; to 0 when there is none.
 * 0 or -1.
 */
int perfdata_begin(struct perfdata *data, uint64_t *time, uint64_t *text);
/* Of its first file. False where that is not known. */
bool perfdata_stat(const struct perfdata *data, struct stat *status);
/* Modification time, in nanoseconds since the epoch. */
uint64_t perfdata_modified(const struct perfdata *data);
#define PERFDATA_HOST_MAX 256
/* The host name, "" when it is not known, as from a pipe's output. 0 or -1. */
int perfdata_host(struct perfdata *data, char name[PERFDATA_HOST_MAX]);

/* ------------------------------------------------------------------- DSOs -- */

/**
 * struct perfdata_dso - one content at one path
 * @path: "[kernel.kallsyms]" for the kernel
 * @kind: what it is
 * @id: the build-id, or none when it is not known
 * @doubtful: the recording has @id for other modules, too, which cannot be; see doubts.h
 * @hit: an address of a sample or its call chain is in it; false where nobody asked
 * @pids: some processes that mapped it, the first ones
 * @nr_pids: how many are in @pids
 */
struct perfdata_dso {
	const char *path;
	enum perfdata_kind kind;
	struct build_id id;
	bool doubtful;
	bool hit;
	uint32_t pids[4];
	size_t nr_pids;
};

/*
 * All DSOs of @data, from its mappings and its build-id table: the kernel, then its
 * modules, then files, each in order of appearance. They belong to @data. With @hits it
 * is looked up which were hit, for which samples have to be read. How many, or -1 with
 * an error.
 */
int perfdata_dsos(struct perfdata *data, bool hits, const struct perfdata_dso **dsos);
#define PERFDATA_NO_DSO SIZE_MAX
/* The index among them of what @mapping is of. */
size_t perfdata_dso_of(const struct perfdata *data, const struct perfdata_mapping *mapping);
/*
 * Whether a report may need files that hit does not tell of: it unwinds stacks with them
 * (--call-graph dwarf), reads branches (-b), or decodes AUX data. Of a pipe's output it is
 * known after perfdata_dsos().
 */
bool perfdata_needs_all(const struct perfdata *data);

#endif
