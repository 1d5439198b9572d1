// SPDX-License-Identifier: GPL-2.0
/* File reader: how the process begins, and what it gives up. */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/memory_limit.h"
#include "file_reader.h"

/* The user who has nothing, on every Linux. */
#define NOBODY 65534
/* Seconds of processor time for one file; the debug info of a browser takes ten. */
#define SECONDS_MAX 120
/* More than any file's tables of symbols and lines. */
#define MEMORY_MAX (2ULL << 30)

static void limit(__rlimit_resource_t resource, rlim_t most)
{
	const struct rlimit limit = { most, most };

	setrlimit(resource, &limit);
}

/* For good, without an end. */
static void limit_memory(void)
{
	struct memory_limit memory;
	struct rlimit now;

	memory_limit_begin(&memory, MEMORY_MAX);
	if (memory.set && !getrlimit(RLIMIT_AS, &now))
		limit(RLIMIT_AS, now.rlim_cur);
}

/* Those of a user who has some without being root. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};

	if (syscall(SYS_capset, &header, none))
		_exit(1);
}

/* Of all processes the first to go: its file costs the memory, and there is another one. */
static void offer_memory(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	dprintf(fd, "1000");
	close(fd);
}

/* In a user namespace that anybody may make, nobody may change groups. */
static bool groups_are_fixed(void)
{
	int fd = open("/proc/self/setgroups", O_RDONLY | O_CLOEXEC);
	char text[4];
	bool fixed = fd >= 0 && read(fd, text, sizeof(text)) == sizeof(text) &&
		     !memcmp(text, "deny", sizeof(text));

	if (fd >= 0)
		close(fd);
	return fixed;
}

/*
 * A user namespace may have no other user than its root, which is EINVAL: that is the user outside
 * who made it, and without capabilities may do no more than there.
 */
static void leave_root(void)
{
	if ((setgroups(0, NULL) && !groups_are_fixed()) ||
	    (setresgid(NOBODY, NOBODY, NOBODY) && errno != EINVAL) ||
	    (setresuid(NOBODY, NOBODY, NOBODY) && errno != EINVAL))
		_exit(1);
}

/* Without descriptors libdw cannot follow the links to further files that a file has. */
static void give_up_rights(void)
{
	offer_memory();
	limit_memory();
	limit(RLIMIT_CPU, SECONDS_MAX);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	if (!geteuid())
		leave_root();
	drop_capabilities();
	limit(RLIMIT_NPROC, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	/* Behind these, as a change of credentials takes it back. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	limit(RLIMIT_NOFILE, 0);
}

static bool transfer(int fd, void *bytes, size_t size, bool out)
{
	char *at = bytes;
	ssize_t done;

	while (size) {
		done = out ? send(fd, at, size, MSG_NOSIGNAL) : recv(fd, at, size, 0);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		size -= (size_t)done;
	}
	return true;
}

bool file_reader_send(int socket, const void *bytes, size_t size)
{
	return transfer(socket, (void *)(uintptr_t)bytes, size, true);
}

bool file_reader_receive(int socket, void *bytes, size_t size)
{
	return transfer(socket, bytes, size, false);
}

/* As @number, which is that of none that is still to be moved: all of them are above. */
static void move(int fd, int number)
{
	if (dup2(fd, number) < 0)
		_exit(1);
}

/* The terminal would take what is typed from whoever has it open. Sanitizers report there. */
static void leave_terminal(void)
{
#ifndef __SANITIZE_ADDRESS__
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDERR_FILENO);
	else
		close(STDERR_FILENO);
#endif
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	setsid();
}

/* Where they are to be, from FILE_READER_SOCKET on. */
struct places {
	int fds[1 + FILE_READER_FILES];
	size_t count;
};

static void take_places(struct places *places)
{
	const int end = FILE_READER_SOCKET + (int)places->count;
	size_t i;

	/* Clear of the numbers that they are to get. */
	for (i = 0; i < places->count; i++)
		if (places->fds[i] >= 0)
			places->fds[i] = fcntl(places->fds[i], F_DUPFD, end);
	leave_terminal();
	for (i = 0; i < places->count; i++) {
		if (places->fds[i] >= 0)
			move(places->fds[i], FILE_READER_SOCKET + (int)i);
		else
			close(FILE_READER_SOCKET + (int)i);
	}
	if (close_range((unsigned int)end, ~0U, 0))
		_exit(1);
}

static struct places places_of(int socket, const int *files, size_t count)
{
	struct places places = { .fds = { socket }, .count = 1 };

	while (places.count <= count) {
		places.fds[places.count] = files[places.count - 1];
		places.count++;
	}
	return places;
}

bool file_reader_start(struct file_reader *reader, const int *files, size_t count,
		       void (*serve)(const void *context), const void *context)
{
	struct places places;
	int sockets[2];

	*reader = (struct file_reader){ .socket = -1 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return false;
	reader->pid = fork();
	if (!reader->pid) {
		places = places_of(sockets[1], files, count);
		take_places(&places);
		give_up_rights();
		serve(context);
		_exit(0);
	}
	close(sockets[1]);
	if (reader->pid < 0) {
		close(sockets[0]);
		return false;
	}
	reader->socket = sockets[0];
	return true;
}

void file_reader_end(struct file_reader *reader)
{
	if (reader->socket < 0)
		return;
	close(reader->socket);
	reader->socket = -1;
	kill(reader->pid, SIGKILL);
	while (waitpid(reader->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
