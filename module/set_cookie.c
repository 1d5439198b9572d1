// SPDX-License-Identifier: GPL-2.0
/*
 * The SET_COOKIE ioctl: checks what the caller may name, and that the content of a file
 * has no identity of its own.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "cookie.h"
#include "lookup.h"
#include "reply.h"
#include "set_cookie.h"
#include "user.h"

/* 0 when the content has no identity of its own, as of lookup->version. */
static int check_content(struct bid_lookup *lookup)
{
	int err;

	if (lookup->access == BID_ACCESS_NEVER)
		return -EOPNOTSUPP;
	err = bid_reply_read(lookup);
	if (err)
		return err;
	switch (lookup->id.kind) {
	case BUILDID_KIND_HTLHASH:
	case BUILDID_KIND_COOKIE:
		return 0;
	case BUILDID_KIND_NONE:
		return lookup->id.reason == BUILDID_REASON_CHANGING ? -EAGAIN : -EIO;
	default:
		return -EEXIST;
	}
}

/*
 * What the cache has of the file, and what is being read at this moment, has the identity
 * from before the cookie. Without memory it stays so until the file is mapped again.
 */
static void refresh_entry(struct file *file, const struct bid_key *key)
{
	struct buildid_file *record;

	rcu_read_lock();
	bid_cache_mark_recheck(key);
	rcu_read_unlock();

	record = kzalloc(BUILDID_RECORD_MAX, GFP_KERNEL);
	if (record)
		bid_reply_reread(file, record);
	kfree(record);
}

/* Is current @owner, as the mount of @file shows it? */
static bool owns(const struct file *file, const struct inode *inode, kuid_t owner)
{
	return vfsuid_eq_kuid(make_vfsuid(file_mnt_idmap(file), i_user_ns(inode), owner),
			      current_fsuid());
}

static int name_file(struct file *file, const struct bid_identity *id)
{
	struct bid_lookup lookup;
	kuid_t owner;
	int err = 0;

	bid_lookup_init(file, bid_file_inode(file), &lookup);
	if (id->len)
		err = check_content(&lookup);
	if (err)
		return err;
	/* of the inode that was read. Read once: chown may change it any moment */
	owner = READ_ONCE(lookup.inode->i_uid);
	if (!owns(file, lookup.inode, owner) && !capable(CAP_FOWNER))
		return -EPERM;
	if (!id->len)
		err = bid_cookie_clear_file(&lookup.key) ? 0 : -ENOENT;
	else
		err = bid_cookie_set_file(bid_user(), owner, &lookup.key, &lookup.version, id);
	if (!err)
		refresh_entry(file, &lookup.key);
	return err;
}

static int name_fd(int fd, const struct bid_identity *id)
{
	struct file *file = fget(fd);
	int err;

	if (!file)
		return -EBADF;
	err = bid_file_may_read(file);
	if (!err)
		err = name_file(file, id);
	fput(file);
	return err;
}

static int name_mapping(const struct buildid_set_cookie *req, const struct bid_identity *id)
{
	struct bid_cookie_info info = {
		.start = req->addr,
		.end = req->addr + req->len,
		.id = *id,
	};

	return id->len ? bid_mapping_cookie_set(&info) : bid_mapping_cookie_clear(&info);
}

static bool is_valid_kind(const struct buildid_set_cookie *req)
{
	switch (req->kind) {
	case BUILDID_KIND_NONE:
		return !req->id_len;
	case BUILDID_KIND_COOKIE:
		return req->id_len;
	case BUILDID_KIND_GNU:
	case BUILDID_KIND_GO:
		return req->id_len && !(req->flags & BUILDID_COOKIE_FD);
	default:
		return false;
	}
}

static bool is_valid_object(const struct buildid_set_cookie *req)
{
	if (req->flags & BUILDID_COOKIE_FD)
		return !req->addr && !req->len;
	return !req->fd && req->len && req->addr + req->len > req->addr;
}

int bid_ioctl_check_cookie(void *arg)
{
	const struct buildid_set_cookie *req = arg;

	if (req->id_len > BUILDID_ID_MAX || (req->id && !req->id_len) || !is_valid_kind(req) ||
	    !is_valid_object(req))
		return -EINVAL;
	return 0;
}

int bid_ioctl_set_cookie(struct bid_session *session, void *arg)
{
	const struct buildid_set_cookie *req = arg;
	struct bid_identity id = { .kind = req->kind, .len = req->id_len };

	if (copy_from_user(id.bytes, u64_to_user_ptr(req->id), id.len))
		return -EFAULT;
	return req->flags & BUILDID_COOKIE_FD ? name_fd(req->fd, &id) : name_mapping(req, &id);
}
