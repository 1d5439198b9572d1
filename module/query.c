// SPDX-License-Identifier: GPL-2.0
/*
 * Questions: what the module is and counts, what a file is, what is mapped.
 */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "answer.h"
#include "compat.h"
#include "event.h"
#include "history.h"
#include "hook.h"
#include "ioctl.h"
#include "process.h"
#include "stats.h"
#include "subscribe.h"
#include "version.h"

int bid_ioctl_info(struct bid_session *session, void __user *arg)
{
	struct buildid_info info;
	int err;

	err = bid_ioctl_copy_in(&info, sizeof(info), arg);
	if (err)
		return err;
	info = (struct buildid_info){
		.size = info.size,
		.abi = BUILDID_ABI_VERSION,
		.features = BUILDID_FEATURE_RING_MMAP | BUILDID_FEATURE_NETLINK |
			    BUILDID_FEATURE_HTLHASH |
			    (BID_HAS_FSVERITY ? BUILDID_FEATURE_FSVERITY : 0),
		.records = GENMASK_ULL(BUILDID_RECORD_EXIT, BUILDID_RECORD_FILE),
		.ioctls = GENMASK_ULL(_IOC_NR(BUILDID_IOC_RESOLVE_ID),
				      _IOC_NR(BUILDID_IOC_INFO)),
		.status = bid_hook_armed() ? BUILDID_STATUS_ARMED : 0,
		.max_entries = bid_cache_max(),
		.ring_min = BID_RING_MIN,
		.ring_max = BID_RING_MAX,
		.subscribers_max = BID_SUBSCRIBERS_MAX,
		.pids_max = BUILDID_SUB_PIDS_MAX,
		.id_max = BUILDID_ID_MAX,
		.record_max = BUILDID_RECORD_MAX,
		.cookies_max = BUILDID_COOKIES_MAX,
		.cookies_total = BUILDID_COOKIES_TOTAL,
		.known_flags = {
			[_IOC_NR(BUILDID_IOC_SUBSCRIBE)] = BID_SUBSCRIBE_FLAGS,
			[_IOC_NR(BUILDID_IOC_RESOLVE_KEY)] = BID_RESOLVE_KEY_FLAGS,
			[_IOC_NR(BUILDID_IOC_MAPS)] = BID_MAPS_FLAGS,
			[_IOC_NR(BUILDID_IOC_SET_COOKIE)] = BID_SET_COOKIE_FLAGS,
		},
		.version = BID_VERSION,
		.hook = BID_HOOK_SYMBOL,
	};
	return bid_ioctl_copy_out(arg, &info, sizeof(info));
}

int bid_ioctl_stats(struct bid_session *session, void __user *arg)
{
	struct buildid_stats stats;
	u32 size;
	int err;

	err = bid_ioctl_copy_in(&stats, sizeof(stats), arg);
	if (err)
		return err;
	if (stats.reserved)
		return -EINVAL;
	size = stats.size;
	bid_stats_fill(&stats);
	stats.size = size;
	return bid_ioctl_copy_out(arg, &stats, sizeof(stats));
}

/* A FILE record to where the caller wants it; *@room becomes its size. */
static int put_file_record(u64 to, u32 *room, const struct buildid_file *record)
{
	u32 had = *room;

	*room = record->header.size;
	if (*room > had)
		return -ENOSPC;
	return copy_to_user(u64_to_user_ptr(to), record, *room) ? -EFAULT : 0;
}

/* The struct tells the caller what it needs even where the record did not fit. */
static int copy_out_after(int err, void __user *arg, const void *from, size_t known)
{
	int copy_err;

	if (err && err != -ENOSPC)
		return err;
	copy_err = bid_ioctl_copy_out(arg, from, known);
	return copy_err ?: err;
}

static struct buildid_file *alloc_record(void)
{
	return kzalloc(BUILDID_RECORD_MAX, GFP_KERNEL);
}

int bid_ioctl_resolve_fd(struct bid_session *session, void __user *arg)
{
	struct buildid_resolve_fd req;
	struct buildid_file *record;
	struct file *file;
	int err;

	err = bid_ioctl_copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags)
		return -EINVAL;
	file = fget(req.fd);
	if (!file)
		return -EBADF;
	err = -EBADF;
	if (!(file->f_mode & FMODE_READ))
		goto out_fput;
	err = -ENOMEM;
	record = alloc_record();
	if (!record)
		goto out_fput;
	err = bid_answer_file(file, false, record);
	if (!err)
		err = put_file_record(req.record, &req.record_size, record);
	err = copy_out_after(err, arg, &req, sizeof(req));
	kfree(record);
out_fput:
	fput(file);
	return err;
}

/* What is remembered, for one who may know of all that was mapped; under RCU. */
static int answer_entry(const struct bid_entry *entry, struct buildid_file *record)
{
	if (!entry)
		return -ENOENT;
	bid_answer_entry(entry, record);
	/* some process saw it there, and who knows where that was */
	if (task_active_pid_ns(current) != &init_pid_ns)
		bid_answer_hide_path(record);
	return 0;
}

int bid_ioctl_resolve_key(struct bid_session *session, void __user *arg)
{
	struct buildid_resolve_key req;
	struct buildid_file *record;
	int err;

	err = bid_ioctl_copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags & ~BID_RESOLVE_KEY_FLAGS)
		return -EINVAL;
	if (!perfmon_capable())
		return -EPERM;
	record = alloc_record();
	if (!record)
		return -ENOMEM;
	rcu_read_lock();
	err = answer_entry(bid_cache_find_newest(
				   MKDEV(req.dev_major, req.dev_minor), req.ino,
				   req.flags & BUILDID_KEY_ANY_GENERATION ? NULL : &req.generation),
			   record);
	rcu_read_unlock();
	if (!err)
		err = put_file_record(req.record, &req.record_size, record);
	err = copy_out_after(err, arg, &req, sizeof(req));
	kfree(record);
	return err;
}

static int answer_id(u64 file_id, struct buildid_file *record)
{
	int err;

	rcu_read_lock();
	err = answer_entry(bid_cache_find_id(file_id), record);
	rcu_read_unlock();
	return err;
}

int bid_ioctl_resolve_id(struct bid_session *session, void __user *arg)
{
	struct buildid_resolve_id req;
	struct buildid_file *record;
	int err;

	err = bid_ioctl_copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags || req.reserved)
		return -EINVAL;
	if (!perfmon_capable())
		return -EPERM;
	record = alloc_record();
	if (!record)
		return -ENOMEM;
	err = answer_id(req.file_id, record);
	if (!err)
		err = put_file_record(req.record, &req.record_size, record);
	err = copy_out_after(err, arg, &req, sizeof(req));
	kfree(record);
	return err;
}

/* Processes that are gone have no pid but the number they had. */
static int resolve_past(struct buildid_resolve_addr *req, struct buildid_file *record)
{
	u64 file_id;
	int err;

	if (task_active_pid_ns(current) != &init_pid_ns || !perfmon_capable())
		return -ESRCH;
	err = bid_history_find(req->pid, req->addr, &req->start_time, &file_id, &req->offset);
	if (err)
		return err;
	req->source = BUILDID_ADDR_HISTORY;
	return answer_id(file_id, record);
}

static bool may_watch(struct pid *pid)
{
	return pid == task_tgid(current) || perfmon_capable();
}

static int resolve_addr(struct buildid_resolve_addr *req, struct buildid_file *record)
{
	struct pid *pid = find_get_pid(req->pid);
	int err = -EPERM;

	if (may_watch(pid)) {
		err = pid ? bid_process_resolve(pid, req, record) : -ESRCH;
		if (err == -ESRCH)
			err = resolve_past(req, record);
	}
	put_pid(pid);
	return err;
}

int bid_ioctl_resolve_addr(struct bid_session *session, void __user *arg)
{
	struct buildid_resolve_addr req;
	struct buildid_file *record;
	int err;

	err = bid_ioctl_copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags || req.reserved)
		return -EINVAL;
	record = alloc_record();
	if (!record)
		return -ENOMEM;
	req.source = 0;
	err = resolve_addr(&req, record);
	if (!err)
		err = put_file_record(req.record, &req.record_size, record);
	err = copy_out_after(err, arg, &req, sizeof(req));
	kfree(record);
	return err;
}

int bid_ioctl_maps(struct bid_session *session, void __user *arg)
{
	struct buildid_maps req;
	struct pid *pid;
	int err;

	err = bid_ioctl_copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags & ~BID_MAPS_FLAGS || req.bytes < 2 * BUILDID_RECORD_MAX)
		return -EINVAL;
	pid = find_get_pid(req.pid);
	if (!may_watch(pid))
		err = -EPERM;
	else
		err = pid ? bid_process_maps(pid, req.pid, &req) : -ESRCH;
	put_pid(pid);
	return err ?: bid_ioctl_copy_out(arg, &req, sizeof(req));
}

int bid_ioctl_flush(struct bid_session *session, void __user *arg)
{
	struct buildid_flush req;
	int err;

	err = bid_ioctl_copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags)
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	req.flushed = bid_cache_flush();
	return bid_ioctl_copy_out(arg, &req, sizeof(req));
}
