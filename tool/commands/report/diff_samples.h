/* SPDX-License-Identifier: GPL-2.0 */
/* Diff samples: how many samples of a recording lie in each function of two contents. */
#ifndef TOOL_DIFF_SAMPLES_H
#define TOOL_DIFF_SAMPLES_H

#include "content/code_diff.h"
#include "diff_operands.h"

struct diff_samples {
	uint64_t (*of)[2];   /* of each change, before and after */
	uint64_t in[2];	     /* of either content */
	uint64_t unnamed[2]; /* of these, in no function that has a name */
	uint64_t all;
};

/*
 * Reads the samples of @recording; @ids are those of the contents, of which one that is
 * empty has no samples: those of any file without one might be of it. False without memory.
 */
bool diff_samples_read(struct diff_samples *samples, const struct code_diff *diff,
		       const struct diff_recording *recording, const struct build_id *const ids[2]);
/* Of the samples in that content, those in @change; 0 where nothing is known. */
double diff_samples_share(const struct diff_samples *samples, size_t change, size_t side);
void diff_samples_free(struct diff_samples *samples);

#endif
