// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <string.h>

#include "boot.h"
#include "common/clock.h"
#include "common/hex.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

void boot_id_read(uint8_t boot_id[16])
{
	FILE *file = fopen(BOOT_ID, "re");
	size_t nibbles = 0;
	int character;

	if (!file)
		return;
	while (nibbles < 32 && (character = fgetc(file)) != EOF) {
		int digit = hex_digit((char)character);

		if (digit < 0)
			continue;
		boot_id[nibbles / 2] = (uint8_t)(boot_id[nibbles / 2] << 4 | digit);
		nibbles++;
	}
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
