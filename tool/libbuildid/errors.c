// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What an errno of this library means, and what to do about it.
 *
 * The module's ioctls return few errors, and each has one cause that is worth more
 * than the text of strerror(3). Scripts match these texts.
 */

#include <errno.h>
#include <string.h>

#include "internal.h"

static const struct error {
	int number;
	const char *text, *advice;
} errors[] = {
#define LOAD "load it: modprobe buildid, or see: buildid doctor"
	{ ENODEV, "the module is not loaded", LOAD },
	{ ENOENT, "the module knows nothing of it", NULL },
	{ ENOTUNIQ, "several files have that inode number", "name the subvolume or node" },
	{ EACCES, "not permitted", "run as root, or as a member of the group of " BUILDID_DEVICE },
	{ EPERM, "not permitted", "run as root, or with CAP_PERFMON" },
#define UPGRADE "install the module and the tool of the same version"
	{ EPROTONOSUPPORT, "the module has another ABI version", UPGRADE },
	{ ENOTTY, "the module is too old for this request", UPGRADE },
	{ E2BIG, "the module is too old for this request", UPGRADE },
	{ EUSERS, "all rings of the module are in use",
	  "stop another recorder, see: buildid stats" },
	{ EBUSY, "the handle is already subscribed", NULL },
	{ ESRCH, "no such process", NULL },
	{ ENOBUFS, "records came faster than they were read", NULL },
	{ EBADMSG, "malformed record", NULL },
	{ EINVAL, "the module rejected the request", NULL },
	{ ENOSPC, "the buffer is too small for the record", NULL },
	{ ENOMEM, "out of memory",
	  "a ring counts as locked memory: use a smaller one, or raise ulimit -l" },
	{ EDQUOT, "too many cookies for this user", NULL },
	{ EEXIST, "the content has an identity of its own", NULL },
	{ EINTR, "interrupted", NULL },
	{ ESTALE, "the process kept calling exec", NULL },
	{ ETIMEDOUT, "the process keeps its address space locked", NULL },
	{ EAGAIN, "no record in time", NULL },
	{ ENXIO, "the handle is not subscribed", NULL },
	{ EBADF, "not a file that is open for reading", NULL },
};

static const struct error *errors_find(int number)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(errors); i++)
		if (errors[i].number == number || errors[i].number == -number)
			return &errors[i];
	return NULL;
}

const char *buildid_strerror(int number)
{
	const struct error *error = errors_find(number);
	const char *text;

	if (error)
		return error->text;
	/* Not strerror(), which may return the same buffer to every thread. */
	text = strerrordesc_np(number < 0 ? -number : number);
	return text ? text : "unknown error";
}

const char *buildid_advice(int number)
{
	const struct error *error = errors_find(number);

	return error ? error->advice : NULL;
}
