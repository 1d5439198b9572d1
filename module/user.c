// SPDX-License-Identifier: GPL-2.0
/*
 * Which user limits and shares are charged to.
 */
#include <linux/cred.h>
#include <linux/user_namespace.h>

#include "user.h"

static kuid_t user_of(struct user_namespace *ns, kuid_t uid)
{
	kuid_t user = uid, root;

	for (; ns != &init_user_ns; ns = ns->parent) {
		/* any user can nest 32 of them, and their id maps may be long */
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
 * bid_user() - the user to charge for what current takes
 *
 * A user namespace gives its user many uids, so there it is the owner of the outermost user
 * namespace. If root created that one, it is a container, and the user is the container's root;
 * unless that is root itself, as with PrivateUsers= of systemd, or not mapped, in which case it is
 * the uid in the initial namespace. Any context.
 */
kuid_t bid_user(void)
{
	return user_of(current_user_ns(), current_uid());
}
