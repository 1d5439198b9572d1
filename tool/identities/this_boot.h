/* SPDX-License-Identifier: GPL-2.0 */
/*
 * This boot: whether a recording was made in it, by where its processes had mapped files. These
 * places are random ones, of which no other machine has the same, be it a clone of this.
 */
#ifndef TOOL_THIS_BOOT_H
#define TOOL_THIS_BOOT_H

#include "mono_clock.h"
#include "perfdata/perfdata.h"

/*
 * Whether a process has a mapping of @data, or had by what the module remembers. @other: how to
 * convert its times, NULL if that need not be.
 */
bool this_boot_has(struct perfdata *data, struct buildid *handle, const struct mono_clock *other);

#endif
