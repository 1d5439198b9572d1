/* SPDX-License-Identifier: GPL-2.0 */
/*
 * File record: a FILE record of libbuildid that is made here, and so has what is not known without
 * the module as 0: generation, change counter and tree, whether the file is open for writing.
 */
#ifndef TOOL_FILE_RECORD_H
#define TOOL_FILE_RECORD_H

#include "file_state.h"
#include "libbuildid/libbuildid.h"

#define FILE_RECORD_WORDS (BUILDID_RECORD_MAX / sizeof(uint64_t))

/* At @record, with @path unless that is NULL or too long; the rest of the fields is the caller's. */
struct buildid_file *file_record_make(uint64_t record[FILE_RECORD_WORDS],
				      const struct file_state *state, const char *path);

/*
 * Of the file at @fd, open for reading, in place of buildid_resolve_fd(): its file_id is 0, as of
 * what the module does not keep. 0 or a negative errno.
 */
int file_record_of(int fd, uint64_t record[FILE_RECORD_WORDS]);

#endif
