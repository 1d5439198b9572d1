/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Child: a command that runs beside this program, with its signals as the caller of
 * this program had them.
 */
#ifndef TOOL_CHILD_H
#define TOOL_CHILD_H

#include <sys/types.h>

/*
 * Start @command, found as execvp(3) finds it, with @output for standard output unless
 * that is -1. 0 with @child set once it runs, else an errno.
 */
int child_start(char **command, int output, pid_t *child);

/* The exit status that a shell gives for the @status of waitpid(2). */
int child_status(int status);

/*
 * End by the signal that ended a child, as whoever waits for us then knows, too. Returns
 * only if that signal does not end a process. Leaves no core.
 */
void child_end_alike(int number);

#endif
