// SPDX-License-Identifier: GPL-2.0
/*
 * usage: deep LIBRARY [HOW]
 *
 * Calls reach() through a library, which prints "PID ADDRESS ADDRESS": its own, and that
 * of the library behind the call. HOW: "fork" in a child, that does not exec; "twice" in
 * a child of a child; "wait" and waits until standard input ends; "serve" in a child, and
 * waits after that has exited; "thread" in a thread.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int reach(void);

__attribute__((noinline)) int reach(void)
{
	printf("%d %p %p\n", getpid(), (void *)reach, __builtin_return_address(0));
	return fflush(stdout);
}

static int (*run)(int (*)(void));

static void *call(void *unused)
{
	if (run(reach) < 0)
		exit(1);
	return unused;
}

static void in_child(int depth)
{
	pid_t child;
	int status;

	if (!depth) {
		call(NULL);
		return;
	}
	child = fork();
	if (!child) {
		in_child(depth - 1);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		exit(1);
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	const char *how = argc > 2 ? argv[2] : "";
	pthread_t thread;

	run = library ? (int (*)(int (*)(void)))dlsym(library, "run") : NULL;
	if (!run)
		return 2;
	if (!strcmp(how, "thread"))
		return pthread_create(&thread, NULL, call, NULL) || pthread_join(thread, NULL);
	in_child(!strcmp(how, "fork") || !strcmp(how, "serve") ? 1 : !strcmp(how, "twice") ? 2 : 0);
	if (!strcmp(how, "wait") || !strcmp(how, "serve"))
		while (getchar() != EOF)
			;
	return 0;
}
