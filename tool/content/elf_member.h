/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ELF member: an ELF file within another file, such as an APK, with its own identity.
 */
#ifndef TOOL_ELF_MEMBER_H
#define TOOL_ELF_MEMBER_H

#include "common/build_id.h"
#include "embedded_elf.h"

/* How often a file is read to find what is in it: some 100 ms in all. */
#define ELF_MEMBER_READS (1U << 18)

struct elf_member {
	struct embedded_elf elf; /* the caller frees its name */
	uint16_t kind;		 /* of the build-id: BUILDID_KIND_NONE, _GNU or _GO */
	uint16_t reason;	 /* enum buildid_reason */
	struct build_id id;
};

/* As embedded_elf_find(). */
bool elf_member_find(int fd, uint64_t offset, unsigned int *reads, struct elf_member *member);

/*
 * Calls @found for each uncompressed one in the zip at @fd, in the order of its directory; names
 * are valid during the call. Not called if the file is not a zip.
 */
void elf_members_each(int fd, void (*found)(void *data, const struct elf_member *member),
		      void *data);

#endif
