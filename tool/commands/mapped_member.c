// SPDX-License-Identifier: GPL-2.0
/* Mapped member: a worker opens the file, as its server may not answer. */

#include <stdlib.h>
#include <unistd.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "lookup.h"
#include "mapped_member.h"

struct place {
	uint64_t file_id;
	uint64_t offset;
	struct elf_member *member; /* NULL for none */
};

struct mapped_members {
	struct worker worker;
	struct place *places;
	size_t nr_places;
	struct hash_map by_place;
};

struct mapped_members *mapped_members_new(void)
{
	struct mapped_members *members = calloc(1, sizeof(*members));

	if (members)
		members->worker = lookup_worker();
	return members;
}

void mapped_members_free(struct mapped_members *members)
{
	size_t i;

	if (!members)
		return;
	for (i = 0; i < members->nr_places; i++) {
		if (members->places[i].member)
			free(members->places[i].member->elf.name);
		free(members->places[i].member);
	}
	free(members->places);
	hash_map_free(&members->by_place);
	worker_end(&members->worker);
	free(members);
}

static uint64_t key_of(const struct place *place)
{
	return hash_bytes(hash_start(), &place->offset, sizeof(place->offset)) ^ place->file_id;
}

static const struct place *find_place(const struct mapped_members *members,
				      const struct place *like)
{
	struct hash_slot *slot = NULL;
	const struct place *place;

	while ((slot = hash_map_next(&members->by_place, key_of(like), slot))) {
		place = &members->places[slot->value];
		if (place->file_id == like->file_id && place->offset == like->offset)
			return place;
	}
	return NULL;
}

static struct elf_member *look_inside(struct mapped_members *members,
				      const struct mapped_place *mapped, uint64_t offset)
{
	int fd = lookup_open(&members->worker, mapped);
	unsigned int reads = ELF_MEMBER_READS;
	struct elf_member *member;

	if (fd < 0)
		return NULL;
	member = malloc(sizeof(*member));
	if (member && !elf_member_find(fd, offset, &reads, member)) {
		free(member);
		member = NULL;
	}
	close(fd);
	return member;
}

const struct elf_member *mapped_members_find(struct mapped_members *members,
					     const struct buildid_mmap *mmap,
					     const struct buildid_file *file)
{
	const struct mapped_place mapped = { mmap->pid, mmap->addr, file };
	struct place place = { .file_id = file->file_id, .offset = mmap->pgoff };
	const struct place *known;

	if (file->reason != BUILDID_REASON_NOT_ELF)
		return NULL;
	known = find_place(members, &place);
	if (known)
		return known->member;
	if (!array_reserve(members->places, members->nr_places) ||
	    !hash_map_add(&members->by_place, key_of(&place), (uint32_t)members->nr_places))
		return NULL;
	place.member = look_inside(members, &mapped, place.offset);
	members->places[members->nr_places++] = place;
	return place.member;
}
