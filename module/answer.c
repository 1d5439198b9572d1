// SPDX-License-Identifier: GPL-2.0
#include <linux/fs.h>
#include <linux/slab.h>

#include "answer.h"
#include "compat.h"
#include "event.h"
#include "sight.h"
#include "stats.h"
#include "worker.h"

/**
 * bid_answer_entry() - what is remembered, as a record
 * @entry: under RCU
 * @record: as for bid_answer_file()
 */
void bid_answer_entry(const struct bid_entry *entry, struct buildid_file *record)
{
	struct bid_facts facts;

	bid_facts_of(entry, &facts);
	bid_facts_write(&facts, record);
	record->header.type = BUILDID_RECORD_FILE;
	record->header.size = bid_facts_size(&facts);
}

/* For a caller to whom the path would be another's. */
void bid_answer_hide_path(struct buildid_file *record)
{
	record->flags = (record->flags & ~BUILDID_FILE_PATH_PART) | BUILDID_FILE_NO_PATH;
	record->path_len = 0;
	record->header.size = sizeof(*record) + ALIGN(record->id_len, 8);
}

/* The cache's answer, unless it is in doubt. */
static bool answer_from_cache(const struct bid_sight *sight,
			      const struct bid_path *path,
			      struct buildid_file *record)
{
	struct bid_entry *entry;
	struct bid_facts facts;
	bool found = false;

	rcu_read_lock();
	entry = bid_cache_find(&sight->key, &sight->version);
	if (entry && !(READ_ONCE(entry->flags) & BID_ENTRY_RECHECK) &&
	    bid_entry_state(entry) == BUILDID_STATE_KNOWN) {
		bid_entry_touch(entry);
		bid_facts_of(entry, &facts);
		facts.path = *path;
		bid_facts_write(&facts, record);
		record->header.size = bid_facts_size(&facts);
		found = true;
	}
	rcu_read_unlock();
	return found;
}

/* Puts what a caller had read into the cache: its file_id, or 0. */
static u64 remember(struct bid_sight *sight, const struct bid_identity *id,
		    const struct bid_path *path)
{
	struct bid_text *text = bid_text_alloc(id, path);
	struct bid_entry *entry;
	u64 file_id = 0;

	if (!text)
		return 0;
	bid_cache_refill();
	rcu_read_lock();
	bid_cache_lock();
	entry = bid_cache_find(&sight->key, &sight->version);
	/* one that is being read gets its answer from there */
	if (!entry || !entry->request || !entry->request->read)
		entry = bid_sight_settle(sight, BUILDID_STATE_KNOWN, id, &text);
	if (entry)
		file_id = entry->file_id;
	bid_cache_unlock();
	rcu_read_unlock();
	bid_text_free(text);
	return file_id;
}

/* -EINTR, or the answer in @record. */
static int answer_by_reading(struct bid_sight *sight, const struct bid_path *path,
			     bool defer, struct buildid_file *record)
{
	struct bid_identity id = { };
	struct bid_facts facts;
	enum bid_access access;
	bool racy = false;
	int err;

	access = bid_file_access(sight->file, sight->inode, &id.reason);
	if (access == BID_ACCESS_CALLER && defer) {
		id.reason = BUILDID_REASON_DEFERRED;
	} else if (access != BID_ACCESS_NEVER) {
		bid_sight_begin_reading(sight, access);
		err = bid_worker_identify(sight->file, sight->inode, access,
					  &sight->version, &id, &racy);
		if (err)
			return err;
		if (racy)
			sight->doubt |= BID_ENTRY_RECHECK;
		bid_stats_inc(BID_STAT_PARSED_CALLER);
	}
	facts = (struct bid_facts){
		.file_id = id.reason == BUILDID_REASON_DEFERRED ? 0 :
			   remember(sight, &id, path),
		.key = &sight->key,
		.version = &sight->version,
		.user_ino = sight->user_ino,
		.user_dev = sight->user_dev,
		.flags = bid_file_unstable(sight->inode) ? BUILDID_FILE_UNSTABLE : 0,
		.kind = id.kind,
		.reason = id.reason,
		.id_len = id.len,
		.id = id.bytes,
		.path = *path,
	};
	bid_facts_write(&facts, record);
	record->header.size = bid_facts_size(&facts);
	return 0;
}

static int answer(struct file *file, bool ask_cache, bool defer,
		  struct buildid_file *record)
{
	struct bid_path path;
	struct bid_sight sight;
	char *buf;
	int err = 0;

	buf = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	bid_file_path(file, buf, PATH_MAX, &path);
	bid_sight_init(file, bid_file_inode(file), &sight);
	if (!ask_cache || !answer_from_cache(&sight, &path, record))
		err = answer_by_reading(&sight, &path, defer, record);
	record->header.type = BUILDID_RECORD_FILE;
	kfree(buf);
	return err;
}

/**
 * bid_answer_file() - identify an open file, reading it if need be
 * @file: open for reading
 * @defer: leave a file that an ordinary user may serve to who asks for it
 * @record: the answer: BUILDID_RECORD_MAX zeroed bytes
 *
 * Return: 0, -ENOMEM, or -EINTR when the caller is being killed.
 */
int bid_answer_file(struct file *file, bool defer, struct buildid_file *record)
{
	return answer(file, true, defer, record);
}

/* As bid_answer_file(), whatever the cache has, which then has the answer. */
int bid_answer_anew(struct file *file, struct buildid_file *record)
{
	return answer(file, false, false, record);
}
