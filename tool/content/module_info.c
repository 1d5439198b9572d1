// SPDX-License-Identifier: GPL-2.0
/* Module info: by modinfo(8), which reads signed and compressed files. */

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/child.h"
#include "module_info.h"

/* "1A:2B:3C", in lines of 20 numbers. */
static void take_serial(struct module_info *info, const char *value)
{
	size_t used = 0;

	for (; *value && used < sizeof(info->serial) - 1; value++)
		if (isxdigit((unsigned char)*value) || *value == ':')
			info->serial[used++] = (char)tolower((unsigned char)*value);
	info->serial[used] = '\0';
}

static void module_info_take(struct module_info *info, const char *key, const char *value)
{
	if (!strcmp(key, "version"))
		snprintf(info->version, sizeof(info->version), "%s", value);
	else if (!strcmp(key, "srcversion"))
		snprintf(info->source_version, sizeof(info->source_version), "%s", value);
	else if (!strcmp(key, "vermagic"))
		snprintf(info->release, sizeof(info->release), "%.*s", (int)strcspn(value, " "),
			 value);
	else if (!strcmp(key, "signer"))
		snprintf(info->signer, sizeof(info->signer), "%s", value);
	else if (!strcmp(key, "sig_key"))
		take_serial(info, value);
	else if (!strcmp(key, "sig_id"))
		info->is_signed = true;
}

/* Users do not have the directories of root's programs in PATH. */
static char *modinfo(const char *path, size_t *size)
{
	char names[][32] = { "modinfo", "/usr/sbin/modinfo", "/sbin/modinfo" };
	char separator[] = "-0", *text = NULL;
	size_t i;

	for (i = 0; !text && i < ARRAY_SIZE(names) && (!i || errno == ENOENT); i++)
		text = child_output((char *[]){ names[i], separator, (char *)(uintptr_t)path,
						NULL },
				    CHILD_TIMEOUT_MS, size);
	return text;
}

bool module_info_read(const char *path, struct module_info *info, struct reason *reason)
{
	char *text, *line, *value;
	size_t size;

	*info = (struct module_info){};
	text = modinfo(path, &size);
	if (!text && errno == ENOENT)
		return reason_set(reason, "modinfo is not installed (package kmod)");
	if (!text)
		return reason_set(reason, "modinfo: %s", strerror(errno));
	for (line = text; line < text + size; line += strlen(line) + 1) {
		value = line + strcspn(line, "=");
		if (!*value)
			continue;
		*value++ = '\0';
		module_info_take(info, line, value);
		line = value;
	}
	free(text);
	return *info->release || reason_set(reason, "modinfo does not find a module in it");
}
