/* SPDX-License-Identifier: GPL-2.0 */
/*
 * News: which mappings say something that was not known before.
 *
 * Known is what the module remembers and what is mapped when watching begins, and what
 * came since. A version of a file under a path is judged once, so that a library that was
 * upgraded is news when the first process maps it, and not with each further one.
 */
#ifndef TOOL_NEWS_H
#define TOOL_NEWS_H

#include <stdbool.h>

#include "commands/news_words.h"
#include "common/build_id.h"
#include "common/output.h"
#include "libbuildid/libbuildid.h"

/* Of each of contents, paths and versions: some 100 MB for all together. */
#define NEWS_MAX 262144

struct news;

/* @max: NEWS_MAX. NULL without memory. */
struct news *news_new(size_t max);
void news_free(struct news *news);
/*
 * From now on have the bytes of files compared where their identities and sizes do not tell
 * them apart and processes still have both mapped: the records are of now.
 */
void news_compare(struct news *news);
/* As it began, when it is full. */
void news_forget(struct news *news);

/* In the module's cache, so known; older versions of the same path may come later. */
void news_learn_file(struct news *news, const struct buildid_file *file);

/*
 * All that the module remembers and that is mapped now. What cannot be asked is printed, and
 * may be news later on.
 */
void news_learn_present(struct news *news, struct output *out);

/*
 * What is news about an event of the type MMAP or COOKIE, which is known from then on: bits of
 * NEWS_*, 0 for none. With NEWS_CHANGED @former is the identity before, valid until the next
 * call of any function here.
 */
unsigned int news_judge(struct news *news, const struct buildid_event *event,
			const struct identity **former);

/*
 * Whether there was no room, or no memory, for something: what is judged from then on may be
 * news again and again.
 */
bool news_is_full(const struct news *news);

/* How many versions have the identity and size of another one at their path, and no more is known. */
size_t news_unsure(const struct news *news);

#endif
