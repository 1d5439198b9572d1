// SPDX-License-Identifier: GPL-2.0
/*
 * Flame graph. The elements are all the data there is: the script reads places and widths from
 * them. Frames beside each other are in the order of their contents, so that functions of one
 * content are together, and of one colour.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/page/markup.h"
#include "commands/page/page_parts.h"
#include "common/array.h"
#include "common/utf8.h"
#include "flame_graph.h"

#define WIDTH  1200.0
#define ROW    18
#define LETTER 6.6
/* Narrower frames, in parts of all samples, are left out; and deeper ones. */
#define NARROW	0.0002
#define COLOURS 12

struct flame {
	FILE *file;
	const struct stacks *stacks;
	uint32_t *order; /* of the nodes, by parent and name */
	uint32_t *first; /* of each node, where in that its children are */
	uint64_t least;	 /* samples */
	unsigned int depth, height;
	struct flame_losses *losses;
};

/* -------------------------------------------------------------------- the order -- */

static const struct stack_name *name_of(const struct stacks *stacks, uint32_t node)
{
	return &stacks->names[stacks->nodes[node].name];
}

static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct stacks *stacks = context;
	const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct stack_node *one = &stacks->nodes[i], *other = &stacks->nodes[j];
	int result = COMPARE(one->parent, other->parent);

	if (!result)
		result = strcmp(stacks_label(stacks, name_of(stacks, i)->dso),
				stacks_label(stacks, name_of(stacks, j)->dso));
	if (!result)
		result = strcmp(name_of(stacks, i)->text, name_of(stacks, j)->text);
	return result ? result : COMPARE(i, j);
}

/* Without the root, which is its own parent. */
static bool flame_sort(struct flame *flame)
{
	const struct stacks *stacks = flame->stacks;
	const size_t count = stacks->nr_nodes - 1;
	size_t i;

	flame->order = calloc(count + 1, sizeof(*flame->order));
	flame->first = calloc(count + 2, sizeof(*flame->first));
	if (!flame->order || !flame->first)
		return false;
	for (i = 0; i < count; i++)
		flame->order[i] = (uint32_t)i + 1;
	if (count > 1)
		qsort_r(flame->order, count, sizeof(*flame->order), compare_nodes,
			(void *)(uintptr_t)stacks);
	for (i = 0; i < count; i++)
		flame->first[stacks->nodes[flame->order[i]].parent + 1] = (uint32_t)i + 1;
	for (i = 1; i <= count + 1; i++)
		if (flame->first[i] < flame->first[i - 1])
			flame->first[i] = flame->first[i - 1];
	return true;
}

static void flame_free(struct flame *flame)
{
	free(flame->order);
	free(flame->first);
}

/* ------------------------------------------------------------------------ frames -- */

/* The same for a content wherever it is. */
static unsigned int colour_of(const char *label)
{
	unsigned int hash = 5381;

	while (*label)
		hash = hash * 33 + (unsigned char)*label++;
	return hash % COLOURS;
}

static void put_title(const struct flame *flame, uint32_t node)
{
	const struct stack_name *name = name_of(flame->stacks, node);
	const uint64_t total = flame->stacks->nodes[node].total;

	fputs("<title>", flame->file);
	markup_text(flame->file, name->text);
	if (!name->program) {
		fputs(" · ", flame->file);
		markup_text(flame->file, stacks_label(flame->stacks, name->dso));
	}
	fprintf(flame->file, " · %" PRIu64 " samples, %.2f%%</title>", total,
		100 * (double)total / (double)flame->stacks->samples);
}

static void put_frame(const struct flame *flame, uint32_t node, uint64_t before)
{
	const struct stack_name *name = name_of(flame->stacks, node);
	const double all = (double)flame->stacks->samples;
	const double x = WIDTH * (double)before / all;
	const double width = WIDTH * (double)flame->stacks->nodes[node].total / all;
	const unsigned int y = (flame->height - flame->depth - 1) * ROW;

	if (name->program)
		fputs("<g class=\"f p\" tabindex=\"0\">", flame->file);
	else
		fprintf(flame->file, "<g class=\"f c%u\" tabindex=\"0\">",
			colour_of(stacks_label(flame->stacks, name->dso)));
	put_title(flame, node);
	fprintf(flame->file,
		"<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"/><text x=\"%.2f\" y=\"%u\">",
		x, y, width, ROW - 1, x + 3, y + ROW - 5);
	markup_text_cut(flame->file, name->text, (size_t)((width > 6 ? width - 6 : 0) / LETTER));
	fputs("</text></g>\n", flame->file);
}

static void put_children(struct flame *flame, uint32_t parent, uint64_t before)
{
	uint32_t i;

	for (i = flame->first[parent]; i < flame->first[parent + 1]; i++) {
		const uint32_t node = flame->order[i];
		const uint64_t total = flame->stacks->nodes[node].total;

		if (total < flame->least || flame->depth >= FLAME_DEPTH_MAX) {
			flame->losses->frames++;
			flame->losses->samples += total;
		} else {
			put_frame(flame, node, before);
			flame->depth++;
			put_children(flame, node, before);
			flame->depth--;
		}
		before += total;
	}
}

static unsigned int deepest(const struct flame *flame, uint32_t parent, unsigned int depth)
{
	unsigned int most = depth, below;
	uint32_t i;

	for (i = flame->first[parent]; depth < FLAME_DEPTH_MAX && i < flame->first[parent + 1];
	     i++) {
		const uint32_t node = flame->order[i];

		if (flame->stacks->nodes[node].total < flame->least)
			continue;
		below = deepest(flame, node, depth + 1);
		if (below > most)
			most = below;
	}
	return most;
}

static bool flame_graph_put_as(FILE *file, const struct stacks *stacks, bool alone,
			       struct flame_losses *losses)
{
	struct flame flame = {
		.file = file,
		.stacks = stacks,
		.least = (uint64_t)((double)stacks->samples * NARROW) + 1,
		.losses = losses,
	};
	bool good = flame_sort(&flame);

	*losses = (struct flame_losses){};
	if (good) {
		flame.height = deepest(&flame, 0, 0);
		fprintf(file,
			"<svg class=\"flame\" viewBox=\"0 0 %.0f %u\" role=\"img\" "
			"aria-label=\"flame graph\" xmlns=\"http://www.w3.org/2000/svg\">\n",
			WIDTH, flame.height * ROW);
		if (alone)
			fprintf(file, "<style>%s</style>\n", page_style);
		put_children(&flame, 0, 0);
		if (alone)
			fprintf(file, "<script><![CDATA[%s]]></script>\n", page_script);
		fputs("</svg>\n", file);
	}
	flame_free(&flame);
	return good;
}

bool flame_graph_put(FILE *file, const struct stacks *stacks, struct flame_losses *losses)
{
	return flame_graph_put_as(file, stacks, false, losses);
}

bool flame_graph_file(FILE *file, const struct stacks *stacks, struct flame_losses *losses)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", file);
	return flame_graph_put_as(file, stacks, true, losses);
}

/* ------------------------------------------------------------------------ folded -- */

/* Without what ends a frame, or the line, in this format, or acts on a terminal. */
static void fold_text(FILE *file, const char *text)
{
	uint32_t code;
	size_t length;

	for (; *text; text += length ? length : 1) {
		length = utf8_decode(text, &code);
		if (!length)
			fputs(UTF8_REPLACEMENT, file);
		else if (code == ';' || utf8_is_control(code))
			putc('_', file);
		else
			fwrite(text, 1, length, file);
	}
}

static void fold_node(FILE *file, const struct stacks *stacks, uint32_t node)
{
	const struct stack_name *name = name_of(stacks, node);

	if (stacks->nodes[node].parent) {
		fold_node(file, stacks, stacks->nodes[node].parent);
		putc(';', file);
	}
	if (!name->program) {
		fold_text(file, stacks_label(stacks, name->dso));
		putc('`', file);
	}
	fold_text(file, name->text);
}

bool flame_graph_fold(FILE *file, const struct stacks *stacks)
{
	uint32_t i;

	for (i = 1; i < stacks->nr_nodes; i++) {
		if (!stacks->nodes[i].self)
			continue;
		fold_node(file, stacks, i);
		fprintf(file, " %" PRIu64 "\n", stacks->nodes[i].self);
	}
	return true;
}
