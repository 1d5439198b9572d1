// SPDX-License-Identifier: GPL-2.0
/* Maps query: its struct is here, as the headers of Debian 12 are older. */

#include <fcntl.h>
#include <inttypes.h>
#include <linux/ioctl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "maps_query.h"

/* struct procmap_query of linux/fs.h. */
struct query {
	uint64_t size;
	uint64_t flags;
	uint64_t addr;
	uint64_t start, end;
	uint64_t vma_flags, page_size;
	uint64_t offset;
	uint64_t ino;
	uint32_t major, minor;
	uint32_t name_size;
	uint32_t id_size; /* in: of the buffer, out: 0 for none */
	uint64_t name;
	uint64_t id;
};

#define QUERY	    _IOWR('f', 17, struct query)
#define FILE_BACKED 0x20

bool maps_query_build_id(uint32_t pid, uint64_t addr, const struct maps_query_file *file,
			 struct build_id *id)
{
	uint8_t bytes[BUILDID_ID_MAX];
	struct query query = {
		.size = sizeof(query),
		.flags = FILE_BACKED,
		.addr = addr,
		.id_size = sizeof(bytes),
		.id = (uintptr_t)bytes,
	};
	char path[64];
	bool found;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	found = !ioctl(fd, QUERY, &query) && query.ino == file->ino && query.major == file->major &&
		query.minor == file->minor && query.id_size <= sizeof(bytes) &&
		build_id_set(id, bytes, query.id_size);
	close(fd);
	return found;
}
