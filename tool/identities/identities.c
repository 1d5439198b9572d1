// SPDX-License-Identifier: GPL-2.0
/*
 * A mapping that happened while perf recorded has an MMAP record from the module with
 * the same process, address, length and offset, and nearly the same time. Others have
 * none: a mapping that a process has from its parent, and one that is not executable.
 * Such a mapping is found by its addresses in another process, else by its inode. That
 * counts only as long as it is certain what the inode held at the time: a file may be
 * written anew, and records may be lost.
 */

#include <errno.h>
#include <string.h>

#include "common/array.h"
#include "identities.h"
#include "images.h"
#include "versions.h"

/* perf takes its time of a mapping after the module, but not that much later. */
#define MOMENT 1000000000ULL

/* An MMAP record. */
struct mmap_event {
	uint64_t addr, len, pgoff;
	uint64_t time;
	uint32_t pid;
	uint32_t version; /* index */
};

/* Records of this time were lost. */
struct loss {
	uint64_t from, to;
};

struct identities {
	enum perfdata_clock clock;
	uint64_t begin;
	struct versions versions;
	struct mmap_event *mmaps; /* by place and time, once ready */
	size_t nr_mmaps;
	struct loss *losses;
	size_t nr_losses;
	uint64_t lost;
	uint64_t last, last_mono; /* time of the last record, by both clocks */
	struct images images;
};

struct identities *identities_new(enum perfdata_clock clock)
{
	struct identities *new = calloc(1, sizeof(*new));

	if (new)
		new->clock = clock;
	return new;
}

void identities_free(struct identities *identities)
{
	if (!identities)
		return;
	images_free(&identities->images);
	versions_free(&identities->versions);
	free(identities->mmaps);
	free(identities->losses);
	free(identities);
}

static uint64_t time_of(const struct identities *identities, const struct buildid_record *record)
{
	return identities->clock == PERFDATA_CLOCK_MONO ? record->time_mono : record->time_perf;
}

static bool has_times(const struct identities *identities)
{
	return identities->clock == PERFDATA_CLOCK_PERF || identities->clock == PERFDATA_CLOCK_MONO;
}

/* ------------------------------------------------------------------ adding -- */

static int add_mmap(struct identities *identities, const struct buildid_mmap *mmap)
{
	uint64_t time = time_of(identities, &mmap->header);
	uint32_t index = versions_find(&identities->versions, mmap->file_id);
	struct version *version;

	/* The state is UNRESOLVED, or the FILE record was lost. */
	if (index == VERSIONS_NONE)
		return 0;
	if (!array_reserve(identities->mmaps, identities->nr_mmaps))
		return -ENOMEM;
	identities->mmaps[identities->nr_mmaps++] = (struct mmap_event){
		.addr = mmap->addr,
		.len = mmap->len,
		.pgoff = mmap->pgoff,
		.time = time,
		.pid = mmap->pid,
		.version = index,
	};
	version = &identities->versions.all[index];
	if (!version->mapped || time < version->first)
		version->first = time;
	if (!version->mapped || time > version->last)
		version->last = time;
	version->mapped = true;
	return 0;
}

static int add_loss(struct identities *identities, uint64_t from, uint64_t to)
{
	if (!array_reserve(identities->losses, identities->nr_losses))
		return -ENOMEM;
	identities->losses[identities->nr_losses++] = (struct loss){ from, to };
	return 0;
}

/* A LOST record ends the gap; it began after the record before. */
static int add_lost(struct identities *identities, const struct buildid_lost *lost, uint64_t last)
{
	identities->lost += lost->ring_full + lost->no_request + lost->missed_probe;
	return add_loss(identities, last, time_of(identities, &lost->header));
}

int identities_ended(struct identities *identities, uint64_t mono)
{
	/* Both clocks advanced by as much since the last record; their drift does not matter. */
	uint64_t since = mono > identities->last_mono ? mono - identities->last_mono : 0;

	return add_loss(identities, identities->last + since, UINT64_MAX);
}

int identities_add(struct identities *identities, const struct buildid_record *record)
{
	uint64_t last = identities->last;
	const void *any = record;

	if (record->time_mono > identities->last_mono) {
		identities->last_mono = record->time_mono;
		identities->last = time_of(identities, record);
	}
	switch (record->type) {
	case BUILDID_RECORD_FILE:
		return versions_add(&identities->versions, any);
	case BUILDID_RECORD_MMAP:
		return add_mmap(identities, any);
	case BUILDID_RECORD_LOST:
		return add_lost(identities, any, last);
	case BUILDID_RECORD_KERNEL:
	case BUILDID_RECORD_MODULE:
		return images_add(&identities->images, any, time_of(identities, record));
	default:
		return 0;
	}
}

uint64_t identities_lost(const struct identities *identities)
{
	return identities->lost;
}

/* ----------------------------------------------------------------- sorting -- */

static int compare_places(const void *a, const void *b)
{
	const struct mmap_event *first = a, *second = b;
	int result = COMPARE(first->addr, second->addr);

	if (!result)
		result = COMPARE(first->len, second->len);
	return result ? result : COMPARE(first->pgoff, second->pgoff);
}

static int compare_mmaps(const void *a, const void *b)
{
	const struct mmap_event *first = a, *second = b;
	int result = compare_places(first, second);

	return result ? result : COMPARE(first->time, second->time);
}

int identities_ready(struct identities *identities, uint64_t begin)
{
	int err = versions_ready(&identities->versions);

	identities->begin = begin;
	array_sort(identities->mmaps, identities->nr_mmaps, compare_mmaps);
	return err ? err : images_ready(&identities->images, begin);
}

/* ----------------------------------------------------------------- finding -- */

/*
 * Several overlayfs may have the same file, each with an inode of its own, and a version
 * has that of the first process that mapped it. So another inode may be the same file,
 * unless its device is one that the version has.
 */
static bool may_be(const struct version *version, const struct perfdata_mapping *mapping)
{
	uint64_t dev = versions_device(mapping->major, mapping->minor);

	if (version_is_of(version, mapping))
		return true;
	/* Those that are not executable have no record of their own. */
	return !mapping->data && version->dev != version->user_dev && dev != version->dev &&
	       dev != version->user_dev;
}

/* The last MMAP record up to a time; ambiguous if an earlier one has another version. */
struct candidate {
	const struct mmap_event *mmap;
	bool ambiguous;
};

struct candidates {
	struct candidate own;	/* in the process itself */
	struct candidate other; /* in any other process */
};

static void set_candidate(struct candidate *candidate, const struct mmap_event *mmap)
{
	if (candidate->mmap && candidate->mmap->version != mmap->version)
		candidate->ambiguous = true;
	candidate->mmap = mmap;
}

static void consider(const struct identities *identities, const struct mmap_event *mmap,
		     const struct perfdata_mapping *mapping, struct candidates *found)
{
	const struct version *version = &identities->versions.all[mmap->version];

	if (mmap->pid == mapping->pid && may_be(version, mapping))
		set_candidate(&found->own, mmap);
	if (mmap->pid == mapping->pid || !version_is_of(version, mapping))
		return;
	/* Programs that are not PIE are all at the same addresses. */
	if (mapping->has_inode || version->path == versions_path(mapping->path))
		set_candidate(&found->other, mmap);
}

static struct candidates find_candidates(const struct identities *identities,
					 const struct perfdata_mapping *mapping, uint64_t time)
{
	const struct mmap_event request = {
		.addr = mapping->start,
		.len = mapping->len,
		.pgoff = mapping->pgoff,
	};
	struct candidates found = {};
	size_t i;

	i = array_lower_bound(&request, identities->mmaps, identities->nr_mmaps, sizeof(request),
			      compare_places);
	for (; i < identities->nr_mmaps; i++) {
		const struct mmap_event *mmap = &identities->mmaps[i];

		if (compare_places(mmap, &request))
			break;
		if (has_times(identities) && mmap->time > time)
			break;
		consider(identities, mmap, mapping, &found);
	}
	return found;
}

static bool lost_between(const struct identities *identities, uint64_t from, uint64_t to)
{
	size_t i;

	for (i = 0; i < identities->nr_losses; i++)
		if (identities->losses[i].to > from && identities->losses[i].from < to)
			return true;
	return false;
}

/* What the inode held at @time: the last version mapped until then, if no loss is behind it. */
static const struct version *find_by_inode(const struct identities *identities,
					   const struct perfdata_mapping *mapping, uint64_t time)
{
	const struct version *best = NULL, *version;
	size_t cursor = 0;

	while ((version = versions_next(&identities->versions, mapping, &cursor))) {
		if (!version->mapped)
			continue;
		if (!has_times(identities) && best)
			return NULL;
		if (has_times(identities) && version->first > time)
			continue;
		if (!best || version->first > best->first)
			best = version;
	}
	if (!best || !has_times(identities) || time <= best->last)
		return best;
	return lost_between(identities, best->last, time) ? NULL : best;
}

/* Which of the candidates, if any, is certain to be the one at @time. */
static const struct mmap_event *choose(const struct identities *identities,
				       const struct candidates *found,
				       const struct perfdata_mapping *mapping, uint64_t time)
{
	const struct candidate *candidate = &found->own;
	const struct version *version;

	/* A mapping without a time existed before, and may be in the parent's records only. */
	if (!candidate->mmap && !mapping->time)
		candidate = &found->other;
	if (!candidate->mmap)
		return NULL;
	if (!has_times(identities))
		return candidate->ambiguous ? NULL : candidate->mmap;
	if (mapping->time && mapping->time - candidate->mmap->time >= MOMENT)
		return NULL;
	/* With a loss in between the record may be that of another file. */
	version = &identities->versions.all[candidate->mmap->version];
	if (!version_is_of(version, mapping) &&
	    lost_between(identities, candidate->mmap->time, time))
		return NULL;
	return candidate->mmap;
}

static void find_file(const struct identities *identities, const struct perfdata_mapping *mapping,
		      struct perfdata_identity *identity)
{
	uint64_t time = mapping->time ? mapping->time : identities->begin;
	const struct version *version;
	struct candidates found;
	const struct mmap_event *mmap;

	found = find_candidates(identities, mapping, time);
	mmap = choose(identities, &found, mapping, time);
	version = mmap ? &identities->versions.all[mmap->version] :
			 find_by_inode(identities, mapping, time);

	if (version)
		*identity = version->identity;
	else if (identities->lost)
		identity->reason = "records were lost";
	else if (!has_times(identities) && (found.own.mmap || found.other.mmap))
		identity->reason = "without times its contents cannot be told apart";
	else
		identity->reason = "there is no record of it";
}

void identities_find(const struct identities *identities, const struct perfdata_mapping *mapping,
		     struct perfdata_identity *identity)
{
	switch (mapping->kind) {
	case PERFDATA_KIND_USER:
		find_file(identities, mapping, identity);
		break;
	case PERFDATA_KIND_KERNEL:
	case PERFDATA_KIND_MODULE:
		images_find(&identities->images, mapping,
			    mapping->time ? mapping->time : identities->begin, identity);
		break;
	default:
		identity->reason = "there is no record of it";
		break;
	}
}

uint64_t identities_text(const struct identities *identities)
{
	return images_text(&identities->images);
}

size_t identities_module_events(const struct identities *identities,
				const struct perfdata_module_event **events)
{
	*events = identities->images.module_events;
	return has_times(identities) ? identities->images.nr_module_events : 0;
}
