/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mount device: that of the filesystem an open file is on, as /proc/PID/maps shows it. On btrfs and
 * on most overlays stat(2) has another.
 */
#ifndef TOOL_MOUNT_DEVICE_H
#define TOOL_MOUNT_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/* Of @fd, which may be O_PATH, in a mount that process @pid has. False when that is not known. */
bool mount_device_of(uint32_t pid, int fd, uint32_t *major, uint32_t *minor);

#endif
