/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf.data, as written by perf record. Only this room knows the format. Others read mappings and
 * DSOs:
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
 * A perf.data is a file, a directory (perf record --threads), or a pipe's output (perf record -o
 * -); it may be compressed. Nothing in it is trusted. A perf.data in the other byte order is
 * refused.
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

/* Whether what begins so is a perf.data, of any byte order and age. */
bool perfdata_is_magic(const char bytes[8]);

/*
 * @path: a file or a directory; "-" is standard input. Input that cannot be read twice is first
 *	copied to an unnamed file in TMPDIR. NULL only without memory: check perfdata_error().
 */
struct perfdata *perfdata_open(const char *path);
void perfdata_close(struct perfdata *data);
/* What is wrong and where, or NULL. */
const char *perfdata_error(const struct perfdata *data);
/* Whether perf record did not finish @path, which then has no events. */
bool perfdata_is_unfinished(const char *path);
/*
 * Write the input to @fd unchanged, including the rest of a standard input for which there was no
 * room; not for a directory. Only once. 0 or -errno.
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
 * @generation: of the inode; also 0 if it is unknown
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
/* CLOCK_REALTIME and perf's own clock when perf record -k began. False if that is unknown. */
bool perfdata_clock_pair(struct perfdata *data, uint64_t *real, uint64_t *time);
/*
 * Set @time to the earliest time of any event, and @text to the address of the kernel's _text,
 * which with KASLR differs at each boot; to 0 if there is none. 0 or -1.
 */
int perfdata_begin(struct perfdata *data, uint64_t *time, uint64_t *text);
/* Of its first file. False if that is unknown. */
bool perfdata_stat(const struct perfdata *data, struct stat *status);
/* Modification time, in nanoseconds since the epoch. */
uint64_t perfdata_modified(const struct perfdata *data);
#define PERFDATA_HOST_MAX 256
/* The host name, "" if it is unknown, as for a pipe's output. 0 or -1. */
int perfdata_host(struct perfdata *data, char name[PERFDATA_HOST_MAX]);

/* ------------------------------------------------------------------- DSOs -- */

/**
 * struct perfdata_dso - one content at one path
 * @path: "[kernel.kallsyms]" for the kernel
 * @kind: what it is
 * @id: the build-id, empty if it is unknown
 * @doubtful: the recording also has @id for other modules, which cannot be right; see doubts.h
 * @hit: an address of a sample or its call chain is in it; false if not requested
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
 * All DSOs of @data, from its mappings and its build-id table: the kernel, then its modules, then
 * files, each in order of appearance. They belong to @data. With @hits, the samples are read to
 * find which were hit. Returns how many, or -1 with an error.
 */
int perfdata_dsos(struct perfdata *data, bool hits, const struct perfdata_dso **dsos);
#define PERFDATA_NO_DSO SIZE_MAX
/* The index among them of what @mapping is of. */
size_t perfdata_dso_of(const struct perfdata *data, const struct perfdata_mapping *mapping);
/*
 * Whether a report may need files that were not hit: to unwind stacks (--call-graph dwarf), read
 * branches (-b), or decode AUX data. For a pipe's output this is known after perfdata_dsos().
 */
bool perfdata_needs_all(const struct perfdata *data);

#endif
