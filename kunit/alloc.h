/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replaces the allocators in the .c that is included next: counts what is held, and fails on
 * demand. Include everything that .c includes first.
 */
#ifndef BID_KUNIT_ALLOC_H
#define BID_KUNIT_ALLOC_H

#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

/**
 * alloc - what the code under test did
 * @calls: for memory
 * @fail_at: the call that fails, counting from 1
 * @held: objects not freed
 */
static struct {
	atomic_t calls;
	int fail_at;
	atomic_t held;
} alloc;

/* The next calls: the @fail_at-th of them fails, none if it is 0. */
static inline void alloc_expect(int fail_at)
{
	atomic_set(&alloc.calls, 0);
	alloc.fail_at = fail_at;
}

static inline bool alloc_failed(void)
{
	return alloc.fail_at && atomic_read(&alloc.calls) >= alloc.fail_at;
}

static inline bool alloc_fails(void)
{
	return atomic_inc_return(&alloc.calls) == alloc.fail_at;
}

static inline void *alloc_held(void *object)
{
	if (object)
		atomic_inc(&alloc.held);
	return object;
}

static inline void alloc_dropped(const void *object)
{
	if (object)
		atomic_dec(&alloc.held);
}

static inline void *test_kvcalloc(size_t n, size_t size, gfp_t gfp)
{
	return alloc_fails() ? NULL : alloc_held(kvcalloc(n, size, gfp));
}

static inline void test_kvfree(const void *object)
{
	alloc_dropped(object);
	kvfree(object);
}

static inline void *test_kmalloc(size_t size, gfp_t gfp)
{
	return alloc_fails() ? NULL : alloc_held(kmalloc(size, gfp));
}

static inline void test_kfree(const void *object)
{
	alloc_dropped(object);
	kfree(object);
}

static inline void test_kfree_rcu(const void *object)
{
	alloc_dropped(object);
	kfree_rcu_mightsleep(object);
}

/* Opt-in, as some callers cannot handle failure. */
static inline void *test_kzalloc(size_t size, gfp_t gfp)
{
	return alloc_fails() ? NULL : alloc_held(kzalloc(size, gfp));
}

static inline struct page *test_alloc_page(gfp_t gfp)
{
	return alloc_fails() ? NULL : alloc_held(alloc_page(gfp));
}

static inline void test_free_page(struct page *page)
{
	alloc_dropped(page);
	__free_page(page);
}

static inline void *test_vmap(struct page **pages, unsigned int n, unsigned long flags,
			      pgprot_t prot)
{
	return alloc_fails() ? NULL : alloc_held(vmap(pages, n, flags, prot));
}

static inline void test_vunmap(const void *area)
{
	alloc_dropped(area);
	vunmap(area);
}

#undef kvcalloc
#undef kvfree
#undef kmalloc
#undef kfree
#undef kfree_rcu
#undef alloc_page
#undef __free_page
#undef vmap
#undef vunmap
#define kvcalloc	       test_kvcalloc
#define kvfree		       test_kvfree
#define kmalloc		       test_kmalloc
#define kfree		       test_kfree
#define kfree_rcu(object, ...) test_kfree_rcu(object)
#define alloc_page	       test_alloc_page
#define __free_page	       test_free_page
#define vmap		       test_vmap
#define vunmap		       test_vunmap

#endif /* BID_KUNIT_ALLOC_H */
