// SPDX-License-Identifier: GPL-2.0
/*
 * News. A path is one of a device: containers have the same paths for other files, on
 * devices of their own. The newest version is the one with the highest file_id.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "identities/netlink.h"
#include "module.h"
#include "news.h"
#include "print.h"

/* Of a version under a path, beside the bits that are in the file's flags. */
#define CONTENT_JUDGED (1U << 31)

struct content {
	uint16_t kind;
	uint16_t size;
	uint8_t bytes[];
};

struct place {
	uint64_t file_id;
	uint32_t content;
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
	bool full;
};

struct news *news_new(size_t max)
{
	struct news *news = calloc(1, sizeof(*news));

	if (!news)
		return NULL;
	news->max = max;
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
	*news = (struct news){ .max = news->max };
}

void news_free(struct news *news)
{
	if (!news)
		return;
	news_forget(news);
	free(news);
}

bool news_is_full(const struct news *news)
{
	return news->full;
}

void news_words(unsigned int bits, const char *words[NEWS_WORDS + 1])
{
	static const char *const all[NEWS_WORDS] = { "changed", "new", "deleted", "memfd",
						     "writable" };
	size_t count = 0, i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		if (bits & 1U << i)
			words[count++] = all[i];
	words[count] = NULL;
}

/* -------------------------------------------------------------- contents -- */

static struct content *content_of(const struct identity *identity)
{
	struct content *content = malloc(sizeof(*content) + identity->id.size);

	if (!content)
		return NULL;
	content->kind = identity->kind;
	content->size = (uint16_t)identity->id.size;
	memcpy(content->bytes, identity->id.bytes, identity->id.size);
	return content;
}

static bool is_content(const struct content *content, const struct identity *identity)
{
	return content->kind == identity->kind && content->size == identity->id.size &&
	       !memcmp(content->bytes, identity->id.bytes, content->size);
}

static bool add_content(struct news *news, uint64_t key, const struct identity *identity)
{
	struct content *content;

	if (news->nr_contents == news->max || !array_reserve(news->contents, news->nr_contents))
		return false;
	content = content_of(identity);
	if (!content || !hash_map_add(&news->content_map, key, (uint32_t)news->nr_contents)) {
		free(content);
		return false;
	}
	news->contents[news->nr_contents++] = content;
	return true;
}

/* Its index with NEWS_NEW unless it was known; UINT32_MAX when there is no room for it. */
static uint32_t find_content(struct news *news, const struct identity *identity, unsigned int *bits)
{
	uint64_t key = hash_bytes(hash_start(), identity->id.bytes, identity->id.size);
	const struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&news->content_map, key, slot)))
		if (is_content(news->contents[slot->value], identity))
			return slot->value;
	*bits |= NEWS_NEW;
	if (add_content(news, key, identity))
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

/* A file that was unlinked has left its path to another one. */
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

static unsigned int judge_place(struct news *news, const struct buildid_file *file,
				uint64_t path_key, uint32_t content)
{
	const uint32_t device[] = { file->user_dev_major, file->user_dev_minor };
	const struct place here = { .file_id = file->file_id, .content = content };
	uint64_t key = hash_bytes(path_key, device, sizeof(device));
	uint32_t index = hash_map_get(&news->place_map, key, UINT32_MAX);
	struct place *place;
	unsigned int bits;

	if (index == UINT32_MAX) {
		if (!add_place(news, key, &here))
			news->full = true;
		return 0;
	}
	place = &news->places[index];
	if (file->file_id < place->file_id)
		return 0;
	bits = place->content == content ? 0 : NEWS_CHANGED;
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

/* Those of @bits that this version did not have under this path so far. */
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

static unsigned int judge(struct news *news, const struct buildid_file *file, const char *path)
{
	uint64_t path_key = hash_text(path);
	struct identity identity = print_identity_of(file);
	unsigned int bits = bits_of_flags(file->flags);
	uint32_t content;

	if (identity.id.size)
		bits |= CONTENT_JUDGED;
	bits = add_bits(news, path_key, file->file_id, bits);
	if (!(bits & CONTENT_JUDGED))
		return bits;
	bits &= ~CONTENT_JUDGED;
	content = find_content(news, &identity, &bits);
	if (content != UINT32_MAX && has_place(file, path))
		bits |= judge_place(news, file, path_key, content);
	return bits;
}

unsigned int news_judge(struct news *news, const struct buildid_event *event,
			const struct identity **former)
{
	struct identity identity;
	unsigned int bits = 0;

	*former = NULL;
	if (event->record->type == BUILDID_RECORD_COOKIE) {
		identity = print_identity_of(event->record);
		if (identity.id.size)
			find_content(news, &identity, &bits);
	} else if (event->file) {
		bits = judge(news, event->file, print_path(event));
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

	judge(news, file, path ? path : "");
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
		/* One process: it is gone, or another one by now. */
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
	int err = learn_cache(news);

	if (err)
		module_netlink_error(out, err);
	err = learn_mapped(news);
	if (err)
		module_error(out, BUILDID_DEVICE, err, NULL);
}
