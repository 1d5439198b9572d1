/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's own interfaces that give the build-id of a mapping: PROCMAP_QUERY, from
 * Linux 6.11, and BPF stacks. Unlike subjects, they do nothing when a file is mapped.
 */
#ifndef BENCH_OTHERS_H
#define BENCH_OTHERS_H

#include <stdbool.h>

/* PROCMAP_QUERY about an executable mapping of @file; false where the kernel lacks it. */
bool query_start(int file);
void query_stop(void);
void query_mapping(void);
void query_build_id(void);

/* What the BPF program takes of the user's stack, at each system call. */
enum sample {
	SAMPLE_NOTHING,
	SAMPLE_ADDRESSES,
	SAMPLE_BUILD_IDS,
};

/* @dir has first.so and second.so, of frame.c. */
void stack_start(const char *dir, enum sample sample);
void stack_stop(void);

/* A system call with a stack of 8 frames: all in first.so, or in both by turns. */
void stack_in_one(void);
void stack_in_two(void);

#endif /* BENCH_OTHERS_H */
