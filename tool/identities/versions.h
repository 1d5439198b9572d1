/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Versions of files, from FILE records. A file has a new version, with a file_id and an
 * identity of its own, each time its content may have changed; so an inode can have
 * several, found by file_id or by inode.
 */
#ifndef TOOL_VERSIONS_H
#define TOOL_VERSIONS_H

#include "common/hash_map.h"
#include "libbuildid/libbuildid.h"
#include "perfdata/rewrite.h"

/**
 * struct version - one version of a file
 * @file_id: in FILE and MMAP records
 * @dev: versions_device() of the file
 * @ino: inode number of the file
 * @user_dev: device in /proc/PID/maps of the process that mapped it first; on overlayfs
 *	it differs from @dev
 * @user_ino: inode number there
 * @path: versions_path()
 * @generation: of the inode
 * @ctime: of the inode, nanoseconds since the epoch
 * @first: time of the first mapping
 * @last: time of the last mapping
 * @mapped: @first and @last are set
 * @identity: of the content
 */
struct version {
	uint64_t file_id;
	uint64_t dev, ino;
	uint64_t user_dev, user_ino;
	uint64_t path;
	uint32_t generation;
	int64_t ctime;
	uint64_t first, last;
	bool mapped;
	struct perfdata_identity identity;
};

/* An inode of a version. */
struct inode {
	uint64_t dev, ino;
	size_t version;
};

struct versions {
	struct version *all;
	size_t count;
	struct hash_map map;  /* from a file_id */
	struct inode *inodes; /* sorted; both of each version */
	size_t nr_inodes;
};

#define VERSIONS_NONE UINT32_MAX

/* Add a version, or what is new of it. 0 or -ENOMEM. */
int versions_add(struct versions *versions, const struct buildid_file *file);
/* The index of it, or VERSIONS_NONE. */
uint32_t versions_find(const struct versions *versions, uint64_t file_id);
/* All are added: versions_next() may be called. 0 or -ENOMEM. */
int versions_ready(struct versions *versions);
/*
 * The next version with the inode of @mapping, and the generation if it has one; NULL
 * after the last. @cursor is 0 at first.
 */
const struct version *versions_next(const struct versions *versions,
				    const struct perfdata_mapping *mapping, size_t *cursor);
/* Whether @mapping may have this version, by its inode. */
bool version_is_of(const struct version *version, const struct perfdata_mapping *mapping);
void versions_free(struct versions *versions);

/* A device number. */
uint64_t versions_device(uint32_t major, uint32_t minor);
/* A path's hash; NULL is like "". */
uint64_t versions_path(const char *path);

#endif
