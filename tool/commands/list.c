// SPDX-License-Identifier: GPL-2.0
/*
 * buildid list: build-ids, as perf buildid-list prints them.
 *
 * Of the files that the module remembers, by netlink, as there may be more of them than a
 * ring holds; of the running kernel and its modules; or of a perf.data, where each
 * content of a path has a line of its own.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/arguments.h"
#include "common/array.h"
#include "identities/netlink.h"
#include "kernel.h"
#include "print.h"
#include "module.h"
#include "options.h"
#include "perfdata/perfdata.h"

static const char help[] =
	"List build-ids and paths as perf buildid-list does: of the files that the module "
	"remembers, each version of a file in a line of its own; with --kernel and --modules "
	"of the running kernel in place of files; of a PERF_DATA each content of a path in a line "
	"of its own.\v"
	"Beside " KERNEL_NAME " and modules is the path of the file, if one of the same build "
	"is found. A Go build id follows \"go:\".\n\n"
	"Files that the module remembers need CAP_PERFMON or CAP_SYS_ADMIN, and the initial "
	"network namespace.";

static const char examples[] = "buildid list --kind any\n"
			       "buildid list -H perf.data\n";

static bool has_build_id(const struct buildid_file *file)
{
	return file->kind == BUILDID_KIND_GNU || file->kind == BUILDID_KIND_GO;
}

/* Files to be shown in order; more than that are shown in parts, each in order. */
#define SORTED_MAX (1 << 20)

struct files {
	struct buildid_file **files;
	size_t count;
};

/* Versions of one path the older first. */
static int list_compare(const void *a, const void *b)
{
	const struct buildid_file *one = *(struct buildid_file *const *)a;
	const struct buildid_file *other = *(struct buildid_file *const *)b;
	int paths = strcmp(buildid_file_path(one), buildid_file_path(other));

	return paths ? paths : COMPARE(one->file_id, other->file_id);
}

static void show_files(struct output *out, struct files *files)
{
	size_t i;

	array_sort(files->files, files->count, list_compare);
	for (i = 0; i < files->count; i++) {
		print_file(out, files->files[i], NULL);
		free(files->files[i]);
	}
	free(files->files);
	*files = (struct files){};
}

static int add_file(struct output *out, struct files *files, const struct buildid_file *file)
{
	struct buildid_file *copy;

	if (files->count == SORTED_MAX)
		show_files(out, files);
	if (!array_reserve(files->files, files->count))
		return -ENOMEM;
	copy = malloc(file->header.size);
	if (!copy)
		return -ENOMEM;
	files->files[files->count++] = memcpy(copy, file, file->header.size);
	return 0;
}

static int show_all(struct output *out, struct netlink *netlink, bool any_kind)
{
	const struct buildid_record *record;
	struct files files = {};
	int err = 0;

	while (!err && !(err = netlink_next(netlink, &record))) {
		const struct buildid_file *file = (const void *)record;

		if (record->type == BUILDID_RECORD_FILE && (any_kind || has_build_id(file)))
			err = add_file(out, &files, file);
	}
	show_files(out, &files);
	return err == -ENODATA ? 0 : err;
}

static int list(struct output *out, const struct netlink_filter *filter, bool any_kind)
{
	struct netlink *netlink;
	int err;

	err = netlink_open(&netlink);
	if (!err)
		err = netlink_dump(netlink, filter);
	if (!err)
		err = show_all(out, netlink, any_kind || filter->by_kind);
	netlink_close(netlink);
	if (!err)
		return EXIT_SUCCESS;
	module_netlink_error(out, err);
	return EXIT_FAILURE;
}

struct selection {
	struct netlink_filter filter;
	bool any_kind;	      /* without a build-id, too */
	bool kernel, modules; /* of a perf.data, neither of them: all there is */
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
	/* An object always says what was hit. */
	bool hits = shown->hits || out->json;
	int count = data ? perfdata_dsos(data, hits, &dsos) : -1;
	size_t doubtful = 0;
	int i;

	for (i = 0; i < count; i++) {
		if (!is_listed(&dsos[i], shown))
			continue;
		show_dso(out, &dsos[i]);
		doubtful += dsos[i].doubtful;
	}
	if (doubtful)
		fprintf(stderr,
			"buildid: %s: %zu modules have a build-id that another one has, too, as perf "
			"6.17 to 6.19 write it; at most one with the same is right: they are marked "
			"doubtful\n",
			path, doubtful);
	if (count < 0)
		out_error(out, path, "%s", data ? perfdata_error(data) : strerror(ENOMEM));
	perfdata_close(data);
	return count < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static const char *parse_device(void *to, const char *text)
{
	struct netlink_filter *filter = to;
	char rest;

	filter->by_device = true;
	if (sscanf(text, "%" SCNu32 ":%" SCNu32 "%c", &filter->dev_major, &filter->dev_minor,
		   &rest) != 2)
		return "not MAJOR:MINOR";
	return NULL;
}

static const char *parse_kind(void *to, const char *text)
{
	struct selection *shown = to;
	struct netlink_filter *filter = &shown->filter;

	shown->any_kind = !strcmp(text, "any");
	filter->by_kind = !shown->any_kind;
	if (shown->any_kind)
		return NULL;
	for (filter->kind = 0; filter->kind <= BUILDID_KIND_COOKIE; filter->kind++)
		if (!strcmp(buildid_kind_name(filter->kind), text))
			return NULL;
	return "not a kind of identity";
}

static void list_check(const struct selection *shown, const char *input)
{
	bool images = shown->kernel || shown->modules;

	if (shown->hits && !input)
		args_error("--with-hits", "only together with a perf.data");
	if (shown->filter.by_device && (input || images))
		args_error("--dev", "not together with a perf.data, --kernel and --modules");
	if (input && (shown->any_kind || shown->filter.by_kind))
		args_error("--kind", "not together with a perf.data");
	if (images && shown->filter.by_kind)
		args_error("--kind", "any, together with --kernel and --modules");
}

int cmd_list(int argc, char **argv)
{
	struct output out;
	const char *input = NULL;
	bool full = false;
	struct selection shown = {};
	const struct args_option options[] = {
		{ "kernel", 'k', NULL, "the running kernel, in place of files",
		  .flag = &shown.kernel },
		{ "modules", 'm', NULL, "its modules, in place of files", .flag = &shown.modules },
		{ "kind", 0, "KIND",
		  "identities of this kind only: gnu, go, htlhash, fsverity, cookie, none, or any; "
		  "gnu and go if not given",
		  .parse = parse_kind, .to = &shown },
		{ "dev", 0, "MAJOR:MINOR", "files on this device only, as --json has it",
		  .parse = parse_device, .to = &shown.filter },
		OPTION_FULL(&full),
		OPTION_INPUT(&input),
		{ "with-hits", 'H', NULL,
		  "of a perf.data: only what samples lie in, with or without a build-id",
		  .flag = &shown.hits },
		{},
	};
	const struct args args = { .command = "list",
				   .operands = "[PERF_DATA]",
				   .max_operands = 1,
				   .help = help,
				   .examples = examples,
				   .options = options,
				   .out = &out };

	option_recorded(args_parse(&args, argc, argv), &input, NULL);
	list_check(&shown, input);
	out_fit(&out, full);
	if (input)
		return list_perfdata(&out, input, &shown);
	if (shown.kernel || shown.modules)
		return kernel_list(&out, shown.kernel, shown.modules, shown.any_kind) ?
			       EXIT_SUCCESS :
			       EXIT_FAILURE;
	return list(&out, &shown.filter, shown.any_kind);
}
