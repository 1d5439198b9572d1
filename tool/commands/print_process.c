// SPDX-License-Identifier: GPL-2.0
/*
 * Print process: what stale and users have in common. A narrow line has short identities
 * first, then short names, then no moment, then no unit.
 */

#include <time.h>

#include "common/array.h"
#include "libbuildid/libbuildid.h"
#include "print.h"
#include "print_process.h"
#include "process_unit.h"

static const struct step {
	struct process_layout layout;
	int path; /* at least */
} steps[] = {
	{ { PRINT_WIDTH_COMM, 24, PRINT_WIDTH_ID, 20 }, 32 },
	{ { PRINT_WIDTH_COMM, 24, 12, 20 }, 24 },
	{ { 8, 12, 12, 20 }, 20 },
	{ { 8, 12, 12, OUT_HIDDEN }, 20 },
	{ { 8, OUT_HIDDEN, 8, OUT_HIDDEN }, 0 },
};

/* With a trailing blank. */
static int print_process_columns(int width)
{
	return width == OUT_HIDDEN ? 0 : width + 1;
}

struct process_layout process_layout_of(int width, int ids, int others)
{
	const struct step *step;

	for (step = steps; step < &steps[ARRAY_SIZE(steps) - 1]; step++) {
		const struct process_layout *layout = &step->layout;

		if (!width ||
		    print_process_columns(PRINT_WIDTH_PID) + print_process_columns(layout->comm) +
				    print_process_columns(layout->unit) +
				    ids * print_process_columns(layout->id) +
				    print_process_columns(layout->moment) + others + step->path <=
			    width)
			break;
	}
	return step->layout;
}

void print_process_header(struct output *out, const struct process_layout *layout)
{
	out_string(out, NULL, PRINT_WIDTH_PID, "    PID");
	out_string(out, NULL, layout->comm, "COMM");
	out_string(out, NULL, layout->unit, "UNIT");
}

static void put_name(struct output *out, const struct process_layout *layout, uint32_t pid,
		     uint64_t start_time, const char *comm)
{
	out_number(out, "pid", PRINT_WIDTH_PID, pid);
	if (start_time)
		out_number(out, "start_time", OUT_HIDDEN, start_time);
	out_fitted(out, OUT_PLAIN, "comm", layout->comm, comm);
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

void print_process(struct output *out, const struct process_layout *layout, uint32_t pid,
		   uint64_t start_time, const char *comm)
{
	char name[PROCESS_UNIT_NAME];
	struct process_unit unit;

	process_unit_read(pid, &unit);
	put_name(out, layout, pid, start_time, comm);
	out_string(out, "unit", OUT_HIDDEN, or_null(unit.unit));
	out_string(out, "container", OUT_HIDDEN, or_null(unit.container));
	out_fitted(out, OUT_PLAIN, NULL, layout->unit, process_unit_name(&unit, name));
}

void print_exited(struct output *out, const struct process_layout *layout, uint32_t pid,
		  uint64_t start_time, const char *comm)
{
	put_name(out, layout, pid, start_time, comm);
	out_null(out, "unit");
	out_null(out, "container");
	out_string(out, NULL, layout->unit, NULL);
}

void print_content(struct output *out, const struct process_layout *layout, const char *id_key,
		   const char *kind_key, const struct identity *identity)
{
	char hex[BUILD_ID_TEXT];

	out_string(out, id_key, OUT_HIDDEN,
		   identity->id.size ? build_id_text(&identity->id, hex) : NULL);
	out_string(out, kind_key, OUT_HIDDEN, buildid_kind_name(identity->kind));
	print_put_identity(out, layout->id, identity);
}

void print_moment(struct output *out, const struct process_layout *layout, const char *key,
		  int64_t ns)
{
	time_t seconds = ns / 1000000000;
	char text[64];
	struct tm tm;
	bool known = ns && gmtime_r(&seconds, &tm) &&
		     strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);

	out_string(out, key, layout->moment, known ? text : NULL);
}
