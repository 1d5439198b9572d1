// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>

#include <linux/slab.h>

#include "clock.c"

#define SECOND ((s64)NSEC_PER_SEC)

/* No notifier is registered here, so no tick interferes. */
static int start(struct kunit *test)
{
	offset.real_min = S64_MAX;
	offset.real_max = S64_MIN;
	offset.boot = ktime_get_boottime() - ktime_get();
	offset.boot_first = offset.boot;
	return 0;
}

/* The timekeeper reports that its offsets have changed by this much. */
static void update(struct kunit *test, s64 real, s64 boot)
{
	struct timekeeper *tk = kunit_kzalloc(test, sizeof(*tk), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, tk);
	tk->offs_real = ktime_get_real() - ktime_get() + real;
	tk->offs_boot = ktime_get_boottime() - ktime_get() + boot;
	on_update(&block, 0, tk);
}

static void begins_with_the_clocks_as_they_are(struct kunit *test)
{
	s64 real = ktime_get_real() - ktime_get(), min, max;
	u64 slept;

	KUNIT_ASSERT_EQ(test, bid_clock_init(), 0);
	bid_clock_exit();
	bid_clock_read(&min, &max, &slept);
	KUNIT_EXPECT_EQ(test, slept, 0);
	/* the clocks are not read at the same instant */
	KUNIT_EXPECT_LT(test, abs(min - real), SECOND);
	KUNIT_EXPECT_LT(test, abs(max - real), SECOND);
}

static void remembers_a_clock_that_was_set_and_set_back(struct kunit *test)
{
	s64 min, max;
	u64 slept;

	update(test, 100 * SECOND, 0);
	update(test, -50 * SECOND, 0);
	update(test, 0, 0);
	bid_clock_read(&min, &max, &slept);
	KUNIT_EXPECT_LT(test, abs(max - min - 150 * SECOND), SECOND);
	KUNIT_EXPECT_LT(test, slept, (u64)SECOND);
}

static void counts_the_time_that_the_machine_slept(struct kunit *test)
{
	s64 min, max;
	u64 slept;

	update(test, 0, 5 * SECOND);
	/* again, and longer */
	update(test, 0, 12 * SECOND);
	bid_clock_read(&min, &max, &slept);
	KUNIT_EXPECT_GT(test, slept, (u64)(11 * SECOND));
	KUNIT_EXPECT_LT(test, slept, (u64)(13 * SECOND));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(begins_with_the_clocks_as_they_are),
	KUNIT_CASE(remembers_a_clock_that_was_set_and_set_back),
	KUNIT_CASE(counts_the_time_that_the_machine_slept),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_clock",
	.init = start,
	.test_cases = cases,
};

kunit_test_suite(suite);
