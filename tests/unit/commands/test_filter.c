// SPDX-License-Identifier: GPL-2.0
/* Filter: by pid, thread name and path. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/filter.h"
#include "common/array.h"
#include "streams.h"

static void an_empty_filter_matches_all(void **state)
{
	struct filter filter = {};

	(void)state;
	assert_true(filter_matches(&filter, 1, "a", "/bin/a"));
	assert_true(filter_matches(&filter, 1, "", ""));
}

static void pids_are_added_from_lists(void **state)
{
	struct filter filter = {};

	(void)state;
	assert_null(filter_add_pids(&filter, "10,20"));
	assert_null(filter_add_pids(&filter, "30"));
	assert_int_equal(filter.nr_pids, 3);
	assert_true(filter_matches(&filter, 10, "a", "/a"));
	assert_true(filter_matches(&filter, 30, "a", "/a"));
	assert_false(filter_matches(&filter, 1, "a", "/a"));
}

static void what_is_no_list_of_pids_is_refused(void **state)
{
	static const char *const lists[] = {
		"",
		"0",
		"-1",
		" 1",
		"+1",
		"1,",
		",1",
		"1,,2",
		"x",
		"1x",
		"1 2",
		"2147483648",
		"99999999999999999999",
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		struct filter filter = {};

		assert_non_null(filter_add_pids(&filter, lists[i]));
	}
}

static void there_is_a_bound_on_pids(void **state)
{
	struct filter filter = {};
	int i;

	(void)state;
	for (i = 0; i < BUILDID_SUB_PIDS_MAX; i++)
		assert_null(filter_add_pids(&filter, "1"));
	assert_non_null(filter_add_pids(&filter, "1"));
	assert_int_equal(filter.nr_pids, BUILDID_SUB_PIDS_MAX);
}

static void names_match_as_far_as_the_kernel_keeps_them(void **state)
{
	struct filter filter = { .comm = "cat" };

	(void)state;
	assert_true(filter_matches(&filter, 1, "cat", "/a"));
	assert_false(filter_matches(&filter, 1, "cat2", "/a"));
	assert_false(filter_matches(&filter, 1, "ca", "/a"));
	filter.comm = "chromium-browser-sandbox";
	assert_true(filter_matches(&filter, 1, "chromium-browse", "/a"));
	assert_false(filter_matches(&filter, 1, "chromium-brows", "/a"));
	filter.comm = "a*";
	assert_false(filter_matches(&filter, 1, "ab", "/a"));
}

static void paths_match_patterns(void **state)
{
	struct filter filter = { .path = "*/libc.so.?" };

	(void)state;
	assert_true(filter_matches(&filter, 1, "a", "/usr/lib/x86_64-linux-gnu/libc.so.6"));
	assert_false(filter_matches(&filter, 1, "a", "/usr/lib/libm.so.6"));
	assert_false(filter_matches(&filter, 1, "a", ""));
	filter.path = "/usr/*";
	assert_true(filter_matches(&filter, 1, "a", "/usr/lib/a/b"));
	filter.path = "/bin/[ls]";
	assert_true(filter_matches(&filter, 1, "a", "/bin/s"));
}

static void all_have_to_match(void **state)
{
	struct filter filter = { .comm = "a", .path = "/a" };

	(void)state;
	assert_null(filter_add_pids(&filter, "1"));
	assert_true(filter_matches(&filter, 1, "a", "/a"));
	assert_false(filter_matches(&filter, 2, "a", "/a"));
	assert_false(filter_matches(&filter, 1, "b", "/a"));
	assert_false(filter_matches(&filter, 1, "a", "/b"));
}

static void descendants_are_left_to_the_module(void **state)
{
	struct filter filter = { .children = true };

	(void)state;
	assert_null(filter_add_pids(&filter, "1"));
	assert_true(filter_matches(&filter, 2, "a", "/a"));
}

static void users_are_numbers_or_names(void **state)
{
	static const char *const wrong[] = {
		"", "-1", "4294967295", "99999999999999999999", "0x10", "no user",
	};
	struct filter filter = {};
	size_t i;

	(void)state;
	assert_null(filter_set_uid(&filter, "4294967294"));
	assert_true(filter.by_uid);
	assert_int_equal(filter.uid, 4294967294U);
	assert_null(filter_set_uid(&filter, "root"));
	assert_int_equal(filter.uid, 0);
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_non_null(filter_set_uid(&filter, wrong[i]));
}

static void a_subscription_has_all_of_it(void **state)
{
	const pid_t gone = fork();
	struct buildid_options options = {};
	struct filter filter = { .children = true };
	char *printed = NULL, pid[16];
	struct output out;
	size_t size;
	FILE *errors;

	(void)state;
	if (!gone)
		_exit(0);
	assert_int_equal(waitpid(gone, NULL, 0), gone);
	out_init(&out, stdout, false);
	snprintf(pid, sizeof(pid), "%d", getpid());
	assert_null(filter_add_pids(&filter, pid));
	assert_null(filter_set_uid(&filter, "12"));
	assert_true(filter_set_options(&filter, &out, &options));
	assert_int_equal(options.nr_pids, 1);
	assert_int_equal(options.pids[0], getpid());
	assert_int_equal(options.flags, BUILDID_SUB_CHILDREN | BUILDID_SUB_UID);
	assert_int_equal(options.uid, 12);
	filter_close_options(&options);

	errors = stderr;
	stderr = open_memstream(&printed, &size);
	filter.cgroup = "/proc/self";
	assert_false(filter_set_options(&filter, &out, &options));
	filter.cgroup = "/nonexistent";
	assert_false(filter_set_options(&filter, &out, &options));
	filter.cgroup = NULL;
	snprintf(pid, sizeof(pid), "%d", gone);
	assert_null(filter_add_pids(&filter, pid));
	assert_false(filter_set_options(&filter, &out, &options));
	fclose(stderr);
	stderr = errors;
	assert_non_null(strstr(printed, "/proc/self: not a cgroup v2 directory"));
	assert_non_null(strstr(printed, "/nonexistent: No such file or directory"));
	assert_non_null(strstr(printed, pid));
	free(printed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_filter_matches_all),
		cmocka_unit_test(pids_are_added_from_lists),
		cmocka_unit_test(what_is_no_list_of_pids_is_refused),
		cmocka_unit_test(there_is_a_bound_on_pids),
		cmocka_unit_test(names_match_as_far_as_the_kernel_keeps_them),
		cmocka_unit_test(paths_match_patterns),
		cmocka_unit_test(all_have_to_match),
		cmocka_unit_test(descendants_are_left_to_the_module),
		cmocka_unit_test(users_are_numbers_or_names),
		cmocka_unit_test(a_subscription_has_all_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
