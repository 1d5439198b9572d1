// SPDX-License-Identifier: GPL-2.0
/* ELF notes: the only file that knows libelf and libdwelf. */

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_notes.h"

#define NT_GO_BUILD_ID 4

struct image {
	Elf *elf;
	uint64_t size;
};

struct note {
	const char *owner;	/* with its NUL or NULs: as long as in the file */
	size_t owner_size;
	unsigned int type;
	enum buildid_kind kind;
};

static const struct note gnu = {
	ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU), NT_GNU_BUILD_ID, BUILDID_KIND_GNU
};

/* Go counts a second NUL as part of its name. */
static const struct note go = {
	"Go\0", sizeof("Go\0"), NT_GO_BUILD_ID, BUILDID_KIND_GO
};

static bool take(struct elf_id *id, const struct note *wanted,
		 const GElf_Nhdr *header, const char *owner, const void *bytes)
{
	if (header->n_type != wanted->type ||
	    header->n_namesz != wanted->owner_size ||
	    memcmp(owner, wanted->owner, wanted->owner_size))
		return false;
	if (!header->n_descsz || header->n_descsz > sizeof(id->bytes))
		return false;

	id->kind = (uint16_t)wanted->kind;
	id->reason = BUILDID_REASON_NONE;
	id->size = header->n_descsz;
	memcpy(id->bytes, bytes, id->size);
	return true;
}

static bool find_in_data(struct elf_id *id, const struct note *wanted,
			 Elf_Data *data)
{
	size_t offset = 0, next, owner, bytes;
	GElf_Nhdr header;

	while ((next = gelf_getnote(data, offset, &header, &owner, &bytes))) {
		const char *start = data->d_buf;

		if (take(id, wanted, &header, start + owner, start + bytes)) {
			id->offset = bytes;
			return true;
		}
		offset = next;
	}
	return false;
}

static bool find_in_range(struct elf_id *id, const struct note *wanted,
			  const struct image *image, uint64_t offset,
			  uint64_t size, uint64_t align)
{
	/* Only the alignment tells how notes are padded: to 8, or to 4. */
	Elf_Type type = align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
	Elf_Data *data;

	if (offset >= image->size)
		return false;
	/* What is there of notes that were cut short may well be enough. */
	if (size > image->size - offset)
		size = image->size - offset;
	data = elf_getdata_rawchunk(image->elf, (int64_t)offset, size, type);
	if (!data || !find_in_data(id, wanted, data))
		return false;
	id->offset += offset;
	return true;
}

static bool find_in_segments(struct elf_id *id, const struct note *wanted,
			     const struct image *image)
{
	GElf_Phdr segment;
	size_t count, i;

	if (elf_getphdrnum(image->elf, &count))
		return false;
	for (i = 0; i < count; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &segment) || segment.p_type != PT_NOTE)
			continue;
		if (find_in_range(id, wanted, image, segment.p_offset,
				  segment.p_filesz, segment.p_align))
			return true;
	}
	return false;
}

static bool find_in_sections(struct elf_id *id, const struct note *wanted,
			     const struct image *image)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(image->elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE)
			continue;
		if (find_in_range(id, wanted, image, header.sh_offset,
				  header.sh_size, header.sh_addralign))
			return true;
	}
	return false;
}

static bool find(struct elf_id *id, const struct note *wanted,
		 const struct image *image)
{
	return find_in_segments(id, wanted, image) ||
	       find_in_sections(id, wanted, image);
}

static void read_image(const struct image *image, struct elf_id *id)
{
	if (elf_kind(image->elf) != ELF_K_ELF)
		return;
	id->reason = BUILDID_REASON_NO_NOTE;
	if (!find(id, &gnu, image))
		find(id, &go, image);
}

void elf_notes_read(int fd, struct elf_id *id)
{
	struct image image;
	struct stat stat;

	*id = (struct elf_id) {
		.kind = BUILDID_KIND_NONE,
		.reason = BUILDID_REASON_NOT_ELF,
	};
	if (fstat(fd, &stat)) {
		id->reason = BUILDID_REASON_IO;
		return;
	}
	elf_version(EV_CURRENT);
	/* Not mapped: whoever truncates the file must not kill the reader. */
	image.size = (uint64_t)stat.st_size;
	image.elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!image.elf)
		return;
	read_image(&image, id);
	elf_end(image.elf);
}

void elf_notes_read_kernel(int fd, struct elf_id *id)
{
	struct image image;
	size_t size;

	*id = (struct elf_id) {
		.kind = BUILDID_KIND_NONE,
		.reason = BUILDID_REASON_NOT_ELF,
	};
	elf_version(EV_CURRENT);
	image.elf = dwelf_elf_begin(fd);
	if (!image.elf)
		return;
	if (elf_rawfile(image.elf, &size)) {
		image.size = size;
		read_image(&image, id);
	}
	elf_end(image.elf);
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

bool elf_notes_layout(int fd, uint64_t offset, uint64_t id_offset,
		      struct elf_layout *layout)
{
	bool known;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return false;
	known = elf_kind(elf) == ELF_K_ELF &&
		address_of(elf, offset, &layout->start) &&
		address_of(elf, id_offset, &layout->id);
	layout->debug_info = known && has_debug_info(elf);
	elf_end(elf);
	return known;
}
