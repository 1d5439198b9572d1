/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Module: its device, opened for a command. What fails is printed here, with what
 * helps, so that every command says the same of the same trouble.
 */
#ifndef TOOL_MODULE_H
#define TOOL_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/output.h"
#include "libbuildid/libbuildid.h"

/* For what needs more than the capabilities that buildid_advice() names. */
#define ADVICE_ADMIN "run as root, or with CAP_SYS_ADMIN"

/* NULL after the error was printed. */
struct buildid *module_open(struct output *out);
/* Print why it is not. */
void module_open_error(struct output *out, int error);
/* The same as module_open(), subscribed; with module_warn(). */
struct buildid *module_subscribe(struct output *out, const struct buildid_options *options);

/* Whether it allows no ring of that size, unless that is 0: then printed. */
bool module_refuses(struct output *out, struct buildid *handle, uint32_t ring_size);
/*
 * Print why a subscription would get no mapping, where that is so. @handle is NULL where
 * the device cannot be asked: then nothing is printed.
 */
void module_warn(struct buildid *handle);

/* Of ioctl @number, as info shows it; NULL for one that this tool has no name for. */
const char *module_request_name(unsigned int number);

/* Print @error of libbuildid; @advice replaces the library's unless it is NULL. */
void module_error(struct output *out, const char *object, int error, const char *advice);
/* The same for an error of netlink.h. */
void module_netlink_error(struct output *out, int error);

#endif
