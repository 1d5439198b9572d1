/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where an annotated perf.data goes: to its place when it is whole. A directory is
 * beside that until then, a file is a temporary.
 *
 *	struct perfdata_writer *output = perfdata_writer_new(data, path);
 *
 *	perfdata_writer_stream(output, 0);
 *	perfdata_writer_put(output, bytes, size);
 *	...
 *	perfdata_writer_commit(output);
 *	perfdata_writer_free(output);
 *
 * Functions return 0, or -1 with an error of the perf.data.
 */
#ifndef TOOL_PERFDATA_WRITER_H
#define TOOL_PERFDATA_WRITER_H

#include "file.h"

struct perfdata_writer;

/* NULL with an error of @data. @path as for perfdata_rewrite(). */
struct perfdata_writer *perfdata_writer_new(struct perfdata *data, const char *path);
/* What was not committed is gone. */
void perfdata_writer_free(struct perfdata_writer *output);

/* What comes next is of stream @number; each at most once, but for the first. */
int perfdata_writer_stream(struct perfdata_writer *output, size_t number);
int perfdata_writer_put(struct perfdata_writer *output, const void *bytes, size_t size);
/* Bytes written of the stream so far. */
uint64_t perfdata_writer_offset(const struct perfdata_writer *output);
/* Other bytes in place of those of stream @number at @offset. */
int perfdata_writer_patch(struct perfdata_writer *output, size_t number, const void *bytes,
			  size_t size, uint64_t offset);
int perfdata_writer_copy(struct perfdata_writer *output, uint64_t from, uint64_t size);

/* Put it in its place. */
int perfdata_writer_commit(struct perfdata_writer *output);

#endif
