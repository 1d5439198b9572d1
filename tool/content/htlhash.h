/* SPDX-License-Identifier: GPL-2.0 */
/* htlhash: OpenTelemetry's hash of a file, as the module has it: BUILDID_KIND_HTLHASH. */
#ifndef TOOL_HTLHASH_H
#define TOOL_HTLHASH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/build_id.h"

/* Of the file at @fd, of @size bytes. False when it cannot be read, or without libcrypto. */
bool htlhash_read(int fd, uint64_t size, struct build_id *id);

#endif
