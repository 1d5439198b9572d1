/* SPDX-License-Identifier: GPL-2.0 */
/* Rewritten: a perf.data is made, annotated, and looked at again; in a directory. */
#ifndef TESTS_REWRITTEN_H
#define TESTS_REWRITTEN_H

#include "make_perfdata.h"
#include "perfdata/rewrite.h"
#include "streams.h"

#define KERNEL PERFDATA_MISC_KERNEL
#define USER   PERFDATA_MISC_USER

/* What is made, and what became of it. */
extern struct make *make;
extern unsigned char after[MAKE_ROOM];
extern size_t after_size;
extern struct perfdata_counts counts;
extern char reported[512];
extern char error[512]; /* of annotate_to(); empty without one */

/* To be set: modules; --no-names; no log and no module; what is called as the first event has been written. */
extern struct perfdata_module_event loads[4];
extern size_t nr_module_events;
extern bool keep_names;
extern bool nothing_is_known; /* of any mapping */
extern bool (*on_progress)(void);
/* How many mappings were identified since reset(). */
extern size_t identified;

/* Cmocka fixtures: of a group, and of each test. */
int set_up(void **state);
int tear_down(void **state);
int reset(void **state);

/* From @make to a file, and from a file to @after. */
void write_file(const char *path);
void read_file(const char *path);
/* As perfdata_rewrite(). */
int annotate_to(const char *path, const char *output);
/* What was made, in place. */
void annotate_made(void);
/* The mappings in what was written, and how they are; at most 15, valid until called again. */
size_t read_mappings(const char *path, struct perfdata_mapping *mappings);
void assert_id(const struct perfdata_mapping *mapping, size_t size, uint8_t byte);

#endif
