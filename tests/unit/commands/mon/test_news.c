// SPDX-License-Identifier: GPL-2.0
/* News: what was known, what was not, and how much of it is remembered. */

#include <stdio.h>

#include "commands/mon/news.h"
#include "streams.h"

#define PLENTY 1000

static struct news *news;
static const struct identity *former;

static int set_up(void **state)
{
	(void)state;
	news = news_new(PLENTY);
	return news ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	news_free(news);
	return 0;
}

static void make(union any_record *file, uint64_t file_id, uint8_t content, uint32_t flags,
		 const char *path)
{
	make_file(file, file_id, content ? 4 : 0, content ? 0 : BUILDID_REASON_NOT_READ, path);
	file->bytes[file->file.data_off] = content;
	file->file.flags = flags;
}

static uint64_t file_size = 123456;

static unsigned int judge_on(uint32_t device, uint64_t file_id, uint8_t content, uint32_t flags,
			     const char *path)
{
	struct buildid_event event = {};
	union any_record mmap, file;

	make_mmap(&mmap, file_id, 0, 77);
	make(&file, file_id, content, flags, path);
	file.file.user_dev_minor = device;
	file.file.file_size = file_size;
	file.file.ino = file.file.user_ino = 1000 + file_id;
	event.record = &mmap.header;
	event.file = &file.file;
	return news_judge(news, &event, &former);
}

static unsigned int judge(uint64_t file_id, uint8_t content, uint32_t flags, const char *path)
{
	return judge_on(1, file_id, content, flags, path);
}

static void learn_file(uint64_t file_id, uint8_t content, const char *path)
{
	union any_record file;

	make_file(&file, file_id, 4, 0, path);
	file.bytes[file.file.data_off] = content;
	file.file.user_dev_minor = 1;
	news_learn_file(news, &file.file);
}

static void a_content_is_new_once(void **state)
{
	(void)state;
	assert_int_equal(judge(1, 0xa1, 0, "/a"), NEWS_NEW);
	assert_null(former);
	assert_int_equal(judge(1, 0xa1, 0, "/a"), 0);
	/* Under another path, and as another version. */
	assert_int_equal(judge(1, 0xa1, 0, "/b"), 0);
	assert_int_equal(judge(2, 0xa1, 0, "/c"), 0);
	assert_int_equal(judge(3, 0xa1, 0, "/a"), 0);
}

static void a_path_changes_once(void **state)
{
	(void)state;
	judge(1, 0xa1, 0, "/a");
	assert_int_equal(judge(2, 0xa2, 0, "/a"), NEWS_CHANGED | NEWS_NEW);
	assert_non_null(former);
	assert_int_equal(former->id.size, 4);
	assert_int_equal(former->id.bytes[0], 0xa1);
	assert_int_equal(former->kind, BUILDID_KIND_GNU);
	assert_int_equal(judge(2, 0xa2, 0, "/a"), 0);
	/* A process that still has the old one open maps it. */
	assert_int_equal(judge(1, 0xa1, 0, "/a"), 0);
	assert_int_equal(judge(2, 0xa2, 0, "/a"), 0);
	/* Back again: by a version of its own. */
	assert_int_equal(judge(3, 0xa1, 0, "/a"), NEWS_CHANGED);
	assert_int_equal(former->id.bytes[0], 0xa2);
}

static void a_reinstall_is_no_news(void **state)
{
	(void)state;
	judge(1, 0xa1, 0, "/a");
	assert_int_equal(judge(2, 0xa1, 0, "/a"), 0);
}

static void the_same_id_with_another_size_is_another_content(void **state)
{
	(void)state;
	judge(1, 0xa1, 0, "/a");
	file_size = 654321;
	assert_int_equal(judge(2, 0xa1, 0, "/a"), NEWS_CHANGED | NEWS_NEW);
	assert_non_null(former);
	assert_int_equal(former->id.bytes[0], 0xa1);
	assert_int_equal(news_unsure(news), 0);
	/* Of this size, too, and no process has it mapped. */
	assert_int_equal(judge(3, 0xa1, 0, "/a"), 0);
	assert_int_equal(news_unsure(news), 1);
	file_size = 123456;
	assert_int_equal(judge(4, 0xa1, 0, "/a"), NEWS_CHANGED);
}

static void containers_have_paths_of_their_own(void **state)
{
	(void)state;
	judge_on(1, 1, 0xa1, 0, "/a");
	assert_int_equal(judge_on(2, 2, 0xa2, 0, "/a"), NEWS_NEW);
	assert_int_equal(judge_on(1, 3, 0xa2, 0, "/a"), NEWS_CHANGED);
	assert_int_equal(judge_on(2, 4, 0xa1, 0, "/a"), NEWS_CHANGED);
}

static void a_dump_has_no_order(void **state)
{
	(void)state;
	learn_file(2, 0xa2, "/a");
	learn_file(1, 0xa1, "/a");
	assert_int_equal(judge(2, 0xa2, 0, "/a"), 0);
	assert_int_equal(judge(3, 0xa2, 0, "/a"), 0);
	assert_int_equal(judge(4, 0xa1, 0, "/a"), NEWS_CHANGED);
}

static void what_an_unlinked_file_held_is_not_the_paths(void **state)
{
	(void)state;
	judge(1, 0xa1, 0, "/a");
	judge(2, 0xa2, 0, "/a");
	assert_int_equal(judge(3, 0xa1, BUILDID_FILE_DELETED, "/a"), NEWS_DELETED);
	assert_int_equal(judge(3, 0xa1, BUILDID_FILE_DELETED, "/a"), 0);
	assert_int_equal(judge(4, 0xa2, 0, "/a"), 0);
}

static void odd_files_are_news(void **state)
{
	const uint32_t memfd = BUILDID_FILE_MEMFD | BUILDID_FILE_DELETED;

	(void)state;
	judge(1, 0xa1, 0, "/a");
	assert_int_equal(judge(2, 0xa1, memfd, "/memfd:x"), NEWS_MEMFD);
	/* Each is another file. */
	assert_int_equal(judge(3, 0xa1, memfd, "/memfd:x"), NEWS_MEMFD);
	assert_int_equal(judge(1, 0xa1, BUILDID_FILE_UNSTABLE, "/a"), NEWS_WRITABLE);
	assert_int_equal(judge(1, 0xa1, BUILDID_FILE_UNSTABLE, "/a"), 0);
	assert_int_equal(judge(4, 0xa4, memfd | BUILDID_FILE_UNSTABLE, "/memfd:y"),
			 NEWS_NEW | NEWS_MEMFD | NEWS_WRITABLE);
}

static void without_a_content_nothing_is_claimed(void **state)
{
	(void)state;
	judge(1, 0xa1, 0, "/a");
	assert_int_equal(judge(2, 0, 0, "/a"), 0);
	/* The content becomes known. */
	assert_int_equal(judge(2, 0xa2, 0, "/a"), NEWS_CHANGED | NEWS_NEW);
	assert_int_equal(judge(3, 0xa3, BUILDID_FILE_NO_PATH, ""), NEWS_NEW);
	assert_int_equal(judge(4, 0xa4, BUILDID_FILE_NO_PATH, ""), NEWS_NEW);
	assert_int_equal(judge(5, 0xa5, BUILDID_FILE_NO_PATH, "a"), NEWS_NEW);
	assert_int_equal(judge(6, 0xa6, BUILDID_FILE_NO_PATH, "a"), NEWS_NEW);
}

static void a_cookie_is_new_once(void **state)
{
	struct buildid_event event = {};
	union any_record cookie;

	(void)state;
	event.record = &cookie.header;
	make_cookie(&cookie, 7, 4);
	assert_int_equal(news_judge(news, &event, &former), NEWS_NEW);
	assert_int_equal(news_judge(news, &event, &former), 0);
	make_cookie(&cookie, 7, 0);
	assert_int_equal(news_judge(news, &event, &former), 0);
}

static void memory_is_bounded(void **state)
{
	char path[32];
	uint64_t i;

	(void)state;
	for (i = 1; i <= PLENTY; i++) {
		snprintf(path, sizeof(path), "/%d", (int)i);
		judge(i, 0xa1, 0, path);
		assert_false(news_is_full(news));
	}
	assert_int_equal(judge(i, 0xa2, 0, "/more"), NEWS_NEW);
	assert_true(news_is_full(news));
	news_forget(news);
	assert_false(news_is_full(news));
	assert_int_equal(judge(1, 0xa1, 0, "/1"), NEWS_NEW);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_content_is_new_once),
		TEST(a_path_changes_once),
		TEST(a_reinstall_is_no_news),
		TEST(containers_have_paths_of_their_own),
		TEST(the_same_id_with_another_size_is_another_content),
		TEST(a_dump_has_no_order),
		TEST(what_an_unlinked_file_held_is_not_the_paths),
		TEST(odd_files_are_news),
		TEST(without_a_content_nothing_is_claimed),
		TEST(a_cookie_is_new_once),
		TEST(memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
