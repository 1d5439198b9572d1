// SPDX-License-Identifier: GPL-2.0
/* Mapped packages: whose database is asked, for how long, and what is said where none answers. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/process_stat.h"
#include "content/process_place.h"
#include "packaged.h"
#include "streams.h"

#define SECOND 1000000000ULL

#define PATH "/usr/lib/lib.so"

static char host[64], container[64];
static uint32_t exited; /* this process, as the worker looks at it */
static uint64_t time_ns, delay;
static int failure;
static unsigned int asked;
static int last_timeout;

static const char *root_of_pid(uint32_t pid)
{
	return pid == (uint32_t)getpid() ? host : container;
}

static int fake_place(uint32_t pid, const char **path)
{
	*path += strspn(*path, "/");
	return pid == exited || !pid ? -1 : open(root_of_pid(pid), O_PATH | O_DIRECTORY);
}

static bool fake_root_read(uint32_t pid, struct process_root *root)
{
	*root = (struct process_root){ .ino = pid == (uint32_t)getpid() ? 1 : 2 };
	return true;
}

/* Each was started in the first second. */
struct worker;
struct worker_message;
static int fake_ask(struct worker *worker, const struct worker_message *question,
		    struct worker_message *answer);

#define process_place(pid, path)	     fake_place(pid, path)
#define process_root_read(pid, root)	     fake_root_read(pid, root)
#define process_is_there(pid, start_time)    ((void)(pid), (start_time) == SECOND)
#define clock_ns(which)			     ((void)(which), time_ns)
#define worker_ask(worker, question, answer) fake_ask(worker, question, answer)
#include "commands/mapped_package.c"

static int fake_ask(struct worker *worker, const struct worker_message *question,
		    struct worker_message *answer)
{
	const struct question *what = question->data;

	asked++;
	last_timeout = worker->timeout_ms;
	time_ns += MIN(delay, (uint64_t)last_timeout * 1000000);
	if (failure && what->what == ASK_OWNER)
		return failure;
	answer_question(question, answer);
	return 0;
}

static struct mapped_packages *packages;

static int set_up(void **state)
{
	(void)state;
	strcpy(host, "/tmp/buildid-mapped.XXXXXX");
	strcpy(container, "/tmp/buildid-mapped.XXXXXX");
	exited = asked = 0;
	failure = last_timeout = 0;
	time_ns = 1000 * SECOND;
	delay = 0;
	packages = mapped_packages_new();
	return !packages || !mkdtemp(host) || !mkdtemp(container) ? -1 : 0;
}

static int tear_down(void **state)
{
	char command[160];
	size_t i;

	(void)state;
	mapped_packages_free(packages);
	for (i = 0; i < DATABASES_MAX; i++)
		package_database_close(cache[i].database);
	memset(cache, 0, sizeof(cache));
	snprintf(command, sizeof(command), "rm -r %s %s", host, container);
	return system(command) ? -1 : 0;
}

static void add_database(const char *root, const char *package)
{
	char text[256];

	snprintf(text, sizeof(text), "Package: %s\nStatus: install ok installed\nVersion: 1\n",
		 package);
	packaged_file(root, "var/lib/dpkg/status", text);
	snprintf(text, sizeof(text), "var/lib/dpkg/info/%s.list", package);
	packaged_file(root, text, PATH "\n/usr/lib/other.so\n");
}

/* What @pid, in the container, has mapped of @path, as it is in @root. */
static const struct packages *find_mapped(const char *root, const char *path, uint32_t pid,
					  uint64_t file_id)
{
	union any_record file, mmap;
	struct stat status;
	char whole[128];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	packaged_file(root, path + 1, "#!/bin/sh\n");
	assert_int_equal(stat(whole, &status), 0);
	make_file(&file, file_id, 20, 0, path);
	file.file.dev_major = file.file.user_dev_major = major(status.st_dev);
	file.file.dev_minor = file.file.user_dev_minor = minor(status.st_dev);
	file.file.ino = file.file.user_ino = status.st_ino;
	file.file.mtime = status.st_mtim.tv_sec * (int64_t)SECOND + status.st_mtim.tv_nsec;
	file.file.file_size = (uint64_t)status.st_size;
	make_mmap(&mmap, file_id, 0, pid);
	mmap.mmap.addr = 0;
	mmap.mmap.start_time = SECOND;
	return mapped_packages_find(packages, &mmap.mmap, &file.file);
}

static void assert_package(const struct packages *found, const char *name)
{
	assert_non_null(found);
	assert_int_equal(found->count, 1);
	assert_string_equal(found->all[0].text[PACKAGE_NAME], name);
}

static void the_database_of_a_container_is_its_own(void **state)
{
	(void)state;
	add_database(host, "of-host");
	add_database(container, "of-container");
	assert_package(find_mapped(container, PATH, 77, 1), "of-container");
	assert_package(find_mapped(host, PATH, (uint32_t)getpid(), 2), "of-host");
}

/* Its file is here, too, as by a bind mount; this is not what the others of its root have. */
static void of_a_process_that_exits_meanwhile_the_host_answers(void **state)
{
	(void)state;
	add_database(host, "of-host");
	add_database(container, "of-container");
	exited = 77;
	assert_package(find_mapped(host, PATH, 77, 1), "of-host");
	assert_package(find_mapped(container, "/usr/lib/other.so", 78, 2), "of-container");
}

/* It is no other's, in whatever root that is. */
static void a_pid_that_was_used_again_is_not_asked(void **state)
{
	union any_record mmap, file;

	(void)state;
	add_database(container, "of-container");
	make_file(&file, 1, 20, 0, PATH);
	make_mmap(&mmap, 1, 0, 77);
	mmap.mmap.start_time = 500 * SECOND;
	assert_int_equal(mapped_packages_find(packages, &mmap.mmap, &file.file)->count, 0);
}

static void databases_that_do_not_answer_are_counted(void **state)
{
	(void)state;
	add_database(container, "of-container");
	failure = ETIMEDOUT;
	assert_int_equal(find_mapped(container, PATH, 77, 1)->count, 0);
	assert_int_equal(packages->unowned, 1);
	/* and who did not is not asked again */
	failure = 0;
	asked = 0;
	assert_int_equal(find_mapped(container, "/usr/lib/other.so", 77, 2)->count, 0);
	assert_int_equal(packages->unowned, 2);
	assert_int_equal(asked, 1);
	/* none is no failure */
	assert_int_equal(find_mapped(host, PATH, (uint32_t)getpid(), 3)->count, 0);
	assert_int_equal(packages->unowned, 2);
}

static void a_database_that_is_not_read_is_counted(void **state)
{
	char path[128];

	(void)state;
	add_database(container, "of-container");
	snprintf(path, sizeof(path), "%s/var/lib/dpkg/status", container);
	assert_int_equal(truncate(path, 1 << 30), 0);
	assert_int_equal(find_mapped(container, PATH, 77, 1)->count, 0);
	assert_int_equal(packages->unowned, 1);
}

/* A server may answer each question just in time. */
static void who_is_slow_gets_little_time_in_the_end(void **state)
{
	unsigned int i;

	(void)state;
	delay = 4 * SECOND;
	for (i = 0; i < 100; i++)
		find_mapped(container, PATH, 77, i + 1);
	assert_int_equal(last_timeout, TIMEOUT_MIN_MS);
	/* an hour later there is time again, as of a monitor */
	time_ns += 3600 * SECOND;
	find_mapped(container, PATH, 77, i + 1);
	assert_in_range(last_timeout, 1000, OWNER_TIMEOUT_MS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(the_database_of_a_container_is_its_own),
		TEST(of_a_process_that_exits_meanwhile_the_host_answers),
		TEST(a_pid_that_was_used_again_is_not_asked),
		TEST(databases_that_do_not_answer_are_counted),
		TEST(a_database_that_is_not_read_is_counted),
		TEST(who_is_slow_gets_little_time_in_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
