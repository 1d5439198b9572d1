// SPDX-License-Identifier: GPL-2.0
/* Store entry: find a content, put it, print how that went. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "content/elf_file.h"
#include "content/compressed.h"
#include "store_entry.h"

struct outcome {
	const char *word; /* in text */
	const char *status;
	enum out_style style;
};

static const char kept[] = "kept";

static const struct outcome outcome_ok = { "OK", "ok", OUT_GOOD };
static const struct outcome outcome_skip = { "SKIP", "skip", OUT_WEAK };
static const struct outcome outcome_fail = { "FAIL", "fail", OUT_BAD };

static void put_line(struct store_job *store, const struct outcome *outcome,
		     const struct build_id *id, const char *path, const char *source,
		     const char *reason)
{
	struct output *out = store->out;
	char text[BUILD_ID_TEXT];
	char *tail = NULL;

	out_begin(out);
	out_string(out, "type", OUT_HIDDEN, "store");
	out_styled(out, outcome->style, NULL, 0, outcome->word);
	out_string(out, "status", OUT_HIDDEN, outcome->status);
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

void store_report_ok(struct store_job *store, const struct build_id *id, const char *path,
		     const char *source, const char *note)
{
	store->stored++;
	store->kept += source && !strcmp(source, kept);
	if (!store->quiet)
		put_line(store, &outcome_ok, id, path, source, note);
}

void store_report_fail(struct store_job *store, const struct build_id *id, const char *path,
		       const char *reason)
{
	store->failed++;
	put_line(store, &outcome_fail, id, path, NULL, reason);
}

bool store_has(const struct store_job *store, const struct build_id *id, enum content_part part)
{
	struct stat stat_;
	bool has;
	int fd;

	/* Before it is looked for, as store --live may be about to remove it. */
	debug_dir_adopt(store->dir, id);
	fd = debug_dir_find(store->dir, id, part);
	if (fd < 0)
		return false;
	if (content_owner(fd) == CONTENT_OTHERS)
		has = debug_dir_copy(store->dir, id, part, fd);
	else
		has = !store->copy || (!fstat(fd, &stat_) && stat_.st_nlink == 1);
	close(fd);
	if (has)
		debug_dir_link(store->dir, id);
	return has;
}

bool store_stands_for(const struct store_job *store, const struct build_id *id, int fd,
		      const char **note)
{
	static const char *const notes[] = {
		[CONTENT_EQUAL] = NULL,
		[CONTENT_SAME_CODE] =
			"same id, other content than what is stored, of the same code",
		[CONTENT_DIFFERENT] = "same id, other content than what is stored, which stays",
	};
	int stored = debug_dir_find(store->dir, id, CONTENT_ELF);
	enum content_likeness likeness = CONTENT_EQUAL;

	if (stored >= 0) {
		likeness = content_compare(stored, fd);
		close(stored);
	}
	*note = notes[likeness];
	return likeness != CONTENT_DIFFERENT;
}

bool store_has_others(const struct store_job *store, const struct build_id *id)
{
	int fd = debug_dir_find(store->dir, id, CONTENT_ELF);
	bool others = fd >= 0 && !content_is_ours(fd);

	if (fd >= 0)
		close(fd);
	return others;
}

/*
 * perf decompresses a module only if its name ends so. The name of one that was loaded
 * while perf recorded does not.
 */
static bool may_be_packed(const struct store_job *store, const struct request *request)
{
	const char *end = strrchr(request->path, '.');

	if (request->kind != REQUEST_MODULE)
		return true;
	return !store->unpack && end && (!strcmp(end, ".gz") || !strcmp(end, ".xz"));
}

static bool is_stored_module(const struct store_job *store, const struct request *request)
{
	int fd = debug_dir_find(store->dir, &request->id, CONTENT_ELF);
	bool readable;

	if (fd < 0)
		return false;
	readable = may_be_packed(store, request) || !is_compressed(fd);
	close(fd);
	return readable && store_has(store, &request->id, CONTENT_ELF);
}

static bool is_stored(const struct store_job *store, const struct request *request)
{
	switch (request->kind) {
	case REQUEST_KERNEL:
		return store_has(store, &request->id, CONTENT_KALLSYMS) ||
		       store_has(store, &request->id, CONTENT_ELF);
	case REQUEST_VDSO:
		return store_has(store, &request->id, CONTENT_VDSO);
	case REQUEST_MODULE:
		return is_stored_module(store, request);
	default:
		return store_has(store, &request->id, CONTENT_ELF);
	}
}

static bool store_entry_put(struct store_job *store, const struct request *request,
			    const struct located_file *found, const char *name,
			    struct reason *reason)
{
	struct debug_item item = {
		.id = &request->id,
		.name = name,
		.part = found->part,
		.fd = found->fd,
		.may_link = found->path && !store->copy,
	};
	const char *problem;
	struct stat stat_;
	mode_t mode;
	int inside;
	bool done;

	if (may_be_packed(store, request) || !is_compressed(found->fd))
		return debug_dir_put(store->dir, &item, reason);
	inside = decompress(found->fd, &problem);
	if (inside < 0)
		return reason_set(reason, "cannot be decompressed: %s", problem);
	/* Users who may not read the one may not read the other; the owner stays known. */
	mode = fstat(found->fd, &stat_) ? 0600 : stat_.st_mode & 0777;
	fchmod(inside, content_is_ours(found->fd) ? mode : mode | CONTENT_COPY);
	item.fd = inside;
	item.may_link = false;
	done = debug_dir_put(store->dir, &item, reason);
	close(inside);
	return done;
}

/* Else the names of functions are in the debug file only. */
static bool has_symbols(const struct store_job *store, const struct build_id *id)
{
	int fd = debug_dir_find(store->dir, id, CONTENT_ELF);
	struct elf_info info;

	if (fd < 0)
		return false;
	elf_file_info(fd, &info);
	close(fd);
	return info.symbols;
}

/* False only when a debug file was asked for, is needed, and is not found. */
static bool store_debug(struct store_job *store, const struct request *request,
			struct reason *reason)
{
	struct located_file found = { .fd = -1 };
	bool needed, done;

	if (request->kind != REQUEST_FILE && request->kind != REQUEST_MODULE)
		return true;
	if (store_has(store, &request->id, CONTENT_DEBUG))
		return true;
	needed = store->debug && !has_symbols(store, &request->id);
	done = locate_debug(store->locate, &request->id, needed, &found, reason);
	if (done)
		done = store_entry_put(store, request, &found, request->path, reason);
	located_file_free(&found);
	return done || !needed;
}

static bool find_and_put(struct store_job *store, const struct request *request,
			 struct located_file *found, struct reason *reason)
{
	return locate_request(store->locate, request, found, reason) &&
	       store_entry_put(store, request, found, found->name, reason);
}

/* Another user's file was stored, and may be a forgery of one of ours. */
static bool store_entry_replace(struct store_job *store, const struct request *request,
				struct located_file *found)
{
	struct request ours = *request;
	struct reason unused;

	if (request->kind != REQUEST_FILE || !store_has_others(store, &request->id))
		return false;
	ours.ours = true;
	return find_and_put(store, &ours, found, &unused);
}

/* A module that was not loaded from where modules are: the kernel does not say where from. */
static bool has_no_path(const struct request *request)
{
	return request->kind == REQUEST_MODULE &&
	       (*request->path == '[' || !strncmp(request->path, "/sys/module/", 12));
}

static void report_skip(struct store_job *store, const struct request *request)
{
	store->skipped++;
	put_line(store, &outcome_skip, &request->id, request->path, NULL,
		 "not in /lib/modules, and the kernel does not say what it was loaded from");
}

static void report_doubt(struct store_job *store, const struct request *request,
			 const struct reason *found)
{
	struct reason reason;

	reason_set(&reason,
		   "the recording has this build-id for other modules, too, as perf 6.17 to 6.19 "
		   "write it; the module's own file %.200s",
		   found->text);
	store_report_fail(store, &request->id, request->path, reason.text);
}

/* What is stored came with another path, perhaps. */
static bool may_keep(struct store_job *store, const struct request *request, const char **note)
{
	struct located_file own;
	bool may = true;

	if (request->kind != REQUEST_FILE || !locate_at_path(store->locate, request, &own))
		return true;
	may = store_stands_for(store, &request->id, own.fd, note);
	located_file_free(&own);
	return may;
}

/* @note: of what is stored already. */
static bool have(struct store_job *store, const struct request *request, struct located_file *found,
		 const char **note, struct reason *reason)
{
	/* What is stored may be the file of the other one. */
	if (request->doubtful || !is_stored(store, request))
		return find_and_put(store, request, found, reason);
	if (store_entry_replace(store, request, found))
		return true;
	found->source = kept;
	return may_keep(store, request, note) || reason_set(reason, "%s", *note);
}

void store_request(struct store_job *store, const struct request *request)
{
	struct located_file found = { .fd = -1 };
	struct reason reason = {};
	const char *note = NULL;
	bool done = have(store, request, &found, &note, &reason);

	/* perf finds it without. */
	if (done && request->kind == REQUEST_FILE)
		debug_dir_name(store->dir, &request->id, request->path);
	if (done)
		done = store_debug(store, request, &reason);
	if (done)
		store_report_ok(store, &request->id, request->path, found.source, note);
	else if (request->doubtful)
		report_doubt(store, request, &reason);
	else if (has_no_path(request))
		report_skip(store, request);
	else
		store_report_fail(store, &request->id, request->path, reason.text);
	located_file_free(&found);
}

void store_requests(struct store_job *store, const struct request_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		store_request(store, &list->items[i]);
	for (i = 0; i < list->nr_unknown; i++)
		store_report_fail(
			store, NULL, list->unknown[i],
			"the recording has no build-id of it; see: buildid help annotate");
}
