// SPDX-License-Identifier: GPL-2.0
/*
 * From a subscribe request to a subscriber: check it, hold what its filters refer to, charge its
 * ring, start delivery. chardev.c and netlink.c have checked the right to subscribe; it is not
 * checked again later.
 *
 * Ending a subscription does not wait: producers may be in the ring for another grace period, and a
 * work item does the rest after that. Only a new subscription that finds no room or no memory while
 * such an end is in progress waits for it and retries.
 */
#include <linux/capability.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/log2.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "hook.h"
#include "kernel_image.h"
#include "session.h"
#include "subscribe.h"
#include "task.h"

#define RING_DEFAULT SZ_1M

static struct workqueue_struct *ends;
static atomic_t nr_ends; /* in progress */

/**
 * bid_subscribe_check() - check a subscribe request
 * @arg: the request, except its addresses; a ring_size of 0 is set to the default
 *
 * Return: 0 or -EINVAL.
 */
int bid_subscribe_check(void *arg)
{
	struct buildid_subscribe *req = arg;

	if (req->flags & ~BID_SUBSCRIBE_FLAGS || req->reserved)
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

/**
 * bid_subscribe_kernel_addrs() - may current see kernel addresses?
 *
 * Requires CAP_SYSLOG, and that %pK does not print zeros: modules cannot read kptr_restrict itself.
 * Nothing is denied without it, so this is not audited.
 */
bool bid_subscribe_kernel_addrs(void)
{
	char text[2 * sizeof(void *) + 1];

	snprintf(text, sizeof(text), "%pK", &bid_subscribe_kernel_addrs);
	return ns_capable_noaudit(&init_user_ns, CAP_SYSLOG) && strspn(text, "0") != strlen(text);
}

/* Charge what it holds to RLIMIT_MEMLOCK, in the same count as perf and io_uring. */
static int subscribe_charge(struct bid_subscriber *subscriber, u32 ring_size)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	unsigned long pages = bid_ring_pages(ring_size) + 1; /* for @subscriber itself */
	struct user_struct *user = current_user();
	long held;

	if (subscriber->flags & BUILDID_SUB_CHILDREN)
		pages += BID_DESCENDANTS_PAGES;
	held = atomic_long_read(&user->locked_vm);
	do {
		if (held + pages > limit)
			return -ENOMEM;
	} while (!atomic_long_try_cmpxchg(&user->locked_vm, &held, held + pages));
	subscriber->user = get_uid(user);
	subscriber->locked = pages;
	return 0;
}

static void subscribe_uncharge(struct bid_subscriber *subscriber)
{
	if (!subscriber->user)
		return;
	atomic_long_sub(subscriber->locked, &subscriber->user->locked_vm);
	free_uid(subscriber->user);
}

static bool is_process(struct pid *pid)
{
	bool is;

	rcu_read_lock();
	is = pid_task(pid, PIDTYPE_TGID);
	rcu_read_unlock();
	return is;
}

static int get_pids(struct bid_subscriber *subscriber, const u32 *pids, u32 n)
{
	struct pid *pid;

	while (subscriber->nr_pids < n) {
		pid = find_get_pid(pids[subscriber->nr_pids]);
		if (!pid || !is_process(pid)) {
			put_pid(pid);
			return -ESRCH;
		}
		subscriber->pids[subscriber->nr_pids++] = pid;
	}
	return 0;
}

/* On failure, put_filters() drops the references taken so far. */
static int get_filters(struct bid_subscriber *subscriber, const struct buildid_subscribe *req,
		       const u32 *pids)
{
	struct bid_descendants *descendants;
	struct cgroup *cgroup;
	int err;

	err = get_pids(subscriber, pids, req->nr_pids);
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
	if (req->flags & BUILDID_SUB_CHILDREN) {
		descendants = bid_descendants_start(subscriber->pids, subscriber->nr_pids);
		if (IS_ERR(descendants))
			return PTR_ERR(descendants);
		subscriber->descendants = descendants;
	}
	return 0;
}

static void put_filters(struct bid_subscriber *subscriber)
{
	bid_descendants_end(subscriber->descendants);
	if (subscriber->cgroup)
		cgroup_put(subscriber->cgroup);
	while (subscriber->nr_pids)
		put_pid(subscriber->pids[--subscriber->nr_pids]);
}

/* Records are delivered from now on. */
static int start_records(struct bid_subscriber *subscriber)
{
	bool tasks = subscriber->flags & BUILDID_SUB_TASKS;
	int err;

	if (tasks) {
		err = bid_task_watch();
		if (err)
			return err;
	}
	err = bid_kernel_image_subscribe(subscriber);
	if (err && tasks)
		bid_task_unwatch();
	return err;
}

static void free_subscriber(struct bid_subscriber *subscriber)
{
	bid_ring_exit(&subscriber->ring);
	subscribe_uncharge(subscriber);
	put_filters(subscriber);
	put_pid_ns(subscriber->pid_ns);
	kfree(subscriber);
}

static void on_end(struct work_struct *work)
{
	struct bid_subscriber *subscriber =
		container_of(to_rcu_work(work), struct bid_subscriber, end);

	if (subscriber->flags & BUILDID_SUB_TASKS)
		bid_task_unwatch();
	bid_ring_quiesce(&subscriber->ring);
	subscriber->ended(subscriber->owner);
	free_subscriber(subscriber);
	atomic_dec(&nr_ends);
}

/**
 * bid_subscriber_end() - end a subscription
 * @subscriber: the subscriber; no new reader will use its ring
 * @ended: called in process context, when nothing writes to the ring or wakes its reader any more;
 *	the ring is not read after it
 * @owner: argument of @ended
 *
 * Process context; waits for neither.
 */
void bid_subscriber_end(struct bid_subscriber *subscriber, void (*ended)(void *owner), void *owner)
{
	subscriber->ended = ended;
	subscriber->owner = owner;
	INIT_RCU_WORK(&subscriber->end, on_end);
	atomic_inc(&nr_ends);
	bid_event_remove(subscriber);
	queue_rcu_work(ends, &subscriber->end);
}

/* For all that have begun so far. */
static void wait_for_ends(void)
{
	rcu_barrier();
	flush_workqueue(ends);
}

static struct bid_subscriber *subscribe_start(const struct buildid_subscribe *req, const u32 *pids,
					      bool kernel_addrs, bool unlimited,
					      wait_queue_head_t *waiters)
{
	struct bid_subscriber *subscriber;
	int err;

	subscriber = kzalloc(struct_size(subscriber, pids, req->nr_pids), GFP_KERNEL_ACCOUNT);
	if (!subscriber)
		return ERR_PTR(-ENOMEM);
	subscriber->flags = req->flags;
	subscriber->kernel_addrs = kernel_addrs;
	subscriber->uid_owner = current_uid();
	subscriber->pid_ns = get_pid_ns(task_active_pid_ns(current));
	if (subscriber->pid_ns != &init_pid_ns)
		bid_root_of_current(&subscriber->root);
	err = unlimited ? 0 : subscribe_charge(subscriber, req->ring_size);
	if (err)
		goto err_put_ns;
	err = get_filters(subscriber, req, pids);
	if (err)
		goto err_put;
	err = bid_ring_init(&subscriber->ring, req->ring_size, req->watermark, waiters,
			    bid_hook_missed());
	if (err)
		goto err_put;
	*bid_ring_producer(&subscriber->ring) = (struct buildid_ring_producer){
		.ring_size = req->ring_size,
		.flags = req->flags,
		.abi = BUILDID_ABI_VERSION,
	};
	err = start_records(subscriber);
	if (err)
		goto err_exit_ring;
	return subscriber;

err_exit_ring:
	bid_ring_exit(&subscriber->ring);
err_put:
	put_filters(subscriber);
	subscribe_uncharge(subscriber);
err_put_ns:
	put_pid_ns(subscriber->pid_ns);
	kfree(subscriber);
	return ERR_PTR(err);
}

/**
 * bid_subscriber_start() - start a subscription of current
 * @req: the request, checked by bid_subscribe_check(); its address of pids is not used
 * @pids: @req->nr_pids pids, in current's namespace
 * @kernel_addrs: the subscriber may see kernel addresses
 * @unlimited: RLIMIT_MEMLOCK does not apply, as with CAP_IPC_LOCK
 * @waiters: as for bid_ring_init()
 *
 * The caller has checked that current may subscribe. May sleep, even for a grace period.
 *
 * Return: the subscriber, to be ended by bid_subscriber_end(), or an ERR_PTR().
 */
struct bid_subscriber *bid_subscriber_start(const struct buildid_subscribe *req, const u32 *pids,
					    bool kernel_addrs, bool unlimited,
					    wait_queue_head_t *waiters)
{
	const bool ending = atomic_read(&nr_ends);
	struct bid_subscriber *subscriber =
		subscribe_start(req, pids, kernel_addrs, unlimited, waiters);

	if (!ending || (subscriber != ERR_PTR(-EUSERS) && subscriber != ERR_PTR(-ENOMEM)))
		return subscriber;
	wait_for_ends();
	return subscribe_start(req, pids, kernel_addrs, unlimited, waiters);
}

static int subscribe_session(struct bid_session *session, const struct buildid_subscribe *req,
			     const u32 *pids)
{
	struct bid_subscriber *subscriber;

	lockdep_assert_held(&session->lock);
	if (session->subscriber)
		return -EBUSY;
	subscriber = bid_subscriber_start(req, pids, bid_subscribe_kernel_addrs(),
					  ns_capable_noaudit(&init_user_ns, CAP_IPC_LOCK),
					  &session->wait);
	if (IS_ERR(subscriber))
		return PTR_ERR(subscriber);
	/* pairs with the acquire in bid_session_subscriber(): read and poll take no lock */
	smp_store_release(&session->subscriber, subscriber);
	/* have a waiting poll() look at the ring, which wakes only those who have looked */
	wake_up_interruptible_poll(&session->wait, EPOLLIN | EPOLLRDNORM);
	return 0;
}

int bid_ioctl_subscribe(struct bid_session *session, void *arg)
{
	const struct buildid_subscribe *req = arg;
	u32 pids[BUILDID_SUB_PIDS_MAX];
	int err;

	if (copy_from_user(pids, u64_to_user_ptr(req->pids), req->nr_pids * sizeof(*pids)))
		return -EFAULT;
	/* a reader holds the lock, perhaps for long */
	if (bid_session_subscriber(session))
		return -EBUSY;
	if (mutex_lock_killable(&session->lock))
		return -EINTR;
	err = subscribe_session(session, req, pids);
	mutex_unlock(&session->lock);
	return err;
}

/* Nobody can subscribe before this returns. Return: 0 or -errno. */
int bid_subscribe_init(void)
{
	ends = alloc_workqueue("buildid_end", WQ_UNBOUND, 0);
	return ends ? 0 : -ENOMEM;
}

/* Waits for all ended subscriptions: nobody can subscribe any more. */
void bid_subscribe_exit(void)
{
	wait_for_ends();
	destroy_workqueue(ends);
}
