/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stack pair: a build-id and a place in the file that has it, which needs no process. As
 *
 *	ID 0xOFFSET, ID + OFFSET, ID+0xOFFSET	bpftrace, Inspektor Gadget, systing
 *	([buildid:ID]) <0xOFFSET>		systing
 *	(FILE+0xADDRESS) (BuildId: ID)		sanitizers
 *	pc ADDRESS FILE (BuildId: ID)		Android
 *
 * where an offset is in the file, and an address is one of the ELF file.
 */
#ifndef TOOL_STACK_PAIR_H
#define TOOL_STACK_PAIR_H

#include "common/build_id.h"

struct stack_pair {
	struct build_id id;
	uint64_t place;
	bool is_address;       /* of the ELF file; else an offset */
	const char *at, *end;  /* of the whole */
	const char *digits_at; /* of the place */
};

/* The first in the line from @line to @end that begins at or after @at. */
bool stack_pair_find(const char *line, const char *at, const char *end, struct stack_pair *pair);
/*
 * The id at the end of a line that continues with "+OFFSET" in the next, as wrapped YAML does;
 * @indented distinguishes it from lists of ids, such as git's.
 */
bool stack_pair_begins(const char *line, const char *end, struct build_id *id, bool *indented);
/* That next line, with @indented of the first: sets the place, and where it ends. */
bool stack_pair_goes_on(const char *line, const char *end, bool indented, struct stack_pair *pair);

#endif
