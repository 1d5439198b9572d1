// SPDX-License-Identifier: GPL-2.0
/*
 * Stack text: line by line. Only the key of a map is held back until its end, as
 *
 *	@[
 *	    0x7f1200001139
 *	, 1234]: 5
 *
 * says only there whose the address is.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hex.h"
#include "stack_text.h"

/* A key that is longer is none. bpftrace's stacks have 127 lines. */
#define KEY_MAX (1U << 20)

#define BLANKS	   " \t\r\n"
#define SEPARATORS BLANKS ",;:=|()[]{}\"'"

/* Bare digits of a line "PID ADDRESS": fewer are a number. */
#define BARE_DIGITS_MIN 8
/* Of perf's addresses. */
#define FRAME_DIGITS_MIN 4

/* What the words of a header say. */
struct header {
	uint32_t words;
	uint32_t numbers; /* different ones */
	uint64_t number;
	uint64_t labelled;  /* behind "pid" */
	uint64_t pid, time; /* of the fields asked for */
};

struct stack_text {
	struct stack_options options;
	char *text; /* of the block */
	size_t size, room;
	struct stack_address *addresses;
	size_t nr_addresses;
	bool in_key;
	struct header key;
	/* Whose the next addresses are. */
	uint32_t pid;
	bool ambiguous;
	uint64_t time;
	bool perf;     /* in the lines of a sample */
	size_t frames; /* of the stack so far */
	bool kernel;   /* the last of them is the kernel's */
};

struct stack_text *stack_text_new(const struct stack_options *options)
{
	struct stack_text *new = calloc(1, sizeof(*new));

	if (new)
		new->options = *options;
	return new;
}

void stack_text_free(struct stack_text *stack)
{
	if (!stack)
		return;
	free(stack->text);
	free(stack->addresses);
	free(stack);
}

/* ------------------------------------------------------------------ words -- */

struct word {
	const char *at;
	size_t length;
};

/* The next one at or behind @at; of length 0 behind the last. */
static struct word next_word(const char *at, const char *end, const char *separators)
{
	struct word word;

	while (at < end && (!*at || strchr(separators, *at)))
		at++;
	word.at = at;
	while (at < end && *at && !strchr(separators, *at))
		at++;
	word.length = (size_t)(at - word.at);
	return word;
}

static bool is_decimal(struct word word, uint64_t *value)
{
	size_t i;

	*value = 0;
	for (i = 0; i < word.length; i++) {
		if (!isdigit((unsigned char)word.at[i]) || *value > UINT64_MAX / 10 - 1)
			return false;
		*value = *value * 10 + (uint64_t)(word.at[i] - '0');
	}
	return word.length;
}

static bool is_hex(struct word word, size_t least, uint64_t *value)
{
	size_t i;

	*value = 0;
	if (word.length < least || word.length > 16)
		return false;
	for (i = 0; i < word.length; i++) {
		if (hex_digit(word.at[i]) < 0)
			return false;
		*value = *value << 4 | (uint64_t)hex_digit(word.at[i]);
	}
	return word.length;
}

/* "0x1234" */
static bool is_prefixed(struct word word, uint64_t *value)
{
	if (word.length < 3 || word.at[0] != '0' || word.at[1] != 'x')
		return false;
	return is_hex((struct word){ word.at + 2, word.length - 2 }, 1, value);
}

static bool word_is(struct word word, const char *text)
{
	return word.length == strlen(text) && !strncasecmp(word.at, text, word.length);
}

/* -------------------------------------------------------------- addresses -- */

/* One of the kernel's is where it came from user space: the next is no caller. */
static bool is_caller(struct stack_text *stack, uint64_t value)
{
	bool caller = stack->frames && !stack->kernel;

	stack->frames++;
	stack->kernel = value >> 63;
	return caller;
}

static bool add_address(struct stack_text *stack, const char *line, struct word word,
			uint64_t value, struct word name, bool caller)
{
	size_t base = stack->size;

	if (!array_reserve(stack->addresses, stack->nr_addresses))
		return false;
	stack->addresses[stack->nr_addresses++] = (struct stack_address){
		.value = value,
		.at = base + (size_t)(word.at - line),
		.length = word.length,
		.name_at = name.length ? base + (size_t)(name.at - line) : 0,
		.name_length = name.length,
		.caller = caller,
	};
	return true;
}

/* Everything that begins with 0x, anywhere in a line. */
static bool add_prefixed(struct stack_text *stack, const char *line, const char *end, bool indented)
{
	struct word word = next_word(line, end, SEPARATORS);
	uint64_t value;

	for (; word.length; word = next_word(word.at + word.length, end, SEPARATORS)) {
		if (!is_prefixed(word, &value))
			continue;
		if (!add_address(stack, line, word, value, (struct word){},
				 indented && is_caller(stack, value)))
			return false;
		/* In a line of its own; others in the same line say something else. */
		if (indented)
			break;
	}
	return true;
}

static const char *without_blanks(const char *at, const char *end)
{
	while (end > at && strchr(BLANKS, end[-1]))
		end--;
	return end;
}

/* "name+0x1 (file)" up to @end, which has no blanks before it. */
static struct word name_behind(struct word word, const char *end)
{
	struct word name = { word.at + word.length, 0 };

	while (name.at < end && strchr(BLANKS, *name.at))
		name.at++;
	name.length = (size_t)(end - name.at);
	return name;
}

/* The last " (" of a text that ends in ")", else @at: names that begin before have a file. */
static const char *last_file(const char *at, const char *end)
{
	const char *file;

	if (end - at < 4 || end[-1] != ')')
		return at;
	for (file = end - 2; file > at && (file[0] != ' ' || file[1] != '('); file--)
		;
	return file;
}

/* "\t    7f1200001139 name+0x1 (file)" */
static bool is_perf_frame(const struct stack_text *stack, const char *line, const char *end,
			  struct word *word, uint64_t *value, struct word *name)
{
	*word = next_word(line, end, BLANKS);
	if (word->at == line || !is_hex(*word, FRAME_DIGITS_MIN, value))
		return false;
	end = without_blanks(line, end);
	*name = name_behind(*word, end);
	return name->at < last_file(name->at, end) || (stack->perf && name->length);
}

/* Whether it is the line of a call chain, with addresses or with names only. */
static bool is_indented(const char *line, const char *end)
{
	return line < end && (*line == ' ' || *line == '\t') && next_word(line, end, BLANKS).length;
}

static bool add_frame(struct stack_text *stack, const char *line, const char *end)
{
	struct word word, name;
	uint64_t value;
	size_t before = stack->nr_addresses;

	if (is_perf_frame(stack, line, end, &word, &value, &name))
		return add_address(stack, line, word, value, name, is_caller(stack, value));
	word = next_word(line, end, BLANKS);
	/* "name+1 0x12": a name comes first. */
	if (is_prefixed(word, &value) && !add_prefixed(stack, line, end, true))
		return false;
	/* One that has a name already is a frame, too. */
	if (stack->nr_addresses == before)
		is_caller(stack, 0);
	return true;
}

/* --------------------------------------------------------------- headers -- */

static void read_word(const struct stack_text *stack, struct header *header, struct word word,
		      struct word before)
{
	uint64_t value;

	header->words++;
	if (!is_decimal(word, &value))
		return;
	if (header->words == stack->options.pid_field)
		header->pid = value;
	if (header->words == stack->options.time_field)
		header->time = value;
	if (word_is(before, "pid") || word_is(before, "tgid"))
		header->labelled = value;
	if (!header->numbers || header->number != value)
		header->numbers++;
	header->number = value;
}

static void read_header(const struct stack_text *stack, struct header *header, const char *at,
			const char *end)
{
	struct word before = {}, word = next_word(at, end, SEPARATORS);

	for (; word.length; word = next_word(word.at + word.length, end, SEPARATORS)) {
		read_word(stack, header, word, before);
		before = word;
	}
}

static uint32_t to_pid(uint64_t value)
{
	return value <= INT32_MAX ? (uint32_t)value : 0;
}

/* A line without any number leaves things as they are. */
static void use_header(struct stack_text *stack, const struct header *header)
{
	stack->frames = 0;
	stack->kernel = false;
	stack->perf = false;
	if (stack->options.time_field && header->time)
		stack->time = header->time;
	if (stack->options.pid_field) {
		if (header->pid)
			stack->pid = to_pid(header->pid);
		return;
	}
	if (!header->numbers)
		return;
	stack->ambiguous = header->numbers > 1 && !header->labelled;
	stack->pid =
		stack->ambiguous ? 0 : to_pid(header->labelled ? header->labelled : header->number);
	if (!stack->options.time_field)
		stack->time = 0;
}

/* "12345.678901:", with 6 or 9 digits of a fraction. */
static bool is_time(struct word word, uint64_t *time)
{
	const char *point = memchr(word.at, '.', word.length);
	struct word seconds, fraction;
	uint64_t whole, part;

	if (!point || word.at[word.length - 1] != ':')
		return false;
	seconds = (struct word){ word.at, (size_t)(point - word.at) };
	fraction = (struct word){ point + 1, word.length - seconds.length - 2 };
	if (!is_decimal(seconds, &whole) || !is_decimal(fraction, &part) || whole > 10000000000ULL)
		return false;
	if (fraction.length == 6)
		/* What is behind the microsecond is cut off. */
		part = part * 1000 + 999;
	else if (fraction.length != 9)
		return false;
	*time = whole * 1000000000 + part;
	return true;
}

/* "PID", "TID" or "PID/TID". */
static bool is_thread(struct word word, uint64_t *pid)
{
	const char *slash = memchr(word.at, '/', word.length);
	struct word first = { word.at, slash ? (size_t)(slash - word.at) : word.length };
	struct word second = { slash ? slash + 1 : word.at,
			       word.length - (slash ? first.length + 1 : 0) };
	uint64_t tid;

	return is_decimal(second, &tid) && is_decimal(first, pid);
}

/* "[000]" */
static bool is_cpu(struct word word)
{
	uint64_t number;

	return word.length > 2 && word.at[0] == '[' && word.at[word.length - 1] == ']' &&
	       is_decimal((struct word){ word.at + 1, word.length - 2 }, &number);
}

/*
 * "comm  PID [cpu] 12345.678901:" of perf script; @rest is set behind it. A thread may have
 * all of this as its name: the one with a CPU counts, and of several none.
 */
static bool read_sample(struct stack_text *stack, const char *line, const char *end,
			const char **rest)
{
	struct word word = next_word(line, end, BLANKS);
	bool known = false, cpu = false, with_cpu = false;
	uint64_t pid = 0, value, time;
	unsigned int count = 0;

	*rest = line;
	for (; word.length; word = next_word(word.at + word.length, end, BLANKS)) {
		if (known && is_time(word, &time) && cpu >= with_cpu) {
			count = cpu > with_cpu ? 1 : count + 1;
			with_cpu = cpu;
			*rest = word.at + word.length;
			stack->pid = to_pid(pid);
			stack->time = time;
		}
		cpu = known && is_cpu(word);
		if (is_thread(word, &value)) {
			pid = value;
			known = true;
		}
	}
	if (!count)
		return false;
	stack->ambiguous = count > 1;
	if (stack->ambiguous)
		stack->pid = 0;
	stack->perf = true;
	stack->frames = 0;
	stack->kernel = false;
	return true;
}

/* "event: 7f1200001139 name+0x1 (file)" behind a sample's time. */
static bool add_sample_address(struct stack_text *stack, const char *line, const char *at,
			       const char *end)
{
	struct word before = {}, word = next_word(at, end, BLANKS), name;
	const char *file;
	uint64_t value;

	end = without_blanks(at, end);
	file = last_file(at, end);
	for (; word.length; word = next_word(word.at + word.length, end, BLANKS)) {
		if (before.length && before.at[before.length - 1] == ':' &&
		    is_hex(word, FRAME_DIGITS_MIN, &value)) {
			name = name_behind(word, end);
			if (name.at < file)
				return add_address(stack, line, word, value, name, false);
		}
		before = word;
	}
	return true;
}

/* ------------------------------------------------------------------ lines -- */

static void show(struct stack_text *stack)
{
	const struct stack_block block = {
		.text = stack->text,
		.size = stack->size,
		.addresses = stack->addresses,
		.nr_addresses = stack->nr_addresses,
		.pid = stack->options.pid ? stack->options.pid : stack->pid,
		.ambiguous = stack->ambiguous,
		.time = stack->time,
	};

	if (stack->size)
		stack->options.show(stack->options.context, &block);
	stack->size = 0;
	stack->nr_addresses = 0;
	stack->in_key = false;
}

/* Behind the addresses of a line, whose places count from its beginning. */
static bool keep(struct stack_text *stack, const char *line, size_t size)
{
	char *text;

	if (stack->size + size > stack->room) {
		text = realloc(stack->text, 2 * (stack->size + size));
		if (!text)
			return false;
		stack->text = text;
		stack->room = 2 * (stack->size + size);
	}
	memcpy(stack->text + stack->size, line, size);
	stack->size += size;
	return true;
}

/* "1234 7f1200001139 0x401136": digits without 0x are addresses here only. */
static bool is_bare(const char *line, const char *end, uint64_t *pid)
{
	struct word word = next_word(line, end, BLANKS);
	size_t addresses = 0;
	uint64_t value;

	if (!is_decimal(word, pid))
		return false;
	for (;; addresses++) {
		word = next_word(word.at + word.length, end, BLANKS);
		if (!word.length)
			return addresses;
		if (!is_prefixed(word, &value) && !is_hex(word, BARE_DIGITS_MIN, &value))
			return false;
	}
}

static bool add_bare(struct stack_text *stack, const char *line, const char *end, uint64_t pid)
{
	const struct header header = { .words = 1, .numbers = 1, .number = pid, .pid = pid };
	struct word word = next_word(line, end, BLANKS);
	uint64_t value;

	use_header(stack, &header);
	for (;;) {
		word = next_word(word.at + word.length, end, BLANKS);
		if (!word.length)
			return true;
		if (!is_prefixed(word, &value) && !is_hex(word, BARE_DIGITS_MIN, &value))
			return true;
		if (!add_address(stack, line, word, value, (struct word){}, false))
			return false;
	}
}

/* The first "]:" of a key is its end, as bpftrace prints it; NULL when it goes on. */
static const char *key_end(const char *line, const char *end)
{
	for (; line + 1 < end; line++)
		if (line[0] == ']' && line[1] == ':')
			return line;
	return NULL;
}

/* What of @line is in the key says whose it is; behind it come values. */
static bool add_key(struct stack_text *stack, const char *line, const char *at, const char *end)
{
	const char *last = key_end(at, end);
	bool good;

	if (is_indented(at, end) && at == line) {
		good = add_frame(stack, line, end);
	} else {
		read_header(stack, &stack->key, at, last ? last : end);
		stack->frames = 0;
		stack->kernel = false;
		good = add_prefixed(stack, line, end, false);
		if (last)
			stack->in_key = false;
	}
	return good;
}

/* "@name[" of a map; where the key starts, else NULL. */
static const char *key_start(const char *line, const char *end)
{
	const char *at = line;

	if (at == end || *at++ != '@')
		return NULL;
	while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
		at++;
	return at < end && *at == '[' ? at + 1 : NULL;
}

static bool add_other(struct stack_text *stack, const char *line, const char *end)
{
	struct header header = {};
	const char *rest;
	uint64_t pid;

	if (read_sample(stack, line, end, &rest))
		return add_sample_address(stack, line, rest, end);
	if (is_bare(line, end, &pid))
		return add_bare(stack, line, end, pid);
	if (is_indented(line, end))
		return add_frame(stack, line, end);
	if (!next_word(line, end, BLANKS).length) {
		stack->frames = 0;
		stack->kernel = false;
		return true;
	}
	read_header(stack, &header, line, end);
	use_header(stack, &header);
	return add_prefixed(stack, line, end, false);
}

bool stack_text_add(struct stack_text *stack, const char *line, size_t size)
{
	const char *end = line + size;
	const char *key = stack->in_key ? line : key_start(line, end);
	size_t before = stack->nr_addresses;
	bool good;

	if (key && !stack->in_key) {
		stack->key = (struct header){};
		stack->in_key = true;
		stack->pid = 0;
		stack->ambiguous = false;
		stack->frames = 0;
	}
	good = (key ? add_key(stack, line, key, end) : add_other(stack, line, end)) &&
	       keep(stack, line, size);
	/* Those of a line that is not in the block. */
	if (!good)
		stack->nr_addresses = before;
	if (key && !stack->in_key)
		use_header(stack, &stack->key);
	if (!stack->in_key || stack->size > KEY_MAX)
		show(stack);
	return good;
}

/* Whose the next addresses are may have been in it. */
void stack_text_pass(struct stack_text *stack, const char *text, size_t size)
{
	const struct stack_block block = { .text = text, .size = size };
	const struct header nothing = {};

	show(stack);
	stack->pid = 0;
	stack->time = 0;
	stack->ambiguous = false;
	use_header(stack, &nothing);
	stack->options.show(stack->options.context, &block);
}

void stack_text_end(struct stack_text *stack)
{
	show(stack);
}
