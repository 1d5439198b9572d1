/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Supervise: lets a command that opens files of any user be interrupted. A process that waits for a
 * FUSE or NFS server that does not reply cannot stop waiting, even when killed; so a child does the
 * waiting, and its parent can end without it.
 */
#ifndef TOOL_SUPERVISE_H
#define TOOL_SUPERVISE_H

/*
 * Returns in a child, which does the rest. The parent forwards signals and ends as the child does;
 * if the child does not end on SIGINT, SIGTERM or SIGHUP, the parent ends without it, with a
 * message.
 */
void supervise(void);
/* What the child is about to open, for that message. */
void supervise_opens(const char *path);

#endif
