// SPDX-License-Identifier: GPL-2.0
/*
 * The cookies of an address space as a set of ranges. tests/module/cookies.t has how they end with
 * their mappings.
 */
#include <kunit/test.h>

#include "compat.h"
#include "cookie.h"
#include "event.h"
#include "user.h"

static int uncharged;

static void test_uncharge(struct bid_cookie_owner *owner)
{
	uncharged++;
}

static void test_event_cookie(const struct bid_cookie_info *info)
{
}

#define bid_cookie_uncharge test_uncharge
#define bid_event_cookie    test_event_cookie

#include "mapping_cookie.c"

static struct mm_cookies set;

static void put_range(struct kunit *test, u64 start, u64 end)
{
	struct cookie *cookie = kzalloc(sizeof(*cookie), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, cookie);
	cookie->info.start = start;
	cookie->info.end = end;
	spin_lock(&lock);
	mapping_cookie_insert(&set, cookie);
	spin_unlock(&lock);
}

/* The start of the first cookie that ends after @addr; 0 without one. */
static u64 first(u64 addr)
{
	struct cookie *cookie;
	u64 start;

	spin_lock(&lock);
	cookie = first_after(&set, addr);
	start = cookie ? cookie->info.start : 0;
	spin_unlock(&lock);
	return start;
}

static bool drop_range(u64 start, u64 end)
{
	bool dropped;

	spin_lock(&lock);
	dropped = mapping_cookie_drop(&set, start, end);
	spin_unlock(&lock);
	return dropped;
}

/* Inserted from the last to the first and in between, as the tree has to sort them by address. */
static void finds_the_first_behind_an_address(struct kunit *test)
{
	put_range(test, 0x5000, 0x6000);
	put_range(test, 0x1000, 0x2000);
	put_range(test, 0x3000, 0x4000);
	KUNIT_EXPECT_EQ(test, first(0), 0x1000);
	KUNIT_EXPECT_EQ(test, first(0x1000), 0x1000);
	KUNIT_EXPECT_EQ(test, first(0x1fff), 0x1000);
	KUNIT_EXPECT_EQ(test, first(0x2000), 0x3000);
	KUNIT_EXPECT_EQ(test, first(0x4000), 0x5000);
	KUNIT_EXPECT_EQ(test, first(0x6000), 0);
}

static const struct drop_case {
	const char *name;
	u64 start, end;
	int dropped;
} drops[] = {
	{ "nothing, between two", 0x2000, 0x3000, 0 },
	{ "nothing, before all", 0, 0x1000, 0 },
	{ "nothing, after all", 0x6000, ~0ULL, 0 },
	{ "one, of which it has the first byte", 0, 0x1001, 1 },
	{ "one, of which it has the last byte", 0x1fff, 0x3000, 1 },
	{ "one, within it", 0x3400, 0x3800, 1 },
	{ "two, of which it has a part of each", 0x1fff, 0x3001, 2 },
	{ "all", 0, ~0ULL, 3 },
};

KUNIT_ARRAY_PARAM_DESC(drops, drops, name);

static void drops_what_shares_an_address(struct kunit *test)
{
	const struct drop_case *of = test->param_value;

	put_range(test, 0x1000, 0x2000);
	put_range(test, 0x3000, 0x4000);
	put_range(test, 0x5000, 0x6000);
	KUNIT_EXPECT_EQ(test, drop_range(of->start, of->end), !!of->dropped);
	KUNIT_EXPECT_EQ(test, uncharged, of->dropped);
}

static void stop(void *unused)
{
	drop_range(0, ~0ULL);
}

static int start(struct kunit *test)
{
	set.cookies = RB_ROOT;
	uncharged = 0;
	return kunit_add_action_or_reset(test, stop, NULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(finds_the_first_behind_an_address),
	KUNIT_CASE_PARAM(drops_what_shares_an_address, drops_gen_params),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_mapping_cookie",
	.init = start,
	.test_cases = cases,
};

kunit_test_suites(&suite);
