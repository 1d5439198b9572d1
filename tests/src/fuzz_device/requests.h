/* SPDX-License-Identifier: GPL-2.0 */
/* One call of an ioctl: what it is and what is handed in. */
#ifndef TESTS_FUZZ_REQUESTS_H
#define TESTS_FUZZ_REQUESTS_H

#include <sys/ioctl.h>

#include "fuzz.h"

union request {
	__u32 size;
	struct buildid_info info;
	struct buildid_stats stats;
	struct buildid_subscribe subscribe;
	struct buildid_flush flush;
	struct buildid_resolve resolve;
	struct buildid_maps maps;
	struct buildid_set_cookie cookie;
	struct buildid_history history;
	uint8_t bytes[512];
};

#define ERRORS_MAX 12

struct field {
	size_t at;
	size_t size;
};

/**
 * struct ioctl - what the header says of one
 * @name: for findings
 * @number: with direction and size
 * @size: of the struct
 * @least: of it that is taken, 0 for all
 * @flags: that are known
 * @privileged: in any case
 * @errors: besides EINVAL, E2BIG and EFAULT
 * @outs: fields that the answer is in
 * @by: enum buildid_by
 * @uses: the fields of that
 * @room: the field with the bytes at @records; 0 for none
 * @records: the field with the address
 * @many: FILE and other records, and not one FILE
 */
struct ioctl {
	const char *name;
	unsigned long number;
	uint32_t size;
	uint32_t least;
	uint32_t flags;
	bool privileged;
	int errors[ERRORS_MAX];
	struct field outs[4];
	uint32_t by;
	struct field uses[6];
	size_t room;
	size_t records;
	bool many;
};

extern const struct ioctl ioctls[IOCTLS];

/**
 * struct call - one call, before and after
 * @io: which
 * @nr: its place in ioctls[]
 * @device: of those of the thread
 * @request: what is handed in, of which the first @size bytes are at @at
 * @size: what the caller says
 * @at: in the arena, or nowhere good
 * @inside: all of the struct is in the arena
 * @loose: others write there too, or the answer overwrites the question: then only the error
 *	is looked at
 * @sure: has to succeed
 * @before: of the arena
 */
struct call {
	const struct ioctl *io;
	unsigned int nr;
	unsigned int device;
	union request request;
	uint32_t size;
	uint8_t *at;
	bool inside;
	bool loose;
	bool sure;
	uint8_t *before;
};

uint32_t room_of(const struct call *call);
uint64_t records_of(const struct call *call);
void make_call(struct fuzz *f, struct call *call);

#endif
