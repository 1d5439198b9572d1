// SPDX-License-Identifier: GPL-2.0
/* Task names: events by process and time, and the texts. */

#include <string.h>

#include "common/array.h"
#include "task_names.h"

/* A longer chain of parents is a loop, made of pids that were used again. */
#define FORKS_MAX 256

struct task_event {
	uint32_t pid;
	uint32_t value; /* index of a name, or the parent */
	uint64_t time;
	size_t order;
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

void task_names_ready(struct task_names *names)
{
	array_sort(names->events, names->nr_events, compare_events);
}

/* How many are before those of @pid behind @time. */
static size_t count_before(const struct task_names *names, uint32_t pid, uint64_t time)
{
	const struct task_event key = { .pid = pid, .time = time, .order = SIZE_MAX };

	return array_lower_bound(&key, names->events, names->nr_events, sizeof(key),
				 compare_events);
}

const char *task_names_find(const struct task_names *names, uint32_t pid, uint64_t time)
{
	const struct task_event *event;
	size_t at, forks = 0;

	at = count_before(names, pid, time);
	while (at && names->events[at - 1].pid == pid) {
		event = &names->events[--at];
		if (event->kind == TASK_COMM || event->kind == TASK_EXEC)
			return names->names[event->value];
		if (event->kind != TASK_FORK)
			continue;
		if (++forks == FORKS_MAX)
			break;
		pid = event->value;
		at = count_before(names, pid, event->time);
	}
	return "";
}

uint64_t task_names_until(const struct task_names *names, uint32_t pid, uint64_t time)
{
	const struct task_event *event;
	size_t at = count_before(names, pid, time);

	for (; at < names->nr_events && names->events[at].pid == pid; at++) {
		event = &names->events[at];
		if (event->kind != TASK_COMM)
			return event->time;
	}
	return UINT64_MAX;
}
