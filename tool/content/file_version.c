// SPDX-License-Identifier: GPL-2.0
/*
 * File version: by inode number, size and ctime, which users cannot set. Not by the device of an
 * open file: on btrfs and overlayfs each interface shows another one.
 */

#include <sys/stat.h>

#include "file_version.h"

#define SECOND 1000000000LL

void file_version_set(struct file_version *version, const struct buildid_file *file)
{
	*version = (struct file_version){
		file->ino,	 file->user_ino,  file->ctime,
		file->file_size, file->dev_major, file->dev_minor,
	};
}

bool file_version_is(const struct file_version *version, int fd)
{
	struct stat now;

	return version->ctime && !fstat(fd, &now) &&
	       (now.st_ino == version->ino || now.st_ino == version->user_ino) &&
	       now.st_ctim.tv_sec * SECOND + now.st_ctim.tv_nsec == version->ctime &&
	       (uint64_t)now.st_size == version->size;
}

bool file_version_equal(const struct file_version *one, const struct file_version *other)
{
	return one->ino == other->ino && one->user_ino == other->user_ino &&
	       one->ctime == other->ctime && one->size == other->size &&
	       one->dev_major == other->dev_major && one->dev_minor == other->dev_minor;
}
