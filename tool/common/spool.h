/* SPDX-License-Identifier: GPL-2.0 */
/* Spool: files without a name, for what cannot be read or written twice. */
#ifndef TOOL_SPOOL_H
#define TOOL_SPOOL_H

#include <stdint.h>

/* A file in TMPDIR, else /tmp, open for reading and writing; -errno. */
int spool_open(void);
/* A file with all that comes from @fd, which is closed; -errno. */
int spool_replace(int fd);
/* All of @from, a file, to @to: 0 or -errno. */
int spool_copy(int from, int to);

#endif
