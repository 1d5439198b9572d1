// SPDX-License-Identifier: GPL-2.0
/*
 * Every record goes through here: for each subscriber, this decides whether the record passes the
 * filters, and what of it the subscriber may see (pids of its own namespace, paths below its own
 * root, kernel addresses).
 *
 * Preemption is off from reserving a record in a ring to committing it, as the consumer would wait
 * for a producer that was preempted. That also makes it an RCU read-side section, in which the list
 * of subscribers can be read. The hook runs with preemption off anyway; for other callers the
 * functions here turn it off.
 *
 * An MMAP record is sent at once. If its ring has not been sent the FILE record of that file_id, it
 * says that one follows, and the mapping task sends it on its way back to user space. current is
 * the same then, so the filters are simply asked again, instead of keeping a list of subscribers.
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

LIST_HEAD(bid_event_list); /* of struct bid_subscriber, under RCU */

/* Subscribers with BUILDID_SUB_DATA. */
u32 bid_event_data_subscribers;

static DEFINE_MUTEX(subscribers_lock);
static u32 subscribers; /* under subscribers_lock */

/* Users other than root leave half of the subscriptions to others. */
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
 * bid_event_add() - start delivering records to a subscriber
 * @subscriber: complete except for node and filtered
 *
 * Process context; takes subscribers_lock.
 *
 * Return: 0, or -EUSERS when there are BID_SUBSCRIBERS_MAX, or the user already has half of them.
 */
int bid_event_add(struct bid_subscriber *subscriber)
{
	int err = 0;

	subscriber->filtered = subscriber->nr_pids || subscriber->pid_ns != &init_pid_ns ||
			       subscriber->flags & (BUILDID_SUB_PATH | BUILDID_SUB_CHILDREN |
						    BUILDID_SUB_UID | BUILDID_SUB_CGROUP);
	mutex_lock(&subscribers_lock);
	if (subscribers == BID_SUBSCRIBERS_MAX || !has_share(subscriber)) {
		err = -EUSERS;
	} else {
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
 * Process context. Producers may still use the subscriber until a grace period has passed.
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

u32 bid_event_subscribers(void)
{
	return READ_ONCE(subscribers);
}

static bool in_cgroup(struct cgroup *cgroup)
{
	bool is;

	/* task_css_set() requires rcu_read_lock() itself, not just preemption off */
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

/* The slow path of bid_event_watches_data(). */
bool bid_event_current_watches_data(void)
{
	struct bid_subscriber *subscriber;

	list_for_each_entry_rcu(subscriber, &bid_event_list, node)
		if (subscriber->flags & BUILDID_SUB_DATA && watches_current(subscriber))
			return true;
	return false;
}

static bool passes_filters(struct bid_subscriber *subscriber, bool exec)
{
	return (exec || subscriber->flags & BUILDID_SUB_DATA) && watches_current(subscriber);
}

/*
 * The pids of @task in the subscriber's namespace. @task is current or its child, and current
 * passes the subscriber's filters.
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

/**
 * struct report - a mapping to report
 * @mapping: the mapping
 * @vma: the same, for @follow
 * @time_perf: local_clock()
 * @follows: result of @follow: 1 if a FILE record follows, -1 if it cannot, 0 if not called yet
 * @follow: arranges for the FILE record to follow; returns false if that is impossible
 */
struct report {
	struct bid_mapping mapping;
	const struct vm_area_struct *vma;
	u64 time_perf;
	int follows;
	bool (*follow)(const struct vm_area_struct *vma, u64 file_id);
};

/* Fast path: one plain MMAP record. False if send_mmap() is needed. */
static __always_inline bool send_plain(struct bid_subscriber *subscriber,
				       const struct vm_area_struct *vma, u64 file_id, u64 time_perf,
				       int follows)
{
	struct bid_ring *ring = &subscriber->ring;
	struct buildid_record *header;
	struct bid_mapping mapping;

	if (unlikely(subscriber->filtered) || !(vma->vm_flags & VM_EXEC) || follows < 0)
		return false;
	header = bid_ring_begin(ring, BUILDID_RECORD_MMAP, sizeof(struct buildid_mmap), file_id,
				follows, bid_hook_missed(), time_perf);
	if (unlikely(!header))
		return false;
	bid_mapping_init(&mapping, vma, file_id);
	bid_record_mmap_write(container_of(header, struct buildid_mmap, header), current->tgid,
			      current->pid, &mapping,
			      follows ? BUILDID_STATE_FOLLOWS : BUILDID_STATE_KNOWN, current);
	bid_ring_commit_size(header, sizeof(struct buildid_mmap));
	bid_ring_wake(ring);
	bid_stats_inc(BID_STAT_RECORDS);
	return true;
}

/* Arranges for current to send the FILE record on its way back. */
static bool has_follow(struct report *report)
{
	if (!report->follows)
		report->follows = report->follow(report->vma, report->mapping.file_id) ? 1 : -1;
	return report->follows > 0;
}

/* The ring decides on the state in the MMAP record, as it knows what it was sent. */
static struct buildid_record *reserve_mmap(struct bid_subscriber *subscriber, struct report *report,
					   u8 *state)
{
	bool each = subscriber->flags & BUILDID_SUB_PATH;
	u64 file_id = report->mapping.file_id;
	struct bid_ring_request request = {
		.type = BUILDID_RECORD_MMAP,
		.size = sizeof(struct buildid_mmap),
		.file_id = file_id,
		.missed = bid_hook_missed(),
		.time_perf = report->time_perf,
	};
	struct buildid_record *record;

	if (file_id && (each || !bid_ring_file_sent(&subscriber->ring, file_id)))
		request.promise = has_follow(report);
	for (;;) {
		request.unresolved = !file_id || report->follows < 0;
		if (request.unresolved)
			request.file_id = 0;
		record = bid_ring_reserve(&subscriber->ring, &request);
		if (record != ERR_PTR(-ESTALE))
			break;
		/* it was sent, but records have been lost since */
		request.promise = has_follow(report);
	}
	if (request.unresolved)
		*state = BUILDID_STATE_UNRESOLVED;
	else
		*state = request.sent && !each ? BUILDID_STATE_KNOWN : BUILDID_STATE_FOLLOWS;
	return record;
}

/* Slow path: filters, paths, namespaces, and FILE and LOST records around the MMAP. */
static void send_mmap(struct bid_subscriber *subscriber, struct report *report)
{
	struct bid_mapping mapping __uninitialized;
	struct buildid_record *record;
	u32 pid, tid;
	u8 state;

	if (!passes_filters(subscriber, report->mapping.vm_flags & VM_EXEC))
		return;
	record = reserve_mmap(subscriber, report, &state);
	if (IS_ERR(record))
		return;
	mapping = report->mapping;
	if (state == BUILDID_STATE_UNRESOLVED)
		mapping.file_id = 0;
	fill_pids(subscriber, current, &pid, &tid);
	bid_record_mmap_write(container_of(record, struct buildid_mmap, header), pid, tid, &mapping,
			      state, current);
	bid_ring_commit(record);
	bid_ring_wake(&subscriber->ring);
}

/* For @subscriber, which needs send_mmap(), and all after it. */
static noinline void send_mmaps(struct bid_subscriber *subscriber, const struct vm_area_struct *vma,
				u64 file_id, u64 time_perf, int follows,
				bool (*follow)(const struct vm_area_struct *vma, u64 file_id))
{
	struct report report __uninitialized;

	bid_mapping_init(&report.mapping, vma, file_id);
	report.vma = vma;
	report.time_perf = time_perf;
	report.follows = follows;
	report.follow = follow;
	send_mmap(subscriber, &report);
	list_for_each_entry_continue_rcu(subscriber, &bid_event_list, node)
		if (!send_plain(subscriber, vma, file_id, time_perf, follows))
			send_mmap(subscriber, &report);
}

static __always_inline void send_all(const struct vm_area_struct *vma, u64 file_id, u64 time_perf,
				     int follows,
				     bool (*follow)(const struct vm_area_struct *vma, u64 file_id))
{
	struct bid_subscriber *subscriber;

	list_for_each_entry_rcu(subscriber, &bid_event_list, node) {
		if (!send_plain(subscriber, vma, file_id, time_perf, follows)) {
			send_mmaps(subscriber, vma, file_id, time_perf, follows, follow);
			return;
		}
	}
}

/**
 * bid_event_hit() - report a mapping of a file that is in the cache
 * @vma: the mapping, in current's mm
 * @file_id: of the file
 * @time_perf: local_clock()
 * @follow: arranges for its FILE record to follow; returns false if that is impossible
 *
 * Called by the hook.
 */
void bid_event_hit(const struct vm_area_struct *vma, u64 file_id, u64 time_perf,
		   bool (*follow)(const struct vm_area_struct *vma, u64 file_id))
{
	send_all(vma, file_id, time_perf, 0, follow);
}

/**
 * bid_event_miss() - report a mapping of a file that is not in the cache
 * @vma: the mapping, in current's mm
 * @file_id: of the FILE record that follows, or 0 if the mapping is UNRESOLVED
 * @time_perf: local_clock()
 *
 * Called by the hook.
 */
void bid_event_miss(const struct vm_area_struct *vma, u64 file_id, u64 time_perf)
{
	send_all(vma, file_id, time_perf, file_id ? 1 : -1, NULL);
}

/* The path of the file, if the subscriber may know it. */
static struct bid_path path_for(const struct bid_subscriber *subscriber,
				const struct bid_path *path)
{
	if (!subscriber->root.mnt || bid_root_is_current(&subscriber->root))
		return *path;
	return (struct bid_path){ .flags = path->flags | BUILDID_FILE_NO_PATH };
}

static void send_file(struct bid_subscriber *subscriber, struct bid_file_info info)
{
	struct bid_ring_request request = {
		.type = BUILDID_RECORD_FILE,
		.file_id = info.file_id,
		.missed = bid_hook_missed(),
		.time_perf = local_clock(),
	};
	struct buildid_record *record;
	u32 pid, tid;

	info.path = path_for(subscriber, &info.path);
	request.size = bid_record_file_size(&info);
	fill_pids(subscriber, current, &pid, &tid);
	preempt_disable();
	record = bid_ring_reserve(&subscriber->ring, &request);
	if (!IS_ERR(record)) {
		bid_record_file_write(&info, pid, tid,
				      container_of(record, struct buildid_file, header));
		bid_ring_commit(record);
		bid_ring_wake(&subscriber->ring);
	}
	preempt_enable();
}

/*
 * Is it owed this FILE record? The ring remembers what was promised, and the promise counts even if
 * the task does not pass the filters any more; if a loss or a collision has made the ring forget,
 * ask the filters again.
 */
static bool wants_file(struct bid_subscriber *subscriber, u64 file_id, bool exec)
{
	struct bid_ring *ring = &subscriber->ring;

	if (bid_ring_file_promised(ring, file_id))
		return true;
	if (bid_ring_file_sent(ring, file_id) && !(subscriber->flags & BUILDID_SUB_PATH))
		return false;
	return passes_filters(subscriber, exec);
}

/**
 * bid_event_file() - send the FILE record that follows a mapping made by current
 * @info: the record's content
 * @exec: the mapping is executable
 *
 * Goes to subscribers that were sent the MMAP but not this FILE yet. Process context.
 */
void bid_event_file(const struct bid_file_info *info, bool exec)
{
	struct bid_subscriber *subscriber;

	rcu_read_lock();
	list_for_each_entry_rcu(subscriber, &bid_event_list, node)
		if (wants_file(subscriber, info->file_id, exec))
			send_file(subscriber, *info);
	rcu_read_unlock();
}

/* Room for a record that refers to no file; NULL if the record was dropped. */
static struct buildid_record *event_reserve(struct bid_ring *ring, u16 type, u32 size)
{
	struct bid_ring_request request = {
		.type = type,
		.size = size,
		.missed = bid_hook_missed(),
		.time_perf = local_clock(),
	};
	struct buildid_record *record = bid_ring_reserve(ring, &request);

	return IS_ERR(record) ? NULL : record;
}

static void send_image(struct bid_subscriber *subscriber, const struct bid_image_info *info)
{
	struct buildid_record *record;

	record = event_reserve(&subscriber->ring, info->type, bid_record_image_size(info));
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
 * @only: the only recipient, or NULL for all that asked for such records
 * @info: the record's content
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
	record = event_reserve(&subscriber->ring, BUILDID_RECORD_COOKIE,
			       bid_record_cookie_size(info));
	if (!record)
		return;
	bid_record_cookie_write(info, current, pid, tid,
				container_of(record, struct buildid_cookie, header));
	bid_ring_commit(record);
	bid_ring_wake(&subscriber->ring);
}

/**
 * bid_event_cookie() - send a COOKIE record: current set the cookie of one of its mappings
 * @info: the record's content
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
	record = event_reserve(&subscriber->ring, info->type, sizeof(struct buildid_task));
	if (!record)
		return;
	bid_record_task_write(info, pid, tid, parent_pid,
			      container_of(record, struct buildid_task, header));
	bid_ring_commit(record);
	bid_ring_wake(&subscriber->ring);
}

/**
 * bid_event_task() - send a FORK, EXEC, COMM or EXIT record
 * @info: the record's content
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
