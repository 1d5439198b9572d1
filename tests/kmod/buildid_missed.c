// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings that no probe sees: of no file, and reported from within another
 * probe's handler, where kprobes count them as missed.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>

static unsigned long address;
module_param(address, ulong, 0);
MODULE_PARM_DESC(address, "of perf_event_mmap()");

static unsigned int times = 1;
module_param(times, uint, 0);
MODULE_PARM_DESC(times, "mappings to report");

static noinline void place(void)
{
	asm volatile("");
}

static int on_place(struct kprobe *kp, struct pt_regs *regs)
{
	void (*report)(struct vm_area_struct * vma) = (void *)address;
	static struct vm_area_struct vma;
	unsigned int i;

	for (i = 0; i < times; i++)
		report(&vma);
	return 0;
}

static struct kprobe probe = {
	.addr = (void *)place,
	.pre_handler = on_place,
};

static int __init missed_init(void)
{
	int err;

	if (!address)
		return -EINVAL;
	err = register_kprobe(&probe);
	if (err)
		return err;
	place();
	unregister_kprobe(&probe);
	return 0;
}

static void __exit missed_exit(void)
{
}

module_init(missed_init);
module_exit(missed_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Mappings that a probe misses");
