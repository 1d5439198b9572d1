// SPDX-License-Identifier: GPL-2.0
/*
 * Positions only grow; a record lies at its position modulo the size. The record pages are mapped
 * twice in a row, here and in user space, so that no record is ever split. The sequence number is
 * the order of reservation; times are taken before the lock, so time_mono may be slightly older
 * than that of the record before.
 *
 * Producers: any context but NMI, with preemption off from reserving to committing. They reserve
 * under bid_ring.lock, a raw spinlock and a leaf of the lock order, and fill in the record outside
 * it. A record is BUSY until it is committed, and the consumer stops before it.
 *
 * The consumer: one at a time, which is up to the owner (the session's mutex, the listener's work
 * item, or user space once it has mapped the ring). User space can write nothing but the consumer
 * position, which is used only if it lies between the last valid one and the producer position, and
 * is masked and aligned before it is used as an offset.
 *
 * When there is no room, the new record is dropped and counted. The next record that fits comes
 * after a LOST record with the counts; if none comes, reading or polling writes LOST. From then on
 * no FILE record counts as sent: the consumer may not have read them.
 *
 * FILE records that were sent or promised are in a direct-mapped table of tags by file_id. A
 * collision costs a redundant FILE record; none is ever missing. Changing the salt forgets the
 * whole table. A state of FOLLOWS may be out of date: if another task sends that FILE between the
 * hook's look at the table and the MMAP, the FILE comes right before the MMAP.
 *
 * Ordering:
 *	producer			consumer
 *	release of producer pos		acquire of it (bid_ring_ready, _peek)
 *	  in bid_ring_publish()
 *	release of size without BUSY	acquire of size in is_busy()
 *	  in bid_ring_commit_size()
 *	acquire of consumer pos		release of it in bid_ring_consume()
 *	  in bid_ring_limit()
 *	commit; smp_mb(); look for	join the waiters; smp_mb(); look for
 *	  waiters, in bid_ring_wake()	  records, in poll(), read(), fill_socket()
 */
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "ring.h"
#include "stats.h"

/* Bytes of records for each slot of bid_ring.sent. */
#define BYTES_PER_SENT 256

static void forget_sent(struct bid_ring *ring)
{
	u32 slots = ring->sent_mask / BID_RING_SALTS + 1;

	ring->sent_salt += BID_RING_SALT;
	if (!ring->sent_salt)
		ring->sent_salt = BID_RING_SALT;
	/* a few at a time, so that an old tag is cleared before its salt comes round again */
	while (slots--)
		ring->sent[ring->sent_cleared++ & ring->sent_mask] = 0;
}

/**
 * bid_ring_limit() - where the room ends, by the consumer's last valid position
 * @ring: the ring, locked
 */
u64 bid_ring_limit(struct bid_ring *ring)
{
	u64 last = ring->limit - ring->size;
	/* pairs with the consumer's release: it has read what is to be overwritten */
	u64 cons = smp_load_acquire(&bid_ring_consumer(ring)->pos);

	lockdep_assert_held(&ring->lock);
	if (cons - last <= ring->prod - last && !(cons & 7))
		ring->limit = cons + ring->size;
	return ring->limit;
}

static void append_lost(struct bid_ring *ring, u64 missed, u64 time_mono, u64 time_perf)
{
	struct buildid_record *header;
	struct buildid_lost *lost;

	header = bid_ring_append(ring, BUILDID_RECORD_LOST, sizeof(*lost), time_mono, time_perf);
	lost = container_of(header, struct buildid_lost, header);
	lost->ring_full = ring->full;
	lost->ring_full_mmaps = ring->full_mmaps;
	lost->unresolved = ring->unresolved;
	lost->missed_probe = 0;
	if (bid_ring_has_missed(ring, missed)) {
		lost->missed_probe = missed - ring->missed;
		ring->missed = missed;
	}
	if (ring->full)
		WRITE_ONCE(ring->lost_end, ring->prod);
	ring->full = 0;
	ring->full_mmaps = 0;
	ring->unresolved = 0;
	bid_ring_commit(&lost->header);
}

static void ring_drop(struct bid_ring *ring, bool mmap)
{
	ring->seq++;
	ring->full++;
	ring->full_mmaps += mmap;
	/* the consumer may never read the FILE records sent so far */
	forget_sent(ring);
}

static void set_tag(struct bid_ring *ring, const struct bid_ring_request *request)
{
	if (request->type == BUILDID_RECORD_FILE)
		WRITE_ONCE(*bid_ring_sent_slot(ring, request->file_id),
			   bid_ring_sent_tag(ring, request->file_id));
	else if (request->promise && !request->sent)
		bid_ring_promise(ring, request->file_id);
}

/**
 * bid_ring_reserve() - reserve room for a record
 * @ring: the ring
 * @request: what to reserve
 *
 * Any context but NMI; preemption is off until the record is committed. Writes a LOST record first
 * if one is due.
 *
 * Return: the room, with type, seq and times filled in. Fill in every other byte and commit it.
 * ERR_PTR() of -ENOSPC if the record was dropped, and counted; -ESTALE if its FILE was neither sent
 * nor promised.
 */
struct buildid_record *bid_ring_reserve(struct bid_ring *ring, struct bid_ring_request *request)
{
	u64 time_mono = ktime_get_mono_fast_ns(), time_perf = request->time_perf;
	bool mmap = request->type == BUILDID_RECORD_MMAP, lost;
	struct buildid_record *record;
	u32 need = request->size;

	lockdep_assert_preemption_disabled();
	raw_spin_lock(&ring->lock);
	request->sent = request->file_id && bid_ring_file_sent(ring, request->file_id);
	if (mmap && request->file_id && !request->sent && !request->promise) {
		raw_spin_unlock(&ring->lock);
		return ERR_PTR(-ESTALE);
	}
	lost = bid_ring_has_lost(ring, request->missed);
	if (lost)
		need += sizeof(struct buildid_lost);
	if (!bid_ring_has_room(ring, need)) {
		ring_drop(ring, mmap);
		raw_spin_unlock(&ring->lock);
		bid_stats_inc(BID_STAT_RING_FULL);
		bid_stats_add(BID_STAT_RING_FULL_MMAPS, mmap);
		/* there may be no further record that reaches the watermark */
		bid_ring_wake(ring);
		return ERR_PTR(-ENOSPC);
	}
	if (lost)
		append_lost(ring, request->missed, time_mono, time_perf);
	set_tag(ring, request);
	record = bid_ring_append(ring, request->type, request->size, time_mono, time_perf);
	ring->unresolved += request->unresolved;
	bid_ring_publish(ring);
	raw_spin_unlock(&ring->lock);
	bid_stats_add(BID_STAT_RECORDS, 1 + lost);
	return record;
}

static bool is_busy(const struct buildid_record *record)
{
	/* pairs with the release in bid_ring_commit_size() */
	return smp_load_acquire(&record->size) & BUILDID_RECORD_BUSY;
}

/**
 * bid_ring_ready() - is there something to consume?
 * @ring: the ring
 * @bytes: at least this much, 0 for any; a ring that dropped records is always ready, until the
 *	LOST record that reports it is consumed
 */
bool bid_ring_ready(struct bid_ring *ring, u32 bytes)
{
	/* user space may have stored anything: bid_ring_record() bounds it */
	u64 pos = READ_ONCE(bid_ring_consumer(ring)->pos);
	/* pairs with the release in bid_ring_publish() */
	u64 waiting = smp_load_acquire(&bid_ring_producer(ring)->pos) - pos;

	return waiting &&
	       (waiting >= bytes || READ_ONCE(ring->full) ||
		(s64)(READ_ONCE(ring->lost_end) - pos) > 0) &&
	       !is_busy(bid_ring_record(ring, pos));
}

/**
 * bid_ring_wake_now() - wake the consumer if there is enough to consume
 * @ring: the ring
 *
 * By a lazy irq_work, with the next tick: the hook may not take the locks of a wait queue, and an
 * interrupt for each record would cost more than the record.
 */
void bid_ring_wake_now(struct bid_ring *ring)
{
	if (bid_ring_ready(ring, ring->watermark))
		irq_work_queue(&ring->wake);
}

/**
 * bid_ring_report_lost() - write the LOST record that is due, if there is room
 * @ring: the ring
 * @missed: probe misses so far
 *
 * For consumers: a loss without any later record would stay unreported.
 *
 * Return: false when there is no room.
 */
bool bid_ring_report_lost(struct bid_ring *ring, u64 missed)
{
	u64 time_mono = ktime_get_mono_fast_ns(), time_perf = local_clock();
	bool lost, room;

	raw_spin_lock(&ring->lock);
	lost = bid_ring_has_lost(ring, missed);
	room = bid_ring_has_room(ring, sizeof(struct buildid_lost));
	if (lost && room) {
		append_lost(ring, missed, time_mono, time_perf);
		bid_ring_publish(ring);
		bid_stats_inc(BID_STAT_RECORDS);
	}
	raw_spin_unlock(&ring->lock);
	return !lost || room;
}

/**
 * bid_ring_poll() - is there enough to consume?
 * @ring: the ring
 * @missed: probe misses so far
 *
 * If not, the consumer is woken later, if it was already a waiter. A consumer that has mapped the
 * ring makes room without a system call, and in edge-triggered mode does not call again: while a
 * loss cannot be reported, it is woken repeatedly to make room.
 */
bool bid_ring_poll(struct bid_ring *ring, u64 missed)
{
	if (!bid_ring_report_lost(ring, missed))
		irq_work_queue(&ring->wake);
	return bid_ring_ready(ring, ring->watermark);
}

/**
 * bid_ring_peek() - the next record, for a consumer in the kernel
 * @ring: the ring; user space has not mapped it
 * @ahead: bytes of records that the consumer has seen but not consumed
 *
 * The caller serializes consumers.
 *
 * Return: the record, valid until bid_ring_consume(), or NULL.
 */
const struct buildid_record *bid_ring_peek(struct bid_ring *ring, u32 ahead)
{
	u64 pos = bid_ring_consumer(ring)->pos + ahead;
	const struct buildid_record *record = bid_ring_record(ring, pos);

	/* pairs with the release in bid_ring_publish() */
	if (smp_load_acquire(&bid_ring_producer(ring)->pos) == pos || is_busy(record))
		return NULL;
	return record;
}

/**
 * bid_ring_consume() - free the room of the oldest records
 * @ring: as for bid_ring_peek()
 * @bytes: of whole records
 */
void bid_ring_consume(struct bid_ring *ring, u32 bytes)
{
	u64 *pos = &bid_ring_consumer(ring)->pos;

	/* pairs with the acquire in bid_ring_limit() */
	smp_store_release(pos, *pos + bytes);
}

/**
 * bid_ring_mmap() - map the ring into user space
 * @ring: the ring
 * @vma: the consumer page alone, or part of what follows it, read-only
 *
 * Called by mmap(2), under the mmap lock.
 *
 * Return: 0, -EINVAL or -EPERM.
 */
int bid_ring_mmap(struct bid_ring *ring, struct vm_area_struct *vma)
{
	/* without VM_SHARED, as the descriptor may be read-only */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (!vma->vm_pgoff) {
		if (vma->vm_end - vma->vm_start != PAGE_SIZE)
			return -EINVAL;
	} else {
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		vm_flags_clear(vma, VM_MAYWRITE);
	}
	/* not inherited; VM_IO keeps MADV_DOFORK from changing that */
	vm_flags_set(vma, VM_IO | VM_DONTCOPY);
	return remap_vmalloc_range(vma, ring->area, vma->vm_pgoff);
}

static void wake_work(struct irq_work *work)
{
	struct bid_ring *ring = container_of(work, struct bid_ring, wake);

	wake_up_interruptible_poll(ring->waiters, EPOLLIN | EPOLLRDNORM);
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

static u32 sent_slots_of(u32 size)
{
	return max_t(u32, size / BYTES_PER_SENT, 64);
}

/**
 * bid_ring_pages() - the number of pages to charge a user for a ring
 * @size: bytes of records
 *
 * Return: pages, tables included.
 */
unsigned long bid_ring_pages(u32 size)
{
	unsigned long pages = page_count_of(size);

	return pages + DIV_ROUND_UP(sent_slots_of(size) * sizeof(u64), PAGE_SIZE) +
	       DIV_ROUND_UP((pages + size / PAGE_SIZE) * sizeof(struct page *), PAGE_SIZE);
}

/**
 * bid_ring_init() - set up a ring
 * @ring: the ring
 * @size: bytes of records, a power of two, in whole pages
 * @watermark: bytes that must wait before the consumer is woken
 * @waiters: where the consumer waits; woken from interrupt context until bid_ring_quiesce()
 * @missed: probe misses so far, which are not reported
 *
 * May sleep.
 *
 * Return: 0 or -errno; undone by bid_ring_exit().
 */
int bid_ring_init(struct bid_ring *ring, u32 size, u32 watermark, wait_queue_head_t *waiters,
		  u64 missed)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;
	unsigned int i, pages = page_count_of(size), data = size / PAGE_SIZE;

	memset(ring, 0, sizeof(*ring));
	raw_spin_lock_init(&ring->lock);
	ring->seq = 1;
	ring->size = size;
	ring->limit = size;
	ring->watermark = watermark;
	ring->missed = missed;
	ring->waiters = waiters;
	ring->wake = IRQ_WORK_INIT_LAZY(wake_work);
	ring->sent_salt = BID_RING_SALT;
	ring->sent_mask = sent_slots_of(size) - 1;

	ring->sent = kvcalloc(ring->sent_mask + 1, sizeof(*ring->sent), GFP_KERNEL_ACCOUNT);
	if (!ring->sent)
		return -ENOMEM;
	ring->pages = kvcalloc(pages + data, sizeof(*ring->pages), GFP_KERNEL_ACCOUNT);
	if (!ring->pages)
		goto err_free_sent;
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
err_free_sent:
	kvfree(ring->sent);
	return -ENOMEM;
}

/**
 * bid_ring_quiesce() - wait for the last wake-up
 * @ring: the ring, which producers cannot reach any more
 *
 * May sleep. @ring->waiters is not used any more once this returns.
 */
void bid_ring_quiesce(struct bid_ring *ring)
{
	irq_work_sync(&ring->wake);
}

/**
 * bid_ring_exit() - free a ring's memory
 * @ring: the ring, which neither producers nor consumers can reach any more
 *
 * Pages that user space has mapped stay until it unmaps them. May sleep.
 */
void bid_ring_exit(struct bid_ring *ring)
{
	bid_ring_quiesce(ring);
	vunmap(ring->area);
	free_pages_array(ring->pages, page_count_of(ring->size));
	kvfree(ring->sent);
}
