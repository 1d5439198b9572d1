// SPDX-License-Identifier: GPL-2.0
/* ELF notes: the only file that knows libelf. */

#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_notes.h"
#include "packed.h"

#define NT_GO_BUILD_ID 4

/* As the module has it: what is more is no table of notes. */
#define NOTES_MAX (16U << 20)
/* For all that libelf reads of one file. */
#define MEMORY_MAX (1U << 30)

struct image {
	Elf *elf;
	uint64_t size;
};

struct note {
	const char *owner; /* with its NUL or NULs: as long as in the file */
	size_t owner_size;
	unsigned int type;
	enum buildid_kind kind;
};

static const struct note gnu = {
	ELF_NOTE_GNU,
	sizeof(ELF_NOTE_GNU),
	NT_GNU_BUILD_ID,
	BUILDID_KIND_GNU,
};

/* Go counts a second NUL as part of its name. */
static const struct note go = {
	"Go\0",
	sizeof("Go\0"),
	NT_GO_BUILD_ID,
	BUILDID_KIND_GO,
};

static bool take(struct elf_id *id, const struct note *request, const GElf_Nhdr *header,
		 const char *owner, const void *bytes)
{
	if (header->n_type != request->type || header->n_namesz != request->owner_size ||
	    memcmp(owner, request->owner, request->owner_size))
		return false;
	if (!header->n_descsz || header->n_descsz > sizeof(id->bytes))
		return false;

	id->kind = (uint16_t)request->kind;
	id->reason = BUILDID_REASON_NONE;
	id->size = header->n_descsz;
	memcpy(id->bytes, bytes, id->size);
	return true;
}

static bool find_in_data(struct elf_id *id, const struct note *request, Elf_Data *data)
{
	size_t offset = 0, next, owner, bytes;
	GElf_Nhdr header;

	while ((next = gelf_getnote(data, offset, &header, &owner, &bytes))) {
		const char *start = data->d_buf;

		if (take(id, request, &header, start + owner, start + bytes)) {
			id->offset = bytes;
			return true;
		}
		offset = next;
	}
	return false;
}

static bool find_in_range(struct elf_id *id, const struct note *request, const struct image *image,
			  uint64_t offset, uint64_t size, uint64_t align)
{
	/* Only the alignment tells how notes are padded: to 8, or to 4. */
	Elf_Type type = align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
	Elf_Data *data;

	if (offset >= image->size)
		return false;
	/* What is there of notes that were cut short may well be enough. */
	if (size > image->size - offset)
		size = image->size - offset;
	if (size > NOTES_MAX)
		size = NOTES_MAX;
	data = elf_getdata_rawchunk(image->elf, (int64_t)offset, size, type);
	if (!data || !find_in_data(id, request, data))
		return false;
	id->offset += offset;
	return true;
}

static bool find_in_segments(struct elf_id *id, const struct note *request,
			     const struct image *image)
{
	GElf_Phdr segment;
	size_t count, i;

	if (elf_getphdrnum(image->elf, &count))
		return false;
	for (i = 0; i < count; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &segment) || segment.p_type != PT_NOTE)
			continue;
		if (find_in_range(id, request, image, segment.p_offset, segment.p_filesz,
				  segment.p_align))
			return true;
	}
	return false;
}

static bool find_in_sections(struct elf_id *id, const struct note *request,
			     const struct image *image)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(image->elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE)
			continue;
		if (find_in_range(id, request, image, header.sh_offset, header.sh_size,
				  header.sh_addralign))
			return true;
	}
	return false;
}

static bool find(struct elf_id *id, const struct note *request, const struct image *image)
{
	return find_in_segments(id, request, image) || find_in_sections(id, request, image);
}

/* -------------------------------------------------------------- shape -- */

static bool is_cut(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset > image->size || size > image->size - offset;
}

static bool loads_cut(const struct image *image)
{
	GElf_Phdr segment;
	size_t count, i;

	if (elf_getphdrnum(image->elf, &count))
		return true;
	for (i = 0; i < count; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &segment))
			return true;
		if (segment.p_type == PT_LOAD && is_cut(image, segment.p_offset, segment.p_filesz))
			return true;
	}
	return false;
}

static bool sections_cut(const struct image *image)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Ehdr file;

	if (!gelf_getehdr(image->elf, &file))
		return true;
	if (!file.e_shoff)
		return false;
	if (is_cut(image, file.e_shoff, (uint64_t)file.e_shnum * file.e_shentsize))
		return true;
	while ((section = elf_nextscn(image->elf, section))) {
		if (!gelf_getshdr(section, &header))
			return true;
		if (header.sh_type == SHT_NULL || header.sh_type == SHT_NOBITS)
			continue;
		if (is_cut(image, header.sh_offset, header.sh_size))
			return true;
	}
	return false;
}

static bool has_symbols(const struct image *image)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(image->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			return header.sh_size;
	return false;
}

/* -------------------------------------------------------------- files -- */

static void find_id(struct elf_id *id, const struct image *image)
{
	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF)
		return;
	id->reason = BUILDID_REASON_NO_NOTE;
	if (!find(id, &gnu, image))
		find(id, &go, image);
}

/* Takes @image->elf. */
static void fill_info(struct elf_info *info, struct image *image)
{
	find_id(&info->id, image);
	if (image->elf && elf_kind(image->elf) == ELF_K_ELF) {
		info->sections_cut = sections_cut(image);
		info->cut_short = info->sections_cut || loads_cut(image);
		info->symbols = has_symbols(image);
	}
	elf_end(image->elf);
}

static const struct elf_id nothing = {
	.kind = BUILDID_KIND_NONE,
	.reason = BUILDID_REASON_NOT_ELF,
};

/* False after @id was told why. */
static bool open_image(int fd, struct image *image, struct elf_id *id)
{
	struct stat stat;

	*id = nothing;
	if (fstat(fd, &stat)) {
		id->reason = BUILDID_REASON_IO;
		return false;
	}
	elf_version(EV_CURRENT);
	/* Not mapped: whoever truncates the file must not kill the reader. */
	image->size = (uint64_t)stat.st_size;
	image->elf = elf_begin(fd, ELF_C_READ, NULL);
	return image->elf;
}

void elf_notes_read(int fd, struct elf_id *id)
{
	struct image image;

	if (!open_image(fd, &image, id))
		return;
	find_id(id, &image);
	elf_end(image.elf);
}

bool elf_notes_parse(const void *notes, size_t size, struct elf_id *id)
{
	Elf_Data data = {
		.d_buf = (void *)(uintptr_t)notes,
		.d_type = ELF_T_NHDR,
		.d_version = EV_CURRENT,
		.d_size = size,
	};

	*id = nothing;
	id->reason = BUILDID_REASON_NO_NOTE;
	elf_version(EV_CURRENT);
	return find_in_data(id, &gnu, &data);
}

void elf_notes_look_memory(void *memory, size_t size, struct elf_info *info)
{
	struct image image = { .size = size };

	*info = (struct elf_info){ .id = nothing };
	elf_version(EV_CURRENT);
	image.elf = elf_memory(memory, size);
	fill_info(info, &image);
}

/* --------------------------------------------------------------- look -- */

/* Tables of headers are as long as a file says, and files may be full of holes. */
static bool bound_memory(struct rlimit *before)
{
	FILE *statm = fopen("/proc/self/statm", "re");
	struct rlimit bound;
	unsigned long pages;
	int read;

	if (!statm)
		return false;
	read = fscanf(statm, "%lu", &pages);
	fclose(statm);
	if (read != 1 || getrlimit(RLIMIT_AS, before))
		return false;
	bound = *before;
	bound.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + MEMORY_MAX;
	if (bound.rlim_cur > before->rlim_cur)
		bound.rlim_cur = before->rlim_cur;
	return !setrlimit(RLIMIT_AS, &bound);
}

static void look_bounded(int fd, struct elf_info *info)
{
	struct image image;
	struct rlimit before;
	bool bound = bound_memory(&before);

	if (open_image(fd, &image, &info->id))
		fill_info(info, &image);
	if (bound)
		setrlimit(RLIMIT_AS, &before);
}

void elf_notes_look(int fd, struct elf_info *info)
{
	int inside;

	*info = (struct elf_info){ .id = nothing };
	if (!packed_is(fd)) {
		look_bounded(fd, info);
		return;
	}
	inside = packed_open(fd, &info->problem);
	if (inside < 0)
		return;
	info->compressed = true;
	look_bounded(inside, info);
	close(inside);
}

/* -------------------------------------------------------------- layout -- */

/* A segment is mapped by whole pages, so what is beside it is there, too. */
static bool address_of(Elf *elf, uint64_t offset, uint64_t *address)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	GElf_Phdr segment;
	size_t count, i;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD)
			continue;
		if (offset < (segment.p_offset & ~(page - 1)) ||
		    offset >= segment.p_offset + segment.p_filesz)
			continue;
		*address = segment.p_vaddr + offset - segment.p_offset;
		return true;
	}
	return false;
}

static bool has_debug_info(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && header.sh_type != SHT_NOBITS &&
		    (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info")))
			return true;
	}
	return false;
}

bool elf_notes_layout(int fd, uint64_t offset, uint64_t id_offset, struct elf_layout *layout)
{
	bool known;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return false;
	known = elf_kind(elf) == ELF_K_ELF && address_of(elf, offset, &layout->start) &&
		address_of(elf, id_offset, &layout->id);
	layout->debug_info = known && has_debug_info(elf);
	elf_end(elf);
	return known;
}
