/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapped member: an ELF file that is mapped from within another file, such as a library in an APK,
 * for which the module only knows the archive. It is searched for in the mapped file, at the offset
 * of the mapping, once for each.
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
 * What @mmap maps from within @file; NULL for nothing, or if the file cannot be opened. Valid until
 * mapped_members_free().
 */
const struct elf_member *mapped_members_find(struct mapped_members *members,
					     const struct buildid_mmap *mmap,
					     const struct buildid_file *file);

#endif
