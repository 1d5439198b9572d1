/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapped member: the ELF file that is mapped from within another file, as a library from an APK,
 * of which the module knows the archive. It is looked for in the file that is mapped, at the
 * offset of the mapping, once for each.
 */
#ifndef TOOL_MAPPED_MEMBER_H
#define TOOL_MAPPED_MEMBER_H

#include "content/elf_member.h"
#include "libbuildid/libbuildid.h"

struct mapped_members;

/* NULL only without memory. */
struct mapped_members *mapped_members_new(void);
void mapped_members_free(struct mapped_members *members);

/*
 * What @mmap maps from within @file: NULL for nothing, and when the file cannot be opened. Valid
 * until mapped_members_free().
 */
const struct elf_member *mapped_members_find(struct mapped_members *members,
					     const struct buildid_mmap *mmap,
					     const struct buildid_file *file);

#endif
