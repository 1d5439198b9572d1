// SPDX-License-Identifier: GPL-2.0
/* Print process: what stale and users have in common. */

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "libbuildid/libbuildid.h"
#include "print.h"
#include "print_process.h"
#include "process_unit.h"

#define WIDTH_PID  7
#define WIDTH_COMM 15
#define WIDTH_UNIT 24
#define WIDTH_ID   40
/* On a terminal. */
#define SHORT_ID 12

static void put_name(struct output *out, uint32_t pid, uint64_t start_time, const char *comm)
{
	out_number(out, "pid", WIDTH_PID, pid);
	if (start_time)
		out_number(out, "start_time", OUT_HIDDEN, start_time);
	out_string(out, "comm", WIDTH_COMM, comm);
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

void print_process(struct output *out, uint32_t pid, uint64_t start_time, const char *comm)
{
	char name[PROCESS_UNIT_NAME];
	struct process_unit unit;

	process_unit_read(pid, &unit);
	put_name(out, pid, start_time, comm);
	out_string(out, "unit", OUT_HIDDEN, or_null(unit.unit));
	out_string(out, "container", OUT_HIDDEN, or_null(unit.container));
	out_string(out, NULL, WIDTH_UNIT, process_unit_name(&unit, name));
}

void print_exited(struct output *out, uint32_t pid, uint64_t start_time, const char *comm)
{
	put_name(out, pid, start_time, comm);
	out_null(out, "unit");
	out_null(out, "container");
	out_string(out, NULL, WIDTH_UNIT, NULL);
}

void print_content(struct output *out, const char *id_key, const char *kind_key,
		   const struct identity *identity)
{
	char hex[BUILD_ID_TEXT], text[PRINT_ID_MAX];
	int width = WIDTH_ID;

	out_string(out, id_key, OUT_HIDDEN,
		   identity->id.size ? build_id_text(&identity->id, hex) : NULL);
	out_string(out, kind_key, OUT_HIDDEN, buildid_kind_name(identity->kind));
	print_identity(identity, text);
	if (!out->json && isatty(fileno(out->file))) {
		width = SHORT_ID;
		if (identity->kind == BUILDID_KIND_GNU)
			text[SHORT_ID] = '\0';
	}
	out_styled(out, identity->id.size ? OUT_GOOD : OUT_WEAK, NULL, width, text);
}

void print_moment(struct output *out, const char *key, int64_t ns)
{
	time_t seconds = ns / 1000000000;
	char text[64];
	struct tm tm;

	if (!ns || !gmtime_r(&seconds, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm)) {
		out_null(out, key);
		out_string(out, NULL, 0, NULL);
		return;
	}
	out_string(out, key, 0, text);
}
