// SPDX-License-Identifier: GPL-2.0
/*
 * module/elf.c in user space, beside libelf and the reader of notes that elfutils has.
 *
 * All three have to find the same build-id. What differs, and may:
 *
 * - Of a table or of notes that are cut off libelf reads less than is there, or nothing; the
 *   module looks at what is there. That goes for a last note that is not padded, and
 *   for notes in a section that says it is compressed, too.
 * - Headers of another size than ELF's, sections at offset 0, and more headers or notes than the
 *   limits allow are not looked at by the module; libelf takes them for what they should be.
 * - Where there are sections elfutils' reader looks at no segment, and the module at segments
 *   first. So both are asked about the image without the one, and without the other.
 * - The first note of GNU's ends elfutils' search, also when its id is empty, or larger than
 *   BUILDID_ID_MAX; the module takes the next one.
 */
#include <elfutils/libdwelf.h>
#include <err.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "content/elf_file.h"
#include "elf_image.h"
#include "fuzz.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Budgets that are nearly enough, to try of each image. */
#define NEARLY 4

/* What the hook and the worker allow; and next to nothing. */
static const struct bid_elf_limits all_limits[] = {
	{ .notes = 65536, .bytes = 16 << 20 },
	{ .notes = 32, .bytes = 8192 },
	{ .notes = 3, .bytes = 700 },
};

/* --------------------------------------------------------- one image -- */

/**
 * struct image_reader - reads an image in memory, and keeps count
 * @reader: to hand to the parser
 * @bytes: of the image; nothing else is there
 * @window: what was looked at last
 * @reads: times it was called
 * @got: bytes it gave
 * @fail_at: the read that fails, counting from 1
 */
struct image_reader {
	struct bid_reader reader;
	const u8 *bytes;
	u8 *window;
	u64 reads;
	u64 got;
	u64 fail_at;
};

static int count_read(struct image_reader *image, u64 off, size_t len)
{
	u64 size = image->reader.size;

	if (off > size || len > size - off)
		fuzz_die("read outside: %zu bytes at %llu of %llu", len, (unsigned long long)off,
			 (unsigned long long)size);
	/* what was looked at before may not be looked at any more */
	free(image->window);
	image->window = NULL;
	if (++image->reads == image->fail_at)
		return -EIO;
	image->got += len;
	return 0;
}

static int read_image(struct bid_reader *reader, u64 off, void *buf, size_t len)
{
	struct image_reader *image = (struct image_reader *)reader;

	if (count_read(image, off, len))
		return -EIO;
	memcpy(buf, image->bytes + off, len);
	return 0;
}

/* As in the page cache: what lies in one page, aligned as it is there. */
static const void *look_at_image(struct bid_reader *reader, u64 off, size_t len)
{
	struct image_reader *image = (struct image_reader *)reader;

	if (off % 4096 + len > 4096 || count_read(image, off, len))
		return NULL;
	image->window = malloc(off % 8 + len + !len);
	if (!image->window)
		err(1, "malloc");
	memcpy(image->window + off % 8, image->bytes + off, len);
	return image->window + off % 8;
}

static int identify(const u8 *bytes, size_t size, bool in_place,
		    const struct bid_elf_limits *limits, struct image_reader *reader,
		    struct bid_identity *id)
{
	int err;

	reader->reader.read = read_image;
	reader->reader.look = in_place ? look_at_image : NULL;
	reader->reader.size = size;
	reader->bytes = bytes;
	memset(id, 0xa5, sizeof(*id));
	err = bid_elf_identify(&reader->reader, limits, id);
	free(reader->window);
	reader->window = NULL;
	return err;
}

/* What is true of each and every image: @id, when there is as much to spend. */
static struct image_reader check_with_limits(const u8 *bytes, size_t size, bool in_place,
					     const struct bid_elf_limits *limits,
					     struct bid_identity *id)
{
	struct image_reader reader = {};
	const char *fault;

	if (identify(bytes, size, in_place, limits, &reader, id))
		fuzz_die("an error although every read was good");
	fault = elf_identity_fault(id);
	if (fault)
		fuzz_die("%s", fault);
	if (reader.got > limits->bytes)
		fuzz_die("read %llu bytes", (unsigned long long)reader.got);
	/* headers are read a few at a time, a note may have an id to read */
	if (reader.reads > 4 + 2 * 65535 + 2 * (u64)limits->notes)
		fuzz_die("read %llu times", (unsigned long long)reader.reads);
	return reader;
}

static bool same(const struct bid_identity *a, const struct bid_identity *b)
{
	return a->kind == b->kind && a->reason == b->reason && a->len == b->len &&
	       !memcmp(a->bytes, b->bytes, a->len);
}

static void check_image(const u8 *bytes, size_t size)
{
	struct bid_identity generous, id;
	struct image_reader reader;
	struct bid_elf_limits less = all_limits[0];
	u64 reads, n;
	size_t i;

	reader = check_with_limits(bytes, size, false, &all_limits[0], &generous);
	reads = reader.reads;
	for (i = 1; i < 2 * ARRAY_SIZE(all_limits); i++) {
		check_with_limits(bytes, size, i & 1, &all_limits[i / 2], &id);
		if (i == 1 && !same(&id, &generous))
			fuzz_die("another answer in place");
		if (id.kind == BUILDID_KIND_GNU && !same(&id, &generous))
			fuzz_die("another id when there is less to spend");
	}

	/* a little less than enough: so many bytes less, or all of them */
	for (n = 1; n <= NEARLY; n++) {
		less.bytes = reader.got > n ? reader.got - n : 0;
		check_with_limits(bytes, size, n & 1, &less, &id);
		if (id.kind == BUILDID_KIND_GNU && !same(&id, &generous))
			fuzz_die("another id when there is a little less to spend");
	}

	reader = (struct image_reader){
		.reader = { .read = read_image, .size = size },
		.bytes = bytes,
	};
	bid_elf_identify_notes(&reader.reader, &id);
	if (elf_identity_fault(&id))
		fuzz_die("among notes: %s", elf_identity_fault(&id));

	for (n = 1; n <= reads; n += 1 + reads / 4) {
		reader = (struct image_reader){ .fail_at = n };
		if (identify(bytes, size, false, &all_limits[0], &reader, &id) != -EIO)
			fuzz_die("failure of read %llu was lost", (unsigned long long)n);
		if (reader.reads != n)
			fuzz_die("read on after a failure");
	}
}

/* -------------------------------------------------------------- others -- */

static bool same_as(const struct bid_identity *id, unsigned int kind, const void *bytes,
		    size_t size)
{
	return id->kind == kind && id->len == size && !memcmp(id->bytes, bytes, size);
}

static bool is_outside(uint64_t offset, uint64_t length, size_t size)
{
	return offset > size || length > size - offset;
}

/* The last note need not be padded. */
static bool is_unpadded(uint64_t length, uint64_t align)
{
	return length % (align == 8 ? 8 : 4);
}

/* Numbers that need more than 16 bits are in section 0. */
static uint64_t count_segments(Elf *elf, const GElf_Ehdr *file)
{
	GElf_Shdr header;

	return file->e_phnum == PN_XNUM && gelf_getshdr(elf_getscn(elf, 0), &header) ?
		       header.sh_info :
		       file->e_phnum;
}

static uint64_t count_sections(Elf *elf, const GElf_Ehdr *file)
{
	GElf_Shdr header;

	return !file->e_shnum && gelf_getshdr(elf_getscn(elf, 0), &header) ? header.sh_size :
									     file->e_shnum;
}

/* What libelf does not read: a table or a note that is cut off, or see above. */
static bool is_cut(int fd, size_t size)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *section = NULL;
	struct elf_info info;
	GElf_Phdr segment;
	GElf_Shdr header;
	GElf_Ehdr file;
	bool cut;
	size_t i;

	elf_file_info(fd, &info);
	cut = info.sections_missing || !gelf_getehdr(elf, &file) ||
	      is_outside(file.e_phoff, count_segments(elf, &file) * file.e_phentsize, size);
	for (i = 0; gelf_getphdr(elf, (int)i, &segment); i++)
		if (segment.p_type == PT_NOTE)
			cut |= is_outside(segment.p_offset, segment.p_filesz, size) ||
			       is_unpadded(segment.p_filesz, segment.p_align);
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE)
			cut |= header.sh_flags & SHF_COMPRESSED ||
			       is_unpadded(header.sh_size, header.sh_addralign);
	elf_end(elf);
	return cut;
}

/* What the module does not read, nor does the kernel's loader. @got: bytes it has read. */
static bool is_refused(const struct bid_identity *id, int fd, u64 got)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	bool limit = id->reason == BUILDID_REASON_LIMIT;
	bool refused = limit && got >= all_limits[0].notes * sizeof(GElf_Nhdr);
	GElf_Ehdr file;

	if (gelf_getehdr(elf, &file))
		refused |=
			(!file.e_shoff && file.e_shnum) ||
			(file.e_phnum && file.e_phentsize != gelf_fsize(elf, ELF_T_PHDR, 1, 1)) ||
			(file.e_shoff && file.e_shentsize != gelf_fsize(elf, ELF_T_SHDR, 1, 1)) ||
			(limit && (count_segments(elf, &file) > BID_ELF_HEADERS_MAX ||
				   count_sections(elf, &file) > BID_ELF_HEADERS_MAX));
	elf_end(elf);
	return refused;
}

static _Noreturn void differ(const struct bid_identity *id, const char *who, size_t size)
{
	fuzz_die("kind %u of %u bytes, reason %u; %s: %zu bytes", id->kind, id->len, id->reason,
		 who, size);
}

/* As buildid id --verify compares them. False where they may differ. */
static bool compare_with_libelf(const struct bid_identity *id, int fd, size_t size, u64 got)
{
	struct elf_info info;

	elf_file_id(fd, &info);
	if (same_as(id, info.kind, info.id.bytes, info.id.size)) {
		fuzz_count(id->len ? "libelf finds the same" : "libelf finds none, too");
		return true;
	}
	if (is_refused(id, fd, got))
		fuzz_count("libelf reads what is refused");
	else if (id->kind != BUILDID_KIND_NONE && is_cut(fd, size))
		fuzz_count("libelf reads less of what is cut");
	else
		differ(id, "libelf", info.id.size);
	return false;
}

static void compare_with_elfutils(const struct bid_identity *id, int fd, size_t size)
{
	const void *found = NULL;
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	ssize_t length = dwelf_elf_gnu_build_id(elf, &found);

	if (found && (length <= 0 || length > BUILDID_ID_MAX))
		fuzz_count("elfutils stops at an empty or a large id");
	else if (found ? same_as(id, BUILDID_KIND_GNU, found, (size_t)length) :
			 id->kind != BUILDID_KIND_GNU)
		fuzz_count(found ? "elfutils finds the same" : "elfutils finds none, too");
	else if (id->kind == BUILDID_KIND_GNU && is_cut(fd, size))
		fuzz_count("elfutils reads less of what is cut");
	else
		differ(id, "elfutils", length > 0 ? (size_t)length : 0);
	elf_end(elf);
}

/* False for what is no ELF file. */
static bool drop_table(u8 *bytes, size_t size, bool sections)
{
	Elf64_Ehdr *e64 = (void *)bytes;
	Elf32_Ehdr *e32 = (void *)bytes;

	if (size < sizeof(*e64) || memcmp(bytes, ELFMAG, SELFMAG))
		return false;
	if (bytes[EI_CLASS] == ELFCLASS64 && sections)
		e64->e_shoff = e64->e_shnum = 0;
	else if (bytes[EI_CLASS] == ELFCLASS64)
		e64->e_phnum = 0;
	else if (sections)
		e32->e_shoff = e32->e_shnum = 0;
	else
		e32->e_phnum = 0;
	return true;
}

/* @table: whether there is but one. */
static void compare(const u8 *bytes, size_t size, bool table)
{
	struct image_reader reader = {};
	struct bid_identity id;
	int fd = fuzz_fd(0, bytes, size);

	identify(bytes, size, false, &all_limits[0], &reader, &id);
	if (compare_with_libelf(&id, fd, size, reader.got) && table)
		compare_with_elfutils(&id, fd, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	/* Without a byte to spare, so that the sanitizer sees every step aside. */
	u8 *copy = malloc(size ?: 1);
	int sections;

	if (!copy)
		err(1, "malloc");
	elf_version(EV_CURRENT);
	memcpy(copy, bytes, size);
	check_image(copy, size);
	compare(copy, size, false);
	for (sections = 0; sections < 2; sections++) {
		memcpy(copy, bytes, size);
		if (drop_table(copy, size, sections))
			compare(copy, size, true);
	}
	free(copy);
	return 0;
}
