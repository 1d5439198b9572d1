/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moved code: programs copy their own code to anonymous memory or another file of no name, for
 * huge pages, and map that in its place. What it was is known by the rest of the file, which is
 * mapped around it still.
 */
#ifndef TOOL_MOVED_CODE_H
#define TOOL_MOVED_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct moved_code {
	uint64_t beside; /* an address where the file is mapped */
	uint64_t offset; /* of the code in the file */
};

/*
 * Of what process @pid executes at @addr. False when it is no copy of what the file beside it
 * has there, byte for byte around @addr, or its memory may not be read.
 */
bool moved_code_find(uint32_t pid, uint64_t addr, struct moved_code *moved);

#endif
