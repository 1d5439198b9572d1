/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stack text: finds addresses and their processes in the output of profilers, tracers, debuggers,
 * sanitizers and the kernel, as text or in strings of JSON. Everything else is passed through.
 *
 * An address is
 *
 *	a word "0x1234abcd" anywhere except after a "+"; in a line of a stack only the first, and in
 *	a line with "pc" or "ip" before one, only that one
 *	the digits after "ip", "pc" or "rip", and in "[<...>]"
 *	a line with only digits, as from bpftrace's ustack(raw)
 *	in a line of perf script what is in its column, of 16 characters, or else the word
 *	before "name+0x1 (file)"
 *	every word except the first of a line "1234 7f1200001139 7f1200001180"
 *
 * and so is a pair of stack_pair.h. It belongs to the process that is named last before it: in its
 * own line, in the line above its stack, in the key "@[...]" of a map, which may name it after the
 * stack, in the line "- comm (PID)" below it, or in its object of JSON. That is the word after
 * "pid", "tgid" or "process", the number in "==1234==" and "comm[1234]: ... ip", else the only
 * number there is; in the lines of perf script the word before the time, "PID" or "PID/TID".
 */
#ifndef TOOL_STACK_TEXT_H
#define TOOL_STACK_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/build_id.h"

struct stack_owner {
	uint32_t pid;	/* 0 if unknown */
	bool ambiguous; /* there were several numbers */
	uint64_t time;	/* nanoseconds of the clock of the text; 0 for none */
};

struct stack_address {
	uint64_t value;
	size_t at, length;	     /* of the digits with their 0x, in the text */
	size_t name_at, name_length; /* of "name+0x1 (file)" after it, or 0 */
	bool caller;		     /* a return address: the call is before it */
	bool quoted;		     /* in a string of JSON */
	struct stack_owner owner;
	/* The build-id of its file in the text, of size 0 for none. */
	struct build_id id;
	uint64_t place;
	bool is_elf_address; /* @place is an address of the ELF file, else an offset in it */
	bool is_pair;	     /* there is no @value, only that */
};

/* Lines that belong together, each with its newline. */
struct stack_block {
	const char *text;
	size_t size;
	const struct stack_address *addresses;
	size_t nr_addresses;
	size_t nr_passed; /* further words that may be addresses */
};

struct stack_options {
	uint32_t pid;	     /* of all addresses; 0 for what the text says */
	uint32_t pid_field;  /* the word that is the pid, from 1; 0 for the rule above */
	uint32_t time_field; /* the word that is the time in nanoseconds, from 1; 0 as above */
	void (*show)(void *context, const struct stack_block *block);
	void *context;
};

struct stack_text;

/* NULL only without memory. */
struct stack_text *stack_text_new(const struct stack_options *options);
/* One line, with its newline if it has one. False only without memory: it is in no block. */
bool stack_text_add(struct stack_text *stack, const char *line, size_t size);
/* Pass on text without searching it, such as pieces of a line that is too long. */
void stack_text_pass(struct stack_text *stack, const char *text, size_t size);
/* Show what waits for the end of a key that never came. */
void stack_text_end(struct stack_text *stack);
void stack_text_free(struct stack_text *stack);

#endif
