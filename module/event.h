/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records: what they say, and which subscribers they go to.
 */
#ifndef BID_EVENT_H
#define BID_EVENT_H

#include <linux/mm_types.h>
#include <linux/path.h>
#include <linux/pid.h>

#include "cache.h"
#include "lineage.h"
#include "ring.h"

/* One bit each in bid_request.waiting. */
#define BID_SUBSCRIBERS_MAX 64

/**
 * struct bid_subscriber - a ring and what it is for
 * @node: among the subscribers, under RCU
 * @ring: where the records go
 * @slot: its bit in bid_request.waiting
 * @flags: BUILDID_SUB_*
 * @pid_ns: pids are given as this namespace shows them
 * @root: held where @pid_ns is not the initial one: paths are told of processes
 *	with that root directory, as what others see is not the reader's to know
 * @picky: not every executable mapping, or not the plain record, is for it
 * @active: when set, asked before each record; under RCU
 * @kernel_addrs: may know addresses in the kernel
 * @uid: only this real uid, with BUILDID_SUB_UID
 * @cgroup: only in or below it, with BUILDID_SUB_CGROUP; held
 * @lineage: only these processes, with BUILDID_SUB_CHILDREN, instead of @pids
 * @nr_pids: entries in @pids, 0 for every process
 * @pids: only these thread groups
 */
struct bid_subscriber {
	struct list_head node;
	struct bid_ring ring;
	u32 slot;
	u32 flags;
	struct pid_namespace *pid_ns;
	struct path root;
	bool picky;
	bool (*active)(struct bid_subscriber *subscriber);
	bool kernel_addrs;
	kuid_t uid;
	struct cgroup *cgroup;
	struct bid_lineage lineage;
	u32 nr_pids;
	struct pid *pids[];
};

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
 * struct bid_facts - a FILE record before it is laid out
 * @file_id: and the rest: as in struct buildid_file
 */
struct bid_facts {
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
 * struct bid_image_facts - a KERNEL or MODULE record before it is laid out
 * @type: BUILDID_RECORD_KERNEL or _MODULE
 * @record_flags: BUILDID_RECORD_*
 * @flags: and the rest: as in struct buildid_image
 */
struct bid_image_facts {
	u16 type;
	u16 record_flags;
	u32 flags;
	u64 addr;
	u64 len;
	const struct bid_identity *id;
	const char *name;
};

int bid_event_add(struct bid_subscriber *subscriber);
void bid_event_remove(struct bid_subscriber *subscriber);
bool bid_event_listening(void);
u32 bid_event_subscribers(void);
bool bid_event_wants_data(void);

static inline void bid_mapping_init(struct bid_mapping *mapping,
				    const struct vm_area_struct *vma)
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

static inline void bid_mapping_set_entry(struct bid_mapping *mapping,
					 struct bid_entry *entry)
{
	mapping->entry = entry;
	mapping->file_id = entry->file_id;
}

const struct bid_path *bid_mapping_path(struct bid_mapping *mapping);
void bid_event_mmap(struct bid_mapping *mapping);
void bid_event_hit(const struct vm_area_struct *vma, struct bid_entry *entry,
		   char *buf);
void bid_mapping_write(const struct bid_mapping *mapping,
		       const struct task_struct *task, u32 pid, u32 tid,
		       const struct bid_path *path, struct buildid_mmap *record);
u32 bid_mapping_size(const struct bid_path *path);
void bid_event_image(struct bid_subscriber *only, const struct bid_image_facts *facts);
void bid_event_file(struct bid_entry *entry, u64 waiting);

void bid_facts_of(const struct bid_entry *entry, struct bid_facts *facts);
u32 bid_facts_size(const struct bid_facts *facts);
void bid_facts_write(const struct bid_facts *facts, struct buildid_file *record);

#endif /* BID_EVENT_H */
