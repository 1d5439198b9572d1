// SPDX-License-Identifier: GPL-2.0
/*
 * usage: busy LIBRARY MILLISECONDS [FILE]
 *
 * Lets a library work for so long, and the kernel in between, then makes FILE and
 * sleeps until it is killed.
 */

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 100000

static char zeros[1 << 20];

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	unsigned long (*work)(unsigned long rounds);
	void *library;
	double end;
	int zero;

	if (argc < 3)
		return 2;
	library = dlopen(argv[1], RTLD_NOW);
	work = library ? (unsigned long (*)(unsigned long))dlsym(library, "work") : NULL;
	if (!work) {
		fprintf(stderr, "busy: %s\n", dlerror());
		return 1;
	}
	zero = open("/dev/zero", O_RDONLY);
	for (end = now() + atof(argv[2]); now() < end;) {
		work(ROUNDS);
		if (read(zero, zeros, sizeof(zeros)) < 0)
			return 1;
	}
	if (argc < 4)
		return 0;
	fclose(fopen(argv[3], "w"));
	for (;;)
		pause();
}
