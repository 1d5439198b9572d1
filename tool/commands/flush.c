// SPDX-License-Identifier: GPL-2.0
/* buildid flush: make the module forget all files, so that each is identified again. */

#include <inttypes.h>
#include <stdlib.h>

#include "commands.h"
#include "common/arguments.h"
#include "module.h"

static const char help[] =
	"Make the module forget all files that it identified, and print how many. Readers "
	"notice new file ids, and nothing else. Needs CAP_SYS_ADMIN.";

static const char examples[] = "buildid flush\n";

int cmd_flush(int argc, char **argv)
{
	struct output out;
	const struct args args = {
		.command = "flush", .help = help, .examples = examples, .out = &out
	};
	struct buildid *handle;
	uint64_t flushed;
	int err;

	args_parse(&args, argc, argv);
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
