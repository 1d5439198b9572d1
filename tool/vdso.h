/* SPDX-License-Identifier: GPL-2.0 */
/* vDSO: the kernel's code in every process. */
#ifndef TOOL_VDSO_H
#define TOOL_VDSO_H

#include <stddef.h>
#include <stdint.h>

/* The build-id of this process's, as any of 64 bits has it; its size, or 0. */
size_t vdso_build_id(uint8_t *id, size_t room);

#endif
