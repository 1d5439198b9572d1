// SPDX-License-Identifier: GPL-2.0
/* Stored: the oldest go first, and only what has a mark. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "content/stored.h"
#include "samples.h"
#include "streams.h"

static struct debug_dir *dir;
static struct stored *stored;
static struct reason reason;
static struct build_id id_true, id_false;

static void open_dir(void)
{
	dir = debug_dir_open(NULL, true, &reason);
	assert_non_null(dir);
	assert_true(debug_dir_lock(dir, &reason));
	stored = stored_new(dir, &reason);
	assert_non_null(stored);
}

static void close_dir(void)
{
	stored_free(stored);
	debug_dir_close(dir);
}

static int set_up(void **state)
{
	if (sample_set_up(state))
		return -1;
	sample_make("true");
	sample_make("false");
	sample_id("true", &id_true);
	sample_id("false", &id_false);
	open_dir();
	return 0;
}

static int tear_down(void **state)
{
	close_dir();
	return sample_tear_down(state);
}

static void put_in(struct debug_dir *to, const char *file, const struct build_id *id)
{
	struct debug_item item = { .id = id, .part = CONTENT_ELF };
	char name[64];

	snprintf(name, sizeof(name), "/%s", file);
	item.name = name;
	item.fd = open(file, O_RDONLY);
	assert_true(debug_dir_put(to, &item, &reason));
	close(item.fd);
}

static uint32_t put(const char *file, const struct build_id *id)
{
	put_in(dir, file, id);
	return stored_add(stored, id);
}

/* In another process's place, without the lock. */
static void put_by_others(const char *file, const struct build_id *id)
{
	struct debug_dir *other = debug_dir_open(NULL, true, &reason);

	put_in(other, file, id);
	debug_dir_close(other);
}

static bool is_there(const struct build_id *id)
{
	int fd = debug_dir_find(dir, id, CONTENT_ELF);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool never(const struct debug_mark *mark)
{
	(void)mark;
	return false;
}

static bool always(const struct debug_mark *mark)
{
	(void)mark;
	return true;
}

/* Its last use is that long ago, in seconds; known after the next start. */
static void age(const struct build_id *id, int seconds)
{
	char text[BUILD_ID_TEXT];

	shell("touch -h -d '%+d seconds' .debug/.buildid/%s", -seconds, build_id_text(id, text));
}

static void start_again(void)
{
	close_dir();
	open_dir();
}

static void the_oldest_goes_first_with_all_its_links(void **state)
{
	uint64_t half;

	(void)state;
	put("false", &id_false);
	half = stored_bytes(stored);
	assert_true(half >= 8192);
	put("true", &id_true);
	age(&id_false, 20);
	age(&id_true, 30);
	start_again();
	assert_int_equal(stored_count(stored), 2);
	assert_int_equal(stored_evict(stored, half, never), 1);
	assert_false(is_there(&id_true));
	assert_true(is_there(&id_false));
	assert_int_equal(stored_evict(stored, 0, never), 1);
	assert_int_equal(stored_bytes(stored), 0);
	assert_string_equal(shell_output("find .debug ! -type d"), ".debug/.buildid/lock\n");
}

/* A small file in many directories, which nobody else has, is as large as a large one. */
static void directories_and_inodes_count(void **state)
{
	struct debug_item item = { .id = &id_true, .part = CONTENT_ELF };
	char name[1024] = "";
	int i;

	(void)state;
	for (i = 0; i < 200; i++)
		strcat(name, "/a");
	item.name = name;
	item.fd = open("true", O_RDONLY);
	assert_true(debug_dir_put(dir, &item, &reason));
	close(item.fd);
	stored_add(stored, &id_true);
	assert_true(stored_bytes(stored) >= 200 * 16384);
	assert_true(stored_bytes(stored) == debug_dir_cost(name, 100000));
	start_again();
	assert_true(stored_bytes(stored) >= 200 * 16384);
	assert_int_equal(stored_evict(stored, 200 * 16384, never), 1);
	assert_string_equal(shell_output("find .debug -name a"), "");
}

/* As before, when they are counted at the next start. */
static void bytes_count(void **state)
{
	uint64_t bytes;

	(void)state;
	shell("head -c 1M /dev/urandom >> true");
	put("true", &id_true);
	bytes = stored_bytes(stored);
	assert_true(bytes >= 1 << 20);
	start_again();
	assert_int_equal(stored_bytes(stored), bytes);
}

static void a_use_counts(void **state)
{
	(void)state;
	put("false", &id_false);
	put("true", &id_true);
	age(&id_false, 7200);
	age(&id_true, 7300);
	start_again();
	stored_use(stored, stored_find(stored, &id_true));
	start_again();
	assert_int_equal(stored_evict(stored, stored_bytes(stored) - 1, never), 1);
	assert_true(is_there(&id_true));
	assert_false(is_there(&id_false));
}

static void a_clock_that_was_ahead_makes_nothing_the_newest(void **state)
{
	char text[BUILD_ID_TEXT];

	(void)state;
	put("true", &id_true);
	age(&id_true, -100000);
	start_again();
	stored_use(stored, stored_find(stored, &id_true));
	shell("test $(stat -c %%Y .debug/.buildid/%s) -le $(date +%%s)",
	      build_id_text(&id_true, text));
}

static void what_is_in_use_stays(void **state)
{
	(void)state;
	stored_hold(stored, put("true", &id_true));
	assert_int_equal(stored_evict(stored, 0, never), 0);
	assert_int_equal(stored_evict(stored, 0, always), 0);
	assert_int_equal(stored_evict(stored, 0, never), 1);
}

static void what_is_released_goes(void **state)
{
	(void)state;
	stored_hold(stored, put("true", &id_true));
	stored_release(stored);
	assert_int_equal(stored_evict(stored, 0, never), 1);
}

/* As of one of many that were removed meanwhile. */
static void a_number_that_is_none_is_not_used(void **state)
{
	(void)state;
	put("true", &id_true);
	stored_use(stored, 1000000);
	stored_hold(stored, 1000000);
	assert_int_equal(stored_evict(stored, 0, never), 1);
}

static void what_others_put_there_stays(void **state)
{
	(void)state;
	put_by_others("true", &id_true);
	assert_int_equal(put("true", &id_true), STORED_NONE);
	assert_int_equal(stored_count(stored), 0);
	assert_int_equal(stored_evict(stored, 0, never), 0);
	assert_true(is_there(&id_true));
	start_again();
	assert_int_equal(stored_count(stored), 0);
}

static void what_others_have_asked_for_stays(void **state)
{
	(void)state;
	put("true", &id_true);
	put("false", &id_false);
	put_by_others("true", &id_true);
	start_again();
	assert_int_equal(stored_count(stored), 1);
	assert_int_equal(stored_evict(stored, 0, never), 1);
	assert_true(is_there(&id_true));
	assert_false(is_there(&id_false));
}

static void what_others_have_named_stays(void **state)
{
	struct debug_dir *other = debug_dir_open(NULL, true, &reason);

	(void)state;
	put("true", &id_true);
	assert_true(debug_dir_name(other, &id_true, "/bin/true@12345678"));
	debug_dir_close(other);
	stored_evict(stored, 0, never);
	assert_true(is_there(&id_true));
	shell("cmp true .debug/bin/true@12345678/*/elf");
}

static void only_links_that_are_its_own_go(void **state)
{
	char text[BUILD_ID_TEXT];

	(void)state;
	put("true", &id_true);
	build_id_text(&id_true, text);
	shell("cd .debug/.build-id/%.2s && rm %s && echo mine > %s && "
	      "ln -sfn /elsewhere %s.debug",
	      text, text + 2, text + 2, text + 2);
	stored_evict(stored, 0, never);
	shell("cd .debug/.build-id/%.2s && grep -q mine %s && test -L %s.debug && "
	      "! ls ../../true 2>/dev/null",
	      text, text + 2, text + 2);
}

/* Nobody makes one: it has no link. */
static void a_mark_of_one_byte_is_removed(void **state)
{
	(void)state;
	shell("mkdir -p .debug/x/ab && echo > .debug/x/ab/elf && ln -s ../x/ab .debug/.buildid/ab");
	start_again();
	assert_string_equal(shell_output("find .debug ! -type d"), ".debug/.buildid/lock\n");
}

static void what_a_killed_process_left_is_removed(void **state)
{
	char text[BUILD_ID_TEXT];

	(void)state;
	put("true", &id_true);
	put("false", &id_false);
	build_id_text(&id_false, text);
	shell("rm .debug/.build-id/%.2s/%s && touch .debug/.buildid/.new-0123456789abcdef", text,
	      text + 2);
	start_again();
	assert_int_equal(stored_count(stored), 1);
	assert_true(is_there(&id_true));
	shell("test -z \"$(ls -d .debug/false .debug/.buildid/%s .debug/.buildid/.new-* "
	      "2>/dev/null)\"",
	      text);
}

static void a_mark_stays_when_a_content_cannot_be_put(void **state)
{
	struct debug_item item = { .id = &id_true, .name = "/other", .part = CONTENT_ELF };
	char text[BUILD_ID_TEXT], before[256];

	(void)state;
	put("true", &id_true);
	build_id_text(&id_true, text);
	snprintf(before, sizeof(before), "%s", shell_output("readlink .debug/.buildid/%s", text));
	assert_true(before[0]);
	item.fd = open("false", O_RDONLY);
	assert_false(debug_dir_put(dir, &item, &reason));
	close(item.fd);
	assert_string_equal(shell_output("readlink .debug/.buildid/%s", text), before);
}

/* Once an hour is enough for what is used all the time. */
static void a_use_is_written_down_when_it_is_some_time_ago(void **state)
{
	char text[BUILD_ID_TEXT];

	(void)state;
	put("true", &id_true);
	age(&id_true, 60);
	start_again();
	build_id_text(&id_true, text);
	shell("stat -c %%Y .debug/.buildid/%s > before", text);
	stored_use(stored, stored_find(stored, &id_true));
	shell("stat -c %%Y .debug/.buildid/%s | cmp - before", text);
}

/* As where another process has put the content elsewhere meanwhile. */
static void a_mark_of_another_entry_stays(void **state)
{
	struct debug_item item = { .id = &id_true, .name = "/other", .part = CONTENT_ELF };
	char text[BUILD_ID_TEXT], want[BUILD_ID_TEXT + 16];

	(void)state;
	put("true", &id_true);
	build_id_text(&id_true, text);
	shell("ln -sfn ../else/%s .debug/.buildid/%s", text, text);
	item.fd = open("true", O_RDONLY);
	assert_true(debug_dir_put(dir, &item, &reason));
	close(item.fd);
	snprintf(want, sizeof(want), "../else/%s\n", text);
	assert_string_equal(shell_output("readlink .debug/.buildid/%s", text), want);
}

static void there_is_one_lock(void **state)
{
	struct debug_dir *other = debug_dir_open(NULL, true, &reason);
	char want[64];

	(void)state;
	assert_false(debug_dir_lock(other, &reason));
	snprintf(want, sizeof(want), "process %d stores into it already", getpid());
	assert_string_equal(reason.text, want);
	debug_dir_close(other);
	start_again();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_oldest_goes_first_with_all_its_links),
		TEST(directories_and_inodes_count),
		TEST(bytes_count),
		TEST(a_use_counts),
		TEST(a_use_is_written_down_when_it_is_some_time_ago),
		TEST(a_clock_that_was_ahead_makes_nothing_the_newest),
		TEST(what_is_in_use_stays),
		TEST(what_is_released_goes),
		TEST(a_number_that_is_none_is_not_used),
		TEST(what_others_put_there_stays),
		TEST(what_others_have_asked_for_stays),
		TEST(what_others_have_named_stays),
		TEST(only_links_that_are_its_own_go),
		TEST(a_mark_of_one_byte_is_removed),
		TEST(what_a_killed_process_left_is_removed),
		TEST(a_mark_stays_when_a_content_cannot_be_put),
		TEST(a_mark_of_another_entry_stays),
		TEST(there_is_one_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
