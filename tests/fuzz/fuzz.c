// SPDX-License-Identifier: GPL-2.0
/* Fuzz: files in memory, counters, and an end that is seen. */

#include <err.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

#define FILES	 4
#define COUNTERS 32

static FILE *messages;

void fuzz_die(const char *format, ...)
{
	va_list arguments;

	if (!messages)
		messages = stderr;
	va_start(arguments, format);
	fputs("finding: ", messages);
	vfprintf(messages, format, arguments);
	fputc('\n', messages);
	va_end(arguments);
	fflush(messages);
	abort();
}

/* Not their descriptors: libFuzzer and the sanitizers report there. */
void fuzz_silence(void)
{
	messages = stderr;
	stdout = stderr = fopen("/dev/null", "we");
	if (!stderr)
		err(1, "/dev/null");
}

int fuzz_fd(unsigned int number, const void *bytes, size_t size)
{
	static int fds[FILES];

	if (!fds[number])
		fds[number] = memfd_create("fuzz", MFD_CLOEXEC);
	if (fds[number] < 0 || ftruncate(fds[number], (off_t)size) ||
	    pwrite(fds[number], bytes, size, 0) != (ssize_t)size)
		err(1, "memfd");
	return fds[number];
}

const char *fuzz_path(unsigned int number, const void *bytes, size_t size)
{
	static char paths[FILES][32];

	snprintf(paths[number], sizeof(paths[number]), "/proc/self/fd/%d",
		 fuzz_fd(number, bytes, size));
	return paths[number];
}

const char *fuzz_name(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "/dev/shm/buildid-fuzz.%d", (int)getpid());
	mkdir(path, 0711);
	if (*name) {
		strncat(path, "/", sizeof(path) - strlen(path) - 1);
		strncat(path, name, sizeof(path) - strlen(path) - 1);
	}
	return path;
}

/* ------------------------------------------------------------- counters -- */

static struct counter {
	const char *what;
	uint64_t times;
} counters[COUNTERS];

static void print_counters(void)
{
	const struct counter *counter;

	for (counter = counters; counter->what; counter++)
		fprintf(messages ? messages : stderr, "count %s: %" PRIu64 "\n", counter->what,
			counter->times);
}

void fuzz_count(const char *what)
{
	struct counter *counter = counters;

	if (!counters[0].what)
		atexit(print_counters);
	while (counter->what && counter->what != what)
		counter++;
	if (counter == counters + COUNTERS - 1)
		abort();
	counter->what = what;
	counter->times++;
}
