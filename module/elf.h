/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Identity of an ELF image, from its bytes. Pure code: no file, no page, no
 * allocation. Compiles in user space too, for unit tests and fuzzing.
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
 * struct bid_identity - what a file's content is called
 * @kind: enum buildid_kind
 * @reason: enum buildid_reason
 * @len: bytes of @bytes in use
 * @bytes: the identity; what follows it is not defined
 */
struct bid_identity {
	u8 kind;
	u8 reason;
	u8 len;
	u8 bytes[BUILDID_ID_MAX];
};

/**
 * struct bid_reader - where the bytes come from
 * @read: copies @len bytes at @off, wholly inside @size, to @buf; 0 or -errno
 * @look: may be NULL: likewise, but leads to the bytes where they are, or NULL
 *	when they are not in one piece. They may change while they are looked at
 * @size: of the image in bytes
 */
struct bid_reader {
	int (*read)(struct bid_reader *reader, u64 off, void *buf, size_t len);
	const void *(*look)(struct bid_reader *reader, u64 off, size_t len);
	u64 size;
};

/**
 * struct bid_elf_limits - how much work an image may cause
 * @notes: notes looked at
 * @bytes: bytes read
 */
struct bid_elf_limits {
	u32 notes;
	u32 bytes;
};

/* What the ELF format itself can count without an escape, and our bound. */
#define BID_ELF_HEADERS_MAX 65535

int bid_elf_identify(struct bid_reader *reader, const struct bid_elf_limits *limits,
		     struct bid_identity *id);

void bid_elf_identify_notes(struct bid_reader *reader, struct bid_identity *id);

#endif /* BID_ELF_H */
