/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moved code: programs copy their own code to anonymous memory or an unnamed file, for huge pages,
 * and map that in its place. The rest of the file, which is still mapped around it, shows what it
 * was.
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
 * For code that process @pid executes at @addr. False if it is not a copy of the neighbouring
 * file's bytes there, compared around @addr, or its memory may not be read.
 */
bool moved_code_find(uint32_t pid, uint64_t addr, struct moved_code *moved);

#endif
