// SPDX-License-Identifier: GPL-2.0
/*
 * Mon timeline: a holder is a process between two calls of exec. Events of different processes are
 * not quite in order, as mappings wait for their files: one that comes after the exec or exit of
 * its process gets a holder of its own, which has ended.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "commands/print.h"
#include "common/array.h"
#include "mon_timeline.h"

#define NOTHING UINT32_MAX

/* Of all paths and identities: most are short, but anybody may map long ones. */
#define TEXT_MAX (64 << 20)

/* CLOCK_REALTIME is shown in seconds; what NTP does to it is no step. */
#define STEP_LEAST 100000000
#define STEPS_MAX  4096

struct mon_holder {
	uint32_t pid;
	uint32_t last_use, nr_uses;
	uint32_t shares; /* the first holder of the address space, or NOTHING */
	uint64_t start_time;
	uint64_t began, ended;
	bool named; /* by the process, and not by one of its threads */
	char comm[16 + 1];
};

struct mon_timeline *mon_timeline_new(size_t max)
{
	struct mon_timeline *timeline = calloc(1, sizeof(*timeline));

	if (timeline)
		timeline->max = max;
	return timeline;
}

void mon_timeline_free(struct mon_timeline *timeline)
{
	if (!timeline)
		return;
	while (timeline->nr_contents--) {
		free(timeline->contents[timeline->nr_contents].path);
		free(timeline->contents[timeline->nr_contents].id);
	}
	while (timeline->nr_holders--)
		free(timeline->holders[timeline->nr_holders]);
	free(timeline->contents);
	free(timeline->holders);
	free(timeline->uses);
	free(timeline->next);
	free(timeline->clocks);
	hash_map_free(&timeline->content_map);
	hash_map_free(&timeline->holder_map);
	hash_map_free(&timeline->use_map);
	free(timeline);
}

/* --------------------------------------------------------------------- processes -- */

static void set_name(struct mon_holder *holder, const uint8_t comm[16])
{
	memcpy(holder->comm, comm, 16);
}

/* NOTHING without room. */
static uint32_t add_holder(struct mon_timeline *timeline, const struct mon_holder *holder)
{
	struct mon_holder *copy;

	if (timeline->nr_holders == timeline->max ||
	    !array_reserve(timeline->holders, timeline->nr_holders))
		return NOTHING;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return NOTHING;
	*copy = *holder;
	copy->last_use = copy->shares = NOTHING;
	timeline->holders[timeline->nr_holders] = copy;
	return (uint32_t)timeline->nr_holders++;
}

static void end_holder(struct mon_timeline *timeline, struct mon_holder *holder, uint64_t time)
{
	uint32_t i;

	holder->ended = time;
	for (i = holder->last_use; i != NOTHING; i = timeline->next[i])
		timeline->uses[i].until = time;
}

/* Without the module a start time may be unknown. */
static bool is_process(const struct mon_holder *holder, uint64_t start_time)
{
	return holder->start_time == start_time || !holder->start_time || !start_time;
}

/* One that has its pid now, whatever process it is; NULL for none. */
static struct mon_holder *latest_holder(const struct mon_timeline *timeline, uint32_t pid)
{
	const uint32_t index = hash_map_get(&timeline->holder_map, pid, NOTHING);

	return index == NOTHING ? NULL : timeline->holders[index];
}

static uint32_t begin_holder(struct mon_timeline *timeline, uint32_t pid, uint64_t start_time,
			     uint64_t time)
{
	const struct mon_holder new = {
		.pid = pid,
		.start_time = start_time,
		.began = time,
		.ended = UINT64_MAX,
	};
	struct mon_holder *former = latest_holder(timeline, pid);
	uint32_t index;

	if (former && former->ended == UINT64_MAX) {
		timeline->losses.unended += !is_process(former, start_time);
		end_holder(timeline, former, time);
	}
	index = add_holder(timeline, &new);
	if (index == NOTHING || !hash_map_set(&timeline->holder_map, pid, index)) {
		timeline->losses.full++;
		return NOTHING;
	}
	return index;
}

/* An event of a process that was thought to be over. */
static uint32_t late_holder(struct mon_timeline *timeline, const struct mon_holder *latest,
			    const struct buildid_mmap *mmap)
{
	const bool exec = !is_process(latest, mmap->start_time) ||
			  mmap->header.time_mono < latest->began;

	return add_holder(timeline, &(const struct mon_holder){
					    .pid = mmap->pid,
					    .start_time = mmap->start_time,
					    .began = mmap->header.time_mono,
					    .ended = exec ? latest->began : latest->ended,
				    });
}

static bool is_late(const struct mon_holder *latest, const struct buildid_mmap *mmap)
{
	if (!is_process(latest, mmap->start_time))
		return mmap->start_time < latest->start_time;
	return latest->ended != UINT64_MAX || mmap->header.time_mono < latest->began;
}

static uint32_t holder_of(struct mon_timeline *timeline, const struct buildid_mmap *mmap)
{
	const uint32_t index = hash_map_get(&timeline->holder_map, mmap->pid, NOTHING);
	const struct mon_holder *latest = index == NOTHING ? NULL : timeline->holders[index];
	uint32_t late;

	if (!latest || (!is_process(latest, mmap->start_time) && !is_late(latest, mmap)))
		return begin_holder(timeline, mmap->pid, mmap->start_time, mmap->header.time_mono);
	if (!is_late(latest, mmap))
		return index;
	late = late_holder(timeline, latest, mmap);
	timeline->losses.full += late == NOTHING;
	return late;
}

/* ---------------------------------------------------------------------- contents -- */

static uint64_t key_of_path(const struct buildid_file *file, const char *path)
{
	const uint32_t device[] = { file->user_dev_major, file->user_dev_minor };

	return hash_bytes(hash_text(path), device, sizeof(device));
}

/* A file without an identity is its own content. */
static uint64_t key_of_content(const struct buildid_file *file, uint64_t path_key, const char *id)
{
	const uint64_t which = print_identity_of(file).id.size ? file->file_size : file->file_id;

	return hash_bytes(path_key, &which, sizeof(which)) ^ hash_text(id);
}

static uint32_t add_content(struct mon_timeline *timeline, uint64_t path_key, const char *path,
			    const char *id, bool deleted)
{
	const size_t text = timeline->text + strlen(path) + strlen(id);
	struct mon_content content = { .key = path_key, .deleted = deleted };

	if (timeline->nr_contents == timeline->max || text > TEXT_MAX ||
	    !array_reserve(timeline->contents, timeline->nr_contents))
		return NOTHING;
	content.path = strdup(path);
	content.id = strdup(id);
	if (!content.path || !content.id) {
		free(content.path);
		free(content.id);
		return NOTHING;
	}
	timeline->text = text;
	timeline->contents[timeline->nr_contents] = content;
	return (uint32_t)timeline->nr_contents++;
}

static uint32_t content_of_file(struct mon_timeline *timeline, const struct buildid_file *file,
				const char *path)
{
	const uint64_t path_key = key_of_path(file, path);
	char id[PRINT_ID_MAX];
	uint64_t key;
	uint32_t index;

	print_id(file, id);
	key = key_of_content(file, path_key, id);
	index = hash_map_get(&timeline->content_map, key, NOTHING);
	if (index != NOTHING)
		return index;
	index = add_content(timeline, path_key, path, id, file->flags & BUILDID_FILE_DELETED);
	if (index == NOTHING || !hash_map_set(&timeline->content_map, key, index)) {
		timeline->losses.full++;
		return NOTHING;
	}
	return index;
}

/* -------------------------------------------------------------------------- uses -- */

static bool has_content(const struct mon_timeline *timeline, uint32_t holder, uint32_t content)
{
	return hash_map_get(&timeline->use_map, (uint64_t)holder << 32 | content, NOTHING) !=
	       NOTHING;
}

static void add_use(struct mon_timeline *timeline, uint32_t index, uint32_t content, uint64_t from)
{
	struct mon_holder *holder = timeline->holders[index];

	if (has_content(timeline, index, content))
		return;
	if (timeline->nr_uses == timeline->max ||
	    !array_reserve(timeline->uses, timeline->nr_uses) ||
	    !array_reserve(timeline->next, timeline->nr_uses) ||
	    !hash_map_set(&timeline->use_map, (uint64_t)index << 32 | content,
			  (uint32_t)timeline->nr_uses)) {
		timeline->losses.full++;
		return;
	}
	timeline->uses[timeline->nr_uses] = (struct timeline_use){
		.content = content,
		.pid = holder->pid,
		.from = from,
		.until = holder->ended,
		.comm = holder->comm,
	};
	timeline->next[timeline->nr_uses] = holder->last_use;
	holder->last_use = (uint32_t)timeline->nr_uses++;
	holder->nr_uses++;
}

/* ------------------------------------------------------------------------ events -- */

static void take_mapping(struct mon_timeline *timeline, const struct buildid_event *event)
{
	const struct buildid_mmap *mmap = (const void *)event->record;
	const bool before = mmap->header.flags & BUILDID_RECORD_SNAPSHOT;
	uint32_t holder, content, first;

	timeline->snapshot |= before;
	if (!(mmap->prot & PROT_EXEC))
		return;
	holder = holder_of(timeline, mmap);
	if (!event->file)
		timeline->losses.unknown++;
	if (!event->file || holder == NOTHING)
		return;
	if (!timeline->holders[holder]->named)
		set_name(timeline->holders[holder], mmap->comm);
	timeline->holders[holder]->named |= mmap->tid == mmap->pid;
	content = content_of_file(timeline, event->file, print_path(event));
	if (content == NOTHING)
		return;
	add_use(timeline, holder, content, before ? 0 : mmap->header.time_mono);
	/* the other one may go on without it */
	first = timeline->holders[holder]->shares;
	if (first != NOTHING && timeline->holders[first]->ended == UINT64_MAX)
		add_use(timeline, first, content, mmap->header.time_mono);
}

/* A fork of a process that has mapped much must not cost that much where there is no room. */
static void inherit_uses(struct mon_timeline *timeline, const struct mon_holder *parent,
			 uint32_t holder, uint64_t time)
{
	uint32_t i;

	if (parent->nr_uses > timeline->max - timeline->nr_uses) {
		timeline->losses.full += parent->nr_uses;
		return;
	}
	for (i = parent->last_use; i != NOTHING; i = timeline->next[i])
		add_use(timeline, holder, timeline->uses[i].content, time);
}

static void take_fork(struct mon_timeline *timeline, const struct buildid_task *task)
{
	const uint32_t of_parent = hash_map_get(&timeline->holder_map, task->parent_pid, NOTHING);
	const struct mon_holder *parent = latest_holder(timeline, task->parent_pid);
	const uint64_t time = task->header.time_mono;
	uint32_t holder;

	holder = begin_holder(timeline, task->pid, task->start_time, time);
	if (holder == NOTHING)
		return;
	set_name(timeline->holders[holder], task->comm);
	if (!parent || !is_process(parent, task->parent_start_time) || parent->ended != UINT64_MAX)
		return;
	if (task->flags & BUILDID_TASK_SHARES_MM)
		timeline->holders[holder]->shares = parent->shares == NOTHING ? of_parent :
										parent->shares;
	inherit_uses(timeline, parent, holder, time);
}

static void take_exec(struct mon_timeline *timeline, const struct buildid_task *task)
{
	const uint32_t holder =
		begin_holder(timeline, task->pid, task->start_time, task->header.time_mono);

	if (holder == NOTHING)
		return;
	set_name(timeline->holders[holder], task->comm);
	timeline->holders[holder]->named = true;
}

static void take_exit(struct mon_timeline *timeline, const struct buildid_task *task)
{
	struct mon_holder *holder = latest_holder(timeline, task->pid);

	if (holder && is_process(holder, task->start_time) && holder->ended == UINT64_MAX)
		end_holder(timeline, holder, task->header.time_mono);
}

static void take_clock(struct mon_timeline *timeline, uint64_t time, int64_t ahead)
{
	const size_t count = timeline->nr_clocks;

	int64_t step;

	if (count == STEPS_MAX)
		return;
	if (count && !__builtin_sub_overflow(ahead, timeline->clocks[count - 1].ahead, &step) &&
	    step < STEP_LEAST && step > -STEP_LEAST)
		return;
	if (!array_reserve(timeline->clocks, count))
		return;
	timeline->clocks[timeline->nr_clocks++] = (struct timeline_clock){ time, ahead };
}

void mon_timeline_take(struct mon_timeline *timeline, const struct buildid_event *event,
		       int64_t ahead)
{
	const struct buildid_task *task = (const void *)event->record;
	const uint64_t time = event->record->time_mono;

	take_clock(timeline, time, ahead);
	if (!timeline->begin || time < timeline->begin)
		timeline->begin = time;
	if (time > timeline->end)
		timeline->end = time;
	switch (event->record->type) {
	case BUILDID_RECORD_MMAP:
		take_mapping(timeline, event);
		return;
	case BUILDID_RECORD_FORK:
		take_fork(timeline, task);
		break;
	case BUILDID_RECORD_EXEC:
		take_exec(timeline, task);
		break;
	case BUILDID_RECORD_EXIT:
		take_exit(timeline, task);
		break;
	default:
		return;
	}
	timeline->tasks = true;
}

/* ----------------------------------------------------------------------- the end -- */

static uint64_t first_seen(const struct mon_timeline *timeline, const struct mon_content *content)
{
	uint64_t from = UINT64_MAX;
	size_t i;

	for (i = content->first_use; i < content->first_use + content->nr_uses; i++)
		if (timeline->uses[i].from < from)
			from = timeline->uses[i].from;
	return from;
}

struct ranked_content {
	uint64_t key, from;
	uint32_t index;
	bool deleted;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked_content *one = a, *other = b;
	int result = COMPARE(one->key, other->key);

	if (!result)
		result = COMPARE(one->from, other->from);
	if (!result)
		result = COMPARE(other->deleted, one->deleted);
	return result ? result : COMPARE(one->index, other->index);
}

/* Of two that were there before the beginning the one that is not deleted is the later one. */
static bool is_later(const struct ranked_content *one, const struct ranked_content *before)
{
	return one->from > before->from || (before->deleted && !one->deleted);
}

static void find_replaced(struct mon_timeline *timeline, const struct ranked_content *ranked,
			  size_t count)
{
	const struct ranked_content *later = NULL;
	size_t i;

	for (i = count; i-- > 0;) {
		struct mon_content *content = &timeline->contents[ranked[i].index];
		const struct ranked_content *next = i + 1 < count ? &ranked[i + 1] : NULL;

		if (!next || next->key != ranked[i].key)
			later = NULL;
		else if (is_later(next, &ranked[i]))
			later = next;
		if (!later)
			continue;
		content->replaced = later->from ? later->from : timeline->begin;
		content->replacement = later->index;
	}
}

static void rank_contents(struct mon_timeline *timeline)
{
	struct ranked_content *ranked = calloc(timeline->nr_contents + 1, sizeof(*ranked));
	size_t count = ranked ? timeline->nr_contents : 0, i;

	for (i = 0; i < timeline->nr_contents; i++)
		timeline->contents[i].replaced = UINT64_MAX;
	for (i = 0; i < count; i++)
		ranked[i] = (struct ranked_content){
			.key = timeline->contents[i].key,
			.from = first_seen(timeline, &timeline->contents[i]),
			.index = (uint32_t)i,
			.deleted = timeline->contents[i].deleted,
		};
	array_sort(ranked, count, compare_ranked);
	find_replaced(timeline, ranked, count);
	free(ranked);
}

void mon_timeline_finish(struct mon_timeline *timeline, uint64_t end)
{
	size_t i;

	if (end > timeline->end)
		timeline->end = end;
	array_sort(timeline->uses, timeline->nr_uses, timeline_compare_uses);
	for (i = 0; i < timeline->nr_uses; i++) {
		struct mon_content *content = &timeline->contents[timeline->uses[i].content];

		if (!content->nr_uses++)
			content->first_use = i;
	}
	rank_contents(timeline);
}
