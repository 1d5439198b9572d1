// SPDX-License-Identifier: GPL-2.0
/* Recall: what the module still remembers of an inode. */

#include <stdlib.h>
#include <unistd.h>

#include "common.h"
#include "identities.h"
#include "recall.h"

/* ctime is as coarse as a tick. */
#define TICK		10000000LL
/* How far clocks drift apart, at most: NTP slews by 500 ppm. */
#define DRIFT(ns)	((ns) / 2000)

struct recall {
	struct buildid *handle;
	enum perfdata_clock clock;
	int64_t now;		/* by perf's clock */
	int64_t real;		/* CLOCK_REALTIME at that moment */
	_Alignas(8) unsigned char record[BUILDID_RECORD_MAX];
};

/* Any record that is made now has both clocks; one of this process's own. */
static int read_clocks(struct recall *recall)
{
	const uint32_t pid = (uint32_t)getpid();
	const struct buildid_options options = { .nr_pids = 1, .pids = &pid };
	const struct buildid_record *record;
	struct buildid_snapshot *snapshot;
	int err;

	err = buildid_snapshot_new(&snapshot, recall->handle, &options);
	if (err)
		return err;
	do
		err = buildid_snapshot_next(snapshot, &record);
	while (!err && record->type != BUILDID_RECORD_MMAP);
	if (!err) {
		recall->now = (int64_t)(recall->clock == PERFDATA_CLOCK_MONO ?
					record->time_mono : record->time_perf);
		recall->real = (int64_t)clock_ns(CLOCK_REALTIME);
	}
	buildid_snapshot_free(snapshot);
	return err;
}

struct recall *recall_new(enum perfdata_clock clock)
{
	struct recall *recall = calloc(1, sizeof(*recall));

	if (!recall)
		return NULL;
	recall->clock = clock;
	if (clock != PERFDATA_CLOCK_PERF && clock != PERFDATA_CLOCK_MONO)
		goto fail;
	if (buildid_open(&recall->handle) || read_clocks(recall))
		goto fail;
	return recall;
fail:
	recall_free(recall);
	return NULL;
}

void recall_free(struct recall *recall)
{
	if (!recall)
		return;
	buildid_close(recall->handle);
	free(recall);
}

void recall_kernel(struct recall *recall, struct identities *identities)
{
	const uint32_t pid = (uint32_t)getpid();
	const struct buildid_options options = {
		.flags = BUILDID_SUB_KERNEL, .nr_pids = 1, .pids = &pid,
	};
	const struct buildid_record *record;

	if (buildid_subscribe(recall->handle, &options))
		return;
	while (!buildid_next(recall->handle, 0, &record))
		if (record->type == BUILDID_RECORD_KERNEL)
			identities_add(identities, record);
}

/* Changed before it was mapped, and not since: what is remembered is newer. */
static bool is_certain(const struct recall *recall, const struct buildid_file *file,
		       uint64_t time)
{
	int64_t ago = recall->now - (int64_t)time;

	if (ago < 0)
		return false;
	return file->ctime <= recall->real - ago - TICK - DRIFT(ago);
}

void recall_find(struct recall *recall, const struct perfdata_mapping *mapping,
		 uint64_t time, struct perfdata_identity *identity)
{
	const uint32_t generation = (uint32_t)mapping->generation;
	const struct buildid_key key = {
		.dev_major = mapping->major,
		.dev_minor = mapping->minor,
		.ino = mapping->ino,
		.generation = generation ? &generation : NULL,
	};
	const struct buildid_file *file;

	if (!mapping->has_inode || !mapping->ino || !time)
		return;
	if (buildid_resolve_key(recall->handle, &key, recall->record,
				sizeof(recall->record), &file))
		return;
	if (is_certain(recall, file, time))
		identities_of_file(file, identity);
	else
		identity->reason = "its file has changed since";
}
