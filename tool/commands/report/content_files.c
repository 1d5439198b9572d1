// SPDX-License-Identifier: GPL-2.0
/* Content files: the places in order, those that cost nothing first. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/open_regular.h"
#include "content/elf_file.h"
#include "content_files.h"

bool content_files_open(struct content_files *files, const char *directory, bool no_servers)
{
	struct reason unused;

	*files = (struct content_files){
		.dir = debug_dir_open(directory, false, &unused),
		.here = locator_new(false),
		.there = locator_new(!no_servers),
		.no_servers = no_servers,
	};
	return files->here && files->there;
}

void content_files_close(struct content_files *files)
{
	debug_dir_close(files->dir);
	locator_free(files->here);
	locator_free(files->there);
	*files = (struct content_files){};
}

static void content_files_take(struct content_file *file, struct located_file *found)
{
	file->fd = found->fd;
	file->source = found->source;
	snprintf(file->path, sizeof(file->path), "%s", found->path ? found->path : "");
	found->fd = -1;
	located_file_free(found);
}

static bool find_named(const struct content_request *request, struct content_file *file,
		       struct reason *reason)
{
	file->fd = open_regular(request->path, reason);
	file->source = "path";
	snprintf(file->path, sizeof(file->path), "%s", request->path);
	return file->fd >= 0;
}

static bool find_kept(struct content_files *files, const struct content_request *request,
		      struct content_file *file)
{
	const enum content_part part = request->vdso ? CONTENT_VDSO : CONTENT_ELF;
	char *entry;

	if (!files->dir || !request->id.size)
		return false;
	file->fd = debug_dir_find(files->dir, &request->id, part);
	if (file->fd < 0)
		return false;
	file->source = "kept";
	entry = debug_dir_entry(files->dir, &request->id);
	snprintf(file->path, sizeof(file->path), "%s/%s/%s", debug_dir_path(files->dir),
		 entry ? entry : "", content_part_name(part));
	free(entry);
	return true;
}

static bool find_elsewhere(struct content_files *files, const struct content_request *request,
			   struct content_file *file, struct reason *reason)
{
	const struct request asked = {
		.kind = request->vdso ? REQUEST_VDSO : REQUEST_FILE,
		.id = request->id,
		.path = request->path,
	};
	struct located_file found;

	if (!request->id.size)
		return reason_set(reason, "has no build-id");
	if ((request->path && locate_request(files->here, &asked, &found, reason)) ||
	    locate_by_id(files->here, &request->id, &found, reason) ||
	    locate_on_servers(files->there, &request->id, &found, reason)) {
		content_files_take(file, &found);
		return true;
	}
	return reason_set(
		reason, "no file with this build-id found: neither at its path nor in ~/.debug, "
			"nor on a server; record with 'buildid store --live' to keep each version");
}

static void find_debug(struct content_files *files, const struct build_id *id,
		       struct content_file *file)
{
	struct located_file found;
	struct elf_info info;
	struct reason unused;

	elf_file_info(file->fd, &info);
	if (info.symbols || !id->size)
		return;
	if (files->dir)
		file->debug = debug_dir_find(files->dir, id, CONTENT_DEBUG);
	if (file->debug < 0 &&
	    locate_debug(files->there, id, !files->no_servers, &found, &unused)) {
		file->debug = found.fd;
		found.fd = -1;
		located_file_free(&found);
	}
}

bool content_files_find(struct content_files *files, const struct content_request *request,
			bool debug, struct content_file *file, struct reason *reason)
{
	*file = (struct content_file){ .fd = -1, .debug = -1 };
	if (request->the_file ? !find_named(request, file, reason) :
				!find_kept(files, request, file) &&
					!find_elsewhere(files, request, file, reason))
		return false;
	if (debug)
		find_debug(files, &request->id, file);
	return true;
}

void content_file_close(struct content_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->debug >= 0)
		close(file->debug);
	file->fd = file->debug = -1;
}
