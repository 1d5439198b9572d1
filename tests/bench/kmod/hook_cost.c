// SPDX-License-Identifier: GPL-2.0
/*
 * What a probe of perf_event_mmap() costs alone: mappings of the writing process whose addresses
 * are written to the parameter "mappings" are reported as when they were made, and what each took
 * is read from it. Preemption is off for all of them, as it is in a probe's handler.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/msr.h>

#define MAPPINGS_MAX 8

static void (*report)(struct vm_area_struct *vma);
static u64 taken[MAPPINGS_MAX];
static unsigned int count;

static void report_all(struct vm_area_struct *const *vmas)
{
	unsigned int i;
	u64 start;

	preempt_disable();
	for (i = 0; i < count; i++) {
		start = rdtsc();
		report(vmas[i]);
		taken[i] = rdtsc() - start;
	}
	preempt_enable();
}

static int set_mappings(const char *text, const struct kernel_param *kp)
{
	struct vm_area_struct *vmas[MAPPINGS_MAX];
	char *end = (char *)text;
	int err = 0;

	mmap_read_lock(current->mm);
	for (count = 0; !err && count < MAPPINGS_MAX && *skip_spaces(end); count++) {
		vmas[count] = vma_lookup(current->mm, memparse(skip_spaces(end), &end));
		if (!vmas[count])
			err = -EFAULT;
	}
	if (!err)
		report_all(vmas);
	mmap_read_unlock(current->mm);
	return err;
}

static int get_taken(char *text, const struct kernel_param *kp)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < count; i++)
		len += sysfs_emit_at(text, len, "%llu ", taken[i]);
	return len;
}

static const struct kernel_param_ops mappings_ops = {
	.set = set_mappings,
	.get = get_taken,
};
module_param_cb(mappings, &mappings_ops, NULL, 0600);
MODULE_PARM_DESC(mappings, "addresses; then instructions");

/* As it is not exported. */
static int __init hook_cost_init(void)
{
	struct kprobe probe = { .symbol_name = "perf_event_mmap" };
	int err = register_kprobe(&probe);

	if (err)
		return err;
	report = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

static void __exit hook_cost_exit(void)
{
}

module_init(hook_cost_init);
module_exit(hook_cost_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("What a probe of perf_event_mmap() costs");
