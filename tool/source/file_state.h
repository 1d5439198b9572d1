/* SPDX-License-Identifier: GPL-2.0 */
/*
 * File state: what the module's FILE record says of a file, found without the module: its version
 * by stat(2), its identity by reading it.
 */
#ifndef TOOL_FILE_STATE_H
#define TOOL_FILE_STATE_H

#include <stdint.h>
#include <sys/stat.h>

#include "common/build_id.h"

/**
 * struct file_state - a version of a file
 * @identity: or the reason why there is none
 * @major: of its device, with all below as in struct buildid_file; all 0 where it is not known
 */
struct file_state {
	struct identity identity;
	uint32_t major, minor;
	uint64_t ino;
	int64_t ctime, mtime;
	uint64_t size;
};

/* Its version alone. */
void file_state_set(struct file_state *state, const struct stat *stat_);

/* Of the file at @fd, open for reading. */
void file_state_read(struct file_state *state, int fd);

#endif
