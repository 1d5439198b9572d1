/* SPDX-License-Identifier: GPL-2.0 */
/* Spaces: what is mapped where in each process, as time goes by. */
#ifndef EXAMPLES_SPACES_H
#define EXAMPLES_SPACES_H

#include <stddef.h>
#include <stdint.h>

/* Everybody's, in place of a pid. */
#define SPACES_KERNEL UINT32_MAX

struct range {
	uint64_t start;
	uint64_t end;
	size_t mapping; /* whatever the caller counts by */
};

/* Without memory they end the program. */
void spaces_map(uint32_t pid, const struct range *range);
void spaces_fork(uint32_t pid, uint32_t parent);
void spaces_exec(uint32_t pid);
/* What was mapped there last, NULL for nothing known. */
const struct range *spaces_find(uint32_t pid, uint64_t address);

#endif
