/* SPDX-License-Identifier: GPL-2.0 */
/* Child: a command that runs beside this program. */
#ifndef TOOL_CHILD_H
#define TOOL_CHILD_H

#include <sys/types.h>

/*
 * Start @command, with @output for standard output unless that is -1. Returns once
 * it is what runs, or it is known why not: 0 with @child set, or an errno.
 */
int child_start(char **command, int output, pid_t *child);

/* What a shell would give for the @status of waitpid(2). */
int child_status(int status);

#endif
