// SPDX-License-Identifier: GPL-2.0
/* Module: open it, and say in one line what is wrong and what helps. */

#include <errno.h>
#include <unistd.h>

#include "module.h"

#define MODULE_DIRECTORY "/sys/module/buildid"

void module_error(struct output *out, const char *object, int error,
		  const char *advice)
{
	/* Only permissions are a matter of what was asked for. */
	if (!advice || error != -EPERM)
		advice = buildid_advice(error);
	out_error(out, object, "%s%s%s", buildid_strerror(error),
		  advice ? "; " : "", advice ? advice : "");
}

struct buildid *module_open(struct output *out)
{
	struct buildid *handle;
	int err = buildid_open(&handle);

	if (!err)
		return handle;

	/* As in a container with a /dev of its own. */
	if (err == -ENOENT && !access(MODULE_DIRECTORY, F_OK))
		out_error(out, BUILDID_DEVICE,
			  "the module is loaded, but its device is not in this /dev");
	else
		module_error(out, BUILDID_DEVICE, err, NULL);
	return NULL;
}
