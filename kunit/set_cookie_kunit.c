// SPDX-License-Identifier: GPL-2.0
/*
 * Which requests are good, and who owns a file. What a name does: tests/module/cookies.t.
 */
#include "files.h"

#include <linux/uaccess.h>

#include "compat.h"
#include "cookie.h"
#include "ioctl.h"
#include "lookup.h"
#include "reply.h"
#include "user.h"

/* No ioctl comes in here. */
int bid_ioctl_copy_in_from(size_t published, void *to, size_t known, void __user *arg)
{
	return -EFAULT;
}

int bid_ioctl_copy_out(void __user *arg, const void *from, size_t known)
{
	return -EFAULT;
}

#include "set_cookie.c"

#define FD	   BUILDID_COOKIE_FD
#define KIND(name) BUILDID_KIND_##name

static const struct request_case {
	const char *name;
	struct buildid_set_cookie req;
	bool kind_is_valid;
	bool object_is_valid;
} requests[] = {
	{ "a mapping", { .kind = KIND(COOKIE), .id_len = 1, .addr = 4096, .len = 1 }, true, true },
	{ "a mapping, by its build-id",
	  { .kind = KIND(GNU), .id_len = 20, .addr = 4096, .len = 1 },
	  true,
	  true },
	{ "a mapping, no more", { .kind = KIND(NONE), .addr = 4096, .len = 1 }, true, true },
	{ "a file", { .flags = FD, .fd = 3, .kind = KIND(COOKIE), .id_len = 1 }, true, true },
	{ "a file, no more", { .flags = FD, .fd = 3, .kind = KIND(NONE) }, true, true },
	{ "a file, by a build-id",
	  { .flags = FD, .fd = 3, .kind = KIND(GNU), .id_len = 20 },
	  false,
	  true },
	{ "a file and a mapping",
	  { .flags = FD, .fd = 3, .kind = KIND(COOKIE), .id_len = 1, .addr = 4096 },
	  true,
	  false },
	{ "a mapping of a descriptor",
	  { .fd = 3, .kind = KIND(COOKIE), .id_len = 1, .addr = 4096, .len = 1 },
	  true,
	  false },
	{ "a mapping without a length",
	  { .kind = KIND(COOKIE), .id_len = 1, .addr = 4096 },
	  true,
	  false },
	{ "a mapping that wraps",
	  { .kind = KIND(COOKIE), .id_len = 1, .addr = 4096, .len = -4096ULL },
	  true,
	  false },
	{ "a mapping to the last byte but one",
	  { .kind = KIND(COOKIE), .id_len = 1, .addr = 4096, .len = -4097ULL },
	  true,
	  true },
	{ "nothing to name it with", { .kind = KIND(COOKIE), .addr = 4096, .len = 1 }, false, true },
	{ "no name, of a length",
	  { .kind = KIND(NONE), .id_len = 1, .addr = 4096, .len = 1 },
	  false,
	  true },
	{ "a hash", { .kind = KIND(HTLHASH), .id_len = 16, .addr = 4096, .len = 1 }, false, true },
	{ "a kind that there is not",
	  { .kind = 99, .id_len = 1, .addr = 4096, .len = 1 },
	  false,
	  true },
};

KUNIT_ARRAY_PARAM_DESC(requests, requests, name);

static void takes_good_requests_only(struct kunit *test)
{
	const struct request_case *of = test->param_value;

	KUNIT_EXPECT_EQ(test, is_valid_kind(&of->req), of->kind_is_valid);
	KUNIT_EXPECT_EQ(test, is_valid_object(&of->req), of->object_is_valid);
}

static void a_file_belongs_to_who_owns_its_inode(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	struct inode *inode = file_inode(file);

	inode->i_uid = current_fsuid();
	KUNIT_EXPECT_TRUE(test, owns(file, inode));
	inode->i_uid = KUIDT_INIT(1000);
	KUNIT_EXPECT_FALSE(test, owns(file, inode));
	inode->i_uid = INVALID_UID;
	KUNIT_EXPECT_FALSE(test, owns(file, inode));
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(takes_good_requests_only, requests_gen_params),
	KUNIT_CASE(a_file_belongs_to_who_owns_its_inode),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_set_cookie",
	.test_cases = cases,
};

kunit_test_suites(&suite);
