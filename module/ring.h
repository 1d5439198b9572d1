/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A subscriber's ring: many producers, one consumer, drop when full.
 */
#ifndef BID_RING_H
#define BID_RING_H

#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched/clock.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include <buildid.h>

/* A FILE and an MMAP with the longest path, after a LOST, in whole pages. */
#define BID_RING_MIN (PAGE_SIZE > 2 * BUILDID_RECORD_MAX ? PAGE_SIZE : 2 * BUILDID_RECORD_MAX)
#define BID_RING_MAX (64U << 20)

/**
 * struct bid_ring - records on their way to one consumer
 * @lock: orders producers; raw, as one of them is a kprobe handler
 * @prod: position after the last reserved byte
 * @cons: the last consumer position that made sense
 * @seq: of the next record
 * @full: records dropped since the last LOST record
 * @full_mmaps: of these, MMAP records
 * @no_request: as in struct buildid_lost, likewise
 * @missed: probe misses told so far
 * @told: which FILE records the consumer has: a direct-mapped table of tags
 * @told_mask: slots of @told, less one
 * @told_salt: part of every tag, so that a new one forgets them all
 * @size: bytes of records
 * @watermark: bytes that must wait before the consumer is woken
 * @asleep: the consumer wants to be woken
 * @area: consumer page, producer page, records, records again
 * @pages: behind @area
 * @wake: calls @notify outside the producer's context
 * @notify: wakes the consumer
 * @owner: for @notify
 */
struct bid_ring {
	raw_spinlock_t lock;
	u64 prod;
	u64 cons;
	u64 seq;
	u64 full;
	u64 full_mmaps;
	u64 no_request;
	u64 missed;
	u64 *told;
	u64 told_salt;
	u32 told_mask;
	u32 size;
	u32 watermark;
	bool asleep;

	void *area;
	struct page **pages;
	struct irq_work wake;
	void (*notify)(struct bid_ring *ring);
	void *owner;
};

/**
 * struct bid_ring_batch - records reserved together
 * @file: room for the FILE record, NULL when the consumer has it
 * @body: room for the other record, NULL when none was asked for
 */
struct bid_ring_batch {
	struct buildid_record *file;
	struct buildid_record *body;
};

/**
 * struct bid_ring_want - what to reserve
 * @file_id: of the FILE record, 0 for none
 * @stage: grows as more becomes known of the file, 0 to 3
 * @file_size: bytes of the FILE record; 0: the caller thinks the consumer has it
 * @body_type: enum buildid_record_type of the other record
 * @body_size: its bytes, 0 for none
 * @no_request: count the other record as UNRESOLVED
 * @missed: probe misses so far
 */
struct bid_ring_want {
	u64 file_id;
	u8 stage;
	u32 file_size;
	u16 body_type;
	u32 body_size;
	bool no_request;
	u64 missed;
};

unsigned long bid_ring_pages(u32 size);
int bid_ring_init(struct bid_ring *ring, u32 size, u32 watermark,
		  void (*notify)(struct bid_ring *ring), void *owner, u64 missed);
void bid_ring_quiesce(struct bid_ring *ring);
void bid_ring_exit(struct bid_ring *ring);

bool bid_ring_told(const struct bid_ring *ring, u64 file_id, u8 stage);
int bid_ring_reserve(struct bid_ring *ring, const struct bid_ring_want *want,
		     struct bid_ring_batch *batch);
u64 bid_ring_cons(struct bid_ring *ring);
void bid_ring_wake_now(struct bid_ring *ring);

bool bid_ring_ready(struct bid_ring *ring, u32 bytes);
bool bid_ring_sleep(struct bid_ring *ring);
void bid_ring_tell_lost(struct bid_ring *ring, u64 missed);
const struct buildid_record *bid_ring_peek(struct bid_ring *ring, u32 ahead);
void bid_ring_consume(struct bid_ring *ring, u32 bytes);
int bid_ring_mmap(struct bid_ring *ring, struct vm_area_struct *vma);

/*
 * What a record takes when nothing is in the way: the cost of watching. Inline,
 * as the calls would cost as much as the work.
 */

/* Salts are multiples of it: above all file_ids, and the stage in two bits. */
#define BID_RING_SALT BIT_ULL(48)

static inline struct buildid_ring_consumer *bid_ring_consumer(const struct bid_ring *ring)
{
	return ring->area;
}

static inline struct buildid_ring_producer *bid_ring_producer(const struct bid_ring *ring)
{
	return ring->area + PAGE_SIZE;
}

/* In the ring and aligned, whatever @pos is: it may be the consumer's. */
static inline void *bid_ring_record(const struct bid_ring *ring, u64 pos)
{
	return ring->area + 2 * PAGE_SIZE + (pos & (ring->size - 8));
}

static inline u64 *bid_ring_told_slot(const struct bid_ring *ring, u64 file_id)
{
	return &ring->told[file_id & ring->told_mask];
}

static inline u64 bid_ring_told_tag(const struct bid_ring *ring, u64 file_id, u8 stage)
{
	return (file_id << 2 | stage) ^ ring->told_salt;
}

/* Tags of one file and salt differ in the stage alone; more includes less. */
static inline bool bid_ring_tag_covers(u64 told, u64 tag, u8 stage)
{
	return told - tag <= 3u - stage;
}

static inline bool bid_ring_has_room(struct bid_ring *ring, u32 bytes)
{
	/* what was free last time is free still; ask again only for more */
	return ring->size - (u32)(ring->prod - ring->cons) >= bytes ||
	       ring->size - (u32)(ring->prod - bid_ring_cons(ring)) >= bytes;
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
	/* visible no later than the position that leads to it */
	record->size = size | BUILDID_RECORD_BUSY;
	ring->prod += size;
	return record;
}

/* Producers count misses before they lock: one may come with an older number. */
static inline bool bid_ring_has_missed(const struct bid_ring *ring, u64 missed)
{
	return (s64)(missed - ring->missed) > 0;
}

static inline bool bid_ring_has_lost(const struct bid_ring *ring, u64 missed)
{
	return (ring->full | ring->no_request) || bid_ring_has_missed(ring, missed);
}

static inline void bid_ring_publish(struct bid_ring *ring)
{
	/* pairs with bid_ring_ready(), or the like in user space */
	smp_store_release(&bid_ring_producer(ring)->pos, ring->prod);
}

/**
 * bid_ring_begin() - room for a record, when that is all there is to it
 * @ring: the ring
 * @type: enum buildid_record_type
 * @size: of the record
 * @file_id: of a FILE record the consumer must have
 * @stage: as in struct bid_ring_want
 * @missed: probe misses so far
 *
 * Return: the room, as from bid_ring_reserve(); NULL when it takes a LOST or a
 * FILE record too, or there is no room: bid_ring_reserve() then does the rest.
 */
static __always_inline struct buildid_record *
bid_ring_begin(struct bid_ring *ring, u16 type, u32 size, u64 file_id, u8 stage, u64 missed)
{
	u64 time_mono = ktime_get_mono_fast_ns(), time_perf = local_clock();
	const u64 *told = bid_ring_told_slot(ring, file_id);
	struct buildid_record *record = NULL;

	raw_spin_lock(&ring->lock);
	if (bid_ring_tag_covers(*told, bid_ring_told_tag(ring, file_id, stage), stage) &&
	    !bid_ring_has_lost(ring, missed) && bid_ring_has_room(ring, size)) {
		record = bid_ring_append(ring, type, size, time_mono, time_perf);
		bid_ring_publish(ring);
	}
	raw_spin_unlock(&ring->lock);
	return record;
}

/* For a producer that knows the size. */
static inline void bid_ring_commit_size(struct buildid_record *record, u32 size)
{
	lockdep_assert_preemption_disabled();
	/* pairs with is_busy(), or the like in user space */
	smp_store_release(&record->size, size);
}

/*
 * The record is complete: the consumer may have it. Preemption is off since it
 * was reserved, or the consumer would wait before it for as long as others run.
 */
static inline void bid_ring_commit(struct buildid_record *record)
{
	bid_ring_commit_size(record, record->size & ~BUILDID_RECORD_BUSY);
}

/**
 * bid_ring_wake() - wake the consumer if it asked for it
 * @ring: the ring, after a commit
 */
static inline void bid_ring_wake(struct bid_ring *ring)
{
	smp_mb(); /* commit, then look: pairs with the one in bid_ring_sleep() */
	if (unlikely(READ_ONCE(ring->asleep)))
		bid_ring_wake_now(ring);
}

#endif /* BID_RING_H */
