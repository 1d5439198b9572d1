/* SPDX-License-Identifier: GPL-2.0 */
/* Process operand: processes on the command line, by number or by name. */
#ifndef TOOL_PROCESS_OPERAND_H
#define TOOL_PROCESS_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/output.h"
#include "filter.h"

/* @called: found by a name, so that it is no error if it has gone since. */
struct listed_process {
	uint32_t pid;
	bool called;
};

struct process_list {
	struct listed_process *all;
	size_t count;
	bool failed; /* something named no process, which was reported */
};

/*
 * Those of --pid, then those of each operand: a pid, or the name of all processes that are called
 * so now. What is a number and no pid ends the process with a usage error.
 */
void process_operands(struct process_list *list, struct output *out, const struct filter *filter,
		      char *const *operands);
void process_list_free(struct process_list *list);

/* Why process @pid, whose mappings were asked for, has none. */
const char *process_operand_missing(uint32_t pid);

#endif
