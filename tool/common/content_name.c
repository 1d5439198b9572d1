// SPDX-License-Identifier: GPL-2.0
/* Content name: PATH@xxxxxxxx. */

#include <stdio.h>
#include <string.h>

#include "content_name.h"

static const char *suffix_of(const struct build_id *id, char suffix[BUILD_ID_TEXT + 1])
{
	suffix[0] = '@';
	build_id_text(id, suffix + 1);
	suffix[CONTENT_NAME_SUFFIX] = '\0';
	return suffix;
}

char *content_name(const char *path, const struct build_id *id)
{
	char suffix[BUILD_ID_TEXT + 1];
	char *name;

	return asprintf(&name, "%s%s", path, suffix_of(id, suffix)) < 0 ? NULL : name;
}

size_t content_name_path(const char *name, const struct build_id *id)
{
	char suffix[BUILD_ID_TEXT + 1];
	size_t length = strlen(name);
	size_t added = strlen(suffix_of(id, suffix));

	/* Without a path before it, it is a path itself. */
	if (!id->size || length <= added || strcmp(name + length - added, suffix) != 0)
		return length;
	return length - added;
}
