// SPDX-License-Identifier: GPL-2.0
/*
 * buildid mon: watch mappings as they are made, or read them from a log.
 *
 * The line of a mapping whose file is still being read waits for that, so that lines are
 * whole. Signals and a reader that has gone away are polled for together with the input. A
 * listener of netlink does not keep the module loaded: when it goes, there is no input until
 * it is there again.
 */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "common/arguments.h"
#include "common/array.h"
#include "common/hash_map.h"
#include "common/signals.h"
#include "commands/filter.h"
#include "input.h"
#include "commands/mapped_package.h"
#include "mon_page.h"
#include "news.h"
#include "commands/open_source.h"
#include "commands/options.h"
#include "commands/page/page.h"
#include "commands/print.h"
#include "commands/waiting.h"

static const char help[] =
	"Watch executable file mappings as they are made, each with the identity of its "
	"content: pid, name of the thread, address, protection, identity, path. buildid-mon is "
	"another name of this command.\v"
	"Needs CAP_PERFMON or CAP_SYS_ADMIN. Ends by SIGINT, SIGTERM or SIGHUP, with a summary "
	"on standard error. On a terminal lines fit its width. What --pid, --uid and --cgroup "
	"exclude is never sent by the module; losses are counted exactly. The line of a mapping "
	"whose file is still being read comes after that, or after a second, and others before it.";

static const char examples[] = "buildid mon -t --changes\n"
			       "buildid mon -p $(pidof nginx) -j\n";

/* Records to read before signals are checked again. */
#define BATCH 512

/* A terminal that is to have more lines than headers. */
#define ROWS_LEAST 8

/* How often to look for the module. */
#define MODULE_MS 500

/* For the summary. */
#define SHOWN_FILES_MAX (1 << 20)

struct mon {
	struct output out;
	struct input *input; /* NULL while the module is not loaded */
	struct waiting *waiting;
	struct filter filter;
	enum source_kind kind;
	struct print_view view;
	bool time;
	bool full;
	bool terminal; /* text, and somebody looks at it */
	bool changes;
	bool data;
	bool kernel;
	bool tasks;
	bool netlink;
	uint32_t ring_size;
	const char *log;
	const char *html;
	FILE *html_file;	       /* open from the beginning, as the end may be far */
	struct mon_timeline *timeline; /* NULL without --html */
	uint64_t count;		       /* 0 for no end */

	struct news *news;		  /* NULL without --changes */
	struct mapped_packages *packages; /* NULL with --log, too */
	int header_in;			  /* lines until the header is gone from the terminal */

	uint64_t shown;
	struct hash_map shown_files; /* of file_ids */
	struct buildid_lost lost;
	bool broken; /* nobody reads the output */
	bool end;
	bool failed;
	bool overfull;	   /* the present alone, or a log, is too much to compare */
	bool input_failed; /* reported after what came before it */
};

static bool enough(const struct mon *mon)
{
	return mon->broken || (mon->count && mon->shown == mon->count);
}

static bool done(const struct mon *mon)
{
	return mon->end || mon->failed || enough(mon);
}

/* A reader that has closed the pipe is no failure. */
static void stop_showing(struct mon *mon, int error)
{
	mon->broken = true;
	clearerr(stdout);
	if (error == EPIPE)
		return;
	fprintf(stderr, "buildid: standard output: %s\n", strerror(error));
	mon->failed = true;
}

static bool is_shown(struct mon *mon, const struct buildid_event *event)
{
	const struct buildid_cookie *cookie = (const void *)event->record;
	const struct buildid_task *task = (const void *)event->record;
	const struct buildid_mmap *mmap = (const void *)event->record;

	switch (event->record->type) {
	case BUILDID_RECORD_MMAP:
		return filter_matches(&mon->filter, mmap->pid, (const char *)mmap->comm,
				      print_path(event));
	case BUILDID_RECORD_COOKIE:
		return filter_matches(&mon->filter, cookie->pid, (const char *)cookie->comm, "");
	case BUILDID_RECORD_KERNEL:
	case BUILDID_RECORD_MODULE:
		return mon->kernel;
	case BUILDID_RECORD_FORK:
	case BUILDID_RECORD_EXEC:
	case BUILDID_RECORD_EXIT:
	case BUILDID_RECORD_COMM:
		return filter_matches(&mon->filter, task->pid, (const char *)task->comm, "");
	default:
		return true;
	}
}

static void count_mapping(struct mon *mon, const struct buildid_mmap *mmap)
{
	mon->shown++;
	if (mmap->file_id && mon->shown_files.count < SHOWN_FILES_MAX)
		hash_map_set(&mon->shown_files, mmap->file_id, 1);
}

static void count_lost(struct buildid_lost *sum, const struct buildid_lost *lost)
{
	sum->ring_full += lost->ring_full;
	sum->ring_full_mmaps += lost->ring_full_mmaps;
	sum->unresolved += lost->unresolved;
	sum->missed_probe += lost->missed_probe;
}

static void put_header(struct mon *mon, int rows)
{
	if (!mon->out.width || mon->header_in-- > 0)
		return;
	print_header(&mon->out, &mon->view);
	mon->header_in = rows < ROWS_LEAST ? INT_MAX : rows - 2;
}

/* The terminal may have another size by now. */
static void fit(struct mon *mon)
{
	int before = mon->out.width, rows = 0;

	if (mon->terminal)
		rows = out_fit(&mon->out, mon->full);
	if (mon->out.width != before)
		mon->header_in = 0;
	mon->view.layout = layout_of(mon->out.width, mon->time, mon->changes);
	put_header(mon, rows);
}

static void mon_show(struct mon *mon, const struct buildid_event *event)
{
	if (event->record->type == BUILDID_RECORD_LOST)
		count_lost(&mon->lost, (const void *)event->record);
	if (event->record->type == BUILDID_RECORD_MMAP)
		count_mapping(mon, (const void *)event->record);
	/* Of a log it is the page that is wanted. */
	if (mon->html && mon->log)
		return;
	fit(mon);
	print_event(&mon->out, event, &mon->view);
	if (ferror(stdout))
		stop_showing(mon, errno);
}

static bool is_task(const struct buildid_event *event)
{
	switch (event->record->type) {
	case BUILDID_RECORD_FORK:
	case BUILDID_RECORD_EXEC:
	case BUILDID_RECORD_EXIT:
	case BUILDID_RECORD_COMM:
		return true;
	default:
		return false;
	}
}

static bool is_mapping(const struct buildid_event *event)
{
	return event->record->type == BUILDID_RECORD_MMAP ||
	       event->record->type == BUILDID_RECORD_COOKIE;
}

/* A log begins with what is no news. */
static bool is_news(struct mon *mon, const struct buildid_event *event)
{
	struct identity now;

	mon->view.news = news_judge(mon->news, event, &mon->view.former);
	if (mon->view.former && event->file) {
		now = print_identity_of(event->file);
		if (now.kind == mon->view.former->kind &&
		    build_id_equal(&now.id, &mon->view.former->id))
			mon->view.note = PRINT_SAME_ID;
	}
	return mon->view.news && !(event->record->flags & BUILDID_RECORD_SNAPSHOT);
}

/* What a log is of may be gone, or on another machine. */
static const struct packages *packages_of(const struct mon *mon, const struct buildid_event *event)
{
	if (!mon->packages || !event->file || event->record->type != BUILDID_RECORD_MMAP)
		return NULL;
	mapped_packages_make_room(mon->packages);
	return mapped_packages_find(mon->packages, (const void *)event->record, event->file);
}

/* A task has no path; that of a process which is not wanted ends nothing that is. */
static void keep_for_page(struct mon *mon, const struct buildid_event *event)
{
	if (is_shown(mon, event) || is_task(event))
		mon_timeline_take(mon->timeline, event,
				  input_real(mon->input, event->record->time_mono));
}

static void mon_handle(struct mon *mon, const struct buildid_event *event)
{
	bool judged = mon->news && is_mapping(event);

	if (mon->timeline)
		keep_for_page(mon, event);
	/* Of a stream they are there for the page alone. */
	if (is_task(event) && !mon->tasks && !mon->log)
		return;
	mon->view.news = 0;
	mon->view.note = NULL;
	mon->view.former = NULL;
	if (judged && !is_news(mon, event))
		return;
	mon->view.real = input_real(mon->input, event->record->time_mono);
	if (!is_shown(mon, event))
		return;
	mon->view.packages = judged ? packages_of(mon, event) : NULL;
	mon_show(mon, event);
}

/* Nothing that was known is known any more, but what the present can tell. */
static void make_room(struct mon *mon)
{
	if (!mon->news || !news_is_full(mon->news) || mon->overfull)
		return;
	if (!mon->log) {
		fputs("buildid: more files than can be compared; forgetting those that are neither "
		      "mapped nor known to the module\n",
		      stderr);
		news_forget(mon->news);
		news_learn_present(mon->news, &mon->out);
	}
	mon->overfull = news_is_full(mon->news);
	if (mon->overfull)
		fputs("buildid: more files than can be compared; what is known may be shown as "
		      "news\n",
		      stderr);
}

static void drain(struct mon *mon, uint64_t now)
{
	const struct buildid_event *event;

	while (!enough(mon) && (event = waiting_next(mon->waiting, now)))
		mon_handle(mon, event);
	make_room(mon);
}

static void mon_push(struct mon *mon, const struct buildid_record *record)
{
	int err = waiting_push(mon->waiting, record);

	if (!err)
		return;
	out_error(&mon->out, "mon", "%s", buildid_strerror(err));
	mon->failed = true;
}

/* What perf cannot be asked for. */
static const char *option_of_device(const struct mon *mon)
{
	const struct {
		bool given;
		const char *name;
	} options[] = {
		{ mon->filter.children, "--children" }, { mon->filter.by_uid, "--uid" },
		{ mon->filter.cgroup, "--cgroup" },	{ mon->tasks, "--tasks" },
		{ mon->netlink, "--netlink" },		{ mon->ring_size, "--ring-size" },
		{ mon->kernel, "--with-kernel" },	{ mon->changes, "--changes" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].given)
			return options[i].name;
	return NULL;
}

static struct input *open_source(struct mon *mon, const struct buildid_options *options)
{
	enum source_kind kind = option_of_device(mon) ? SOURCE_MODULE : mon->kind;
	struct source *source = source_for(&mon->out, "mon", kind, NULL);

	return source ? input_source(&mon->out, source, options) : NULL;
}

static struct input *open_module(struct mon *mon)
{
	struct buildid_options options = {
		.size = sizeof(options),
		.flags = BUILDID_SUB_PATH | (mon->data ? BUILDID_SUB_DATA : 0) |
			 (mon->kernel ? BUILDID_SUB_KERNEL : 0) |
			 (mon->tasks || mon->html ? BUILDID_SUB_TASKS : 0),
		.ring_size = mon->ring_size,
	};
	struct input *input;

	if (!filter_set_options(&mon->filter, &mon->out, &options))
		return NULL;
	if (mon->netlink)
		input = input_netlink(&mon->out, &options);
	else
		input = open_source(mon, &options);
	filter_close_options(&options);
	return input;
}

/* Its file_ids start over when it is loaded again. */
static void leave_module(struct mon *mon)
{
	drain(mon, WAITING_END);
	waiting_free(mon->waiting);
	mon->waiting = NULL;
	input_close(mon->input);
	mon->input = NULL;
	fputs("buildid: the module was unloaded; waiting for it\n", stderr);
}

static void find_module(struct mon *mon)
{
	if (!input_netlink_exists())
		return;
	mon->waiting = waiting_new(BUILDID_SUB_PATH);
	if (mon->waiting)
		mon->input = open_module(mon);
	mon->failed = !mon->input;
	if (mon->input)
		fputs("buildid: the module is loaded again\n", stderr);
}

/* As many as there are now; false when there is no need to wait for more. */
static bool read_records(struct mon *mon)
{
	const struct buildid_record *record;
	int batch;

	for (batch = 0; batch < BATCH && !done(mon); batch++) {
		switch (input_next(mon->input, &record)) {
		case 0:
			mon_push(mon, record);
			drain(mon, input_now(mon->input));
			continue;
		case -EAGAIN:
			return true;
		case -ENODATA:
			mon->end = true;
			return false;
		case -ENODEV:
			leave_module(mon);
			return true;
		default:
			mon->failed = true;
			mon->input_failed = true;
			return false;
		}
	}
	return false;
}

static void wait_for_more(struct mon *mon, int signals, bool idle)
{
	struct pollfd polls[] = {
		{ .fd = signals, .events = POLLIN },
		/* No event asked for: POLLERR comes when the reader is gone. */
		{ .fd = STDOUT_FILENO },
		{ .fd = mon->input ? input_fd(mon->input) : -1, .events = POLLIN },
	};
	int timeout = mon->input ? 0 : MODULE_MS;

	if (mon->input && idle)
		timeout = waiting_timeout(mon->waiting, input_now(mon->input));
	if (poll(polls, ARRAY_SIZE(polls), timeout) <= 0)
		return;
	if (polls[1].revents & POLLERR)
		mon->broken = true;
	if (!(polls[0].revents & POLLIN))
		return;
	switch (signals_read(signals)) {
	case SIGINT:
	case SIGTERM:
	case SIGHUP:
		mon->end = true;
		break;
	}
}

/* "buildid: 12 mappings of 3 files; lost 4 records, 1 of mappings (ring full)" */
static void put_summary(const struct mon *mon)
{
	size_t files = mon->shown_files.count;
	char lost[256];

	print_lost_text(&mon->lost, lost);
	fprintf(stderr, "buildid: %" PRIu64 " mapping%s of %s%zu file%s; %s\n", mon->shown,
		mon->shown == 1 ? "" : "s", files == SHOWN_FILES_MAX ? "more than " : "", files,
		files == 1 ? "" : "s", strcmp(lost, "lost") ? lost : "nothing lost");
	if (mon->input && !input_losses_known(mon->input))
		fputs("buildid: whether records were lost at the end is not known\n", stderr);
	if (mon->news && news_unsure(mon->news))
		fprintf(stderr,
			"buildid: %zu files were replaced by others with the same identity and size, "
			"and could not be compared with them\n",
			news_unsure(mon->news));
}

/* Records of perf's come late. What was lost counts also where enough was shown. */
static void read_rest(struct mon *mon)
{
	const struct buildid_record *record;

	input_stop(mon->input);
	while (!mon->failed && !mon->broken && !input_next(mon->input, &record)) {
		if (!enough(mon)) {
			mon_push(mon, record);
			drain(mon, input_now(mon->input));
		} else if (record->type == BUILDID_RECORD_LOST) {
			count_lost(&mon->lost, (const void *)record);
		}
	}
}

static void put_page(struct mon *mon)
{
	const struct mon_page page = {
		.timeline = mon->timeline,
		.input = mon->log,
		.lost = &mon->lost,
		.broken = mon->input_failed ? input_log_error(mon->input) : NULL,
		.failed = mon->input_failed,
	};

	mon_timeline_finish(mon->timeline,
			    mon->input && !enough(mon) ? input_ended(mon->input) : 0);
	mon->failed |= !mon_page_write(&page, mon->html_file, mon->html, &mon->out);
	mon->html_file = NULL;
}

static void mon_watch(struct mon *mon, int signals)
{
	fit(mon);
	while (!done(mon)) {
		bool idle = mon->input && read_records(mon);

		if (mon->input)
			drain(mon, input_now(mon->input));
		else
			find_module(mon);
		if (!done(mon))
			wait_for_more(mon, signals, idle);
	}

	/* For what still waits no more can come. */
	if (mon->input && !mon->input_failed)
		read_rest(mon);
	if (mon->input)
		drain(mon, WAITING_END);
	fflush(stdout);
	if (mon->input_failed)
		input_report_error(mon->input);
	put_summary(mon);
	if (mon->timeline)
		put_page(mon);
}

static bool open_input(struct mon *mon)
{
	if (mon->log)
		mon->input = input_log(&mon->out, mon->log);
	else
		mon->input = open_module(mon);
	/* What is news is told by versions of inodes. */
	if (mon->input && mon->log && mon->changes && mon->out.source) {
		out_error(&mon->out, "--changes",
			  "not of a log that was recorded without the module");
		return false;
	}
	if (mon->input && mon->html)
		mon->html_file = page_open(mon->html, &mon->out);
	return mon->input && (!mon->html || mon->html_file);
}

static int mon_run(struct mon *mon)
{
	int signals;

	mon->terminal = !mon->out.json && isatty(STDOUT_FILENO);
	/* A log is read at once; what happens now is shown as it happens. */
	if (!mon->log)
		setvbuf(stdout, NULL, _IOLBF, 0);

	if (mon->changes)
		mon->news = news_new(NEWS_MAX);
	if (mon->changes && !mon->log)
		mon->packages = mapped_packages_new();
	/* A log is of a subscription without it. */
	mon->waiting = waiting_new(mon->log ? 0 : BUILDID_SUB_PATH);
	if (mon->html)
		mon->timeline = mon_timeline_new(MON_TIMELINE_MAX);
	if (!mon->waiting || (mon->changes && !mon->news) || (mon->html && !mon->timeline) ||
	    (mon->changes && !mon->log && !mon->packages)) {
		out_error(&mon->out, "mon", "out of memory");
		return EXIT_FAILURE;
	}
	if (!open_input(mon)) {
		input_close(mon->input);
		waiting_free(mon->waiting);
		news_free(mon->news);
		mapped_packages_free(mon->packages);
		mon_timeline_free(mon->timeline);
		return EXIT_FAILURE;
	}
	if (mon->news && !mon->log) {
		news_compare(mon->news);
		news_learn_present(mon->news, &mon->out);
	}
	signals = signals_open_with(&(const int){ SIGHUP }, 1);
	if (signals < 0) {
		out_error(&mon->out, "mon", "%s", strerror(-signals));
		mon->failed = true;
	} else {
		mon_watch(mon, signals);
		signals_close(signals);
	}
	if (mon->html_file)
		fclose(mon->html_file);
	input_close(mon->input);
	waiting_free(mon->waiting);
	news_free(mon->news);
	mapped_packages_free(mon->packages);
	mon_timeline_free(mon->timeline);
	hash_map_free(&mon->shown_files);
	return mon->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static const char *parse_count(void *count, const char *text)
{
	return args_number(text, count) && *(uint64_t *)count ? NULL : "not a positive number";
}

/* What only the module can be asked for. */
static const char *option_of_module(const struct mon *mon)
{
	if (mon->filter.children)
		return "--children";
	if (mon->filter.by_uid)
		return "--uid";
	if (mon->filter.cgroup)
		return "--cgroup";
	if (mon->tasks)
		return "--tasks";
	if (mon->netlink)
		return "--netlink";
	if (mon->ring_size)
		return "--ring-size";
	return mon->data ? "--data" : NULL;
}

static void mon_check(const struct mon *mon)
{
	const char *option = option_of_module(mon);

	option_check_filter(&mon->filter);
	if (mon->kind == SOURCE_PERF && option_of_device(mon))
		args_error(option_of_device(mon), "not together with --source=perf; it is for the "
						  "module");
	if (mon->log && option)
		args_error(option, "not together with --log; it is for the module");
	if (mon->netlink && mon->ring_size)
		args_error("--ring-size", "not together with --netlink");
}

int cmd_mon(int argc, char **argv)
{
	struct mon mon = {};
	const struct args_option options[] = {
		OPTION_PID(&mon.filter),
		OPTION_CHILDREN(&mon.filter),
		OPTION_UID(&mon.filter),
		OPTION_CGROUP(&mon.filter),
		{ "comm", 'c', "NAME", "only threads of this name", .string = &mon.filter.comm },
		{ "path", 0, "GLOB", "only files whose path matches; * also matches /",
		  .string = &mon.filter.path },
		{ "count", 0, "N", "stop after N mappings", .parse = parse_count,
		  .to = &mon.count },
		OPTION_DATA(&mon.data),
		{ "with-kernel", 0, NULL,
		  "the kernel and its modules, too: first those that are loaded, then each as it is "
		  "loaded or unloaded",
		  .flag = &mon.kernel },
		{ "tasks", 0, NULL, "processes that fork, exec and exit, too", .flag = &mon.tasks },
		{ "changes", 0, NULL,
		  "only what is news: a path with another content than before, a content not seen "
		  "before, a deleted file, a memfd, a file that is open for writing",
		  .flag = &mon.changes },
		{ "time", 't', NULL, "begin each line with the time of day", .flag = &mon.time },
		{ "html", 0, "FILE",
		  "at the end, write a page of which process had which content when; of a LOG "
		  "nothing else",
		  .string = &mon.html },
		OPTION_FULL(&mon.full),
		OPTION_LOG(&mon.log),
		OPTION("input", 'i', "LOG", "the same, as every command has it for what it reads",
		       .string = &mon.log),
		OPTION_RING_SIZE(&mon.ring_size),
		OPTION_SOURCE(&mon.kind),
		{ "netlink", 0, NULL, "by generic netlink in place of the device",
		  .flag = &mon.netlink },
		{},
	};
	const struct args args = { .command = "mon",
				   .operands = "[LOG]",
				   .max_operands = 1,
				   .help = help,
				   .examples = examples,
				   .options = options,
				   .out = &mon.out };

	option_recorded(args_parse(&args, argc, argv), NULL, &mon.log);
	mon_check(&mon);
	return mon_run(&mon);
}
