// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>

#include "user.c"

#define SOMEBODY KUIDT_INIT(1000)
#define ANOTHER	 KUIDT_INIT(1001)

static struct user_namespace *make_ns(struct kunit *test, struct user_namespace *parent,
				      kuid_t owner, u32 root)
{
	struct user_namespace *ns = kunit_kzalloc(test, sizeof(*ns), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ns);
	ns->parent = parent;
	ns->owner = owner;
	ns->uid_map.nr_extents = 1;
	ns->uid_map.extent[0] = (struct uid_gid_extent){
		.lower_first = root,
		.count = 1000,
	};
	return ns;
}

/* A user namespace provides any number of uids. */
static void a_user_has_one_share_in_all_its_namespaces(struct kunit *test)
{
	struct user_namespace *own = make_ns(test, &init_user_ns, SOMEBODY, 100000);
	struct user_namespace *deeper = make_ns(test, own, KUIDT_INIT(100005), 100005);
	struct user_namespace *container = make_ns(test, &init_user_ns, GLOBAL_ROOT_UID, 200000);

	KUNIT_EXPECT_TRUE(test, uid_eq(user_of(&init_user_ns, ANOTHER), ANOTHER));
	KUNIT_EXPECT_TRUE(test, uid_eq(user_of(own, KUIDT_INIT(100001)), SOMEBODY));
	KUNIT_EXPECT_TRUE(test, uid_eq(user_of(deeper, KUIDT_INIT(100007)), SOMEBODY));
	KUNIT_EXPECT_TRUE(test, uid_eq(user_of(container, KUIDT_INIT(200033)), KUIDT_INIT(200000)));
}

/* As PrivateUsers= of systemd does for services, each of which has a user of its own. */
static void users_beside_the_real_root_are_not_root(struct kunit *test)
{
	struct user_namespace *private = make_ns(test, &init_user_ns, GLOBAL_ROOT_UID, 0);
	struct user_namespace *own = make_ns(test, private, SOMEBODY, 100000);
	struct user_namespace *container = make_ns(test, private, GLOBAL_ROOT_UID, 200000);
	struct user_namespace *rootless = make_ns(test, &init_user_ns, GLOBAL_ROOT_UID, 0);

	rootless->uid_map.nr_extents = 0;
	KUNIT_EXPECT_TRUE(test, uid_eq(user_of(private, SOMEBODY), SOMEBODY));
	KUNIT_EXPECT_TRUE(test, uid_eq(user_of(private, ANOTHER), ANOTHER));
	KUNIT_EXPECT_TRUE(test, uid_eq(user_of(private, GLOBAL_ROOT_UID), GLOBAL_ROOT_UID));
	KUNIT_EXPECT_TRUE(test, uid_eq(user_of(own, KUIDT_INIT(100001)), SOMEBODY));
	KUNIT_EXPECT_TRUE(test, uid_eq(user_of(container, KUIDT_INIT(200033)), KUIDT_INIT(200000)));
	KUNIT_EXPECT_TRUE(test, uid_eq(user_of(rootless, ANOTHER), ANOTHER));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_user_has_one_share_in_all_its_namespaces),
	KUNIT_CASE(users_beside_the_real_root_are_not_root),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_user",
	.test_cases = cases,
};

kunit_test_suite(suite);
