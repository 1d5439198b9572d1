/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KERNEL and MODULE records: the running kernel and its modules.
 */
#ifndef BID_KERNEL_IMAGE_H
#define BID_KERNEL_IMAGE_H

struct bid_subscriber;

int bid_kernel_image_init(void);
void bid_kernel_image_exit(void);

int bid_kernel_image_subscribe(struct bid_subscriber *subscriber);

#endif /* BID_KERNEL_IMAGE_H */
