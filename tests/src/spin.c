// SPDX-License-Identifier: GPL-2.0
/*
 * Works for a while, under a name, in a function that has the name SPIN:
 *
 *	spin NAME			in this program
 *	spin NAME LIBRARY		in what spin.c was built as with -shared
 *	spin NAME FILE VALUE		by writing to a file
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MS 150

static volatile unsigned long turns;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

#ifdef FAR
/* Behind the end of what is built without. */
__asm__(".text\n.skip 8192, 0x90\n");
#endif

__attribute__((noinline)) void SPIN(void);
__attribute__((noinline)) void SPIN(void)
{
	double end = now() + MS;
	unsigned int i;

	while (now() < end)
		for (i = 0; i < 100000; i++)
			turns++;
}

#ifdef LIBRARY
void work(void);
void work(void)
{
	SPIN();
}
#else
#ifndef ALONE
static int work_in(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW);
	void (*work)(void) = handle ? (void (*)(void))dlsym(handle, "work") : NULL;

	if (!work) {
		fprintf(stderr, "spin: %s\n", dlerror());
		return 1;
	}
	work();
	return 0;
}
#endif

static int write_to(const char *file, const char *value)
{
	int fd = open(file, O_WRONLY);
	int bad = fd < 0 || write(fd, value, strlen(value)) < 0;

	if (bad)
		perror(file);
	return bad;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	prctl(PR_SET_NAME, argv[1]);
	if (argc > 3)
		return write_to(argv[2], argv[3]);
#ifndef ALONE
	if (argc > 2)
		return work_in(argv[2]);
#endif
	SPIN();
	return 0;
}
#endif
