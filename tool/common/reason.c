// SPDX-License-Identifier: GPL-2.0
/* Reason: truncated to the size of its text, like any message. */

#include <stdarg.h>
#include <stdio.h>

#include "reason.h"

bool reason_set(struct reason *reason, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason->text, sizeof(reason->text), format, arguments);
	va_end(arguments);
	return false;
}
