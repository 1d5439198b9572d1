// SPDX-License-Identifier: GPL-2.0
/*
 * buildid resolve: a file by its build-id.
 *
 * Where it may be is a hint only, whether from the module or a server: a path is printed once
 * the build-id in the file is the one that was asked for.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "common/arguments.h"
#include "common/array.h"
#include "common/output.h"
#include "common/supervise.h"
#include "content/debug_dir.h"
#include "content/locate.h"
#include "content/running_kernel.h"
#include "id_prefix.h"
#include "identities/netlink.h"
#include "options.h"

static const char help[] =
	"Print the path of a file whose own build-id is ID, in hex, or begins so: "
	"where the module saw that content mapped (or the mapping in /proc, when no path leads to "
	"it any more), the file of the running kernel or of a module, in ~/.debug, in /usr/lib/debug, else from the "
	"servers in DEBUGINFOD_URLS.\v"
	"Without the module the other places are searched. Of 8 digits or more it takes the only "
	"build-id known here that begins with them. Exit status: 1 when there is no such file.";

static const char examples[] = "buildid resolve 4f2a9c10\n";

struct job {
	struct output out;
	struct build_id id;
	const char *text;
	const char *directory;
	bool no_servers;
	bool refused; /* by the module */
	struct locator *here;
	struct locator *there;
};

static void resolve_show(struct job *job, const char *path, const char *source)
{
	char text[BUILD_ID_TEXT];

	out_begin(&job->out);
	out_string(&job->out, "type", OUT_HIDDEN, "resolve");
	out_string(&job->out, "build_id", OUT_HIDDEN, build_id_text(&job->id, text));
	out_string(&job->out, "path", 0, path);
	out_string(&job->out, "source", OUT_HIDDEN, source);
	out_end(&job->out);
}

/* ---------------------------------------------------------- the module's -- */

static bool is_requested(const struct buildid_record *record, const struct build_id *id)
{
	const struct buildid_file *file = (const void *)record;
	const uint8_t *bytes;
	size_t size;

	if (record->type != BUILDID_RECORD_FILE)
		return false;
	bytes = buildid_file_id_bytes(file, &size);
	return bytes && size == id->size && !memcmp(bytes, id->bytes, size);
}

static bool show_located(struct job *job, const char *path, bool ours)
{
	struct request request = {
		.kind = REQUEST_FILE,
		.id = job->id,
		.path = path,
		.ours = ours,
		.any = true,
	};
	struct reason reason;
	struct located_file found;
	bool done = locate_request(job->here, &request, &found, &reason);

	if (done)
		resolve_show(job, found.path, found.source);
	located_file_free(&found);
	return done;
}

/*
 * That the module cannot be asked matters only when no other place has the file. With @ours
 * only files that nobody else can write to, as anybody can forge a build-id.
 */
static bool from_module(struct job *job, bool ours)
{
	const struct netlink_filter filter = { .by_kind = true, .kind = BUILDID_KIND_GNU };
	const struct buildid_record *record;
	struct netlink *netlink;
	bool done = false;
	int err;

	err = netlink_open(&netlink);
	if (!err)
		err = netlink_dump(netlink, &filter);
	while (!err && !(err = netlink_next(netlink, &record)))
		if (!done && is_requested(record, &job->id))
			done = show_located(job, buildid_file_path((const void *)record), ours);
	job->refused = err == -EPERM;
	netlink_close(netlink);
	return done;
}

/* -------------------------------------------------------------- others -- */

static bool from_directory(struct job *job)
{
	static const enum content_part parts[] = { CONTENT_ELF, CONTENT_VDSO, CONTENT_DEBUG };
	struct reason reason;
	struct debug_dir *dir = debug_dir_open(job->directory, false, &reason);
	char *entry = dir ? debug_dir_entry(dir, &job->id) : NULL;
	char *path = NULL;
	size_t i;
	int fd = -1;

	for (i = 0; entry && fd < 0 && i < ARRAY_SIZE(parts); i++) {
		fd = debug_dir_find(dir, &job->id, parts[i]);
		if (fd >= 0 && asprintf(&path, "%s/%s/%s", debug_dir_path(dir), entry,
					content_part_name(parts[i])) < 0)
			path = NULL;
	}
	if (path)
		resolve_show(job, path, "kept");
	if (fd >= 0)
		close(fd);
	free(entry);
	debug_dir_close(dir);
	free(path);
	return fd >= 0;
}

static void offer_mapped(struct id_prefix *prefix)
{
	const struct netlink_filter filter = { .by_kind = true, .kind = BUILDID_KIND_GNU };
	const struct buildid_record *record;
	struct netlink *netlink;
	int err = netlink_open(&netlink);

	if (!err)
		err = netlink_dump(netlink, &filter);
	while (!err && !(err = netlink_next(netlink, &record)))
		id_prefix_offer_file(prefix, record);
	netlink_close(netlink);
}

/* Servers know only whole ids. */
static bool resolve_complete(struct job *job)
{
	struct id_prefix prefix;
	struct reason reason;
	struct debug_dir *dir = debug_dir_open(job->directory, false, &reason);
	struct build_id kernel;

	id_prefix_start(&prefix, job->text);
	offer_mapped(&prefix);
	if (running_kernel_build_id(&kernel))
		id_prefix_offer(&prefix, kernel.bytes, kernel.size);
	if (dir)
		id_prefix_offer_stored(&prefix, debug_dir_path(dir));
	debug_dir_close(dir);
	id_prefix_offer_stored(&prefix, "/usr/lib/debug");
	return id_prefix_settle(&prefix, &job->out, &job->id);
}

static bool show_found(struct job *job, struct located_file *found, bool is)
{
	if (is)
		resolve_show(job, found->path, found->source);
	located_file_free(found);
	return is;
}

static bool from_kernel(struct job *job)
{
	struct located_file found;
	bool is = locate_kernel(&job->id, &found);

	return show_found(job, &found, is);
}

static bool from_debug_files(struct job *job)
{
	struct reason reason;
	struct located_file found;
	bool is = locate_debug(job->here, &job->id, false, &found, &reason);

	return show_found(job, &found, is);
}

static bool from_servers(struct job *job, struct reason *reason)
{
	struct located_file found;
	bool is = locate_on_servers(job->there, &job->id, &found, reason) ||
		  locate_debug(job->there, &job->id, true, &found, reason);

	return show_found(job, &found, is);
}

static int resolve(struct job *job)
{
	struct reason reason = {};

	if (from_module(job, true) || from_kernel(job) || from_directory(job) ||
	    from_debug_files(job) || from_module(job, false) || from_servers(job, &reason))
		return EXIT_SUCCESS;
	out_error(&job->out, job->text, "no file with this build-id found; %s%s", reason.text,
		  job->refused ? "; the module was not asked: not permitted; run as root, or "
				 "with CAP_PERFMON" :
				 "");
	return EXIT_FAILURE;
}

static int resolve_run(struct job *job)
{
	int status = EXIT_FAILURE;

	if (id_prefix_is(job->text) && !resolve_complete(job))
		return status;
	job->here = locator_new(false);
	job->there = locator_new(!job->no_servers);
	if (job->here && job->there)
		status = resolve(job);
	else
		out_error(&job->out, job->text, "%s", strerror(ENOMEM));
	locator_free(job->here);
	locator_free(job->there);
	return status;
}

int cmd_resolve(int argc, char **argv)
{
	struct job job = {};
	const struct args_option options[] = {
		OPTION_DIR(&job.directory),
		OPTION_NO_DEBUGINFOD(&job.no_servers),
		{},
	};
	const struct args args = {
		.command = "resolve",
		.operands = "ID",
		.max_operands = 1,
		.help = help,
		.examples = examples,
		.options = options,
		.out = &job.out,
	};

	job.text = *args_parse(&args, argc, argv);
	if (!job.text)
		args_error("ID", "missing operand");
	if (!build_id_parse(&job.id, job.text) && !id_prefix_is(job.text))
		args_error(job.text, "not a build-id in hex");
	supervise();
	return resolve_run(&job);
}
