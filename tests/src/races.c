// SPDX-License-Identifier: GPL-2.0
/*
 * races TIMES
 *
 * Processes that each use the module in a way of their own, TIMES times, all of them the same
 * two files, the same ring and the same cookies. Nothing is looked at but errors that none of
 * it explains: it is for a kernel that looks at every access, see scripts/kcsan.config.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <buildid.h>

#include "elf_image.h"

#define ROOM (2 * BUILDID_RECORD_MAX)

/* One with a build-id, which the hook reads, and one without, which the worker does. */
static int files[2];
static int device, ring;
static char room[ROOM];

static uint64_t address_of(const void *memory)
{
	return (uint64_t)(uintptr_t)memory;
}

/* @expected: what it may be that somebody else has done. */
static void call(int fd, unsigned long request, void *arg, int expected)
{
	if (ioctl(fd, request, arg) && errno != expected)
		err(1, "ioctl %#lx", request);
}

static void map(int number)
{
	size_t size = (size_t)getpagesize();
	void *p = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, files[number % 2], 0);

	if (p == MAP_FAILED || munmap(p, size))
		err(1, "mmap");
}

static void change(int number)
{
	if (ftruncate(files[number % 2], 8192 + number % 100))
		err(1, "ftruncate");
	map(number);
}

static void count(int number)
{
	struct buildid_stats stats = { .size = sizeof(stats) };
	struct buildid_info info = { .size = sizeof(info) };

	call(device, BUILDID_IOC_STATS, &stats, 0);
	if (!(number % 16))
		call(device, BUILDID_IOC_INFO, &info, 0);
}

static void resolve(int number)
{
	struct buildid_resolve_fd req = {
		.size = sizeof(req),
		.fd = files[number % 2],
		.record_size = ROOM,
		.record = address_of(room),
	};

	call(device, BUILDID_IOC_RESOLVE_FD, &req, 0);
}

static void list(int number)
{
	struct buildid_maps maps = {
		.size = sizeof(maps),
		.pid = (uint32_t)(number % 2 ? getpid() : getppid()),
		.bytes = ROOM,
		.records = address_of(room),
	};
	struct buildid_history history = {
		.size = sizeof(history),
		.bytes = ROOM,
		.records = address_of(room),
	};

	call(device, BUILDID_IOC_MAPS, &maps, 0);
	call(device, BUILDID_IOC_HISTORY, &history, 0);
}

static void flush(int number)
{
	struct buildid_flush req = { .size = sizeof(req) };

	(void)number;
	call(device, BUILDID_IOC_FLUSH, &req, 0);
}

static void name(int number)
{
	size_t size = (size_t)getpagesize();
	void *p = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct buildid_set_cookie req = {
		.size = sizeof(req),
		.kind = BUILDID_KIND_COOKIE,
		.id_len = sizeof(number),
		.addr = address_of(p),
		.len = size,
		.id = address_of(&number),
	};

	call(device, BUILDID_IOC_SET_COOKIE, &req, 0);
	if (munmap(p, size))
		err(1, "munmap");
	req = (struct buildid_set_cookie){
		.size = sizeof(req),
		.flags = BUILDID_COOKIE_FD,
		.fd = files[1],
		.kind = BUILDID_KIND_COOKIE,
		.id_len = sizeof(number),
		.id = address_of(&number),
	};
	call(device, BUILDID_IOC_SET_COOKIE, &req, EAGAIN);
}

static void subscribe_to(int fd)
{
	struct buildid_subscribe req = {
		.size = sizeof(req),
		.flags = BUILDID_SUB_PATH | BUILDID_SUB_TASKS | BUILDID_SUB_KERNEL,
		.ring_size = 65536,
	};

	call(fd, BUILDID_IOC_SUBSCRIBE, &req, 0);
}

static void subscribe(int number)
{
	int fd = open("/dev/buildid", O_RDONLY);

	(void)number;
	if (fd < 0)
		err(1, "/dev/buildid");
	subscribe_to(fd);
	map(0);
	close(fd);
}

static void receive(int number)
{
	(void)number;
	if (read(ring, room, ROOM) < 0 && errno != EAGAIN)
		err(1, "read");
}

static void fork_once(int number)
{
	pid_t child = fork();

	if (!child) {
		map(number);
		_exit(0);
	}
	if (child < 0 || waitpid(child, NULL, 0) != child)
		err(1, "fork");
}

/* How many calls of each are one of its turns: some take a hundred times as long. */
static const struct {
	void (*use)(int number);
	int turns;
} users[] = {
	{ map, 20 },	  { map, 20 },	   { change, 10 },  { count, 50 },
	{ resolve, 20 },  { list, 1 },	   { flush, 5 },    { name, 5 },
	{ subscribe, 1 }, { receive, 20 }, { receive, 20 }, { fork_once, 1 },
};

static void use(size_t user, int times)
{
	int i;

	for (i = 0; i < times * users[user].turns; i++)
		users[user].use(i);
	exit(0);
}

static int open_device(int flags)
{
	int fd = open("/dev/buildid", O_RDONLY | flags);

	if (fd < 0)
		err(1, "/dev/buildid");
	return fd;
}

int main(int argc, char **argv)
{
	int times = argc == 2 ? atoi(argv[1]) : 0, status, failed = 0;
	size_t i;

	if (times <= 0)
		errx(2, "usage: races TIMES");
	files[0] = memfd_create("read by the hook", MFD_CLOEXEC);
	files[1] = memfd_create("read by the worker", MFD_CLOEXEC);
	if (files[0] < 0 || files[1] < 0 || !elf_write_with_id(files[0], 1))
		err(1, "memfd_create");
	device = open_device(0);
	ring = open_device(O_NONBLOCK);
	subscribe_to(ring);
	for (i = 0; i < sizeof(users) / sizeof(*users); i++)
		if (!fork())
			use(i, times);
	while (wait(&status) > 0)
		failed |= status;
	return !!failed;
}
