/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is done over and over while instructions are counted.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct workload - files to map, each once, and to unmap right away
 * @fds: the files
 * @count: how many
 * @prot: PROT_*
 */
struct workload {
	const int *fds;
	unsigned int count;
	int prot;
};

/* Opens DIR/0 to DIR/COUNT-1. */
void files_open(const char *dir, int *fds, unsigned int count);

/* Out of the page cache with them. */
void files_drop(const int *fds, unsigned int count);

/**
 * struct hostile - a file that costs the module as much as one can: headers as many
 *	as are read at once, and notes as many, each on a page of its own, with the id
 *	in the last
 * @depth: directories it is below
 * @name_len: of their names
 * @id_len: bytes of the id
 * @headers: in all; those without a note are no notes, or empty ones
 * @empty: they are
 * @is32: ELFCLASS32, whose headers are smaller
 * @swapped: in the other byte order
 * @split: nothing lies where it could be looked at in place: headers are not aligned,
 *	and notes on two pages each
 * @writer: it stays open for writing
 */
struct hostile {
	unsigned int depth;
	unsigned int name_len;
	unsigned int id_len;
	unsigned int headers;
	bool empty;
	bool is32;
	bool swapped;
	bool split;
	bool writer;
};

/* Opens such a file, new, below DIR. */
int hostile_file(const char *dir, const struct hostile *hostile);

/* Maps the file executable, and unmaps it. */
void map_once(int fd);

/*
 * A process that does it, a new one for each subject: what a mapping costs
 * depends on which others a process has, and on how it came to have them.
 */
pid_t mapper_start(const struct workload *work);
void mapper_stop(void);

/* Instructions that it took to map and unmap each file. */
const uint64_t *mapper_run(void);

/*
 * A new small program in memory. Its path as the module sees it is as long as that of a file
 * of a real system: THROWAWAY_PATH on average.
 */
#define THROWAWAY_PATH 41.875
int throwaway_file(void);

#endif /* BENCH_WORKLOAD_H */
