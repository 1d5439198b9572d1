/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What records say: from what is known to the layouts of the uapi header. Each
 * bid_<what>_size() is the whole record's; each bid_<what>_write() lays out all
 * of it but its header.
 */
#ifndef BID_RECORD_H
#define BID_RECORD_H

#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched.h>

#include "cache.h"

/**
 * struct bid_mapping - a mapping to report
 * @file: what it maps
 * @start: first address
 * @end: the one after the last
 * @pgoff: in @file, of @start, in pages
 * @vm_flags: of the vma
 * @file_id: as in struct buildid_file; 0 for UNRESOLVED
 * @entry: with the FILE record to go before it, or NULL
 * @state: enum buildid_state
 * @path: of the file, once @path_known
 * @path_known: bid_file_path() was called
 * @buf: room for a path, PATH_MAX bytes
 * @waiting: of the request; for PENDING, else NULL
 */
struct bid_mapping {
	struct file *file;
	u64 start;
	u64 end;
	u64 pgoff;
	unsigned long vm_flags;
	u64 file_id;
	struct bid_entry *entry;
	u8 state;
	bool path_known;
	struct bid_path path;
	char *buf;
	u64 *waiting;
};

/**
 * struct bid_file_info - a FILE record before it is laid out
 * @file_id: and the rest: as in struct buildid_file
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
 * struct bid_image_info - a KERNEL or MODULE record before it is laid out
 * @type: BUILDID_RECORD_KERNEL or _MODULE
 * @record_flags: BUILDID_RECORD_*
 * @flags: and the rest: as in struct buildid_image
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
 * Of the process, so that it tells processes of one number apart: a thread that
 * calls exec takes over its leader's. @task is current, or a leader: whom one that
 * was a leader points to after an exec may be gone.
 */
static __always_inline u64 bid_start_time(const struct task_struct *task)
{
	return task == current ? current->group_leader->start_boottime : task->start_boottime;
}

/**
 * struct bid_cookie_info - a COOKIE record before it is laid out
 * @start: first address
 * @end: the one after the last
 * @id: what the loader calls it; of length 0 when that was taken back
 */
struct bid_cookie_info {
	u64 start;
	u64 end;
	struct bid_identity id;
};

/**
 * struct bid_task_info - a FORK, EXEC or EXIT record before it is laid out
 * @type: BUILDID_RECORD_FORK, _EXEC or _EXIT
 * @flags: BUILDID_TASK_*
 * @task: whose it is
 * @parent: with FORK: who has forked; else NULL
 */
struct bid_task_info {
	u16 type;
	u32 flags;
	struct task_struct *task;
	struct task_struct *parent;
};

static inline void bid_mapping_init(struct bid_mapping *mapping, const struct vm_area_struct *vma)
{
	mapping->file = vma->vm_file;
	mapping->start = vma->vm_start;
	mapping->end = vma->vm_end;
	mapping->pgoff = vma->vm_pgoff;
	mapping->vm_flags = vma->vm_flags;
	mapping->file_id = 0;
	mapping->entry = NULL;
	mapping->state = BUILDID_STATE_KNOWN;
	mapping->path_known = false;
	mapping->waiting = NULL;
}

static inline void bid_mapping_set_entry(struct bid_mapping *mapping, struct bid_entry *entry)
{
	mapping->entry = entry;
	mapping->file_id = entry->file_id;
}

static __always_inline void bid_record_comm_write(u8 to[TASK_COMM_LEN], const char *comm)
{
	memcpy(to, comm, TASK_COMM_LEN);
	to[TASK_COMM_LEN - 1] = 0;
}

/* Of the usual record: inline, as watching costs what this does. */
static __always_inline void bid_record_mmap_fill(struct buildid_mmap *record, u32 pid, u32 tid,
						 u64 start, u64 end, u64 pgoff,
						 unsigned long vm_flags, u64 file_id, u8 state,
						 const struct task_struct *task)
{
	BUILD_BUG_ON(VM_READ != PROT_READ || VM_WRITE != PROT_WRITE || VM_EXEC != PROT_EXEC);

	record->pid = pid;
	record->tid = tid;
	record->addr = start;
	record->len = end - start;
	record->pgoff = pgoff << PAGE_SHIFT;
	record->file_id = file_id;
	record->prot = vm_flags & (VM_READ | VM_WRITE | VM_EXEC);
	record->map_flags = vm_flags & VM_MAYSHARE ? MAP_SHARED : MAP_PRIVATE;
	record->state = state;
	record->start_time = bid_start_time(task);
	record->path_len = 0;
	record->data_off = sizeof(*record);
	bid_record_comm_write(record->comm, task->comm);
}

const struct bid_path *bid_mapping_path(struct bid_mapping *mapping);
u32 bid_record_mmap_size(const struct bid_path *path);
void bid_record_mmap_write(const struct bid_mapping *mapping, const struct task_struct *task,
			   u32 pid, u32 tid, const struct bid_path *path,
			   struct buildid_mmap *record);

void bid_entry_info(const struct bid_entry *entry, struct bid_file_info *info);
u32 bid_record_file_size(const struct bid_file_info *info);
void bid_record_file_write(const struct bid_file_info *info, struct buildid_file *record);

u32 bid_record_image_size(const struct bid_image_info *info);
void bid_record_image_write(const struct bid_image_info *info, bool addrs,
			    struct buildid_image *record);

u32 bid_record_cookie_size(const struct bid_cookie_info *info);
void bid_record_cookie_write(const struct bid_cookie_info *info, const struct task_struct *task,
			     u32 pid, u32 tid, struct buildid_cookie *record);

void bid_record_task_write(const struct bid_task_info *info, u32 pid, u32 tid, u32 parent_pid,
			   struct buildid_task *record);

#endif /* BID_RECORD_H */
