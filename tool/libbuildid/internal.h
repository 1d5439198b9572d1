/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handle: what the rest of the library asks of it; neither installed nor exported. */
#ifndef TOOL_HANDLE_H
#define TOOL_HANDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "libbuildid.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Nanoseconds. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A struct of a program ends behind @last at least, the last there was at first. */
#define STRUCT_LEAST(type, last) (offsetof(struct type, last) + sizeof(((struct type *)NULL)->last))

/*
 * A program's struct, which begins with its size of at least @least bytes, into
 * this library's of @known bytes: 0; -EINVAL; -E2BIG when the program asks for
 * what is not known here.
 */
int buildid_struct_take(void *to, size_t known, const void *from, size_t least);
/* The same, NULL being all defaults. */
int buildid_options_take(struct buildid_options *to, const struct buildid_options *from);

/* BUILDID_IOC_MAPS: 0 or a negative errno. */
int buildid_take_maps(struct buildid *handle, struct buildid_maps *maps);

/*
 * Where the ring ends now, and whether all records before such a place have
 * been handed out. Subscribed.
 */
uint64_t buildid_ring_end(const struct buildid *handle);
bool buildid_ring_passed(const struct buildid *handle, uint64_t end);

/* How often the module was asked: what it answers is of one moment. */
size_t buildid_snapshot_fills(const struct buildid_snapshot *snapshot);

#endif
