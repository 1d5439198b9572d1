// SPDX-License-Identifier: GPL-2.0
/* Recording losses: one line. */

#include <inttypes.h>
#include <stdio.h>

#include "recording_losses.h"

void recording_losses_say(const char *input, const struct perfdata_losses *losses)
{
	if (losses->lost || losses->unreadable || losses->cut)
		fprintf(stderr,
			"buildid: %s: %" PRIu64 " records lost, %" PRIu64
			" samples without an address, %" PRIu64 " call chains cut\n",
			input, losses->lost, losses->unreadable, losses->cut);
	if (losses->stacks)
		fprintf(stderr,
			"buildid: %s: %" PRIu64 " samples without their callers, as those of "
			"--call-graph dwarf and lbr are not read; record with -g\n",
			input, losses->stacks);
}
