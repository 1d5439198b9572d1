// SPDX-License-Identifier: GPL-2.0
/*
 * The ring by itself: layout, LOST records, which FILE records were sent, wake-ups, and
 * producers and a consumer that race.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/sched/clock.h>
#include <linux/timekeeping.h>

#include "compat.h"
#include "ring.h"
#include "stats.h"

#include "alloc.h"
#include "ring.c"

#define SIZE 4096U
/* This many bytes do not leave room for a LOST record. */
#define BODY ((u32)sizeof(struct buildid_mmap) + 16)
#define LOST ((u32)sizeof(struct buildid_lost))

/* A waiter like a task: woken once, until it waits again. */
struct waiter {
	wait_queue_head_t queue;
	wait_queue_entry_t entry;
	atomic_t woken;
};

static int on_wake(wait_queue_entry_t *entry, unsigned int mode, int flags, void *key)
{
	list_del_init_careful(&entry->entry);
	atomic_inc(&container_of(entry, struct waiter, entry)->woken);
	return 0;
}

static void waiter_init(struct waiter *waiter)
{
	init_waitqueue_head(&waiter->queue);
	init_waitqueue_func_entry(&waiter->entry, on_wake);
	INIT_LIST_HEAD(&waiter->entry.entry);
}

/* False if there is no need to wait. */
static bool begin_to_wait(struct bid_ring *ring)
{
	struct waiter *waiter = container_of(ring->waiters, struct waiter, queue);

	if (list_empty_careful(&waiter->entry.entry))
		add_wait_queue(&waiter->queue, &waiter->entry);
	smp_mb(); /* pairs with the one in bid_ring_wake() */
	return !bid_ring_ready(ring, ring->watermark);
}

/**
 * struct fixture - a ring under test
 * @ring: the ring
 * @waiter: its consumer
 */
struct fixture {
	struct bid_ring ring;
	struct waiter waiter;
};

static void stop_ring(void *ring)
{
	bid_ring_exit(ring);
}

static struct bid_ring *start_ring(struct kunit *test, u32 size, u32 watermark)
{
	struct fixture *fixture = kunit_kzalloc(test, sizeof(*fixture), GFP_KERNEL);
	struct bid_ring *ring;

	KUNIT_ASSERT_NOT_NULL(test, fixture);
	ring = &fixture->ring;
	waiter_init(&fixture->waiter);
	KUNIT_ASSERT_EQ(test, bid_ring_init(ring, size, watermark, &fixture->waiter.queue, 0), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, stop_ring, ring), 0);
	return ring;
}

static int woken(struct bid_ring *ring)
{
	irq_work_sync(&ring->wake);
	return atomic_read(&container_of(ring, struct fixture, ring)->waiter.woken);
}

static u32 room_in(struct bid_ring *ring)
{
	u32 room;

	raw_spin_lock(&ring->lock);
	room = bid_ring_limit(ring) - ring->prod;
	raw_spin_unlock(&ring->lock);
	return room;
}

/* Fill in the part of a record that is up to the producer. */
static void fill(struct buildid_record *record, u32 size, u8 with)
{
	memset(record + 1, with, size - sizeof(*record));
}

static bool is_filled(const struct buildid_record *record, u8 with)
{
	return !memchr_inv(record + 1, with, record->size - sizeof(*record));
}

/* As producers do, but without disabling preemption. */
static struct buildid_record *ring_reserve(struct bid_ring *ring, struct bid_ring_request *request)
{
	struct buildid_record *record;

	preempt_disable();
	record = bid_ring_reserve(ring, request);
	preempt_enable();
	return record;
}

static void ring_commit(struct buildid_record *record)
{
	preempt_disable();
	bid_ring_commit(record);
	preempt_enable();
}

/* A record, filled and committed; 0 or -errno. */
static int put_request(struct bid_ring *ring, struct bid_ring_request *request, u8 with)
{
	struct buildid_record *record = ring_reserve(ring, request);

	if (IS_ERR(record))
		return PTR_ERR(record);
	fill(record, request->size, with);
	ring_commit(record);
	return 0;
}

static int put(struct bid_ring *ring, u32 size, u8 with)
{
	return put_request(ring, &(struct bid_ring_request){ BUILDID_RECORD_MMAP, size }, with);
}

static int put_file(struct bid_ring *ring, u64 file_id)
{
	return put_request(ring, &(struct bid_ring_request){ BUILDID_RECORD_FILE, BODY, file_id },
			   0);
}

/* A record that refers to a file. */
static int put_mmap(struct bid_ring *ring, u64 file_id)
{
	return put_request(ring, &(struct bid_ring_request){ BUILDID_RECORD_MMAP, BODY, file_id },
			   0);
}

/* A record that refers to a file, after its FILE record if that was not sent. */
static bool sent_before(struct kunit *test, struct bid_ring *ring, u64 file_id)
{
	int err = put_mmap(ring, file_id);

	if (!err)
		return true;
	KUNIT_EXPECT_EQ(test, err, -ESTALE);
	KUNIT_ASSERT_EQ(test, put_file(ring, file_id), 0);
	KUNIT_ASSERT_EQ(test, put_mmap(ring, file_id), 0);
	return false;
}

/* The next record is of this type; consumed, and a copy of its beginning. */
static struct buildid_record take(struct kunit *test, struct bid_ring *ring, u16 type)
{
	const struct buildid_record *record = bid_ring_peek(ring, 0);
	struct buildid_record copy = {};

	KUNIT_ASSERT_NOT_NULL(test, record);
	copy = *record;
	KUNIT_EXPECT_EQ(test, copy.type, type);
	KUNIT_EXPECT_EQ(test, copy.flags, 0);
	bid_ring_consume(ring, record->size);
	return copy;
}

static u64 next_lost(struct kunit *test, struct bid_ring *ring, u64 ring_full, u64 unresolved,
		     u64 missed)
{
	const struct buildid_record *record = bid_ring_peek(ring, 0);
	const struct buildid_lost *lost;

	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_ASSERT_EQ(test, record->type, BUILDID_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, record->size, LOST);
	lost = container_of(record, const struct buildid_lost, header);
	KUNIT_EXPECT_EQ(test, lost->ring_full, ring_full);
	KUNIT_EXPECT_LE(test, lost->ring_full_mmaps, ring_full);
	KUNIT_EXPECT_EQ(test, lost->unresolved, unresolved);
	KUNIT_EXPECT_EQ(test, lost->missed_probe, missed);
	return take(test, ring, BUILDID_RECORD_LOST).seq;
}

/* Consume everything; returns the number of records. */
static u32 drain(struct bid_ring *ring)
{
	const struct buildid_record *record;
	u32 n = 0;

	while (n < SIZE && (record = bid_ring_peek(ring, 0))) {
		bid_ring_consume(ring, record->size);
		n++;
	}
	return n;
}

static u32 fill_up(struct bid_ring *ring)
{
	u32 n = 0;

	while (n < SIZE && !put(ring, BODY, n))
		n++;
	return n;
}

#define A_BODY ((struct bid_ring_request){ BUILDID_RECORD_MMAP, BODY })

/* ---------------------------------------------------------------- the order -- */

static void delivers_in_order_of_reservation(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	struct bid_ring_request request = A_BODY;
	const struct buildid_record *record;
	struct buildid_record before = {};
	u32 i;

	KUNIT_EXPECT_PTR_EQ(test, bid_ring_peek(ring, 0), NULL);
	for (i = 0; i < 10; i++) {
		request.size = BODY + 8 * i;
		request.time_perf = 1000 + i;
		KUNIT_ASSERT_EQ(test, put_request(ring, &request, i), 0);
	}
	for (i = 0; i < 10; i++) {
		record = bid_ring_peek(ring, 0);
		KUNIT_ASSERT_NOT_NULL(test, record);
		KUNIT_EXPECT_EQ(test, record->type, BUILDID_RECORD_MMAP);
		KUNIT_EXPECT_EQ(test, record->flags, 0);
		KUNIT_EXPECT_EQ(test, record->size, BODY + 8 * i);
		KUNIT_EXPECT_EQ(test, record->seq, i + 1);
		KUNIT_EXPECT_GE(test, record->time_mono, before.time_mono);
		KUNIT_EXPECT_EQ(test, record->time_perf, 1000 + i);
		KUNIT_EXPECT_TRUE(test, is_filled(record, i));
		/* until it is consumed */
		KUNIT_EXPECT_PTR_EQ(test, bid_ring_peek(ring, 0), record);
		before = *record;
		bid_ring_consume(ring, record->size);
	}
	KUNIT_EXPECT_PTR_EQ(test, bid_ring_peek(ring, 0), NULL);
}

static void stops_before_a_busy_record(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	struct buildid_record *first, *second, *third;

	first = ring_reserve(ring, &A_BODY);
	second = ring_reserve(ring, &A_BODY);
	third = ring_reserve(ring, &A_BODY);
	KUNIT_ASSERT_FALSE(test, IS_ERR(first) || IS_ERR(second) || IS_ERR(third));
	KUNIT_EXPECT_TRUE(test, first->size & BUILDID_RECORD_BUSY);

	ring_commit(second);
	KUNIT_EXPECT_FALSE(test, bid_ring_ready(ring, 0));
	KUNIT_EXPECT_PTR_EQ(test, bid_ring_peek(ring, 0), NULL);
	ring_commit(first);
	KUNIT_EXPECT_EQ(test, take(test, ring, BUILDID_RECORD_MMAP).seq, 1);
	KUNIT_EXPECT_EQ(test, take(test, ring, BUILDID_RECORD_MMAP).seq, 2);
	KUNIT_EXPECT_PTR_EQ(test, bid_ring_peek(ring, 0), NULL);
	ring_commit(third);
	KUNIT_EXPECT_EQ(test, take(test, ring, BUILDID_RECORD_MMAP).seq, 3);
}

/* For a consumer that needs to find room for them first. */
static void shows_records_before_they_are_consumed(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	const struct buildid_record *record;
	u32 ahead = 0, i;

	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ(test, put(ring, BODY + 8 * i, i), 0);
	for (i = 0; i < 3; i++) {
		record = bid_ring_peek(ring, ahead);
		KUNIT_ASSERT_NOT_NULL(test, record);
		KUNIT_EXPECT_EQ(test, record->seq, i + 1);
		ahead += record->size;
	}
	KUNIT_EXPECT_PTR_EQ(test, bid_ring_peek(ring, ahead), NULL);
	KUNIT_EXPECT_EQ(test, room_in(ring), SIZE - ahead);
	bid_ring_consume(ring, ahead - BODY - 16);
	KUNIT_EXPECT_EQ(test, take(test, ring, BUILDID_RECORD_MMAP).seq, 3);
	KUNIT_EXPECT_EQ(test, room_in(ring), SIZE);
}

static const struct size_case {
	const char *name;
	u32 size;
} sizes[] = {
	{ "40 bytes", 40 },	{ "136 bytes", 136 },	     { "1368 bytes", 1368 },
	{ "4088 bytes", 4088 }, { "all of the ring", SIZE },
};

KUNIT_ARRAY_PARAM_DESC(sizes, sizes, name);

/* Through many rounds, always as full as possible. */
static void never_splits_a_record_of(struct kunit *test)
{
	const struct size_case *of = test->param_value;
	u32 fit = SIZE / of->size, produced = 0, consumed = 0;
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	const struct buildid_record *record;

	while (consumed < 300) {
		while (produced - consumed < fit)
			KUNIT_ASSERT_EQ(test, put(ring, of->size, produced++), 0);
		record = bid_ring_peek(ring, 0);
		KUNIT_ASSERT_NOT_NULL(test, record);
		KUNIT_ASSERT_EQ(test, record->size, of->size);
		KUNIT_ASSERT_EQ(test, record->seq, consumed + 1);
		KUNIT_ASSERT_TRUE(test, is_filled(record, consumed));
		bid_ring_consume(ring, record->size);
		consumed++;
	}
	KUNIT_EXPECT_EQ(test, bid_ring_producer(ring)->pos, (u64)produced * of->size);
	KUNIT_EXPECT_EQ(test, ring->full, 0);
}

static void has_room_for_exactly_its_size(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	u64 records = bid_stats_sum(BID_STAT_RECORDS);

	KUNIT_EXPECT_EQ(test, put(ring, SIZE + 8, 0), -ENOSPC);
	ring->full = 0;
	KUNIT_EXPECT_EQ(test, put(ring, SIZE - 40, 1), 0);
	KUNIT_EXPECT_EQ(test, room_in(ring), 40);
	KUNIT_EXPECT_EQ(test, put(ring, 40, 2), 0);
	KUNIT_EXPECT_EQ(test, room_in(ring), 0);
	KUNIT_EXPECT_EQ(test, put(ring, 40, 3), -ENOSPC);
	KUNIT_EXPECT_EQ(test, drain(ring), 2);
	KUNIT_EXPECT_EQ(test, room_in(ring), SIZE);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_RECORDS) - records, 2);
}

/* ------------------------------------------------------------------ losses -- */

static void counts_what_it_drops_and_reports_once_there_is_room(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	u64 full = bid_stats_sum(BID_STAT_RING_FULL), seq;
	u32 n = fill_up(ring), dropped = 1, i;

	for (i = 0; i < 5; i++, dropped++)
		KUNIT_EXPECT_EQ(test, put(ring, BODY, 0xff), -ENOSPC);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_RING_FULL) - full, dropped);

	/* room for the record, but not for the LOST record before it */
	take(test, ring, BUILDID_RECORD_MMAP);
	KUNIT_ASSERT_LT(test, room_in(ring), BODY + LOST);
	KUNIT_EXPECT_EQ(test, put(ring, BODY, 0xff), -ENOSPC);
	dropped++;
	take(test, ring, BUILDID_RECORD_MMAP);
	KUNIT_EXPECT_EQ(test, put(ring, BODY, 0xaa), 0);

	for (i = 2; i < n; i++)
		seq = take(test, ring, BUILDID_RECORD_MMAP).seq;
	KUNIT_EXPECT_EQ(test, seq, n);
	KUNIT_EXPECT_EQ(test, next_lost(test, ring, dropped, 0, 0), n + dropped + 1);
	KUNIT_EXPECT_EQ(test, take(test, ring, BUILDID_RECORD_MMAP).seq, n + dropped + 2);

	/* once */
	KUNIT_EXPECT_EQ(test, put(ring, BODY, 0), 0);
	KUNIT_EXPECT_EQ(test, take(test, ring, BUILDID_RECORD_MMAP).seq, n + dropped + 3);
}

static u64 lost_mmaps(struct kunit *test, struct bid_ring *ring)
{
	const struct buildid_record *record;

	bid_ring_report_lost(ring, 0);
	record = bid_ring_peek(ring, 0);
	KUNIT_ASSERT_NOT_NULL(test, record);
	return container_of(record, const struct buildid_lost, header)->ring_full_mmaps;
}

static void counts_mappings_apart_from_records(struct kunit *test)
{
	struct bid_ring_request task = { BUILDID_RECORD_FORK, BODY };
	u64 full = bid_stats_sum(BID_STAT_RING_FULL_MMAPS);
	struct bid_ring *ring = start_ring(test, SIZE, 0);

	fill_up(ring);
	/* with the one that did not fit: two mappings, of four records */
	KUNIT_EXPECT_EQ(test, put(ring, BODY, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, put_request(ring, &task, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, put_file(ring, 9), -ENOSPC);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_RING_FULL_MMAPS) - full, 2);
	drain(ring);
	KUNIT_EXPECT_EQ(test, lost_mmaps(test, ring), 2);
	next_lost(test, ring, 4, 0, 0);
	/* counting starts again */
	fill_up(ring);
	drain(ring);
	KUNIT_EXPECT_EQ(test, lost_mmaps(test, ring), 1);
}

/* Two producers sample the count and reserve in the opposite order. */
static void reports_no_miss_twice_in_whatever_order_producers_come(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	struct bid_ring_request request = A_BODY;

	request.missed = 6;
	KUNIT_ASSERT_EQ(test, put_request(ring, &request, 0), 0);
	request.missed = 5;
	KUNIT_ASSERT_EQ(test, put_request(ring, &request, 0), 0);
	next_lost(test, ring, 0, 0, 6);
	take(test, ring, BUILDID_RECORD_MMAP);
	take(test, ring, BUILDID_RECORD_MMAP);
	/* nor when there is something else to report */
	fill_up(ring);
	drain(ring);
	bid_ring_report_lost(ring, 5);
	next_lost(test, ring, 1, 0, 0);
	bid_ring_report_lost(ring, 7);
	next_lost(test, ring, 0, 0, 1);
}

static void reports_losses_that_nothing_came_after(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	u32 n = fill_up(ring);

	bid_ring_report_lost(ring, 0);
	KUNIT_EXPECT_EQ(test, drain(ring), n);
	bid_ring_report_lost(ring, 0);
	KUNIT_EXPECT_EQ(test, next_lost(test, ring, 1, 0, 0), n + 2);
	bid_ring_report_lost(ring, 0);
	KUNIT_EXPECT_PTR_EQ(test, bid_ring_peek(ring, 0), NULL);
}

static void reports_unresolved_and_missed_mappings(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	struct bid_ring_request request = A_BODY;
	u32 i;

	request.unresolved = true;
	request.missed = 3;
	/* misses come before the record that finds them; unresolved ones after it */
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, put_request(ring, &request, 0), 0);
	next_lost(test, ring, 0, 0, 3);
	KUNIT_EXPECT_EQ(test, take(test, ring, BUILDID_RECORD_MMAP).seq, 2);
	next_lost(test, ring, 0, 1, 0);
	KUNIT_EXPECT_EQ(test, take(test, ring, BUILDID_RECORD_MMAP).seq, 4);
	bid_ring_report_lost(ring, 10);
	next_lost(test, ring, 0, 1, 7);
	bid_ring_report_lost(ring, 10);
	KUNIT_EXPECT_PTR_EQ(test, bid_ring_peek(ring, 0), NULL);
}

static void does_not_report_what_was_missed_before_it(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);

	bid_ring_exit(ring);
	KUNIT_ASSERT_EQ(test, bid_ring_init(ring, SIZE, 0, ring->waiters, 1000), 0);
	bid_ring_report_lost(ring, 1000);
	KUNIT_EXPECT_PTR_EQ(test, bid_ring_peek(ring, 0), NULL);
	bid_ring_report_lost(ring, 1001);
	next_lost(test, ring, 0, 0, 1);
}

static void does_not_count_dropped_records_as_unresolved(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	struct bid_ring_request request = A_BODY;

	request.unresolved = true;
	fill_up(ring);
	KUNIT_EXPECT_EQ(test, put_request(ring, &request, 0), -ENOSPC);
	drain(ring);
	bid_ring_report_lost(ring, 0);
	next_lost(test, ring, 2, 0, 0);
}

/* ------------------------------------------------------- FILE records sent -- */

static void knows_which_file_records_were_sent(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	u32 i;

	KUNIT_EXPECT_FALSE(test, bid_ring_file_sent(ring, 5));
	KUNIT_EXPECT_FALSE(test, sent_before(test, ring, 5));
	KUNIT_EXPECT_TRUE(test, bid_ring_file_sent(ring, 5));
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_TRUE(test, sent_before(test, ring, 5));
	KUNIT_EXPECT_FALSE(test, sent_before(test, ring, 6));
	KUNIT_EXPECT_TRUE(test, sent_before(test, ring, 5));
	/* each has a number; a record refused for a missing FILE is not lost, and has no number */
	for (i = 1; i <= 15; i++)
		KUNIT_EXPECT_EQ(test, bid_ring_peek(ring, (i - 1) * BODY)->seq, i);
}

static void keeps_a_promise_until_the_file_record_is_sent(struct kunit *test)
{
	struct bid_ring_request promise = { BUILDID_RECORD_MMAP, BODY, 5, .promise = true };
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	u32 i;

	KUNIT_EXPECT_FALSE(test, bid_ring_file_promised(ring, 5));
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, put_request(ring, &promise, 0), 0);
		KUNIT_EXPECT_FALSE(test, promise.sent);
		KUNIT_EXPECT_TRUE(test, bid_ring_file_promised(ring, 5));
		KUNIT_EXPECT_FALSE(test, bid_ring_file_sent(ring, 5));
		/* without a promise, the FILE must have been sent */
		KUNIT_EXPECT_EQ(test, put_mmap(ring, 5), -ESTALE);
	}
	KUNIT_EXPECT_EQ(test, put_file(ring, 5), 0);
	KUNIT_EXPECT_EQ(test, put_request(ring, &promise, 0), 0);
	KUNIT_EXPECT_TRUE(test, promise.sent);
	KUNIT_EXPECT_FALSE(test, bid_ring_file_promised(ring, 5));
	KUNIT_EXPECT_TRUE(test, bid_ring_file_sent(ring, 5));

	promise.file_id = 6;
	KUNIT_EXPECT_EQ(test, put_request(ring, &promise, 0), 0);
	fill_up(ring);
	KUNIT_EXPECT_FALSE(test, bid_ring_file_promised(ring, 6));
}

/* The fast path, for a record that needs no other record before it. */
static struct buildid_record *begin(struct bid_ring *ring, u32 size, u64 file_id, u64 missed)
{
	struct buildid_record *record;

	preempt_disable();
	record = bid_ring_begin(ring, BUILDID_RECORD_MMAP, size, file_id, false, missed, 1234);
	if (record) {
		fill(record, size, 0x33);
		bid_ring_commit_size(record, size);
	}
	preempt_enable();
	return record;
}

static void begins_a_record_that_needs_no_other(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	const struct buildid_record *record;

	/* the file is not sent */
	KUNIT_EXPECT_PTR_EQ(test, begin(ring, BODY, 5, 0), NULL);
	KUNIT_EXPECT_FALSE(test, sent_before(test, ring, 5));
	KUNIT_EXPECT_PTR_EQ(test, begin(ring, BODY, 5 + ring->sent_mask + 1, 0), NULL);
	/* a LOST record is due */
	KUNIT_EXPECT_PTR_EQ(test, begin(ring, BODY, 5, 1), NULL);
	KUNIT_EXPECT_EQ(test, drain(ring), 2);
	KUNIT_EXPECT_EQ(test, ring->full, 0);

	KUNIT_EXPECT_NOT_NULL(test, begin(ring, BODY + 8, 5, 0));
	record = bid_ring_peek(ring, 0);
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, record->size, BODY + 8);
	KUNIT_EXPECT_EQ(test, record->type, BUILDID_RECORD_MMAP);
	KUNIT_EXPECT_EQ(test, record->seq, 3);
	KUNIT_EXPECT_EQ(test, record->time_perf, 1234);
	KUNIT_EXPECT_TRUE(test, is_filled(record, 0x33));
}

static void begins_a_record_whose_file_follows(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	struct buildid_record *record;

	preempt_disable();
	record = bid_ring_begin(ring, BUILDID_RECORD_MMAP, BODY, 5, true, 0, 1234);
	if (record)
		bid_ring_commit_size(record, BODY);
	preempt_enable();
	KUNIT_EXPECT_NOT_NULL(test, record);
	KUNIT_EXPECT_TRUE(test, bid_ring_file_promised(ring, 5));
	KUNIT_EXPECT_FALSE(test, bid_ring_file_sent(ring, 5));
	/* without a promise, the FILE must have been sent */
	KUNIT_EXPECT_PTR_EQ(test, begin(ring, BODY, 5, 0), NULL);
	KUNIT_EXPECT_EQ(test, drain(ring), 1);
}

static void begins_no_record_without_room_and_counts_none(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);

	KUNIT_EXPECT_FALSE(test, sent_before(test, ring, 5));
	while (room_in(ring) >= BODY)
		KUNIT_ASSERT_NOT_NULL(test, begin(ring, BODY, 5, 0));
	KUNIT_EXPECT_PTR_EQ(test, begin(ring, BODY, 5, 0), NULL);
	KUNIT_EXPECT_EQ(test, ring->full, 0);
	/* space freed by the consumer is noticed */
	take(test, ring, BUILDID_RECORD_FILE);
	KUNIT_EXPECT_NOT_NULL(test, begin(ring, BODY, 5, 0));

	/* after a loss all are sent again */
	KUNIT_EXPECT_EQ(test, put(ring, BODY, 0), -ENOSPC);
	drain(ring);
	KUNIT_EXPECT_PTR_EQ(test, begin(ring, BODY, 5, 0), NULL);
}

static void sends_file_records_again_after_a_loss(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);

	KUNIT_EXPECT_FALSE(test, sent_before(test, ring, 5));
	KUNIT_EXPECT_FALSE(test, sent_before(test, ring, 6));
	fill_up(ring);
	drain(ring);
	KUNIT_EXPECT_FALSE(test, bid_ring_file_sent(ring, 5));
	KUNIT_EXPECT_FALSE(test, sent_before(test, ring, 5));
	KUNIT_EXPECT_FALSE(test, sent_before(test, ring, 6));
	KUNIT_EXPECT_TRUE(test, sent_before(test, ring, 5));
}

/* Files that share a slot of the table get a FILE record too often, never too seldom. */
static void only_repeats_itself_when_its_table_is_too_small(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	u64 slots = ring->sent_mask + 1, i;

	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_FALSE(test, sent_before(test, ring, 5));
		KUNIT_EXPECT_FALSE(test, sent_before(test, ring, 5 + slots));
		drain(ring);
	}
	/* as many others as there are slots, and then some */
	for (i = 100; i < 100 + 3 * slots; i++) {
		KUNIT_EXPECT_FALSE(test, sent_before(test, ring, i));
		KUNIT_EXPECT_TRUE(test, sent_before(test, ring, i));
		drain(ring);
	}
}

static void never_mistakes_one_file_for_another(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	u64 slots = ring->sent_mask + 1;
	u32 bit;

	KUNIT_EXPECT_FALSE(test, sent_before(test, ring, 5));
	for (bit = ilog2(slots); bit < 46; bit++) {
		KUNIT_EXPECT_FALSE(test, bid_ring_file_sent(ring, 5 + (1ULL << bit)));
		KUNIT_EXPECT_FALSE(test, bid_ring_file_sent(ring, 5 + (1ULL << bit)));
	}
	KUNIT_EXPECT_TRUE(test, bid_ring_file_sent(ring, 5));
}

/* Through every value of the epoch, and the first ones again. */
static void does_not_remember_after_forgetting_often(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	u32 i, remembered = 0;

	KUNIT_EXPECT_FALSE(test, sent_before(test, ring, 5));
	for (i = 0; i < (1 << 16) + 10; i++) {
		forget_sent(ring);
		remembered += bid_ring_file_sent(ring, 5);
	}
	KUNIT_EXPECT_EQ(test, remembered, 0);
	KUNIT_EXPECT_FALSE(test, sent_before(test, ring, 5));
	KUNIT_EXPECT_TRUE(test, sent_before(test, ring, 5));
}

/* All within one round of the salt, but never many at a time, as this runs in the hook. */
static void clears_its_table_a_little_at_a_time(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, 64 << 20, 0);
	u32 i, left = 0, cleared, most = 0;

	memset(ring->sent, 0xff, (ring->sent_mask + 1) * sizeof(*ring->sent));
	for (i = 0; i < BID_RING_SALTS; i++) {
		cleared = ring->sent_cleared;
		forget_sent(ring);
		most = max(most, ring->sent_cleared - cleared);
	}
	for (i = 0; i <= ring->sent_mask; i++)
		left += !!ring->sent[i];
	KUNIT_EXPECT_EQ(test, left, 0);
	KUNIT_EXPECT_LE(test, most, 8);
}

/* --------------------------------------------- a consumer that cannot be trusted -- */

static const struct position {
	const char *name;
	s64 from_consumer;
	bool from_producer;
} positions[] = {
	{ "one record back", -(s64)BODY },
	{ "8 bytes back", -8 },
	{ "a ring back", -(s64)SIZE },
	{ "to the beginning of time", S64_MIN },
	{ "to the middle of an 8-byte word", 4 },
	{ "to an odd byte", 1 },
	{ "a ring past the producer", SIZE, true },
	{ "4 GiB past the producer", 1LL << 32, true },
	{ "to the end of time", S64_MAX, true },
	{ "an odd byte past the producer", 1, true },
};

KUNIT_ARRAY_PARAM_DESC(positions, positions, name);

/* Unconsumed records are not overwritten, and only room is lost. */
static void does_not_believe_a_consumer_that_goes(struct kunit *test)
{
	const struct position *of = test->param_value;
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	u32 n, consumed, i, dropped = 0;
	const struct buildid_record *record;
	u64 right, seq = 0;

	/* somewhere past the first round */
	for (i = 0; i < 50; i++) {
		KUNIT_ASSERT_EQ(test, put(ring, BODY, 0), 0);
		drain(ring);
	}
	for (n = 0; n < 30; n++)
		KUNIT_ASSERT_EQ(test, put(ring, BODY, n), 0);
	for (consumed = 0; consumed < 3; consumed++)
		seq = take(test, ring, BUILDID_RECORD_MMAP).seq;
	KUNIT_ASSERT_EQ(test, put(ring, BODY, n++), 0);

	/* have it looked at while it is right */
	KUNIT_EXPECT_GT(test, room_in(ring), 0);
	right = bid_ring_consumer(ring)->pos;
	WRITE_ONCE(bid_ring_consumer(ring)->pos,
		   (of->from_producer ? bid_ring_producer(ring)->pos : right) + of->from_consumer);
	for (i = 0; i < 2 * SIZE / BODY; i++) {
		if (put(ring, BODY, n)) {
			dropped++;
			continue;
		}
		KUNIT_EXPECT_EQ(test, dropped, 0);
		n++;
	}
	KUNIT_EXPECT_LE(test, (u64)n * BODY, SIZE + consumed * BODY);
	KUNIT_EXPECT_GT(test, dropped, 0);
	KUNIT_EXPECT_EQ(test, ring->limit, right + SIZE);
	/* these use the consumer's position, but stay within the ring */
	record = bid_ring_record(ring, bid_ring_consumer(ring)->pos);
	KUNIT_EXPECT_TRUE(test, IS_ALIGNED((unsigned long)record, 8));
	KUNIT_EXPECT_LT(test, (void *)record - bid_ring_record(ring, 0), SIZE);
	KUNIT_EXPECT_GE(test, (void *)record - bid_ring_record(ring, 0), 0);
	bid_ring_ready(ring, 0);
	begin_to_wait(ring);
	bid_ring_wake(ring);
	bid_ring_report_lost(ring, 0);

	WRITE_ONCE(bid_ring_consumer(ring)->pos, right);
	for (i = consumed; i < n; i++) {
		record = bid_ring_peek(ring, 0);
		KUNIT_ASSERT_NOT_NULL(test, record);
		KUNIT_ASSERT_EQ(test, record->type, BUILDID_RECORD_MMAP);
		KUNIT_ASSERT_EQ(test, record->size, BODY);
		KUNIT_ASSERT_EQ(test, record->seq, ++seq);
		KUNIT_ASSERT_TRUE(test, is_filled(record, i));
		bid_ring_consume(ring, record->size);
	}
	bid_ring_report_lost(ring, 0);
	next_lost(test, ring, dropped, 0, 0);
	KUNIT_EXPECT_EQ(test, put(ring, BODY, 0), 0);
}

static void gives_a_consumer_the_room_it_gives_back(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	u32 i;

	for (i = 0; i < 1000; i++) {
		KUNIT_ASSERT_EQ(test, put(ring, 1024, i), 0);
		WRITE_ONCE(bid_ring_consumer(ring)->pos, bid_ring_producer(ring)->pos);
		KUNIT_ASSERT_EQ(test, room_in(ring), SIZE);
	}
}

/* ------------------------------------------------------------------ wake-ups -- */

static void wakes_only_who_sleeps(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);

	KUNIT_ASSERT_EQ(test, put(ring, BODY, 0), 0);
	bid_ring_wake(ring);
	KUNIT_EXPECT_EQ(test, woken(ring), 0);
	/* no need to sleep */
	KUNIT_EXPECT_FALSE(test, begin_to_wait(ring));

	drain(ring);
	KUNIT_EXPECT_TRUE(test, begin_to_wait(ring));
	KUNIT_ASSERT_EQ(test, put(ring, BODY, 0), 0);
	bid_ring_wake(ring);
	KUNIT_EXPECT_EQ(test, woken(ring), 1);
	KUNIT_ASSERT_EQ(test, put(ring, BODY, 0), 0);
	bid_ring_wake(ring);
	KUNIT_EXPECT_EQ(test, woken(ring), 1);
}

/* Edge-triggered epoll looks only when it is woken. */
static void wakes_who_looked_while_there_was_something(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);

	KUNIT_ASSERT_EQ(test, put(ring, BODY, 0), 0);
	KUNIT_EXPECT_FALSE(test, begin_to_wait(ring));
	drain(ring);
	KUNIT_ASSERT_EQ(test, put(ring, BODY, 0), 0);
	bid_ring_wake(ring);
	KUNIT_EXPECT_EQ(test, woken(ring), 1);
}

static void wakes_at_the_watermark(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 10 * BODY);
	u32 i;

	KUNIT_EXPECT_TRUE(test, begin_to_wait(ring));
	for (i = 0; i < 9; i++) {
		KUNIT_ASSERT_EQ(test, put(ring, BODY, 0), 0);
		bid_ring_wake(ring);
		KUNIT_EXPECT_TRUE(test, begin_to_wait(ring));
	}
	KUNIT_EXPECT_EQ(test, woken(ring), 0);
	KUNIT_EXPECT_TRUE(test, bid_ring_ready(ring, 0));
	KUNIT_ASSERT_EQ(test, put(ring, BODY, 0), 0);
	bid_ring_wake(ring);
	KUNIT_EXPECT_EQ(test, woken(ring), 1);
	KUNIT_EXPECT_FALSE(test, begin_to_wait(ring));
}

/* A busy record at the head must not cost the wake-up for the one after it. */
static void wakes_when_the_oldest_record_is_complete(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	struct buildid_record *first;

	KUNIT_EXPECT_TRUE(test, begin_to_wait(ring));
	first = ring_reserve(ring, &A_BODY);
	KUNIT_ASSERT_FALSE(test, IS_ERR(first));
	KUNIT_ASSERT_EQ(test, put(ring, BODY, 0), 0);
	bid_ring_wake(ring);
	KUNIT_EXPECT_EQ(test, woken(ring), 0);
	ring_commit(first);
	bid_ring_wake(ring);
	KUNIT_EXPECT_EQ(test, woken(ring), 1);
}

/*
 * Records are dropped while less than the watermark is waiting: no later record could wake the
 * consumer either.
 */
static void wakes_when_it_is_full_whatever_the_watermark(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, SIZE - 1);

	KUNIT_EXPECT_TRUE(test, begin_to_wait(ring));
	fill_up(ring);
	KUNIT_ASSERT_LT(test, bid_ring_producer(ring)->pos, SIZE - 1);
	bid_ring_wake(ring);
	KUNIT_EXPECT_EQ(test, woken(ring), 1);
	KUNIT_EXPECT_FALSE(test, begin_to_wait(ring));
}

/* The consumer has to look again once it has made room, and does so only when woken. */
static void wakes_who_has_losses_to_hear_of_until_there_is_room(struct kunit *test)
{
	struct bid_ring *ring = start_ring(test, SIZE, 0);
	int i;

	fill_up(ring);
	for (i = 1; i < 4; i++) {
		begin_to_wait(ring);
		KUNIT_EXPECT_TRUE(test, bid_ring_poll(ring, 0));
		KUNIT_EXPECT_EQ(test, woken(ring), i);
	}
	drain(ring);
	begin_to_wait(ring);
	KUNIT_EXPECT_TRUE(test, bid_ring_poll(ring, 0));
	next_lost(test, ring, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, woken(ring), i - 1);
}

/* ---------------------------------------------------------------- concurrency -- */

#define RACE_FILES     40
#define RACE_RECORDS   4000
#define RACE_PRODUCERS 3
#define HOLDS_ALL      (2048 * SIZE)

/* What the consumer must find in a record of the race: a FILE, or an MMAP. */
struct race_record {
	struct buildid_record header;
	u64 file_id;
	u32 producer;
	u32 number;
	u64 check[];
};

/**
 * struct race - producers and what the consumer has seen of them
 * @ring: between them
 * @running: producers not done yet
 * @dropped: records that producers could not write
 * @put: records they wrote
 * @records: records consumed, except LOST
 * @lost: as the LOST records say
 * @seq: of the last record
 * @hole: numbers missing since the last LOST record
 * @last: the last number of each producer
 * @sent: files whose FILE record the consumer may rely on
 * @fault: what was wrong
 */
struct race {
	struct bid_ring *ring;
	atomic_t running;
	atomic_t dropped;
	atomic_t put;
	u32 records;
	u64 lost;
	u64 seq;
	u64 hole;
	u32 last[RACE_PRODUCERS];
	bool sent[RACE_FILES + 1];
	const char *fault;
};

struct race_producer {
	struct race *race;
	u32 number;
};

static void fill_check(u64 *check, const struct buildid_record *record, u32 size, u64 with)
{
	while ((void *)check < (void *)record + size)
		*check++ = with;
}

static bool check_holds(const u64 *check, const struct buildid_record *record, u64 with)
{
	while ((void *)check < (void *)record + record->size)
		if (*check++ != with)
			return false;
	return true;
}

/* By the fast path if possible, as the hook does. */
static struct buildid_record *reserve(struct bid_ring *ring, struct bid_ring_request *request)
{
	struct buildid_record *record = NULL;

	if (request->type == BUILDID_RECORD_MMAP && request->file_id)
		record = bid_ring_begin(ring, request->type, request->size, request->file_id, false,
					0, 0);
	return record ?: bid_ring_reserve(ring, request);
}

static int put_random(struct race_producer *producer, struct rnd_state *rnd, u16 type, u64 file_id,
		      u32 number)
{
	struct bid_ring_request request = {
		.type = type,
		.size = sizeof(struct race_record) + 8 * (prandom_u32_state(rnd) % 20),
		.file_id = file_id,
	};
	struct race *race = producer->race;
	struct race_record *mine;
	struct buildid_record *record;

	preempt_disable();
	record = reserve(race->ring, &request);
	if (IS_ERR(record)) {
		preempt_enable();
		if (record == ERR_PTR(-ENOSPC))
			atomic_inc(&race->dropped);
		return PTR_ERR(record);
	}
	if (prandom_u32_state(rnd) % 64 == 0)
		udelay(5);
	mine = container_of(record, struct race_record, header);
	mine->file_id = file_id;
	mine->producer = producer->number;
	mine->number = number;
	fill_check(mine->check, record, request.size, number);
	bid_ring_commit(record);
	preempt_enable();
	bid_ring_wake(race->ring);
	atomic_inc(&race->put);
	return 0;
}

static void put_some(struct race_producer *producer, struct rnd_state *rnd, u32 number)
{
	u64 file_id = prandom_u32_state(rnd) % (RACE_FILES + 1);

	if (put_random(producer, rnd, BUILDID_RECORD_MMAP, file_id, number) == -ESTALE)
		put_random(producer, rnd, BUILDID_RECORD_FILE, file_id, number);
}

static int produce(void *data)
{
	struct race_producer *producer = data;
	struct race *race = producer->race;
	struct rnd_state rnd;
	u32 i;

	prandom_seed_state(&rnd, 1000 + producer->number);
	for (i = 1; i <= RACE_RECORDS; i++) {
		put_some(producer, &rnd, i);
		/* let the consumer catch up now and then */
		if (i % 256 == 0)
			schedule_timeout_uninterruptible(1);
	}
	atomic_dec(&race->running);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static const char *fault_of(struct race *race, const struct race_record *record)
{
	if (record->producer >= RACE_PRODUCERS || record->file_id > RACE_FILES)
		return "a record of nobody";
	if (!check_holds(record->check, &record->header, record->number))
		return "a record is damaged";
	if (record->number <= race->last[record->producer])
		return "a producer's records changed places";
	race->last[record->producer] = record->number;
	/* the table of sent files is small, so it may be sent again */
	if (record->header.type == BUILDID_RECORD_FILE)
		race->sent[record->file_id] = true;
	else if (record->file_id && !race->sent[record->file_id])
		return "a record without its FILE record before it";
	return NULL;
}

static const char *lost_fault(struct race *race, const struct buildid_lost *lost)
{
	if (lost->ring_full != race->hole)
		return "LOST does not count the hole";
	if (lost->unresolved || lost->missed_probe)
		return "LOST reports other losses";
	race->lost += lost->ring_full;
	race->hole = 0;
	memset(race->sent, 0, sizeof(race->sent));
	return NULL;
}

static const char *record_fault(struct race *race, const struct buildid_record *record)
{
	if (record->seq <= race->seq)
		return "seq does not grow";
	race->hole += record->seq - race->seq - 1;
	race->seq = record->seq;
	if (record->type == BUILDID_RECORD_LOST)
		return lost_fault(race, container_of(record, const struct buildid_lost, header));
	if (race->hole)
		return "a hole without LOST after it";
	race->records++;
	if (record->type == BUILDID_RECORD_FILE || record->type == BUILDID_RECORD_MMAP)
		return fault_of(race, container_of(record, const struct race_record, header));
	return "a record of no type";
}

static void consume_all(struct race *race)
{
	const struct buildid_record *record;

	/* after a fault the loop may not even end */
	while (!race->fault && (record = bid_ring_peek(race->ring, 0))) {
		race->fault = record_fault(race, record);
		bid_ring_consume(race->ring, record->size);
	}
}

static void keeps_its_promises_to_many_producers(struct kunit *test)
{
	const struct size_case *of = test->param_value;
	struct race_producer producers[RACE_PRODUCERS];
	struct task_struct *tasks[RACE_PRODUCERS];
	struct race *race = kunit_kzalloc(test, sizeof(*race), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, race);
	race->ring = start_ring(test, of->size, 0);
	atomic_set(&race->running, RACE_PRODUCERS);
	for (i = 0; i < RACE_PRODUCERS; i++) {
		producers[i] = (struct race_producer){ .race = race, .number = i };
		tasks[i] = kthread_run(produce, &producers[i], "buildid_kunit/%u", i);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tasks[i]);
	}
	while (atomic_read(&race->running)) {
		consume_all(race);
		if (begin_to_wait(race->ring))
			schedule_timeout_uninterruptible(1);
	}
	for (i = 0; i < RACE_PRODUCERS; i++)
		kthread_stop(tasks[i]);
	consume_all(race);
	bid_ring_report_lost(race->ring, 0);
	consume_all(race);

	KUNIT_EXPECT_PTR_EQ_MSG(test, race->fault, NULL, "%s", race->fault);
	KUNIT_EXPECT_EQ(test, race->records, atomic_read(&race->put));
	KUNIT_EXPECT_GE(test, race->lost, atomic_read(&race->dropped));
	KUNIT_EXPECT_EQ(test, race->hole, 0);
	KUNIT_EXPECT_EQ(test, room_in(race->ring), of->size);
	KUNIT_EXPECT_GT(test, woken(race->ring), 0);
	if (of->size == SIZE)
		KUNIT_EXPECT_GT(test, race->lost, 0);
	if (of->size == HOLDS_ALL)
		KUNIT_EXPECT_EQ(test, race->lost, 0);
}

static const struct size_case race_sizes[] = {
	{ "a page, that is too small", SIZE },
	{ "64 KiB", 16 * SIZE },
	{ "8 MiB, that holds all", HOLDS_ALL },
};

KUNIT_ARRAY_PARAM_DESC(race_sizes, race_sizes, name);

/* -------------------------------------------------------------------- init -- */

static const struct size_case ring_sizes[] = {
	{ "a page", SIZE },
	{ "two pages", 2 * SIZE },
	{ "1 MiB", 256 * SIZE },
};

KUNIT_ARRAY_PARAM_DESC(ring_sizes, ring_sizes, name);

static void sees_its_records_twice_in(struct kunit *test)
{
	const struct size_case *of = test->param_value;
	struct bid_ring *ring = start_ring(test, of->size, 0);
	u8 *records = bid_ring_record(ring, 0);
	u32 i, wrong = 0;

	KUNIT_EXPECT_EQ(test, room_in(ring), of->size);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(ring->area, 0, 2 * PAGE_SIZE + 2 * of->size), NULL);
	for (i = 0; i < of->size; i += 511)
		records[i] = i / 511 + 1;
	for (i = 0; i < of->size; i += 511)
		wrong += records[of->size + i] != (u8)(i / 511 + 1);
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static void counts_all_of_its_pages(struct kunit *test)
{
	u64 slots = 16 * SIZE / BYTES_PER_SENT;

	/* two of positions, those of records, a table of each */
	KUNIT_EXPECT_EQ(test, bid_ring_pages(16 * PAGE_SIZE),
			2 + 16 + DIV_ROUND_UP(slots * 8, PAGE_SIZE) + 1);
	slots = BID_RING_MAX / BYTES_PER_SENT;
	KUNIT_EXPECT_EQ(test, bid_ring_pages(BID_RING_MAX),
			2 + BID_RING_MAX / PAGE_SIZE + slots * 8 / PAGE_SIZE +
				DIV_ROUND_UP((2 + 2 * (u64)BID_RING_MAX / PAGE_SIZE) * 8,
					     PAGE_SIZE));
	KUNIT_EXPECT_GE(test, BID_RING_MIN, 2U * BUILDID_RECORD_MAX);
}

/* Fails at each of its allocations in turn. */
static void holds_nothing_when_it_cannot_start(struct kunit *test)
{
	struct bid_ring *ring = kunit_kzalloc(test, sizeof(*ring), GFP_KERNEL);
	u32 i;
	int err;

	KUNIT_ASSERT_NOT_NULL(test, ring);
	for (i = 1; i < 1000; i++) {
		alloc_expect(i);
		err = bid_ring_init(ring, 4 * SIZE, 0, NULL, 0);
		if (!alloc_failed())
			break;
		KUNIT_ASSERT_EQ_MSG(test, err, -ENOMEM, "allocation %u failed", i);
		KUNIT_ASSERT_EQ_MSG(test, atomic_read(&alloc.held), 0, "allocation %u failed", i);
	}
	alloc_expect(0);
	KUNIT_ASSERT_EQ(test, err, 0);
	/* two tables, a page for either side, four of records, the mapping */
	KUNIT_EXPECT_EQ(test, i, 1 + 2 + 2 + 4 + 1);
	bid_ring_exit(ring);
	/* this one, and all before it */
	KUNIT_EXPECT_EQ(test, atomic_read(&alloc.held), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(delivers_in_order_of_reservation),
	KUNIT_CASE(stops_before_a_busy_record),
	KUNIT_CASE(shows_records_before_they_are_consumed),
	KUNIT_CASE_PARAM(never_splits_a_record_of, sizes_gen_params),
	KUNIT_CASE(has_room_for_exactly_its_size),
	KUNIT_CASE(counts_what_it_drops_and_reports_once_there_is_room),
	KUNIT_CASE(counts_mappings_apart_from_records),
	KUNIT_CASE(reports_no_miss_twice_in_whatever_order_producers_come),
	KUNIT_CASE(reports_losses_that_nothing_came_after),
	KUNIT_CASE(reports_unresolved_and_missed_mappings),
	KUNIT_CASE(does_not_report_what_was_missed_before_it),
	KUNIT_CASE(does_not_count_dropped_records_as_unresolved),
	KUNIT_CASE(knows_which_file_records_were_sent),
	KUNIT_CASE(keeps_a_promise_until_the_file_record_is_sent),
	KUNIT_CASE(begins_a_record_that_needs_no_other),
	KUNIT_CASE(begins_a_record_whose_file_follows),
	KUNIT_CASE(begins_no_record_without_room_and_counts_none),
	KUNIT_CASE(sends_file_records_again_after_a_loss),
	KUNIT_CASE(only_repeats_itself_when_its_table_is_too_small),
	KUNIT_CASE(never_mistakes_one_file_for_another),
	KUNIT_CASE(does_not_remember_after_forgetting_often),
	KUNIT_CASE(clears_its_table_a_little_at_a_time),
	KUNIT_CASE_PARAM(does_not_believe_a_consumer_that_goes, positions_gen_params),
	KUNIT_CASE(gives_a_consumer_the_room_it_gives_back),
	KUNIT_CASE(wakes_only_who_sleeps),
	KUNIT_CASE(wakes_who_looked_while_there_was_something),
	KUNIT_CASE(wakes_at_the_watermark),
	KUNIT_CASE(wakes_when_the_oldest_record_is_complete),
	KUNIT_CASE(wakes_when_it_is_full_whatever_the_watermark),
	KUNIT_CASE(wakes_who_has_losses_to_hear_of_until_there_is_room),
	KUNIT_CASE_PARAM(keeps_its_promises_to_many_producers, race_sizes_gen_params),
	KUNIT_CASE_PARAM(sees_its_records_twice_in, ring_sizes_gen_params),
	KUNIT_CASE(counts_all_of_its_pages),
	KUNIT_CASE(holds_nothing_when_it_cannot_start),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_ring",
	.test_cases = cases,
};

kunit_test_suites(&suite);
