// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_mmap() is called for every mapping that becomes visible in an address space
 * (exec, mmap, mprotect, brk), whether perf is in use or not, with the final vma and
 * with the mmap lock held. It is a kprobe and no tracepoint as there is none, and no
 * fprobe as the kernels that this is for do not all have it.
 *
 * Handlers run with preemption off, and on some paths with interrupts off: they do not
 * sleep or allocate, and take raw spinlocks only. A handler may not be entered while
 * another one runs on the same CPU: such a call is missed, and counted (nmissed).
 *
 * A probe that registers may still never fire: kprobes disarmed, ftrace off (before 7.3), the
 * function patched. So the module tests its probes when it is loaded, and INFO tests the canary.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/shmem_fs.h>

#include "compat.h"
#include "file.h"
#include "hook.h"

static void (*handler)(struct vm_area_struct *vma) __ro_after_init;

static struct {
	struct file *file;	/* a mapping of it is the test's; NULL after the test */
	struct super_block *sb; /* its shutdown is the test's; likewise */
	bool fired;
} selftest;

static DEFINE_PER_CPU(bool, canary_seen);

static int on_mmap(struct kprobe *kp, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (struct vm_area_struct *)regs_get_kernel_argument(regs, 0);
	struct file *file = vma->vm_file;

	if (!file)
		return 0;
	if (unlikely(file == READ_ONCE(selftest.file))) {
		selftest.fired = true;
		return 0;
	}
	handler(vma);
	return 0;
}

/* Called before the device number of the filesystem can be used again. */
static int on_shutdown_super(struct kprobe *kp, struct pt_regs *regs)
{
	struct super_block *sb = (struct super_block *)regs_get_kernel_argument(regs, 0);

	if (unlikely(sb == READ_ONCE(selftest.sb)))
		selftest.fired = true;
	bid_file_end_epoch(sb);
	return 0;
}

struct kprobe bid_hook_mmap = {
	.symbol_name = BID_HOOK_SYMBOL,
	.pre_handler = on_mmap,
};

static struct kprobe shutdown_super = {
	.symbol_name = "generic_shutdown_super",
	.pre_handler = on_shutdown_super,
};

/* Probed as the others are, and does nothing: INFO may call it for any user. */
static noinline void canary(void)
{
	barrier();
}

static int on_canary(struct kprobe *kp, struct pt_regs *regs)
{
	this_cpu_write(canary_seen, true);
	return 0;
}

static struct kprobe canary_probe = {
	.addr = (kprobe_opcode_t *)canary,
	.pre_handler = on_canary,
};

static struct kprobe *const probes[] = { &bid_hook_mmap, &shutdown_super, &canary_probe };

static int expect_fired(const char *symbol)
{
	if (selftest.fired)
		return 0;
	pr_err("self-test: the probe on %s did not fire; are kprobes enabled? (/sys/kernel/debug/kprobes/enabled, kernel.ftrace_enabled)\n",
	       symbol);
	return -ENODEV;
}

static int test_mmap(void)
{
	unsigned long addr;
	struct file *file;
	int err = 0;

	if (!current->mm) {
		pr_err("self-test: no address space to map into\n");
		return -ENXIO;
	}
	file = shmem_file_setup("buildid-selftest", PAGE_SIZE, BID_VM_NORESERVE);
	if (IS_ERR(file)) {
		pr_err("self-test: no file to map: %ld\n", PTR_ERR(file));
		return PTR_ERR(file);
	}
	selftest.fired = false;
	WRITE_ONCE(selftest.file, file);
	addr = vm_mmap(file, 0, PAGE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, 0);
	WRITE_ONCE(selftest.file, NULL);
	if (IS_ERR_VALUE(addr)) {
		pr_err("self-test: mapping a file failed: %ld\n", (long)addr);
		err = (long)addr;
	} else {
		vm_munmap(addr, PAGE_SIZE);
		err = expect_fired(BID_HOOK_SYMBOL);
	}
	fput(file);
	return err;
}

/* ramfs, as every kernel has it. */
static int test_shutdown_super(void)
{
	struct file_system_type *type = get_fs_type("ramfs");
	struct vfsmount *mnt;

	if (!type) {
		pr_err("self-test: no filesystem to shut down\n");
		return -ENODEV;
	}
	mnt = kern_mount(type);
	module_put(type->owner);
	if (IS_ERR(mnt)) {
		pr_err("self-test: mounting a filesystem failed: %ld\n", PTR_ERR(mnt));
		return PTR_ERR(mnt);
	}
	selftest.fired = false;
	WRITE_ONCE(selftest.sb, mnt->mnt_sb);
	kern_unmount(mnt);
	WRITE_ONCE(selftest.sb, NULL);
	return expect_fired(shutdown_super.symbol_name);
}

static bool canary_fires(void)
{
	bool seen;

	preempt_disable();
	this_cpu_write(canary_seen, false);
	canary();
	seen = this_cpu_read(canary_seen);
	preempt_enable();
	return seen;
}

/**
 * bid_hook_armed() - does the hook see mappings?
 *
 * Kprobes and ftrace are turned off as a whole: if the canary's probe fires, the others
 * do. Mapping a file would be a test too, but it takes an address space, the caller's,
 * which may be limited or traced. Process context.
 */
bool bid_hook_armed(void)
{
	return !kprobe_disabled(&bid_hook_mmap) && canary_fires();
}

static int run_selftest(void)
{
	int err;

	err = test_mmap() ?: test_shutdown_super();
	if (err)
		return err;
	selftest.fired = bid_hook_armed();
	return expect_fired("itself");
}

static const char *explain(int err)
{
	switch (err) {
	case -ENOENT:
		return ": this kernel has no such function, or has it inlined";
	case -EINVAL:
		return ": this kernel does not allow it";
	case -EOPNOTSUPP:
		return ": this kernel is built without CONFIG_KPROBES";
	default:
		return "";
	}
}

/**
 * bid_hook_init() - register and test the probes
 * @on_mapping: called with each mapping of a file, as the handler of a probe is
 *
 * Mappings are reported from here on. May sleep.
 *
 * Return: 0 or -errno, with the reason in the kernel log.
 */
int bid_hook_init(void (*on_mapping)(struct vm_area_struct *vma))
{
	int i, err;

	handler = on_mapping;
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		err = register_kprobe(probes[i]);
		if (err) {
			pr_err("no probe on %s: %d%s\n", probes[i]->symbol_name ?: "itself", err,
			       explain(err));
			/* insmod would blame an unknown symbol, or parameters. */
			if (err == -ENOENT || err == -EINVAL)
				err = -EOPNOTSUPP;
			goto err_unregister;
		}
	}
	err = run_selftest();
	if (err)
		goto err_unregister;
	return 0;

err_unregister:
	while (i--)
		unregister_kprobe(probes[i]);
	return err;
}

/* On return no handler runs any more. May sleep. */
void bid_hook_exit(void)
{
	int i = ARRAY_SIZE(probes);

	while (i--)
		unregister_kprobe(probes[i]);
	if (bid_hook_missed())
		pr_info("%llu mappings were missed\n", bid_hook_missed());
}
