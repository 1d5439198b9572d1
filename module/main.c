// SPDX-License-Identifier: GPL-2.0
/*
 * buildid.ko: which file content every executable mapping on the machine has.
 * include/uapi/buildid.h is the ABI and its manual.
 *
 * The order in which the parts are initialized: first what the hook needs, then the hook,
 * then the ways in from user space, the device last. They end in the reverse order: when
 * the hook is gone nothing gets new read requests, when the worker is gone nothing uses
 * cookies and cache.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/sizes.h>

#include "cache.h"
#include "chardev.h"
#include "cookie.h"
#include "history.h"
#include "hook.h"
#include "identify.h"
#include "kernel_image.h"
#include "netlink.h"
#include "parents.h"
#include "version.h"
#include "worker.h"

#ifndef CONFIG_64BIT
#error "buildid.ko needs a 64-bit kernel: ring positions are 64 bits wide and read without a lock"
#endif

#define ENTRIES_MIN  16
#define ENTRIES_MAX  SZ_16M
#define REQUESTS_MIN 1
#define REQUESTS_MAX SZ_4K

static unsigned int max_entries = 65536;
module_param(max_entries, uint, 0444);
MODULE_PARM_DESC(max_entries, "most files in the cache (16 to 16777216, default 65536)");

static unsigned int requests = 512;
module_param(requests, uint, 0444);
MODULE_PARM_DESC(requests, "files that may wait to be read, 4 KiB each (1 to 4096, default 512)");

static int check_parameters(void)
{
	if (max_entries < ENTRIES_MIN || max_entries > ENTRIES_MAX) {
		pr_err("max_entries=%u: not in %u to %u\n", max_entries, ENTRIES_MIN, ENTRIES_MAX);
		return -EINVAL;
	}
	if (requests < REQUESTS_MIN || requests > REQUESTS_MAX) {
		pr_err("requests=%u: not in %u to %u\n", requests, REQUESTS_MIN, REQUESTS_MAX);
		return -EINVAL;
	}
	return 0;
}

static int __init buildid_init(void)
{
	int err;

	BUILD_BUG_ON(sizeof(struct buildid_record) != 32);
	BUILD_BUG_ON(sizeof(struct buildid_file) != 128);
	BUILD_BUG_ON(sizeof(struct buildid_mmap) != 112);
	BUILD_BUG_ON(sizeof(struct buildid_lost) != 64);
	BUILD_BUG_ON(sizeof(struct buildid_info) != 200);
	BUILD_BUG_ON(sizeof(struct buildid_stats) != 216);
	BUILD_BUG_ON(sizeof(struct buildid_resolve_fd) != 24);
	BUILD_BUG_ON(sizeof(struct buildid_subscribe) != 40);
	BUILD_BUG_ON(sizeof(struct buildid_image) != 64);
	BUILD_BUG_ON(sizeof(struct buildid_resolve_key) != 40);
	BUILD_BUG_ON(sizeof(struct buildid_resolve_addr) != 56);
	BUILD_BUG_ON(sizeof(struct buildid_maps) != 40);
	BUILD_BUG_ON(sizeof(struct buildid_resolve_id) != 32);
	BUILD_BUG_ON(sizeof(struct buildid_task) != 80);
	BUILD_BUG_ON(sizeof(struct buildid_flush) != 16);
	BUILD_BUG_ON(sizeof(struct buildid_cookie) != 88);
	BUILD_BUG_ON(sizeof(struct buildid_set_cookie) != 40);
	BUILD_BUG_ON(sizeof(struct buildid_history) != 32);

	err = check_parameters();
	if (err)
		return err;
	err = bid_cache_init(max_entries);
	if (err)
		goto err_log;
	bid_cookie_init();
	err = bid_worker_init(requests);
	if (err)
		goto err_cookie;
	err = bid_identify_init();
	if (err)
		goto err_worker;
	err = bid_history_init();
	if (err)
		goto err_identify;
	err = bid_parents_init();
	if (err)
		goto err_history;
	err = bid_hook_init();
	if (err)
		goto err_parents;
	err = bid_kernel_image_init();
	if (err)
		goto err_hook;
	err = bid_netlink_init();
	if (err)
		goto err_kernel_image;
	err = bid_chardev_init();
	if (err)
		goto err_netlink;
	pr_info("version %s, watching %s\n", BID_VERSION, BID_HOOK_SYMBOL);
	return 0;

err_netlink:
	bid_netlink_exit();
err_kernel_image:
	bid_kernel_image_exit();
err_hook:
	bid_hook_exit();
err_parents:
	bid_parents_exit();
err_history:
	bid_history_exit();
err_identify:
	bid_identify_exit();
err_worker:
	bid_worker_exit();
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
	bid_kernel_image_exit();
	bid_hook_exit();
	bid_parents_exit();
	bid_history_exit();
	bid_identify_exit();
	bid_worker_exit();
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
