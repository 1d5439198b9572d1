/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fake module: what stands behind the device in unit tests. Linked in place of
 * device.o, whose system calls it replaces.
 */
#ifndef TESTS_FAKE_MODULE_H
#define TESTS_FAKE_MODULE_H

#include <stdbool.h>

#include "streams.h"

#define FAKE_RING_SIZE 65536

struct fake_module {
	/* What it answers: 0 or an errno. */
	int open_error;
	int info_error;
	int stats_error;
	int resolve_error;
	int subscribe_error;
	int flush_error;
	int poll_error;
	uint32_t abi;
	uint32_t status;
	uint32_t ring_size;
	/* Bytes its structs have more, or less when negative, than are known here. */
	int grown;
	struct buildid_stats stats;
	uint64_t flushed;
	/* NULL: a GNU build-id of 20 bytes. */
	void (*resolve)(int fd, union any_record *record);
	uint32_t resolved_size; /* 0: the record's */
	uint64_t resolved_offset;
	/* Answers MAPS with 0 or an errno; NULL: a process is never there. */
	int (*maps)(struct buildid_maps *request);
	int cookie_error;

	/* When its reader waits, and when it naps. */
	void (*on_poll)(void);
	void (*on_nap)(void);

	/* What it was asked. */
	struct buildid_subscribe subscribed;
	uint32_t pids[BUILDID_SUB_PIDS_MAX];
	struct buildid_resolve_key key;
	struct buildid_resolve_id id;
	struct buildid_resolve_addr addr;
	struct buildid_set_cookie cookie;
	uint32_t asked_flags; /* for tests to fill */
	uint8_t cookie_id[BUILDID_ID_MAX];
	unsigned int polls;
	unsigned int naps;

	uint64_t seq;
};

/* Shared with children, so that what they asked can be looked at. */
extern struct fake_module *fake_module;
#define fake (*fake_module)

/* A new one, with an empty ring. A cmocka fixture. */
int fake_reset(void **state);

/* Into the ring, with the next seq; false when it is full. */
bool fake_put(union any_record *record);
/* The same, still being written until fake_commit(). */
bool fake_put_busy(union any_record *record);
void fake_commit(void);
/* Behind what is in a MAPS request's buffer already; @request->bytes is kept. */
void fake_add_map(struct buildid_maps *request, union any_record *record);
/* Where the reader is. */
uint64_t fake_consumed(void);
uint64_t fake_produced(void);
/* The size of the record put last, whatever it should be. */
void fake_break_size(uint32_t size);

#endif
