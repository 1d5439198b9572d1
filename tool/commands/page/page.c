// SPDX-License-Identifier: GPL-2.0
/* Page: what differs goes between the marks of page.html. */

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"
#include "common/open_own.h"
#include "markup.h"
#include "page.h"
#include "page_parts.h"

/* How a file that is replaced has to begin. */
#define MAGIC "<!DOCTYPE html>\n<!-- buildid page;"

static bool put_title(FILE *file, const struct page *page)
{
	markup_text(file, page->title);
	return true;
}

static bool put_summary(FILE *file, const struct page *page)
{
	page->summary(file, page->data);
	return true;
}

static bool put_search(FILE *file, const struct page *page)
{
	markup_text(file, page->search);
	return true;
}

static bool put_links(FILE *file, const struct page *page)
{
	const struct page_section *section;

	for (section = page->sections; section->id; section++)
		fprintf(file, "<a href=\"#%s\">%s</a>\n", section->id, section->heading);
	return true;
}

static bool put_sections(FILE *file, const struct page *page)
{
	const struct page_section *section;

	for (section = page->sections; section->id; section++) {
		fprintf(file, "<section id=\"%s\">\n<h2>%s</h2>\n", section->id, section->heading);
		if (section->about)
			fprintf(file, "<p>%s</p>\n", section->about);
		if (!section->put(file, page->data))
			return false;
		fputs("</section>\n", file);
	}
	return true;
}

static const struct part {
	const char *name;
	bool (*put)(FILE *file, const struct page *page);
} parts[] = {
	{ "title", put_title }, { "summary", put_summary },   { "search", put_search },
	{ "links", put_links }, { "sections", put_sections },
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

static bool page_put(FILE *file, void *data)
{
	const char *text = page_html, *mark, *behind = NULL;
	const struct page *page = data;
	const struct part *part;

	while ((mark = strstr(text, "<!--"))) {
		part = part_at(mark + 4, &behind);
		fwrite(text, 1, (size_t)(mark + (part ? 0 : 4) - text), file);
		if (part && !part->put(file, page))
			return false;
		text = part ? behind : mark + 4;
	}
	fputs(text, file);
	return true;
}

static FILE *open_page_file(const char *path, const char *magic, struct output *out)
{
	struct reason reason;
	int fd = open_own(path, true, magic, strlen(magic), &reason);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd < 0)
		out_error(out, path, "%s", reason.text);
	else if (!file)
		out_error(out, path, "%s", strerror(errno));
	if (fd >= 0 && !file)
		close(fd);
	return file;
}

static bool finish_page_file(FILE *file, const char *path, bool (*put)(FILE *file, void *data),
			     void *data, struct output *out)
{
	int err = 0;

	errno = 0;
	if (!put(file, data))
		err = ENOMEM;
	else if (ferror(file)) /* each further write fails, too, and says why again */
		err = errno ? errno : EIO;
	if (fclose(file) && !err)
		err = errno;
	if (err)
		out_error(out, path, "%s", strerror(err));
	return !err;
}

bool page_file_write(const char *path, const char *magic, bool (*put)(FILE *file, void *data),
		     void *data, struct output *out)
{
	FILE *file = open_page_file(path, magic, out);

	return file && finish_page_file(file, path, put, data, out);
}

FILE *page_open(const char *path, struct output *out)
{
	return open_page_file(path, MAGIC, out);
}

bool page_finish(const struct page *page, FILE *file, const char *path, struct output *out)
{
	return finish_page_file(file, path, page_put, (void *)(uintptr_t)page, out);
}

bool page_write(const struct page *page, const char *path, struct output *out)
{
	FILE *file = page_open(path, out);

	return file && page_finish(page, file, path, out);
}

void page_loss(FILE *file, uint64_t count, const char *what)
{
	if (count)
		fprintf(file, "<li>%" PRIu64 " %s</li>\n", count, what);
}

void page_moment(FILE *file, int64_t ns)
{
	const time_t seconds = ns / 1000000000;
	char text[64];
	struct tm tm;

	if (gmtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		fputs(text, file);
	else
		putc('?', file);
}
