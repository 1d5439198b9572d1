// SPDX-License-Identifier: GPL-2.0
/* Versions: in the order of their records, with a map by file_id and a list by inode. */

#include <errno.h>
#include <string.h>

#include "common/array.h"
#include "identity.h"
#include "versions.h"

#define DELETED " (deleted)"

/* ld.so maps all parts of a file, one of them executable, within this many nanoseconds. */
#define MOMENT 1000000000ULL

uint64_t versions_device(uint32_t major, uint32_t minor)
{
	return (uint64_t)major << 32 | minor;
}

uint64_t versions_path(const char *path)
{
	size_t length = path ? strlen(path) : 0, end = strlen(DELETED);

	if (length > end && !strcmp(path + length - end, DELETED))
		length -= end;
	return hash_bytes(hash_start(), path, length);
}

uint32_t versions_announce(struct versions *versions, uint64_t file_id)
{
	uint32_t index = hash_map_get(&versions->map, file_id, VERSIONS_NONE);

	if (index != VERSIONS_NONE)
		return index;
	index = (uint32_t)versions->count;
	if (!array_reserve(versions->all, versions->count) ||
	    !hash_map_add(&versions->map, file_id, index))
		return VERSIONS_NONE;
	versions->all[versions->count++] = (struct version){
		.file_id = file_id,
		.content.reason = "it was not read in time",
	};
	return index;
}

static void set_content(struct content *content, const struct buildid_file *file, bool by_path)
{
	struct perfdata_identity identity;

	identity_of_file(file, &identity);
	if (by_path && file->reason == BUILDID_REASON_NOT_READ)
		identity.reason = "perf found no build-id in memory when it was mapped";
	content->reason = identity.reason;
	content->known = identity.known;
	content->size = (uint8_t)identity.id.size;
	memcpy(content->id, identity.id.bytes, identity.id.size);
}

void version_identity(const struct version *version, struct perfdata_identity *identity)
{
	const struct content *content = &version->content;

	*identity = (struct perfdata_identity){
		.reason = content->reason,
		.known = content->known,
	};
	if (content->size)
		build_id_set(&identity->id, content->id, content->size);
}

int versions_add(struct versions *versions, const struct buildid_file *file)
{
	uint32_t index = versions_announce(versions, file->file_id);
	struct version *version;

	if (index == VERSIONS_NONE)
		return -ENOMEM;
	version = &versions->all[index];
	if (!version->described || file->header.time_mono < version->seen)
		version->seen = file->header.time_mono;
	version->described = true;
	version->unstable = file->flags & BUILDID_FILE_UNSTABLE;
	version->by_path = versions->by_path;
	if (!version->by_path) {
		version->dev = versions_device(file->dev_major, file->dev_minor);
		version->ino = file->ino;
		version->user_dev = versions_device(file->user_dev_major, file->user_dev_minor);
		version->user_ino = file->user_ino;
	}
	version->generation = file->generation;
	version->ctime = file->ctime;
	version->mtime = file->mtime;
	version->file_size = file->file_size;
	if (file->path_len)
		version->path = versions_path(buildid_file_path(file));
	/* A later FILE record may know less. */
	if (!version->content.size && !version->content.known)
		set_content(&version->content, file, versions->by_path);
	return 0;
}

bool version_same_content(const struct version *one, const struct version *other)
{
	const struct content *a = &one->content, *b = &other->content;

	if (one == other)
		return true;
	return a->known == b->known && a->size == b->size && (a->known || a->size) &&
	       !memcmp(a->id, b->id, a->size);
}

bool version_unchanged(const struct version *one, const struct version *other)
{
	return one->mtime == other->mtime && one->file_size == other->file_size &&
	       version_same_content(one, other);
}

bool version_alike(const struct version *one, const struct version *other)
{
	return one->dev == other->dev && one->ino == other->ino &&
	       one->user_dev == other->user_dev && one->user_ino == other->user_ino &&
	       one->generation == other->generation && version_same_content(one, other) &&
	       (one->path == other->path || (one->dev == one->user_dev && !one->by_path));
}

/* ------------------------------------------------------------------ inodes -- */

static int compare_inodes(const void *a, const void *b)
{
	const struct inode *first = a, *second = b;
	int result = COMPARE(first->ino, second->ino);

	return result ? result : COMPARE(first->dev, second->dev);
}

static int compare_versions(const void *a, const void *b)
{
	const struct inode *first = a, *second = b;
	int result = compare_inodes(first, second);

	return result ? result : COMPARE(first->file_id, second->file_id);
}

static int compare_since(const void *a, const void *b)
{
	const struct inode *first = a, *second = b;
	int result = compare_inodes(first, second);

	return result ? result : COMPARE(first->since.to, second->since.to);
}

/* On btrfs a file has its subvolume's device, and its inode number is not unique. */
static bool is_of_subvolume(const struct version *version, uint64_t dev)
{
	return version->dev == dev && version->dev != version->user_dev &&
	       version->ino == version->user_ino;
}

static bool have_several(const struct versions *versions, const struct inode *inodes, size_t count)
{
	const struct version *first = &versions->all[inodes->version];
	size_t i;

	for (i = 1; i < count; i++) {
		const struct version *version = &versions->all[inodes[i].version];

		if (is_of_subvolume(version, inodes->dev) && version->user_dev != first->user_dev)
			return true;
	}
	return false;
}

/* Use its ctime, unless the version was seen before that: then some clock was set. */
static struct time_span date(const struct version *version, const struct stream_clock *clock)
{
	struct time_span since = stream_clock_changed(clock, version->ctime, version->seen);

	if (version->mapped && since.from > version->first)
		since.from = 0;
	if (version->mapped && since.to > version->first)
		since.to = version->first;
	return since;
}

/* Date the versions of an inode, from the oldest to the newest, in increasing order. */
static void date_all(const struct versions *versions, const struct stream_clock *clock,
		     struct inode *inodes, size_t count)
{
	struct time_span later = { UINT64_MAX, UINT64_MAX };
	bool several = have_several(versions, inodes, count);
	uint64_t seen = 0; /* when an older one was last seen */
	size_t i;

	for (i = 0; i < count; i++) {
		const struct version *version = &versions->all[inodes[i].version];

		inodes[i].several = several;
		inodes[i].since = date(version, clock);
		if (inodes[i].since.from < seen)
			inodes[i].since.from = seen;
		if (inodes[i].since.to < seen)
			inodes[i].since.to = seen;
		if (version->mapped && version->last >= seen)
			seen = version->last + 1;
	}
	while (i--) {
		if (inodes[i].since.from > later.from)
			inodes[i].since.from = later.from;
		if (inodes[i].since.to > later.to)
			inodes[i].since.to = later.to;
		later = inodes[i].since;
	}
}

static void date_versions(struct versions *versions, const struct stream_clock *clock)
{
	size_t begin, end;

	for (begin = 0; begin < versions->nr_inodes; begin = end) {
		struct inode *first = &versions->inodes[begin];

		for (end = begin + 1; end < versions->nr_inodes; end++)
			if (compare_inodes(first, &versions->inodes[end]))
				break;
		date_all(versions, clock, first, end - begin);
	}
}

static void count_alike(struct versions *versions)
{
	size_t i;

	for (i = versions->nr_inodes; i-- > 1;) {
		struct inode *before = &versions->inodes[i - 1], *inode = before + 1;

		if (!compare_inodes(before, inode) &&
		    version_alike(&versions->all[before->version], &versions->all[inode->version]))
			before->alike = inode->alike + 1;
	}
}

int versions_ready(struct versions *versions, const struct stream_clock *clock)
{
	uint32_t i;

	versions->inodes = calloc(versions->count * 2 + 1, sizeof(*versions->inodes));
	if (!versions->inodes)
		return -ENOMEM;
	for (i = 0; i < versions->count; i++) {
		const struct version *version = &versions->all[i];
		struct inode inode = {
			.dev = version->dev,
			.ino = version->ino,
			.file_id = version->file_id,
			.version = i,
		};

		if (!version->described || version->by_path)
			continue;
		versions->inodes[versions->nr_inodes++] = inode;
		if (version->dev == version->user_dev && version->ino == version->user_ino)
			continue;
		inode.dev = version->user_dev;
		inode.ino = version->user_ino;
		versions->inodes[versions->nr_inodes++] = inode;
	}
	array_sort(versions->inodes, versions->nr_inodes, compare_versions);
	count_alike(versions);
	if (clock)
		date_versions(versions, clock);
	return 0;
}

/* ----------------------------------------------------------------- finding -- */

bool version_is_of(const struct version *version, const struct perfdata_mapping *mapping)
{
	uint64_t dev = versions_device(mapping->major, mapping->minor);

	if (version->by_path)
		return version->path == versions_path(mapping->path);
	if (!mapping->has_inode)
		return true;
	if (mapping->generation && mapping->generation != version->generation)
		return false;
	return (version->dev == dev && version->ino == mapping->ino) ||
	       (version->user_dev == dev && version->user_ino == mapping->ino);
}

bool version_has_another_path(const struct version *version, const struct perfdata_mapping *mapping)
{
	return is_of_subvolume(version, versions_device(mapping->major, mapping->minor)) &&
	       version->path != versions_path(mapping->path);
}

const struct version *versions_next(const struct versions *versions,
				    const struct perfdata_mapping *mapping, size_t *cursor)
{
	const struct inode request = {
		.dev = versions_device(mapping->major, mapping->minor),
		.ino = mapping->ino,
	};

	if (!mapping->has_inode || !mapping->ino)
		return NULL;
	if (!*cursor)
		*cursor = array_lower_bound(&request, versions->inodes, versions->nr_inodes,
					    sizeof(request), compare_inodes) +
			  1;
	for (; *cursor <= versions->nr_inodes; ++*cursor) {
		const struct inode *inode = &versions->inodes[*cursor - 1];
		const struct version *version = &versions->all[inode->version];

		if (compare_inodes(inode, &request))
			return NULL;
		if (version_is_of(version, mapping)) {
			++*cursor;
			return version;
		}
	}
	return NULL;
}

const struct version *versions_only(const struct versions *versions,
				    const struct perfdata_mapping *mapping)
{
	const struct version *only = NULL, *version;
	size_t cursor = 0;

	while ((version = versions_next(versions, mapping, &cursor))) {
		cursor += versions->inodes[cursor - 2].alike;
		if (version_has_another_path(version, mapping))
			continue;
		if (only && !version_same_content(only, version))
			return NULL;
		only = version;
	}
	return only;
}

/* The version after @inode, which is NULL at the last. */
static const struct inode *inode_after(const struct versions *versions, const struct inode *inode)
{
	const struct inode *next = inode + 1;

	if (next == versions->inodes + versions->nr_inodes || compare_inodes(inode, next))
		return NULL;
	return next;
}

/* The last version that the inode of @mapping had certainly reached by @time. */
static const struct inode *inode_at(const struct versions *versions,
				    const struct perfdata_mapping *mapping, uint64_t time)
{
	const struct inode request = {
		.dev = versions_device(mapping->major, mapping->minor),
		.ino = mapping->ino,
		.since.to = time + 1,
	};
	size_t after = array_lower_bound(&request, versions->inodes, versions->nr_inodes,
					 sizeof(request), compare_since);

	if (!after || compare_inodes(&versions->inodes[after - 1], &request))
		return NULL;
	return &versions->inodes[after - 1];
}

const struct version *versions_at(const struct versions *versions,
				  const struct perfdata_mapping *mapping, uint64_t time,
				  uint64_t *until)
{
	const struct inode *inode, *next;
	const struct version *version;

	*until = UINT64_MAX;
	inode = mapping->has_inode && mapping->ino ? inode_at(versions, mapping, time) : NULL;
	if (!inode)
		return NULL;
	if (inode->several)
		return versions_only(versions, mapping);
	version = &versions->all[inode->version];
	if (!version_is_of(version, mapping))
		return NULL;

	/* Later ones that it may already have reached. */
	for (next = inode_after(versions, inode); next && next->since.from <= time;
	     next = inode_after(versions, next))
		if (!version_same_content(version, &versions->all[next->version]))
			return NULL;
	*until = version->mapped && version->last > inode->since.to ? version->last :
								      inode->since.to;
	next = inode_after(versions, inode);
	if (!next)
		return version;
	if (version_unchanged(version, &versions->all[next->version]))
		*until = UINT64_MAX;
	/* It is known to change later, and may have changed before that, too. */
	else if (time > *until && time - *until > MOMENT)
		return NULL;
	return version;
}

void versions_free(struct versions *versions)
{
	free(versions->inodes);
	free(versions->all);
	hash_map_free(&versions->map);
}
