/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Id prefix: the first digits of a build-id, as screens and the names in a recording show them,
 * and which of the ids that are known here begin so.
 */
#ifndef TOOL_ID_PREFIX_H
#define TOOL_ID_PREFIX_H

#include "common/build_id.h"
#include "common/output.h"

/* More than that are only counted. */
#define ID_PREFIX_SHOWN 4

/* An MD5, as of --build-id=md5, is an id by itself. */
#define ID_PREFIX_ROOM 32

struct id_prefix {
	char digits[ID_PREFIX_ROOM]; /* in lower case, as directories have them */
	struct build_id found[ID_PREFIX_SHOWN];
	size_t count; /* of different ids, as far as they are shown */
	bool more;
};

/*
 * Whether @text may be the beginning of an id: 8 hex digits or more, but fewer than the
 * shortest that linkers make by default has.
 */
bool id_prefix_is(const char *text);
void id_prefix_start(struct id_prefix *prefix, const char *digits);
/* An id that is known: counts if it begins so. */
void id_prefix_offer(struct id_prefix *prefix, const uint8_t *bytes, size_t size);
void id_prefix_offer_file(struct id_prefix *prefix, const struct buildid_record *record);
/* Those of files in @root/.build-id. */
void id_prefix_offer_stored(struct id_prefix *prefix, const char *root);
/*
 * @id: the only one that was offered, not one that is no longer than the digits when others begin
 * with it; or the digits themselves if there is none. False after the
 * error was printed.
 */
bool id_prefix_settle(const struct id_prefix *prefix, struct output *out, struct build_id *id);

#endif
