/* SPDX-License-Identifier: GPL-2.0 */
/* Kallsyms: the functions of the running kernel and its modules, by address. */
#ifndef TOOL_KALLSYMS_H
#define TOOL_KALLSYMS_H

#include "common/reason.h"
#include <stddef.h>
#include <stdint.h>

struct kallsym {
	uint64_t start;
	char *name;
	char *module; /* NULL for the kernel itself */
};

struct kallsyms;

/* From /proc/kallsyms; NULL with @reason, as when it shows no addresses. */
struct kallsyms *kallsyms_new(struct reason *reason);
/* The last symbol that is not after @address, or NULL. */
const struct kallsym *kallsyms_find(const struct kallsyms *symbols, uint64_t address);
void kallsyms_free(struct kallsyms *symbols);

#endif
