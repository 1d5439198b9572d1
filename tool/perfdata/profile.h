/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Profile: the samples of a perf.data, with the content at each address of their call chains,
 * and what there was meanwhile: mappings, tasks and their names.
 *
 *	struct perfdata_profile *profile = perfdata_profile_new(data);
 *	struct perfdata_stack stack;
 *
 *	while (profile && perfdata_profile_next(profile, &stack) > 0)
 *		...
 *	if (!profile || perfdata_error(data))
 *		...
 *	perfdata_profile_free(profile);
 */
#ifndef TOOL_PERFDATA_PROFILE_H
#define TOOL_PERFDATA_PROFILE_H

#include "perfdata.h"

struct perfdata_profile;

/* A mapping that is executable, in order of time. */
struct perfdata_mapped {
	size_t dso; /* index as of perfdata_dsos() */
	uint32_t pid;
	uint64_t start, len, pgoff;
	uint64_t time;	/* 0 where it is older than the recording */
	uint64_t until; /* that its process, or what that executed, has ended; UINT64_MAX */
};

/* An address of a call chain. */
struct perfdata_frame {
	size_t dso;	  /* or PERFDATA_NO_DSO */
	uint64_t address; /* within the call, where it is one that is returned to */
	uint64_t place;	  /* offset in the file, of a DSO that is one */
	bool kernel;
};

#define PERFDATA_FRAMES_MAX 1024

struct perfdata_stack {
	uint32_t pid, tid;
	uint64_t time;
	uint64_t period; /* 1 where it is not recorded */
	const char *comm;
	const struct perfdata_frame *frames; /* from the inner to the outer */
	size_t nr_frames;
	bool cut; /* there were more than PERFDATA_FRAMES_MAX */
};

/* What is not in the samples. */
struct perfdata_losses {
	uint64_t lost;	     /* records that found no room, by what perf says itself */
	uint64_t unreadable; /* samples without an address or a process */
	uint64_t cut;	     /* samples whose chain was cut */
	uint64_t stacks; /* samples whose callers are in what is not read: --call-graph dwarf, lbr */
};

/* NULL only without memory, or with an error of @data, which has to stay. */
struct perfdata_profile *perfdata_profile_new(struct perfdata *data);
void perfdata_profile_free(struct perfdata_profile *profile);
/* 1 with a stack, valid until the next call; 0 at the end; -1. */
int perfdata_profile_next(struct perfdata_profile *profile, struct perfdata_stack *stack);
/* Back to the first; losses are counted from there. */
void perfdata_profile_rewind(struct perfdata_profile *profile);

const struct perfdata_mapped *perfdata_profile_mapped(const struct perfdata_profile *profile,
						      size_t *count);
/* The name of a process at @time; "" where that is not known. */
const char *perfdata_profile_comm(const struct perfdata_profile *profile, uint32_t pid,
				  uint64_t time);
/* When what @pid had mapped at @time is gone, by its exec or exit; UINT64_MAX if none is known. */
uint64_t perfdata_profile_until(const struct perfdata_profile *profile, uint32_t pid,
				uint64_t time);
/* The first and the last time of an event; 0 when there is none. */
uint64_t perfdata_profile_begin(const struct perfdata_profile *profile);
uint64_t perfdata_profile_end(const struct perfdata_profile *profile);
const struct perfdata_losses *perfdata_profile_losses(const struct perfdata_profile *profile);

#endif
