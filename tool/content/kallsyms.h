/* SPDX-License-Identifier: GPL-2.0 */
/* Kallsyms: the functions of the running kernel and its modules, by address. */
#ifndef TOOL_KALLSYMS_H
#define TOOL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/reason.h"

struct kallsym {
	uint64_t start;
	bool code;
	char *name;
	char *module; /* NULL for the kernel itself */
};

struct kallsyms;

/* From /proc/kallsyms; NULL with @reason, e.g. if it hides addresses. */
struct kallsyms *kallsyms_new(struct reason *reason);
/* The function that has @address, or NULL. */
const struct kallsym *kallsyms_find(const struct kallsyms *symbols, uint64_t address);
void kallsyms_free(struct kallsyms *symbols);

#endif
