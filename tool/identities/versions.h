/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Versions of files, from FILE records. A file gets a new version, with its own file_id and
 * identity, each time its content may have changed; so an inode can have several, found by file_id,
 * or by inode and time.
 */
#ifndef TOOL_VERSIONS_H
#define TOOL_VERSIONS_H

#include "common/hash_map.h"
#include "libbuildid/libbuildid.h"
#include "perfdata/rewrite.h"
#include "stream_clock.h"

/* struct perfdata_identity, in a quarter of the memory. */
struct content {
	const char *reason;
	bool known;
	uint8_t size;
	uint8_t id[PERFDATA_ID_MAX];
};

/**
 * struct version - one version of a file
 * @file_id: in FILE and MMAP records; later versions of an inode have higher ones
 * @dev: versions_device() of the file
 * @ino: inode number of the file
 * @user_dev: device in /proc/PID/maps of the process that mapped it first; on overlayfs
 *	it differs from @dev
 * @user_ino: inode number there
 * @path: versions_path()
 * @generation: of the inode
 * @seen: CLOCK_MONOTONIC of its first FILE record
 * @described: it had a FILE record
 * @unstable: BUILDID_FILE_UNSTABLE in the last one
 * @by_path: as of struct versions; without inodes
 * @mapped: @first and @last are set
 * @ctime: of the inode, nanoseconds since the epoch
 * @mtime: of the content, nanoseconds since the epoch
 * @file_size: in bytes
 * @first: time of the first mapping
 * @last: time of the last mapping
 * @content: its identity
 */
struct version {
	uint64_t file_id;
	uint64_t dev, ino;
	uint64_t user_dev, user_ino;
	uint64_t path;
	uint64_t seen;
	uint32_t generation;
	bool described, mapped, unstable, by_path;
	int64_t ctime, mtime;
	uint64_t file_size;
	uint64_t first, last;
	struct content content;
};

/**
 * struct inode - an inode of a version
 * @dev: its device
 * @ino: its number
 * @file_id: of the version
 * @since: the inode certainly did not have this version before the beginning, and certainly has it,
 *	or a later one, from the end on
 * @version: index
 * @several: several files have the number
 * @alike: how many of the inode's next versions are version_alike()
 */
struct inode {
	uint64_t dev, ino;
	uint64_t file_id;
	struct time_span since;
	uint32_t version;
	bool several;
	uint32_t alike;
};

/**
 * struct versions - all of them
 * @by_path: set at first: the records are perf's, of which an inode has no content, nor a content an
 *	inode; what a path leads to differs from process to process, and from one time to another
 */
struct versions {
	bool by_path;
	struct version *all;
	size_t count;
	struct hash_map map;  /* from a file_id */
	struct inode *inodes; /* sorted; both of each version */
	size_t nr_inodes;
};

#define VERSIONS_NONE UINT32_MAX

/* Add a version, or update it. 0 or -ENOMEM. */
int versions_add(struct versions *versions, const struct buildid_file *file);
/* The index of a version that may be added later. VERSIONS_NONE without memory. */
uint32_t versions_announce(struct versions *versions, uint64_t file_id);
/*
 * All are added: the functions below may be called. @clock dates the versions, NULL if
 * versions_at() is not called. 0 or -ENOMEM.
 */
int versions_ready(struct versions *versions, const struct stream_clock *clock);
/*
 * The next version with the inode of @mapping, and the generation if it has one, from the
 * oldest to the newest; NULL after the last. @cursor is 0 at first.
 */
const struct version *versions_next(const struct versions *versions,
				    const struct perfdata_mapping *mapping, size_t *cursor);
/*
 * What the inode of @mapping held at @time, or NULL if that is uncertain. From @until on it is
 * certain only if no record was lost since.
 */
const struct version *versions_at(const struct versions *versions,
				  const struct perfdata_mapping *mapping, uint64_t time,
				  uint64_t *until);
/* The content that all versions of the inode of @mapping have; NULL if they differ. */
const struct version *versions_only(const struct versions *versions,
				    const struct perfdata_mapping *mapping);
/* Whether @mapping may have this version, by its inode, or by its path. */
bool version_is_of(const struct version *version, const struct perfdata_mapping *mapping);
/* Whether both have the same known content. */
bool version_same_content(const struct version *one, const struct version *other);
/* Whether in addition nobody wrote to the file in between: only its ctime changed. */
bool version_unchanged(const struct version *one, const struct version *other);
/* Whether the two match the same mappings and have the same content. */
bool version_alike(const struct version *one, const struct version *other);
/*
 * If several files have one inode number, as on btrfs: whether this is another file than that of
 * @mapping.
 */
bool version_has_another_path(const struct version *version,
			      const struct perfdata_mapping *mapping);
void version_identity(const struct version *version, struct perfdata_identity *identity);
void versions_free(struct versions *versions);

/* A device number. */
uint64_t versions_device(uint32_t major, uint32_t minor);
/* A path's hash, without a trailing " (deleted)"; NULL counts as "". */
uint64_t versions_path(const char *path);

#endif
