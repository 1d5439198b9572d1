/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The character device /dev/buildid.
 */
#ifndef BID_CHARDEV_H
#define BID_CHARDEV_H

int bid_chardev_init(void);
void bid_chardev_exit(void);

#endif /* BID_CHARDEV_H */
