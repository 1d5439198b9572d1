// SPDX-License-Identifier: GPL-2.0
/*
 * The SET_COOKIE ioctl: checks the caller's rights, and that a file's content has no identity of
 * its own.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "cookie.h"
#include "lookup.h"
#include "reply.h"
#include "set_cookie.h"
#include "user.h"

/* 0 if the content of lookup->version has no identity of its own. */
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

/* Without memory, the cache keeps the old identity until the file is mapped again. */
static void refresh_entry(struct file *file)
{
	struct buildid_file *record = kzalloc(BUILDID_RECORD_MAX, GFP_KERNEL);

	if (record)
		bid_reply_reread(file, record);
	kfree(record);
}

/*
 * On overlayfs, the inode that was opened may be a copy of the metadata only, with its own owner,
 * while the content is that of a lower layer, which others may share.
 */
static bool is_metacopy(const struct file *file, const struct inode *inode)
{
	if (__is_defined(BID_HAS_D_REAL_METADATA))
		return BID_METADATA_INODE(file->f_path.dentry) != inode;
	/* for a metacopy, the overlay shows the later ctime of the copy */
	return bid_file_ctime(file_inode(file)) != bid_file_ctime(inode);
}

/*
 * Is current the owner of the opened file, as reported by fstat(2)? Only the mount through which it
 * was opened tells: a lower layer may be idmapped differently. But an overlay mounted in a user
 * namespace can be made to show any owner.
 */
static bool set_cookie_owns(const struct file *file, const struct inode *inode)
{
	struct inode *opened = file_inode(file);

	if (bid_file_user_overlay(&file->f_path) || (opened != inode && is_metacopy(file, inode)))
		return false;
	return vfsuid_eq_kuid(i_uid_into_vfsuid(file_mnt_idmap(file), opened), current_fsuid());
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
	/* before the check of ownership: after a chown, the file is the new owner's to name */
	owner = READ_ONCE(lookup.inode->i_uid);
	if (!set_cookie_owns(file, lookup.inode) && !capable(CAP_FOWNER))
		return -EPERM;
	if (!id->len)
		err = bid_cookie_clear_file(&lookup.key) ? 0 : -ENOENT;
	else
		err = bid_cookie_set_file(bid_user(), owner, &lookup.key, &lookup.version, id);
	if (!err)
		refresh_entry(file);
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
