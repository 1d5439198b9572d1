/* SPDX-License-Identifier: GPL-2.0 */
/* Process user: whose a process is. */
#ifndef TOOL_PROCESS_USER_H
#define TOOL_PROCESS_USER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Its real user id. False, with errno, when it has exited or may not be looked at. */
bool process_user(uint32_t pid, uid_t *uid);

/* False also when that cannot be known. In another one a user may mount what he likes. */
bool process_in_our_user_namespace(uint32_t pid);

#endif
