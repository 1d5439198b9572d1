/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_HOOK_H
#define BENCH_HOOK_H

/* @dir as main() gets it. */
void count_hook(const char *dir);

#endif /* BENCH_HOOK_H */
