// SPDX-License-Identifier: GPL-2.0
/*
 * Identities: what a stream of records says of the mappings perf has seen.
 *
 * perf and the module stamp the same call within a moment of each other, so a
 * mapping is found by process, address, length, offset and time. A mapping
 * without a record of its own is that of a process that has it from its parent,
 * or one not executable: it is found by its addresses in another process, else by
 * its inode, as long as what the inode held then is certain.
 */

#include <errno.h>
#include <string.h>

#include "common/array.h"
#include "identities.h"
#include "images.h"
#include "versions.h"

/* perf's stamp of a mapping comes that much later than ours at most. */
#define MOMENT 1000000000ULL

struct seen {
	uint64_t addr, len, pgoff;
	uint64_t time;
	uint32_t pid;
	uint32_t version;
};

/* What happened in between is not known. */
struct loss {
	uint64_t from, to;
};

struct identities {
	enum perfdata_clock clock;
	uint64_t begin;
	struct versions versions;
	struct seen *seen;
	size_t nr_seen;
	struct loss *losses;
	size_t nr_losses;
	uint64_t lost;
	uint64_t last, last_mono; /* when the last record was, by both clocks */
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
	free(identities->seen);
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

void identities_of_file(const struct buildid_file *file, struct perfdata_identity *identity)
{
	const uint8_t *bytes;
	size_t size;

	bytes = buildid_file_id_bytes(file, &size);
	*identity = (struct perfdata_identity){};
	if (file->kind == BUILDID_KIND_GNU && bytes && size <= PERFDATA_ID_MAX) {
		identity->size = size;
		memcpy(identity->id, bytes, size);
		return;
	}
	if (file->kind == BUILDID_KIND_GNU) {
		identity->reason = "a build-id that is longer than the 20 bytes there are for it";
		return;
	}
	switch (file->reason) {
	case BUILDID_REASON_PENDING:
		identity->reason = "it was not read in time";
		break;
	case BUILDID_REASON_DEFERRED:
		identity->reason = "on FUSE, whose files are not read without being asked";
		break;
	case BUILDID_REASON_IO:
	case BUILDID_REASON_CHANGING:
	case BUILDID_REASON_UNREADABLE:
		identity->reason = "it could not be read";
		break;
	default:
		identity->known = true;
		identity->reason = "it has no build-id";
		break;
	}
}

static int add_mmap(struct identities *identities, const struct buildid_mmap *mmap)
{
	uint64_t time = time_of(identities, &mmap->header);
	uint32_t index = versions_find(&identities->versions, mmap->file_id);
	struct version *version;

	/* UNRESOLVED, or of a FILE that was lost. */
	if (index == VERSIONS_NONE)
		return 0;
	if (!array_reserve(identities->seen, identities->nr_seen))
		return -ENOMEM;
	identities->seen[identities->nr_seen++] = (struct seen){
		.addr = mmap->addr,
		.len = mmap->len,
		.pgoff = mmap->pgoff,
		.time = time,
		.pid = mmap->pid,
		.version = index,
	};
	version = &identities->versions.all[index];
	if (!version->seen || time < version->first)
		version->first = time;
	if (!version->seen || time > version->last)
		version->last = time;
	version->seen = true;
	return 0;
}

static int add_loss(struct identities *identities, uint64_t from, uint64_t to)
{
	if (!array_reserve(identities->losses, identities->nr_losses))
		return -ENOMEM;
	identities->losses[identities->nr_losses++] = (struct loss){ from, to };
	return 0;
}

/* It comes behind the hole, which began after the record before it. */
static int add_lost(struct identities *identities, const struct buildid_lost *lost, uint64_t last)
{
	identities->lost += lost->ring_full + lost->no_request + lost->missed_probe;
	return add_loss(identities, last, time_of(identities, &lost->header));
}

int identities_ended(struct identities *identities, uint64_t mono)
{
	/* As far behind the last record by either clock; the drift is of no matter. */
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
	const struct seen *first = a, *second = b;
	int result = COMPARE(first->addr, second->addr);

	if (!result)
		result = COMPARE(first->len, second->len);
	return result ? result : COMPARE(first->pgoff, second->pgoff);
}

static int compare_seen(const void *a, const void *b)
{
	const struct seen *first = a, *second = b;
	int result = compare_places(first, second);

	return result ? result : COMPARE(first->time, second->time);
}

int identities_ready(struct identities *identities, uint64_t begin)
{
	int err = versions_ready(&identities->versions);

	identities->begin = begin;
	array_sort(identities->seen, identities->nr_seen, compare_seen);
	return err ? err : images_ready(&identities->images, begin);
}

/* ----------------------------------------------------------------- finding -- */

/*
 * A version has the inode of who mapped it first: on another overlayfs over the same
 * file that process sees another. Not where it is certain to be another file.
 */
static bool may_be(const struct version *version, const struct perfdata_mapping *mapping)
{
	uint64_t dev = versions_device(mapping->major, mapping->minor);

	if (version_is_of(version, mapping))
		return true;
	/* One not executable has no record of its own. */
	return !mapping->data && version->dev != version->user_dev && dev != version->dev &&
	       dev != version->user_dev;
}

/* The last until then; others before it are of another version. */
struct candidate {
	const struct seen *seen;
	bool ambiguous;
};

struct candidates {
	struct candidate own;	/* of the process */
	struct candidate other; /* of any other */
};

static void take(struct candidate *candidate, const struct seen *seen)
{
	if (candidate->seen && candidate->seen->version != seen->version)
		candidate->ambiguous = true;
	candidate->seen = seen;
}

static void look_at(const struct identities *identities, const struct seen *seen,
		    const struct perfdata_mapping *mapping, struct candidates *found)
{
	const struct version *version = &identities->versions.all[seen->version];

	if (seen->pid == mapping->pid && may_be(version, mapping))
		take(&found->own, seen);
	if (seen->pid == mapping->pid || !version_is_of(version, mapping))
		return;
	/* Programs that are not PIE lie at the same addresses. */
	if (mapping->has_inode || version->path == versions_path(mapping->path))
		take(&found->other, seen);
}

static struct candidates find_candidates(const struct identities *identities,
					 const struct perfdata_mapping *mapping, uint64_t time)
{
	const struct seen request = {
		.addr = mapping->start,
		.len = mapping->len,
		.pgoff = mapping->pgoff,
	};
	struct candidates found = {};
	size_t i;

	i = array_lower_bound(&request, identities->seen, identities->nr_seen, sizeof(request),
			      compare_places);
	for (; i < identities->nr_seen; i++) {
		const struct seen *seen = &identities->seen[i];

		if (compare_places(seen, &request))
			break;
		if (has_times(identities) && seen->time > time)
			break;
		look_at(identities, seen, mapping, &found);
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

/* What the inode held at @time; a file never becomes again what it was. */
static const struct version *find_by_inode(const struct identities *identities,
					   const struct perfdata_mapping *mapping, uint64_t time)
{
	const struct version *best = NULL, *version;
	size_t cursor = 0;

	while ((version = versions_next(&identities->versions, mapping, &cursor))) {
		if (!version->seen)
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
static const struct seen *choose(const struct identities *identities,
				 const struct candidates *found,
				 const struct perfdata_mapping *mapping, uint64_t time)
{
	const struct candidate *candidate = &found->own;
	const struct version *version;

	/* What happened has a record of its own; what was there, its parent's. */
	if (!candidate->seen && !mapping->time)
		candidate = &found->other;
	if (!candidate->seen)
		return NULL;
	if (!has_times(identities))
		return candidate->ambiguous ? NULL : candidate->seen;
	if (mapping->time && mapping->time - candidate->seen->time >= MOMENT)
		return NULL;
	/* With what was lost in between it may be the record of another file. */
	version = &identities->versions.all[candidate->seen->version];
	if (!version_is_of(version, mapping) &&
	    lost_between(identities, candidate->seen->time, time))
		return NULL;
	return candidate->seen;
}

static void find_file(const struct identities *identities, const struct perfdata_mapping *mapping,
		      struct perfdata_identity *identity)
{
	uint64_t time = mapping->time ? mapping->time : identities->begin;
	const struct version *version;
	struct candidates found;
	const struct seen *seen;

	found = find_candidates(identities, mapping, time);
	seen = choose(identities, &found, mapping, time);
	version = seen ? &identities->versions.all[seen->version] :
			 find_by_inode(identities, mapping, time);

	if (version)
		*identity = version->identity;
	else if (identities->lost)
		identity->reason = "records were lost";
	else if (!has_times(identities) && (found.own.seen || found.other.seen))
		identity->reason = "there is no time by which to tell its contents apart";
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
				const struct perfdata_module_event **loads)
{
	*loads = identities->images.module_events;
	return has_times(identities) ? identities->images.nr_module_events : 0;
}
