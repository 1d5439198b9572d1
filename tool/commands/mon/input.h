/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Input: one stream of records, from the module's device or perf, the module's netlink family, or
 * a log of buildid record. Its reader need not know which.
 */
#ifndef TOOL_INPUT_H
#define TOOL_INPUT_H

#include "common/output.h"
#include "libbuildid/libbuildid.h"
#include "source/source.h"

struct input;

/*
 * NULL after the error was printed. @out is for errors and stays in use; @source is closed with the
 * input, or at once.
 */
struct input *input_source(struct output *out, struct source *source,
			   const struct buildid_options *options);
struct input *input_netlink(struct output *out, const struct buildid_options *options);
struct input *input_log(struct output *out, const char *path);
void input_close(struct input *input);
/* Would input_netlink() find the module? */
bool input_netlink_exists(void);

/*
 * The next record, checked, valid until the next call. Does not wait. 0; -EAGAIN when
 * there is none for now, -ENODATA at the end of a log, -ENODEV when the module of a netlink
 * stream was unloaded; any other is an error.
 */
int input_next(struct input *input, const struct buildid_record **record);
/* No more from now on; see source_stream_stop(). */
void input_stop(struct input *input);
/* After that: whether all that was lost has been in a record. */
bool input_losses_known(const struct input *input);
/* Print the error of input_next(): apart from it, as the records before it come first. */
void input_report_error(const struct input *input);
/* Readable when there is a record; -1 for a log, which always has one. */
int input_fd(const struct input *input);
/* For waiting_next(): the time of the last record, or of input_next() when it found none. */
uint64_t input_now(const struct input *input);
/* The time up to which there was nothing else: of the end of a log, else now. */
uint64_t input_ended(const struct input *input);
/* Why a log could not be read to its end, or NULL. */
const char *input_log_error(const struct input *input);
/* CLOCK_REALTIME less the stream's time at @mono, that of a record which was read lately. */
int64_t input_real(const struct input *input, uint64_t mono);

#endif
