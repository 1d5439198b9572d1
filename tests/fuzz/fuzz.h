/* SPDX-License-Identifier: GPL-2.0 */
/* Fuzz: what the targets of libFuzzer have in common. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a target has. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What must not be is so: libFuzzer keeps the input. */
_Noreturn void fuzz_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Files in memory; valid until the next call with the same @number, below 4. */
int fuzz_fd(unsigned int number, const void *bytes, size_t size);
const char *fuzz_path(unsigned int number, const void *bytes, size_t size);

/* @name in a directory of this process, which tests/fuzz/run removes; until the next call. */
const char *fuzz_name(const char *name);

/* What is printed on stdout and stderr from now on is of no interest; not by fuzz_die(). */
void fuzz_silence(void);

/* How often it happened, printed at the end; @what is a constant. */
void fuzz_count(const char *what);

#endif
