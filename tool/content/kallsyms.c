// SPDX-License-Identifier: GPL-2.0
/* Kallsyms: lines "ffffffff81000000 T _text", with "\t[name]" at the end for a module. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "kallsyms.h"

#define KALLSYMS "/proc/kallsyms"
/* The end of the last symbol is unknown. */
#define FUNCTION_MAX (1U << 20)

struct kallsyms {
	struct kallsym *all; /* by start */
	size_t count;
};

static bool kallsyms_add(struct kallsyms *symbols, const char *line)
{
	char name[512], module[64];
	uint64_t start;
	char type;
	int fields = sscanf(line, "%" SCNx64 " %c %511s [%63[^]]", &start, &type, name, module);

	if (fields < 3 || !start)
		return true;
	if (!array_reserve(symbols->all, symbols->count))
		return false;
	symbols->all[symbols->count] = (struct kallsym){
		.start = start,
		.code = strchr("tTwW", type),
		.name = strdup(name),
		.module = fields == 4 ? strdup(module) : NULL,
	};
	return symbols->all[symbols->count++].name;
}

static int kallsyms_compare(const void *a, const void *b)
{
	const struct kallsym *one = a, *other = b;

	return COMPARE(one->start, other->start);
}

static bool add_all(struct kallsyms *symbols, FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	bool good = true;

	while (good && getline(&line, &room, file) > 0)
		good = kallsyms_add(symbols, line);
	free(line);
	return good && !ferror(file);
}

struct kallsyms *kallsyms_new(struct reason *reason)
{
	struct kallsyms *new = calloc(1, sizeof(*new));
	FILE *file = fopen(KALLSYMS, "re");

	if (!new || !file || !add_all(new, file))
		reason_set(reason, KALLSYMS ": %s", strerror(errno));
	else if (!new->count)
		reason_set(reason, KALLSYMS " has no addresses; see "
					    "/proc/sys/kernel/kptr_restrict");
	if (file)
		fclose(file);
	if (new &&new->count) {
		array_sort(new->all, new->count, kallsyms_compare);
		return new;
	}
	kallsyms_free(new);
	return NULL;
}

static int compare_start(const void *a, const void *b)
{
	const struct kallsym *one = a, *other = b;

	return one->start <= other->start ? -1 : 1;
}

const struct kallsym *kallsyms_find(const struct kallsyms *symbols, uint64_t address)
{
	const struct kallsym key = { .start = address };
	size_t i =
		array_lower_bound(&key, symbols->all, symbols->count, sizeof(key), compare_start);
	uint64_t start;

	if (!i)
		return NULL;
	start = symbols->all[i - 1].start;
	if (address - start >= FUNCTION_MAX)
		return NULL;
	/* Of several at one address, one may only mark where code begins or ends. */
	for (; i && symbols->all[i - 1].start == start; i--)
		if (symbols->all[i - 1].code)
			return &symbols->all[i - 1];
	return NULL;
}

void kallsyms_free(struct kallsyms *symbols)
{
	size_t i;

	if (!symbols)
		return;
	for (i = 0; i < symbols->count; i++) {
		free(symbols->all[i].name);
		free(symbols->all[i].module);
	}
	free(symbols->all);
	free(symbols);
}
