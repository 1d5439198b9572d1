/* SPDX-License-Identifier: GPL-2.0 */
/* Process facts: what a MMAP record says of its process, from /proc. */
#ifndef TOOL_PROCESS_FACTS_H
#define TOOL_PROCESS_FACTS_H

#include <stdbool.h>

#include "libbuildid/libbuildid.h"

/* The start time, uid and cgroup of @mmap's process. False when it is gone: 0, ~0U and 0. */
bool process_facts_read(struct buildid_mmap *mmap);

/* The name of a thread, with a NUL; "" when it is gone. */
void process_comm(uint32_t pid, uint32_t tid, uint8_t comm[16]);

#endif
