// SPDX-License-Identifier: GPL-2.0
/*
 * RESOLVE: the FILE record of an open file (FD), of an inode (KEY), of a file_id (ID), or
 * of what a process has mapped at an address (ADDR).
 *
 * FD and ADDR identify a file that is there, see reply.c. KEY and ID only say what
 * the cache has; so does ADDR for a process that has exited, by way of history.c, and
 * of parents.c for one that was forked and never called exec.
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
#include "history.h"
#include "parents.h"
#include "process.h"
#include "reply.h"
#include "resolve.h"

/* resolve_exited() is to go */
#define buildid_resolve_addr buildid_resolve

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

/* Under RCU, and for a caller that may know of everything that was mapped. */
static int resolve_entry(const struct bid_entry *entry, struct buildid_file *record)
{
	if (IS_ERR_OR_NULL(entry))
		return entry ? PTR_ERR(entry) : -ENOENT;
	bid_reply_entry(entry, record);
	/* the path is that of some process, which may be outside of the container */
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

static int resolve_file_id(u64 file_id, struct buildid_file *record)
{
	int err;

	rcu_read_lock();
	err = resolve_entry(bid_cache_find_id(file_id), record);
	rcu_read_unlock();
	return err;
}

static int resolve_id(struct buildid_resolve *req, struct buildid_file *record)
{
	return resolve_file_id(req->file_id, record);
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

static int resolve_addr(struct buildid_resolve *req, struct buildid_file *record)
{
	int err;

	req->source = 0;
	err = bid_process_resolve(req, 0, record);
	return err == -ESRCH ? resolve_exited(req, record) : err;
}

/**
 * struct way - a way to say which file is meant
 * @uses: the fields that belong to it have all bits set
 * @flags: that are known of it
 * @perfmon: takes CAP_PERFMON; ADDR for another process
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
			.source = ~0U,
			.offset = ~0ULL,
		},
		.resolve = resolve_addr,
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

/* Sets the size of the record, also where there is no room for that: -ENOSPC. */
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
