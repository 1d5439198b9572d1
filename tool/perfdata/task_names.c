// SPDX-License-Identifier: GPL-2.0
/*
 * Task names: events by process and time, and the texts. What each event leaves a process called,
 * and when the process ends, is found once for all events, so that a lookup needs only one.
 */

#include <string.h>

#include "common/array.h"
#include "task_names.h"

#define NO_NAME UINT32_MAX

struct task_event {
	uint32_t pid;
	uint32_t value; /* index of a name, or the parent */
	uint64_t time;
	size_t order;
	uint64_t until; /* when ready: of this or the next event of @pid that is not TASK_COMM */
	uint32_t name;	/* when ready: an index, or NO_NAME */
	bool named;	/* @name is known */
	enum {
		TASK_COMM,
		TASK_EXEC,
		TASK_FORK,
		TASK_EXIT
	} kind;
};

void task_names_free(struct task_names *names)
{
	while (names->nr_names)
		free(names->names[--names->nr_names]);
	free(names->names);
	free(names->events);
	hash_map_free(&names->map);
	*names = (struct task_names){};
}

static bool add_event(struct task_names *names, const struct task_event *event)
{
	if (!array_reserve(names->events, names->nr_events))
		return false;
	names->events[names->nr_events] = *event;
	names->events[names->nr_events].order = names->nr_events;
	names->nr_events++;
	return true;
}

/* The index of the one that is there already; takes @name. UINT32_MAX without memory. */
static uint32_t name_index(struct task_names *names, char *name)
{
	const uint64_t hash = hash_text(name);
	const struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&names->map, hash, slot))) {
		if (!strcmp(names->names[slot->value], name)) {
			free(name);
			return slot->value;
		}
	}
	if (!array_reserve(names->names, names->nr_names) ||
	    !hash_map_add(&names->map, hash, (uint32_t)names->nr_names)) {
		free(name);
		return UINT32_MAX;
	}
	names->names[names->nr_names] = name;
	return (uint32_t)names->nr_names++;
}

bool task_names_comm(struct task_names *names, uint32_t pid, uint64_t time, const char *name,
		     size_t size, bool exec)
{
	char *copy = strndup(name, size);
	uint32_t index = copy ? name_index(names, copy) : UINT32_MAX;

	return index != UINT32_MAX && add_event(names, &(struct task_event){
							       .pid = pid,
							       .value = index,
							       .time = time,
							       .kind = exec ? TASK_EXEC : TASK_COMM,
						       });
}

bool task_names_fork(struct task_names *names, uint32_t pid, uint64_t time, uint32_t parent)
{
	return add_event(names,
			 &(struct task_event){
				 .pid = pid, .value = parent, .time = time, .kind = TASK_FORK });
}

bool task_names_exit(struct task_names *names, uint32_t pid, uint64_t time)
{
	return add_event(names,
			 &(struct task_event){ .pid = pid, .time = time, .kind = TASK_EXIT });
}

static int compare_events(const void *a, const void *b)
{
	const struct task_event *one = a, *other = b;
	int result = COMPARE(one->pid, other->pid);

	if (!result)
		result = COMPARE(one->time, other->time);
	return result ? result : COMPARE(one->order, other->order);
}

static void find_ends(struct task_names *names)
{
	struct task_event *event, *next = NULL;
	size_t i;

	for (i = names->nr_events; i--; next = event) {
		event = &names->events[i];
		if (event->kind != TASK_COMM)
			event->until = event->time;
		else
			event->until = next && next->pid == event->pid ? next->until : UINT64_MAX;
	}
}

/* How many are before those of @pid behind @time. */
static size_t count_before(const struct task_names *names, uint32_t pid, uint64_t time)
{
	const struct task_event key = { .pid = pid, .time = time, .order = SIZE_MAX };

	return array_lower_bound(&key, names->events, names->nr_events, sizeof(key),
				 compare_events);
}

/* The last one of @pid up to @time, or NULL. */
static struct task_event *last_event(const struct task_names *names, uint32_t pid, uint64_t time)
{
	const size_t at = count_before(names, pid, time);

	return at && names->events[at - 1].pid == pid ? &names->events[at - 1] : NULL;
}

/* Of which @event has its name; NULL where that is its own, or nothing is known. */
static struct task_event *origin_of(const struct task_names *names, struct task_event *event)
{
	switch (event->kind) {
	case TASK_FORK:
		return last_event(names, event->value, event->time);
	case TASK_EXIT:
		return event > names->events && event[-1].pid == event->pid ? event - 1 : NULL;
	default:
		return NULL;
	}
}

/*
 * Along the origins up to one that is named, and then once more, to name those on the way. Each
 * counts as named, without a name, when it is passed: forks among pids that were used again at
 * one time may be a loop.
 */
static void name_event(const struct task_names *names, struct task_event *event)
{
	struct task_event *known = event, *origin;

	while (known && !known->named) {
		known->named = true;
		known->name = NO_NAME;
		if (known->kind == TASK_COMM || known->kind == TASK_EXEC)
			known->name = known->value;
		else
			known = origin_of(names, known);
	}
	for (; known && event != known; event = origin) {
		origin = origin_of(names, event);
		event->name = known->name;
	}
}

void task_names_ready(struct task_names *names)
{
	size_t i;

	array_sort(names->events, names->nr_events, compare_events);
	find_ends(names);
	for (i = 0; i < names->nr_events; i++)
		name_event(names, &names->events[i]);
}

const char *task_names_find(const struct task_names *names, uint32_t pid, uint64_t time)
{
	const struct task_event *event = last_event(names, pid, time);

	return event && event->name != NO_NAME ? names->names[event->name] : "";
}

uint64_t task_names_until(const struct task_names *names, uint32_t pid, uint64_t time)
{
	const size_t at = count_before(names, pid, time);

	if (at == names->nr_events || names->events[at].pid != pid)
		return UINT64_MAX;
	return names->events[at].until;
}
