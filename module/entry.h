/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the cache has of one version of one file, and when that can be relied on.
 *
 * An entry is complete when it gets into the table; only @flags, @used and the counter in @version
 * are written after that. Without a flag it is valid for every mapping of this version.
 *
 *	flag		set when			a mapping of this version
 *	RACY		it was read so soon after a	is a hit while the filesystem's
 *			change that the time stamps	change counter stays, else the file
 *			need not show the next one	is read again
 *	RECHECK		as RACY, without a counter;	makes the task read the file again
 *			or it was, is, or may be
 *			written to by a mapping or a
 *			writer, or its cookie changed
 *	UNSTABLE	as RECHECK, at the time of	(only reported in FILE records)
 *			the read
 *
 * RACY is cleared once the time stamps are old enough and the counter has not changed. If a second
 * read finds the same content, it replaces all flags and the entry keeps its file_id; if it finds
 * other content, a new entry takes its place.
 *
 *	event					what becomes of the version
 *	first mapping				no entry; the MMAP says FOLLOWS with a new file_id,
 *						and the task reads
 *	read, and the version stayed		an entry with that file_id
 *	not read (bid_reason_passes())		no entry; the FILE has the reason, the next mapping
 *						reads again, and older versions of the inode go
 *	mapped again				KNOWN, or read again as above; then MMAP and FILE
 *						have a new file_id
 *	inode changed, filesystem shut down	no mapping finds the entry; its file_id can still be
 *						asked for
 *	evicted, shrunk, flushed		gone, with older versions of its inode; the next
 *						mapping is the first
 */
#ifndef BID_ENTRY_H
#define BID_ENTRY_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uidgid.h>

#include "file.h"

/* Bit numbers in bid_entry.flags; the hook sets them without a lock. */
enum bid_entry_flag {
	BID_ENTRY_RACY,
	BID_ENTRY_RECHECK,
	BID_ENTRY_UNSTABLE,
};

/**
 * struct bid_entry - one version of one file
 * @node: in the hash by @file_id
 * @rcu: frees it once it has left the table
 * @key: which inode
 * @version: which version of the inode
 * @file_id: as in struct buildid_file
 * @user_ino: as in struct buildid_file
 * @user_dev: as in struct buildid_file
 * @user: bid_user() of the process that caused it, which its memory is charged to
 * @tgid: of that process
 * @path_flags: BUILDID_FILE_* about the path
 * @flags: bits of enum bid_entry_flag
 * @path_len: bytes of path without the NUL
 * @kind: enum buildid_kind
 * @reason: enum buildid_reason
 * @id_len: bytes of identity
 * @used: also mapped by another process than @tgid, and so kept longer
 * @data: the identity, then the path
 */
struct bid_entry {
	union {
		struct hlist_node node;
		struct rcu_head rcu;
	};
	struct bid_key key;
	struct bid_version version;
	u64 file_id;
	u64 user_ino;
	dev_t user_dev;
	kuid_t user;
	pid_t tgid;
	u32 path_flags;
	unsigned long flags;
	u16 path_len;
	u8 kind;
	u8 reason;
	u8 id_len;
	bool used;
	u8 data[];
};

struct bid_entry *bid_entry_alloc(const struct bid_identity *id, const struct bid_path *path);
void bid_entry_free(struct bid_entry *entry);
u32 bid_entry_size(const struct bid_entry *entry);
bool bid_entry_is(const struct bid_entry *entry, const struct bid_identity *id);
bool bid_entry_settle(struct bid_entry *entry, const struct inode *inode);
void bid_entry_confirm(struct bid_entry *entry, const struct bid_version *version,
		       unsigned long flags);

static inline const u8 *bid_entry_path(const struct bid_entry *entry)
{
	return entry->data + entry->id_len;
}

/* Is it valid for this mapping as is? If not, try bid_entry_settle(). Any context. */
static __always_inline bool bid_entry_stands(const struct bid_entry *entry,
					     const struct inode *inode)
{
	return !READ_ONCE(entry->flags) && !inode_is_open_for_write(inode);
}

/* current maps the file. Any context, under RCU. */
static __always_inline void bid_entry_touch(struct bid_entry *entry)
{
	/* a hit must not dirty a cache line that other CPUs read */
	if (unlikely(!READ_ONCE(entry->used)) && entry->tgid != current->tgid)
		WRITE_ONCE(entry->used, true);
}

#endif /* BID_ENTRY_H */
