// SPDX-License-Identifier: GPL-2.0
/*
 * FILE records in reply to an ioctl: what a mapping task does, done for a caller that asks, in its
 * own context. It may sleep, and can be killed if a server does not reply.
 *
 * There are two kinds of callers. One holds the file open for reading (RESOLVE by descriptor) and
 * could read it itself. The other asks what a process has mapped (RESOLVE by address, MAPS), and
 * may have no right to read that: for it, a file is read only if it has the permission, and never
 * if its server may be any user's. A file is held during the read, until the caller returns to user
 * space.
 */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/slab.h>

#include "compat.h"
#include "lookup.h"
#include "record.h"
#include "reply.h"
#include "stats.h"

static void reply_write(const struct bid_file_info *info, struct buildid_file *record)
{
	bid_record_file_write(info, 0, 0, record);
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
	reply_write(&info, record);
}

/**
 * bid_reply_hide_path() - remove the path from a FILE record
 * @record: a complete record
 *
 * For a caller in a container, if the path is outside it.
 */
void bid_reply_hide_path(struct buildid_file *record)
{
	record->flags |= BUILDID_FILE_NO_PATH;
	record->path_len = 0;
	record->header.size = sizeof(*record) + ALIGN(record->id_len, 8);
}

/*
 * May the caller read the file? Servers that may be any user's are not asked, as they could make
 * the caller wait forever: the answer is no. It may differ from that for the mapping: overlayfs
 * checks the metadata, and the copy it has made meanwhile. For an overlay mounted by a user, asking
 * about other processes requires CAP_DAC_READ_SEARCH.
 */
static bool may_read(const struct file *file)
{
	const struct path *path = file_user_path(file);

	if (bid_file_user_overlay(path) && perfmon_capable())
		return capable(CAP_DAC_READ_SEARCH);
	if (BID_METADATA_INODE(path->dentry)->i_sb->s_magic == FUSE_SUPER_MAGIC)
		return false;
	return !path_permission(path, MAY_READ);
}

/*
 * A hash would let the caller confirm a guess at content that it may not read. With CAP_PERFMON it
 * could subscribe and get the hash of every mapping anyway.
 */
static bool may_be_guessed(u8 kind)
{
	return (kind == BUILDID_KIND_HTLHASH || kind == BUILDID_KIND_FSVERITY) &&
	       !perfmon_capable();
}

static void write_lookup(const struct bid_lookup *lookup, const struct bid_path *path, u64 file_id,
			 struct buildid_file *record)
{
	struct bid_file_info info;

	bid_lookup_info(lookup, path, file_id, &info);
	reply_write(&info, record);
}

/* Reply from the cache, if it has the file and the file need not be read again. */
static bool reply_from_cache(const struct bid_lookup *lookup, const struct bid_path *path,
			     struct buildid_file *record)
{
	struct bid_entry *entry;
	struct bid_file_info info;

	rcu_read_lock();
	entry = bid_lookup_find(lookup);
	if (entry) {
		bid_entry_info(entry, &info);
		info.path = *path;
		reply_write(&info, record);
	}
	rcu_read_unlock();
	return entry;
}

/* A record with a reason instead of an identity; with its file_id if the cache has one. */
static void reply_refuse(struct bid_lookup *lookup, u8 reason, const struct bid_path *path,
			 struct buildid_file *record)
{
	struct bid_entry *entry;
	u64 file_id;

	rcu_read_lock();
	entry = bid_cache_find(&lookup->key, &lookup->version);
	file_id = entry ? entry->file_id : 0;
	rcu_read_unlock();
	lookup->id = (struct bid_identity){ .reason = reason };
	write_lookup(lookup, path, file_id, record);
}

/**
 * bid_reply_read() - identify an open file by reading it in the caller's context
 * @lookup: of the file, not BID_ACCESS_NEVER; set to the inode and the version that were read
 *
 * A copy-up on overlayfs gives an open file another real inode, which is then read instead. That
 * happens twice at most, for the metadata and for the content. May sleep.
 *
 * Return: 0, or -EINTR if the caller is being killed or a signal has ended a read.
 */
int bid_reply_read(struct bid_lookup *lookup)
{
	struct inode *inode;
	int err, i;

	for (i = 0; i < 3; i++) {
		err = bid_lookup_read(lookup);
		if (err)
			return err;
		bid_stats_inc(BID_STAT_READ_CALLER);
		inode = bid_file_inode(lookup->file);
		if (inode == lookup->inode)
			return 0;
		bid_lookup_init(lookup->file, inode, lookup);
		if (lookup->access == BID_ACCESS_NEVER)
			break;
	}
	lookup->id = (struct bid_identity){ .reason = BUILDID_REASON_CHANGING };
	return 0;
}

/* Read the file, unless it is never read; store and report what was found. */
static int reply_by_reading(struct bid_lookup *lookup, const struct bid_path *path,
			    struct buildid_file *record)
{
	int err = 0;

	if (lookup->access != BID_ACCESS_NEVER)
		err = bid_reply_read(lookup);
	if (!err)
		write_lookup(lookup, path, bid_lookup_store(lookup, path, 0), record);
	return err;
}

static int reply_run(struct bid_lookup *lookup, const struct bid_path *path, bool ask_cache,
		     struct buildid_file *record)
{
	/* O_PATH: having the descriptor does not imply permission to read */
	if (lookup->file->f_mode & FMODE_PATH) {
		lookup->id = (struct bid_identity){ .reason = BUILDID_REASON_NOT_READ };
		lookup->version.change = 0;
		write_lookup(lookup, path, 0, record);
		return 0;
	}
	if (ask_cache && reply_from_cache(lookup, path, record))
		return 0;
	return reply_by_reading(lookup, path, record);
}

static int reply_file(struct file *file, bool ask_cache, struct buildid_file *record)
{
	struct bid_lookup lookup __uninitialized;
	struct bid_path path;
	char *buf;
	int err;

	buf = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	bid_file_path(file, buf, PATH_MAX, &path);
	bid_lookup_init(file, bid_file_inode(file), &lookup);
	err = reply_run(&lookup, &path, ask_cache, record);
	kfree(buf);
	return err;
}

/**
 * bid_reply_file() - identify an open file, reading it if necessary
 * @file: open for reading; with FMODE_PATH only what stat(2) shows is reported
 * @record: the FILE record: BUILDID_RECORD_MAX bytes, the header zeroed
 *
 * Process context with no lock held. May sleep. The result is stored in the cache, except for
 * reasons of bid_reason_passes().
 *
 * Return: 0, -ENOMEM, or -EINTR if the caller is being killed or a signal has ended a read.
 */
int bid_reply_file(struct file *file, struct buildid_file *record)
{
	return reply_file(file, true, record);
}

/* bid_reply_file() that always reads the file, to update the cache. */
int bid_reply_reread(struct file *file, struct buildid_file *record)
{
	return reply_file(file, false, record);
}

/**
 * bid_reply_mapped() - identify a mapped file without reading it
 * @file: the file, held by the mapping
 * @mapped: set to what bid_reply_read_mapped() needs
 * @record: as for bid_reply_file(), complete when this returns false
 *
 * Process context; the mmap lock of the process that maps it may be held, as no file is read and
 * no permission asked for. May sleep.
 *
 * Return: whether the caller has to call bid_reply_read_mapped(), with no lock held.
 */
bool bid_reply_mapped(struct file *file, struct bid_mapped *mapped, struct buildid_file *record)
{
	struct bid_lookup *lookup = &mapped->lookup;

	bid_file_path(file, mapped->buf, sizeof(mapped->buf), &mapped->path);
	bid_lookup_init(file, bid_file_inode(file), lookup);
	if (reply_from_cache(lookup, &mapped->path, record) && !may_be_guessed(record->kind))
		return false;
	if (lookup->access == BID_ACCESS_NEVER) {
		write_lookup(lookup, &mapped->path, bid_lookup_store(lookup, &mapped->path, 0),
			     record);
		return false;
	}
	/* its server may block the task that drops the last reference, so take none */
	if (bid_file_served(file)) {
		reply_refuse(lookup, BUILDID_REASON_NOT_READ, &mapped->path, record);
		return false;
	}
	get_file(file);
	return true;
}

/**
 * bid_reply_read_mapped() - identify a mapped file, reading it if necessary
 * @mapped: from bid_reply_mapped()
 * @record: as for bid_reply_file()
 *
 * The file is read only if the caller has the permission. Process context with no lock held. May
 * sleep.
 *
 * Return: 0, or -EINTR if the caller is being killed or a signal has ended a read.
 */
int bid_reply_read_mapped(struct bid_mapped *mapped, struct buildid_file *record)
{
	struct bid_lookup *lookup = &mapped->lookup;
	struct file *file = lookup->file;
	int err = 0;

	if (!may_read(file))
		reply_refuse(lookup, BUILDID_REASON_DENIED, &mapped->path, record);
	else if (!reply_from_cache(lookup, &mapped->path, record))
		err = reply_by_reading(lookup, &mapped->path, record);
	fput(file);
	return err;
}
