// SPDX-License-Identifier: GPL-2.0
/* Stack perf: the output of perf script, with any fields. */

#include <string.h>

#include "stack_text_internal.h"
#include "stack_scan.h"

/* Least digits of its addresses. */
#define FRAME_DIGITS_MIN 4
/* In lines that are not samples. */
#define RECORD "PERF_RECORD_"
/* The width of its column. */
#define COLUMN 16

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

/* Where the branches of a sample begin, "0x1/0x2/P/-/-/0", else @end. */
static const char *find_branches(const char *at, const char *end)
{
	struct word word = word_next(at, end, BLANKS "/(");
	uint64_t value;

	for (; word.length; word = word_next(word_end(word), end, BLANKS "/("))
		if (word_is_prefixed(word, &value) && word_end(word) < end &&
		    strchr("/(", *word_end(word)))
			return word.at;
	return end;
}

/* "name+0x1 (file)" up to @end, which has no blanks before it. */
static struct word name_behind(struct word word, const char *end)
{
	struct word name = { word_end(word), 0 };

	while (name.at < end && strchr(BLANKS, *name.at))
		name.at++;
	name.length = (size_t)(end - name.at);
	return name;
}

/* At the end of its own column, after a blank, or a tab in a chain. */
static bool in_column(const char *line, struct word word)
{
	const char *at = word.at;

	while (at > line && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	if (at == word.at || *word.at == '0')
		return false;
	return at == line ? word_end(word) == line + COLUMN + 1 :
			    (size_t)(word.at - at) + word.length > COLUMN;
}

/* What follows "(7f1200001139)" is not its name. */
static struct word name_of(struct word word, const char *end)
{
	bool apart = word_end(word) < end && strchr(BLANKS, *word_end(word));

	return apart ? name_behind(word, end) : (struct word){};
}

/* "\t    7f1200001139 name+0x1 (file)", whose first word is @word */
bool stack_is_perf_frame(const struct stack_text *stack, const char *line, const char *end,
			 struct word word, uint64_t *value, struct word *name)
{
	if (!word_is_hex(word, FRAME_DIGITS_MIN, value))
		return false;
	end = word_last_end(line, end);
	*name = name_behind(word, end);
	if (in_column(line, word))
		return true;
	return word.at > line &&
	       (name->at < last_file(name->at, end) || (stack->perf && name->length));
}

bool word_is_time(struct word word, uint64_t *time)
{
	const char *point = memchr(word.at, '.', word.length);
	struct word seconds, fraction;
	uint64_t whole, part;

	if (!point || word.at[word.length - 1] != ':')
		return false;
	seconds = (struct word){ word.at, (size_t)(point - word.at) };
	fraction = (struct word){ point + 1, word.length - seconds.length - 2 };
	if (!word_is_decimal(seconds, &whole) || !word_is_decimal(fraction, &part) ||
	    whole > 10000000000ULL)
		return false;
	if (fraction.length == 6)
		/* Digits after the microsecond are cut off. */
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

	return word_is_decimal(second, &tid) && word_is_decimal(first, pid);
}

/* "comm-TID", of ftrace */
static bool is_task(struct word word, uint64_t *tid)
{
	const char *dash = memrchr(word.at, '-', word.length);

	return dash &&
	       word_is_decimal((struct word){ dash + 1, (size_t)(word_end(word) - dash) - 1 }, tid);
}

/* "[000]" */
static bool is_cpu(struct word word)
{
	uint64_t number;

	return word.length > 2 && word.at[0] == '[' && word.at[word.length - 1] == ']' &&
	       word_is_decimal((struct word){ word.at + 1, word.length - 2 }, &number);
}

static void begin_sample(struct stack_text *stack)
{
	stack_begin(stack);
	stack->perf = true;
	stack->labelled = true;
	stack->report = false;
}

/*
 * "comm PID [cpu] 12345.678901:" of perf script; sets @rest to what follows. A thread's name may
 * contain all of this: the match with a CPU counts, and none of several. Without a thread, the
 * owner is unknown.
 */
bool stack_read_sample(struct stack_text *stack, const char *line, const char *end,
		       const char **rest)
{
	bool known = false, cpu = false, with_cpu = false, first = true;
	uint64_t pid = 0, value, time;
	unsigned int count = 0;
	struct word word;

	*rest = line;
	/* Fast path for most lines of other programs. */
	if (!memchr(line, '.', (size_t)(end - line)))
		return false;
	word = word_next(line, end, BLANKS);
	for (; word.length; word = word_next(word_end(word), end, BLANKS)) {
		if ((known || first) && word_is_time(word, &time) && cpu >= with_cpu) {
			count = cpu > with_cpu || !known ? 1 : count + 1;
			with_cpu = cpu;
			*rest = word_end(word);
			stack->owner = (struct stack_owner){ stack_pid(pid), false, time };
		}
		first = false;
		cpu = known && is_cpu(word);
		if (is_thread(word, &value) || is_task(word, &value)) {
			pid = value;
			known = true;
		}
	}
	if (!count)
		return false;
	stack->owner.ambiguous = count > 1;
	if (stack->owner.ambiguous)
		stack->owner.pid = 0;
	begin_sample(stack);
	return true;
}

static bool is_event(struct word word)
{
	return word.length > 1 && word.at[word.length - 1] == ':';
}

/* What precedes the event or address of a sample without a time: its thread. */
struct thread {
	uint64_t pid;
	unsigned int count;
	bool slash;
	const char *end;
};

static void read_thread(const char *line, const char *end, struct thread *thread)
{
	struct word word = word_next(line, end, BLANKS), next;
	uint64_t value;

	*thread = (struct thread){};
	for (; word.length; word = next) {
		bool slash = memchr(word.at, '/', word.length);

		next = word_next(word_end(word), end, BLANKS);
		if (!is_thread(word, &value) || slash < thread->slash)
			continue;
		/* The period. */
		if (thread->count && is_event(next))
			continue;
		thread->count = slash > thread->slash ? 1 : thread->count + 1;
		thread->slash = slash;
		thread->pid = value;
		thread->end = word_end(word);
	}
}

static void use_thread(struct stack_text *stack, const struct thread *thread)
{
	const bool ambiguous = thread->count > 1;

	begin_sample(stack);
	stack->owner = (struct stack_owner){ ambiguous ? 0 : stack_pid(thread->pid), ambiguous, 0 };
}

/*
 * The first address in its column after the thread, without a time before it; @word is the first
 * word.
 */
bool stack_read_flat(struct stack_text *stack, const char *line, const char *end, struct word word,
		     const char **rest)
{
	struct word before;
	struct thread thread;
	uint64_t value;

	do {
		before = word;
		word = word_next(word_end(word), end, BLANKS);
	} while (word.length &&
		 !(word_is_hex(word, FRAME_DIGITS_MIN, &value) && in_column(line, word)));
	if (!word.length || !(is_thread(before, &value) || is_cpu(before) || is_event(before)))
		return false;
	*rest = word_end(before);
	read_thread(line, word.at, &thread);
	if (!thread.count)
		return false;
	use_thread(stack, &thread);
	return true;
}

/* "comm PID/TID [cpu] 1000 event: " or less of it, with the stack below it. */
bool stack_read_head(struct stack_text *stack, const char *line, const char *end)
{
	const char *last = word_last_end(line, end);
	struct thread thread;

	if (last == line || last == end || *last != ' ')
		return false;
	read_thread(line, last, &thread);
	if (!thread.slash || (thread.end != last && last[-1] != ':' && last[-1] != ']'))
		return false;
	use_thread(stack, &thread);
	return true;
}

/* In its column, in "event: (7f1200001139)" of a probe, or, as of old, before a name and file. */
static bool is_sample_address(const char *line, struct word before, struct word *word,
			      const char *file, const char *end, uint64_t *value)
{
	const bool behind = !before.length || is_event(before);

	if (behind && word->length > 1 && *word->at == '(') {
		*word = word_next(word->at, word_end(*word), LIMITS);
		return word_is_hex(*word, BARE_DIGITS_MIN, value);
	}
	if (!word_is_hex(*word, FRAME_DIGITS_MIN, value))
		return false;
	return in_column(line, *word) || (is_event(before) && name_behind(*word, end).at < file);
}

/* "event: 7f1200001139 name+0x1 (file)" after a sample's time; the last address has the name. */
bool stack_add_sample(struct stack_text *stack, const char *line, const char *at, const char *end)
{
	const char *branches = find_branches(at, end);
	const char *last = word_last_end(at, branches), *file = last_file(at, last);
	struct word before = {}, word = word_next(at, last, BLANKS), found = {};
	uint64_t value, of_found = 0;
	bool good = true;

	for (; good && word.length; word = word_next(word_end(before), last, BLANKS)) {
		struct word inner = word;

		if (is_sample_address(line, before, &inner, file, last, &value)) {
			good = !found.length || stack_add_address(stack, line, found, of_found,
								  (struct word){}, false);
			found = inner;
			of_found = value;
		}
		before = word;
	}
	if (good && found.length)
		good = stack_add_address(stack, line, found, of_found, name_of(found, last), false);
	/*
	 * Without one, addresses in its fields; but the ranges of a mapping are not code that ran.
	 */
	if (!found.length && !text_has(at, end, RECORD))
		branches = at;
	return good && stack_add_words(stack, line, branches, end, false, stack->nr_addresses);
}
