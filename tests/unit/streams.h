/* SPDX-License-Identifier: GPL-2.0 */
/* Streams: records as the module writes them, for unit tests. */
#ifndef TESTS_STREAMS_H
#define TESTS_STREAMS_H

/* Needed by cmocka.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "libbuildid/libbuildid.h"

union any_record {
	struct buildid_record header;
	struct buildid_file file;
	struct buildid_mmap mmap;
	struct buildid_image image;
	struct buildid_cookie cookie;
	struct buildid_task task;
	struct buildid_lost lost;
	uint64_t words[BUILDID_RECORD_MAX / 8];
	unsigned char bytes[BUILDID_RECORD_MAX];
};

/* How many bytes the fixed part of each record is longer; a multiple of 8. */
extern uint16_t make_extra;

/* What varies in length in a record, at its data_off. */
unsigned char *data_of(union any_record *record);

/* A FILE with an id of @id_len bytes 0x10, 0x11...; 0 for none and @reason. */
void make_file(union any_record *record, uint64_t file_id, uint16_t id_len, uint16_t reason,
	       const char *path);
/* An MMAP by process @pid, and thread @pid + 1. */
void make_mmap(union any_record *record, uint64_t file_id, uint32_t state, uint32_t pid);
/* A KERNEL or MODULE with an id as in make_file(). */
void make_image(union any_record *record, uint16_t type, uint16_t id_len, const char *name);
/* A COOKIE by process @pid, with an id as in make_file(); 0 for a removed one. */
void make_cookie(union any_record *record, uint32_t pid, uint16_t id_len);
/* A FORK, EXEC or EXIT of process @pid; @parent is 0 unless it is a FORK. */
void make_process(union any_record *record, uint16_t type, uint32_t pid, uint32_t parent);
void make_lost(union any_record *record, uint64_t ring_full);

#endif
