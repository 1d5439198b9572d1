/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code diff: the functions of two files, before and after, and what became of each. Both are
 * read by a process of its own, see file_reader.h, and what it says is checked.
 */
#ifndef TOOL_CODE_DIFF_H
#define TOOL_CODE_DIFF_H

#include "code_match.h"
#include "common/reason.h"

/* A function, in the files that have it. */
struct code_change {
	char *name;
	enum code_verdict verdict;
	uint64_t start[2]; /* offset in the file before, and after */
	uint64_t size[2];  /* 0 where it has none of that name */
};

struct code_diff {
	struct code_change *all; /* by name */
	size_t count;
	bool exported_only; /* one of the files has no other names */
	uint64_t code[2];   /* bytes of code in either, ... */
	uint64_t named[2];  /* ... and those in a function that has a name */
};

/*
 * Of the ELF files at @files, with their debug files at @debug or -1. @raw: names as they are in
 * the files. False with @reason.
 */
bool code_diff_read(struct code_diff *diff, const int files[2], const int debug[2], bool raw,
		    struct reason *reason);
void code_diff_free(struct code_diff *diff);

/* "same", "moved", "data" ... */
const char *code_verdict_word(enum code_verdict verdict);

#endif
