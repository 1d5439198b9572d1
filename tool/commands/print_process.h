/* SPDX-License-Identifier: GPL-2.0 */
/* Print process: the columns and keys for a process and for what it has mapped. */
#ifndef TOOL_PRINT_PROCESS_H
#define TOOL_PRINT_PROCESS_H

#include "common/build_id.h"
#include "common/output.h"

/* Columns of a line; the path has what they leave. */
struct process_layout {
	int comm;
	int unit; /* OUT_HIDDEN without room for it */
	int id;
	int moment; /* OUT_HIDDEN without room for it */
};

/* For lines of @width, 0 for lines of any length, with @ids identities and @others columns. */
struct process_layout process_layout_of(int width, int ids, int others);

/* The names of the first columns. */
void print_process_header(struct output *out, const struct process_layout *layout);
/* PID, name, and unit or container; an @start_time of 0 is left out. */
void print_process(struct output *out, const struct process_layout *layout, uint32_t pid,
		   uint64_t start_time, const char *comm);
/* The same for an exited process, whose unit is unknown. */
void print_exited(struct output *out, const struct process_layout *layout, uint32_t pid,
		  uint64_t start_time, const char *comm);

/* An identity: keys @id_key and @kind_key; in text one column. */
void print_content(struct output *out, const struct process_layout *layout, const char *id_key,
		   const char *kind_key, const struct identity *identity);

/* A moment, nanoseconds since the epoch, in the format of RFC 3339, in UTC; null for 0. */
void print_moment(struct output *out, const struct process_layout *layout, const char *key,
		  int64_t ns);

#endif
