/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Live space: the debug dir of store --live, which is kept below a size and survives a full
 * disk. Only what it stored itself, now or in an earlier run, is ever removed, and never what
 * a process has mapped, the running kernel or a loaded module.
 */
#ifndef TOOL_LIVE_SPACE_H
#define TOOL_LIVE_SPACE_H

#include "content/stored.h"
#include "libbuildid/libbuildid.h"

struct live_space {
	struct debug_dir *dir;
	struct buildid *handle;
	struct stored *stored;
	uint64_t max;	      /* bytes on the disk, 0 for no limit */
	uint64_t evicted;     /* entries */
	uint64_t retry_after; /* CLOCK_MONOTONIC; nothing could be evicted */
	uint64_t needed;      /* bytes that did not fit on a full disk, 0 if it is not full */
	bool forget; /* set when numbers of entries have changed, for the caller to reset */
};

/* Locks the directory; false with @reason. @max: 0 for no limit. */
bool live_space_open(struct live_space *space, struct debug_dir *dir, struct buildid *handle,
		     uint64_t max, struct reason *reason);
void live_space_close(struct live_space *space);
/* As debug_dir_put(), after removing older entries if necessary. */
bool live_space_put(struct live_space *space, const struct debug_item *item, struct reason *reason);
/* Note that store_request() may have put @id. */
void live_space_add(struct live_space *space, const struct build_id *id);
/* Whether the disk was full, and has room again; true once. */
bool live_space_has_room_again(struct live_space *space);

#endif
