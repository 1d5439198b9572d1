// SPDX-License-Identifier: GPL-2.0
/* The line of progress, on a terminal of its own and with a clock of its own. */

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>

#include <cmocka.h>

static uint64_t fake_time = 1;

static uint64_t fake_clock(int clock)
{
	(void)clock;
	return fake_time;
}

#include "common/clock.h"
#define clock_ns(clock) fake_clock(clock)
#include "common/progress.c"
#undef clock_ns

#define MILLISECOND 1000000ULL

static int terminal, stderr_before;

/* What was printed since the last call. */
static const char *printed(void)
{
	static char text[4096];
	struct pollfd poll_fd = { .fd = terminal, .events = POLLIN };
	ssize_t length = 0;

	if (poll(&poll_fd, 1, 0) > 0)
		length = read(terminal, text, sizeof(text) - 1);
	text[length > 0 ? length : 0] = '\0';
	return text;
}

static int open_terminal(void **state)
{
	struct termios raw;
	int fd;

	(void)state;
	terminal = posix_openpt(O_RDWR | O_NOCTTY);
	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal))
		return -1;
	fd = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	if (fd < 0 || tcgetattr(fd, &raw))
		return -1;
	cfmakeraw(&raw);
	if (tcsetattr(fd, TCSANOW, &raw))
		return -1;
	stderr_before = dup(STDERR_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
	memset(&line, 0, sizeof(line));
	return 0;
}

static int close_terminal(void **state)
{
	(void)state;
	dup2(stderr_before, STDERR_FILENO);
	close(stderr_before);
	close(terminal);
	return 0;
}

static void test_line(void **state)
{
	(void)state;
	progress_show("perf.data", 0, 200, "");
	fake_time += 400 * MILLISECOND;
	progress_show("perf.data", 20, 200, "");
	assert_string_equal(printed(), "");
	fake_time += 100 * MILLISECOND;
	progress_show("perf.data", 25, 200, "");
	assert_string_equal(printed(), "\rbuildid: perf.data:  12 %\033[K\r");
	progress_show("perf.data", 60, 200, "");
	assert_string_equal(printed(), "");
	fake_time += 100 * MILLISECOND;
	progress_show("perf.data", 300, 200, "");
	assert_string_equal(printed(), "\rbuildid: perf.data: 100 %\033[K\r");
	progress_clear();
	assert_string_equal(printed(), "\r\033[K");
	progress_clear();
	assert_string_equal(printed(), "");
}

static void test_next_work(void **state)
{
	(void)state;
	progress_show("first", 0, 0, "processes");
	fake_time += 500 * MILLISECOND;
	progress_clear();
	progress_show("second", 7, 0, "processes");
	assert_string_equal(printed(), "");
	fake_time += 500 * MILLISECOND;
	progress_show("second", 8, 0, "processes");
	assert_string_equal(printed(), "\rbuildid: second: 8 processes\033[K\r");
}

static void test_names(void **state)
{
	char name[300];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memcpy(name, "\033[2J\n\x7f\xff", 7);
	progress_show(name, 0, 0, "bytes");
	fake_time += 500 * MILLISECOND;
	progress_show(name, 0, 0, "bytes");
	assert_memory_equal(printed(), "\rbuildid: ?[2J???nnn", 20);
	assert_true(strlen(printed()) < 100);
}

static void test_disabled(void **state)
{
	(void)state;
	progress_disable();
	progress_show("perf.data", 0, 0, "bytes");
	fake_time += 500 * MILLISECOND;
	progress_show("perf.data", 0, 0, "bytes");
	progress_clear();
	assert_string_equal(printed(), "");
}

static void test_no_terminal(void **state)
{
	int fd = open("/dev/null", O_WRONLY), before = dup(STDERR_FILENO);

	(void)state;
	dup2(fd, STDERR_FILENO);
	progress_show("perf.data", 0, 0, "bytes");
	dup2(before, STDERR_FILENO);
	fake_time += 500 * MILLISECOND;
	progress_show("perf.data", 0, 0, "bytes");
	close(fd);
	close(before);
	assert_string_equal(printed(), "");
}

#define IN_TERMINAL(test) cmocka_unit_test_setup_teardown(test, open_terminal, close_terminal)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TERMINAL(test_line),	    IN_TERMINAL(test_next_work),   IN_TERMINAL(test_names),
		IN_TERMINAL(test_disabled), IN_TERMINAL(test_no_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
