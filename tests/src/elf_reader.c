// SPDX-License-Identifier: GPL-2.0
/*
 * module/elf.c over pread(2), as a library for tests/lib/content.py. Where the module says
 * something else of a file it has read something else: how it parses is for tests/fuzz,
 * which compares that with others.
 */
#include <errno.h>
#include <unistd.h>

#include "elf.h"

struct fd_reader {
	struct bid_reader reader;
	int fd;
};

static int read_fd(struct bid_reader *reader, u64 off, void *buf, size_t len)
{
	struct fd_reader *of = (struct fd_reader *)reader;
	ssize_t n;

	for (; len; buf = (char *)buf + n, off += (u64)n, len -= (size_t)n) {
		n = pread(of->fd, buf, len, (off_t)off);
		if (n < 0)
			return -errno;
		if (!n)
			return -ENODATA;
	}
	return 0;
}

int identify(int fd, u64 size, struct bid_identity *id);

/* Returns 0, or the error of a read. */
int identify(int fd, u64 size, struct bid_identity *id)
{
	/* as the module's */
	static const struct bid_elf_limits limits = { .notes = 65536, .bytes = 16 << 20 };
	struct fd_reader of = { .reader = { .read = read_fd, .size = size }, .fd = fd };

	return bid_elf_identify(&of.reader, &limits, id);
}
