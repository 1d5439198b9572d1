// SPDX-License-Identifier: GPL-2.0
/*
 * Embedded ELF: at the start of a member in the zip's directory, or else at the nearest page before
 * the offset. In either case only a header whose segments exist counts.
 */

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/copy.h"
#include "embedded_elf.h"
#include "zip.h"

/* A dozen is usual. */
#define SEGMENTS_MAX 128
#define SECTIONS_MAX 65536
/* In memory; a browser's libraries have 200 MiB. */
#define COPY_MAX (512U << 20)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_DATA ELFDATA2LSB
#else
#define NATIVE_DATA ELFDATA2MSB
#endif

struct image {
	int fd;
	uint64_t file_size;
	uint64_t start;
	uint64_t size; /* from there to the end of the file */
	bool is64;
	unsigned int *budget;
	Elf64_Ehdr header;
};

static bool read_at(const struct image *image, uint64_t offset, void *bytes, size_t size)
{
	if (!*image->budget || offset > image->size || size > image->size - offset)
		return false;
	--*image->budget;
	return pread(image->fd, bytes, size, (off_t)(image->start + offset)) == (ssize_t)size;
}

static void widen_header(const Elf32_Ehdr *from, Elf64_Ehdr *to)
{
	*to = (Elf64_Ehdr){
		.e_type = from->e_type,
		.e_machine = from->e_machine,
		.e_phoff = from->e_phoff,
		.e_shoff = from->e_shoff,
		.e_phentsize = from->e_phentsize,
		.e_phnum = from->e_phnum,
		.e_shentsize = from->e_shentsize,
		.e_shnum = from->e_shnum,
	};
}

/* Code that runs here has this machine's byte order. */
static bool read_header(struct image *image)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr e32;
		Elf64_Ehdr e64;
	} raw;

	if (!read_at(image, 0, &raw, sizeof(raw)) || memcmp(raw.ident, ELFMAG, SELFMAG) != 0 ||
	    raw.ident[EI_DATA] != NATIVE_DATA || raw.ident[EI_VERSION] != EV_CURRENT)
		return false;
	image->is64 = raw.ident[EI_CLASS] == ELFCLASS64;
	if (!image->is64 && raw.ident[EI_CLASS] != ELFCLASS32)
		return false;
	image->header = raw.e64;
	if (!image->is64)
		widen_header(&raw.e32, &image->header);
	return true;
}

static bool is_loadable(const struct image *image)
{
	const Elf64_Ehdr *header = &image->header;

	return (header->e_type == ET_DYN || header->e_type == ET_EXEC) &&
	       header->e_machine != EM_NONE && header->e_phnum <= SEGMENTS_MAX &&
	       header->e_phentsize == (image->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
}

static bool read_segment(const struct image *image, unsigned int index, Elf64_Phdr *segment)
{
	uint64_t at = image->header.e_phoff + (uint64_t)index * image->header.e_phentsize;
	Elf32_Phdr narrow;

	if (image->is64)
		return read_at(image, at, segment, sizeof(*segment));
	if (!read_at(image, at, &narrow, sizeof(narrow)))
		return false;
	*segment = (Elf64_Phdr){
		.p_type = narrow.p_type,
		.p_offset = narrow.p_offset,
		.p_filesz = narrow.p_filesz,
	};
	return true;
}

static bool read_section(const struct image *image, uint64_t index, Elf64_Shdr *section)
{
	uint64_t at = image->header.e_shoff + index * image->header.e_shentsize;
	Elf32_Shdr narrow;

	if (image->is64)
		return read_at(image, at, section, sizeof(*section));
	if (!read_at(image, at, &narrow, sizeof(narrow)))
		return false;
	*section = (Elf64_Shdr){
		.sh_type = narrow.sh_type,
		.sh_offset = narrow.sh_offset,
		.sh_size = narrow.sh_size,
	};
	return true;
}

static bool is_there(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset;
}

static uint64_t page_of(uint64_t offset)
{
	return offset & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
}

/* Whether a segment has the byte at @offset in the whole file; it is mapped from its page on. */
static bool has_mapped(const struct image *image, uint64_t offset, struct embedded_elf *found)
{
	uint64_t inside = offset - image->start;
	Elf64_Phdr segment;
	unsigned int i;

	for (i = 0; i < image->header.e_phnum && read_segment(image, i, &segment); i++) {
		if (segment.p_type != PT_LOAD ||
		    !is_there(image, segment.p_offset, segment.p_filesz) ||
		    inside < page_of(segment.p_offset) ||
		    inside >= segment.p_offset + segment.p_filesz)
			continue;
		found->start = image->start;
		found->first = image->start + page_of(segment.p_offset);
		found->last = image->start + segment.p_offset + segment.p_filesz - 1;
		return true;
	}
	return false;
}

static void reach(const struct image *image, uint64_t offset, uint64_t size, uint64_t *end)
{
	if (is_there(image, offset, size) && offset + size > *end)
		*end = offset + size;
}

/* The number of sections may be in the first. */
static uint64_t count_sections(const struct image *image)
{
	uint64_t count = image->header.e_shnum;
	Elf64_Shdr first;

	if (!image->header.e_shoff ||
	    image->header.e_shentsize != (image->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		return 0;
	if (!count && read_section(image, 0, &first))
		count = first.sh_size;
	return count <= SECTIONS_MAX ? count : 0;
}

/* The end of its last existing part. */
static uint64_t end_of(const struct image *image)
{
	uint64_t sections = count_sections(image), end = 0, i;
	Elf64_Phdr segment;
	Elf64_Shdr section;

	for (i = 0; i < image->header.e_phnum; i++)
		if (read_segment(image, (unsigned int)i, &segment))
			reach(image, segment.p_offset, segment.p_filesz, &end);
	reach(image, image->header.e_shoff, sections * image->header.e_shentsize, &end);
	for (i = 0; i < sections && read_section(image, i, &section); i++)
		if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL)
			reach(image, section.sh_offset, section.sh_size, &end);
	return end;
}

static bool begins_at(struct image *image, uint64_t start)
{
	image->start = start;
	image->size = image->file_size - start;
	return read_header(image) && is_loadable(image);
}

static bool is_at(struct image *image, uint64_t start, uint64_t offset, struct embedded_elf *found)
{
	if (!begins_at(image, start) || !has_mapped(image, offset, found))
		return false;
	found->size = end_of(image);
	return true;
}

/* Mappings are page-aligned, so the ELF file has to be. */
static bool find_member(struct image *image, uint64_t offset, struct embedded_elf *found)
{
	struct zip_member member;

	if (!zip_find(image->fd, offset, &member))
		return false;
	if (member.start == page_of(member.start) && is_at(image, member.start, offset, found)) {
		found->name = member.name;
		return true;
	}
	free(member.name);
	return false;
}

static bool find_before(struct image *image, uint64_t offset, struct embedded_elf *found)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start;

	for (start = page_of(offset); start && *image->budget; start -= page)
		if (is_at(image, start, offset, found))
			return true;
	return false;
}

bool embedded_elf_find(int fd, uint64_t offset, unsigned int *budget, struct embedded_elf *found)
{
	struct image image = { .fd = fd, .budget = budget };
	struct stat status;

	*found = (struct embedded_elf){ .last = UINT64_MAX };
	if (fstat(fd, &status))
		return false;
	image.file_size = image.size = (uint64_t)status.st_size;
	if (read_header(&image))
		return false;
	found->first = page_of(offset);
	found->last = found->first + (uint64_t)sysconf(_SC_PAGESIZE) - 1;
	if (offset >= image.file_size)
		return false;
	return find_member(&image, offset, found) || find_before(&image, offset, found);
}

bool embedded_elf_at(int fd, uint64_t start, unsigned int *budget, struct embedded_elf *found)
{
	struct image image = { .fd = fd, .budget = budget };
	struct stat status;

	*found = (struct embedded_elf){ .start = start };
	if (fstat(fd, &status) || start >= (uint64_t)status.st_size)
		return false;
	image.file_size = (uint64_t)status.st_size;
	if (!begins_at(&image, start))
		return false;
	found->size = end_of(&image);
	return found->size;
}

int embedded_elf_copy(int fd, uint64_t start, uint64_t size, struct reason *reason)
{
	int copy = memfd_create("elf", MFD_CLOEXEC);

	if (copy < 0) {
		reason_set(reason, "%s", strerror(errno));
		return -1;
	}
	if (copy_part(fd, copy, start, size, COPY_MAX, reason))
		return copy;
	close(copy);
	return -1;
}
