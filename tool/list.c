// SPDX-License-Identifier: GPL-2.0
/* buildid list: the files that the module remembers. */

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#include "args.h"
#include "commands.h"
#include "kernel.h"
#include "lines.h"
#include "module.h"
#include "netlink.h"

static const char help[] =
	"usage: buildid list [-k] [-m] [-a] [-j]\n"
	"\n"
	"List the files that the module remembers, as perf buildid-list does: the\n"
	"build-id and the path, each version of a file in a line of its own. Go's build\n"
	"ids have \"go:\" before them.\n"
	"\n"
	"  -k, --kernel   the running kernel in place of files: " KERNEL_NAME ", and the\n"
	"                 path of its file where that is found and of the same build\n"
	"  -m, --modules  its modules in place of files: the path of the file, if that is\n"
	"                 found and has this build-id, else the name in brackets\n"
	"  -a, --all      files without a build-id, too: with another identity, or with\n"
	"                 the reason in parentheses; the kernel and modules likewise\n"
	"  -j, --json     one object per line\n"
	"  -h, --help     this text\n"
	"\n"
	"Files need CAP_PERFMON or CAP_SYS_ADMIN, and the initial network namespace.\n";

static bool has_build_id(const struct buildid_file *file)
{
	return file->kind == BUILDID_KIND_GNU || file->kind == BUILDID_KIND_GO;
}

static int show_all(struct output *out, struct netlink *netlink, bool all)
{
	const struct buildid_record *record;
	int err;

	while (!(err = netlink_next(netlink, &record))) {
		const struct buildid_file *file = (const void *)record;

		if (record->type != BUILDID_RECORD_FILE)
			continue;
		if (all || has_build_id(file))
			lines_file(out, file, NULL);
	}
	return err == -ENODATA ? 0 : err;
}

static int list(struct output *out, bool all)
{
	struct netlink *netlink;
	int err;

	err = netlink_open(&netlink);
	if (!err)
		err = netlink_dump(netlink);
	if (!err)
		err = show_all(out, netlink, all);
	netlink_close(netlink);
	if (!err)
		return EXIT_SUCCESS;
	module_netlink_error(out, err, NULL);
	return EXIT_FAILURE;
}

static const struct option options[] = {
	{ "kernel", no_argument, NULL, 'k' },
	{ "modules", no_argument, NULL, 'm' },
	{ "all", no_argument, NULL, 'a' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

int cmd_list(int argc, char **argv)
{
	struct output out;
	bool kernel = false;
	bool modules = false;
	bool json = false;
	bool all = false;
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, "kmajh", options, NULL)) != -1) {
		switch (option) {
		case 'k':
			kernel = true;
			break;
		case 'm':
			modules = true;
			break;
		case 'a':
			all = true;
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			return args_help(help);
		default:
			return args_usage(argv);
		}
	}
	if (optind < argc)
		return args_wrong(argv, argv[optind], "list takes no argument");

	out_init(&out, stdout, json);
	if (kernel || modules)
		return kernel_list(&out, kernel, modules, all) ? EXIT_SUCCESS : EXIT_FAILURE;
	return list(&out, all);
}
