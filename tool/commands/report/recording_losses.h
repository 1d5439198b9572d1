/* SPDX-License-Identifier: GPL-2.0 */
/* Recording losses: what is missing in a recording, said on standard error. */
#ifndef TOOL_RECORDING_LOSSES_H
#define TOOL_RECORDING_LOSSES_H

#include "perfdata/profile.h"

/* Nothing if there are none. @input: the name of the recording. */
void recording_losses_say(const char *input, const struct perfdata_losses *losses);

#endif
