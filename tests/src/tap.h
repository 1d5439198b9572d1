/* SPDX-License-Identifier: GPL-2.0 */
/* Tests in C: TAP on stdout, and what all of them need of the device. */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buildid.h"

static int tap_count;
static int tap_failures;

__attribute__((format(printf, 2, 3))) static void ok(bool good, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("%sok %d - ", good ? "" : "not ", ++tap_count);
	vprintf(format, args);
	putchar('\n');
	va_end(args);
	if (!good)
		tap_failures++;
	fflush(stdout);
}

__attribute__((unused)) static void is(long got, long wanted, const char *name)
{
	ok(got == wanted, "%s", name);
	if (got != wanted)
		printf("# got %ld, not %ld\n", got, wanted);
}

/* The result of a call that is to fail; @result is what it returned. */
__attribute__((unused)) static void fails(long result, int error, const char *name)
{
	int got = result < 0 ? errno : 0;

	ok(got == error, "%s", name);
	if (got != error)
		printf("# got %s, not %s\n", got ? strerrorname_np(got) : "success",
		       strerrorname_np(error));
}

/* Not by its sign: in 32 bits a good address may look negative. */
__attribute__((unused)) static void map_fails(void *at, int error, const char *name)
{
	fails(at == MAP_FAILED ? -1 : 0, error, name);
}

static int tap_end(void)
{
	printf("1..%d\n", tap_count);
	return tap_failures > 0;
}

static int open_device(int flags)
{
	int fd = open(BUILDID_DEVICE, O_RDWR | O_CLOEXEC | flags);

	if (fd < 0)
		err(1, BUILDID_DEVICE);
	return fd;
}

/* To this process alone, so that nothing comes in between. */
static int subscribe_self(int fd, __u32 ring_size, __u32 watermark)
{
	__u32 pid = (__u32)getpid();
	struct buildid_subscribe subscribe = {
		.size = sizeof(subscribe),
		.ring_size = ring_size,
		.watermark = watermark,
		.pids = (unsigned long)&pid,
		.nr_pids = 1,
	};

	return ioctl(fd, BUILDID_IOC_SUBSCRIBE, &subscribe);
}

/* A mapping of this very program: one record, one more for its file at first. */
static void map_once(void)
{
	static int self = -1;
	void *at;

	if (self < 0)
		self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, self, 0);
	if (at == MAP_FAILED)
		err(1, "mmap");
	munmap(at, 4096);
}

__attribute__((unused)) static void map_times(int count)
{
	while (count--)
		map_once();
}

#endif
