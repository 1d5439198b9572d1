// SPDX-License-Identifier: GPL-2.0
/*
 * sched_process_fork is not exported, so that a module cannot name it. It can be found by
 * its name among the kernel's tracepoints.
 */
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "fork.h"

static void match(struct tracepoint *tracepoint, void *data)
{
	if (!strcmp(tracepoint->name, "sched_process_fork"))
		*(struct tracepoint **)data = tracepoint;
}

static struct tracepoint *find_tracepoint(void)
{
	struct tracepoint *found = NULL;

	for_each_kernel_tracepoint(match, &found);
	return found;
}

/**
 * bid_fork_watch() - register a function to be called for each fork
 * @fn: called in the parent with preemption off, before the child runs, for threads, too
 *
 * Process context.
 *
 * Return: 0 or -errno; undone by bid_fork_unwatch().
 */
int bid_fork_watch(bid_fork_fn *fn)
{
	struct tracepoint *tracepoint = find_tracepoint();

	return tracepoint ? tracepoint_probe_register(tracepoint, fn, NULL) : -EOPNOTSUPP;
}

/* On return @fn does not run any more. Process context; waits for a grace period. */
void bid_fork_unwatch(bid_fork_fn *fn)
{
	tracepoint_probe_unregister(find_tracepoint(), fn, NULL);
	tracepoint_synchronize_unregister();
}
