// SPDX-License-Identifier: GPL-2.0
/* Wanted: from DSOs to contents. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "content/debug_dir.h"
#include "perfdata/perfdata.h"
#include "requested.h"

static bool is_vdso(const char *path)
{
	return !strcmp(path, DEBUG_DIR_VDSO);
}

static enum wanted_kind kind_of(const struct perfdata_dso *dso)
{
	switch (dso->space) {
	case PERFDATA_KERNEL:
		return WANTED_KERNEL;
	case PERFDATA_MODULE:
		return WANTED_MODULE;
	default:
		return is_vdso(dso->path) ? WANTED_VDSO : WANTED_FILE;
	}
}

static void add(struct wanted_list *list, const struct perfdata_dso *dso)
{
	struct wanted *wanted;

	if (!dso->id_size) {
		/* Memory that no file is behind never has one; the vdso may. */
		if (dso->space != PERFDATA_OTHER && !is_vdso(dso->path))
			list->unknown[list->nr_unknown++] = dso->path;
		return;
	}
	wanted = &list->items[list->count++];
	wanted->kind = kind_of(dso);
	build_id_set(&wanted->id, dso->id, dso->id_size);
	wanted->path = dso->path;
	wanted->pids = dso->pids;
	wanted->nr_pids = dso->nr_pids;
}

static bool any_hit(const struct perfdata_dso *dsos, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (dsos[i].hit)
			return true;
	return false;
}

static bool fill(struct wanted_list *list, const struct perfdata_dso *dsos, size_t count, bool all)
{
	size_t i;

	/* One more: none is no error. */
	list->items = calloc(count + 1, sizeof(*list->items));
	list->unknown = calloc(count + 1, sizeof(*list->unknown));
	if (!list->items || !list->unknown)
		return false;
	all = all || !any_hit(dsos, count);
	for (i = 0; i < count; i++)
		/* perf keeps the vdso always: it cannot be had later. */
		if (all || dsos[i].hit || is_vdso(dsos[i].path))
			add(list, &dsos[i]);
	return true;
}

bool wanted_read(struct wanted_list *list, struct output *out, const char *path, bool all)
{
	const struct perfdata_dso *dsos;
	const char *problem;
	int count = -1;

	*list = (struct wanted_list){};
	list->data = perfdata_open(path);
	problem = list->data ? perfdata_problem(list->data) : strerror(ENOMEM);
	if (!problem) {
		count = perfdata_dsos(list->data, &dsos);
		if (count < 0)
			problem = perfdata_problem(list->data);
	}
	if (!problem && !fill(list, dsos, (size_t)count, all))
		problem = strerror(ENOMEM);
	if (!problem)
		return true;
	out_error(out, path, "%s", problem);
	wanted_free(list);
	return false;
}

void wanted_free(struct wanted_list *list)
{
	free(list->items);
	free(list->unknown);
	perfdata_close(list->data);
	*list = (struct wanted_list){};
}
