// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "common/array.h"
#include "news_words.h"

void news_words(unsigned int bits, const char *words[NEWS_WORDS + 1])
{
	static const char *const all[NEWS_WORDS] = { "changed", "new", "deleted", "memfd",
						     "writable" };
	size_t count = 0, i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		if (bits & 1U << i)
			words[count++] = all[i];
	words[count] = NULL;
}
