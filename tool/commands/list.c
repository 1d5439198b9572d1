// SPDX-License-Identifier: GPL-2.0
/* buildid list: the files that the module remembers. */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/arguments.h"
#include "identities/netlink.h"
#include "kernel.h"
#include "print.h"
#include "module.h"
#include "perfdata/perfdata.h"

static const char help[] =
	"usage: buildid list [-k] [-m] [-a] [-j]\n"
	"       buildid list [-a] [--dev MAJOR:MINOR] [--kind KIND] [-j]\n"
	"       buildid list -i perf.data [-k] [-m] [-H] [-j]\n"
	"\n"
	"List the files that the module remembers, as perf buildid-list does: the\n"
	"build-id and the path, each version of a file in a line of its own. Go's build\n"
	"ids have \"go:\" before them.\n"
	"\n"
	"With -i the build-ids in a perf.data: the kernel's, and beside its name the path\n"
	"of its file where that is found; its modules', files', each content of a path in\n"
	"a line of its own.\n"
	"\n"
	"  -k, --kernel      the running kernel in place of files: " KERNEL_NAME ", and\n"
	"                    the path of its file where that is found and of the same\n"
	"                    build\n"
	"  -m, --modules     its modules in place of files: the path of the file, if that\n"
	"                    is found and has this build-id, else the name in brackets\n"
	"  -a, --all         files without a build-id, too: with another identity, or with\n"
	"                    the reason in parentheses; the kernel and modules likewise\n"
	"      --dev MAJ:MIN     only files on that device, as with -j\n"
	"      --kind KIND       only with an identity of that kind: gnu, go, htlhash,\n"
	"                    fsverity, cookie, none\n"
	"  -i, --input FILE  of a perf.data; - is standard input. -k and -m are of that\n"
	"  -H, --with-hits   only what samples lie in, whether it has a build-id or not\n"
	"  -j, --json        one object per line\n"
	"  -h, --help        this text\n"
	"\n"
	"Files of the module need CAP_PERFMON or CAP_SYS_ADMIN, and the initial network\n"
	"namespace.\n";

static bool has_build_id(const struct buildid_file *file)
{
	return file->kind == BUILDID_KIND_GNU || file->kind == BUILDID_KIND_GO;
}

/* @all: with any identity, or none. */
static int show_all(struct output *out, struct netlink *netlink, bool all)
{
	const struct buildid_record *record;
	int err;

	while (!(err = netlink_next(netlink, &record))) {
		const struct buildid_file *file = (const void *)record;

		if (record->type != BUILDID_RECORD_FILE)
			continue;
		if (all || has_build_id(file))
			print_file(out, file, NULL);
	}
	return err == -ENODATA ? 0 : err;
}

static int list(struct output *out, const struct netlink_filter *filter, bool all)
{
	struct netlink *netlink;
	int err;

	err = netlink_open(&netlink);
	if (!err)
		err = netlink_dump(netlink, filter);
	if (!err)
		err = show_all(out, netlink, all || filter->by_kind);
	netlink_close(netlink);
	if (!err)
		return EXIT_SUCCESS;
	module_netlink_error(out, err);
	return EXIT_FAILURE;
}

struct selection {
	bool kernel, modules; /* none of them: all there is */
	bool hits;
};

static bool is_listed(const struct perfdata_dso *dso, const struct selection *shown)
{
	if ((shown->kernel || shown->modules) &&
	    !(shown->kernel && dso->kind == PERFDATA_KIND_KERNEL) &&
	    !(shown->modules && dso->kind == PERFDATA_KIND_MODULE))
		return false;
	return shown->hits ? dso->hit : !!dso->id.size;
}

static void show_dso(struct output *out, const struct perfdata_dso *dso)
{
	char *path = NULL;

	if (dso->kind == PERFDATA_KIND_KERNEL && dso->id.size)
		path = kernel_path(&dso->id);
	print_dso(out, dso, path);
	free(path);
}

static int list_perfdata(struct output *out, const char *path, const struct selection *shown)
{
	struct perfdata *data = perfdata_open(path);
	const struct perfdata_dso *dsos;
	int count = data ? perfdata_dsos(data, &dsos) : -1;
	int i;

	for (i = 0; i < count; i++)
		if (is_listed(&dsos[i], shown))
			show_dso(out, &dsos[i]);
	if (count < 0)
		out_error(out, path, "%s", data ? perfdata_error(data) : strerror(ENOMEM));
	perfdata_close(data);
	return count < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static bool parse_device(const char *text, struct netlink_filter *filter)
{
	char rest;

	filter->by_device = true;
	return sscanf(text, "%" SCNu32 ":%" SCNu32 "%c", &filter->dev_major, &filter->dev_minor,
		      &rest) == 2;
}

static bool parse_kind(const char *text, struct netlink_filter *filter)
{
	filter->by_kind = true;
	for (filter->kind = 0; filter->kind <= BUILDID_KIND_COOKIE; filter->kind++)
		if (!strcmp(buildid_kind_name(filter->kind), text))
			return true;
	return false;
}

enum {
	DEVICE = 256,
	KIND
};

static const struct option options[] = {
	{ "dev", required_argument, NULL, DEVICE }, { "kind", required_argument, NULL, KIND },
	{ "kernel", no_argument, NULL, 'k' },	    { "modules", no_argument, NULL, 'm' },
	{ "all", no_argument, NULL, 'a' },	    { "input", required_argument, NULL, 'i' },
	{ "with-hits", no_argument, NULL, 'H' },    { "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },	    { NULL, 0, NULL, 0 },
};

int cmd_list(int argc, char **argv)
{
	struct netlink_filter filter = {};
	const char *input = NULL;
	struct output out;
	struct selection shown = {};
	bool json = false;
	bool all = false;
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, "kmai:Hjh", options, NULL)) != -1) {
		switch (option) {
		case 'k':
			shown.kernel = true;
			break;
		case 'm':
			shown.modules = true;
			break;
		case 'a':
			all = true;
			break;
		case DEVICE:
			if (!parse_device(optarg, &filter))
				return args_wrong(argv, optarg, "not MAJOR:MINOR");
			break;
		case KIND:
			if (!parse_kind(optarg, &filter))
				return args_wrong(argv, optarg, "no kind of identity");
			break;
		case 'i':
			input = optarg;
			break;
		case 'H':
			shown.hits = true;
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
	if (shown.hits && !input)
		return args_wrong(argv, "-H", "is for a perf.data, see -i");
	if (all && input)
		return args_wrong(argv, "-a", "is not for a perf.data");
	if ((filter.by_device || filter.by_kind) && (input || shown.kernel || shown.modules))
		return args_wrong(argv, filter.by_kind ? "--kind" : "--dev",
				  "is for files that the module remembers");

	out_init(&out, stdout, json);
	if (input)
		return list_perfdata(&out, input, &shown);
	if (shown.kernel || shown.modules)
		return kernel_list(&out, shown.kernel, shown.modules, all) ? EXIT_SUCCESS :
									     EXIT_FAILURE;
	return list(&out, &filter, all);
}
