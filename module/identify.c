// SPDX-License-Identifier: GPL-2.0
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "compat.h"
#include "event.h"
#include "history.h"
#include "identify.h"
#include "stats.h"
#include "worker.h"

/* Little enough for code that runs with preemption off; the worker does more. */
static const struct bid_elf_limits hook_limits = {
	.notes = 64,
	.bytes = 16384,
};

#define HOOK_ATTEMPTS 2

/* Paths on their way into records and requests; the hook's, preemption off. */
static char __percpu *path_bufs;

/**
 * struct sight - a file being looked at
 * @file: it
 * @inode: its bid_file_inode()
 * @key: of @inode
 * @version: of @inode, at the last look
 * @doubt: BID_ENTRY_RECHECK and UNSTABLE, as of just before the content was read
 * @suspects: bid_cache_suspects() likewise
 */
struct sight {
	struct file *file;
	struct inode *inode;
	struct bid_key key;
	struct bid_version version;
	u32 doubt;
	u32 suspects;
};

static bool same_id(const struct bid_entry *entry, const struct bid_identity *id)
{
	const u8 *bytes;
	u8 len;

	bytes = bid_entry_id(entry, &len);
	return entry->kind == id->kind && entry->reason == id->reason &&
	       len == id->len && !memcmp(bytes, id->bytes, len);
}

static u32 unstable_flags(const struct sight *sight)
{
	return bid_file_unstable(sight->inode) ?
		BID_ENTRY_RECHECK | BID_ENTRY_UNSTABLE : 0;
}

/* A time stamp may settle while the content is read: look at it before. */
static void begin_reading(struct sight *sight)
{
	sight->suspects = bid_cache_suspects();
	sight->doubt = unstable_flags(sight);
	if (bid_file_racy(sight->inode, &sight->version))
		sight->doubt |= BID_ENTRY_RECHECK;
}

/* Whether a later look at the content is due. */
static u32 doubt_flags(const struct sight *sight)
{
	bid_cache_assert_locked();
	if (sight->suspects != bid_cache_suspects())
		return sight->doubt | BID_ENTRY_RECHECK;
	return sight->doubt | unstable_flags(sight);
}

/*
 * 0 when the page cache held all it takes; -EAGAIN when somebody who may sleep
 * must read the file. Moves the sight to the version that was read.
 */
static int identify_resident(struct sight *sight, struct bid_identity *id)
{
	struct bid_version after;
	int err, i;

	/* dropping the last hold on a page may take a lock that sleeps there */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return -EAGAIN;
	bid_file_hold_version(sight->inode);
	for (i = 0; i < HOOK_ATTEMPTS; i++) {
		struct bid_resident resident;

		begin_reading(sight);
		bid_resident_init(&resident, sight->inode);
		err = bid_elf_identify(&resident.reader, &hook_limits, id);
		bid_resident_done(&resident);
		if (err)
			return -EAGAIN;
		bid_file_version(sight->inode, &after);
		if (bid_version_equal(&sight->version, &after))
			return id->len > BID_ID_INLINE ||
			       id->reason == BUILDID_REASON_LIMIT ? -EAGAIN : 0;
		sight->version = after;
	}
	return -EAGAIN;
}

static void set_user(struct bid_entry *entry, const struct sight *sight)
{
	const struct inode *user = file_user_inode(sight->file);

	entry->user_ino = user->i_ino;
	entry->user_dev = user->i_sb->s_dev;
}

/*
 * The entry that is to stand for this sight. @id is NULL when the content has
 * to be read first. @text is taken over and set to NULL when there is a use for
 * it. Takes the place of an entry that turned out wrong.
 */
static struct bid_entry *settle(struct sight *sight, u8 state,
				const struct bid_identity *id,
				struct bid_text **text)
{
	static const struct bid_identity unknown;
	struct bid_entry *entry;

	bid_cache_assert_locked();
	entry = bid_cache_find(&sight->key, &sight->version);
	if (entry) {
		if (entry->state == BUILDID_STATE_PENDING ||
		    (entry->state == BUILDID_STATE_DEFERRED && !id))
			return entry;
		if (entry->state == BUILDID_STATE_DEFERRED ||
		    (id && same_id(entry, id))) {
			if (*text) {
				bid_cache_set_text(entry, *text);
				*text = NULL;
			}
			if (entry->state == BUILDID_STATE_DEFERRED)
				bid_entry_publish(entry, id, state);
			WRITE_ONCE(entry->flags,
				   (entry->flags & ~(BID_ENTRY_RECHECK | BID_ENTRY_UNSTABLE)) |
				   doubt_flags(sight));
			return entry;
		}
		bid_cache_remove(entry);
		bid_stats_inc(BID_STAT_STALE);
	}

	entry = bid_cache_take();
	if (!entry)
		return NULL;
	entry->flags = doubt_flags(sight);
	if (*text) {
		bid_cache_set_text(entry, *text);
		*text = NULL;
	} else {
		entry->flags |= BID_ENTRY_NO_PATH;
	}
	set_user(entry, sight);
	bid_entry_publish(entry, id ?: &unknown, state);
	bid_cache_insert(entry, &sight->key, &sight->version);
	return entry;
}

/* Starts a request for @entry, to read it or only to keep its path. */
static struct bid_request *start_request(struct sight *sight,
					 struct bid_entry *entry,
					 const struct bid_path *path)
{
	struct bid_request *request;

	bid_cache_assert_locked();
	if (entry->request)
		return NULL;
	request = bid_worker_take();
	if (!request) {
		bid_stats_inc(BID_STAT_NO_REQUEST);
		return NULL;
	}
	request->entry = entry;
	entry->request = request;
	request->path_flags = path->flags;
	request->path_len = path->len;
	memcpy(request->path, path->name, path->len);
	return request;
}

/* Where the spare text has no room for the path, a request keeps it. */
static void keep_path(struct sight *sight, struct bid_entry *entry,
		      const struct bid_path *path)
{
	struct bid_request *request;

	bid_cache_assert_locked();
	if (!(entry->flags & BID_ENTRY_NO_PATH) || entry->flags & BID_ENTRY_DEAD ||
	    bid_cache_set_path(entry, path))
		return;
	request = start_request(sight, entry, path);
	if (request)
		bid_worker_queue(request);
}

static void report_pending(struct bid_mapping *mapping)
{
	struct bid_entry *entry = mapping->entry;

	bid_cache_lock();
	if (entry->state == BUILDID_STATE_PENDING) {
		mapping->state = BUILDID_STATE_PENDING;
		mapping->waiting = &entry->request->waiting;
		bid_event_mmap(mapping);
		mapping->waiting = NULL;
		bid_cache_unlock();
		return;
	}
	bid_cache_unlock();
	mapping->state = entry->state;
	bid_event_mmap(mapping);
}

static void report(struct bid_mapping *mapping, struct bid_entry *entry)
{
	if (!entry) {
		bid_stats_inc(BID_STAT_NO_REQUEST);
		mapping->state = BUILDID_STATE_UNRESOLVED;
		bid_event_mmap(mapping);
		return;
	}
	bid_mapping_set_entry(mapping, entry);
	mapping->state = bid_entry_state(entry);
	if (mapping->state == BUILDID_STATE_PENDING)
		report_pending(mapping);
	else
		bid_event_mmap(mapping);
}

/* Nobody is going to read it here and now. */
static struct bid_entry *leave_to_others(struct sight *sight,
					 struct bid_mapping *mapping,
					 enum bid_access access)
{
	const struct bid_path *path = bid_mapping_path(mapping);
	struct bid_text *text = NULL;
	struct bid_request *request;
	struct bid_entry *entry;
	u8 state = access == BID_ACCESS_CALLER ? BUILDID_STATE_DEFERRED :
						 BUILDID_STATE_PENDING;

	bid_cache_lock();
	entry = settle(sight, state, NULL, &text);
	if (!entry || entry->state != state || entry->request) {
		bid_cache_unlock();
		return entry;
	}
	if (state == BUILDID_STATE_DEFERRED) {
		if (entry->flags & BID_ENTRY_NO_PATH)
			bid_stats_inc(BID_STAT_DEFERRED);
		keep_path(sight, entry, path);
		bid_cache_unlock();
		return entry;
	}
	request = start_request(sight, entry, path);
	if (request) {
		bid_worker_read(request, sight->file, sight->inode, access);
		bid_worker_queue(request);
	} else {
		/* one that nobody reads would stay PENDING for good */
		bid_cache_remove(entry);
		entry = NULL;
	}
	bid_cache_unlock();
	return entry;
}

static struct bid_entry *keep(struct sight *sight, struct bid_mapping *mapping,
			      const struct bid_identity *id)
{
	const struct bid_path *path = bid_mapping_path(mapping);
	struct bid_text *text = NULL;
	struct bid_entry *entry;

	bid_cache_lock();
	entry = settle(sight, BUILDID_STATE_KNOWN, id, &text);
	if (entry)
		keep_path(sight, entry, path);
	bid_cache_unlock();
	return entry;
}

/* The mapped file is not in the cache, or what is there cannot be trusted. */
static void look(struct sight *sight, struct bid_mapping *mapping,
		 struct bid_entry *entry)
{
	struct bid_identity id;
	enum bid_access access;
	u8 reason;

	access = bid_file_access(sight->file, sight->inode, &reason);
	if (access == BID_ACCESS_NEVER) {
		id = (struct bid_identity){ .reason = reason };
		report(mapping, keep(sight, mapping, &id));
		return;
	}
	if (identify_resident(sight, &id) == 0 &&
	    (id.kind != BUILDID_KIND_NONE || access == BID_ACCESS_CALLER)) {
		bid_stats_inc(BID_STAT_PARSED_RESIDENT);
		report(mapping, keep(sight, mapping, &id));
		return;
	}
	/*
	 * Reading a file that is being written to at each of its mappings tells
	 * little and costs a JIT much: the mark UNSTABLE has to do.
	 */
	if (entry && entry->kind != BUILDID_KIND_GNU &&
	    entry->state == BUILDID_STATE_KNOWN && bid_file_unstable(sight->inode)) {
		report(mapping, entry);
		return;
	}
	report(mapping, leave_to_others(sight, mapping, access));
}

static void look_again(struct sight *sight, struct bid_mapping *mapping,
		       struct bid_entry *entry)
{
	u8 state = bid_entry_state(entry);

	if (state == BUILDID_STATE_PENDING) {
		report(mapping, entry);
		return;
	}
	if (state == BUILDID_STATE_DEFERRED ||
	    READ_ONCE(entry->flags) & BID_ENTRY_RECHECK) {
		bid_stats_inc(BID_STAT_RECHECKS);
		look(sight, mapping, entry);
		return;
	}
	/* all that is missing is the path */
	bid_mapping_path(mapping);
	bid_cache_lock();
	keep_path(sight, entry, &mapping->path);
	bid_cache_unlock();
	report(mapping, entry);
}

static void sight_of(struct file *file, struct inode *inode, struct sight *sight)
{
	sight->file = file;
	sight->inode = inode;
	sight->doubt = 0;
	sight->suspects = bid_cache_suspects();
	bid_file_key(inode, &sight->key);
	bid_file_version(inode, &sight->version);
}

/* Not in the cache, or not to be taken from there just so. */
static noinline void identify_slowly(struct vm_area_struct *vma,
				     struct bid_mapping *mapping)
{
	struct bid_entry *entry;
	struct sight sight;

	rcu_read_lock();
	sight_of(vma->vm_file, file_inode(vma->vm_file), &sight);
	entry = bid_cache_find(&sight.key, &sight.version);
	if (entry) {
		bid_stats_inc(BID_STAT_HITS);
		bid_entry_touch(entry);
		look_again(&sight, mapping, entry);
	} else {
		bid_stats_inc(BID_STAT_MISSES);
		look(&sight, mapping, NULL);
	}
	rcu_read_unlock();
}

/* Stores move no time stamp while a page stays dirty. */
static noinline void expect_stores(struct inode *inode)
{
	struct bid_key key;

	bid_file_key(inode, &key);
	bid_cache_lock();
	bid_cache_suspect(&key);
	bid_cache_unlock();
}

/* The path's buffer is this processor's, as nothing here is preempted. */
static void begin_mapping(struct bid_mapping *mapping, const struct vm_area_struct *vma)
{
	bid_mapping_init(mapping, vma);
	mapping->buf = this_cpu_ptr(path_bufs);
}

static noinline void report_hit(const struct vm_area_struct *vma,
				struct bid_entry *entry)
{
	struct bid_mapping mapping;

	begin_mapping(&mapping, vma);
	bid_mapping_set_entry(&mapping, entry);
	bid_event_mmap(&mapping);
}

/**
 * bid_identify_mapping() - a file was mapped: identify and report it
 * @vma: the mapping, of a file, in current's mm
 *
 * The hook's: called with preemption off, neither sleeps nor allocates. RCU
 * readers need no more than that; what follows a hit is kept short.
 */
void bid_identify_mapping(struct vm_area_struct *vma)
{
	const unsigned long stores = VM_SHARED | VM_MAYWRITE;
	struct inode *inode = file_inode(vma->vm_file);
	struct bid_mapping mapping;
	struct bid_entry *entry;

	if (unlikely((vma->vm_flags & stores) == stores))
		expect_stores(inode);
	if (!(vma->vm_flags & VM_EXEC) && !bid_event_wants_data())
		return;

	bid_stats_inc(BID_STAT_MAPPINGS);
	entry = bid_cache_find_inode(inode);
	if (likely(entry && !(READ_ONCE(entry->flags) & BID_ENTRY_SLOW))) {
		bid_stats_inc(BID_STAT_HITS);
		bid_entry_touch(entry);
		bid_history_add(vma, entry->file_id);
		if (bid_event_listening())
			report_hit(vma, entry);
		return;
	}
	begin_mapping(&mapping, vma);
	identify_slowly(vma, &mapping);
	if (mapping.file_id)
		bid_history_add(vma, mapping.file_id);
}

/**
 * bid_identify_entry() - what is remembered, as a record
 * @entry: under RCU
 * @record: as for bid_identify_file()
 */
void bid_identify_entry(const struct bid_entry *entry, struct buildid_file *record)
{
	struct bid_facts facts;

	bid_facts_of(entry, &facts);
	bid_facts_write(&facts, record);
	record->header.type = BUILDID_RECORD_FILE;
	record->header.size = bid_facts_size(&facts);
}

/* The cache's answer, unless it is in doubt. */
static bool answer_from_cache(const struct sight *sight,
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
static u64 remember(struct sight *sight, const struct bid_identity *id,
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
	/* one with a request under way gets its answer from there */
	if (!entry || !entry->request)
		entry = settle(sight, BUILDID_STATE_KNOWN, id, &text);
	if (entry)
		file_id = entry->file_id;
	bid_cache_unlock();
	rcu_read_unlock();
	bid_text_free(text);
	return file_id;
}

/* -EINTR, or the answer in @record. */
static int answer_by_reading(struct sight *sight, const struct bid_path *path,
			     bool defer, struct buildid_file *record)
{
	const struct inode *user = file_user_inode(sight->file);
	struct bid_identity id = { };
	struct bid_facts facts;
	enum bid_access access;
	bool racy = false;
	int err;

	access = bid_file_access(sight->file, sight->inode, &id.reason);
	if (access == BID_ACCESS_CALLER && defer) {
		id.reason = BUILDID_REASON_DEFERRED;
	} else if (access != BID_ACCESS_NEVER) {
		begin_reading(sight);
		err = bid_worker_identify(sight->file, sight->inode,
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
		.user_ino = user->i_ino,
		.user_dev = user->i_sb->s_dev,
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

/**
 * bid_identify_file() - identify an open file, reading it if need be
 * @file: open for reading
 * @defer: leave a file that an ordinary user may serve to who asks for it
 * @record: the answer: BUILDID_RECORD_MAX zeroed bytes
 *
 * Return: 0, -ENOMEM, or -EINTR when the caller is being killed.
 */
int bid_identify_file(struct file *file, bool defer, struct buildid_file *record)
{
	struct bid_path path;
	struct sight sight;
	char *buf;
	int err = 0;

	buf = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	bid_file_path(file, buf, PATH_MAX, &path);
	sight_of(file, bid_file_inode(file), &sight);
	if (!answer_from_cache(&sight, &path, record))
		err = answer_by_reading(&sight, &path, defer, record);
	record->header.type = BUILDID_RECORD_FILE;
	kfree(buf);
	return err;
}

int bid_identify_init(void)
{
	path_bufs = __alloc_percpu(PATH_MAX, sizeof(u64));
	return path_bufs ? 0 : -ENOMEM;
}

void bid_identify_exit(void)
{
	free_percpu(path_bufs);
}
