/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Supervise: a command that opens files of anybody's can be ended. A request to a FUSE or NFS
 * server that does not answer cannot be given up by who made it, not even when it is killed;
 * so a child makes it, and its parent ends without it.
 */
#ifndef TOOL_SUPERVISE_H
#define TOOL_SUPERVISE_H

/*
 * Returns in a child, which does the rest. The parent passes signals on, ends as the child
 * does, and without it, with a message, when it does not end of SIGINT, SIGTERM or SIGHUP.
 */
void supervise(void);
/* What the child is about to open, for that message. */
void supervise_opens(const char *path);

#endif
