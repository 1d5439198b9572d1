/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A subscriber's ring: many producers, one consumer, drop when full.
 */
#ifndef BID_RING_H
#define BID_RING_H

#include <linux/irq_work.h>
#include <linux/spinlock.h>

#include <buildid.h>

struct vm_area_struct;

#define BID_RING_MIN	PAGE_SIZE
#define BID_RING_MAX	(64U << 20)

/**
 * struct bid_ring - records on their way to one consumer
 * @lock: orders producers; raw, as one of them is a kprobe handler
 * @prod: position after the last reserved byte
 * @cons: the last consumer position that made sense
 * @seq: of the next record
 * @full: records dropped since the last LOST record
 * @no_request: as in struct buildid_lost, likewise
 * @missed: probe misses told so far
 * @told: which FILE records the consumer has: a direct-mapped table of tags
 * @told_mask: slots of @told, less one
 * @told_epoch: part of every tag, so that a new epoch forgets them all
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
	u64 no_request;
	u64 missed;
	u64 *told;
	u32 told_mask;
	u32 told_epoch;
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

int bid_ring_init(struct bid_ring *ring, u32 size, u32 watermark,
		  void (*notify)(struct bid_ring *ring), void *owner,
		  u64 missed);
void bid_ring_exit(struct bid_ring *ring);

void bid_ring_forget(struct bid_ring *ring);
bool bid_ring_told(const struct bid_ring *ring, u64 file_id, u8 stage);
struct buildid_record *bid_ring_begin(struct bid_ring *ring, u16 type, u32 size,
				      u64 file_id, u8 stage, u64 missed);
int bid_ring_reserve(struct bid_ring *ring, const struct bid_ring_want *want,
		     struct bid_ring_batch *batch);
void bid_ring_commit(struct buildid_record *record);
void bid_ring_wake(struct bid_ring *ring);

bool bid_ring_ready(struct bid_ring *ring, u32 bytes);
bool bid_ring_sleep(struct bid_ring *ring);
void bid_ring_tell_lost(struct bid_ring *ring, u64 missed);
const struct buildid_record *bid_ring_peek(struct bid_ring *ring);
void bid_ring_consume(struct bid_ring *ring, const struct buildid_record *record);
int bid_ring_mmap(struct bid_ring *ring, struct vm_area_struct *vma);

#endif /* BID_RING_H */
