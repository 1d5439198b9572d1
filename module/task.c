// SPDX-License-Identifier: GPL-2.0
/*
 * Processes are watched only while a subscriber wants it:
 *
 *	FORK	tracepoint sched_process_fork: in the parent, before the child runs
 *	EXEC	kprobe on perf_event_comm(), which exec calls after it has set the new
 *		address space and before the first mapping in it. The exec tracepoint
 *		comes after all of these mappings
 *	COMM	the same kprobe, when not called by exec but by prctl(2) or a write to
 *		/proc/PID/comm, possibly for another thread of the process
 *	EXIT	kprobe on disassociate_ctty(), which only the last thread of a process
 *		calls on exit. The exit tracepoint does not tell which thread is the
 *		last: two that exit at the same time may both see no other left
 *
 * None of the three may sleep. Kprobes run with preemption off; for tracepoints that depends on the
 * kernel, so bid_event_task() turns it off.
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

	if (child->tgid == parent->tgid || child->flags & PF_KTHREAD)
		return;
	/* a usermode helper has no address space before its EXEC */
	if (!child->mm)
		info.parent = NULL;
	else if (child->mm == parent->mm)
		info.flags = BUILDID_TASK_SHARES_MM;
	bid_event_task(&info);
}

static void task_send(u16 type, struct task_struct *task)
{
	struct bid_task_info info = { .type = type, .task = task };

	bid_event_task(&info);
}

static int on_comm(struct kprobe *kp, struct pt_regs *regs)
{
	struct task_struct *task = (struct task_struct *)regs_get_kernel_argument(regs, 0);
	bool exec = (u8)regs_get_kernel_argument(regs, 1);

	if (!(task->flags & PF_KTHREAD))
		task_send(exec ? BUILDID_RECORD_EXEC : BUILDID_RECORD_COMM, task);
	return 0;
}

static int on_disassociate(struct kprobe *kp, struct pt_regs *regs)
{
	bool on_exit = (int)regs_get_kernel_argument(regs, 0);

	if (on_exit && !(current->flags & PF_KTHREAD))
		task_send(BUILDID_RECORD_EXIT, current);
	return 0;
}

static struct kprobe probes[] = {
	{ .symbol_name = "perf_event_comm", .pre_handler = on_comm },
	{ .symbol_name = "disassociate_ctty", .pre_handler = on_disassociate },
};

/* register_kprobe() accepts a struct again only if it is as before the last registration. */
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

/* FORK last, so that no process has a FORK record whose EXEC or EXIT is missed. */
static int task_start(void)
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

static void task_stop(void)
{
	int i = ARRAY_SIZE(probes);

	bid_fork_unwatch(on_fork);
	while (i--)
		unregister_kprobe(&probes[i]);
}

/**
 * bid_task_watch() - start sending FORK, EXEC, COMM and EXIT records
 *
 * Counted: the first caller registers the probes. Process context; takes watchers_lock.
 *
 * Return: 0 or -errno, -EOPNOTSUPP if the kernel lacks such functions; undone by
 * bid_task_unwatch().
 */
int bid_task_watch(void)
{
	int err = 0;

	mutex_lock(&watchers_lock);
	if (!watchers)
		err = task_start();
	if (!err)
		watchers++;
	mutex_unlock(&watchers_lock);
	return err;
}

/* The last caller unregisters the probes. Process context. */
void bid_task_unwatch(void)
{
	mutex_lock(&watchers_lock);
	if (!--watchers)
		task_stop();
	mutex_unlock(&watchers_lock);
}
