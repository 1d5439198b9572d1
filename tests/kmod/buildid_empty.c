// SPDX-License-Identifier: GPL-2.0
/* A module to be loaded and unloaded. */
#include <linux/module.h>

static int __init empty_init(void)
{
	return 0;
}

static void __exit empty_exit(void)
{
}

module_init(empty_init);
module_exit(empty_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Nothing but an identity");
