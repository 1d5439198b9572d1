/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Older kernels under the newest one's names. The only place that names a
 * kernel version.
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

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
/* There is a digest, and no way for a module to learn it. */
#define BID_HAS_FSVERITY false

static inline int bid_fsverity_digest(struct inode *inode, u8 *digest)
{
	return 0;
}
#else
#define BID_HAS_FSVERITY IS_ENABLED(CONFIG_FS_VERITY)

static inline int bid_fsverity_digest(struct inode *inode, u8 *digest)
{
	return fsverity_get_digest(inode, digest, NULL, NULL);
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
/* A macro, as late 6.1 releases have the function too. */
#define inode_get_ctime(inode) ((inode)->i_ctime)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
static inline struct timespec64 inode_get_mtime(const struct inode *inode)
{
	return inode->i_mtime;
}

static inline struct shrinker *shrinker_alloc(unsigned int flags,
					      const char *fmt, ...)
{
	return kzalloc(sizeof(struct shrinker), GFP_KERNEL);
}

static inline void shrinker_register(struct shrinker *shrinker)
{
	shrinker->seeks = DEFAULT_SEEKS;
	/* without it nothing shrinks, and nothing else is lost */
	WARN_ON(register_shrinker(shrinker, "buildid"));
}

static inline void shrinker_free(struct shrinker *shrinker)
{
	unregister_shrinker(shrinker);
	kfree(shrinker);
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
/* A stacked file's own path is in f_path there, only its inode is real. */
static inline const struct path *file_user_path(const struct file *file)
{
	return &file->f_path;
}

/* What /proc/PID/maps shows: the real inode, on these kernels. */
static inline const struct inode *file_user_inode(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	if (inode->i_sb->s_magic == OVERLAYFS_SUPER_MAGIC)
		return d_real_inode(file->f_path.dentry);
	return inode;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
#define BID_GENL_BIND(bind_fn, unbind_fn)
#define BID_GENL_TELLS_BIND false
#else
#define BID_GENL_BIND(bind_fn, unbind_fn) .bind = (bind_fn), .unbind = (unbind_fn),
#define BID_GENL_TELLS_BIND true
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
static inline const void *bid_module_text(const struct module *module)
{
	return module->core_layout.base;
}

static inline u32 bid_module_text_size(const struct module *module)
{
	return module->core_layout.text_size;
}
#else
static inline const void *bid_module_text(const struct module *module)
{
	return module->mem[MOD_TEXT].base;
}

static inline u32 bid_module_text_size(const struct module *module)
{
	return module->mem[MOD_TEXT].size;
}
#endif

#endif /* BID_COMPAT_H */
