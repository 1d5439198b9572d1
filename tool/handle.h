/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handle: what the rest of the library asks of it; neither installed nor exported. */
#ifndef TOOL_HANDLE_H
#define TOOL_HANDLE_H

#include <stdbool.h>

#include "libbuildid.h"

bool buildid_options_valid(const struct buildid_options *options);
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
