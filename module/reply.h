/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FILE records in reply to an ioctl.
 */
#ifndef BID_REPLY_H
#define BID_REPLY_H

#include "lookup.h"
#include "worker.h"

struct buildid_file;

/**
 * struct bid_mapped - a file that was found in a mapping, to be read outside of the mmap lock
 * @lookup: of the file
 * @held: the file; as a file where the caller's permission is still to be asked for
 * @path: in @buf
 * @buf: room for it
 */
struct bid_mapped {
	struct bid_lookup lookup;
	struct bid_held held;
	struct bid_path path;
	char buf[PATH_MAX];
};

void bid_reply_entry(const struct bid_entry *entry, struct buildid_file *record);
void bid_reply_hide_path(struct buildid_file *record);
int bid_reply_file(struct file *file, struct buildid_file *record);
int bid_reply_reread(struct file *file, struct buildid_file *record);
bool bid_reply_mapped(struct file *file, struct bid_mapped *mapped, struct buildid_file *record);
int bid_reply_read_mapped(struct bid_mapped *mapped, struct buildid_file *record);
int bid_reply_identify(struct bid_lookup *lookup, enum bid_access access, struct bid_identity *id,
		       bool *racy);

#endif /* BID_REPLY_H */
