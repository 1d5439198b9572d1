// SPDX-License-Identifier: GPL-2.0
/*
 * Positions only grow; a record lies at its position modulo the size. The
 * record pages are mapped twice in a row, here and in user space, so that no
 * record is ever split.
 *
 * A producer reserves under the lock and fills outside of it; a record is busy
 * until then and the consumer stops before it. What the consumer can write is
 * one position, and it is believed only as far as it makes sense.
 */
#include <linux/mm.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "ring.h"
#include "stats.h"

/* Bytes of records for each slot of the table of FILE records sent. */
#define BYTES_PER_TOLD 256

/**
 * bid_ring_told() - does the consumer have this FILE record?
 * @ring: the ring
 * @file_id: of the FILE record
 * @stage: as in struct bid_ring_want
 *
 * A guess, as nothing is locked; bid_ring_reserve() knows.
 */
bool bid_ring_told(const struct bid_ring *ring, u64 file_id, u8 stage)
{
	return bid_ring_tag_covers(READ_ONCE(*bid_ring_told_slot(ring, file_id)),
				   bid_ring_told_tag(ring, file_id, stage), stage);
}

static void forget_told(struct bid_ring *ring)
{
	ring->told_salt += BID_RING_SALT;
	if (ring->told_salt)
		return;
	/* an old tag must not come to life again */
	ring->told_salt = BID_RING_SALT;
	memset(ring->told, 0, (ring->told_mask + 1) * sizeof(*ring->told));
}

/**
 * bid_ring_cons() - where the consumer is, as far as it makes sense
 * @ring: the ring, locked
 */
u64 bid_ring_cons(struct bid_ring *ring)
{
	/* pairs with the consumer's release: it has read what it gives back */
	u64 cons = smp_load_acquire(&bid_ring_consumer(ring)->pos);

	if (cons - ring->cons <= ring->prod - ring->cons && !(cons & 7))
		ring->cons = cons;
	return ring->cons;
}

static void append_lost(struct bid_ring *ring, u64 missed, u64 time_mono, u64 time_perf)
{
	struct buildid_record *header;
	struct buildid_lost *lost;

	header = bid_ring_append(ring, BUILDID_RECORD_LOST, sizeof(*lost), time_mono, time_perf);
	lost = container_of(header, struct buildid_lost, header);
	lost->ring_full = ring->full;
	lost->ring_full_mmaps = ring->full_mmaps;
	lost->no_request = ring->no_request;
	lost->missed_probe = 0;
	if (bid_ring_has_missed(ring, missed)) {
		lost->missed_probe = missed - ring->missed;
		ring->missed = missed;
	}
	ring->full = 0;
	ring->full_mmaps = 0;
	ring->no_request = 0;
	bid_ring_commit(&lost->header);
}

/**
 * bid_ring_reserve() - room for a record, and for the FILE record before it
 * @ring: the ring
 * @want: what to make room for
 * @batch: where the room is; type, seq and times are filled in. Fill in the
 *	rest, every byte, and commit each
 *
 * Called with preemption off, until all is committed.
 *
 * Return: 0; -ENOSPC when it was dropped, and counted; -ESTALE when a FILE
 * record is needed and @want->file_size is 0.
 */
int bid_ring_reserve(struct bid_ring *ring, const struct bid_ring_want *want,
		     struct bid_ring_batch *batch)
{
	u64 tag = 0, time_mono, time_perf, *slot = NULL;
	u32 need = want->body_size, records = !!want->body_size;
	bool mmap = want->body_type == BUILDID_RECORD_MMAP, lost;

	lockdep_assert_preemption_disabled();
	batch->file = NULL;
	batch->body = NULL;
	time_mono = ktime_get_mono_fast_ns();
	time_perf = local_clock();

	raw_spin_lock(&ring->lock);
	if (want->file_id) {
		slot = bid_ring_told_slot(ring, want->file_id);
		tag = bid_ring_told_tag(ring, want->file_id, want->stage);
		if (bid_ring_tag_covers(*slot, tag, want->stage))
			slot = NULL;
	}
	if (slot) {
		if (!want->file_size) {
			raw_spin_unlock(&ring->lock);
			return -ESTALE;
		}
		need += want->file_size;
		records++;
	}
	lost = bid_ring_has_lost(ring, want->missed);
	if (lost)
		need += sizeof(struct buildid_lost);
	if (!bid_ring_has_room(ring, need)) {
		ring->seq += records;
		ring->full += records;
		ring->full_mmaps += mmap;
		/* what this consumer was told, it may never have read */
		forget_told(ring);
		raw_spin_unlock(&ring->lock);
		bid_stats_add(BID_STAT_RING_FULL, records);
		bid_stats_add(BID_STAT_RING_FULL_MMAPS, mmap);
		/* nothing may come after that reaches the watermark */
		bid_ring_wake(ring);
		return -ENOSPC;
	}
	if (lost) {
		append_lost(ring, want->missed, time_mono, time_perf);
		records++;
	}
	if (slot) {
		*slot = tag;
		batch->file = bid_ring_append(ring, BUILDID_RECORD_FILE, want->file_size, time_mono,
					      time_perf);
	}
	if (want->body_size)
		batch->body = bid_ring_append(ring, want->body_type, want->body_size, time_mono,
					      time_perf);
	if (want->no_request)
		ring->no_request++;
	bid_ring_publish(ring);
	raw_spin_unlock(&ring->lock);
	bid_stats_add(BID_STAT_RECORDS, records);
	return 0;
}

static bool is_busy(const struct buildid_record *record)
{
	/* pairs with bid_ring_commit() */
	return smp_load_acquire(&record->size) & BUILDID_RECORD_BUSY;
}

/**
 * bid_ring_ready() - is there something to consume?
 * @ring: the ring
 * @bytes: how much of it, 0 for any
 */
bool bid_ring_ready(struct bid_ring *ring, u32 bytes)
{
	/* whatever user space has put there: bid_ring_record() bounds it */
	u64 pos = READ_ONCE(bid_ring_consumer(ring)->pos);
	/* pairs with bid_ring_publish() */
	u64 waiting = smp_load_acquire(&bid_ring_producer(ring)->pos) - pos;

	return waiting && (waiting >= bytes || READ_ONCE(ring->full)) &&
	       !is_busy(bid_ring_record(ring, pos));
}

/**
 * bid_ring_sleep() - ask for a wake-up
 * @ring: the ring
 *
 * First ask, then look: a producer commits and then looks whether somebody
 * asked, so that one of the two sees what the other did. It takes the request
 * back only to notify. That makes up for the order in which they look, and who
 * is notified looks again and so asks again. Whoever waits for edges, and
 * never looks otherwise, has a request here for as long as he was not notified.
 *
 * Return: false when there is enough to consume already. The request stands.
 */
bool bid_ring_sleep(struct bid_ring *ring)
{
	WRITE_ONCE(ring->asleep, true);
	smp_mb(); /* pairs with the one in bid_ring_wake() */
	return !bid_ring_ready(ring, ring->watermark);
}

/**
 * bid_ring_wake_now() - wake a consumer that is asleep, if there is enough
 * @ring: the ring
 *
 * The wake-up comes with the next tick: an interrupt for each record would
 * cost more than the record.
 */
void bid_ring_wake_now(struct bid_ring *ring)
{
	if (!bid_ring_ready(ring, ring->watermark))
		return;
	WRITE_ONCE(ring->asleep, false);
	irq_work_queue(&ring->wake);
}

/**
 * bid_ring_tell_lost() - a LOST record for losses nothing came after
 * @ring: the ring
 * @missed: probe misses so far
 */
void bid_ring_tell_lost(struct bid_ring *ring, u64 missed)
{
	u64 time_mono = ktime_get_mono_fast_ns(), time_perf = local_clock();

	raw_spin_lock(&ring->lock);
	if (bid_ring_has_lost(ring, missed) &&
	    bid_ring_has_room(ring, sizeof(struct buildid_lost))) {
		append_lost(ring, missed, time_mono, time_perf);
		bid_ring_publish(ring);
		bid_stats_inc(BID_STAT_RECORDS);
	}
	raw_spin_unlock(&ring->lock);
}

/**
 * bid_ring_peek() - a record that waits, for a consumer in the kernel
 * @ring: the ring; its consumer position is not user space's
 * @ahead: bytes of records before it that this consumer has seen
 *
 * Return: it, until bid_ring_consume(), or NULL.
 */
const struct buildid_record *bid_ring_peek(struct bid_ring *ring, u32 ahead)
{
	u64 pos = bid_ring_consumer(ring)->pos + ahead;
	const struct buildid_record *record = bid_ring_record(ring, pos);

	/* pairs with bid_ring_publish() */
	if (smp_load_acquire(&bid_ring_producer(ring)->pos) == pos || is_busy(record))
		return NULL;
	return record;
}

/**
 * bid_ring_consume() - give records back
 * @ring: as for bid_ring_peek()
 * @bytes: of whole records, the oldest ones
 */
void bid_ring_consume(struct bid_ring *ring, u32 bytes)
{
	u64 *pos = &bid_ring_consumer(ring)->pos;

	/* pairs with bid_ring_cons() */
	smp_store_release(pos, *pos + bytes);
}

/**
 * bid_ring_mmap() - map the ring into user space
 * @ring: the ring
 * @vma: the consumer page alone, or no more than what follows it, read-only
 */
int bid_ring_mmap(struct bid_ring *ring, struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (!vma->vm_pgoff) {
		if (vma->vm_end - vma->vm_start != PAGE_SIZE)
			return -EINVAL;
	} else {
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		vm_flags_clear(vma, VM_MAYWRITE);
	}
	return remap_vmalloc_range(vma, ring->area, vma->vm_pgoff);
}

static void wake_work(struct irq_work *work)
{
	struct bid_ring *ring = container_of(work, struct bid_ring, wake);

	ring->notify(ring);
}

static void free_pages_array(struct page **pages, unsigned int n)
{
	while (n--)
		__free_page(pages[n]);
	kvfree(pages);
}

static unsigned int page_count_of(u32 size)
{
	return 2 + size / PAGE_SIZE;
}

static u32 told_slots_of(u32 size)
{
	return max_t(u32, size / BYTES_PER_TOLD, 64);
}

/**
 * bid_ring_pages() - what a ring takes of its user's memory
 * @size: bytes of records
 *
 * Return: pages, tables included.
 */
unsigned long bid_ring_pages(u32 size)
{
	unsigned long pages = page_count_of(size);

	return pages + DIV_ROUND_UP(told_slots_of(size) * sizeof(u64), PAGE_SIZE) +
	       DIV_ROUND_UP((pages + size / PAGE_SIZE) * sizeof(struct page *), PAGE_SIZE);
}

/**
 * bid_ring_init() - make a ring
 * @ring: the ring
 * @size: bytes of records, a power of two of whole pages
 * @watermark: bytes that must wait before the consumer is woken
 * @notify: wakes the consumer; called from interrupt context
 * @owner: for @notify to find in the ring
 * @missed: probe misses so far, not to be told
 *
 * Return: 0 or -errno.
 */
int bid_ring_init(struct bid_ring *ring, u32 size, u32 watermark,
		  void (*notify)(struct bid_ring *ring), void *owner, u64 missed)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;
	unsigned int i, pages = page_count_of(size), data = size / PAGE_SIZE;

	memset(ring, 0, sizeof(*ring));
	raw_spin_lock_init(&ring->lock);
	ring->seq = 1;
	ring->size = size;
	ring->watermark = watermark;
	ring->missed = missed;
	ring->notify = notify;
	ring->owner = owner;
	ring->wake = IRQ_WORK_INIT_LAZY(wake_work);
	ring->told_salt = BID_RING_SALT;
	ring->told_mask = told_slots_of(size) - 1;

	ring->told = kvcalloc(ring->told_mask + 1, sizeof(*ring->told), GFP_KERNEL_ACCOUNT);
	if (!ring->told)
		return -ENOMEM;
	ring->pages = kvcalloc(pages + data, sizeof(*ring->pages), GFP_KERNEL_ACCOUNT);
	if (!ring->pages)
		goto err_free_told;
	for (i = 0; i < pages; i++) {
		ring->pages[i] = alloc_page(gfp);
		if (!ring->pages[i])
			goto err_free_pages;
		if (i >= 2)
			ring->pages[i + data] = ring->pages[i];
	}
	ring->area = vmap(ring->pages, pages + data, VM_MAP | VM_USERMAP, PAGE_KERNEL);
	if (!ring->area)
		goto err_free_pages;
	return 0;

err_free_pages:
	free_pages_array(ring->pages, i);
err_free_told:
	kvfree(ring->told);
	return -ENOMEM;
}

/* No producer knows the ring any more; on return its owner is not notified. */
void bid_ring_quiesce(struct bid_ring *ring)
{
	irq_work_sync(&ring->wake);
}

/* Nor does a consumer. */
void bid_ring_exit(struct bid_ring *ring)
{
	bid_ring_quiesce(ring);
	vunmap(ring->area);
	free_pages_array(ring->pages, page_count_of(ring->size));
	kvfree(ring->told);
}
