/* SPDX-License-Identifier: GPL-2.0 */
/* The version of module, tool, library and man pages, defined only here. */
#ifndef BID_VERSION_H
#define BID_VERSION_H

#define BID_VERSION "0.3.0"

#endif /* BID_VERSION_H */
