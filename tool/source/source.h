/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Source: from where it is known what processes have mapped: the module, or without it what the
 * core kernel tells: /proc, and perf's records. Whoever reads records of it need not know which.
 */
#ifndef TOOL_SOURCE_H
#define TOOL_SOURCE_H

#include <stdbool.h>

#include "libbuildid/libbuildid.h"

enum source_kind {
	SOURCE_BEST, /* the module, if it is loaded and may be asked */
	SOURCE_MODULE,
	SOURCE_PERF, /* without it */
};

struct source;

/*
 * 0 or a negative errno, of buildid_open(). Of SOURCE_BEST no other than -EPROTONOSUPPORT, which is
 * to be repaired, and -ENOMEM.
 */
int source_open(struct source **source, enum source_kind kind);
void source_close(struct source *source);

/* NULL without the module: then source_problem() is why it was not opened, 0 when not wanted. */
struct buildid *source_module(const struct source *source);
int source_problem(const struct source *source);

/* What to do about @error of it, as buildid_advice(). */
const char *source_advice(const struct source *source, int error);

/* As buildid_resolve_fd(). */
int source_resolve_fd(struct source *source, int fd, uint64_t record[], size_t size,
		      const struct buildid_file **file);

/*
 * As buildid_subscribe(), of the module; without it as perf_stream_open(). 0 or a negative errno.
 * The stream is to be closed before its source.
 */
struct source_stream;

int source_stream_open(struct source_stream **stream, struct source *source,
		       const struct buildid_options *options);
void source_stream_close(struct source_stream *stream);
int source_stream_fd(const struct source_stream *stream);
/* As buildid_next(), does not wait. */
int source_stream_next(struct source_stream *stream, const struct buildid_record **record);
/*
 * No more from now on: perf's records come late, and those that are left, with what was lost at the
 * end, are followed by -ENODATA. The module's end where they are: -ENODATA at once.
 */
void source_stream_stop(struct source_stream *stream);
/* After that: whether all that was lost has been in a record. */
bool source_stream_losses_known(const struct source_stream *stream);

/* As struct buildid_snapshot, for processes that are there. */
struct source_snapshot;

int source_snapshot_new(struct source_snapshot **snapshot, struct source *source,
			const struct buildid_options *options);
/* As buildid_snapshot_history(), of all; without the module nothing is remembered. */
int source_snapshot_history(struct source_snapshot **snapshot, struct source *source);
int source_snapshot_next(struct source_snapshot *snapshot, const struct buildid_record **record);
size_t source_snapshot_processes(const struct source_snapshot *snapshot);
void source_snapshot_free(struct source_snapshot *snapshot);

#endif
