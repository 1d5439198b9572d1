// SPDX-License-Identifier: GPL-2.0
/*
 * Used by the hook (identify.c) and by ioctl callers (reply.c), in this order:
 *
 *	bid_lookup_init()		key and version of the file
 *	bid_lookup_begin_read()		before each attempt to read the content
 *	...				the content is read; no lock of ours is held
 *	bid_lookup_update_cache()	under bid_cache_lock(): one entry for the result
 *
 * What is read without a lock may change under the reader. Three things show that, and
 * each makes the entry one to be read again at the next mapping (BID_ENTRY_RECHECK):
 *
 * - The time stamps are so young that a later change need not move them (racy). They
 *   are looked at before the read: afterwards they may be old enough.
 * - The file is open for writing or write-mapped, before the read or after it.
 * - The recheck counter of the inode moved: somebody write-mapped it since it was
 *   sampled. He looks for entries to mark after he moved the counter, and this looks at
 *   the counter after it inserted the entry, so that one of them sees the other.
 */
#include <linux/fs.h>

#include "compat.h"
#include "lookup.h"
#include "stats.h"

/**
 * bid_lookup_init() - begin to identify a file
 * @file: from a mapping or a descriptor; held by the caller
 * @inode: its bid_file_inode()
 * @lookup: filled in
 *
 * Any context; takes no lock of this module.
 */
void bid_lookup_init(struct file *file, struct inode *inode, struct bid_lookup *lookup)
{
	lookup->file = file;
	lookup->inode = inode;
	lookup->entry_flags = 0;
	bid_file_user_ids(file, &lookup->user_ino, &lookup->user_dev);
	bid_file_key(inode, &lookup->key);
	lookup->recheck_seq = bid_cache_recheck_seq(&lookup->key);
	bid_file_version(inode, &lookup->version);
}

static u32 unstable_flags(const struct bid_lookup *lookup)
{
	return bid_file_unstable(lookup->inode) ? BID_ENTRY_RECHECK | BID_ENTRY_UNSTABLE : 0;
}

/**
 * bid_lookup_begin_read() - sample what would make reading the content unreliable
 * @lookup: the lookup
 * @access: how the file is read
 *
 * Call it just before each attempt to read the content. Any context.
 */
void bid_lookup_begin_read(struct bid_lookup *lookup, enum bid_access access)
{
	lookup->recheck_seq = bid_cache_recheck_seq(&lookup->key);
	lookup->entry_flags = unstable_flags(lookup);
	if (bid_file_racy(lookup->inode, &lookup->version, access))
		lookup->entry_flags |= BID_ENTRY_RECHECK;
}

/* BID_ENTRY_* for what was read: must it be read again later? */
static u32 recheck_flags(const struct bid_lookup *lookup)
{
	bid_cache_assert_locked();
	if (lookup->recheck_seq != bid_cache_recheck_seq(&lookup->key))
		return lookup->entry_flags | BID_ENTRY_RECHECK;
	return lookup->entry_flags | unstable_flags(lookup);
}

/*
 * The result confirms @entry, or is its first identity. An entry keeps its texts until
 * it goes, as readers may have them: do not replace one without need.
 */
static void update_entry(const struct bid_lookup *lookup, struct bid_entry *entry, u8 state,
			 const struct bid_identity *id, struct bid_text **text)
{
	const u32 flags = BID_ENTRY_RECHECK | BID_ENTRY_UNSTABLE;
	bool deferred = entry->state == BUILDID_STATE_DEFERRED;

	if (*text && (deferred || entry->flags & BID_ENTRY_NO_PATH))
		*text = bid_cache_set_text(entry, *text);
	if (deferred)
		bid_entry_publish(entry, id, state);
	WRITE_ONCE(entry->flags, (entry->flags & ~flags) | recheck_flags(lookup));
}

/**
 * bid_lookup_update_cache() - make the result of a lookup the cache's
 * @lookup: the lookup
 * @state: enum buildid_state of a new entry
 * @id: what was read, or NULL when the file has yet to be read
 * @text: in: path and long identity, or NULL; out: what the caller has to free after
 *	unlocking: @text itself when it was not used, or the entry's spare text that has
 *	no use any more, or NULL. A text that was replaced stays the entry's
 *
 * Finds the entry of this version and updates it; replaces it when it has another
 * identity, or is to be read again; else inserts a new one. Under bid_cache_lock() and RCU.
 *
 * Return: the entry, or NULL when the reserve is empty or there is no room.
 */
struct bid_entry *bid_lookup_update_cache(struct bid_lookup *lookup, u8 state,
					  const struct bid_identity *id, struct bid_text **text)
{
	static const struct bid_identity unknown;
	struct bid_entry *entry, *old;

	bid_cache_assert_locked();
	entry = bid_cache_find(&lookup->key, &lookup->version);
	if (entry) {
		if (entry->state == BUILDID_STATE_PENDING || (!id && entry->state == state))
			return entry;
		if (id && (entry->state == BUILDID_STATE_DEFERRED || bid_entry_is(entry, id))) {
			update_entry(lookup, entry, state, id, text);
			return entry;
		}
	}

	old = entry;
	entry = bid_cache_get_reserved();
	if (!entry)
		return NULL;
	if (old) {
		bid_cache_remove(old);
		bid_stats_inc(BID_STAT_STALE);
	}
	entry->flags = recheck_flags(lookup);
	if (*text)
		*text = bid_cache_set_text(entry, *text);
	else
		entry->flags |= BID_ENTRY_NO_PATH;
	entry->user_ino = lookup->user_ino;
	entry->user_dev = lookup->user_dev;
	bid_entry_publish(entry, id ?: &unknown, state);
	if (!bid_cache_insert(entry, &lookup->key, &lookup->version))
		return NULL;
	if (state == BUILDID_STATE_DEFERRED)
		bid_stats_inc(BID_STAT_DEFERRED);
	smp_mb(); /* insert, then look at the counter: pairs with bid_cache_mark_recheck() */
	WRITE_ONCE(entry->flags, entry->flags | recheck_flags(lookup));
	return entry;
}
