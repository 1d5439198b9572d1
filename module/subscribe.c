// SPDX-License-Identifier: GPL-2.0
/*
 * From a SUBSCRIBE to a subscriber, and back.
 */
#include <linux/capability.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/fs_struct.h>
#include <linux/log2.h>
#include <linux/path.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "event.h"
#include "hook.h"
#include "ioctl.h"
#include "kernel_image.h"

#define RING_DEFAULT SZ_1M

static void notify(struct bid_ring *ring)
{
	struct bid_session *session = ring->owner;

	wake_up_interruptible_poll(&session->wait, EPOLLIN | EPOLLRDNORM);
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
	path_put(&subscriber->root);
	put_pid_ns(subscriber->pid_ns);
	kfree(subscriber);
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

static int subscribe(struct bid_session *session,
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
	if (subscriber->pid_ns != &init_pid_ns)
		get_fs_root(current->fs, &subscriber->root);
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
	/* pairs with bid_session_subscriber(): read and poll do not lock */
	smp_store_release(&session->subscriber, subscriber);
	return 0;

err_exit_ring:
	bid_ring_exit(&subscriber->ring);
err_free:
	free_subscriber(subscriber);
	return err;
}

int bid_ioctl_subscribe(struct bid_session *session, void __user *arg)
{
	struct buildid_subscribe req;
	int err;

	err = bid_ioctl_copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	err = check_subscribe(&req);
	if (err)
		return err;
	/* a subscription that the caller cannot learn of must not be left */
	err = bid_ioctl_copy_out(arg, &req, sizeof(req));
	if (err)
		return err;
	mutex_lock(&session->lock);
	err = subscribe(session, &req);
	mutex_unlock(&session->lock);
	return err;
}

void bid_unsubscribe(struct bid_session *session)
{
	struct bid_subscriber *subscriber = session->subscriber;

	if (!subscriber)
		return;
	bid_event_remove(subscriber);
	bid_ring_exit(&subscriber->ring);
	free_subscriber(subscriber);
}
