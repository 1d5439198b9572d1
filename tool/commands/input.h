/* SPDX-License-Identifier: GPL-2.0 */
/* Source: one stream of records, wherever it comes from. */
#ifndef TOOL_INPUT_H
#define TOOL_INPUT_H

#include "common/output.h"
#include "libbuildid/libbuildid.h"

struct input;

enum input_status {
	INPUT_FAILED, /* input_report_error() knows why */
	INPUT_RECORD,
	INPUT_NONE, /* for now */
	INPUT_END,  /* for good */
};

/* NULL after it was told why. @out is for that, and stays in use. */
struct input *input_device(struct output *out, const struct buildid_options *options);
struct input *input_netlink(struct output *out, const struct buildid_options *options);
struct input *input_log(struct output *out, const char *path);
void input_close(struct input *source);

/* The next record, checked, valid until the next call. Does not wait. */
enum input_status input_next(struct input *source, const struct buildid_record **record);
/* Tell what failed: apart, as what came before it is to be shown first. */
void input_report_error(const struct input *source);
/* Readable when there is something next; -1 when there always is. */
int input_fd(const struct input *source);
/* The time of the stream, for buildid_files_next(). */
uint64_t input_now(const struct input *source);
/* What CLOCK_REALTIME is ahead of the stream's times. */
int64_t input_real(const struct input *source);

#endif
