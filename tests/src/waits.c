// SPDX-License-Identifier: GPL-2.0
/* Says that it is there, and waits until it is killed. */

#include <unistd.h>

int main(void)
{
	return write(1, "\n", 1) != 1 || pause();
}
