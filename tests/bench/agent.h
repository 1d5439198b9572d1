/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An agent that watches mappings by BPF, with what Linux 7.3 has for that: agent.bpf.c, and agent.c
 * that loads it and drains its ring.
 */
#ifndef BENCH_AGENT_H
#define BENCH_AGENT_H

#include <linux/types.h>

#define AGENT_ID_MAX 20

struct agent_record {
	__u64 addr, len, pgoff, ino;
	__u64 pid_tgid;
	__u32 dev;
	__u32 id_len;
	__u8 id[AGENT_ID_MAX];
	char comm[16];
};

#ifndef __bpf__

#include "subject.h"

/* False where the kernel lacks something of it. @dir has agent.bpf.o. */
bool agent_start(const char *dir);
void agent_stop(void);
/* Only records with an id are counted. */
struct tally agent_drain(void);

#endif

#endif /* BENCH_AGENT_H */
