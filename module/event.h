/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records: what they say, and which subscribers they go to.
 */
#ifndef BID_EVENT_H
#define BID_EVENT_H

#include <linux/pid.h>

#include "cache.h"
#include "ring.h"

/* One bit each in bid_request.waiting. */
#define BID_SUBSCRIBERS_MAX 64

struct vm_area_struct;

/**
 * struct bid_subscriber - a ring and what it is for
 * @node: among the subscribers, under RCU
 * @ring: where the records go
 * @slot: its bit in bid_request.waiting
 * @flags: BUILDID_SUB_*
 * @pid_ns: pids are given as this namespace shows them
 * @active: when set, asked before each record; under RCU
 * @nr_pids: entries in @pids, 0 for every process
 * @pids: only these thread groups
 */
struct bid_subscriber {
	struct list_head node;
	struct bid_ring ring;
	u32 slot;
	u32 flags;
	struct pid_namespace *pid_ns;
	bool (*active)(struct bid_subscriber *subscriber);
	u32 nr_pids;
	struct pid *pids[];
};

/**
 * struct bid_mapping - a mapping to report
 * @vma: it; its mm is current's
 * @entry: what it maps, NULL for UNRESOLVED
 * @state: enum buildid_state
 * @path: of the file, once @path_known
 * @path_known: bid_file_path() was called
 * @buf: room for a path, PATH_MAX bytes
 * @waiting: of the request; for PENDING, else NULL
 */
struct bid_mapping {
	struct vm_area_struct *vma;
	struct bid_entry *entry;
	u8 state;
	bool path_known;
	struct bid_path path;
	char *buf;
	u64 *waiting;
};

/**
 * struct bid_facts - a FILE record before it is laid out
 * @file_id: and the rest: as in struct buildid_file
 */
struct bid_facts {
	u64 file_id;
	const struct bid_key *key;
	const struct bid_version *version;
	u64 user_ino;
	dev_t user_dev;
	u32 flags;
	u8 kind;
	u8 reason;
	u8 id_len;
	const u8 *id;
	struct bid_path path;
};

int bid_event_add(struct bid_subscriber *subscriber);
void bid_event_remove(struct bid_subscriber *subscriber);
u32 bid_event_subscribers(void);
bool bid_event_wants_data(void);

const struct bid_path *bid_mapping_path(struct bid_mapping *mapping);
void bid_event_mmap(struct bid_mapping *mapping);
void bid_event_file(struct bid_entry *entry, u64 waiting);

void bid_facts_of(const struct bid_entry *entry, struct bid_facts *facts);
u32 bid_facts_size(const struct bid_facts *facts);
void bid_facts_write(const struct bid_facts *facts, struct buildid_file *record);

#endif /* BID_EVENT_H */
