// SPDX-License-Identifier: GPL-2.0
/* Request list: which contents of a recording are requested. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/store/request_list.h"
#include "common/array.h"
#include "make_perfdata.h"
#include "samples.h"
#include "streams.h"

#define KERNEL 1
#define USER   2

static struct make make;
static struct request_list list;

static int set_up(void **state)
{
	memset(&make, 0, sizeof(make));
	make.sample_type = MAKE_SAMPLE;
	make.clockid = -1;
	make_begin(&make);
	return sample_set_up(state);
}

static bool read_list(bool all)
{
	struct output out;
	FILE *file = fopen("perf.data", "w");

	assert_non_null(file);
	assert_int_equal(fwrite(make.bytes, 1, make.size, file), make.size);
	fclose(file);
	out_init(&out, stderr, false);
	return request_list_read(&list, &out, "perf.data", all);
}

static const struct request *find(const char *path)
{
	size_t i;

	for (i = 0; i < list.count; i++)
		if (!strcmp(list.items[i].path, path))
			return &list.items[i];
	return NULL;
}

static bool is_unknown(const char *path)
{
	size_t i;

	for (i = 0; i < list.nr_unknown; i++)
		if (!strcmp(list.unknown[i], path))
			return true;
	return false;
}

static void map_and_hit(const char *path, uint64_t start, bool hit)
{
	make_mmap2_event(&make, 7, start, 0x1000, 0, 5, 10, path);
	if (hit)
		make_sample(&make, USER, 7, 20, start + 8);
}

static void what_has_samples_is_requested(void **state)
{
	(void)state;
	map_and_hit("/hit", 0x10000, true);
	map_and_hit("/other", 0x20000, false);
	make_entry(&make, USER, 0x10, "/hit");
	make_entry(&make, USER, 0x20, "/other");
	make_end(&make);
	assert_true(read_list(false));
	assert_int_equal(list.count, 1);
	assert_non_null(find("/hit"));
	assert_int_equal(find("/hit")->kind, REQUEST_FILE);
	assert_int_equal(find("/hit")->id.size, 20);
	assert_int_equal(find("/hit")->id.bytes[0], 0x10);
	assert_int_equal(find("/hit")->nr_pids, 1);
	assert_int_equal(find("/hit")->pids[0], 7);
	request_list_free(&list);

	assert_true(read_list(true));
	assert_int_equal(list.count, 2);
	assert_non_null(find("/other"));
	request_list_free(&list);
}

/* Stacks to unwind, branches, AUX data: what they need no address tells. */
static void where_samples_have_more_all_is_requested(void **state)
{
	static const uint64_t types[] = { 1 << 11, 1 << 13, 1 << 20 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		memset(&make, 0, sizeof(make));
		make.sample_type = MAKE_SAMPLE | types[i];
		make.clockid = -1;
		make_begin(&make);
		map_and_hit("/hit", 0x10000, true);
		map_and_hit("/other", 0x20000, false);
		make_entry(&make, USER, 0x10, "/hit");
		make_entry(&make, USER, 0x20, "/other");
		make_end(&make);
		assert_true(read_list(false));
		assert_int_equal(list.count, 2);
		request_list_free(&list);
	}
}

static void without_samples_all_is_requested(void **state)
{
	(void)state;
	map_and_hit("/file", 0x10000, false);
	make_entry(&make, KERNEL, 0x10, "[kernel.kallsyms]");
	make_entry(&make, KERNEL, 0x20, "/lib/modules/6.1/kernel/fs/x.ko.xz");
	make_entry(&make, USER, 0x30, "/file");
	make_entry(&make, USER, 0x40, "[vdso]");
	make_end(&make);
	assert_true(read_list(false));
	assert_int_equal(list.count, 4);
	assert_int_equal(find("[kernel.kallsyms]")->kind, REQUEST_KERNEL);
	assert_int_equal(find("/lib/modules/6.1/kernel/fs/x.ko.xz")->kind, REQUEST_MODULE);
	assert_int_equal(find("/file")->kind, REQUEST_FILE);
	assert_int_equal(find("[vdso]")->kind, REQUEST_VDSO);
	request_list_free(&list);
}

static void what_has_no_build_id_is_unknown(void **state)
{
	(void)state;
	map_and_hit("/hit", 0x10000, true);
	map_and_hit("/other", 0x20000, false);
	map_and_hit("[vdso]", 0x30000, true);
	map_and_hit("//anon", 0x40000, true);
	make_end(&make);
	assert_true(read_list(false));
	assert_int_equal(list.count, 0);
	assert_int_equal(list.nr_unknown, 1);
	assert_true(is_unknown("/hit"));
	request_list_free(&list);
}

static void what_is_no_perf_data_is_refused(void **state)
{
	(void)state;
	make_end(&make);
	make.size = 60;
	assert_false(read_list(false));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, sample_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_has_samples_is_requested),
		TEST(where_samples_have_more_all_is_requested),
		TEST(without_samples_all_is_requested),
		TEST(what_has_no_build_id_is_unknown),
		TEST(what_is_no_perf_data_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
