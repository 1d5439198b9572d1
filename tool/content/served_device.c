// SPDX-License-Identifier: GPL-2.0
/* Served device: by /proc/PID/mountinfo. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "served_device.h"

/* FUSE types have a subtype after a dot, or are fuseblk and fusectl. */
static bool is_served(const char *type)
{
	static const char *const types[] = { "fuse", "nfs",  "cifs", "smb",  "9p",	"ceph",
					     "afs",  "coda", "gfs2", "ocfs", "orangefs" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (!strncmp(type, types[i], strlen(types[i])))
			return true;
	return false;
}

/* "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS FIELD... - TYPE SOURCE OPTIONS" */
static const char *type_of(char *line, unsigned int major, unsigned int minor)
{
	unsigned int its_major, its_minor;
	char *type;

	if (sscanf(line, "%*u %*u %u:%u ", &its_major, &its_minor) != 2 || its_major != major ||
	    its_minor != minor || !(type = strstr(line, " - ")))
		return NULL;
	type += strlen(" - ");
	type[strcspn(type, " \n")] = '\0';
	return type;
}

/* Whether it is mounted there; if so, sets the two. */
static bool served_device_find(const char *mounts, unsigned int major, unsigned int minor,
			       bool *served, bool *overlay)
{
	FILE *file = fopen(mounts, "re");
	const char *type = NULL;
	char *line = NULL;
	size_t room = 0;

	while (file && !type && getline(&line, &room, file) > 0)
		type = type_of(line, major, minor);
	if (type) {
		*served = is_served(type);
		*overlay = !strcmp(type, "overlay");
	}
	free(line);
	if (file)
		fclose(file);
	return type;
}

static bool find_of_process(uint32_t pid, unsigned int major, unsigned int minor, bool *served,
			    bool *overlay)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/mountinfo", pid);
	return served_device_find(path, major, minor, served, overlay);
}

bool served_device_is(uint32_t pid, unsigned int major, unsigned int minor)
{
	bool served = true, overlay = false;

	if (served_device_find("/proc/self/mountinfo", major, minor, &served, &overlay))
		return served;
	find_of_process(pid, major, minor, &served, &overlay);
	return served || overlay;
}

bool served_device_is_overlay(uint32_t pid, unsigned int major, unsigned int minor)
{
	bool served, overlay;

	return find_of_process(pid, major, minor, &served, &overlay) && overlay;
}
