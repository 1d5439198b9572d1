/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Features: what a perf.data says about itself after its events (host name, command line, build-ids
 * ...). The header has a bit for each existing one; right after the events is a perf_file_section
 * for each bit, in order, with the place of its bytes. When events change in length, all of this
 * moves.
 */
#ifndef TOOL_PERFDATA_FEATURES_H
#define TOOL_PERFDATA_FEATURES_H

#include "build_ids.h"

/*
 * Write the features after the events, then the header, as @layout: with @table as HEADER_BUILD_ID
 * unless it is empty, and without HEADER_COMPRESSED, as no event is compressed any more.
 */
int perfdata_features_write(struct perfdata *data, struct perfdata_writer *output,
			    const struct perfdata_header *layout,
			    const struct perfdata_build_ids *table);

#endif
