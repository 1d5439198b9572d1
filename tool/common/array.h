/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays: counting, growing, sorting. The allocated size follows from the count, so that it need
 * not be stored.
 */
#ifndef TOOL_ARRAY_H
#define TOOL_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define ARRAY_FIRST 16

/* Less than 0, 0 or more than 0, for qsort(3). */
#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/*
 * Make room for one more element after @count others, all of them added this way; @array is NULL at
 * first and may move. False without memory, with @array unchanged.
 */
#define array_reserve(array, count)                                        \
	({                                                                 \
		void *array_ = array_grow(array, count, sizeof(*(array))); \
                                                                           \
		if (array_)                                                \
			(array) = array_;                                  \
		array_ != NULL;                                            \
	})

/* There is room up to the next power of two. */
static inline void *array_grow(void *array, size_t count, size_t size)
{
	if ((count & (count - 1)) || (array && count < ARRAY_FIRST))
		return array;
	return reallocarray(array, count ? 2 * count : ARRAY_FIRST, size);
}

/* As qsort(3), which does not allow NULL for no elements; few are sorted often. */
#define array_sort(array, count, compare)                               \
	do {                                                            \
		if ((count) > 1)                                        \
			qsort(array, count, sizeof(*(array)), compare); \
	} while (0)

/* How many elements of a sorted array are less than @key. Inline for the callback's sake. */
static inline size_t array_lower_bound(const void *key, const void *array, size_t count,
				       size_t size, int (*compare)(const void *, const void *))
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (compare((const char *)array + middle * size, key) < 0)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

#endif
