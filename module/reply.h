/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FILE records in reply to an ioctl.
 */
#ifndef BID_REPLY_H
#define BID_REPLY_H

#include "file.h"

struct bid_entry;
struct bid_lookup;
struct buildid_file;
struct file;

void bid_reply_entry(const struct bid_entry *entry, struct buildid_file *record);
void bid_reply_hide_path(struct buildid_file *record);
int bid_reply_file(struct file *file, bool mapped, struct buildid_file *record);
int bid_reply_reread(struct file *file, struct buildid_file *record);
int bid_reply_identify(struct bid_lookup *lookup, enum bid_access access, struct bid_identity *id,
		       bool *racy);

#endif /* BID_REPLY_H */
