// SPDX-License-Identifier: GPL-2.0
/*
 * What no module that watches mappings by a kprobe can be cheaper than.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

static int on_mmap(struct kprobe *kp, struct pt_regs *regs)
{
	return 0;
}

static struct kprobe probe = {
	.symbol_name = "perf_event_mmap",
	.pre_handler = on_mmap,
};

static int __init kprobe_only_init(void)
{
	return register_kprobe(&probe);
}

static void __exit kprobe_only_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(kprobe_only_init);
module_exit(kprobe_only_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A kprobe on perf_event_mmap that does nothing");
