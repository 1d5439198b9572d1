// SPDX-License-Identifier: GPL-2.0
/* Source: the device's ring, the netlink group, or a log. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "log.h"
#include "module.h"
#include "netlink.h"
#include "source.h"

struct source {
	struct output *out;
	int error;

	/* One of these. */
	struct buildid *device;
	struct netlink *events;
	struct log_reader *log;

	/* Beside the group: the files it named before. */
	struct netlink *dump;
	uint64_t seq;				/* of the record before */
	const struct buildid_record *held;	/* comes behind a made-up LOST */
	struct buildid_lost hole;

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
	netlink_close(source->events);
	netlink_close(source->dump);
	if (source->log)
		log_close(source->log);
	free(source);
}

/* --------------------------------------------------------------- device -- */

struct source *source_device(struct output *out,
			     const struct buildid_options *options)
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
	return source;
}

static enum source_answer next_of_device(struct source *source,
					 const struct buildid_record **record)
{
	int err = buildid_next(source->device, 0, record);

	if (!err)
		return SOURCE_RECORD;
	if (err == -EAGAIN || err == -EINTR)
		return SOURCE_NONE;
	source->error = err;
	return SOURCE_FAILED;
}

/* -------------------------------------------------------------- netlink -- */

static int start_dump(struct source *source)
{
	int err;

	if (!source->dump) {
		err = netlink_open(&source->dump);
		if (err)
			return err;
	}
	return netlink_dump(source->dump);
}

struct source *source_netlink(struct output *out)
{
	struct source *source = source_new(out);
	int err;

	if (!source)
		return NULL;

	/* In this order no file falls between the two. */
	err = netlink_open(&source->events);
	if (!err)
		err = netlink_join(source->events);
	if (!err)
		err = start_dump(source);
	if (err) {
		module_netlink_error(out, err, ADVICE_ADMIN);
		source_close(source);
		return NULL;
	}
	return source;
}

/*
 * Between the kernel's queue and this socket messages are dropped without a
 * LOST record. The hole in seq is as wide, so one is made of that.
 */
static void fill_hole(struct source *source,
		      const struct buildid_record **record)
{
	const struct buildid_record *next = *record;
	uint64_t hole = next->seq - source->seq - 1;

	if (!source->seq || next->seq <= source->seq)
		hole = 0;
	if (next->type == BUILDID_RECORD_LOST) {
		uint64_t told = ((const struct buildid_lost *)next)->ring_full;

		hole -= told < hole ? told : hole;
	}
	source->seq = next->seq;
	if (!hole)
		return;

	source->hole = (struct buildid_lost) {
		.header = *next,
		.ring_full = hole,
	};
	source->hole.header.type = BUILDID_RECORD_LOST;
	source->hole.header.size = sizeof(source->hole);
	source->hole.header.seq--;
	source->held = next;
	*record = &source->hole.header;
}

static enum source_answer next_of_netlink(struct source *source,
					  const struct buildid_record **record)
{
	int err;

	if (source->held) {
		*record = source->held;
		source->held = NULL;
		return SOURCE_RECORD;
	}
	if (source->dump) {
		err = netlink_next(source->dump, record);
		if (!err)
			return SOURCE_RECORD;
		if (err != -ENODATA)
			goto failed;
		netlink_close(source->dump);
		source->dump = NULL;
	}

	err = netlink_next(source->events, record);
	if (!err) {
		fill_hole(source, record);
		return SOURCE_RECORD;
	}
	if (err == -EAGAIN || err == -EINTR)
		return SOURCE_NONE;
	if (err == -ENOBUFS) {
		/* FILE records may be among what was dropped. */
		err = start_dump(source);
		if (!err)
			return next_of_netlink(source, record);
	}
failed:
	source->error = err;
	return SOURCE_FAILED;
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

static enum source_answer next_of_log(struct source *source,
				      const struct buildid_record **record)
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

enum source_answer source_next(struct source *source,
			       const struct buildid_record **record)
{
	if (source->log)
		return next_of_log(source, record);
	if (source->events)
		return next_of_netlink(source, record);
	return next_of_device(source, record);
}

void source_tell(const struct source *source)
{
	if (source->log)
		out_error(source->out, source->log_path, "%s",
			  log_problem(source->log));
	else if (source->events)
		module_netlink_error(source->out, source->error, ADVICE_ADMIN);
	else
		module_error(source->out, BUILDID_DEVICE, source->error, NULL);
}

int source_fd(const struct source *source)
{
	if (source->log)
		return -1;
	if (source->events)
		return netlink_fd(source->events);
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
		return (int64_t)(clock_ns(CLOCK_REALTIME) -
				 clock_ns(CLOCK_MONOTONIC));
	header = log_header(source->log);
	return (int64_t)(header->time_real - header->time_mono);
}
