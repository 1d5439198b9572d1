// SPDX-License-Identifier: GPL-2.0
/*
 * usage: spawn [-c DISK] ROOT COUNT PROGRAM [ARG...]
 *
 * Prints what each of COUNT runs of PROGRAM below ROOT costs, fork to exit, in
 * instructions; with -c from a cold page cache, and how many reads of DISK it takes.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

static int drop_caches = -1, disk_stat = -1;

static void open_disk(const char *disk)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/block/%s/stat", disk);
	disk_stat = open(path, O_RDONLY | O_CLOEXEC);
	drop_caches = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
	if (disk_stat < 0 || drop_caches < 0)
		die("%s", path);
}

/* The first number of its line. */
static uint64_t reads_of_disk(void)
{
	char text[32] = "";

	if (pread(disk_stat, text, sizeof(text) - 1, 0) < 1)
		die("reads of the disk");
	return strtoull(text, NULL, 10);
}

static uint64_t spawn(char **args)
{
	static char *env[] = { NULL };
	uint64_t start = counter();
	int status;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		execve(*args, args, env);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		die("%s", *args);
	return counter() - start;
}

static void spawn_cold(char **args)
{
	uint64_t reads, taken;

	sync();
	if (pwrite(drop_caches, "3", 1, 0) != 1)
		die("drop_caches");
	settle();
	reads = reads_of_disk();
	taken = spawn(args);
	printf("%" PRIu64 " %" PRIu64 "\n", taken, reads_of_disk() - reads);
}

int main(int argc, char **argv)
{
	long n;

	if (argc > 2 && !strcmp(argv[1], "-c")) {
		open_disk(argv[2]);
		argv += 2;
		argc -= 2;
	}
	if (argc < 4)
		return 2;
	/* where things end up in memory must not vary */
	personality(ADDR_NO_RANDOMIZE);
	if (chroot(argv[1]) || chdir("/"))
		die("%s", argv[1]);
	for (n = atol(argv[2]); n; n--) {
		if (disk_stat >= 0) {
			spawn_cold(argv + 3);
			continue;
		}
		settle();
		printf("%" PRIu64 "\n", spawn(argv + 3));
	}
	return 0;
}
