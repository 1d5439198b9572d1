/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generic netlink family "buildid": get, dump, subscribe.
 */
#ifndef BID_NETLINK_H
#define BID_NETLINK_H

int bid_netlink_init(void);
void bid_netlink_exit(void);

#endif /* BID_NETLINK_H */
