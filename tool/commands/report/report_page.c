// SPDX-License-Identifier: GPL-2.0
/* Report page: its sections. */

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/page/markup.h"
#include "commands/page/page.h"
#include "common/array.h"
#include "common/open_regular.h"
#include "content/elf_file.h"
#include "content/package_database.h"
#include "flame_graph.h"
#include "report_page.h"

#define ROWS_MAX 5000

struct writing {
	FILE *file;
	const struct report_page *page;
	const struct stacks *stacks;
	struct package_database *database; /* or NULL */
	struct flame_losses narrow;
	size_t rows_more;
};

/* ---------------------------------------------------------------------- contents -- */

static int compare_contents(const void *a, const void *b, void *context)
{
	const struct stacks *stacks = context;
	const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct stack_content *one = &stacks->contents[i], *other = &stacks->contents[j];
	int result = COMPARE(other->samples, one->samples);

	if (!result)
		result = strcmp(one->path, other->path);
	return result ? result : COMPARE(i, j);
}

/*
 * The database tells of what is at the path now, which may be another content: NULL if it is this
 * one, else what is to be said of its version.
 */
static const char *why_no_version(const struct writing *writing, uint32_t dso)
{
	const struct build_id *id = &writing->stacks->dsos[dso].id;
	struct elf_info info = {};
	struct reason unused;
	int fd = -1;

	if (id->size)
		fd = open_untrusted(AT_FDCWD, writing->stacks->contents[dso].path, &unused);
	if (fd < 0)
		return "not known";
	elf_file_info(fd, &info);
	close(fd);
	if (info.kind != BUILDID_KIND_GNU)
		return "not known";
	return build_id_equal(&info.id, id) ? NULL : "another is there now";
}

static void put_package(const struct writing *writing, uint32_t dso)
{
	const char *path = writing->stacks->contents[dso].path;
	struct package package = {};
	const char *why = NULL;

	fputs("<td>", writing->file);
	if (writing->database && *path == '/')
		package_database_find(writing->database, path, &package);
	if (package.origin != PACKAGE_NONE)
		why = why_no_version(writing, dso);
	if (why)
		package_forget_version(&package);
	if (package.text[PACKAGE_NAME])
		markup_text(writing->file, package.text[PACKAGE_NAME]);
	fputs("<td>", writing->file);
	if (package.text[PACKAGE_VERSION])
		markup_text(writing->file, package.text[PACKAGE_VERSION]);
	else if (why)
		fprintf(writing->file, "<i>%s</i>", why);
	package_free(&package);
}

static void put_content(const struct writing *writing, uint32_t dso)
{
	const struct stack_content *content = &writing->stacks->contents[dso];
	const struct build_id *id = &writing->stacks->dsos[dso].id;
	const double all = writing->stacks->samples ? (double)writing->stacks->samples : 1;
	char text[BUILD_ID_TEXT];

	fprintf(writing->file,
		"<tr class=\"s\"><td class=\"n\">%" PRIu64
		"<td class=\"n\">%.1f%%<td class=\"n\">%zu<td class=\"path\">",
		content->samples, 100 * (double)content->samples / all, content->nr_uses);
	markup_text(writing->file, content->path);
	fprintf(writing->file, "<td><code>%s</code>", id->size ? build_id_text(id, text) : "-");
	put_package(writing, dso);
	fputs("</tr>\n", writing->file);
}

static bool put_rows(struct writing *writing)
{
	const struct stacks *stacks = writing->stacks;
	uint32_t *order = calloc(stacks->nr_dsos + 1, sizeof(*order));
	uint32_t i, count = 0;

	if (!order)
		return false;
	for (i = 0; i < stacks->nr_dsos; i++)
		if (stacks->contents[i].nr_uses)
			order[count++] = i;
	if (count > 1)
		qsort_r(order, count, sizeof(*order), compare_contents, (void *)(uintptr_t)stacks);
	for (i = 0; i < count && i < ROWS_MAX; i++)
		put_content(writing, order[i]);
	writing->rows_more = count - i;
	free(order);
	return true;
}

static bool put_contents(FILE *file, void *data)
{
	struct writing *writing = data;
	bool good;

	fputs("<div class=\"wide\"><table class=\"sort\">\n"
	      "<thead><tr><th>samples<th>share<th>processes<th>path<th>build-id<th>package"
	      "<th>version</tr></thead>\n<tbody>\n",
	      file);
	writing->file = file;
	good = put_rows(writing);
	fputs("</tbody>\n</table></div>\n", file);
	return good;
}

/* ----------------------------------------------------------------------- the rest -- */

static void put_summary(FILE *file, void *data)
{
	const struct writing *writing = data;
	const struct stacks *stacks = writing->stacks;

	fprintf(file, "%" PRIu64 " samples in %.3f s, of %zu contents", stacks->samples,
		(double)(stacks->end - stacks->begin) / 1e9, stacks->nr_dsos);
}

static bool put_flame(FILE *file, void *data)
{
	struct writing *writing = data;

	if (!flame_graph_put(file, writing->stacks, &writing->narrow))
		return false;
	fputs("<p id=\"about\" role=\"status\"></p>\n", file);
	return true;
}

/* The kernel has no times of its own. */
static size_t list_contents(const struct stacks *stacks, struct timeline_content *contents,
			    char (*ids)[BUILD_ID_TEXT])
{
	size_t count = 0, i;

	for (i = 0; i < stacks->nr_dsos; i++) {
		const struct stack_content *content = &stacks->contents[i];
		const struct build_id *id = &stacks->dsos[i].id;

		if (!content->nr_uses || stacks->dsos[i].kind != PERFDATA_KIND_USER)
			continue;
		contents[count] = (struct timeline_content){
			.path = content->path,
			.id = id->size ? build_id_text(id, ids[count]) : NULL,
			.samples = content->samples,
			.slots = content->slots,
			.uses = stacks->uses + content->first_use,
			.nr_uses = content->nr_uses,
		};
		count++;
	}
	return count;
}

static bool put_timeline(FILE *file, void *data)
{
	const struct writing *writing = data;
	const struct stacks *stacks = writing->stacks;
	struct timeline_content *contents = calloc(stacks->nr_dsos + 1, sizeof(*contents));
	char(*ids)[BUILD_ID_TEXT] = calloc(stacks->nr_dsos + 1, sizeof(*ids));
	const bool good =
		contents && ids &&
		timeline_put(file, &(const struct timeline){
					   .contents = contents,
					   .nr_contents = list_contents(stacks, contents, ids),
					   .begin = stacks->begin,
					   .end = stacks->end,
					   .sampled = true,
				   });

	free(contents);
	free(ids);
	return good;
}

/* What the page does not have. */
static bool put_losses(FILE *file, void *data)
{
	const struct writing *writing = data;
	const struct perfdata_losses *lost = perfdata_profile_losses(writing->stacks->profile);
	const struct location_losses *unnamed = &writing->page->losses;

	fputs("<ul>", file);
	page_loss(file, lost->lost, "records that perf lost, as it says itself");
	page_loss(file, lost->unreadable, "samples without an address or a process");
	page_loss(file, lost->cut, "samples whose call chains were longer than 1024");
	page_loss(file, lost->stacks,
		  "samples whose callers are not read (--call-graph dwarf or lbr)");
	page_loss(file, unnamed->unmapped, "places where nothing is known to have been mapped");
	page_loss(file, unnamed->files, "contents without a file: see buildid store");
	page_loss(file, unnamed->unfound, "places in these");
	page_loss(file, unnamed->unnamed, "places in files that name no function there");
	page_loss(file, unnamed->unread, "places in files that could not be read to the end");
	page_loss(file, writing->narrow.frames,
		  "frames too narrow, or deeper than 300, to be drawn");
	page_loss(file, writing->rows_more,
		  "contents with fewer samples that the table leaves out");
	fputs("</ul>\n", file);
	return true;
}

static const struct page_section sections[] = {
	{ "flame", "Flame graph", "Each colour is a content: a file at a path, by its build-id.",
	  put_flame },
	{ "timeline", "Timeline",
	  "Which content was at a path when, by the processes that had it mapped (bars), and the "
	  "samples in it (above them). A recording does not say when a file is unmapped: a bar goes "
	  "on until its process ends, or the recording.",
	  put_timeline },
	{ "contents", "Contents", NULL, put_contents },
	{ "missing", "What is missing", NULL, put_losses },
	{},
};

bool report_page_write(const struct report_page *report, const char *path, struct output *out)
{
	struct writing writing = { .page = report, .stacks = report->stacks };
	const struct page page = {
		.title = report->input,
		.summary = put_summary,
		.search = "function, file, build-id, program",
		.sections = sections,
		.data = &writing,
	};
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool good;

	if (root >= 0)
		writing.database = package_database_open(root);
	good = page_write(&page, path, out);
	if (writing.database)
		package_database_close(writing.database);
	if (root >= 0)
		close(root);
	return good;
}
