// SPDX-License-Identifier: GPL-2.0
/* A library in versions, in the second of which everything is elsewhere in the file. */

#include <time.h>

#ifdef MOVED
int moved(int a);

int moved(int a)
{
	return a * 7 % 5;
}
#endif

void hot(int ticks);

/* Of processor time, hundredths of a second. */
__attribute__((noinline)) void hot(int ticks)
{
	clock_t end = clock() + (clock_t)ticks * CLOCKS_PER_SEC / 100;
	volatile unsigned int n;

	while (clock() < end)
		for (n = 0; n < 200000; n++)
			;
}
