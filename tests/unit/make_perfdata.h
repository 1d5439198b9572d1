/* SPDX-License-Identifier: GPL-2.0 */
/* Make perf.data: as perf record writes them, of any shape, in memory. */
#ifndef TESTS_MAKE_PERFDATA_H
#define TESTS_MAKE_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/build_id.h"
#include "perfdata/format.h"

#define MAKE_ROOM (1U << 20)

/* What perf 6.1 asks for: IP, TID, TIME, PERIOD. */
#define MAKE_SAMPLE 0x107

struct make {
	unsigned char bytes[MAKE_ROOM];
	size_t size;
	size_t events; /* where they begin */
	bool pipe;
	bool bare;   /* a data.N of a directory: no header */
	bool no_ids; /* sample_id_all is off */
	bool aux;
	int32_t clockid;	/* -1: perf's own */
	uint64_t clock_data[2]; /* as it began: CLOCK_REALTIME and its own; 0: it does not say */
	uint64_t sample_type;
	size_t attr_size; /* of an older or newer perf; 0: as it is here */
	bool other_attr;  /* a second one, of another sample type */
	unsigned char table[4096];
	size_t table_size;
};

/* Set what differs in @make, zeroed, then begin; end with make_end(). */
void make_begin(struct make *make);
void make_raw(struct make *make, const void *bytes, size_t size);
void make_mmap2_event(struct make *make, uint32_t pid, uint64_t start, uint64_t len, uint64_t pgoff,
		      uint64_t ino, uint64_t time, const char *path);
/* With @id in place of the inode, at offset 0. */
void make_identified_event(struct make *make, uint32_t pid, uint64_t start, uint64_t len,
			   uint64_t time, const struct build_id *id, const char *path);
void make_mmap_event(struct make *make, uint16_t misc, uint32_t pid, uint64_t start, uint64_t len,
		     uint64_t time, const char *path);
void make_sample(struct make *make, uint16_t misc, uint32_t pid, uint64_t time, uint64_t ip);
void make_task(struct make *make, uint32_t type, uint16_t misc, uint32_t pid, uint32_t parent,
	       uint64_t time);
void make_exec(struct make *make, uint32_t pid, uint64_t time, const char *comm);
void make_round(struct make *make);
/* With @size bytes behind it. */
void make_auxtrace(struct make *make, const void *bytes, uint64_t size);
void make_build_id(struct make *make, uint16_t misc, uint8_t first, const char *path);
/* The same as an entry of the table. */
void make_entry(struct make *make, uint16_t misc, uint8_t first, const char *path);
/* All events so far, compressed, in records of at most @size bytes. */
void make_pack(struct make *make, uint32_t type, size_t size);
/* Features and sizes. */
void make_end(struct make *make);

/* Its length, its bytes. */
#define MAKE_HOSTNAME "\30\0\0\0a feature like any other"

#endif
