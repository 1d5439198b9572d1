/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of a JIT's code. No process has mapped them: perf inject -j writes a jitted-PID-N.so for
 * each function of a jitdump, and the mapping of it into the perf.data. perf 7.2 gives that no
 * build-id, though the file has one, and no recorder can know of it.
 */
#ifndef TOOL_JIT_FILE_H
#define TOOL_JIT_FILE_H

#include <stdbool.h>

#include "perfdata/perfdata.h"

struct stat;

bool jit_file_is(const struct perfdata_mapping *mapping);

/*
 * The build-id of the file at the path of such a @mapping of a perf.data, @data, if it is that
 * file still: by its inode, its owner, who is root or has that as well, its place for code, and
 * as it was not written to since that was written to. @why is set when it is not.
 */
bool jit_file_id(const struct perfdata_mapping *mapping, const struct stat *data,
		 struct build_id *id, const char **why);

#endif
