/* SPDX-License-Identifier: GPL-2.0 */
/* Keep: contents into the debug dir, with a line for each. */
#ifndef TOOL_STORE_ENTRY_H
#define TOOL_STORE_ENTRY_H

#include "common/output.h"
#include "content/debug_dir.h"
#include "content/locate.h"
#include "request_list.h"

struct store_job {
	struct output *out;
	struct debug_dir *dir;
	struct locate *locate;
	bool debug;  /* debug files from servers, too */
	bool copy;   /* never link: the files may be overwritten in place */
	bool unpack; /* modules always: who will ask, and by what name, is open */
	uint64_t stored;
	uint64_t failed;
};

/* "OK id path"; @source is where it came from, "kept" when it was there already. */
void store_report_ok(struct store_job *store, const struct build_id *id, const char *path,
		     const char *source);
/* "FAIL id path: reason"; @id NULL when it is not known. */
void store_report_fail(struct store_job *store, const struct build_id *id, const char *path,
		       const char *reason);

/* Whether a part is there, and will stay as it is if that matters. */
bool store_has(const struct store_job *store, const struct build_id *id, enum content_part part);

/* Find one and put it into the directory, unless it is there. */
void store_request(struct store_job *store, const struct request *request);
/* All of a perf.data, and a failure for each that has no build-id there. */
void store_requests(struct store_job *store, const struct request_list *list);

#endif
