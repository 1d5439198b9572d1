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
#include <stdlib.h>
#include <string.h>

#include "identities.h"
#include "images.h"

/* perf's stamp of a mapping comes that much later than ours at most. */
#define MOMENT		1000000000ULL
#define FIRST_ROOM	1024
#define NOBODY		SIZE_MAX

/* One version of a file. */
struct version {
	uint64_t file_id;
	uint64_t dev, ino;
	uint64_t user_dev, user_ino;
	uint64_t path;		/* its hash */
	uint32_t generation;
	uint64_t first, last;	/* time of mappings of it */
	bool seen;		/* these are set */
	struct perfdata_identity identity;
	size_t next;		/* in the bucket, plus one */
};

struct seen {
	uint64_t addr, len, pgoff;
	uint64_t time;
	uint32_t pid;
	uint32_t version;
};

/* A way from an inode to a version. */
struct inode {
	uint64_t dev, ino;
	uint32_t version;
};

struct identities {
	enum perfdata_clock clock;
	uint64_t begin;
	struct version *versions;
	size_t nr_versions, versions_room;
	size_t *buckets;
	struct seen *seen;
	size_t nr_seen, seen_room;
	struct inode *inodes;
	size_t nr_inodes;
	uint64_t *losses;	/* times */
	size_t nr_losses, losses_room;
	uint64_t lost;
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
	free(identities->versions);
	free(identities->buckets);
	free(identities->seen);
	free(identities->inodes);
	free(identities->losses);
	free(identities);
}

static uint64_t time_of(const struct identities *identities,
			const struct buildid_record *record)
{
	return identities->clock == PERFDATA_CLOCK_MONO ? record->time_mono :
							  record->time_perf;
}

static bool has_times(const struct identities *identities)
{
	return identities->clock == PERFDATA_CLOCK_PERF ||
	       identities->clock == PERFDATA_CLOCK_MONO;
}

static uint64_t device(uint32_t major, uint32_t minor)
{
	return (uint64_t)major << 32 | minor;
}

static uint64_t hash_of(const char *path)
{
	uint64_t state = 0xcbf29ce484222325ULL;

	while (path && *path)
		state = (state ^ (unsigned char)*path++) * 0x100000001b3ULL;
	return state;
}

/* Room for one more of @size bytes; false without memory. */
static bool reserve(void **array, size_t count, size_t *room, size_t size)
{
	size_t wanted = *room ? *room * 2 : FIRST_ROOM;
	void *grown;

	if (count < *room)
		return true;
	grown = reallocarray(*array, wanted, size);
	if (!grown)
		return false;
	*array = grown;
	*room = wanted;
	return true;
}

/* ------------------------------------------------------------------ adding -- */

static size_t bucket_of(const struct identities *identities, uint64_t file_id)
{
	return (size_t)(file_id * 0x9e3779b97f4a7c15ULL >> 20) &
	       (identities->versions_room - 1);
}

static size_t version_of(const struct identities *identities, uint64_t file_id)
{
	size_t i;

	if (!identities->buckets)
		return NOBODY;
	i = identities->buckets[bucket_of(identities, file_id)];
	while (i && identities->versions[i - 1].file_id != file_id)
		i = identities->versions[i - 1].next;
	return i ? i - 1 : NOBODY;
}

static void insert(struct identities *identities, size_t number)
{
	struct version *version = &identities->versions[number];
	size_t *bucket = &identities->buckets[bucket_of(identities, version->file_id)];

	version->next = *bucket;
	*bucket = number + 1;
}

static bool grow(struct identities *identities)
{
	size_t room = identities->versions_room;
	size_t i;

	if (!reserve((void **)&identities->versions, identities->nr_versions,
		     &identities->versions_room, sizeof(*identities->versions)))
		return false;
	if (room == identities->versions_room)
		return true;
	free(identities->buckets);
	identities->buckets = calloc(identities->versions_room,
				     sizeof(*identities->buckets));
	for (i = 0; identities->buckets && i < identities->nr_versions; i++)
		insert(identities, i);
	return identities->buckets;
}

void identities_of_file(const struct buildid_file *file,
			struct perfdata_identity *identity)
{
	const uint8_t *bytes;
	size_t size;

	bytes = buildid_file_id_bytes(file, &size);
	*identity = (struct perfdata_identity){ };
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

static int add_file(struct identities *identities, const struct buildid_file *file)
{
	size_t number = version_of(identities, file->file_id);
	struct version *version;

	if (number == NOBODY) {
		if (!grow(identities))
			return -ENOMEM;
		number = identities->nr_versions++;
		version = &identities->versions[number];
		*version = (struct version){ .file_id = file->file_id };
		insert(identities, number);
	}
	version = &identities->versions[number];
	version->dev = device(file->dev_major, file->dev_minor);
	version->ino = file->ino;
	version->user_dev = device(file->user_dev_major, file->user_dev_minor);
	version->user_ino = file->user_ino;
	version->generation = file->generation;
	if (file->path_len && !(file->flags & BUILDID_FILE_PATH_PART))
		version->path = hash_of(buildid_file_path(file));
	/* What was known once stays so. */
	if (!version->identity.size && !version->identity.known)
		identities_of_file(file, &version->identity);
	return 0;
}

static int add_mmap(struct identities *identities, const struct buildid_mmap *mmap)
{
	uint64_t time = time_of(identities, &mmap->header);
	size_t number = version_of(identities, mmap->file_id);
	struct version *version;

	/* UNRESOLVED, or of a FILE that was lost. */
	if (number == NOBODY)
		return 0;
	if (!reserve((void **)&identities->seen, identities->nr_seen,
		     &identities->seen_room, sizeof(*identities->seen)))
		return -ENOMEM;
	identities->seen[identities->nr_seen++] = (struct seen){
		.addr = mmap->addr,
		.len = mmap->len,
		.pgoff = mmap->pgoff,
		.time = time,
		.pid = mmap->pid,
		.version = (uint32_t)number,
	};
	version = &identities->versions[number];
	if (!version->seen || time < version->first)
		version->first = time;
	if (!version->seen || time > version->last)
		version->last = time;
	version->seen = true;
	return 0;
}

static int add_lost(struct identities *identities, const struct buildid_lost *lost)
{
	if (!reserve((void **)&identities->losses, identities->nr_losses,
		     &identities->losses_room, sizeof(*identities->losses)))
		return -ENOMEM;
	identities->losses[identities->nr_losses++] = time_of(identities, &lost->header);
	identities->lost += lost->ring_full + lost->no_request + lost->missed_probe;
	return 0;
}

int identities_add(struct identities *identities, const struct buildid_record *record)
{
	const void *any = record;

	switch (record->type) {
	case BUILDID_RECORD_FILE:
		return add_file(identities, any);
	case BUILDID_RECORD_MMAP:
		return add_mmap(identities, any);
	case BUILDID_RECORD_LOST:
		return add_lost(identities, any);
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

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_places(const struct seen *a, const struct seen *b)
{
	int result = COMPARE(a->addr, b->addr);

	if (!result)
		result = COMPARE(a->len, b->len);
	return result ? result : COMPARE(a->pgoff, b->pgoff);
}

static int compare_seen(const void *a, const void *b)
{
	const struct seen *first = a, *second = b;
	int result = compare_places(first, second);

	return result ? result : COMPARE(first->time, second->time);
}

static int compare_inodes(const void *a, const void *b)
{
	const struct inode *first = a, *second = b;
	int result = COMPARE(first->ino, second->ino);

	return result ? result : COMPARE(first->dev, second->dev);
}

int identities_ready(struct identities *identities, uint64_t begin)
{
	size_t i;

	identities->begin = begin;
	identities->inodes = calloc(identities->nr_versions * 2 + 1,
				    sizeof(*identities->inodes));
	if (!identities->inodes)
		return -ENOMEM;
	for (i = 0; i < identities->nr_versions; i++) {
		const struct version *version = &identities->versions[i];
		struct inode *inode = &identities->inodes[identities->nr_inodes];

		*inode++ = (struct inode){ version->dev, version->ino, (uint32_t)i };
		*inode = (struct inode){ version->user_dev, version->user_ino, (uint32_t)i };
		identities->nr_inodes += version->dev == version->user_dev &&
					 version->ino == version->user_ino ? 1 : 2;
	}
	if (identities->nr_inodes)
		qsort(identities->inodes, identities->nr_inodes,
		      sizeof(*identities->inodes), compare_inodes);
	if (identities->nr_seen)
		qsort(identities->seen, identities->nr_seen, sizeof(*identities->seen),
		      compare_seen);
	return images_ready(&identities->images, begin);
}

/* ----------------------------------------------------------------- finding -- */

/* Whether @version can be what @mapping says it is of. */
static bool is_of(const struct version *version, const struct perfdata_mapping *mapping)
{
	uint64_t dev = device(mapping->major, mapping->minor);

	if (!mapping->has_inode)
		return true;
	if (mapping->generation && mapping->generation != version->generation)
		return false;
	return (version->dev == dev && version->ino == mapping->ino) ||
	       (version->user_dev == dev && version->user_ino == mapping->ino);
}

/* The first in the order of places that is not before that of @mapping. */
static size_t first_at(const struct identities *identities, const struct seen *wanted)
{
	size_t low = 0, high = identities->nr_seen;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_places(&identities->seen[middle], wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last until then; others before it are of another version. */
struct candidate {
	const struct seen *seen;
	bool ambiguous;
};

struct candidates {
	struct candidate own;		/* of the process */
	struct candidate other;		/* of any other */
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
	const struct version *version = &identities->versions[seen->version];

	if (!is_of(version, mapping))
		return;
	if (seen->pid == mapping->pid)
		take(&found->own, seen);
	/* Programs that are not PIE lie at the same addresses. */
	else if (mapping->has_inode || version->path == hash_of(mapping->path))
		take(&found->other, seen);
}

static struct candidates find_candidates(const struct identities *identities,
					 const struct perfdata_mapping *mapping,
					 uint64_t time)
{
	const struct seen wanted = {
		.addr = mapping->start, .len = mapping->len, .pgoff = mapping->pgoff,
	};
	struct candidates found = { };
	size_t i;

	for (i = first_at(identities, &wanted); i < identities->nr_seen; i++) {
		const struct seen *seen = &identities->seen[i];

		if (compare_places(seen, &wanted))
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
		if (identities->losses[i] > from && identities->losses[i] <= to)
			return true;
	return false;
}

static size_t first_inode(const struct identities *identities, const struct inode *wanted)
{
	size_t low = 0, high = identities->nr_inodes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_inodes(&identities->inodes[middle], wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What the inode held at @time; a file never becomes again what it was. */
static const struct version *find_by_inode(const struct identities *identities,
					   const struct perfdata_mapping *mapping,
					   uint64_t time)
{
	const struct inode wanted = {
		.dev = device(mapping->major, mapping->minor), .ino = mapping->ino,
	};
	const struct version *best = NULL;
	size_t i;

	if (!mapping->has_inode || !mapping->ino)
		return NULL;
	for (i = first_inode(identities, &wanted); i < identities->nr_inodes; i++) {
		const struct version *version;

		if (compare_inodes(&identities->inodes[i], &wanted))
			break;
		version = &identities->versions[identities->inodes[i].version];
		if (!is_of(version, mapping) || !version->seen)
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
				 const struct perfdata_mapping *mapping)
{
	const struct candidate *candidate = &found->own;

	/* What happened has a record of its own; what was there, its parent's. */
	if (!candidate->seen && !mapping->time)
		candidate = &found->other;
	if (!candidate->seen)
		return NULL;
	if (!has_times(identities))
		return candidate->ambiguous ? NULL : candidate->seen;
	if (mapping->time && mapping->time - candidate->seen->time >= MOMENT)
		return NULL;
	return candidate->seen;
}

static void find_file(const struct identities *identities,
		      const struct perfdata_mapping *mapping,
		      struct perfdata_identity *identity)
{
	uint64_t time = mapping->time ? mapping->time : identities->begin;
	const struct version *version;
	struct candidates found;
	const struct seen *seen;

	found = find_candidates(identities, mapping, time);
	seen = choose(identities, &found, mapping);
	version = seen ? &identities->versions[seen->version] :
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

void identities_find(const struct identities *identities,
		     const struct perfdata_mapping *mapping,
		     struct perfdata_identity *identity)
{
	switch (mapping->space) {
	case PERFDATA_USER:
		find_file(identities, mapping, identity);
		break;
	case PERFDATA_KERNEL:
	case PERFDATA_MODULE:
		images_find(&identities->images, mapping,
			    mapping->time ? mapping->time : identities->begin, identity);
		break;
	default:
		identity->reason = "there is no record of it";
		break;
	}
}

size_t identities_loads(const struct identities *identities,
			const struct perfdata_load **loads)
{
	*loads = identities->images.loads;
	return has_times(identities) ? identities->images.nr_loads : 0;
}
