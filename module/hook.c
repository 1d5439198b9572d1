// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_mmap() is called for every mapping that becomes visible in an address space
 * (exec, mmap, mprotect, brk), whether perf is in use or not, with the final vma and with the mmap
 * lock held. There is no tracepoint for that, and not all kernels have fprobe.
 *
 * An ftrace_ops of our own watches it: that hands over just the arguments, at a third of a kprobe's
 * cost; where ftrace cannot do that, a kprobe does. The handler runs with preemption off: it does
 * not sleep or allocate, and takes raw spinlocks only. While a kprobe handler runs, another probe
 * on the same CPU is missed, and counted (nmissed).
 *
 * A registered probe may still never fire: kprobes disarmed, ftrace killed by a bug, the function
 * patched. So the module tests its probes at load, and INFO tests the canary. While the ops is
 * registered, ftrace cannot be turned off by sysctl (FTRACE_OPS_FL_PERMANENT).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/shmem_fs.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "file.h"
#include "hook.h"

#define SHUTDOWN_SYMBOL "generic_shutdown_super"

static struct {
	struct file *file;	/* a mapping of it belongs to the test; NULL after the test */
	struct super_block *sb; /* its shutdown belongs to the test; NULL after the test */
	bool fired;
} selftest;

static struct vm_area_struct canary_vma; /* without file or mm */
static DEFINE_PER_CPU(bool, canary_seen);

static __always_inline void on_mmap(struct vm_area_struct *vma)
{
	struct file *file = vma->vm_file;

	if (!file) {
		if (unlikely(vma == &canary_vma))
			this_cpu_write(canary_seen, true);
		return;
	}
	if (unlikely(file == READ_ONCE(selftest.file)))
		selftest.fired = true;
	else
		bid_hook_mapping(vma);
}

static int on_mmap_probe(struct kprobe *kp, struct pt_regs *regs)
{
	on_mmap((struct vm_area_struct *)regs_get_kernel_argument(regs, 0));
	return 0;
}

/* Called before the filesystem's device number can be reused. */
static void on_shutdown_super(struct super_block *sb)
{
	if (unlikely(sb == READ_ONCE(selftest.sb)))
		selftest.fired = true;
	bid_file_end_epoch(sb);
}

static int on_shutdown_probe(struct kprobe *kp, struct pt_regs *regs)
{
	on_shutdown_super((struct super_block *)regs_get_kernel_argument(regs, 0));
	return 0;
}

struct kprobe bid_hook_mmap = {
	.symbol_name = BID_HOOK_SYMBOL,
	.pre_handler = on_mmap_probe,
};

static struct kprobe shutdown_super = {
	.symbol_name = SHUTDOWN_SYMBOL,
	.pre_handler = on_shutdown_probe,
};

/* Probed like perf_event_mmap() but does nothing: INFO may call it for any user. */
static noinline void hook_canary(struct vm_area_struct *vma)
{
	barrier_data(vma);
}

static struct kprobe canary_probe = {
	.addr = (kprobe_opcode_t *)hook_canary,
	.pre_handler = on_mmap_probe,
};

#ifdef BID_HAS_FTRACE_ARGS
static void notrace on_mmap_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
				 struct ftrace_regs *regs)
{
	preempt_disable_notrace();
	on_mmap((struct vm_area_struct *)ftrace_regs_get_argument(regs, 0));
	preempt_enable_notrace();
}

static void notrace on_shutdown_call(unsigned long ip, unsigned long parent_ip,
				     struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	on_shutdown_super((struct super_block *)ftrace_regs_get_argument(regs, 0));
}

static struct watched {
	struct ftrace_ops ops;
	const char *symbol;
} watched[] = {
	{ { .func = on_mmap_call, .flags = FTRACE_OPS_FL_PERMANENT }, BID_HOOK_SYMBOL },
	{ { .func = on_shutdown_call, .flags = FTRACE_OPS_FL_PERMANENT }, SHUTDOWN_SYMBOL },
};

static int watch_call(struct watched *this)
{
	char symbol[sizeof(BID_HOOK_SYMBOL SHUTDOWN_SYMBOL)];
	int err;

	strscpy(symbol, this->symbol, sizeof(symbol));
	err = ftrace_set_filter(&this->ops, symbol, strlen(symbol), 1);
	if (!err && this == watched)
		err = ftrace_set_filter_ip(&this->ops, (unsigned long)hook_canary, 0, 0);
	return err ?: register_ftrace_function(&this->ops);
}

/* A module cannot refuse to be unloaded, and its handler is still called for every mapping. */
static void __cold hook_stay(int err)
{
	pr_crit("ftrace is dead (%d) and goes on calling this module, which cannot be unloaded: reboot\n",
		err);
	for (;;)
		schedule_timeout_idle(MAX_SCHEDULE_TIMEOUT);
}

static void unwatch_calls(int end)
{
	int err;

	while (end--) {
		err = unregister_ftrace_function(&watched[end].ops);
		if (err)
			hook_stay(err);
		ftrace_free_filter(&watched[end].ops);
	}
}

static int watch_calls(void)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(watched); i++) {
		err = watch_call(&watched[i]);
		if (err) {
			ftrace_free_filter(&watched[i].ops);
			unwatch_calls(i);
			return err;
		}
	}
	return 0;
}

#define WATCHED ARRAY_SIZE(watched)
#else
#define WATCHED 0
static int watch_calls(void)
{
	return -EOPNOTSUPP;
}

static void unwatch_calls(int end)
{
}
#endif

static bool by_ftrace; /* not by these kprobes */
static struct kprobe *const probes[] = { &bid_hook_mmap, &shutdown_super, &canary_probe };

static int expect_fired(const char *symbol)
{
	if (selftest.fired)
		return 0;
	pr_err("self-test: the probe on %s did not fire; are kprobes enabled? (/sys/kernel/debug/kprobes/enabled, kernel.ftrace_enabled)\n",
	       symbol);
	return -ENODEV;
}

static int map_and_expect(void)
{
	unsigned long addr;
	struct file *file;
	int err = 0;

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

#ifdef MODULE
static int test_mmap(void)
{
	if (!current->mm) {
		pr_err("self-test: no address space to map into\n");
		return -ENXIO;
	}
	return map_and_expect();
}
#else
/* Built in, it starts before any process has an address space, and a kernel thread can take one. */
struct boot_test {
	struct work_struct work;
	int err;
};

static void test_at_boot(struct work_struct *work)
{
	struct boot_test *test = container_of(work, struct boot_test, work);
	struct mm_struct *mm = mm_alloc();

	if (!mm) {
		test->err = -ENOMEM;
		return;
	}
	arch_pick_mmap_layout(mm, &current->signal->rlim[RLIMIT_STACK]);
	kthread_use_mm(mm);
	test->err = map_and_expect();
	kthread_unuse_mm(mm);
	mmput(mm);
}

static int test_mmap(void)
{
	struct boot_test test;

	INIT_WORK_ONSTACK(&test.work, test_at_boot);
	schedule_work(&test.work);
	flush_work(&test.work);
	destroy_work_on_stack(&test.work);
	return test.err;
}
#endif

/* Uses ramfs, which every kernel has. */
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
	return expect_fired(SHUTDOWN_SYMBOL);
}

static bool canary_fires(void)
{
	struct vm_area_struct *vma = &canary_vma;
	bool seen;

	OPTIMIZER_HIDE_VAR(vma); /* keep it an argument */
	preempt_disable();
	this_cpu_write(canary_seen, false);
	hook_canary(vma);
	seen = this_cpu_read(canary_seen);
	preempt_enable();
	return seen;
}

/**
 * bid_hook_armed() - does the hook see mappings?
 *
 * Kprobes and ftrace are turned off as a whole, so if the canary is seen, mappings are. Mapping a
 * file would be a better test, but needs an address space, and the caller's may be limited or
 * traced. Process context.
 */
bool bid_hook_armed(void)
{
	return (by_ftrace || !kprobe_disabled(&bid_hook_mmap)) && canary_fires();
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

static const char *hook_explain(int err)
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

static void unregister_probes(int end)
{
	while (end--)
		unregister_kprobe(probes[end]);
}

static int register_probes(void)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		err = register_kprobe(probes[i]);
		if (!err)
			continue;
		pr_err("no probe on %s: %d%s\n", probes[i]->symbol_name ?: "itself", err,
		       hook_explain(err));
		unregister_probes(i);
		/* insmod reports ENOENT as an unknown symbol and EINVAL as bad parameters */
		return err == -ENOENT || err == -EINVAL ? -EOPNOTSUPP : err;
	}
	return 0;
}

static void hook_unregister(void)
{
	if (by_ftrace)
		unwatch_calls(WATCHED);
	else
		unregister_probes(ARRAY_SIZE(probes));
}

/**
 * bid_hook_init() - register and test the probes
 *
 * Mappings are reported from now on. May sleep.
 *
 * Return: 0 or -errno, with the reason in the kernel log.
 */
int bid_hook_init(void)
{
	int err = 0;

	by_ftrace = !watch_calls();
	if (!by_ftrace)
		err = register_probes();
	if (err)
		return err;
	err = run_selftest();
	if (err)
		hook_unregister();
	return err;
}

/* No handler runs any more once this returns. May sleep. */
void bid_hook_exit(void)
{
	hook_unregister();
	if (bid_hook_missed())
		pr_info("%llu mappings were missed\n", bid_hook_missed());
}
