/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Perf stream: the records of buildid_next(), made of perf's.
 *
 * A mapping has what perf says of it: a path, and the build-id that the kernel found when it was
 * made, if it has 20 bytes or less and its page was in memory. With a build-id perf has no inode,
 * without one no reason; it has no versions of files, no cookies, no modules of the kernel. The
 * process's name is that of the record. The rest is read from /proc, and is unknown for a process
 * that is gone by then. time_mono is off by what perf's clock drifts in a second.
 */
#ifndef TOOL_PERF_STREAM_H
#define TOOL_PERF_STREAM_H

#include "libbuildid/libbuildid.h"

struct perf_stream;

/*
 * Of @options pids, ring_size, BUILDID_SUB_DATA, _PATH, _KERNEL (of which no modules come) and
 * _CHILDREN (for what is forked from now on) count; others are not to be given. 0 or a negative
 * errno, as of perf_rings_open().
 */
int perf_stream_open(struct perf_stream **stream, const struct buildid_options *options);
void perf_stream_close(struct perf_stream *stream);
/* By what perf's clock is ahead of CLOCK_MONOTONIC. */
int64_t perf_stream_ahead(const struct perf_stream *stream);
int perf_stream_fd(const struct perf_stream *stream);
/* Then perf_stream_next() returns -ENODATA behind the last record. */
void perf_stream_stop(struct perf_stream *stream);
/* Whether all that was lost has been in a LOST record; before Linux 6.0 that is not known. */
bool perf_stream_losses_known(const struct perf_stream *stream);
/* Does not wait: 0, -EAGAIN or -ENODATA. FILE before its MMAP, MMAP and LOST. */
int perf_stream_next(struct perf_stream *stream, const struct buildid_record **record);

#endif
