/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code match: whether two functions do the same, as far as their bytes tell. Where code or data
 * around a function grows, the references in it change without a change of the function. So
 * bytes that differ are read as a reference, and looked up in either file: it is the same if
 * both lead to what has the same name.
 */
#ifndef TOOL_CODE_MATCH_H
#define TOOL_CODE_MATCH_H

#include "code_image.h"

/* From the least of changes. The words for them are code_verdict_word(). */
enum code_verdict {
	CODE_SAME,    /* the same bytes */
	CODE_MOVED,   /* except for references to what has the same name */
	CODE_DATA,    /* except for these, and what may be references to data without a name */
	CODE_UNKNOWN, /* there are several of that name, or the file lacks the bytes */
	CODE_BYTES,   /* other bytes; which of them are references is not known of this machine */
	CODE_CALLS,   /* calls of functions of another name */
	CODE_CHANGED, /* other code of the same size */
	CODE_SIZE,    /* another size */
	CODE_ADDED,
	CODE_REMOVED,
	CODE_VERDICTS,
};

/* Of the same function in two files, before and after. */
enum code_verdict code_match(const struct code_image *before, const struct function *one,
			     const struct code_image *after, const struct function *other);

#endif
