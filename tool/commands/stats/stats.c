// SPDX-License-Identifier: GPL-2.0
/* buildid stats: the counters of the module, each with what it counts. */

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands/commands.h"
#include "common/arguments.h"
#include "common/array.h"
#include "common/clock.h"
#include "metrics.h"
#include "commands/module.h"

static const char help[] = "Show what the module has counted since it was loaded.\v"
			   "buildid-stats(1) says what each counter counts.";

static const char examples[] = "buildid stats --interval 1\n"
			       "buildid stats --openmetrics --contents=1000 --stale\n";

enum metric_type {
	COUNTER,
	GAUGE,
	BYTES
};

#define METRIC(field, type, help)                                         \
	{                                                                 \
#field, offsetof(struct buildid_stats, field), type, help \
	}

static const struct metric {
	const char *name;
	size_t offset;
	enum metric_type type;
	const char *help;
} metrics[] = {
	METRIC(mappings, COUNTER, "Executable file mappings seen"),
	METRIC(hits, COUNTER, "Mappings of versions of files in the cache"),
	METRIC(misses, COUNTER, "Mappings of versions of files not in the cache"),
	METRIC(rechecks, COUNTER, "Hits that the cache did not settle"),
	METRIC(read_mapper, COUNTER, "Files read by the task that maps them"),
	METRIC(read_caller, COUNTER, "Files read for whoever asked"),
	METRIC(no_id, COUNTER, "Files found to have no build-id"),
	METRIC(io_errors, COUNTER, "Files that could not be read"),
	METRIC(interrupted, COUNTER, "Reads that a signal ended"),
	METRIC(changing, COUNTER, "Files that changed before or while they were read"),
	METRIC(evicted, COUNTER, "Files forgotten to make room"),
	METRIC(stale, COUNTER, "Files with another content under an unmoved version"),
	METRIC(not_stored, COUNTER, "Files not remembered for want of memory"),
	METRIC(entries, GAUGE, "Files remembered"),
	METRIC(entries_max, GAUGE, "Bound on the files remembered"),
	METRIC(visits, GAUGE, "Tasks that have yet to read a file that they have mapped"),
	METRIC(oldest_visit_pid, GAUGE, "Thread that has been so for longest"),
	METRIC(oldest_visit_ns, GAUGE, "For how long, in nanoseconds"),
	METRIC(unresolved, COUNTER, "Mappings without identity"),
	METRIC(missed_probe, COUNTER, "Mappings that the hook was not called for"),
	METRIC(records, COUNTER, "Records written to rings"),
	METRIC(ring_full, COUNTER, "Records dropped as a ring had no room"),
	METRIC(ring_full_mmaps, COUNTER, "Records of mappings dropped as a ring had no room"),
	METRIC(subscribers, GAUGE, "Rings"),
	METRIC(netlink_records, COUNTER, "Records sent over netlink"),
	METRIC(memory, BYTES, "Memory held by the cache"),
	METRIC(cookies, GAUGE, "Cookies of mappings and files"),
};

#define FOR_EACH_METRIC(metric) \
	for ((metric) = metrics; (metric) < metrics + ARRAY_SIZE(metrics); (metric)++)

static uint64_t value_of(const struct metric *metric, const struct buildid_stats *stats)
{
	return *(const __u64 *)(const void *)((const char *)stats + metric->offset);
}

static void show_bytes(struct output *out, const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 " bytes", value);
	out_pair_string(out, name, text);
}

static void show_stats(struct output *out, const struct buildid_stats *stats)
{
	const struct metric *metric;

	out_begin(out);
	FOR_EACH_METRIC(metric)
	if (metric->type == BYTES && !out->json)
		show_bytes(out, metric->name, value_of(metric, stats));
	else
		out_pair_number(out, metric->name, value_of(metric, stats));
	out_end(out);
}

static void show_metrics(FILE *file, const struct buildid_stats *stats)
{
	static const char *const types[] = {
		[COUNTER] = "counter",
		[GAUGE] = "gauge",
		[BYTES] = "gauge",
	};
	const struct metric *metric;
	char name[64];

	FOR_EACH_METRIC(metric)
	{
		snprintf(name, sizeof(name), "%s%s", metric->name,
			 metric->type == BYTES ? "_bytes" : "");
		metric_begin(file, name, types[metric->type],
			     metric->type == BYTES ? "bytes" : NULL, metric->help);
		metric_value(file, name, metric->type == COUNTER ? "_total" : "",
			     value_of(metric, stats));
	}
}

struct job {
	struct output out;
	bool openmetrics;
	bool stale;
	uint64_t contents; /* 0: none */
	uint64_t interval; /* seconds; 0: once */
};

/* All or nothing: a scraper takes what there is for all there is. */
static int show_openmetrics(struct job *job, struct buildid *handle,
			    const struct buildid_stats *stats)
{
	struct buildid_info info;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	int err = file ? buildid_get_info(handle, &info, sizeof(info)) : -ENOMEM;

	if (err)
		module_error(&job->out, BUILDID_DEVICE, err, NULL);
	if (!err) {
		metrics_info(file, &info);
		show_metrics(file, stats);
	}
	if (!err && job->contents)
		err = metrics_contents(file, &job->out, handle, job->contents);
	if (!err && job->stale)
		err = metrics_stale(file, &job->out);
	if (file && fclose(file) && !err) {
		err = -ENOMEM;
		module_error(&job->out, "stats", err, NULL);
	}
	if (!err)
		printf("%s# EOF\n", text);
	free(text);
	return err;
}

static int stats_show(struct job *job, struct buildid *handle)
{
	struct buildid_stats stats;
	int err = buildid_get_stats(handle, &stats, sizeof(stats));

	if (err)
		module_error(&job->out, BUILDID_DEVICE, err, NULL);
	else if (job->openmetrics)
		err = show_openmetrics(job, handle, &stats);
	else
		show_stats(&job->out, &stats);
	return err;
}

/* By how much counters grow, as text people read beside the value. */
static void show_rates(struct output *out, const struct buildid_stats *before,
		       const struct buildid_stats *after, double seconds)
{
	const struct metric *metric;
	char text[64], name[64];
	double rate;

	out_begin(out);
	FOR_EACH_METRIC(metric)
	{
		if (metric->type == BYTES && !out->json) {
			show_bytes(out, metric->name, value_of(metric, after));
			continue;
		}
		rate = (double)(value_of(metric, after) - value_of(metric, before)) / seconds;
		if (out->json || metric->type != COUNTER) {
			out_pair_number(out, metric->name, value_of(metric, after));
		} else {
			snprintf(text, sizeof(text), "%" PRIu64 " (%.1f/s)",
				 value_of(metric, after), rate);
			out_pair_string(out, metric->name, text);
		}
		if (out->json && metric->type == COUNTER) {
			snprintf(name, sizeof(name), "%s_per_second", metric->name);
			out_rate(out, name, rate);
		}
	}
	out_end(out);
	if (!out->json)
		putc('\n', out->file);
	fflush(out->file);
}

/* Until a signal, or the reader of the output, ends it. */
static int watch_stats(struct job *job, struct buildid *handle)
{
	struct buildid_stats before, after;
	uint64_t time, now;
	int err = buildid_get_stats(handle, &before, sizeof(before));

	time = clock_ns(CLOCK_MONOTONIC);
	while (!err && !ferror(stdout)) {
		sleep((unsigned int)job->interval);
		err = buildid_get_stats(handle, &after, sizeof(after));
		now = clock_ns(CLOCK_MONOTONIC);
		if (!err)
			show_rates(&job->out, &before, &after, (double)(now - time) / 1e9);
		before = after;
		time = now;
	}
	if (err)
		module_error(&job->out, BUILDID_DEVICE, err, NULL);
	return err;
}

static const char *parse_interval(void *to, const char *value)
{
	uint64_t *seconds = to;

	return args_number(value, seconds) && *seconds && *seconds <= INT32_MAX ?
		       NULL :
		       "not a number of seconds above 0";
}

static const char *parse_count(void *to, const char *value)
{
	uint64_t *count = to;

	return args_number(value, count) && *count ? NULL : "not a number above 0";
}

int cmd_stats(int argc, char **argv)
{
	struct job job = {};
	const struct args_option options[] = {
		{ "openmetrics", 0, NULL, "OpenMetrics text, for a scraper",
		  .flag = &job.openmetrics },
		{ "interval", 0, "SECONDS",
		  "again and again, with the rates of what is counted since the last time",
		  .parse = parse_interval, .to = &job.interval },
		{ "contents", 0, "N",
		  "with --openmetrics: the N contents that most processes have mapped, too",
		  .parse = parse_count, .to = &job.contents },
		{ "stale", 0, NULL,
		  "with --openmetrics: how many processes are stale, too; looks at all of them",
		  .flag = &job.stale },
		{},
	};
	const struct args args = { .command = "stats",
				   .help = help,
				   .examples = examples,
				   .options = options,
				   .out = &job.out };
	struct buildid *handle;
	int err;

	args_parse(&args, argc, argv);
	if (job.out.json && job.openmetrics)
		args_error("--openmetrics", "not together with --json");
	if (job.openmetrics && job.interval)
		args_error("--interval", "not together with --openmetrics");
	if (!job.openmetrics && (job.contents || job.stale))
		args_error(job.stale ? "--stale" : "--contents",
			   "only together with --openmetrics");

	handle = module_open(&job.out);
	if (!handle)
		return EXIT_FAILURE;
	err = job.interval ? watch_stats(&job, handle) : stats_show(&job, handle);
	buildid_close(handle);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
