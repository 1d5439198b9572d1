// SPDX-License-Identifier: GPL-2.0
/*
 * The user that limits and shares are counted for.
 */
#include <linux/cred.h>
#include <linux/user_namespace.h>

#include "user.h"

static kuid_t user_of(struct user_namespace *ns, kuid_t uid)
{
	kuid_t user = uid, root;

	for (; ns != &init_user_ns; ns = ns->parent) {
		/* any user can have 32 of them, and his map of ids may be long */
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID)) {
			user = ns->owner;
			continue;
		}
		root = make_kuid(ns, 0);
		if (uid_valid(root) && !uid_eq(root, GLOBAL_ROOT_UID))
			user = root;
	}
	return user;
}

/**
 * bid_user() - the user that what current takes is counted for
 *
 * In a user namespace a user can have many uids: there it is the owner of the outermost one.
 * One that root created is a container, and there it is the container's root; unless that is
 * root itself, as with PrivateUsers= of systemd, or not mapped, where uids are those outside.
 * Any context.
 */
kuid_t bid_user(void)
{
	return user_of(current_user_ns(), current_uid());
}
