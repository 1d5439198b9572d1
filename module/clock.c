// SPDX-License-Identifier: GPL-2.0
/*
 * How far CLOCK_REALTIME was from CLOCK_MONOTONIC at any time since the module was loaded,
 * and how long the machine was suspended. A reader that compares the times of records with
 * times of files can see a clock that was set; one that was set and set back only we can.
 *
 * The timekeeper reports each of its updates to whoever mirrors its clocks for guests, under
 * its raw spinlock, and so before anybody can read the new time.
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

/* At each tick as well. */
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
	/* reports at once, too */
	int err = pvclock_gtod_register_notifier(&block);

	offset.boot_first = READ_ONCE(offset.boot);
	return err;
}

/* On return the handler runs no more. */
void bid_clock_exit(void)
{
	pvclock_gtod_unregister_notifier(&block);
}
