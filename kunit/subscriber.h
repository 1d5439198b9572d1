/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A subscriber whose ring the test reads, and made-up mappings to report to it.
 */
#ifndef BID_KUNIT_SUBSCRIBER_H
#define BID_KUNIT_SUBSCRIBER_H

#include <linux/mm.h>
#include <linux/pid_namespace.h>

#include "cache.h"
#include "event.h"
#include "files.h"

#define EXEC   (VM_READ | VM_EXEC | VM_MAYREAD | VM_MAYEXEC | VM_MAYWRITE)
#define DATA   (VM_READ | VM_MAYREAD | VM_MAYEXEC | VM_MAYWRITE)
#define SHARED (VM_READ | VM_WRITE | VM_SHARED | VM_MAYSHARE | VM_MAYREAD | VM_MAYWRITE)

#define MAPPED_AT    0x7f0000000000UL
#define MAPPED_LEN   (5 * PAGE_SIZE)
#define MAPPED_PGOFF 3

static inline struct vm_area_struct *make_vma(struct kunit *test, struct file *file,
					      vm_flags_t flags)
{
	struct vm_area_struct *vma = kunit_kzalloc(test, sizeof(*vma), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, vma);
	vma->vm_start = MAPPED_AT;
	vma->vm_end = MAPPED_AT + MAPPED_LEN;
	vma->vm_pgoff = MAPPED_PGOFF;
	vma->vm_file = file;
	vm_flags_init(vma, flags);
	return vma;
}

/**
 * struct test_subscriber - a subscriber under test
 * @wait: where its reader would wait
 * @subscriber: the subscriber
 */
struct test_subscriber {
	wait_queue_head_t wait;
	struct bid_subscriber *subscriber;
};

static inline void stop_subscriber(void *data)
{
	struct test_subscriber *sub = data;

	bid_event_remove(sub->subscriber);
	synchronize_rcu();
	bid_ring_exit(&sub->subscriber->ring);
	kfree(sub->subscriber);
}

static inline struct test_subscriber *start_subscriber(struct kunit *test, u32 flags, u32 ring_size,
						       u32 watermark, struct pid *pid)
{
	struct test_subscriber *sub = kunit_kzalloc(test, sizeof(*sub), GFP_KERNEL);
	struct bid_subscriber *subscriber;
	int err;

	KUNIT_ASSERT_NOT_NULL(test, sub);
	subscriber = kzalloc(struct_size(subscriber, pids, 1), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, subscriber);
	sub->subscriber = subscriber;
	subscriber->flags = flags;
	subscriber->pid_ns = &init_pid_ns;
	subscriber->pids[0] = pid;
	subscriber->nr_pids = !!pid;
	init_waitqueue_head(&sub->wait);
	err = bid_ring_init(&subscriber->ring, ring_size, watermark, &sub->wait, 0);
	if (!err) {
		err = bid_event_add(subscriber);
		if (err)
			bid_ring_exit(&subscriber->ring);
	}
	if (err) {
		kfree(subscriber);
		return ERR_PTR(err);
	}
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, stop_subscriber, sub), 0);
	return sub;
}

/* For everything executable, with a large ring. */
static inline struct test_subscriber *subscribe(struct kunit *test)
{
	struct test_subscriber *sub = start_subscriber(test, 0, 1 << 18, 0, NULL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, sub);
	return sub;
}

static inline bool ring_is_empty(struct test_subscriber *sub)
{
	return !bid_ring_peek(&sub->subscriber->ring, 0);
}

/* The next record, valid until the ring wraps. NULL if it has another type. */
static inline const struct buildid_record *next_record(struct test_subscriber *sub, u16 type)
{
	struct bid_ring *ring = &sub->subscriber->ring;
	const struct buildid_record *record = bid_ring_peek(ring, 0);

	if (!record || record->type != type)
		return NULL;
	bid_ring_consume(ring, record->size);
	return record;
}

static inline const struct buildid_file *next_file(struct kunit *test, struct test_subscriber *sub)
{
	const struct buildid_record *record = next_record(sub, BUILDID_RECORD_FILE);

	KUNIT_ASSERT_NOT_NULL(test, record);
	return container_of(record, const struct buildid_file, header);
}

static inline const struct buildid_mmap *next_mmap(struct kunit *test, struct test_subscriber *sub)
{
	const struct buildid_record *record = next_record(sub, BUILDID_RECORD_MMAP);

	KUNIT_ASSERT_NOT_NULL(test, record);
	return container_of(record, const struct buildid_mmap, header);
}

static inline void stop_module(void *unused)
{
	bid_cache_exit();
	stub_no_change_counter = false;
	stub_seconds_later = 0;
}

/* What subscribers need. Undone after a case's subscribers have ended. */
static inline int start_module(struct kunit *test)
{
	return bid_cache_init(16) ?: kunit_add_action_or_reset(test, stop_module, NULL);
}

#endif /* BID_KUNIT_SUBSCRIBER_H */
