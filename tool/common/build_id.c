// SPDX-License-Identifier: GPL-2.0
/* Build-id: set, parsed, printed, compared. */

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
	ssize_t size = hex_parse(id->bytes, sizeof(id->bytes), text);

	id->size = size > 0 ? (size_t)size : 0;
	return id->size;
}

const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT])
{
	return hex_format(text, id->bytes, id->size);
}

bool build_id_is_blank(const struct build_id *id)
{
	size_t i;

	for (i = 0; i < id->size; i++)
		if (id->bytes[i])
			return false;
	return true;
}

bool build_id_equal(const struct build_id *one, const struct build_id *other)
{
	return one->size == other->size && !memcmp(one->bytes, other->bytes, one->size);
}
