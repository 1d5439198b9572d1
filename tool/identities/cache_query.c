// SPDX-License-Identifier: GPL-2.0
/* Cache query: one dump of all files, searched for each mapping. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache_query.h"
#include "common/array.h"
#include "common/clock.h"
#include "identities.h"
#include "netlink.h"
#include "versions.h"
#include "wall_clock.h"

struct cache_query {
	struct buildid *handle;
	enum perfdata_clock clock;
	int64_t now;		  /* by perf's clock */
	int64_t mono;		  /* CLOCK_MONOTONIC at the same moment */
	int64_t ahead;		  /* CLOCK_REALTIME minus that, at the same moment */
	struct wall_range range;  /* and its range at any time */
	int64_t slept;		  /* since the machine was booted */
	struct versions versions; /* of all files, once dumped */
	bool dumped;
	const char *failure; /* why there are no versions */
};

static struct buildid_options of_process(const uint32_t *pid)
{
	return (struct buildid_options){
		.size = sizeof(struct buildid_options),
		.nr_pids = 1,
		.pids = pid,
	};
}

/* perf's clock can only be read from a record: get one of this process. */
static int read_clocks(struct cache_query *query)
{
	const uint32_t pid = (uint32_t)getpid();
	const struct buildid_options options = of_process(&pid);
	const struct buildid_record *record;
	struct buildid_snapshot *snapshot;
	int err;

	err = buildid_snapshot_new(&snapshot, query->handle, &options);
	if (err)
		return err;
	do
		err = buildid_snapshot_next(snapshot, &record);
	while (!err && record->type != BUILDID_RECORD_MMAP);
	if (!err) {
		query->now = (int64_t)(query->clock == PERFDATA_CLOCK_MONO ? record->time_mono :
									     record->time_perf);
		query->mono = (int64_t)record->time_mono;
		query->ahead = clock_real();
	}
	buildid_snapshot_free(snapshot);
	return err;
}

struct cache_query *cache_query_new(enum perfdata_clock clock)
{
	struct cache_query *query = calloc(1, sizeof(*query));

	if (!query)
		return NULL;
	query->clock = clock;
	if (clock != PERFDATA_CLOCK_PERF && clock != PERFDATA_CLOCK_MONO)
		goto fail;
	if (buildid_open(&query->handle) || read_clocks(query) ||
	    wall_clock_range(query->handle, &query->range, &query->slept))
		goto fail;
	return query;
fail:
	cache_query_free(query);
	return NULL;
}

void cache_query_free(struct cache_query *query)
{
	if (!query)
		return;
	buildid_close(query->handle);
	versions_free(&query->versions);
	free(query);
}

/*
 * A lower bound for CLOCK_REALTIME at @time, if it was ahead by @ahead: later changes have a later
 * ctime. If perf's clock ran on while the machine slept, as in some kinds of sleep, the bound is
 * just earlier.
 */
static int64_t real_at(const struct cache_query *query, uint64_t time, int64_t ahead)
{
	int64_t ago = query->now - (int64_t)time;

	return ago < 0 ? INT64_MIN : query->mono - ago - CLOCK_DRIFT(ago) + ahead;
}

static int64_t real_before(const struct cache_query *query, uint64_t time)
{
	return real_at(query, time, query->range.min);
}

struct buildid *cache_query_handle(const struct cache_query *query)
{
	return query->handle;
}

const struct wall_range *cache_query_range(const struct cache_query *query)
{
	return &query->range;
}

struct wall_range cache_query_boot(const struct cache_query *query)
{
	return (struct wall_range){
		.min = query->range.min - query->slept,
		.max = query->range.max - query->slept,
	};
}

static bool is_older(int64_t changed, int64_t before)
{
	return before > 0 && changed < before - (int64_t)ctime_grain(changed);
}

static bool is_before(const struct version *version, int64_t before)
{
	return is_older(version->ctime, before);
}

/* ------------------------------------------------------------------ images -- */

/*
 * An inode of sysfs is created, and dated, at its first lookup, and not reused for the next module
 * with that name. perf record looks up the notes of all modules.
 */
static bool was_loaded(const struct cache_query *query, const char *module, uint64_t time)
{
	static const char *const below[] = { "", "/notes", "/notes/.note.gnu.build-id" };
	int64_t before = real_before(query, time);
	char path[128];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(below); i++) {
		struct stat status;

		snprintf(path, sizeof(path), "/sys/module/%s%s", module, below[i]);
		if (!stat(path, &status) &&
		    is_older((int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec,
			     before))
			return true;
	}
	return false;
}

void cache_query_images(struct cache_query *query, uint64_t begin, struct identities *identities)
{
	const uint32_t pid = (uint32_t)getpid();
	struct buildid_options options = of_process(&pid);
	const struct buildid_record *record;

	options.flags = BUILDID_SUB_KERNEL;
	if (buildid_subscribe(query->handle, &options))
		return;
	while (!buildid_next(query->handle, 0, &record)) {
		const struct buildid_image *image = (const void *)record;

		if (record->type == BUILDID_RECORD_KERNEL ||
		    (record->type == BUILDID_RECORD_MODULE && image->addr &&
		     was_loaded(query, buildid_image_name(image), begin)))
			identities_add(identities, record);
	}
}

/* ------------------------------------------------------------------- files -- */

static int dump(struct cache_query *query)
{
	const struct buildid_record *record;
	struct netlink *netlink;
	int err;

	err = netlink_open(&netlink);
	if (!err)
		err = netlink_dump(netlink, NULL);
	while (!err) {
		err = netlink_next(netlink, &record);
		if (!err && record->type == BUILDID_RECORD_FILE)
			err = versions_add(&query->versions, (const void *)record);
	}
	netlink_close(netlink);
	return err == -ENODATA ? versions_ready(&query->versions, NULL) : err;
}

/*
 * A dump of all files: perf may have either of a file's two inodes, and on btrfs several files may
 * have the same number.
 */
static bool has_versions(struct cache_query *query)
{
	int err;

	if (!query->dumped) {
		query->dumped = true;
		err = dump(query);
		if (err == -ENODEV)
			query->failure = "the module answers in the initial network namespace only";
		else if (err)
			query->failure = "the module does not answer";
	}
	return !query->failure;
}

/* What is known about the inode of a mapping at a given time. */
struct finding {
	const struct version *version; /* NULL if uncertain */
	bool any;
	bool several;  /* several files may be meant */
	bool unstable; /* which is why it is uncertain */
};

/*
 * What the inode of @mapping has held since @before. Links change the ctime, too, and perf record
 * links what was hit into ~/.debug. So a version older than that answers if every version since has
 * the same content, size and mtime. If it was open for writing when it was read, no time stamp
 * shows since when it had that content.
 */
static struct finding find_unchanged(const struct cache_query *query,
				     const struct perfdata_mapping *mapping, int64_t before)
{
	const struct version *first = NULL, *old = NULL, *version;
	struct finding finding = {};
	bool changed = false;
	size_t cursor = 0;

	while ((version = versions_next(&query->versions, mapping, &cursor))) {
		if (version_has_another_path(version, mapping))
			continue;
		finding.several |= first && first->user_dev != version->user_dev;
		if (!first)
			first = version;
		if (is_before(version, before))
			old = version;
	}
	finding.any = first;
	finding.unstable = old && old->unstable;
	cursor = 0;
	while (old && (version = versions_next(&query->versions, mapping, &cursor))) {
		if (version_has_another_path(version, mapping) || is_before(version, before))
			continue;
		changed |= !version_unchanged(old, version);
		finding.unstable |= version->unstable;
	}
	if (!changed && !finding.unstable)
		finding.version = old;
	finding.unstable &= !changed;
	return finding;
}

/* The reason: perhaps only the clocks made it uncertain. */
static const char *why_not_certain(const struct cache_query *query,
				   const struct perfdata_mapping *mapping, uint64_t time)
{
	if (find_unchanged(query, mapping, real_at(query, time, query->ahead)).version)
		return "its file may have changed since: the clock was set or the machine slept, "
		       "and only a log can show when";
	return "its file has changed since";
}

void cache_query_find(struct cache_query *query, const struct perfdata_mapping *mapping,
		      uint64_t time, struct perfdata_identity *identity)
{
	struct finding finding;

	if (!mapping->has_inode || !mapping->ino || !time)
		return;
	if (!has_versions(query)) {
		identity->reason = query->failure;
		return;
	}
	finding = find_unchanged(query, mapping, real_before(query, time));
	if (!finding.any)
		return;
	if (finding.unstable)
		identity->reason = "its file was open for writing, and may have changed unseen";
	else if (!finding.version)
		identity->reason = why_not_certain(query, mapping, time);
	else if (finding.several)
		identity->reason = "several files have its inode number";
	else
		version_identity(finding.version, identity);
}
