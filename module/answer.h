/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FILE records for who asks, rather than for who watches.
 */
#ifndef BID_ANSWER_H
#define BID_ANSWER_H

#include "file.h"

struct bid_entry;
struct bid_sight;
struct buildid_file;
struct file;

void bid_answer_entry(const struct bid_entry *entry, struct buildid_file *record);
void bid_answer_hide_path(struct buildid_file *record);
int bid_answer_file(struct file *file, bool mapped, struct buildid_file *record);
int bid_answer_anew(struct file *file, struct buildid_file *record);
int bid_answer_read(struct bid_sight *sight, enum bid_access access, struct bid_identity *id,
		    bool *racy);

#endif /* BID_ANSWER_H */
