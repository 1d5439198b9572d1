// SPDX-License-Identifier: GPL-2.0
/* Memory: by the linker's --wrap, so that the C library's own allocations do not count. */

#include <stdbool.h>
#include <stdlib.h>

#include "memory.h"

size_t memory_tried;
size_t memory_left = SIZE_MAX;
size_t memory_fails = SIZE_MAX;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_reallocarray(void *memory, size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_reallocarray(void *memory, size_t count, size_t size);

static bool may_allocate(void)
{
	memory_tried++;
	if (!memory_fails--)
		return false;
	return memory_left && memory_left--;
}

void *__wrap_malloc(size_t size)
{
	return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size)
{
	return may_allocate() ? __real_realloc(memory, size) : NULL;
}

void *__wrap_reallocarray(void *memory, size_t count, size_t size)
{
	return may_allocate() ? __real_reallocarray(memory, count, size) : NULL;
}
