// SPDX-License-Identifier: GPL-2.0
/*
 * Every kind of record goes through here: this decides for each subscriber whether it
 * passes the filters, and what of it the subscriber may see (pids of its own namespace,
 * paths of its own root, kernel addresses).
 *
 * Preemption is off from reserving a record in a ring to committing it, so that the
 * consumer does not wait for a producer that was preempted. With that the list of
 * subscribers can be read, too: it is an RCU read-side section. The hook has preemption
 * off anyway; other callers get it from the functions here.
 *
 * A MMAP record is preceded by a FILE record if its ring was not sent one that says as
 * much. A subscriber that was sent a PENDING mapping gets the FILE record once the
 * worker has read the file: its slot is set in bid_request.waiting under
 * bid_cache_lock(), with which the worker makes the entry KNOWN. So none is forgotten.
 *
 * Subscribers come and go under subscribers_lock, a mutex. Inside of it: grace periods,
 * and bid_cache_lock(). A subscriber that goes is taken off the list; after a grace
 * period no producer can reach it, and its slot is cleared in every request. The worker
 * reads the slots under RCU alone: only after another grace period is the slot free for
 * another subscriber, which would otherwise get its FILE records.
 */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "event.h"
#include "hook.h"
#include "stats.h"
#include "worker.h"

LIST_HEAD(bid_event_list); /* of struct bid_subscriber, under RCU */

/* How many of the subscribers have BUILDID_SUB_DATA. */
u32 bid_event_data_subscribers;

static DEFINE_MUTEX(subscribers_lock);
static u64 slots; /* in use, a bit each; under subscribers_lock, as is: */
static u32 subscribers;

/* Whoever is not root leaves half of them to others. */
static bool has_share(const struct bid_subscriber *subscriber)
{
	const struct bid_subscriber *other;
	u32 n = 0;

	lockdep_assert_held(&subscribers_lock);
	if (uid_eq(subscriber->uid_owner, GLOBAL_ROOT_UID))
		return true;
	list_for_each_entry(other, &bid_event_list, node)
		n += uid_eq(other->uid_owner, subscriber->uid_owner);
	return n < BID_SUBSCRIBERS_MAX / 2;
}

/**
 * bid_event_add() - start to deliver records to a subscriber
 * @subscriber: with its ring, and all but node, slot and filtered filled in
 *
 * Process context; takes subscribers_lock.
 *
 * Return: 0, or -EUSERS when there are BID_SUBSCRIBERS_MAX, or the user has half of them.
 */
int bid_event_add(struct bid_subscriber *subscriber)
{
	int err = 0;

	subscriber->filtered = subscriber->nr_pids || subscriber->pid_ns != &init_pid_ns ||
			       subscriber->flags & (BUILDID_SUB_PATH | BUILDID_SUB_CHILDREN |
						    BUILDID_SUB_UID | BUILDID_SUB_CGROUP);
	mutex_lock(&subscribers_lock);
	if (slots == ~0ULL || !has_share(subscriber)) {
		err = -EUSERS;
	} else {
		subscriber->slot = ffz(slots);
		slots |= BIT_ULL(subscriber->slot);
		WRITE_ONCE(subscribers, subscribers + 1);
		if (subscriber->flags & BUILDID_SUB_DATA)
			WRITE_ONCE(bid_event_data_subscribers, bid_event_data_subscribers + 1);
		list_add_tail_rcu(&subscriber->node, &bid_event_list);
	}
	mutex_unlock(&subscribers_lock);
	return err;
}

/**
 * bid_event_remove() - stop delivering records to a subscriber
 * @subscriber: the subscriber
 *
 * Process context. After a grace period no producer can reach the subscriber any more: then
 * bid_event_free_slot().
 */
void bid_event_remove(struct bid_subscriber *subscriber)
{
	mutex_lock(&subscribers_lock);
	list_del_rcu(&subscriber->node);
	WRITE_ONCE(subscribers, subscribers - 1);
	if (subscriber->flags & BUILDID_SUB_DATA)
		WRITE_ONCE(bid_event_data_subscribers, bid_event_data_subscribers - 1);
	mutex_unlock(&subscribers_lock);
}

/* Process context; waits for a grace period. */
void bid_event_free_slot(struct bid_subscriber *subscriber)
{
	/*
	 * The next owner of the slot must not get the FILE records this one waits for:
	 * no producer sets its bit any more, and then no worker has read it.
	 */
	bid_worker_forget_waiting(BIT_ULL(subscriber->slot));
	synchronize_rcu();
	mutex_lock(&subscribers_lock);
	slots &= ~BIT_ULL(subscriber->slot);
	mutex_unlock(&subscribers_lock);
}

u32 bid_event_subscribers(void)
{
	return READ_ONCE(subscribers);
}

static bool in_cgroup(struct cgroup *cgroup)
{
	bool is;

	/* task_css_set() wants the lock itself, and not only preemption off */
	rcu_read_lock();
	is = task_under_cgroup_hierarchy(current, cgroup);
	rcu_read_unlock();
	return is;
}

/* Does current pass the filters of a subscriber? */
static bool watches_current(struct bid_subscriber *subscriber)
{
	u32 i;

	if (subscriber->pid_ns != &init_pid_ns && !task_tgid_nr_ns(current, subscriber->pid_ns))
		return false;
	if (subscriber->flags & BUILDID_SUB_UID && !uid_eq(current_uid(), subscriber->uid))
		return false;
	if (subscriber->flags & BUILDID_SUB_CGROUP && !in_cgroup(subscriber->cgroup))
		return false;
	if (subscriber->descendants)
		return bid_descendants_has(subscriber->descendants, current->tgid);
	if (!subscriber->nr_pids)
		return true;
	for (i = 0; i < subscriber->nr_pids; i++)
		if (subscriber->pids[i] == task_tgid(current))
			return true;
	return false;
}

/* The rest of bid_event_watches_data(). */
bool bid_event_current_watches_data(void)
{
	struct bid_subscriber *subscriber;

	list_for_each_entry_rcu(subscriber, &bid_event_list, node)
		if (subscriber->flags & BUILDID_SUB_DATA && watches_current(subscriber))
			return true;
	return false;
}

static u8 detail_of(const struct bid_entry *entry)
{
	if (bid_entry_state(entry) != BUILDID_STATE_KNOWN)
		return BID_DETAIL_UNKNOWN;
	return READ_ONCE(entry->flags) & BID_ENTRY_UNSTABLE ? BID_DETAIL_UNSTABLE :
							      BID_DETAIL_KNOWN;
}

/* Of the FILE record itself: the entry may be another meanwhile. */
static u8 detail_told(const struct bid_file_info *info)
{
	if (info->reason == BUILDID_REASON_PENDING || info->reason == BUILDID_REASON_DEFERRED)
		return BID_DETAIL_UNKNOWN;
	return info->flags & BUILDID_FILE_UNSTABLE ? BID_DETAIL_UNSTABLE : BID_DETAIL_KNOWN;
}

static bool passes_filters(struct bid_subscriber *subscriber, unsigned long vm_flags)
{
	return (vm_flags & VM_EXEC || subscriber->flags & BUILDID_SUB_DATA) &&
	       watches_current(subscriber);
}

/* The path of the file, if the subscriber may know it. */
static struct bid_path path_for(const struct bid_subscriber *subscriber,
				struct bid_mapping *mapping)
{
	struct bid_path path = *bid_mapping_path(mapping);

	if (!subscriber->root.mnt || bid_root_is_current(&subscriber->root))
		return path;
	return (struct bid_path){
		.flags = (path.flags & ~BUILDID_FILE_PATH_PART) | BUILDID_FILE_NO_PATH,
	};
}

/* Reserve room for a MMAP record, after the FILE and LOST records that have to go first. */
static int reserve_mmap(struct bid_subscriber *subscriber, struct bid_mapping *mapping, u32 size,
			struct buildid_record **record)
{
	struct bid_ring *ring = &subscriber->ring;
	struct bid_ring_batch batch __uninitialized;
	struct bid_file_info info __uninitialized;
	struct bid_ring_reserve_args args = {
		.file_id = mapping->file_id,
		.detail = mapping->entry ? detail_of(mapping->entry) : 0,
		.body_type = BUILDID_RECORD_MMAP,
		.body_size = size,
		.unresolved = mapping->state == BUILDID_STATE_UNRESOLVED,
		.missed = bid_hook_missed(),
	};
	bool sent = !mapping->entry || bid_ring_file_sent(ring, args.file_id, args.detail);
	int err;

	do {
		if (!sent) {
			bid_entry_info(mapping->entry, &info);
			args.detail = detail_told(&info);
			info.path = path_for(subscriber, mapping);
			args.file_size = bid_record_file_size(&info);
		}
		err = bid_ring_reserve(ring, &args, &batch);
		sent = false;
	} while (err == -ESTALE);
	if (err)
		return err;

	if (batch.file) {
		bid_record_file_write(&info, container_of(batch.file, struct buildid_file, header));
		bid_ring_commit(batch.file);
	}
	*record = batch.body;
	return 0;
}

/*
 * The pids of @task as the subscriber's namespace shows them. @task is current or its
 * child, and the subscriber watches current.
 */
static void fill_pids(const struct bid_subscriber *subscriber, struct task_struct *task, u32 *pid,
		      u32 *tid)
{
	if (subscriber->pid_ns == &init_pid_ns) {
		*pid = task->tgid;
		*tid = task->pid;
		return;
	}
	*pid = task_tgid_nr_ns(task, subscriber->pid_ns);
	*tid = task_pid_nr_ns(task, subscriber->pid_ns);
}

static int send_mmap(struct bid_subscriber *subscriber, struct bid_mapping *mapping)
{
	struct buildid_record *record;
	struct bid_path path = {};
	u32 pid, tid;
	int err;

	fill_pids(subscriber, current, &pid, &tid);
	if (subscriber->flags & BUILDID_SUB_PATH)
		path = path_for(subscriber, mapping);
	err = reserve_mmap(subscriber, mapping, bid_record_mmap_size(&path), &record);
	if (err)
		return err;
	bid_record_mmap_write(mapping, current, pid, tid, &path,
			      container_of(record, struct buildid_mmap, header));
	bid_ring_commit(record);
	bid_ring_wake(&subscriber->ring);
	return 0;
}

/* The fast path: one plain MMAP record. False when it takes send_hits(). */
static __always_inline bool send_hit(struct bid_subscriber *subscriber,
				     const struct vm_area_struct *vma, u64 file_id)
{
	struct bid_ring *ring = &subscriber->ring;
	struct buildid_record *header;
	struct buildid_mmap *record;

	if (unlikely(subscriber->filtered) || !(vma->vm_flags & VM_EXEC))
		return false;
	header = bid_ring_begin(ring, BUILDID_RECORD_MMAP, sizeof(*record), file_id,
				BID_DETAIL_KNOWN, bid_hook_missed());
	if (unlikely(!header))
		return false;
	record = container_of(header, struct buildid_mmap, header);
	bid_record_mmap_fill(record, current->tgid, current->pid, vma->vm_start, vma->vm_end,
			     vma->vm_pgoff, vma->vm_flags, file_id, BUILDID_STATE_KNOWN, current);
	bid_ring_commit_size(header, sizeof(*record));
	bid_ring_wake(ring);
	bid_stats_inc(BID_STAT_RECORDS);
	return true;
}

/* With filters, paths and namespaces, and with FILE and LOST records to go first. */
static void send_hit_slow(struct bid_subscriber *subscriber, struct bid_mapping *mapping)
{
	if (passes_filters(subscriber, mapping->vm_flags))
		send_mmap(subscriber, mapping);
}

/* To @subscriber, which takes send_hit_slow(), and those after it: the path is looked up once. */
static noinline void send_hits(struct bid_subscriber *subscriber, const struct vm_area_struct *vma,
			       struct bid_entry *entry, char *buf)
{
	struct bid_mapping mapping;

	bid_mapping_init(&mapping, vma);
	mapping.buf = buf;
	bid_mapping_set_entry(&mapping, entry);
	send_hit_slow(subscriber, &mapping);
	list_for_each_entry_continue_rcu(subscriber, &bid_event_list, node)
		if (!send_hit(subscriber, vma, entry->file_id))
			send_hit_slow(subscriber, &mapping);
}

/**
 * bid_event_hit() - report a mapping of a file that is KNOWN
 * @vma: the mapping, in current's mm
 * @entry: the file's entry, under RCU
 * @buf: room for a path, PATH_MAX bytes
 *
 * What bid_event_mmap() does, for the most frequent case. Called by the hook.
 */
void bid_event_hit(const struct vm_area_struct *vma, struct bid_entry *entry, char *buf)
{
	struct bid_subscriber *subscriber;

	list_for_each_entry_rcu(subscriber, &bid_event_list, node) {
		if (!send_hit(subscriber, vma, entry->file_id)) {
			send_hits(subscriber, vma, entry, buf);
			return;
		}
	}
}

/**
 * bid_event_mmap() - report a mapping that current made
 * @mapping: the mapping. One that is PENDING is reported under bid_cache_lock(), so that
 *	the worker's FILE record cannot come before it
 *
 * Called by the hook.
 */
void bid_event_mmap(struct bid_mapping *mapping)
{
	struct bid_subscriber *subscriber;

	list_for_each_entry_rcu(subscriber, &bid_event_list, node) {
		if (!passes_filters(subscriber, mapping->vm_flags))
			continue;
		if (!send_mmap(subscriber, mapping) && mapping->waiting)
			*mapping->waiting |= BIT_ULL(subscriber->slot);
	}
}

static void send_file(struct bid_subscriber *subscriber, const struct bid_entry *entry)
{
	struct bid_ring_batch batch __uninitialized;
	struct bid_file_info info __uninitialized;
	struct bid_ring_reserve_args args = {
		.file_id = entry->file_id,
		.missed = bid_hook_missed(),
	};

	bid_entry_info(entry, &info);
	args.detail = detail_told(&info);
	/* the path is that of the process that mapped the file first: see @root */
	if (subscriber->root.mnt)
		info.path = (struct bid_path){ .flags = BUILDID_FILE_NO_PATH };
	args.file_size = bid_record_file_size(&info);
	if (bid_ring_reserve(&subscriber->ring, &args, &batch))
		return;
	if (batch.file) {
		bid_record_file_write(&info, container_of(batch.file, struct buildid_file, header));
		bid_ring_commit(batch.file);
	}
	/* also when nothing but a LOST record was written */
	bid_ring_wake(&subscriber->ring);
}

/**
 * bid_event_file() - send the FILE record of a file that was PENDING
 * @entry: the file's entry
 * @waiting: slots of the subscribers that were sent a PENDING mapping of it. Read it from
 *	the request in the same RCU section: later a slot may have another owner
 *
 * Called by the worker, under RCU.
 */
void bid_event_file(struct bid_entry *entry, u64 waiting)
{
	struct bid_subscriber *subscriber;

	preempt_disable();
	list_for_each_entry_rcu(subscriber, &bid_event_list, node)
		if (waiting & BIT_ULL(subscriber->slot))
			send_file(subscriber, entry);
	preempt_enable();
}

/* Room for a record that refers to no file; NULL when the record is dropped. */
static struct buildid_record *reserve(struct bid_ring *ring, u16 type, u32 size)
{
	struct bid_ring_batch batch __uninitialized;
	struct bid_ring_reserve_args args = {
		.body_type = type,
		.body_size = size,
		.missed = bid_hook_missed(),
	};

	return bid_ring_reserve(ring, &args, &batch) ? NULL : batch.body;
}

static void send_image(struct bid_subscriber *subscriber, const struct bid_image_info *info)
{
	struct buildid_record *record;

	record = reserve(&subscriber->ring, info->type, bid_record_image_size(info));
	if (!record)
		return;
	record->flags = info->record_flags;
	bid_record_image_write(info, subscriber->kernel_addrs,
			       container_of(record, struct buildid_image, header));
	bid_ring_commit(record);
	bid_ring_wake(&subscriber->ring);
}

/**
 * bid_event_image() - send a KERNEL or MODULE record
 * @only: to this subscriber, or NULL for all that asked for such records
 * @info: what it says
 *
 * Process context.
 */
void bid_event_image(struct bid_subscriber *only, const struct bid_image_info *info)
{
	struct bid_subscriber *subscriber;

	preempt_disable();
	list_for_each_entry_rcu(subscriber, &bid_event_list, node)
		if ((!only || subscriber == only) && subscriber->flags & BUILDID_SUB_KERNEL)
			send_image(subscriber, info);
	preempt_enable();
}

static void send_cookie(struct bid_subscriber *subscriber, const struct bid_cookie_info *info)
{
	struct buildid_record *record;
	u32 pid, tid;

	fill_pids(subscriber, current, &pid, &tid);
	record = reserve(&subscriber->ring, BUILDID_RECORD_COOKIE, bid_record_cookie_size(info));
	if (!record)
		return;
	bid_record_cookie_write(info, current, pid, tid,
				container_of(record, struct buildid_cookie, header));
	bid_ring_commit(record);
	bid_ring_wake(&subscriber->ring);
}

/**
 * bid_event_cookie() - send a COOKIE record: current named a mapping of its own
 * @info: what it says
 *
 * Process context, under the mmap lock.
 */
void bid_event_cookie(const struct bid_cookie_info *info)
{
	struct bid_subscriber *subscriber;

	preempt_disable();
	list_for_each_entry_rcu(subscriber, &bid_event_list, node)
		if (watches_current(subscriber))
			send_cookie(subscriber, info);
	preempt_enable();
}

static void send_task(struct bid_subscriber *subscriber, const struct bid_task_info *info)
{
	u32 pid, tid, parent_pid = 0, parent_tid;
	struct buildid_record *record;

	fill_pids(subscriber, info->task, &pid, &tid);
	if (info->parent)
		fill_pids(subscriber, info->parent, &parent_pid, &parent_tid);
	record = reserve(&subscriber->ring, info->type, sizeof(struct buildid_task));
	if (!record)
		return;
	bid_record_task_write(info, pid, tid, parent_pid,
			      container_of(record, struct buildid_task, header));
	bid_ring_commit(record);
	bid_ring_wake(&subscriber->ring);
}

/**
 * bid_event_task() - send a FORK, EXEC, COMM or EXIT record
 * @info: what it says
 *
 * Any context but NMI.
 */
void bid_event_task(const struct bid_task_info *info)
{
	struct bid_subscriber *subscriber;

	preempt_disable();
	list_for_each_entry_rcu(subscriber, &bid_event_list, node)
		if (subscriber->flags & BUILDID_SUB_TASKS && watches_current(subscriber))
			send_task(subscriber, info);
	preempt_enable();
}
