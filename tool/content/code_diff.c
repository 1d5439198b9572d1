// SPDX-License-Identifier: GPL-2.0
/*
 * Code diff: functions are paired by name, as all else of them may have changed. Of several names at
 * one address a file's symbol table has one; where the other file has only another of them, it is
 * looked for among these.
 *
 * A file may have several functions of one name, static ones of different sources. When both
 * have as many, they are paired in the order of the linker; what differs then may be another
 * one, and is CODE_UNKNOWN.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code_diff.h"
#include "common/array.h"
#include "demangle.h"
#include "file_reader.h"
#include "xz.h"

/* More than any program has. */
#define CHANGES_MAX (8U << 20)
/* Longest name that is passed on, and all of them. */
#define NAME_BYTES_MAX	4096
#define NAMES_BYTES_MAX (1ULL << 30)

enum {
	READER_BEFORE = FILE_READER_FILE,
	READER_AFTER,
	READER_DEBUG_BEFORE,
	READER_DEBUG_AFTER,
};

/* What the other process sends first. */
struct summary {
	char problem[256]; /* "" for none, and nothing else follows */
	uint32_t file;	   /* that has the problem */
	uint32_t exported_only;
	uint64_t code[2];
	uint64_t named[2];
};

/* Then, up to one without a name. */
struct sent_change {
	uint32_t verdict;
	uint32_t name; /* bytes that follow */
	uint64_t start[2];
	uint64_t size[2];
};

const char *code_verdict_word(enum code_verdict verdict)
{
	static const char *const words[CODE_VERDICTS] = {
		[CODE_SAME] = "same",	    [CODE_MOVED] = "moved", [CODE_DATA] = "data",
		[CODE_BYTES] = "bytes",	    [CODE_CALLS] = "calls", [CODE_CHANGED] = "code",
		[CODE_SIZE] = "size",	    [CODE_ADDED] = "added", [CODE_REMOVED] = "removed",
		[CODE_UNKNOWN] = "unknown",
	};

	return words[verdict];
}

/* ------------------------------------------------- the process that reads -- */

struct comparing {
	struct code_image images[2];
	const struct function **by_name[2]; /* and by address */
	bool debug[2];
	bool raw;
};

static int compare_names(const void *a, const void *b)
{
	const struct function *one = *(const struct function *const *)a;
	const struct function *other = *(const struct function *const *)b;
	int result = strcmp(one->name, other->name);

	return result ? result : COMPARE(one->start, other->start);
}

static bool sort_functions(struct comparing *comparing, size_t side)
{
	const struct symbol_table *table = &comparing->images[side].functions;
	const struct function **sorted = calloc(table->count + 1, sizeof(*sorted));
	size_t i;

	comparing->by_name[side] = sorted;
	for (i = 0; sorted && i < table->count; i++)
		sorted[i] = &table->functions[i];
	if (sorted)
		array_sort(sorted, table->count, compare_names);
	return sorted;
}

/* Functions may lie within others. */
static uint64_t named_bytes(const struct symbol_table *table)
{
	uint64_t sum = 0, end = 0;
	size_t i;

	for (i = 0; i < table->count; i++) {
		const struct function *function = &table->functions[i];
		uint64_t start = function->start > end ? function->start : end;

		if (function->end > start) {
			sum += function->end - start;
			end = function->end;
		}
	}
	return sum;
}

static const char *code_diff_open(struct comparing *comparing, struct summary *summary)
{
	const char *problem = NULL;
	size_t i;
	int debug;
	bool exported = false;

	for (i = 0; i < 2; i++) {
		debug = comparing->debug[i] ? READER_DEBUG_BEFORE + (int)i : -1;
		exported |= !code_image_names_all(READER_BEFORE + (int)i, debug);
	}
	for (i = 0; i < 2 && !problem; i++) {
		debug = comparing->debug[i] ? READER_DEBUG_BEFORE + (int)i : -1;
		summary->file = (uint32_t)i;
		problem = code_image_open(&comparing->images[i], READER_BEFORE + (int)i, debug,
					  exported);
		if (!problem && !sort_functions(comparing, i))
			problem = "out of memory";
		summary->code[i] = code_image_size(&comparing->images[i]);
		summary->named[i] = named_bytes(&comparing->images[i].functions);
	}
	summary->exported_only = exported;
	return problem;
}

static void put_change(FILE *file, const struct comparing *comparing, enum code_verdict verdict,
		       const struct function *const sides[2])
{
	const char *name = sides[0] ? sides[0]->name : sides[1]->name;
	char *plain = comparing->raw ? NULL : demangle(name);
	struct sent_change change = { .verdict = verdict };
	size_t i;

	if (plain)
		name = plain;
	change.name = (uint32_t)strnlen(name, NAME_BYTES_MAX);
	for (i = 0; i < 2; i++) {
		if (!sides[i])
			continue;
		change.start[i] = code_image_offset(&comparing->images[i], sides[i]->start);
		change.size[i] = sides[i]->end - sides[i]->start;
	}
	fwrite(&change, sizeof(change), 1, file);
	fwrite(name, 1, change.name, file);
	free(plain);
}

/* How many from @at on have the same name. */
static size_t count_alike(const struct function *const *sorted, size_t at, size_t count)
{
	size_t end = at + 1;

	while (end < count && !strcmp(sorted[at]->name, sorted[end]->name))
		end++;
	return end - at;
}

static enum code_verdict code_diff_judge(const struct comparing *comparing,
					 const struct function *const sides[2], bool several)
{
	enum code_verdict verdict =
		code_match(&comparing->images[0], sides[0], &comparing->images[1], sides[1]);

	return several && verdict > CODE_MOVED ? CODE_UNKNOWN : verdict;
}

/* One whose name the other file has for none of its functions, or for one beside another name. */
static void put_alone(FILE *file, const struct comparing *comparing, size_t side,
		      const struct function *function)
{
	enum code_verdict verdict = side ? CODE_ADDED : CODE_REMOVED;
	const struct function *sides[2] = {};
	struct function alias;

	sides[side] = function;
	if (symbol_table_find_alias(&comparing->images[!side].functions, function->name, &alias)) {
		sides[!side] = &alias;
		verdict = code_diff_judge(comparing, sides, false);
	}
	put_change(file, comparing, verdict, sides);
}

/* Of one name: @counts of them in either file, from @at on. */
static void put_alike(FILE *file, const struct comparing *comparing, const size_t at[2],
		      const size_t counts[2])
{
	const struct function *sides[2];
	size_t side, i;

	if (counts[0] == counts[1]) {
		for (i = 0; i < counts[0]; i++) {
			sides[0] = comparing->by_name[0][at[0] + i];
			sides[1] = comparing->by_name[1][at[1] + i];
			put_change(file, comparing,
				   code_diff_judge(comparing, sides, counts[0] > 1), sides);
		}
		return;
	}
	for (side = 0; side < 2; side++)
		for (i = 0; i < counts[side]; i++) {
			sides[side] = comparing->by_name[side][at[side] + i];
			sides[!side] = NULL;
			put_change(file, comparing, CODE_UNKNOWN, sides);
		}
}

static int which_is_next(const struct comparing *comparing, const size_t at[2])
{
	size_t i;

	for (i = 0; i < 2; i++)
		if (at[i] == comparing->images[i].functions.count)
			return i ? -1 : 1;
	return strcmp(comparing->by_name[0][at[0]]->name, comparing->by_name[1][at[1]]->name);
}

static void put_changes(FILE *file, const struct comparing *comparing)
{
	const size_t ends[2] = {
		comparing->images[0].functions.count,
		comparing->images[1].functions.count,
	};
	size_t at[2] = {}, counts[2];
	int order;

	while (at[0] < ends[0] || at[1] < ends[1]) {
		order = which_is_next(comparing, at);
		if (order) {
			put_alone(file, comparing, order > 0,
				  comparing->by_name[order > 0][at[order > 0]]);
			at[order > 0]++;
			continue;
		}
		counts[0] = count_alike(comparing->by_name[0], at[0], ends[0]);
		counts[1] = count_alike(comparing->by_name[1], at[1], ends[1]);
		put_alike(file, comparing, at, counts);
		at[0] += counts[0];
		at[1] += counts[1];
	}
}

static void serve_diff(const void *context)
{
	struct comparing comparing = *(const struct comparing *)context;
	struct sent_change last = {};
	struct summary summary = {};
	const char *problem = code_diff_open(&comparing, &summary);
	FILE *file = fdopen(FILE_READER_SOCKET, "w");

	if (!file)
		return;
	if (problem)
		snprintf(summary.problem, sizeof(summary.problem), "%s", problem);
	fwrite(&summary, sizeof(summary), 1, file);
	if (!problem) {
		put_changes(file, &comparing);
		fwrite(&last, sizeof(last), 1, file);
	}
	fclose(file);
}

/* ---------------------------------------------------------- who asks it -- */

static bool is_sound(const struct sent_change *sent)
{
	return sent->verdict < CODE_VERDICTS && sent->name <= NAME_BYTES_MAX;
}

/* -1 for what is no answer, 0 at the end. */
static int receive_change(struct code_diff *diff, int socket, uint64_t *bytes)
{
	struct code_change *change;
	struct sent_change sent;

	if (!file_reader_receive(socket, &sent, sizeof(sent)) || !is_sound(&sent))
		return -1;
	if (!sent.name)
		return 0;
	*bytes += sent.name;
	if (diff->count == CHANGES_MAX || *bytes > NAMES_BYTES_MAX ||
	    !array_reserve(diff->all, diff->count))
		return -1;
	change = &diff->all[diff->count];
	*change = (struct code_change){
		.name = calloc(1, sent.name + 1UL),
		.verdict = sent.verdict,
		.start = { sent.start[0], sent.start[1] },
		.size = { sent.size[0], sent.size[1] },
	};
	if (!change->name)
		return -1;
	diff->count++;
	return file_reader_receive(socket, change->name, sent.name) ? 1 : -1;
}

static bool receive_changes(struct code_diff *diff, int socket, struct reason *reason)
{
	uint64_t bytes = 0;
	int answer;

	do
		answer = receive_change(diff, socket, &bytes);
	while (answer > 0);
	return !answer || reason_set(reason, "the process that reads it has ended early");
}

static bool receive_diff(struct code_diff *diff, int socket, struct reason *reason)
{
	static const char *const names[] = { "before", "after" };
	struct summary summary;

	if (!file_reader_receive(socket, &summary, sizeof(summary)))
		return reason_set(reason, "the process that reads it has ended early");
	summary.problem[sizeof(summary.problem) - 1] = '\0';
	if (*summary.problem)
		return reason_set(reason, "the file %s: %s", names[summary.file & 1],
				  summary.problem);
	diff->exported_only = summary.exported_only;
	memcpy(diff->code, summary.code, sizeof(diff->code));
	memcpy(diff->named, summary.named, sizeof(diff->named));
	return receive_changes(diff, socket, reason);
}

bool code_diff_read(struct code_diff *diff, const int files[2], const int debug[2], bool raw,
		    struct reason *reason)
{
	const struct comparing comparing = {
		.debug = { debug[0] >= 0, debug[1] >= 0 },
		.raw = raw,
	};
	const int all[] = { files[0], files[1], debug[0], debug[1] };
	struct file_reader reader;
	bool good;

	*diff = (struct code_diff){};
	/* Here, as the other process may open nothing. */
	xz_load();
	if (!file_reader_start(&reader, all, ARRAY_SIZE(all), serve_diff, &comparing))
		return reason_set(reason, "%s", strerror(errno));
	good = receive_diff(diff, reader.socket, reason);
	file_reader_end(&reader);
	if (!good)
		code_diff_free(diff);
	return good;
}

void code_diff_free(struct code_diff *diff)
{
	while (diff->count)
		free(diff->all[--diff->count].name);
	free(diff->all);
	*diff = (struct code_diff){};
}
