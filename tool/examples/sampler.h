/* SPDX-License-Identifier: GPL-2.0 */
/* Sampler: perf_event_open(2) on every CPU. */
#ifndef EXAMPLES_SAMPLER_H
#define EXAMPLES_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum sampler_type {
	SAMPLER_SAMPLE,
	SAMPLER_FORK,
	SAMPLER_EXEC,
	SAMPLER_LOST,
};

struct sampler_event {
	enum sampler_type type;
	uint64_t time; /* CLOCK_MONOTONIC, as in buildid's records */
	uint32_t pid;
	uint32_t parent;  /* of a fork */
	uint64_t address; /* of a sample */
	bool kernel;	  /* the sample is in the kernel */
	uint64_t lost;
};

struct sampler;

/*
 * Sample @pid and its descendants, once it calls exec; 0 for all processes, from now
 * on. @frequency is in samples per second of CPU time. NULL with errno on failure.
 */
struct sampler *sampler_open(pid_t pid, unsigned int frequency);
void sampler_close(struct sampler *sampler);

/* Call @handle for all that is in the rings. */
void sampler_read(struct sampler *sampler,
		  void (*handle)(const struct sampler_event *event, void *data), void *data);

#endif
