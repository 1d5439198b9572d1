/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A subscriber's ring: many producers, one consumer, drop when full. ring.c explains how it works;
 * the fast path of sending a record is here, inline.
 */
#ifndef BID_RING_H
#define BID_RING_H

#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched/clock.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>

#include <buildid.h>

/* Room for a LOST, a FILE and an MMAP with the longest path, in whole pages. */
#define BID_RING_MIN (PAGE_SIZE > 2 * BUILDID_RECORD_MAX ? PAGE_SIZE : 2 * BUILDID_RECORD_MAX)
#define BID_RING_MAX (64U << 20)

/**
 * struct bid_ring - records on their way to one consumer
 * @lock: serializes producers; raw, as one of them is a kprobe handler. Protects
 *	the fields up to @sent_cleared
 * @prod: position after the last reserved byte
 * @limit: where the room ends: the consumer's last valid position plus @size
 * @seq: sequence number of the next record
 * @full: records dropped since the last LOST record
 * @full_mmaps: of these, MMAP records
 * @unresolved: as in struct buildid_lost; since the last LOST record
 * @missed: probe misses reported so far
 * @lost_end: position after the last LOST record of dropped records
 * @sent: FILE records that were sent or promised: a direct-mapped table of tags
 * @sent_salt: part of every tag: changing it invalidates the whole table
 * @sent_cleared: next slot of @sent to clear
 * @sent_mask: slots of @sent, less one
 * @size: bytes of records
 * @watermark: bytes that must wait before the consumer is woken
 * @area: consumer page, producer page, records, the same records again
 * @pages: behind @area
 * @wake: wakes @waiters outside of the producer's context
 * @waiters: where the consumer waits
 */
struct bid_ring {
	raw_spinlock_t lock;
	u64 prod;
	u64 limit;
	u64 seq;
	u64 full;
	u64 full_mmaps;
	u64 unresolved;
	u64 missed;
	u64 lost_end;
	u64 *sent;
	u64 sent_salt;
	u32 sent_cleared;
	u32 sent_mask;
	u32 size;
	u32 watermark;

	void *area;
	struct page **pages;
	struct irq_work wake;
	wait_queue_head_t *waiters;
};

/**
 * struct bid_ring_request - a record to reserve room for
 * @type: enum buildid_record_type
 * @size: of the record
 * @file_id: FILE: counts as sent from then on; MMAP: its FILE must have been sent, or is promised;
 *	else 0
 * @promise: the FILE will follow if it was not sent; @sent says which
 * @sent: out: the FILE was sent
 * @unresolved: an MMAP that is UNRESOLVED
 * @missed: probe misses so far
 * @time_perf: local_clock()
 */
struct bid_ring_request {
	u16 type;
	u32 size;
	u64 file_id;
	bool promise;
	bool sent;
	bool unresolved;
	u64 missed;
	u64 time_perf;
};

unsigned long bid_ring_pages(u32 size);
int bid_ring_init(struct bid_ring *ring, u32 size, u32 watermark, wait_queue_head_t *waiters,
		  u64 missed);
void bid_ring_quiesce(struct bid_ring *ring);
void bid_ring_exit(struct bid_ring *ring);

struct buildid_record *bid_ring_reserve(struct bid_ring *ring, struct bid_ring_request *request);
u64 bid_ring_limit(struct bid_ring *ring);
void bid_ring_wake_now(struct bid_ring *ring);

bool bid_ring_ready(struct bid_ring *ring, u32 bytes);
bool bid_ring_report_lost(struct bid_ring *ring, u64 missed);
bool bid_ring_poll(struct bid_ring *ring, u64 missed);
const struct buildid_record *bid_ring_peek(struct bid_ring *ring, u32 ahead);
void bid_ring_consume(struct bid_ring *ring, u32 bytes);
int bid_ring_mmap(struct bid_ring *ring, struct vm_area_struct *vma);

/*
 * The fast path of sending a record: inline, as function calls would cost as much as the work.
 */

/* Salts are multiples of this: above every file_id. */
#define BID_RING_SALT	  BIT_ULL(48)
#define BID_RING_PROMISED BIT_ULL(47)
#define BID_RING_SALTS	  (U64_MAX / BID_RING_SALT) /* 0 means none */

static inline struct buildid_ring_consumer *bid_ring_consumer(const struct bid_ring *ring)
{
	return ring->area;
}

static inline struct buildid_ring_producer *bid_ring_producer(const struct bid_ring *ring)
{
	return ring->area + PAGE_SIZE;
}

/* Within the ring and aligned for any @pos, as user space may have stored it. */
static inline void *bid_ring_record(const struct bid_ring *ring, u64 pos)
{
	return ring->area + 2 * PAGE_SIZE + (pos & (ring->size - 8));
}

static inline u64 *bid_ring_sent_slot(const struct bid_ring *ring, u64 file_id)
{
	return &ring->sent[file_id & ring->sent_mask];
}

static inline u64 bid_ring_sent_tag(const struct bid_ring *ring, u64 file_id)
{
	return file_id ^ ring->sent_salt;
}

/* The tag for a FILE that an MMAP has promised. */
static inline u64 bid_ring_promised_tag(const struct bid_ring *ring, u64 file_id)
{
	return bid_ring_sent_tag(ring, file_id) ^ BID_RING_PROMISED;
}

static inline void bid_ring_promise(struct bid_ring *ring, u64 file_id)
{
	WRITE_ONCE(*bid_ring_sent_slot(ring, file_id), bid_ring_promised_tag(ring, file_id));
}

/* Was this FILE promised but not sent? A hint, like bid_ring_file_sent(). */
static inline bool bid_ring_file_promised(const struct bid_ring *ring, u64 file_id)
{
	return READ_ONCE(*bid_ring_sent_slot(ring, file_id)) ==
	       bid_ring_promised_tag(ring, file_id);
}

/**
 * bid_ring_file_sent() - was this FILE record sent?
 * @ring: the ring
 * @file_id: of the FILE record
 *
 * A hint without the lock; bid_ring_reserve() decides.
 */
static inline bool bid_ring_file_sent(const struct bid_ring *ring, u64 file_id)
{
	return READ_ONCE(*bid_ring_sent_slot(ring, file_id)) == bid_ring_sent_tag(ring, file_id);
}

static inline bool bid_ring_has_room(struct bid_ring *ring, u32 bytes)
{
	/* use the limit from last time; read the consumer's page only if that is not enough */
	return ring->limit - ring->prod >= bytes || bid_ring_limit(ring) - ring->prod >= bytes;
}

static inline struct buildid_record *bid_ring_append(struct bid_ring *ring, u16 type, u32 size,
						     u64 time_mono, u64 time_perf)
{
	struct buildid_record *record = bid_ring_record(ring, ring->prod);

	record->type = type;
	record->flags = 0;
	record->seq = ring->seq++;
	record->time_mono = time_mono;
	record->time_perf = time_perf;
	/* BUSY is visible no later than the position that leads to the record */
	record->size = size | BUILDID_RECORD_BUSY;
	ring->prod += size;
	return record;
}

/* Producers sample the misses before they lock, so @missed may be an older number. */
static inline bool bid_ring_has_missed(const struct bid_ring *ring, u64 missed)
{
	return (s64)(missed - ring->missed) > 0;
}

static inline bool bid_ring_has_lost(const struct bid_ring *ring, u64 missed)
{
	return (ring->full | ring->unresolved) || bid_ring_has_missed(ring, missed);
}

static inline void bid_ring_publish(struct bid_ring *ring)
{
	/* pairs with the acquire in bid_ring_ready(), bid_ring_peek() or user space */
	smp_store_release(&bid_ring_producer(ring)->pos, ring->prod);
}

/**
 * bid_ring_begin() - reserve room for one record, fast path
 * @ring: the ring
 * @type: enum buildid_record_type
 * @size: of the record
 * @file_id: FILE record that must have been sent
 * @promise: or will follow
 * @missed: probe misses so far
 * @time_perf: local_clock()
 *
 * Any context but NMI; preemption is off until the record is committed.
 *
 * Return: the room, as from bid_ring_reserve(). NULL if a LOST record has to go first, the FILE was
 * not sent, or there is no room: then call bid_ring_reserve().
 */
static __always_inline struct buildid_record *bid_ring_begin(struct bid_ring *ring, u16 type,
							     u32 size, u64 file_id, bool promise,
							     u64 missed, u64 time_perf)
{
	struct buildid_record *record = NULL;
	u64 time_mono = ktime_get_mono_fast_ns();

	raw_spin_lock(&ring->lock);
	if ((promise || bid_ring_file_sent(ring, file_id)) && !bid_ring_has_lost(ring, missed) &&
	    bid_ring_has_room(ring, size)) {
		if (promise)
			bid_ring_promise(ring, file_id);
		record = bid_ring_append(ring, type, size, time_mono, time_perf);
		bid_ring_publish(ring);
	}
	raw_spin_unlock(&ring->lock);
	return record;
}

/* bid_ring_commit() for a producer that knows the size. */
static inline void bid_ring_commit_size(struct buildid_record *record, u32 size)
{
	lockdep_assert_preemption_disabled();
	/* pairs with the acquire in is_busy(), or in user space */
	smp_store_release(&record->size, size);
}

/**
 * bid_ring_commit() - make a complete record visible to the consumer
 * @record: from bid_ring_reserve()
 *
 * Preemption has been off since it was reserved: the consumer stops before a busy record, and would
 * wait for as long as the producer is not running.
 */
static inline void bid_ring_commit(struct buildid_record *record)
{
	bid_ring_commit_size(record, record->size & ~BUILDID_RECORD_BUSY);
}

/**
 * bid_ring_wake() - wake the consumer if it is waiting
 * @ring: the ring, after a commit
 *
 * The consumer joins the waiters and then looks for records; a producer commits and then looks for
 * waiters. So at least one of them sees what the other did.
 *
 * Any context but NMI.
 */
static inline void bid_ring_wake(struct bid_ring *ring)
{
	/* pairs with the barrier in poll(), read(), fill_socket(); a pending wake-up is enough */
	if (unlikely(wq_has_sleeper(ring->waiters)) && !irq_work_is_pending(&ring->wake))
		bid_ring_wake_now(ring);
}

#endif /* BID_RING_H */
