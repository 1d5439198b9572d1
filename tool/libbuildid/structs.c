// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Structs from a program that was built for an older or a newer library.
 *
 * As with clone3(2), the size at the start of a struct is its version: fields that
 * the program does not have are 0, and fields that the library does not know must
 * be 0.
 */

#include <errno.h>
#include <string.h>

#include "internal.h"

/* No struct is that large: most likely the size was never set. */
#define SIZE_LIMIT 4096

int buildid_struct_copy_in(void *to, size_t known, const void *from, size_t min_size)
{
	const unsigned char *bytes = from;
	uint32_t size, i;

	memset(to, 0, known);
	if (!from)
		return 0;
	memcpy(&size, from, sizeof(size));
	if (size < min_size)
		return -EINVAL;
	if (size > SIZE_LIMIT)
		return -E2BIG;
	for (i = (uint32_t)known; i < size; i++)
		if (bytes[i])
			return -E2BIG;

	memcpy(to, from, size < known ? size : known);
	return 0;
}

int buildid_options_copy_in(struct buildid_options *to, const struct buildid_options *from)
{
	int err = buildid_struct_copy_in(to, sizeof(*to), from,
					 offsetofend(buildid_options, reserved));

	to->size = sizeof(*to);
	return !err && to->reserved ? -EINVAL : err;
}
