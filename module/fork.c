// SPDX-License-Identifier: GPL-2.0
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "fork.h"

static void match(struct tracepoint *tracepoint, void *data)
{
	if (!strcmp(tracepoint->name, "sched_process_fork"))
		*(struct tracepoint **)data = tracepoint;
}

/* Modules cannot name it. */
static struct tracepoint *find_tracepoint(void)
{
	struct tracepoint *found = NULL;

	for_each_kernel_tracepoint(match, &found);
	return found;
}

/**
 * bid_fork_watch() - be sent of every fork
 * @fn: called by the parent, before the child runs
 *
 * Return: 0 or -errno.
 */
int bid_fork_watch(bid_fork_fn *fn)
{
	struct tracepoint *tracepoint = find_tracepoint();

	return tracepoint ? tracepoint_probe_register(tracepoint, fn, NULL) : -EOPNOTSUPP;
}

/* On return it is not running, nor will be. */
void bid_fork_unwatch(bid_fork_fn *fn)
{
	tracepoint_probe_unregister(find_tracepoint(), fn, NULL);
	tracepoint_synchronize_unregister();
}
