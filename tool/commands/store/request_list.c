// SPDX-License-Identifier: GPL-2.0
/* Request list: from DSOs to requests. What perf would store, and what it cannot know. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "content/debug_dir.h"
#include "identities/jit_file.h"
#include "perfdata/perfdata.h"
#include "request_list.h"

static bool is_vdso(const char *path)
{
	return !strcmp(path, DEBUG_DIR_VDSO);
}

static enum request_kind kind_of(const struct perfdata_dso *dso)
{
	switch (dso->kind) {
	case PERFDATA_KIND_KERNEL:
		return REQUEST_KERNEL;
	case PERFDATA_KIND_MODULE:
		return REQUEST_MODULE;
	default:
		return is_vdso(dso->path) ? REQUEST_VDSO : REQUEST_FILE;
	}
}

static void request_list_add(struct request_list *list, const struct perfdata_dso *dso)
{
	struct request *request;

	if (!dso->id.size) {
		/* Memory without a file never has a build-id, except the vdso. */
		if (dso->kind != PERFDATA_KIND_OTHER && !is_vdso(dso->path))
			list->unknown[list->nr_unknown++] = dso->path;
		return;
	}
	request = &list->items[list->count++];
	request->kind = kind_of(dso);
	request->id = dso->id;
	request->doubtful = dso->doubtful;
	request->path = dso->path;
	request->pids = dso->pids;
	request->nr_pids = dso->nr_pids;
}

/* Requested under the id that the file itself has. */
static void request_jit(struct request_list *list, size_t at, const struct build_id *id)
{
	list->items[list->count++] = (struct request){
		.kind = REQUEST_FILE,
		.id = *id,
		.path = list->unknown[at],
	};
	list->unknown[at] = list->unknown[--list->nr_unknown];
}

/* No recorder knows files that no process has mapped: look at the files. */
static void find_jit(struct request_list *list)
{
	struct stat data;
	struct perfdata_mapping mapping;
	struct build_id id;
	const char *unused;
	size_t i;

	if (!perfdata_stat(list->data, &data))
		return;
	perfdata_rewind(list->data);
	while (list->nr_unknown && perfdata_next_mapping(list->data, &mapping) > 0) {
		if (!jit_file_is(&mapping))
			continue;
		for (i = 0; i < list->nr_unknown && strcmp(list->unknown[i], mapping.path); i++)
			;
		if (i < list->nr_unknown && jit_file_id(&mapping, &data, &id, &unused))
			request_jit(list, i, &id);
	}
}

static bool any_hit(const struct perfdata_dso *dsos, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (dsos[i].hit)
			return true;
	return false;
}

static bool request_list_fill(struct request_list *list, const struct perfdata_dso *dsos,
			      size_t count, bool all)
{
	size_t i;

	/* One more, as calloc(3) may return NULL for none. */
	list->items = calloc(count + 1, sizeof(*list->items));
	list->unknown = calloc(count + 1, sizeof(*list->unknown));
	if (!list->items || !list->unknown)
		return false;
	/* For a pipe's output this is only known now. */
	all = all || !any_hit(dsos, count) || perfdata_needs_all(list->data);
	for (i = 0; i < count; i++)
		/* Always the vdso, as perf does: it is in no file later. */
		if (all || dsos[i].hit || is_vdso(dsos[i].path))
			request_list_add(list, &dsos[i]);
	find_jit(list);
	return true;
}

bool request_list_read(struct request_list *list, struct output *out, const char *path, bool all)
{
	const struct perfdata_dso *dsos;
	int count;

	*list = (struct request_list){};
	list->data = perfdata_open(path);
	all = all || (list->data && perfdata_needs_all(list->data));
	count = list->data ? perfdata_dsos(list->data, !all, &dsos) : -1;
	if (count >= 0 && request_list_fill(list, dsos, (size_t)count, all))
		return true;
	out_error(out, path, "%s",
		  list->data && count < 0 ? perfdata_error(list->data) : strerror(ENOMEM));
	request_list_free(list);
	return false;
}

void request_list_free(struct request_list *list)
{
	free(list->items);
	free(list->unknown);
	perfdata_close(list->data);
	*list = (struct request_list){};
}
