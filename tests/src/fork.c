// SPDX-License-Identifier: GPL-2.0
/*
 * fork HOW [PROGRAM]
 *
 * Maps itself as every program does, and makes processes in one way:
 *
 *	fork, vfork, spawn, clone_vm, thread, thread_exit, fork_from_thread,
 *	exec_in_thread, double
 *
 * Prints a line for each: NAME PID, and for those that live on in a copy of this
 * address space the address of main() behind it. Ends when they have.
 */
#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv);

static void say(const char *name, pid_t pid)
{
	printf("%s %d %#lx\n", name, pid, (unsigned long)main);
	fflush(stdout);
}

static void wait_for(pid_t pid)
{
	if (waitpid(pid, NULL, __WALL) != pid)
		err(1, "waitpid");
}

static void do_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	say("child", pid);
	wait_for(pid);
}

static void do_double(void)
{
	pid_t pid = fork();

	if (!pid) {
		do_fork();
		_exit(0);
	}
	say("middle", pid);
	wait_for(pid);
}

static int run_in_child(void *unused)
{
	(void)unused;
	_exit(0);
}

static void do_clone_vm(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	pid_t pid = clone(run_in_child, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);

	if (pid < 0)
		err(1, "clone");
	say("shares", pid);
	wait_for(pid);
}

static void do_vfork(const char *program)
{
	pid_t pid = vfork();

	if (!pid) {
		execl(program, program, (char *)NULL);
		_exit(127);
	}
	say("shares", pid);
	wait_for(pid);
}

static void do_spawn(char *program)
{
	char *args[] = { program, NULL }, *env[] = { NULL };
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, args, env))
		errx(1, "posix_spawn");
	say("shares", pid);
	wait_for(pid);
}

static void *nothing(void *unused)
{
	return unused;
}

static void *in_thread(void *how)
{
	if (!strcmp(how, "fork_from_thread"))
		do_fork();
	return NULL;
}

static void *exec_it(void *program)
{
	execl(program, program, (char *)NULL);
	err(1, "%s", (char *)program);
}

static void *leave_last(void *main_thread)
{
	pthread_join(*(pthread_t *)main_thread, NULL);
	usleep(10000);
	exit(0);
}

static void with_thread(void *(*function)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, argument))
		errx(1, "pthread_create");
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	char *program = argc > 2 ? argv[2] : NULL;
	static pthread_t self;
	pthread_t thread;

	say("self", getpid());
	if (!strcmp(how, "fork")) {
		do_fork();
	} else if (!strcmp(how, "double")) {
		do_double();
	} else if (!strcmp(how, "clone_vm")) {
		do_clone_vm();
	} else if (!strcmp(how, "vfork") && program) {
		do_vfork(program);
	} else if (!strcmp(how, "spawn") && program) {
		do_spawn(program);
	} else if (!strcmp(how, "thread")) {
		with_thread(nothing, NULL);
	} else if (!strcmp(how, "fork_from_thread")) {
		with_thread(in_thread, (void *)how);
	} else if (!strcmp(how, "exec_in_thread") && program) {
		with_thread(exec_it, program);
	} else if (!strcmp(how, "thread_exit")) {
		self = pthread_self();
		if (pthread_create(&thread, NULL, leave_last, &self))
			errx(1, "pthread_create");
		pthread_exit(NULL);
	} else {
		errx(2, "usage: fork HOW [PROGRAM]");
	}
	return 0;
}
