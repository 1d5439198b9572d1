/* SPDX-License-Identifier: GPL-2.0 */
/* Boot: which one this is. */
#ifndef TOOL_BOOT_H
#define TOOL_BOOT_H

#include <stdbool.h>
#include <stdint.h>

/* /proc/sys/kernel/random/boot_id without the dashes; zeros without a /proc. */
void boot_id_read(uint8_t boot_id[16]);
/* Whether that is of this boot; zeros are of none. */
bool boot_is_now(const uint8_t boot_id[16]);
/* When it was, in nanoseconds since the epoch. */
uint64_t boot_time(void);

#endif
