// SPDX-License-Identifier: GPL-2.0
/* File state: the kinds of identity in the order in which the module looks for them. */

#include <errno.h>
#include <linux/fsverity.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include "content/elf_file.h"
#include "content/htlhash.h"
#include "file_state.h"

#define SECOND 1000000000LL

void file_state_set(struct file_state *state, const struct stat *stat_)
{
	*state = (struct file_state){
		.major = major(stat_->st_dev),
		.minor = minor(stat_->st_dev),
		.ino = stat_->st_ino,
		.ctime = stat_->st_ctim.tv_sec * SECOND + stat_->st_ctim.tv_nsec,
		.mtime = stat_->st_mtim.tv_sec * SECOND + stat_->st_mtim.tv_nsec,
		.size = (uint64_t)stat_->st_size,
	};
}

static bool read_verity(int fd, struct identity *identity)
{
	_Alignas(
		struct fsverity_digest) char buffer[sizeof(struct fsverity_digest) + BUILDID_ID_MAX];
	struct fsverity_digest *digest = (void *)buffer;

	digest->digest_size = BUILDID_ID_MAX;
	if (ioctl(fd, FS_IOC_MEASURE_VERITY, digest) ||
	    !build_id_set(&identity->id, digest->digest, digest->digest_size))
		return false;
	identity->kind = BUILDID_KIND_FSVERITY;
	return true;
}

static void read_identity(int fd, uint64_t size, struct identity *identity)
{
	struct elf_info info;

	elf_file_id(fd, &info);
	*identity = (struct identity){ info.kind, info.reason, info.id };
	if (identity->kind != BUILDID_KIND_NONE || identity->reason == BUILDID_REASON_IO ||
	    read_verity(fd, identity))
		return;
	if (htlhash_read(fd, size, &identity->id))
		identity->kind = BUILDID_KIND_HTLHASH;
}

void file_state_read(struct file_state *state, int fd)
{
	struct file_state after;
	struct stat stat_;

	if (fstat(fd, &stat_)) {
		*state = (struct file_state){ .identity.reason = BUILDID_REASON_IO };
		return;
	}
	file_state_set(state, &stat_);
	read_identity(fd, state->size, &state->identity);
	if (fstat(fd, &stat_))
		return;
	file_state_set(&after, &stat_);
	if (after.ctime != state->ctime || after.size != state->size)
		state->identity = (struct identity){ .reason = BUILDID_REASON_CHANGING };
}
