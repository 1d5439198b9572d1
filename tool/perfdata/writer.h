/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writer: the output of a rewrite. It gets its final name only once it is complete and on disk, so
 * that the input, which may have the same name, is never lost. A file is a temporary file until
 * then; a directory is written beside its final place, with hard links to what does not change, and
 * exchanged with what is there. All of that is relative to a directory that is opened once, as its
 * owner may replace it meanwhile.
 *
 * A replacement has the owner, mode and attributes of what it replaces; a new output is ours, with
 * the mode of the input under the umask.
 *
 *	struct perfdata_writer *output = perfdata_writer_new(data, path);
 *
 *	perfdata_writer_stream(output, 0);
 *	perfdata_writer_put(output, bytes, size);
 *	...
 *	perfdata_writer_finish(output);
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
/* Removes an output that was not committed. */
void perfdata_writer_free(struct perfdata_writer *output);

/* Continue with stream @number: each at most once, except the first. */
int perfdata_writer_stream(struct perfdata_writer *output, size_t number);
int perfdata_writer_put(struct perfdata_writer *output, const void *bytes, size_t size);
/* Bytes written to the stream so far. */
uint64_t perfdata_writer_offset(const struct perfdata_writer *output);
/* Overwrite bytes of stream @number at @offset. */
int perfdata_writer_patch(struct perfdata_writer *output, size_t number, const void *bytes,
			  size_t size, uint64_t offset);
/* Append bytes of the input's stream with that number, in the kernel if possible. */
int perfdata_writer_copy(struct perfdata_writer *output, uint64_t from, uint64_t size);

/* Sync everything to disk, which may take long. */
int perfdata_writer_finish(struct perfdata_writer *output);
/* Give it its final name. */
int perfdata_writer_commit(struct perfdata_writer *output);

#endif
