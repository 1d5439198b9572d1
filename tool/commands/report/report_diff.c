// SPDX-License-Identifier: GPL-2.0
/*
 * Report diff: in text what changed and what was sampled, the most sampled first, and how many
 * functions are the same; in JSON each function.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "diff_page.h"
#include "recording_losses.h"
#include "report_diff.h"

#define WIDTH_WHAT  8
#define WIDTH_SIZE  9
#define WIDTH_SHARE 7

struct diffing {
	const struct report_diff *job;
	struct content_files files;
	struct diff_recording recording;
	struct diff_operand operands[2];
	struct content_file found[2];
	struct code_diff diff;
	struct diff_samples samples;
	size_t *order; /* of the changes, as they are shown */
};

static const char *const sides[] = { "before", "after" };

/* -------------------------------------------------------------------- reading -- */

static bool open_recording(struct diffing *diffing)
{
	struct diff_recording *recording = &diffing->recording;
	const char *input = diffing->job->input;
	int count = -1;

	if (!input)
		return true;
	recording->data = perfdata_open(input);
	if (recording->data)
		recording->profile = perfdata_profile_new(recording->data);
	if (recording->profile)
		count = perfdata_dsos(recording->data, false, &recording->dsos);
	if (count >= 0) {
		recording->nr_dsos = (size_t)count;
		return true;
	}
	out_error(diffing->job->out, input, "%s",
		  recording->data ? perfdata_error(recording->data) : strerror(ENOMEM));
	return false;
}

/* What is not known of it is what the user said. */
static const char *name_of(const struct diffing *diffing, size_t side)
{
	const struct diff_operand *operand = &diffing->operands[side];
	char *const *operands = diffing->job->operands;

	if (operand->path)
		return operand->path;
	return operands[1] ? operands[side] : operands[0];
}

static bool find_contents(struct diffing *diffing)
{
	struct output *out = diffing->job->out;
	struct reason reason = {};
	size_t i;

	for (i = 0; i < 2; i++) {
		char text[BUILD_ID_TEXT];
		const struct content_request *request = &diffing->operands[i].request;

		if (content_files_find(&diffing->files, request, true, &diffing->found[i], &reason))
			continue;
		out_error(out,
			  request->id.size ? build_id_text(&request->id, text) :
					     name_of(diffing, i),
			  "%s", reason.text);
		return false;
	}
	return true;
}

static bool report_diff_compare(struct diffing *diffing)
{
	const int files[2] = { diffing->found[0].fd, diffing->found[1].fd };
	const int debug[2] = { diffing->found[0].debug, diffing->found[1].debug };
	struct reason reason = {};

	if (code_diff_read(&diffing->diff, files, debug, diffing->job->raw, &reason))
		return true;
	out_error(diffing->job->out, name_of(diffing, 0), "%s", reason.text);
	return false;
}

static bool read_samples(struct diffing *diffing)
{
	const struct build_id *const ids[2] = {
		&diffing->operands[0].request.id,
		&diffing->operands[1].request.id,
	};
	const struct diff_recording *recording = &diffing->recording;

	if (!recording->data)
		return true;
	if (!diff_samples_read(&diffing->samples, &diffing->diff, recording, ids)) {
		out_error(diffing->job->out, diffing->job->input, "%s", strerror(ENOMEM));
		return false;
	}
	if (!perfdata_error(recording->data))
		return true;
	out_error(diffing->job->out, diffing->job->input, "%s", perfdata_error(recording->data));
	return false;
}

/* ------------------------------------------------------------------- the order -- */

static double share_of(const struct diffing *diffing, size_t change, size_t side)
{
	return diff_samples_share(&diffing->samples, change, side);
}

static double larger_share(const struct diffing *diffing, size_t change)
{
	double before = share_of(diffing, change, 0), after = share_of(diffing, change, 1);

	return before > after ? before : after;
}

static uint64_t larger_size(const struct code_change *change)
{
	return change->size[0] > change->size[1] ? change->size[0] : change->size[1];
}

static int compare_changes(const void *a, const void *b, void *context)
{
	const struct diffing *diffing = context;
	const size_t i = *(const size_t *)a, j = *(const size_t *)b;
	const struct code_change *one = &diffing->diff.all[i], *other = &diffing->diff.all[j];
	int result = COMPARE(larger_share(diffing, j), larger_share(diffing, i));

	if (!result)
		result = COMPARE(other->verdict, one->verdict);
	if (!result)
		result = COMPARE(larger_size(other), larger_size(one));
	return result ? result : COMPARE(i, j);
}

static bool report_diff_sort(struct diffing *diffing)
{
	size_t count = diffing->diff.count, i;

	diffing->order = calloc(count + 1, sizeof(*diffing->order));
	if (!diffing->order) {
		out_error(diffing->job->out, name_of(diffing, 0), "%s", strerror(ENOMEM));
		return false;
	}
	for (i = 0; i < count; i++)
		diffing->order[i] = i;
	if (count > 1)
		qsort_r(diffing->order, count, sizeof(*diffing->order), compare_changes, diffing);
	return true;
}

/* --------------------------------------------------------------------- printing -- */

static void put_key(struct output *out, const char *side, const char *what, const char *value)
{
	char key[32];

	snprintf(key, sizeof(key), "%s_%s", side, what);
	out_string(out, key, OUT_HIDDEN, value);
}

static void put_key_number(struct output *out, const char *side, const char *what, uint64_t value)
{
	char key[32];

	snprintf(key, sizeof(key), "%s_%s", side, what);
	out_number(out, key, OUT_HIDDEN, value);
}

/* "12.3%", and "-" for none. */
static const char *percent_of(double share, char text[16])
{
	snprintf(text, 16, "%.1f%%", 100 * share);
	return text;
}

static bool has_id(const struct diffing *diffing, size_t side)
{
	return diffing->operands[side].request.id.size;
}

/* Null where the content has no build-id: it is not known which samples are in it. */
static void put_samples(const struct diffing *diffing, size_t side, const char *what,
			uint64_t count)
{
	if (has_id(diffing, side))
		put_key_number(diffing->job->out, sides[side], what, count);
	else
		put_key(diffing->job->out, sides[side], what, NULL);
}

static void put_side(const struct diffing *diffing, size_t side)
{
	const struct build_id *id = &diffing->operands[side].request.id;
	const struct diff_samples *samples = &diffing->samples;
	struct output *out = diffing->job->out;
	char text[BUILD_ID_TEXT], share[16], tail[64] = "";

	if (samples->of && !id->size)
		snprintf(tail, sizeof(tail), "(without a build-id; its samples are not known)");
	else if (samples->of && samples->all)
		snprintf(tail, sizeof(tail), "(%" PRIu64 " samples, %s of all)", samples->in[side],
			 percent_of((double)samples->in[side] / (double)samples->all, share));
	out_begin(out);
	out_string(out, NULL, WIDTH_WHAT, sides[side]);
	out_string(out, NULL, 0, id->size ? build_id_text(id, text) : NULL);
	out_string(out, NULL, 0, name_of(diffing, side));
	if (*tail)
		out_string(out, NULL, 0, tail);
	out_end(out);
}

static void put_side_keys(const struct diffing *diffing, size_t side)
{
	const struct content_file *found = &diffing->found[side];
	const struct build_id *id = &diffing->operands[side].request.id;
	struct output *out = diffing->job->out;
	char text[BUILD_ID_TEXT];

	put_key(out, sides[side], "id", id->size ? build_id_text(id, text) : NULL);
	put_key(out, sides[side], "path", name_of(diffing, side));
	put_key(out, sides[side], "file", *found->path ? found->path : NULL);
	put_key(out, sides[side], "source", found->source);
	put_key_number(out, sides[side], "code_bytes", diffing->diff.code[side]);
	put_key_number(out, sides[side], "named_bytes", diffing->diff.named[side]);
	if (!diffing->samples.of)
		return;
	put_samples(diffing, side, "samples", diffing->samples.in[side]);
	put_samples(diffing, side, "samples_unnamed", diffing->samples.unnamed[side]);
}

static void count_verdicts(const struct diffing *diffing, uint64_t counts[CODE_VERDICTS])
{
	size_t i;

	memset(counts, 0, CODE_VERDICTS * sizeof(*counts));
	for (i = 0; i < diffing->diff.count; i++)
		counts[diffing->diff.all[i].verdict]++;
}

static void put_head(const struct diffing *diffing)
{
	static const char *const flags[] = { "exported_only", NULL };
	struct output *out = diffing->job->out;
	uint64_t counts[CODE_VERDICTS];
	size_t i;

	if (!out->json) {
		put_side(diffing, 0);
		put_side(diffing, 1);
		return;
	}
	out_begin(out);
	out_string(out, "type", OUT_HIDDEN, "diff");
	put_side_keys(diffing, 0);
	put_side_keys(diffing, 1);
	if (diffing->samples.of)
		out_number(out, "samples", OUT_HIDDEN, diffing->samples.all);
	count_verdicts(diffing, counts);
	for (i = 0; i < CODE_VERDICTS; i++)
		out_number(out, code_verdict_word((enum code_verdict)i), OUT_HIDDEN, counts[i]);
	out_words(out, "flags", OUT_HIDDEN, flags + !diffing->diff.exported_only);
	out_end(out);
}

static void put_columns(const struct diffing *diffing)
{
	struct output *out = diffing->job->out;

	out_begin(out);
	out_string(out, NULL, WIDTH_WHAT, "WHAT");
	out_string(out, NULL, WIDTH_SIZE, "   BEFORE");
	out_string(out, NULL, WIDTH_SIZE, "    AFTER");
	if (diffing->samples.of) {
		out_string(out, NULL, WIDTH_SHARE, " BEFORE");
		out_string(out, NULL, WIDTH_SHARE, "  AFTER");
		out_string(out, NULL, WIDTH_SHARE, " CHANGE");
	}
	out_string(out, NULL, 0, "FUNCTION");
	out_end(out);
}

static void put_right(struct output *out, int width, const char *text)
{
	char column[32];

	snprintf(column, sizeof(column), "%*s", width, text);
	out_string(out, NULL, width, column);
}

static void put_size(struct output *out, const struct code_change *change, size_t side)
{
	char text[24] = "-";

	if (change->size[side])
		snprintf(text, sizeof(text), "%" PRIu64, change->size[side]);
	if (!out->json)
		put_right(out, WIDTH_SIZE, text);
	else if (change->size[side])
		put_key_number(out, sides[side], "size", change->size[side]);
	else
		put_key(out, sides[side], "size", NULL);
}

static void put_shares(const struct diffing *diffing, size_t change)
{
	double before = share_of(diffing, change, 0), after = share_of(diffing, change, 1);
	struct output *out = diffing->job->out;
	char text[16];

	put_right(out, WIDTH_SHARE, before > 0 ? percent_of(before, text) : "-");
	put_right(out, WIDTH_SHARE, after > 0 ? percent_of(after, text) : "-");
	if ((before > 0 || after > 0) && has_id(diffing, 0) && has_id(diffing, 1))
		snprintf(text, sizeof(text), "%+.1f", 100 * (after - before));
	else
		snprintf(text, sizeof(text), "-");
	put_right(out, WIDTH_SHARE, text);
}

static bool is_sampled(const struct diffing *diffing, size_t change)
{
	const uint64_t(*of)[2] = (const uint64_t(*)[2])diffing->samples.of;

	return of && (of[change][0] || of[change][1]);
}

static void put_function(const struct diffing *diffing, size_t index)
{
	const struct code_change *change = &diffing->diff.all[index];
	const enum out_style style = change->verdict >= CODE_UNKNOWN ? OUT_PLAIN : OUT_WEAK;
	struct output *out = diffing->job->out;

	if (!out->json && change->verdict < CODE_UNKNOWN && !is_sampled(diffing, index))
		return;
	out_begin(out);
	out_string(out, "type", OUT_HIDDEN, "function");
	out_styled(out, style, "change", WIDTH_WHAT, code_verdict_word(change->verdict));
	put_size(out, change, 0);
	put_size(out, change, 1);
	if (diffing->samples.of && out->json) {
		put_samples(diffing, 0, "samples", diffing->samples.of[index][0]);
		put_samples(diffing, 1, "samples", diffing->samples.of[index][1]);
	} else if (diffing->samples.of) {
		put_shares(diffing, index);
	}
	out_string(out, "function", 0, change->name);
	out_end(out);
}

static void say_counts(const struct diffing *diffing)
{
	uint64_t counts[CODE_VERDICTS];
	const char *comma = "";
	size_t i;

	count_verdicts(diffing, counts);
	printf("\n%zu functions: ", diffing->diff.count);
	for (i = CODE_VERDICTS; i-- > 0;) {
		if (!counts[i])
			continue;
		printf("%s%" PRIu64 " %s", comma, counts[i],
		       code_verdict_word((enum code_verdict)i));
		comma = ", ";
	}
	putchar('\n');
}

/* What the table does not say, so that nobody takes it for all. */
static void say_limits(const struct diffing *diffing)
{
	const struct code_diff *diff = &diffing->diff;
	const struct diff_samples *samples = &diffing->samples;
	size_t i;

	if (diff->exported_only)
		puts("Only exported functions: one of the files has no other names; install its "
		     "debug symbols, or name a server in DEBUGINFOD_URLS.");
	for (i = 0; i < 2; i++)
		if (diff->named[i] < diff->code[i])
			printf("%s: %" PRIu64 " of %" PRIu64
			       " bytes of code are in no function that has a name.\n",
			       sides[i], diff->code[i] - diff->named[i], diff->code[i]);
	for (i = 0; i < 2; i++)
		if (samples->of && samples->unnamed[i])
			printf("%s: %" PRIu64 " samples are in no function that has a name.\n",
			       sides[i], samples->unnamed[i]);
}

static void put_diff(const struct diffing *diffing)
{
	struct output *out = diffing->job->out;
	size_t i;

	put_head(diffing);
	if (!out->json)
		put_columns(diffing);
	for (i = 0; i < diffing->diff.count; i++)
		put_function(diffing, diffing->order[i]);
	if (out->json)
		return;
	out_flush(out);
	say_counts(diffing);
	say_limits(diffing);
}

static bool report_diff_read(struct diffing *diffing)
{
	const struct report_diff *job = diffing->job;

	if (!content_files_open(&diffing->files, job->directory, job->no_servers)) {
		out_error(job->out, job->operands[0], "%s", strerror(ENOMEM));
		return false;
	}
	return open_recording(diffing) &&
	       diff_operands_find(job->operands, &diffing->recording, &diffing->files, job->out,
				  diffing->operands) &&
	       find_contents(diffing) && report_diff_compare(diffing) && read_samples(diffing) &&
	       report_diff_sort(diffing);
}

static bool put_page(const struct diffing *diffing)
{
	const struct diff_page page = {
		.diff = &diffing->diff,
		.samples = &diffing->samples,
		.order = diffing->order,
		.ids = { &diffing->operands[0].request.id, &diffing->operands[1].request.id },
		.paths = { name_of(diffing, 0), name_of(diffing, 1) },
		.losses = diffing->recording.profile ?
				  perfdata_profile_losses(diffing->recording.profile) :
				  NULL,
	};

	return diff_page_write(&page, diffing->job->html, diffing->job->out);
}

int report_diff_run(const struct report_diff *job)
{
	struct diffing diffing = {
		.job = job,
		.found = { { .fd = -1, .debug = -1 }, { .fd = -1, .debug = -1 } },
	};
	bool good = report_diff_read(&diffing);

	if (good && job->html)
		good = put_page(&diffing);
	else if (good)
		put_diff(&diffing);
	if (good && job->input)
		recording_losses_say(job->input,
				     perfdata_profile_losses(diffing.recording.profile));
	free(diffing.order);
	diff_samples_free(&diffing.samples);
	code_diff_free(&diffing.diff);
	content_file_close(&diffing.found[0]);
	content_file_close(&diffing.found[1]);
	diff_operands_free(diffing.operands);
	perfdata_profile_free(diffing.recording.profile);
	perfdata_close(diffing.recording.data);
	content_files_close(&diffing.files);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
