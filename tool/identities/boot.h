/* SPDX-License-Identifier: GPL-2.0 */
/* The boot id: pids, file_ids and clocks are only valid within one boot. */
#ifndef TOOL_BOOT_H
#define TOOL_BOOT_H

#include <stdbool.h>
#include <stdint.h>

/* /proc/sys/kernel/random/boot_id, without the dashes; unchanged if it cannot be read. */
void boot_id_read(uint8_t boot_id[16]);
/* Whether @boot_id is that of this boot. */
bool boot_is_now(const uint8_t boot_id[16]);
/* When this boot began, in nanoseconds since the epoch. */
uint64_t boot_time(void);

#endif
