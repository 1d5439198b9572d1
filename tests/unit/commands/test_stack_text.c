// SPDX-License-Identifier: GPL-2.0
/* Stack text: what is an address, whose, and that nothing of the text is lost. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/stack_text.h"
#include "streams.h"

static char shown[65536];  /* "PID ADDRESS", "~" for a caller, "'NAME'", a time */
static char text[4 << 20]; /* all text that was shown */
static size_t text_size;
/* This many more allocations succeed. */
static size_t allocations = SIZE_MAX;

void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);

void *__wrap_realloc(void *old, size_t size)
{
	return allocations && allocations-- ? __real_realloc(old, size) : NULL;
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return allocations && allocations-- ? __real_reallocarray(old, count, size) : NULL;
}

static void show(void *context, const struct stack_block *block)
{
	char *end = shown + strlen(shown);
	size_t i;

	(void)context;
	for (i = 0; i < block->nr_addresses; i++) {
		const struct stack_address *address = &block->addresses[i];

		assert_true(address->at + address->length <= block->size);
		assert_true(address->name_at + address->name_length <= block->size);
		end += sprintf(end, "%s%u %s%llx", end == shown ? "" : "; ", block->pid,
			       address->caller ? "~" : "", (unsigned long long)address->value);
		if (block->ambiguous)
			end += sprintf(end, "?");
		if (address->name_length)
			end += sprintf(end, " '%.*s'", (int)address->name_length,
				       block->text + address->name_at);
		if (block->time)
			end += sprintf(end, " @%llu", (unsigned long long)block->time);
	}
	memcpy(text + text_size, block->text, block->size);
	text_size += block->size;
}

static void read_text(const struct stack_options *options, const char *from, size_t size)
{
	struct stack_options with = *options;
	struct stack_text *stack;
	const char *end = from + size;
	bool good;

	with.show = show;
	*shown = '\0';
	text_size = 0;
	stack = stack_text_new(&with);
	assert_non_null(stack);
	while (from < end) {
		const char *newline = memchr(from, '\n', (size_t)(end - from));
		size_t length = newline ? (size_t)(newline - from) + 1 : (size_t)(end - from);

		/* Out of the heap, so that a look behind its end is found. */
		char *line = malloc(length);

		memcpy(line, from, length);
		good = stack_text_add(stack, line, length);
		assert_true(good || !allocations);
		if (!good)
			stack_text_pass(stack, line, length);
		free(line);
		from += length;
	}
	stack_text_end(stack);
	stack_text_free(stack);
	assert_int_equal(text_size, size);
	assert_memory_equal(text, end - size, size);
}

static void expect_with(const struct stack_options *options, const char *from, const char *expected)
{
	read_text(options, from, strlen(from));
	assert_string_equal(shown, expected);
}

static void expect(const char *from, const char *expected)
{
	expect_with(&(struct stack_options){}, from, expected);
}

static void lines_of_pid_and_addresses(void **state)
{
	(void)state;
	expect("12 7f1200001139\n", "12 7f1200001139");
	expect(" 12 0x401136 7f1200001139", "12 401136; 12 7f1200001139");
	expect("12 401136\n", "");
	expect("12 7f1200001139 x\n", "");
	expect("12\n", "");
}

static void a_key_says_whose_it_is_before_the_stack_or_behind(void **state)
{
	(void)state;
	expect("@[12, \n    0x7f01\n    0x7f02\n]: 5\n", "12 7f01; 12 ~7f02");
	expect("@x_1[\n    0x7f01\n    main+3\n    0x7f02\n, 12, bash]: 5\n", "12 7f01; 12 ~7f02");
	expect("@[bash, 12]: 0x55\n@[\n    0x7f01\n]: 5\n", "12 55; 0 7f01");
	/* Two stacks in one key: each begins with what ran. */
	expect("@[12, \n    0x7f01\n, \n    0x7f02\n    0x7f03\n]: 1\n",
	       "12 7f01; 12 7f02; 12 ~7f03");
	/* A stack is the value. */
	expect("@[12]: \n        0x7f01\n        0x7f02\n", "12 7f01; 12 ~7f02");
	expect("@[7, 12, \n    0x7f01\n]: 5\n", "0 7f01?");
	expect("@[tid 7, pid 12, \n    0x7f01\n]: 5\n", "12 7f01");
	expect("@[12, 12, \n    0x7f01\n]: 5\n", "12 7f01");
	/* It never ends. */
	expect("pid 3\n@[\n    0x7f01\n", "0 7f01");
}

static void a_line_says_whose_the_indented_ones_are(void **state)
{
	(void)state;
	expect("pid 12 cpu 3\n        0x7f01\n        f+1\n        0x7f02\n\n        0x7f03\n",
	       "12 7f01; 12 ~7f02; 12 7f03");
	expect("bash 12\nstack:\n  0x7f01\n", "12 7f01");
	expect("bash 12\nat 13\n  0x7f01\n", "13 7f01");
	expect("PID: 12 ip=0x7f01, x0x7f02 main+0x3\n", "12 7f01");
	expect("12 99 0x7f01\n", "0 7f01?");
	/* From user space into the kernel: what ran there is no caller. */
	expect("pid 12\n  0xffffffff81000001\n  0xffffffff81000002\n  0x7f01\n  0x7f02\n",
	       "12 ffffffff81000001; 12 ffffffff81000002; 12 7f01; 12 ~7f02");
}

static void bpftrace_prints_stacks_as_perf_does(void **state)
{
	(void)state;
	expect("12\n\t7f0001 0x7f0001 ([unknown])\n\t7f0002 main+5 (/bin/x)\n",
	       "12 7f0001 '0x7f0001 ([unknown])'; 12 ~7f0002 'main+5 (/bin/x)'");
}

static void samples_of_perf_script(void **state)
{
	(void)state;
	expect("a b  12/13  [001]  5.000007:      1 cycles:u: \n"
	       "\t    7f0001 [unknown] ([unknown])\n"
	       "\t    7f0002 main+0x5 (/bin/x y)\n"
	       "\n",
	       "12 7f0001 '[unknown] ([unknown])' @5000007999; "
	       "12 ~7f0002 'main+0x5 (/bin/x y)' @5000007999");
	expect("a  12 1.000000001:     1 cycles:u:      7f0001 [unknown] (/bin/x)\n",
	       "12 7f0001 '[unknown] (/bin/x)' @1000000001");
	expect("a  12 [000] 1.000001: cpu-clock:u: \n\t 7f0001 f+0x1\n",
	       "12 7f0001 'f+0x1' @1000001999");
	/* Names of threads. */
	expect("7 9.000000:  12 [000] 1.000001: cycles:  7f0001 f+0x1 (/x)\n",
	       "12 7f0001 'f+0x1 (/x)' @1000001999");
	expect("7 [0] 9.000000:  12 [000] 1.000001: cycles:  7f0001 f+0x1 (/x)\n",
	       "0 7f0001? 'f+0x1 (/x)' @1000001999");
	expect("7 9.000000:  12 1.000001: cycles:  7f0001 f+0x1 (/x)\n",
	       "0 7f0001? 'f+0x1 (/x)' @1000001999");
	/* Numbers in a line of a sample are not what --pid-field is about. */
	expect("a  12 1.0: cycles:\n", "");
}

static void options_say_what_the_text_does_not(void **state)
{
	const struct stack_options all = { .pid = 7 };
	const struct stack_options second = { .pid_field = 2, .time_field = 3 };

	(void)state;
	expect_with(&all, "@[\n    0x7f01\n]: 5\n", "7 7f01");
	expect_with(&second, "1 12 5000 x\n  0x7f01\n", "12 7f01 @5000");
	expect_with(&second, "@[1, \n    0x7f01\n, 12, 5000]: 5\n", "12 7f01 @5000");
}

static void other_text_has_no_addresses(void **state)
{
	(void)state;
	expect("", "");
	expect("\n\n@\n@[\n@]:\n]: 1\n", "");
	expect("0x 0xg 0x11111111111111111 a0x12\n", "");
	expect("  deadbeef\n\tdeadbeef x\n", "");
	expect("99999999999999999999999 0x12", "0 12");
}

/* Any bytes, and all of them come out as they are: read_text() looks. */
static void every_mutation_is_passed_on(void **state)
{
	static const char sample[] =
		"Attaching 1 probe...\n@[12, \n    0x7f0001\n    main+3\n]: 5\npid 3\n"
		"        0x7f0002\n\na b  12/13  [001]  5.000007:  1 cycles: \n\t 7f0001 x (y)\n\n"
		"12 7f1200001139 7f1200001140\n";
	static const char bytes[] = "\n\t 0x[]@:(),.9afg\0\xff";
	char changed[sizeof(sample)];
	unsigned int seed = 1, i, n;

	(void)state;
	for (n = 0; n < 20000; n++) {
		memcpy(changed, sample, sizeof(sample));
		for (i = 0; i < 1 + n % 7; i++) {
			seed = seed * 1103515245 + 12345;
			changed[(seed >> 8) % (sizeof(sample) - 1)] =
				bytes[(seed >> 20) % (sizeof(bytes) - 1)];
		}
		read_text(&(struct stack_options){}, changed, sizeof(sample) - 1);
	}
}

static void without_memory_all_text_is_there(void **state)
{
	static const char sample[] = "@[\n    0x7f01\n    0x7f02\n    0x7f03\n, 12]: 5\n"
				     "12 7f1200001139 7f1200001140 7f1200001150\n";
	size_t i;

	(void)state;
	for (i = 0; i < 20; i++) {
		allocations = i;
		read_text(&(struct stack_options){}, sample, sizeof(sample) - 1);
	}
	allocations = SIZE_MAX;
}

/* Quadratic work would take minutes here. */
static void long_lines_take_no_longer_for_each_byte(void **state)
{
	const size_t size = 1 << 20, blanks = 1 << 19;
	char *line = malloc(size);
	size_t i;

	(void)state;
	for (i = 0; i + 8 <= size; i += 8)
		memcpy(line + i, "a: ffff ", 8);
	memcpy(line, "1   1.000001: x ", 16);
	memset(line + size - blanks, ' ', blanks);
	read_text(&(struct stack_options){}, line, size);
	line[size - blanks] = ')';
	read_text(&(struct stack_options){}, line, size);
	assert_string_equal(shown, "");
	free(line);
}

static void no_address_is_looked_for_in_what_is_passed(void **state)
{
	struct stack_options options = { .show = show };
	struct stack_text *stack = stack_text_new(&options);

	(void)state;
	*shown = '\0';
	text_size = 0;
	assert_true(stack_text_add(stack, "@[12, \n", 7));
	assert_true(stack_text_add(stack, " 0x7f01\n", 8));
	stack_text_pass(stack, " 0x7f02", 7);
	stack_text_pass(stack, " 13\n", 4);
	assert_true(stack_text_add(stack, " 0x7f03\n", 8));
	stack_text_end(stack);
	stack_text_free(stack);
	assert_string_equal(shown, "0 7f01; 0 7f03");
	text[text_size] = '\0';
	assert_string_equal(text, "@[12, \n 0x7f01\n 0x7f02 13\n 0x7f03\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_pid_and_addresses),
		cmocka_unit_test(a_key_says_whose_it_is_before_the_stack_or_behind),
		cmocka_unit_test(a_line_says_whose_the_indented_ones_are),
		cmocka_unit_test(bpftrace_prints_stacks_as_perf_does),
		cmocka_unit_test(samples_of_perf_script),
		cmocka_unit_test(options_say_what_the_text_does_not),
		cmocka_unit_test(other_text_has_no_addresses),
		cmocka_unit_test(every_mutation_is_passed_on),
		cmocka_unit_test(without_memory_all_text_is_there),
		cmocka_unit_test(long_lines_take_no_longer_for_each_byte),
		cmocka_unit_test(no_address_is_looked_for_in_what_is_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
