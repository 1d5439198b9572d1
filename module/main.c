// SPDX-License-Identifier: GPL-2.0
/*
 * buildid.ko: identifies the file content of every executable mapping on the machine.
 * include/uapi/buildid.h is the ABI and its manual.
 *
 * Parts are initialized in order of need: first what the hook uses, then the hook, then the
 * interfaces to user space, the device last. They end in reverse: without the hook no visit begins,
 * and after the visits nothing uses cookies and cache.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/sizes.h>

#include "cache.h"
#include "chardev.h"
#include "clock.h"
#include "cookie.h"
#include "history.h"
#include "hook.h"
#include "kernel_image.h"
#include "netlink.h"
#include "subscribe.h"
#include "version.h"
#include "visit.h"

#ifndef CONFIG_64BIT
#error "buildid.ko needs a 64-bit kernel: ring positions are 64 bits wide and read without a lock"
#endif

#define ENTRIES_MIN 16
#define ENTRIES_MAX SZ_16M

static unsigned int max_entries = 65536;
module_param(max_entries, uint, 0444);
MODULE_PARM_DESC(max_entries, "most files in the cache (16 to 16777216, default 65536)");

static int check_parameters(void)
{
	if (max_entries < ENTRIES_MIN || max_entries > ENTRIES_MAX) {
		pr_err("max_entries=%u: not in %u to %u\n", max_entries, ENTRIES_MIN, ENTRIES_MAX);
		return -EINVAL;
	}
	return 0;
}

static int __init buildid_init(void)
{
	int err;

	BUILD_BUG_ON(sizeof(struct buildid_record) != 32);
	BUILD_BUG_ON(sizeof(struct buildid_file) != 144);
	BUILD_BUG_ON(sizeof(struct buildid_mmap) != 120);
	BUILD_BUG_ON(sizeof(struct buildid_lost) != 64);
	BUILD_BUG_ON(sizeof(struct buildid_info) != 416);
	BUILD_BUG_ON(sizeof(struct buildid_stats) != 224);
	BUILD_BUG_ON(sizeof(struct buildid_resolve) != 96);
	BUILD_BUG_ON(sizeof(struct buildid_subscribe) != 40);
	BUILD_BUG_ON(sizeof(struct buildid_image) != 64);
	BUILD_BUG_ON(sizeof(struct buildid_maps) != 40);
	BUILD_BUG_ON(sizeof(struct buildid_task) != 96);
	BUILD_BUG_ON(sizeof(struct buildid_ring_producer) != 24);
	BUILD_BUG_ON(sizeof(struct buildid_flush) != 16);
	BUILD_BUG_ON(sizeof(struct buildid_cookie) != 88);
	BUILD_BUG_ON(sizeof(struct buildid_set_cookie) != 40);
	BUILD_BUG_ON(sizeof(struct buildid_history) != 40);

	err = check_parameters();
	if (err)
		return err;
	err = bid_cache_init(max_entries);
	if (err)
		goto err_log;
	bid_cookie_init();
	err = bid_history_init();
	if (err)
		goto err_cookie;
	err = bid_visit_init();
	if (err)
		goto err_history;
	err = bid_hook_init();
	if (err)
		goto err_visit;
	err = bid_kernel_image_init();
	if (err)
		goto err_hook;
	err = bid_clock_init();
	if (err)
		goto err_kernel_image;
	err = bid_subscribe_init();
	if (err)
		goto err_clock;
	err = bid_netlink_init();
	if (err)
		goto err_subscribe;
	err = bid_chardev_init();
	if (err)
		goto err_netlink;
	bid_visit_start();
	pr_info("version %s, watching %s\n", BID_VERSION, BID_HOOK_SYMBOL);
	return 0;

err_netlink:
	bid_netlink_exit();
err_subscribe:
	bid_subscribe_exit();
err_clock:
	bid_clock_exit();
err_kernel_image:
	bid_kernel_image_exit();
err_hook:
	bid_hook_exit();
err_visit:
	bid_visit_exit();
err_history:
	bid_history_exit();
err_cookie:
	bid_mapping_cookie_exit();
	bid_cookie_exit();
	bid_cache_exit();
err_log:
	pr_err("not loaded: %d\n", err);
	return err;
}

static void __exit buildid_exit(void)
{
	bid_chardev_exit();
	bid_netlink_exit();
	bid_subscribe_exit();
	bid_clock_exit();
	bid_kernel_image_exit();
	bid_hook_exit();
	bid_visit_exit();
	bid_history_exit();
	bid_mapping_cookie_exit();
	bid_cookie_exit();
	bid_cache_exit();
}

module_init(buildid_init);
module_exit(buildid_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("The identity of the content of every executable mapping");
MODULE_AUTHOR("The buildid authors");
MODULE_VERSION(BID_VERSION);
