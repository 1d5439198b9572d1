// SPDX-License-Identifier: GPL-2.0
/* Mon page: its sections. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/page/markup.h"
#include "commands/page/page.h"
#include "common/array.h"
#include "mon_page.h"

#define ROWS_MAX 5000

struct mon_writing {
	const struct mon_page *page;
	const struct mon_timeline *mon;
	struct timeline_content *contents; /* those that anybody had */
	struct timeline timeline;
	const struct timeline_use **old; /* after their contents were replaced */
	size_t nr_old;
	size_t old_more, rows_more;
};

static const char *path_of_content(const struct mon_content *content)
{
	return *content->path ? content->path : "(no path)";
}

/* -------------------------------------------------------------- what was replaced -- */

static int compare_old(const void *a, const void *b)
{
	const struct timeline_use *one = *(const struct timeline_use *const *)a;
	const struct timeline_use *other = *(const struct timeline_use *const *)b;
	int result = COMPARE(other->until, one->until);

	if (!result)
		result = COMPARE(one->content, other->content);
	if (!result)
		result = COMPARE(one->from, other->from);
	return result ? result : COMPARE(one->pid, other->pid);
}

/* A process that maps it later has it from a path that leads there again. */
static bool is_old(const struct mon_timeline *mon, const struct timeline_use *use)
{
	const struct mon_content *content = &mon->contents[use->content];

	return use->from < content->replaced && use->until > content->replaced;
}

static bool find_old(struct mon_writing *writing)
{
	const struct mon_timeline *mon = writing->mon;
	size_t i;

	for (i = 0; i < mon->nr_uses; i++) {
		if (!is_old(mon, &mon->uses[i]))
			continue;
		if (!array_reserve(writing->old, writing->nr_old))
			return false;
		writing->old[writing->nr_old++] = &mon->uses[i];
	}
	array_sort(writing->old, writing->nr_old, compare_old);
	return true;
}

static void put_old_use(FILE *file, const struct mon_writing *writing,
			const struct timeline_use *use)
{
	const struct mon_content *content = &writing->mon->contents[use->content];

	fputs("<tr class=\"s\"><td>", file);
	markup_text(file, *use->comm ? use->comm : "?");
	fprintf(file, "<td class=\"n\">%" PRIu32 "<td class=\"t\">", use->pid);
	timeline_put_time(file, &writing->timeline, content->replaced);
	if (use->until < writing->timeline.end) {
		fputs("<td class=\"t\">", file);
		timeline_put_time(file, &writing->timeline, use->until);
	} else {
		fputs("<td class=\"t bad\">end", file);
	}
	fputs("<td class=\"path\">", file);
	markup_text(file, path_of_content(content));
	fputs("<td><code>", file);
	markup_text(file, content->id);
	fputs("</code><br><small>now</small> <code>", file);
	markup_text(file, writing->mon->contents[content->replacement].id);
	fputs("</code></tr>\n", file);
}

static bool put_old(FILE *file, void *data)
{
	struct mon_writing *writing = data;
	size_t i;

	if (!writing->nr_old) {
		fputs("<p>None.</p>\n", file);
		return true;
	}
	fputs("<div class=\"wide\"><table class=\"sort\">\n<thead><tr><th>program<th>pid<th>replaced"
	      "<th>ran it until<th>path<th>content</tr></thead>\n<tbody>\n",
	      file);
	for (i = 0; i < writing->nr_old && i < ROWS_MAX; i++)
		put_old_use(file, writing, writing->old[i]);
	writing->old_more = writing->nr_old - i;
	fputs("</tbody>\n</table></div>\n", file);
	return true;
}

/* ----------------------------------------------------------------------- contents -- */

static int compare_contents(const void *a, const void *b)
{
	const struct timeline_content *one = a, *other = b;
	int result = COMPARE(other->nr_uses, one->nr_uses);

	if (!result)
		result = strcmp(one->path, other->path);
	return result ? result : COMPARE(one->uses, other->uses);
}

static bool list_contents(struct mon_writing *writing)
{
	const struct mon_timeline *mon = writing->mon;
	size_t count = 0, i;

	writing->contents = calloc(mon->nr_contents + 1, sizeof(*writing->contents));
	if (!writing->contents)
		return false;
	for (i = 0; i < mon->nr_contents; i++)
		if (mon->contents[i].nr_uses)
			writing->contents[count++] = (struct timeline_content){
				.path = path_of_content(&mon->contents[i]),
				.id = mon->contents[i].id,
				.uses = mon->uses + mon->contents[i].first_use,
				.nr_uses = mon->contents[i].nr_uses,
			};
	array_sort(writing->contents, count, compare_contents);
	writing->timeline = (struct timeline){
		.contents = writing->contents,
		.nr_contents = count,
		.begin = mon->begin,
		.end = mon->end,
		.clocks = mon->clocks,
		.nr_clocks = mon->nr_clocks,
	};
	return true;
}

static bool put_timeline(FILE *file, void *data)
{
	const struct mon_writing *writing = data;

	return timeline_put(file, &writing->timeline);
}

static bool put_contents(FILE *file, void *data)
{
	struct mon_writing *writing = data;
	const size_t count = writing->timeline.nr_contents;
	size_t i;

	fputs("<div class=\"wide\"><table class=\"sort\">\n<thead><tr><th>processes<th>path"
	      "<th>content</tr></thead>\n<tbody>\n",
	      file);
	for (i = 0; i < count && i < ROWS_MAX; i++) {
		fprintf(file, "<tr class=\"s\"><td class=\"n\">%zu<td class=\"path\">",
			writing->contents[i].nr_uses);
		markup_text(file, writing->contents[i].path);
		fputs("<td><code>", file);
		markup_text(file, writing->contents[i].id);
		fputs("</code></tr>\n", file);
	}
	writing->rows_more = count - i;
	fputs("</tbody>\n</table></div>\n", file);
	return true;
}

/* ----------------------------------------------------------------------- the rest -- */

static void put_summary(FILE *file, void *data)
{
	const struct mon_writing *writing = data;

	fprintf(file, "%zu contents, %zu programs, from ", writing->timeline.nr_contents,
		writing->mon->nr_holders);
	timeline_put_time(file, &writing->timeline, writing->timeline.begin);
	fputs(" until ", file);
	timeline_put_time(file, &writing->timeline, writing->timeline.end);
}

static bool put_losses(FILE *file, void *data)
{
	const struct mon_writing *writing = data;
	const struct mon_timeline_losses *losses = &writing->mon->losses;
	const struct buildid_lost *lost = writing->page->lost;

	fputs("<ul>", file);
	if (writing->page->broken) {
		fputs("<li>what comes after this: ", file);
		markup_text(file, writing->page->broken);
		fputs("</li>\n", file);
	} else if (writing->page->failed) {
		fputs("<li>what came after the end: the stream of records ended with an "
		      "error</li>\n",
		      file);
	}
	if (!writing->mon->snapshot)
		fputs("<li>what was mapped before the beginning: there are no records of that</li>\n",
		      file);
	if (!writing->mon->tasks)
		fputs("<li>when processes ended, and what forked ones had: there are no records of "
		      "that, and bars go on until the end</li>\n",
		      file);
	page_loss(file, lost->ring_full,
		  "records that were lost, mappings or the ends of processes among them");
	page_loss(file, lost->unresolved, "files that could not be identified");
	page_loss(file, lost->missed_probe, "mappings that the module was not called for");
	page_loss(file, losses->unknown, "mappings of files that are not known");
	page_loss(file, losses->unended,
		  "processes without a record of their end: it was before another one had the same "
		  "pid");
	page_loss(file, losses->full, "mappings, processes and forks that found no room here");
	page_loss(file, writing->old_more, "rows of old contents that the table leaves out");
	page_loss(file, writing->rows_more,
		  "contents with fewer processes that the table leaves out");
	fputs("</ul>\n", file);
	return true;
}

static const struct page_section sections[] = {
	{ "old", "Old contents",
	  "Processes that ran a content after another one was first seen at its path, on the same "
	  "filesystem. Paths are as each process sees them: one in another root directory, as of a "
	  "container, on that filesystem looks the same.",
	  put_old },
	{ "timeline", "Timeline",
	  "Which content was at a path when, by the processes that had it mapped. Nothing says when "
	  "a file is unmapped: a bar goes on until its process calls exec or ends. Times are UTC.",
	  put_timeline },
	{ "contents", "Contents", NULL, put_contents },
	{ "missing", "What is missing", NULL, put_losses },
	{},
};

bool mon_page_write(const struct mon_page *mon, FILE *file, const char *path, struct output *out)
{
	struct mon_writing writing = { .page = mon, .mon = mon->timeline };
	const struct page page = {
		.title = mon->input ? mon->input : "buildid mon",
		.summary = put_summary,
		.search = "path, build-id, program",
		.sections = sections,
		.data = &writing,
	};
	bool good = list_contents(&writing) && find_old(&writing);

	if (good) {
		good = page_finish(&page, file, path, out);
	} else {
		out_error(out, path, "out of memory");
		fclose(file);
	}
	free(writing.contents);
	free(writing.old);
	return good;
}
