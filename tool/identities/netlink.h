/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netlink: the module's records by generic netlink, with libnl. One socket, for either
 * a dump or a subscription. Functions return 0 or a negative errno.
 */
#ifndef TOOL_NETLINK_H
#define TOOL_NETLINK_H

#include <stdbool.h>

#include "libbuildid/libbuildid.h"

struct netlink;

/* -ENODEV if there is no such family: no module, or another network namespace. */
int netlink_open(struct netlink **netlink);
void netlink_close(struct netlink *netlink);
int netlink_fd(const struct netlink *netlink);

/* Which files to dump. */
struct netlink_filter {
	bool by_device;
	uint32_t dev_major, dev_minor;
	bool by_kind;
	uint32_t kind;
};

/* Ask for the FILE records of all files in the module's cache, or of those in @filter. */
int netlink_dump(struct netlink *netlink, const struct netlink_filter *filter);
/* Like buildid_subscribe(), with the same errors. */
int netlink_subscribe(struct netlink *netlink, const struct buildid_options *options);

/*
 * The next record, checked, and valid until the next call. -ENODATA at the end of a dump, which it
 * waits for; -EAGAIN if the subscription has none now, -ENODEV if the module was unloaded.
 */
int netlink_next(struct netlink *netlink, const struct buildid_record **record);

#endif
