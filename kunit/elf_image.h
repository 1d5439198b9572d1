/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Builds ELF images, valid and broken, of both classes and byte orders, and checks what any result
 * of the parser must satisfy. Also built in user space.
 */
#ifndef BID_ELF_IMAGE_H
#define BID_ELF_IMAGE_H

#ifdef __KERNEL__
#include <linux/elf.h>
#include <linux/string.h>
#else
#include <elf.h>
#include <string.h>
#endif

#include "elf.h"

#define ELF_NOTE_GNU_ID 3
#define ELF_NOTE_GO_ID	4

/**
 * struct elf_image - an image that grows at its end
 * @bytes: of the image, and zeros after it
 * @room: how many there are
 * @size: of the image; more than @room when it did not fit
 * @is64: its class
 * @msb: its byte order
 */
struct elf_image {
	u8 *bytes;
	u64 room;
	u64 size;
	bool is64;
	bool msb;
};

static inline bool elf_fits(const struct elf_image *image)
{
	return image->size <= image->room;
}

/* Bytes outside the room are dropped. */
static inline void elf_put(struct elf_image *image, u64 at, u64 value, u32 width)
{
	u32 i;

	if (at > image->room || width > image->room - at)
		return;
	for (i = 0; i < width; i++)
		image->bytes[at + (image->msb ? width - 1 - i : i)] = value >> 8 * i;
}

/**
 * struct elf_field - where a field is, in either class
 * @at32: offset in its header
 * @width32: its bytes
 * @at64: offset in the 64-bit header
 * @width64: its bytes there
 */
struct elf_field {
	u8 at32;
	u8 width32;
	u8 at64;
	u8 width64;
};

#define ELF_FIELD(...) ((struct elf_field){ __VA_ARGS__ })

#define EHDR_TYPE      ELF_FIELD(16, 2, 16, 2)
#define EHDR_VERSION   ELF_FIELD(20, 4, 20, 4)
#define EHDR_PHOFF     ELF_FIELD(28, 4, 32, 8)
#define EHDR_SHOFF     ELF_FIELD(32, 4, 40, 8)
#define EHDR_EHSIZE    ELF_FIELD(40, 2, 52, 2)
#define EHDR_PHENTSIZE ELF_FIELD(42, 2, 54, 2)
#define EHDR_PHNUM     ELF_FIELD(44, 2, 56, 2)
#define EHDR_SHENTSIZE ELF_FIELD(46, 2, 58, 2)
#define EHDR_SHNUM     ELF_FIELD(48, 2, 60, 2)

#define PHDR_TYPE   ELF_FIELD(0, 4, 0, 4)
#define PHDR_OFFSET ELF_FIELD(4, 4, 8, 8)
#define PHDR_FILESZ ELF_FIELD(16, 4, 32, 8)
#define PHDR_ALIGN  ELF_FIELD(28, 4, 48, 8)

#define SHDR_TYPE      ELF_FIELD(4, 4, 4, 4)
#define SHDR_OFFSET    ELF_FIELD(16, 4, 24, 8)
#define SHDR_SIZE      ELF_FIELD(20, 4, 32, 8)
#define SHDR_INFO      ELF_FIELD(28, 4, 44, 4)
#define SHDR_ADDRALIGN ELF_FIELD(32, 4, 48, 8)

/* Sets a field of the header at @at. */
static inline void elf_set(struct elf_image *image, u64 at, struct elf_field field, u64 value)
{
	if (image->is64)
		elf_put(image, at + field.at64, value, field.width64);
	else
		elf_put(image, at + field.at32, value, field.width32);
}

static inline u32 elf_ehdr_size(const struct elf_image *image)
{
	return image->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

static inline u32 elf_phdr_size(const struct elf_image *image)
{
	return image->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
}

static inline u32 elf_shdr_size(const struct elf_image *image)
{
	return image->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

/* Grow the image by @len bytes; returns their offset. */
static inline u64 elf_grow(struct elf_image *image, u64 len)
{
	u64 at = image->size;

	image->size += len;
	return at;
}

static inline void elf_align(struct elf_image *image, u32 align)
{
	elf_grow(image, -image->size & (align - 1));
}

static inline u64 elf_append(struct elf_image *image, const void *from, u64 len)
{
	u64 at = elf_grow(image, len);

	if (elf_fits(image))
		memcpy(image->bytes + at, from, len);
	return at;
}

/* The ELF header; the image's class, byte order, bytes and room are set. */
static inline void elf_start(struct elf_image *image)
{
	memset(image->bytes, 0, image->room);
	image->size = 0;
	elf_append(image, ELFMAG, SELFMAG);
	elf_put(image, EI_CLASS, image->is64 ? ELFCLASS64 : ELFCLASS32, 1);
	elf_put(image, EI_DATA, image->msb ? ELFDATA2MSB : ELFDATA2LSB, 1);
	elf_put(image, EI_VERSION, EV_CURRENT, 1);
	elf_set(image, 0, EHDR_TYPE, ET_DYN);
	elf_set(image, 0, EHDR_VERSION, EV_CURRENT);
	elf_set(image, 0, EHDR_EHSIZE, elf_ehdr_size(image));
	elf_set(image, 0, EHDR_PHENTSIZE, elf_phdr_size(image));
	elf_set(image, 0, EHDR_SHENTSIZE, elf_shdr_size(image));
	image->size = elf_ehdr_size(image);
}

/* A table of @num program headers, PT_NULL: the offset of the first. */
static inline u64 elf_add_segments(struct elf_image *image, u32 num)
{
	u64 at = elf_grow(image, (u64)num * elf_phdr_size(image));

	elf_set(image, 0, EHDR_PHOFF, at);
	elf_set(image, 0, EHDR_PHNUM, num);
	return at;
}

static inline void elf_set_segment(struct elf_image *image, u64 table, u32 i, u32 type, u64 off,
				   u64 len, u64 align)
{
	u64 at = table + (u64)i * elf_phdr_size(image);

	elf_set(image, at, PHDR_TYPE, type);
	elf_set(image, at, PHDR_OFFSET, off);
	elf_set(image, at, PHDR_FILESZ, len);
	elf_set(image, at, PHDR_ALIGN, align);
}

/* A table of @num section headers, SHT_NULL: the offset of the first. */
static inline u64 elf_add_sections(struct elf_image *image, u32 num)
{
	u64 at = elf_grow(image, (u64)num * elf_shdr_size(image));

	elf_set(image, 0, EHDR_SHOFF, at);
	elf_set(image, 0, EHDR_SHNUM, num);
	return at;
}

static inline void elf_set_section(struct elf_image *image, u64 table, u32 i, u32 type, u64 off,
				   u64 len, u64 align)
{
	u64 at = table + (u64)i * elf_shdr_size(image);

	elf_set(image, at, SHDR_TYPE, type);
	elf_set(image, at, SHDR_OFFSET, off);
	elf_set(image, at, SHDR_SIZE, len);
	elf_set(image, at, SHDR_ADDRALIGN, align);
}

/* A note's header and name, with sizes that may be wrong. */
static inline u64 elf_add_note_header(struct elf_image *image, const char *name, u32 namesz,
				      u32 descsz, u32 type)
{
	u64 at = elf_grow(image, 3 * sizeof(u32));

	elf_put(image, at, namesz, sizeof(u32));
	elf_put(image, at + 4, descsz, sizeof(u32));
	elf_put(image, at + 8, type, sizeof(u32));
	elf_append(image, name, strlen(name) + 1);
	return at;
}

/* A note padded to @align on both ends of its content: its offset. */
static inline u64 elf_add_note(struct elf_image *image, const char *name, u32 type,
			       const void *desc, u32 descsz, u32 align)
{
	u64 at = elf_add_note_header(image, name, strlen(name) + 1, descsz, type);

	elf_grow(image, -(image->size - at) & (align - 1));
	elf_append(image, desc, descsz);
	elf_grow(image, -(image->size - at) & (align - 1));
	return at;
}

/* Go's linker counts two NULs in its name. */
static inline u64 elf_add_go_note(struct elf_image *image, const void *desc, u32 descsz)
{
	u64 at = elf_add_note_header(image, "Go", 4, descsz, ELF_NOTE_GO_ID);

	elf_grow(image, 1);
	elf_append(image, desc, descsz);
	elf_grow(image, -(image->size - at) & 3);
	return at;
}

/**
 * elf_identity_fault() - check invariants of the parser's result
 * @id: the result
 *
 * Return: NULL, or what is wrong with it.
 */
static inline const char *elf_identity_fault(const struct bid_identity *id)
{
	switch (id->kind) {
	case BUILDID_KIND_NONE:
		if (id->len)
			return "an id of no kind";
		if (id->reason == BUILDID_REASON_NONE)
			return "neither id nor reason";
		break;
	case BUILDID_KIND_GNU:
		if (id->reason != BUILDID_REASON_NONE)
			return "a GNU id, and a reason why not";
		break;
	case BUILDID_KIND_GO:
		if (id->reason == BUILDID_REASON_NONE || id->reason == BUILDID_REASON_NOT_ELF)
			return "a Go id without the reason why no GNU id";
		break;
	default:
		return "a kind that no parser gives";
	}
	if (id->reason > BUILDID_REASON_LIMIT)
		return "a reason that no parser gives";
	if (id->kind != BUILDID_KIND_NONE && !id->len)
		return "an id of no length";
	if (id->len > BUILDID_ID_MAX)
		return "an id that is too long";
	return NULL;
}

#endif /* BID_ELF_IMAGE_H */
