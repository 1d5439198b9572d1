// SPDX-License-Identifier: GPL-2.0
/* Store entry: what another user can write to stays known as that. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/store_entry.h"
#include "samples.h"
#include "streams.h"

static struct store_job store;
static struct output out;
static FILE *null;

static int set_up(void **state)
{
	struct reason reason;

	if (sample_set_up(state))
		return -1;
	null = fopen("/dev/null", "w");
	out_init(&out, null, false);
	store = (struct store_job){
		.out = &out,
		.dir = debug_dir_open(NULL, true, &reason),
		.locate = locator_new(false),
		.unpack = true,
	};
	return null && store.dir && store.locate ? 0 : -1;
}

static int tear_down(void **state)
{
	fclose(null);
	locator_free(store.locate);
	debug_dir_close(store.dir);
	return sample_tear_down(state);
}

static void a_decompressed_module_is_whose_its_file_is(void **state)
{
	struct request request = { .kind = REQUEST_MODULE };
	char path[128];

	(void)state;
	/* Who can make it another's. */
	if (geteuid())
		skip();
	sample_make("true");
	sample_id("true", &request.id);
	shell("mv true true.ko && xz true.ko && chown 65534 true.ko.xz");
	snprintf(path, sizeof(path), "%s/true.ko.xz", sample_directory());
	request.path = path;
	store_request(&store, &request);
	assert_int_equal(store.stored, 1);
	assert_true(store_has_others(&store, &request.id));

	shell("rm -r .debug/.build-id && chown 0 true.ko.xz");
	store_request(&store, &request);
	assert_int_equal(store.stored, 2);
	assert_false(store_has_others(&store, &request.id));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_decompressed_module_is_whose_its_file_is, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
