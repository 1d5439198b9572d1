// SPDX-License-Identifier: GPL-2.0
/*
 * The tests for compat.h: kbuild compiles this file once for each BID_HAS_ in it, with that macro
 * defined, and defines in bid_config.h what compiles. Version checks would not do, as vendors
 * backport functions.
 */
#include <linux/fs.h>
#include <linux/fsverity.h>
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/shmem_fs.h>
#include <linux/shrinker.h>
#include <net/genetlink.h>

static inline void probe_mapping(struct file *file, struct inode *inode, struct vm_area_struct *vma)
{
#ifdef BID_HAS_CALL_RCU_HURRY
	call_rcu_hurry(NULL, NULL);
#endif
#ifdef BID_HAS_D_REAL_METADATA
	d_real(NULL, D_REAL_METADATA);
#endif
#ifdef BID_HAS_FILE_MNT_IDMAP
	file_mnt_idmap(file);
#endif
#ifdef BID_HAS_FILE_USER_INODE
	file_user_inode(file);
#endif
#ifdef BID_HAS_FILE_USER_PATH
	file_user_path(file);
#endif
#ifdef BID_HAS_FSVERITY_DIGEST
	/* exported only in the version with four arguments */
	fsverity_get_digest(inode, NULL, NULL, NULL);
#endif
#ifdef BID_HAS_FTRACE_GET_ARGUMENT
	ftrace_regs_get_argument((struct ftrace_regs *)NULL, 0);
#endif
#ifdef BID_HAS_GENL_INFO_DUMP
	genl_info_dump(NULL);
#endif
#ifdef BID_HAS_INODE_CTIME
	inode_get_ctime(inode);
#endif
#ifdef BID_HAS_INODE_MTIME
	inode_get_mtime(inode);
#endif
#ifdef BID_HAS_MODULE_MEM
	(void)THIS_MODULE->mem[MOD_TEXT].base;
#endif
#ifdef BID_HAS_SHRINKER_ALLOC
	shrinker_free(shrinker_alloc(0, "buildid"));
#endif
#ifdef BID_HAS_VMA_FLAGS
	shmem_file_setup("buildid", 0, (vma_flags_t){});
#endif
#ifdef BID_HAS_VM_FLAGS_CLEAR
	vm_flags_clear(vma, 0);
#endif
#ifdef BID_TEST_MISSING
	bid_function_that_no_kernel_has();
#endif
}
