/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The layout of records: from the structs here to those of the uapi header.
 * bid_record_<type>_size() is the size of the whole record, bid_record_<type>_write() writes all of
 * it except the header, which bid_ring_reserve() fills in.
 */
#ifndef BID_RECORD_H
#define BID_RECORD_H

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched.h>

#include "entry.h"

/**
 * struct bid_mapping - a mapping to report
 * @start: first address
 * @end: first address after it
 * @pgoff: offset of @start in the file, in pages
 * @vm_flags: of the vma
 * @file_id: as in struct buildid_file; 0 if UNRESOLVED
 */
struct bid_mapping {
	u64 start;
	u64 end;
	u64 pgoff;
	unsigned long vm_flags;
	u64 file_id;
};

/**
 * struct bid_file_info - the content of a FILE record
 * @file_id: as in struct buildid_file, like all other fields
 */
struct bid_file_info {
	u64 file_id;
	const struct bid_key *key;
	const struct bid_version *version;
	u64 user_ino;
	dev_t user_dev;
	u32 flags;
	u8 kind;
	u8 reason;
	u8 id_len;
	const u8 *id;
	struct bid_path path;
};

/**
 * struct bid_image_info - the content of a KERNEL or MODULE record
 * @type: BUILDID_RECORD_KERNEL or _MODULE
 * @record_flags: BUILDID_RECORD_*
 * @flags: as in struct buildid_image, like all other fields
 */
struct bid_image_info {
	u16 type;
	u16 record_flags;
	u32 flags;
	u64 addr;
	u64 len;
	const struct bid_identity *id;
	const char *name;
};

/*
 * The start time of a task's process, which distinguishes it from others with the same pid. It is
 * the leader's: a thread that calls exec takes it over. @task is current or a leader; the
 * group_leader of another task may be gone.
 */
static __always_inline u64 bid_start_time(const struct task_struct *task)
{
	return task == current ? current->group_leader->start_boottime : task->start_boottime;
}

/**
 * struct bid_cookie_info - the content of a COOKIE record
 * @start: first address
 * @end: first address after it
 * @id: the identity that the loader set; of length 0 if it was cleared
 */
struct bid_cookie_info {
	u64 start;
	u64 end;
	struct bid_identity id;
};

/**
 * struct bid_task_info - the content of a FORK, EXEC, COMM or EXIT record
 * @type: BUILDID_RECORD_FORK, _EXEC, _COMM or _EXIT
 * @flags: BUILDID_TASK_*
 * @task: FORK: the child; COMM: a thread of current's process; else current
 * @parent: FORK: the task that forked, or NULL for the kernel; else NULL
 */
struct bid_task_info {
	u16 type;
	u32 flags;
	struct task_struct *task;
	struct task_struct *parent;
};

static inline void bid_mapping_init(struct bid_mapping *mapping, const struct vm_area_struct *vma,
				    u64 file_id)
{
	mapping->start = vma->vm_start;
	mapping->end = vma->vm_end;
	mapping->pgoff = vma->vm_pgoff;
	mapping->vm_flags = vma->vm_flags;
	mapping->file_id = file_id;
}

/* @task is current or held. Under RCU, or with preemption off. */
static __always_inline u64 bid_cgroup_id(const struct task_struct *task)
{
#ifdef CONFIG_CGROUPS
	return cgroup_id(rcu_dereference_check(task->cgroups, rcu_read_lock_any_held())->dfl_cgrp);
#else
	return 0;
#endif
}

/* Readers are in the initial user namespace: no others may subscribe. */
static __always_inline u32 bid_uid(const struct task_struct *task)
{
	return __kuid_val(task == current ? current_uid() : task_uid((struct task_struct *)task));
}

static __always_inline void bid_record_comm_write(u8 to[TASK_COMM_LEN], const char *comm)
{
	memcpy(to, comm, TASK_COMM_LEN);
	to[TASK_COMM_LEN - 1] = 0;
}

/* Inline, as it is most of the work of sending a record. */
static __always_inline void bid_record_mmap_write(struct buildid_mmap *record, u32 pid, u32 tid,
						  const struct bid_mapping *mapping, u8 state,
						  const struct task_struct *task)
{
	BUILD_BUG_ON(VM_READ != PROT_READ || VM_WRITE != PROT_WRITE || VM_EXEC != PROT_EXEC);

	record->pid = pid;
	record->tid = tid;
	record->addr = mapping->start;
	record->len = mapping->end - mapping->start;
	record->pgoff = mapping->pgoff << PAGE_SHIFT;
	record->file_id = mapping->file_id;
	record->start_time = bid_start_time(task);
	record->cgroup_id = bid_cgroup_id(task);
	record->uid = bid_uid(task);
	record->prot = mapping->vm_flags & (VM_READ | VM_WRITE | VM_EXEC);
	record->map_flags = mapping->vm_flags & VM_MAYSHARE ? MAP_SHARED : MAP_PRIVATE;
	record->state = state;
	bid_record_comm_write(record->comm, task->comm);
}

void bid_entry_info(const struct bid_entry *entry, struct bid_file_info *info);
u32 bid_record_file_size(const struct bid_file_info *info);
void bid_record_file_write(const struct bid_file_info *info, u32 pid, u32 tid,
			   struct buildid_file *record);

u32 bid_record_image_size(const struct bid_image_info *info);
void bid_record_image_write(const struct bid_image_info *info, bool addrs,
			    struct buildid_image *record);

u32 bid_record_cookie_size(const struct bid_cookie_info *info);
void bid_record_cookie_write(const struct bid_cookie_info *info, const struct task_struct *task,
			     u32 pid, u32 tid, struct buildid_cookie *record);

void bid_record_task_write(const struct bid_task_info *info, u32 pid, u32 tid, u32 parent_pid,
			   struct buildid_task *record);

#endif /* BID_RECORD_H */
