/* SPDX-License-Identifier: GPL-2.0 */
/* Source: one stream of records, wherever it comes from. */
#ifndef TOOL_SOURCE_H
#define TOOL_SOURCE_H

#include "common/output.h"
#include "libbuildid/libbuildid.h"

struct source;

enum source_answer {
	SOURCE_FAILED, /* source_tell() knows why */
	SOURCE_RECORD,
	SOURCE_NONE, /* for now */
	SOURCE_END,  /* for good */
};

/* NULL after it was told why. @out is for that, and stays in use. */
struct source *source_device(struct output *out, const struct buildid_options *options);
struct source *source_netlink(struct output *out, const struct buildid_options *options);
struct source *source_log(struct output *out, const char *path);
void source_close(struct source *source);

/* The next record, checked, valid until the next call. Does not wait. */
enum source_answer source_next(struct source *source, const struct buildid_record **record);
/* Tell what failed: apart, as what came before it is to be shown first. */
void source_tell(const struct source *source);
/* Readable when there is something next; -1 when there always is. */
int source_fd(const struct source *source);
/* The time of the stream, for buildid_files_next(). */
uint64_t source_now(const struct source *source);
/* What CLOCK_REALTIME is ahead of the stream's times. */
int64_t source_real(const struct source *source);

#endif
