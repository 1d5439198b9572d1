// SPDX-License-Identifier: GPL-2.0
/* Boot: read from /proc. */

#include <stdio.h>
#include <string.h>

#include "boot.h"
#include "common/clock.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

void boot_id_read(uint8_t boot_id[16])
{
	FILE *file = fopen(BOOT_ID, "re");
	size_t i = 0;

	if (!file)
		return;
	while (i < 16 && fscanf(file, "%2hhx%*[-]", &boot_id[i]) == 1)
		i++;
	fclose(file);
}

bool boot_is_now(const uint8_t boot_id[16])
{
	static const uint8_t none[16];
	uint8_t now[16] = {};

	boot_id_read(now);
	return memcmp(now, none, sizeof(now)) && !memcmp(now, boot_id, sizeof(now));
}

uint64_t boot_time(void)
{
	return clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
}
