/* SPDX-License-Identifier: GPL-2.0 */
/* Kernel: the running kernel and its modules, and the files that have their contents. */
#ifndef TOOL_KERNEL_H
#define TOOL_KERNEL_H

#include <stdbool.h>

#include "common/build_id.h"
#include "common/output.h"

/* The name of the kernel in a perf.data, wherever its file is. */
#define KERNEL_NAME "[kernel.kallsyms]"

/*
 * Print a line for the kernel and for each module, the kernel first; those without a
 * build-id only with @all. False after an error was printed.
 */
bool kernel_list(struct output *out, bool kernel, bool modules, bool all);
/*
 * The path of a kernel image with this build-id, which the caller frees, or NULL. A vmlinux
 * contains the build-id; a bootable image is recognized by its version, for the running kernel
 * only.
 */
char *kernel_path(const struct build_id *id);

#endif
