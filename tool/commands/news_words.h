/* SPDX-License-Identifier: GPL-2.0 */
/* Words for what is new about a mapping. */
#ifndef TOOL_NEWS_WORDS_H
#define TOOL_NEWS_WORDS_H

enum {
	NEWS_CHANGED = 1 << 0, /* the path led to other content before, perhaps with the same id */
	NEWS_NEW = 1 << 1,     /* this content was not seen before */
	NEWS_DELETED = 1 << 2, /* no path leads to the file any more */
	NEWS_MEMFD = 1 << 3,
	NEWS_WRITABLE = 1 << 4, /* open or mapped for writing */
};

#define NEWS_WORDS 5

/* The words of @bits, with a NULL. */
void news_words(unsigned int bits, const char *words[NEWS_WORDS + 1]);

#endif
