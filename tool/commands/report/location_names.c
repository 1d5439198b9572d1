// SPDX-License-Identifier: GPL-2.0
/*
 * Location names: content by content, each with a process of its own that reads the file, and its
 * places in order, so that what is around one is known for the next.
 *
 * The kernel's symbols are at other addresses after each boot: those of /proc/kallsyms count only
 * where its first one is where the recording has the kernel, and of a kernel and of modules that
 * have the recorded build-ids.
 */

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "content/kallsyms.h"
#include "content/kernel_modules.h"
#include "content/running_kernel.h"
#include "content/symbols.h"
#include "location_names.h"

#define UNKNOWN "[unknown]"

struct naming {
	struct stacks *stacks;
	struct content_files *files;
	struct location_losses *losses;
	uint32_t *order;	   /* of the locations, by content and place */
	struct kallsyms *kallsyms; /* or NULL, also if @has_kallsyms */
	bool has_kallsyms;
};

static int compare_locations(const void *a, const void *b, void *context)
{
	const struct stack_location *locations = context;
	const struct stack_location *one = &locations[*(const uint32_t *)a];
	const struct stack_location *other = &locations[*(const uint32_t *)b];
	int result = COMPARE(one->dso, other->dso);

	return result ? result : COMPARE(one->place, other->place);
}

static bool sort_locations(struct naming *naming)
{
	const struct stacks *stacks = naming->stacks;
	size_t i;

	naming->order = calloc(stacks->nr_locations + 1, sizeof(*naming->order));
	if (!naming->order)
		return false;
	for (i = 0; i < stacks->nr_locations; i++)
		naming->order[i] = (uint32_t)i;
	if (stacks->nr_locations > 1)
		qsort_r(naming->order, stacks->nr_locations, sizeof(*naming->order),
			compare_locations, stacks->locations);
	return true;
}

static bool name_all(struct naming *naming, size_t first, size_t count, uint64_t *losses)
{
	size_t i;

	*losses += count;
	for (i = first; i < first + count; i++)
		if (!stacks_name(naming->stacks, naming->order[i], UNKNOWN))
			return false;
	return true;
}

/* ---------------------------------------------------------------------- a file -- */

/* What perf shows: the function that is not inlined. */
static const char *function_of(const struct symbol *symbol)
{
	const char *function = symbol->nr_into ? symbol->into[symbol->nr_into - 1].function :
						 symbol->function;

	return function ? function : UNKNOWN;
}

/* Of one without a name, why. */
static uint64_t *loss_in(struct naming *naming, const struct symbols *symbols, bool found)
{
	uint64_t unused;

	return !found && symbols_ended(symbols, &unused) ? &naming->losses->unread :
							   &naming->losses->unnamed;
}

static bool name_by_symbols(struct naming *naming, struct symbols *symbols, size_t first,
			    size_t count)
{
	struct symbol symbol;
	const char *function;
	bool found;
	size_t i;

	for (i = first; i < first + count; i++) {
		uint32_t location = naming->order[i];
		uint64_t place = naming->stacks->locations[location].place;

		found = symbols_find(symbols, place, false, &symbol);
		function = found ? function_of(&symbol) : UNKNOWN;
		if (!strcmp(function, UNKNOWN))
			(*loss_in(naming, symbols, found))++;
		if (!stacks_name(naming->stacks, location, function))
			return false;
	}
	return true;
}

static bool name_file(struct naming *naming, const struct perfdata_dso *dso, const char *path,
		      size_t first, size_t count)
{
	const struct content_request request = {
		.id = dso->id,
		.path = path,
		.vdso = dso->kind == PERFDATA_KIND_VDSO,
	};
	struct content_file file;
	struct symbols *symbols;
	struct reason unused;
	bool good;

	if (!content_files_find(naming->files, &request, true, &file, &unused)) {
		naming->losses->files++;
		return name_all(naming, first, count, &naming->losses->unfound);
	}
	symbols = symbols_new(file.fd, file.debug, false);
	content_file_close(&file);
	good = symbols && name_by_symbols(naming, symbols, first, count);
	symbols_free(symbols);
	return good;
}

/* ------------------------------------------------------------------ the kernel -- */

static const struct perfdata_mapped *mapped_kernel(const struct naming *naming)
{
	const struct perfdata_mapped *mapped;
	size_t count, i;

	mapped = perfdata_profile_mapped(naming->stacks->profile, &count);
	for (i = 0; i < count; i++)
		if (mapped[i].dso != PERFDATA_NO_DSO &&
		    naming->stacks->dsos[mapped[i].dso].kind == PERFDATA_KIND_KERNEL)
			return &mapped[i];
	return NULL;
}

/* As far as the recording says what it was. */
static bool is_running(const struct naming *naming, uint32_t dso)
{
	const struct perfdata_dso *its = &naming->stacks->dsos[dso];
	struct build_id id;
	bool found;

	if (!its->id.size)
		return true;
	if (its->kind == PERFDATA_KIND_MODULE)
		found = loaded_module_build_id(naming->stacks->contents[dso].path, &id);
	else
		found = running_kernel_build_id(&id);
	return found && build_id_equal(&id, &its->id);
}

static struct kallsyms *read_kallsyms(const struct naming *naming)
{
	const struct perfdata_mapped *kernel = mapped_kernel(naming);
	const struct kallsym *first;
	struct kallsyms *all;
	struct reason unused;

	if (!kernel || !kernel->start || !is_running(naming, (uint32_t)kernel->dso))
		return NULL;
	all = kallsyms_new(&unused);
	first = all ? kallsyms_find(all, kernel->start) : NULL;
	if (first && first->start == kernel->start)
		return all;
	kallsyms_free(all);
	return NULL;
}

/* Read once, when needed: they take a tenth of a second, and a recording may have many modules. */
static const struct kallsyms *kallsyms_of(struct naming *naming)
{
	if (!naming->has_kallsyms)
		naming->kallsyms = read_kallsyms(naming);
	naming->has_kallsyms = true;
	return naming->kallsyms;
}

static bool name_kernel(struct naming *naming, uint32_t dso, size_t first, size_t count)
{
	const struct kallsyms *all = is_running(naming, dso) ? kallsyms_of(naming) : NULL;
	const struct kallsym *found;
	bool good = true;
	size_t i;

	if (!all) {
		naming->losses->files++;
		return name_all(naming, first, count, &naming->losses->unfound);
	}
	for (i = first; good && i < first + count; i++) {
		uint32_t location = naming->order[i];

		found = kallsyms_find(all, naming->stacks->locations[location].place);
		naming->losses->unnamed += !found;
		good = stacks_name(naming->stacks, location, found ? found->name : UNKNOWN);
	}
	return good;
}

/* ------------------------------------------------------------------------- all -- */

static bool name_content(struct naming *naming, size_t first, size_t count)
{
	const uint32_t dso = naming->stacks->locations[naming->order[first]].dso;
	const struct perfdata_dso *its;

	if (dso == STACKS_NOTHING)
		return name_all(naming, first, count, &naming->losses->unmapped);
	its = &naming->stacks->dsos[dso];
	switch (its->kind) {
	case PERFDATA_KIND_KERNEL:
	case PERFDATA_KIND_MODULE:
		return name_kernel(naming, dso, first, count);
	case PERFDATA_KIND_USER:
	case PERFDATA_KIND_VDSO:
		return name_file(naming, its, naming->stacks->contents[dso].path, first, count);
	default:
		return name_all(naming, first, count, &naming->losses->unfound);
	}
}

static size_t count_of_content(const struct naming *naming, size_t first)
{
	const struct stacks *stacks = naming->stacks;
	const uint32_t dso = stacks->locations[naming->order[first]].dso;
	size_t end = first;

	while (end < stacks->nr_locations && stacks->locations[naming->order[end]].dso == dso)
		end++;
	return end - first;
}

bool location_names_find(struct stacks *stacks, struct content_files *files,
			 struct location_losses *losses)
{
	struct naming naming = { .stacks = stacks, .files = files, .losses = losses };
	bool good = sort_locations(&naming);
	size_t first, count;

	*losses = (struct location_losses){};
	for (first = 0; good && first < stacks->nr_locations; first += count) {
		count = count_of_content(&naming, first);
		good = name_content(&naming, first, count);
	}
	kallsyms_free(naming.kallsyms);
	free(naming.order);
	return good && stacks_merge(stacks);
}
