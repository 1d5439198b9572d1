/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files with a JIT's code. No process maps them: perf inject -j writes a jitted-PID-N.so for each
 * function of a jitdump, and a mapping of it into the perf.data. perf 7.2 sets no build-id there,
 * though the file has one, and no recorder can see it.
 */
#ifndef TOOL_JIT_FILE_H
#define TOOL_JIT_FILE_H

#include <stdbool.h>

#include "perfdata/perfdata.h"

struct stat;

bool jit_file_is(const struct perfdata_mapping *mapping);

/*
 * The build-id of the file at the path of such a @mapping, if it is still that file: by inode,
 * owner (root, or the owner of the perf.data, @data), offset of its code, and not modified since
 * the perf.data was. Otherwise @why is set.
 */
bool jit_file_id(const struct perfdata_mapping *mapping, const struct stat *data,
		 struct build_id *id, const char **why);

#endif
