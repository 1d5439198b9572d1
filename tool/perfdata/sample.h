/* SPDX-License-Identifier: GPL-2.0 */
/* perf.data: a SAMPLE, where a processor was, and the addresses that led there. */
#ifndef TOOL_PERFDATA_SAMPLE_H
#define TOOL_PERFDATA_SAMPLE_H

#include "file.h"

struct perfdata_sample {
	uint32_t pid, tid;
	uint64_t time;
	uint64_t ip;
	uint16_t cpumode;
	uint64_t period; /* events that it stands for; 0 when that is not recorded */
	/* From the inner to the outer, with PERFDATA_CONTEXT_* before addresses of that kind. */
	const uint64_t *chain;
	size_t nr_chain;
	/* The callers are in a copy of the stack, or a list of branches, which are not read. */
	bool has_stack;
};

/* False for what has no address or no process; what is cut short reads as zeros. */
bool perfdata_sample(struct perfdata *data, const struct perfdata_event *event,
		     struct perfdata_sample *sample);
/* PERFDATA_MISC_KERNEL or _USER; 0, as addresses behind it are of none that counts. */
uint16_t perfdata_context_mode(uint64_t context);

#endif
