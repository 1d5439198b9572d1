// SPDX-License-Identifier: GPL-2.0
/*
 * Watched only as long as a subscriber wants it. Where:
 *
 *	FORK	a tracepoint in the parent, before the child runs
 *	EXEC	perf_event_comm(), which exec calls between the new address space
 *		and the first mapping in it; the tracepoint of exec comes after all
 *		of its mappings
 *	EXIT	disassociate_ctty(), which the thread calls that was the last: the
 *		tracepoint does not say who was, and two that end at a time both
 *		find there that nobody lives
 */
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include "event.h"
#include "fork.h"
#include "task.h"

static DEFINE_MUTEX(watchers_lock);
static u32 watchers;

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct bid_task_info info = {
		.type = BUILDID_RECORD_FORK,
		.task = child,
		.parent = parent,
	};

	/* a thread, or one that stays in the kernel or has yet to call exec there */
	if (child->tgid == parent->tgid || !child->mm)
		return;
	if (child->mm == parent->mm)
		info.flags = BUILDID_TASK_SHARES_MM;
	bid_event_task(&info);
}

static void send(u16 type)
{
	struct bid_task_info info = { .type = type, .task = current };

	bid_event_task(&info);
}

static int on_comm(struct kprobe *kp, struct pt_regs *regs)
{
	bool exec = (u8)regs_get_kernel_argument(regs, 1);

	if (exec)
		send(BUILDID_RECORD_EXEC);
	return 0;
}

static int on_disassociate(struct kprobe *kp, struct pt_regs *regs)
{
	bool on_exit = (int)regs_get_kernel_argument(regs, 0);

	if (on_exit && !(current->flags & PF_KTHREAD))
		send(BUILDID_RECORD_EXIT);
	return 0;
}

static struct kprobe probes[] = {
	{ .symbol_name = "perf_event_comm", .pre_handler = on_comm },
	{ .symbol_name = "disassociate_ctty", .pre_handler = on_disassociate },
};

/* A struct kprobe is used again only when all of it is as it was. */
static int register_probe(struct kprobe *kp)
{
	int err;

	*kp = (struct kprobe){
		.symbol_name = kp->symbol_name,
		.pre_handler = kp->pre_handler,
	};
	err = register_kprobe(kp);
	return err == -ENOENT ? -EOPNOTSUPP : err;
}

/* Ends before begins: what a child does is not sent before its FORK. */
static int start(void)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		err = register_probe(&probes[i]);
		if (err)
			goto err_unregister;
	}
	err = bid_fork_watch(on_fork);
	if (!err)
		return 0;

err_unregister:
	while (i--)
		unregister_kprobe(&probes[i]);
	return err;
}

static void stop(void)
{
	int i = ARRAY_SIZE(probes);

	bid_fork_unwatch(on_fork);
	while (i--)
		unregister_kprobe(&probes[i]);
}

/**
 * bid_task_watch() - have FORK, EXEC and EXIT sent
 *
 * Return: 0 or -errno; undone by bid_task_unwatch().
 */
int bid_task_watch(void)
{
	int err = 0;

	mutex_lock(&watchers_lock);
	if (!watchers)
		err = start();
	if (!err)
		watchers++;
	mutex_unlock(&watchers_lock);
	return err;
}

void bid_task_unwatch(void)
{
	mutex_lock(&watchers_lock);
	if (!--watchers)
		stop();
	mutex_unlock(&watchers_lock);
}
