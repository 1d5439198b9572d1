/* SPDX-License-Identifier: GPL-2.0 */
/* Samples: real files of this machine, copied to be changed. */
#ifndef TESTS_SAMPLES_H
#define TESTS_SAMPLES_H

#include <stdbool.h>

#include "common/build_id.h"

/* A directory to be in, with HOME in it; cmocka fixtures of each test. */
int sample_set_up(void **state);
int sample_tear_down(void **state);
/* Its absolute path. */
const char *sample_directory(void);

/* "true" and "false" are copies of /bin/true and /bin/false. */
void sample_make(const char *name);
/* Of what readelf says of it. */
void sample_id(const char *path, struct build_id *id);

/* As of system(3), and it has to succeed. */
void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What that prints, valid until the next call. */
const char *shell_output(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
