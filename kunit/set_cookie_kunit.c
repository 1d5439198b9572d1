// SPDX-License-Identifier: GPL-2.0
/*
 * Which requests are valid, and who owns a file. tests/module/cookies.t has the effects of a
 * cookie.
 */
#include "files.h"

#include <linux/uaccess.h>

#include "compat.h"
#include "cookie.h"
#include "lookup.h"
#include "reply.h"
#include "user.h"

#include "set_cookie.c"

#define KIND(name) BUILDID_KIND_##name
#define FD	   BUILDID_COOKIE_FD

static const struct kind_case {
	const char *name;
	u8 kind;
	u8 id_len;
	bool of_mapping;
	bool of_file;
} kinds[] = {
	{ "a cookie", KIND(COOKIE), 1, true, true },
	{ "a build-id", KIND(GNU), 20, true },
	{ "a Go id", KIND(GO), 20, true },
	{ "nothing, to take it back", KIND(NONE), 0, true, true },
	{ "a cookie of no bytes", KIND(COOKIE), 0 },
	{ "nothing, of a length", KIND(NONE), 1 },
	{ "a hash", KIND(HTLHASH), 16 },
	{ "a kind that there is not", 99, 1 },
};

KUNIT_ARRAY_PARAM_DESC(kinds, kinds, name);

static void names_it(struct kunit *test)
{
	const struct kind_case *of = test->param_value;
	struct buildid_set_cookie req = { .kind = of->kind, .id_len = of->id_len };

	KUNIT_EXPECT_EQ(test, is_valid_kind(&req), of->of_mapping);
	req.flags = FD;
	KUNIT_EXPECT_EQ(test, is_valid_kind(&req), of->of_file);
}

static const struct object_case {
	const char *name;
	struct buildid_set_cookie req;
	bool valid;
} objects[] = {
	{ "a mapping", { .addr = 4096, .len = 1 }, true },
	{ "a file", { .flags = FD, .fd = 3 }, true },
	{ "a file and a mapping", { .flags = FD, .fd = 3, .addr = 4096 } },
	{ "a mapping of a descriptor", { .fd = 3, .addr = 4096, .len = 1 } },
	{ "a mapping without a length", { .addr = 4096 } },
	{ "a mapping that wraps", { .addr = 4096, .len = -4096ULL } },
	{ "a mapping to the last byte but one", { .addr = 4096, .len = -4097ULL }, true },
};

KUNIT_ARRAY_PARAM_DESC(objects, objects, name);

static void knows_what_is_named(struct kunit *test)
{
	const struct object_case *of = test->param_value;

	KUNIT_EXPECT_EQ(test, is_valid_object(&of->req), of->valid);
}

static void a_file_belongs_to_who_owns_its_inode(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	struct inode *inode = file_inode(file);

	inode->i_uid = current_fsuid();
	KUNIT_EXPECT_TRUE(test, set_cookie_owns(file, inode));
	inode->i_uid = KUIDT_INIT(1000);
	KUNIT_EXPECT_FALSE(test, set_cookie_owns(file, inode));
	inode->i_uid = INVALID_UID;
	KUNIT_EXPECT_FALSE(test, set_cookie_owns(file, inode));
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(names_it, kinds_gen_params),
	KUNIT_CASE_PARAM(knows_what_is_named, objects_gen_params),
	KUNIT_CASE(a_file_belongs_to_who_owns_its_inode),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_set_cookie",
	.test_cases = cases,
};

kunit_test_suites(&suite);
