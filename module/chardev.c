// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/cgroup.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "chardev.h"
#include "compat.h"
#include "event.h"
#include "history.h"
#include "hook.h"
#include "identify.h"
#include "kernel_image.h"
#include "process.h"
#include "stats.h"
#include "version.h"

#define RING_DEFAULT SZ_1M

/**
 * struct session - one open file
 * @lock: makes subscriptions and readers take turns
 * @wait: readers and pollers
 * @subscriber: set once, by SUBSCRIBE
 * @mapped: user space owns the consumer position
 */
struct session {
	struct mutex lock; /* of SUBSCRIBE, read and mmap */
	wait_queue_head_t wait;
	struct bid_subscriber *subscriber;
	bool mapped;
};

/* NULL before SUBSCRIBE. */
static struct bid_subscriber *subscriber_of(const struct session *session)
{
	return smp_load_acquire(&session->subscriber); /* pairs with subscribe() */
}

static void notify(struct bid_ring *ring)
{
	struct session *session = ring->owner;

	wake_up_interruptible_poll(&session->wait, EPOLLIN | EPOLLRDNORM);
}

static int open(struct inode *inode, struct file *file)
{
	struct session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);

	if (!session)
		return -ENOMEM;
	mutex_init(&session->lock);
	init_waitqueue_head(&session->wait);
	file->private_data = session;
	return nonseekable_open(inode, file);
}

static void free_subscriber(struct bid_subscriber *subscriber)
{
	u32 i;

	if (subscriber->lineage.members)
		bid_lineage_exit(&subscriber->lineage);
	if (subscriber->cgroup)
		cgroup_put(subscriber->cgroup);
	for (i = 0; i < subscriber->nr_pids; i++)
		put_pid(subscriber->pids[i]);
	put_pid_ns(subscriber->pid_ns);
	kfree(subscriber);
}

static int release(struct inode *inode, struct file *file)
{
	struct session *session = file->private_data;

	if (session->subscriber) {
		bid_event_remove(session->subscriber);
		bid_ring_exit(&session->subscriber->ring);
		free_subscriber(session->subscriber);
	}
	mutex_destroy(&session->lock);
	kfree(session);
	return 0;
}

/* ioctls: in-out structs that start with their size */

/* The caller's struct, of which @ksize bytes are known here. */
static int copy_in(void *to, size_t ksize, void __user *arg)
{
	u32 size;

	if (get_user(size, (u32 __user *)arg))
		return -EFAULT;
	if (size < ksize)	/* nothing shorter was ever published */
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(to, ksize, arg, size);
}

/* Answers in the caller's struct, whose size copy_in() checked. */
static int copy_out(void __user *arg, void *from, size_t ksize)
{
	u32 size;

	if (get_user(size, (u32 __user *)arg))
		return -EFAULT;
	*(u32 *)from = ksize;
	if (copy_to_user(arg, from, ksize))
		return -EFAULT;
	if (size > ksize && size <= PAGE_SIZE &&
	    clear_user(arg + ksize, size - ksize))
		return -EFAULT;
	return 0;
}

static int ioctl_info(struct session *session, void __user *arg)
{
	struct buildid_info info;
	int err;

	err = copy_in(&info, sizeof(info), arg);
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
			   BIT_ULL(BUILDID_RECORD_LOST),
		.ioctls = BIT_ULL(_IOC_NR(BUILDID_IOC_INFO)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_STATS)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_RESOLVE_FD)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_SUBSCRIBE)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_FLUSH)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_RESOLVE_KEY)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_RESOLVE_ADDR)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_MAPS)),
		.max_entries = bid_cache_max(),
		.ring_max = BID_RING_MAX,
		.id_max = BUILDID_ID_MAX,
		.subscribers_max = BID_SUBSCRIBERS_MAX,
		.version = BID_VERSION,
		.hook = BID_HOOK_SYMBOL,
	};
	return copy_out(arg, &info, sizeof(info));
}

static int ioctl_stats(struct session *session, void __user *arg)
{
	struct buildid_stats stats;
	int err;

	err = copy_in(&stats, sizeof(stats), arg);
	if (err)
		return err;
	if (stats.reserved)
		return -EINVAL;
	bid_stats_fill(&stats);
	return copy_out(arg, &stats, sizeof(stats));
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
	copy_err = copy_out(arg, from, ksize);
	return copy_err ?: err;
}

static struct buildid_file *alloc_record(void)
{
	return kzalloc(BUILDID_RECORD_MAX, GFP_KERNEL);
}

static int ioctl_resolve_fd(struct session *session, void __user *arg)
{
	struct buildid_resolve_fd req;
	struct buildid_file *record;
	struct file *file;
	int err;

	err = copy_in(&req, sizeof(req), arg);
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
	err = bid_identify_file(file, false, record);
	if (!err)
		err = put_file_record(req.record, &req.record_size, record);
	err = copy_out_after(err, arg, &req, sizeof(req));
	kfree(record);
out_fput:
	fput(file);
	return err;
}

static int ioctl_resolve_key(struct session *session, void __user *arg)
{
	struct buildid_resolve_key req;
	struct buildid_file *record;
	struct bid_entry *entry;
	int err;

	err = copy_in(&req, sizeof(req), arg);
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
		bid_identify_entry(entry, record);
	rcu_read_unlock();
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
		bid_identify_entry(entry, record);
	rcu_read_unlock();
	return entry ? 0 : -ENOENT;
}

static bool may_watch(struct pid *pid)
{
	return pid == task_tgid(current) || perfmon_capable();
}

static int ioctl_resolve_addr(struct session *session, void __user *arg)
{
	struct buildid_resolve_addr req;
	struct buildid_file *record;
	struct pid *pid;
	int err;

	err = copy_in(&req, sizeof(req), arg);
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

static int ioctl_maps(struct session *session, void __user *arg)
{
	struct buildid_maps req;
	struct pid *pid;
	int err;

	err = copy_in(&req, sizeof(req), arg);
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
	return err ?: copy_out(arg, &req, sizeof(req));
}

/* Everyone may watch itself. */
static int may_subscribe(const struct bid_subscriber *subscriber)
{
	if (perfmon_capable())
		return 0;
	if (subscriber->nr_pids == 1 && subscriber->pids[0] == task_tgid(current) &&
	    !(subscriber->flags & BUILDID_SUB_CHILDREN))
		return 0;
	return -EPERM;
}

static bool is_process(struct pid *pid)
{
	bool is;

	rcu_read_lock();
	is = pid_task(pid, PIDTYPE_TGID);
	rcu_read_unlock();
	return is;
}

static int take_pids(struct bid_subscriber *subscriber,
		     const struct buildid_subscribe *req)
{
	const u32 __user *pids = u64_to_user_ptr(req->pids);
	struct pid *pid;
	u32 nr;

	while (subscriber->nr_pids < req->nr_pids) {
		if (get_user(nr, &pids[subscriber->nr_pids]))
			return -EFAULT;
		pid = find_get_pid(nr);
		if (!pid || !is_process(pid)) {
			put_pid(pid);
			return -ESRCH;
		}
		subscriber->pids[subscriber->nr_pids++] = pid;
	}
	return 0;
}

#define SUBSCRIBE_FLAGS (BUILDID_SUB_DATA | BUILDID_SUB_PATH | BUILDID_SUB_KERNEL | \
			 BUILDID_SUB_CHILDREN | BUILDID_SUB_UID | BUILDID_SUB_CGROUP)

static int check_subscribe(struct buildid_subscribe *req)
{
	if (req->flags & ~SUBSCRIBE_FLAGS || req->reserved)
		return -EINVAL;
	if ((req->uid && !(req->flags & BUILDID_SUB_UID)) ||
	    (req->cgroup_fd && !(req->flags & BUILDID_SUB_CGROUP)) ||
	    (!req->nr_pids && req->flags & BUILDID_SUB_CHILDREN))
		return -EINVAL;
	if (!req->ring_size)
		req->ring_size = RING_DEFAULT;
	if (!is_power_of_2(req->ring_size) || req->ring_size < BID_RING_MIN ||
	    req->ring_size > BID_RING_MAX || req->watermark >= req->ring_size ||
	    req->nr_pids > BUILDID_SUB_PIDS_MAX)
		return -EINVAL;
	return 0;
}

static int take_filters(struct bid_subscriber *subscriber,
			const struct buildid_subscribe *req)
{
	struct cgroup *cgroup;
	int err;

	err = take_pids(subscriber, req);
	if (err)
		return err;
	err = may_subscribe(subscriber);
	if (err)
		return err;
	if (req->flags & BUILDID_SUB_UID) {
		subscriber->uid = make_kuid(current_user_ns(), req->uid);
		if (!uid_valid(subscriber->uid))
			return -EINVAL;
	}
	if (req->flags & BUILDID_SUB_CGROUP) {
		cgroup = cgroup_get_from_fd(req->cgroup_fd);
		if (IS_ERR(cgroup))
			return PTR_ERR(cgroup);
		subscriber->cgroup = cgroup;
	}
	if (req->flags & BUILDID_SUB_CHILDREN)
		return bid_lineage_init(&subscriber->lineage, subscriber->pids,
					subscriber->nr_pids);
	return 0;
}

/* In keeping with kptr_restrict, which shows in what %pK prints of a pointer. */
static bool may_see_kernel_addrs(void)
{
	char text[2 * sizeof(void *) + 1];

	snprintf(text, sizeof(text), "%pK", &may_see_kernel_addrs);
	return capable(CAP_SYSLOG) && strspn(text, "0") != strlen(text);
}

static int subscribe(struct session *session,
		     const struct buildid_subscribe *req)
{
	struct bid_subscriber *subscriber;
	int err;

	if (session->subscriber)
		return -EBUSY;
	subscriber = kzalloc(struct_size(subscriber, pids, req->nr_pids),
			     GFP_KERNEL_ACCOUNT);
	if (!subscriber)
		return -ENOMEM;
	subscriber->flags = req->flags;
	subscriber->pid_ns = get_pid_ns(task_active_pid_ns(current));
	subscriber->kernel_addrs = may_see_kernel_addrs();
	err = take_filters(subscriber, req);
	if (err)
		goto err_free;
	err = bid_ring_init(&subscriber->ring, req->ring_size, req->watermark,
			    notify, session, bid_hook_missed());
	if (err)
		goto err_free;
	err = bid_kernel_image_add(subscriber);
	if (err)
		goto err_exit_ring;
	/* pairs with subscriber_of(): read and poll do not lock */
	smp_store_release(&session->subscriber, subscriber);
	return 0;

err_exit_ring:
	bid_ring_exit(&subscriber->ring);
err_free:
	free_subscriber(subscriber);
	return err;
}

static int ioctl_subscribe(struct session *session, void __user *arg)
{
	struct buildid_subscribe req;
	int err;

	err = copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	err = check_subscribe(&req);
	if (err)
		return err;
	/* a subscription that the caller cannot learn of must not be left */
	err = copy_out(arg, &req, sizeof(req));
	if (err)
		return err;
	mutex_lock(&session->lock);
	err = subscribe(session, &req);
	mutex_unlock(&session->lock);
	return err;
}

static int ioctl_flush(struct session *session, void __user *arg)
{
	struct buildid_flush req;
	int err;

	err = copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags)
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	req.flushed = bid_cache_flush();
	return copy_out(arg, &req, sizeof(req));
}

static long ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	static int (* const calls[])(struct session *session, void __user *arg) = {
		[_IOC_NR(BUILDID_IOC_INFO)]		= ioctl_info,
		[_IOC_NR(BUILDID_IOC_STATS)]		= ioctl_stats,
		[_IOC_NR(BUILDID_IOC_RESOLVE_FD)]	= ioctl_resolve_fd,
		[_IOC_NR(BUILDID_IOC_SUBSCRIBE)]	= ioctl_subscribe,
		[_IOC_NR(BUILDID_IOC_FLUSH)]		= ioctl_flush,
		[_IOC_NR(BUILDID_IOC_RESOLVE_KEY)]	= ioctl_resolve_key,
		[_IOC_NR(BUILDID_IOC_RESOLVE_ADDR)]	= ioctl_resolve_addr,
		[_IOC_NR(BUILDID_IOC_MAPS)]		= ioctl_maps,
	};
	unsigned int nr = _IOC_NR(cmd);

	/* the size in the number grows with the struct; the struct's own counts */
	if (_IOC_TYPE(cmd) != BUILDID_IOC_MAGIC || nr >= ARRAY_SIZE(calls) ||
	    _IOC_DIR(cmd) != (_IOC_READ | _IOC_WRITE))
		return -ENOTTY;
	return calls[nr](file->private_data, (void __user *)arg);
}

/* Something to read, or a promise to be woken. */
static bool ready_or_asleep(struct bid_subscriber *subscriber)
{
	struct bid_ring *ring = &subscriber->ring;

	if (bid_ring_ready(ring, ring->watermark))
		return true;
	bid_ring_tell_lost(ring, bid_hook_missed());
	return !bid_ring_sleep(ring);
}

static __poll_t poll(struct file *file, poll_table *wait)
{
	struct session *session = file->private_data;
	struct bid_subscriber *subscriber = subscriber_of(session);

	poll_wait(file, &session->wait, wait);
	if (!subscriber)
		return EPOLLERR;
	return ready_or_asleep(subscriber) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* Whole records, as many as fit. */
static ssize_t copy_records(struct bid_ring *ring, char __user *buf, size_t len)
{
	const struct buildid_record *record;
	size_t done = 0;

	while ((record = bid_ring_peek(ring)) && record->size <= len - done) {
		if (copy_to_user(buf + done, record, record->size))
			return done ?: -EFAULT;
		done += record->size;
		bid_ring_consume(ring, record);
	}
	return done || !record ? done : -EMSGSIZE;
}

static ssize_t read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	struct session *session = file->private_data;
	struct bid_subscriber *subscriber = subscriber_of(session);
	ssize_t n;
	int err;

	if (!subscriber)
		return -ENXIO;
	for (;;) {
		mutex_lock(&session->lock);
		bid_ring_tell_lost(&subscriber->ring, bid_hook_missed());
		n = session->mapped ? -EBUSY :
			copy_records(&subscriber->ring, buf, len);
		mutex_unlock(&session->lock);
		if (n)
			return n;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		err = wait_event_interruptible(session->wait,
					       ready_or_asleep(subscriber));
		if (err)
			return err;
	}
}

static int mmap(struct file *file, struct vm_area_struct *vma)
{
	struct session *session = file->private_data;
	int err = -ENXIO;

	mutex_lock(&session->lock);
	if (session->subscriber)
		err = bid_ring_mmap(&session->subscriber->ring, vma);
	if (!err && !vma->vm_pgoff)
		session->mapped = true;
	mutex_unlock(&session->lock);
	return err;
}

static const struct file_operations fops = {
	.owner		= THIS_MODULE,
	.open		= open,
	.release	= release,
	.read		= read,
	.poll		= poll,
	.mmap		= mmap,
	.unlocked_ioctl	= ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "buildid",
	.fops	= &fops,
	.mode	= 0600,
};

int bid_chardev_init(void)
{
	return misc_register(&device);
}

void bid_chardev_exit(void)
{
	misc_deregister(&device);
}
