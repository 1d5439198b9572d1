/* SPDX-License-Identifier: GPL-2.0 */
/* pprof: counts of samples as a profile.proto, without a library for it. */
#ifndef EXAMPLES_PPROF_H
#define EXAMPLES_PPROF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A part of a file. Addresses are offsets in the file. */
struct pprof_mapping {
	uint64_t start;
	uint64_t end;
	const char *path;
	const char *build_id; /* in hex, "" for none */
};

/* How many samples one address had. */
struct pprof_sample {
	size_t mapping; /* index */
	uint64_t address;
	uint64_t count;
};

struct pprof {
	const struct pprof_mapping *mappings;
	size_t nr_mappings;
	const struct pprof_sample *samples;
	size_t nr_samples;
	uint64_t period_ns; /* between two samples */
	uint64_t start_ns;  /* since the epoch */
	uint64_t duration_ns;
};

/* 0, or -1 when writing failed. */
int pprof_write(const struct pprof *pprof, FILE *file);

#endif
