// SPDX-License-Identifier: GPL-2.0
/* Keep: find, put, tell. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "content/elf_notes.h"
#include "content/packed.h"
#include "store_entry.h"

static void put_line(struct keep *keep, const struct build_id *id, const char *path,
		     const char *source, const char *reason)
{
	struct output *out = keep->out;
	char text[BUILD_ID_TEXT];
	char *tail = NULL;

	out_begin(out);
	out_string(out, "type", OUT_HIDDEN, "store");
	out_styled(out, reason ? OUT_BAD : OUT_GOOD, NULL, 0, reason ? "FAIL" : "OK");
	out_string(out, "status", OUT_HIDDEN, reason ? "fail" : "ok");
	out_string(out, "build_id", 0, id ? build_id_text(id, text) : NULL);
	out_string(out, "path", OUT_HIDDEN, path);
	out_string(out, "source", OUT_HIDDEN, source);
	out_string(out, "reason", OUT_HIDDEN, reason);
	if (reason && asprintf(&tail, "%s: %s", path, reason) < 0)
		tail = NULL;
	out_string(out, NULL, 0, tail ? tail : path);
	out_end(out);
	free(tail);
}

void keep_ok(struct keep *keep, const struct build_id *id, const char *path, const char *source)
{
	keep->kept++;
	put_line(keep, id, path, source, NULL);
}

void keep_fail(struct keep *keep, const struct build_id *id, const char *path, const char *reason)
{
	keep->failed++;
	put_line(keep, id, path, NULL, reason);
}

bool keep_has(const struct keep *keep, const struct build_id *id, enum content_part part)
{
	int fd = debug_dir_find(keep->dir, id, part);
	struct stat stat_;
	bool has;

	if (fd < 0)
		return false;
	has = !keep->copy || (!fstat(fd, &stat_) && stat_.st_nlink == 1);
	close(fd);
	return has;
}

/*
 * perf unpacks only what it knows by a name that ends so, as most names of modules
 * do, but not those of modules that were loaded as it recorded.
 */
static bool may_be_packed(const struct keep *keep, const struct wanted *wanted)
{
	const char *end = strrchr(wanted->path, '.');

	if (wanted->kind != WANTED_MODULE)
		return true;
	return !keep->unpack && end && (!strcmp(end, ".gz") || !strcmp(end, ".xz"));
}

static bool is_kept_module(const struct keep *keep, const struct wanted *wanted)
{
	int fd = debug_dir_find(keep->dir, &wanted->id, CONTENT_ELF);
	bool readable;

	if (fd < 0)
		return false;
	readable = may_be_packed(keep, wanted) || !packed_is(fd);
	close(fd);
	return readable && keep_has(keep, &wanted->id, CONTENT_ELF);
}

static bool is_kept(const struct keep *keep, const struct wanted *wanted)
{
	switch (wanted->kind) {
	case WANTED_KERNEL:
		return keep_has(keep, &wanted->id, CONTENT_KALLSYMS) ||
		       keep_has(keep, &wanted->id, CONTENT_ELF);
	case WANTED_VDSO:
		return keep_has(keep, &wanted->id, CONTENT_VDSO);
	case WANTED_MODULE:
		return is_kept_module(keep, wanted);
	default:
		return keep_has(keep, &wanted->id, CONTENT_ELF);
	}
}

static bool put(struct keep *keep, const struct wanted *wanted, const struct found *found,
		struct reason *reason)
{
	struct debug_item item = {
		.id = &wanted->id,
		.name = found->name,
		.part = found->part,
		.fd = found->fd,
		.may_link = found->path && !keep->copy,
	};
	const char *problem;
	int inside;
	bool done;

	if (may_be_packed(keep, wanted) || !packed_is(found->fd))
		return debug_dir_put(keep->dir, &item, reason);
	inside = packed_open(found->fd, &problem);
	if (inside < 0)
		return reason_set(reason, "cannot be unpacked: %s", problem);
	item.fd = inside;
	item.may_link = false;
	done = debug_dir_put(keep->dir, &item, reason);
	close(inside);
	return done;
}

/* Names of functions are in the file itself, or only in the debug file. */
static bool has_symbols(const struct keep *keep, const struct build_id *id)
{
	int fd = debug_dir_find(keep->dir, id, CONTENT_ELF);
	struct elf_facts facts;

	if (fd < 0)
		return false;
	elf_notes_look(fd, &facts);
	close(fd);
	return facts.symbols;
}

/* False only when one was asked for, is needed, and is not to be had. */
static bool keep_debug(struct keep *keep, const struct wanted *wanted, struct reason *reason)
{
	struct found found = { .fd = -1 };
	struct found named;
	bool needed, done;

	if (wanted->kind != WANTED_FILE && wanted->kind != WANTED_MODULE)
		return true;
	if (keep_has(keep, &wanted->id, CONTENT_DEBUG))
		return true;
	needed = keep->debug && !has_symbols(keep, &wanted->id);
	done = locate_debug(keep->locate, &wanted->id, needed, &found, reason);
	if (done) {
		named = found;
		named.name = (char *)(uintptr_t)wanted->path;
		done = put(keep, wanted, &named, reason);
	}
	found_free(&found);
	return done || !needed;
}

void keep_one(struct keep *keep, const struct wanted *wanted)
{
	const char *source = "kept";
	struct found found = { .fd = -1 };
	struct reason reason = {};
	bool done = is_kept(keep, wanted);

	if (!done) {
		done = locate_find(keep->locate, wanted, &found, &reason) &&
		       put(keep, wanted, &found, &reason);
		source = found.source;
	}
	if (done)
		done = keep_debug(keep, wanted, &reason);
	if (done)
		keep_ok(keep, &wanted->id, wanted->path, source);
	else
		keep_fail(keep, &wanted->id, wanted->path, reason.text);
	found_free(&found);
}

void keep_all(struct keep *keep, const struct wanted_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		keep_one(keep, &list->items[i]);
	for (i = 0; i < list->nr_unknown; i++)
		keep_fail(keep, NULL, list->unknown[i],
			  "the recording has no build-id of it; see: buildid help annotate");
}
