/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open for store --live: nothing on FUSE, whose server may be any user and never answer, and
 * nothing that may come to be there, as in an overlay that a user has mounted.
 * What is mapped is opened without a path; a path is walked in memory first, where no
 * server is asked. Where that is not enough a worker waits for a second, but not for
 * processes in other user namespaces, who choose what their paths lead to, and not for a
 * user whose files took that long LIVE_SLOW_MAX times.
 */
#ifndef TOOL_LIVE_OPEN_H
#define TOOL_LIVE_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/reason.h"
#include "common/worker.h"
#include "libbuildid/libbuildid.h"

#define LIVE_ON_FUSE "is on FUSE, or on an overlay that a user has mounted: a read may never end"

#define LIVE_SLOW_MAX 3

struct live_slow {
	uid_t uid;
	unsigned int count;
};

struct live_opener {
	struct worker worker;
	struct live_slow *slow;
	size_t nr_slow;
};

void live_opener_init(struct live_opener *opener);
/* What the module before 0.2.0 cannot tell. */
bool live_knows_fuse(struct buildid *module);
void live_opener_end(struct live_opener *opener);

/*
 * The file that @pid has mapped at @addr, else what is at @path in its root directory. A
 * descriptor, or -1 with @reason.
 */
int live_open_mapped(struct live_opener *opener, uint32_t pid, uint64_t addr, const char *path,
		     struct reason *reason);
/* What is at @path here. */
int live_open(struct live_opener *opener, const char *path, struct reason *reason);

#endif
