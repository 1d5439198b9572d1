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

struct id_prefix {
	const char *digits; /* the caller's */
	struct build_id found[ID_PREFIX_SHOWN];
	size_t count; /* of different ids, as far as they are shown */
	bool more;
	bool exact; /* one is no longer than that, and the first */
};

/*
 * Whether @text may be the beginning of an id: 8 hex digits or more, but fewer than the
 * shortest that linkers make by default has.
 */
bool id_prefix_is(const char *text);
/* An id that is known: counts if it begins so. */
void id_prefix_offer(struct id_prefix *prefix, const uint8_t *bytes, size_t size);
void id_prefix_offer_file(struct id_prefix *prefix, const struct buildid_record *record);
/*
 * @id: the only one that was offered, or the digits themselves if there is none. False after the
 * error was printed.
 */
bool id_prefix_settle(const struct id_prefix *prefix, struct output *out, struct build_id *id);

#endif
