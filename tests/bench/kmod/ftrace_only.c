// SPDX-License-Identifier: GPL-2.0
/*
 * What no module that watches mappings by an ftrace_ops can be cheaper than.
 */
#include <linux/ftrace.h>
#include <linux/module.h>

static void notrace on_mmap(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *regs)
{
}

static struct ftrace_ops watch = { .func = on_mmap };

static int __init ftrace_only_init(void)
{
	char symbol[] = "perf_event_mmap";

	return ftrace_set_filter(&watch, symbol, strlen(symbol), 1) ?:
		       register_ftrace_function(&watch);
}

static void __exit ftrace_only_exit(void)
{
	unregister_ftrace_function(&watch);
}

module_init(ftrace_only_init);
module_exit(ftrace_only_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("An ftrace_ops on perf_event_mmap that does nothing");
