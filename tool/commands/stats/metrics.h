/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metrics: OpenMetrics text, in which a reader of Prometheus's older text format finds
 * nothing that it would refuse.
 */
#ifndef TOOL_METRICS_H
#define TOOL_METRICS_H

#include <stdint.h>
#include <stdio.h>

#include "common/output.h"
#include "libbuildid/libbuildid.h"

/* What is said of a metric; @unit may be NULL, and is the end of its name otherwise. */
void metric_begin(FILE *file, const char *name, const char *type, const char *unit,
		  const char *help);
/* One sample without labels. */
void metric_value(FILE *file, const char *name, const char *suffix, uint64_t value);

/*
 * The samples of these, each after the lines about it. 0, or a negative errno after the
 * error was printed.
 */
void metrics_info(FILE *file, const struct buildid_info *info);
/* The @max contents that most processes have mapped. */
int metrics_contents(FILE *file, struct output *out, struct buildid *handle, uint64_t max);
int metrics_stale(FILE *file, struct output *out);

#endif
