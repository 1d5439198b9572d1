// SPDX-License-Identifier: GPL-2.0
/*
 * Perf words: perf record's options, passed on as they are; perf says what is wrong with them.
 */

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "common/array.h"
#include "perf_words.h"

static bool perf_words_push(struct perf_words *words, const char *word)
{
	if (!array_reserve(words->words, words->count))
		return false;
	words->words[words->count++] = word;
	return true;
}

const char *perf_words_add(struct perf_words *words, const char *option, const char *value)
{
	if (perf_words_push(words, option) && (!value || perf_words_push(words, value)))
		return NULL;
	return strerror(ENOMEM);
}

const char *perf_word_take(void *to, const char *value)
{
	struct perf_word *word = to;

	if (!word->words->only)
		word->words->only = word->option;
	return perf_words_add(word->words, word->option, value);
}

char **perf_words_command(struct perf_words *words, char *const *workload)
{
	static char perf[] = "perf", record[] = "record", end[] = "--";
	size_t length = 0, at = 0, i;

	while (workload[length])
		length++;
	words->command = calloc(words->count + length + 4, sizeof(*words->command));
	if (!words->command)
		return NULL;
	words->command[at++] = perf;
	words->command[at++] = record;
	for (i = 0; i < words->count; i++)
		words->command[at++] = (char *)(uintptr_t)words->words[i];
	/* The workload's options are its own. */
	if (length)
		words->command[at++] = end;
	for (i = 0; i < length; i++)
		words->command[at++] = workload[i];
	return words->command;
}

void perf_words_free(struct perf_words *words)
{
	free(words->words);
	free(words->command);
	*words = (struct perf_words){};
}
