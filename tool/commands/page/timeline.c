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
#include "page.h"
#include "timeline.h"

#define WIDTH	   1000.0
#define HEIGHT	   28
#define BAR	   6
#define PATHS_MAX  300
#define LANES_MAX  100
#define USES_SHOWN 40

struct lane {
	const struct timeline_content *content;
	uint64_t from; /* of its first use */
};

/* The contents of one path. */
struct track {
	size_t first, count; /* of the lanes */
	uint64_t samples;
	size_t uses;
};

struct drawing {
	FILE *file;
	const struct timeline *timeline;
	struct lane *lanes; /* by path and time */
	struct track *tracks;
	size_t nr_tracks;
	uint32_t most; /* samples in one slot of a lane of the track */
};

/* ---------------------------------------------------------------------- grouping -- */

int timeline_compare_uses(const void *a, const void *b)
{
	const struct timeline_use *one = a, *other = b;
	int result = COMPARE(one->content, other->content);

	if (!result)
		result = COMPARE(other->samples, one->samples);
	if (!result)
		result = COMPARE(other->until, one->until);
	if (!result)
		result = COMPARE(one->from, other->from);
	return result ? result : COMPARE(one->pid, other->pid);
}

static int compare_lanes(const void *a, const void *b)
{
	const struct lane *one = a, *other = b;
	int result = strcmp(one->content->path, other->content->path);

	if (!result)
		result = COMPARE(one->from, other->from);
	return result ? result : COMPARE(one->content, other->content);
}

static uint64_t first_from(const struct timeline_content *content)
{
	uint64_t from = UINT64_MAX;
	size_t i;

	for (i = 0; i < content->nr_uses; i++)
		if (content->uses[i].from < from)
			from = content->uses[i].from;
	return from;
}

static bool make_lanes(struct drawing *drawing)
{
	const struct timeline *timeline = drawing->timeline;
	size_t i;

	drawing->lanes = calloc(timeline->nr_contents + 1, sizeof(*drawing->lanes));
	if (!drawing->lanes)
		return false;
	for (i = 0; i < timeline->nr_contents; i++)
		drawing->lanes[i] = (struct lane){
			.content = &timeline->contents[i],
			.from = first_from(&timeline->contents[i]),
		};
	array_sort(drawing->lanes, timeline->nr_contents, compare_lanes);
	return true;
}

/* Those of which most can be said. */
static int compare_tracks(const void *a, const void *b)
{
	const struct track *one = a, *other = b;
	int result = COMPARE(other->count > 1, one->count > 1);

	if (!result)
		result = COMPARE(other->samples, one->samples);
	if (!result)
		result = COMPARE(other->uses, one->uses);
	return result ? result : COMPARE(one->first, other->first);
}

static bool make_tracks(struct drawing *drawing)
{
	const size_t count = drawing->timeline->nr_contents;
	struct track *track = NULL;
	size_t i;

	drawing->tracks = calloc(count + 1, sizeof(*drawing->tracks));
	for (i = 0; drawing->tracks && i < count; i++) {
		const struct timeline_content *content = drawing->lanes[i].content;

		if (!track || strcmp(drawing->lanes[i - 1].content->path, content->path) != 0) {
			track = &drawing->tracks[drawing->nr_tracks++];
			track->first = i;
		}
		track->count++;
		track->samples += content->samples;
		track->uses += content->nr_uses;
	}
	if (drawing->tracks)
		array_sort(drawing->tracks, drawing->nr_tracks, compare_tracks);
	return drawing->tracks;
}

/* ------------------------------------------------------------------------- times -- */

static int64_t ahead_at(const struct timeline *timeline, uint64_t time)
{
	size_t i = timeline->nr_clocks - 1;

	while (i && timeline->clocks[i].time > time)
		i--;
	return timeline->clocks[i].ahead;
}

void timeline_put_time(FILE *file, const struct timeline *timeline, uint64_t time)
{
	const uint64_t since = time > timeline->begin ? time - timeline->begin : 0;

	/* Unsigned, as a log may have any numbers. */
	if (timeline->nr_clocks)
		page_moment(file, (int64_t)(time + (uint64_t)ahead_at(timeline, time)));
	else
		fprintf(file, "%.3f", (double)since / 1e9);
}

/* Seconds are numbers. */
static void put_time_cell(const struct drawing *drawing)
{
	fprintf(drawing->file, "<td class=\"%c\">", drawing->timeline->nr_clocks ? 't' : 'n');
}

static void put_from(const struct drawing *drawing, uint64_t from)
{
	put_time_cell(drawing);
	if (from < drawing->timeline->begin)
		fputs("before", drawing->file);
	else
		timeline_put_time(drawing->file, drawing->timeline, from);
}

static void put_until(const struct drawing *drawing, uint64_t until)
{
	put_time_cell(drawing);
	if (until >= drawing->timeline->end)
		fputs("end", drawing->file);
	else
		timeline_put_time(drawing->file, drawing->timeline, until);
}

/* ----------------------------------------------------------------------- drawing -- */

static double x_of(const struct drawing *drawing, uint64_t time)
{
	const struct timeline *timeline = drawing->timeline;

	if (timeline->end <= timeline->begin || time <= timeline->begin)
		return 0;
	if (time >= timeline->end)
		return WIDTH;
	return WIDTH * (double)(time - timeline->begin) / (double)(timeline->end - timeline->begin);
}

static int compare_from(const void *a, const void *b)
{
	const struct timeline_use *one = a, *other = b;

	return COMPARE(one->from, other->from);
}

static void put_bar(const struct drawing *drawing, uint64_t from, uint64_t until)
{
	double x = x_of(drawing, from), width = x_of(drawing, until) - x;

	if (width < 1)
		width = 1;
	if (x > WIDTH - 1)
		x = WIDTH - 1;
	fprintf(drawing->file,
		"<rect class=\"bar\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>", x,
		HEIGHT - BAR, width, BAR);
}

/* What would be drawn as one. */
static bool is_apart(const struct drawing *drawing, uint64_t until, uint64_t from)
{
	return from > until && x_of(drawing, from) - x_of(drawing, until) >= 1;
}

/* Where one process or another had it. */
static bool put_bars(const struct drawing *drawing, const struct timeline_content *content)
{
	struct timeline_use *uses = calloc(content->nr_uses + 1, sizeof(*uses));
	uint64_t from, until;
	size_t i;

	if (!uses)
		return false;
	memcpy(uses, content->uses, content->nr_uses * sizeof(*uses));
	array_sort(uses, content->nr_uses, compare_from);
	from = uses->from;
	until = uses->until;
	for (i = 1; i < content->nr_uses; i++) {
		if (is_apart(drawing, until, uses[i].from)) {
			put_bar(drawing, from, until);
			from = uses[i].from;
			until = uses[i].until;
		}
		if (uses[i].until > until)
			until = uses[i].until;
	}
	put_bar(drawing, from, until);
	free(uses);
	return true;
}

static void put_slots(const struct drawing *drawing, const struct timeline_content *content)
{
	const double width = WIDTH / TIMELINE_SLOTS;
	size_t i;

	if (!content->slots)
		return;
	fputs("<path class=\"hits\" d=\"", drawing->file);
	for (i = 0; i < TIMELINE_SLOTS; i++) {
		const double height = (HEIGHT - BAR - 2.0) * content->slots[i] / drawing->most;

		if (content->slots[i])
			fprintf(drawing->file, "M%.1f %dv-%.1fh%.1fv%.1fz", (double)i * width,
				HEIGHT - BAR - 1, height < 1 ? 1 : height, width,
				height < 1 ? 1 : height);
	}
	fputs("\"/>", drawing->file);
}

static void put_use(const struct drawing *drawing, const struct timeline_use *use)
{
	FILE *file = drawing->file;

	fputs("<tr><td>", file);
	markup_text(file, *use->comm ? use->comm : "?");
	fprintf(file, "<td class=\"n\">%" PRIu32, use->pid);
	put_from(drawing, use->from);
	put_until(drawing, use->until);
	if (drawing->timeline->sampled)
		fprintf(file, "<td class=\"n\">%" PRIu64, use->samples);
	fputs("</tr>\n", file);
}

static void put_uses(const struct drawing *drawing, const struct timeline_content *content)
{
	const char *unit = drawing->timeline->nr_clocks ? "" : ", s";
	size_t shown = content->nr_uses < USES_SHOWN ? content->nr_uses : USES_SHOWN, i;
	FILE *file = drawing->file;

	fprintf(file,
		"<details><summary>%zu %s</summary><table><tr><th>program<th>pid<th>from%s<th>until%s%s"
		"</tr>\n",
		content->nr_uses, content->nr_uses == 1 ? "process" : "processes", unit, unit,
		drawing->timeline->sampled ? "<th>samples" : "");
	for (i = 0; i < shown; i++)
		put_use(drawing, &content->uses[i]);
	fputs("</table>", file);
	if (shown < content->nr_uses)
		fprintf(file, "<p>and %zu more</p>", content->nr_uses - shown);
	fputs("</details>\n", file);
}

static bool put_lane(const struct drawing *drawing, const struct timeline_content *content)
{
	const bool sampled = drawing->timeline->sampled;
	FILE *file = drawing->file;
	bool good;

	fputs("<div class=\"lane\"><code>", file);
	markup_text(file, content->id ? content->id : "no build-id");
	fputs("</code>", file);
	if (sampled)
		fprintf(file, " <span>%" PRIu64 " samples</span>", content->samples);
	fprintf(file,
		"<svg class=\"time%s\" viewBox=\"0 %d %.0f %d\" preserveAspectRatio=\"none\" role=\"img\" "
		"aria-label=\"when it was mapped%s\">",
		sampled ? "" : " bare", sampled ? 0 : HEIGHT - BAR, WIDTH, sampled ? HEIGHT : BAR,
		sampled ? " and sampled" : "");
	good = put_bars(drawing, content);
	put_slots(drawing, content);
	fputs("</svg>", file);
	put_uses(drawing, content);
	fputs("</div>\n", file);
	return good;
}

static uint32_t most_of(const struct drawing *drawing, const struct track *track)
{
	uint32_t most = 1;
	size_t i, j;

	for (i = track->first; i < track->first + track->count; i++) {
		const uint32_t *slots = drawing->lanes[i].content->slots;

		for (j = 0; slots && j < TIMELINE_SLOTS; j++)
			if (slots[j] > most)
				most = slots[j];
	}
	return most;
}

static bool put_track(struct drawing *drawing, const struct track *track)
{
	const size_t shown = track->count < LANES_MAX ? track->count : LANES_MAX;
	size_t i;

	fputs("<section class=\"track s\"><h3>", drawing->file);
	markup_text(drawing->file, drawing->lanes[track->first].content->path);
	fputs("</h3>\n", drawing->file);
	drawing->most = most_of(drawing, track);
	for (i = track->first; i < track->first + shown; i++)
		if (!put_lane(drawing, drawing->lanes[i].content))
			return false;
	if (shown < track->count)
		fprintf(drawing->file, "<p>and %zu later contents</p>\n", track->count - shown);
	fputs("</section>\n", drawing->file);
	return true;
}

static void put_axis(FILE *file, const struct timeline *timeline)
{
	fputs("<p class=\"axis\"><span>", file);
	timeline_put_time(file, timeline, timeline->begin);
	fputs("</span><span>", file);
	timeline_put_time(file, timeline, timeline->end);
	fprintf(file, "%s</span></p>\n", timeline->nr_clocks ? "" : " s");
}

bool timeline_put(FILE *file, const struct timeline *timeline)
{
	struct drawing drawing = { .file = file, .timeline = timeline };
	bool good = make_lanes(&drawing) && make_tracks(&drawing);
	size_t i;

	put_axis(file, timeline);
	for (i = 0; good && i < drawing.nr_tracks && i < PATHS_MAX; i++)
		good = put_track(&drawing, &drawing.tracks[i]);
	if (drawing.nr_tracks > PATHS_MAX)
		fprintf(file, "<p>and %zu more paths with fewer %s, in the table below</p>\n",
			drawing.nr_tracks - PATHS_MAX, timeline->sampled ? "samples" : "processes");
	free(drawing.lanes);
	free(drawing.tracks);
	return good;
}
