/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Silent: whose files are not asked for any more, as a server gave no answer. Each costs seconds,
 * and a child that is left behind.
 *
 * It is nobody else's loss: no more files of that device that this user's processes have mapped,
 * and after three devices none of that user. A user cannot hide another's files so. The user is
 * the real one: a set-user-ID program is not root's, but of who runs it. Not the owner of an entry
 * in /proc, who may be root for a process that is not dumpable.
 */
#ifndef TOOL_SILENT_H
#define TOOL_SILENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct silent_device;

/* Begins as all zeros. */
struct silent {
	struct silent_device *devices;
	size_t count;
};

bool silent_is(const struct silent *silent, uid_t uid, uint32_t major, uint32_t minor);
void silent_add(struct silent *silent, uid_t uid, uint32_t major, uint32_t minor);
void silent_free(struct silent *silent);

#endif
