// SPDX-License-Identifier: GPL-2.0
/* Stack codes: the addresses and pairs of a line, in their order. */

#include "common/array.h"
#include "stack_text_internal.h"
#include "stack_scan.h"

void stack_begin(struct stack_text *stack)
{
	stack->frames = 0;
	stack->kernel = false;
	stack->raw = false;
}

/*
 * The kernel's last frame is its entry from user space, so the next address is not a return
 * address.
 */
bool stack_is_caller(struct stack_text *stack, uint64_t value)
{
	bool caller = stack->frames && !stack->kernel;

	stack->frames++;
	stack->kernel = value >> 63;
	return caller;
}

static bool stack_codes_add(struct stack_text *stack, const char *line, struct word word,
			    const struct stack_address *what)
{
	struct stack_address *new;

	if (!array_reserve(stack->addresses, stack->nr_addresses))
		return false;
	new = &stack->addresses[stack->nr_addresses++];
	*new = *what;
	new->at = stack->size + (size_t)(word.at - line);
	new->length = word.length;
	new->owner = stack->owner;
	return true;
}

bool stack_add_address(struct stack_text *stack, const char *line, struct word word, uint64_t value,
		       struct word name, bool caller)
{
	const struct stack_address address = {
		.value = value,
		.name_at = name.length ? stack->size + (size_t)(name.at - line) : 0,
		.name_length = name.length,
		.caller = caller,
	};

	return stack_codes_add(stack, line, word, &address);
}

bool stack_add_pair(struct stack_text *stack, const char *line, const struct stack_pair *pair,
		    bool caller)
{
	const struct stack_address address = {
		.id = pair->id,
		.place = pair->place,
		.is_elf_address = pair->is_address,
		.is_pair = true,
		.caller = caller,
	};

	return stack_codes_add(stack, line,
			       (struct word){ pair->at, (size_t)(pair->end - pair->at) }, &address);
}

/* "0x1; [1]0x2", a whole stack in one line. */
static bool goes_on(const struct scan *scan)
{
	const char *last = word_end(scan->word);

	return last < scan->end && (*last == ';' || *last == ',');
}

/* Whether the scan is in one of the pairs from @pair on, which moves along. */
static bool in_pair(const struct stack_text *stack, const struct scan *scan, size_t *pair,
		    size_t end)
{
	size_t at = stack->size + (size_t)(scan->word.at - scan->line);
	const struct stack_address *pairs = stack->addresses;

	while (*pair < end && pairs[*pair].at + pairs[*pair].length <= at)
		++*pair;
	return *pair < end && pairs[*pair].at <= at;
}

static bool add_pairs(struct stack_text *stack, const char *line, const char *at, const char *end,
		      bool frame)
{
	struct stack_pair pair;

	for (; stack_pair_find(line, at, end, &pair); at = pair.end)
		if (!stack_add_pair(stack, line, &pair, frame && stack_is_caller(stack, 0)))
			return false;
	return true;
}

/* "[<7f1200001139>] name+0x1" has its name behind the brackets. */
static void take_brackets(const struct scan *scan, struct word *word, struct word *name)
{
	uint64_t value;
	size_t length;

	*word = scan->word;
	*name = (struct word){};
	if (!scan_is_bracketed(scan, &value, &length))
		return;
	word->length = length;
	*name = word_next(word_end(*word), scan->end, BLANKS);
	if (name->length)
		name->length = (size_t)(word_last_end(name->at, scan->end) - name->at);
}

/*
 * Every address by itself. With @frame, in a line of a stack: only the first, and what follows it
 * in a list; others in the line mean something else.
 */
bool stack_add_words(struct stack_text *stack, const char *line, const char *at, const char *end,
		     bool frame, size_t pair)
{
	struct scan scan = scan_start(line, at, end);
	size_t pairs = stack->nr_addresses;
	struct word word, name;
	uint64_t value;

	scan.labelled = scan_any_label(line, at, end);
	while (scan_next(&scan)) {
		if (!scan_is_address(&scan, &value) || in_pair(stack, &scan, &pair, pairs))
			continue;
		take_brackets(&scan, &word, &name);
		if (!stack_add_address(stack, line, word, value, name,
				       frame && stack_is_caller(stack, value)))
			return false;
		if (frame && !goes_on(&scan))
			break;
	}
	return true;
}

static int compare_places(const void *a, const void *b)
{
	const struct stack_address *one = a, *other = b;

	return COMPARE(one->at, other->at);
}

/* Merge an address and the build-id pair for it. */
static void merge(struct stack_text *stack, size_t first)
{
	struct stack_address *pair = &stack->addresses[first];

	if (stack->nr_addresses != first + 2 || !pair->is_elf_address || pair[1].is_pair)
		return;
	pair[1].id = pair->id;
	pair[1].place = pair->place;
	pair[1].is_elf_address = true;
	/* Android's "pc" is in the file, not in the process. */
	pair[1].is_pair = pair->place == pair[1].value;
	pair[1].caller = pair->caller;
	*pair = pair[1];
	stack->nr_addresses--;
}

bool stack_add_codes(struct stack_text *stack, const char *line, const char *at, const char *end,
		     bool frame)
{
	size_t first = stack->nr_addresses;
	size_t frames = stack->frames;
	bool good = add_pairs(stack, line, at, end, frame);

	/* Another address in the same line belongs to the same frame. */
	if (stack->nr_addresses == first + 1 && stack->addresses[first].is_elf_address)
		stack->frames = frames;
	good = good && stack_add_words(stack, line, at, end, frame, first);
	merge(stack, first);
	array_sort(stack->addresses + first, stack->nr_addresses - first, compare_places);
	return good;
}

/* Where the address and its name end, in the block. */
static size_t end_of(const struct stack_address *address)
{
	return address->name_length ? address->name_at + address->name_length :
				      address->at + address->length;
}

/* Count what is not recognised, so that it is reported. */
void stack_count_passed(struct stack_text *stack, size_t first, const char *line, const char *end)
{
	const char *start = line;
	struct scan scan;
	size_t at;

	while (start < end && is_blank(*start))
		start++;
	/* Most lines begin with it, or contain only that. */
	if (first < stack->nr_addresses &&
	    stack->addresses[first].at == stack->size + (size_t)(start - line))
		start = line + (end_of(&stack->addresses[first++]) - stack->size);
	scan = scan_start(line, start, end);
	while (scan_next(&scan)) {
		at = stack->size + (size_t)(scan.word.at - line);
		while (first < stack->nr_addresses && end_of(&stack->addresses[first]) <= at)
			first++;
		if (first == stack->nr_addresses || stack->addresses[first].at > at)
			stack->nr_passed += scan_may_be_address(&scan);
	}
}
