/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fake module: takes the place of the module in unit tests. It is linked instead of
 * device.o, which it contains with system calls of its own.
 */
#ifndef TESTS_FAKE_MODULE_H
#define TESTS_FAKE_MODULE_H

#include <stdbool.h>

#include "streams.h"

#define FAKE_RING_SIZE 65536

struct fake_module {
	/* What it returns: 0 or an errno. */
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
	/* Nanoseconds since it was loaded. */
	uint64_t slept;
	/* How many bytes its structs are longer than the library's, or shorter. */
	int grown;
	struct buildid_stats stats;
	uint64_t flushed;
	/* NULL: a GNU build-id of 20 bytes. */
	void (*resolve)(int fd, union any_record *record);
	uint32_t resolved_size; /* 0: the record's */
	uint64_t resolved_offset;
	uint64_t mapped_at; /* or where the file begins in every process */
	bool exited;	    /* no process has an address any more */
	/* Replies to MAPS with 0 or an errno; NULL: no process exists. */
	int (*maps)(struct buildid_maps *request);
	/* Replies to HISTORY in the same way; NULL: not permitted. */
	int (*history)(struct buildid_history *request);
	int cookie_error;

	/* Called when the reader polls, and when it naps. */
	void (*on_poll)(void);
	void (*on_wait)(void);

	/* The last requests. */
	struct buildid_subscribe subscribed;
	uint32_t pids[BUILDID_SUB_PIDS_MAX];
	struct buildid_resolve resolved;
	struct buildid_set_cookie cookie;
	uint32_t asked_flags; /* for tests to fill */
	uint8_t cookie_id[BUILDID_ID_MAX];
	unsigned int polls;
	unsigned int naps;

	uint64_t seq;
};

/* Shared with children, so that the test sees their requests. */
extern struct fake_module *fake_module;
#define fake (*fake_module)

/* Start over, with an empty ring. A cmocka fixture. */
int fake_reset(void **state);

/* Put a record into the ring, with the next seq; false when it is full. */
bool fake_put(union any_record *record);
/* The same, but busy until fake_commit(). */
bool fake_put_busy(union any_record *record);
void fake_commit(void);
/* Append to the reply to MAPS, and count in @request->bytes. */
void fake_add_map(struct buildid_maps *request, union any_record *record);
void fake_add_history(struct buildid_history *request, union any_record *record);
/* The positions of the reader and of the writer. */
uint64_t fake_consumed(void);
uint64_t fake_produced(void);
/* Overwrite the size of the record put last. */
void fake_break_size(uint32_t size);

#endif
