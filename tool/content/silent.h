/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Silent: whose files are not asked for any more, as a server gave no answer. Each costs seconds,
 * and a child that is left behind.
 *
 * Others lose nothing: what is skipped is files on that device that this user's processes have
 * mapped, and after three devices all files of that user. So a user cannot hide another's files.
 * The user is the real one, as a set-user-ID program belongs to the user who runs it. It is not the
 * owner of an entry in /proc, which may be root for a process that is not dumpable.
 */
#ifndef TOOL_SILENT_H
#define TOOL_SILENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct silent_device;

/* Initialized to all zeros. */
struct silent {
	struct silent_device *devices;
	size_t count;
};

bool silent_is(const struct silent *silent, uid_t uid, uint32_t major, uint32_t minor);
void silent_add(struct silent *silent, uid_t uid, uint32_t major, uint32_t minor);
void silent_free(struct silent *silent);

#endif
