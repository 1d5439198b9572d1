/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The build-id of an ELF image, from its bytes. Pure code: no file, no page, no lock, no
 * allocation. So it is called in any context, and compiles in user space, too, for
 * fuzzing.
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

/* Whether a reason may be one of this open file, or of this moment, and not of the content. */
static inline bool bid_reason_passes(u8 reason)
{
	return reason == BUILDID_REASON_IO || reason == BUILDID_REASON_INTERRUPTED ||
	       reason == BUILDID_REASON_CHANGING || reason == BUILDID_REASON_UNREADABLE;
}

/**
 * struct bid_reader - where an image's bytes come from
 * @read: copies @len bytes at @off, which are inside of @size, to @buf; 0 or -errno
 * @look: returns the address of the bytes in place of copying them, or NULL when they are
 *	not contiguous. They may change while they are looked at. @look may be NULL
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

/* The most headers that are walked: as many as ELF can count without an escape. */
#define BID_ELF_HEADERS_MAX 65535

int bid_elf_identify(struct bid_reader *reader, const struct bid_elf_limits *limits,
		     struct bid_identity *id);

void bid_elf_identify_notes(struct bid_reader *reader, struct bid_identity *id);

#endif /* BID_ELF_H */
