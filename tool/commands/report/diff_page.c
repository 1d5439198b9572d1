// SPDX-License-Identifier: GPL-2.0
/* Diff page: its sections. A row is as in the text, and what is equal and was not sampled counted. */

#include <inttypes.h>
#include <string.h>

#include "commands/page/markup.h"
#include "commands/page/page.h"
#include "common/array.h"
#include "diff_page.h"

#define ROWS_MAX 5000
/* Of the picture of two shares. */
#define BAR_WIDTH 100.0

struct diff_writing {
	const struct diff_page *page;
	size_t rows_more;
};

static const char *const sides[] = { "before", "after" };

static bool is_sampled(const struct diff_page *page)
{
	return page->samples->of;
}

/* ---------------------------------------------------------------------- contents -- */

static void put_side(FILE *file, const struct diff_page *page, size_t side)
{
	const struct build_id *id = page->ids[side];
	const struct diff_samples *samples = page->samples;
	char text[BUILD_ID_TEXT];

	fprintf(file, "<tr><td>%s<td class=\"path\">", sides[side]);
	markup_text(file, page->paths[side]);
	fprintf(file, "<td><code>%s</code><td class=\"n\">%" PRIu64,
		id->size ? build_id_text(id, text) : "no build-id", page->diff->code[side]);
	if (!is_sampled(page))
		fputs("</tr>\n", file);
	else if (!id->size)
		fputs("<td class=\"n\">-<td class=\"n\">-</tr>\n", file);
	else
		fprintf(file, "<td class=\"n\">%" PRIu64 "<td class=\"n\">%.1f%%</tr>\n",
			samples->in[side],
			100 * (double)samples->in[side] /
				(samples->all ? (double)samples->all : 1));
}

static bool put_contents(FILE *file, void *data)
{
	const struct diff_writing *writing = data;

	fprintf(file,
		"<div class=\"wide\"><table>\n<thead><tr><th><th>path<th>build-id<th>bytes of code%s"
		"</tr></thead>\n<tbody>\n",
		is_sampled(writing->page) ? "<th>samples<th>share of all" : "");
	put_side(file, writing->page, 0);
	put_side(file, writing->page, 1);
	fputs("</tbody>\n</table></div>\n", file);
	return true;
}

/* --------------------------------------------------------------------- functions -- */

static bool is_row(const struct diff_page *page, size_t change)
{
	const struct diff_samples *samples = page->samples;

	return page->diff->all[change].verdict >= CODE_UNKNOWN ||
	       (samples->of && (samples->of[change][0] || samples->of[change][1]));
}

static void put_size(FILE *file, uint64_t size)
{
	if (size)
		fprintf(file, "<td class=\"n\">%" PRIu64, size);
	else
		fputs("<td class=\"n\">-", file);
}

static void put_share(FILE *file, double share)
{
	if (share > 0)
		fprintf(file, "<td class=\"n\">%.1f%%", 100 * share);
	else
		fputs("<td class=\"n\">-", file);
}

/* How strong its colour is: by points, one for less than 1, four for 20 and more. */
static unsigned int strength_of(double points)
{
	const double size = points < 0 ? -points : points;

	return 1 + (size >= 1) + (size >= 5) + (size >= 20);
}

static void put_shares(FILE *file, const struct diff_page *page, size_t change)
{
	const double before = diff_samples_share(page->samples, change, 0);
	const double after = diff_samples_share(page->samples, change, 1);
	const double points = 100 * (after - before);

	put_share(file, before);
	put_share(file, after);
	if (!page->ids[0]->size || !page->ids[1]->size || (before <= 0 && after <= 0))
		fputs("<td class=\"n\">-", file);
	else
		fprintf(file, "<td class=\"n %c%u\">%+.1f", points < 0 ? 'l' : 'g',
			strength_of(points), points);
	fprintf(file,
		"<td><svg class=\"shares\" viewBox=\"0 0 %.0f 10\" preserveAspectRatio=\"none\" "
		"aria-hidden=\"true\"><rect class=\"one\" width=\"%.1f\" height=\"4\"/>"
		"<rect class=\"two\" y=\"5\" width=\"%.1f\" height=\"4\"/></svg>",
		BAR_WIDTH, BAR_WIDTH * before, BAR_WIDTH * after);
}

static void put_function(FILE *file, const struct diff_page *page, size_t index)
{
	const struct code_change *change = &page->diff->all[index];
	const char *word = code_verdict_word(change->verdict);

	fprintf(file, "<tr class=\"s\"><td class=\"w-%s\">%s", word, word);
	put_size(file, change->size[0]);
	put_size(file, change->size[1]);
	if (is_sampled(page))
		put_shares(file, page, index);
	fputs("<td class=\"path\">", file);
	markup_text(file, change->name);
	fputs("</tr>\n", file);
}

static void put_rows(FILE *file, struct diff_writing *writing)
{
	const struct diff_page *page = writing->page;
	size_t shown = 0, i;

	for (i = 0; i < page->diff->count; i++) {
		if (!is_row(page, page->order[i]))
			continue;
		if (shown++ < ROWS_MAX)
			put_function(file, page, page->order[i]);
		else
			writing->rows_more++;
	}
}

static bool put_functions(FILE *file, void *data)
{
	struct diff_writing *writing = data;
	const bool sampled = is_sampled(writing->page);

	if (sampled)
		fputs("<p>Shares are of the samples in that content, and the change is in points: "
		      "<span class=\"g3\">more</span> or <span class=\"l3\">less</span>.</p>\n",
		      file);
	fprintf(file,
		"<div class=\"wide\"><table class=\"sort\">\n<thead><tr><th>what<th>size before<th>size "
		"after%s<th>function</tr></thead>\n<tbody>\n",
		sampled ? "<th>share before<th>share after<th>change<th>" : "");
	put_rows(file, writing);
	fputs("</tbody>\n</table></div>\n", file);
	return true;
}

/* ----------------------------------------------------------------------- the rest -- */

static void put_summary(FILE *file, void *data)
{
	const struct diff_writing *writing = data;
	const struct code_diff *diff = writing->page->diff;
	size_t counts[CODE_VERDICTS] = {}, i;

	for (i = 0; i < diff->count; i++)
		counts[diff->all[i].verdict]++;
	fprintf(file, "%zu functions", diff->count);
	for (i = CODE_VERDICTS; i-- > 0;)
		if (counts[i])
			fprintf(file, ", %zu %s", counts[i],
				code_verdict_word((enum code_verdict)i));
}

static void put_losses_of_side(FILE *file, const struct diff_page *page, size_t side)
{
	const struct code_diff *diff = page->diff;

	if (diff->named[side] < diff->code[side])
		fprintf(file,
			"<li>%s: %" PRIu64 " of %" PRIu64
			" bytes of code are in no function that has a name</li>\n",
			sides[side], diff->code[side] - diff->named[side], diff->code[side]);
	if (!is_sampled(page))
		return;
	if (!page->ids[side]->size)
		fprintf(file, "<li>%s: without a build-id; its samples are not known</li>\n",
			sides[side]);
	if (page->samples->unnamed[side])
		fprintf(file,
			"<li>%s: %" PRIu64 " samples are in no function that has a name</li>\n",
			sides[side], page->samples->unnamed[side]);
}

static bool put_losses(FILE *file, void *data)
{
	const struct diff_writing *writing = data;
	const struct perfdata_losses *lost = writing->page->losses;

	fputs("<ul>", file);
	if (writing->page->diff->exported_only)
		fputs("<li>functions that are not exported: one of the files has no other names</li>\n",
		      file);
	put_losses_of_side(file, writing->page, 0);
	put_losses_of_side(file, writing->page, 1);
	if (lost) {
		page_loss(file, lost->lost, "records that perf lost, as it says itself");
		page_loss(file, lost->unreadable, "samples without an address or a process");
	}
	page_loss(file, writing->rows_more, "functions that the table leaves out");
	fputs("</ul>\n", file);
	return true;
}

static const struct page_section sections[] = {
	{ "contents", "Contents", NULL, put_contents },
	{ "functions", "Functions",
	  "What changed, and what was sampled; the rest is only counted above.", put_functions },
	{ "missing", "What is missing", NULL, put_losses },
	{},
};

bool diff_page_write(const struct diff_page *diff, const char *path, struct output *out)
{
	struct diff_writing writing = { .page = diff };
	const struct page page = {
		.title = diff->paths[1],
		.summary = put_summary,
		.search = "function, or what became of it",
		.sections = sections,
		.data = &writing,
	};

	return page_write(&page, path, out);
}
