// SPDX-License-Identifier: GPL-2.0
/* Source: to libbuildid, or to this room. */

#include <errno.h>
#include <stdlib.h>

#include "file_record.h"
#include "mapped_state.h"
#include "perf_stream.h"
#include "process_snapshot.h"
#include "source.h"

struct source {
	struct buildid *module;
	int problem;
	struct process_files files;
};

/* One of these; the module's is the source's. */
struct source_stream {
	bool stopped;
	struct buildid *module;
	struct perf_stream *perf;
};

struct source_snapshot {
	struct buildid_snapshot *module;
	struct process_snapshot *processes;
};

static bool may_do_without(enum source_kind kind, int error)
{
	return kind == SOURCE_PERF ||
	       (kind == SOURCE_BEST && (error == -ENODEV || error == -EACCES));
}

int source_open(struct source **source, enum source_kind kind)
{
	struct source *new = calloc(1, sizeof(*new));
	int err = kind == SOURCE_PERF ? 0 : new ? buildid_open(&new->module) : -ENOMEM;

	*source = NULL;
	if (!new)
		return -ENOMEM;
	if (err && !may_do_without(kind, err)) {
		free(new);
		return err;
	}
	new->problem = err;
	new->files.worker = mapped_state_worker();
	*source = new;
	return 0;
}

void source_close(struct source *source)
{
	if (!source)
		return;
	buildid_close(source->module);
	process_files_free(&source->files);
	free(source);
}

struct buildid *source_module(const struct source *source)
{
	return source->module;
}

int source_problem(const struct source *source)
{
	return source->problem;
}

const char *source_advice(const struct source *source, int error)
{
	if (source && !source->module && error == -EPERM)
		return "run as root, or with CAP_SYS_PTRACE and CAP_CHECKPOINT_RESTORE";
	return buildid_advice(error);
}

int source_resolve_fd(struct source *source, int fd, uint64_t record[], size_t size,
		      const struct buildid_file **file)
{
	if (source->module)
		return buildid_resolve_fd(source->module, fd, record, size, file);
	if (size < BUILDID_RECORD_MAX)
		return -ENOSPC;
	*file = (const void *)record;
	return file_record_of(fd, record);
}

/* ---------------------------------------------------------------- stream -- */

int source_stream_open(struct source_stream **stream, struct source *source,
		       const struct buildid_options *options)
{
	struct source_stream *new = calloc(1, sizeof(*new));
	int err;

	*stream = NULL;
	if (!new)
		return -ENOMEM;
	new->module = source->module;
	err = new->module ? buildid_subscribe(new->module, options) :
			    perf_stream_open(&new->perf, options);
	if (err) {
		free(new);
		return err;
	}
	if (new->perf)
		source->files.perf_ahead = perf_stream_ahead(new->perf);
	*stream = new;
	return 0;
}

void source_stream_close(struct source_stream *stream)
{
	if (!stream)
		return;
	perf_stream_close(stream->perf);
	free(stream);
}

int source_stream_fd(const struct source_stream *stream)
{
	return stream->perf ? perf_stream_fd(stream->perf) : buildid_fd(stream->module);
}

int source_stream_next(struct source_stream *stream, const struct buildid_record **record)
{
	if (stream->perf)
		return perf_stream_next(stream->perf, record);
	return stream->stopped ? -ENODATA : buildid_next(stream->module, 0, record);
}

void source_stream_stop(struct source_stream *stream)
{
	stream->stopped = true;
	if (stream->perf)
		perf_stream_stop(stream->perf);
}

bool source_stream_losses_known(const struct source_stream *stream)
{
	return !stream->perf || perf_stream_losses_known(stream->perf);
}

/* -------------------------------------------------------------- snapshot -- */

int source_snapshot_new(struct source_snapshot **snapshot, struct source *source,
			const struct buildid_options *options)
{
	struct source_snapshot *new = calloc(1, sizeof(*new));
	int err;

	*snapshot = NULL;
	if (!new)
		return -ENOMEM;
	if (source->module)
		err = buildid_snapshot_new(&new->module, source->module, options);
	else
		err = process_snapshot_new(&new->processes, &source->files, options);
	if (err) {
		free(new);
		return err;
	}
	*snapshot = new;
	return 0;
}

int source_snapshot_history(struct source_snapshot **snapshot, struct source *source)
{
	int err;

	*snapshot = calloc(1, sizeof(**snapshot));
	if (!*snapshot)
		return -ENOMEM;
	err = source->module ? buildid_snapshot_history(&(*snapshot)->module, source->module, 0) :
			       0;
	if (err) {
		free(*snapshot);
		*snapshot = NULL;
	}
	return err;
}

int source_snapshot_next(struct source_snapshot *snapshot, const struct buildid_record **record)
{
	if (snapshot->module)
		return buildid_snapshot_next(snapshot->module, record);
	return snapshot->processes ? process_snapshot_next(snapshot->processes, record) : -ENODATA;
}

size_t source_snapshot_processes(const struct source_snapshot *snapshot)
{
	return snapshot->module ? buildid_snapshot_processes(snapshot->module) :
				  process_snapshot_processes(snapshot->processes);
}

void source_snapshot_free(struct source_snapshot *snapshot)
{
	if (!snapshot)
		return;
	buildid_snapshot_free(snapshot->module);
	process_snapshot_free(snapshot->processes);
	free(snapshot);
}
