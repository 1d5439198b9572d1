// SPDX-License-Identifier: GPL-2.0
/*
 * FILE records in reply to an ioctl: what the hook and the worker do for a mapping, done
 * for a caller that asks for a file, in its own context. It may sleep, and can be killed
 * where a server does not answer. So it is also the one that reads files that only a
 * process may read (BID_ACCESS_CALLER): its result is in the cache for the mappings to
 * come.
 *
 * Two kinds of callers differ in what they may learn. One that holds the file open for
 * reading (RESOLVE_FD) could read it itself. One that asks what a process has mapped
 * (RESOLVE_ADDR, MAPS) perhaps could not: for that one a file is read only if the caller
 * has the permission, and never if its server may be any user.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/slab.h>

#include "compat.h"
#include "lookup.h"
#include "record.h"
#include "reply.h"
#include "stats.h"
#include "worker.h"

static void write(const struct bid_file_info *info, struct buildid_file *record)
{
	bid_record_file_write(info, record);
	record->header.type = BUILDID_RECORD_FILE;
	record->header.size = bid_record_file_size(info);
}

/**
 * bid_reply_entry() - the FILE record of a cache entry
 * @entry: the entry, under RCU
 * @record: as for bid_reply_file()
 */
void bid_reply_entry(const struct bid_entry *entry, struct buildid_file *record)
{
	struct bid_file_info info;

	bid_entry_info(entry, &info);
	write(&info, record);
}

/**
 * bid_reply_hide_path() - remove the path from a FILE record
 * @record: a complete record
 *
 * For a caller in a container that the path is outside of.
 */
void bid_reply_hide_path(struct buildid_file *record)
{
	record->flags = (record->flags & ~BUILDID_FILE_PATH_PART) | BUILDID_FILE_NO_PATH;
	record->path_len = 0;
	record->header.size = sizeof(*record) + ALIGN(record->id_len, 8);
}

/*
 * May the caller read the file? 0, an error, or with MAY_NOT_BLOCK, under RCU, -ECHILD where one
 * has to wait to know. A server that may be any user is not asked, as it could make the caller
 * wait for ever: the answer is no. It need not be that of the mapping: overlayfs asks about the
 * metadata, and about the copy that it has made meanwhile. Where a user has mounted it, who asks
 * about processes of others has to be who may read anything.
 */
static int read_permission(const struct file *file, int flags)
{
	const struct path *path = file_user_path(file);

	if (bid_file_user_overlay(path) && perfmon_capable())
		return capable(CAP_DAC_READ_SEARCH) ? 0 : -EACCES;
	if (BID_METADATA_INODE(path->dentry)->i_sb->s_magic == FUSE_SUPER_MAGIC)
		return -EACCES;
	return path_permission(path, MAY_READ | flags);
}

/*
 * A hash would let the caller confirm a guess at content that it may not read. With
 * CAP_PERFMON it could subscribe, and get the hash of every mapping anyway.
 */
static bool may_be_guessed(u8 kind)
{
	return (kind == BUILDID_KIND_HTLHASH || kind == BUILDID_KIND_FSVERITY) &&
	       !perfmon_capable();
}

/* The record of a lookup whose result is not, or need not be, in the cache. */
static void write_lookup(const struct bid_lookup *lookup, const struct bid_path *path,
			 const struct bid_identity *id, u64 file_id, struct buildid_file *record)
{
	const struct bid_file_info info = {
		.file_id = file_id,
		.key = &lookup->key,
		.version = &lookup->version,
		.user_ino = lookup->user_ino,
		.user_dev = lookup->user_dev,
		.flags = bid_file_unstable(lookup->inode) ? BUILDID_FILE_UNSTABLE : 0,
		.kind = id->kind,
		.reason = id->reason,
		.id_len = id->len,
		.id = id->bytes,
		.path = *path,
	};

	write(&info, record);
}

/* Reply from the cache, if it has the file and need not read it again. */
static bool reply_from_cache(const struct bid_lookup *lookup, const struct bid_path *path,
			     struct buildid_file *record)
{
	struct bid_entry *entry;
	struct bid_file_info info;
	bool found = false;

	rcu_read_lock();
	entry = bid_cache_find(&lookup->key, &lookup->version);
	if (entry && !(READ_ONCE(entry->flags) & BID_ENTRY_RECHECK) &&
	    bid_entry_state(entry) == BUILDID_STATE_KNOWN) {
		bid_entry_touch(entry);
		bid_entry_info(entry, &info);
		if (bid_file_unstable(lookup->inode))
			info.flags |= BUILDID_FILE_UNSTABLE;
		info.path = *path;
		write(&info, record);
		found = true;
	}
	rcu_read_unlock();
	return found;
}

/*
 * Store what the caller read in the cache; with no @id, that the file is DEFERRED.
 * Returns the file_id of the entry, or 0 when there is none.
 */
static u64 store_result(struct bid_lookup *lookup, const struct bid_identity *id,
			const struct bid_path *path)
{
	u8 state = id ? BUILDID_STATE_KNOWN : BUILDID_STATE_DEFERRED;
	static const struct bid_identity unknown;
	struct bid_text *text = bid_text_alloc(id ?: &unknown, path);
	struct bid_entry *entry;
	u64 file_id = 0;

	if (!text)
		return 0;
	bid_cache_refill_one();
	rcu_read_lock();
	bid_cache_lock();
	entry = bid_cache_find(&lookup->key, &lookup->version);
	if (!entry || id)
		entry = bid_lookup_update_cache(lookup, state, id, &text);
	if (entry)
		file_id = entry->file_id;
	bid_cache_unlock();
	rcu_read_unlock();
	bid_text_free(text);
	return file_id;
}

/* The file_id of the entry in the cache, or 0. */
static u64 find_file_id(const struct bid_lookup *lookup)
{
	struct bid_entry *entry;
	u64 file_id;

	rcu_read_lock();
	entry = bid_cache_find(&lookup->key, &lookup->version);
	file_id = entry ? entry->file_id : 0;
	rcu_read_unlock();
	return file_id;
}

/**
 * bid_reply_identify() - identify an open file by reading it in the caller's context
 * @lookup: of the file; set to the inode and the version that were read
 * @access: from bid_file_access(), not BID_ACCESS_NEVER
 * @id: the identity, or the reason why there is none
 * @racy: as for bid_worker_identify()
 *
 * On overlayfs a copy-up gives an open file another real inode, which is then what is
 * read. That happens twice at most, for the metadata and for the content. May sleep.
 *
 * Return: 0, or -EINTR when the caller is being killed, or a signal has ended a read.
 */
int bid_reply_identify(struct bid_lookup *lookup, enum bid_access access, struct bid_identity *id,
		       bool *racy)
{
	struct bid_held held = { .file = lookup->file };
	struct inode *inode;
	int err, i;

	for (i = 0; i < 3; i++) {
		held.inode = lookup->inode;
		held.access = access;
		bid_lookup_begin_read(lookup, access);
		err = bid_worker_identify(&held, &lookup->version, id, racy);
		if (err)
			return err;
		inode = bid_file_inode(lookup->file);
		if (inode == lookup->inode)
			return 0;
		bid_lookup_init(lookup->file, inode, lookup);
		access = bid_file_access(lookup->file, inode, &id->reason);
		if (access == BID_ACCESS_NEVER)
			break;
	}
	*id = (struct bid_identity){ .reason = BUILDID_REASON_CHANGING };
	return 0;
}

/* The record of what was read, or of why it was not; it is stored, too. */
static void reply_with(struct bid_lookup *lookup, const struct bid_path *path,
		       const struct bid_identity *id, struct buildid_file *record)
{
	u64 file_id = 0;

	if (!bid_reason_passes(id->reason))
		file_id = store_result(lookup, id, path);
	write_lookup(lookup, path, id, file_id, record);
}

static void was_read(struct bid_lookup *lookup, bool racy)
{
	if (racy)
		lookup->entry_flags |= BID_ENTRY_RECHECK;
	bid_stats_inc(BID_STAT_PARSED_CALLER);
}

static int reply(struct bid_lookup *lookup, const struct bid_path *path, bool ask_cache,
		 struct buildid_file *record)
{
	struct bid_identity id = {};
	enum bid_access access;
	bool racy = false;
	int err;

	/* whoever has it need not have the permission to read it */
	if (lookup->file->f_mode & FMODE_PATH) {
		id.reason = BUILDID_REASON_DEFERRED;
		lookup->version.change = 0;
		write_lookup(lookup, path, &id, 0, record);
		record->flags &= ~BUILDID_FILE_UNSTABLE;
		return 0;
	}
	access = bid_file_access(lookup->file, lookup->inode, &id.reason);
	if (ask_cache && reply_from_cache(lookup, path, record))
		return 0;
	if (access != BID_ACCESS_NEVER) {
		err = bid_reply_identify(lookup, access, &id, &racy);
		if (err)
			return err;
		was_read(lookup, racy);
	}
	reply_with(lookup, path, &id, record);
	return 0;
}

static int reply_file(struct file *file, bool ask_cache, struct buildid_file *record)
{
	struct bid_lookup lookup;
	struct bid_path path;
	char *buf;
	int err;

	buf = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	bid_file_path(file, buf, PATH_MAX, &path);
	bid_lookup_init(file, bid_file_inode(file), &lookup);
	err = reply(&lookup, &path, ask_cache, record);
	kfree(buf);
	return err;
}

/**
 * bid_reply_file() - identify an open file, and read it if need be
 * @file: open for reading; of one with FMODE_PATH nothing but what stat(2) shows is told
 * @record: the FILE record: BUILDID_RECORD_MAX bytes, the header zeroed
 *
 * Process context with no lock held. May sleep. The result is stored in the cache, but for reasons
 * of bid_reason_passes().
 *
 * Return: 0, -ENOMEM, or -EINTR when the caller is being killed, or a signal has ended a
 * read.
 */
int bid_reply_file(struct file *file, struct buildid_file *record)
{
	return reply_file(file, true, record);
}

/* bid_reply_file() that reads the file in any case, to bring the cache up to date. */
int bid_reply_reread(struct file *file, struct buildid_file *record)
{
	return reply_file(file, false, record);
}

static void refuse(const struct bid_mapped *mapped, struct buildid_file *record)
{
	static const struct bid_identity unreadable = { .reason = BUILDID_REASON_UNREADABLE };

	write_lookup(&mapped->lookup, &mapped->path, &unreadable, find_file_id(&mapped->lookup),
		     record);
}

/*
 * Hold the file for bid_reply_read_mapped(), and keep its mount busy only if the permission has to
 * be asked for. Returns whether it is held: not when @record is @known, or is made here.
 */
static bool hold_mapped(struct file *file, enum bid_access access, bool known,
			struct bid_mapped *mapped, struct buildid_file *record)
{
	struct inode *inode = mapped->lookup.inode;
	int err = -ECHILD;

	if (access == BID_ACCESS_INODE) {
		rcu_read_lock();
		err = read_permission(file, MAY_NOT_BLOCK);
		rcu_read_unlock();
	}
	if (err == -ECHILD) {
		mapped->held = (struct bid_held){
			.access = access,
			.inode = inode,
			.file = get_file(file),
		};
		return true;
	}
	if (err)
		refuse(mapped, record);
	else if (!known)
		bid_worker_hold(&mapped->held, file, inode, access, true);
	return !err && !known;
}

/**
 * bid_reply_mapped() - identify a file that was found in a mapping, as far as that is known
 * @file: the file, which the mapping holds
 * @mapped: set to what bid_reply_read_mapped() needs
 * @record: as for bid_reply_file(), complete when this returns false
 *
 * Process context; the mmap lock of the process that has it mapped may be held, as no file is
 * read and nobody asked. May sleep.
 *
 * Return: whether the caller has to call bid_reply_read_mapped(), with no lock held.
 */
bool bid_reply_mapped(struct file *file, struct bid_mapped *mapped, struct buildid_file *record)
{
	struct bid_lookup *lookup = &mapped->lookup;
	struct bid_identity id = {};
	enum bid_access access;
	bool known;

	bid_file_path(file, mapped->buf, sizeof(mapped->buf), &mapped->path);
	bid_lookup_init(file, bid_file_inode(file), lookup);
	access = bid_file_access(file, lookup->inode, &id.reason);
	known = reply_from_cache(lookup, &mapped->path, record);
	if (known && !may_be_guessed(record->kind))
		return false;
	if (access == BID_ACCESS_NEVER) {
		reply_with(lookup, &mapped->path, &id, record);
		return false;
	}
	/* its server may not let go of who closes it, so that nobody else is to hold it */
	if (access == BID_ACCESS_CALLER) {
		id.reason = BUILDID_REASON_DEFERRED;
		write_lookup(lookup, &mapped->path, &id, store_result(lookup, NULL, &mapped->path),
			     record);
		return false;
	}
	return hold_mapped(file, access, known, mapped, record);
}

/* 0 with the record, or -EINTR. */
static int read_mapped(struct bid_mapped *mapped, struct buildid_file *record)
{
	struct bid_lookup *lookup = &mapped->lookup;
	struct bid_held *held = &mapped->held;
	struct bid_identity id = {};
	bool racy = false;
	int err;

	bid_lookup_begin_read(lookup, held->access);
	err = bid_worker_identify(held, &lookup->version, &id, &racy);
	if (err)
		return err;
	/* overlayfs has made a copy, and that may be what was read */
	if (held->file && bid_file_inode(held->file) != lookup->inode)
		id = (struct bid_identity){ .reason = BUILDID_REASON_CHANGING };
	was_read(lookup, racy);
	reply_with(lookup, &mapped->path, &id, record);
	return 0;
}

/*
 * With the file held, which keeps its mount busy, for no longer than that has to be. Returns
 * whether the file is to be read.
 */
static bool ask_for_permission(struct bid_mapped *mapped, struct buildid_file *record)
{
	struct bid_lookup *lookup = &mapped->lookup;
	enum bid_access access = mapped->held.access;
	struct file *file = mapped->held.file;
	bool may = !read_permission(file, 0);
	bool read = may && !reply_from_cache(lookup, &mapped->path, record);

	if (!may)
		refuse(mapped, record);
	if (read && access != BID_ACCESS_INODE)
		return true;
	if (read)
		bid_worker_hold(&mapped->held, file, lookup->inode, access, false);
	bid_worker_put_file(file, access);
	return read;
}

/**
 * bid_reply_read_mapped() - identify a file that was found in a mapping, and read it if need be
 * @mapped: what bid_reply_mapped() has left
 * @record: as for bid_reply_file()
 *
 * It is read only if the caller has the permission. The mapping may be gone: while the file is
 * read it is held as the worker does, which keeps no mount busy where the inode is enough to
 * read, and when this returns nothing is held. Process context with no lock held. May sleep.
 *
 * Return: 0, or -EINTR when the caller is being killed, or a signal has ended a read.
 */
int bid_reply_read_mapped(struct bid_mapped *mapped, struct buildid_file *record)
{
	int err;

	if (mapped->held.file && !ask_for_permission(mapped, record))
		return 0;
	err = read_mapped(mapped, record);
	bid_worker_release(&mapped->held);
	return err;
}
