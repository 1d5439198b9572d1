/* SPDX-License-Identifier: GPL-2.0 */
/* Device access: how a user who may not open the device may get to. */
#ifndef TOOL_DEVICE_ACCESS_H
#define TOOL_DEVICE_ACCESS_H

#include <stddef.h>

/* By the group of the device, if members may open it. */
void device_access_remedy(char *text, size_t size);

#endif
