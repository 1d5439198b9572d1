// SPDX-License-Identifier: GPL-2.0
/*
 * KERNEL and MODULE records. The module notifier is called by the cases themselves.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kobject.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/utsname.h>

#include "compat.h"
#include "event.h"
#include "kernel_image.h"

#include "alloc.h"

/* The records that were sent, in order, and to which subscriber: NULL for all. */
static struct {
	u32 n;
	int add_err; /* of the next subscriber */
	struct {
		const struct bid_subscriber *only;
		struct bid_image_info info;
		struct bid_identity id;
		char name[__NEW_UTS_LEN + 1];
	} events[256];
} sent;

static int test_event_add(struct bid_subscriber *subscriber)
{
	return sent.add_err;
}

static void test_event_image(struct bid_subscriber *only, const struct bid_image_info *info)
{
	if (sent.n == ARRAY_SIZE(sent.events))
		return;
	sent.events[sent.n].only = only;
	sent.events[sent.n].info = *info;
	sent.events[sent.n].id = *info->id;
	strscpy(sent.events[sent.n].name, info->name, sizeof(sent.events[0].name));
	sent.n++;
}

/* KUnit runs suites from within the real notifier chain, which is locked meanwhile. */
static struct notifier_block *notifier_block;

static int test_register_module_notifier(struct notifier_block *nb)
{
	notifier_block = nb;
	return 0;
}

static int test_unregister_module_notifier(struct notifier_block *nb)
{
	notifier_block = NULL;
	return 0;
}

/* Of a release as long as one can be. */
static struct new_utsname long_named = {
	.release = "6.12.117-0123456789-0123456789-0123456789-0123456789-01234567890",
};

static bool name_is_long;

static struct new_utsname *test_utsname(void)
{
	return name_is_long ? &long_named : init_utsname();
}

#define init_utsname		   test_utsname
#define bid_event_add		   test_event_add
#define bid_event_image		   test_event_image
#define register_module_notifier   test_register_module_notifier
#define unregister_module_notifier test_unregister_module_notifier

#undef pr_fmt
#include "kernel_image.c"

static struct bid_subscriber of_kernel = { .flags = BUILDID_SUB_KERNEL };
static struct bid_subscriber of_files;

/* -------------------------------------------------------- what is there now -- */

/* @code is a function of it. */
static bool has_code(const struct bid_image_info *info, const void *code)
{
	u64 addr = (unsigned long)code;

	return info->addr <= addr && addr - info->addr < info->len;
}

static void sends_the_kernel_first(struct kunit *test)
{
	const struct bid_image_info *info = &sent.events[0].info;

	KUNIT_ASSERT_EQ(test, bid_kernel_image_subscribe(&of_kernel), 0);
	KUNIT_ASSERT_GT(test, sent.n, 0);
	KUNIT_EXPECT_EQ(test, info->type, BUILDID_RECORD_KERNEL);
	KUNIT_EXPECT_EQ(test, info->record_flags, BUILDID_RECORD_SNAPSHOT);
	KUNIT_EXPECT_EQ(test, info->flags, 0);
	KUNIT_EXPECT_STREQ(test, sent.events[0].name, init_utsname()->release);
	KUNIT_EXPECT_EQ(test, sent.events[0].id.kind, BUILDID_KIND_GNU);
	KUNIT_EXPECT_EQ(test, sent.events[0].id.reason, BUILDID_REASON_NONE);
	KUNIT_EXPECT_EQ(test, sent.events[0].id.len, 20);
	KUNIT_EXPECT_TRUE(test, has_code(info, kernel_read));
	KUNIT_EXPECT_TRUE(test, has_code(info, kfree_const));
	KUNIT_EXPECT_FALSE(test, has_code(info, &sent));
}

static void sends_a_long_release_unchanged(struct kunit *test)
{
	name_is_long = true;
	read_kernel();
	name_is_long = false;
	KUNIT_ASSERT_EQ(test, strlen(long_named.release), __NEW_UTS_LEN);
	KUNIT_ASSERT_EQ(test, bid_kernel_image_subscribe(&of_kernel), 0);
	KUNIT_EXPECT_STREQ(test, sent.events[0].name, long_named.release);
}

/* The event of this name, or NULL. */
static const struct bid_image_info *find(const char *name, const struct bid_identity **id)
{
	u32 i;

	for (i = 1; i < sent.n; i++)
		if (!strcmp(sent.events[i].name, name)) {
			*id = &sent.events[i].id;
			return &sent.events[i].info;
		}
	return NULL;
}

static void sends_modules_that_are_loaded(struct kunit *test)
{
	const struct bid_image_info *info;
	const struct bid_identity *id;
	u32 i;

	KUNIT_ASSERT_EQ(test, bid_kernel_image_subscribe(&of_kernel), 0);
	info = find(THIS_MODULE->name, &id);
	KUNIT_ASSERT_NOT_NULL(test, info);
	KUNIT_EXPECT_EQ(test, info->type, BUILDID_RECORD_MODULE);
	KUNIT_EXPECT_EQ(test, id->kind, BUILDID_KIND_GNU);
	KUNIT_EXPECT_EQ(test, id->len, 20);
	KUNIT_EXPECT_TRUE(test, has_code(info, test_event_image));
	KUNIT_EXPECT_FALSE(test, has_code(info, kernel_read));
	for (i = 0; i < sent.n; i++) {
		KUNIT_EXPECT_EQ(test, sent.events[i].info.record_flags, BUILDID_RECORD_SNAPSHOT);
		KUNIT_EXPECT_PTR_EQ(test, sent.events[i].only, &of_kernel);
	}
}

static void sends_nothing_to_those_that_do_not_ask(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, bid_kernel_image_subscribe(&of_files), 0);
	KUNIT_EXPECT_EQ(test, sent.n, 0);
}

static void sends_nothing_to_a_subscriber_that_was_refused(struct kunit *test)
{
	sent.add_err = -EUSERS;
	KUNIT_EXPECT_EQ(test, bid_kernel_image_subscribe(&of_kernel), -EUSERS);
	KUNIT_EXPECT_EQ(test, sent.n, 0);
}

/* --------------------------------------------------------- what comes and goes -- */

/* A module with arbitrary addresses, and without notes in sysfs. */
static struct module *make_module(struct kunit *test, const char *name)
{
	struct module *module = kunit_kzalloc(test, sizeof(*module), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, module);
	strscpy(module->name, name, MODULE_NAME_LEN);
	BID_MODULE_TEXT(module) = make_module;
	BID_MODULE_TEXT_SIZE(module) = 12345;
	return module;
}

static void notify(struct module *module, unsigned long state)
{
	notifier_block->notifier_call(notifier_block, state, module);
}

static void expect_sent(struct kunit *test, u32 i, const char *name, u32 flags)
{
	KUNIT_ASSERT_GT(test, sent.n, i);
	KUNIT_EXPECT_PTR_EQ(test, sent.events[i].only, NULL);
	KUNIT_EXPECT_EQ(test, sent.events[i].info.type, BUILDID_RECORD_MODULE);
	KUNIT_EXPECT_EQ(test, sent.events[i].info.record_flags, 0);
	KUNIT_EXPECT_EQ(test, sent.events[i].info.flags, flags);
	KUNIT_EXPECT_EQ(test, sent.events[i].info.addr, (unsigned long)make_module);
	KUNIT_EXPECT_EQ(test, sent.events[i].info.len, 12345);
	KUNIT_EXPECT_STREQ(test, sent.events[i].name, name);
}

static void sends_a_module_that_comes_and_goes(struct kunit *test)
{
	struct module *module = make_module(test, "buildid_kunit_any");

	notify(module, MODULE_STATE_COMING);
	KUNIT_EXPECT_EQ(test, sent.n, 0);
	notify(module, MODULE_STATE_LIVE);
	KUNIT_ASSERT_EQ(test, sent.n, 1);
	expect_sent(test, 0, "buildid_kunit_any", 0);
	notify(module, MODULE_STATE_GOING);
	KUNIT_ASSERT_EQ(test, sent.n, 2);
	expect_sent(test, 1, "buildid_kunit_any", BUILDID_IMAGE_UNLOAD);
}

static void sends_a_module_once(struct kunit *test)
{
	struct module *module = make_module(test, "buildid_kunit_any");

	notify(module, MODULE_STATE_LIVE);
	notify(module, MODULE_STATE_LIVE);
	KUNIT_EXPECT_EQ(test, sent.n, 1);
	notify(module, MODULE_STATE_GOING);
	notify(module, MODULE_STATE_GOING);
	KUNIT_EXPECT_EQ(test, sent.n, 2);
}

/* Its init function failed: it was never reported as loaded. */
static void sends_nothing_for_a_module_that_never_went_live(struct kunit *test)
{
	struct module *module = make_module(test, "buildid_kunit_any");

	notify(module, MODULE_STATE_COMING);
	notify(module, MODULE_STATE_GOING);
	KUNIT_EXPECT_EQ(test, sent.n, 0);
}

static void has_a_module_in_the_snapshot_as_long_as_it_is_there(struct kunit *test)
{
	struct module *module = make_module(test, "buildid_kunit_any");
	const struct bid_identity *id;

	notify(module, MODULE_STATE_LIVE);
	KUNIT_ASSERT_EQ(test, bid_kernel_image_subscribe(&of_kernel), 0);
	KUNIT_EXPECT_NOT_NULL(test, find(module->name, &id));
	notify(module, MODULE_STATE_GOING);
	sent.n = 0;
	KUNIT_ASSERT_EQ(test, bid_kernel_image_subscribe(&of_kernel), 0);
	KUNIT_EXPECT_PTR_EQ(test, find(module->name, &id), NULL);
}

/* Even if its name is that of the kernel's release, or looks like a path. */
static void a_module_stays_one_whatever_its_name(struct kunit *test)
{
	struct module *module = make_module(test, init_utsname()->release);

	notify(module, MODULE_STATE_LIVE);
	expect_sent(test, 0, init_utsname()->release, 0);
	notify(module, MODULE_STATE_GOING);
	sent.n = 0;
	module = make_module(test, "../../kernel");
	notify(module, MODULE_STATE_LIVE);
	expect_sent(test, 0, "../../kernel", 0);
	notify(module, MODULE_STATE_GOING);
}

static void has_the_longest_name(struct kunit *test)
{
	char name[MODULE_NAME_LEN];
	struct module *module;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	module = make_module(test, name);
	notify(module, MODULE_STATE_LIVE);
	expect_sent(test, 0, name, 0);
	notify(module, MODULE_STATE_GOING);
}

/* ---------------------------------------------------------------- identities -- */

static const struct notes_case {
	const char *name;
	const char *path;
	u8 kind;
	u8 reason;
} notes[] = {
	{ "the kernel's", "kernel/notes", BUILDID_KIND_GNU, BUILDID_REASON_NONE },
	{ "none", "module/buildid_kunit/notes/none", BUILDID_KIND_NONE, BUILDID_REASON_NO_NOTE },
	{ "a text", "kernel/fscaps", BUILDID_KIND_NONE, BUILDID_REASON_NO_NOTE },
	{ "a directory", "kernel", BUILDID_KIND_NONE, BUILDID_REASON_IO },
};

KUNIT_ARRAY_PARAM_DESC(notes, notes, name);

static void reads_notes_that_are(struct kunit *test)
{
	const struct notes_case *of = test->param_value;
	struct bid_identity id;

	memset(&id, 0xa5, sizeof(id));
	read_notes(of->path, &id);
	KUNIT_EXPECT_EQ(test, id.kind, of->kind);
	KUNIT_EXPECT_EQ(test, id.reason, of->reason);
	KUNIT_EXPECT_EQ(test, !id.len, of->kind == BUILDID_KIND_NONE);
}

static void a_module_without_notes_says_so(struct kunit *test)
{
	struct module *module = make_module(test, "buildid_kunit_any");

	notify(module, MODULE_STATE_LIVE);
	KUNIT_EXPECT_EQ(test, sent.events[0].id.kind, BUILDID_KIND_NONE);
	KUNIT_EXPECT_EQ(test, sent.events[0].id.reason, BUILDID_REASON_NO_NOTE);
	KUNIT_EXPECT_EQ(test, sent.events[0].id.len, 0);
	notify(module, MODULE_STATE_GOING);
}

static void without_memory_the_module_is_sent_all_the_same(struct kunit *test)
{
	struct module *module = make_module(test, THIS_MODULE->name);

	free_modules();
	alloc_expect(1);
	notify(module, MODULE_STATE_LIVE);
	alloc_expect(0);
	expect_sent(test, 0, THIS_MODULE->name, 0);
	KUNIT_EXPECT_EQ(test, sent.events[0].id.reason, BUILDID_REASON_IO);
	notify(module, MODULE_STATE_GOING);
}

static void knows_no_address_of_what_is_no_symbol(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, symbol_address("buildid_kunit_no_such_symbol"), 0);
	/* a probe skips the landing pad that a function may begin with */
	KUNIT_EXPECT_LE(test, symbol_address("kernel_read") - (unsigned long)kernel_read, 4);
}

static void stop(void *unused)
{
	bid_kernel_image_exit();
}

static int start(struct kunit *test)
{
	int err;

	memset(&sent, 0, sizeof(sent));
	err = bid_kernel_image_init();
	return err ?: kunit_add_action_or_reset(test, stop, NULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(sends_the_kernel_first),
	KUNIT_CASE(sends_a_long_release_unchanged),
	KUNIT_CASE(sends_modules_that_are_loaded),
	KUNIT_CASE(sends_nothing_to_those_that_do_not_ask),
	KUNIT_CASE(sends_nothing_to_a_subscriber_that_was_refused),
	KUNIT_CASE(sends_a_module_that_comes_and_goes),
	KUNIT_CASE(sends_a_module_once),
	KUNIT_CASE(sends_nothing_for_a_module_that_never_went_live),
	KUNIT_CASE(has_a_module_in_the_snapshot_as_long_as_it_is_there),
	KUNIT_CASE(a_module_stays_one_whatever_its_name),
	KUNIT_CASE(has_the_longest_name),
	KUNIT_CASE_PARAM(reads_notes_that_are, notes_gen_params),
	KUNIT_CASE(a_module_without_notes_says_so),
	KUNIT_CASE(without_memory_the_module_is_sent_all_the_same),
	KUNIT_CASE(knows_no_address_of_what_is_no_symbol),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_kernel_image",
	.init = start,
	.test_cases = cases,
};

kunit_test_suites(&suite);
