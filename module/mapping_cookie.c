// SPDX-License-Identifier: GPL-2.0
/*
 * The cookies of mappings, by address space. A cookie ends with its mapping, and only an MMU
 * notifier sees every way in which a mapping can end: munmap, mremap, another mapping on top of it,
 * exec, exit. An address space gets a notifier with its first cookie, and keeps it until it ends.
 *
 * The lock is a spinlock that protects the hash of address spaces and their cookies. cookie.c's
 * nests inside it. It is taken in process context and by the notifier, which must not sleep. A
 * cookie is set under the mmap lock held for writing, so that its addresses stay mapped until it is
 * in place, and its record comes before those of later mappings there.
 *
 * A struct mm_cookies is freed by the notifier's SRCU callback, after on_release() or the module's
 * exit took it out of the hash and put its last reference.
 */
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait_bit.h>

#include "cookie.h"
#include "event.h"
#include "user.h"

/**
 * struct mm_cookies - the cookies of an address space; may be empty
 * @notifier: has a reference to the mm_struct
 * @node: in the hash of sets; unhashed when it is about to be freed
 * @cookies: by address; they do not overlap
 */
struct mm_cookies {
	struct mmu_notifier notifier;
	struct hlist_node node;
	struct rb_root cookies;
};

struct cookie {
	struct rb_node node;
	struct bid_cookie_owner *owner;
	struct bid_cookie_info info;
};

static DEFINE_HASHTABLE(sets, 8);
static DEFINE_SPINLOCK(lock);		  /* of sets and their cookies */
static atomic_t nr_sets = ATOMIC_INIT(0); /* all allocated ones, hashed or not */

/* The first cookie that ends after @addr. */
static struct cookie *first_after(const struct mm_cookies *set, u64 addr)
{
	struct rb_node *node = set->cookies.rb_node;
	struct cookie *found = NULL, *cookie;

	lockdep_assert_held(&lock);
	while (node) {
		cookie = rb_entry(node, struct cookie, node);
		if (cookie->info.end > addr) {
			found = cookie;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

static void mapping_cookie_insert(struct mm_cookies *set, struct cookie *cookie)
{
	struct rb_node **link = &set->cookies.rb_node, *parent = NULL;

	lockdep_assert_held(&lock);
	while (*link) {
		parent = *link;
		link = cookie->info.start < rb_entry(parent, struct cookie, node)->info.start ?
			       &parent->rb_left :
			       &parent->rb_right;
	}
	rb_link_node(&cookie->node, parent, link);
	rb_insert_color(&cookie->node, &set->cookies);
}

/* Drop all cookies that overlap the range. Returns whether there was one. */
static bool mapping_cookie_drop(struct mm_cookies *set, u64 start, u64 end)
{
	struct cookie *cookie;
	bool dropped = false;

	lockdep_assert_held(&lock);
	while ((cookie = first_after(set, start)) && cookie->info.start < end) {
		rb_erase(&cookie->node, &set->cookies);
		bid_cookie_uncharge(cookie->owner);
		kfree(cookie);
		dropped = true;
	}
	return dropped;
}

static int on_invalidate(struct mmu_notifier *notifier, const struct mmu_notifier_range *range)
{
	struct mm_cookies *set = container_of(notifier, struct mm_cookies, notifier);

	if (range->event != MMU_NOTIFY_UNMAP)
		return 0;
	spin_lock(&lock);
	mapping_cookie_drop(set, range->start, range->end);
	spin_unlock(&lock);
	return 0;
}

/* The caller then calls mmu_notifier_put() without the lock. */
static void remove_set(struct mm_cookies *set)
{
	lockdep_assert_held(&lock);
	mapping_cookie_drop(set, 0, ~0ULL);
	hash_del(&set->node);
}

/* The address space ends, by exit or exec. */
static void on_release(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	struct mm_cookies *set = container_of(notifier, struct mm_cookies, notifier);
	bool mine;

	spin_lock(&lock);
	mine = hash_hashed(&set->node);
	if (mine)
		remove_set(set);
	spin_unlock(&lock);
	if (mine)
		mmu_notifier_put(notifier);
}

static struct mmu_notifier *alloc_set(struct mm_struct *mm)
{
	struct mm_cookies *set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);

	if (!set)
		return ERR_PTR(-ENOMEM);
	atomic_inc(&nr_sets);
	return &set->notifier;
}

static void free_set(struct mmu_notifier *notifier)
{
	kfree(container_of(notifier, struct mm_cookies, notifier));
	if (atomic_dec_and_test(&nr_sets))
		wake_up_var(&nr_sets);
}

static const struct mmu_notifier_ops notifier_ops = {
	.alloc_notifier = alloc_set,
	.invalidate_range_start = on_invalidate,
	.release = on_release,
	.free_notifier = free_set,
};

static struct mm_cookies *find_set(const struct mm_struct *mm)
{
	struct mm_cookies *set;

	lockdep_assert_held(&lock);
	hash_for_each_possible(sets, set, node, (unsigned long)mm)
		if (set->notifier.mm == mm)
			return set;
	return NULL;
}

static bool is_mapped(struct mm_struct *mm, u64 start, u64 end)
{
	VMA_ITERATOR(vmi, mm, start);
	struct vm_area_struct *vma;

	mmap_assert_locked(mm);
	for_each_vma_range(vmi, vma, end) {
		if (vma->vm_start > start)
			return false;
		start = vma->vm_end;
	}
	return start >= end;
}

/*
 * The set of current's mm, created if necessary; it stays until the mm ends. The mmap lock keeps
 * other threads of the process from creating a second one.
 */
static struct mm_cookies *get_set(struct mm_struct *mm)
{
	struct mmu_notifier *notifier;
	struct mm_cookies *set;

	mmap_assert_write_locked(mm);
	spin_lock(&lock);
	set = find_set(mm);
	spin_unlock(&lock);
	if (set)
		return set;
	notifier = mmu_notifier_get_locked(&notifier_ops, mm);
	if (IS_ERR(notifier))
		return ERR_CAST(notifier);
	set = container_of(notifier, struct mm_cookies, notifier);
	spin_lock(&lock);
	hash_add(sets, &set->node, (unsigned long)mm);
	spin_unlock(&lock);
	return set;
}

static int put_locked(struct mm_struct *mm, struct cookie *cookie)
{
	const struct bid_cookie_info *info = &cookie->info;
	struct mm_cookies *set;

	if (!is_mapped(mm, info->start, info->end))
		return -ENOENT;
	set = get_set(mm);
	if (IS_ERR(set))
		return PTR_ERR(set);
	spin_lock(&lock);
	mapping_cookie_drop(set, info->start, info->end);
	mapping_cookie_insert(set, cookie);
	spin_unlock(&lock);
	bid_event_cookie(info);
	return 0;
}

/* The mmap lock is that of the caller's own process, so the caller can only delay itself. */
static int mapping_cookie_put(struct cookie *cookie)
{
	struct mm_struct *mm = current->mm;
	int err;

	err = mmap_write_lock_killable(mm);
	if (err)
		return err;
	err = put_locked(mm, cookie);
	mmap_write_unlock(mm);
	return err;
}

/**
 * bid_mapping_cookie_set() - set the cookie of an address range in current's mm
 * @info: the addresses and the cookie
 *
 * Replaces all cookies that overlap the range, and sends a COOKIE record. Process context; takes
 * the mmap lock.
 *
 * Return: 0; -ENOENT if part of it is not mapped; -EDQUOT; -ENOMEM; -EINTR.
 */
int bid_mapping_cookie_set(const struct bid_cookie_info *info)
{
	struct cookie *cookie;
	int err;

	cookie = kzalloc(sizeof(*cookie), GFP_KERNEL_ACCOUNT);
	if (!cookie)
		return -ENOMEM;
	cookie->info = *info;
	cookie->owner = bid_cookie_charge(bid_user());
	if (IS_ERR(cookie->owner)) {
		err = PTR_ERR(cookie->owner);
		goto err_free;
	}
	err = mapping_cookie_put(cookie);
	if (err)
		goto err_uncharge;
	return 0;

err_uncharge:
	bid_cookie_uncharge(cookie->owner);
err_free:
	kfree(cookie);
	return err;
}

/**
 * bid_mapping_cookie_clear() - drop the cookies of an address range in current's mm
 * @info: the addresses; the identity is empty
 *
 * Sends a COOKIE record. Process context; takes the mmap lock.
 *
 * Return: 0; -ENOENT if there is no cookie; -EINTR.
 */
int bid_mapping_cookie_clear(const struct bid_cookie_info *info)
{
	struct mm_struct *mm = current->mm;
	struct mm_cookies *set;
	bool dropped;
	int err;

	err = mmap_read_lock_killable(mm);
	if (err)
		return err;
	spin_lock(&lock);
	set = find_set(mm);
	dropped = set && mapping_cookie_drop(set, info->start, info->end);
	spin_unlock(&lock);
	if (dropped)
		bid_event_cookie(info);
	mmap_read_unlock(mm);
	return dropped ? 0 : -ENOENT;
}

/**
 * bid_mapping_cookie_next() - get the cookies of an address space, one by one
 * @mm: the address space; the caller has a reference
 * @from: where to begin
 * @info: filled in with the first cookie that ends after @from
 *
 * Process context.
 *
 * Return: whether there is one.
 */
bool bid_mapping_cookie_next(const struct mm_struct *mm, u64 from, struct bid_cookie_info *info)
{
	struct cookie *cookie = NULL;
	struct mm_cookies *set;

	spin_lock(&lock);
	set = find_set(mm);
	if (set)
		cookie = first_after(set, from);
	if (cookie)
		*info = cookie->info;
	spin_unlock(&lock);
	return cookie;
}

static struct mm_cookies *any_set(void)
{
	struct mm_cookies *set;
	int bucket;

	lockdep_assert_held(&lock);
	hash_for_each(sets, bucket, set, node)
		return set;
	return NULL;
}

/*
 * No cookies are set any more, but address spaces may still end and remove their sets. Every set
 * has to be freed before this module's code goes away. mmu_notifier_synchronize() does not wait
 * for that, so sets are counted. Then the last free_set() has to return: it runs with bottom halves
 * off, which is an RCU read-side section.
 */
void bid_mapping_cookie_exit(void)
{
	struct mm_cookies *set;

	for (;;) {
		spin_lock(&lock);
		set = any_set();
		if (set)
			remove_set(set);
		spin_unlock(&lock);
		if (!set)
			break;
		mmu_notifier_put(&set->notifier);
	}
	wait_var_event(&nr_sets, !atomic_read(&nr_sets));
	synchronize_rcu();
}
