// SPDX-License-Identifier: GPL-2.0
/*
 * An inode's end cannot be seen without pinning it, so a file's cookie stays
 * until its user needs the room.
 */
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>

#include "cookie.h"

#define BITS	  8
#define FILE_BITS 12 /* a few in a bucket, when there are as many as may be */

/**
 * struct bid_cookie_owner - a user that has cookies
 * @node: among the owners
 * @uid: who
 * @count: how many, 0 never
 * @files: those of files, oldest first
 */
struct bid_cookie_owner {
	struct hlist_node node;
	kuid_t uid;
	u32 count;
	struct list_head files;
};

/**
 * struct file_cookie - what its owner calls a file
 * @node: in its bucket, under RCU
 * @in_owner: among the owner's
 * @owner: who pays for it
 * @uid: of the file; who gets the inode number next has not named it
 * @key: which inode
 * @mtime: of the content it is for
 * @size: likewise
 * @epoch: likewise
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

static void uncharge(struct bid_cookie_owner *owner)
{
	lockdep_assert_held(&lock);
	WRITE_ONCE(total, total - 1);
	if (--owner->count)
		return;
	hash_del(&owner->node);
	kfree(owner);
}

static void drop(struct file_cookie *cookie)
{
	lockdep_assert_held(&lock);
	hash_del_rcu(&cookie->node);
	list_del(&cookie->in_owner);
	uncharge(cookie->owner);
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
	/* the last one would take the owner with it, and does not help */
	if (!owner || owner->count == 1 || list_empty(&owner->files))
		return false;
	drop(list_first_entry(&owner->files, struct file_cookie, in_owner));
	return may_have_more(owner);
}

static kuid_t user_of(struct user_namespace *ns, kuid_t uid)
{
	kuid_t root;

	if (ns == &init_user_ns)
		return uid;
	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
		return ns->owner;
	root = make_kuid(ns, 0);
	return uid_valid(root) ? root : ns->owner;
}

/**
 * bid_cookie_user() - whom a cookie of current's counts for
 *
 * In a user namespace uids are free: there it is whoever had it made. What root
 * has made is a container, whose own root answers for it.
 */
kuid_t bid_cookie_user(void)
{
	return user_of(current_user_ns(), current_uid());
}

/**
 * bid_cookie_charge() - let a user have one cookie more
 * @uid: who, from bid_cookie_user()
 *
 * May sleep.
 *
 * Return: who pays, for bid_cookie_uncharge(); -EDQUOT or -ENOMEM.
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

void bid_cookie_uncharge(struct bid_cookie_owner *owner)
{
	spin_lock(&lock);
	uncharge(owner);
	spin_unlock(&lock);
}

u32 bid_cookie_count(void)
{
	return READ_ONCE(total);
}

/* Whoever serves a filesystem chooses its inode numbers, and is not to choose this. */
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
 * bid_cookie_set_file() - remember what a file's owner calls it
 * @user: who says so, from bid_cookie_user()
 * @file_owner: the inode's uid
 * @key: which inode
 * @version: which content
 * @id: the cookie
 *
 * Takes the place of the one before.
 *
 * Return: 0, -EDQUOT or -ENOMEM.
 */
int bid_cookie_set_file(kuid_t user, kuid_t file_owner, const struct bid_key *key,
			const struct bid_version *version, const struct bid_identity *id)
{
	struct file_cookie *cookie, *before;

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
	before = find_file(key);
	if (before)
		drop(before);
	hash_add_rcu(files, &cookie->node, hash_of(key));
	list_add_tail(&cookie->in_owner, &cookie->owner->files);
	spin_unlock(&lock);
	return 0;
}

/* False when there was none. */
bool bid_cookie_clear_file(const struct bid_key *key)
{
	struct file_cookie *cookie;

	spin_lock(&lock);
	cookie = find_file(key);
	if (cookie)
		drop(cookie);
	spin_unlock(&lock);
	return cookie;
}

/**
 * bid_cookie_of_file() - what a file's owner calls it
 * @inode: its bid_file_inode()
 * @version: the content asked for. An unlink or chmod moves it too, and the
 *	content stays
 * @id: filled in, but for the reason, when there is a cookie
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

void bid_cookie_init(void)
{
	get_random_bytes(&secret, sizeof(secret));
}

void bid_cookie_exit(void)
{
	struct file_cookie *cookie;
	struct hlist_node *next;
	int bucket;

	spin_lock(&lock);
	hash_for_each_safe(files, bucket, next, cookie, node)
		drop(cookie);
	spin_unlock(&lock);
	WARN_ON(total);
}
