/* SPDX-License-Identifier: GPL-2.0 */
/*
 * This boot: whether a recording was made in it, by where its processes had mapped files. These
 * places are random, and differ even on a clone of this machine.
 */
#ifndef TOOL_THIS_BOOT_H
#define TOOL_THIS_BOOT_H

#include "mono_clock.h"
#include "perfdata/perfdata.h"

/*
 * Whether a process has a mapping of @data, or had one that the module remembers. @other: how to
 * convert its times, NULL if not needed.
 */
bool this_boot_has(struct perfdata *data, struct buildid *handle, const struct mono_clock *other);

#endif
