// SPDX-License-Identifier: GPL-2.0
/* Silent: a list, as there are few. */

#include <stdlib.h>

#include "common/array.h"
#include "silent.h"

#define SILENT_MAX 3

struct silent_device {
	uid_t uid;
	uint32_t major, minor;
};

bool silent_is(const struct silent *silent, uid_t uid, uint32_t major, uint32_t minor)
{
	size_t i, devices = 0;

	for (i = 0; i < silent->count; i++) {
		if (silent->devices[i].uid != uid)
			continue;
		if (silent->devices[i].major == major && silent->devices[i].minor == minor)
			return true;
		devices++;
	}
	return devices >= SILENT_MAX;
}

void silent_add(struct silent *silent, uid_t uid, uint32_t major, uint32_t minor)
{
	if (array_reserve(silent->devices, silent->count))
		silent->devices[silent->count++] = (struct silent_device){ uid, major, minor };
}

void silent_free(struct silent *silent)
{
	free(silent->devices);
}
