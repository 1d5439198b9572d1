// SPDX-License-Identifier: GPL-2.0
/* Store entry: what another user can write to stays known as that. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/store/store_entry.h"
#include "samples.h"
#include "streams.h"

static struct store_job store;
static struct output out;
static FILE *lines;
static char *printed;
static size_t size;

static int set_up(void **state)
{
	struct reason reason;

	if (sample_set_up(state))
		return -1;
	lines = open_memstream(&printed, &size);
	out_init(&out, lines, true);
	store = (struct store_job){
		.out = &out,
		.dir = debug_dir_open(NULL, true, &reason),
		.locate = locator_new(false),
		.unpack = true,
	};
	return lines && store.dir && store.locate ? 0 : -1;
}

static int tear_down(void **state)
{
	fclose(lines);
	free(printed);
	locator_free(store.locate);
	debug_dir_close(store.dir);
	return sample_tear_down(state);
}

static void a_decompressed_module_is_whose_its_file_is(void **state)
{
	struct request request = { .kind = REQUEST_MODULE };
	char path[128];

	(void)state;
	/* Only root can give it away. */
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

/* What the last line has. */
static void assert_printed(const char *part)
{
	const char *end, *line;

	fflush(lines);
	assert_true(size > 0);
	end = printed + size - 1;
	line = memrchr(printed, '\n', size - 1);
	line = line ? line + 1 : printed;
	if (!memmem(line, (size_t)(end - line), part, strlen(part)))
		fail_msg("%s is not in %s", part, line);
}

static void request_true(struct request *request, char *path, size_t room)
{
	sample_make("true");
	*request = (struct request){ .kind = REQUEST_FILE, .path = path };
	sample_id("true", &request->id);
	snprintf(path, room, "%s/true", sample_directory());
	store_request(&store, request);
	assert_int_equal(store.stored, 1);
	assert_printed("\"source\":\"path\"");
}

static void what_is_stored_is_kept(void **state)
{
	struct request request;
	char path[128];

	(void)state;
	request_true(&request, path, sizeof(path));
	store_request(&store, &request);
	assert_printed("\"source\":\"kept\"");
	shell("rm true");
	store_request(&store, &request);
	assert_int_equal(store.stored, 3);
	assert_printed("\"source\":\"kept\"");
	/* gdb is led to it again, as to what perf has put there. */
	shell("rm .debug/.build-id/*/*.debug");
	assert_true(store_has(&store, &request.id, CONTENT_ELF));
	shell("test -e .debug/.build-id/*/*.debug");
}

/* "other" is what @script makes of "true". */
static void request_other(struct request *request, char *path, size_t room, const char *script)
{
	shell("cp -p --remove-destination true other; %s", script);
	snprintf(path, room, "%s/other", sample_directory());
	request->path = path;
	store_request(&store, request);
	shell("cmp .debug/.build-id/*/*[0-9a-f]/elf true");
}

static void a_file_of_the_same_id_does_not_stand_for_another(void **state)
{
	struct request request;
	char path[128], other[128];

	(void)state;
	request_true(&request, path, sizeof(path));
	request_other(&request, other, sizeof(other), "true");
	assert_printed("\"status\":\"ok\"");
	assert_printed("\"reason\":null");
	shell("test -h .debug/$PWD/other/*");
	/* nothing of which a sample is told */
	request_other(&request, other, sizeof(other), "echo payload >> other");
	assert_printed("\"status\":\"ok\"");
	assert_printed("same id, other content than what is stored, of the same code");
	request_other(&request, other, sizeof(other),
		      "strip --strip-section-headers other 2> x || "
		      "strip -R .comment -R .gnu_debuglink other");
	assert_printed("\"status\":\"ok\"");
	assert_printed("of the same code");
	assert_int_equal(store.failed, 0);
	/* a byte of code */
	shell("rm -r .debug/$PWD/other");
	request_other(
		&request, other, sizeof(other),
		"printf '\\xcc' | dd of=other bs=1 conv=notrunc status=none seek=$(("
		"$(readelf -SW true | sed -n 's/.* .text *PROGBITS *[^ ]* *\\([^ ]*\\).*/0x\\1/p')"
		"+ 64))");
	assert_printed("\"status\":\"fail\"");
	assert_printed("\"reason\":\"same id, other content than what is stored, which stays\"");
	assert_int_equal(store.failed, 1);
	shell("! test -e .debug/$PWD/other");
	/* what is not there any more is not known to be another */
	shell("rm other");
	store_request(&store, &request);
	assert_printed("\"source\":\"kept\"");
	assert_printed("\"status\":\"ok\"");
}

static void only_a_module_without_a_path_is_skipped(void **state)
{
	static const struct {
		enum request_kind kind;
		const char *path;
		bool skipped;
	} cases[] = {
		{ REQUEST_MODULE, "[nosuch]", true },
		{ REQUEST_MODULE, "/sys/module/nosuch", true },
		{ REQUEST_MODULE, "/lib/modules/nosuch.ko", false },
		{ REQUEST_FILE, "[nosuch]", false },
		{ REQUEST_FILE, "/sys/module/nosuch", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct request request = {
			.kind = cases[i].kind,
			.id = { .size = 20 },
			.path = cases[i].path,
		};

		store.skipped = store.failed = 0;
		store_request(&store, &request);
		assert_int_equal(store.skipped, cases[i].skipped);
		assert_int_equal(store.failed, !cases[i].skipped);
		assert_printed(cases[i].skipped ? "\"status\":\"skip\"" : "\"status\":\"fail\"");
	}
}

/* Of several modules with one build-id in a recording one may have it, but no other's file. */
static void a_doubtful_module_is_stored_from_a_file_of_its_name_only(void **state)
{
	struct request request = { .kind = REQUEST_MODULE, .doubtful = true };
	char path[128], other[128];

	(void)state;
	sample_make("true");
	sample_id("true", &request.id);
	shell("mv true true.ko");
	snprintf(path, sizeof(path), "%s/true.ko", sample_directory());
	snprintf(other, sizeof(other), "%s/other.ko", sample_directory());
	request.path = path;
	store_request(&store, &request);
	assert_int_equal(store.stored, 1);
	/* It is stored by now, as of another module. */
	request.path = other;
	store_request(&store, &request);
	assert_int_equal(store.stored, 1);
	assert_int_equal(store.failed, 1);
	assert_printed("has this build-id for other modules, too");
	request.path = "[nosuch]";
	store_request(&store, &request);
	assert_int_equal(store.failed, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_decompressed_module_is_whose_its_file_is),
		TEST(what_is_stored_is_kept),
		TEST(a_file_of_the_same_id_does_not_stand_for_another),
		TEST(a_doubtful_module_is_stored_from_a_file_of_its_name_only),
		TEST(only_a_module_without_a_path_is_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
