// SPDX-License-Identifier: GPL-2.0
/*
 * HISTORY: what processes had mapped, from history.c, with the files as the cache has
 * them. Nothing is read for it.
 *
 * The answer is given in calls as large as the caller's buffer. Nothing is held between
 * two of them: the cursor says how far back in which CPU's ring the caller is, so that a
 * machine which goes on mapping shortens the answer and never lengthens it.
 */
#include <linux/capability.h>
#include <linux/mman.h>
#include <linux/pid_namespace.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "cache.h"
#include "history.h"
#include "past.h"
#include "record.h"
#include "reply.h"

/**
 * struct answer - the caller's buffer while it is being filled
 * @to: where the next record goes
 * @left: bytes left in the buffer
 * @last_file: file_id of the last FILE record in it
 * @file: room for a FILE record, BUILDID_RECORD_MAX bytes
 */
struct answer {
	char __user *to;
	u32 left;
	u64 last_file;
	struct buildid_file *file;
};

/* The times are of the mapping. */
static int put_record(struct answer *answer, struct buildid_record *header, u64 ago)
{
	header->flags = BUILDID_RECORD_SNAPSHOT;
	header->time_mono = ktime_get_mono_fast_ns() - ago;
	header->time_perf = local_clock() - ago;
	if (copy_to_user(answer->to, header, header->size))
		return -EFAULT;
	answer->to += header->size;
	answer->left -= header->size;
	return 0;
}

static int put_mmap(struct answer *answer, const struct bid_history_entry *entry, u64 ago)
{
	struct buildid_mmap record = {
		.header = { .type = BUILDID_RECORD_MMAP, .size = sizeof(record) },
		.pid = entry->tgid,
		.tid = entry->tgid,
		.addr = bid_history_start(entry),
		.len = bid_history_end(entry) - bid_history_start(entry),
		.pgoff = entry->pgoff << PAGE_SHIFT,
		.file_id = entry->file_id,
		.start_time = entry->start_time,
		.prot = entry->start_flags & (VM_READ | VM_WRITE | VM_EXEC),
		.map_flags = entry->start_flags & VM_MAYSHARE ? MAP_SHARED : MAP_PRIVATE,
		.state = BUILDID_STATE_KNOWN,
		.uid = ~0U,
	};

	bid_record_comm_write(record.comm, entry->comm);
	return put_record(answer, &record.header, ago);
}

static bool find_file(u64 file_id, struct buildid_file *record)
{
	const struct bid_entry *entry;

	memset(record, 0, sizeof(*record));
	rcu_read_lock();
	entry = bid_cache_find_id(file_id);
	if (entry)
		bid_reply_entry(entry, record);
	rcu_read_unlock();
	return entry;
}

/* Nothing for a file that the cache has no more; -ENOSPC. */
static int put_entry(struct answer *answer, const struct bid_history_entry *entry)
{
	u64 ago = bid_history_age(entry);
	bool sent = entry->file_id == answer->last_file;
	int err;

	if (!find_file(entry->file_id, answer->file))
		return 0;
	if (answer->left < sizeof(struct buildid_mmap) + (sent ? 0 : answer->file->header.size))
		return -ENOSPC;
	if (!sent) {
		err = put_record(answer, &answer->file->header, ago);
		if (err)
			return err;
	}
	answer->last_file = entry->file_id;
	return put_mmap(answer, entry, ago);
}

/* Moves the request's cursor on; 0 also when the buffer is full. */
static int fill(struct answer *answer, struct buildid_history *req)
{
	struct bid_history_entry entry;
	u64 cursor = req->cursor;
	int err;

	while (cursor != BUILDID_MAPS_END) {
		if (fatal_signal_pending(current))
			return -EINTR;
		err = bid_history_next(&cursor, req->pid, &entry);
		if (err)
			return err;
		err = entry.file_id ? put_entry(answer, &entry) : 0;
		if (err)
			return err == -ENOSPC ? 0 : err;
		req->cursor = cursor;
		cond_resched();
	}
	return 0;
}

static int reply(struct buildid_history *req)
{
	struct answer answer = {
		.to = u64_to_user_ptr(req->records),
		.left = req->bytes,
	};
	int err;

	answer.file = kmalloc(BUILDID_RECORD_MAX, GFP_KERNEL);
	if (!answer.file)
		return -ENOMEM;
	err = fill(&answer, req);
	kfree(answer.file);
	req->bytes -= answer.left;
	return err;
}

/* As for RESOLVE_ADDR of a process that has exited: its pid is the initial namespace's. */
int bid_ioctl_history(struct bid_session *session, void *arg)
{
	struct buildid_history *req = arg;

	if (req->bytes < 2 * BUILDID_RECORD_MAX)
		return -EINVAL;
	if (task_active_pid_ns(current) != &init_pid_ns)
		return -EPERM;
	return reply(req);
}
