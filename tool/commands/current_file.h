/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Current file: what the path of a mapping leads to now, in the root directory and the
 * mount namespace of the process that has the mapping.
 *
 * The path, and whatever lies behind it, may be another user's: nothing but regular files
 * is opened, no symbolic link leads out of the process's root, and a server that does not
 * answer is given up after some seconds. Each path of each root is looked up once, however
 * many processes have it mapped.
 */
#ifndef TOOL_CURRENT_FILE_H
#define TOOL_CURRENT_FILE_H

#include <stdbool.h>

#include "common/build_id.h"
#include "libbuildid/libbuildid.h"
#include "lookup.h"

enum current_state {
	CURRENT_SAME,	 /* the content that is mapped */
	CURRENT_OTHER,	 /* another content */
	CURRENT_GONE,	 /* there is no file any more */
	CURRENT_UNKNOWN, /* it could not be looked up, or has no identity */
	CURRENT_UNSURE,	 /* it has the same identity, and its bytes could not be compared */
};

/**
 * struct current_file - the file at a path now
 * @identity: valid with CURRENT_OTHER; that of what is mapped, where only the bytes differ
 * @ctime: since when it is there, nanoseconds since the epoch; with CURRENT_OTHER
 * @file_id: as in struct buildid_file; with CURRENT_OTHER
 */
struct current_file {
	struct identity identity;
	int64_t ctime;
	uint64_t file_id;
};

struct current_files;

/* NULL only without memory. What is at a path is identified as @source does it. */
struct current_files *current_files_new(const struct source *source);
void current_files_free(struct current_files *files);

/*
 * Go on with process @pid, whose root all that follows is looked up in. False with errno
 * when that may not be seen, or the process is gone.
 */
bool current_files_enter(struct current_files *files, uint32_t pid);

/*
 * What the path of the file of @mapped, which is of the process entered, leads to; @now is
 * set, valid until the next call.
 */
enum current_state current_files_find(struct current_files *files,
				      const struct mapped_place *mapped,
				      const struct current_file **now);

#endif
