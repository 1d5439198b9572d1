// SPDX-License-Identifier: GPL-2.0
/* Kernel record: the layout that buildid.h gives. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "content/running_kernel.h"
#include "kernel_record.h"

#define TEXT " _text\n"

/* 0 where it is hidden. */
static uint64_t text_address(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	uint64_t address = 0;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	while (symbols && (length = getline(&line, &room, symbols)) > 0) {
		if (length < (ssize_t)strlen(TEXT) || strcmp(line + length - strlen(TEXT), TEXT))
			continue;
		address = strtoull(line, NULL, 16);
		break;
	}
	free(line);
	if (symbols)
		fclose(symbols);
	return address;
}

static size_t kernel_record_align(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

struct buildid_image *kernel_record_make(uint64_t record[KERNEL_RECORD_WORDS])
{
	struct buildid_image *image = (void *)record;
	const size_t room = KERNEL_RECORD_WORDS * sizeof(*record);
	size_t size = kernel_record_align(sizeof(*image)), length;
	struct build_id id;
	struct utsname uts;

	if (!running_kernel_build_id(&id) || uname(&uts))
		return NULL;
	length = strlen(uts.release);
	memset(record, 0, room);
	*image = (struct buildid_image){
		.addr = text_address(),
		.kind = BUILDID_KIND_GNU,
		.id_len = (uint16_t)id.size,
		.name_len = (uint16_t)length,
		.data_off = (uint16_t)size,
	};
	memcpy((char *)record + size, id.bytes, id.size);
	size += kernel_record_align(id.size);
	memcpy((char *)record + size, uts.release, length);
	size += kernel_record_align(length + 1);
	image->header = (struct buildid_record){
		.type = BUILDID_RECORD_KERNEL,
		.flags = BUILDID_RECORD_SNAPSHOT,
		.size = (uint32_t)size,
	};
	return image;
}
