// SPDX-License-Identifier: GPL-2.0
/*
 * buildid annotate: give each mapping in a perf.data the build-id of its content.
 *
 * What was mapped is known from a log of buildid record, and for a recording of this boot
 * also from the module, as far as it remembers. Whether the recording, the log and this
 * machine belong together is checked by the boot and by where the kernel was in memory: pids
 * and inodes of another boot would give wrong build-ids.
 */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "annotate.h"
#include "commands.h"
#include "common/arguments.h"
#include "common/progress.h"
#include "common/signals.h"
#include "content/kernel_modules.h"
#include "content/vdso.h"
#include "identities/boot.h"
#include "identities/cache_query.h"
#include "identities/identities.h"
#include "identities/jit_file.h"
#include "identities/log.h"
#include "identities/pid_map.h"
#include "identities/this_boot.h"
#include "options.h"
#include "perfdata/rewrite.h"

static const char help[] =
	"Rewrite a perf.data so that each mapping carries the build-id of what was mapped then, "
	"by which perf report and perf script find symbols. The perf.data is perf.data unless "
	"it is given; it is replaced once the new one is on the disk, or left as it was. "
	"A PERF_DATA of - is standard input, annotated to standard output at its end.\v"
	"The log should have been running since before perf record was. Without one only what "
	"the module still remembers counts, for what was recorded on this machine since it was "
	"booted, and the build-ids that perf record --buildid-mmap has recorded itself, for "
	"which neither log nor module is needed.\n\n"
	"Of several contents of one path the first keeps it, and each further one is called "
	"PATH@ID, with the first eight digits of its build-id or all of them where another has the "
	"same eight, as perf report compares names alone. Where that cannot be, either all mappings of a path get a build-id or none does. "
	"What is not annotated is reported.";

static const char examples[] = "buildid annotate perf.data build.log\n"
			       "buildid annotate -i perf.data -o named.data\n";

#define GIVE_LOG     "; give a log with --log"
#define EARLIER_BOOT "recorded in an earlier boot" GIVE_LOG
/* FAT's mtime is in steps of two seconds. */
#define MTIME_GRAIN 3000000000ULL

struct annotator {
	struct output *out;
	const char *name;
	const struct annotation *annotation;
	struct perfdata *data;
	struct identities *identities;
	struct cache_query *query;
	struct pid_map *pids; /* or NULL: they are those of the log */
	uint64_t begin;
	bool timed;	/* its times are by a clock of the log, or can be converted */
	bool converted; /* its times, by @clock, as perf record -k had another */
	struct mono_clock clock;
	uint64_t text;	      /* address of the kernel's _text; 0: not known */
	bool here;	      /* recorded in this boot */
	struct build_id vdso; /* of that boot, or none */
	const char *blind;    /* why nothing is known but what perf has recorded; or NULL */
	bool cut_short;	      /* the log */
	bool incomplete;
	int signals;				     /* -1: none yet */
	int stopped;				     /* by this signal */
	struct perfdata_module_event *module_events; /* with the paths perf would give them */
	char **paths;				     /* of these, or NULL */
	size_t nr_module_events;
};

/* --------------------------------------------------------------- identities -- */

static void identify_vdso(const struct annotator *annotator, struct perfdata_identity *identity)
{
	identity->reason = "from another boot";
	if (annotator->vdso.size > PERFDATA_ID_MAX)
		return;
	identity->id = annotator->vdso;
}

static enum perfdata_clock query_clock(const struct annotator *annotator)
{
	return perfdata_clock(annotator->data) == PERFDATA_CLOCK_PERF ? PERFDATA_CLOCK_PERF :
									PERFDATA_CLOCK_MONO;
}

/* For the module: no later than that was. */
static uint64_t query_time(const struct annotator *annotator, uint64_t time)
{
	uint64_t converted, slack;

	if (!annotator->converted)
		return time;
	converted = mono_clock_convert(&annotator->clock, time, &slack);
	return converted > slack ? converted - slack : 1;
}

static void find_in_log(const struct annotator *annotator, const struct perfdata_mapping *mapping,
			struct perfdata_identity *identity)
{
	struct perfdata_mapping logged = *mapping;

	if (annotator->pids && mapping->kind == PERFDATA_KIND_USER)
		logged.pid = pid_map_get(annotator->pids, mapping->pid);
	identities_find(annotator->identities, &logged, identity);
}

static void find_recorded(const struct annotator *annotator, const struct perfdata_mapping *mapping,
			  struct perfdata_identity *identity)
{
	if (annotator->blind) {
		identity->reason = annotator->blind;
		return;
	}
	if (mapping->kind == PERFDATA_KIND_VDSO) {
		identify_vdso(annotator, identity);
		return;
	}
	find_in_log(annotator, mapping, identity);
	if (!identity->id.size && !identity->known && mapping->kind == PERFDATA_KIND_MODULE &&
	    !annotator->annotation->log)
		identity->reason =
			"may have been loaded after the recording, which only a log can show";
	if (!identity->id.size && !identity->known && annotator->query &&
	    mapping->kind == PERFDATA_KIND_USER)
		cache_query_find(annotator->query, mapping,
				 query_time(annotator,
					    mapping->time ? mapping->time : annotator->begin),
				 identity);
}

static void annotate_identify(void *context, const struct perfdata_mapping *mapping,
			      struct perfdata_identity *identity)
{
	const struct annotator *annotator = context;
	struct stat data;

	find_recorded(annotator, mapping, identity);
	if (!identity->id.size && !identity->known && jit_file_is(mapping) &&
	    perfdata_stat(annotator->data, &data))
		jit_file_id(mapping, &data, &identity->id, &identity->reason);
}

static void report_path(void *context, const char *path, uint64_t missing, uint64_t all,
			const char *reason)
{
	struct annotator *annotator = context;

	if (missing == all)
		out_error(annotator->out, path, "not annotated: %s", reason);
	else
		out_error(annotator->out, path,
			  "%" PRIu64 " of %" PRIu64 " mappings not annotated: %s", missing, all,
			  reason);
}

/* Here a signal ends the rewriting, so that nothing half done is left. */
static bool show_progress(void *context, uint64_t done, uint64_t total)
{
	struct annotator *annotator = context;
	int number;

	progress_show(annotator->name, done, total, "bytes");
	while ((number = signals_read(annotator->signals)))
		if (number == SIGINT || number == SIGTERM)
			annotator->stopped = number;
	return !annotator->stopped;
}

/* ------------------------------------------------------------------- begin -- */

static bool annotate_report(struct annotator *annotator, const char *object, const char *problem)
{
	out_error(annotator->out, object, "%s", problem);
	return false;
}

/* perf synthesizes the mappings that exist before the first event it sees. */
static bool find_begin(struct annotator *annotator)
{
	return !perfdata_begin(annotator->data, &annotator->begin, &annotator->text);
}

/* KASLR: the kernel is at another address in each boot. */
static bool is_same_boot(const struct annotator *annotator)
{
	uint64_t text = identities_text(annotator->identities);

	return !text || !annotator->text || text == annotator->text;
}

/* NULL when pids and inodes mean here what they meant when it was recorded. */
static const char *why_not_here(const struct annotator *annotator)
{
	char host[PERFDATA_HOST_MAX];
	struct utsname here;

	if (!is_same_boot(annotator))
		return "recorded on another machine or in another boot" GIVE_LOG;
	if (perfdata_host(annotator->data, host))
		return perfdata_error(annotator->data);
	if (*host && !uname(&here) && strcmp(host, here.nodename))
		return "recorded on a machine of another name" GIVE_LOG;
	/* A clone has that name as well. */
	if ((!annotator->text || !identities_text(annotator->identities)) &&
	    !this_boot_has(annotator->data, cache_query_handle(annotator->query),
			   annotator->converted ? &annotator->clock : NULL))
		return "nothing shows that it was recorded here: it does not say where the kernel "
		       "was, and its processes are gone, also from what the module remembers" GIVE_LOG;
	return NULL;
}

/*
 * Events come after perf has read its clock as @time, and not later than it has written them. Else
 * it was in a time namespace, where that clock is not the one of events.
 */
static bool is_of_events(const struct annotator *annotator, uint64_t real, uint64_t time)
{
	uint64_t begin = annotator->begin, modified = perfdata_modified(annotator->data);

	if (begin < time)
		return !begin || time - begin <= MONO_CLOCK_BETWEEN;
	return modified < real || begin - time <= modified - real + MTIME_GRAIN;
}

/* Whether perf had a clock of the records, or says where its own was as it began. */
static bool knows_clock(const struct annotator *annotator, uint64_t *real, uint64_t *time)
{
	enum perfdata_clock clock = perfdata_clock(annotator->data);

	return clock == PERFDATA_CLOCK_PERF || clock == PERFDATA_CLOCK_MONO ||
	       (clock == PERFDATA_CLOCK_OTHER && perfdata_clock_pair(annotator->data, real, time) &&
		is_of_events(annotator, *real, *time));
}

/* CLOCK_REALTIME was @ahead up to @until, by CLOCK_MONOTONIC. False if times mean nothing. */
static bool convert(struct annotator *annotator, const struct wall_range *ahead, uint64_t until)
{
	uint64_t real, time;

	if (!knows_clock(annotator, &real, &time))
		return false;
	if (perfdata_clock(annotator->data) != PERFDATA_CLOCK_OTHER)
		return true;
	annotator->clock = mono_clock_of(time, real, ahead);
	if (annotator->clock.mono > 0 && (uint64_t)annotator->clock.mono > until)
		return false;
	annotator->converted = true;
	identities_convert(annotator->identities, &annotator->clock);
	return true;
}

/*
 * By what CLOCK_REALTIME was ahead since perf read it as @real: maybe before the log began. False
 * if that is not known, as in logs of before.
 */
static bool find_ahead(const struct log_reader *log, uint64_t real, struct wall_range *ahead)
{
	const struct log_clocks *clocks = log_clocks(log);
	/* by so much, or by more before */
	int64_t as_it_began = (int64_t)(real - log_header(log)->time_mono) - MONO_CLOCK_BETWEEN;

	*ahead = clocks->ahead;
	if (!clocks->has_before)
		return ahead->max <= as_it_began;
	if (clocks->before.max > as_it_began)
		wall_range_widen(ahead, &clocks->before);
	return true;
}

/* What it says of the wall clock. */
static void note_clocks(struct annotator *annotator, const struct log_reader *log)
{
	const struct log_clocks *clocks = log_clocks(log);
	struct identities *identities = annotator->identities;
	uint64_t begin = log_header(log)->time_mono;
	uint64_t real, time;
	struct wall_range ahead = clocks->ahead;

	identities_wall_clock(identities, begin, begin + (uint64_t)clocks->ahead.min);
	identities_wall_clock(identities, begin, begin + (uint64_t)clocks->ahead.max);
	if (clocks->has_before)
		identities_wall_clock_before(identities, begin, &clocks->before);
	identities_wall_clock_until(identities, clocks->until);
	/* Without the module nobody has seen a clock that was set and set back. */
	annotator->timed = (perfdata_clock(annotator->data) != PERFDATA_CLOCK_OTHER ||
			    (log_source(log) == LOG_SOURCE_MODULE &&
			     perfdata_clock_pair(annotator->data, &real, &time) &&
			     find_ahead(log, real, &ahead))) &&
			   convert(annotator, &ahead, clocks->until);
}

static const char *log_name(const struct annotator *annotator)
{
	const struct annotation *annotation = annotator->annotation;

	return annotation->log_name ? annotation->log_name : annotation->log;
}

static bool read_records(struct annotator *annotator, struct log_reader *log)
{
	const struct buildid_record *record;
	const char *name = log_name(annotator);
	int answer;

	while ((answer = log_next(log, &record)) > 0)
		if (identities_add(annotator->identities, record))
			return annotate_report(annotator, name, strerror(ENOMEM));
	/* A log that was cut short is good as far as it goes. */
	annotator->cut_short = answer < 0;
	if (answer < 0)
		out_error(annotator->out, name, "%s", log_error(log));
	if (identities_ended(annotator->identities, log_ended(log)))
		return annotate_report(annotator, name, strerror(ENOMEM));
	note_clocks(annotator, log);
	return true;
}

static bool read_log(struct annotator *annotator)
{
	const char *path = annotator->annotation->log;
	struct log_reader *log = log_open(path);
	bool good;

	if (!log || log_error(log)) {
		annotate_report(annotator, log_name(annotator),
				log ? log_error(log) : strerror(ENOMEM));
		good = false;
	} else {
		annotator->here = boot_is_now(log_header(log)->boot_id);
		if (log_source(log) == LOG_SOURCE_PERF)
			identities_of_perf(annotator->identities);
		good = read_records(annotator, log);
	}
	if (log)
		log_close(log);
	return good;
}

/* perf writes the file as long as it records: a copy is younger, but none is older than that. */
static bool is_older_than_begin(const struct annotator *annotator)
{
	uint64_t begin = identities_real_begin(annotator->identities);
	uint64_t modified = perfdata_modified(annotator->data);

	return begin && modified && modified + MTIME_GRAIN < begin;
}

/*
 * Whether a mapping that should have a record has none, and no mapping has one. The first
 * mappings will do: those of what was there when perf began.
 */
static bool has_none_of_its_mappings(struct annotator *annotator)
{
	struct perfdata_mapping mapping;
	bool missing, any_missing = false;

	perfdata_rewind(annotator->data);
	while (perfdata_next_mapping(annotator->data, &mapping) > 0) {
		if (identities_has(annotator->identities, &mapping, &missing))
			return false;
		any_missing |= missing && !jit_file_is(&mapping);
	}
	return any_missing;
}

/* A perf in a container has other pids than the recorder outside of it. */
static bool has_other_pids(struct annotator *annotator)
{
	size_t count;

	annotator->pids = pid_map_new(annotator->data, annotator->identities, &count);
	if (!annotator->pids)
		return false;
	fprintf(stderr,
		"buildid: %s: recorded in another pid namespace: %zu processes found in the log by "
		"where they mapped files\n",
		annotator->name, count);
	return true;
}

/*
 * NULL when the recording may have been made while the log was written. Both clocks begin
 * with each boot, and so a recording of any other may seem to be of the same time.
 */
static const char *why_not_in_log(struct annotator *annotator)
{
	if (!is_same_boot(annotator))
		return "from another boot than the recording";
	if (identities_ended_before(annotator->identities))
		return "ended before the recording began, or is of another boot";
	if (is_older_than_begin(annotator))
		return "from another boot than the recording, which was last written to before "
		       "it would have begun in that of the log";
	if (has_none_of_its_mappings(annotator) && !has_other_pids(annotator))
		return "none of the recording's mappings is in it; it is of another boot, or of "
		       "other processes";
	return NULL;
}

/* Where the clock was set, this boot began at any time of a range, by that clock. */
static bool is_of_earlier_boot(const struct annotator *annotator)
{
	const struct wall_range boot = cache_query_boot(annotator->query);
	int64_t modified = (int64_t)perfdata_modified(annotator->data);

	if (modified > boot.max)
		return false;
	return modified <= boot.min || !annotator->text || !is_same_boot(annotator) ||
	       !identities_text(annotator->identities);
}

/*
 * Without a log: NULL when the module may be asked. What it knows of the kernel goes to
 * the identities.
 */
static const char *why_no_query(struct annotator *annotator)
{
	uint64_t real, time;

	if (!knows_clock(annotator, &real, &time))
		return "its clock is neither perf's default nor CLOCK_MONOTONIC" GIVE_LOG;
	annotator->query = cache_query_new(query_clock(annotator));
	if (!annotator->query)
		return perfdata_modified(annotator->data) <= boot_time() ?
			       EARLIER_BOOT :
			       "the module is not accessible" GIVE_LOG
			       ", or load it: modprobe buildid";
	convert(annotator, cache_query_range(annotator->query), UINT64_MAX);
	cache_query_images(annotator->query, query_time(annotator, annotator->begin),
			   annotator->identities);
	return is_of_earlier_boot(annotator) ? EARLIER_BOOT : why_not_here(annotator);
}

/* By perf record --buildid-mmap, the default from Linux 6.17 on, or buildid annotate. */
static bool has_build_ids(struct annotator *annotator)
{
	struct perfdata_mapping mapping;

	perfdata_rewind(annotator->data);
	while (perfdata_next_mapping(annotator->data, &mapping) > 0)
		if (mapping.id.size && mapping.kind == PERFDATA_KIND_USER)
			return true;
	return false;
}

/* What perf knew is good wherever it was recorded: names and the table need no more. */
static bool gather_without_log(struct annotator *annotator)
{
	const char *reason = why_no_query(annotator);

	annotator->here = !reason;
	if (!reason)
		return true;
	if (perfdata_error(annotator->data) || !has_build_ids(annotator))
		return annotate_report(annotator, annotator->name, reason);
	annotator->blind = reason;
	cache_query_free(annotator->query);
	annotator->query = NULL;
	/* The images of another machine are none. */
	identities_free(annotator->identities);
	annotator->identities = identities_new(perfdata_clock(annotator->data));
	return annotator->identities ||
	       annotate_report(annotator, annotator->name, strerror(ENOMEM));
}

static bool gather_with_log(struct annotator *annotator)
{
	if (!read_log(annotator))
		return false;
	if (annotator->here && annotator->timed)
		annotator->query = cache_query_new(query_clock(annotator));
	return true;
}

static bool gather(struct annotator *annotator)
{
	const char *log = annotator->annotation->log;
	const char *reason;

	annotator->identities = identities_new(perfdata_clock(annotator->data));
	if (!annotator->identities)
		return annotate_report(annotator, annotator->name, strerror(ENOMEM));
	if (!(log ? gather_with_log(annotator) : gather_without_log(annotator)))
		return false;
	if (annotator->here)
		vdso_build_id(&annotator->vdso);
	if (identities_ready(annotator->identities, annotator->begin))
		return annotate_report(annotator, annotator->name, strerror(ENOMEM));
	reason = log ? why_not_in_log(annotator) : NULL;
	return reason ? annotate_report(annotator, log_name(annotator), reason) : true;
}

static void free_module_events(struct annotator *annotator)
{
	size_t i;

	for (i = 0; i < annotator->nr_module_events; i++)
		free(annotator->paths[i]);
	free(annotator->paths);
	free(annotator->module_events);
}

/* Named as perf names modules that are loaded when it begins. */
static bool name_module_events(struct annotator *annotator, struct perfdata_annotator *to)
{
	const struct perfdata_module_event *module_events;
	size_t count = identities_module_events(annotator->identities, &module_events);
	size_t i;

	annotator->module_events = calloc(count + 1, sizeof(*module_events));
	annotator->paths = calloc(count + 1, sizeof(*annotator->paths));
	if (!annotator->module_events || !annotator->paths)
		return annotate_report(annotator, annotator->name, strerror(ENOMEM));
	annotator->nr_module_events = count;
	for (i = 0; i < count; i++) {
		/* A further content of a module has a name of its own. */
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

static void print_summary(const struct annotator *annotator, const struct perfdata_counts *counts)
{
	uint64_t lost = identities_lost(annotator->identities);

	fprintf(stderr,
		"buildid: %s: %" PRIu64 " mappings annotated, %" PRIu64
		" without a build-id, %" PRIu64 " not annotated",
		annotator->name, counts->annotated, counts->without, counts->not_annotated);
	if (counts->paths)
		fprintf(stderr, " of %" PRIu64 " paths", counts->paths);
	if (counts->named)
		fprintf(stderr, ", %" PRIu64 " further contents named", counts->named);
	if (counts->unnamed)
		fprintf(stderr, ", %" PRIu64 " further contents under the name of another%s",
			counts->unnamed,
			annotator->annotation->keep_names ? "" : ", as AUX data must not move");
	if (counts->module_events)
		fprintf(stderr, ", %" PRIu64 " modules added", counts->module_events);
	if (counts->module_events_missing)
		fprintf(stderr, ", %" PRIu64 " modules without room for them",
			counts->module_events_missing);
	if (lost)
		fprintf(stderr, "; %" PRIu64 " records lost", lost);
	fputc('\n', stderr);
}

static void print_object(const struct annotator *annotator, const struct perfdata_counts *counts)
{
	struct output *out = annotator->out;

	if (!out->json)
		return;
	out_begin(out);
	out_string(out, "type", 0, "annotate");
	out_string(out, "path", 0, annotator->name);
	out_number(out, "annotated", 0, counts->annotated);
	out_number(out, "without_build_id", 0, counts->without);
	out_number(out, "not_annotated", 0, counts->not_annotated);
	out_number(out, "paths_not_annotated", 0, counts->paths);
	out_number(out, "contents_named", 0, counts->named);
	out_number(out, "contents_not_named", 0, counts->unnamed);
	out_number(out, "modules_added", 0, counts->module_events);
	out_number(out, "modules_missing", 0, counts->module_events_missing);
	out_number(out, "lost", 0, identities_lost(annotator->identities));
	out_end(out);
}

static bool rewrite(struct annotator *annotator)
{
	struct perfdata_annotator to = {
		.context = annotator,
		.identify = annotate_identify,
		.progress = show_progress,
		.report = report_path,
		.keep_names = annotator->annotation->keep_names,
	};
	struct perfdata_counts counts;

	int signals = annotator->annotation->signals;
	bool good;

	if (!name_module_events(annotator, &to))
		return false;
	annotator->signals = signals < 0 ? signals_open() : signals;
	good = !perfdata_rewrite(annotator->data, annotator->annotation->output, &to, &counts);
	progress_clear();
	if (good) {
		if (!annotator->annotation->quiet)
			print_summary(annotator, &counts);
		print_object(annotator, &counts);
	}
	if (signals < 0)
		signals_close(annotator->signals);
	annotator->incomplete = good && (annotator->cut_short || counts.not_annotated ||
					 counts.module_events_missing ||
					 identities_lost(annotator->identities));
	return good;
}

/* The reader of the pipe is to get the recording, annotated or not. */
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
	};
	bool good;

	if (annotation->quiet)
		progress_disable();
	annotator.data = perfdata_open(annotation->path);
	if (!annotator.data)
		return annotate_report(&annotator, annotator.name, strerror(ENOMEM));
	good = !perfdata_error(annotator.data) && find_begin(&annotator) && gather(&annotator) &&
	       rewrite(&annotator);
	if (perfdata_error(annotator.data))
		annotate_report(&annotator, annotator.name, perfdata_error(annotator.data));
	if (!good && !annotator.stopped && is_filter(annotation))
		perfdata_copy(annotator.data, STDOUT_FILENO);

	cache_query_free(annotator.query);
	pid_map_free(annotator.pids);
	identities_free(annotator.identities);
	free_module_events(&annotator);
	perfdata_close(annotator.data);
	/* Ended by the signal, as the parent expects. */
	if (annotator.stopped && annotation->signals < 0)
		raise(annotator.stopped);
	return good && !(annotation->strict && annotator.incomplete);
}

/* ------------------------------------------------------------------ command -- */

int cmd_annotate(int argc, char **argv)
{
	struct annotation annotation = { .signals = -1 };
	struct output out;
	const struct args_option options[] = {
		OPTION_INPUT(&annotation.path),
		OPTION_LOG(&annotation.log),
		OPTION_OUTPUT(&annotation.output),
		OPTION_NO_NAMES(&annotation.keep_names),
		{ "strict", 0, NULL, "exit with 1 if anything is not annotated, or was lost",
		  .flag = &annotation.strict },
		OPTION_QUIET(&annotation.quiet),
		{},
	};
	const struct args args = {
		.command = "annotate",
		.operands = "[PERF_DATA] [LOG]",
		.max_operands = 2,
		.help = help,
		.examples = examples,
		.options = options,
		.out = &out,
	};
	char **operands = args_parse(&args, argc, argv);

	option_recorded(operands, &annotation.path, &annotation.log);
	if (!annotation.path)
		annotation.path = "perf.data";
	if (annotation.log && !strcmp(annotation.log, "-") && !strcmp(annotation.path, "-"))
		args_error("-", "standard input is either the log or the perf.data");
	/* Objects are not to be mixed with the perf.data. */
	if (!strcmp(annotation.output ? annotation.output : annotation.path, "-"))
		out.file = stderr;
	return annotate(&out, &annotation) ? EXIT_SUCCESS : EXIT_FAILURE;
}
