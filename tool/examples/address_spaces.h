/* SPDX-License-Identifier: GPL-2.0 */
/* Address spaces: what is mapped where in each process, as events are replayed. */
#ifndef EXAMPLES_ADDRESS_SPACES_H
#define EXAMPLES_ADDRESS_SPACES_H

#include <stddef.h>
#include <stdint.h>

/* In place of a pid: the kernel's part, which all processes share. */
#define ADDRESS_SPACE_KERNEL UINT32_MAX

struct range {
	uint64_t start;
	uint64_t end;
	size_t mapping; /* the caller's index */
};

/* These exit when memory runs out. */
void address_space_map(uint32_t pid, const struct range *range);
void address_space_fork(uint32_t pid, uint32_t parent);
void address_space_exec(uint32_t pid);
/* What was mapped there last; NULL when nothing is known of it. */
const struct range *address_space_find(uint32_t pid, uint64_t address);

#endif
