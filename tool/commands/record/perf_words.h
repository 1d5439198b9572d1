/* SPDX-License-Identifier: GPL-2.0 */
/* Perf words: options of perf record on our command line, and the line they make for perf. */
#ifndef TOOL_PERF_WORDS_H
#define TOOL_PERF_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct perf_words - in the order they were given
 * @words: each option, and its value if it has one, which refer to the command line
 * @only: the first that is not an option of buildid record as well, or NULL
 * @command: of perf_words_command()
 */
struct perf_words {
	const char **words;
	size_t count;
	const char *only;
	char **command;
};

/* An option of perf record alone, for the table of options. */
struct perf_word {
	struct perf_words *words;
	const char *option;
};

#define PERF_WORD(words, option) (&(struct perf_word){ (words), (option) })

/* For args_parse(): a struct perf_word takes its value, or NULL. */
const char *perf_word_take(void *to, const char *value);
/* NULL, or what is wrong. @value: or NULL. */
const char *perf_words_add(struct perf_words *words, const char *option, const char *value);
/* perf record with these options runs @workload, which ends with NULL. NULL without memory. */
char **perf_words_command(struct perf_words *words, char *const *workload);
void perf_words_free(struct perf_words *words);

#endif
