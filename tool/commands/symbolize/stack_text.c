// SPDX-License-Identifier: GPL-2.0
/*
 * Stack text: line by line. Only what names its process after the stack is held back: the key of a
 * map until its end,
 *
 *	@[
 *	    0x7f1200001139
 *	, 1234]: 5
 *
 * and a stack without a process until the next line that is not part of it.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "stack_text_internal.h"
#include "stack_scan.h"

/* Anything longer is not a key or a stack. bpftrace's have 127 lines. */
#define HELD_MAX (1U << 20)
/* Without leading zeros. */
#define USER_DIGITS_MAX 12

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
	json_strings_free(&stack->json);
	free(stack);
}

/* ----------------------------------------------------------------- frames -- */

/* Whether it is indented, with addresses or with names only. */
static bool is_indented(const char *line, const char *end)
{
	return line < end && (*line == ' ' || *line == '\t') && word_next(line, end, BLANKS).length;
}

/* "#0 ", as debuggers and sanitizers have it */
static bool is_numbered(const char *line, const char *end)
{
	struct word word;
	uint64_t number;

	while (line < end && is_blank(*line))
		line++;
	if (line == end || *line != '#')
		return false;
	word = word_next(line, end, BLANKS);
	return word.length > 1 &&
	       word_is_decimal((struct word){ word.at + 1, word.length - 1 }, &number);
}

/* "[0]..." of a list, followed directly by its element */
static bool is_list(const char *line, const char *end)
{
	struct word word, number;
	uint64_t value;

	if (!memchr(line, '[', (size_t)(end - line)))
		return false;
	word = word_next(line, end, BLANKS "'\"");
	number = word_next(word.at, end, "[]");
	return word.length > 3 && *word.at == '[' && number.at == word.at + 1 &&
	       word_end(number) + 1 < word_end(word) && *word_end(number) == ']' &&
	       word_is_decimal(number, &value);
}

/* "./a.out(main+0x1f) [0x401136]" of backtrace_symbols(3) */
static bool is_glibc_frame(const char *line, const char *end)
{
	struct word first, last;
	const char *open;
	uint64_t value;

	end = word_last_end(line, end);
	if (end == line || end[-1] != ']')
		return false;
	first = word_next(line, end, BLANKS "(");
	if (!memchr(first.at, '/', first.length))
		return false;
	for (open = end - 1; open > line && *open != '['; open--)
		;
	last = word_next(open, end, "[]");
	return word_is_prefixed(last, &value) && word_end(last) == end - 1;
}

/* "file.c:12", "at file.rs:12:5": more about the frame above. */
static bool is_source(const char *line, const char *end)
{
	uint64_t number;
	const char *at;

	end = word_last_end(line, end);
	for (at = end; at > line && isdigit((unsigned char)at[-1]); at--)
		;
	return at > line && at[-1] == ':' &&
	       word_is_decimal((struct word){ at, (size_t)(end - at) }, &number);
}

static bool is_frame(const char *line, const char *end)
{
	return is_indented(line, end) || is_numbered(line, end) || is_list(line, end) ||
	       is_glibc_frame(line, end);
}

static bool add_frame(struct stack_text *stack, const char *line, const char *end)
{
	struct word word = word_next(line, end, BLANKS), name;
	struct header header = {};
	uint64_t value;
	size_t before = stack->nr_addresses;

	if (stack_is_perf_frame(stack, line, end, word, &value, &name))
		return stack_add_address(stack, line, word, value, name,
					 stack_is_caller(stack, value));
	if (!stack_add_codes(stack, line, line, end, true))
		return false;
	if (stack->nr_addresses > before || is_source(line, end))
		return true;
	stack_read_header(stack, &header, line, end);
	stack_only_labels(&header);
	if (header.labelled || header.thread) {
		stack_begin(stack);
		stack_use_header(stack, &header);
	} else if (word.length && (isalnum((unsigned char)*word.at) || strchr("[_?<", *word.at))) {
		/* A line that already has a name is a frame, too. */
		stack_is_caller(stack, 0);
	}
	return true;
}

/* ------------------------------------------------------------------ lines -- */

static void stack_text_show(struct stack_text *stack)
{
	const struct stack_block block = {
		.text = stack->text,
		.size = stack->size,
		.addresses = stack->addresses,
		.nr_addresses = stack->nr_addresses,
		.nr_passed = stack->nr_passed,
	};
	size_t i;

	for (i = 0; stack->options.pid && i < stack->nr_addresses; i++) {
		stack->addresses[i].owner.pid = stack->options.pid;
		stack->addresses[i].owner.ambiguous = false;
	}
	if (stack->size)
		stack->options.show(stack->options.context, &block);
	stack->size = 0;
	stack->nr_addresses = 0;
	stack->nr_passed = 0;
	stack->in_key = false;
}

/* Call after adding a line's addresses, whose places are relative to its beginning. */
static bool stack_text_keep(struct stack_text *stack, const char *line, size_t size)
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

/* The addresses from @first on, so far without an owner, belong to the one named after them. */
static void give(struct stack_text *stack, size_t first)
{
	for (; first < stack->nr_addresses; first++)
		stack->addresses[first].owner = stack->owner;
}

/* "1234 7f1200001139 0x401136": digits without 0x are addresses here only. */
static bool is_bare(struct word word, const char *end, uint64_t *pid)
{
	size_t addresses = 0;
	uint64_t value;

	if (!word_is_decimal(word, pid))
		return false;
	for (;; addresses++) {
		word = word_next(word_end(word), end, BLANKS);
		if (!word.length)
			return addresses;
		if (!word_is_prefixed(word, &value) && !word_is_hex(word, BARE_DIGITS_MIN, &value))
			return false;
	}
}

static bool add_bare(struct stack_text *stack, const char *line, const char *end, uint64_t pid)
{
	const struct header header = { .words = 1, .numbers = 1, .number = pid, .pid = pid };
	struct word word = word_next(line, end, BLANKS);
	uint64_t value;

	stack_begin(stack);
	stack->perf = false;
	stack_use_header(stack, &header);
	for (;;) {
		word = word_next(word_end(word), end, BLANKS);
		if (!word.length)
			return true;
		if (!word_is_prefixed(word, &value) && !word_is_hex(word, BARE_DIGITS_MIN, &value))
			return true;
		if (!stack_add_address(stack, line, word, value, (struct word){}, false))
			return false;
	}
}

/*
 * Only digits, as from ustack(raw). A few digits may be a number, but not in a key, where numbers
 * have commas around them, below another address, or below a line that has named the process.
 */
static bool is_raw(const struct stack_text *stack, const char *line, const char *end,
		   struct word *word, uint64_t *value)
{
	size_t least = stack->in_key || stack->raw ? 1 :
		       stack->named		   ? LABELLED_DIGITS_MIN :
						     BARE_DIGITS_MIN;

	*word = word_next(line, end, BLANKS);
	/* A time in nanoseconds has more digits than addresses of processes. */
	if (word->length > USER_DIGITS_MAX && word_is_decimal(*word, value) && *word->at != '0')
		return false;
	return word_is_hex(*word, least, value) && !word_next(word_end(*word), end, BLANKS).length;
}

static bool add_raw(struct stack_text *stack, const char *line, struct word word, uint64_t value)
{
	if (!stack_add_address(stack, line, word, value, (struct word){},
			       stack_is_caller(stack, value)))
		return false;
	stack->raw = true;
	return true;
}

/* The first "]:" ends a key, as printed by bpftrace; NULL if it continues. */
static const char *key_end(const char *line, const char *end)
{
	for (; line + 1 < end; line++)
		if (line[0] == ']' && line[1] == ':')
			return line;
	return NULL;
}

/* A pair alone in a line is a frame, with any indentation. */
static bool is_pair(const char *line, const char *end)
{
	struct stack_pair pair;

	return stack_pair_find(line, line, end, &pair) &&
	       pair.at == word_next(line, end, BLANKS).at &&
	       !word_next(pair.end, end, BLANKS).length;
}

/* The part of @line in the key names the process; values follow. */
static bool add_key(struct stack_text *stack, const char *line, const char *at, const char *end)
{
	const char *last = key_end(at, end);
	struct word word;
	uint64_t value;
	bool good;

	if (at == line && is_raw(stack, line, end, &word, &value))
		return add_raw(stack, line, word, value);
	if (at == line && (is_indented(at, end) || is_pair(at, end)))
		return add_frame(stack, line, end);
	stack_read_header(stack, &stack->key, at, last ? last : end);
	stack_begin(stack);
	good = stack_add_codes(stack, line, line, end, false);
	if (last)
		stack->in_key = false;
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
	struct word word, name;
	const char *rest;
	uint64_t value;

	/* By far the most lines of perf script. */
	if (stack->perf && line < end && *line == '\t')
		return add_frame(stack, line, end);
	if (is_raw(stack, line, end, &word, &value))
		return add_raw(stack, line, word, value);
	stack->raw = stack->named = false;
	if (!word.length) {
		stack_begin(stack);
		return true;
	}
	if (stack_read_sample(stack, line, end, &rest))
		return stack_add_sample(stack, line, rest, end);
	if (is_bare(word, end, &value))
		return add_bare(stack, line, end, value);
	if (stack_read_flat(stack, line, end, word, &rest))
		return stack_add_sample(stack, line, rest, end);
	if (stack_read_head(stack, line, end))
		return true;
	if (is_frame(line, end) || is_pair(line, end) ||
	    stack_is_perf_frame(stack, line, end, word, &value, &name))
		return add_frame(stack, line, end);
	stack_use_line(stack, line, end);
	return stack_add_codes(stack, line, line, end, false);
}

/* A line may begin with the second half of what the previous one ended with. */
static bool add_line(struct stack_text *stack, const char *line, const char *end)
{
	struct stack_pair pair = { .id = stack->id };
	bool half = pair.id.size && stack_pair_goes_on(line, end, stack->id_indented, &pair);
	bool good;

	if (half)
		good = stack_add_pair(stack, line, &pair, stack_is_caller(stack, 0)) &&
		       stack_add_codes(stack, line, pair.end, end, true);
	else
		good = add_other(stack, line, end);
	if (!stack_pair_begins(line, end, &stack->id, &stack->id_indented))
		stack->id.size = 0;
	return good;
}

/* ------------------------------------------------------------------- JSON -- */

/* From places in the line of plain text at @start to those in the string. */
static void translate(struct stack_text *stack, size_t first, size_t start, size_t string)
{
	const size_t *places = stack->json.places + start;
	size_t at, end;

	for (; first < stack->nr_addresses; first++) {
		struct stack_address *address = &stack->addresses[first];

		address->quoted = true;
		at = address->at - stack->size;
		end = at + address->length;
		address->at = stack->size + string + places[at];
		address->length = places[end] - places[at];
		if (!address->name_length)
			continue;
		at = address->name_at - stack->size;
		end = at + address->name_length;
		address->name_at = stack->size + string + places[at];
		address->name_length = places[end] - places[at];
	}
}

static bool add_element(struct stack_text *stack, const char *at, const char *end)
{
	struct word word;
	uint64_t value;

	if (is_raw(stack, at, end, &word, &value))
		return add_raw(stack, at, word, value);
	return add_frame(stack, at, end);
}

/* An element of an array may be a frame by itself. */
static bool add_plain(struct stack_text *stack, const struct json_string *string, size_t offset)
{
	struct json_strings *json = &stack->json;
	const char *at = json->plain, *end = at + json->size, *next;
	bool frame = string->in_array && !memchr(at, '\n', json->size);
	bool good = true;
	size_t first;

	for (; good && at < end; at = next) {
		next = memchr(at, '\n', (size_t)(end - at));
		next = next ? next + 1 : end;
		first = stack->nr_addresses;
		good = frame ? add_element(stack, at, next) : add_line(stack, at, next);
		translate(stack, first, (size_t)(at - json->plain), offset);
	}
	return good;
}

/* Its own numbers count if the object does not name the process. */
static bool add_string(struct stack_text *stack, const struct json_string *string, size_t offset)
{
	const struct stack_owner owner = stack->owner;
	size_t first = stack->nr_addresses;
	bool good;

	if (!string->in_array || string->is_first)
		stack_begin(stack);
	stack->report = stack->json.pid;
	if (!stack->json.pid && string->number)
		stack_own(stack, string->number, false);
	good = json_string_decode(&stack->json, string) && add_plain(stack, string, offset);
	for (; stack->owner.pid && first < stack->nr_addresses; first++)
		if (!stack->addresses[first].owner.pid && !stack->addresses[first].owner.ambiguous)
			stack->addresses[first].owner = stack->owner;
	if (stack->json.whole)
		stack->owner = owner;
	return good;
}

static bool add_json(struct stack_text *stack, const char *line)
{
	const struct json_strings *json = &stack->json;
	bool good = true;
	size_t i;

	if (json->whole)
		stack->owner = (struct stack_owner){};
	if (json->pid) {
		stack_own(stack, json->ambiguous ? 0 : json->pid, true);
		stack->owner.ambiguous = json->ambiguous;
	}
	for (i = 0; good && i < json->count; i++)
		good = add_string(stack, &json->strings[i], (size_t)(json->strings[i].at - line));
	stack->report = false;
	return good;
}

/* -------------------------------------------------------------------- all -- */

/* "    -                comm (1234)" below a stack, from bcc's tools */
static bool read_owner_below(const char *line, const char *end, uint64_t *pid)
{
	const char *open;

	if (!word_is(word_next(line, end, BLANKS), "-"))
		return false;
	end = word_last_end(line, end);
	for (open = end; open > line && *--open != '(';)
		;
	return end[-1] == ')' &&
	       word_is_decimal((struct word){ open + 1, (size_t)(end - open) - 2 }, pid);
}

/* Whether the stack's process may still be named below it. */
static bool may_be_given(const struct stack_text *stack, const char *line, const char *end,
			 bool held)
{
	const struct stack_address *last;

	if (!stack->nr_addresses || stack->labelled || stack->perf || !stack->frames ||
	    stack->options.pid)
		return false;
	last = &stack->addresses[stack->nr_addresses - 1];
	return !last->is_pair && !last->owner.ambiguous &&
	       (held || !last->owner.pid || is_numbered(line, end));
}

/* Assign what is held to its owner, or end it, as another stack follows. */
static void release(struct stack_text *stack, const char *line, const char *end)
{
	uint64_t pid;

	if (!stack->size || stack->in_key)
		return;
	if (read_owner_below(line, end, &pid)) {
		stack_own(stack, pid, false);
		give(stack, 0);
		stack_own(stack, 0, false);
		stack_text_show(stack);
	} else if (!is_frame(line, end)) {
		stack_text_show(stack);
	}
}

static bool add_text(struct stack_text *stack, const char *line, const char *end)
{
	const char *key = stack->in_key ? line : key_start(line, end);
	bool good;

	if (key && !stack->in_key) {
		stack->key = (struct header){};
		stack->in_key = true;
		stack->owner = (struct stack_owner){};
		stack->labelled = false;
		stack_begin(stack);
	}
	good = key ? add_key(stack, line, key, end) : add_line(stack, line, end);
	if (key && !stack->in_key) {
		stack_begin(stack);
		stack->perf = false;
		stack_use_header(stack, &stack->key);
		give(stack, 0);
	}
	return good;
}

/* A name cannot contain another address. */
static void drop_wrong_names(struct stack_text *stack, size_t first)
{
	struct stack_address *address = &stack->addresses[first];
	size_t i;

	for (i = first; i + 1 < stack->nr_addresses; i++, address++)
		if (address->name_length && address->name_at + address->name_length > address[1].at)
			address->name_at = address->name_length = 0;
}

bool stack_text_add(struct stack_text *stack, const char *line, size_t size)
{
	const char *end = line + size;
	size_t before, passed;
	bool failed = false, good, json, held;

	release(stack, line, end);
	held = stack->size;
	before = stack->nr_addresses;
	passed = stack->nr_passed;
	json = !stack->in_key && json_strings_read(&stack->json, line, end, &failed);
	good = !failed && (json ? add_json(stack, line) : add_text(stack, line, end));
	drop_wrong_names(stack, before);
	if (good)
		stack_count_passed(stack, before, line, end);
	good = good && stack_text_keep(stack, line, size);
	/* Addresses of a line that is not in the block. */
	if (!good) {
		stack->nr_addresses = before;
		stack->nr_passed = passed;
	}
	if (stack->size > HELD_MAX ||
	    (!stack->in_key && !(good && !json && may_be_given(stack, line, end, held))))
		stack_text_show(stack);
	return good;
}

/* It may have named the process of the next addresses. */
void stack_text_pass(struct stack_text *stack, const char *text, size_t size)
{
	const struct stack_block block = { .text = text, .size = size };

	stack_text_show(stack);
	stack_begin(stack);
	stack->perf = false;
	stack->labelled = false;
	stack->named = false;
	stack->owner = (struct stack_owner){};
	stack->options.show(stack->options.context, &block);
}

void stack_text_end(struct stack_text *stack)
{
	stack_text_show(stack);
}
