// SPDX-License-Identifier: GPL-2.0
/* Metrics: what is counted here and not by the module. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "common/utf8.h"
#include "metrics.h"
#include "module.h"
#include "print.h"
#include "stale_scan.h"

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
	/* the last of them: processes come one after the other */
	uint32_t pid;
	uint64_t start_time;
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
			   const char *path)
{
	uint64_t key = hash_bytes(hash_text(path), identity->id.bytes, identity->id.size);
	struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&contents->by_hash, key, slot)))
		if (is_content(&contents->contents[slot->value], identity, path))
			return slot->value;
	if (!array_reserve(contents->contents, contents->count))
		return NONE;
	contents->contents[contents->count] =
		(struct content){ .identity = *identity, .path = strdup(path) };
	if (!contents->contents[contents->count].path ||
	    !hash_map_add(&contents->by_hash, key, (uint32_t)contents->count)) {
		free(contents->contents[contents->count].path);
		return NONE;
	}
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
	found = path ? find_content(contents, &identity, path) : NONE;
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
	if (content->processes && content->pid == mmap->pid &&
	    content->start_time == mmap->start_time)
		return;
	content->pid = mmap->pid;
	content->start_time = mmap->start_time;
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
static int compare(const void *a, const void *b)
{
	const struct content *one = a, *other = b;
	int paths = strcmp(one->path, other->path);

	if (one->processes != other->processes)
		return COMPARE(other->processes, one->processes);
	return paths ? paths :
		       memcmp(one->identity.id.bytes, other->identity.id.bytes, BUILDID_ID_MAX);
}

static void show_contents(FILE *file, struct contents *contents, uint64_t max)
{
	size_t shown = contents->count < max ? contents->count : (size_t)max, i;
	char hex[BUILD_ID_TEXT];

	array_sort(contents->contents, contents->count, compare);
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
		fprintf(file, "} %" PRIu64 "\n", content->processes);
	}
	metric_begin(file, "mapped_contents_omitted", "gauge", NULL,
		     "Contents that are mapped and not shown, as there are too many");
	metric_value(file, "mapped_contents_omitted", "", contents->count - shown);
}

int metrics_contents(FILE *file, struct output *out, struct buildid *handle, uint64_t max)
{
	struct contents contents = { .current = NONE };
	int err = read_all(&contents, handle);
	size_t i;

	if (err)
		module_error(out, "--contents", err, NULL);
	else
		show_contents(file, &contents, max);
	for (i = 0; i < contents.count; i++)
		free(contents.contents[i].path);
	free(contents.contents);
	hash_map_free(&contents.by_hash);
	return err;
}

/* ----------------------------------------------------------------- stale -- */

static void ignore(void *data, const struct stale *stale)
{
	(void)data;
	(void)stale;
}

int metrics_stale(FILE *file, struct output *out, struct buildid *handle)
{
	struct stale_scan scan = { .found = ignore };
	int err = stale_scan(&scan, handle);

	stale_scan_end(&scan);
	if (!err && scan.denied && !scan.processes)
		err = -EPERM;
	if (err) {
		module_error(out, "--stale", err, NULL);
		return err;
	}
	metric_begin(file, "stale_processes", "gauge", NULL,
		     "Processes that run what was replaced or deleted");
	metric_value(file, "stale_processes", "", scan.stale);
	metric_begin(file, "compared_processes", "gauge", NULL,
		     "Processes whose mappings were compared with what is at their paths");
	metric_value(file, "compared_processes", "", scan.processes);
	metric_begin(file, "denied_processes", "gauge", NULL,
		     "Processes that were not compared for want of permission");
	metric_value(file, "denied_processes", "", scan.denied);
	metric_begin(file, "skipped_processes", "gauge", NULL,
		     "Processes that were not compared, as they kept calling exec or kept "
		     "their address space locked");
	metric_value(file, "skipped_processes", "", scan.skipped);
	return 0;
}
