// SPDX-License-Identifier: GPL-2.0
/*
 * Stale scan: all processes' mappings from the source, each file of a process compared once
 * with what is at its path.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/progress.h"
#include "stale_scan.h"

struct scan {
	struct stale_scan *scan;
	struct source_snapshot *snapshot;

	/* The process whose records are being read. */
	uint32_t pid;
	uint64_t start_time;
	bool entered;
	bool stale;

	/* Its last file, as every mapping of it comes with no other record. */
	uint64_t file[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	bool done; /* this file was compared */

	/* The stale files of the process so far, as a file may be mapped in parts. */
	uint64_t *reported;
	size_t nr_reported;
};

static const struct buildid_file *file_of(const struct scan *scan)
{
	return (const void *)scan->file;
}

/* ------------------------------------------------------- temporary files -- */

/* Where programs put what they make for themselves. */
static bool is_in_temporary_directory(const char *path)
{
	static const char *const directories[] = {
		"/tmp/", "/var/tmp/", "/run/", "/var/run/", "/dev/",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(directories); i++)
		if (!strncmp(path, directories[i], strlen(directories[i])))
			return true;
	return false;
}

/* open(2) with O_TMPFILE makes "#" and an inode number. */
static bool has_no_name(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && name[1] == '#' && name[2 + strspn(name + 2, "0123456789")] == '\0';
}

/* What is in no ELF file was not installed as a program or a library. */
static bool is_temporary(const struct buildid_file *file)
{
	const char *path = buildid_file_path(file);

	return file->flags & BUILDID_FILE_MEMFD || file->reason == BUILDID_REASON_NOT_ELF ||
	       is_in_temporary_directory(path) || has_no_name(path);
}

/* --------------------------------------------------------------- process -- */

/* What has exited meanwhile is of no interest any more. */
static bool is_running(uint32_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32, pid);
	return !access(path, F_OK);
}

static bool was_reported(const struct scan *scan, uint64_t file_id)
{
	size_t i;

	for (i = 0; file_id && i < scan->nr_reported; i++)
		if (scan->reported[i] == file_id)
			return true;
	return false;
}

static void stale_scan_report(struct scan *scan, const struct buildid_mmap *mmap,
			      const struct current_file *now)
{
	const struct buildid_file *file = file_of(scan);
	const struct stale stale = {
		.pid = mmap->pid,
		.start_time = mmap->start_time,
		.comm = (const char *)mmap->comm,
		.mmap = mmap,
		.path = buildid_file_path(file),
		.runs = file,
		.now = now,
	};

	if (was_reported(scan, file->file_id) || !is_running(mmap->pid))
		return;
	if (array_reserve(scan->reported, scan->nr_reported))
		scan->reported[scan->nr_reported++] = file->file_id;
	scan->scan->stale += !scan->stale;
	scan->stale = true;
	scan->scan->found(scan->scan->data, &stale);
}

static void stale_scan_compare(struct scan *scan, const struct buildid_mmap *mmap)
{
	const struct buildid_file *file = file_of(scan);
	const struct mapped_place mapped = { mmap->pid, mmap->addr, file };
	const struct current_file *now;

	/* A device, and memory that never was a file. */
	if (file->reason == BUILDID_REASON_NOT_REGULAR || file->flags & BUILDID_FILE_MEMFD)
		return;
	switch (current_files_find(scan->scan->current, &mapped, &now)) {
	case CURRENT_SAME:
		break;
	case CURRENT_OTHER:
		stale_scan_report(scan, mmap, now);
		break;
	case CURRENT_GONE:
		if (scan->scan->temporary || !is_temporary(file))
			stale_scan_report(scan, mmap, NULL);
		break;
	case CURRENT_UNKNOWN:
		scan->scan->unknown++;
		break;
	case CURRENT_UNSURE:
		scan->scan->unsure++;
		break;
	}
}

static void begin_process(struct scan *scan, const struct buildid_mmap *mmap)
{
	scan->pid = mmap->pid;
	scan->start_time = mmap->start_time;
	scan->stale = false;
	scan->nr_reported = 0;
	progress_show("stale", scan->scan->processes, 0, "processes");
	scan->entered = current_files_enter(scan->scan->current, mmap->pid);
	scan->scan->processes += scan->entered;
	scan->scan->denied += !scan->entered && (errno == EACCES || errno == EPERM);
}

static void stale_scan_take(struct scan *scan, const struct buildid_record *record)
{
	const struct buildid_mmap *mmap = (const void *)record;

	if (record->type == BUILDID_RECORD_FILE) {
		scan->done = record->size > sizeof(scan->file);
		scan->scan->unknown += scan->done;
		if (!scan->done)
			memcpy(scan->file, record, record->size);
	}
	if (record->type != BUILDID_RECORD_MMAP)
		return;
	if (mmap->pid != scan->pid || mmap->start_time != scan->start_time)
		begin_process(scan, mmap);
	if (scan->entered && !scan->done)
		stale_scan_compare(scan, mmap);
	scan->done = true;
}

/* ------------------------------------------------------------------ scan -- */

static int stale_scan_run(struct scan *scan)
{
	const struct buildid_record *record;
	int err;

	for (;;) {
		err = source_snapshot_next(scan->snapshot, &record);
		if (!err)
			stale_scan_take(scan, record);
		else if (err == -ENODATA)
			return 0;
		else if (err == -EPERM)
			scan->scan->denied++;
		else if (err == -ESTALE || err == -ETIMEDOUT)
			scan->scan->skipped++;
		else if (err != -EINTR)
			return err;
	}
}

int stale_scan(struct stale_scan *scan, struct source *source)
{
	const struct buildid_options options = {
		.size = sizeof(options),
		.nr_pids = scan->nr_pids,
		.pids = scan->pids,
	};
	struct scan *run_ = calloc(1, sizeof(*run_));
	int err = -ENOMEM;

	if (!scan->current)
		scan->current = current_files_new(source);
	if (!run_ || !scan->current)
		goto free;
	run_->scan = scan;
	err = source_snapshot_new(&run_->snapshot, source, &options);
	if (!err) {
		err = stale_scan_run(run_);
		scan->alive += source_snapshot_processes(run_->snapshot);
		source_snapshot_free(run_->snapshot);
	}
	free(run_->reported);
free:
	free(run_);
	return err;
}

void stale_scan_end(struct stale_scan *scan)
{
	current_files_free(scan->current);
}
