// SPDX-License-Identifier: GPL-2.0
/*
 * What the ioctls share, and those that are about the module itself: INFO, STATS
 * and FLUSH. The others are with what they are about: resolve.c, process.c (MAPS),
 * past.c (HISTORY), subscribe.c, set_cookie.c.
 *
 * Every ioctl has one struct, in and out, that starts with its size, so that it can
 * grow: what the caller's struct lacks counts as zero, and what this module does not
 * know must be zero.
 */
#include <linux/capability.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "event.h"
#include "hook.h"
#include "ioctl.h"
#include "stats.h"
#include "subscribe.h"
#include "version.h"

/**
 * bid_ioctl_copy_in_from() - copy the caller's struct in
 * @published: bytes of the first version of it, up to and including its last field
 * @to: the copy. Its size field is set to the bytes that both sides know
 * @known: bytes of the struct as it is known here
 * @arg: the caller's struct
 *
 * The size is read once: what is copied out later fits in what was copied in. With
 * -E2BIG the caller's size field is set to @known. Process context.
 *
 * Return: 0, -EINVAL, -E2BIG or -EFAULT.
 */
int bid_ioctl_copy_in_from(size_t published, void *to, size_t known, void __user *arg)
{
	u32 __user *user_size = arg;
	u32 size;
	int err;

	if (get_user(size, user_size))
		return -EFAULT;
	if (size < published)
		return -EINVAL;
	err = size > PAGE_SIZE ? -E2BIG : copy_struct_from_user(to, known, arg, size);
	if (err == -E2BIG && put_user((u32)known, user_size))
		return -EFAULT;
	*(u32 *)to = min_t(size_t, size, known);
	return err;
}

/**
 * bid_ioctl_copy_out() - copy the answer to the caller's struct
 * @arg: the caller's struct
 * @from: the answer; its size field as bid_ioctl_copy_in() set it
 * @known: bytes at @from
 *
 * Process context.
 *
 * Return: 0 or -EFAULT.
 */
int bid_ioctl_copy_out(void __user *arg, const void *from, size_t known)
{
	size_t size = *(const u32 *)from;

	if (WARN_ON_ONCE(size > known))
		return -EFAULT;
	return copy_to_user(arg, from, size) ? -EFAULT : 0;
}

int bid_ioctl_info(struct bid_session *session, void __user *arg)
{
	struct buildid_info info;
	int err;

	err = bid_ioctl_copy_in(&info, sizeof(info), arg);
	if (err)
		return err;
	info = (struct buildid_info){
		.size = info.size,
		.abi = BUILDID_ABI_VERSION,
		.features = BUILDID_FEATURE_RING_MMAP | BUILDID_FEATURE_NETLINK |
			    BUILDID_FEATURE_HTLHASH |
			    (__is_defined(BID_HAS_FSVERITY_DIGEST) && IS_ENABLED(CONFIG_FS_VERITY) ?
				     BUILDID_FEATURE_FSVERITY : 0),
		.records = GENMASK_ULL(BUILDID_RECORD_COMM, BUILDID_RECORD_FILE),
		.ioctls = GENMASK_ULL(_IOC_NR(BUILDID_IOC_HISTORY),
				      _IOC_NR(BUILDID_IOC_INFO)),
		.status = bid_hook_armed() ? BUILDID_STATUS_ARMED : 0,
		.max_entries = bid_cache_max(),
		.ring_min = BID_RING_MIN,
		.ring_max = BID_RING_MAX,
		.subscribers_max = BID_SUBSCRIBERS_MAX,
		.pids_max = BUILDID_SUB_PIDS_MAX,
		.id_max = BUILDID_ID_MAX,
		.record_max = BUILDID_RECORD_MAX,
		.cookies_max = BUILDID_COOKIES_MAX,
		.cookies_total = BUILDID_COOKIES_TOTAL,
		.known_flags = {
			[_IOC_NR(BUILDID_IOC_SUBSCRIBE)] = BID_SUBSCRIBE_FLAGS,
			[_IOC_NR(BUILDID_IOC_RESOLVE_KEY)] = BID_RESOLVE_KEY_FLAGS,
			[_IOC_NR(BUILDID_IOC_MAPS)] = BID_MAPS_FLAGS,
			[_IOC_NR(BUILDID_IOC_SET_COOKIE)] = BID_SET_COOKIE_FLAGS,
		},
		.version = BID_VERSION,
		.hook = BID_HOOK_SYMBOL,
	};
	return bid_ioctl_copy_out(arg, &info, sizeof(info));
}

int bid_ioctl_stats(struct bid_session *session, void __user *arg)
{
	struct buildid_stats stats;
	u32 size;
	int err;

	err = bid_ioctl_copy_in(&stats, sizeof(stats), arg);
	if (err)
		return err;
	if (stats.reserved)
		return -EINVAL;
	size = stats.size;
	bid_stats_fill(&stats);
	stats.size = size;
	return bid_ioctl_copy_out(arg, &stats, sizeof(stats));
}

int bid_ioctl_flush(struct bid_session *session, void __user *arg)
{
	struct buildid_flush req;
	int err;

	err = bid_ioctl_copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags)
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	req.flushed = bid_cache_flush();
	return bid_ioctl_copy_out(arg, &req, sizeof(req));
}
