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

#endif
