/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the library share; neither installed nor exported.
 *
 * The map file exports by name, so a buildid_* function declared here stays inside
 * the shared library. Others that link the archive must not call it.
 */
#ifndef LIBBUILDID_INTERNAL_H
#define LIBBUILDID_INTERNAL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>
#include <time.h>

#include "libbuildid.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* The first published version of a struct ended after its last member of that time. */
#define offsetofend(type, member) \
	(offsetof(struct type, member) + sizeof(((struct type *)NULL)->member))

/* Records and what they hold start at multiples of 8. */
static inline size_t align8(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/*
 * Multiplicative hashing, for tables whose size is a power of two. Anybody can choose the keys, in
 * a log or by mmap(2): start with a hash_seed(), so that nobody can produce many collisions.
 */
static inline uint64_t hash_add(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93ULL;
	return hash ^ hash >> 32;
}

static inline uint64_t hash_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uintptr_t)&seed;
	return seed;
}

/* ---------------------------------------------------------------- time -- */

#define FOREVER UINT64_MAX

/* Nanoseconds of CLOCK_MONOTONIC, which also stamps records. */
static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* For poll(2): rounded up, so that a wait never ends before its deadline. */
static inline int ns_to_ms(uint64_t ns)
{
	uint64_t ms = ns / 1000000 + !!(ns % 1000000);

	return ms < INT_MAX ? (int)ms : INT_MAX;
}

/* The end of a wait of @timeout_ms; FOREVER if that is negative. */
static inline uint64_t deadline_after(int timeout_ms)
{
	return timeout_ms < 0 ? FOREVER : now_ns() + (uint64_t)timeout_ms * 1000000;
}

/* What is left until @deadline, as a timeout of poll(2). */
static inline int deadline_left(uint64_t deadline)
{
	uint64_t now;

	if (deadline == FOREVER)
		return -1;
	now = now_ns();
	return now < deadline ? ns_to_ms(deadline - now) : 0;
}

/* -------------------------------------------------------------- structs -- */

/*
 * Copy a caller's struct, which begins with its size of at least @min_size bytes,
 * to this library's of @known bytes; NULL means all defaults. Return: 0; -EINVAL;
 * -E2BIG if the caller sets fields that this library does not know.
 */
int buildid_struct_copy_in(void *to, size_t known, const void *from, size_t min_size);
int buildid_options_copy_in(struct buildid_options *to, const struct buildid_options *from);
int buildid_files_options_copy_in(struct buildid_files_options *to,
				  const struct buildid_files_options *from);

/* --------------------------------------------------------------- device -- */

/*
 * BUILDID_IOC_RESOLVE by ADDR of a living process: uses pid, addr and start_time of @address, and
 * sets start_time and offset.
 */
int buildid_ioctl_resolve_addr(struct buildid *handle, struct buildid_address *address,
			       void *buffer, size_t size, const struct buildid_file **file);
/* BUILDID_IOC_MAPS: 0 or a negative errno. */
int buildid_ioctl_maps(struct buildid *handle, struct buildid_maps *maps);
/* BUILDID_IOC_HISTORY: 0 or a negative errno. */
int buildid_ioctl_history(struct buildid *handle, struct buildid_history *history);

/*
 * The ring's end at this moment, and whether all records before such an end have been delivered.
 * The handle is subscribed.
 */
uint64_t buildid_ring_end(const struct buildid *handle);
bool buildid_ring_passed(const struct buildid *handle, uint64_t end);

/* ------------------------------------------------------------- snapshot -- */

/* How many MAPS requests were made: the records of one reply are of one moment. */
size_t buildid_snapshot_requests(const struct buildid_snapshot *snapshot);
/* Of a history that was read to its end: struct buildid_history.since. */
uint64_t buildid_snapshot_since(const struct buildid_snapshot *snapshot);

/* ----------------------------------------------------------------- past -- */

/* FILE, MMAP, FORK and EXEC records, one after the other. */
struct buildid_past_records {
	void *bytes;
	size_t size, room;
	uint64_t since; /* of a history: as in struct buildid_history */
};

/* The last records of an exited process, cached in the handle; all 0 for none. */
struct buildid_past {
	uint32_t pid, parent_pid;
	uint64_t parent_start_time;
	struct buildid_past_records own, parent, parent_maps;
};

struct buildid_past *buildid_past_of(struct buildid *handle);
/* Frees what it holds, not the struct. */
void buildid_past_free(struct buildid_past *past);

#endif
