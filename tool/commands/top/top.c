// SPDX-License-Identifier: GPL-2.0
/*
 * buildid top: what is mapped now, a line for each content, kept up to date.
 *
 * The stream says what is added, and FORK, EXEC and EXIT what processes have; a snapshot every
 * few seconds says what was unmapped or deleted, which sends no record.
 */

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <time.h>
#include <unistd.h>

#include "commands/commands.h"
#include "commands/filter.h"
#include "commands/module.h"
#include "commands/options.h"
#include "commands/print.h"
#include "common/array.h"
#include "common/clock.h"
#include "common/columns.h"
#include "common/signals.h"
#include "screen.h"
#include "table.h"

static const char help[] =
	"Show what is mapped executable, a line for each content under a path, kept up to date: "
	"processes, mappings per second, since when it is known, identity, whether it is new or "
	"stale (deleted or replaced), package, path.\v"
	"Needs CAP_PERFMON or CAP_SYS_ADMIN. Keys: arrows, PgUp, PgDn, Home, End; s sorts by the "
	"next column; / filters; Enter shows the processes of the line; q leaves. Without a "
	"terminal, or with --batch, a table every few seconds.";

/* Events to take before keys are looked at. */
#define BATCH 4096

/* Between snapshots, in seconds: each asks for the mappings of all processes. */
#define SNAPSHOT_S 10

/* Packages are looked up so many at a time, as their files have to be read. */
#define LOOK_UPS 4

#define SECOND 1000000000ULL

/* Rows beside those of contents: totals, losses and the header; keys at the end. */
#define ROWS_ABOVE 3
#define ROWS_BELOW 1

#define INTERVAL_DEFAULT 2
#define INTERVAL_MAX	 3600

struct top {
	struct output out;
	struct filter filter;
	uint64_t interval; /* seconds */
	uint64_t count;	   /* tables to print, 0 for no end */
	bool batch;
	uint32_t ring_size;

	struct buildid_recorder *recorder;
	struct contents contents;
	struct table table;
	struct buildid_lost lost;
	uint64_t unread;   /* processes that a snapshot could not read, of the last one */
	uint64_t mappings; /* since the last tick */
	double rate;
	uint64_t started, last_tick, last_snapshot; /* CLOCK_MONOTONIC */

	/* on a screen */
	size_t selected, first;
	size_t first_process;
	bool typing;	/* into the filter */
	bool processes; /* of the selected row, in place of the table */
	size_t content; /* whose, */
	uint64_t moves; /* as long as the contents have not moved */
	uint64_t printed;
	bool end;
	bool failed;
};

/* ---------------------------------------------------------------- events -- */

static void count_event(struct top *top, const struct buildid_record *record)
{
	const struct buildid_lost *lost = (const void *)record;

	if (record->type == BUILDID_RECORD_MMAP && !(record->flags & BUILDID_RECORD_SNAPSHOT))
		top->mappings++;
	if (record->type != BUILDID_RECORD_LOST)
		return;
	top->lost.ring_full += lost->ring_full;
	top->lost.ring_full_mmaps += lost->ring_full_mmaps;
	top->lost.unresolved += lost->unresolved;
	top->lost.missed_probe += lost->missed_probe;
}

static void begin_snapshot(struct top *top)
{
	int err = buildid_recorder_snapshot(top->recorder);

	top->last_snapshot = clock_ns(CLOCK_MONOTONIC);
	if (err)
		return;
	top->unread = 0;
	contents_snapshot_begin(&top->contents);
}

static void end_snapshot(struct top *top, bool *snapshotting)
{
	if (!*snapshotting || buildid_recorder_snapshotting(top->recorder))
		return;
	contents_snapshot_end(&top->contents);
	*snapshotting = false;
}

/* Whether there may be more. */
static bool take_error(struct top *top, int err)
{
	switch (err) {
	case -EINTR:
		return true;
	case -ENOMEM:
		out_error(&top->out, "top", "out of memory");
		top->failed = true;
		return false;
	case -EAGAIN:
		return false;
	case -ESTALE:
	case -ETIMEDOUT:
	case -EPERM:
	case -EACCES:
		top->unread++;
		return true;
	default:
		module_error(&top->out, BUILDID_DEVICE, err, NULL);
		top->failed = true;
		return false;
	}
}

static void take_events(struct top *top)
{
	bool snapshotting = buildid_recorder_snapshotting(top->recorder);
	const struct buildid_event *event;
	int batch;

	for (batch = 0; batch < BATCH; batch++) {
		int err = buildid_recorder_next(top->recorder, 0, &event);

		if (!err) {
			count_event(top, event->record);
			if (!contents_take(&top->contents, event))
				err = -ENOMEM;
		}
		if (err && !take_error(top, err))
			break;
		end_snapshot(top, &snapshotting);
	}
	end_snapshot(top, &snapshotting);
}

/* ---------------------------------------------------------------- shown -- */

static void put_lost(const struct top *top, char text[512])
{
	char lost[256], *end = text;

	print_lost_text(&top->lost, lost);
	end += sprintf(end, "%s", strcmp(lost, "lost") ? lost : "nothing lost");
	if (top->contents.unidentified)
		end += sprintf(end, "; %" PRIu64 " mappings without identity",
			       top->contents.unidentified);
	if (top->contents.not_added)
		end += sprintf(end, "; %" PRIu64 " mappings of too many contents",
			       top->contents.not_added);
	if (top->unread)
		sprintf(end, "; %" PRIu64 " processes not read", top->unread);
}

static void put_totals(const struct top *top, char text[512])
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), seconds = (now - top->started) / SECOND;
	time_t real = time(NULL);
	char day[16] = "";
	struct tm tm;

	if (localtime_r(&real, &tm))
		strftime(day, sizeof(day), "%H:%M:%S", &tm);
	snprintf(text, 512,
		 "buildid top  %s, for %" PRIu64 ":%02" PRIu64 "; %zu contents in %zu processes, "
		 "%.1f mappings/s",
		 day, seconds / 60, seconds % 60, top->table.count,
		 contents_processes(&top->contents), top->rate);
}

static bool is_lossy(const struct top *top)
{
	return top->lost.ring_full || top->lost.missed_probe || top->lost.unresolved ||
	       top->contents.unidentified || top->contents.not_added || top->unread;
}

static void print_batch(struct top *top)
{
	char text[512];
	size_t i;

	for (i = 0; i < top->table.count; i++)
		while (table_look_up(&top->table, top->table.rows[i]))
			;
	if (!top->out.json) {
		put_totals(top, text);
		puts(text);
		put_lost(top, text);
		puts(text);
		table_print_header(&top->out);
	}
	for (i = 0; i < top->table.count; i++)
		table_print(&top->out, &top->table, top->table.rows[i]);
	if (top->out.json) {
		out_begin(&top->out);
		out_number(&top->out, "contents", OUT_HIDDEN, top->table.count);
		out_number(&top->out, "lost", OUT_HIDDEN, top->lost.ring_full);
		out_number(&top->out, "missed_probe", OUT_HIDDEN, top->lost.missed_probe);
		out_number(&top->out, "unresolved", OUT_HIDDEN, top->lost.unresolved);
		out_number(&top->out, "unidentified", OUT_HIDDEN, top->contents.unidentified);
		out_number(&top->out, "not_added", OUT_HIDDEN, top->contents.not_added);
		out_number(&top->out, "processes_not_read", OUT_HIDDEN, top->unread);
		out_end(&top->out);
	} else if (top->count != top->printed + 1) {
		putchar('\n');
	}
	fflush(stdout);
	top->printed++;
	if (ferror(stdout) || (top->count && top->printed == top->count))
		top->end = true;
}

/* ---------------------------------------------------------------- screen -- */

static void draw_text(int row, int columns, enum screen_style style, const char *text)
{
	char *fitted = columns_fit(text, columns);

	if (fitted)
		screen_line(row, style, fitted);
	free(fitted);
}

/* What @print makes of its line, without the end of it. */
static void draw_row(struct top *top, int row, int columns, enum screen_style style, size_t content,
		     bool header)
{
	struct output out = {};
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return;
	out_init(&out, file, false);
	out.width = columns;
	if (header)
		table_print_header(&out);
	else
		table_print(&out, &top->table, content);
	out_free(&out);
	fclose(file);
	if (text && size) {
		text[size - 1] = '\0';
		screen_line(row, style, text);
	}
	free(text);
}

struct process_rows {
	int row, rows, columns;
	size_t count, first;
};

static void count_process(void *data, uint32_t pid, const char *comm)
{
	struct process_rows *at = data;

	(void)pid;
	(void)comm;
	at->count++;
}

static void draw_process(void *data, uint32_t pid, const char *comm)
{
	struct process_rows *at = data;
	char text[64];

	if (at->count++ < at->first || at->row >= at->rows)
		return;
	snprintf(text, sizeof(text), "%7" PRIu32 " %.15s", pid, comm);
	draw_text(at->row++, at->columns, SCREEN_PLAIN, text);
}

static void draw_processes(struct top *top, int rows, int columns)
{
	struct process_rows at = { .row = ROWS_ABOVE + 2,
				   .rows = rows - ROWS_BELOW,
				   .columns = columns };
	const size_t room = at.rows > at.row ? (size_t)(at.rows - at.row) : 1;
	char text[64];

	contents_for_each_process(&top->contents, top->content, count_process, &at);
	if (top->first_process + room > at.count)
		top->first_process = at.count > room ? at.count - room : 0;
	at.first = top->first_process;
	draw_row(top, ROWS_ABOVE - 1, columns, SCREEN_REVERSE, 0, true);
	draw_row(top, ROWS_ABOVE, columns, SCREEN_PLAIN, top->content, false);
	snprintf(text, sizeof(text), "    PID COMM             %zu to %zu of %zu",
		 at.first + (at.count > 0), MIN(at.first + room, at.count), at.count);
	draw_text(ROWS_ABOVE + 1, columns, SCREEN_REVERSE, text);
	at.count = 0;
	contents_for_each_process(&top->contents, top->content, draw_process, &at);
}

/* The selected row is among those shown. */
static void draw_table(struct top *top, int rows, int columns)
{
	size_t room = rows > ROWS_ABOVE + ROWS_BELOW ? (size_t)(rows - ROWS_ABOVE - ROWS_BELOW) : 1;
	size_t i;

	if (top->selected >= top->table.count)
		top->selected = top->table.count ? top->table.count - 1 : 0;
	if (top->selected < top->first)
		top->first = top->selected;
	if (top->selected >= top->first + room)
		top->first = top->selected - room + 1;
	draw_row(top, ROWS_ABOVE - 1, columns, SCREEN_REVERSE, 0, true);
	for (i = top->first; i < top->table.count && i < top->first + room; i++)
		draw_row(top, ROWS_ABOVE + (int)(i - top->first), columns,
			 i == top->selected ? SCREEN_REVERSE : SCREEN_PLAIN, top->table.rows[i],
			 false);
}

static void draw_keys(const struct top *top, int rows, int columns)
{
	char text[256];

	if (top->typing)
		snprintf(text, sizeof(text), "/%s_  Enter: keep, Esc: all", top->table.filter);
	else if (top->processes)
		snprintf(text, sizeof(text), "Enter, Esc: back  arrows, PgUp, PgDn: more  q: quit");
	else
		snprintf(text, sizeof(text),
			 "q: quit  s: sort (%s)  /: filter%s%s  Enter: processes",
			 table_sort_names[top->table.sort], *top->table.filter ? " " : "",
			 top->table.filter);
	draw_text(rows - 1, columns, SCREEN_BOLD, text);
}

static void draw(struct top *top)
{
	int rows, columns;
	char text[512];

	screen_size(&rows, &columns);
	screen_clear();
	put_totals(top, text);
	draw_text(0, columns, SCREEN_BOLD, text);
	put_lost(top, text);
	draw_text(1, columns, is_lossy(top) ? SCREEN_REVERSE : SCREEN_PLAIN, text);
	if (top->processes && top->moves == top->contents.moves)
		draw_processes(top, rows, columns);
	else
		draw_table(top, rows, columns);
	draw_keys(top, rows, columns);
	screen_show();
}

/* Whether a package was found out that is to be shown. */
static bool look_up_some(struct top *top)
{
	int left = LOOK_UPS;
	size_t i;

	for (i = top->first; i < top->table.count && left; i++)
		left -= table_look_up(&top->table, top->table.rows[i]);
	return left < LOOK_UPS;
}

/* ------------------------------------------------------------------ keys -- */

static void type(struct top *top, int key)
{
	char *filter = top->table.filter;
	size_t length = strlen(filter);

	if (key == SCREEN_ENTER || key == SCREEN_ESCAPE)
		top->typing = false;
	if (key == SCREEN_ESCAPE)
		*filter = '\0';
	if (key == SCREEN_BACKSPACE && length)
		filter[length - 1] = '\0';
	if (key >= ' ' && key < SCREEN_UP && key != SCREEN_BACKSPACE &&
	    length < TABLE_FILTER_MAX - 1) {
		filter[length] = (char)key;
		filter[length + 1] = '\0';
	}
}

static void scroll_by_key(size_t *at, size_t last, size_t page, int key)
{
	if (key == SCREEN_UP && *at)
		--*at;
	if (key == SCREEN_DOWN && *at < last)
		++*at;
	if (key == SCREEN_PAGE_UP)
		*at -= MIN(*at, page);
	if (key == SCREEN_PAGE_DOWN)
		*at = *at + page < last ? *at + page : last;
	if (key == SCREEN_HOME)
		*at = 0;
	if (key == SCREEN_END)
		*at = last;
}

static void move_by_key(struct top *top, int key)
{
	int rows, columns;
	size_t page;

	screen_size(&rows, &columns);
	page = rows > ROWS_ABOVE + ROWS_BELOW ? (size_t)(rows - ROWS_ABOVE - ROWS_BELOW) : 1;
	if (top->processes) /* drawing says where the end is */
		scroll_by_key(&top->first_process, INT32_MAX, page, key);
	else
		scroll_by_key(&top->selected, top->table.count ? top->table.count - 1 : 0, page,
			      key);
}

static void press(struct top *top, int key)
{
	switch (key) {
	case 'q':
		top->end = true;
		break;
	case 's':
		top->table.sort = (top->table.sort + 1) % TABLE_SORTS;
		break;
	case '/':
		top->typing = true;
		break;
	case SCREEN_ENTER:
		top->processes = !top->processes && top->table.count;
		top->moves = top->contents.moves;
		top->first_process = 0;
		if (top->processes)
			top->content = top->table.rows[top->selected];
		break;
	case SCREEN_ESCAPE:
		top->processes = false;
		break;
	default:
		move_by_key(top, key);
	}
}

/* Whether there were any. */
static bool take_keys(struct top *top)
{
	bool any = false;
	int key;

	while ((key = screen_key()) != SCREEN_NO_KEY) {
		any = true;
		if (top->typing)
			type(top, key);
		else
			press(top, key);
	}
	return any;
}

/* ------------------------------------------------------------------ loop -- */

static void end_interval(struct top *top, uint64_t now)
{
	double seconds = (double)(now - top->last_tick) / SECOND;

	contents_tick(&top->contents, seconds);
	top->rate = (double)top->mappings / seconds;
	top->mappings = 0;
	top->last_tick = now;
}

static bool update(struct top *top)
{
	top->table.now = clock_ns(CLOCK_MONOTONIC);
	if (table_update(&top->table))
		return true;
	out_error(&top->out, "top", "out of memory");
	top->failed = true;
	return false;
}

static int time_left(const struct top *top, uint64_t now)
{
	uint64_t end = MIN(top->last_tick + top->interval * SECOND,
			   top->last_snapshot + SNAPSHOT_S * SECOND);
	int left = now >= end ? 0 : (int)((end - now) / 1000000) + 1;
	int next = buildid_recorder_timeout(top->recorder);

	return next >= 0 && next < left ? next : left;
}

static void wait_for_more(struct top *top, int signals)
{
	struct pollfd polls[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = buildid_fd(buildid_recorder_handle(top->recorder)), .events = POLLIN },
		{ .fd = top->batch ? -1 : STDIN_FILENO, .events = POLLIN },
		/* no event asked for: POLLERR comes when the reader is gone */
		{ .fd = STDOUT_FILENO },
	};

	poll(polls, ARRAY_SIZE(polls), time_left(top, clock_ns(CLOCK_MONOTONIC)));
	if (polls[2].revents & (POLLHUP | POLLERR) || polls[3].revents & POLLERR)
		top->end = true;
	if (polls[0].revents & POLLIN)
		switch (signals_read(signals)) {
		case SIGINT:
		case SIGTERM:
		case SIGHUP:
			top->end = true;
		}
}

static void watch(struct top *top, int signals)
{
	bool changed = !top->batch;

	while (!top->end && !top->failed) {
		uint64_t now;

		take_events(top);
		now = clock_ns(CLOCK_MONOTONIC);
		if (now >= top->last_tick + top->interval * SECOND) {
			end_interval(top, now);
			changed = true;
		}
		if (now >= top->last_snapshot + SNAPSHOT_S * SECOND &&
		    !buildid_recorder_snapshotting(top->recorder))
			begin_snapshot(top);
		if (!top->batch && take_keys(top))
			changed = true;
		if (changed && !update(top))
			break;
		if (changed && top->batch && top->contents.is_complete)
			print_batch(top);
		if (changed && !top->batch)
			draw(top);
		changed = !top->batch && changed && look_up_some(top);
		if (!changed && !top->end)
			wait_for_more(top, signals);
	}
}

static bool open_recorder(struct top *top)
{
	struct buildid_options options = {
		.size = sizeof(options),
		.flags = BUILDID_SUB_TASKS,
		.ring_size = top->ring_size,
	};
	const struct buildid_recorder_options recorder = {
		.size = sizeof(recorder),
		.flags = BUILDID_RECORDER_SNAPSHOT,
		.subscribe = &options,
	};
	int err;

	if (!filter_set_options(&top->filter, &top->out, &options))
		return false;
	err = buildid_recorder_new(&top->recorder, &recorder);
	filter_close_options(&options);
	if (err)
		module_error(&top->out, BUILDID_DEVICE, err, NULL);
	else
		module_warn(buildid_recorder_handle(top->recorder));
	return !err;
}

static void top_run(struct top *top)
{
	struct reason reason;
	int signals;

	top->started = top->last_tick = top->last_snapshot = clock_ns(CLOCK_MONOTONIC);
	contents_snapshot_begin(&top->contents);
	if (!top->batch && !screen_open(&reason)) {
		out_error(&top->out, "top", "%s; --batch prints tables", reason.text);
		top->failed = true;
		return;
	}
	signals = signals_open_with(&(const int){ SIGHUP }, 1);
	if (signals >= 0) {
		watch(top, signals);
		signals_close(signals);
	}
	if (!top->batch)
		screen_close();
	if (signals < 0) {
		out_error(&top->out, "top", "%s", strerror(-signals));
		top->failed = true;
	}
}

static const char *parse_interval(void *to, const char *text)
{
	uint64_t *interval = to;

	return args_number(text, interval) && *interval && *interval <= INTERVAL_MAX ?
		       NULL :
		       "not a number of seconds from 1 to 3600";
}

static const char *parse_count(void *to, const char *text)
{
	return args_number(text, to) && *(uint64_t *)to ? NULL : "not a positive number";
}

int cmd_top(int argc, char **argv)
{
	struct top top = { .interval = INTERVAL_DEFAULT };
	const struct args_option options[] = {
		OPTION_PID(&top.filter),
		OPTION_CHILDREN(&top.filter),
		OPTION_UID(&top.filter),
		OPTION_CGROUP(&top.filter),
		{ "interval", 0, "SECONDS", "between updates, 1 to 3600 (2)",
		  .parse = parse_interval, .to = &top.interval },
		{ "batch", 'b', NULL, "print tables, also on a terminal", .flag = &top.batch },
		{ "count", 0, "N", "stop after N tables", .parse = parse_count, .to = &top.count },
		OPTION_RING_SIZE(&top.ring_size),
		{},
	};
	const struct args args = {
		.command = "top", .help = help, .options = options, .out = &top.out
	};

	args_parse(&args, argc, argv);
	option_check_filter(&top.filter);
	if (top.out.json || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		top.batch = true;
	if (top.count && !top.batch)
		args_error("--count", "only together with --batch");
	top.table.contents = &top.contents;
	top.table.packages = mapped_packages_new();
	if (!top.table.packages || !contents_init(&top.contents)) {
		out_error(&top.out, "top", "out of memory");
		return EXIT_FAILURE;
	}
	if (open_recorder(&top))
		top_run(&top);
	else
		top.failed = true;
	buildid_recorder_free(top.recorder);
	table_free(&top.table);
	contents_free(&top.contents);
	mapped_packages_free(top.table.packages);
	return top.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
