/* SPDX-License-Identifier: GPL-2.0 */
/* Restart plan: what has to be restarted for stale processes, and in which order. */
#ifndef TOOL_RESTART_PLAN_H
#define TOOL_RESTART_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/output.h"

struct restart_step;

struct restart_plan {
	struct restart_step *steps;
	size_t count;
	uint32_t last; /* process, which comes once for each of its files */
};

/* A stale process; false without memory. */
bool restart_plan_add(struct restart_plan *plan, uint32_t pid, uint32_t uid, const char *comm);
/* Services by name, for systemctl restart. Returns how many processes are in none of them. */
size_t restart_plan_units(struct restart_plan *plan, struct output *out);
/* All of it, in order. */
void restart_plan_show(struct restart_plan *plan, struct output *out);
void restart_plan_free(struct restart_plan *plan);

#endif
