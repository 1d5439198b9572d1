/* SPDX-License-Identifier: GPL-2.0 */
/* Stack text internal: what the parts of stack_text.c share. */
#ifndef TOOL_STACK_TEXT_INTERNAL_H
#define TOOL_STACK_TEXT_INTERNAL_H

#include "json_strings.h"
#include "stack_pair.h"
#include "stack_text.h"
#include "stack_words.h"

/* Result of reading a header. */
struct header {
	uint32_t words;
	uint32_t numbers; /* different ones */
	uint64_t number;
	uint64_t labelled;  /* after "pid" */
	uint64_t thread;    /* after "tid" */
	uint64_t pid, time; /* of the fields asked for */
};

struct stack_text {
	struct stack_options options;
	char *text; /* of the block */
	size_t size, room;
	struct stack_address *addresses;
	size_t nr_addresses;
	size_t nr_passed;
	bool in_key;
	struct header key;
	struct json_strings json;
	/* The owner of the next addresses. */
	struct stack_owner owner;
	bool labelled;	    /* it was named explicitly */
	bool report;	    /* of a sanitizer: has other numbers */
	bool named;	    /* in the last line */
	bool perf;	    /* in the lines of a sample */
	bool raw;	    /* the last line was only an address */
	size_t frames;	    /* of the stack so far */
	bool kernel;	    /* the last of them is the kernel's */
	struct build_id id; /* of a pair that continues in the next line */
	bool id_indented;   /* and its line was */
};

/* stack_codes.c: addresses of a line, which count from the end of the block. */

void stack_begin(struct stack_text *stack);
/* Whether an address of @value is a return address, of the next frame of the stack. */
bool stack_is_caller(struct stack_text *stack, uint64_t value);
/* These return false only without memory. */
bool stack_add_address(struct stack_text *stack, const char *line, struct word word, uint64_t value,
		       struct word name, bool caller);
bool stack_add_pair(struct stack_text *stack, const char *line, const struct stack_pair *pair,
		    bool caller);
/* All addresses by themselves from @at on; with @frame, in a line of a stack. */
bool stack_add_words(struct stack_text *stack, const char *line, const char *at, const char *end,
		     bool frame, size_t pair);
/* With pairs. */
bool stack_add_codes(struct stack_text *stack, const char *line, const char *at, const char *end,
		     bool frame);
void stack_count_passed(struct stack_text *stack, size_t first, const char *line, const char *end);

/* stack_perf.c: lines of perf script. These say whose a sample is; addresses are from @rest. */

bool stack_read_sample(struct stack_text *stack, const char *line, const char *end,
		       const char **rest);
bool stack_read_flat(struct stack_text *stack, const char *line, const char *end, struct word word,
		     const char **rest);
bool stack_read_head(struct stack_text *stack, const char *line, const char *end);
bool stack_add_sample(struct stack_text *stack, const char *line, const char *at, const char *end);
bool stack_is_perf_frame(const struct stack_text *stack, const char *line, const char *end,
			 struct word word, uint64_t *value, struct word *name);
/* "12345.678901:", with 6 or 9 digits of a fraction. */
bool word_is_time(struct word word, uint64_t *time);

/* stack_header.c: lines that say whose the addresses are. */

uint32_t stack_pid(uint64_t value);
void stack_own(struct stack_text *stack, uint64_t pid, bool labelled);
void stack_read_header(const struct stack_text *stack, struct header *header, const char *at,
		       const char *end);
void stack_only_labels(struct header *header);
void stack_use_header(struct stack_text *stack, const struct header *header);
void stack_use_line(struct stack_text *stack, const char *line, const char *end);

#endif
