/* SPDX-License-Identifier: GPL-2.0 */
/* Memory: allocations are counted, and fail when a test wants it. */
#ifndef TESTS_MEMORY_H
#define TESTS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

extern size_t memory_tried;
/* So many more succeed; SIZE_MAX, as at first: all of them. */
extern size_t memory_left;
/* So many more succeed, then one fails; SIZE_MAX: none does. */
extern size_t memory_fails;

#endif
