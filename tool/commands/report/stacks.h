/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks: the call chains of a recording as a tree, from the names of programs to functions, each
 * in its content, with how many samples went through it; and who ran which content when.
 */
#ifndef TOOL_STACKS_H
#define TOOL_STACKS_H

#include "commands/page/timeline.h"
#include "common/hash_map.h"
#include "perfdata/profile.h"

/* A place that was in a call chain. */
struct stack_location {
	uint32_t dso;	/* STACKS_NOTHING where nothing is known */
	uint32_t name;	/* when it was named */
	uint64_t place; /* offset in the file; of the kernel an address */
};

#define STACKS_NOTHING UINT32_MAX

/* What a frame shows. */
struct stack_name {
	char *text;   /* a function, or a program */
	uint32_t dso; /* of a function, or STACKS_NOTHING */
	bool program;
};

struct stack_node {
	uint32_t parent; /* index of one before; of the first itself */
	uint32_t name;
	uint64_t self, total;
};

/* Of a content. */
struct stack_content {
	uint64_t samples; /* where the processor was in it */
	uint32_t *slots;  /* the same by time, TIMELINE_SLOTS of them; or NULL */
	size_t first_use, nr_uses;
	char *label; /* "lib.so@0123abcd" */
	char *path;  /* without what names the content */
};

struct stacks {
	struct perfdata *data;
	struct perfdata_profile *profile;
	const struct perfdata_dso *dsos;
	size_t nr_dsos;
	struct stack_content *contents; /* of each of the dsos */
	struct stack_location *locations;
	size_t nr_locations;
	struct stack_name *names;
	size_t nr_names;
	struct stack_node *nodes; /* of names */
	size_t nr_nodes;
	struct timeline_use *uses; /* that a process had one of the dsos, or was sampled in it */
	size_t nr_uses;
	uint64_t *ends; /* of their processes, while they are read */
	uint64_t samples;
	uint64_t begin, end;	/* of the recording */
	struct stack_node *raw; /* of locations, until they are named */
	size_t nr_raw;
	struct hash_map location_map, name_map, raw_map, use_map;
};

/* Read all samples of @data. False without memory, or with an error of @data. */
bool stacks_read(struct stacks *stacks, struct perfdata *data);
/* The name of a location; to be followed by stacks_merge(). False without memory. */
bool stacks_name(struct stacks *stacks, size_t location, const char *function);
/* When all were named: the nodes. False without memory. */
bool stacks_merge(struct stacks *stacks);
void stacks_free(struct stacks *stacks);

/* "lib.so@0123abcd", or what else there is. */
const char *stacks_label(const struct stacks *stacks, uint32_t dso);

#endif
