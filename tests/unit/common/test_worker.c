// SPDX-License-Identifier: GPL-2.0
/* Worker: what it answers, and what becomes of one that does not. */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/worker.h"

/*
 * Of the question's descriptor or path the descriptor that was opened, and the first byte
 * for an answer. "never" is not answered; of "end" the worker dies.
 */
static void answer_it(const struct worker_message *question, struct worker_message *answer)
{
	const char *path = question->data;

	if (!strcmp(path, "never"))
		pause();
	if (!strcmp(path, "end"))
		_exit(1);
	answer->fd = question->fd >= 0 ? dup(question->fd) : open(path, O_RDONLY);
	memcpy(answer->data, path, 1);
	answer->size = 1;
}

static struct worker new_worker(int timeout_ms)
{
	return (struct worker){
		.task = answer_it,
		.question_max = 64,
		.answer_max = 16,
		.timeout_ms = timeout_ms,
		.socket = -1,
	};
}

/* Sets @fd. */
static int ask(struct worker *worker, const char *path, int root, int *fd)
{
	const struct worker_message question = { (void *)(uintptr_t)path, strlen(path) + 1, root };
	char bytes[16] = "";
	struct worker_message answer = { bytes, sizeof(bytes), -1 };
	int error = worker_ask(worker, &question, &answer);

	*fd = -1;
	if (error)
		return error;
	assert_int_equal(answer.size, 1);
	assert_int_equal(*bytes, *path);
	*fd = answer.fd;
	return 0;
}

static void assert_is(int fd, const char *path)
{
	struct stat file, other;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &file), 0);
	assert_int_equal(stat(path, &other), 0);
	assert_int_equal(file.st_ino, other.st_ino);
	close(fd);
}

static void descriptors_go_both_ways(void **state)
{
	struct worker worker = new_worker(60000);
	int root = open("/proc", O_PATH | O_DIRECTORY);
	int fd;

	(void)state;
	assert_int_equal(ask(&worker, "/etc/passwd", -1, &fd), 0);
	assert_is(fd, "/etc/passwd");
	assert_int_equal(ask(&worker, "x", root, &fd), 0);
	assert_is(fd, "/proc");
	assert_int_equal(ask(&worker, "/no such file", -1, &fd), 0);
	assert_int_equal(fd, -1);
	close(root);
	worker_end(&worker);
	/* It was waited for. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void it_has_nothing_of_its_parent_s_open(void **state)
{
	struct worker worker = new_worker(60000);
	int ends[2];
	char byte;
	int fd;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(ask(&worker, "/etc/passwd", -1, &fd), 0);
	close(fd);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	worker_end(&worker);
}

static void one_that_does_not_answer_is_left_behind(void **state)
{
	struct worker worker = new_worker(200);
	pid_t first;
	int fd;

	(void)state;
	worker.user = 7;
	assert_int_equal(ask(&worker, "never", -1, &fd), ETIMEDOUT);
	first = worker.pid;
	assert_int_equal(worker.nr_left, 1);
	assert_int_equal(worker.left[0].user, 7);
	worker.timeout_ms = 60000;
	assert_int_equal(ask(&worker, "/etc/passwd", -1, &fd), 0);
	assert_is(fd, "/etc/passwd");
	assert_int_not_equal(worker.pid, first);
	/* Its end was not waited for, but seen. */
	while (worker.nr_left) {
		assert_int_equal(ask(&worker, "/etc/passwd", -1, &fd), 0);
		close(fd);
	}
	assert_int_equal(kill(first, 0), -1);
	worker_end(&worker);
}

static void one_that_died_is_replaced(void **state)
{
	struct worker worker = new_worker(60000);
	int fd;

	(void)state;
	assert_int_equal(ask(&worker, "end", -1, &fd), EIO);
	assert_int_equal(ask(&worker, "/etc/passwd", -1, &fd), 0);
	assert_is(fd, "/etc/passwd");
	worker_end(&worker);
}

static void no_more_are_left_behind_than_that(void **state)
{
	struct worker worker = new_worker(200);
	size_t i;
	int fd;

	(void)state;
	/* In place of those that cannot be killed. */
	for (i = 0; i < WORKERS_LEFT_MAX; i++) {
		worker.left[i] = (struct worker_left){ fork(), i % 2 };
		if (!worker.left[i].pid)
			for (;;)
				pause();
	}
	worker.nr_left = WORKERS_LEFT_MAX;
	assert_int_equal(ask(&worker, "/etc/passwd", -1, &fd), EBUSY);
	assert_int_equal(worker_left(&worker, 1), WORKERS_LEFT_MAX / 2);
	assert_int_equal(worker_left(&worker, 2), 0);
	kill(worker.left[7].pid, SIGKILL);
	waitid(P_PID, (id_t)worker.left[7].pid, &(siginfo_t){}, WEXITED | WNOWAIT);
	assert_int_equal(worker_left(&worker, 1), WORKERS_LEFT_MAX / 2 - 1);
	worker.timeout_ms = 60000;
	assert_int_equal(ask(&worker, "/etc/passwd", -1, &fd), 0);
	assert_is(fd, "/etc/passwd");
	for (i = 0; i < worker.nr_left; i++) {
		kill(worker.left[i].pid, SIGKILL);
		waitpid(worker.left[i].pid, NULL, 0);
	}
	worker_end(&worker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors_go_both_ways),
		cmocka_unit_test(it_has_nothing_of_its_parent_s_open),
		cmocka_unit_test(one_that_does_not_answer_is_left_behind),
		cmocka_unit_test(one_that_died_is_replaced),
		cmocka_unit_test(no_more_are_left_behind_than_that),
	};

	return cmocka_run_group_tests_name("worker", tests, NULL, NULL);
}
