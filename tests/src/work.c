// SPDX-License-Identifier: GPL-2.0
/* A library in versions: only the name of the function says which. */

#define CONCAT(a, b)	a##b
#define NAME(version)	CONCAT(work_of_, version)
#define STRING(version) #version
#define TEXT(version)	STRING(version)

/* The linker's build-id is not of the names of symbols. */
const char work_version[] = TEXT(VERSION);

__attribute__((noinline)) static unsigned long NAME(VERSION)(unsigned long rounds)
{
	volatile unsigned long sum = 0;

	while (rounds--)
		sum += rounds;
	return sum;
}

unsigned long work(unsigned long rounds);

unsigned long work(unsigned long rounds)
{
	return NAME(VERSION)(rounds) + 1;
}
