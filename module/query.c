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
#include "version.h"

int bid_ioctl_info(struct bid_session *session, void __user *arg)
{
	struct buildid_info info;
	int err;

	err = bid_ioctl_copy_in(&info, sizeof(info), arg);
	if (err)
		return err;
	info = (struct buildid_info){
		.abi = BUILDID_ABI_VERSION,
		.features = BUILDID_FEATURE_RING_MMAP | BUILDID_FEATURE_NETLINK |
			    BUILDID_FEATURE_HTLHASH |
			    (BID_HAS_FSVERITY ? BUILDID_FEATURE_FSVERITY : 0),
		.records = BIT_ULL(BUILDID_RECORD_FILE) |
			   BIT_ULL(BUILDID_RECORD_MMAP) |
			   BIT_ULL(BUILDID_RECORD_KERNEL) |
			   BIT_ULL(BUILDID_RECORD_MODULE) |
			   BIT_ULL(BUILDID_RECORD_COOKIE) |
			   BIT_ULL(BUILDID_RECORD_LOST),
		.ioctls = BIT_ULL(_IOC_NR(BUILDID_IOC_INFO)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_STATS)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_RESOLVE_FD)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_SUBSCRIBE)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_FLUSH)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_RESOLVE_KEY)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_RESOLVE_ADDR)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_MAPS)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_SET_COOKIE)),
		.max_entries = bid_cache_max(),
		.ring_max = BID_RING_MAX,
		.id_max = BUILDID_ID_MAX,
		.subscribers_max = BID_SUBSCRIBERS_MAX,
		.version = BID_VERSION,
		.hook = BID_HOOK_SYMBOL,
	};
	return bid_ioctl_copy_out(arg, &info, sizeof(info));
}

int bid_ioctl_stats(struct bid_session *session, void __user *arg)
{
	struct buildid_stats stats;
	int err;

	err = bid_ioctl_copy_in(&stats, sizeof(stats), arg);
	if (err)
		return err;
	if (stats.reserved)
		return -EINVAL;
	bid_stats_fill(&stats);
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
static int copy_out_after(int err, void __user *arg, void *from, size_t ksize)
{
	int copy_err;

	if (err && err != -ENOSPC)
		return err;
	copy_err = bid_ioctl_copy_out(arg, from, ksize);
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

int bid_ioctl_resolve_key(struct bid_session *session, void __user *arg)
{
	struct buildid_resolve_key req;
	struct buildid_file *record;
	struct bid_entry *entry;
	int err;

	err = bid_ioctl_copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags & ~BUILDID_KEY_ANY_GENERATION)
		return -EINVAL;
	if (!perfmon_capable())
		return -EPERM;
	record = alloc_record();
	if (!record)
		return -ENOMEM;
	rcu_read_lock();
	entry = bid_cache_find_newest(MKDEV(req.dev_major, req.dev_minor), req.ino,
				      req.flags & BUILDID_KEY_ANY_GENERATION ?
				      NULL : &req.generation);
	if (entry)
		bid_answer_entry(entry, record);
	rcu_read_unlock();
	/* some process saw it there, and who knows where that was */
	if (task_active_pid_ns(current) != &init_pid_ns)
		bid_answer_hide_path(record);
	err = entry ? put_file_record(req.record, &req.record_size, record) : -ENOENT;
	err = copy_out_after(err, arg, &req, sizeof(req));
	kfree(record);
	return err;
}

/* Processes that are gone have no pid but the number they had. */
static int resolve_past(const struct buildid_resolve_addr *req, u64 *offset,
			struct buildid_file *record)
{
	struct bid_entry *entry;
	u64 file_id;

	if (task_active_pid_ns(current) != &init_pid_ns)
		return -ESRCH;
	file_id = bid_history_find(req->pid, req->addr, offset);
	if (!file_id)
		return -ESRCH;
	rcu_read_lock();
	entry = bid_cache_find_id(file_id);
	if (entry)
		bid_answer_entry(entry, record);
	rcu_read_unlock();
	return entry ? 0 : -ENOENT;
}

static bool may_watch(struct pid *pid)
{
	return pid == task_tgid(current) || perfmon_capable();
}

int bid_ioctl_resolve_addr(struct bid_session *session, void __user *arg)
{
	struct buildid_resolve_addr req;
	struct buildid_file *record;
	struct pid *pid;
	int err;

	err = bid_ioctl_copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags)
		return -EINVAL;
	record = alloc_record();
	if (!record)
		return -ENOMEM;
	pid = find_get_pid(req.pid);
	err = -EPERM;
	if (may_watch(pid)) {
		err = pid ? bid_process_resolve(pid, req.addr, &req.offset, record) :
			    -ESRCH;
		if (err == -ESRCH) {
			err = resolve_past(&req, &req.offset, record);
			req.flags = BUILDID_ADDR_HISTORY;
		}
	}
	if (!err)
		err = put_file_record(req.record, &req.record_size, record);
	err = copy_out_after(err, arg, &req, sizeof(req));
	put_pid(pid);
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
	if (req.flags & ~BUILDID_MAPS_DATA || req.bytes < 2 * BUILDID_RECORD_MAX)
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
