/* SPDX-License-Identifier: GPL-2.0 */
/* Module: getting at it, and what to say when that fails. */
#ifndef TOOL_MODULE_H
#define TOOL_MODULE_H

#include "common/output.h"
#include "libbuildid/libbuildid.h"

/* Capabilities beyond those that buildid_advice() knows. */
#define ADVICE_ADMIN "run as root, or with CAP_SYS_ADMIN"

/* NULL after it was told why. */
struct buildid *module_open(struct output *out);

/*
 * Tell of what makes a subscription see nothing. @handle may be NULL: where there
 * is no device that can be asked, nothing is told.
 */
void module_warn(struct buildid *handle);

/* Tell @error of libbuildid; @advice is in place of the library's, or NULL. */
void module_error(struct output *out, const char *object, int error, const char *advice);
/* The same of netlink.h. */
void module_netlink_error(struct output *out, int error);

#endif
