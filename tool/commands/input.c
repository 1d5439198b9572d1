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

struct source {
	struct output *out;
	int error;

	/* One of these. */
	struct buildid *device;
	struct netlink *netlink;
	struct log_reader *log;

	const char *log_path;
	uint64_t log_now;
};

static struct source *source_new(struct output *out)
{
	struct source *source = calloc(1, sizeof(*source));

	if (!source)
		out_error(out, "memory", "out of it");
	else
		source->out = out;
	return source;
}

void source_close(struct source *source)
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

struct source *source_device(struct output *out, const struct buildid_options *options)
{
	struct source *source = source_new(out);
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
		source_close(source);
		return NULL;
	}
	module_warn(source->device);
	return source;
}

/* -------------------------------------------------------------- netlink -- */

struct source *source_netlink(struct output *out, const struct buildid_options *options)
{
	struct source *source = source_new(out);
	struct buildid *device;
	int err;

	if (!source)
		return NULL;
	err = netlink_open(&source->netlink);
	if (!err)
		err = netlink_subscribe(source->netlink, options);
	if (err) {
		module_netlink_error(out, err);
		source_close(source);
		return NULL;
	}
	buildid_open(&device);
	module_warn(device);
	buildid_close(device);
	return source;
}

/* ------------------------------------------------------------------ log -- */

struct source *source_log(struct output *out, const char *path)
{
	struct source *source = source_new(out);
	const char *problem;

	if (!source)
		return NULL;
	source->log_path = strcmp(path, "-") ? path : "standard input";
	source->log = log_open(path);
	problem = source->log ? log_problem(source->log) : "out of memory";
	if (problem) {
		out_error(out, source->log_path, "%s", problem);
		source_close(source);
		return NULL;
	}
	return source;
}

static enum source_answer next_of_log(struct source *source, const struct buildid_record **record)
{
	switch (log_next(source->log, record)) {
	case 0:
		return SOURCE_END;
	case 1:
		source->log_now = (*record)->time_mono;
		return SOURCE_RECORD;
	default:
		return SOURCE_FAILED;
	}
}

/* --------------------------------------------------------------- common -- */

static enum source_answer taken(struct source *source, int err)
{
	if (!err)
		return SOURCE_RECORD;
	if (err == -EAGAIN || err == -EINTR)
		return SOURCE_NONE;
	source->error = err;
	return SOURCE_FAILED;
}

enum source_answer source_next(struct source *source, const struct buildid_record **record)
{
	if (source->log)
		return next_of_log(source, record);
	if (source->netlink)
		return taken(source, netlink_next(source->netlink, record));
	return taken(source, buildid_next(source->device, 0, record));
}

void source_tell(const struct source *source)
{
	if (source->log)
		out_error(source->out, source->log_path, "%s", log_problem(source->log));
	else if (source->netlink)
		module_netlink_error(source->out, source->error);
	else
		module_error(source->out, BUILDID_DEVICE, source->error, NULL);
}

int source_fd(const struct source *source)
{
	if (source->log)
		return -1;
	if (source->netlink)
		return netlink_fd(source->netlink);
	return buildid_fd(source->device);
}

uint64_t source_now(const struct source *source)
{
	return source->log ? source->log_now : clock_ns(CLOCK_MONOTONIC);
}

int64_t source_real(const struct source *source)
{
	const struct log_header *header;

	if (!source->log)
		return (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
	header = log_header(source->log);
	return (int64_t)(header->time_real - header->time_mono);
}
