/* SPDX-License-Identifier: GPL-2.0 */
/* What older kernels lack, under its newest name. bid_config.h says what this kernel has. */
#ifndef BID_COMPAT_H
#define BID_COMPAT_H

#include <linux/fsverity.h>
#include <linux/module.h>
#include <linux/shrinker.h>
#include <linux/slab.h>

#include "bid_config.h"

#ifndef BID_HAS_VM_FLAGS_CLEAR
#define vm_flags_clear(vma, flags) ((vma)->vm_flags &= ~(vm_flags_t)(flags))
#define vm_flags_set(vma, flags)   ((vma)->vm_flags |= (vm_flags_t)(flags))
#endif
#ifdef BID_HAS_MODULE_MEM
#define BID_MODULE_TEXT(module)	     ((module)->mem[MOD_TEXT].base)
#define BID_MODULE_TEXT_SIZE(module) ((module)->mem[MOD_TEXT].size)
#else
#define BID_MODULE_TEXT(module)	     ((module)->core_layout.base)
#define BID_MODULE_TEXT_SIZE(module) ((module)->core_layout.text_size)
#endif
#ifndef BID_HAS_CALL_RCU_HURRY
#define call_rcu_hurry call_rcu
#endif
/* Older kernels have the digest but export no function for it. */
#ifndef BID_HAS_FSVERITY_DIGEST
#define fsverity_get_digest(inode, digest, alg, hash) 0
#endif
#ifndef BID_HAS_INODE_CTIME
#define inode_get_ctime(inode) ((inode)->i_ctime)
#endif
#ifndef BID_HAS_INODE_MTIME
#define inode_get_mtime(inode) ((inode)->i_mtime)
#endif
#ifndef BID_HAS_GENL_INFO_DUMP
#define genl_info_dump genl_dumpit_info
#endif
/* An overlay's file without a lookup of its data; old kernels did that at open, or do it here. */
#ifdef BID_HAS_D_REAL_METADATA
#define BID_METADATA_INODE(dentry) d_inode(d_real(dentry, D_REAL_METADATA))
#else
#define BID_METADATA_INODE(dentry) d_real_inode(dentry)
#endif
#ifndef BID_HAS_SHRINKER_ALLOC
static inline struct shrinker *shrinker_alloc(unsigned int flags, const char *fmt, ...)
{
	return kzalloc(sizeof(struct shrinker), GFP_KERNEL);
}

static inline void shrinker_register(struct shrinker *shrinker)
{
	shrinker->seeks = DEFAULT_SEEKS;
	/* on failure the cache just does not shrink under memory pressure */
	WARN_ON(register_shrinker(shrinker, "buildid"));
}

static inline void shrinker_free(struct shrinker *shrinker)
{
	unregister_shrinker(shrinker);
	kfree(shrinker);
}
#endif
#if defined(BID_HAS_FILE_USER_PATH) && !defined(BID_HAS_FILE_USER_INODE)
static inline const struct inode *file_user_inode(struct file *file)
{
	return file->f_mode & FMODE_BACKING ? d_inode(file_user_path(file)->dentry) :
					      file_inode(file);
}
#endif
#ifdef BID_HAS_FILE_USER_PATH
/* They do not modify the file, but some kernels declare them without const. */
#define file_user_path(f)  file_user_path((struct file *)(f))
#define file_user_inode(f) file_user_inode((struct file *)(f))
#else
/* Here a mapped file of overlayfs has overlayfs's path in f_path; see file.h for its inode. */
#define file_user_path(f) (&(f)->f_path)
#endif
#ifndef BID_HAS_FILE_MNT_IDMAP
#define file_mnt_idmap(f) file_mnt_user_ns((struct file *)(f))
#endif
#if defined(BID_HAS_FTRACE_ARGS) && !defined(BID_HAS_FTRACE_GET_ARGUMENT)
#define ftrace_regs_get_argument(fregs, n) regs_get_kernel_argument(&(fregs)->regs, n)
#endif
/* For shmem_file_setup(): do not account the size up front. */
#ifdef BID_HAS_VMA_FLAGS
#define BID_VM_NORESERVE mk_vma_flags(VMA_NORESERVE_BIT)
#else
#define BID_VM_NORESERVE VM_NORESERVE
#endif
#endif /* BID_COMPAT_H */
