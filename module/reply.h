/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FILE records in reply to an ioctl.
 */
#ifndef BID_REPLY_H
#define BID_REPLY_H

#include "lookup.h"

struct buildid_file;

/**
 * struct bid_mapped - a mapped file, to be read outside the mmap lock
 * @lookup: of the file, which it holds
 * @path: in @buf
 * @buf: buffer of @path
 */
struct bid_mapped {
	struct bid_lookup lookup;
	struct bid_path path;
	char buf[PATH_MAX];
};

void bid_reply_entry(const struct bid_entry *entry, struct buildid_file *record);
void bid_reply_hide_path(struct buildid_file *record);
int bid_reply_file(struct file *file, struct buildid_file *record);
int bid_reply_reread(struct file *file, struct buildid_file *record);
bool bid_reply_mapped(struct file *file, struct bid_mapped *mapped, struct buildid_file *record);
int bid_reply_read_mapped(struct bid_mapped *mapped, struct buildid_file *record);
int bid_reply_read(struct bid_lookup *lookup);

#endif /* BID_REPLY_H */
