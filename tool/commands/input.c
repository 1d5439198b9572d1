// SPDX-License-Identifier: GPL-2.0
/* Source: the device's ring, netlink, or a log. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "identities/log.h"
#include "identities/netlink.h"
#include "input.h"
#include "module.h"

struct input {
	struct output *out;
	int error;

	/* One of these. */
	struct buildid *device;
	struct netlink *netlink;
	struct log_reader *log;

	const char *log_path;
	uint64_t log_now;
};

static struct input *input_new(struct output *out)
{
	struct input *source = calloc(1, sizeof(*source));

	if (!source)
		out_error(out, "memory", "out of it");
	else
		source->out = out;
	return source;
}

void input_close(struct input *source)
{
	if (!source)
		return;
	buildid_close(source->device);
	netlink_close(source->netlink);
	if (source->log)
		log_close(source->log);
	free(source);
}

/* --------------------------------------------------------------- device -- */

struct input *input_device(struct output *out, const struct buildid_options *options)
{
	struct input *source = input_new(out);
	int err;

	if (!source)
		return NULL;
	source->device = module_open(out);
	if (!source->device) {
		free(source);
		return NULL;
	}

	err = buildid_subscribe(source->device, options);
	if (err) {
		module_error(out, BUILDID_DEVICE, err, NULL);
		input_close(source);
		return NULL;
	}
	module_warn(source->device);
	return source;
}

/* -------------------------------------------------------------- netlink -- */

struct input *input_netlink(struct output *out, const struct buildid_options *options)
{
	struct input *source = input_new(out);
	struct buildid *device;
	int err;

	if (!source)
		return NULL;
	err = netlink_open(&source->netlink);
	if (!err)
		err = netlink_subscribe(source->netlink, options);
	if (err) {
		module_netlink_error(out, err);
		input_close(source);
		return NULL;
	}
	buildid_open(&device);
	module_warn(device);
	buildid_close(device);
	return source;
}

/* ------------------------------------------------------------------ log -- */

struct input *input_log(struct output *out, const char *path)
{
	struct input *source = input_new(out);
	const char *problem;

	if (!source)
		return NULL;
	source->log_path = strcmp(path, "-") ? path : "standard input";
	source->log = log_open(path);
	problem = source->log ? log_error(source->log) : "out of memory";
	if (problem) {
		out_error(out, source->log_path, "%s", problem);
		input_close(source);
		return NULL;
	}
	return source;
}

static enum input_status next_of_log(struct input *source, const struct buildid_record **record)
{
	switch (log_next(source->log, record)) {
	case 0:
		return INPUT_END;
	case 1:
		source->log_now = (*record)->time_mono;
		return INPUT_RECORD;
	default:
		return INPUT_FAILED;
	}
}

/* --------------------------------------------------------------- common -- */

static enum input_status taken(struct input *source, int err)
{
	if (!err)
		return INPUT_RECORD;
	if (err == -EAGAIN || err == -EINTR)
		return INPUT_NONE;
	source->error = err;
	return INPUT_FAILED;
}

enum input_status input_next(struct input *source, const struct buildid_record **record)
{
	if (source->log)
		return next_of_log(source, record);
	if (source->netlink)
		return taken(source, netlink_next(source->netlink, record));
	return taken(source, buildid_next(source->device, 0, record));
}

void input_report_error(const struct input *source)
{
	if (source->log)
		out_error(source->out, source->log_path, "%s", log_error(source->log));
	else if (source->netlink)
		module_netlink_error(source->out, source->error);
	else
		module_error(source->out, BUILDID_DEVICE, source->error, NULL);
}

int input_fd(const struct input *source)
{
	if (source->log)
		return -1;
	if (source->netlink)
		return netlink_fd(source->netlink);
	return buildid_fd(source->device);
}

uint64_t input_now(const struct input *source)
{
	return source->log ? source->log_now : clock_ns(CLOCK_MONOTONIC);
}

int64_t input_real(const struct input *source)
{
	const struct log_header *header;

	if (!source->log)
		return (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
	header = log_header(source->log);
	return (int64_t)(header->time_real - header->time_mono);
}
