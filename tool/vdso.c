// SPDX-License-Identifier: GPL-2.0
/* vDSO: the kernel's code in every process. */

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "vdso.h"

struct wanted {
	uint8_t *id;
	size_t room;
	size_t size;
};

static size_t aligned(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

static void walk(const unsigned char *notes, size_t size, struct wanted *wanted)
{
	const ElfW(Nhdr) *note;

	for (; size > sizeof(*note); notes += aligned(note->n_descsz)) {
		size_t whole;

		note = (const void *)notes;
		whole = sizeof(*note) + aligned(note->n_namesz) + aligned(note->n_descsz);
		if (whole > size)
			return;
		size -= whole;
		notes += sizeof(*note) + aligned(note->n_namesz);
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(note + 1, "GNU", 4) && note->n_descsz <= wanted->room) {
			memcpy(wanted->id, notes, note->n_descsz);
			wanted->size = note->n_descsz;
			return;
		}
	}
}

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
	const unsigned long vdso = getauxval(AT_SYSINFO_EHDR);
	int i;

	(void)size;
	if (!vdso || info->dlpi_addr != vdso)
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			walk((const unsigned char *)info->dlpi_addr +
			     info->dlpi_phdr[i].p_vaddr,
			     info->dlpi_phdr[i].p_memsz, context);
	return 1;
}

size_t vdso_build_id(uint8_t *id, size_t room)
{
	struct wanted wanted = { .id = id, .room = room };

	dl_iterate_phdr(look_at, &wanted);
	return wanted.size;
}
