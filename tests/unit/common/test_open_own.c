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
	int fd = open_own(path, MAGIC, strlen(MAGIC), &reason);

	if (fd < 0)
		fail_msg("%s: %s", path, reason.text);
	assert_int_equal(write(fd, "new", 3), 3);
	close(fd);
}

static void assert_refused(const char *path, const char *why)
{
	assert_int_equal(open_own(path, MAGIC, strlen(MAGIC), &reason), -1);
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

/* As root only can make them. */
static void what_others_left_is_not_touched(void **state)
{
	static const char planted[] = "another user's, in a directory that all may write to";
	struct stat status;

	(void)state;
	if (geteuid())
		skip();
	put("target", MAGIC);
	assert_int_equal(symlink("../target", "sticky/link"), 0);
	assert_int_equal(lchown("sticky/link", NOBODY, NOBODY), 0);
	assert_refused("sticky/link", planted);
	assert_text("target", MAGIC);
	assert_int_equal(symlink("../absent", "sticky/dangling"), 0);
	assert_int_equal(lchown("sticky/dangling", NOBODY, NOBODY), 0);
	assert_refused("sticky/dangling", planted);
	assert_int_equal(lstat("absent", &status), -1);

	/* Nobody reads it: an open would wait. */
	assert_int_equal(mkfifo("sticky/fifo", 0600), 0);
	assert_int_equal(lchown("sticky/fifo", NOBODY, NOBODY), 0);
	assert_refused("sticky/fifo", planted);
	put("sticky/file", "");
	assert_int_equal(chown("sticky/file", NOBODY, NOBODY), 0);
	assert_refused("sticky/file", planted);

	/* Who could read it. */
	put("theirs", "");
	assert_int_equal(chown("theirs", NOBODY, NOBODY), 0);
	assert_refused("theirs", "belongs to another user; remove it first");
	/* The directory's owner could do as he likes anyway. */
	assert_int_equal(chown("sticky", NOBODY, NOBODY), 0);
	assert_opens("sticky/link");
	assert_text("target", "new");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_file_is_for_its_owner_alone),
		cmocka_unit_test(only_its_kind_is_emptied),
		cmocka_unit_test(pipes_and_devices_are_as_they_are),
		cmocka_unit_test(ones_own_links_are_followed),
		cmocka_unit_test(what_others_left_is_not_touched),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
