/* SPDX-License-Identifier: GPL-2.0 */
/* Kernel: the running one and its modules, and the files they are of. */
#ifndef TOOL_KERNEL_H
#define TOOL_KERNEL_H

#include <stdbool.h>

#include "common/build_id.h"
#include "common/output.h"

/* What perf calls the kernel, wherever its file is. */
#define KERNEL_NAME "[kernel.kallsyms]"

/*
 * A line for the kernel and for each module, the kernel first; those without a
 * build-id only if @all. False after it was told why.
 */
bool kernel_list(struct output *out, bool kernel, bool modules, bool all);
/*
 * A file of the kernel with this build-id, to be freed, or NULL: where it is unpacked
 * the file says so itself, one to be booted is known for the running kernel only.
 */
char *kernel_path(const struct build_id *id);

#endif
