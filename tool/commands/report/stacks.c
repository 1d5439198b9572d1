// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks. While samples are read nothing is named: each chain is a way down a tree of places, so
 * that a place is named once. Then the nodes of equal names are merged.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/content_name.h"
#include "common/utf8.h"
#include "stacks.h"

/*
 * Of a name, in characters: the graph repeats it in each frame, and symbols, or the paths of a
 * recording that was made up, may be of any length.
 */
#define NAME_MAX_LENGTH 256
#define ELLIPSIS	"…"

/* In place of a location: the name of a program. */
#define PROGRAM (1U << 31)

void stacks_free(struct stacks *stacks)
{
	size_t i;

	for (i = 0; stacks->contents && i < stacks->nr_dsos; i++) {
		free(stacks->contents[i].slots);
		free(stacks->contents[i].label);
		free(stacks->contents[i].path);
	}
	for (i = 0; i < stacks->nr_names; i++)
		free(stacks->names[i].text);
	free(stacks->contents);
	free(stacks->locations);
	free(stacks->names);
	free(stacks->nodes);
	free(stacks->raw);
	free(stacks->uses);
	free(stacks->ends);
	hash_map_free(&stacks->location_map);
	hash_map_free(&stacks->name_map);
	hash_map_free(&stacks->raw_map);
	hash_map_free(&stacks->use_map);
	perfdata_profile_free(stacks->profile);
	*stacks = (struct stacks){};
}

/* -------------------------------------------------------------------- contents -- */

static const char *ellipsis_of(const char *text, size_t length)
{
	return text[length] ? ELLIPSIS : "";
}

static char *cut_name(const char *text)
{
	const size_t length = utf8_length(text, NAME_MAX_LENGTH);
	char *cut;

	if (asprintf(&cut, "%.*s%s", (int)length, text, ellipsis_of(text, length)) < 0)
		return NULL;
	return cut;
}

static char *label_of(const char *path, const struct build_id *id)
{
	const char *slash = strrchr(path, '/');
	char text[BUILD_ID_TEXT];
	char *base, *label;

	base = cut_name(slash && slash[1] ? slash + 1 : path);
	if (!base || !id->size)
		return base;
	if (asprintf(&label, "%s@%.*s", base, CONTENT_NAME_DIGITS, build_id_text(id, text)) < 0)
		label = NULL;
	free(base);
	return label;
}

static bool make_contents(struct stacks *stacks)
{
	const struct perfdata_dso *dso;
	size_t i;

	stacks->contents = calloc(stacks->nr_dsos + 1, sizeof(*stacks->contents));
	for (i = 0; stacks->contents && i < stacks->nr_dsos; i++) {
		struct stack_content *content = &stacks->contents[i];

		dso = &stacks->dsos[i];
		content->path = strndup(dso->path, content_name_path(dso->path, &dso->id));
		content->label = content->path ? label_of(content->path, &dso->id) : NULL;
		if (!content->label)
			return false;
	}
	return stacks->contents;
}

const char *stacks_label(const struct stacks *stacks, uint32_t dso)
{
	return dso == STACKS_NOTHING ? "[unknown]" : stacks->contents[dso].label;
}

/* ------------------------------------------------------------------------ tree -- */

/* Of the child of @parent that is @what; it may be new. STACKS_NOTHING without memory. */
static uint32_t child_of(struct stack_node **nodes, size_t *count, struct hash_map *map,
			 uint32_t parent, uint32_t what)
{
	const uint64_t key = (uint64_t)parent << 32 | what;
	uint32_t found = hash_map_get(map, key, STACKS_NOTHING);

	if (found != STACKS_NOTHING)
		return found;
	if (*count == PROGRAM || !array_reserve(*nodes, *count) ||
	    !hash_map_set(map, key, (uint32_t)*count))
		return STACKS_NOTHING;
	(*nodes)[*count] = (struct stack_node){ .parent = parent, .name = what };
	return (uint32_t)(*count)++;
}

static bool add_root(struct stack_node **nodes, size_t *count)
{
	if (!array_reserve(*nodes, *count))
		return false;
	(*nodes)[(*count)++] = (struct stack_node){ .name = STACKS_NOTHING };
	return true;
}

static uint64_t hash_of_location(uint32_t dso, uint64_t place)
{
	return hash_bytes(hash_bytes(hash_start(), &dso, sizeof(dso)), &place, sizeof(place));
}

/* The kernel's symbols are by address; of what is not known only that counts. */
static uint64_t place_of(const struct stacks *stacks, const struct perfdata_frame *frame)
{
	if (frame->dso == PERFDATA_NO_DSO)
		return frame->kernel;
	switch (stacks->dsos[frame->dso].kind) {
	case PERFDATA_KIND_KERNEL:
	case PERFDATA_KIND_MODULE:
		return frame->address;
	default:
		return frame->place;
	}
}

static uint32_t location_of(struct stacks *stacks, const struct perfdata_frame *frame)
{
	const uint32_t dso = frame->dso == PERFDATA_NO_DSO ? STACKS_NOTHING : (uint32_t)frame->dso;
	const uint64_t place = place_of(stacks, frame), hash = hash_of_location(dso, place);
	const struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&stacks->location_map, hash, slot)))
		if (stacks->locations[slot->value].dso == dso &&
		    stacks->locations[slot->value].place == place)
			return slot->value;
	if (stacks->nr_locations == PROGRAM ||
	    !array_reserve(stacks->locations, stacks->nr_locations) ||
	    !hash_map_add(&stacks->location_map, hash, (uint32_t)stacks->nr_locations))
		return STACKS_NOTHING;
	stacks->locations[stacks->nr_locations] = (struct stack_location){
		.dso = dso,
		.name = STACKS_NOTHING,
		.place = place,
	};
	return (uint32_t)stacks->nr_locations++;
}

/*
 * The whole @text has the same hash as that of which the name was made, which tells two long ones
 * with the same beginning apart.
 */
static bool is_name(const struct stack_name *name, const char *text)
{
	const size_t length = utf8_length(text, NAME_MAX_LENGTH);

	return !strncmp(name->text, text, length) &&
	       !strcmp(name->text + length, ellipsis_of(text, length));
}

static uint32_t name_of(struct stacks *stacks, const char *text, uint32_t dso, bool program)
{
	const uint64_t hash = hash_bytes(hash_text(text), &dso, sizeof(dso));
	const struct hash_slot *slot = NULL;
	char *copy;

	while ((slot = hash_map_next(&stacks->name_map, hash, slot))) {
		const struct stack_name *name = &stacks->names[slot->value];

		if (name->dso == dso && name->program == program && is_name(name, text))
			return slot->value;
	}
	copy = cut_name(text);
	if (!copy || stacks->nr_names == PROGRAM ||
	    !array_reserve(stacks->names, stacks->nr_names) ||
	    !hash_map_add(&stacks->name_map, hash, (uint32_t)stacks->nr_names)) {
		free(copy);
		return STACKS_NOTHING;
	}
	stacks->names[stacks->nr_names] = (struct stack_name){ copy, dso, program };
	return (uint32_t)stacks->nr_names++;
}

/* ------------------------------------------------------------------------ uses -- */

/*
 * Of a process until its exec or exit at @end: a pid may be that of another process later. What is
 * in @ends is @end of each use.
 */
static struct timeline_use *use_of(struct stacks *stacks, uint32_t dso, uint32_t pid, uint64_t end)
{
	const uint64_t process = (uint64_t)dso << 32 | pid;
	const uint64_t key =
		hash_bytes(hash_bytes(hash_start(), &process, sizeof(process)), &end, sizeof(end));
	const struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&stacks->use_map, key, slot))) {
		struct timeline_use *use = &stacks->uses[slot->value];

		if (use->content == dso && use->pid == pid && stacks->ends[slot->value] == end)
			return use;
	}
	if (stacks->nr_uses == STACKS_NOTHING || !array_reserve(stacks->uses, stacks->nr_uses) ||
	    !array_reserve(stacks->ends, stacks->nr_uses) ||
	    !hash_map_add(&stacks->use_map, key, (uint32_t)stacks->nr_uses))
		return NULL;
	stacks->ends[stacks->nr_uses] = end;
	stacks->uses[stacks->nr_uses] = (struct timeline_use){
		.content = dso,
		.pid = pid,
		.from = UINT64_MAX,
	};
	return &stacks->uses[stacks->nr_uses++];
}

static void use_extend(struct timeline_use *use, uint64_t from, uint64_t until)
{
	if (from < use->from)
		use->from = from;
	if (until > use->until)
		use->until = until;
}

static bool add_mapped(struct stacks *stacks)
{
	const struct perfdata_mapped *mapped;
	struct timeline_use *use;
	size_t count, i;

	mapped = perfdata_profile_mapped(stacks->profile, &count);
	for (i = 0; i < count; i++) {
		if (mapped[i].dso == PERFDATA_NO_DSO)
			continue;
		use = use_of(stacks, (uint32_t)mapped[i].dso, mapped[i].pid, mapped[i].until);
		if (!use)
			return false;
		use_extend(use, mapped[i].time, mapped[i].until);
	}
	return true;
}

static bool add_sample_use(struct stacks *stacks, const struct perfdata_stack *stack)
{
	const size_t dso = stack->frames->dso;
	struct timeline_use *use;

	if (dso == PERFDATA_NO_DSO)
		return true;
	use = use_of(stacks, (uint32_t)dso, stack->pid,
		     perfdata_profile_until(stacks->profile, stack->pid, stack->time));
	if (!use)
		return false;
	use->samples++;
	use->comm = stack->comm;
	use_extend(use, stack->time, stack->time);
	stacks->contents[dso].samples++;
	return true;
}

/* ------------------------------------------------------------------------ read -- */

static bool stacks_add(struct stacks *stacks, const struct perfdata_stack *stack)
{
	uint32_t name =
		name_of(stacks, *stack->comm ? stack->comm : "[unknown]", STACKS_NOTHING, true);
	uint32_t node, location;
	size_t i = stack->nr_frames;

	if (name == STACKS_NOTHING || !add_sample_use(stacks, stack))
		return false;
	stacks->samples++;
	node = child_of(&stacks->raw, &stacks->nr_raw, &stacks->raw_map, 0, name | PROGRAM);
	while (node != STACKS_NOTHING && i--) {
		location = location_of(stacks, &stack->frames[i]);
		if (location == STACKS_NOTHING)
			return false;
		node = child_of(&stacks->raw, &stacks->nr_raw, &stacks->raw_map, node, location);
	}
	if (node != STACKS_NOTHING)
		stacks->raw[node].self++;
	return node != STACKS_NOTHING;
}

static void settle_uses(struct stacks *stacks)
{
	size_t i;

	array_sort(stacks->uses, stacks->nr_uses, timeline_compare_uses);
	for (i = 0; i < stacks->nr_uses; i++) {
		struct timeline_use *use = &stacks->uses[i];
		struct stack_content *content = &stacks->contents[use->content];

		if (!content->nr_uses++)
			content->first_use = i;
		if (!use->comm)
			use->comm = perfdata_profile_comm(
				stacks->profile, use->pid,
				use->from < stacks->begin ? stacks->begin : use->from);
	}
}

static bool add_slot(struct stacks *stacks, const struct perfdata_stack *stack)
{
	const uint64_t length = stacks->end - stacks->begin;
	struct stack_content *content;
	size_t slot;

	if (stack->frames->dso == PERFDATA_NO_DSO || !stack->time || !length)
		return true;
	content = &stacks->contents[stack->frames->dso];
	if (!content->slots)
		content->slots = calloc(TIMELINE_SLOTS, sizeof(*content->slots));
	if (!content->slots)
		return false;
	slot = (size_t)((double)(stack->time - stacks->begin) / (double)length * TIMELINE_SLOTS);
	content->slots[slot < TIMELINE_SLOTS ? slot : TIMELINE_SLOTS - 1]++;
	return true;
}

/* Once the times are known of which these are parts. */
static bool read_slots(struct stacks *stacks)
{
	struct perfdata_stack stack;
	bool good = true;

	perfdata_profile_rewind(stacks->profile);
	while (good && perfdata_profile_next(stacks->profile, &stack) > 0)
		good = add_slot(stacks, &stack);
	return good;
}

static bool read_samples(struct stacks *stacks)
{
	struct perfdata_stack stack;
	bool good = true;

	while (good && perfdata_profile_next(stacks->profile, &stack) > 0)
		good = stacks_add(stacks, &stack);
	return good;
}

bool stacks_read(struct stacks *stacks, struct perfdata *data)
{
	int count;

	*stacks = (struct stacks){ .data = data, .profile = perfdata_profile_new(data) };
	if (!stacks->profile)
		return false;
	count = perfdata_dsos(data, false, &stacks->dsos);
	if (count < 0)
		return false;
	stacks->nr_dsos = (size_t)count;
	if (!make_contents(stacks) || !add_root(&stacks->raw, &stacks->nr_raw) ||
	    !add_mapped(stacks) || !read_samples(stacks))
		return false;
	stacks->begin = perfdata_profile_begin(stacks->profile);
	stacks->end = perfdata_profile_end(stacks->profile);
	settle_uses(stacks);
	return read_slots(stacks) && !perfdata_error(data);
}

/* ----------------------------------------------------------------------- names -- */

bool stacks_name(struct stacks *stacks, size_t location, const char *function)
{
	struct stack_location *named = &stacks->locations[location];

	named->name = name_of(stacks, function, named->dso, false);
	return named->name != STACKS_NOTHING;
}

static uint32_t raw_name(const struct stacks *stacks, uint32_t what)
{
	return what & PROGRAM ? what & ~PROGRAM : stacks->locations[what].name;
}

/* A node comes behind its parent in either tree. */
static bool merge_nodes(struct stacks *stacks, uint32_t *merged, struct hash_map *map)
{
	size_t i;

	for (i = 1; i < stacks->nr_raw; i++) {
		const struct stack_node *raw = &stacks->raw[i];

		merged[i] = child_of(&stacks->nodes, &stacks->nr_nodes, map, merged[raw->parent],
				     raw_name(stacks, raw->name));
		if (merged[i] == STACKS_NOTHING)
			return false;
		stacks->nodes[merged[i]].self += raw->self;
	}
	for (i = stacks->nr_nodes; i-- > 0;) {
		struct stack_node *node = &stacks->nodes[i];

		node->total += node->self;
		if (i)
			stacks->nodes[node->parent].total += node->total;
	}
	return true;
}

bool stacks_merge(struct stacks *stacks)
{
	uint32_t *merged = calloc(stacks->nr_raw + 1, sizeof(*merged));
	struct hash_map map = {};
	bool good = merged && add_root(&stacks->nodes, &stacks->nr_nodes) &&
		    merge_nodes(stacks, merged, &map);

	hash_map_free(&map);
	free(merged);
	return good;
}
