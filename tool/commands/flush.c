// SPDX-License-Identifier: GPL-2.0
/* buildid flush: make the module forget all files. */

#include <inttypes.h>
#include <stdlib.h>

#include "commands.h"
#include "common/arguments.h"
#include "module.h"

static const char help[] =
	"usage: buildid flush [-j]\n"
	"\n"
	"Make the module forget all files that it identified. Needs CAP_SYS_ADMIN.\n"
	"Whoever watches notices nothing but new file ids.\n"
	"\n"
	"  -j, --json  one object\n"
	"  -h, --help  this text\n";

int cmd_flush(int argc, char **argv)
{
	struct buildid *handle;
	struct output out;
	uint64_t flushed;
	bool json;
	int err;

	err = args_plain(argc, argv, help, &json);
	if (err >= 0)
		return err;

	out_init(&out, stdout, json);
	handle = module_open(&out);
	if (!handle)
		return EXIT_FAILURE;
	err = buildid_flush(handle, &flushed);
	buildid_close(handle);
	if (err) {
		module_error(&out, BUILDID_DEVICE, err, ADVICE_ADMIN);
		return EXIT_FAILURE;
	}
	out_begin(&out);
	out_pair_number(&out, "flushed", flushed);
	out_end(&out);
	return EXIT_SUCCESS;
}
