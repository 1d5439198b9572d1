/* SPDX-License-Identifier: GPL-2.0 */
/* The running kernel: its build-id, and where its files may be. */
#ifndef TOOL_RUNNING_KERNEL_H
#define TOOL_RUNNING_KERNEL_H

#include "common/build_id.h"

/* False when it has none. */
bool running_kernel_build_id(struct build_id *id);
/* From a file of notes, as /sys has one for the kernel and one for each module. */
bool notes_build_id(const char *path, struct build_id *id);

/* A path where distributions install the ELF file, which the caller frees; NULL after the last. */
char *vmlinux_path(size_t index);
/* The same for the bootable file, which contains the compressed kernel. */
char *vmlinuz_path(size_t index);

#endif
