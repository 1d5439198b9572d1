/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The identity of the running kernel and of its modules.
 */
#ifndef BID_KERNEL_IMAGE_H
#define BID_KERNEL_IMAGE_H

struct bid_subscriber;

int bid_kernel_image_init(void);
void bid_kernel_image_exit(void);

int bid_kernel_image_subscribe(struct bid_subscriber *subscriber);

#endif /* BID_KERNEL_IMAGE_H */
