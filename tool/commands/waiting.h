/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting: events whose mappings have their files. A mapping whose FILE record follows waits
 * for that, a second at most, and what comes in between does not.
 */
#ifndef TOOL_WAITING_H
#define TOOL_WAITING_H

#include "libbuildid/libbuildid.h"

/* For waiting_next(): nothing more will come. */
#define WAITING_END UINT64_MAX

struct waiting;

/* @flags: of struct buildid_files_options. NULL without memory. */
struct waiting *waiting_new(uint32_t flags);
void waiting_free(struct waiting *waiting);

/*
 * Add a record, which stays as it is until waiting_next() has returned NULL. 0 or a negative
 * errno.
 */
int waiting_push(struct waiting *waiting, const struct buildid_record *record);
/*
 * The next event, of any type but FILE, valid until the next call; NULL when there is none for
 * now. A mapping with BUILDID_EVENT_FILE_FOLLOWS has waited in vain. @now is the time_mono of
 * the last record, or CLOCK_MONOTONIC when the stream has no more for now: with the clock while
 * there is more to read, files would be given up that are in there.
 */
const struct buildid_event *waiting_next(struct waiting *waiting, uint64_t now);
/* Milliseconds, for poll(2), until a mapping has waited for long enough; -1 when none waits. */
int waiting_timeout(const struct waiting *waiting, uint64_t now);

#endif
