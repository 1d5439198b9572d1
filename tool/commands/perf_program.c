// SPDX-License-Identifier: GPL-2.0
/* Perf program: other distributions call its package perf or linux-tools. */

#include <errno.h>
#include <string.h>

#include "perf_program.h"

const char *perf_program_reason(const char *program, int error)
{
	if (error == ENOENT && !strcmp(program, "perf"))
		return "not found in PATH; it is in Debian's linux-perf: " PERF_PROGRAM_REMEDY;
	return strerror(error);
}
