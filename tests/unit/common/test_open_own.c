// SPDX-License-Identifier: GPL-2.0
/* Open one's own: what is emptied, and what is left as it is. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/open_own.h"
#include "streams.h"

#define MAGIC  "MAGIC"
#define NOBODY 65534

static char directory[32];
static struct reason reason;

static int set_up(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/buildid-test.XXXXXX");
	return !mkdtemp(directory) || chdir(directory) || mkdir("sticky", 0755) ||
	       chmod("sticky", 01777);
}

static int tear_down(void **state)
{
	char remove[64];

	(void)state;
	snprintf(remove, sizeof(remove), "rm -r %s", directory);
	return chdir("/") || system(remove);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_text(const char *path, const char *text)
{
	char found[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	found[fread(found, 1, sizeof(found) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(found, text);
}

static void assert_opens(const char *path)
{
	int fd = open_own(path, true, MAGIC, strlen(MAGIC), &reason);

	if (fd < 0)
		fail_msg("%s: %s", path, reason.text);
	assert_int_equal(write(fd, "new", 3), 3);
	close(fd);
}

static void assert_refused(const char *path, const char *why)
{
	assert_int_equal(open_own(path, true, MAGIC, strlen(MAGIC), &reason), -1);
	assert_string_equal(reason.text, why);
}

static void a_new_file_is_for_its_owner_alone(void **state)
{
	struct stat status;

	(void)state;
	assert_opens("created");
	assert_text("created", "new");
	assert_int_equal(stat("created", &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_refused("nowhere/created", "No such file or directory");
	assert_refused("sticky", "Is a directory");
}

static void only_its_kind_is_emptied(void **state)
{
	(void)state;
	put("kind", MAGIC " and more");
	assert_opens("kind");
	assert_text("kind", "new");
	put("empty", "");
	assert_opens("empty");
	put("other", "a letter");
	assert_refused("other", "exists and is something else; remove it first");
	assert_text("other", "a letter");
	put("short", "M");
	assert_refused("short", "exists and is something else; remove it first");
	put("linked", MAGIC);
	assert_int_equal(link("linked", "link"), 0);
	assert_refused("linked", "has other hard links; remove it first");
	assert_text("link", MAGIC);
}

static void pipes_and_devices_are_as_they_are(void **state)
{
	char path[32];
	int fds[2];

	(void)state;
	assert_opens("/dev/null");
	assert_int_equal(pipe(fds), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[1]);
	assert_opens(path);
	close(fds[0]);
	close(fds[1]);
}

static void ones_own_links_are_followed(void **state)
{
	(void)state;
	put("target", MAGIC);
	assert_int_equal(symlink("../target", "sticky/own"), 0);
	assert_opens("sticky/own");
	assert_text("target", "new");
	assert_int_equal(symlink("later", "to-later"), 0);
	assert_opens("to-later");
	assert_text("later", "new");
	put("target", "a letter");
	assert_refused("sticky/own", "exists and is something else; remove it first");
}

static void assert_not_chosen(const char *path, const char *why)
{
	assert_int_equal(open_own(path, false, MAGIC, strlen(MAGIC), &reason), -1);
	assert_string_equal(reason.text, why);
}

static void a_name_that_nobody_chose_is_a_files(void **state)
{
	static const char special[] = "is no regular file; remove it first";
	struct stat status;
	int fd;

	(void)state;
	put("target", MAGIC);
	assert_int_equal(symlink("target", "implicit"), 0);
	assert_not_chosen("implicit", special);
	assert_text("target", MAGIC);
	assert_int_equal(symlink("never", "nowhere"), 0);
	assert_not_chosen("nowhere", special);
	assert_int_equal(lstat("never", &status), -1);
	assert_not_chosen("/dev/null", special);
	assert_not_chosen("/dev/stdout", special);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_not_chosen("pipe", special);

	fd = open_own("target", false, MAGIC, strlen(MAGIC), &reason);
	assert_true(fd >= 0);
	close(fd);
	assert_text("target", "");
	fd = open_own("none-yet", false, MAGIC, strlen(MAGIC), &reason);
	assert_true(fd >= 0);
	close(fd);
}

static void links_have_an_end(void **state)
{
	(void)state;
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_refused("loop", "Too many levels of symbolic links");
	assert_int_equal(mkdir("below", 0755), 0);
	put("at-the-end", MAGIC);
	assert_int_equal(symlink("below/second", "first"), 0);
	assert_int_equal(symlink("../at-the-end", "below/second"), 0);
	assert_opens("first");
	assert_text("at-the-end", "new");
}

static void give_away(const char *path)
{
	assert_int_equal(lchown(path, NOBODY, NOBODY), 0);
}

/* As root only can make them. */
static void what_others_left_is_not_touched(void **state)
{
	static const char theirs[] = "is another user's, and no regular file; remove it first";
	static const char not_ours[] = "belongs to another user; remove it first";
	static const char *const places[] = { "sticky", "plain" };
	struct stat status;
	int reader;
	size_t i;

	(void)state;
	if (geteuid())
		skip();
	put("target", MAGIC);
	assert_int_equal(mkdir("plain", 0755), 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(chdir(places[i]), 0);
		assert_int_equal(symlink("../target", "link"), 0);
		give_away("link");
		assert_refused("link", theirs);
		assert_text("../target", MAGIC);
		assert_int_equal(symlink("../absent", "dangling"), 0);
		give_away("dangling");
		assert_refused("dangling", theirs);
		assert_int_equal(lstat("../absent", &status), -1);
		assert_int_equal(symlink("/dev/null", "device"), 0);
		give_away("device");
		assert_refused("device", theirs);
		/* behind a link of our own */
		assert_int_equal(symlink("link", "ours"), 0);
		assert_refused("ours", theirs);
		put("file", "");
		give_away("file");
		assert_refused("file", not_ours);
		assert_int_equal(chdir(".."), 0);
	}
	/* Nobody reads it: an open would wait. */
	assert_int_equal(mkfifo("sticky/fifo", 0600), 0);
	give_away("sticky/fifo");
	assert_refused("sticky/fifo", theirs);
	/* But a terminal of theirs, which we were given, is where only we could put it. */
	assert_int_equal(mkfifo("plain/fifo", 0600), 0);
	give_away("plain/fifo");
	reader = open("plain/fifo", O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_opens("plain/fifo");
	close(reader);
	assert_text("target", MAGIC);
}

static void nothing_special_in_anothers_directory(void **state)
{
	static const char why[] =
		"is no regular file, and in another user's directory; remove it first";

	(void)state;
	if (geteuid())
		skip();
	put("target", MAGIC);
	assert_int_equal(mkdir("home", 0755), 0);
	assert_int_equal(symlink("../target", "home/link"), 0);
	assert_int_equal(mkfifo("home/fifo", 0600), 0);
	put("home/log", MAGIC);
	give_away("home");
	/* Our own, but the directory's owner can have moved it there. */
	assert_refused("home/link", why);
	assert_refused("home/fifo", why);
	assert_text("target", MAGIC);
	assert_opens("home/log");
	assert_opens("home/new");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_file_is_for_its_owner_alone),
		cmocka_unit_test(only_its_kind_is_emptied),
		cmocka_unit_test(pipes_and_devices_are_as_they_are),
		cmocka_unit_test(ones_own_links_are_followed),
		cmocka_unit_test(a_name_that_nobody_chose_is_a_files),
		cmocka_unit_test(links_have_an_end),
		cmocka_unit_test(what_others_left_is_not_touched),
		cmocka_unit_test(nothing_special_in_anothers_directory),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
