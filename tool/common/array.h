/* SPDX-License-Identifier: GPL-2.0 */
/* Array: how many elements one has. */
#ifndef TOOL_ARRAY_H
#define TOOL_ARRAY_H

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
