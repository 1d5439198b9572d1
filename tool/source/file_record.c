// SPDX-License-Identifier: GPL-2.0
/* File record: the layout that buildid.h gives. */

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "common/clock.h"
#include "file_record.h"

static size_t file_record_align(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

struct buildid_file *file_record_make(uint64_t record[FILE_RECORD_WORDS],
				      const struct file_state *state, const char *path)
{
	struct buildid_file *file = (void *)record;
	const struct build_id *id = &state->identity.id;
	const size_t length = path ? strlen(path) : 0;
	const bool has_path = length && length < PATH_MAX;
	size_t size = file_record_align(sizeof(*file));

	memset(record, 0, BUILDID_RECORD_MAX);
	*file = (struct buildid_file){
		.ino = state->ino,
		.user_ino = state->ino,
		.dev_major = state->major,
		.dev_minor = state->minor,
		.user_dev_major = state->major,
		.user_dev_minor = state->minor,
		.flags = has_path ? 0 : BUILDID_FILE_NO_PATH,
		.ctime = state->ctime,
		.mtime = state->mtime,
		.file_size = state->size,
		.kind = state->identity.kind,
		.reason = state->identity.reason,
		.id_len = (uint16_t)id->size,
		.path_len = has_path ? (uint16_t)length : 0,
		.data_off = (uint16_t)size,
	};
	memcpy((char *)record + size, id->bytes, id->size);
	size += file_record_align(id->size);
	if (has_path) {
		memcpy((char *)record + size, path, length);
		size += file_record_align(length + 1);
	}
	file->header = (struct buildid_record){
		.type = BUILDID_RECORD_FILE,
		.flags = BUILDID_RECORD_SNAPSHOT,
		.size = (uint32_t)size,
		.time_mono = clock_ns(CLOCK_MONOTONIC),
	};
	return file;
}

int file_record_of(int fd, uint64_t record[FILE_RECORD_WORDS])
{
	struct file_state state;

	file_state_read(&state, fd);
	file_record_make(record, &state, NULL);
	return buildid_record_check((const void *)record, BUILDID_RECORD_MAX);
}
