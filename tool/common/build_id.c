// SPDX-License-Identifier: GPL-2.0
/* Build-id: bytes, digits, equality. */

#include <string.h>

#include "build_id.h"
#include "hex.h"

bool build_id_set(struct build_id *id, const void *bytes, size_t size)
{
	if (!size || size > sizeof(id->bytes))
		return false;
	id->size = size;
	memcpy(id->bytes, bytes, size);
	return true;
}

bool build_id_parse(struct build_id *id, const char *text)
{
	size_t length = strlen(text);
	size_t i;

	id->size = 0;
	if (!length || length % 2 || length / 2 > sizeof(id->bytes))
		return false;
	for (i = 0; i < length; i += 2) {
		int high = hex_digit(text[i]);
		int low = hex_digit(text[i + 1]);

		if (high < 0 || low < 0)
			return false;
		id->bytes[i / 2] = (uint8_t)(high << 4 | low);
	}
	id->size = length / 2;
	return true;
}

const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT])
{
	return hex_format(text, id->bytes, id->size);
}

bool build_id_equal(const struct build_id *one, const struct build_id *other)
{
	return one->size == other->size && !memcmp(one->bytes, other->bytes, one->size);
}
