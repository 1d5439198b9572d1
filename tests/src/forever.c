// SPDX-License-Identifier: GPL-2.0
/* Works until it is killed. */

int main(void)
{
	for (;;)
		__asm__ volatile("");
}
