// SPDX-License-Identifier: GPL-2.0
/* perf.data of any content, read, listed and annotated. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "perf_events.h"
#include "perfdata/rewrite.h"

#define PATH_LONGEST 65536

/* Some of all answers there are. */
static void identify(void *context, const struct perfdata_mapping *mapping,
		     struct perfdata_identity *identity)
{
	(void)context;
	if (mapping->start & 0x1000) {
		identity->id.size = mapping->len & 8 ? 20 : 8;
		memset(identity->id.bytes, (int)(mapping->start >> 13), identity->id.size);
	} else {
		identity->known = mapping->pid & 1;
		identity->reason = "none";
	}
}

static void report(void *context, const char *path, uint64_t missing, uint64_t all,
		   const char *reason)
{
	(void)context;
	if (strlen(path) + strlen(reason) == 0 || !missing || missing > all)
		fuzz_die("%s: %s", path, reason);
}

/* Whether it was written. */
static bool annotate(struct perfdata *data, const char *output)
{
	static const struct perfdata_module_event loads[] = {
		{ .time = 120, .start = 1, .len = 2, .path = "[a]", .id = { .size = 20 } },
		{ .time = 1ULL << 60, .start = 1, .len = 2, .path = "[b]" },
	};
	const struct perfdata_annotator annotator = {
		.identify = identify,
		.report = report,
		.module_events = loads,
		.nr_module_events = 2,
	};
	struct perfdata_counts counts;

	return !perfdata_rewrite(data, output, &annotator, &counts);
}

/* False for what is no perf.data. */
static bool look_at(struct perfdata *data)
{
	const struct perfdata_dso *dsos;
	struct perfdata_mapping mapping;
	int count, i;

	count = perfdata_dsos(data, true, &dsos);
	for (i = 0; i < count; i++)
		if (dsos[i].id.size > PERFDATA_ID_MAX || !dsos[i].path)
			fuzz_die("DSO %d", i);
	perfdata_rewind(data);
	while (perfdata_next_mapping(data, &mapping) > 0)
		if (mapping.id.size > PERFDATA_ID_MAX || strlen(mapping.path) > PATH_LONGEST)
			fuzz_die("a mapping of %zu bytes", mapping.id.size);
	return !perfdata_error(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *output = fuzz_name("perf.data");
	struct perfdata *data = perfdata_open(fuzz_path(0, bytes, size));
	struct perfdata *annotated;

	if (!data)
		return 0;
	if (look_at(data) && annotate(data, output)) {
		fuzz_count("annotated");
		annotated = perfdata_open(output);
		/* What was written can be read. */
		if (!look_at(annotated))
			fuzz_die("annotated: %s", perfdata_error(annotated));
		perfdata_close(annotated);
		perf_events_compare(bytes, size, output);
		unlink(output);
	} else {
		fuzz_count("refused");
	}
	perfdata_close(data);
	return 0;
}
