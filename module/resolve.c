// SPDX-License-Identifier: GPL-2.0
/*
 * The RESOLVE_* ioctls: the FILE record of an open file (FD), of an inode (KEY),
 * of a file_id (ID), or of what a process has mapped at an address (ADDR).
 *
 * FD and ADDR identify a file that is there, see reply.c. KEY and ID only say what
 * the cache has; so does ADDR for a process that has exited, by way of history.c, and
 * of parents.c for one that was forked and never called exec.
 */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "cache.h"
#include "history.h"
#include "ioctl.h"
#include "parents.h"
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
	struct bid_entry *entry;
	int err;

	rcu_read_lock();
	err = bid_cache_find_newest(MKDEV(req->dev_major, req->dev_minor), req->ino,
				    any ? NULL : &req->generation, NULL, &entry);
	if (!err)
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

static int resolve_file_id(u64 file_id, struct buildid_file *record)
{
	int err;

	rcu_read_lock();
	err = resolve_entry(bid_cache_find_id(file_id), record);
	rcu_read_unlock();
	return err;
}

static int resolve_id(void *data, struct buildid_file *record)
{
	const struct buildid_resolve_id *req = data;

	return resolve_file_id(req->file_id, record);
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

/* A longer chain of parents is of no use to anybody. */
#define PARENTS_MAX 16

/*
 * The process that @fork made still has what its parent had, but for what it mapped itself,
 * and all of that is remembered. To be asked after its mappings were searched.
 */
static bool is_as_parent(const struct bid_parent *fork)
{
	return !bid_parents_exec_since(fork->tgid, fork->stamp) &&
	       bid_history_complete(fork->stamp);
}

/*
 * The process that forked has at @addr what it had then, if anything. To be asked after it
 * was found out what it has: the count of execs tells of one that is not done yet.
 */
static bool parent_is_as_then(const struct bid_parent *fork, u64 addr)
{
	struct bid_history_query later = {
		.tgid = fork->parent_tgid,
		.addr = addr,
		.start_time = fork->parent_start_time,
		.since = fork->stamp,
	};

	return bid_process_execs(fork->parent_tgid, fork->parent_start_time) == fork->execs &&
	       !bid_parents_exec_since(fork->parent_tgid, fork->stamp) &&
	       bid_history_find(&later) && bid_history_complete(fork->stamp);
}

/*
 * What a parent that has not exited has mapped there, from a time that history lacks.
 * History has others than executable mappings only of times when somebody asked for them:
 * it cannot tell since when they are there.
 */
static int resolve_in_parent(const struct bid_parent *fork, struct buildid_resolve_addr *req,
			     struct buildid_file *record)
{
	struct buildid_resolve_addr parent = {
		.pid = fork->parent_tgid,
		.addr = req->addr,
		.start_time = fork->parent_start_time,
	};
	int err = bid_process_resolve(&parent, VM_EXEC, record);

	if (err)
		return err;
	if (!parent_is_as_then(fork, req->addr)) {
		memset(record, 0, BUILDID_RECORD_MAX);
		return -ENOENT;
	}
	req->offset = parent.offset;
	return 0;
}

/*
 * A process that has not called exec since the fork that made it has what its parent had
 * then. What it mapped itself comes first, and what is not remembered of the parent may
 * be had from its own parent.
 */
static int resolve_in_parents(struct bid_parent fork, struct buildid_resolve_addr *req,
			      struct buildid_file *record)
{
	u32 execs = fork.execs;
	int depth, err;

	for (depth = 0; depth < PARENTS_MAX; depth++) {
		struct bid_history_query query = {
			.tgid = fork.parent_tgid,
			.addr = req->addr,
			.start_time = fork.parent_start_time,
			.before = fork.stamp,
			.execs = execs,
		};

		if (!bid_history_find(&query)) {
			req->offset = query.offset;
			return resolve_file_id(query.file_id, record);
		}
		err = resolve_in_parent(&fork, req, record);
		if (err != -ESRCH && err != -ENOENT)
			return err;
		if (!bid_parents_find(query.tgid, query.start_time, &fork) || fork.execs != execs ||
		    !is_as_parent(&fork))
			break;
	}
	return -ENOENT;
}

/*
 * The pid of a process that has exited is only a number, and that is how the
 * initial pid namespace counts: other namespaces cannot ask for it.
 */
static int resolve_exited(struct buildid_resolve_addr *req, struct buildid_file *record)
{
	struct bid_history_query query = {
		.tgid = req->pid,
		.addr = req->addr,
		.start_time = req->start_time,
	};
	struct bid_parent fork;
	bool forked;
	int err;

	if (task_active_pid_ns(current) != &init_pid_ns || !perfmon_capable())
		return -ESRCH;
	forked = bid_parents_find(req->pid, req->start_time, &fork);
	err = bid_history_find(&query);
	/* the last process with that pid may have mapped nothing */
	if (forked && query.start_time < fork.start_time)
		err = -ESRCH;
	if (err && (!forked || query.start_time > fork.start_time || !is_as_parent(&fork)))
		return err;
	req->source = BUILDID_ADDR_HISTORY;
	if (err) {
		req->start_time = fork.start_time;
		return resolve_in_parents(fork, req, record);
	}
	req->start_time = query.start_time;
	req->offset = query.offset;
	return resolve_file_id(query.file_id, record);
}

static int resolve_addr(void *data, struct buildid_file *record)
{
	struct buildid_resolve_addr *req = data;
	int err;

	req->source = 0;
	err = bid_process_resolve(req, 0, record);
	return err == -ESRCH ? resolve_exited(req, record) : err;
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
