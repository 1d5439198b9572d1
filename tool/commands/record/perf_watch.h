/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Perf watch: the perfs that a command runs, found by their mappings as they start.
 *
 * A command line says little if a shell, a script or a program that changes its directory is in
 * between; perf's own command line and directory say everything.
 */
#ifndef TOOL_PERF_WATCH_H
#define TOOL_PERF_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libbuildid/libbuildid.h"
#include "perf_output.h"

/**
 * struct perf_seen - a perf that records
 * @pid, @start_time: of its MMAP records
 * @fd: of pidfd_open(2), -1 if the kernel has none
 * @outputs: where it writes; none if that is a pipe
 */
struct perf_seen {
	uint32_t pid;
	uint64_t start_time;
	int fd;
	struct perf_output *outputs;
	size_t nr_outputs;
};

#define PERF_WATCH_SLOTS 64

/**
 * struct perf_watch - of one command
 * @command: its process: it and its descendants count
 * @since: CLOCK_REALTIME_COARSE before it was started, which is the clock of files
 * @seen, @nr_seen: perfs that record
 * @looked: how often a process was looked at in vain, by its pid: bounds the cost of processes that
 *	pretend to be perf
 */
struct perf_watch {
	pid_t command;
	struct timespec since;
	struct perf_seen *seen;
	size_t nr_seen;
	struct {
		uint32_t pid;
		uint32_t count;
		uint64_t start_time;
	} looked[PERF_WATCH_SLOTS];
};

/* Handle a record; those of other processes cost one comparison. */
void perf_watch_record(struct perf_watch *watch, const struct buildid_record *record);
/* Whether one of them still runs. */
bool perf_watch_is_running(const struct perf_watch *watch);
/* Signal those that run, except @except; false if there are none. */
bool perf_watch_signal(const struct perf_watch *watch, int number, pid_t except);
void perf_watch_free(struct perf_watch *watch);

#endif
