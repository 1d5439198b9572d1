/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lets the module be written for the newest kernel: what older kernels lack, under the
 * newest one's names. The only file that names a kernel version.
 */
#ifndef BID_COMPAT_H
#define BID_COMPAT_H

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/fsverity.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define BID_MODULE_TEXT(module)	     ((module)->core_layout.base)
#define BID_MODULE_TEXT_SIZE(module) ((module)->core_layout.text_size)
#else
#define BID_MODULE_TEXT(module)	     ((module)->mem[MOD_TEXT].base)
#define BID_MODULE_TEXT_SIZE(module) ((module)->mem[MOD_TEXT].size)
#endif

/* Older kernels have the digest, but export no function to get it. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define BID_HAS_FSVERITY		   false
#define BID_FSVERITY_DIGEST(inode, digest) 0
#else
#define BID_HAS_FSVERITY		   IS_ENABLED(CONFIG_FS_VERITY)
#define BID_FSVERITY_DIGEST(inode, digest) fsverity_get_digest(inode, digest, NULL, NULL)
#endif

/* A macro, as late 6.1 releases have the function, too. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define inode_get_ctime(inode) ((inode)->i_ctime)
#define genl_info_dump	       genl_dumpit_info
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define inode_get_mtime(inode) ((inode)->i_mtime)

static inline struct shrinker *shrinker_alloc(unsigned int flags, const char *fmt, ...)
{
	return kzalloc(sizeof(struct shrinker), GFP_KERNEL);
}

static inline void shrinker_register(struct shrinker *shrinker)
{
	shrinker->seeks = DEFAULT_SEEKS;
	/* if it fails the cache just does not shrink under memory pressure */
	WARN_ON(register_shrinker(shrinker, "buildid"));
}

static inline void shrinker_free(struct shrinker *shrinker)
{
	unregister_shrinker(shrinker);
	kfree(shrinker);
}
#endif

/* Here a mapped file of overlayfs has overlayfs's path in f_path, and the real inode. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define file_user_path(file) (&(file)->f_path)

static inline const struct inode *file_user_inode(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	return inode->i_sb->s_magic == OVERLAYFS_SUPER_MAGIC ? d_real_inode(file->f_path.dentry) :
							       inode;
}
#endif

#endif /* BID_COMPAT_H */
