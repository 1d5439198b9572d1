// SPDX-License-Identifier: GPL-2.0
/*
 * usage: spawn ROOT COUNT PROGRAM
 *
 * Prints what each of COUNT runs of PROGRAM below ROOT costs, fork to exit, in
 * instructions.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

static uint64_t spawn(char *program)
{
	static char *env[] = { NULL };
	uint64_t start = counter();
	int status;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		execve(program, (char *[]){ program, NULL }, env);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		die("%s", program);
	return counter() - start;
}

int main(int argc, char **argv)
{
	long n;

	if (argc != 4)
		return 2;
	/* where things end up in memory must not vary */
	personality(ADDR_NO_RANDOMIZE);
	if (chroot(argv[1]) || chdir("/"))
		die("%s", argv[1]);
	for (n = atol(argv[2]); n; n--) {
		settle();
		printf("%" PRIu64 "\n", spawn(argv[3]));
	}
	return 0;
}
