// SPDX-License-Identifier: GPL-2.0
/* A library in versions, in the middle of a stack: only a name says which. */

#define CONCAT(a, b)	a##b
#define NAME(version)	CONCAT(layer_of_, version)
#define STRING(version) #version
#define TEXT(version)	STRING(version)

/* The linker's build-id is not of the names of symbols. */
const char layer_version[] = TEXT(VERSION);

__attribute__((noinline)) static int NAME(VERSION)(int (*reach)(void))
{
	return reach() + 1;
}

int run(int (*reach)(void));

int run(int (*reach)(void))
{
	return NAME(VERSION)(reach) + 1;
}
