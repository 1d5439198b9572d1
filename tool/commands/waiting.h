/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting: returns mappings together with their files. A mapping whose FILE record follows waits
 * for it, a second at most; events in between do not wait.
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
 * Add a record, which has to stay valid until waiting_next() returns NULL. 0 or a negative errno.
 */
int waiting_push(struct waiting *waiting, const struct buildid_record *record);
/*
 * The next event, of any type but FILE, valid until the next call; NULL if there is none now. A
 * mapping with BUILDID_EVENT_FILE_FOLLOWS has waited in vain. @now is the time_mono of the last
 * record, or CLOCK_MONOTONIC if the stream has no more now: using the clock while there is more to
 * read would give up on files that are in there.
 */
const struct buildid_event *waiting_next(struct waiting *waiting, uint64_t now);
/* Milliseconds for poll(2) until a mapping has waited long enough; -1 if none waits. */
int waiting_timeout(const struct waiting *waiting, uint64_t now);

#endif
