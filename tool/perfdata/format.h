/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The layout of a perf.data, as written by perf of Linux 6.1 to 7.2: the header, the
 * attrs, and those events that matter here. It is in the byte order of the machine
 * that recorded; the first 8 bytes say which.
 *
 * A file is a header, the attrs (one perf_event_attr for each event that was opened, each with a
 * list of the ids its events carry), the data section with the events, and the features. A pipe's
 * output is a header of 16 bytes and events; what would be attrs and features are events there. A
 * directory (perf record --threads) has a file "data" like that, and files data.N with only events.
 *
 * An event is a perf_event_header and its fields. Types below 64 come from the kernel and have a
 * time if the attr asks for one: a SAMPLE among its fields, others in the sample_id at their end,
 * if the attr has sample_id_all. Types from 64 on are made up by perf itself. Events are sorted by
 * time only across FINISHED_ROUND events.
 *
 * See tools/perf/Documentation/perf.data-file-format.txt and perf_event_open(2).
 */
#ifndef TOOL_PERFDATA_FORMAT_H
#define TOOL_PERFDATA_FORMAT_H

#include <stdint.h>

/* "PERFILE2" as a number */
#define PERFDATA_MAGIC 0x32454c4946524550ULL
/* The size in the header of a pipe's output. */
#define PERFDATA_PIPE_HEADER 16

struct perfdata_section {
	uint64_t offset;
	uint64_t size;
};

#define PERFDATA_FEATURES 256

struct perfdata_header {
	uint64_t magic;
	uint64_t size;
	uint64_t attr_size; /* of an attr and the section of its ids */
	struct perfdata_section attrs;
	struct perfdata_section data;
	struct perfdata_section event_types;
	uint64_t features[PERFDATA_FEATURES / 64];
};

enum perfdata_feature {
	PERFDATA_FEATURE_BUILD_ID = 2,
	PERFDATA_FEATURE_HOSTNAME = 3,
	PERFDATA_FEATURE_AUXTRACE = 18,
	PERFDATA_FEATURE_COMPRESSED = 27,
	PERFDATA_FEATURE_CLOCK_DATA = 29,
};

/* PERFDATA_FEATURE_CLOCK_DATA: two clocks as perf began, in nanoseconds. */
struct perfdata_clock_data {
	uint32_t version; /* 1 */
	int32_t clockid;
	uint64_t real;
	uint64_t clock;
};

/* ------------------------------------------------------------------ events -- */

struct perfdata_event {
	uint32_t type;
	uint16_t misc;
	uint16_t size;
};

enum perfdata_type {
	PERFDATA_MMAP = 1,
	PERFDATA_LOST = 2,
	PERFDATA_COMM = 3,
	PERFDATA_EXIT = 4,
	PERFDATA_FORK = 7,
	PERFDATA_SAMPLE = 9,
	PERFDATA_MMAP2 = 10,
	PERFDATA_LOST_SAMPLES = 13,
	PERFDATA_KSYMBOL = 17,
	/* The first of perf's own. */
	PERFDATA_USER_TYPE_START = 64,
	PERFDATA_ATTR = 64,
	PERFDATA_EVENT_TYPE = 65, /* obsolete: every perf skips it */
	PERFDATA_TRACING_DATA = 66,
	PERFDATA_BUILD_ID = 67,
	PERFDATA_FINISHED_ROUND = 68,
	PERFDATA_AUXTRACE = 71,
	PERFDATA_FEATURE = 80,
	PERFDATA_COMPRESSED = 81,
	PERFDATA_COMPRESSED2 = 83,
};

#define PERFDATA_MISC_CPUMODE 7
#define PERFDATA_MISC_KERNEL  1
#define PERFDATA_MISC_USER    2
#define PERFDATA_MISC_EXEC    (1U << 13) /* in COMM */
#define PERFDATA_MISC_DATA    (1U << 13) /* in MMAP, MMAP2: not executable */
#define PERFDATA_MISC_ID      (1U << 14) /* in MMAP2: build-id, no inode */
#define PERFDATA_MISC_ID_SIZE (1U << 15) /* in BUILD_ID: id_size is set */

#define PERFDATA_KERNEL_NAME "[kernel.kallsyms]"

struct perfdata_mmap {
	struct perfdata_event event;
	uint32_t pid;
	uint32_t tid;
	uint64_t start;
	uint64_t len;
	uint64_t pgoff;
	char name[];
};

struct perfdata_mmap2 {
	struct perfdata_event event;
	uint32_t pid;
	uint32_t tid;
	uint64_t start;
	uint64_t len;
	uint64_t pgoff;
	union {
		struct {
			uint32_t major;
			uint32_t minor;
			uint64_t ino;
			uint64_t generation;
		};
		struct {
			uint8_t id_size;
			uint8_t reserved[3];
			uint8_t id[20];
		};
	};
	uint32_t prot;
	uint32_t flags;
	char name[];
};

#define PERFDATA_MMAP_GROWS (sizeof(struct perfdata_mmap2) - sizeof(struct perfdata_mmap))

/* Bytes of a name of @length with its NUL and padding. */
#define PERFDATA_NAME_ROOM(length) (((length) + 8) & ~(size_t)7)

/* A kernel symbol is registered or unregistered: perf then unmaps what is mapped at its address. */
struct perfdata_ksymbol {
	struct perfdata_event event;
	uint64_t addr;
	uint32_t len;
	uint16_t type;
	uint16_t flags;
	char name[];
};

#define PERFDATA_KSYMBOL_OTHER	    2 /* no BPF program */
#define PERFDATA_KSYMBOL_UNREGISTER (1U << 0)

/* FORK and EXIT; a COMM begins with the same pid. */
struct perfdata_task {
	struct perfdata_event event;
	uint32_t pid;
	uint32_t ppid;
	uint32_t tid;
	uint32_t ptid;
	uint64_t time;
};

/* An entry of the build-id table, and an event in a pipe's output. */
struct perfdata_build_id {
	struct perfdata_event event;
	uint32_t pid;
	uint8_t id[20];
	uint8_t id_size;
	uint8_t reserved[3];
	char name[];
};

struct perfdata_auxtrace {
	struct perfdata_event event;
	uint64_t size; /* of the data that follow the event */
};

struct perfdata_tracing_data {
	struct perfdata_event event;
	uint32_t size; /* of the data that follow the event, without padding */
};

struct perfdata_feature_event {
	struct perfdata_event event;
	uint64_t feature;
};

struct perfdata_compressed2 {
	struct perfdata_event event;
	uint64_t size; /* of the data; the rest is padding */
};

/* ------------------------------------------------------------------- attrs -- */

/* The part that matters here; one in a file may be shorter or longer. */
struct perfdata_attr {
	uint32_t type;
	uint32_t size;
	uint64_t config;
	uint64_t period;
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags;
	uint64_t wakeup_bp_type;
	uint64_t config1;
	uint64_t config2;
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
};

#define PERFDATA_ATTR_MIN 64 /* PERF_ATTR_SIZE_VER0 */

#define PERFDATA_SAMPLE_IP	     (1U << 0)
#define PERFDATA_SAMPLE_TID	     (1U << 1)
#define PERFDATA_SAMPLE_TIME	     (1U << 2)
#define PERFDATA_SAMPLE_ADDR	     (1U << 3)
#define PERFDATA_SAMPLE_READ	     (1U << 4)
#define PERFDATA_SAMPLE_CALLCHAIN    (1U << 5)
#define PERFDATA_SAMPLE_ID	     (1U << 6)
#define PERFDATA_SAMPLE_CPU	     (1U << 7)
#define PERFDATA_SAMPLE_PERIOD	     (1U << 8)
#define PERFDATA_SAMPLE_STREAM_ID    (1U << 9)
#define PERFDATA_SAMPLE_BRANCH_STACK (1U << 11)
#define PERFDATA_SAMPLE_STACK_USER   (1U << 13)
#define PERFDATA_SAMPLE_IDENTIFIER   (1U << 16)
#define PERFDATA_SAMPLE_AUX	     (1U << 20)

#define PERFDATA_READ_ENABLED (1U << 0)
#define PERFDATA_READ_RUNNING (1U << 1)
#define PERFDATA_READ_ID      (1U << 2)
#define PERFDATA_READ_GROUP   (1U << 3)
#define PERFDATA_READ_LOST    (1U << 4)

#define PERFDATA_ATTR_SAMPLE_ID_ALL (1ULL << 18)
#define PERFDATA_ATTR_USE_CLOCKID   (1ULL << 25)

/* In a call chain: where the addresses that follow belong. */
#define PERFDATA_CONTEXT_MAX	((uint64_t)-4095)
#define PERFDATA_CONTEXT_KERNEL ((uint64_t)-128)
#define PERFDATA_CONTEXT_USER	((uint64_t)-512)

_Static_assert(sizeof(struct perfdata_header) == 104, "perf.data: header");
_Static_assert(sizeof(struct perfdata_mmap) == 40, "perf.data: MMAP");
_Static_assert(sizeof(struct perfdata_mmap2) == 72, "perf.data: MMAP2");
_Static_assert(sizeof(struct perfdata_build_id) == 36, "perf.data: BUILD_ID");

#endif
