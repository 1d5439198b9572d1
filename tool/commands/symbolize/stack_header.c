// SPDX-License-Identifier: GPL-2.0
/* Stack header: the process named last is the one of what follows. */

#include <ctype.h>
#include <string.h>

#include "stack_text_internal.h"
#include "stack_scan.h"

/* The kernel's PID_MAX_LIMIT. */
#define PID_MAX 4194304

uint32_t stack_pid(uint64_t value)
{
	return value <= INT32_MAX ? (uint32_t)value : 0;
}

/* "12:34:56" */
static bool is_clock(struct word word, const char *line, const char *end)
{
	const char *last = word_end(word);
	bool before = word.at - line >= 2 && word.at[-1] == ':' &&
		      isdigit((unsigned char)word.at[-2]);
	bool behind = end - last >= 2 && last[0] == ':' && isdigit((unsigned char)last[1]);

	return word.length == 2 && (before || behind);
}

/* "file.c:12" */
static bool is_source_line(struct word word, struct word before)
{
	const char *point = before.length ? memrchr(before.at, '.', before.length) : NULL;
	struct word suffix;

	if (!point || word.at[-1] != ':' || word.at - 1 != word_end(before))
		return false;
	suffix = (struct word){ point + 1, (size_t)(word_end(before) - point) - 1 };
	return word_is_one_of(suffix, "c h s cc cpp cxx hpp rs go py java kt js rb");
}

/* Numbers that count something else, or name it. */
static bool is_other_number(struct word word, uint64_t value, struct word before, const char *line,
			    const char *end)
{
	return value > PID_MAX || (word.length > 1 && *word.at == '0') ||
	       word_is_one_of(before, "goroutine thread cpu uid gid") ||
	       is_source_line(word, before) || is_clock(word, line, end);
}

static void read_word(const struct stack_text *stack, struct header *header, struct word word,
		      struct word before, struct word earlier, const char *line, const char *end)
{
	bool of_thread = word_is(before, "thread") && word_is(earlier, "of");
	uint64_t value;

	header->words++;
	if (!word_is_decimal(word, &value))
		return;
	if (header->words == stack->options.pid_field)
		header->pid = value;
	if (header->words == stack->options.time_field)
		header->time = value;
	if (word_is_one_of(before, "pid tgid process"))
		header->labelled = value;
	if (word_is_one_of(before, "tid lwp") || of_thread)
		header->thread = value;
	if (is_other_number(word, value, before, line, end))
		return;
	if (!header->numbers || header->number != value)
		header->numbers++;
	header->number = value;
}

/* "==1234==ERROR: AddressSanitizer" */
static bool read_report(const char *at, const char *end, uint64_t *pid)
{
	struct word word;
	const char *last;

	if (end - at <= 4 || at[0] != '=' || at[1] != '=')
		return false;
	word = word_next(at, end, SEPARATORS);
	last = word_end(word);
	return word.at == at + 2 && end - last >= 2 && last[0] == '=' && last[1] == '=' &&
	       word_is_decimal(word, pid);
}

/* "[   12.345678] ", "Nov 28 12:00:00 host kernel: ": they have many numbers. */
static bool is_kernel_log(const char *at, const char *end)
{
	struct word word;
	uint64_t time;
	char text[32];

	if (text_has(at, end, " kernel: "))
		return true;
	if (at == end || !strchr("<>[] ", *at))
		return false;
	word = word_next(at, end, "<>[] ");
	if (word.at == at || word.at[-1] == '<' || word.length > sizeof(text) - 2 ||
	    word_end(word) == end || *word_end(word) != ']')
		return false;
	memcpy(text, word.at, word.length);
	text[word.length] = ':';
	return word_is_time((struct word){ text, word.length + 1 }, &time);
}

/* "comm[1234]: segfault at 0 ip 401136", and with other words before an "ip". */
static bool read_trap(const char *at, const char *end, uint64_t *pid)
{
	struct scan scan = scan_start(at, at, end);
	const char *open;
	uint64_t value;

	*pid = 0;
	if (!memchr(at, '[', (size_t)(end - at)))
		return false;
	while (scan_next(&scan)) {
		if (scan_has_label(&scan, &value))
			return *pid;
		open = scan.word.at - 1;
		if (open > at && *open == '[' && !strchr(BLANKS, open[-1]) &&
		    word_end(scan.word) < end && *word_end(scan.word) == ']' &&
		    word_is_decimal(scan.word, &value))
			*pid = value;
	}
	return false;
}

void stack_read_header(const struct stack_text *stack, struct header *header, const char *at,
		       const char *end)
{
	struct word earlier = {}, before = {}, word = word_next(at, end, SEPARATORS);
	uint64_t pid;

	for (; word.length; word = word_next(word_end(word), end, SEPARATORS)) {
		read_word(stack, header, word, before, earlier, at, end);
		earlier = before;
		before = word;
	}
	if (!header->labelled && (read_report(at, end, &pid) || read_trap(at, end, &pid)))
		header->labelled = pid;
}

void stack_own(struct stack_text *stack, uint64_t pid, bool labelled)
{
	stack->owner.pid = stack_pid(pid);
	stack->owner.ambiguous = false;
	stack->labelled = labelled;
	stack->named = true;
	if (!stack->options.time_field)
		stack->owner.time = 0;
}

void stack_use_header(struct stack_text *stack, const struct header *header)
{
	if (stack->options.time_field && header->time)
		stack->owner.time = header->time;
	if (stack->options.pid_field) {
		if (header->pid)
			stack->owner.pid = stack_pid(header->pid);
	} else if (header->labelled) {
		stack_own(stack, header->labelled, true);
	} else if (header->thread) {
		/* A process's first thread has its number. */
		if (!stack->labelled)
			stack_own(stack, header->thread, false);
	} else if (header->numbers == 1) {
		stack_own(stack, header->number, false);
	} else if (header->numbers) {
		stack_own(stack, 0, false);
		stack->owner.ambiguous = true;
	}
}

/* Use only labelled numbers: in stacks, and in lines where other numbers mean something else. */
void stack_only_labels(struct header *header)
{
	header->numbers = 0;
}

/* A line without numbers changes nothing. */
void stack_use_line(struct stack_text *stack, const char *line, const char *end)
{
	struct header header = {};
	uint64_t pid;

	stack_begin(stack);
	stack->perf = false;
	stack_read_header(stack, &header, line, end);
	if (read_report(line, end, &pid) || text_has(line, end, "ThreadSanitizer"))
		stack->report = true;
	if (end - line > 8 && !memcmp(line, "SUMMARY:", 8))
		stack->report = false;
	if (stack->report || is_kernel_log(line, end))
		stack_only_labels(&header);
	stack_use_header(stack, &header);
}
