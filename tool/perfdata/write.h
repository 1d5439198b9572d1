/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where an annotated perf.data goes: to its place when it is whole. A directory is
 * beside that until then, a file is a temporary.
 *
 *	struct perfdata_output *output = perfdata_output_new(data, path);
 *
 *	perfdata_output_stream(output, 0);
 *	perfdata_output_put(output, bytes, size);
 *	...
 *	perfdata_output_commit(output);
 *	perfdata_output_free(output);
 *
 * Functions return 0, or -1 with a problem of the perf.data.
 */
#ifndef TOOL_PERFDATA_OUTPUT_H
#define TOOL_PERFDATA_OUTPUT_H

#include "file.h"

struct perfdata_output;

/* NULL with a problem of @data. @path as for perfdata_write(). */
struct perfdata_output *perfdata_output_new(struct perfdata *data, const char *path);
/* What was not committed is gone. */
void perfdata_output_free(struct perfdata_output *output);

/* What comes next is of stream @number; each at most once, but for the first. */
int perfdata_output_stream(struct perfdata_output *output, size_t number);
int perfdata_output_put(struct perfdata_output *output, const void *bytes, size_t size);
/* Bytes written of the stream so far. */
uint64_t perfdata_output_offset(const struct perfdata_output *output);
/* Other bytes in place of those of stream @number at @offset. */
int perfdata_output_patch(struct perfdata_output *output, size_t number, const void *bytes,
			  size_t size, uint64_t offset);
int perfdata_output_copy(struct perfdata_output *output, uint64_t from, uint64_t size);

/* Put it in its place. */
int perfdata_output_commit(struct perfdata_output *output);

#endif
