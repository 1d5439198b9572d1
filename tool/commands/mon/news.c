// SPDX-License-Identifier: GPL-2.0
/*
 * News. Paths are per device: containers have the same paths for other files, on their own devices.
 * The newest version is the one with the highest file_id. A content is known by identity and size;
 * if a path gets another file with the same ones, their bytes are compared if a process still has
 * the former one mapped.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "content/mapped_files.h"
#include "commands/evidence.h"
#include "identities/netlink.h"
#include "commands/lookup.h"
#include "commands/module.h"
#include "news.h"
#include "commands/print.h"

/* For a version under a path, in addition to the bits of the file's flags. */
#define CONTENT_JUDGED (1U << 31)

/* Nanoseconds for two files: more records come meanwhile. */
#define READING_MAX 1000000000

struct content {
	uint64_t file_size;
	uint16_t kind;
	uint16_t size;
	uint8_t bytes[];
};

/* A process that had a file mapped, and where. */
struct holder {
	uint32_t pid; /* 0 for none */
	uint64_t addr;
};

struct place {
	uint32_t content;
	struct buildid_file file; /* without its identity and path */
	struct holder first, last;
};

struct news {
	size_t max;
	struct content **contents;
	size_t nr_contents;
	struct place *places;
	size_t nr_places;
	struct hash_map content_map; /* to contents[] */
	struct hash_map place_map;   /* of path and device, to places[] */
	struct hash_map version_map; /* of file_id and path, to bits */
	struct identity former;
	struct worker worker; /* compares */
	bool comparing;
	bool learning; /* files learned now are not compared */
	size_t unsure;
	bool full;
};

struct news *news_new(size_t max)
{
	struct news *news = calloc(1, sizeof(*news));

	if (!news)
		return NULL;
	news->max = max;
	news->worker = lookup_worker();
	return news;
}

void news_forget(struct news *news)
{
	while (news->nr_contents)
		free(news->contents[--news->nr_contents]);
	free(news->contents);
	free(news->places);
	hash_map_free(&news->content_map);
	hash_map_free(&news->place_map);
	hash_map_free(&news->version_map);
	news->places = NULL;
	news->contents = NULL;
	news->nr_places = 0;
	news->full = false;
}

void news_free(struct news *news)
{
	if (!news)
		return;
	news_forget(news);
	worker_end(&news->worker);
	free(news);
}

void news_compare(struct news *news)
{
	news->comparing = true;
}

size_t news_unsure(const struct news *news)
{
	return news->unsure;
}

bool news_is_full(const struct news *news)
{
	return news->full;
}

/* -------------------------------------------------------------- contents -- */

static struct content *content_of(const struct identity *identity, uint64_t file_size)
{
	struct content *content = malloc(sizeof(*content) + identity->id.size);

	if (!content)
		return NULL;
	content->file_size = file_size;
	content->kind = identity->kind;
	content->size = (uint16_t)identity->id.size;
	memcpy(content->bytes, identity->id.bytes, identity->id.size);
	return content;
}

static bool is_content(const struct content *content, const struct identity *identity,
		       uint64_t file_size)
{
	return content->file_size == file_size && content->kind == identity->kind &&
	       content->size == identity->id.size &&
	       !memcmp(content->bytes, identity->id.bytes, content->size);
}

static bool add_content(struct news *news, uint64_t key, const struct identity *identity,
			uint64_t file_size)
{
	struct content *content;

	if (news->nr_contents == news->max || !array_reserve(news->contents, news->nr_contents))
		return false;
	content = content_of(identity, file_size);
	if (!content || !hash_map_add(&news->content_map, key, (uint32_t)news->nr_contents)) {
		free(content);
		return false;
	}
	news->contents[news->nr_contents++] = content;
	return true;
}

/* Its index, with NEWS_NEW unless it was known; UINT32_MAX if there is no room for it. */
static uint32_t find_content(struct news *news, const struct identity *identity, uint64_t file_size,
			     unsigned int *bits)
{
	uint64_t key = hash_bytes(hash_start(), identity->id.bytes, identity->id.size);
	const struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&news->content_map, key, slot)))
		if (is_content(news->contents[slot->value], identity, file_size))
			return slot->value;
	*bits |= NEWS_NEW;
	if (add_content(news, key, identity, file_size))
		return (uint32_t)news->nr_contents - 1;
	news->full = true;
	return UINT32_MAX;
}

/* ----------------------------------------------------------------- paths -- */

static bool add_place(struct news *news, uint64_t key, const struct place *place)
{
	if (news->nr_places == news->max || !array_reserve(news->places, news->nr_places) ||
	    !hash_map_set(&news->place_map, key, (uint32_t)news->nr_places))
		return false;
	news->places[news->nr_places++] = *place;
	return true;
}

/* An unlinked file does not own its path any more. */
static bool has_place(const struct buildid_file *file, const char *path)
{
	const __u32 nameless = BUILDID_FILE_DELETED | BUILDID_FILE_MEMFD | BUILDID_FILE_NO_PATH;

	return *path && !(file->flags & nameless);
}

static void set_former(struct news *news, const struct content *content)
{
	news->former = (struct identity){ .kind = content->kind };
	build_id_set(&news->former.id, content->bytes, content->size);
}

static uint64_t place_key(const struct buildid_file *file, uint64_t path_key)
{
	const uint32_t device[] = { file->user_dev_major, file->user_dev_minor };

	return hash_bytes(path_key, device, sizeof(device));
}

/* An O_PATH descriptor of what is mapped at @addr, if it is still @file, or -1. */
static int open_mapped(const struct buildid_file *file, const struct holder *holder)
{
	int handle = mapped_handle_at(holder->pid, holder->addr);
	struct statx stat_;

	if (handle < 0)
		return -1;
	/* Without asking a server. */
	if (!statx(handle, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &stat_) &&
	    (stat_.stx_ino == file->user_ino || stat_.stx_ino == file->ino))
		return handle;
	close(handle);
	return -1;
}

/* EVIDENCE_NONE if one of the two cannot be opened any more. */
static enum evidence compare_bytes(struct news *news, const struct place *before,
				   const struct buildid_file *file, const struct holder *holder)
{
	const struct holder *holders[] = { &before->last, &before->first };
	int current = open_mapped(file, holder);
	bool same = false;
	int error = ENOENT;
	size_t i;

	for (i = 0; current >= 0 && error && i < ARRAY_SIZE(holders); i++) {
		const struct mapped_place mapped = { holders[i]->pid, holders[i]->addr,
						     &before->file };

		if (mapped.pid)
			error = lookup_compare(&news->worker, current, "", &mapped, READING_MAX,
					       &same);
	}
	if (current >= 0)
		close(current);
	return error ? EVIDENCE_NONE : same ? EVIDENCE_SAME : EVIDENCE_OTHER;
}

/* Whether a file with the same identity and size as the one before has other content. */
static bool is_other(struct news *news, const struct place *before, const struct buildid_file *file,
		     const struct holder *holder)
{
	enum evidence evidence;

	if (news->learning || before->file.file_id == file->file_id ||
	    file->kind == BUILDID_KIND_FSVERITY || evidence_not_written(&before->file, file))
		return false;
	evidence = news->comparing ? compare_bytes(news, before, file, holder) : EVIDENCE_NONE;
	news->unsure += evidence == EVIDENCE_NONE;
	return evidence == EVIDENCE_OTHER;
}

/* Remember another process that has it mapped, which may live longer. */
static void note_holder(struct news *news, const struct buildid_file *file, uint64_t path_key,
			const struct holder *holder)
{
	uint32_t index = hash_map_get(&news->place_map, place_key(file, path_key), UINT32_MAX);

	if (index != UINT32_MAX && news->places[index].file.file_id == file->file_id)
		news->places[index].last = *holder;
}

static unsigned int judge_place(struct news *news, const struct buildid_file *file,
				uint64_t path_key, uint32_t content, const struct holder *holder)
{
	const struct place here = { content, *file, *holder, *holder };
	uint64_t key = place_key(file, path_key);
	uint32_t index = hash_map_get(&news->place_map, key, UINT32_MAX);
	struct place *place;
	unsigned int bits;

	if (index == UINT32_MAX) {
		if (!add_place(news, key, &here))
			news->full = true;
		return 0;
	}
	place = &news->places[index];
	if (file->file_id < place->file.file_id)
		return 0;
	bits = place->content != content || is_other(news, place, file, holder) ? NEWS_CHANGED : 0;
	if (bits)
		set_former(news, news->contents[place->content]);
	*place = here;
	return bits;
}

/* --------------------------------------------------------------- judging -- */

static unsigned int bits_of_flags(uint32_t flags)
{
	unsigned int bits = 0;

	/* A memfd never had a name. */
	if (flags & BUILDID_FILE_MEMFD)
		bits |= NEWS_MEMFD;
	else if (flags & BUILDID_FILE_DELETED)
		bits |= NEWS_DELETED;
	return flags & BUILDID_FILE_UNSTABLE ? bits | NEWS_WRITABLE : bits;
}

/* Those of @bits that are new for this version under this path. */
static unsigned int add_bits(struct news *news, uint64_t path_key, uint64_t file_id,
			     unsigned int bits)
{
	uint64_t key = hash_bytes(path_key, &file_id, sizeof(file_id));
	const struct hash_slot *slot = hash_map_next(&news->version_map, key, NULL);
	unsigned int before = slot ? slot->value : 0;

	if (!(bits & ~before))
		return 0;
	if ((!slot && news->version_map.count == news->max) ||
	    !hash_map_set(&news->version_map, key, before | bits))
		news->full = true;
	return bits & ~before;
}

static unsigned int judge_version(struct news *news, const struct buildid_file *file,
				  const char *path, const struct holder *holder)
{
	uint64_t path_key = hash_text(path);
	struct identity identity = print_identity_of(file);
	unsigned int bits = bits_of_flags(file->flags);
	uint32_t content;

	if (identity.id.size)
		bits |= CONTENT_JUDGED;
	bits = add_bits(news, path_key, file->file_id, bits);
	if (!(bits & CONTENT_JUDGED)) {
		note_holder(news, file, path_key, holder);
		return bits;
	}
	bits &= ~CONTENT_JUDGED;
	content = find_content(news, &identity, file->file_size, &bits);
	if (content != UINT32_MAX && has_place(file, path))
		bits |= judge_place(news, file, path_key, content, holder);
	return bits;
}

unsigned int news_judge(struct news *news, const struct buildid_event *event,
			const struct identity **former)
{
	const struct buildid_mmap *mmap = (const void *)event->record;
	struct identity identity;
	struct holder holder;
	unsigned int bits = 0;

	*former = NULL;
	if (event->record->type == BUILDID_RECORD_COOKIE) {
		identity = print_identity_of(event->record);
		if (identity.id.size)
			find_content(news, &identity, 0, &bits);
	} else if (event->file) {
		holder = (struct holder){ mmap->pid, mmap->addr };
		bits = judge_version(news, event->file, print_path(event), &holder);
	}
	if (bits & NEWS_CHANGED)
		*former = &news->former;
	return bits;
}

static void learn(struct news *news, const struct buildid_event *event)
{
	const struct identity *former;

	news_judge(news, event, &former);
}

void news_learn_file(struct news *news, const struct buildid_file *file)
{
	const char *path = buildid_file_path(file);

	judge_version(news, file, path ? path : "", &(const struct holder){});
}

/* --------------------------------------------------------------- present -- */

static int learn_cache(struct news *news)
{
	const struct buildid_record *record;
	struct netlink *netlink;
	int err;

	err = netlink_open(&netlink);
	if (err)
		return err;
	err = netlink_dump(netlink, &(const struct netlink_filter){});
	while (!err && !(err = netlink_next(netlink, &record)))
		if (record->type == BUILDID_RECORD_FILE)
			news_learn_file(news, (const void *)record);
	netlink_close(netlink);
	return err == -ENODATA ? 0 : err;
}

static int learn_snapshot(struct news *news, struct buildid_snapshot *snapshot)
{
	const struct buildid_record *record;
	const struct buildid_event *event;
	struct buildid_files *files;
	int err;

	err = buildid_files_new(&files, NULL);
	if (err)
		return err;
	while (err != -ENODATA) {
		err = buildid_snapshot_next(snapshot, &record);
		/* Just this process: it has exited, or called exec. */
		if (err)
			continue;
		if (!buildid_files_join(files, record, &event))
			learn(news, event);
	}
	buildid_files_free(files);
	return 0;
}

static int learn_mapped(struct news *news)
{
	struct buildid_snapshot *snapshot;
	struct buildid *handle;
	int err;

	err = buildid_open(&handle);
	if (err)
		return err;
	err = buildid_snapshot_new(&snapshot, handle, NULL);
	if (!err) {
		err = learn_snapshot(news, snapshot);
		buildid_snapshot_free(snapshot);
	}
	buildid_close(handle);
	return err;
}

void news_learn_present(struct news *news, struct output *out)
{
	int err;

	news->learning = true;
	err = learn_cache(news);
	if (err)
		module_netlink_error(out, err);
	err = learn_mapped(news);
	news->learning = false;
	if (err)
		module_error(out, BUILDID_DEVICE, err, NULL);
}
