/* SPDX-License-Identifier: GPL-2.0 */
/* Process operand: a pid on the command line. */
#ifndef TOOL_PROCESS_OPERAND_H
#define TOOL_PROCESS_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

bool process_operand(const char *text, uint32_t *pid);
/* Ends the process with a usage error unless all of @operands are pids. */
void process_operands_check(char *const *operands);
/* Why process @pid, whose mappings were asked for, has none. */
const char *process_operand_missing(uint32_t pid);

#endif
