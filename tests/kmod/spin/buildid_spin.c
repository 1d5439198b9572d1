// SPDX-License-Identifier: GPL-2.0
/* Works for a while when its parameter is written; SPIN is the function's name. */
#include <linux/ktime.h>
#include <linux/module.h>

static unsigned long turns;

static noinline void SPIN(unsigned int ms)
{
	ktime_t end = ktime_add_ms(ktime_get(), ms);
	unsigned int i;

	while (ktime_before(ktime_get(), end))
		for (i = 0; i < 10000; i++)
			WRITE_ONCE(turns, turns + 1);
}

static int set_spin(const char *value, const struct kernel_param *param)
{
	unsigned int ms;
	int err = kstrtouint(value, 0, &ms);

	if (!err)
		SPIN(ms);
	return err;
}

static const struct kernel_param_ops spin_ops = { .set = set_spin };

module_param_cb(spin, &spin_ops, NULL, 0200);
MODULE_DESCRIPTION("Of buildid's tests");
MODULE_LICENSE("GPL");
