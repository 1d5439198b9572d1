/* SPDX-License-Identifier: GPL-2.0 */
/* Maps query: PROCMAP_QUERY of Linux 6.11 and later, which need not open a file to identify it. */
#ifndef TOOL_MAPS_QUERY_H
#define TOOL_MAPS_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/build_id.h"

/**
 * struct maps_query_file - the file of a mapping, as /proc/PID/maps shows it
 */
struct maps_query_file {
	uint32_t major, minor;
	uint64_t ino;
};

/*
 * The GNU build-id of what process @pid has mapped at @addr, if that is @file; false when it is not
 * known: on older kernels, without the right to read /proc/PID/maps, and where the kernel finds
 * none, as of more than 20 bytes. The kernel may read the file for it, and the address space
 * is locked meanwhile: not for files of a server.
 */
bool maps_query_build_id(uint32_t pid, uint64_t addr, const struct maps_query_file *file,
			 struct build_id *id);

#endif
