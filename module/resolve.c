// SPDX-License-Identifier: GPL-2.0
/*
 * RESOLVE: the FILE record of an open file (FD), of an inode (KEY), of a file_id (ID), or
 * of what a process has mapped at an address (ADDR).
 *
 * FD and ADDR identify a file that exists, see reply.c. KEY and ID only report what is in the
 * cache.
 */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "cache.h"
#include "process.h"
#include "reply.h"
#include "resolve.h"

static int resolve_fd(struct buildid_resolve *req, struct buildid_file *record)
{
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

/* Under RCU, for a caller that may know of everything that was mapped. */
static int resolve_entry(const struct bid_entry *entry, struct buildid_file *record)
{
	if (IS_ERR_OR_NULL(entry))
		return entry ? PTR_ERR(entry) : -ENOENT;
	bid_reply_entry(entry, record);
	/* the path is as some other process sees it, perhaps outside the caller's container */
	if (task_active_pid_ns(current) != &init_pid_ns)
		bid_reply_hide_path(record);
	return 0;
}

static int resolve_key(struct buildid_resolve *req, struct buildid_file *record)
{
	bool any_generation = req->flags & BUILDID_KEY_ANY_GENERATION;
	bool any_tree = req->flags & BUILDID_KEY_ANY_TREE;
	int err;

	if ((any_generation && req->generation) || (any_tree && req->tree))
		return -EINVAL;
	rcu_read_lock();
	err = resolve_entry(bid_cache_find_newest(req->dev_major, req->dev_minor, req->ino,
						  any_generation ? NULL : &req->generation,
						  any_tree ? NULL : &req->tree),
			    record);
	rcu_read_unlock();
	return err;
}

static int resolve_id(struct buildid_resolve *req, struct buildid_file *record)
{
	int err;

	rcu_read_lock();
	err = resolve_entry(bid_cache_find_id(req->file_id), record);
	rcu_read_unlock();
	return err;
}

/**
 * struct way - a way of naming the file
 * @uses: the fields that it uses have all bits set
 * @flags: known flags
 * @perfmon: requires CAP_PERFMON; ADDR does for another process only
 * @resolve: fills in @record, BUILDID_RECORD_MAX zeroed bytes
 */
struct way {
	struct buildid_resolve uses;
	u32 flags;
	bool perfmon;
	int (*resolve)(struct buildid_resolve *req, struct buildid_file *record);
};

static const struct way ways[] = {
	[BUILDID_BY_FD] = {
		.uses = { .fd = ~0 },
		.resolve = resolve_fd,
	},
	[BUILDID_BY_KEY] = {
		.uses = {
			.dev_major = ~0U,
			.dev_minor = ~0U,
			.ino = ~0ULL,
			.tree = ~0ULL,
			.generation = ~0U,
		},
		.flags = BID_RESOLVE_FLAGS,
		.perfmon = true,
		.resolve = resolve_key,
	},
	[BUILDID_BY_ID] = {
		.uses = { .file_id = ~0ULL },
		.perfmon = true,
		.resolve = resolve_id,
	},
	[BUILDID_BY_ADDR] = {
		.uses = {
			.pid = ~0U,
			.addr = ~0ULL,
			.start_time = ~0ULL,
			.offset = ~0ULL,
		},
		.resolve = bid_process_resolve,
	},
};

static bool has_only(const struct buildid_resolve *req, const struct buildid_resolve *uses)
{
	const u8 *given = (const u8 *)req, *used = (const u8 *)uses;
	size_t i;

	for (i = offsetof(struct buildid_resolve, fd); i < sizeof(*req); i++)
		if (given[i] & ~used[i])
			return false;
	return true;
}

/* Sets the size of the record even if there is no room for it: -ENOSPC. */
static int copy_record(struct buildid_resolve *req, const struct buildid_file *record)
{
	u32 size = record->header.size;
	bool fits = size <= req->record_size;

	req->record_size = size;
	if (!fits)
		return -ENOSPC;
	return copy_to_user(u64_to_user_ptr(req->record), record, size) ? -EFAULT : 0;
}

int bid_ioctl_resolve(struct bid_session *session, void *arg)
{
	struct buildid_resolve *req = arg;
	struct buildid_file *record;
	const struct way *way;
	int err;

	if (!req->by || req->by >= ARRAY_SIZE(ways))
		return -EINVAL;
	way = &ways[array_index_nospec(req->by, ARRAY_SIZE(ways))];
	if (req->flags & ~way->flags || !has_only(req, &way->uses))
		return -EINVAL;
	if (way->perfmon && !perfmon_capable())
		return -EPERM;
	record = kzalloc(BUILDID_RECORD_MAX, GFP_KERNEL);
	if (!record)
		return -ENOMEM;
	err = way->resolve(req, record) ?: copy_record(req, record);
	kfree(record);
	return err;
}
