// SPDX-License-Identifier: GPL-2.0
/*
 * Input: one of three streams behind one interface. A log differs most: it is always
 * readable, it ends, and its clock is that of its records.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "identities/log.h"
#include "identities/netlink.h"
#include "input.h"
#include "commands/module.h"
#include "commands/open_source.h"

struct input {
	struct output *out;
	int error;
	bool stopped;

	/* One of these. */
	struct source *source;
	struct source_stream *stream; /* of that */
	struct netlink *netlink;
	struct log_reader *log;

	const char *log_path;
	uint64_t now;
};

static struct input *input_new(struct output *out)
{
	struct input *input = calloc(1, sizeof(*input));

	if (!input)
		out_error(out, "input", "%s", strerror(ENOMEM));
	else
		input->out = out;
	return input;
}

void input_close(struct input *input)
{
	if (!input)
		return;
	source_stream_close(input->stream);
	source_close(input->source);
	netlink_close(input->netlink);
	if (input->log)
		log_close(input->log);
	free(input);
}

struct input *input_source(struct output *out, struct source *source,
			   const struct buildid_options *options)
{
	struct input *input = input_new(out);

	if (input)
		input->source = source;
	else
		source_close(source);
	if (input)
		input->stream = source_subscribe(out, source, options);
	if (input && input->stream)
		return input;
	input_close(input);
	return NULL;
}

struct input *input_netlink(struct output *out, const struct buildid_options *options)
{
	struct input *input = input_new(out);
	struct buildid *device;
	int err;

	if (!input)
		return NULL;
	err = netlink_open(&input->netlink);
	if (!err)
		err = netlink_subscribe(input->netlink, options);
	if (err) {
		module_netlink_error(out, err);
		input_close(input);
		return NULL;
	}
	buildid_open(&device);
	module_warn(device);
	buildid_close(device);
	return input;
}

bool input_netlink_exists(void)
{
	struct netlink *netlink;
	bool exists = !netlink_open(&netlink);

	netlink_close(netlink);
	return exists;
}

struct input *input_log(struct output *out, const char *path)
{
	struct input *input = input_new(out);
	const char *problem;

	if (!input)
		return NULL;
	input->log_path = strcmp(path, "-") ? path : "standard input";
	input->log = log_open(path);
	problem = input->log ? log_error(input->log) : strerror(ENOMEM);
	if (!problem && log_source(input->log) == LOG_SOURCE_PERF)
		source_say_log(out, "mon", input->log_path);
	if (!problem)
		return input;
	out_error(out, input->log_path, "%s", problem);
	input_close(input);
	return NULL;
}

static int next_of_log(struct input *input, const struct buildid_record **record)
{
	int found = log_next(input->log, record);

	if (found > 0)
		return 0;
	return found ? -EBADMSG : -ENODATA;
}

int input_next(struct input *input, const struct buildid_record **record)
{
	/* Before it is read: what comes after there was nothing is later than that. */
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (input->stopped && !input->stream)
		input->error = -ENODATA;
	else if (input->log)
		input->error = next_of_log(input, record);
	else if (input->netlink)
		input->error = netlink_next(input->netlink, record);
	else
		input->error = source_stream_next(input->stream, record);
	if (!input->error)
		input->now = (*record)->time_mono;
	else if (input->error == -EAGAIN)
		input->now = now;
	return input->error == -EINTR ? -EAGAIN : input->error;
}

void input_report_error(const struct input *input)
{
	if (input->log)
		out_error(input->out, input->log_path, "%s", log_error(input->log));
	else if (input->netlink)
		module_netlink_error(input->out, input->error);
	else
		module_error(input->out, BUILDID_DEVICE, input->error, NULL);
}

void input_stop(struct input *input)
{
	if (input->stream)
		source_stream_stop(input->stream);
	input->stopped = true;
}

bool input_losses_known(const struct input *input)
{
	return !input->stream || source_stream_losses_known(input->stream);
}

int input_fd(const struct input *input)
{
	if (input->log)
		return -1;
	return input->netlink ? netlink_fd(input->netlink) : source_stream_fd(input->stream);
}

uint64_t input_now(const struct input *input)
{
	return input->now;
}

uint64_t input_ended(const struct input *input)
{
	return input->log ? log_ended(input->log) : clock_ns(CLOCK_MONOTONIC);
}

const char *input_log_error(const struct input *input)
{
	return input->log ? log_error(input->log) : NULL;
}

int64_t input_real(const struct input *input, uint64_t mono)
{
	return input->log ? log_ahead(input->log, mono) : clock_real();
}
