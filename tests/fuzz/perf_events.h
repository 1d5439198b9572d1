/* SPDX-License-Identifier: GPL-2.0 */
/* The events of a perf.data, read without tool/perfdata. */
#ifndef TESTS_PERF_EVENTS_H
#define TESTS_PERF_EVENTS_H

#include <stddef.h>

/*
 * Dies unless @annotated, a path, has each event of @bytes, in order: what is no mapping as
 * it was, and of mappings all but the file. Compressed events are not
 * compared.
 */
void perf_events_compare(const unsigned char *bytes, size_t size, const char *annotated);

#endif
