/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BID_USER_H
#define BID_USER_H

#include <linux/uidgid.h>

kuid_t bid_user(void);

#endif
