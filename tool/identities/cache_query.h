/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recall: what the module still remembers of an inode, if it is certain that it
 * was so when perf saw it mapped.
 */
#ifndef TOOL_RECALL_H
#define TOOL_RECALL_H

#include "perfdata/rewrite.h"

struct identities;
struct recall;

/* With a module that is loaded; NULL when there is none, or without memory. */
struct recall *recall_new(enum perfdata_clock clock);
void recall_free(struct recall *recall);
/*
 * The kernel's identity, which is the same as long as it runs, to @identities; and
 * those of modules that have been there since before @begin, by perf's clock.
 */
void recall_images(struct recall *recall, uint64_t begin, struct identities *identities);
/* @time: of the mapping, or when perf began. Leaves @identity when not certain. */
void recall_find(struct recall *recall, const struct perfdata_mapping *mapping, uint64_t time,
		 struct perfdata_identity *identity);

#endif
