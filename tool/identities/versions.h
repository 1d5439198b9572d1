/* SPDX-License-Identifier: GPL-2.0 */
/* Versions: of files, as FILE records tell of them. */
#ifndef TOOL_VERSIONS_H
#define TOOL_VERSIONS_H

#include "common/hash_map.h"
#include "libbuildid/libbuildid.h"
#include "perfdata/rewrite.h"

/**
 * struct version - one version of a file
 * @file_id: of its FILE record
 * @dev: as of versions_device()
 * @ino: on it
 * @user_dev: the same as /proc/PID/maps shows it to who mapped it first: of
 *	several overlayfs over one file each has its own
 * @user_ino: likewise
 * @path: as of versions_path()
 * @generation: of @ino
 * @ctime: when the inode last changed, nanoseconds since the epoch
 * @first: time of the first mapping of it
 * @last: of the last
 * @seen: these two are set
 * @identity: of its content
 */
struct version {
	uint64_t file_id;
	uint64_t dev, ino;
	uint64_t user_dev, user_ino;
	uint64_t path;
	uint32_t generation;
	int64_t ctime;
	uint64_t first, last;
	bool seen;
	struct perfdata_identity identity;
};

/* A way from an inode to a version. */
struct inode {
	uint64_t dev, ino;
	size_t version;
};

struct versions {
	struct version *all;
	size_t count;
	struct hash_map map;  /* from a file_id */
	struct inode *inodes; /* sorted; both that a version has */
	size_t nr_inodes;
};

#define VERSIONS_NONE UINT32_MAX

/* 0 or -ENOMEM. What is known of a version stays. */
int versions_add(struct versions *versions, const struct buildid_file *file);
/* The index of it, or VERSIONS_NONE. */
uint32_t versions_find(const struct versions *versions, uint64_t file_id);
/* Once all are added: 0 or -ENOMEM. */
int versions_ready(struct versions *versions);
/*
 * The next one that has the inode of @mapping, or NULL; @cursor is 0 at first. Those
 * of its inode, as mapped or as a user sees it, and of its generation if it has one.
 */
const struct version *versions_next(const struct versions *versions,
				    const struct perfdata_mapping *mapping, size_t *cursor);
/* Whether it can be what @mapping says it is of. */
bool version_is_of(const struct version *version, const struct perfdata_mapping *mapping);
void versions_free(struct versions *versions);

/* A device as one number. */
uint64_t versions_device(uint32_t major, uint32_t minor);
/* A path as one number; NULL is like "". */
uint64_t versions_path(const char *path);

#endif
