/* SPDX-License-Identifier: GPL-2.0 */
/* Print process: the columns and keys of who has something mapped, and of what that is. */
#ifndef TOOL_PRINT_PROCESS_H
#define TOOL_PRINT_PROCESS_H

#include "common/build_id.h"
#include "common/output.h"

/* Columns of a line; the path has what they leave. */
struct process_layout {
	int comm;
	int unit; /* OUT_HIDDEN where there is no room for it */
	int id;
	int moment; /* likewise */
};

/* For lines of @width, 0 for lines of any length, with @ids identities and @others columns. */
struct process_layout process_layout_of(int width, int ids, int others);

/* The names of the first columns. */
void print_process_header(struct output *out, const struct process_layout *layout);
/* PID, name, and unit or container; an @start_time of 0 is left out. */
void print_process(struct output *out, const struct process_layout *layout, uint32_t pid,
		   uint64_t start_time, const char *comm);
/* The same of one that has exited, whose unit nobody knows any more. */
void print_exited(struct output *out, const struct process_layout *layout, uint32_t pid,
		  uint64_t start_time, const char *comm);

/* An identity: keys @id_key and @kind_key; in text one column. */
void print_content(struct output *out, const struct process_layout *layout, const char *id_key,
		   const char *kind_key, const struct identity *identity);

/* A moment, nanoseconds since the epoch, as RFC 3339 has it, in UTC; null for 0. */
void print_moment(struct output *out, const struct process_layout *layout, const char *key,
		  int64_t ns);

#endif
