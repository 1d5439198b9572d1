/* SPDX-License-Identifier: GPL-2.0 */
/* Location names: the functions of a recording's places, each by the file of its own content. */
#ifndef TOOL_LOCATION_NAMES_H
#define TOOL_LOCATION_NAMES_H

#include "content_files.h"
#include "stacks.h"

/* What could not be named, and why. */
struct location_losses {
	uint64_t unmapped; /* places where nothing is known to have been mapped */
	uint64_t unfound;  /* places in contents without a file */
	uint64_t unnamed;  /* places in files that name no function there */
	uint64_t unread;   /* places in files whose reader ended before, see symbols.h */
	size_t files;	   /* contents without a file */
};

/* All of @stacks, which is merged then. False without memory. */
bool location_names_find(struct stacks *stacks, struct content_files *files,
			 struct location_losses *losses);

#endif
