// SPDX-License-Identifier: GPL-2.0
/*
 * Stale page. What many processes have in common, an old content and the one that is in its place,
 * is there once.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "commands/page/markup.h"
#include "commands/page/page.h"
#include "commands/print.h"
#include "commands/process_unit.h"
#include "common/array.h"
#include "common/clock.h"
#include "common/hash_map.h"
#include "common/output.h"
#include "stale_page.h"

#define NOTHING UINT32_MAX
/* Of all texts: most are short, but anybody may map a long path. */
#define TEXT_MAX	(64 << 20)
#define PATHS_MAX	2000
#define PROCESSES_SHOWN 100
#define ROWS_MAX	5000

struct stale_change {
	char *path, *runs, *now; /* NULL: deleted */
	char *tail, *note;	 /* or NULL */
	int64_t since;		 /* 0 for not known */
	size_t processes;
	size_t first; /* when sorted: of the rows */
};

struct stale_process {
	uint32_t pid;
	uint64_t start_time;
	char comm[16 + 1];
	char *unit; /* or NULL */
	size_t files;
};

struct stale_row {
	uint32_t change, process;
};

struct stale_page {
	size_t max, text;
	struct stale_change *changes;
	size_t nr_changes;
	struct hash_map map; /* of what makes a change */
	struct stale_process *processes;
	size_t nr_processes;
	struct stale_row *rows;
	size_t nr_rows;
	size_t full; /* files of processes that found no room */
	const struct stale_scan *scan;
	bool failed;
	size_t processes_more, paths_more;
	int64_t booted; /* CLOCK_REALTIME less CLOCK_BOOTTIME */
};

struct stale_page *stale_page_new(size_t max)
{
	struct stale_page *page = calloc(1, sizeof(*page));

	if (page)
		page->max = max;
	return page;
}

static void change_free(struct stale_change *change)
{
	free(change->path);
	free(change->runs);
	free(change->now);
	free(change->tail);
	free(change->note);
}

void stale_page_free(struct stale_page *page)
{
	if (!page)
		return;
	while (page->nr_changes)
		change_free(&page->changes[--page->nr_changes]);
	while (page->nr_processes)
		free(page->processes[--page->nr_processes].unit);
	free(page->changes);
	free(page->processes);
	free(page->rows);
	hash_map_free(&page->map);
	free(page);
}

/* ------------------------------------------------------------------------ adding -- */

/* False without memory, or with more text than there is to be. */
static bool copy_text(struct stale_page *page, char **copy, const char *text)
{
	if (!text)
		return true;
	page->text += strlen(text) + 1;
	if (page->text > TEXT_MAX)
		return false;
	*copy = strdup(text);
	return *copy;
}

static bool add_change(struct stale_page *page, const struct stale_change *with, uint64_t key)
{
	struct stale_change new = { .since = with->since };

	if (page->nr_changes == page->max || !array_reserve(page->changes, page->nr_changes))
		return false;
	if (copy_text(page, &new.path, with->path) && copy_text(page, &new.runs, with->runs) &&
	    copy_text(page, &new.now, with->now) && copy_text(page, &new.tail, with->tail) &&
	    copy_text(page, &new.note, with->note) &&
	    hash_map_add(&page->map, key, (uint32_t)page->nr_changes)) {
		page->changes[page->nr_changes++] = new;
		return true;
	}
	change_free(&new);
	return false;
}

static bool is_text(const char *one, const char *other)
{
	return one && other ? !strcmp(one, other) : one == other;
}

/* NOTHING without room. */
static uint32_t change_of(struct stale_page *page, const struct stale_change *with)
{
	const uint64_t key = hash_text(with->path) ^ hash_text(with->runs) * 3 ^
			     (with->now ? hash_text(with->now) * 5 : 0);
	const struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&page->map, key, slot))) {
		const struct stale_change *change = &page->changes[slot->value];

		if (is_text(change->path, with->path) && is_text(change->runs, with->runs) &&
		    is_text(change->now, with->now) && change->since == with->since &&
		    is_text(change->tail, with->tail) && is_text(change->note, with->note))
			return slot->value;
	}
	return add_change(page, with, key) ? (uint32_t)page->nr_changes - 1 : NOTHING;
}

/* All files of a process come together. */
static uint32_t process_of(struct stale_page *page, const struct stale *stale)
{
	struct stale_process new = { .pid = stale->pid, .start_time = stale->start_time };
	const size_t count = page->nr_processes;
	char text[PROCESS_UNIT_NAME];
	struct process_unit unit;

	if (count && page->processes[count - 1].pid == stale->pid &&
	    page->processes[count - 1].start_time == stale->start_time)
		return (uint32_t)count - 1;
	if (count == page->max || !array_reserve(page->processes, count))
		return NOTHING;
	snprintf(new.comm, sizeof(new.comm), "%.16s", stale->comm);
	process_unit_read(stale->pid, &unit);
	if (!copy_text(page, &new.unit, process_unit_name(&unit, text)))
		return NOTHING;
	page->processes[page->nr_processes++] = new;
	return (uint32_t)count;
}

void stale_page_add(struct stale_page *page, const struct stale *stale, const char *tail,
		    const char *note)
{
	char runs[PRINT_ID_MAX], now[PRINT_ID_MAX];
	const struct stale_change change = {
		.path = (char *)(uintptr_t)stale->path,
		.runs = (char *)(uintptr_t)print_id(stale->runs, runs),
		.now = stale->now ? (char *)(uintptr_t)print_identity(&stale->now->identity, now) :
				    NULL,
		.tail = (char *)(uintptr_t)tail,
		.note = (char *)(uintptr_t)note,
		.since = stale->now ? stale->now->ctime : 0,
	};
	struct stale_row row = { NOTHING, process_of(page, stale) };

	if (row.process != NOTHING)
		row.change = change_of(page, &change);
	if (row.change == NOTHING || page->nr_rows == page->max ||
	    !array_reserve(page->rows, page->nr_rows)) {
		page->full++;
		return;
	}
	page->rows[page->nr_rows++] = row;
	page->changes[row.change].processes++;
	page->processes[row.process].files++;
}

/* ----------------------------------------------------------------------- writing -- */

static void put_or_dash(FILE *file, const char *text)
{
	markup_text(file, text ? text : "-");
}

static void put_process(FILE *file, const struct stale_page *page,
			const struct stale_process *process)
{
	fputs("<td>", file);
	markup_text(file, process->comm);
	fprintf(file, "<td class=\"n\">%" PRIu32 "<td>", process->pid);
	put_or_dash(file, process->unit);
	fputs("<td class=\"t\">", file);
	if (process->start_time)
		page_moment(file, (int64_t)((uint64_t)page->booted + process->start_time));
	else
		putc('-', file);
}

static bool put_processes(FILE *file, void *data)
{
	struct stale_page *page = data;
	size_t i;

	if (!page->nr_processes) {
		fputs("<p>None.</p>\n", file);
		return true;
	}
	fputs("<div class=\"wide\"><table class=\"sort\">\n<thead><tr><th>program<th>pid<th>unit or "
	      "container<th>runs since<th>old files</tr></thead>\n<tbody>\n",
	      file);
	for (i = 0; i < page->nr_processes && i < ROWS_MAX; i++) {
		fputs("<tr class=\"s\">", file);
		put_process(file, page, &page->processes[i]);
		fprintf(file, "<td class=\"n\">%zu</tr>\n", page->processes[i].files);
	}
	page->processes_more = page->nr_processes - i;
	fputs("</tbody>\n</table></div>\n", file);
	return true;
}

static void put_change_head(FILE *file, const struct stale_change *change)
{
	fputs("<code>", file);
	markup_text(file, change->runs);
	fputs("</code> <span>runs</span><br>\n", file);
	if (change->now) {
		fputs("<code>", file);
		markup_text(file, change->now);
		fputs("</code> <span>is there now", file);
		if (change->since) {
			fputs(", since ", file);
			page_moment(file, change->since);
		}
		fputs("</span>", file);
	} else {
		fputs("<span class=\"bad\">deleted</span>", file);
	}
	if (change->note) {
		fputs(" <span class=\"bad\">", file);
		markup_text(file, change->note);
		fputs("</span>", file);
	}
	if (change->tail) {
		fputs("<br>\n", file);
		markup_text(file, change->tail);
	}
}

static void put_change(FILE *file, const struct stale_page *page, const struct stale_change *change)
{
	size_t shown = change->processes < PROCESSES_SHOWN ? change->processes : PROCESSES_SHOWN;
	size_t i;

	fputs("<div class=\"lane\">", file);
	put_change_head(file, change);
	fprintf(file,
		"<details%s><summary>%zu %s</summary><table><tr><th>program<th>pid<th>unit or "
		"container<th>runs since</tr>\n",
		change->processes > 5 ? "" : " open", change->processes,
		change->processes == 1 ? "process" : "processes");
	for (i = change->first; i < change->first + shown; i++) {
		fputs("<tr>", file);
		put_process(file, page, &page->processes[page->rows[i].process]);
		fputs("</tr>\n", file);
	}
	fputs("</table>", file);
	if (shown < change->processes)
		fprintf(file, "<p>and %zu more</p>", change->processes - shown);
	fputs("</details></div>\n", file);
}

static int compare_changes(const void *a, const void *b)
{
	const struct stale_change *one = *(const struct stale_change *const *)a;
	const struct stale_change *other = *(const struct stale_change *const *)b;
	int result = strcmp(one->path, other->path);

	if (!result)
		result = COMPARE(other->processes, one->processes);
	return result ? result : COMPARE(one->first, other->first);
}

/* By path. */
static const struct stale_change **sort_changes(const struct stale_page *page)
{
	const struct stale_change **order = calloc(page->nr_changes + 1, sizeof(*order));
	size_t count = 0, i;

	for (i = 0; order && i < page->nr_changes; i++)
		if (page->changes[i].processes)
			order[count++] = &page->changes[i];
	if (order)
		array_sort(order, count, compare_changes);
	return order;
}

static bool put_paths(FILE *file, void *data)
{
	struct stale_page *page = data;
	const struct stale_change **order = sort_changes(page);
	size_t i;

	if (!order)
		return false;
	if (!*order)
		fputs("<p>None.</p>\n", file);
	for (i = 0; order[i] && i < PATHS_MAX; i++) {
		const bool begins = !i || strcmp(order[i - 1]->path, order[i]->path) != 0;

		if (begins) {
			fprintf(file, "%s<section class=\"track s\"><h3>", i ? "</section>\n" : "");
			markup_text(file, order[i]->path);
			fputs("</h3>\n", file);
		}
		put_change(file, page, order[i]);
	}
	if (i)
		fputs("</section>\n", file);
	while (order[i++])
		page->paths_more++;
	free(order);
	return true;
}

static bool put_losses(FILE *file, void *data)
{
	const struct stale_page *page = data;

	fputs("<ul>", file);
	if (page->failed)
		fputs("<li>processes or files for which an error was reported: standard error has "
		      "which</li>\n",
		      file);
	page_loss(file, page->scan->denied, "processes that may not be looked at; run it as root");
	page_loss(file, page->scan->skipped,
		  "processes that kept calling exec, or kept their address space locked");
	page_loss(file, page->scan->unknown,
		  "mapped files that were not compared: on a filesystem that does not answer, or "
		  "not to be read");
	page_loss(file, page->scan->unsure,
		  "mapped files with the identity of what is at their path now, whose bytes could "
		  "not be compared");
	page_loss(file, page->full, "old files of processes that found no room here");
	page_loss(file, page->processes_more, "processes that the table leaves out");
	page_loss(file, page->paths_more, "old contents that the list leaves out");
	fputs("</ul>\n", file);
	return true;
}

static void put_summary(FILE *file, void *data)
{
	const struct stale_page *page = data;

	fprintf(file, "%zu of %zu processes run an old content, seen at ", page->scan->stale,
		page->scan->processes);
	page_moment(file, (int64_t)clock_ns(CLOCK_REALTIME));
}

static int compare_rows(const void *a, const void *b)
{
	const struct stale_row *one = a, *other = b;
	int result = COMPARE(one->change, other->change);

	return result ? result : COMPARE(one->process, other->process);
}

static void stale_page_sort(struct stale_page *page)
{
	size_t i;

	array_sort(page->rows, page->nr_rows, compare_rows);
	for (i = page->nr_rows; i-- > 0;)
		page->changes[page->rows[i].change].first = i;
}

static const struct page_section sections[] = {
	{ "processes", "Processes", "What has to be restarted. Times are UTC.", put_processes },
	{ "paths", "Paths", "Which old content they run, and what is at its path now.", put_paths },
	{ "missing", "What is missing", NULL, put_losses },
	{},
};

bool stale_page_write(struct stale_page *stale, const struct stale_scan *scan, bool failed,
		      const char *path, struct output *out)
{
	char title[128] = "buildid stale";
	const struct page page = {
		.title = title,
		.summary = put_summary,
		.search = "path, build-id, program, unit",
		.sections = sections,
		.data = stale,
	};
	struct utsname host;

	if (!uname(&host))
		snprintf(title, sizeof(title), "buildid stale on %s", host.nodename);
	stale->scan = scan;
	stale->failed = failed;
	stale->booted = (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME));
	stale_page_sort(stale);
	return page_write(&page, path, out);
}
