// SPDX-License-Identifier: GPL-2.0
/* buildid mon: watch mappings as they are made. */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "common/arguments.h"
#include "common/array.h"
#include "common/signals.h"
#include "filter.h"
#include "input.h"
#include "print.h"

static const char help[] =
	"usage: buildid mon [OPTIONS]\n"
	"       buildid-mon [OPTIONS]\n"
	"\n"
	"Watch executable file mappings as they are made, each with the identity of its\n"
	"content: pid, name of the thread, address, protection, identity, path.\n"
	"\n"
	"  -p, --pid PID[,PID]...  only these processes\n"
	"      --children          of these processes all descendants, too\n"
	"  -u, --uid USER          only processes of that real user, a name or a number\n"
	"      --cgroup DIRECTORY  only processes in or below that cgroup (v2)\n"
	"  -c, --comm NAME         only threads of that name\n"
	"      --path GLOB         only files whose path matches; * matches / as well\n"
	"      --count N           stop after N mappings\n"
	"      --data              mappings that are not executable, too\n"
	"  -k, --kernel            the kernel and its modules: those there first, then\n"
	"                          each as it is loaded or unloaded\n"
	"      --tasks             processes that fork, exec and exit, too\n"
	"  -t, --time              the time of day before each line\n"
	"  -i, --log LOG           what buildid record wrote, in place of what happens\n"
	"                          now; - for stdin\n"
	"      --netlink           by generic netlink in place of the device\n"
	"  -j, --json              one object per line\n"
	"  -h, --help              this text\n"
	"\n"
	"Needs CAP_PERFMON, or CAP_SYS_ADMIN. Mappings are filtered where they are made,\n"
	"and what is lost is counted exactly. Netlink has the same records for where there\n"
	"is no device; each costs a copy more.\n"
	"\n"
	"A mapping whose file is still being read is held back, and what follows with it,\n"
	"for a second at most. Ends by SIGINT or SIGTERM, with a summary on stderr.\n";

/* Records between two looks at signals. */
#define BATCH 512

struct mon {
	struct output out;
	struct input *source;
	struct buildid_files *files;
	struct filter filter;
	struct print_clock clock;
	bool data;
	bool kernel;
	bool tasks;
	bool netlink;
	const char *log;
	uint64_t count; /* 0 for no end */

	uint64_t shown;
	uint64_t lost;
	bool broken; /* nobody reads what is shown */
	bool end;
	bool failed;
	bool tell; /* by the source, why it failed */
};

static bool enough(const struct mon *mon)
{
	return mon->broken || (mon->count && mon->shown == mon->count);
}

static bool done(const struct mon *mon)
{
	return mon->end || mon->failed || enough(mon);
}

/* A reader that had enough is no failure. */
static void stop_showing(struct mon *mon, int error)
{
	mon->broken = true;
	clearerr(stdout);
	if (error == EPIPE)
		return;
	fprintf(stderr, "buildid: standard output: %s\n", strerror(error));
	mon->failed = true;
}

static bool is_wanted(struct mon *mon, const struct buildid_event *event)
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
		return filter_matches(&mon->filter, task->pid, (const char *)task->comm, "");
	default:
		return true;
	}
}

static void show(struct mon *mon, const struct buildid_event *event)
{
	const struct buildid_lost *lost = (const void *)event->record;

	if (!is_wanted(mon, event))
		return;
	if (event->record->type == BUILDID_RECORD_LOST)
		mon->lost += lost->ring_full_mmaps + lost->missed_probe;
	mon->shown += event->record->type == BUILDID_RECORD_MMAP;
	print_event(&mon->out, event, &mon->clock);
	if (ferror(stdout))
		stop_showing(mon, errno);
}

static void drain(struct mon *mon, uint64_t now)
{
	const struct buildid_event *event;

	while (!enough(mon) && (event = buildid_files_next(mon->files, now)))
		show(mon, event);
}

static void push(struct mon *mon, const struct buildid_record *record)
{
	int err = buildid_files_push(mon->files, record);

	if (!err)
		return;
	out_error(&mon->out, "mon", "%s", buildid_strerror(err));
	mon->failed = true;
}

/* As many as there are now; false when there is no need to wait for more. */
static bool take_records(struct mon *mon)
{
	const struct buildid_record *record;
	int batch;

	for (batch = 0; batch < BATCH && !done(mon); batch++) {
		switch (input_next(mon->source, &record)) {
		case 0:
			push(mon, record);
			drain(mon, input_now(mon->source));
			continue;
		case -EAGAIN:
			return true;
		case -ENODATA:
			mon->end = true;
			return false;
		default:
			mon->failed = true;
			mon->tell = true;
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
		{ .fd = input_fd(mon->source), .events = POLLIN },
	};
	int timeout = 0;

	if (idle)
		timeout = buildid_files_timeout(mon->files, input_now(mon->source));
	if (poll(polls, ARRAY_SIZE(polls), timeout) <= 0)
		return;
	if (polls[1].revents & POLLERR)
		mon->broken = true;
	if (!(polls[0].revents & POLLIN))
		return;
	switch (signals_read(signals)) {
	case SIGINT:
	case SIGTERM:
		mon->end = true;
		break;
	}
}

static void watch(struct mon *mon, int signals)
{
	while (!done(mon)) {
		bool idle = take_records(mon);

		drain(mon, input_now(mon->source));
		if (!done(mon))
			wait_for_more(mon, signals, idle);
	}

	/* What is still held back will know no more. */
	drain(mon, BUILDID_FILES_ALL);
	fflush(stdout);
	if (mon->tell)
		input_report_error(mon->source);
	fprintf(stderr, "buildid: %" PRIu64 " events, %" PRIu64 " lost\n", mon->shown, mon->lost);
}

static struct input *open_module(struct mon *mon)
{
	struct buildid_options options = {
		.size = sizeof(options),
		.flags = BUILDID_SUB_PATH | (mon->data ? BUILDID_SUB_DATA : 0) |
			 (mon->kernel ? BUILDID_SUB_KERNEL : 0) |
			 (mon->tasks ? BUILDID_SUB_TASKS : 0),
	};
	struct input *source;

	if (!filter_set_options(&mon->filter, &mon->out, &options))
		return NULL;
	source = mon->netlink ? input_netlink(&mon->out, &options) :
				input_device(&mon->out, &options);
	filter_close_options(&options);
	return source;
}

static bool open_input(struct mon *mon)
{
	if (mon->log)
		mon->source = input_log(&mon->out, mon->log);
	else
		mon->source = open_module(mon);
	return mon->source;
}

static int run(struct mon *mon)
{
	int signals;

	/* A log is read at once, what happens now is shown as it does. */
	if (!mon->log)
		setvbuf(stdout, NULL, _IOLBF, 0);

	if (buildid_files_new(&mon->files, NULL)) {
		out_error(&mon->out, "mon", "out of memory");
		return EXIT_FAILURE;
	}
	if (!open_input(mon)) {
		buildid_files_free(mon->files);
		return EXIT_FAILURE;
	}
	mon->clock.real = input_real(mon->source);
	signals = signals_open();
	if (signals < 0) {
		out_error(&mon->out, "mon", "%s", strerror(-signals));
		mon->failed = true;
	} else {
		watch(mon, signals);
		signals_close(signals);
	}
	input_close(mon->source);
	buildid_files_free(mon->files);
	return mon->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

enum {
	PATH = 256,
	COUNT,
	DATA,
	NETLINK,
	CHILDREN,
	CGROUP,
	TASKS
};

static const struct option options[] = {
	{ "pid", required_argument, NULL, 'p' },     { "children", no_argument, NULL, CHILDREN },
	{ "uid", required_argument, NULL, 'u' },     { "cgroup", required_argument, NULL, CGROUP },
	{ "comm", required_argument, NULL, 'c' },    { "path", required_argument, NULL, PATH },
	{ "count", required_argument, NULL, COUNT }, { "data", no_argument, NULL, DATA },
	{ "kernel", no_argument, NULL, 'k' },	     { "tasks", no_argument, NULL, TASKS },
	{ "time", no_argument, NULL, 't' },	     { "log", required_argument, NULL, 'i' },
	{ "netlink", no_argument, NULL, NETLINK },   { "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },	     { NULL, 0, NULL, 0 },
};

/* What only the module can be asked for. */
static const char *of_module(const struct mon *mon)
{
	if (mon->filter.children)
		return "--children";
	if (mon->filter.by_uid)
		return "--uid";
	if (mon->filter.cgroup)
		return "--cgroup";
	if (mon->tasks)
		return "--tasks";
	return mon->data ? "--data" : NULL;
}

/* -1 to go on, else what to exit with. */
static int check(const struct mon *mon, char **argv)
{
	const char *option = of_module(mon);
	const char *conflict = filter_conflict(&mon->filter);

	if (conflict)
		return args_wrong(argv, "--children", conflict);
	if (mon->log && mon->netlink)
		return args_wrong(argv, "--netlink", "not together with --log");
	if (mon->log && option)
		return args_wrong(argv, option, "a log has what buildid record was asked for");
	return -1;
}

/* -1 to go on, else what to exit with. */
static int parse(struct mon *mon, bool *json, int argc, char **argv)
{
	const char *wrong;
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, "p:u:c:kti:jh", options, NULL)) != -1) {
		switch (option) {
		case 'p':
			wrong = filter_add_pids(&mon->filter, optarg);
			if (wrong)
				return args_wrong(argv, optarg, wrong);
			break;
		case CHILDREN:
			mon->filter.children = true;
			break;
		case 'u':
			wrong = filter_set_uid(&mon->filter, optarg);
			if (wrong)
				return args_wrong(argv, optarg, wrong);
			break;
		case CGROUP:
			mon->filter.cgroup = optarg;
			break;
		case 'k':
			mon->kernel = true;
			break;
		case 'c':
			mon->filter.comm = optarg;
			break;
		case PATH:
			mon->filter.path = optarg;
			break;
		case COUNT:
			if (!args_number("--count", optarg, 1, UINT64_MAX, &mon->count))
				return args_usage(argv);
			break;
		case DATA:
			mon->data = true;
			break;
		case TASKS:
			mon->tasks = true;
			break;
		case 't':
			mon->clock.show = true;
			break;
		case 'i':
			mon->log = optarg;
			break;
		case NETLINK:
			mon->netlink = true;
			break;
		case 'j':
			*json = true;
			break;
		case 'h':
			return args_help(help);
		default:
			return args_usage(argv);
		}
	}
	if (optind < argc)
		return args_wrong(argv, argv[optind], "mon takes no argument");
	return check(mon, argv);
}

int cmd_mon(int argc, char **argv)
{
	struct mon mon = {};
	bool json = false;
	int status;

	status = parse(&mon, &json, argc, argv);
	if (status >= 0)
		return status;
	out_init(&mon.out, stdout, json);
	return run(&mon);
}
