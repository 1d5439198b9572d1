// SPDX-License-Identifier: GPL-2.0
/*
 * The RESOLVE_* ioctls: the FILE record of an open file (FD), of an inode (KEY),
 * of a file_id (ID), or of what a process has mapped at an address (ADDR).
 *
 * FD and ADDR identify a file that is there, see reply.c. KEY and ID only say what
 * the cache has.
 */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "cache.h"
#include "ioctl.h"
#include "process.h"
#include "reply.h"

/* Fills in @record, BUILDID_RECORD_MAX zeroed bytes, for the request at @data. */
typedef int resolve_fn(void *data, struct buildid_file *record);

/* @room: in: bytes at @to; out: bytes of the record, also where that is too many. */
static int copy_record(u64 to, u32 *room, const struct buildid_file *record)
{
	u32 size = record->header.size;
	bool fits = size <= *room;

	*room = size;
	if (!fits)
		return -ENOSPC;
	return copy_to_user(u64_to_user_ptr(to), record, size) ? -EFAULT : 0;
}

/*
 * Resolve a request and copy the answer out: the record to @to, then the request
 * itself to @arg. That one is copied out after -ENOSPC, too: it says how much room
 * the record needs.
 */
static int reply(void __user *arg, void *req, size_t size, u64 to, u32 *room, resolve_fn *resolve)
{
	struct buildid_file *record = kzalloc(BUILDID_RECORD_MAX, GFP_KERNEL);
	int err;

	if (!record)
		return -ENOMEM;
	err = resolve(req, record);
	if (!err)
		err = copy_record(to, room, record);
	if (!err || err == -ENOSPC)
		err = bid_ioctl_copy_out(arg, req, size) ?: err;
	kfree(record);
	return err;
}

static int resolve_fd(void *data, struct buildid_file *record)
{
	const struct buildid_resolve_fd *req = data;
	struct file *file = fget_raw(req->fd);
	int err;

	if (!file)
		return -EBADF;
	err = file->f_mode & FMODE_PATH ? 0 : bid_file_may_read(file);
	if (!err)
		err = bid_reply_file(file, record);
	fput(file);
	return err;
}

int bid_ioctl_resolve_fd(struct bid_session *session, void __user *arg)
{
	struct buildid_resolve_fd req;
	int err;

	err = bid_ioctl_copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags)
		return -EINVAL;
	return reply(arg, &req, sizeof(req), req.record, &req.record_size, resolve_fd);
}

/* Under RCU, and for a caller that may know of everything that was mapped. */
static int resolve_entry(const struct bid_entry *entry, struct buildid_file *record)
{
	if (!entry)
		return -ENOENT;
	bid_reply_entry(entry, record);
	/* the path is that of some process, which may be outside of the container */
	if (task_active_pid_ns(current) != &init_pid_ns)
		bid_reply_hide_path(record);
	return 0;
}

static int resolve_key(void *data, struct buildid_file *record)
{
	const struct buildid_resolve_key *req = data;
	bool any = req->flags & BUILDID_KEY_ANY_GENERATION;
	const struct bid_entry *entry;
	int err;

	rcu_read_lock();
	entry = bid_cache_find_newest(req->dev_major, req->dev_minor, req->ino,
				      any ? NULL : &req->generation);
	err = resolve_entry(entry, record);
	rcu_read_unlock();
	return err;
}

int bid_ioctl_resolve_key(struct bid_session *session, void __user *arg)
{
	struct buildid_resolve_key req;
	int err;

	err = bid_ioctl_copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags & ~BID_RESOLVE_KEY_FLAGS)
		return -EINVAL;
	if (!perfmon_capable())
		return -EPERM;
	return reply(arg, &req, sizeof(req), req.record, &req.record_size, resolve_key);
}

static int resolve_id(void *data, struct buildid_file *record)
{
	const struct buildid_resolve_id *req = data;
	int err;

	rcu_read_lock();
	err = resolve_entry(bid_cache_find_id(req->file_id), record);
	rcu_read_unlock();
	return err;
}

int bid_ioctl_resolve_id(struct bid_session *session, void __user *arg)
{
	struct buildid_resolve_id req;
	int err;

	err = bid_ioctl_copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags || req.reserved)
		return -EINVAL;
	if (!perfmon_capable())
		return -EPERM;
	return reply(arg, &req, sizeof(req), req.record, &req.record_size, resolve_id);
}

static int resolve_addr(void *data, struct buildid_file *record)
{
	return bid_process_resolve(data, record);
}

int bid_ioctl_resolve_addr(struct bid_session *session, void __user *arg)
{
	struct buildid_resolve_addr req;
	int err;

	err = bid_ioctl_copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags || req.reserved)
		return -EINVAL;
	return reply(arg, &req, sizeof(req), req.record, &req.record_size, resolve_addr);
}
