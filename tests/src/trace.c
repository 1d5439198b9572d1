// SPDX-License-Identifier: GPL-2.0
/*
 * trace DIRECTORY COMMAND [ARG...]
 *
 * Runs COMMAND, and leaves /proc/PID/maps of it and of all that it starts in
 * DIRECTORY: as PID.exec right after each exec, as PID.gone right before each
 * munmap and exec, one behind the other, and as PID.exit right before the end.
 * Exit status: COMMAND's.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPTIONS                                                                               \
	(PTRACE_O_TRACEEXIT | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | \
	 PTRACE_O_TRACECLONE | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL)
#define TASKS_MAX 4096

static const char *directory;
static pid_t seen[TASKS_MAX];
static size_t nr_seen;

/* Whether this is the stop that a new task starts with. */
static bool is_first_stop(pid_t tid)
{
	size_t i;

	for (i = 0; i < nr_seen; i++)
		if (seen[i] == tid)
			return false;
	if (nr_seen == TASKS_MAX)
		errx(1, "more than %d tasks", TASKS_MAX);
	seen[nr_seen++] = tid;
	return true;
}

/* A thread, as opposed to a process, is named in its own process only. */
static bool is_process(pid_t tid)
{
	char path[64], line[256];
	int tgid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	file = fopen(path, "re");
	if (!file)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %d", &tgid) == 1)
			break;
	fclose(file);
	return tgid == tid;
}

static void keep_maps(pid_t pid, const char *when)
{
	char from[64], to[4096], buffer[4096];
	ssize_t size;
	int in, out;

	snprintf(from, sizeof(from), "/proc/%d/maps", pid);
	snprintf(to, sizeof(to), "%s/%d.%s", directory, pid, when);
	in = open(from, O_RDONLY | O_CLOEXEC);
	out = open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (in < 0 || out < 0)
		err(1, "%s to %s", from, to);
	while ((size = read(in, buffer, sizeof(buffer))) > 0)
		if (write(out, buffer, (size_t)size) != size)
			err(1, "%s", to);
	close(in);
	close(out);
}

/* Stop at what makes mappings go. */
static void trace_unmapping(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
	};
	struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]),
		.filter = filter,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		err(1, "seccomp");
}

/* The signal to go on with. */
static int handle_stop(pid_t tid, int status)
{
	int signal = WSTOPSIG(status);

	switch (status >> 16) {
	case PTRACE_EVENT_EXEC:
		keep_maps(tid, "exec");
		return 0;
	case PTRACE_EVENT_SECCOMP:
		keep_maps(tid, "gone");
		return 0;
	case PTRACE_EVENT_EXIT:
		if (is_process(tid))
			keep_maps(tid, "exit");
		return 0;
	case 0:
		return signal == SIGSTOP && is_first_stop(tid) ? 0 : signal;
	default:
		return 0;
	}
}

static int follow(pid_t command)
{
	int status, result = 1;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (tid < 0)
			continue;
		if (WIFSTOPPED(status)) {
			int signal = handle_stop(tid, status);

			/* ESRCH: killed meanwhile, waitpid() will say. */
			if (ptrace(PTRACE_CONT, tid, NULL, (void *)(long)signal) && errno != ESRCH)
				err(1, "ptrace: cont");
		} else if (tid == command) {
			result = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
		}
	}
	return result;
}

int main(int argc, char **argv)
{
	pid_t command;
	int status;

	if (argc < 3)
		errx(2, "usage: trace DIRECTORY COMMAND [ARG...]");
	directory = argv[1];
	command = fork();
	if (command < 0)
		err(1, "fork");
	if (!command) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		trace_unmapping();
		execvp(argv[2], argv + 2);
		err(127, "%s", argv[2]);
	}
	if (waitpid(command, &status, 0) != command || !WIFSTOPPED(status))
		errx(1, "%s does not start", argv[2]);
	is_first_stop(command);
	if (ptrace(PTRACE_SETOPTIONS, command, NULL, (void *)OPTIONS) ||
	    ptrace(PTRACE_CONT, command, NULL, NULL))
		err(1, "ptrace");
	return follow(command);
}
