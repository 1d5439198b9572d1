// SPDX-License-Identifier: LGPL-2.1-or-later
/* Structs: of a program that is older or newer than this library. */

#include <errno.h>
#include <string.h>

#include "internal.h"

/* No struct comes near it: a size that was never set, most likely. */
#define SIZE_LIMIT 4096

int buildid_struct_take(void *to, size_t known, const void *from, size_t least)
{
	const unsigned char *bytes = from;
	uint32_t size, i;

	memcpy(&size, from, sizeof(size));
	if (size < least)
		return -EINVAL;
	if (size > SIZE_LIMIT)
		return -E2BIG;
	for (i = (uint32_t)known; i < size; i++)
		if (bytes[i])
			return -E2BIG;

	memset(to, 0, known);
	memcpy(to, from, size < known ? size : known);
	return 0;
}

int buildid_options_take(struct buildid_options *to, const struct buildid_options *from)
{
	int err;

	if (!from) {
		*to = (struct buildid_options){ .size = sizeof(*to) };
		return 0;
	}
	err = buildid_struct_take(to, sizeof(*to), from, STRUCT_LEAST(buildid_options, reserved));
	if (err)
		return err;
	to->size = sizeof(*to);
	return to->reserved ? -EINVAL : 0;
}
