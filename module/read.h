/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads a file and finds its identity. May sleep.
 */
#ifndef BID_READ_H
#define BID_READ_H

#include "file.h"

int bid_read_file(struct file *file, struct inode *inode, enum bid_access access,
		  struct bid_version *version, struct bid_identity *id, bool *unsure);

#endif /* BID_READ_H */
