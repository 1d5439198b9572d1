/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ELF images and the expected results. Also built in user space, as seeds for the fuzzer.
 */
#ifndef BID_ELF_CASES_H
#define BID_ELF_CASES_H

#include "elf_image.h"

#ifndef PN_XNUM
#define PN_XNUM 0xffff
#endif

static const char go_id[] =
	"W4zhrLfIDbU8CCgJmWg5/T4dqPd5ZxQvO4mLtqCuU/3qXkbs9RrV2mW3wkVZcX/HHf0xKCnzZ";

#define GO_LEN (sizeof(go_id) - 1)

/* The id that must be found, and the one that must not. */
static u8 gnu_id[BUILDID_ID_MAX + 1];
static u8 wrong_id[BUILDID_ID_MAX + 1];

/**
 * struct elf_answer - the expected result for an image
 * @kind: enum buildid_kind
 * @reason: enum buildid_reason
 * @len: bytes of identity: of gnu_id, or of go_id
 */
struct elf_answer {
	u8 kind;
	u8 reason;
	u8 len;
};

#define ANSWER(what, why, n) ((struct elf_answer){ BUILDID_KIND_##what, BUILDID_REASON_##why, (n) })
#define GNU(n)		     ANSWER(GNU, NONE, n)
#define GO		     ANSWER(GO, NO_NOTE, GO_LEN)
#define NONE(why)	     ANSWER(NONE, why, 0)

/**
 * struct elf_case - an image and the expected result
 * @name: what the case shows
 * @build: makes the image
 * @arg: for it
 * @answer: the expected result
 * @room: for the image, 0 for 8 KiB
 */
struct elf_case {
	const char *name;
	void (*build)(struct elf_image *image, u32 arg);
	u32 arg;
	struct elf_answer answer;
	u32 room;
};

/* Both classes in both byte orders. */
static const struct elf_format {
	const char *name;
	bool is64;
	bool msb;
} elf_formats[] __maybe_unused = {
	{ "64-bit LSB", true, false },
	{ "32-bit MSB", false, true },
	{ "32-bit LSB", false, false },
	{ "64-bit MSB", true, true },
};

static void fill_ids(void)
{
	u32 i;

	for (i = 0; i < sizeof(gnu_id); i++) {
		gnu_id[i] = 3 * i + 1;
		wrong_id[i] = 0xee;
	}
}

/* ---------------------------------------------------------- good images -- */

static u64 add_gnu(struct elf_image *image, u32 len)
{
	return elf_add_note(image, "GNU", ELF_NOTE_GNU_ID, gnu_id, len, 4);
}

static u64 add_wrong_gnu(struct elf_image *image)
{
	return elf_add_note(image, "GNU", ELF_NOTE_GNU_ID, wrong_id, 20, 4);
}

static u64 add_go(struct elf_image *image)
{
	return elf_add_go_note(image, go_id, GO_LEN);
}

static u64 add_abi_tag(struct elf_image *image)
{
	static const u8 abi[16] = { 0, 0, 0, 0, 3 };

	return elf_add_note(image, "GNU", 1, abi, sizeof(abi), 4);
}

/* Make everything from @at on the content of a PT_NOTE. */
static void cover(struct elf_image *image, u64 table, u32 i, u64 at, u64 align)
{
	elf_set_segment(image, table, i, PT_NOTE, at, image->size - at, align);
}

static void cover_section(struct elf_image *image, u64 table, u32 i, u64 at)
{
	elf_set_section(image, table, i, SHT_NOTE, at, image->size - at, 4);
}

static void gnu_of_len(struct elf_image *image, u32 len)
{
	u64 table = elf_add_segments(image, 2);

	elf_set_segment(image, table, 0, PT_LOAD, 0, 4096, 4096);
	cover(image, table, 1, add_gnu(image, len), 4);
}

static void headers_at_end(struct elf_image *image, u32 pad)
{
	u64 at = add_gnu(image, 20), end = image->size, table;

	elf_grow(image, pad);
	table = elf_add_segments(image, 3);
	elf_set_segment(image, table, 2, PT_NOTE, at, end - at, 4);
}

static void header_number(struct elf_image *image, u32 i)
{
	u64 table = elf_add_segments(image, i + 2);

	elf_set_segment(image, table, i + 1, PT_LOAD, 0, 64, 4096);
	cover(image, table, i, add_gnu(image, 20), 4);
}

static void last_of_segments(struct elf_image *image, u32 n)
{
	u64 table = elf_add_segments(image, n), at;
	u32 i;

	for (i = 0; i + 1 < n; i++) {
		cover(image, table, i, add_abi_tag(image), 4);
		elf_grow(image, 8);
	}
	at = add_gnu(image, 20);
	cover(image, table, i, at, 4);
}

static void after_other_notes(struct elf_image *image, u32 n)
{
	u64 table = elf_add_segments(image, 1), at = image->size;

	while (n--) {
		add_abi_tag(image);
		elf_add_note(image, "stapsdt", 3, wrong_id, 61, 4);
		elf_add_note(image, "FDO", 0xcafe1a7e, "{\"type\":\"deb\"}", 15, 4);
	}
	add_gnu(image, 20);
	add_abi_tag(image);
	cover(image, table, 0, at, 4);
}

/* A name of @len bytes, including the NUL, for all cases of padding. */
static void after_name_of_len(struct elf_image *image, u32 len)
{
	static const char name[] = "ABCDEFGHIJ";
	u64 table = elf_add_segments(image, 1), at = image->size;

	elf_add_note(image, name + sizeof(name) - len, ELF_NOTE_GNU_ID, wrong_id, 20, 4);
	add_gnu(image, 20);
	cover(image, table, 0, at, 4);
}

static void after_content_of_len(struct elf_image *image, u32 len)
{
	u64 table = elf_add_segments(image, 1), at = image->size;

	elf_add_note(image, "GNU", 1, wrong_id, len, 4);
	add_gnu(image, 20);
	cover(image, table, 0, at, 4);
}

/* No name at all. */
static void after_nameless(struct elf_image *image, u32 len)
{
	u64 table = elf_add_segments(image, 1), at = image->size;

	elf_grow(image, 12);
	elf_put(image, at + 4, len, 4);
	elf_put(image, at + 8, ELF_NOTE_GNU_ID, 4);
	elf_append(image, wrong_id, len);
	add_gnu(image, 20);
	cover(image, table, 0, at, 4);
}

/* .note.gnu.property comes first in a segment of its own alignment. */
static void after_property(struct elf_image *image, u32 len)
{
	u64 table = elf_add_segments(image, 1), at;

	elf_align(image, 8);
	at = elf_add_note(image, "GNU", 5, wrong_id, len, 8);
	elf_add_note(image, "GNU", ELF_NOTE_GNU_ID, gnu_id, 20, 8);
	cover(image, table, 0, at, 8);
}

static void property_segment_before(struct elf_image *image, u32 len)
{
	u64 table = elf_add_segments(image, 2);

	elf_align(image, 8);
	cover(image, table, 0, elf_add_note(image, "GNU", 5, wrong_id, len, 8), 8);
	cover(image, table, 1, add_gnu(image, 20), 4);
}

static void segment_aligned(struct elf_image *image, u32 align)
{
	u64 table = elf_add_segments(image, 1), at;

	at = elf_add_note(image, "Vendor", 9, wrong_id, 9, 4);
	add_gnu(image, 20);
	cover(image, table, 0, at, align);
}

/* Its segment, and the file, end with it. */
static void last_not_padded(struct elf_image *image, u32 len)
{
	u64 table = elf_add_segments(image, 1), at;

	at = add_abi_tag(image);
	image->size = add_gnu(image, len) + 16 + len;
	cover(image, table, 0, at, 4);
}

static void last_not_padded_to_8(struct elf_image *image, u32 len)
{
	u64 table = elf_add_segments(image, 1), at;

	at = elf_add_note(image, "GNU", ELF_NOTE_GNU_ID, gnu_id, len, 8);
	image->size = at + 16 + len;
	cover(image, table, 0, at, 8);
}

/* The id lies across the offset @at. */
static void straddling(struct elf_image *image, u32 at)
{
	u64 table = elf_add_segments(image, 1);

	elf_grow(image, at - 10 - 16 - image->size);
	cover(image, table, 0, add_gnu(image, 20), 4);
}

/* The longest there is, half of it on either side of the offset @at. */
static void longest_straddling(struct elf_image *image, u32 at)
{
	u64 table = elf_add_segments(image, 1);

	elf_grow(image, at - BUILDID_ID_MAX / 2 - 16 - image->size);
	cover(image, table, 0, add_gnu(image, BUILDID_ID_MAX), 4);
}

/* Its sizes before the offset @at, its type and name after it. */
static void note_header_straddling(struct elf_image *image, u32 at)
{
	u64 table = elf_add_segments(image, 1);

	elf_grow(image, at - 8 - image->size);
	cover(image, table, 0, add_gnu(image, 20), 4);
}

static void go_straddling(struct elf_image *image, u32 at)
{
	u64 table = elf_add_segments(image, 1);

	elf_grow(image, at - GO_LEN / 2 - 16 - image->size);
	cover(image, table, 0, add_go(image), 4);
}

/* A program header lies across the offset @at. */
static void segments_straddling(struct elf_image *image, u32 at)
{
	u64 note = add_gnu(image, 20), end = image->size, table;

	elf_grow(image, at - 40 - image->size);
	table = elf_add_segments(image, 3);
	elf_set_segment(image, table, 2, PT_NOTE, note, end - note, 4);
}

/* A section header lies across the offset @at. */
static void sections_straddling(struct elf_image *image, u32 at)
{
	u64 note = add_gnu(image, 20), end = image->size, table;

	elf_grow(image, at - 2 * elf_shdr_size(image) - 24 - image->size);
	table = elf_add_sections(image, 4);
	elf_set_section(image, table, 3, SHT_NOTE, note, end - note, 4);
}

static void after_empty_segments(struct elf_image *image, u32 n)
{
	u64 table = elf_add_segments(image, n + 1);
	u32 i;

	for (i = 0; i < n; i++)
		elf_set_segment(image, table, i, PT_NOTE, image->size, 0, 4);
	cover(image, table, n, add_gnu(image, 20), 4);
}

/* sh_addralign counts as p_align does. */
static void section_aligned_8(struct elf_image *image, u32 len)
{
	u64 table = elf_add_sections(image, 2), at;

	elf_align(image, 8);
	at = elf_add_note(image, "GNU", 5, wrong_id, len, 8);
	elf_add_note(image, "GNU", ELF_NOTE_GNU_ID, gnu_id, 20, 8);
	elf_set_section(image, table, 1, SHT_NOTE, at, image->size - at, 8);
}

static void section_without_segments(struct elf_image *image, u32 type)
{
	u64 at = add_gnu(image, 20), end = image->size, table;

	elf_set(image, 0, EHDR_TYPE, type);
	elf_set(image, 0, EHDR_PHENTSIZE, 0);
	elf_align(image, 8);
	table = elf_add_sections(image, 4);
	elf_set_section(image, table, 1, SHT_PROGBITS, 0, 64, 16);
	elf_set_section(image, table, 3, SHT_NOTE, at, end - at, 4);
}

static void section_number(struct elf_image *image, u32 i)
{
	u64 table = elf_add_sections(image, i + 2);

	cover_section(image, table, i, add_gnu(image, 20));
}

static void section_when_segments_have_none(struct elf_image *image, u32 arg)
{
	u64 segments = elf_add_segments(image, 2), sections = elf_add_sections(image, 3);

	elf_set_segment(image, segments, 0, PT_LOAD, 0, 64, 4096);
	cover(image, segments, 1, add_abi_tag(image), 4);
	cover_section(image, sections, 2, add_gnu(image, 20));
}

static void segment_before_section(struct elf_image *image, u32 arg)
{
	u64 segments = elf_add_segments(image, 1), sections = elf_add_sections(image, 2);

	cover_section(image, sections, 1, add_wrong_gnu(image));
	cover(image, segments, 0, add_gnu(image, 20), 4);
}

static void first_of_two(struct elf_image *image, u32 arg)
{
	u64 table = elf_add_segments(image, 1), at;

	at = add_gnu(image, 20);
	add_wrong_gnu(image);
	cover(image, table, 0, at, 4);
}

/* If the first is too long for the budget, the second must not be used. */
static void first_of_two_longer(struct elf_image *image, u32 len)
{
	u64 table = elf_add_segments(image, 1), at;

	at = add_gnu(image, len);
	elf_add_note(image, "GNU", ELF_NOTE_GNU_ID, wrong_id, 1, 4);
	cover(image, table, 0, at, 4);
}

/* As with 65,535 program headers or more: section 0 has the number. */
static void extended_segments(struct elf_image *image, u32 n)
{
	u64 sections = elf_add_sections(image, 1), segments = elf_add_segments(image, n);

	elf_set(image, 0, EHDR_PHNUM, PN_XNUM);
	elf_set(image, sections, SHDR_INFO, n);
	cover(image, segments, n - 1, add_gnu(image, 20), 4);
}

/* As with 65,280 sections or more: section 0 has the number. */
static void extended_sections(struct elf_image *image, u32 n)
{
	u64 table = elf_add_sections(image, n);

	elf_set(image, 0, EHDR_SHNUM, 0);
	elf_set(image, table, SHDR_SIZE, n);
	cover_section(image, table, n - 1, add_gnu(image, 20));
}

static void extended_both(struct elf_image *image, u32 n)
{
	u64 sections = elf_add_sections(image, n), segments = elf_add_segments(image, n);

	elf_set(image, 0, EHDR_PHNUM, PN_XNUM);
	elf_set(image, 0, EHDR_SHNUM, 0);
	elf_set(image, sections, SHDR_INFO, n);
	elf_set(image, sections, SHDR_SIZE, n);
	cover(image, segments, n - 1, add_go(image), 4);
	cover_section(image, sections, n - 1, add_gnu(image, 20));
}

/* Section 0 says that there are no program headers. */
static void extended_to_none(struct elf_image *image, u32 arg)
{
	u64 table = elf_add_sections(image, 2);

	elf_set(image, 0, EHDR_PHNUM, PN_XNUM);
	cover_section(image, table, 1, add_gnu(image, 20));
}

static void go_in_segment(struct elf_image *image, u32 arg)
{
	u64 table = elf_add_segments(image, 1);

	cover(image, table, 0, add_go(image), 4);
}

static void go_in_section(struct elf_image *image, u32 arg)
{
	u64 table = elf_add_sections(image, 2);

	cover_section(image, table, 1, add_go(image));
}

static void first_go_of_two(struct elf_image *image, u32 arg)
{
	u64 table = elf_add_segments(image, 1), at;

	at = add_go(image);
	elf_add_go_note(image, wrong_id, 83);
	cover(image, table, 0, at, 4);
}

static void gnu_after_go(struct elf_image *image, u32 arg)
{
	u64 table = elf_add_segments(image, 1), at;

	at = add_go(image);
	add_gnu(image, 20);
	cover(image, table, 0, at, 4);
}

static void gnu_in_section_go_in_segment(struct elf_image *image, u32 arg)
{
	u64 segments = elf_add_segments(image, 1), sections = elf_add_sections(image, 2);

	cover(image, segments, 0, add_go(image), 4);
	cover_section(image, sections, 1, add_gnu(image, 20));
}

static const struct elf_case elf_good[] __maybe_unused = {
	{ "a GNU id of 1 byte", gnu_of_len, 1, GNU(1) },
	{ "a GNU id of 8 bytes", gnu_of_len, 8, GNU(8) },
	{ "a GNU id of 16 bytes", gnu_of_len, 16, GNU(16) },
	{ "a GNU id of 20 bytes", gnu_of_len, 20, GNU(20) },
	{ "a GNU id of 32 bytes", gnu_of_len, 32, GNU(32) },
	{ "a GNU id of 64 bytes", gnu_of_len, 64, GNU(64) },
	{ "a GNU id of 128 bytes", gnu_of_len, 128, GNU(128) },
	{ "program headers at the end", headers_at_end, 0, GNU(20) },
	{ "program headers at an odd offset", headers_at_end, 5, GNU(20) },
	{ "program headers in another page", headers_at_end, 5000, GNU(20) },
	{ "the note is header 6", header_number, 6, GNU(20) },
	{ "the note is header 7", header_number, 7, GNU(20) },
	{ "the note is header 8", header_number, 8, GNU(20) },
	{ "the note is header 13", header_number, 13, GNU(20) },
	{ "the note is header 14", header_number, 14, GNU(20) },
	{ "the note is header 15", header_number, 15, GNU(20) },
	{ "the note is header 40", header_number, 40, GNU(20) },
	{ "in the second of two segments", last_of_segments, 2, GNU(20) },
	{ "in the last of nine segments", last_of_segments, 9, GNU(20) },
	{ "after other notes in its segment", after_other_notes, 1, GNU(20) },
	{ "after many notes in its segment", after_other_notes, 7, GNU(20) },
	{ "after a note without a name", after_nameless, 8, GNU(20) },
	{ "after an empty note without a name", after_nameless, 0, GNU(20) },
	{ "after a name of 2 bytes", after_name_of_len, 2, GNU(20) },
	{ "after a name of 3 bytes", after_name_of_len, 3, GNU(20) },
	{ "after a name of 4 bytes", after_name_of_len, 4, GNU(20) },
	{ "after a name of 5 bytes", after_name_of_len, 5, GNU(20) },
	{ "after a name of 9 bytes", after_name_of_len, 9, GNU(20) },
	{ "after an empty note", after_content_of_len, 0, GNU(20) },
	{ "after content of 1 byte", after_content_of_len, 1, GNU(20) },
	{ "after content of 3 bytes", after_content_of_len, 3, GNU(20) },
	{ "after content of 6 bytes", after_content_of_len, 6, GNU(20) },
	{ "8-aligned, after a property of 4 bytes", after_property, 4, GNU(20) },
	{ "8-aligned, after a property of 16 bytes", after_property, 16, GNU(20) },
	{ "8-aligned, after a property of 20 bytes", after_property, 20, GNU(20) },
	{ "an 8-aligned property segment before", property_segment_before, 20, GNU(20) },
	{ "p_align 0 is 4", segment_aligned, 0, GNU(20) },
	{ "p_align 1 is 4", segment_aligned, 1, GNU(20) },
	{ "p_align 2 is 4", segment_aligned, 2, GNU(20) },
	{ "p_align 4", segment_aligned, 4, GNU(20) },
	{ "p_align 4096 is 4", segment_aligned, 4096, GNU(20) },
	{ "the last note of 17 bytes is not padded", last_not_padded, 17, GNU(17) },
	{ "the last note of 1 byte is not padded", last_not_padded, 1, GNU(1) },
	{ "the last 8-aligned note is not padded", last_not_padded_to_8, 20, GNU(20) },
	{ "across offset 448", straddling, 448, GNU(20) },
	{ "across offset 896", straddling, 896, GNU(20) },
	{ "across offset 4096", straddling, 4096, GNU(20) },
	{ "128 bytes across offset 448", longest_straddling, 448, GNU(128) },
	{ "128 bytes across offset 4096", longest_straddling, 4096, GNU(128) },
	{ "its note's header across offset 448", note_header_straddling, 448, GNU(20) },
	{ "its note's header across offset 4096", note_header_straddling, 4096, GNU(20) },
	{ "a Go id across offset 448", go_straddling, 448, GO },
	{ "a Go id across offset 4096", go_straddling, 4096, GO },
	{ "program headers across offset 4096", segments_straddling, 4096, GNU(20) },
	{ "section headers across offset 4096", sections_straddling, 4096, GNU(20) },
	{ "after a segment of no bytes", after_empty_segments, 1, GNU(20) },
	{ "after seven segments of no bytes", after_empty_segments, 7, GNU(20) },
	{ "in a section of an object file", section_without_segments, ET_REL, GNU(20) },
	{ "in a section of an executable", section_without_segments, ET_EXEC, GNU(20) },
	{ "the note is section 1", section_number, 1, GNU(20) },
	{ "the note is section 7", section_number, 7, GNU(20) },
	{ "the note is section 11", section_number, 11, GNU(20) },
	{ "in an 8-aligned section, after a property of 4 bytes", section_aligned_8, 4, GNU(20) },
	{ "in an 8-aligned section, after a property of 20 bytes", section_aligned_8, 20, GNU(20) },
	{ "in a section when no segment has one", section_when_segments_have_none, 0, GNU(20) },
	{ "the first of two", first_of_two, 0, GNU(20) },
	{ "the first of two, and the longer", first_of_two_longer, 64, GNU(64) },
	{ "the number of segments is in section 0", extended_segments, 3, GNU(20) },
	{ "the number of sections is in section 0", extended_sections, 4, GNU(20) },
	{ "both numbers are in section 0", extended_both, 9, GNU(20) },
	{ "the number in section 0 is 0", extended_to_none, 0, GNU(20) },
	{ "a Go id in a segment", go_in_segment, 0, GO },
	{ "a Go id in a section", go_in_section, 0, GO },
	{ "the first of two Go ids", first_go_of_two, 0, GO },
	{ "GNU although Go comes first", gnu_after_go, 0, GNU(20) },
	{ "GNU in a section although Go is in a segment", gnu_in_section_go_in_segment, 0,
	  GNU(20) },
};

/* --------------------------------------------------- odd, hostile images -- */

static void change_ident(struct elf_image *image, u32 arg)
{
	gnu_of_len(image, 20);
	image->bytes[arg >> 8] = arg;
}

#define IDENT(index, value) ((index) << 8 | (value))

static void not_elf(struct elf_image *image, u32 size)
{
	memset(image->bytes, 0, image->room);
	image->size = 0;
	elf_append(image, "#!/bin/sh -e\nexec true\n", 23);
	image->size = size;
}

static void header_of_size(struct elf_image *image, u32 size)
{
	image->size = size;
}

static void nothing_in_it(struct elf_image *image, u32 arg)
{
}

static void notes_without_id(struct elf_image *image, u32 arg)
{
	u64 segments = elf_add_segments(image, 1), sections = elf_add_sections(image, 2);
	u64 at = add_abi_tag(image);

	cover(image, segments, 0, at, 4);
	cover_section(image, sections, 1, at);
}

static void note_of_name(struct elf_image *image, const char *name, u32 namesz, u32 type)
{
	u64 table = elf_add_segments(image, 1);
	u64 at = elf_add_note_header(image, name, namesz, 20, type);

	elf_align(image, 4);
	elf_append(image, wrong_id, 20);
	cover(image, table, 0, at, 4);
}

static void id_of_another_vendor(struct elf_image *image, u32 arg)
{
	note_of_name(image, "GNV", 4, ELF_NOTE_GNU_ID);
}

static void id_of_name_without_nul(struct elf_image *image, u32 arg)
{
	note_of_name(image, "GNUX", 4, ELF_NOTE_GNU_ID);
}

static void id_of_name_len(struct elf_image *image, u32 namesz)
{
	note_of_name(image, "GNU", namesz, ELF_NOTE_GNU_ID);
}

static void id_of_type(struct elf_image *image, u32 type)
{
	note_of_name(image, "GNU", 4, type);
}

static void go_of_type(struct elf_image *image, u32 type)
{
	note_of_name(image, "Go\0", 4, type);
}

static void phentsize(struct elf_image *image, u32 delta)
{
	gnu_of_len(image, 20);
	elf_set(image, 0, EHDR_PHENTSIZE, elf_phdr_size(image) + delta);
}

static void shentsize(struct elf_image *image, u32 delta)
{
	section_number(image, 2);
	elf_set(image, 0, EHDR_SHENTSIZE, elf_shdr_size(image) + delta);
}

/* Offsets near the end of the 64-bit range, or of what the field holds. */
static void phoff_from_end(struct elf_image *image, u32 below)
{
	gnu_of_len(image, 20);
	elf_set(image, 0, EHDR_PHOFF, -(u64)below);
}

static void phoff_past_image(struct elf_image *image, u32 by)
{
	gnu_of_len(image, 20);
	elf_set(image, 0, EHDR_PHOFF, image->size + by);
}

static void shoff_from_end(struct elf_image *image, u32 below)
{
	section_number(image, 2);
	elf_set(image, 0, EHDR_SHOFF, -(u64)below);
}

static void extended_without_sections(struct elf_image *image, u32 arg)
{
	elf_add_segments(image, 2);
	elf_set(image, 0, EHDR_PHNUM, PN_XNUM);
}

static void extended_past_image(struct elf_image *image, u32 arg)
{
	elf_add_segments(image, 2);
	elf_set(image, 0, EHDR_PHNUM, PN_XNUM);
	elf_set(image, 0, EHDR_SHOFF, image->size - 1);
}

static void segment_at(struct elf_image *image, u64 off, u64 len)
{
	u64 table = elf_add_segments(image, 1);

	elf_grow(image, 64);
	elf_set_segment(image, table, 0, PT_NOTE, off, len, 4);
}

static void segment_from_end(struct elf_image *image, u32 below)
{
	segment_at(image, -(u64)below, 2ULL * below);
}

static void segment_past_image(struct elf_image *image, u32 by)
{
	segment_at(image, image->size + elf_phdr_size(image) + 64 + by, 64);
}

static void segment_longer_than_all(struct elf_image *image, u32 less)
{
	segment_at(image, image->size, -(u64)less);
}

/* Sizes of a note, in a segment that is whole. */
static void note_of_sizes(struct elf_image *image, u32 namesz, u32 descsz)
{
	u64 table = elf_add_segments(image, 1);
	u64 at = elf_add_note_header(image, "GNU", namesz, descsz, ELF_NOTE_GNU_ID);

	elf_append(image, wrong_id, 32);
	cover(image, table, 0, at, 4);
}

static void huge_namesz(struct elf_image *image, u32 less)
{
	note_of_sizes(image, ~0U - less, 20);
}

static void huge_descsz(struct elf_image *image, u32 less)
{
	note_of_sizes(image, 4, ~0U - less);
}

static void huge_sizes(struct elf_image *image, u32 less)
{
	note_of_sizes(image, ~0U - less, ~0U - less);
}

/* Wrapped to 32 bits, its length would lead to the next note. */
static void name_wraps_to_next_note(struct elf_image *image, u32 less)
{
	u64 table = elf_add_segments(image, 1);
	u64 at = elf_add_note_header(image, "GNU", ~0U - less, 20, ELF_NOTE_GNU_ID);

	elf_grow(image, 16);
	add_wrong_gnu(image);
	cover(image, table, 0, at, 4);
}

static void note_past_segment(struct elf_image *image, u32 by)
{
	note_of_sizes(image, 4, 32 + by);
}

static void name_past_segment(struct elf_image *image, u32 by)
{
	note_of_sizes(image, 36 + by, 0);
}

static void id_of_len(struct elf_image *image, u32 len)
{
	u64 table = elf_add_segments(image, 1), at;

	at = elf_add_note(image, "GNU", ELF_NOTE_GNU_ID, wrong_id, len, 4);
	cover(image, table, 0, at, 4);
}

static void go_of_len(struct elf_image *image, u32 len)
{
	u64 table = elf_add_segments(image, 1), at;

	at = elf_add_go_note(image, wrong_id, len);
	cover(image, table, 0, at, 4);
}

static void go_behind_one_of_len(struct elf_image *image, u32 len)
{
	u64 table = elf_add_segments(image, 1), at;

	at = elf_add_go_note(image, wrong_id, len);
	add_go(image);
	cover(image, table, 0, at, 4);
}

static void segment_of_len(struct elf_image *image, u32 len)
{
	u64 table = elf_add_segments(image, 1);

	elf_set_segment(image, table, 0, PT_NOTE, elf_grow(image, 64), len, 4);
}

/* The defect is a segment's; a section has the id. */
static void mend(struct elf_image *image)
{
	u64 table = elf_add_sections(image, 2);

	cover_section(image, table, 1, add_gnu(image, 20));
}

static void mended_phentsize(struct elf_image *image, u32 delta)
{
	phentsize(image, delta);
	mend(image);
}

/* Read at offset 0 the end of the ELF header would be that of a note. */
static void no_phoff(struct elf_image *image, u32 num)
{
	u64 at;

	elf_grow(image, 56);
	at = add_gnu(image, 20);
	if (!image->is64)
		return;
	elf_set_segment(image, 0, 1, PT_NOTE, at, image->size - at, 4);
	elf_set(image, 0, EHDR_PHNUM, num);
	elf_set(image, 0, EHDR_PHENTSIZE, 56);
}

static void mended_phoff(struct elf_image *image, u32 below)
{
	phoff_from_end(image, below);
	mend(image);
}

static void mended_segment(struct elf_image *image, u32 below)
{
	segment_from_end(image, below);
	mend(image);
}

static void mended_note(struct elf_image *image, u32 less)
{
	huge_sizes(image, less);
	mend(image);
}

static void mended_id_of_len(struct elf_image *image, u32 len)
{
	id_of_len(image, len);
	mend(image);
}

static void id_of_len_and_another(struct elf_image *image, u32 len)
{
	u64 table = elf_add_segments(image, 1), at;

	at = elf_add_note(image, "GNU", ELF_NOTE_GNU_ID, wrong_id, len, 4);
	add_gnu(image, 20);
	cover(image, table, 0, at, 4);
}

/* What is there of the segment still counts. */
static void segment_cut_after_id(struct elf_image *image, u32 by)
{
	u64 table = elf_add_segments(image, 1), at = add_gnu(image, 20);

	elf_set_segment(image, table, 0, PT_NOTE, at, image->size - at + by, 4);
}

static void bad_sections_good_segment(struct elf_image *image, u32 below)
{
	gnu_of_len(image, 20);
	elf_set(image, 0, EHDR_SHOFF, -(u64)below);
	elf_set(image, 0, EHDR_SHNUM, 30);
}

static void segment_is_the_image(struct elf_image *image, u32 arg)
{
	u64 table = elf_add_segments(image, 1);

	elf_grow(image, 256);
	elf_set_segment(image, table, 0, PT_NOTE, 0, image->size, 4);
}

/* What looks like another header is not one, according to section 0. */
static void header_past_number(struct elf_image *image, u32 n)
{
	u64 sections = elf_add_sections(image, 1), segments = elf_add_segments(image, n + 1);

	elf_set(image, 0, EHDR_PHNUM, PN_XNUM);
	elf_set(image, sections, SHDR_INFO, n);
	cover(image, segments, n, add_wrong_gnu(image), 4);
}

static void section_past_number(struct elf_image *image, u32 n)
{
	u64 table = elf_add_sections(image, n + 1);

	elf_set(image, 0, EHDR_SHNUM, 0);
	elf_set(image, table, SHDR_SIZE, n);
	cover_section(image, table, n, add_wrong_gnu(image));
}

/* Headers of notes with nothing in them, before the one that counts. */
static void __maybe_unused notes_of_nothing(struct elf_image *image, u32 n)
{
	u64 segments = elf_add_segments(image, n + 1), note = add_gnu(image, 20);
	u32 i;

	for (i = 0; i < n; i++)
		elf_set_segment(image, segments, i, PT_NOTE, note, 0, 4);
	cover(image, segments, n, note, 4);
}

/* Many program headers, all of one note's. */
static void many_headers(struct elf_image *image, u32 n)
{
	u64 sections = elf_add_sections(image, 1), segments = elf_add_segments(image, n);

	elf_set(image, 0, EHDR_PHNUM, PN_XNUM);
	elf_set(image, sections, SHDR_INFO, n);
	cover(image, segments, n - 1, add_gnu(image, 20), 4);
}

static void huge_numbers(struct elf_image *image, u32 n)
{
	u64 sections = elf_add_sections(image, 1);

	elf_add_segments(image, 1);
	elf_set(image, 0, EHDR_PHNUM, PN_XNUM);
	elf_set(image, 0, EHDR_SHNUM, 0);
	elf_set(image, sections, SHDR_INFO, n);
	elf_set(image, sections, SHDR_SIZE, (u64)n << 32 | n);
}

static const struct elf_case elf_odd[] __maybe_unused = {
	{ "empty", not_elf, 0, NONE(NOT_ELF) },
	{ "one byte", not_elf, 1, NONE(NOT_ELF) },
	{ "a script", not_elf, 23, NONE(NOT_ELF) },
	{ "zeros after a script", not_elf, 4096, NONE(NOT_ELF) },
	{ "1 byte of magic", header_of_size, 1, NONE(NOT_ELF) },
	{ "3 bytes of magic", header_of_size, 3, NONE(NOT_ELF) },
	{ "magic and nothing else", header_of_size, 4, NONE(TRUNCATED) },
	{ "magic and class", header_of_size, 5, NONE(TRUNCATED) },
	{ "half an identification", header_of_size, 15, NONE(TRUNCATED) },
	{ "an identification and nothing else", header_of_size, 16, NONE(TRUNCATED) },
	{ "half a header", header_of_size, 33, NONE(TRUNCATED) },
	{ "a header less one byte", header_of_size, 51, NONE(TRUNCATED) },
	{ "a header and nothing else", nothing_in_it, 0, NONE(NO_NOTE) },
	{ "magic with a wrong byte", change_ident, IDENT(3, 'f'), NONE(NOT_ELF) },
	{ "class 0", change_ident, IDENT(EI_CLASS, 0), NONE(MALFORMED) },
	{ "class 3", change_ident, IDENT(EI_CLASS, 3), NONE(MALFORMED) },
	{ "byte order 0", change_ident, IDENT(EI_DATA, 0), NONE(MALFORMED) },
	{ "byte order 3", change_ident, IDENT(EI_DATA, 3), NONE(MALFORMED) },
	{ "version 0", change_ident, IDENT(EI_VERSION, 0), NONE(MALFORMED) },
	{ "version 2", change_ident, IDENT(EI_VERSION, 2), NONE(MALFORMED) },
	{ "notes without an id", notes_without_id, 0, NONE(NO_NOTE) },
	{ "another vendor's note of that type", id_of_another_vendor, 0, NONE(NO_NOTE) },
	{ "a name that does not end", id_of_name_without_nul, 0, NONE(NO_NOTE) },
	{ "a name of 3 bytes", id_of_name_len, 3, NONE(NO_NOTE) },
	{ "a name of 2 bytes", id_of_name_len, 2, NONE(NO_NOTE) },
	{ "GNU's note of another type", id_of_type, 4, NONE(NO_NOTE) },
	{ "GNU's note of a type that is 3 in another byte order", id_of_type, 0x03000000,
	  NONE(NO_NOTE) },
	{ "Go's note of another type", go_of_type, 3, NONE(NO_NOTE) },
	{ "e_phentsize too small", phentsize, -8, NONE(MALFORMED) },
	{ "e_phentsize too large", phentsize, 8, NONE(MALFORMED) },
	{ "e_phentsize odd", phentsize, 1, NONE(MALFORMED) },
	{ "e_shentsize too small", shentsize, -8, NONE(MALFORMED) },
	{ "e_shentsize too large", shentsize, 8, NONE(MALFORMED) },
	{ "e_phoff at the end", phoff_past_image, 0, NONE(TRUNCATED) },
	{ "e_phoff past the end", phoff_past_image, 1, NONE(TRUNCATED) },
	{ "e_phoff as high as can be", phoff_from_end, 1, NONE(TRUNCATED) },
	{ "e_phoff wraps to the header", phoff_from_end, 64, NONE(TRUNCATED) },
	{ "e_phnum without e_phoff", no_phoff, PT_NOTE, NONE(NO_NOTE) },
	{ "e_phoff wraps into the table", phoff_from_end, 32, NONE(TRUNCATED) },
	{ "e_shoff as high as can be", shoff_from_end, 1, NONE(TRUNCATED) },
	{ "e_shoff wraps to the header", shoff_from_end, 64, NONE(TRUNCATED) },
	{ "section 0 has a number, but there is none", extended_without_sections, 0,
	  NONE(TRUNCATED) },
	{ "section 0 is cut", extended_past_image, 0, NONE(TRUNCATED) },
	{ "p_offset at the end", segment_past_image, 0, NONE(TRUNCATED) },
	{ "p_offset past the end", segment_past_image, 1, NONE(TRUNCATED) },
	{ "p_offset + p_filesz wraps by little", segment_from_end, 4, NONE(TRUNCATED) },
	{ "p_offset + p_filesz wraps to the header", segment_from_end, 64, NONE(TRUNCATED) },
	{ "p_filesz as high as can be", segment_longer_than_all, 1, NONE(TRUNCATED) },
	{ "p_filesz wraps to the header", segment_longer_than_all, 64, NONE(TRUNCATED) },
	{ "a segment of no bytes", segment_of_len, 0, NONE(NO_NOTE) },
	{ "a segment of 11 bytes", segment_of_len, 11, NONE(NO_NOTE) },
	{ "a segment of 12 bytes", segment_of_len, 12, NONE(NO_NOTE) },
	{ "the name as long as can be", huge_namesz, 0, NONE(MALFORMED) },
	{ "the name wraps 32 bits", huge_namesz, 15, NONE(MALFORMED) },
	{ "the name wraps to the next note", name_wraps_to_next_note, 0, NONE(MALFORMED) },
	{ "the content as long as can be", huge_descsz, 0, NONE(MALFORMED) },
	{ "the content wraps 32 bits", huge_descsz, 15, NONE(MALFORMED) },
	{ "both as long as can be", huge_sizes, 0, NONE(MALFORMED) },
	{ "both wrap 32 bits", huge_sizes, 3, NONE(MALFORMED) },
	{ "the content ends past its segment", note_past_segment, 1, NONE(MALFORMED) },
	{ "the name ends past its segment", name_past_segment, 1, NONE(MALFORMED) },
	{ "an id of 0 bytes", id_of_len, 0, NONE(MALFORMED) },
	{ "an id of 129 bytes", id_of_len, 129, NONE(LIMIT) },
	{ "a Go id of 0 bytes", go_of_len, 0, NONE(NO_NOTE) },
	{ "a Go id of 129 bytes", go_of_len, 129, NONE(LIMIT) },
	{ "a Go id behind one of 129 bytes", go_behind_one_of_len, 129, GO },
	{ "a header past the number in section 0", header_past_number, 2, NONE(NO_NOTE) },
	{ "a section past the number in section 0", section_past_number, 2, NONE(NO_NOTE) },
	{ "section 0 is none, and has no note", section_number, 0, NONE(NO_NOTE) },
	{ "a segment that is the whole image", segment_is_the_image, 0, NONE(MALFORMED) },
	{ "more headers than can be", huge_numbers, 65536, NONE(LIMIT) },
	{ "headers as many as 32 bits count", huge_numbers, ~0U, NONE(LIMIT) },

	{ "e_phentsize wrong, a section has it", mended_phentsize, 8, GNU(20) },
	{ "e_phoff wrong, a section has it", mended_phoff, 64, GNU(20) },
	{ "a segment outside, a section has it", mended_segment, 64, GNU(20) },
	{ "a segment of nonsense, a section has it", mended_note, 3, GNU(20) },
	{ "an id of 0 bytes, a section has it", mended_id_of_len, 0, GNU(20) },
	{ "an id of 129 bytes, a section has it", mended_id_of_len, 129, GNU(20) },
	{ "an id of 0 bytes, and another", id_of_len_and_another, 0, GNU(20) },
	{ "an id of 129 bytes, and another", id_of_len_and_another, 129, GNU(20) },
	{ "a segment's before a section's", segment_before_section, 0, GNU(20) },
	{ "a segment cut after the id", segment_cut_after_id, 1, GNU(20) },
	{ "a segment cut long after the id", segment_cut_after_id, 1 << 20, GNU(20) },
	{ "sections outside, a segment has it", bad_sections_good_segment, 64, GNU(20) },
};

/* ------------------------------------------------------- how much work -- */

static void empty_notes(struct elf_image *image, u32 n)
{
	u64 table = elf_add_segments(image, 1);
	u64 at = elf_grow(image, 12ULL * n);

	add_gnu(image, 20);
	cover(image, table, 0, at, 4);
}

/* Each of many segments, or sections, has the same notes. */
static void same_notes_over_and_over(struct elf_image *image, u32 n)
{
	u64 sections = elf_add_sections(image, 1), segments = elf_add_segments(image, n);
	u64 at = elf_grow(image, 4080);
	u32 i;

	elf_set(image, 0, EHDR_PHNUM, PN_XNUM);
	elf_set(image, sections, SHDR_INFO, n);
	for (i = 0; i < n; i++)
		elf_set_segment(image, segments, i, PT_NOTE, at, 4080, 4);
}

static void same_sections_over_and_over(struct elf_image *image, u32 n)
{
	u64 table = elf_add_sections(image, n), at = elf_grow(image, 4080);
	u32 i;

	elf_set(image, 0, EHDR_SHNUM, 0);
	elf_set(image, table, SHDR_SIZE, n);
	for (i = 1; i < n; i++)
		elf_set_section(image, table, i, SHT_NOTE, at, 4080, 4);
}

static const struct elf_case elf_large[] __maybe_unused = {
	{ "the last of 65,535 headers", many_headers, 65535, GNU(20), .room = 5 << 20 },
	{ "the last of 65,536 headers", many_headers, 65536, NONE(LIMIT), .room = 5 << 20 },
	{ "after 65,535 notes", empty_notes, 65535, GNU(20), .room = 1 << 20 },
	{ "after 65,536 notes", empty_notes, 65536, NONE(LIMIT), .room = 1 << 20 },
	{ "65,535 segments of the same notes", same_notes_over_and_over, 65535, NONE(LIMIT),
	  .room = 5 << 20 },
	{ "65,535 sections of the same notes", same_sections_over_and_over, 65535, NONE(LIMIT),
	  .room = 5 << 20 },
};

#endif /* BID_ELF_CASES_H */
