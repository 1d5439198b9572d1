// SPDX-License-Identifier: GPL-2.0
/*
 * Diff samples: where the processor was, not what it was called by, by the offset in the file.
 * A content may have several names in a recording.
 */

#include <stdlib.h>

#include "common/array.h"
#include "diff_samples.h"

/* Functions may lie within others: so many before a place are looked at. */
#define NESTED_MAX 32

struct place {
	uint64_t start, end;
	size_t change;
	bool both; /* it is in the other file, too */
};

struct places {
	struct place *all; /* by start */
	size_t count;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *one = a, *other = b;
	int result = COMPARE(one->start, other->start);

	/* Of several names of a function, of which the last counts, one that can be compared. */
	if (!result)
		result = COMPARE(one->both, other->both);
	return result ? result : COMPARE(one->change, other->change);
}

static bool make_places(struct places *places, const struct code_diff *diff, size_t side)
{
	const struct code_change *change;
	size_t i;

	places->all = calloc(diff->count + 1, sizeof(*places->all));
	if (!places->all)
		return false;
	for (i = 0; i < diff->count; i++) {
		change = &diff->all[i];
		if (change->size[side])
			places->all[places->count++] = (struct place){
				.start = change->start[side],
				.end = change->start[side] + change->size[side],
				.change = i,
				.both = change->size[!side],
			};
	}
	array_sort(places->all, places->count, compare_places);
	return true;
}

static const struct place *place_at(const struct places *places, uint64_t offset)
{
	size_t low = 0, high = places->count, middle, tried;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (places->all[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	for (tried = 0; low-- && tried < NESTED_MAX; tried++)
		if (offset < places->all[low].end)
			return &places->all[low];
	return NULL;
}

static void diff_samples_add(struct diff_samples *samples, const struct places places[2],
			     const struct diff_recording *recording,
			     const struct build_id *const ids[2],
			     const struct perfdata_stack *stack)
{
	const struct perfdata_frame *frame = stack->frames;
	const struct place *place;
	size_t side;

	samples->all++;
	if (!stack->nr_frames || frame->dso == PERFDATA_NO_DSO)
		return;
	for (side = 0; side < 2; side++) {
		if (!ids[side]->size || !build_id_equal(&recording->dsos[frame->dso].id, ids[side]))
			continue;
		samples->in[side]++;
		place = place_at(&places[side], frame->place);
		if (place)
			samples->of[place->change][side]++;
		else
			samples->unnamed[side]++;
	}
}

bool diff_samples_read(struct diff_samples *samples, const struct code_diff *diff,
		       const struct diff_recording *recording, const struct build_id *const ids[2])
{
	struct places places[2] = {};
	struct perfdata_stack stack;
	bool good;

	*samples = (struct diff_samples){ .of = calloc(diff->count + 1, sizeof(*samples->of)) };
	good = samples->of && make_places(&places[0], diff, 0) && make_places(&places[1], diff, 1);
	while (good && perfdata_profile_next(recording->profile, &stack) > 0)
		diff_samples_add(samples, places, recording, ids, &stack);
	free(places[0].all);
	free(places[1].all);
	return good;
}

double diff_samples_share(const struct diff_samples *samples, size_t change, size_t side)
{
	if (!samples->of || !samples->in[side])
		return 0;
	return (double)samples->of[change][side] / (double)samples->in[side];
}

void diff_samples_free(struct diff_samples *samples)
{
	free(samples->of);
	*samples = (struct diff_samples){};
}
