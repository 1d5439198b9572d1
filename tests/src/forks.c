// SPDX-License-Identifier: GPL-2.0
/*
 * forks LIBRARY LIBRARY PROGRAM
 *
 * Prints "PID ADDRESS TIME" from processes that are gone soon, and to stderr, in
 * the same order, what is there then: "case: itself", "case: first" and so on.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void ask_at(const char *name, const void *address, uint64_t time)
{
	dprintf(STDERR_FILENO, "%s\n", name);
	dprintf(STDOUT_FILENO, "%d %" PRIxPTR " %" PRIu64 "\n", getpid(), (uintptr_t)address, time);
}

static void ask(const char *name, const void *address)
{
	ask_at(name, address, now());
}

static void *map(const char *path, void *at)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *map =
		mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, 0);

	if (map == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
	return map;
}

static void grandchild(void *at)
{
	pid_t child = fork();

	if (!child) {
		/* Its parent is gone before it asks. */
		while (getppid() != 1)
			usleep(1000);
		ask("orphan: first", at);
		_exit(0);
	}
	_exit(0);
}

static void wait_for(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || status)
		errx(1, "a child failed");
}

int main(int argc, char **argv)
{
	uint64_t before;
	pid_t child;
	void *at;

	/* As PROGRAM. */
	if (argc == 2) {
		ask(argv[1], (void *)(uintptr_t)main);
		return 0;
	}
	if (argc != 4)
		errx(2, "usage: forks LIBRARY LIBRARY PROGRAM");
	at = map(argv[1], NULL);

	child = fork();
	if (!child) {
		ask("child: itself", (void *)(uintptr_t)ask);
		ask("child: first", at);
		before = now();
		map(argv[2], at);
		ask("child: second", at);
		ask_at("child: first", at, before);
		_exit(0);
	}
	wait_for(child);
	/* What its child did is not its own. */
	ask("parent: first", at);

	child = vfork();
	if (!child) {
		ask("vfork: first", at);
		_exit(0);
	}
	wait_for(child);

	child = fork();
	if (!child) {
		before = now();
		ask_at("before exec: itself", (void *)(uintptr_t)ask, before);
		execl(argv[3], argv[3], "after exec: other", NULL);
		_exit(1);
	}
	wait_for(child);

	child = fork();
	if (!child)
		grandchild(at);
	wait_for(child);
	return 0;
}
