// SPDX-License-Identifier: GPL-2.0
/*
 * From a mapping to a record. Identities are tried in the order of their cost:
 *
 *	1. the cache has the inode at its present version, and nothing casts doubt
 *	   on it: a hit, reported at once
 *	2. the pages that it takes are in the page cache, as the loader has just read
 *	   the ELF header: parsed here
 *	3. the worker reads the file: the mapping is reported as PENDING and a FILE
 *	   record follows
 *	4. only a process may read the file (FUSE and the like): DEFERRED, until some
 *	   caller of RESOLVE_FD does
 *	5. there is no free read request or cache entry: UNRESOLVED
 *
 * Context of all of this: the kprobe on perf_event_mmap(), in the task that maps, with
 * the mmap lock held and preemption off. So nothing sleeps or allocates, and of our
 * locks only raw ones are taken: bid_cache_lock(), inside of it that of a ring, and the
 * workqueue's. With preemption off it is an RCU read-side section: entries stay valid
 * to the end.
 *
 * A PENDING mapping is reported under bid_cache_lock(), with which the worker makes the
 * entry KNOWN. So its MMAP record comes before the FILE record with the identity.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/percpu.h>

#include "event.h"
#include "history.h"
#include "identify.h"
#include "lookup.h"
#include "stats.h"
#include "worker.h"

/* Room for a path while it is copied into a record or request; preemption is off. */
static char __percpu *path_bufs;

/* Little enough for code that runs with preemption off. The worker goes further. */
static const struct bid_elf_limits hook_limits = {
	.notes = 32,
	.bytes = 8192,
};

/* How often to read when the version moves meanwhile. */
#define HOOK_ATTEMPTS 2

/*
 * Identify a file by its resident pages. Returns 0, or -EAGAIN when it takes a reader
 * that may sleep. lookup->version is set to the version that was read.
 */
static int identify_resident(struct bid_lookup *lookup, enum bid_access access,
			     struct bid_identity *id)
{
	struct bid_resident resident __uninitialized;
	struct bid_version after __uninitialized;
	int err, i;

	/* dropping the last reference to a page may take a lock that sleeps there */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return -EAGAIN;
	for (i = 0; i < HOOK_ATTEMPTS; i++) {
		bid_file_arm_version(lookup->inode);
		bid_lookup_begin_read(lookup, access);
		bid_resident_init(&resident, lookup->inode);
		err = bid_elf_identify(&resident.reader, &hook_limits, id);
		bid_resident_done(&resident);
		if (err)
			return -EAGAIN;
		bid_file_version(lookup->inode, &after);
		if (bid_version_equal(&lookup->version, &after))
			return id->len > BID_ID_INLINE || id->reason == BUILDID_REASON_LIMIT ?
				       -EAGAIN :
				       0;
		lookup->version = after;
	}
	return -EAGAIN;
}

/* @entry has no request yet. */
static void set_request(struct bid_entry *entry, struct bid_request *request,
			const struct bid_path *path)
{
	bid_cache_assert_locked();
	request->entry = entry;
	entry->request = request;
	request->path_flags = path->flags;
	request->path_len = path->len;
	memcpy(request->path, path->name, path->len);
}

/*
 * Store the path in the entry, unless it has one. Where the entry's spare text is too
 * short for it, a request does so that allocates.
 */
static void store_path(struct bid_lookup *lookup, struct bid_entry *entry,
		       const struct bid_path *path)
{
	struct bid_request *request;

	bid_cache_assert_locked();
	if (!(entry->flags & BID_ENTRY_NO_PATH) || entry->flags & BID_ENTRY_DEAD ||
	    bid_cache_set_path(entry, path) || entry->request)
		return;
	request = bid_worker_get_request(lookup->key.dev);
	if (!request) {
		bid_stats_inc(BID_STAT_NO_REQUEST);
		return;
	}
	set_request(entry, request, path);
	bid_worker_queue(request);
}

static void report_pending(struct bid_mapping *mapping)
{
	struct bid_entry *entry = mapping->entry;

	/* before the cache lock, as d_path() takes others */
	bid_mapping_path(mapping);
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

/* Leave it to a process to have the file read. */
static struct bid_entry *defer(struct bid_lookup *lookup, const struct bid_path *path)
{
	struct bid_text *text = NULL;
	struct bid_entry *entry;

	bid_cache_lock();
	entry = bid_lookup_update_cache(lookup, BUILDID_STATE_DEFERRED, NULL, &text);
	if (entry && entry->state == BUILDID_STATE_DEFERRED)
		store_path(lookup, entry, path);
	bid_cache_unlock();
	return entry;
}

/* All servers together get one device's share of the requests: many may be one machine. */
static dev_t charged_dev(const struct bid_lookup *lookup, enum bid_access access)
{
	return access == BID_ACCESS_REMOTE ? 0 : lookup->key.dev;
}

/*
 * Have the worker read the file. NULL when no request is free: an entry for the file
 * stays as it is, but does not identify this mapping.
 */
static struct bid_entry *queue_read(struct bid_lookup *lookup, enum bid_access access,
				    const struct bid_path *path)
{
	struct bid_text *text = NULL;
	struct bid_request *request;
	struct bid_entry *entry;

	bid_cache_lock();
	entry = bid_cache_find(&lookup->key, &lookup->version);
	if (entry && entry->state == BUILDID_STATE_PENDING)
		goto out_unlock;
	request = bid_worker_get_request(charged_dev(lookup, access));
	entry = request ? bid_lookup_update_cache(lookup, BUILDID_STATE_PENDING, NULL, &text) :
			  NULL;
	if (entry) {
		set_request(entry, request, path);
		bid_worker_set_file(request, lookup->file, lookup->inode, access);
		bid_worker_queue(request);
	} else if (request) {
		bid_worker_put_request(request);
	}
out_unlock:
	bid_cache_unlock();
	return entry;
}

/* The file cannot be identified here. */
static struct bid_entry *defer_or_queue(struct bid_lookup *lookup, struct bid_mapping *mapping,
					enum bid_access access)
{
	const struct bid_path *path = bid_mapping_path(mapping);

	return access == BID_ACCESS_CALLER ? defer(lookup, path) : queue_read(lookup, access, path);
}

static struct bid_entry *store_identity(struct bid_lookup *lookup, struct bid_mapping *mapping,
					const struct bid_identity *id)
{
	const struct bid_path *path = bid_mapping_path(mapping);
	struct bid_text *text = NULL;
	struct bid_entry *entry;

	bid_cache_lock();
	entry = bid_lookup_update_cache(lookup, BUILDID_STATE_KNOWN, id, &text);
	if (entry)
		store_path(lookup, entry, path);
	bid_cache_unlock();
	return entry;
}

/* The file is not in the cache, or @entry is not to be trusted. */
static void identify_file(struct bid_lookup *lookup, struct bid_mapping *mapping,
			  struct bid_entry *entry)
{
	struct bid_identity id __uninitialized;
	enum bid_access access;
	u8 reason;

	access = bid_file_access(lookup->file, lookup->inode, &reason);
	if (access == BID_ACCESS_NEVER) {
		id = (struct bid_identity){ .reason = reason };
		report(mapping, store_identity(lookup, mapping, &id));
		return;
	}
	/* first, as a long one leaves no time to read the file */
	bid_mapping_path(mapping);
	/* one without a build-id is left to a reader that can hash it, or knows of a cookie */
	if (mapping->path_is_short && !identify_resident(lookup, access, &id) &&
	    id.kind != BUILDID_KIND_NONE) {
		bid_stats_inc(BID_STAT_PARSED_RESIDENT);
		report(mapping, store_identity(lookup, mapping, &id));
		return;
	}
	/*
	 * A file that is open for writing is not read at each mapping: UNSTABLE
	 * already says that it may be different the next moment.
	 */
	if (entry && entry->state == BUILDID_STATE_KNOWN && !bid_reason_passes(entry->reason) &&
	    bid_file_unstable(lookup->inode)) {
		report(mapping, entry);
		return;
	}
	report(mapping, defer_or_queue(lookup, mapping, access));
}

/* Opened or mapped for writing since it was read: flag it in the FILE record. */
static void flag_unstable(struct bid_lookup *lookup, struct bid_entry *entry)
{
	if (READ_ONCE(entry->flags) & BID_ENTRY_UNSTABLE || !bid_file_unstable(lookup->inode))
		return;
	bid_cache_lock();
	WRITE_ONCE(entry->flags, entry->flags | BID_ENTRY_UNSTABLE | BID_ENTRY_RECHECK);
	bid_cache_unlock();
}

static void recheck_entry(struct bid_lookup *lookup, struct bid_mapping *mapping,
			  struct bid_entry *entry)
{
	u8 state = bid_entry_state(entry);

	if (state == BUILDID_STATE_PENDING) {
		report(mapping, entry);
		return;
	}
	flag_unstable(lookup, entry);
	if (state == BUILDID_STATE_DEFERRED || READ_ONCE(entry->flags) & BID_ENTRY_RECHECK) {
		bid_stats_inc(BID_STAT_RECHECKS);
		identify_file(lookup, mapping, entry);
		return;
	}
	/* nothing but the path is missing */
	bid_mapping_path(mapping);
	bid_cache_lock();
	store_path(lookup, entry, &mapping->path);
	bid_cache_unlock();
	report(mapping, entry);
}

/* All but a plain hit. @entry: what the cache has of the file, or NULL. */
static noinline void identify_slow(struct vm_area_struct *vma, struct bid_entry *entry)
{
	struct bid_mapping mapping __uninitialized;
	struct bid_lookup lookup __uninitialized;

	bid_mapping_init(&mapping, vma);
	mapping.buf = this_cpu_ptr(path_bufs);
	bid_lookup_init(vma->vm_file, file_inode(vma->vm_file), &lookup);
	if (entry) {
		bid_stats_inc(BID_STAT_HITS);
		bid_entry_touch(entry);
		recheck_entry(&lookup, &mapping, entry);
	} else {
		bid_stats_inc(BID_STAT_MISSES);
		identify_file(&lookup, &mapping, NULL);
	}
	bid_history_add(vma, mapping.file_id, ktime_get_mono_fast_ns());
}

/* Stores to a mapping need not move a time stamp as long as the page stays dirty. */
static noinline void mark_write_mapped(struct inode *inode)
{
	struct bid_key key;

	if (!S_ISREG(inode->i_mode))
		return;
	bid_file_key(inode, &key);
	bid_cache_mark_recheck(&key);
}

/**
 * bid_identify_mapping() - identify and report a mapping of a file
 * @vma: the mapping, in current's mm
 *
 * Called by the hook: mmap lock held, preemption off. Neither sleeps nor allocates.
 */
void bid_identify_mapping(struct vm_area_struct *vma)
{
	const unsigned long stores = VM_SHARED | VM_MAYWRITE;
	struct inode *inode = file_inode(vma->vm_file);
	struct bid_entry *entry;

	if (unlikely((vma->vm_flags & stores) == stores))
		mark_write_mapped(inode);
	if (!(vma->vm_flags & VM_EXEC) && !bid_event_watches_data())
		return;

	entry = bid_cache_find_inode(inode);
	/* pairs with the release in bid_entry_publish() */
	if (likely(entry && !(smp_load_acquire(&entry->flags) & BID_ENTRY_SLOW) &&
		   !inode_is_open_for_write(inode))) {
		bid_stats_inc(BID_STAT_HITS);
		bid_entry_touch(entry);
		bid_history_add(vma, entry->file_id, ktime_get_mono_fast_ns());
		if (bid_event_has_subscribers())
			bid_event_hit(vma, entry, this_cpu_ptr(path_bufs));
		return;
	}
	identify_slow(vma, entry);
}

/* Return: 0 or -ENOMEM. May sleep. */
int bid_identify_init(void)
{
	path_bufs = __alloc_percpu(PATH_MAX, sizeof(u64));
	return path_bufs ? 0 : -ENOMEM;
}

/* The hook is gone. */
void bid_identify_exit(void)
{
	free_percpu(path_bufs);
}
