// SPDX-License-Identifier: GPL-2.0
/*
 * The user that limits and shares are counted for.
 */
#include <linux/cred.h>
#include <linux/user_namespace.h>

#include "user.h"

static kuid_t user_of(struct user_namespace *ns, kuid_t uid)
{
	kuid_t root;

	if (ns == &init_user_ns)
		return uid;
	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
		return ns->owner;
	root = make_kuid(ns, 0);
	return uid_valid(root) ? root : ns->owner;
}

/**
 * bid_user() - the user that what current takes is counted for
 *
 * In a user namespace a user can have many uids: there it is the owner of the namespace.
 * One that root created is a container, and there it is the container's root. Any context.
 */
kuid_t bid_user(void)
{
	return user_of(current_user_ns(), current_uid());
}
