// SPDX-License-Identifier: GPL-2.0
/*
 * No message can be made where a mapping is. The group has a ring like any
 * subscriber, and a worker that empties it into messages.
 */
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/genetlink.h>

#include "compat.h"
#include "event.h"
#include "hook.h"
#include "netlink.h"
#include "stats.h"

#define EVENTS_RING	(256U << 10)

/* A FILE record with the longest path fits in any message. */
#define MESSAGE_BYTES	(2 * BUILDID_RECORD_MAX)

#define BUILDID_GENL_EVENTS "events"

static struct genl_family family;

static struct bid_subscriber events;
static struct work_struct pump;
static bool were_listeners;
static DEFINE_MUTEX(listeners_lock);
static u32 listeners;

static const struct nla_policy policy[BUILDID_A_PAD + 1] = {
	[BUILDID_A_DEV_MAJOR]	= { .type = NLA_U32 },
	[BUILDID_A_DEV_MINOR]	= { .type = NLA_U32 },
	[BUILDID_A_INO]		= { .type = NLA_U64 },
	[BUILDID_A_GENERATION]	= { .type = NLA_U32 },
};

static bool may_read(const struct sk_buff *skb)
{
	return netlink_capable(skb, CAP_PERFMON) ||
	       netlink_capable(skb, CAP_SYS_ADMIN);
}

/* One message with one entry's FILE record. */
static int put_entry(struct sk_buff *skb, u32 portid, u32 seq, int flags,
		     const struct bid_entry *entry)
{
	struct buildid_file *record;
	struct bid_facts facts;
	struct nlattr *attr;
	void *hdr;
	u32 size;

	hdr = genlmsg_put(skb, portid, seq, &family, flags, BUILDID_CMD_GET);
	if (!hdr)
		return -EMSGSIZE;
	bid_facts_of(entry, &facts);
	size = bid_facts_size(&facts);
	attr = nla_reserve_64bit(skb, BUILDID_A_RECORD, size, BUILDID_A_PAD);
	if (!attr) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	record = nla_data(attr);
	record->header = (struct buildid_record){
		.type = BUILDID_RECORD_FILE,
		.size = size,
	};
	bid_facts_write(&facts, record);
	genlmsg_end(skb, hdr);
	return 0;
}

static int get(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	const struct bid_entry *entry;
	struct sk_buff *reply;
	u32 generation;
	dev_t dev;
	int err;

	if (!may_read(skb))
		return -EPERM;
	if (GENL_REQ_ATTR_CHECK(info, BUILDID_A_DEV_MAJOR) ||
	    GENL_REQ_ATTR_CHECK(info, BUILDID_A_DEV_MINOR) ||
	    GENL_REQ_ATTR_CHECK(info, BUILDID_A_INO))
		return -EINVAL;
	dev = MKDEV(nla_get_u32(attrs[BUILDID_A_DEV_MAJOR]),
		    nla_get_u32(attrs[BUILDID_A_DEV_MINOR]));
	if (attrs[BUILDID_A_GENERATION])
		generation = nla_get_u32(attrs[BUILDID_A_GENERATION]);

	reply = genlmsg_new(MESSAGE_BYTES, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;
	rcu_read_lock();
	entry = bid_cache_find_newest(dev, nla_get_u64(attrs[BUILDID_A_INO]),
				      attrs[BUILDID_A_GENERATION] ? &generation : NULL);
	err = entry ? put_entry(reply, info->snd_portid, info->snd_seq, 0, entry) :
		      -ENOENT;
	rcu_read_unlock();
	if (err) {
		nlmsg_free(reply);
		return err;
	}
	return genlmsg_reply(reply, info);
}

static int dump_start(struct netlink_callback *cb)
{
	if (!may_read(cb->skb))
		return -EPERM;
	cb->min_dump_alloc = MESSAGE_BYTES;
	return 0;
}

static int dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	u32 slot = cb->args[0];
	const struct bid_entry *entry;

	rcu_read_lock();
	for (;;) {
		cb->args[0] = slot;
		entry = bid_cache_next(&slot);
		if (!entry || put_entry(skb, NETLINK_CB(cb->skb).portid,
					cb->nlh->nlmsg_seq, NLM_F_MULTI, entry))
			break;
	}
	rcu_read_unlock();
	return skb->len;
}

static const struct genl_ops ops[] = {
	{
		.cmd	= BUILDID_CMD_GET,
		.doit	= get,
		.start	= dump_start,
		.dumpit	= dump,
	},
};

static const struct genl_multicast_group groups[] = {
	{ .name = BUILDID_GENL_EVENTS, .flags = GENL_MCAST_CAP_SYS_ADMIN },
};

/* Each new listener is told every file anew: the others skip what they know. */
static int __maybe_unused bind_events(int group)
{
	int err = 0;

	mutex_lock(&listeners_lock);
	if (!listeners)
		err = bid_event_add(&events);
	if (!err) {
		listeners++;
		bid_ring_forget(&events.ring);
	}
	mutex_unlock(&listeners_lock);
	return err;
}

static void __maybe_unused unbind_events(int group)
{
	mutex_lock(&listeners_lock);
	if (!--listeners)
		bid_event_remove(&events);
	mutex_unlock(&listeners_lock);
}

static struct genl_family family __ro_after_init = {
	.name		= BUILDID_GENL_NAME,
	.version	= BUILDID_GENL_VERSION,
	.maxattr	= BUILDID_A_PAD,
	.policy		= policy,
	.module		= THIS_MODULE,
	.ops		= ops,
	.n_ops		= ARRAY_SIZE(ops),
	.mcgrps		= groups,
	.n_mcgrps	= ARRAY_SIZE(groups),
	.resv_start_op	= BUILDID_CMD_GET,
	BID_GENL_BIND(bind_events, unbind_events)
};

/* Where the kernel does not say who comes and goes. */
static bool has_listeners(struct bid_subscriber *subscriber)
{
	bool listeners = genl_has_listeners(&family, &init_net, 0) > 0;

	/* the first listener of many has none of the FILE records sent so far */
	if (listeners && !READ_ONCE(were_listeners))
		bid_ring_forget(&subscriber->ring);
	if (listeners != READ_ONCE(were_listeners))
		WRITE_ONCE(were_listeners, listeners);
	return listeners;
}

/* As many records as fit in a message; -ENOSPC when there are none. */
static int fill_message(struct sk_buff *skb, u32 *records)
{
	struct bid_ring *ring = &events.ring;
	const struct buildid_record *record;
	void *hdr;

	hdr = genlmsg_put(skb, 0, 0, &family, 0, BUILDID_CMD_EVENT);
	if (!hdr)
		return -EMSGSIZE;
	*records = 0;
	while ((record = bid_ring_peek(ring)) &&
	       !nla_put_64bit(skb, BUILDID_A_RECORD, record->size, record,
			      BUILDID_A_PAD)) {
		bid_ring_consume(ring, record);
		(*records)++;
	}
	genlmsg_end(skb, hdr);
	return *records ? 0 : -ENOSPC;
}

/* What cannot be sent is gone; the listeners must learn it. */
static void drop_records(void)
{
	const struct buildid_record *record;

	while ((record = bid_ring_peek(&events.ring))) {
		bid_ring_consume(&events.ring, record);
		bid_stats_inc(BID_STAT_NETLINK_LOST);
	}
	genl_set_err(&family, &init_net, 0, 0, -ENOBUFS);
}

static void pump_work(struct work_struct *work)
{
	struct bid_ring *ring = &events.ring;
	struct sk_buff *skb;
	u32 records;

	do {
		bid_ring_tell_lost(ring, bid_hook_missed());
		while (bid_ring_ready(ring, 0)) {
			skb = genlmsg_new(MESSAGE_BYTES, GFP_KERNEL);
			if (!skb) {
				drop_records();
				break;
			}
			if (fill_message(skb, &records)) {
				nlmsg_free(skb);
				break;
			}
			bid_stats_add(BID_STAT_NETLINK_RECORDS, records);
			genlmsg_multicast(&family, skb, 0, 0, GFP_KERNEL);
		}
	} while (!bid_ring_sleep(ring));
}

static void notify(struct bid_ring *ring)
{
	schedule_work(&pump);
}

int bid_netlink_init(void)
{
	int err;

	INIT_WORK(&pump, pump_work);
	events.active = BID_GENL_TELLS_BIND ? NULL : has_listeners;
	events.pid_ns = &init_pid_ns;
	events.flags = BUILDID_SUB_KERNEL;
	were_listeners = false;
	err = bid_ring_init(&events.ring, EVENTS_RING, 0, notify, NULL, 0);
	if (err)
		return err;
	bid_ring_sleep(&events.ring);
	err = genl_register_family(&family);
	if (err)
		goto err_exit_ring;
	if (!BID_GENL_TELLS_BIND) {
		err = bid_event_add(&events);
		if (err)
			goto err_unregister;
	}
	return 0;

err_unregister:
	genl_unregister_family(&family);
err_exit_ring:
	bid_ring_exit(&events.ring);
	return err;
}

/* No mapping is reported any more. */
void bid_netlink_exit(void)
{
	genl_unregister_family(&family);
	/* nobody is unbound by that */
	if (!BID_GENL_TELLS_BIND || listeners)
		bid_event_remove(&events);
	irq_work_sync(&events.ring.wake);
	cancel_work_sync(&pump);
	bid_ring_exit(&events.ring);
}
