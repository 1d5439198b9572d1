/* SPDX-License-Identifier: GPL-2.0 */
/* Process user: the user who owns a process. */
#ifndef TOOL_PROCESS_USER_H
#define TOOL_PROCESS_USER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Its real user id. False, with errno, if it has exited or access is denied. */
bool process_user(uint32_t pid, uid_t *uid);

/* Not uids: of processes that have exited; of user namespaces created by root. */
#define PROCESS_OF_NOBODY_KNOWN	   UINT64_MAX
#define PROCESS_NAMESPACED_BY_ROOT (UINT64_MAX - 1)

/*
 * The user responsible for what the process has mounted and mapped: its real user id, or, in a user
 * namespace below ours, the creator of the outermost one, who may assume any of its ids. Or one of
 * the above.
 */
uint64_t process_blamed(uint32_t pid, bool *in_our_namespace);

#endif
