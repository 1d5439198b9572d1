/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files to identify, in shared memory, so that no disk and no path is needed.
 */
#ifndef BID_KUNIT_FILES_H
#define BID_KUNIT_FILES_H

#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/pagemap.h>
#include <linux/shmem_fs.h>

#include "compat.h"
#include "stubs.h"

static inline void close_file(void *file)
{
	__fput_sync(file);
}

/* A file of @size bytes without any page. */
static inline struct file *make_hole(struct kunit *test, const char *name, loff_t size)
{
	struct file *file = shmem_file_setup(name, size, BID_VM_NORESERVE);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, close_file, file), 0);
	return file;
}

static inline void write_file(struct kunit *test, struct file *file, const void *bytes, size_t len,
			      loff_t at)
{
	KUNIT_ASSERT_EQ(test, kernel_write(file, bytes, len, &at), len);
}

static inline struct file *make_file(struct kunit *test, const char *name, const void *bytes,
				     size_t len)
{
	struct file *file = make_hole(test, name, len);

	write_file(test, file, bytes, len, 0);
	return file;
}

/* Like a store to a shared mapping: no time stamp changes. */
static inline void store(struct kunit *test, struct file *file, u8 byte, loff_t at)
{
	struct page *page = shmem_read_mapping_page(file->f_mapping, at >> PAGE_SHIFT);
	u8 *bytes;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, page);
	bytes = kmap_local_page(page);
	bytes[offset_in_page(at)] = byte;
	kunmap_local(bytes);
	put_page(page);
}

/* Set the time of the last change relative to now, so that results do not depend on a clock. */
static inline void date_file(struct file *file, s64 seconds)
{
	struct timespec64 time;

	ktime_get_coarse_real_ts64(&time);
	time.tv_sec += seconds;
	inode_set_ctime_to_ts(file_inode(file), time);
}

/* Wait until the time stamps of a file reliably show whether it has changed. */
static inline void settle_time_stamps(void)
{
	msleep(20 + 3 * 1000 / HZ);
}

#endif /* BID_KUNIT_FILES_H */
