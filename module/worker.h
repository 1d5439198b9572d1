/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The worker does what the hook cannot: it reads files that are not in the page cache,
 * and stores paths that are too long to be stored without allocating.
 */
#ifndef BID_WORKER_H
#define BID_WORKER_H

#include <linux/workqueue.h>

#include "cache.h"

/**
 * struct bid_held - a file that is to be read
 * @access: how
 * @inode: the inode to read. Without @file it is held, and its superblock: unlike an open
 *	file that does not keep the mount busy
 * @file: the file to read, held; NULL where @inode is enough
 * @locked: the superblock's s_umount is held for reading; else the superblock is active
 */
struct bid_held {
	enum bid_access access;
	struct inode *inode;
	struct file *file;
	bool locked;
};

/**
 * struct bid_request - a read request: work to be done for one entry
 * @work: runs handle_request()
 * @free: in the list of free requests
 * @entry: for which entry; bid_entry.request points back
 * @read: read the file; otherwise only store the path
 * @device: usage count of the file's device, which this request is part of
 * @user: likewise, of the user that mapped the file
 * @held: the file, with @read
 * @waiting: slots of the subscribers that get the FILE record; under bid_cache_lock()
 * @path_flags: BUILDID_FILE_* that go with @path
 * @path_len: bytes of @path without the NUL, 0 for none
 * @path: the file's path
 *
 * All requests are allocated when the module is loaded. One is filled in under
 * bid_cache_lock() and from bid_worker_queue() on belongs to handle_request(), except
 * for @waiting.
 */
struct bid_request {
	struct work_struct work;
	struct list_head free;
	struct bid_entry *entry;
	bool read;
	u32 *device;
	u32 *user;
	struct bid_held held;
	u64 waiting;
	u32 path_flags;
	u16 path_len;
	char path[PATH_MAX];
};

int bid_worker_init(u32 requests);
void bid_worker_exit(void);

/* Under bid_cache_lock(). */
struct bid_request *bid_worker_get_request(dev_t dev);
void bid_worker_put_request(struct bid_request *request);

void bid_worker_set_file(struct bid_request *request, struct file *file, struct inode *inode,
			 enum bid_access access);
void bid_worker_queue(struct bid_request *request);
void bid_worker_forget_waiting(u64 slots);
u32 bid_worker_busy(void);

void bid_worker_hold(struct bid_held *held, struct file *file, struct inode *inode,
		     enum bid_access access, bool at_once);
void bid_worker_release(struct bid_held *held);
void bid_worker_put_file(struct file *file, enum bid_access access);
int bid_worker_identify(struct bid_held *held, struct bid_version *version, struct bid_identity *id,
			bool *racy);

#endif /* BID_WORKER_H */
