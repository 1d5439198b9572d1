/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Served device: whether a filesystem asks a server for its files, which may never answer. No
 * file of it is opened for that, nor is statfs(2) called, as both may ask it.
 */
#ifndef TOOL_SERVED_DEVICE_H
#define TOOL_SERVED_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * For a device in the mappings of process @pid. Also true if it is mounted neither there nor here
 * any more, or is an overlay only visible there: its layers are unknown.
 */
bool served_device_is(uint32_t pid, unsigned int major, unsigned int minor);

/* Whether it is an overlay that is mounted there. */
bool served_device_is_overlay(uint32_t pid, unsigned int major, unsigned int minor);

#endif
