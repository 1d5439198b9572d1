/* SPDX-License-Identifier: GPL-2.0 */
/* Print process: the columns and keys of who has something mapped, and of what that is. */
#ifndef TOOL_PRINT_PROCESS_H
#define TOOL_PRINT_PROCESS_H

#include "common/build_id.h"
#include "common/output.h"

/* PID, name, and unit or container; an @start_time of 0 is left out. */
void print_process(struct output *out, uint32_t pid, uint64_t start_time, const char *comm);
/* The same of one that has exited, whose unit nobody knows any more. */
void print_exited(struct output *out, uint32_t pid, uint64_t start_time, const char *comm);

/* An identity: keys @id_key and @kind_key; in text one column, shorter on a terminal. */
void print_content(struct output *out, const char *id_key, const char *kind_key,
		   const struct identity *identity);

/* A moment, nanoseconds since the epoch, as RFC 3339 has it, in UTC; null for 0. */
void print_moment(struct output *out, const char *key, int64_t ns);

#endif
