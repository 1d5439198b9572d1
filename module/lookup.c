// SPDX-License-Identifier: GPL-2.0
/*
 * Used by tasks that map a file (visit.c) and by ioctl callers (reply.c), in this order:
 *
 *	bid_lookup_init()	key and version of the file
 *	bid_lookup_find()	the cache may have it by now
 *	bid_lookup_read()	read the content; no lock of ours is held
 *	bid_lookup_store()	store the result
 *
 * Without a lock, the content may change during the read. Three things show that, and each makes
 * the entry one that cannot be relied on as is (entry.h):
 *
 * - The time stamps are so recent that a later change need not move them. They are checked before
 *   the read: after it they may be old enough.
 * - The file is open for writing or write-mapped, before or after the read.
 * - The inode's recheck counter has changed since it was sampled: it was write-mapped. The marker
 *   bumps the counter and then looks for entries; the cache inserts the entry and then looks at
 *   the counter. So one of them sees the other.
 */
#include <linux/fs.h>

#include "lookup.h"
#include "read.h"
#include "stats.h"

/**
 * bid_lookup_init() - begin identifying a file
 * @file: from a mapping or a descriptor; held by the caller
 * @inode: its bid_file_inode()
 * @lookup: filled in
 *
 * Process context; takes no lock of this module.
 */
void bid_lookup_init(struct file *file, struct inode *inode, struct bid_lookup *lookup)
{
	lookup->file = file;
	lookup->inode = inode;
	lookup->flags = 0;
	lookup->id.kind = BUILDID_KIND_NONE;
	lookup->id.len = 0;
	lookup->access = bid_file_access(file, inode, &lookup->id.reason);
	bid_file_user_ids(file, &lookup->user_ino, &lookup->user_dev);
	bid_file_key(inode, &lookup->key);
	lookup->recheck_seq = bid_cache_recheck_seq(&lookup->key);
	bid_file_version(inode, &lookup->version);
}

/**
 * bid_lookup_find() - the cache's entry, if it is valid for the file as it is now
 * @lookup: the lookup
 *
 * Under RCU.
 *
 * Return: the entry, or NULL if the file has to be read.
 */
struct bid_entry *bid_lookup_find(const struct bid_lookup *lookup)
{
	struct bid_entry *entry = bid_cache_find(&lookup->key, &lookup->version);

	if (!entry || bid_file_unstable(lookup->inode) || !bid_entry_settle(entry, lookup->inode))
		return NULL;
	bid_entry_touch(entry);
	return entry;
}

/* The flags for content that a later change may replace without changing the version. */
static unsigned long flags_of(const struct bid_lookup *lookup, bool racy, bool unsure)
{
	unsigned long flags = 0;

	if (unsure)
		flags |= BIT(BID_ENTRY_RECHECK) | BIT(BID_ENTRY_UNSTABLE);
	if (racy)
		flags |= bid_file_counts(lookup->inode) ? BIT(BID_ENTRY_RACY) :
							  BIT(BID_ENTRY_RECHECK);
	return flags;
}

/**
 * bid_lookup_read() - read the file
 * @lookup: the lookup; not of a BID_ACCESS_NEVER file
 *
 * Without locks held. May sleep, for long if a server is slow.
 *
 * Return: 0, or -EINTR, as bid_read_file().
 */
int bid_lookup_read(struct bid_lookup *lookup)
{
	struct bid_version before = lookup->version;
	bool racy, unsure;
	int err;

	lookup->recheck_seq = bid_cache_recheck_seq(&lookup->key);
	/* after the read the time stamps may be old enough */
	racy = bid_file_racy(lookup->inode, &lookup->version);
	err = bid_read_file(lookup->file, lookup->inode, lookup->access, &lookup->version,
			    &lookup->id, &unsure);
	if (err)
		return err;
	racy |= !bid_version_matches(&before, &lookup->version);
	lookup->flags = flags_of(lookup, racy, unsure);
	return 0;
}

static u64 put_entry(struct bid_lookup *lookup, const struct bid_path *path, u64 file_id)
{
	struct bid_entry *entry;
	u64 known;

	if (bid_reason_passes(lookup->id.reason))
		return 0;
	known = bid_cache_confirm(&lookup->key, &lookup->version, &lookup->id, lookup->flags,
				  lookup->recheck_seq);
	if (known)
		return known;
	entry = bid_entry_alloc(&lookup->id, path);
	if (!entry) {
		bid_stats_inc(BID_STAT_NOT_STORED);
		return 0;
	}
	entry->key = lookup->key;
	entry->version = lookup->version;
	entry->user_ino = lookup->user_ino;
	entry->user_dev = lookup->user_dev;
	entry->flags = lookup->flags;
	entry->file_id = file_id ?: bid_cache_new_id();
	return bid_cache_put(entry, lookup->recheck_seq);
}

/**
 * bid_lookup_store() - store the result of a lookup in the cache
 * @lookup: the lookup, after the read
 * @path: of the file
 * @file_id: for a new entry: that of the mapping that was made, or 0 to allocate one
 *
 * On behalf of current. A transient failure is not stored; as it is then unknown what was mapped,
 * older versions of the inode are removed. May sleep.
 *
 * Return: the file_id of the entry that now stands for the version, or 0 if there is none.
 */
u64 bid_lookup_store(struct bid_lookup *lookup, const struct bid_path *path, u64 file_id)
{
	u64 known = put_entry(lookup, path, file_id);

	if (!known && file_id)
		bid_cache_forget_older(&lookup->key, file_id);
	return known;
}

/* The content of a FILE record for a lookup, whether its result is in the cache or not. */
void bid_lookup_info(const struct bid_lookup *lookup, const struct bid_path *path, u64 file_id,
		     struct bid_file_info *info)
{
	*info = (struct bid_file_info){
		.file_id = file_id,
		.key = &lookup->key,
		.version = &lookup->version,
		.user_ino = lookup->user_ino,
		.user_dev = lookup->user_dev,
		.flags = lookup->flags & BIT(BID_ENTRY_UNSTABLE) ? BUILDID_FILE_UNSTABLE : 0,
		.kind = lookup->id.kind,
		.reason = lookup->id.reason,
		.id_len = lookup->id.len,
		.id = lookup->id.bytes,
		.path = *path,
	};
}
