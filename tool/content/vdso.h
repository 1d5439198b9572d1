/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The vdso: an ELF file that the kernel maps into each process. It is in no filesystem, so it is
 * read from a process's memory.
 */
#ifndef TOOL_VDSO_H
#define TOOL_VDSO_H

#include "common/build_id.h"

/* Where process @pid has it, 0 for this one. False if it has none, or with EACCES. */
bool vdso_find(uint32_t pid, uint64_t *start, uint64_t *end);
/* A copy of that memory as a memfd, or -1. */
int vdso_copy(uint32_t pid, uint64_t start, uint64_t end);
/* Both at once. */
int vdso_open(uint32_t pid);
/* Of this process; all 64-bit processes share it. False if there is none. */
bool vdso_build_id(struct build_id *id);

#endif
