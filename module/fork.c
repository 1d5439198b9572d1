// SPDX-License-Identifier: GPL-2.0
/*
 * These tracepoints are not exported to modules, so they are looked up by name among the kernel's
 * tracepoints.
 */
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "fork.h"

#define FORK "sched_process_fork"
#define EXEC "sched_process_exec"

struct search {
	const char *name;
	struct tracepoint *found;
};

static void fork_match(struct tracepoint *tracepoint, void *data)
{
	struct search *search = data;

	if (!strcmp(tracepoint->name, search->name))
		search->found = tracepoint;
}

static struct tracepoint *find_tracepoint(const char *name)
{
	struct search search = { .name = name };

	for_each_kernel_tracepoint(fork_match, &search);
	return search.found;
}

static int fork_watch(const char *name, void *fn)
{
	struct tracepoint *tracepoint = find_tracepoint(name);

	return tracepoint ? tracepoint_probe_register(tracepoint, fn, NULL) : -EOPNOTSUPP;
}

static void fork_unwatch(const char *name, void *fn)
{
	tracepoint_probe_unregister(find_tracepoint(name), fn, NULL);
	tracepoint_synchronize_unregister();
}

/**
 * bid_fork_watch() - register a function to be called for each fork
 * @fn: called in the parent before the child runs, also for threads. Must not sleep; newer kernels
 *	call it with preemption enabled
 *
 * Process context.
 *
 * Return: 0 or -errno; undone by bid_fork_unwatch().
 */
int bid_fork_watch(bid_fork_fn *fn)
{
	return fork_watch(FORK, fn);
}

/* @fn does not run any more once this returns. Process context; waits for a grace period. */
void bid_fork_unwatch(bid_fork_fn *fn)
{
	fork_unwatch(FORK, fn);
}

/**
 * bid_exec_watch() - register a function to be called for each exec
 * @fn: called in the process after its new image was mapped and before it runs; same rules as in
 *	bid_fork_watch()
 *
 * Process context.
 *
 * Return: 0 or -errno; undone by bid_exec_unwatch().
 */
int bid_exec_watch(bid_exec_fn *fn)
{
	return fork_watch(EXEC, fn);
}

/* As bid_fork_unwatch(). */
void bid_exec_unwatch(bid_exec_fn *fn)
{
	fork_unwatch(EXEC, fn);
}
