// SPDX-License-Identifier: GPL-2.0
/* ELF notes: the only file that knows libelf. */

#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

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

		if (take(id, wanted, &header, start + owner, start + bytes))
			return true;
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
	return data && find_in_data(id, wanted, data);
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

	if (elf_kind(image.elf) == ELF_K_ELF) {
		id->reason = BUILDID_REASON_NO_NOTE;
		if (!find(id, &gnu, &image))
			find(id, &go, &image);
	}
	elf_end(image.elf);
}
