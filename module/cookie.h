/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cookies: identities that loaders set for code that is in no ELF file. cookie.c has the quotas and
 * the cookies of files, mapping_cookie.c those of mappings; set_cookie.c is the ioctl for both.
 */
#ifndef BID_COOKIE_H
#define BID_COOKIE_H

#include <linux/mm_types.h>
#include <linux/uidgid.h>

#include "file.h"
#include "record.h"

struct bid_cookie_owner;

void bid_cookie_init(void);
struct bid_cookie_owner *bid_cookie_charge(kuid_t uid);
void bid_cookie_uncharge(struct bid_cookie_owner *owner);
u32 bid_cookie_count(void);

int bid_cookie_set_file(kuid_t user, kuid_t file_owner, const struct bid_key *key,
			const struct bid_version *version, const struct bid_identity *id);
bool bid_cookie_clear_file(const struct bid_key *key);
bool bid_cookie_of_file(struct inode *inode, const struct bid_version *version,
			struct bid_identity *id);
void bid_cookie_exit(void);

#ifdef CONFIG_MMU_NOTIFIER
int bid_mapping_cookie_set(const struct bid_cookie_info *info);
int bid_mapping_cookie_clear(const struct bid_cookie_info *info);
bool bid_mapping_cookie_next(const struct mm_struct *mm, u64 from, struct bid_cookie_info *info);
void bid_mapping_cookie_exit(void);
#else
static inline int bid_mapping_cookie_set(const struct bid_cookie_info *info)
{
	return -EOPNOTSUPP;
}

static inline int bid_mapping_cookie_clear(const struct bid_cookie_info *info)
{
	return -EOPNOTSUPP;
}

static inline bool bid_mapping_cookie_next(const struct mm_struct *mm, u64 from,
					   struct bid_cookie_info *info)
{
	return false;
}

static inline void bid_mapping_cookie_exit(void)
{
}
#endif

#endif /* BID_COOKIE_H */
