// SPDX-License-Identifier: GPL-2.0
/* Served device: by what mountinfo says of it. */

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "content/served_device.c"
#include "streams.h"

static const char *type_in(const char *text, unsigned int minor)
{
	static char line[256];

	strcpy(line, text);
	return type_of(line, 0, minor);
}

static void servers_are_told_by_type(void **state)
{
	static const char *const others[] = { "ext4", "btrfs", "overlay", "tmpfs", "xfs" };
	size_t i;

	(void)state;
	assert_true(is_served(type_in("36 35 0:52 / /mnt rw - fuse.sshfs x:/ rw\n", 52)));
	assert_true(is_served(type_in("36 35 0:52 / /a\\040- rw shared:1 - nfs4 x:/ rw\n", 52)));
	assert_null(type_in("36 35 0:52 / /mnt rw - fuse.sshfs x:/ rw\n", 53));
	for (i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(is_served(others[i]));
}

static void what_is_mounted_nowhere_may_be_served(void **state)
{
	struct stat status;

	(void)state;
	assert_int_equal(stat("/proc", &status), 0);
	assert_false(
		served_device_is((uint32_t)getpid(), major(status.st_dev), minor(status.st_dev)));
	assert_true(served_device_is((uint32_t)getpid(), 4095, 1048575));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(servers_are_told_by_type),
		cmocka_unit_test(what_is_mounted_nowhere_may_be_served),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
