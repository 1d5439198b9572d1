// SPDX-License-Identifier: GPL-2.0
/*
 * The quota of cookies, and the cookies of files. One lock covers both: a user whose quota is
 * exhausted gets room by dropping the oldest of their file cookies. File cookies would pile up
 * otherwise, since the end of an inode cannot be observed without pinning it.
 *
 * A user who has cookies has a struct bid_cookie_owner, which counts them and is freed with the
 * last one. File cookies are looked up under RCU by tasks that read a file, and freed by
 * kfree_rcu(). The lock is a spinlock, taken in process context and by MMU notifiers, inside
 * mapping_cookie.c's. The cache's lock nests inside it, in process context only.
 *
 * Setting or removing a cookie changes the identity of a file but not its version, so the cache is
 * told to recheck the file; also when a cookie is dropped to make room for another.
 */
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "cache.h"
#include "cookie.h"

#define BITS	  8
#define FILE_BITS 12 /* BUILDID_COOKIES_TOTAL allows 16 per bucket */

/**
 * struct bid_cookie_owner - a user who has cookies
 * @node: in the hash of owners
 * @uid: the user
 * @count: number of cookies, never 0
 * @files: the cookies of files, oldest first
 */
struct bid_cookie_owner {
	struct hlist_node node;
	kuid_t uid;
	u32 count;
	struct list_head files;
};

/**
 * struct file_cookie - the cookie of a file
 * @node: in the hash of file cookies, under RCU
 * @in_owner: in bid_cookie_owner.files
 * @owner: whose quota it counts against
 * @uid: owner of the file; a file with the same key and another owner does not have this cookie
 * @key: which inode
 * @mtime: of the content it was set for
 * @size: of the content it was set for
 * @epoch: of the content it was set for
 * @id: the cookie
 * @rcu: frees it
 */
struct file_cookie {
	struct hlist_node node;
	struct list_head in_owner;
	struct bid_cookie_owner *owner;
	kuid_t uid;
	struct bid_key key;
	s64 mtime;
	u64 size;
	u32 epoch;
	struct bid_identity id;
	struct rcu_head rcu;
};

static DEFINE_SPINLOCK(lock);
static DEFINE_HASHTABLE(owners, BITS);
static DEFINE_HASHTABLE(files, FILE_BITS);
static siphash_key_t secret __read_mostly;
static u32 total;

static struct bid_cookie_owner *find_owner(kuid_t uid)
{
	struct bid_cookie_owner *owner;

	hash_for_each_possible(owners, owner, node, __kuid_val(uid))
		if (uid_eq(owner->uid, uid))
			return owner;
	return NULL;
}

static void cookie_uncharge(struct bid_cookie_owner *owner)
{
	lockdep_assert_held(&lock);
	WRITE_ONCE(total, total - 1);
	if (--owner->count)
		return;
	hash_del(&owner->node);
	kfree(owner);
}

/* After the change: a reader that misses the mark sees the new state. */
static void mark_recheck(const struct bid_key *key)
{
	rcu_read_lock();
	bid_cache_mark_recheck(key);
	rcu_read_unlock();
}

static void cookie_drop(struct file_cookie *cookie)
{
	lockdep_assert_held(&lock);
	hash_del_rcu(&cookie->node);
	list_del(&cookie->in_owner);
	cookie_uncharge(cookie->owner);
	mark_recheck(&cookie->key);
	kfree_rcu(cookie, rcu);
}

static bool may_have_more(const struct bid_cookie_owner *owner)
{
	return (!owner || owner->count < BUILDID_COOKIES_MAX) && total < BUILDID_COOKIES_TOTAL;
}

static bool make_room(struct bid_cookie_owner *owner)
{
	if (may_have_more(owner))
		return true;
	/* dropping the only one would free the owner, and gain no room */
	if (!owner || owner->count == 1 || list_empty(&owner->files))
		return false;
	cookie_drop(list_first_entry(&owner->files, struct file_cookie, in_owner));
	return may_have_more(owner);
}

/**
 * bid_cookie_charge() - charge a cookie to a user's quota
 * @uid: the user, from bid_user()
 *
 * May drop the oldest cookie of the user's files. May sleep.
 *
 * Return: the owner, for bid_cookie_uncharge(); ERR_PTR() of -EDQUOT or -ENOMEM.
 */
struct bid_cookie_owner *bid_cookie_charge(kuid_t uid)
{
	struct bid_cookie_owner *owner, *spare;

	spare = kzalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
	if (!spare)
		return ERR_PTR(-ENOMEM);
	spare->uid = uid;
	INIT_LIST_HEAD(&spare->files);

	spin_lock(&lock);
	owner = find_owner(uid);
	if (!make_room(owner)) {
		owner = ERR_PTR(-EDQUOT);
	} else {
		if (!owner) {
			owner = spare;
			spare = NULL;
			hash_add(owners, &owner->node, __kuid_val(uid));
		}
		owner->count++;
		WRITE_ONCE(total, total + 1);
	}
	spin_unlock(&lock);
	kfree(spare);
	return owner;
}

/* Undoes bid_cookie_charge(). Does not sleep; may be called under mapping_cookie.c's lock. */
void bid_cookie_uncharge(struct bid_cookie_owner *owner)
{
	spin_lock(&lock);
	cookie_uncharge(owner);
	spin_unlock(&lock);
}

u32 bid_cookie_count(void)
{
	return READ_ONCE(total);
}

/* siphash: the inode numbers of FUSE are chosen by its server, which can be any user's. */
static u32 hash_of(const struct bid_key *key)
{
	return siphash_3u64(key->ino, (u64)key->dev << 32 | key->generation, key->tree, &secret);
}

static struct file_cookie *find_file(const struct bid_key *key)
{
	struct file_cookie *cookie;

	hash_for_each_possible_rcu(files, cookie, node, hash_of(key), lockdep_is_held(&lock))
		if (bid_key_equal(&cookie->key, key))
			return cookie;
	return NULL;
}

/**
 * bid_cookie_set_file() - set the cookie of a file
 * @user: whose quota it counts against, from bid_user()
 * @file_owner: the inode's uid
 * @key: which inode
 * @version: which content
 * @id: the cookie
 *
 * Replaces the file's cookie, if it has one. May sleep.
 *
 * Return: 0, -EDQUOT or -ENOMEM.
 */
int bid_cookie_set_file(kuid_t user, kuid_t file_owner, const struct bid_key *key,
			const struct bid_version *version, const struct bid_identity *id)
{
	struct file_cookie *cookie, *old;

	cookie = kzalloc(sizeof(*cookie), GFP_KERNEL_ACCOUNT);
	if (!cookie)
		return -ENOMEM;
	cookie->owner = bid_cookie_charge(user);
	if (IS_ERR(cookie->owner)) {
		int err = PTR_ERR(cookie->owner);

		kfree(cookie);
		return err;
	}
	cookie->uid = file_owner;
	cookie->key = *key;
	cookie->mtime = version->mtime;
	cookie->size = version->size;
	cookie->epoch = version->epoch;
	cookie->id = *id;

	spin_lock(&lock);
	old = find_file(key);
	if (old)
		cookie_drop(old);
	hash_add_rcu(files, &cookie->node, hash_of(key));
	list_add_tail(&cookie->in_owner, &cookie->owner->files);
	mark_recheck(key);
	spin_unlock(&lock);
	return 0;
}

/* Returns false if the file has no cookie. Process context. */
bool bid_cookie_clear_file(const struct bid_key *key)
{
	struct file_cookie *cookie;

	spin_lock(&lock);
	cookie = find_file(key);
	if (cookie)
		cookie_drop(cookie);
	spin_unlock(&lock);
	return cookie;
}

/**
 * bid_cookie_of_file() - get the cookie of a file
 * @inode: bid_file_inode() of the file
 * @version: the version whose content is meant. Only mtime, size and epoch count: unlink and
 *	chmod change ctime but not the content
 * @id: filled in, except for the reason, if there is a cookie
 *
 * Any context.
 *
 * Return: whether there is one.
 */
bool bid_cookie_of_file(struct inode *inode, const struct bid_version *version,
			struct bid_identity *id)
{
	struct file_cookie *cookie;
	struct bid_key key;
	bool found = false;

	if (!bid_cookie_count())
		return false;
	bid_file_key(inode, &key);
	rcu_read_lock();
	cookie = find_file(&key);
	if (cookie && uid_eq(cookie->uid, inode->i_uid) && cookie->mtime == version->mtime &&
	    cookie->size == version->size && cookie->epoch == version->epoch) {
		id->kind = cookie->id.kind;
		id->len = cookie->id.len;
		memcpy(id->bytes, cookie->id.bytes, cookie->id.len);
		found = true;
	}
	rcu_read_unlock();
	return found;
}

/* Before the device is registered. */
void bid_cookie_init(void)
{
	get_random_bytes(&secret, sizeof(secret));
}

/* Nobody sets or looks up cookies any more, and those of mappings are gone. */
void bid_cookie_exit(void)
{
	struct file_cookie *cookie;
	struct hlist_node *next;
	int bucket;

	spin_lock(&lock);
	hash_for_each_safe(files, bucket, next, cookie, node)
		cookie_drop(cookie);
	spin_unlock(&lock);
	WARN_ON(total);
}
