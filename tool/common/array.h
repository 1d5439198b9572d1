/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOOL_ARRAY_H
#define TOOL_ARRAY_H

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
