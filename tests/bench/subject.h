/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What may watch mappings while they are counted.
 */
#ifndef BENCH_SUBJECT_H
#define BENCH_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <buildid.h>

/* modules */
void module_load(const char *dir, const char *name, const char *parameters);
void module_unload(const char *name);

/* buildid.ko, by its device */
void device_open(void);
void device_close(void);
struct buildid_stats device_stats(void);
void device_flush(void);

/* The kernel's own measurement of what is mapped executable; it does not end. */
void ima_start(void);

/*
 * Records are drained by whoever counts: what is counted is their making, or
 * what it takes to drain them.
 */
struct tally {
	uint64_t records;
	uint64_t bytes;
	uint64_t lost;
	uint64_t sum; /* of their fields, so that reading them is not optimised away */
};

enum reader {
	READER_MMAP,
	READER_READ
};

void subscribe(uint32_t flags, enum reader reader);
void unsubscribe(void);
struct tally subscription_drain(void);

/*
 * Several subscribers at once, each for all mappings, or by a filter (pid, uid and cgroup take
 * turns) for the mapper's, or for those of others.
 */
#define WATCHERS 8
void watch_all(pid_t mapper);
void watch_mapper(pid_t mapper);
void watch_others(pid_t mapper);
void watchers_stop(void);
struct tally watchers_drain(void);

void listen_to_netlink(void);
void stop_listening(void);
struct tally netlink_drain(void);

void perf_start(bool build_id);
void perf_stop(void);
struct tally perf_drain(void);

#endif /* BENCH_SUBJECT_H */
