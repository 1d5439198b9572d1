// SPDX-License-Identifier: GPL-2.0
/* Device access: a member of the group has it from the next login on. */

#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device_access.h"
#include "libbuildid/libbuildid.h"

static bool has_group(gid_t gid)
{
	gid_t groups[1024];
	int i, count = getgroups(1024, groups);

	for (i = 0; i < count; i++)
		if (groups[i] == gid)
			return true;
	return getegid() == gid;
}

static bool is_member(const struct group *group, const char *user)
{
	int i;

	for (i = 0; group->gr_mem[i]; i++)
		if (!strcmp(group->gr_mem[i], user))
			return true;
	return false;
}

void device_access_remedy(char *text, size_t size)
{
	const struct passwd *user = getpwuid(getuid());
	const struct group *group;
	struct stat st;

	group = stat(BUILDID_DEVICE, &st) ? NULL : getgrgid(st.st_gid);
	if (!user || !group || !st.st_gid || (st.st_mode & 0060) != 0060 || has_group(st.st_gid))
		snprintf(text, size, "run as root");
	else if (is_member(group, user->pw_name))
		snprintf(text, size, "you are in group %s since your last login: log in again",
			 group->gr_name);
	else
		snprintf(text, size,
			 "run as root, or, for good: sudo usermod -aG %s %s, and log in again",
			 group->gr_name, user->pw_name);
}
