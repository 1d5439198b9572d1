// SPDX-License-Identifier: GPL-2.0
/* buildid annotate: give each mapping in a perf.data the id of its content. */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "annotate.h"
#include "commands.h"
#include "common/arguments.h"
#include "common/signals.h"
#include "content/kernel_modules.h"
#include "content/vdso.h"
#include "identities/boot.h"
#include "identities/cache_query.h"
#include "identities/identities.h"
#include "identities/log.h"
#include "perfdata/rewrite.h"

static const char help[] =
	"usage: buildid annotate [--log LOG] [-o OUT] [perf.data]\n"
	"\n"
	"Rewrite a perf.data so that each mapping carries the build-id of what was mapped\n"
	"then, which perf report and perf script go by. It is replaced once the new one is\n"
	"on the disk, or else left as it was.\n"
	"\n"
	"  -l, --log LOG     of buildid record, running since before perf record did; else\n"
	"                    what the module still remembers counts, of what was recorded\n"
	"                    here and since the machine was booted\n"
	"  -o, --output OUT  write it there; - is standard output\n"
	"  -h, --help        this text\n"
	"\n"
	"The perf.data is \"perf.data\" if not given; - is standard input, annotated to\n"
	"standard output at its end. All mappings of a path get an id, or none does, as\n"
	"perf would mix them up: such paths are told.\n";

struct annotator {
	struct output *out;
	const char *name;
	const struct annotation *annotation;
	struct perfdata *data;
	struct identities *identities;
	struct cache_query *query;
	uint64_t begin;
	uint64_t text;	      /* where it was in the kernel; 0: not known */
	bool here;	      /* recorded in this boot */
	struct build_id vdso; /* that boot's, or none */
	bool progress;
	int signals;				     /* -1 for none yet */
	int stopped;				     /* by that signal */
	struct perfdata_module_event *module_events; /* with the paths perf would give them */
	char **paths;				     /* those of which there are some */
	size_t nr_module_events;
};

/* --------------------------------------------------------------- identities -- */

static void identify_vdso(const struct annotator *annotator, struct perfdata_identity *identity)
{
	identity->reason = "of another boot of the machine";
	if (annotator->vdso.size > PERFDATA_ID_MAX)
		return;
	identity->id = annotator->vdso;
}

static void identify(void *context, const struct perfdata_mapping *mapping,
		     struct perfdata_identity *identity)
{
	struct annotator *annotator = context;

	if (mapping->kind == PERFDATA_KIND_VDSO) {
		identify_vdso(annotator, identity);
		return;
	}
	identities_find(annotator->identities, mapping, identity);
	if (!identity->id.size && !identity->known && mapping->kind == PERFDATA_KIND_MODULE &&
	    !annotator->annotation->log)
		identity->reason = "it may have been loaded since, which only a log can tell";
	if (!identity->id.size && !identity->known && annotator->query &&
	    mapping->kind == PERFDATA_KIND_USER)
		cache_query_find(annotator->query, mapping,
				 mapping->time ? mapping->time : annotator->begin, identity);
}

static void complain(void *context, const char *path, const char *reason)
{
	struct annotator *annotator = context;

	out_error(annotator->out, path, "left alone: %s", reason);
}

/* A signal ends it here, so that nothing half done is left. */
static bool show_progress(void *context, uint64_t done, uint64_t total)
{
	struct annotator *annotator = context;
	int number;

	if (annotator->progress)
		fprintf(stderr, "\rbuildid: %s: %3u %%\r", annotator->name,
			(unsigned int)(total ? done * 100 / total : 100));
	while ((number = signals_read(annotator->signals)))
		if (number == SIGINT || number == SIGTERM)
			annotator->stopped = number;
	return !annotator->stopped;
}

/* ------------------------------------------------------------------- begin -- */

static bool tell(struct annotator *annotator, const char *object, const char *problem)
{
	out_error(annotator->out, object, "%s", problem);
	return false;
}

/* perf made up what was there before it saw the first thing happen. */
static bool find_begin(struct annotator *annotator)
{
	return !perfdata_begin(annotator->data, &annotator->begin, &annotator->text);
}

/* The kernel is elsewhere in each boot. */
static bool is_of_this_kernel(const struct annotator *annotator)
{
	uint64_t text = identities_text(annotator->identities);

	return !text || !annotator->text || text == annotator->text;
}

/* Where a process, or an inode, of that number was another. NULL: it is of here. */
static const char *why_not_here(const struct annotator *annotator)
{
	char host[PERFDATA_HOST_MAX];
	struct utsname here;

	if (!is_of_this_kernel(annotator))
		return "of another machine, or another boot of it: give a --log";
	if (perfdata_host(annotator->data, host))
		return perfdata_error(annotator->data);
	if (*host && !uname(&here) && strcmp(host, here.nodename))
		return "of a machine of another name: give a --log";
	return NULL;
}

static bool read_records(struct annotator *annotator, struct log_reader *log)
{
	const struct buildid_record *record;
	const char *path = annotator->annotation->log;
	int answer;

	while ((answer = log_next(log, &record)) > 0)
		if (identities_add(annotator->identities, record))
			return tell(annotator, path, strerror(ENOMEM));
	/* One that was cut short is good as far as it goes. */
	if (answer < 0)
		out_error(annotator->out, path, "%s", log_error(log));
	if (identities_ended(annotator->identities, log_ended(log)))
		return tell(annotator, path, strerror(ENOMEM));
	return true;
}

static bool read_log(struct annotator *annotator)
{
	const char *path = annotator->annotation->log;
	struct log_reader *log = log_open(path);
	bool good;

	if (!log || log_error(log)) {
		tell(annotator, path, log ? log_error(log) : strerror(ENOMEM));
		good = false;
	} else {
		annotator->here = boot_is_now(log_header(log)->boot_id);
		good = read_records(annotator, log);
	}
	if (log)
		log_close(log);
	return good;
}

/* Without a log. */
static bool query_cache(struct annotator *annotator)
{
	enum perfdata_clock clock = perfdata_clock(annotator->data);
	const char *reason;

	if (clock != PERFDATA_CLOCK_PERF && clock != PERFDATA_CLOCK_MONO)
		return tell(annotator, annotator->name,
			    "its times are by none of the module's clocks: give a --log");
	if (!annotator->query)
		return tell(annotator, annotator->name,
			    "nobody to ask: give a --log, or load the module");
	cache_query_images(annotator->query, annotator->begin, annotator->identities);
	reason = why_not_here(annotator);
	return reason ? tell(annotator, annotator->name, reason) : true;
}

static bool gather(struct annotator *annotator)
{
	const struct annotation *annotation = annotator->annotation;
	enum perfdata_clock clock = perfdata_clock(annotator->data);

	annotator->identities = identities_new(clock);
	if (!annotator->identities)
		return tell(annotator, annotator->name, strerror(ENOMEM));
	if (annotation->log) {
		if (!read_log(annotator))
			return false;
		if (!is_of_this_kernel(annotator))
			return tell(annotator, annotation->log, "of another boot");
	} else if (perfdata_modified(annotator->data) <= boot_time()) {
		return tell(annotator, annotator->name,
			    "of before the machine was booted: give a --log");
	} else {
		annotator->here = true;
	}
	if (annotator->here) {
		annotator->query = cache_query_new(clock);
		vdso_build_id(&annotator->vdso);
	}
	if (!annotation->log && !query_cache(annotator))
		return false;
	if (identities_ready(annotator->identities, annotator->begin))
		return tell(annotator, annotator->name, strerror(ENOMEM));
	return true;
}

static void free_module_events(struct annotator *annotator)
{
	size_t i;

	for (i = 0; i < annotator->nr_module_events; i++)
		free(annotator->paths[i]);
	free(annotator->paths);
	free(annotator->module_events);
}

/* Named as perf names a module that is there from the beginning. */
static bool name_module_events(struct annotator *annotator, struct perfdata_annotator *to)
{
	const struct perfdata_module_event *module_events;
	size_t count = identities_module_events(annotator->identities, &module_events);
	size_t i;

	annotator->module_events = calloc(count + 1, sizeof(*module_events));
	annotator->paths = calloc(count + 1, sizeof(*annotator->paths));
	if (!annotator->module_events || !annotator->paths)
		return tell(annotator, annotator->name, strerror(ENOMEM));
	annotator->nr_module_events = count;
	for (i = 0; i < count; i++) {
		/* One of another content has a name of its own. */
		if (!strchr(module_events[i].path, '@'))
			annotator->paths[i] = module_file(module_events[i].path);
		annotator->module_events[i] = module_events[i];
		if (annotator->paths[i])
			annotator->module_events[i].path = annotator->paths[i];
	}
	to->module_events = annotator->module_events;
	to->nr_module_events = count;
	return true;
}

/* -------------------------------------------------------------------- write -- */

static void summarize(const struct annotator *annotator, const struct perfdata_counts *counts)
{
	const char *path = annotator->name;
	uint64_t lost = identities_lost(annotator->identities);

	fprintf(stderr,
		"buildid: %s: %" PRIu64 " mappings annotated, %" PRIu64
		" of files without a build-id, %" PRIu64 " left alone",
		path, counts->annotated, counts->without, counts->not_annotated);
	if (counts->paths)
		fprintf(stderr, ", of %" PRIu64 " paths", counts->paths);
	if (counts->module_events)
		fprintf(stderr, ", %" PRIu64 " modules put in", counts->module_events);
	if (counts->module_events_missing)
		fprintf(stderr, ", %" PRIu64 " modules without a place to put them",
			counts->module_events_missing);
	if (lost)
		fprintf(stderr, "; %" PRIu64 " records lost", lost);
	fputc('\n', stderr);
}

static bool write_it(struct annotator *annotator)
{
	struct perfdata_annotator to = {
		.context = annotator,
		.identify = identify,
		.progress = show_progress,
		.report = complain,
	};
	struct perfdata_counts counts;

	int signals = annotator->annotation->signals;
	bool good;

	if (!name_module_events(annotator, &to))
		return false;
	annotator->signals = signals < 0 ? signals_open() : signals;
	good = !perfdata_rewrite(annotator->data, annotator->annotation->output, &to, &counts);
	if (good)
		summarize(annotator, &counts);
	if (signals < 0)
		signals_close(annotator->signals);
	return good;
}

/* Who is behind it in the pipe is not to go without. */
static bool is_filter(const struct annotation *annotation)
{
	return !strcmp(annotation->path, "-") &&
	       (!annotation->output || !strcmp(annotation->output, "-"));
}

bool annotate(struct output *out, const struct annotation *annotation)
{
	struct annotator annotator = {
		.out = out,
		.annotation = annotation,
		.name = annotation->name	      ? annotation->name :
			strcmp(annotation->path, "-") ? annotation->path :
							"standard input",
		.progress = isatty(STDERR_FILENO),
	};
	bool good;

	annotator.data = perfdata_open(annotation->path);
	if (!annotator.data)
		return tell(&annotator, annotator.name, strerror(ENOMEM));
	good = !perfdata_error(annotator.data) && find_begin(&annotator) && gather(&annotator) &&
	       write_it(&annotator);
	if (perfdata_error(annotator.data))
		tell(&annotator, annotator.name, perfdata_error(annotator.data));
	if (!good && !annotator.stopped && is_filter(annotation))
		perfdata_copy(annotator.data, STDOUT_FILENO);

	cache_query_free(annotator.query);
	identities_free(annotator.identities);
	free_module_events(&annotator);
	perfdata_close(annotator.data);
	/* As who started it expects. */
	if (annotator.stopped && annotation->signals < 0)
		raise(annotator.stopped);
	return good;
}

/* ------------------------------------------------------------------ command -- */

static const struct option options[] = {
	{ "log", required_argument, NULL, 'l' },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

int cmd_annotate(int argc, char **argv)
{
	struct annotation annotation = { .path = "perf.data", .signals = -1 };
	struct output out;
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, "l:o:h", options, NULL)) != -1) {
		switch (option) {
		case 'l':
			annotation.log = optarg;
			break;
		case 'o':
			annotation.output = optarg;
			break;
		case 'h':
			return args_help(help);
		default:
			return args_usage(argv);
		}
	}
	if (optind + 1 < argc)
		return args_wrong(argv, argv[optind + 1], "one perf.data at a time");
	if (optind < argc)
		annotation.path = argv[optind];
	if (annotation.log && !strcmp(annotation.log, "-") && !strcmp(annotation.path, "-"))
		return args_wrong(argv, "-", "standard input is not both of them");

	out_init(&out, stdout, false);
	return annotate(&out, &annotation) ? EXIT_SUCCESS : EXIT_FAILURE;
}
