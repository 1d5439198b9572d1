// SPDX-License-Identifier: GPL-2.0
/* Supervise: makes no difference, unless the command cannot be ended. */

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/supervise.h"

/* A hang is to fail. */
#define TIMEOUT_S 60

static int said[2];
static pid_t child;

/* Until it has said so on its standard error. */
static void start(void (*command)(void))
{
	char byte;

	assert_int_equal(pipe(said), 0);
	child = fork();
	if (!child) {
		alarm(TIMEOUT_S);
		signal(SIGINT, SIG_DFL);
		signal(SIGHUP, SIG_DFL);
		dup2(said[1], STDERR_FILENO);
		supervise();
		command();
		_exit(99);
	}
	close(said[1]);
	assert_int_equal(read(said[0], &byte, 1), 1);
}

static int status_of(void)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void begin(void)
{
	dprintf(STDERR_FILENO, "\n");
}

static void exit_7(void)
{
	begin();
	exit(7);
}

static void die(void)
{
	begin();
	raise(SIGUSR1);
}

static void wait_long(void)
{
	begin();
	pause();
}

/* As a server's file does it: no signal ends the process. */
static void hang(void)
{
	alarm(TIMEOUT_S);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	supervise_opens("/mnt/first");
	supervise_opens("/mnt/a file");
	begin();
	for (;;)
		pause();
}

/* What it has said; its end comes when the command, which has the pipe too, has ended. */
static const char *words(void)
{
	static char text[256];
	size_t size = 0;
	ssize_t got;

	while ((got = read(said[0], text + size, sizeof(text) - 1 - size)) > 0)
		size += (size_t)got;
	text[size] = '\0';
	close(said[0]);
	return text;
}

static void it_ends_as_the_command_does(void **state)
{
	(void)state;
	start(exit_7);
	assert_int_equal(status_of(), 7 << 8);
	assert_string_equal(words(), "");
	start(die);
	assert_int_equal(status_of(), SIGUSR1);
	assert_string_equal(words(), "");
}

static void signals_are_passed_on(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		start(wait_long);
		kill(child, numbers[i]);
		assert_int_equal(status_of(), numbers[i]);
		assert_string_equal(words(), "");
	}
}

static void a_command_ends_with_its_parent(void **state)
{
	(void)state;
	start(hang);
	kill(child, SIGKILL);
	assert_int_equal(status_of(), SIGKILL);
	assert_string_equal(words(), "");
}

static void what_cannot_be_ended_is_left_behind(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM };
	static const char want[] = "buildid: /mnt/a file: its server does not answer; process ";
	const char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		start(hang);
		kill(child, numbers[i]);
		assert_int_equal(status_of(), numbers[i]);
		text = words();
		assert_memory_equal(text, want, strlen(want));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_ends_as_the_command_does),
		cmocka_unit_test(signals_are_passed_on),
		cmocka_unit_test(a_command_ends_with_its_parent),
		cmocka_unit_test(what_cannot_be_ended_is_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
