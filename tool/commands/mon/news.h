/* SPDX-License-Identifier: GPL-2.0 */
/*
 * News: finds mappings that show something not known before.
 *
 * What the module remembers and what is mapped at the start is known, and whatever has come since.
 * A version of a file under a path is judged once, so that an upgraded library is news when the
 * first process maps it, and not again for each further one.
 */
#ifndef TOOL_NEWS_H
#define TOOL_NEWS_H

#include <stdbool.h>

#include "commands/news_words.h"
#include "common/build_id.h"
#include "common/output.h"
#include "libbuildid/libbuildid.h"

/* Limit for each of contents, paths and versions: some 100 MB together. */
#define NEWS_MAX 262144

struct news;

/* @max: NEWS_MAX. NULL without memory. */
struct news *news_new(size_t max);
void news_free(struct news *news);
/*
 * From now on compare the bytes of files with equal identities and sizes, if processes still have
 * both mapped: for live records.
 */
void news_compare(struct news *news);
/* Start over, when it is full. */
void news_forget(struct news *news);

/* Known from the module's cache; older versions of the same path may come later. */
void news_learn_file(struct news *news, const struct buildid_file *file);

/*
 * Learn what the module remembers and what is mapped now. Failures are printed, and what was missed
 * may be news later on.
 */
void news_learn_present(struct news *news, struct output *out);

/*
 * What is new about an MMAP or COOKIE event, which is known from then on: bits of NEWS_*, 0 for
 * nothing. With NEWS_CHANGED, @former is the previous identity, valid until the next call of any
 * function here.
 */
unsigned int news_judge(struct news *news, const struct buildid_event *event,
			const struct identity **former);

/*
 * Whether room or memory ran out: from then on the same things may be news repeatedly.
 */
bool news_is_full(const struct news *news);

/*
 * How many versions have the same identity and size as another one at their path, with nothing else
 * known.
 */
size_t news_unsure(const struct news *news);

#endif
