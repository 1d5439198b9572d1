/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handle: what the rest of the library asks of it; neither installed nor exported. */
#ifndef TOOL_HANDLE_H
#define TOOL_HANDLE_H

#include <stdbool.h>

#include "libbuildid.h"

bool buildid_options_valid(const struct buildid_options *options);
/* BUILDID_IOC_MAPS: 0 or a negative errno. */
int buildid_take_maps(struct buildid *handle, struct buildid_maps *maps);

#endif
