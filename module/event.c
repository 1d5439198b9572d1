// SPDX-License-Identifier: GPL-2.0
/*
 * Records go out with preemption off, from reserving to committing them. That
 * is all it takes to read the list of subscribers, too.
 */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/fs_struct.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "event.h"
#include "hook.h"
#include "stats.h"
#include "worker.h"

LIST_HEAD(bid_event_list);	/* of subscribers */
u32 bid_event_data_subscribers; /* by so many of them */
static DEFINE_MUTEX(subscribers_lock);
static u64 slots;

/**
 * bid_event_add() - start to deliver
 * @subscriber: with its ring and all but node and slot filled in
 *
 * Return: 0, or -EUSERS when there are BID_SUBSCRIBERS_MAX.
 */
int bid_event_add(struct bid_subscriber *subscriber)
{
	int err = 0;

	subscriber->filtered = subscriber->nr_pids || subscriber->pid_ns != &init_pid_ns ||
			       subscriber->flags & (BUILDID_SUB_PATH | BUILDID_SUB_CHILDREN |
						    BUILDID_SUB_UID | BUILDID_SUB_CGROUP);
	mutex_lock(&subscribers_lock);
	if (slots == ~0ULL) {
		err = -EUSERS;
	} else {
		subscriber->slot = ffz(slots);
		slots |= BIT_ULL(subscriber->slot);
		if (subscriber->flags & BUILDID_SUB_DATA)
			WRITE_ONCE(bid_event_data_subscribers, bid_event_data_subscribers + 1);
		list_add_tail_rcu(&subscriber->node, &bid_event_list);
	}
	mutex_unlock(&subscribers_lock);
	return err;
}

/* On return no producer knows the subscriber any more. */
void bid_event_remove(struct bid_subscriber *subscriber)
{
	mutex_lock(&subscribers_lock);
	list_del_rcu(&subscriber->node);
	if (subscriber->flags & BUILDID_SUB_DATA)
		WRITE_ONCE(bid_event_data_subscribers, bid_event_data_subscribers - 1);
	synchronize_rcu();
	/* the next owner of the slot is not sent what this one waited for */
	bid_worker_forget_waiting(BIT_ULL(subscriber->slot));
	slots &= ~BIT_ULL(subscriber->slot);
	mutex_unlock(&subscribers_lock);
}

u32 bid_event_subscribers(void)
{
	return hweight64(READ_ONCE(slots));
}

/* No preemption is not enough for who looks at a task's cgroup. */
static bool in_cgroup(struct cgroup *cgroup)
{
	bool is;

	rcu_read_lock();
	is = task_under_cgroup_hierarchy(current, cgroup);
	rcu_read_unlock();
	return is;
}

/* Is what current does for this subscriber? */
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

/* For bid_event_watches_data(). */
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

static bool passes_filters(struct bid_subscriber *subscriber, unsigned long vm_flags)
{
	return (vm_flags & VM_EXEC || subscriber->flags & BUILDID_SUB_DATA) &&
	       watches_current(subscriber);
}

/*
 * What a subscriber may know of it. A thread that calls chroot() meanwhile may
 * have it either way.
 */
static struct bid_path path_for(const struct bid_subscriber *subscriber,
				struct bid_mapping *mapping)
{
	struct bid_path path = *bid_mapping_path(mapping);
	const struct path *root = &current->fs->root;

	if (!subscriber->root.mnt || (READ_ONCE(root->mnt) == subscriber->root.mnt &&
				      READ_ONCE(root->dentry) == subscriber->root.dentry))
		return path;
	return (struct bid_path){
		.flags = (path.flags & ~BUILDID_FILE_PATH_PART) | BUILDID_FILE_NO_PATH,
	};
}

/* With all that may have to go before it: FILE, LOST. */
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
		.no_request = mapping->state == BUILDID_STATE_UNRESOLVED,
		.missed = bid_hook_missed(),
	};
	bool sent = !mapping->entry || bid_ring_file_sent(ring, args.file_id, args.detail);
	int err;

	do {
		if (!sent) {
			bid_entry_info(mapping->entry, &info);
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

/* For a subscriber that watches current; @task is that or its child. */
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

/* The usual record to the usual subscriber; false when there is more to it. */
static __always_inline bool send_hit(struct bid_subscriber *subscriber,
				     const struct vm_area_struct *vma, u64 file_id)
{
	struct bid_ring *ring = &subscriber->ring;
	struct buildid_record *header;
	struct buildid_mmap *record;

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

/* With filters, paths, namespaces, FILE and LOST records. */
static noinline void send_hit_slow(struct bid_subscriber *subscriber,
				   const struct vm_area_struct *vma, struct bid_entry *entry,
				   char *buf)
{
	struct bid_mapping mapping;

	if (!passes_filters(subscriber, vma->vm_flags))
		return;
	bid_mapping_init(&mapping, vma);
	mapping.buf = buf;
	bid_mapping_set_entry(&mapping, entry);
	send_mmap(subscriber, &mapping);
}

/**
 * bid_event_hit() - report a mapping of a file that is KNOWN
 * @vma: the mapping, in current's mm
 * @entry: the file
 * @buf: room for a path, PATH_MAX bytes
 *
 * bid_event_mmap() for the case that counts. Called with preemption off.
 */
void bid_event_hit(const struct vm_area_struct *vma, struct bid_entry *entry, char *buf)
{
	struct bid_subscriber *subscriber;

	list_for_each_entry_rcu(subscriber, &bid_event_list, node)
		if (unlikely(subscriber->filtered) || !(vma->vm_flags & VM_EXEC) ||
		    !send_hit(subscriber, vma, entry->file_id))
			send_hit_slow(subscriber, vma, entry, buf);
}

/**
 * bid_event_mmap() - report a mapping to whom it concerns
 * @mapping: it. A PENDING one under bid_cache_lock(), so that the FILE record
 *	the worker sends cannot come before it
 *
 * Called under RCU with preemption off; current made the mapping.
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
		.detail = detail_of(entry),
		.missed = bid_hook_missed(),
	};

	bid_entry_info(entry, &info);
	/* whoever mapped it first need not have seen it where this one does */
	if (subscriber->root.mnt)
		info.path = (struct bid_path){ .flags = BUILDID_FILE_NO_PATH };
	args.file_size = bid_record_file_size(&info);
	if (bid_ring_reserve(&subscriber->ring, &args, &batch))
		return;
	if (batch.file) {
		bid_record_file_write(&info, container_of(batch.file, struct buildid_file, header));
		bid_ring_commit(batch.file);
	}
	/* or for a LOST that was due */
	bid_ring_wake(&subscriber->ring);
}

/**
 * bid_event_file() - a file became KNOWN after mappings went out PENDING
 * @entry: it, under RCU
 * @waiting: slots of the subscribers that have such a mapping; taken from the
 *	request in the same RCU section, or a slot may have a new owner
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

/* A record with no FILE to go before it; NULL when it is lost. */
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
 * bid_event_image() - tell of the kernel or of a module
 * @only: this subscriber, or NULL for all
 * @info: what to tell
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
 * bid_event_cookie() - current named a mapping of its own
 * @info: what to tell
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
 * bid_event_task() - current has forked, begun another program, or ended
 * @info: what to tell
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
