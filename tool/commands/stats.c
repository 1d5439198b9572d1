// SPDX-License-Identifier: GPL-2.0
/* buildid stats: the counters of the module, each with what it counts. */

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "commands.h"
#include "common/arguments.h"
#include "common/array.h"
#include "module.h"

static const char help[] = "Show what the module has counted since it was loaded.\v"
			   "buildid-stats(1) says what each counter counts.";

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
	METRIC(hits, COUNTER, "Mappings answered from the cache"),
	METRIC(misses, COUNTER, "Mappings of a version of a file not seen before"),
	METRIC(rechecks, COUNTER, "Contents read again although the version had not moved"),
	METRIC(parsed_resident, COUNTER, "Files identified in the hook, from the page cache"),
	METRIC(parsed_worker, COUNTER, "Files identified by the worker"),
	METRIC(parsed_caller, COUNTER, "Files identified in an ioctl"),
	METRIC(deferred, COUNTER, "Files left to a process that asks for them"),
	METRIC(no_id, COUNTER, "Files found to have no build-id"),
	METRIC(io_errors, COUNTER, "Files that could not be read"),
	METRIC(changing, COUNTER, "Files that changed during every attempt to read them"),
	METRIC(evicted, COUNTER, "Files forgotten to make room"),
	METRIC(stale, COUNTER, "Files whose content had changed under an unmoved version"),
	METRIC(entries, GAUGE, "Files remembered"),
	METRIC(entries_max, GAUGE, "Bound on the files remembered"),
	METRIC(requests, GAUGE, "Files being read, or waiting to be"),
	METRIC(no_request, COUNTER, "Mappings without identity for want of a request"),
	METRIC(device_busy, COUNTER, "Mappings without identity as their device had its share"),
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

static void show_stats(struct output *out, const struct buildid_stats *stats)
{
	const struct metric *metric;

	out_begin(out);
	FOR_EACH_METRIC(metric)
	out_pair_number(out, metric->name, value_of(metric, stats));
	out_end(out);
}

static void show_openmetrics(FILE *file, const struct buildid_stats *stats)
{
	static const char *const types[] = {
		[COUNTER] = "counter",
		[GAUGE] = "gauge",
		[BYTES] = "gauge",
	};
	const struct metric *metric;

	FOR_EACH_METRIC(metric)
	{
		const char *unit = metric->type == BYTES ? "_bytes" : "";
		const char *suffix = metric->type == COUNTER ? "_total" : "";

		fprintf(file, "# TYPE buildid_%s%s %s\n", metric->name, unit, types[metric->type]);
		if (metric->type == BYTES)
			fprintf(file, "# UNIT buildid_%s_bytes bytes\n", metric->name);
		fprintf(file, "# HELP buildid_%s%s %s.\n", metric->name, unit, metric->help);
		fprintf(file, "buildid_%s%s%s %" PRIu64 "\n", metric->name, unit, suffix,
			value_of(metric, stats));
	}
	fputs("# EOF\n", file);
}

int cmd_stats(int argc, char **argv)
{
	struct output out;
	bool openmetrics = false;
	const struct args_option options[] = {
		{ "openmetrics", 0, NULL, "OpenMetrics text, for a scraper", .flag = &openmetrics },
		{},
	};
	const struct args args = {
		.command = "stats", .help = help, .options = options, .out = &out
	};
	struct buildid_stats stats;
	struct buildid *handle;
	int err;

	args_parse(&args, argc, argv);
	if (out.json && openmetrics)
		args_error("--openmetrics", "not together with --json");

	handle = module_open(&out);
	if (!handle)
		return EXIT_FAILURE;
	err = buildid_get_stats(handle, &stats, sizeof(stats));
	buildid_close(handle);
	if (err) {
		module_error(&out, BUILDID_DEVICE, err, NULL);
		return EXIT_FAILURE;
	}
	if (openmetrics)
		show_openmetrics(stdout, &stats);
	else
		show_stats(&out, &stats);
	return EXIT_SUCCESS;
}
