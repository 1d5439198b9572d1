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
 * Of a device in the mappings of process @pid. True as well when it is mounted neither there nor
 * here any more, or is an overlay that only they have: what is below that is not known.
 */
bool served_device_is(uint32_t pid, unsigned int major, unsigned int minor);

#endif
