/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the hook could not do at once: reading what is not in the page cache,
 * keeping paths.
 */
#ifndef BID_WORKER_H
#define BID_WORKER_H

#include <linux/workqueue.h>

#include "cache.h"

/**
 * struct bid_request - work to be done for one entry
 * @work: the work
 * @free: among the free ones
 * @entry: for which; bid_entry.request leads back
 * @read: read the file; else only keep the path
 * @access: how to read it
 * @device: counts the requests for its device
 * @user: likewise, by the user who mapped it
 * @inode: what to read; held, and its superblock kept active, for
 *	BID_ACCESS_INODE: that leaves the mount free to go
 * @file: what to read, held, for the others
 * @waiting: slots of subscribers that get the FILE record; under the cache lock
 * @path_flags: of @path
 * @path_len: bytes of @path, no NUL
 * @path: of the file
 */
struct bid_request {
	struct work_struct work;
	struct list_head free;
	struct bid_entry *entry;
	bool read;
	enum bid_access access;
	u32 *device;
	u32 *user;
	struct inode *inode;
	struct file *file;
	u64 waiting;
	u32 path_flags;
	u16 path_len;
	char path[PATH_MAX];
};

int bid_worker_init(u32 requests);
void bid_worker_exit(void);

/* Under the cache lock. */
struct bid_request *bid_worker_get_request(dev_t dev);
void bid_worker_put_request(struct bid_request *request);

void bid_worker_set_file(struct bid_request *request, struct file *file, struct inode *inode,
			 enum bid_access access);
void bid_worker_queue(struct bid_request *request);
void bid_worker_forget_waiting(u64 slots);
u32 bid_worker_busy(void);

int bid_worker_identify(struct file *file, struct inode *inode, enum bid_access access,
			struct bid_version *version, struct bid_identity *id, bool *racy);

#endif /* BID_WORKER_H */
