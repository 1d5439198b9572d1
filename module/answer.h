/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FILE records for who asks, rather than for who watches.
 */
#ifndef BID_ANSWER_H
#define BID_ANSWER_H

#include <linux/types.h>

struct bid_entry;
struct buildid_file;
struct file;

void bid_answer_entry(const struct bid_entry *entry, struct buildid_file *record);
void bid_answer_hide_path(struct buildid_file *record);
int bid_answer_file(struct file *file, bool defer, struct buildid_file *record);
int bid_answer_anew(struct file *file, struct buildid_file *record);

#endif /* BID_ANSWER_H */
