// SPDX-License-Identifier: GPL-2.0
/* This boot: places that all machines have say nothing of this one. */

#include <string.h>

#include "streams.h"

#include "identities/this_boot.c"

static void places_that_are_not_random(void **state)
{
	static const uint64_t same[] = {
		0x401000,			/* linked to it */
		0xf7fc5000,			/* of 32 bits */
		0x555555554000,			/* setarch -R, and gdb: a program, */
		0x555555560000, 0x555555a10000, /* a large one, */
		0x55555c000000,			/* a very large one; */
		0x7ffff7fc1000,			/* libraries, the vdso, */
		0x7ffff7dd5000,			/* many, */
		0x7ffff6a00000,			/* of 20 MB, */
		0x7ffff0200000,			/* and of 120 */
		0x2aaaaaaab000,			/* and with ulimit -s unlimited */
		0x2aaaabc00000, 0xaaaaaaaa0000, /* the same on arm64 */
		0xaaaaaab10000, 0xfffff7fc0000,
		0xfffff6000000, 0x5555555000, /* and with 39 bits of address */
		0x7ff7fc0000,
	};
	static const uint64_t random[] = {
		0x55d3328b5000, 0x5648c0e1f000, 0x7f1200001000, 0x7ffd3a5c2000, 0x7fa5e7c28000,
		0x2b17c3a52000, 0xaaaad8f10000, 0xffff9ac30000, 0x5581230000,	0x7fa1230000,
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(same); i++)
		if (is_random(same[i]))
			fail_msg("%lx", (unsigned long)same[i]);
	for (i = 0; i < ARRAY_SIZE(random); i++)
		if (!is_random(random[i]))
			fail_msg("%lx", (unsigned long)random[i]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_that_are_not_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
