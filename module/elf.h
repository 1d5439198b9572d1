/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The build-id of an ELF image, from its bytes. No file, page, lock or allocation: callable from
 * any context, and compiled in user space, too, for fuzzing.
 */
#ifndef BID_ELF_H
#define BID_ELF_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
#endif

#include <buildid.h>

/**
 * struct bid_identity - the identity of a file's content
 * @kind: enum buildid_kind
 * @reason: enum buildid_reason
 * @len: bytes of identity
 * @bytes: the identity; bytes after @len are undefined
 */
struct bid_identity {
	u8 kind;
	u8 reason;
	u8 len;
	u8 bytes[BUILDID_ID_MAX];
};

/* Can a later read succeed? The reason is about this open file or this moment, not the content. */
static inline bool bid_reason_passes(u8 reason)
{
	return reason == BUILDID_REASON_IO || reason == BUILDID_REASON_INTERRUPTED ||
	       reason == BUILDID_REASON_CHANGING || reason == BUILDID_REASON_UNREADABLE;
}

/**
 * struct bid_reader - where an image's bytes come from
 * @read: copies @len bytes at @off to @buf; the range is within @size. 0 or -errno
 * @look: returns the address of the bytes instead of copying them, or NULL if they are not
 *	contiguous. They may change at any time. May be NULL
 * @size: bytes of the image
 */
struct bid_reader {
	int (*read)(struct bid_reader *reader, u64 off, void *buf, size_t len);
	const void *(*look)(struct bid_reader *reader, u64 off, size_t len);
	u64 size;
};

/**
 * struct bid_elf_limits - how much work an image may cause
 * @notes: how many notes are looked at
 * @bytes: how many bytes are read
 */
struct bid_elf_limits {
	u32 notes;
	u32 bytes;
};

/* The number of headers to walk at most: what ELF can count without an escape. */
#define BID_ELF_HEADERS_MAX 65535

int bid_elf_identify(struct bid_reader *reader, const struct bid_elf_limits *limits,
		     struct bid_identity *id);

void bid_elf_identify_notes(struct bid_reader *reader, struct bid_identity *id);

#endif /* BID_ELF_H */
