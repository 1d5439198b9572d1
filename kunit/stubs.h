/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Knobs for tests. Included before anything of the module.
 */
#ifndef BID_KUNIT_STUBS_H
#define BID_KUNIT_STUBS_H

#include <linux/fs.h>

/* Files have no change counter, although shared memory's always do. */
extern bool stub_no_change_counter;

/* Added to the time in checks of whether time stamps are racy, in seconds. */
extern s64 stub_seconds_later;

#undef IS_I_VERSION
#define IS_I_VERSION(inode) (!stub_no_change_counter && (inode)->i_sb->s_flags & SB_I_VERSION)

#endif /* BID_KUNIT_STUBS_H */
