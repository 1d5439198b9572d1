/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open for store --live. What is on FUSE, whose server may be any user's and never answer, or may
 * end up there, as in an overlay mounted by a user, is only read by a worker, which is left behind
 * if it does not end in time. What is mapped is opened without a path; a path is walked in memory
 * first, where no server is asked. If that is not enough, a worker waits for a second, but not for
 * processes in other user namespaces, which choose what their paths lead to. Each user has a budget
 * of LIVE_WAIT_NS, slowly refilled (waits.h); once it is used up, that user is not waited for. For
 * a user who exceeds LIVE_WAIT_MOST_NS even so, or causes LIVE_LEFT_MAX workers to be left behind,
 * nothing is opened.
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

#define LIVE_WAIT_NS	  2500000000ULL
#define LIVE_WAIT_MOST_NS (2 * LIVE_WAIT_NS)
#define LIVE_LEFT_MAX	  2
/* The most that a worker reads of a file. */
#define LIVE_COPY_MOST (256ULL << 20)

struct live_opener {
	struct worker worker;
};

/* What live_open_mapped() opens: to be read, or an O_PATH descriptor, for live_copy() alone. */
struct live_file {
	int fd;
	bool unread;
	uint64_t user; /* who is charged for the time to read it */
};

void live_opener_init(struct live_opener *opener);
void live_opener_end(struct live_opener *opener);

/*
 * The file that @pid has mapped at @addr, else what is at @path in its root directory. False with
 * @reason, and -1 as the descriptor.
 */
bool live_open_mapped(struct live_opener *opener, uint32_t pid, uint64_t addr, const char *path,
		      struct live_file *file, struct reason *reason);
/* What is at @path here, to be read, in the time of @user: a descriptor, or -1 with @reason. */
int live_open(struct live_opener *opener, uint64_t user, const char *path, struct reason *reason);
/*
 * A copy in memory of a file that is not read here, marked as other users' (CONTENT_COPY): a
 * descriptor, or -1 with @reason.
 */
int live_copy(struct live_opener *opener, const struct live_file *file, struct reason *reason);
void live_close(struct live_opener *opener, const struct live_file *file);

#endif
