// SPDX-License-Identifier: GPL-2.0
/*
 * held traced DIRECTORY N	maps the files 0 to N-1, each in a thread of its own, which
 *				its tracer holds at the end of its mmap(2)
 * held populate FILE		maps it with MAP_POPULATE, once it has read two pages, printed
 *				"read", and got a byte on stdin
 * held unmap FILE		maps it over memory of which userfaultfd(2) has to be told
 *				that it goes
 * held many FILE N		has it mapped N times, and makes all that executable at once
 * held same FILE N		maps it in N threads at once, and says at how many addresses
 *
 * With the first three, another thread calls what is mapped, at the second page of each
 * file, while mmap(2) has not returned: "held PID" is printed when each call returned 42,
 * and with a byte on stdin the threads go on. When all have, "gone on" is printed, and
 * with the next byte it ends.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_MAX 1000
#define BASE	    0x200000000000UL
#define STEP	    0x100000UL

static const char *directory;
static pthread_barrier_t barrier;

/* Of all processes that this becomes. */
static struct shared {
	int returned; /* threads whose mmap(2) has */
	int called;   /* mappings that returned 42 */
} * shared;

static void fail(const char *what)
{
	err(1, "%s", what);
}

static void say(const char *what)
{
	printf("%s\n", what);
	fflush(stdout);
}

static void wait_for_byte(void)
{
	char byte;

	if (read(0, &byte, 1) < 0)
		fail("stdin");
}

static char *place(long i)
{
	return (char *)BASE + i * STEP;
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		fail(path);
	return fd;
}

static size_t size_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		fail("fstat");
	return (size_t)st.st_size;
}

static void map_fd_at(char *at, int fd, int flags)
{
	if (mmap(at, size_of(fd), PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED | flags, fd, 0) !=
	    at)
		fail("mmap");
}

static void map_at(char *at, const char *path)
{
	int fd = open_file(path);

	map_fd_at(at, fd, 0);
	close(fd);
}

/* Waits until it is mapped, and calls it; mincore(2) waits only for the mapping. */
static void call(char *at)
{
	unsigned char in_memory;
	int (*code)(void);

	while (mincore(at, 4096, &in_memory))
		usleep(1000);
	at += 4096;
	memcpy(&code, &at, sizeof(code));
	if (code() == 42)
		__atomic_add_fetch(&shared->called, 1, __ATOMIC_SEQ_CST);
}

static pthread_t start(void *(*run)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	if (pthread_create(&thread, &attr, run, arg))
		errx(1, "pthread_create");
	return thread;
}

static void returned(void)
{
	__atomic_add_fetch(&shared->returned, 1, __ATOMIC_SEQ_CST);
}

static void wait_until(const int *count, int wanted)
{
	while (__atomic_load_n(count, __ATOMIC_SEQ_CST) < wanted)
		usleep(1000);
}

/* ---------------------------------------------------------------- traced -- */

static void *map_own(void *arg)
{
	char path[4096];
	long i = (long)arg;

	snprintf(path, sizeof(path), "%s/%ld", directory, i);
	pthread_barrier_wait(&barrier);
	map_at(place(i), path);
	returned();
	return NULL;
}

static void be_traced(int n)
{
	long i;

	if (ptrace(PTRACE_TRACEME) || raise(SIGSTOP))
		fail("PTRACE_TRACEME");
	pthread_barrier_init(&barrier, NULL, (unsigned int)n);
	for (i = 0; i < n; i++)
		start(map_own, (void *)i);
	for (i = 0; i < n; i++)
		call(place(i));
	pause();
}

/* At the end of an mmap(2) of ours? */
static int is_to_be_held(pid_t tid, int status)
{
	struct __ptrace_syscall_info info = {};

	if (WSTOPSIG(status) != (SIGTRAP | 0x80) ||
	    ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) < 0)
		return 0;
	return info.op == PTRACE_SYSCALL_INFO_EXIT && info.exit.rval >= (int64_t)BASE &&
	       info.exit.rval < (int64_t)(BASE + THREADS_MAX * STEP);
}

static void hold_threads(pid_t pid, int n)
{
	static pid_t held[THREADS_MAX];
	int status, count = 0, i;
	pid_t tid;

	if (waitpid(pid, &status, 0) != pid ||
	    ptrace(PTRACE_SETOPTIONS, pid, 0,
		   PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL))
		fail("PTRACE_SETOPTIONS");
	/* the main thread is not to be held */
	ptrace(PTRACE_CONT, pid, 0, 0);
	while (count < n && (tid = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status))
			errx(1, "the child ended: %x", status);
		if (is_to_be_held(tid, status))
			held[count++] = tid;
		else
			ptrace(tid == pid ? PTRACE_CONT : PTRACE_SYSCALL, tid, 0, 0);
	}
	wait_until(&shared->called, n);
	printf("held %d\n", pid);
	fflush(stdout);
	wait_for_byte();
	for (i = 0; i < n; i++)
		ptrace(PTRACE_DETACH, held[i], 0, 0);
	wait_until(&shared->returned, n);
	say("gone on");
	wait_for_byte();
	kill(pid, SIGKILL);
}

static void traced(int n)
{
	pid_t pid = fork();

	if (!pid)
		be_traced(n);
	hold_threads(pid, n);
}

/* -------------------------------------------------- held by what it waits for -- */

static int userfault = -1;

/* What is called is in memory, and stays: to open it again could drop it. */
static int read_beginning(const char *path)
{
	char bytes[2 * 4096];
	int fd = open_file(path);

	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	if (pread(fd, bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		fail(path);
	say("read");
	wait_for_byte();
	return fd;
}

static int begun = -1;

static void *map_populated(void *path)
{
	(void)path;
	map_fd_at(place(0), begun, MAP_POPULATE);
	returned();
	return NULL;
}

static void *map_over(void *path)
{
	map_at(place(0), path);
	returned();
	return NULL;
}

static void watch_memory(size_t size)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_EVENT_UNMAP };
	struct uffdio_register reg = {
		.range = { .start = BASE, .len = size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	userfault = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (userfault < 0 || ioctl(userfault, UFFDIO_API, &api))
		fail("userfaultfd");
	if (mmap(place(0), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
		    place(0) ||
	    ioctl(userfault, UFFDIO_REGISTER, &reg))
		fail("UFFDIO_REGISTER");
}

/* PROT_NONE is in its place before, so that a call faults. */
static void wait_for_mapping(const char *path)
{
	char line[4096], wanted[4096];
	int found = 0;
	FILE *maps;

	snprintf(wanted, sizeof(wanted), "%s\n", path);
	while (!found) {
		maps = fopen("/proc/self/maps", "r");
		while (maps && fgets(line, sizeof(line), maps))
			if (strtoul(line, NULL, 16) == BASE && strstr(line, wanted))
				found = 1;
		if (maps)
			fclose(maps);
		usleep(1000);
	}
}

static void held_by(void *(*run)(void *), char *path)
{
	struct uffd_msg msg;

	start(run, path);
	if (userfault >= 0)
		wait_for_mapping(path);
	call(place(0));
	if (shared->returned || shared->called != 1)
		errx(1, "not held: %d returned, %d called", shared->returned, shared->called);
	printf("held %d\n", getpid());
	fflush(stdout);
	wait_for_byte();
	if (userfault >= 0 && read(userfault, &msg, sizeof(msg)) < 0)
		fail("userfaultfd");
	wait_until(&shared->returned, 1);
	say("gone on");
	wait_for_byte();
}

/* ------------------------------------------------------------ many at once -- */

static void many(const char *path, int n)
{
	int fd = open(path, O_RDWR), i;

	if (fd < 0)
		fail(path);
	for (i = 0; i < n; i++)
		if (mmap((char *)BASE + i * 4096L, 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd,
			 0) == MAP_FAILED)
			fail("mmap");
	if (mprotect((char *)BASE, (size_t)n * 4096, PROT_READ | PROT_EXEC))
		fail("mprotect");
	say("done");
}

static const char *common_path;

static void *map_common(void *arg)
{
	pthread_barrier_wait(&barrier);
	map_at(place((long)arg), common_path);
	returned();
	return NULL;
}

static void same(const char *path, int n)
{
	long i;

	common_path = path;
	pthread_barrier_init(&barrier, NULL, (unsigned int)n);
	for (i = 0; i < n; i++)
		start(map_common, (void *)i);
	wait_until(&shared->returned, n);
	say("done");
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	int n = argc > 3 ? atoi(argv[3]) : 1, fd;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED || n > THREADS_MAX * 100)
		fail("mmap");
	directory = argv[2];
	if (!strcmp(mode, "traced")) {
		traced(n);
	} else if (!strcmp(mode, "populate")) {
		begun = read_beginning(argv[2]);
		held_by(map_populated, argv[2]);
	} else if (!strcmp(mode, "unmap")) {
		fd = open_file(argv[2]);
		watch_memory(size_of(fd));
		close(fd);
		held_by(map_over, argv[2]);
	} else if (!strcmp(mode, "many")) {
		many(argv[2], n);
	} else if (!strcmp(mode, "same")) {
		same(argv[2], n);
	} else {
		errx(2, "usage: held traced|populate|unmap|many|same FILE [N]");
	}
	return 0;
}
