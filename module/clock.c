// SPDX-License-Identifier: GPL-2.0
/*
 * Bounds on CLOCK_REALTIME minus CLOCK_MONOTONIC since the module was loaded, and how long the
 * machine was suspended. Readers compare record times with file times, and can see for themselves
 * that the clock was set, but not that it was set and set back meanwhile.
 *
 * The timekeeper notifies those who mirror its clocks for guests at each update, under its raw
 * spinlock, and so before anybody can read the new time.
 */
#include <linux/minmax.h>
#include <linux/notifier.h>
#include <linux/pvclock_gtod.h>
#include <linux/timekeeper_internal.h>

#include "clock.h"

static struct {
	s64 real_min, real_max;
	s64 boot_first, boot;
} offset = { .real_min = S64_MAX, .real_max = S64_MIN };

/* Also called at each tick. */
static int on_update(struct notifier_block *block, unsigned long was_set, void *timekeeper)
{
	const struct timekeeper *tk = timekeeper;

	if (tk->offs_real < offset.real_min)
		WRITE_ONCE(offset.real_min, tk->offs_real);
	if (tk->offs_real > offset.real_max)
		WRITE_ONCE(offset.real_max, tk->offs_real);
	if (tk->offs_boot != offset.boot)
		WRITE_ONCE(offset.boot, tk->offs_boot);
	return NOTIFY_OK;
}

static struct notifier_block block = { .notifier_call = on_update };

void bid_clock_read(s64 *real_min, s64 *real_max, u64 *slept)
{
	*real_min = READ_ONCE(offset.real_min);
	*real_max = READ_ONCE(offset.real_max);
	*slept = READ_ONCE(offset.boot) - offset.boot_first;
}

/* Return: 0 or -errno. */
int bid_clock_init(void)
{
	/* also calls on_update() at once */
	int err = pvclock_gtod_register_notifier(&block);

	offset.boot_first = READ_ONCE(offset.boot);
	return err;
}

/* on_update() does not run any more once this returns. */
void bid_clock_exit(void)
{
	pvclock_gtod_unregister_notifier(&block);
}
