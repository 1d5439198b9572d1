// SPDX-License-Identifier: GPL-2.0
/* Page: the parts between the marks of page.html, and the table of contents. */

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/open_regular.h"
#include "content/elf_file.h"
#include "content/package_database.h"
#include "flame_graph.h"
#include "markup.h"
#include "page.h"
#include "page_parts.h"
#include "timeline.h"

#define ROWS_MAX 5000

struct writing {
	FILE *file;
	const struct page *page;
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
		"<td class=\"n\">%.1f%%<td class=\"n\">%zu<td>",
		content->samples, 100 * (double)content->samples / all, content->nr_uses);
	markup_text(writing->file, content->path);
	fprintf(writing->file, "<td><code>%s</code>", id->size ? build_id_text(id, text) : "-");
	put_package(writing, dso);
	fputs("</tr>\n", writing->file);
}

static bool put_contents(struct writing *writing)
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

/* ----------------------------------------------------------------------- the rest -- */

static bool put_title(struct writing *writing)
{
	markup_text(writing->file, writing->page->input);
	return true;
}

static bool put_summary(struct writing *writing)
{
	const struct stacks *stacks = writing->stacks;

	fprintf(writing->file, "%" PRIu64 " samples in %.3f s, of %zu contents", stacks->samples,
		(double)(stacks->end - stacks->begin) / 1e9, stacks->nr_dsos);
	return true;
}

static bool put_flame(struct writing *writing)
{
	return flame_graph_put(writing->file, writing->stacks, &writing->narrow);
}

static bool put_timeline(struct writing *writing)
{
	return timeline_put(writing->file, writing->stacks);
}

static void put_loss(FILE *file, uint64_t count, const char *what)
{
	if (count)
		fprintf(file, "<li>%" PRIu64 " %s</li>\n", count, what);
}

/* What the page does not have. */
static bool put_losses(struct writing *writing)
{
	const struct perfdata_losses *lost = perfdata_profile_losses(writing->stacks->profile);
	const struct location_losses *unnamed = &writing->page->losses;
	FILE *file = writing->file;

	put_loss(file, lost->lost, "records that perf lost, as it says itself");
	put_loss(file, lost->unreadable, "samples without an address or a process");
	put_loss(file, lost->cut, "samples whose call chains were longer than 1024");
	put_loss(file, lost->stacks,
		 "samples whose callers are not read (--call-graph dwarf or lbr)");
	put_loss(file, unnamed->unmapped, "places where nothing is known to have been mapped");
	put_loss(file, unnamed->files, "contents without a file: see buildid store");
	put_loss(file, unnamed->unfound, "places in these");
	put_loss(file, unnamed->unnamed, "places in files that name no function there");
	put_loss(file, unnamed->unread, "places in files that could not be read to the end");
	put_loss(file, writing->narrow.frames,
		 "frames too narrow, or deeper than 300, to be drawn");
	put_loss(file, writing->rows_more, "contents with fewer samples that the table leaves out");
	return true;
}

static const struct part {
	const char *name;
	bool (*put)(struct writing *writing);
} parts[] = {
	{ "title", put_title },	      { "summary", put_summary },   { "flame", put_flame },
	{ "timeline", put_timeline }, { "contents", put_contents }, { "losses", put_losses },
};

/* The part that is marked at @mark, behind "<!--", and where the text goes on; or NULL. */
static const struct part *part_at(const char *mark, const char **behind)
{
	size_t i, length;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		length = strlen(parts[i].name);
		if (strncmp(mark, parts[i].name, length) || strncmp(mark + length, "-->", 3))
			continue;
		*behind = mark + length + 3;
		return &parts[i];
	}
	return NULL;
}

static bool page_put_parts(struct writing *writing)
{
	const char *text = page_html, *mark, *behind = NULL;
	const struct part *part;

	while ((mark = strstr(text, "<!--"))) {
		part = part_at(mark + 4, &behind);
		fwrite(text, 1, (size_t)(mark + (part ? 0 : 4) - text), writing->file);
		if (part && !part->put(writing))
			return false;
		text = part ? behind : mark + 4;
	}
	fputs(text, writing->file);
	return true;
}

bool page_put(FILE *file, const struct page *page)
{
	struct writing writing = { .file = file, .page = page, .stacks = page->stacks };
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool good;

	if (root >= 0)
		writing.database = package_database_open(root);
	good = page_put_parts(&writing);
	if (writing.database)
		package_database_close(writing.database);
	if (root >= 0)
		close(root);
	return good;
}
