// SPDX-License-Identifier: GPL-2.0
/* Metrics: what is counted here and not by the module. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "common/utf8.h"
#include "commands/mapped_package.h"
#include "metrics.h"
#include "commands/module.h"
#include "commands/print.h"
#include "commands/open_source.h"
#include "commands/stale/stale_scan.h"

void metric_begin(FILE *file, const char *name, const char *type, const char *unit,
		  const char *help)
{
	fprintf(file, "# TYPE buildid_%s %s\n", name, type);
	if (unit)
		fprintf(file, "# UNIT buildid_%s %s\n", name, unit);
	fprintf(file, "# HELP buildid_%s %s.\n", name, help);
}

void metric_value(FILE *file, const char *name, const char *suffix, uint64_t value)
{
	fprintf(file, "buildid_%s%s %" PRIu64 "\n", name, suffix, value);
}

/* A label's value with its quotes, made UTF-8 that a terminal does not act on. */
static void metric_label(FILE *file, const char *name, const char *value)
{
	char *printable = utf8_printable(value);
	const char *c;

	fprintf(file, "%s=\"", name);
	for (c = printable ? printable : ""; *c; c++) {
		if (*c == '\n')
			fputs("\\n", file);
		else if (*c == '"' || *c == '\\')
			fprintf(file, "\\%c", *c);
		else
			fputc(*c, file);
	}
	fputc('"', file);
	free(printable);
}

void metrics_info(FILE *file, const struct buildid_info *info)
{
	/* OpenMetrics has a type for it, which the older format does not know. */
	metric_begin(file, "info", "gauge", NULL, "The module that is loaded, always 1");
	fputs("buildid_info{", file);
	metric_label(file, "version", (const char *)info->version);
	fprintf(file, ",abi=\"%" PRIu32 "\"} 1\n", info->abi);
	metric_begin(file, "armed", "gauge", NULL, "Whether the hook fires: mappings are seen");
	metric_value(file, "armed", "", info->status & BUILDID_STATUS_ARMED ? 1 : 0);
}

/* -------------------------------------------------------------- contents -- */

/* A content under one path, and how many processes have it mapped. */
struct content {
	struct identity identity;
	char *path;
	uint64_t processes;
	/* of the last of them: processes come one after the other */
	struct buildid_mmap last;
	struct buildid_file *file; /* as it was found first */
};

struct contents {
	struct content *contents;
	size_t count;
	struct hash_map by_hash; /* indexes of @contents */
	size_t current;		 /* index of that of the mappings that are being read, or NONE */
};

#define NONE SIZE_MAX

static bool is_content(const struct content *content, const struct identity *identity,
		       const char *path)
{
	return content->identity.kind == identity->kind &&
	       build_id_equal(&content->identity.id, &identity->id) && !strcmp(content->path, path);
}

/* The index of @identity under @path; NONE without memory. */
static size_t find_content(struct contents *contents, const struct identity *identity,
			   const char *path, const struct buildid_file *file)
{
	struct content *content;
	uint64_t key = hash_bytes(hash_text(path), identity->id.bytes, identity->id.size);
	struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&contents->by_hash, key, slot)))
		if (is_content(&contents->contents[slot->value], identity, path))
			return slot->value;
	if (!array_reserve(contents->contents, contents->count))
		return NONE;
	content = &contents->contents[contents->count];
	*content = (struct content){ .identity = *identity,
				     .path = strdup(path),
				     .file = malloc(file->header.size) };
	if (!content->path || !content->file ||
	    !hash_map_add(&contents->by_hash, key, (uint32_t)contents->count)) {
		free(content->path);
		free(content->file);
		return NONE;
	}
	memcpy(content->file, file, file->header.size);
	return contents->count++;
}

/* The same of a file; NONE without an identity, too. */
static size_t content_of(struct contents *contents, const struct buildid_file *file)
{
	const struct identity identity = print_identity_of(file);
	size_t found;
	char *path;

	if (!identity.id.size)
		return NONE;
	/* Paths that differ in what is replaced would give two values with the same labels. */
	path = utf8_printable(buildid_file_path(file));
	found = path ? find_content(contents, &identity, path, file) : NONE;
	free(path);
	return found;
}

static void count(struct contents *contents, const struct buildid_record *record)
{
	const struct buildid_mmap *mmap = (const void *)record;
	struct content *content;

	if (record->type == BUILDID_RECORD_FILE)
		contents->current = content_of(contents, (const void *)record);
	if (record->type != BUILDID_RECORD_MMAP || contents->current == NONE)
		return;
	content = &contents->contents[contents->current];
	if (content->processes && content->last.pid == mmap->pid &&
	    content->last.start_time == mmap->start_time)
		return;
	content->last = *mmap;
	content->processes++;
}

static int read_all(struct contents *contents, struct buildid *handle)
{
	const struct buildid_record *record;
	struct buildid_snapshot *snapshot;
	int err = buildid_snapshot_new(&snapshot, handle, NULL);

	while (!err || err == -EINTR || err == -ESTALE || err == -ETIMEDOUT) {
		err = buildid_snapshot_next(snapshot, &record);
		if (!err)
			count(contents, record);
	}
	buildid_snapshot_free(snapshot);
	return err == -ENODATA ? 0 : err;
}

/* Those that most processes have first, else by path. */
static int metrics_compare(const void *a, const void *b)
{
	const struct content *one = a, *other = b;
	int paths = strcmp(one->path, other->path);

	if (one->processes != other->processes)
		return COMPARE(other->processes, one->processes);
	return paths ? paths :
		       memcmp(one->identity.id.bytes, other->identity.id.bytes, BUILDID_ID_MAX);
}

/* Without them where nothing is known, as an empty label means no label to Prometheus. */
static void package_labels(FILE *file, struct mapped_packages *packages,
			   const struct content *content)
{
	static const struct {
		const char *name;
		enum package_text text;
	} labels[] = {
		{ "package", PACKAGE_NAME },
		{ "package_version", PACKAGE_VERSION },
		{ "package_source", PACKAGE_SOURCE },
	};
	const struct packages *found =
		mapped_packages_find(packages, &content->last, content->file);
	size_t i;

	if (!found || !found->count)
		return;
	for (i = 0; i < ARRAY_SIZE(labels); i++) {
		if (!found->all[0].text[labels[i].text])
			continue;
		fputc(',', file);
		metric_label(file, labels[i].name, found->all[0].text[labels[i].text]);
	}
	fputc(',', file);
	metric_label(file, "package_from", package_origin_name(found->all[0].origin));
}

static void show_contents(FILE *file, struct contents *contents, struct mapped_packages *packages,
			  uint64_t max)
{
	size_t shown = contents->count < max ? contents->count : (size_t)max, i;
	char hex[BUILD_ID_TEXT];

	array_sort(contents->contents, contents->count, metrics_compare);
	metric_begin(file, "mapped_content", "gauge", NULL,
		     "Processes that have a content mapped, under this path");
	for (i = 0; i < shown; i++) {
		const struct content *content = &contents->contents[i];

		fputs("buildid_mapped_content{", file);
		metric_label(file, "build_id", build_id_text(&content->identity.id, hex));
		fputc(',', file);
		metric_label(file, "kind", buildid_kind_name(content->identity.kind));
		fputc(',', file);
		metric_label(file, "path", content->path);
		package_labels(file, packages, content);
		fprintf(file, "} %" PRIu64 "\n", content->processes);
	}
	metric_begin(file, "mapped_contents_omitted", "gauge", NULL,
		     "Contents that are mapped and not shown, as there are too many");
	metric_value(file, "mapped_contents_omitted", "", contents->count - shown);
}

int metrics_contents(FILE *file, struct output *out, struct buildid *handle, uint64_t max)
{
	struct contents contents = { .current = NONE };
	struct mapped_packages *packages = mapped_packages_new();
	int err = packages ? read_all(&contents, handle) : -ENOMEM;
	size_t i;

	if (err)
		module_error(out, "--contents", err, NULL);
	else
		show_contents(file, &contents, packages, max);
	mapped_packages_free(packages);
	for (i = 0; i < contents.count; i++) {
		free(contents.contents[i].path);
		free(contents.contents[i].file);
	}
	free(contents.contents);
	hash_map_free(&contents.by_hash);
	return err;
}

/* ----------------------------------------------------------------- stale -- */

/* A package whose files are stale, and how many processes run them. */
struct stale_package {
	const char *texts[4]; /* by stale_labels[]; NULL for none */
	uint64_t processes;
	/* the last of them: processes come one after the other */
	uint32_t pid;
	uint64_t start_time;
};

static const char *const stale_labels[] = {
	"package",
	"package_version",
	"package_from",
	"now_package_version",
};

struct stale_packages {
	struct mapped_packages *packages;
	struct stale_package *all;
	size_t count;
};

static bool same_texts(const char *const *one, const char *const *other)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(stale_labels); i++)
		if (!one[i] != !other[i] || (one[i] && strcmp(one[i], other[i])))
			return false;
	return true;
}

static struct stale_package *find_stale(struct stale_packages *stale,
					const struct stale_package *like)
{
	size_t i;

	for (i = 0; i < stale->count; i++)
		if (same_texts(stale->all[i].texts, like->texts))
			return &stale->all[i];
	if (!array_reserve(stale->all, stale->count))
		return NULL;
	stale->all[stale->count] = *like;
	return &stale->all[stale->count++];
}

static void count_stale(void *data, const struct stale *stale)
{
	struct stale_packages *packages = data;
	struct stale_package like = {}, *found;
	const struct packages *runs, *now = NULL;

	runs = mapped_packages_find(packages->packages, stale->mmap, stale->runs);
	if (!runs || !runs->count)
		return;
	if (stale->now)
		now = mapped_packages_now(packages->packages, stale->mmap, stale->runs, stale->now);
	like.texts[0] = runs->all[0].text[PACKAGE_NAME];
	like.texts[1] = runs->all[0].text[PACKAGE_VERSION];
	like.texts[2] = package_origin_name(runs->all[0].origin);
	like.texts[3] = now && now->count ? now->all[0].text[PACKAGE_VERSION] : NULL;
	found = find_stale(packages, &like);
	if (!found || (found->pid == stale->pid && found->start_time == stale->start_time))
		return;
	found->pid = stale->pid;
	found->start_time = stale->start_time;
	found->processes++;
}

static void show_stale_packages(FILE *file, const struct stale_packages *stale)
{
	size_t i, label;

	metric_begin(file, "stale_package_processes", "gauge", NULL,
		     "Processes that run what was replaced or deleted of this package");
	for (i = 0; i < stale->count; i++) {
		fputs("buildid_stale_package_processes{", file);
		for (label = 0; label < ARRAY_SIZE(stale_labels); label++) {
			if (!stale->all[i].texts[label])
				continue;
			fputs(label ? "," : "", file);
			metric_label(file, stale_labels[label], stale->all[i].texts[label]);
		}
		fprintf(file, "} %" PRIu64 "\n", stale->all[i].processes);
	}
}

static void show_stale(FILE *file, const struct stale_scan *scan)
{
	metric_begin(file, "stale_processes", "gauge", NULL,
		     "Processes that run what was replaced or deleted");
	metric_value(file, "stale_processes", "", scan->stale);
	metric_begin(file, "compared_processes", "gauge", NULL,
		     "Processes whose mappings were compared with what is at their paths");
	metric_value(file, "compared_processes", "", scan->processes);
	metric_begin(file, "denied_processes", "gauge", NULL,
		     "Processes that were not compared for want of permission");
	metric_value(file, "denied_processes", "", scan->denied);
	metric_begin(file, "skipped_processes", "gauge", NULL,
		     "Processes that were not compared, as they kept calling exec or kept "
		     "their address space locked");
	metric_value(file, "skipped_processes", "", scan->skipped);
}

int metrics_stale(FILE *file, struct output *out)
{
	struct stale_packages packages = { .packages = mapped_packages_new() };
	struct stale_scan scan = { .found = count_stale, .data = &packages };
	struct source *source = NULL;
	int err = packages.packages ? source_open(&source, SOURCE_MODULE) : -ENOMEM;

	if (!err)
		err = stale_scan(&scan, source);
	stale_scan_end(&scan);
	source_close(source);
	if (!err && scan.denied && !scan.processes)
		err = -EPERM;
	if (err) {
		module_error(out, "--stale", err, NULL);
	} else if (source_fails_by_silence(out, "--stale")) {
		err = -EBUSY;
	} else {
		show_stale(file, &scan);
		show_stale_packages(file, &packages);
	}
	mapped_packages_free(packages.packages);
	free(packages.all);
	return err;
}
