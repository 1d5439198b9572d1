/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting instructions where an emulator takes one nanosecond for each.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The time stamp counter: instructions since power-on. */
static inline uint64_t counter(void)
{
	uint32_t low, high;

	asm volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/*
 * Pins and locks this process, puts it before all others, and dies where no
 * instructions are counted.
 */
void measure_init(void);

/*
 * Lets whatever is waiting for the processor run, and returns right after a
 * tick: the next one is 4 million instructions away.
 */
void settle(void);

/*
 * Instructions that the whole machine takes, whoever runs them, for @work and
 * all that it sets off within the window; the timer's, too, which are the same
 * in every window.
 */
uint64_t window(void (*work)(void *arg), void (*after)(void *arg), void *arg);

/*
 * Results, printed as a line of JSON each: the values of a series with a common
 * @name, each the instructions for @of of a thing; numbers of all other kinds.
 */
void series_add(const char *name, unsigned int of, uint64_t value);
void series_print(void);
void number_print(const char *name, double value);

/* In place of a series about what this kernel does not have. */
void missing_print(const char *name);

#endif /* BENCH_MEASURE_H */
