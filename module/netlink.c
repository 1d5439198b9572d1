// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: the cache's FILE records (GET, one or a dump), and the stream of records for
 * sockets that subscribe (listeners).
 *
 * The hook cannot allocate a message. So a listener has a ring like any subscriber, and a work item
 * that moves records from the ring to the socket while the socket has room. When it is full, the
 * work item tries again later; meanwhile the ring fills up, and LOST records count what it drops.
 *
 * Contexts: requests are handled in the sender's call, in parallel (parallel_ops). The work item
 * runs on system_unbound_wq and is the ring's only consumer. The release notifier runs in process
 * context when a socket is closed. listeners_lock protects only the list, and nothing nests inside
 * it. Whoever takes a listener off the list ends it: once nothing is written to its ring any more,
 * its work item is stopped, and then both are freed.
 *
 * A listener holds the struct sock. The port number would not do: while a socket is being closed,
 * another user may bind it before the notifier is called. Nor would a multicast group: a socket
 * that joined the group's number before the family was registered stays a member, and its
 * capabilities are never checked.
 */
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "compat.h"
#include "cache.h"
#include "hook.h"
#include "netlink.h"
#include "stats.h"
#include "subscribe.h"

/* Bytes of a message, such that with its overhead it fits in that much memory. */
#define MESSAGE_BYTES SKB_WITH_OVERHEAD(BUILDID_RECORD_MAX)

/* Messages per run of the work item. */
#define MESSAGES_MAX 64

/* Ticks until a full socket is tried again; doubled each time it is still full. */
#define WAIT_MIN 1
#define WAIT_MAX (HZ / 20)

/* Slots of the cache to visit in one RCU read-side section. */
#define DUMP_MAX 1024

static struct genl_family family;

/**
 * struct listener - a socket that has subscribed
 * @node: in the list of listeners
 * @sk: the socket; held
 * @portid: its port number
 * @subscriber: its subscription
 * @work: runs fill_socket()
 * @wait: ticks until a full socket is tried again
 * @waiters: of the ring
 * @idle: on @waiters while @work need not run
 */
struct listener {
	struct list_head node;
	struct sock *sk;
	u32 portid;
	struct bid_subscriber *subscriber;
	struct delayed_work work;
	unsigned long wait;
	wait_queue_head_t waiters;
	wait_queue_entry_t idle;
};

static LIST_HEAD(listeners);
static DEFINE_SPINLOCK(listeners_lock);

static const struct nla_policy get_policy[] = {
	[BUILDID_A_DEV_MAJOR] = { .type = NLA_U32 }, [BUILDID_A_DEV_MINOR] = { .type = NLA_U32 },
	[BUILDID_A_INO] = { .type = NLA_U64 },	     [BUILDID_A_GENERATION] = { .type = NLA_U32 },
	[BUILDID_A_KIND] = { .type = NLA_U32 },	     [BUILDID_A_TREE] = { .type = NLA_U64 },
};

static const struct nla_policy subscribe_policy[] = {
	[BUILDID_A_FLAGS] = { .type = NLA_U32 },     [BUILDID_A_RING_SIZE] = { .type = NLA_U32 },
	[BUILDID_A_WATERMARK] = { .type = NLA_U32 }, [BUILDID_A_PIDS] = { .type = NLA_BINARY },
	[BUILDID_A_UID] = { .type = NLA_U32 },	     [BUILDID_A_CGROUP_FD] = { .type = NLA_U32 },
};

/*
 * netlink_capable() does not check who opened the socket if the message has a destination address,
 * so check that here.
 */
static bool is_capable(const struct sk_buff *skb, int cap)
{
	const struct file *opened = NETLINK_CB(skb).sk->sk_socket->file;

	return netlink_capable(skb, cap) && file_ns_capable(opened, &init_user_ns, cap);
}

static bool may_use(const struct sk_buff *skb)
{
	return is_capable(skb, CAP_PERFMON) || is_capable(skb, CAP_SYS_ADMIN);
}

/* ----------------------------------------------------------- get and dump -- */

/* Add a message with a FILE record; returns its header, or NULL if there is no room. */
static void *put_file(struct sk_buff *skb, u32 portid, u32 seq, int flags,
		      const struct bid_file_info *file_info)
{
	u32 size = bid_record_file_size(file_info);
	struct buildid_file *record;
	struct nlattr *attr;
	void *hdr;

	hdr = genlmsg_put(skb, portid, seq, &family, flags, BUILDID_CMD_GET);
	if (!hdr)
		return NULL;
	attr = nla_reserve_64bit(skb, BUILDID_A_RECORD, size, BUILDID_A_PAD);
	if (!attr) {
		genlmsg_cancel(skb, hdr);
		return NULL;
	}
	record = nla_data(attr);
	record->header = (struct buildid_record){
		.type = BUILDID_RECORD_FILE,
		.size = size,
	};
	bid_record_file_write(file_info, 0, 0, record);
	genlmsg_end(skb, hdr);
	return hdr;
}

static int put_newest(struct sk_buff *reply, const struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct bid_file_info file_info;
	struct bid_entry *entry;
	u32 generation;
	u64 tree;
	int err = -ENOENT;

	if (attrs[BUILDID_A_GENERATION])
		generation = nla_get_u32(attrs[BUILDID_A_GENERATION]);
	if (attrs[BUILDID_A_TREE])
		tree = nla_get_u64(attrs[BUILDID_A_TREE]);
	rcu_read_lock();
	entry = bid_cache_find_newest(nla_get_u32(attrs[BUILDID_A_DEV_MAJOR]),
				      nla_get_u32(attrs[BUILDID_A_DEV_MINOR]),
				      nla_get_u64(attrs[BUILDID_A_INO]),
				      attrs[BUILDID_A_GENERATION] ? &generation : NULL,
				      attrs[BUILDID_A_TREE] ? &tree : NULL);
	if (IS_ERR(entry)) {
		err = PTR_ERR(entry);
	} else if (entry) {
		bid_entry_info(entry, &file_info);
		err = put_file(reply, info->snd_portid, info->snd_seq, 0, &file_info) ? 0 :
											-EMSGSIZE;
	}
	rcu_read_unlock();
	return err;
}

static int netlink_get(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *reply;
	int err;

	if (!may_use(skb))
		return -EPERM;
	if (GENL_REQ_ATTR_CHECK(info, BUILDID_A_DEV_MAJOR) ||
	    GENL_REQ_ATTR_CHECK(info, BUILDID_A_DEV_MINOR) ||
	    GENL_REQ_ATTR_CHECK(info, BUILDID_A_INO) || info->attrs[BUILDID_A_KIND])
		return -EINVAL;
	reply = genlmsg_new(MESSAGE_BYTES, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;
	err = put_newest(reply, info);
	if (err) {
		nlmsg_free(reply);
		return err;
	}
	return genlmsg_reply(reply, info);
}

/* For netlink_callback.prev_seq, where 0 means none. */
static u32 cache_seq(void)
{
	return bid_cache_seq() << 1 | 1;
}

static int dump_start(struct netlink_callback *cb)
{
	struct nlattr **attrs = genl_info_dump(cb)->attrs;

	if (!may_use(cb->skb))
		return -EPERM;
	if (attrs[BUILDID_A_INO] || attrs[BUILDID_A_GENERATION] || attrs[BUILDID_A_TREE] ||
	    !attrs[BUILDID_A_DEV_MAJOR] != !attrs[BUILDID_A_DEV_MINOR])
		return -EINVAL;
	cb->min_dump_alloc = MESSAGE_BYTES;
	cb->prev_seq = cache_seq();
	return 0;
}

static bool is_selected(const struct bid_file_info *file_info, struct nlattr **attrs)
{
	const struct nlattr *major = attrs[BUILDID_A_DEV_MAJOR];
	const struct nlattr *minor = attrs[BUILDID_A_DEV_MINOR];
	const struct nlattr *kind = attrs[BUILDID_A_KIND];

	return (!kind || nla_get_u32(kind) == file_info->kind) &&
	       (!major || (nla_get_u32(major) == MAJOR(file_info->key->dev) &&
			   nla_get_u32(minor) == MINOR(file_info->key->dev)));
}

/* Returns false at the end of the cache, or when the message is full. */
static bool dump_some(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr **attrs = genl_info_dump(cb)->attrs;
	const struct bid_entry *entry;
	struct bid_file_info file_info;
	void *hdr;
	u32 n;

	for (n = 0; n < DUMP_MAX; n++, cb->args[0]++) {
		if (cb->args[0] == bid_cache_max())
			return false;
		entry = bid_cache_at(cb->args[0]);
		if (!entry)
			continue;
		bid_entry_info(entry, &file_info);
		if (!is_selected(&file_info, attrs))
			continue;
		hdr = put_file(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, NLM_F_MULTI,
			       &file_info);
		if (!hdr)
			return false;
		genl_dump_check_consistent(cb, hdr);
	}
	return true;
}

static int netlink_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	bool more;

	do {
		cb->seq = cache_seq();
		rcu_read_lock();
		more = dump_some(skb, cb);
		rcu_read_unlock();
		cond_resched();
	} while (more);
	/* compared with the next message's, or at the end: did entries come or go? */
	cb->seq = cache_seq();
	return skb->len;
}

/* -------------------------------------------------------------- listeners -- */

/* A message with as many records as fit, or NULL. They are consumed once the socket has them. */
static struct sk_buff *make_message(struct bid_ring *ring, u32 *bytes, u32 *records)
{
	const struct buildid_record *record;
	struct sk_buff *skb;
	void *hdr;

	skb = genlmsg_new(MESSAGE_BYTES - NLMSG_HDRLEN - GENL_HDRLEN, GFP_KERNEL);
	if (!skb)
		return NULL;
	hdr = genlmsg_put(skb, 0, 0, &family, 0, BUILDID_CMD_EVENT);
	*bytes = 0;
	*records = 0;
	while (hdr && (record = bid_ring_peek(ring, *bytes)) &&
	       !nla_put_64bit(skb, BUILDID_A_RECORD, record->size, record, BUILDID_A_PAD)) {
		*bytes += record->size;
		(*records)++;
	}
	if (!*records) {
		nlmsg_free(skb);
		return NULL;
	}
	genlmsg_end(skb, hdr);
	return skb;
}

/*
 * netlink_unicast() would look the port up again; this queues to the socket that is held. The
 * destructor is the core kernel's, so the message may outlive this module; a message queued after
 * the socket was closed is freed with the socket.
 */
static int queue_message(struct sock *sk, struct sk_buff *skb)
{
	int err;

	/* the core writes its drop count to skb->cb, after netlink's part */
	sock_skb_cb_check_size(sizeof(struct netlink_skb_parms));
	err = sock_queue_rcv_skb(sk, skb);
	if (err)
		kfree_skb(skb);
	/* a message dropped by the socket's own filter counts as delivered */
	return err == -ENOMEM || err == -ENOBUFS ? err : 0;
}

static int send_message(struct listener *listener)
{
	struct bid_ring *ring = &listener->subscriber->ring;
	struct sock *sk = listener->sk;
	u32 bytes, records;
	struct sk_buff *skb;
	int err;

	if (atomic_read(&sk->sk_rmem_alloc) >= READ_ONCE(sk->sk_rcvbuf))
		return -EAGAIN;
	skb = make_message(ring, &bytes, &records);
	if (!skb)
		return -ENOMEM;
	err = queue_message(sk, skb);
	if (err)
		return err;
	bid_ring_consume(ring, bytes);
	bid_stats_add(BID_STAT_NETLINK_RECORDS, records);
	return 0;
}

static void run_again(struct listener *listener, unsigned long wait)
{
	queue_delayed_work(system_unbound_wq, &listener->work, wait);
}

static void fill_socket(struct work_struct *work)
{
	struct listener *listener = container_of(to_delayed_work(work), struct listener, work);
	struct bid_ring *ring = &listener->subscriber->ring;
	u32 n = 0;

	for (;;) {
		bid_ring_report_lost(ring, bid_hook_missed());
		if (!bid_ring_peek(ring, 0))
			break;
		if (n++ == MESSAGES_MAX) {
			run_again(listener, 0);
			return;
		}
		if (send_message(listener)) {
			run_again(listener, listener->wait);
			listener->wait = min_t(unsigned long, 2 * listener->wait, WAIT_MAX);
			return;
		}
		listener->wait = WAIT_MIN;
	}
	if (list_empty_careful(&listener->idle.entry))
		add_wait_queue(&listener->waiters, &listener->idle);
	smp_mb(); /* pairs with the one in bid_ring_wake() */
	if (bid_ring_ready(ring, ring->watermark))
		run_again(listener, 0);
}

/* Like a waiting task, it is woken once. Under the lock of @waiters. */
static int on_wake(wait_queue_entry_t *idle, unsigned int mode, int flags, void *key)
{
	list_del_init_careful(&idle->entry);
	run_again(container_of(idle, struct listener, idle), 0);
	return 0;
}

/* -EBUSY if the socket has one already. */
static int add_listener(struct listener *listener)
{
	const struct listener *other;
	int err = 0;

	spin_lock(&listeners_lock);
	list_for_each_entry(other, &listeners, node)
		if (other->sk == listener->sk)
			err = -EBUSY;
	if (!err)
		list_add(&listener->node, &listeners);
	spin_unlock(&listeners_lock);
	return err;
}

static void remove_listener(struct listener *listener)
{
	spin_lock(&listeners_lock);
	list_del(&listener->node);
	spin_unlock(&listeners_lock);
}

static struct listener *make_listener(struct sock *sk, u32 portid)
{
	struct listener *listener = kzalloc(sizeof(*listener), GFP_KERNEL_ACCOUNT);

	if (!listener)
		return NULL;
	INIT_DELAYED_WORK(&listener->work, fill_socket);
	init_waitqueue_head(&listener->waiters);
	init_waitqueue_func_entry(&listener->idle, on_wake);
	INIT_LIST_HEAD(&listener->idle.entry);
	listener->wait = WAIT_MIN;
	sock_hold(sk);
	listener->sk = sk;
	listener->portid = portid;
	return listener;
}

static void free_listener(void *data)
{
	struct listener *listener = data;

	cancel_delayed_work_sync(&listener->work);
	sock_put(listener->sk);
	kfree(listener);
}

static void end_listener(struct listener *listener)
{
	if (listener->subscriber)
		bid_subscriber_end(listener->subscriber, free_listener, listener);
	else
		free_listener(listener);
}

static u32 value_of(const struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static int read_request(struct nlattr **attrs, struct buildid_subscribe *req,
			u32 pids[BUILDID_SUB_PIDS_MAX])
{
	const struct nlattr *array = attrs[BUILDID_A_PIDS];

	*req = (struct buildid_subscribe){
		.flags = value_of(attrs[BUILDID_A_FLAGS]),
		.ring_size = value_of(attrs[BUILDID_A_RING_SIZE]),
		.watermark = value_of(attrs[BUILDID_A_WATERMARK]),
		.uid = value_of(attrs[BUILDID_A_UID]),
		.cgroup_fd = value_of(attrs[BUILDID_A_CGROUP_FD]),
	};
	if (array) {
		if (nla_len(array) % sizeof(*pids) ||
		    nla_len(array) > BUILDID_SUB_PIDS_MAX * sizeof(*pids))
			return -EINVAL;
		req->nr_pids = nla_len(array) / sizeof(*pids);
		nla_memcpy(pids, array, nla_len(array));
	}
	return bid_subscribe_check(req);
}

static struct sk_buff *make_reply(struct genl_info *info, u32 ring_size)
{
	struct sk_buff *skb = genlmsg_new(nla_total_size(sizeof(u32)), GFP_KERNEL);
	void *hdr;

	if (!skb)
		return NULL;
	hdr = genlmsg_put_reply(skb, info, &family, 0, BUILDID_CMD_SUBSCRIBE);
	if (!hdr || nla_put_u32(skb, BUILDID_A_RING_SIZE, ring_size)) {
		nlmsg_free(skb);
		return NULL;
	}
	genlmsg_end(skb, hdr);
	return skb;
}

/* The reply is queued before the first event. */
static int start_listener(struct listener *listener, const struct sk_buff *skb,
			  struct genl_info *info, const struct buildid_subscribe *req,
			  const u32 *pids)
{
	bool kernel_addrs = bid_subscribe_kernel_addrs() && is_capable(skb, CAP_SYSLOG);
	bool unlimited = ns_capable_noaudit(&init_user_ns, CAP_IPC_LOCK) &&
			 is_capable(skb, CAP_IPC_LOCK);
	struct sk_buff *reply = make_reply(info, req->ring_size);
	struct bid_subscriber *subscriber;
	int err;

	if (!reply)
		return -ENOMEM;
	subscriber = bid_subscriber_start(req, pids, kernel_addrs, unlimited, &listener->waiters);
	if (IS_ERR(subscriber)) {
		nlmsg_free(reply);
		return PTR_ERR(subscriber);
	}
	listener->subscriber = subscriber;
	err = genlmsg_reply(reply, info);
	if (!err)
		run_again(listener, 0);
	return err;
}

/*
 * Called in the sender's call: the socket cannot be closed, nor the family unregistered, so the
 * listener cannot be ended while it is being started.
 */
static int netlink_subscribe(struct sk_buff *skb, struct genl_info *info)
{
	u32 pids[BUILDID_SUB_PIDS_MAX];
	struct buildid_subscribe req;
	struct listener *listener;
	int err;

	if (!may_use(skb))
		return -EPERM;
	err = read_request(info->attrs, &req, pids);
	if (err)
		return err;
	listener = make_listener(NETLINK_CB(skb).sk, info->snd_portid);
	if (!listener)
		return -ENOMEM;
	err = add_listener(listener);
	if (err)
		goto err_end;
	err = start_listener(listener, skb, info, &req, pids);
	if (err)
		goto err_remove;
	return 0;

err_remove:
	remove_listener(listener);
err_end:
	end_listener(listener);
	return err;
}

/* @ended: listeners that the caller has taken off the list. */
static void end_listeners(struct list_head *ended)
{
	struct listener *listener, *next;

	list_for_each_entry_safe(listener, next, ended, node)
		end_listener(listener);
}

/*
 * A socket was closed. Since a socket that has sent a request has a port, each listener gets a
 * notification. Another socket may have the number by now: the closed one is SOCK_DEAD.
 */
static int on_release(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct netlink_notify *notify = data;
	struct listener *listener, *next;
	LIST_HEAD(ended);

	if (event != NETLINK_URELEASE || notify->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	spin_lock(&listeners_lock);
	list_for_each_entry_safe(listener, next, &listeners, node)
		if (listener->portid == notify->portid && sock_flag(listener->sk, SOCK_DEAD))
			list_move(&listener->node, &ended);
	spin_unlock(&listeners_lock);
	end_listeners(&ended);
	return NOTIFY_DONE;
}

static struct notifier_block release_notifier = { .notifier_call = on_release };

static const struct genl_ops ops[] = {
	{
		.cmd = BUILDID_CMD_GET,
		.policy = get_policy,
		.maxattr = ARRAY_SIZE(get_policy) - 1,
		.doit = netlink_get,
		.start = dump_start,
		.dumpit = netlink_dump,
	},
	{
		.cmd = BUILDID_CMD_SUBSCRIBE,
		.policy = subscribe_policy,
		.maxattr = ARRAY_SIZE(subscribe_policy) - 1,
		.doit = netlink_subscribe,
	},
};

/* Parallel: subscribing waits for grace periods, which should not delay other requests. */
static struct genl_family family __ro_after_init = {
	.name = BUILDID_GENL_NAME,
	.version = BUILDID_GENL_VERSION,
	.maxattr = BUILDID_A_TREE,
	.module = THIS_MODULE,
	.parallel_ops = true,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.resv_start_op = BUILDID_CMD_GET,
};

/* Return: 0 or -errno. May sleep. */
int bid_netlink_init(void)
{
	int err;

	BUILD_BUG_ON(sizeof(struct buildid_file) + BUILDID_ID_MAX + PATH_MAX + NLMSG_HDRLEN +
			     GENL_HDRLEN + 2 * NLA_HDRLEN >
		     MESSAGE_BYTES);

	/* before the family, so that no listener's socket is closed unnoticed */
	err = netlink_register_notifier(&release_notifier);
	if (err)
		return err;
	err = genl_register_family(&family);
	if (err)
		netlink_unregister_notifier(&release_notifier);
	return err;
}

/* As the core does when a socket's device goes away: recv(2) fails once, and poll(2) reports it. */
static void report_end(struct sock *sk)
{
	WRITE_ONCE(sk->sk_err, ENODEV);
	sk_error_report(sk);
}

/* Listeners' sockets may still be open; they get an error, as nothing more comes. May sleep. */
void bid_netlink_exit(void)
{
	const struct listener *listener;

	genl_unregister_family(&family);
	netlink_unregister_notifier(&release_notifier);
	list_for_each_entry(listener, &listeners, node)
		report_end(listener->sk);
	end_listeners(&listeners);
	INIT_LIST_HEAD(&listeners);
}
