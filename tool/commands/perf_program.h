/* SPDX-License-Identifier: GPL-2.0 */
/* Perf program: what is to be done where it cannot be run. */
#ifndef TOOL_PERF_PROGRAM_H
#define TOOL_PERF_PROGRAM_H

#define PERF_PROGRAM_REMEDY "apt install linux-perf"

/* Of an errno of execvp(3): of @program, which is maybe perf. */
const char *perf_program_reason(const char *program, int error);

#endif
