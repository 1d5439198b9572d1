/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open for store --live. What is on FUSE, whose server may be any user and never answer, or may
 * come to be there, as in an overlay that a user has mounted, is only read by a worker, which
 * is left behind when it does not end in time.
 * What is mapped is opened without a path; a path is walked in memory first, where no
 * server is asked. Where that is not enough a worker waits for a second, but not for
 * processes in other user namespaces, who choose what their paths lead to.
 * No user is waited for any more who has taken LIVE_WAIT_NS, of which a little comes back with
 * time. For one who takes LIVE_WAIT_MOST_NS even so, or for whom LIVE_LEFT_MAX workers are left
 * behind, nothing is opened.
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
/* One part of the time that has passed. */
#define LIVE_WAIT_BACK 32
/* So much of a file is read by a worker. */
#define LIVE_COPY_MOST (256ULL << 20)

struct live_wait {
	uint64_t user;
	uint64_t ns, since;
};

struct live_opener {
	struct worker worker;
	struct live_wait *waits;
	size_t nr_waits;
};

/* What live_open_mapped() opens: to be read, or an O_PATH descriptor, for live_copy() alone. */
struct live_file {
	int fd;
	bool unread;
	uint64_t user; /* whose time it takes to read it */
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
 * What is in a file that is not read here, in memory, marked as others' (CONTENT_COPY): a
 * descriptor, or -1 with @reason.
 */
int live_copy(struct live_opener *opener, const struct live_file *file, struct reason *reason);
void live_close(struct live_opener *opener, const struct live_file *file);

#endif
