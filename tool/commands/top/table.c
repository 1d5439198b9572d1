// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/print.h"
#include "common/array.h"
#include "table.h"

/* In columns, 80 with blanks between them and a path. */
#define WIDTH_PROCESSES 5
#define WIDTH_RATE	7
#define WIDTH_AGE	6
#define WIDTH_ID	12
#define WIDTH_STATE	7
#define WIDTH_PACKAGE	16

const char *const table_sort_names[TABLE_SORTS] = {
	[TABLE_BY_PROCESSES] = "processes",
	[TABLE_BY_RATE] = "mappings",
	[TABLE_BY_AGE] = "age",
	[TABLE_BY_PATH] = "path",
};

static int by_rows(const struct content *one, const struct content *other, enum table_sort sort)
{
	int order = 0;

	if (sort == TABLE_BY_PROCESSES)
		order = COMPARE(other->processes, one->processes);
	else if (sort == TABLE_BY_RATE)
		order = COMPARE(other->rate, one->rate);
	else if (sort == TABLE_BY_AGE)
		order = COMPARE(other->since, one->since);
	return order ? order : strcmp(one->path, other->path);
}

static int compare_rows(const void *a, const void *b, void *data)
{
	const struct table *table = data;
	const struct content *all = table->contents->all;

	return by_rows(&all[*(const uint32_t *)a], &all[*(const uint32_t *)b], table->sort);
}

/* The package, as far as it was looked up; "" for none. */
static const char *label_of(const struct table *table, size_t content)
{
	const char *label = table->contents->all[content].label;

	return label ? label : "";
}

static bool is_shown(const struct table *table, size_t index)
{
	const struct content *content = &table->contents->all[index];
	char id[PRINT_ID_MAX];

	if (!content->processes && !content->is_new)
		return false;
	return !*table->filter || strcasestr(content->path, table->filter) ||
	       strcasestr(label_of(table, index), table->filter) ||
	       strcasestr(print_identity(&content->identity, id), table->filter);
}

bool table_update(struct table *table)
{
	size_t count = table->contents->count, i;
	uint32_t *rows = reallocarray(table->rows, count + 1, sizeof(*rows));

	if (!rows)
		return false;
	table->rows = rows;
	table->count = 0;
	for (i = 0; i < count; i++)
		if (is_shown(table, i))
			rows[table->count++] = (uint32_t)i;
	qsort_r(rows, table->count, sizeof(*rows), compare_rows, table);
	return true;
}

bool table_look_up(struct table *table, size_t content)
{
	struct content *of = &table->contents->all[content];
	const struct packages *found;

	if (of->label || !table->packages || !of->file)
		return false;
	found = mapped_packages_find(table->packages, &of->last, of->file);
	of->label = found && found->count ? package_label(&found->all[0], "", "") : strdup("");
	return true;
}

void table_free(struct table *table)
{
	free(table->rows);
}

/* ----------------------------------------------------------------- lines -- */

void table_print_header(struct output *out)
{
	out_begin(out);
	out_string(out, NULL, WIDTH_PROCESSES, "PROCS");
	out_string(out, NULL, WIDTH_RATE, " MAPS/S");
	out_string(out, NULL, WIDTH_AGE, "   AGE");
	out_string(out, NULL, WIDTH_ID, "ID");
	out_string(out, NULL, WIDTH_STATE, "STATE");
	out_string(out, NULL, WIDTH_PACKAGE, "PACKAGE");
	out_string(out, NULL, 0, "PATH");
	out_end(out);
}

static void print_age(struct output *out, uint64_t seconds)
{
	char text[32];

	if (seconds < 100 * 60)
		snprintf(text, sizeof(text), "%3u:%02u", (unsigned int)(seconds / 60),
			 (unsigned int)(seconds % 60));
	else if (seconds < 100 * 3600)
		snprintf(text, sizeof(text), "%5uh", (unsigned int)(seconds / 3600));
	else
		snprintf(text, sizeof(text), "%5ud", (unsigned int)(seconds / 86400));
	out_string(out, NULL, WIDTH_AGE, text);
	out_number(out, "age_seconds", OUT_HIDDEN, seconds);
}

static void print_rate(struct output *out, const struct content *content)
{
	char text[32];

	snprintf(text, sizeof(text), "%*.1f", WIDTH_RATE, content->rate);
	out_string(out, NULL, WIDTH_RATE, text);
	out_number(out, "mappings", OUT_HIDDEN, content->mappings);
	out_rate(out, "mappings_per_second", content->rate);
}

static void print_state(struct output *out, const struct content *content)
{
	const char *words[3];
	size_t count = 0;

	if (content->is_new)
		words[count++] = "new";
	if (content->is_deleted)
		words[count++] = "stale";
	words[count] = NULL;
	if (out->json)
		out_words(out, "state", OUT_HIDDEN, words);
	else
		out_string(out, NULL, WIDTH_STATE,
			   count == 2 ? "new,old" : (count ? words[0] : ""));
}

/* On a screen there is no room for whose database says so. */
static void print_package_name(struct output *out, const char *label)
{
	size_t length = out->width ? strcspn(label, ",") : strlen(label);
	char *text = strndup(label, length);

	out_fitted(out, OUT_PLAIN, NULL, out->width ? WIDTH_PACKAGE : 0,
		   text && *text ? text : NULL);
	free(text);
}

void table_print(struct output *out, const struct table *table, size_t index)
{
	const struct content *content = &table->contents->all[index];
	const char *label = label_of(table, index);
	char id[PRINT_ID_MAX];
	uint64_t age = table->now > content->since ? table->now - content->since : 0;

	out_begin(out);
	out_number(out, "processes", WIDTH_PROCESSES, content->processes);
	print_rate(out, content);
	print_age(out, age / 1000000000);
	print_identity(&content->identity, id);
	out_string(out, "id", OUT_HIDDEN, id);
	id[WIDTH_ID] = '\0';
	out_string(out, NULL, WIDTH_ID, id);
	print_state(out, content);
	out_string(out, "package", OUT_HIDDEN, *label ? label : NULL);
	print_package_name(out, label);
	out_fitted(out, OUT_PLAIN, "path", out->width ? out_room(out) : 0, content->path);
	out_end(out);
}
