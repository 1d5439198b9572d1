// SPDX-License-Identifier: GPL-2.0
/* Clock: the same in a time namespace, and when a process began. */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/process_stat.h"
#include "streams.h"

#define SECOND 1000000000ULL

struct seen {
	uint64_t mono, boot, start;
	int64_t ahead;
};

static void look(struct seen *seen)
{
	struct process_stat stat;

	*seen = (struct seen){
		.mono = clock_ns(CLOCK_MONOTONIC),
		.boot = clock_ns(CLOCK_BOOTTIME),
		.ahead = clock_real(),
	};
	if (process_stat_read(1, &stat))
		seen->start = stat.start;
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		_exit(2);
	close(fd);
}

/* As a child of this process sees it, where @offsets are the namespace's. */
static void look_in(const char *offsets, struct seen *seen)
{
	pid_t child;
	int ends[2], status;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		if (offsets && unshare(CLONE_NEWTIME))
			_exit(3);
		if (offsets)
			write_text("/proc/self/timens_offsets", offsets);
		if (fork()) {
			wait(&status);
			_exit(WEXITSTATUS(status));
		}
		look(seen);
		_exit(write(ends[1], seen, sizeof(*seen)) != sizeof(*seen));
	}
	waitpid(child, &status, 0);
	if (WEXITSTATUS(status) == 3)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(read(ends[0], seen, sizeof(*seen)), sizeof(*seen));
	close(ends[0]);
	close(ends[1]);
}

static void assert_near(uint64_t one, uint64_t other, uint64_t slack)
{
	assert_true(one - other + slack <= 2 * slack);
}

static void a_time_namespace_moves_nothing(void **state)
{
	static const char *const offsets[] = {
		"monotonic 86400 5\nboottime 172800 7000000",
		"monotonic 0 0\nboottime 1000 999999999",
		"monotonic -60 0\nboottime -60 1",
	};
	struct seen here, there;
	size_t i;

	(void)state;
	look_in(NULL, &here);
	for (i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		look_in(offsets[i], &there);
		assert_near(there.mono, here.mono, 20 * SECOND);
		assert_near(there.boot, here.boot, 20 * SECOND);
		assert_near((uint64_t)there.ahead, (uint64_t)here.ahead, SECOND / 10);
		assert_near(there.start, here.start, SECOND / 50);
	}
}

static void a_process_is_known_by_when_it_began(void **state)
{
	struct process_stat stat;
	uint64_t tick = SECOND / (uint64_t)sysconf(_SC_CLK_TCK);

	(void)state;
	assert_true(process_stat_read(getpid(), &stat));
	assert_int_equal(stat.parent, getppid());
	assert_near(clock_ns(CLOCK_BOOTTIME), stat.start, 60 * SECOND);
	assert_true(process_is_there(getpid(), stat.start));
	assert_true(process_is_there(getpid(), stat.start + tick - 1));
	assert_false(process_is_there(getpid(), stat.start + tick));
	assert_false(process_is_there(getpid(), stat.start - 1));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_time_namespace_moves_nothing),
		cmocka_unit_test(a_process_is_known_by_when_it_began),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
