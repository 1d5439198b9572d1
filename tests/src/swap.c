// SPDX-License-Identifier: GPL-2.0
/*
 * usage: swap LIBRARY OTHER TICKS
 *
 * Lets a library work for so long, puts another in its place, and lets a child, which
 * has all that its parent has, do the same with that. Exits with 5.
 */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(const char *path, int ticks)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*hot)(int) = library ? (void (*)(int))dlsym(library, "hot") : NULL;

	if (!hot)
		exit(9);
	hot(ticks);
	dlclose(library);
}

int main(int argc, char **argv)
{
	int ticks, status;

	if (argc != 4)
		return 2;
	ticks = atoi(argv[3]);
	work(argv[1], ticks);
	if (rename(argv[2], argv[1]))
		return 8;
	if (!fork()) {
		work(argv[1], ticks);
		_exit(0);
	}
	wait(&status);
	return status ? 7 : 5;
}
