// SPDX-License-Identifier: GPL-2.0
#include <linux/fs.h>

#include "compat.h"
#include "sight.h"
#include "stats.h"

/**
 * bid_sight_init() - look at a file
 * @file: from a mapping or a descriptor; held by the caller
 * @inode: its bid_file_inode()
 * @sight: the sight
 */
void bid_sight_init(struct file *file, struct inode *inode, struct bid_sight *sight)
{
	sight->file = file;
	sight->inode = inode;
	sight->doubt = 0;
	bid_file_user(file, &sight->user_ino, &sight->user_dev);
	bid_file_key(inode, &sight->key);
	sight->suspects = bid_cache_suspects(&sight->key);
	bid_file_version(inode, &sight->version);
}

static u32 unstable_flags(const struct bid_sight *sight)
{
	return bid_file_unstable(sight->inode) ? BID_ENTRY_RECHECK | BID_ENTRY_UNSTABLE : 0;
}

/**
 * bid_sight_begin_reading() - take down what casts doubt on what is read now
 * @sight: the sight
 * @access: how it is read
 *
 * A time stamp may settle while the content is read: look at it before.
 */
void bid_sight_begin_reading(struct bid_sight *sight, enum bid_access access)
{
	sight->suspects = bid_cache_suspects(&sight->key);
	sight->doubt = unstable_flags(sight);
	if (bid_file_racy(sight->inode, &sight->version, access))
		sight->doubt |= BID_ENTRY_RECHECK;
}

/* Whether a later look at the content is due. */
static u32 doubt_flags(const struct bid_sight *sight)
{
	bid_cache_assert_locked();
	if (sight->suspects != bid_cache_suspects(&sight->key))
		return sight->doubt | BID_ENTRY_RECHECK;
	return sight->doubt | unstable_flags(sight);
}

/**
 * bid_sight_settle() - the entry that is to stand for a sight
 * @sight: the sight
 * @state: what a new entry is: enum buildid_state
 * @id: what was read, or NULL when somebody has yet to
 * @text: taken over when there is a use for it, and set to what is to be freed
 *	in its place, unlocked
 *
 * Takes the place of an entry that turned out wrong. Under the cache lock.
 *
 * Return: the entry, or NULL when there is none to be had.
 */
struct bid_entry *bid_sight_settle(struct bid_sight *sight, u8 state, const struct bid_identity *id,
				   struct bid_text **text)
{
	static const struct bid_identity unknown;
	struct bid_entry *entry, *before;

	bid_cache_assert_locked();
	entry = bid_cache_find(&sight->key, &sight->version);
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
					   doubt_flags(sight));
			return entry;
		}
	}

	before = entry;
	entry = bid_cache_take();
	if (!entry)
		return NULL;
	if (before) {
		bid_cache_remove(before);
		bid_stats_inc(BID_STAT_STALE);
	}
	entry->flags = doubt_flags(sight);
	if (*text)
		*text = bid_cache_set_text(entry, *text);
	else
		entry->flags |= BID_ENTRY_NO_PATH;
	entry->user_ino = sight->user_ino;
	entry->user_dev = sight->user_dev;
	bid_entry_publish(entry, id ?: &unknown, state);
	if (!bid_cache_insert(entry, &sight->key, &sight->version))
		return NULL;
	/* bid_cache_suspect() finds the entry from here on, or is seen here */
	smp_mb();
	WRITE_ONCE(entry->flags, entry->flags | doubt_flags(sight));
	return entry;
}
