// SPDX-License-Identifier: GPL-2.0
/* Ends ftrace for good, as the kernel does when it finds it broken. */
#include <linux/kprobes.h>
#include <linux/module.h>

static int __init ftrace_kill_init(void)
{
	struct kprobe kp = {
		.symbol_name = "ftrace_kill",
		.flags = KPROBE_FLAG_DISABLED,
	};
	void (*kill)(void);
	int err = register_kprobe(&kp);

	if (err)
		return err;
	kill = (void *)kp.addr;
	unregister_kprobe(&kp);
	kill();
	return 0;
}

static void __exit ftrace_kill_exit(void)
{
}

module_init(ftrace_kill_init);
module_exit(ftrace_kill_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("The end of ftrace");
