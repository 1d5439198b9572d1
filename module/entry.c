// SPDX-License-Identifier: GPL-2.0
/*
 * No lock is taken here. Changing an entry requires the cache's lock, except that the hook sets
 * and clears single flags.
 */
#include <linux/slab.h>

#include "entry.h"

/**
 * bid_entry_alloc() - an entry that is not in the table yet
 * @id: its identity
 * @path: its path
 *
 * Charged to current's memory cgroup. May sleep.
 *
 * Return: the entry, zeroed except for identity and path, or NULL.
 */
struct bid_entry *bid_entry_alloc(const struct bid_identity *id, const struct bid_path *path)
{
	u16 path_len = path->name ? path->len : 0;
	struct bid_entry *entry;

	entry = kzalloc(struct_size(entry, data, id->len + path_len), GFP_KERNEL_ACCOUNT);
	if (!entry)
		return NULL;
	entry->kind = id->kind;
	entry->reason = id->reason;
	entry->id_len = id->len;
	entry->path_len = path_len;
	entry->path_flags = path->flags;
	memcpy(entry->data, id->bytes, id->len);
	memcpy(entry->data + id->len, path->name, path_len);
	return entry;
}

/* Only for an entry that has not been in the table. */
void bid_entry_free(struct bid_entry *entry)
{
	kfree(entry);
}

/* Bytes of memory. */
u32 bid_entry_size(const struct bid_entry *entry)
{
	return ksize(entry);
}

/* Does the entry have this identity, or this reason for none? Under RCU or the cache's lock. */
bool bid_entry_is(const struct bid_entry *entry, const struct bid_identity *id)
{
	return entry->kind == id->kind && entry->reason == id->reason && entry->id_len == id->len &&
	       !memcmp(entry->data, id->bytes, id->len);
}

/**
 * bid_entry_settle() - can an entry with flags be relied on for this mapping?
 * @entry: the entry, under RCU; its version matches that of @inode
 * @inode: the inode that is mapped
 *
 * Any context.
 */
bool bid_entry_settle(struct bid_entry *entry, const struct inode *inode)
{
	unsigned long flags = READ_ONCE(entry->flags);
	bool racy;

	if (inode_is_open_for_write(inode) || flags & BIT(BID_ENTRY_RECHECK))
		return false;
	if (!(flags & BIT(BID_ENTRY_RACY)))
		return true;
	/* before the counter: what changes after this moves the time stamps, if not racy */
	racy = bid_file_racy(inode, &entry->version);
	if (READ_ONCE(entry->version.change) != bid_file_change(inode))
		return false;
	if (!racy)
		clear_bit(BID_ENTRY_RACY, &entry->flags);
	return true;
}

/**
 * bid_entry_confirm() - update an entry after a read found the same content
 * @entry: the entry; under the cache's lock
 * @version: the version that was read
 * @flags: bits of enum bid_entry_flag from this read
 */
void bid_entry_confirm(struct bid_entry *entry, const struct bid_version *version,
		       unsigned long flags)
{
	WRITE_ONCE(entry->version.change, version->change);
	WRITE_ONCE(entry->flags, flags);
}
