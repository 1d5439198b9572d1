// SPDX-License-Identifier: GPL-2.0
/*
 * What the suites need from the rest of the module: its counters, and a probe that never fires.
 */
#include "stubs.h"

#include "hook.h"
#include "stats.c"

bool stub_no_change_counter;
s64 stub_seconds_later;

struct kprobe bid_hook_mmap;
