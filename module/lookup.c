// SPDX-License-Identifier: GPL-2.0
#include <linux/fs.h>

#include "compat.h"
#include "lookup.h"
#include "stats.h"

/**
 * bid_lookup_init() - look at a file
 * @file: from a mapping or a descriptor; held by the caller
 * @inode: its bid_file_inode()
 * @lookup: the lookup
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
 * bid_lookup_begin_read() - take down what casts entry_flags on what is read now
 * @lookup: the lookup
 * @access: how it is read
 *
 * A time stamp may settle while the content is read: look at it before.
 */
void bid_lookup_begin_read(struct bid_lookup *lookup, enum bid_access access)
{
	lookup->recheck_seq = bid_cache_recheck_seq(&lookup->key);
	lookup->entry_flags = unstable_flags(lookup);
	if (bid_file_racy(lookup->inode, &lookup->version, access))
		lookup->entry_flags |= BID_ENTRY_RECHECK;
}

/* Whether a later look at the content is due. */
static u32 recheck_flags(const struct bid_lookup *lookup)
{
	bid_cache_assert_locked();
	if (lookup->recheck_seq != bid_cache_recheck_seq(&lookup->key))
		return lookup->entry_flags | BID_ENTRY_RECHECK;
	return lookup->entry_flags | unstable_flags(lookup);
}

/**
 * bid_lookup_update_cache() - the entry that is to stand for a lookup
 * @lookup: the lookup
 * @state: what a new entry is: enum buildid_state
 * @id: what was read, or NULL when somebody has yet to
 * @text: taken over when there is a use for it, and set to what is to be freed
 *	in its place, unlocked
 *
 * Takes the place of an entry that turned out wrong. Under the cache lock.
 *
 * Return: the entry, or NULL when there is none to be had.
 */
struct bid_entry *bid_lookup_update_cache(struct bid_lookup *lookup, u8 state,
					  const struct bid_identity *id, struct bid_text **text)
{
	static const struct bid_identity unknown;
	struct bid_entry *entry, *before;

	bid_cache_assert_locked();
	entry = bid_cache_find(&lookup->key, &lookup->version);
	if (entry) {
		if (entry->state == BUILDID_STATE_PENDING || (!id && entry->state == state))
			return entry;
		if (id && (entry->state == BUILDID_STATE_DEFERRED || bid_entry_is(entry, id))) {
			/* readers keep the one before: not for nothing */
			if (*text && (entry->state == BUILDID_STATE_DEFERRED ||
				      entry->flags & BID_ENTRY_NO_PATH))
				*text = bid_cache_set_text(entry, *text);
			if (entry->state == BUILDID_STATE_DEFERRED)
				bid_entry_publish(entry, id, state);
			WRITE_ONCE(entry->flags,
				   (entry->flags & ~(BID_ENTRY_RECHECK | BID_ENTRY_UNSTABLE)) |
					   recheck_flags(lookup));
			return entry;
		}
	}

	before = entry;
	entry = bid_cache_get_reserved();
	if (!entry)
		return NULL;
	if (before) {
		bid_cache_remove(before);
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
	/* bid_cache_mark_recheck() finds the entry from here on, or is seen here */
	smp_mb();
	WRITE_ONCE(entry->flags, entry->flags | recheck_flags(lookup));
	return entry;
}
