/* SPDX-License-Identifier: GPL-2.0 */
/* Reason: why something failed, for a message. */
#ifndef TOOL_REASON_H
#define TOOL_REASON_H

#include <stdbool.h>

/* What follows a path and a colon: "has build-id 12ab". */
struct reason {
	char text[512];
};

/* Formats as printf(3) does. Returns false, so that callers can return its result. */
bool reason_set(struct reason *reason, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
