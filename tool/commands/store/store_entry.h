/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Store entry: a content is found and put into the debug dir, and a line is printed for
 * it. What store, store --live, bundle and unbundle share.
 */
#ifndef TOOL_STORE_ENTRY_H
#define TOOL_STORE_ENTRY_H

#include "common/output.h"
#include "content/debug_dir.h"
#include "content/locate.h"
#include "request_list.h"

/* Filling a debug dir. */
struct store_job {
	struct output *out;
	struct debug_dir *dir;
	struct locator *locate;
	bool debug;  /* debug files from servers, too */
	bool copy;   /* never link: the files may be overwritten in place */
	bool unpack; /* modules always, as the name that perf will look for is not known */
	bool quiet;  /* no lines of what went well */
	uint64_t stored;
	uint64_t kept; /* of these, that were there already */
	uint64_t skipped;
	uint64_t failed;
};

/*
 * "OK id path"; @source is where it came from, "kept" when it was stored already. @note is what
 * has to be said of it, or NULL.
 */
void store_report_ok(struct store_job *store, const struct build_id *id, const char *path,
		     const char *source, const char *note);
/* "FAIL id path: reason"; @id NULL when it is not known. */
void store_report_fail(struct store_job *store, const struct build_id *id, const char *path,
		       const char *reason);

/*
 * Whether @part is stored; with @copy, that it is no link, which could still change. A link
 * to another user's file is made a copy of it.
 */
bool store_has(const struct store_job *store, const struct build_id *id, enum content_part part);
/*
 * What is to be said where the file of @id that is stored is another one than @fd: NULL for
 * nothing. False when it must not stand for it.
 */
bool store_stands_for(const struct store_job *store, const struct build_id *id, int fd,
		      const char **note);
/* Whether the file of @id that is stored is of another user: one of ours is to replace it. */
bool store_has_others(const struct store_job *store, const struct build_id *id);

/* Find one content and store it, unless it is stored already. */
void store_request(struct store_job *store, const struct request *request);
/* All that a perf.data refers to; what has no build-id in it fails. */
void store_requests(struct store_job *store, const struct request_list *list);

#endif
