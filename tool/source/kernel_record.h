/* SPDX-License-Identifier: GPL-2.0 */
/* Kernel record: a KERNEL record of libbuildid that is made here, from /sys and /proc. */
#ifndef TOOL_KERNEL_RECORD_H
#define TOOL_KERNEL_RECORD_H

#include "libbuildid/libbuildid.h"

#define KERNEL_RECORD_WORDS 64

/*
 * Of the running kernel, at @record; its len is 0, and so is its addr where it is hidden. The times
 * are the caller's. NULL where it says no build-id.
 */
struct buildid_image *kernel_record_make(uint64_t record[KERNEL_RECORD_WORDS]);

#endif
