/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Child: runs a command, with the signal dispositions that this program was started with.
 */
#ifndef TOOL_CHILD_H
#define TOOL_CHILD_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Start @command, found as by execvp(3), with @output as standard output unless that is -1. 0 with
 * @child set once it runs, else an errno.
 */
int child_start(char **command, int output, pid_t *child);

#define CHILD_OUTPUT_MAX (1U << 20)
/* For a program that has nothing to wait for. */
#define CHILD_TIMEOUT_MS 10000

/*
 * What @command writes to standard output, with a NUL behind it; free() it. Its messages are
 * dropped, and its exit status is not looked at. NULL with errno: of child_start(), ETIMEDOUT, or
 * EFBIG if it is more than CHILD_OUTPUT_MAX. @size: without the NUL.
 */
char *child_output(char **command, int timeout_ms, size_t *size);

/* The exit status that a shell reports for the @status of waitpid(2). */
int child_status(int status);

/*
 * End by the signal that ended a child, so that our parent sees it, too. Returns only if that
 * signal does not terminate a process. Leaves no core.
 */
void child_end_alike(int number);

#endif
