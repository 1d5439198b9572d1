// SPDX-License-Identifier: GPL-2.0
/*
 * ELF files: the only file that knows libelf. Notes are found here and not by libdw's
 * dwelf_elf_gnu_build_id(), as that supports neither Go's notes nor a note's offset.
 */

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/copy.h"
#include "common/memory_limit.h"
#include "compressed.h"
#include "elf_file.h"

#define NT_GO_BUILD_ID 4

/* The module's limit, too: more is no table of notes. */
#define NOTES_MAX (16U << 20)
/*
 * For everything read from one file. libelf takes some 300 bytes per section, of which an object
 * built with -ffunction-sections has 100,000.
 */
#define MEMORY_MAX (128U << 20)

struct image {
	int fd;
	Elf *elf;
	uint64_t size;
	uint64_t notes_left; /* bytes of notes that may be read still */
	struct memory_limit limit;
};

/* False after the last, and for an unreadable one, where @index stays. */
static bool next_segment(Elf *elf, size_t *index, GElf_Phdr *segment)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) || *index >= count ||
	    !gelf_getphdr(elf, (int)*index, segment))
		return false;
	++*index;
	return true;
}

/* The same for sections; @section is NULL after the last. */
static bool next_section(Elf *elf, Elf_Scn **section, GElf_Shdr *header)
{
	*section = elf_nextscn(elf, *section);
	return *section && gelf_getshdr(*section, header);
}

/* -------------------------------------------------------------- notes -- */

/* Which notes to look for, and what to do with each. */
struct note {
	const char *owner; /* with the NULs that count in its size */
	size_t owner_size;
	unsigned int type;
	uint16_t kind;
	/* @at: offset of @bytes in the file. Returns true to end the search. */
	bool (*take)(void *to, const struct note *note, const char *bytes, size_t size,
		     uint64_t at);
};

static bool take_id(void *to, const struct note *note, const char *bytes, size_t size, uint64_t at)
{
	struct elf_info *info = to;

	if (!build_id_set(&info->id, bytes, size))
		return false;
	info->kind = note->kind;
	info->reason = BUILDID_REASON_NONE;
	info->id_offset = at;
	return true;
}

static const struct note gnu = {
	ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU), NT_GNU_BUILD_ID, BUILDID_KIND_GNU, take_id,
};

/* Go counts a second NUL as part of its name. */
static const struct note go = {
	"Go\0", sizeof("Go\0"), NT_GO_BUILD_ID, BUILDID_KIND_GO, take_id,
};

static bool find_in_data(void *to, const struct note *note, Elf_Data *data, uint64_t at)
{
	size_t offset = 0, next, owner, bytes;
	GElf_Nhdr header;

	while ((next = gelf_getnote(data, offset, &header, &owner, &bytes))) {
		const char *start = data->d_buf;

		if (header.n_type == note->type && header.n_namesz == note->owner_size &&
		    !memcmp(start + owner, note->owner, note->owner_size) &&
		    note->take(to, note, start + bytes, header.n_descsz, at + bytes))
			return true;
		offset = next;
	}
	return false;
}

/*
 * Read here, as libelf keeps all chunks in a list, and searches it for each new one: that would
 * take hours for a file full of notes.
 */
static bool find_in_copy(void *to, const struct note *note, const struct image *image,
			 uint64_t offset, Elf_Data *data)
{
	ssize_t got = pread(image->fd, data->d_buf, data->d_size, (off_t)offset);

	if (got <= 0)
		return false;
	data->d_size = (size_t)got;
	return gelf_xlatetom(image->elf, data, data,
			     (unsigned char)elf_getident(image->elf, NULL)[EI_DATA]) &&
	       find_in_data(to, note, data, offset);
}

static bool find_in_range(void *to, const struct note *note, struct image *image, uint64_t offset,
			  uint64_t size, uint64_t align)
{
	/* The alignment alone says whether notes are padded to 8 or to 4. */
	Elf_Data data = { .d_type = align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR,
			  .d_version = EV_CURRENT };
	bool found;

	if (offset >= image->size)
		return false;
	/* The first of truncated notes may be enough. */
	if (size > image->size - offset)
		size = image->size - offset;
	if (size > image->notes_left)
		size = image->notes_left;
	image->notes_left -= size;
	data.d_size = size;
	data.d_buf = malloc(size);
	found = data.d_buf && find_in_copy(to, note, image, offset, &data);
	free(data.d_buf);
	return found;
}

static bool find_in_segments(void *to, const struct note *note, struct image *image)
{
	GElf_Phdr segment;
	size_t i = 0;

	image->notes_left = NOTES_MAX;
	while (next_segment(image->elf, &i, &segment))
		if (segment.p_type == PT_NOTE && find_in_range(to, note, image, segment.p_offset,
							       segment.p_filesz, segment.p_align))
			return true;
	return false;
}

static bool find_in_sections(void *to, const struct note *note, struct image *image)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (next_section(image->elf, &section, &header))
		if (header.sh_type == SHT_NOTE &&
		    find_in_range(to, note, image, header.sh_offset, header.sh_size,
				  header.sh_addralign))
			return true;
	return false;
}

static bool elf_file_find(struct elf_info *info, const struct note *note, struct image *image)
{
	return find_in_segments(info, note, image) || find_in_sections(info, note, image);
}

/* ------------------------------------------------------- completeness -- */

static bool is_cut(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset > image->size || size > image->size - offset;
}

static bool segments_cut(const struct image *image)
{
	GElf_Phdr segment;
	size_t count, i = 0;

	while (next_segment(image->elf, &i, &segment))
		if (segment.p_type == PT_LOAD && is_cut(image, segment.p_offset, segment.p_filesz))
			return true;
	return elf_getphdrnum(image->elf, &count) || i < count;
}

static bool sections_cut(const struct image *image)
{
	Elf_Scn *section = NULL;
	size_t count = 0;
	GElf_Shdr header;
	GElf_Ehdr file;

	if (!gelf_getehdr(image->elf, &file))
		return true;
	if (!file.e_shoff)
		return false;
	/* The number may be in section 0. libelf returns none for a truncated table. */
	if (elf_getshdrnum(image->elf, &count) || !count)
		return true;
	if (is_cut(image, file.e_shoff, (uint64_t)count * file.e_shentsize))
		return true;
	while (next_section(image->elf, &section, &header))
		if (header.sh_type != SHT_NULL && header.sh_type != SHT_NOBITS &&
		    is_cut(image, header.sh_offset, header.sh_size))
			return true;
	return section;
}

static bool has_symbols(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (next_section(elf, &section, &header))
		if (header.sh_type == SHT_SYMTAB)
			return header.sh_size;
	return false;
}

/* -------------------------------------------------------------- files -- */

static const struct elf_info unknown = {
	.kind = BUILDID_KIND_NONE,
	.reason = BUILDID_REASON_NOT_ELF,
};

static void close_image(const struct image *image)
{
	elf_end(image->elf);
	memory_limit_end(&image->limit);
}

/* libelf has no error for a failed read, but leaves errno alone. */
static uint16_t reason_unless_io(uint16_t reason)
{
	return errno == EIO ? BUILDID_REASON_IO : reason;
}

/* Returns whether to look for an identity; close with close_image(). */
static bool open_image(int fd, struct image *image, struct elf_info *info)
{
	struct stat stat;

	*info = unknown;
	if (fstat(fd, &stat)) {
		info->reason = BUILDID_REASON_IO;
		return false;
	}
	elf_version(EV_CURRENT);
	*image = (struct image){ .fd = fd, .size = (uint64_t)stat.st_size };
	memory_limit_begin(&image->limit, MEMORY_MAX);
	errno = 0;
	/* Read and not mapped: truncating the file must not kill the reader. */
	image->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (image->elf && elf_kind(image->elf) == ELF_K_ELF)
		return true;
	info->reason = reason_unless_io(BUILDID_REASON_NOT_ELF);
	close_image(image);
	return false;
}

static void find_id(struct elf_info *info, struct image *image)
{
	if (!elf_file_find(info, &gnu, image) && !elf_file_find(info, &go, image))
		info->reason = reason_unless_io(BUILDID_REASON_NO_NOTE);
}

void elf_file_id(int fd, struct elf_info *info)
{
	struct image image;

	if (!open_image(fd, &image, info))
		return;
	find_id(info, &image);
	close_image(&image);
}

bool elf_file_has_code(int fd, uint64_t offset, uint64_t size)
{
	Elf_Scn *section = NULL;
	struct elf_info unused;
	struct image image;
	GElf_Shdr header;
	bool has = false;

	if (!open_image(fd, &image, &unused))
		return false;
	while (!has && next_section(image.elf, &section, &header))
		has = header.sh_flags & SHF_EXECINSTR && header.sh_type == SHT_PROGBITS &&
		      header.sh_offset == offset && header.sh_size == size;
	close_image(&image);
	return has;
}

/* The next segment of code, like next_segment(). */
static bool next_code(Elf *elf, size_t *index, GElf_Phdr *segment)
{
	while (next_segment(elf, index, segment))
		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
			return true;
	return false;
}

/* Ignores the ELF header if it is in the segment: strip(1) changes its fields for sections. */
static bool same_segment(const struct image *one, const GElf_Phdr *segment,
			 const struct image *other, const GElf_Phdr *of_other)
{
	uint64_t begin = segment->p_offset ? 0 : sizeof(Elf64_Ehdr);

	if (segment->p_offset != of_other->p_offset || segment->p_vaddr != of_other->p_vaddr ||
	    segment->p_filesz != of_other->p_filesz)
		return false;
	return segment->p_filesz <= begin ||
	       same_bytes(one->fd, other->fd, segment->p_offset + begin, segment->p_filesz - begin);
}

static bool same_code(const struct image *one, const struct image *other)
{
	GElf_Phdr segment, of_other;
	size_t i = 0, j = 0;

	while (next_code(one->elf, &i, &segment))
		if (!next_code(other->elf, &j, &of_other) ||
		    !same_segment(one, &segment, other, &of_other))
			return false;
	return !next_code(other->elf, &j, &of_other);
}

bool elf_file_same_code(int one, int other)
{
	struct image of_one, of_other;
	struct elf_info unused;
	bool same;

	if (!open_image(one, &of_one, &unused))
		return false;
	same = open_image(other, &of_other, &unused);
	if (same) {
		same = same_code(&of_one, &of_other);
		close_image(&of_other);
	}
	close_image(&of_one);
	return same;
}

bool elf_notes_build_id(const void *notes, size_t size, struct build_id *id)
{
	struct elf_info info;
	Elf_Data data = {
		.d_buf = (void *)(uintptr_t)notes,
		.d_type = ELF_T_NHDR,
		.d_version = EV_CURRENT,
		.d_size = size,
	};

	elf_version(EV_CURRENT);
	if (!find_in_data(&info, &gnu, &data, 0))
		return false;
	*id = info.id;
	return true;
}

/* Packaging metadata, as systemd.io/ELF_PACKAGE_METADATA has it. */
#define NT_FDO_PACKAGE 0xcafe1a7e

struct package_notes {
	void (*found)(void *data, const char *text, size_t size);
	void *data;
	bool some;
};

static bool take_package(void *to, const struct note *note, const char *bytes, size_t size,
			 uint64_t at)
{
	struct package_notes *notes = to;

	(void)note;
	(void)at;
	notes->some = true;
	notes->found(notes->data, bytes, size);
	return false;
}

static const struct note package = {
	"FDO", sizeof("FDO"), NT_FDO_PACKAGE, BUILDID_KIND_NONE, take_package,
};

bool elf_file_package_notes(int fd, void (*found)(void *data, const char *text, size_t size),
			    void *data)
{
	struct package_notes notes = { found, data, false };
	struct elf_info info;
	struct image image;

	if (!open_image(fd, &image, &info))
		return info.reason != BUILDID_REASON_IO;
	errno = 0;
	find_in_segments(&notes, &package, &image);
	if (!notes.some)
		find_in_sections(&notes, &package, &image);
	close_image(&image);
	return errno != EIO;
}

static void fill_info(int fd, struct elf_info *info)
{
	struct image image;

	if (!open_image(fd, &image, info))
		return;
	find_id(info, &image);
	info->sections_missing = sections_cut(&image);
	info->truncated = info->sections_missing || segments_cut(&image);
	info->symbols = has_symbols(image.elf);
	close_image(&image);
}

void elf_file_info(int fd, struct elf_info *info)
{
	const char *problem;
	int inside;

	if (!is_compressed(fd)) {
		fill_info(fd, info);
		return;
	}
	inside = decompress(fd, &problem);
	if (inside < 0) {
		*info = unknown;
		info->problem = problem;
		return;
	}
	fill_info(inside, info);
	info->compressed = true;
	close(inside);
}

bool elf_file_build_id(int fd, struct build_id *id)
{
	struct elf_info info;

	elf_file_info(fd, &info);
	*id = info.id;
	return info.kind == BUILDID_KIND_GNU;
}

/* -------------------------------------------------------------- layout -- */

/* A segment is mapped in whole pages, so neighbouring bytes are mapped, too. */
static uint64_t begin_of(const GElf_Phdr *segment)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return segment->p_offset & ~(page - 1);
}

static bool has_mapped(const GElf_Phdr *segment, uint64_t offset)
{
	return segment->p_type == PT_LOAD && offset >= begin_of(segment) &&
	       offset < segment->p_offset + segment->p_filesz;
}

/* A page shared by two segments belongs to the first. */
static void stay_clear(struct elf_layout *layout, const GElf_Phdr *segment, uint64_t offset)
{
	uint64_t begin = begin_of(segment), end = segment->p_offset + segment->p_filesz;

	if (segment->p_type != PT_LOAD)
		return;
	if (begin > offset && begin - 1 < layout->last)
		layout->last = begin - 1;
	if (end <= offset && end > layout->first)
		layout->first = end;
}

static bool find_start(Elf *elf, uint64_t offset, struct elf_layout *layout)
{
	GElf_Phdr segment;
	size_t i = 0;

	layout->first = 0;
	layout->last = UINT64_MAX;
	while (next_segment(elf, &i, &segment)) {
		if (!has_mapped(&segment, offset)) {
			stay_clear(layout, &segment, offset);
			continue;
		}
		layout->start = segment.p_vaddr + offset - segment.p_offset;
		if (begin_of(&segment) > layout->first)
			layout->first = begin_of(&segment);
		if (segment.p_offset + segment.p_filesz - 1 < layout->last)
			layout->last = segment.p_offset + segment.p_filesz - 1;
		return true;
	}
	return false;
}

static bool find_address(Elf *elf, uint64_t offset, uint64_t *address)
{
	struct elf_layout layout;
	bool found = find_start(elf, offset, &layout);

	if (found)
		*address = layout.start;
	return found;
}

static bool has_debug_info(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while (next_section(elf, &section, &header)) {
		name = elf_strptr(elf, names, header.sh_name);
		if (name && header.sh_type != SHT_NOBITS &&
		    (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info")))
			return true;
	}
	return false;
}

bool elf_file_layout(int fd, uint64_t offset, uint64_t id_offset, struct elf_layout *layout)
{
	struct elf_info info;
	struct image image;
	bool known;

	if (!open_image(fd, &image, &info))
		return false;
	known = find_start(image.elf, offset, layout) &&
		find_address(image.elf, id_offset, &layout->id);
	layout->debug_info = known && has_debug_info(image.elf);
	close_image(&image);
	return known;
}

static bool find_offset(Elf *elf, uint64_t address, uint64_t *offset)
{
	GElf_Phdr segment;
	size_t i = 0;

	while (next_segment(elf, &i, &segment)) {
		if (segment.p_type != PT_LOAD || address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = segment.p_offset + address - segment.p_vaddr;
		return true;
	}
	return false;
}

size_t elf_file_offsets(int fd, uint64_t offset, uint64_t distance, uint64_t found[ELF_OFFSETS_MAX])
{
	struct elf_info info;
	struct image image;
	GElf_Phdr segment;
	size_t count = 0, i = 0;

	if (!open_image(fd, &image, &info))
		return 0;
	while (count < ELF_OFFSETS_MAX && next_segment(image.elf, &i, &segment))
		if (has_mapped(&segment, offset) &&
		    find_offset(image.elf, segment.p_vaddr + offset - segment.p_offset + distance,
				&found[count]))
			count++;
	close_image(&image);
	return count;
}
