// SPDX-License-Identifier: GPL-2.0
/*
 * Profile: read twice. Events are not in the order of their times, so all mappings and tasks are
 * known before the first sample is looked at.
 *
 * Nearly all addresses are where others were before: the last answers are remembered, each with
 * the addresses and times that it holds for.
 */

#include <stdlib.h>
#include <string.h>

#include "address_spaces.h"
#include "common/array.h"
#include "profile.h"
#include "sample.h"
#include "task_names.h"

#define ANSWERS 4096

struct answer {
	uint32_t pid;
	bool set;
	size_t mapped; /* or ADDRESS_SPACES_NOTHING */
	struct address_spaces_scope scope;
};

struct perfdata_profile {
	struct perfdata *data;
	struct perfdata_mapped *mapped;
	size_t nr_mapped;
	struct perfdata_mapped *by_time; /* the same, to be shown */
	struct address_spaces *spaces;
	struct task_names names;
	uint64_t begin, end;
	struct perfdata_losses losses;
	struct answer answers[ANSWERS];
	struct perfdata_frame frames[PERFDATA_FRAMES_MAX];
};

void perfdata_profile_free(struct perfdata_profile *profile)
{
	if (!profile)
		return;
	task_names_free(&profile->names);
	address_spaces_free(profile->spaces);
	free(profile->mapped);
	free(profile->by_time);
	free(profile);
}

/* ------------------------------------------------------------ what there was -- */

static void profile_extend(struct perfdata_profile *profile, uint64_t time)
{
	if (!time)
		return;
	if (!profile->begin || time < profile->begin)
		profile->begin = time;
	if (time > profile->end)
		profile->end = time;
}

static bool profile_map(struct perfdata_profile *profile, const struct perfdata_mapping *mapping)
{
	if (mapping->data)
		return true;
	if (!array_reserve(profile->mapped, profile->nr_mapped))
		return false;
	profile->mapped[profile->nr_mapped] = (struct perfdata_mapped){
		.dso = perfdata_dso_of(profile->data, mapping),
		.pid = mapping->pid,
		.start = mapping->start,
		.len = mapping->len,
		.pgoff = mapping->pgoff,
		.time = mapping->time,
	};
	return address_spaces_map(profile->spaces, mapping->pid, mapping->time, mapping->start,
				  mapping->len, profile->nr_mapped++);
}

static bool profile_comm(struct perfdata_profile *profile, const struct perfdata_event *event,
			 uint64_t time)
{
	const size_t fixed = sizeof(*event) + 8;
	const struct perfdata_task *task = (const void *)event;
	const bool exec = event->misc & PERFDATA_MISC_EXEC;
	/* A thread's name follows the pid, of which it is not the name. */
	uint32_t tid;

	if (event->size <= fixed)
		return true;
	memcpy(&tid, (const char *)event + sizeof(*event) + 4, sizeof(tid));
	if (exec && !address_spaces_begin(profile->spaces, task->pid, time, task->pid))
		return false;
	return tid != task->pid ||
	       task_names_comm(&profile->names, task->pid, time, (const char *)event + fixed,
			       strnlen((const char *)event + fixed, event->size - fixed), exec);
}

static bool profile_fork(struct perfdata_profile *profile, const struct perfdata_task *task,
			 uint64_t time)
{
	if (task->pid == task->ppid)
		return true;
	return address_spaces_begin(profile->spaces, task->pid, time, task->ppid) &&
	       task_names_fork(&profile->names, task->pid, time, task->ppid);
}

static void count_lost(struct perfdata_profile *profile, const struct perfdata_event *event)
{
	const size_t at = event->type == PERFDATA_LOST ? 16 : 8;
	uint64_t lost;

	if (event->size < at + sizeof(lost))
		return;
	memcpy(&lost, (const char *)event + at, sizeof(lost));
	profile->losses.lost += lost;
}

static bool profile_add(struct perfdata_profile *profile, const struct perfdata_event *event)
{
	const struct perfdata_task *task = (const void *)event;
	struct perfdata_mapping mapping;
	uint64_t time = perfdata_time(profile->data, event);

	profile_extend(profile, time);
	if (perfdata_mapping(profile->data, event, &mapping))
		return profile_map(profile, &mapping);
	switch (event->type) {
	case PERFDATA_COMM:
		return profile_comm(profile, event, time);
	case PERFDATA_LOST:
	case PERFDATA_LOST_SAMPLES:
		count_lost(profile, event);
		return true;
	case PERFDATA_FORK:
	case PERFDATA_EXIT:
		break;
	default:
		return true;
	}
	if (event->size < sizeof(*task))
		return true;
	if (!time)
		time = task->time;
	if (event->type == PERFDATA_FORK)
		return profile_fork(profile, task, time);
	/* Other threads may run on. */
	return task->pid != task->tid || task_names_exit(&profile->names, task->pid, time);
}

static int read_all(struct perfdata_profile *profile)
{
	struct perfdata_item item;
	int answer;

	perfdata_rewind(profile->data);
	while ((answer = perfdata_next_but_samples(profile->data, &item)) > 0)
		if (!profile_add(profile, item.event))
			return perfdata_no_memory(profile->data);
	return answer;
}

static int compare_times(const void *a, const void *b)
{
	const struct perfdata_mapped *one = a, *other = b;
	int result = COMPARE(one->time, other->time);

	if (!result)
		result = COMPARE(one->pid, other->pid);
	return result ? result : COMPARE(one->start, other->start);
}

static bool profile_ready(struct perfdata_profile *profile)
{
	size_t i;

	task_names_ready(&profile->names);
	profile->by_time = calloc(profile->nr_mapped + 1, sizeof(*profile->by_time));
	if (!profile->by_time)
		return false;
	for (i = 0; i < profile->nr_mapped; i++) {
		profile->by_time[i] = profile->mapped[i];
		profile->by_time[i].until = task_names_until(
			&profile->names, profile->mapped[i].pid, profile->mapped[i].time);
	}
	array_sort(profile->by_time, profile->nr_mapped, compare_times);
	return address_spaces_ready(profile->spaces);
}

struct perfdata_profile *perfdata_profile_new(struct perfdata *data)
{
	struct perfdata_profile *new = calloc(1, sizeof(*new));
	const struct perfdata_dso *unused;

	if (!new || perfdata_dsos(data, false, &unused) < 0) {
		free(new);
		return NULL;
	}
	new->data = data;
	new->spaces = address_spaces_new();
	if (new->spaces && !read_all(new) && profile_ready(new)) {
		perfdata_rewind(data);
		return new;
	}
	perfdata_no_memory(data);
	perfdata_profile_free(new);
	return NULL;
}

/* ------------------------------------------------------------------ samples -- */

static bool holds(const struct answer *answer, uint32_t pid, uint64_t time, uint64_t address)
{
	const struct address_spaces_scope *scope = &answer->scope;

	return answer->set && answer->pid == pid && address >= scope->start &&
	       address <= scope->last && time >= scope->from && time <= scope->until;
}

static size_t mapped_at(struct perfdata_profile *profile, uint32_t pid, uint64_t time,
			uint64_t address)
{
	const uint64_t hash = (address >> 12 ^ (uint64_t)pid << 20) * 0x9e3779b97f4a7c15ULL;
	struct answer *answer = &profile->answers[hash >> 52];

	if (!holds(answer, pid, time, address)) {
		answer->mapped =
			address_spaces_find(profile->spaces, pid, time, address, &answer->scope);
		answer->pid = pid;
		answer->set = true;
	}
	return answer->mapped;
}

static struct perfdata_frame frame_at(struct perfdata_profile *profile,
				      const struct perfdata_sample *sample, uint16_t mode,
				      uint64_t address)
{
	const bool kernel = mode == PERFDATA_MISC_KERNEL;
	struct perfdata_frame frame = {
		.dso = PERFDATA_NO_DSO,
		.address = address,
		.kernel = kernel,
	};
	const struct perfdata_mapped *mapped;
	size_t found;

	if (!kernel && mode != PERFDATA_MISC_USER)
		return frame;
	found = mapped_at(profile, kernel ? ADDRESS_SPACES_KERNEL : sample->pid, sample->time,
			  address);
	if (found == ADDRESS_SPACES_NOTHING)
		return frame;
	mapped = &profile->mapped[found];
	frame.dso = mapped->dso;
	frame.place = address - mapped->start + mapped->pgoff;
	return frame;
}

static void add_frame(struct perfdata_profile *profile, struct perfdata_stack *stack,
		      const struct perfdata_frame *frame)
{
	if (stack->nr_frames == PERFDATA_FRAMES_MAX)
		stack->cut = true;
	else
		profile->frames[stack->nr_frames++] = *frame;
}

/* The first address of a mode is where it was; the others are those that are returned to. */
static void add_chain(struct perfdata_profile *profile, const struct perfdata_sample *sample,
		      struct perfdata_stack *stack)
{
	uint16_t mode = sample->cpumode;
	struct perfdata_frame frame;
	bool first = true;
	size_t i;

	for (i = 0; i < sample->nr_chain; i++) {
		uint64_t address = sample->chain[i];

		if (address >= PERFDATA_CONTEXT_MAX) {
			mode = perfdata_context_mode(address);
			first = true;
			continue;
		}
		frame = frame_at(profile, sample, mode, first || !address ? address : address - 1);
		add_frame(profile, stack, &frame);
		first = false;
	}
}

static void make_stack(struct perfdata_profile *profile, const struct perfdata_sample *sample,
		       struct perfdata_stack *stack)
{
	struct perfdata_frame frame;

	*stack = (struct perfdata_stack){
		.pid = sample->pid,
		.tid = sample->tid,
		.time = sample->time,
		.period = sample->period ? sample->period : 1,
		.frames = profile->frames,
	};
	add_chain(profile, sample, stack);
	if (!stack->nr_frames) {
		frame = frame_at(profile, sample, sample->cpumode, sample->ip);
		add_frame(profile, stack, &frame);
	}
	/* Of time 0 all names are those of the end. */
	stack->comm = task_names_find(&profile->names, sample->pid,
				      sample->time ? sample->time : UINT64_MAX);
	profile->losses.cut += stack->cut;
	profile->losses.stacks += sample->has_stack;
}

int perfdata_profile_next(struct perfdata_profile *profile, struct perfdata_stack *stack)
{
	struct perfdata_sample sample;
	struct perfdata_item item;
	int answer;

	while ((answer = perfdata_next(profile->data, &item)) > 0) {
		if (item.event->type != PERFDATA_SAMPLE)
			continue;
		if (!perfdata_sample(profile->data, item.event, &sample)) {
			profile->losses.unreadable++;
			continue;
		}
		profile_extend(profile, sample.time);
		make_stack(profile, &sample, stack);
		return 1;
	}
	return answer;
}

void perfdata_profile_rewind(struct perfdata_profile *profile)
{
	profile->losses.unreadable = 0;
	profile->losses.cut = 0;
	profile->losses.stacks = 0;
	perfdata_rewind(profile->data);
}

/* ------------------------------------------------------------------ the rest -- */

const struct perfdata_mapped *perfdata_profile_mapped(const struct perfdata_profile *profile,
						      size_t *count)
{
	*count = profile->nr_mapped;
	return profile->by_time;
}

const char *perfdata_profile_comm(const struct perfdata_profile *profile, uint32_t pid,
				  uint64_t time)
{
	return task_names_find(&profile->names, pid, time);
}

uint64_t perfdata_profile_until(const struct perfdata_profile *profile, uint32_t pid, uint64_t time)
{
	return task_names_until(&profile->names, pid, time);
}

uint64_t perfdata_profile_begin(const struct perfdata_profile *profile)
{
	return profile->begin;
}

uint64_t perfdata_profile_end(const struct perfdata_profile *profile)
{
	return profile->end;
}

const struct perfdata_losses *perfdata_profile_losses(const struct perfdata_profile *profile)
{
	return &profile->losses;
}
