// SPDX-License-Identifier: GPL-2.0
/*
 * Any user can craft a file and map it: every number in an image is untrusted, and in a shared
 * mapping it may change while it is used. The rules that keep this safe:
 *
 * - An offset is compared with the size of the image before anything is added to it.
 * - What is added to an offset is at most 32 bits wide, or was compared with the size.
 * - A field read in place is read once (READ_ONCE).
 * - All work is charged to a budget of bytes and notes that only shrinks.
 */
#ifdef __KERNEL__
#include <linux/elf.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/swab.h>
#else
#include <byteswap.h>
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#define swab16	bswap_16
#define swab32	bswap_32
#define swab64	bswap_64
#define U32_MAX UINT32_MAX
#define noinline
#define __uninitialized
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define READ_ONCE(x)  __atomic_load_n(&(x), __ATOMIC_RELAXED)
#endif

#include "elf.h"

#ifndef PN_XNUM
#define PN_XNUM 0xffff
#endif

#define NOTE_GNU_BUILD_ID 3
#define NOTE_GO_BUILD_ID  4

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_DATA ELFDATA2LSB
#else
#define NATIVE_DATA ELFDATA2MSB
#endif

/* Bytes of headers to copy at a time, when they cannot be read in place. */
#define CHUNK_BYTES 448

/* Read a field once, in the byte order of the image. */
#define FIELD32(image, field) elf_get32(image, READ_ONCE(field))
#define FIELD64(image, field) elf_get64(image, READ_ONCE(field))

struct image {
	struct bid_reader *reader;
	struct bid_elf_limits left;
	bool swap;
	bool is64;
	u8 reason;
	struct bid_identity *id;
	u64 go_desc; /* the first Go build id of valid size, used without a GNU one */
	u32 go_len;
};

struct extent {
	u64 off;
	u64 len;
	u64 align;
};

struct table {
	u64 off;
	u32 num;
	u32 entsize;
	bool sections;
};

static u16 elf_get16(const struct image *image, u16 v)
{
	return image->swap ? swab16(v) : v;
}

static u32 elf_get32(const struct image *image, u32 v)
{
	return image->swap ? swab32(v) : v;
}

static u64 elf_get64(const struct image *image, u64 v)
{
	return image->swap ? swab64(v) : v;
}

/* Keep the most severe reason; the enum is not in order of severity. */
static void note_defect(struct image *image, u8 reason)
{
	static const u8 gravity[] = {
		[BUILDID_REASON_NO_NOTE] = 1,
		[BUILDID_REASON_TRUNCATED] = 2,
		[BUILDID_REASON_MALFORMED] = 3,
		[BUILDID_REASON_LIMIT] = 4,
	};

	if (gravity[reason] > gravity[image->reason])
		image->reason = reason;
}

/* Positive results of image_read() and the walkers; the reader may return any negative errno. */
#define IMAGE_ENDS  2
#define BUDGET_ENDS 3
#define TOO_MANY    4
#define NOTES_END   5

/* Always inline: with a constant length, no memcpy() call remains. */
static __always_inline int image_read(struct image *image, u64 off, void *buf, u32 len)
{
	struct bid_reader *reader = image->reader;
	const void *bytes = NULL;
	u64 size = reader->size;

	if (off > size || len > size - off)
		return IMAGE_ENDS;
	if (len > image->left.bytes) {
		/* a smaller note further on must not be found instead of this one */
		image->left.bytes = 0;
		return BUDGET_ENDS;
	}
	image->left.bytes -= len;
	if (reader->look)
		bytes = reader->look(reader, off, len);
	if (!bytes)
		return reader->read(reader, off, buf, len);
	memcpy(buf, bytes, len);
	return 0;
}

/* The bytes in place, charged as if read; NULL if they have to be copied. */
static const void *image_look(struct image *image, u64 off, u32 len)
{
	u64 size = image->reader->size;
	const void *bytes;

	if (!image->reader->look || off > size || len > size - off || len > image->left.bytes)
		return NULL;
	bytes = image->reader->look(image->reader, off, len);
	if (bytes)
		image->left.bytes -= len;
	return bytes;
}

/* Turn a result of image_read() into a reason and 0; pass errors on. */
static int defect_of(struct image *image, int err)
{
	if (err == IMAGE_ENDS)
		note_defect(image, BUILDID_REASON_TRUNCATED);
	else if (err == BUDGET_ENDS)
		note_defect(image, BUILDID_REASON_LIMIT);
	else
		return err;
	return 0;
}

/* Walkers return 1 or NOTES_END to end the search, 0 to continue, or -errno. */
static int copy_id(struct image *image, u8 kind, u64 desc, u32 descsz)
{
	int err;

	if (!descsz) {
		note_defect(image, BUILDID_REASON_MALFORMED);
		return 0;
	}
	if (descsz > BUILDID_ID_MAX) {
		note_defect(image, BUILDID_REASON_LIMIT);
		return 0;
	}
	err = image_read(image, desc, image->id->bytes, descsz);
	if (err)
		return defect_of(image, err);
	image->id->kind = kind;
	image->id->len = descsz;
	return 1;
}

struct note {
	Elf32_Nhdr hdr;
	char name[4];
};

/* Read a note's header and the start of its name; the name stays zero if it does not fit. */
static int read_note(struct image *image, u64 off, u64 room, struct note *note)
{
	const u32 *words;

	if (room < sizeof(*note))
		return image_read(image, off, note, sizeof(note->hdr));
	words = off & 3 ? NULL : image_look(image, off, sizeof(*note));
	if (!words)
		return image_read(image, off, note, sizeof(*note));
	note->hdr.n_namesz = READ_ONCE(words[0]);
	note->hdr.n_descsz = READ_ONCE(words[1]);
	note->hdr.n_type = READ_ONCE(words[2]);
	memcpy(note->name, &words[3], sizeof(note->name));
	return 0;
}

/* Returns NOTES_END when the budget is exhausted. */
static int pay_for_note(struct image *image)
{
	if (!image->left.notes) {
		note_defect(image, BUILDID_REASON_LIMIT);
		return NOTES_END;
	}
	image->left.notes--;
	return 0;
}

static int walk_notes(struct image *image, const struct extent *extent)
{
	u64 align = extent->align == 8 ? 8 : 4;
	u64 size = image->reader->size;
	u64 off = extent->off, end;
	bool cut = off > size || extent->len > size - off;
	int err;

	if (cut) {
		note_defect(image, BUILDID_REASON_TRUNCATED);
		if (off > size)
			return 0;
		end = size;
	} else {
		end = off + extent->len;
	}

	/* charge an extent without a note as well: there may be any number of them */
	if (end - off < sizeof(Elf32_Nhdr))
		return pay_for_note(image);
	while (end - off >= sizeof(Elf32_Nhdr)) {
		u64 desc, next, room = end - off;
		u32 namesz, descsz, type;
		struct note note = {};

		err = pay_for_note(image);
		if (err)
			return err;
		err = read_note(image, off, room, &note);
		if (err)
			return defect_of(image, err);
		namesz = elf_get32(image, note.hdr.n_namesz);
		descsz = elf_get32(image, note.hdr.n_descsz);
		type = elf_get32(image, note.hdr.n_type);

		/* sums of a few 32-bit numbers cannot overflow */
		desc = (sizeof(Elf32_Nhdr) + (u64)namesz + align - 1) & ~(align - 1);
		next = (desc + descsz + align - 1) & ~(align - 1);
		if (desc > room || descsz > room - desc) {
			note_defect(image,
				    cut ? BUILDID_REASON_TRUNCATED : BUILDID_REASON_MALFORMED);
			return 0;
		}

		if (namesz == 4 && type == NOTE_GNU_BUILD_ID && !memcmp(note.name, "GNU", 4)) {
			err = copy_id(image, BUILDID_KIND_GNU, off + desc, descsz);
			if (err)
				return err;
		} else if (namesz == 4 && type == NOTE_GO_BUILD_ID &&
			   !memcmp(note.name, "Go\0", 4) &&
			   (!image->go_len || image->go_len > BUILDID_ID_MAX)) {
			image->go_desc = off + desc;
			image->go_len = descsz;
		}

		/* the last note need not be padded */
		if (next >= room)
			return 0;
		off += next;
	}
	return 0;
}

static void segment_extent(const struct image *image, const void *entry, struct extent *extent)
{
	const Elf64_Phdr *p64 = entry;
	const Elf32_Phdr *p32 = entry;

	if (image->is64) {
		extent->off = FIELD64(image, p64->p_offset);
		extent->len = FIELD64(image, p64->p_filesz);
		extent->align = FIELD64(image, p64->p_align);
	} else {
		extent->off = FIELD32(image, p32->p_offset);
		extent->len = FIELD32(image, p32->p_filesz);
		extent->align = FIELD32(image, p32->p_align);
	}
}

static void section_extent(const struct image *image, const void *entry, struct extent *extent)
{
	const Elf64_Shdr *s64 = entry;
	const Elf32_Shdr *s32 = entry;

	if (image->is64) {
		extent->off = FIELD64(image, s64->sh_offset);
		extent->len = FIELD64(image, s64->sh_size);
		extent->align = FIELD64(image, s64->sh_addralign);
	} else {
		extent->off = FIELD32(image, s32->sh_offset);
		extent->len = FIELD32(image, s32->sh_size);
		extent->align = FIELD32(image, s32->sh_addralign);
	}
}

/* The index of the first note entry at or after @i, or @n. Most entries are something else. */
static u32 next_note(const struct image *image, const struct table *table, const u8 *entries, u32 i,
		     u32 n)
{
	/* the type has the same offset and size in both classes */
	u32 type = elf_get32(image, table->sections ? SHT_NOTE : PT_NOTE);
	u32 at = table->sections ? offsetof(Elf64_Shdr, sh_type) : offsetof(Elf64_Phdr, p_type);

	for (at += i * table->entsize; i < n; i++, at += table->entsize)
		if (READ_ONCE(*(const u32 *)(entries + at)) == type)
			break;
	return i;
}

static void extent_of(const struct image *image, const struct table *table, const u8 *entry,
		      struct extent *extent)
{
	if (table->sections)
		section_extent(image, entry, extent);
	else
		segment_extent(image, entry, extent);
}

static int walk_entries(struct image *image, const struct table *table, const u8 *entries, u32 n)
{
	struct extent extent;
	u32 i = 0;
	int err;

	while ((i = next_note(image, table, entries, i, n)) < n) {
		extent_of(image, table, entries + i++ * table->entsize, &extent);
		err = walk_notes(image, &extent);
		if (err)
			return err;
	}
	return 0;
}

/* Section 0 is reserved, whatever it contains. */
static u32 first_entry(const struct table *table)
{
	return table->sections ? 1 : 0;
}

/*
 * Collect all note entries first: walking the notes may map another page in place of the one that
 * has the entries. TOO_MANY if there are more than fit.
 */
static int walk_in_place(struct image *image, const struct table *table, const u8 *entries)
{
	struct extent extents[4] __uninitialized;
	u32 i = first_entry(table), j, found = 0;
	int err;

	while ((i = next_note(image, table, entries, i, table->num)) < table->num) {
		if (found == ARRAY_SIZE(extents))
			return TOO_MANY;
		extent_of(image, table, entries + i++ * table->entsize, &extents[found++]);
	}
	for (j = 0; j < found; j++) {
		err = walk_notes(image, &extents[j]);
		if (err)
			return err;
	}
	return 0;
}

/* Not inline: the chunk takes stack, and is rarely needed. */
static noinline int walk_copied(struct image *image, const struct table *table)
{
	u64 chunk[CHUNK_BYTES / sizeof(u64)] __uninitialized;
	u32 per_chunk = sizeof(chunk) / table->entsize;
	u32 i, n;
	int err;

	for (i = first_entry(table); i < table->num; i += n) {
		n = table->num - i < per_chunk ? table->num - i : per_chunk;
		err = image_read(image, table->off + (u64)i * table->entsize, chunk,
				 n * table->entsize);
		/* truncated table: walk the entries that exist */
		if (err == IMAGE_ENDS && n > 1) {
			n = 1;
			err = image_read(image, table->off + (u64)i * table->entsize, chunk,
					 table->entsize);
		}
		if (err)
			return defect_of(image, err);
		err = walk_entries(image, table, (u8 *)chunk, n);
		if (err)
			return err;
	}
	return 0;
}

static int walk_table(struct image *image, const struct table *table)
{
	const u8 *entries;
	int err;

	if (!table->num)
		return 0;
	if (table->off > image->reader->size)
		return defect_of(image, IMAGE_ENDS);
	/* fields are read as words, so the table has to be aligned */
	entries = table->off & (image->is64 ? 7 : 3) ?
			  NULL :
			  image_look(image, table->off, table->num * table->entsize);
	if (entries) {
		err = walk_in_place(image, table, entries);
		if (err != TOO_MANY)
			return err;
	}
	return walk_copied(image, table);
}

/* Section 0 holds the counts that do not fit in the ELF header. */
static int read_section0(struct image *image, u64 shoff, u32 *phnum, u64 *shnum)
{
	union {
		Elf64_Shdr s64;
		Elf32_Shdr s32;
	} sh;
	int err;

	err = image_read(image, shoff, &sh, image->is64 ? sizeof(sh.s64) : sizeof(sh.s32));
	if (err)
		return err;
	*phnum = elf_get32(image, image->is64 ? sh.s64.sh_info : sh.s32.sh_info);
	*shnum = image->is64 ? elf_get64(image, sh.s64.sh_size) : elf_get32(image, sh.s32.sh_size);
	return 0;
}

union header {
	u8 ident[EI_NIDENT];
	Elf64_Ehdr e64;
	Elf32_Ehdr e32;
};

static int read_tables(struct image *image, const union header *eh, struct table *segments,
		       struct table *sections)
{
	u32 phnum, phnum0, phentsize, shentsize;
	u64 shnum, shnum0;
	int err;

	if (image->is64) {
		segments->off = elf_get64(image, eh->e64.e_phoff);
		sections->off = elf_get64(image, eh->e64.e_shoff);
		phnum = elf_get16(image, eh->e64.e_phnum);
		shnum = elf_get16(image, eh->e64.e_shnum);
		phentsize = elf_get16(image, eh->e64.e_phentsize);
		shentsize = elf_get16(image, eh->e64.e_shentsize);
		segments->entsize = sizeof(Elf64_Phdr);
		sections->entsize = sizeof(Elf64_Shdr);
	} else {
		segments->off = elf_get32(image, eh->e32.e_phoff);
		sections->off = elf_get32(image, eh->e32.e_shoff);
		phnum = elf_get16(image, eh->e32.e_phnum);
		shnum = elf_get16(image, eh->e32.e_shnum);
		phentsize = elf_get16(image, eh->e32.e_phentsize);
		shentsize = elf_get16(image, eh->e32.e_shentsize);
		segments->entsize = sizeof(Elf32_Phdr);
		sections->entsize = sizeof(Elf32_Shdr);
	}

	if (!segments->off)
		phnum = 0;
	if (sections->off && shentsize != sections->entsize) {
		note_defect(image, BUILDID_REASON_MALFORMED);
		sections->off = 0;
	}
	if (phnum && phentsize != segments->entsize) {
		note_defect(image, BUILDID_REASON_MALFORMED);
		phnum = 0;
	}

	if (phnum == PN_XNUM || (sections->off && !shnum)) {
		err = sections->off ? read_section0(image, sections->off, &phnum0, &shnum0) :
				      IMAGE_ENDS;
		if (err) {
			err = defect_of(image, err);
			if (err)
				return err;
			/* at least PN_XNUM: use that */
			sections->off = 0;
		} else {
			if (phnum == PN_XNUM)
				phnum = phnum0;
			if (!shnum)
				shnum = shnum0;
		}
	}
	if (!sections->off)
		shnum = 0;
	if (phnum > BID_ELF_HEADERS_MAX || shnum > BID_ELF_HEADERS_MAX)
		note_defect(image, BUILDID_REASON_LIMIT);
	segments->num = phnum > BID_ELF_HEADERS_MAX ? BID_ELF_HEADERS_MAX : phnum;
	sections->num = shnum > BID_ELF_HEADERS_MAX ? BID_ELF_HEADERS_MAX : shnum;
	return 0;
}

static int elf_search(struct image *image)
{
	struct table segments = {}, sections = { .sections = true };
	u32 n = sizeof(union header);
	union header header __uninitialized;
	const u8 *ident = header.ident;
	int err;

	if (image->reader->size >= n) {
		err = image_read(image, 0, &header, sizeof(header));
	} else {
		n = image->reader->size;
		memset(&header, 0, sizeof(header));
		err = image_read(image, 0, &header, n);
	}
	if (err)
		return defect_of(image, err);
	if (n < SELFMAG || memcmp(ident, ELFMAG, SELFMAG)) {
		image->reason = BUILDID_REASON_NOT_ELF;
		return 0;
	}
	if (n < EI_NIDENT)
		return defect_of(image, IMAGE_ENDS);
	if ((ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64) ||
	    (ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB) ||
	    ident[EI_VERSION] != EV_CURRENT) {
		note_defect(image, BUILDID_REASON_MALFORMED);
		return 0;
	}
	image->is64 = ident[EI_CLASS] == ELFCLASS64;
	image->swap = ident[EI_DATA] != NATIVE_DATA;

	if (n < (image->is64 ? sizeof(header.e64) : sizeof(header.e32)))
		return defect_of(image, IMAGE_ENDS);

	err = read_tables(image, &header, &segments, &sections);
	if (err)
		return defect_of(image, err);
	err = walk_table(image, &segments);
	if (err)
		return err;
	/* Linker scripts and strippers leave notes that no segment covers. */
	return walk_table(image, &sections);
}

/**
 * bid_elf_identify() - find the build-id of an ELF image
 * @reader: the image
 * @limits: how much work the image may cause
 * @id: the identity, or the reason why there is none
 *
 * A GNU build-id in any PT_NOTE, else in any SHT_NOTE; else a Go build id, in the same order.
 *
 * Return: 0, or the reader's error, in which case @id is undefined.
 */
int bid_elf_identify(struct bid_reader *reader, const struct bid_elf_limits *limits,
		     struct bid_identity *id)
{
	struct image image = {
		.reader = reader,
		.left = *limits,
		.reason = BUILDID_REASON_NO_NOTE,
		.id = id,
	};
	int err;

	id->kind = BUILDID_KIND_NONE;
	id->reason = BUILDID_REASON_NONE;
	id->len = 0;
	err = elf_search(&image);
	if (err == NOTES_END)
		err = 0;
	if (!err && image.go_len)
		err = copy_id(&image, BUILDID_KIND_GO, image.go_desc, image.go_len);
	if (err < 0)
		return err;
	if (id->kind != BUILDID_KIND_GNU)
		id->reason = image.reason;
	return 0;
}

/**
 * bid_elf_identify_notes() - find the build-id among notes that are in memory
 * @reader: notes in this machine's byte order, one after the other; never fails
 * @id: as for bid_elf_identify()
 */
void bid_elf_identify_notes(struct bid_reader *reader, struct bid_identity *id)
{
	struct image image = {
		.reader = reader,
		.left = { .notes = U32_MAX, .bytes = U32_MAX },
		.reason = BUILDID_REASON_NO_NOTE,
		.id = id,
	};
	struct extent all = { .len = reader->size, .align = 4 };

	id->kind = BUILDID_KIND_NONE;
	id->reason = BUILDID_REASON_NONE;
	id->len = 0;
	if (walk_notes(&image, &all) <= 0)
		id->reason = image.reason;
}
