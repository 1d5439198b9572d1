// SPDX-License-Identifier: GPL-2.0
/* Process operand: what maps and stale take. */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "common/arguments.h"
#include "process_operand.h"

bool process_operand(const char *text, uint32_t *pid)
{
	uint64_t number;

	if (!args_number(text, &number) || !number || number > INT32_MAX)
		return false;
	*pid = (uint32_t)number;
	return true;
}

void process_operands_check(char *const *operands)
{
	uint32_t pid;

	for (; *operands; operands++)
		if (!process_operand(*operands, &pid))
			args_error(*operands, "not a process id");
}

const char *process_operand_missing(uint32_t pid)
{
	if (!kill((pid_t)pid, 0) || errno != ESRCH)
		return "has no memory of its own: a kernel thread, or exiting";
	return strerror(ESRCH);
}
