/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BID_VERSION_H
#define BID_VERSION_H

#define BID_VERSION "0.1.0"

#endif /* BID_VERSION_H */
