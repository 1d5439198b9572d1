/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A function that is in two DSOs, first.so and second.so. Calls of it make a stack of
 * as many frames as the caller wants, each in the DSO that the caller chooses.
 */
#ifndef BENCH_FRAME_H
#define BENCH_FRAME_H

typedef long (*frame_fn)(const void *frames, unsigned int depth);

/*
 * Calls the next function with @depth - 1, or getppid(2) when @depth is 0. @frames has
 * two frame_fn, a type that cannot name itself: the function at an even depth is
 * frames[0], the one at an odd depth frames[1].
 */
long frame(const void *frames, unsigned int depth);

#endif /* BENCH_FRAME_H */
