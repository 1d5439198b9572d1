// SPDX-License-Identifier: GPL-2.0
/* ELF member: libelf reads a copy in memory, as it only reads files from their beginning. */

#include <stdlib.h>
#include <unistd.h>

#include "elf_file.h"
#include "elf_member.h"
#include "libbuildid/libbuildid.h"
#include "zip.h"

static void elf_member_identify(int file, struct elf_member *member)
{
	const struct embedded_elf *elf = &member->elf;
	struct elf_info info;
	struct reason unused;
	int fd = embedded_elf_copy(file, elf->start, elf->size, &unused);

	member->reason = BUILDID_REASON_IO;
	if (fd < 0)
		return;
	elf_file_id(fd, &info);
	close(fd);
	member->kind = info.kind;
	member->reason = info.reason;
	if (info.kind != BUILDID_KIND_NONE)
		member->id = info.id;
}

bool elf_member_find(int fd, uint64_t offset, unsigned int *reads, struct elf_member *member)
{
	*member = (struct elf_member){};
	if (!embedded_elf_find(fd, offset, reads, &member->elf))
		return false;
	elf_member_identify(fd, member);
	return true;
}

struct search {
	int fd;
	unsigned int reads;
	void (*found)(void *data, const struct elf_member *member);
	void *data;
};

static bool look_at(void *data, const struct zip_member *in_zip)
{
	struct search *search = data;
	struct elf_member member = {};

	if (!embedded_elf_at(search->fd, in_zip->start, &search->reads, &member.elf))
		return search->reads;
	member.elf.name = in_zip->name;
	elf_member_identify(search->fd, &member);
	search->found(search->data, &member);
	return search->reads;
}

void elf_members_each(int fd, void (*found)(void *data, const struct elf_member *member),
		      void *data)
{
	struct search search = { fd, ELF_MEMBER_READS, found, data };

	zip_each(fd, look_at, &search);
}
