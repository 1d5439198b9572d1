// SPDX-License-Identifier: GPL-2.0
/*
 * Timeline. A bar is where some process had the content mapped, as far as the recording tells: it
 * says when a mapping is made, and that a process ends, but not that one unmaps. Over it stand the
 * samples in this content.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "markup.h"
#include "timeline.h"

#define WIDTH	   1000.0
#define HEIGHT	   28
#define BAR	   6
#define PATHS_MAX  300
#define USES_SHOWN 40

struct lane {
	uint32_t dso;
	uint64_t from; /* of its first use */
};

/* The contents of one path. */
struct track {
	size_t first, count; /* of the lanes */
	uint64_t samples;
};

struct timeline {
	FILE *file;
	const struct stacks *stacks;
	struct lane *lanes; /* by path and time */
	size_t nr_lanes;
	struct track *tracks;
	size_t nr_tracks;
	uint32_t most; /* samples in one slot of a lane of the track */
};

static const struct stack_content *content_of(const struct timeline *timeline, size_t lane)
{
	return &timeline->stacks->contents[timeline->lanes[lane].dso];
}

/* ---------------------------------------------------------------------- grouping -- */

static int compare_lanes(const void *a, const void *b, void *context)
{
	const struct stacks *stacks = context;
	const struct lane *one = a, *other = b;
	int result = strcmp(stacks->contents[one->dso].path, stacks->contents[other->dso].path);

	if (!result)
		result = COMPARE(one->from, other->from);
	return result ? result : COMPARE(one->dso, other->dso);
}

static uint64_t first_from(const struct stacks *stacks, const struct stack_content *content)
{
	uint64_t from = UINT64_MAX;
	size_t i;

	for (i = content->first_use; i < content->first_use + content->nr_uses; i++)
		if (stacks->uses[i].from < from)
			from = stacks->uses[i].from;
	return from;
}

static bool make_lanes(struct timeline *timeline)
{
	const struct stacks *stacks = timeline->stacks;
	uint32_t i;

	timeline->lanes = calloc(stacks->nr_dsos + 1, sizeof(*timeline->lanes));
	for (i = 0; timeline->lanes && i < stacks->nr_dsos; i++)
		if (stacks->contents[i].nr_uses && stacks->dsos[i].kind == PERFDATA_KIND_USER)
			timeline->lanes[timeline->nr_lanes++] = (struct lane){
				.dso = i,
				.from = first_from(stacks, &stacks->contents[i]),
			};
	if (timeline->nr_lanes > 1)
		qsort_r(timeline->lanes, timeline->nr_lanes, sizeof(*timeline->lanes),
			compare_lanes, (void *)(uintptr_t)stacks);
	return timeline->lanes;
}

/* Those of which most can be said. */
static int compare_tracks(const void *a, const void *b)
{
	const struct track *one = a, *other = b;
	int result = COMPARE(other->count > 1, one->count > 1);

	if (!result)
		result = COMPARE(other->samples, one->samples);
	return result ? result : COMPARE(one->first, other->first);
}

static bool make_tracks(struct timeline *timeline)
{
	struct track *track = NULL;
	size_t i;

	timeline->tracks = calloc(timeline->nr_lanes + 1, sizeof(*timeline->tracks));
	for (i = 0; timeline->tracks && i < timeline->nr_lanes; i++) {
		if (!track || strcmp(content_of(timeline, track->first)->path,
				     content_of(timeline, i)->path) != 0) {
			track = &timeline->tracks[timeline->nr_tracks++];
			track->first = i;
		}
		track->count++;
		track->samples += content_of(timeline, i)->samples;
	}
	if (timeline->tracks)
		array_sort(timeline->tracks, timeline->nr_tracks, compare_tracks);
	return timeline->tracks;
}

/* ----------------------------------------------------------------------- drawing -- */

static double x_of(const struct timeline *timeline, uint64_t time)
{
	const struct stacks *stacks = timeline->stacks;

	if (stacks->end <= stacks->begin || time <= stacks->begin)
		return 0;
	return WIDTH * (double)(time - stacks->begin) / (double)(stacks->end - stacks->begin);
}

static double seconds_of(const struct timeline *timeline, uint64_t time)
{
	return time < timeline->stacks->begin ? 0 : (double)(time - timeline->stacks->begin) / 1e9;
}

static int compare_from(const void *a, const void *b)
{
	const struct stack_use *one = a, *other = b;

	return COMPARE(one->from, other->from);
}

static void put_bar(const struct timeline *timeline, uint64_t from, uint64_t until)
{
	const double x = x_of(timeline, from), width = x_of(timeline, until) - x;

	fprintf(timeline->file,
		"<rect class=\"bar\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>", x,
		HEIGHT - BAR, width < 1 ? 1 : width, BAR);
}

/* Where one process or another had it. */
static bool put_bars(const struct timeline *timeline, const struct stack_content *content)
{
	struct stack_use *uses = calloc(content->nr_uses + 1, sizeof(*uses));
	uint64_t from, until;
	size_t i;

	if (!uses)
		return false;
	memcpy(uses, timeline->stacks->uses + content->first_use, content->nr_uses * sizeof(*uses));
	array_sort(uses, content->nr_uses, compare_from);
	from = uses->from;
	until = uses->until;
	for (i = 1; i < content->nr_uses; i++) {
		if (uses[i].from > until) {
			put_bar(timeline, from, until);
			from = uses[i].from;
			until = uses[i].until;
		}
		if (uses[i].until > until)
			until = uses[i].until;
	}
	put_bar(timeline, from, until);
	free(uses);
	return true;
}

static void put_slots(const struct timeline *timeline, const struct stack_content *content)
{
	const double width = WIDTH / STACKS_SLOTS;
	size_t i;

	if (!content->slots)
		return;
	fputs("<path class=\"hits\" d=\"", timeline->file);
	for (i = 0; i < STACKS_SLOTS; i++) {
		const double height = (HEIGHT - BAR - 2.0) * content->slots[i] / timeline->most;

		if (content->slots[i])
			fprintf(timeline->file, "M%.1f %dv-%.1fh%.1fv%.1fz", (double)i * width,
				HEIGHT - BAR - 1, height < 1 ? 1 : height, width,
				height < 1 ? 1 : height);
	}
	fputs("\"/>", timeline->file);
}

static void put_use(const struct timeline *timeline, const struct stack_use *use)
{
	FILE *file = timeline->file;

	fputs("<tr><td>", file);
	markup_text(file, *use->comm ? use->comm : "?");
	fprintf(file, "<td class=\"n\">%" PRIu32 "<td class=\"n\">%.3f<td class=\"n\">", use->pid,
		seconds_of(timeline, use->from));
	if (use->until >= timeline->stacks->end)
		fputs("end", file);
	else
		fprintf(file, "%.3f", seconds_of(timeline, use->until));
	fprintf(file, "<td class=\"n\">%" PRIu64 "</tr>\n", use->samples);
}

static void put_uses(const struct timeline *timeline, const struct stack_content *content)
{
	size_t shown = content->nr_uses < USES_SHOWN ? content->nr_uses : USES_SHOWN, i;
	FILE *file = timeline->file;

	fprintf(file,
		"<details><summary>%zu %s</summary><table><tr><th>program<th>pid<th>from, s<th>until, "
		"s<th>samples</tr>\n",
		content->nr_uses, content->nr_uses == 1 ? "process" : "processes");
	for (i = 0; i < shown; i++)
		put_use(timeline, &timeline->stacks->uses[content->first_use + i]);
	fputs("</table>", file);
	if (shown < content->nr_uses)
		fprintf(file, "<p>and %zu more</p>", content->nr_uses - shown);
	fputs("</details>\n", file);
}

static bool put_lane(const struct timeline *timeline, size_t lane)
{
	const struct stack_content *content = content_of(timeline, lane);
	const struct build_id *id = &timeline->stacks->dsos[timeline->lanes[lane].dso].id;
	char text[BUILD_ID_TEXT];
	FILE *file = timeline->file;
	bool good;

	fprintf(file, "<div class=\"lane\"><code>%s</code> <span>%" PRIu64 " samples</span>",
		id->size ? build_id_text(id, text) : "no build-id", content->samples);
	fprintf(file,
		"<svg class=\"time\" viewBox=\"0 0 %.0f %d\" preserveAspectRatio=\"none\" role=\"img\" "
		"aria-label=\"when it was mapped and sampled\">",
		WIDTH, HEIGHT);
	good = put_bars(timeline, content);
	put_slots(timeline, content);
	fputs("</svg>", file);
	put_uses(timeline, content);
	fputs("</div>\n", file);
	return good;
}

static uint32_t most_of(const struct timeline *timeline, const struct track *track)
{
	uint32_t most = 1;
	size_t i, j;

	for (i = track->first; i < track->first + track->count; i++) {
		const uint32_t *slots = content_of(timeline, i)->slots;

		for (j = 0; slots && j < STACKS_SLOTS; j++)
			if (slots[j] > most)
				most = slots[j];
	}
	return most;
}

static bool put_track(struct timeline *timeline, const struct track *track)
{
	size_t i;

	fputs("<section class=\"track s\"><h3>", timeline->file);
	markup_text(timeline->file, content_of(timeline, track->first)->path);
	fputs("</h3>\n", timeline->file);
	timeline->most = most_of(timeline, track);
	for (i = track->first; i < track->first + track->count; i++)
		if (!put_lane(timeline, i))
			return false;
	fputs("</section>\n", timeline->file);
	return true;
}

bool timeline_put(FILE *file, const struct stacks *stacks)
{
	struct timeline timeline = { .file = file, .stacks = stacks };
	bool good = make_lanes(&timeline) && make_tracks(&timeline);
	size_t i;

	for (i = 0; good && i < timeline.nr_tracks && i < PATHS_MAX; i++)
		good = put_track(&timeline, &timeline.tracks[i]);
	if (timeline.nr_tracks > PATHS_MAX)
		fprintf(file, "<p>and %zu more paths with fewer samples, in the table below</p>\n",
			timeline.nr_tracks - PATHS_MAX);
	free(timeline.lanes);
	free(timeline.tracks);
	return good;
}
