/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fuzz_device: random calls of all that buildid.ko offers, each held to include/uapi/buildid.h.
 *
 * A run is of rounds, each a process with random numbers of its own, so that the seed and the
 * round repeat it. In a racing round several threads share the file descriptors; it has the
 * same numbers again, and as for the rest what the scheduler makes of it.
 */
#ifndef TESTS_FUZZ_DEVICE_H
#define TESTS_FUZZ_DEVICE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buildid.h"

/* What is called, as the report names it. */
enum kind {
	INFO,
	STATS,
	RESOLVE_FD,
	SUBSCRIBE,
	FLUSH,
	RESOLVE_KEY,
	RESOLVE_ADDR,
	MAPS,
	SET_COOKIE,
	RESOLVE_ID,
	HISTORY,
	IOCTLS,
	UNKNOWN_IOCTL = IOCTLS,
	READ,
	POLL,
	MMAP,
	RING,
	GET,
	DUMP,
	LISTEN,
	OTHER_MESSAGE,
	KINDS
};

#define ERRNOS	     134
#define RECORD_TYPES 11

/* Of all rounds: shared memory, added to atomically. */
struct counts {
	uint64_t calls[KINDS][ERRNOS]; /* by errno, 0 for success */
	uint64_t met[KINDS];	       /* that began while another one of the device ran */
	uint64_t closed[KINDS];	       /* that succeeded although it was closed meanwhile */
	uint64_t records[RECORD_TYPES];
	uint64_t netlink_records;
	uint64_t lost;
	uint64_t faults;
	uint64_t findings;
};
extern struct counts *counts;

#define DEVICES 4
#define SOCKETS 3
#define FILES	12

/* At these numbers there is never anything else, also when another thread closes one. */
#define DEVICE_FD 400
#define SOCKET_FD 420
#define FILE_FD	  440
#define CLOSED_FD 480

#define PAGE ((size_t)sysconf(_SC_PAGESIZE))

/* Bytes that nobody has written yet, to tell what the kernel wrote. */
#define PATTERN 0xd7

/* What a device's ring is known to be at; of no use where threads share it. */
struct stream {
	bool subscribed;
	bool mapped; /* the consumer page was */
	uint32_t ring_size;
	bool known;		     /* what the last record was */
	uint64_t seq;		     /* of it */
	volatile uint64_t *consumer; /* where it is mapped */
	volatile uint64_t *producer;
};

/* Pages between two that cannot be touched. */
struct arena {
	uint8_t *start;
	size_t size;
};

struct options {
	uint64_t seed;
	bool racing;
	bool unprivileged;
	bool poison;
	int faults; /* of how many calls one meets a fault, 0 for none */
	const char *directory;
};
extern struct options options;

extern struct arena shared_records; /* of structs that threads share; of no thread's */

struct mapping {
	void *at;
	size_t size;
};
#define MAPPINGS 8

#define KEYS 16

/* A call of a device, and what other threads do to that meanwhile. */
struct meeting {
	unsigned int device;
	uint32_t others;  /* calls that ran when it began */
	uint32_t closing; /* how often it had begun to be closed by then */
};

/* One thread, which is all of a round that does not race. */
struct fuzz {
	uint64_t state; /* of the random numbers */
	unsigned int round;
	unsigned int thread;
	unsigned int call;
	struct arena request;
	struct arena records;
	struct arena read_only;
	struct stream devices[DEVICES];
	struct stream sockets[SOCKETS];
	struct mapping mappings[MAPPINGS];
	struct buildid_file keys[KEYS]; /* of files that were seen */
	unsigned int nr_keys;
	struct buildid_maps maps; /* what to go on with */
	struct buildid_history history;
	uint32_t child; /* a pid that was a process's */
	int fail_nth;	/* /proc/thread-self/fail-nth, or -1 */
	bool failed;	/* a fault was injected into this call */
	char what[256]; /* the call, for a finding */
};

extern _Atomic bool stop; /* the round has a finding */

/* fuzz.c */
uint64_t number(struct fuzz *f);
uint32_t below(struct fuzz *f, uint32_t n);
bool one_in(struct fuzz *f, uint32_t n);
uint64_t odd_number(struct fuzz *f);
void *odd_pointer(struct fuzz *f);
struct arena make_arena(size_t pages);
void finding(struct fuzz *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
void count_call(enum kind kind, long result);
void begin_close(unsigned int device);
void end_close(unsigned int device);
bool is_in_use(unsigned int device);
struct meeting begin_meeting(unsigned int device);
void end_meeting(const struct meeting *meeting, enum kind kind, bool success);
void begin_faults(struct fuzz *f);
void end_faults(struct fuzz *f);
bool is_poison(const void *at, size_t size);
void check_poison(struct fuzz *f, const void *at, size_t size, const char *what);

/* ioctls.c, with requests.c */
void fuzz_ioctl(struct fuzz *f);
void fuzz_unknown_ioctl(struct fuzz *f);

/* files.c: devices except their ioctls, and what makes records */
void open_device(struct fuzz *f, unsigned int n);
void fuzz_read(struct fuzz *f);
void fuzz_poll(struct fuzz *f);
void fuzz_mmap(struct fuzz *f);
void fuzz_ring(struct fuzz *f);
void open_file(struct fuzz *f, unsigned int n);
void make_events(struct fuzz *f);

/* netlink.c */
bool find_family(void);
void open_socket(struct fuzz *f, unsigned int n);
void fuzz_netlink(struct fuzz *f);

/* records.c */
size_t check_record(struct fuzz *f, const void *at, size_t size);
void check_stream(struct fuzz *f, struct stream *stream, const void *at, size_t size);

#endif
