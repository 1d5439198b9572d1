// SPDX-License-Identifier: GPL-2.0
/*
 * HISTORY: what processes had mapped, and their forks and execs, from history.c, with the files as
 * the cache has them. No file is read.
 *
 * A reply takes as many calls as the caller's buffer requires. Nothing is held between calls: the
 * cursor says how far back in which ring the caller is, so a machine that keeps mapping makes the
 * reply shorter, never longer.
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
#include "history_ioctl.h"
#include "record.h"
#include "reply.h"

/**
 * struct answer - the caller's buffer while it is filled
 * @to: where the next record goes
 * @left: bytes left in the buffer
 * @last_file: file_id of the last FILE record in it
 * @file: room for a FILE record, BUILDID_RECORD_MAX bytes
 * @clocks: CLOCK_MONOTONIC minus local_clock(); constant throughout a reply, to keep the order
 */
struct answer {
	char __user *to;
	u32 left;
	u64 last_file;
	struct buildid_file *file;
	u64 clocks;
};

static int put_record(struct answer *answer, struct buildid_record *header, u64 time_perf)
{
	header->flags = BUILDID_RECORD_SNAPSHOT;
	header->time_mono = time_perf + answer->clocks;
	header->time_perf = time_perf;
	if (copy_to_user(answer->to, header, header->size))
		return -EFAULT;
	answer->to += header->size;
	answer->left -= header->size;
	return 0;
}

static int put_task(struct answer *answer, const struct bid_history_slot *slot)
{
	bool fork = bid_history_type(slot) == BUILDID_RECORD_FORK;
	struct buildid_task record = {
		.header = { .type = bid_history_type(slot), .size = sizeof(record) },
		.pid = slot->tgid,
		.tid = slot->tgid,
		.start_time = slot->start_time,
		.parent_pid = fork ? slot->parent_tgid : 0,
		.flags = slot->head & BUILDID_TASK_SHARES_MM,
		.parent_start_time = fork ? slot->parent_start_time : 0,
	};

	if (answer->left < sizeof(record))
		return -ENOSPC;
	bid_record_comm_write(record.comm, slot->comm);
	return put_record(answer, &record.header, slot->time_perf);
}

/* @file: the mapping's FILE record, or NULL. */
static int put_mmap(struct answer *answer, const struct bid_history_slot *slot,
		    const struct buildid_file *file)
{
	struct buildid_mmap record = {
		.header = { .type = BUILDID_RECORD_MMAP, .size = sizeof(record) },
		.pid = slot->tgid,
		.tid = slot->tgid,
		.addr = slot->head & PAGE_MASK,
		.len = (u64)slot->pages << PAGE_SHIFT,
		.pgoff = slot->pgoff << PAGE_SHIFT,
		.file_id = file ? slot->file_id : 0,
		.start_time = slot->start_time,
		.prot = slot->head & (VM_READ | VM_WRITE | VM_EXEC),
		.map_flags = slot->head & VM_MAYSHARE ? MAP_SHARED : MAP_PRIVATE,
		.uid = ~0U,
		.state = file ? BUILDID_STATE_KNOWN : BUILDID_STATE_UNRESOLVED,
	};

	bid_record_comm_write(record.comm, slot->comm);
	return put_record(answer, &record.header, slot->time_perf);
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

/* A FILE record, unless it repeats the last one, and an MMAP record. Returns 0 or -ENOSPC. */
static int put_mapping(struct answer *answer, const struct bid_history_slot *slot)
{
	struct buildid_file *file = find_file(slot->file_id, answer->file) ? answer->file : NULL;
	bool sent = !file || slot->file_id == answer->last_file;
	int err;

	if (answer->left < sizeof(struct buildid_mmap) + (sent ? 0 : file->header.size))
		return -ENOSPC;
	if (!sent) {
		err = put_record(answer, &file->header, slot->time_perf);
		if (err)
			return err;
		answer->last_file = slot->file_id;
	}
	return put_mmap(answer, slot, file);
}

static int put_slot(struct answer *answer, const struct bid_history_slot *slot)
{
	if (bid_history_type(slot) == BUILDID_RECORD_MMAP)
		return put_mapping(answer, slot);
	return put_task(answer, slot);
}

/* Advances the request's cursor. Also returns 0 when the buffer is full. */
static int past_fill(struct answer *answer, struct buildid_history *req)
{
	struct bid_history_slot slot;
	u64 cursor = req->cursor;
	int err = 0;

	while (cursor != BUILDID_MAPS_END) {
		if (fatal_signal_pending(current))
			return -EINTR;
		err = bid_history_next(&cursor, req->pid, &slot);
		if (err > 0)
			err = put_slot(answer, &slot);
		if (err)
			return err == -ENOSPC ? 0 : err;
		req->cursor = cursor;
		cond_resched();
	}
	req->since = bid_history_since();
	if (req->since)
		req->since += answer->clocks;
	return 0;
}

static int past_reply(struct buildid_history *req)
{
	struct answer answer = {
		.to = u64_to_user_ptr(req->records),
		.left = req->bytes,
		.clocks = ktime_get_mono_fast_ns() - local_clock(),
	};
	int err;

	answer.file = kmalloc(BUILDID_RECORD_MAX, GFP_KERNEL);
	if (!answer.file)
		return -ENOMEM;
	err = past_fill(&answer, req);
	kfree(answer.file);
	req->bytes -= answer.left;
	return err;
}

/* The pid of an exited process is just a number, in the initial namespace. */
int bid_ioctl_history(struct bid_session *session, void *arg)
{
	struct buildid_history *req = arg;

	req->since = 0;
	if (req->bytes < 2 * BUILDID_RECORD_MAX)
		return -EINVAL;
	if (task_active_pid_ns(current) != &init_pid_ns)
		return -EPERM;
	return past_reply(req);
}
