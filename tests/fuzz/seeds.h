/* SPDX-License-Identifier: GPL-2.0 */
/* Seeds: what the fuzzers begin with. */
#ifndef TESTS_SEEDS_H
#define TESTS_SEEDS_H

#include <stddef.h>

#include "make_perfdata.h"

/* A file in @directory below the current one. */
void seed_write(const char *directory, const void *bytes, size_t size);

void seed_elf(void);
void seed_perfdata(void);
void seed_log(void);
void seed_archive(void);
void seed_annotate(void);

/* A small ELF file, the build-id of which is 20 bytes 1, 4, 7 ... */
const unsigned char *seed_image(size_t *size);

#define SEED_PERFDATA 32
#define SEED_LOGS     128
#define SEED_LOG_ALL  31 /* has all records */

/* One of so many. */
const struct make *seed_make_perfdata(unsigned int number);
const unsigned char *seed_make_log(unsigned int number, size_t *size);

#endif
