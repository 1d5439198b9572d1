/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads a file and finds its identity, where one may sleep.
 */
#ifndef BID_READ_H
#define BID_READ_H

#include "file.h"

/**
 * struct bid_read - what was read
 * @version: of the file, when it was read
 * @unsure: the content may change, or may have changed, without a change of version
 * @id: the identity, or the reason why there is none
 */
struct bid_read {
	struct bid_version version;
	bool unsure;
	struct bid_identity id;
};

int bid_read_file(struct file *file, struct inode *inode, enum bid_access access,
		  struct bid_read *read);

#endif /* BID_READ_H */
