/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stack text: finds addresses, and whose they are, in what bpftrace and perf script
 * print. All else is text that is nobody's business here.
 *
 * An address is
 *
 *	a word "0x1234abcd" anywhere
 *	the first word of an indented line "7f12 name+0x1 (file)", as perf script has
 *	the word before "name+0x1 (file)" at the end of a line with a sample's time
 *	every word but the first of a line "1234 7f1200001139 7f1200001180"
 *
 * and belongs to the process that is named last before it: in its own line, in the line
 * above its indented lines, or in the key "@[...]" of a map, which may name it behind the
 * stack. That is the word after "pid" or "tgid", else the only number there is; in the
 * lines of perf script the word before the time, "PID" or "PID/TID".
 */
#ifndef TOOL_STACK_TEXT_H
#define TOOL_STACK_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_address {
	uint64_t value;
	size_t at, length;	     /* of the digits with their 0x, in the text */
	size_t name_at, name_length; /* of "name+0x1 (file)" behind it, or 0 */
	bool caller;		     /* a return address: the call is before it */
};

/* Lines that belong together, each with its newline. */
struct stack_block {
	const char *text;
	size_t size;
	const struct stack_address *addresses;
	size_t nr_addresses;
	uint32_t pid;	/* 0 when it is not known */
	bool ambiguous; /* there were several numbers */
	uint64_t time;	/* nanoseconds of the clock of the text; 0 for none */
};

struct stack_options {
	uint32_t pid;	     /* of all addresses; 0 for what the text says */
	uint32_t pid_field;  /* the word that is the pid, from 1; 0 for the rule above */
	uint32_t time_field; /* likewise, nanoseconds */
	void (*show)(void *context, const struct stack_block *block);
	void *context;
};

struct stack_text;

/* NULL only without memory. */
struct stack_text *stack_text_new(const struct stack_options *options);
/* One line, with its newline if it has one. False only without memory: it is in no block. */
bool stack_text_add(struct stack_text *stack, const char *line, size_t size);
/* Text in which no address is looked for, as the pieces of a line that is too long. */
void stack_text_pass(struct stack_text *stack, const char *text, size_t size);
/* Show what waits for the end of a key that never came. */
void stack_text_end(struct stack_text *stack);
void stack_text_free(struct stack_text *stack);

#endif
