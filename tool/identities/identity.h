/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Identity: converts what a record of the module says about a content to the terms of a perf.data,
 * which only has room for a build-id of 20 bytes: perf cannot use other kinds.
 */
#ifndef TOOL_IDENTITY_H
#define TOOL_IDENTITY_H

#include "libbuildid/libbuildid.h"
#include "perfdata/rewrite.h"

void identity_of_file(const struct buildid_file *file, struct perfdata_identity *identity);
void identity_of_image(const struct buildid_image *image, struct perfdata_identity *identity);

#endif
