// SPDX-License-Identifier: GPL-2.0
/*
 * Comparing root directories when part of their identification was reused.
 */
#include <kunit/test.h>

#include "root.c"

static void is_that_of_the_process_it_was_taken_from(struct kunit *test)
{
	struct bid_root root;

	bid_root_of_current(&root);
	KUNIT_EXPECT_PTR_EQ(test, root.mnt, current->fs->root.mnt);
	KUNIT_EXPECT_TRUE(test, bid_root_is_current(&root));
}

/* Address, number or device may have been reused. */
static void is_another_when_anything_differs(struct kunit *test)
{
	struct bid_root root, other;

	bid_root_of_current(&root);
	other = root;
	other.mnt++;
	KUNIT_EXPECT_FALSE(test, bid_root_is_current(&other));
	other = root;
	other.dentry++;
	KUNIT_EXPECT_FALSE(test, bid_root_is_current(&other));
	other = root;
	other.key.ino++;
	KUNIT_EXPECT_FALSE(test, bid_root_is_current(&other));
	other = root;
	other.key.dev++;
	KUNIT_EXPECT_FALSE(test, bid_root_is_current(&other));
	other = root;
	other.key.generation++;
	KUNIT_EXPECT_FALSE(test, bid_root_is_current(&other));
	other = root;
	other.key.tree++;
	KUNIT_EXPECT_FALSE(test, bid_root_is_current(&other));
	other = root;
	other.epoch++;
	KUNIT_EXPECT_FALSE(test, bid_root_is_current(&other));
	KUNIT_EXPECT_TRUE(test, bid_root_is_current(&root));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(is_that_of_the_process_it_was_taken_from),
	KUNIT_CASE(is_another_when_anything_differs),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_root",
	.test_cases = cases,
};

kunit_test_suites(&suite);
