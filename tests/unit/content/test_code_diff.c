// SPDX-License-Identifier: GPL-2.0
/* Code diff: what became of functions, and files that mean harm. */

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "samples.h"
#include "streams.h"

/* For what the process that reads the files may answer. */
#include "content/code_diff.c"

#define BUILD "cc -O1 -fno-inline -shared -fPIC -Wl,-z,noseparate-code "

static struct code_diff diff;
static struct reason reason;

static int open_file(const char *name)
{
	int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;

	assert_true(!name || fd >= 0);
	return fd;
}

static bool read_diff(const char *before, const char *after, const char *debug)
{
	const int files[2] = { open_file(before), open_file(after) };
	const int debugs[2] = { open_file(debug), -1 };
	bool good = code_diff_read(&diff, files, debugs, false, &reason);

	close(files[0]);
	close(files[1]);
	if (debugs[0] >= 0)
		close(debugs[0]);
	return good;
}

static const struct code_change *change_of(const char *name)
{
	size_t i;

	for (i = 0; i < diff.count; i++)
		if (!strcmp(diff.all[i].name, name))
			return &diff.all[i];
	return NULL;
}

static void expect_verdict(const char *name, enum code_verdict verdict)
{
	const struct code_change *change = change_of(name);

	assert_non_null(change);
	assert_string_equal(code_verdict_word(change->verdict), code_verdict_word(verdict));
}

static void write_source(const char *name, const char *text)
{
	FILE *file = fopen(name, "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

#define COMMON                                                         \
	"static int counter; int shared;\n"                            \
	"int plain(int n) { return n * 3; }\n"                         \
	"int caller(int n) { return plain(n) + last(n) + counter; }\n" \
	"const char *texts(void) { return \"a text\"; }\n"

static void each_function_gets_its_verdict(void **state)
{
	(void)state;
	write_source("1.c", "int last(int n);\nint gone(int n) { return n; }\n"
			    "static int one(int n) { return n + 7; }\n" COMMON
			    "int calls(int n) { return one(n) * 2; }\n"
			    "int constant(int n) { return n * 11 + 70000; }\n"
			    "int grows(int n) { return n; }\n"
			    "int last(int n) { return n + 1; }\n"
			    "const char *others(void) { return \"b\"; }\n");
	write_source("2.c", "int last(int n);\n"
			    "static int two(int n) { return n + 7; }\n" COMMON
			    "int calls(int n) { return two(n) * 2; }\n"
			    "int constant(int n) { return n * 11 + 80000; }\n"
			    "int grows(int n) { return n % 7 ? n * n % 13 : -n; }\n"
			    "int fresh(int n) { return n * 5; }\n"
			    "int last(int n) { return n + 1; }\n"
			    "const char *others(void) { return \"what makes the rest move\"; }\n");
	shell(BUILD "-o 1.so 1.c && " BUILD "-o 2.so 2.c");
	assert_true(read_diff("1.so", "2.so", NULL));
	assert_false(diff.exported_only);
	expect_verdict("plain", CODE_SAME);
	expect_verdict("last", CODE_SAME);
	expect_verdict("caller", CODE_MOVED);
	expect_verdict("calls", CODE_CALLS);
	expect_verdict("constant", CODE_CHANGED);
	expect_verdict("grows", CODE_SIZE);
	expect_verdict("gone", CODE_REMOVED);
	expect_verdict("fresh", CODE_ADDED);
	assert_true(diff.named[0] > 50 && diff.named[0] <= diff.code[0]);
	code_diff_free(&diff);
}

/* The linker's order of names at one address decides which of them a symbol table has. */
static void a_name_that_became_an_alias_is_not_removed(void **state)
{
	(void)state;
	write_source("1.c", "int plain(int n) { return n * 3; }\nint grows(int n) { return n; }\n"
			    "int gone(int n) { return n; }\n");
	write_source("2.c", "int aaa(int n) { return n * 3; }\n"
			    "int plain(int n) __attribute__((alias(\"aaa\")));\n"
			    "int bbb(int n) { return n * n / 7; }\n"
			    "int grows(int n) __attribute__((alias(\"bbb\")));\n");
	shell(BUILD "-o 1.so 1.c && " BUILD "-o 2.so 2.c");
	assert_true(read_diff("1.so", "2.so", NULL));
	expect_verdict("plain", CODE_SAME);
	expect_verdict("grows", CODE_SIZE);
	expect_verdict("aaa", CODE_ADDED);
	expect_verdict("gone", CODE_REMOVED);
	code_diff_free(&diff);
	assert_true(read_diff("2.so", "1.so", NULL));
	expect_verdict("plain", CODE_SAME);
	expect_verdict("aaa", CODE_REMOVED);
	code_diff_free(&diff);
}

static void a_reference_to_data_without_a_name_is_uncertain(void **state)
{
	(void)state;
	write_source("1.c", "const char *texts(void) { return \"a text\"; }\n");
	write_source("2.c", "int more(int n) { return n * n % 13; }\n"
			    "const char *texts(void) { return \"a text\"; }\n");
	shell(BUILD "-o 1.so 1.c && " BUILD "-o 2.so 2.c");
	assert_true(read_diff("1.so", "2.so", NULL));
	expect_verdict("texts", CODE_DATA);
	expect_verdict("more", CODE_ADDED);
	code_diff_free(&diff);
}

/* Its code calls other functions at the same places, whose own bytes are the same. */
static void the_same_bytes_may_call_another_function(void **state)
{
	(void)state;
	write_source("1.c", "static int one(int n) { return n + 7; }\n"
			    "int calls(int n) { return one(n) * 2; }\n");
	write_source("2.c", "static int two(int n) { return n + 9; }\n"
			    "int calls(int n) { return two(n) * 2; }\n");
	shell(BUILD "-o 1.so 1.c && " BUILD "-o 2.so 2.c");
	assert_true(read_diff("1.so", "2.so", NULL));
	expect_verdict("calls", CODE_CALLS);
	code_diff_free(&diff);
}

static void several_of_one_name_are_told_only_if_nothing_differs(void **state)
{
	(void)state;
	write_source("a.c", "static int twin(int n) { return n + 7; }\n"
			    "int a(int n) { return twin(n); }\n");
	write_source("b.c", "static int twin(int n) { return n + 8; }\n"
			    "int b(int n) { return twin(n); }\n");
	write_source("c.c", "static int twin(int n) { return n + 9; }\n"
			    "int b(int n) { return twin(n); }\n");
	shell(BUILD "-o 1.so a.c b.c && " BUILD "-o 2.so a.c c.c && " BUILD "-o 3.so a.c");
	assert_true(read_diff("1.so", "1.so", NULL));
	expect_verdict("twin", CODE_SAME);
	code_diff_free(&diff);
	assert_true(read_diff("1.so", "2.so", NULL));
	assert_int_equal(change_of("twin")[0].verdict, CODE_SAME);
	assert_int_equal(change_of("twin")[1].verdict, CODE_UNKNOWN);
	code_diff_free(&diff);
	assert_true(read_diff("1.so", "3.so", NULL));
	expect_verdict("twin", CODE_UNKNOWN);
	code_diff_free(&diff);
}

/* Else all that is local would look as if it was removed. */
static void of_a_stripped_file_only_what_both_export_is_compared(void **state)
{
	(void)state;
	write_source("1.c", "static int inner(int n) { return n + 7; }\n"
			    "int outer(int n) { return inner(n); }\n");
	shell(BUILD
	      "-g -o 1.so 1.c && strip -o 2.so 1.so && objcopy --only-keep-debug 1.so 1.debug");
	assert_true(read_diff("1.so", "2.so", NULL));
	assert_true(diff.exported_only);
	assert_null(change_of("inner"));
	expect_verdict("outer", CODE_SAME);
	code_diff_free(&diff);
	assert_true(read_diff("2.so", "1.so", "1.debug"));
	assert_false(diff.exported_only);
	expect_verdict("inner", CODE_SAME);
	code_diff_free(&diff);
}

/* By the slots of the PLT, whose places change with the number of imports. */
static void calls_of_other_files_go_by_name(void **state)
{
	(void)state;
	write_source("1.c", "int imported(int); int calls(int n) { return imported(n) + 1; }\n");
	write_source(
		"2.c",
		"int imported(int); int before(int); int more(int n) { return before(n) + 1; }\n"
		"int calls(int n) { return imported(n) + 1; }\n");
	shell(BUILD "-o 1.so 1.c && " BUILD "-o 2.so 2.c");
	assert_true(read_diff("1.so", "2.so", NULL));
	expect_verdict("calls", CODE_MOVED);
	code_diff_free(&diff);
	shell("sed -i s/imported/exported/g 1.c && " BUILD "-o 1.so 1.c");
	assert_true(read_diff("1.so", "2.so", NULL));
	expect_verdict("calls", CODE_CALLS);
	code_diff_free(&diff);
}

static void put_line(const char *path, const char *line)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		_exit(2);
	close(fd);
}

static void enter_namespace(uid_t uid, gid_t gid)
{
	char line[64];

	if (unshare(CLONE_NEWUSER))
		_exit(2);
	put_line("/proc/self/setgroups", "deny");
	snprintf(line, sizeof(line), "0 %u 1", uid);
	put_line("/proc/self/uid_map", line);
	snprintf(line, sizeof(line), "0 %u 1", gid);
	put_line("/proc/self/gid_map", line);
}

static void a_user_namespace_need_have_nobody(void **state)
{
	pid_t child;
	int status;

	(void)state;
	write_source("1.c", "int last(int n) { return n + 1; }\n");
	shell(BUILD "-o 1.so 1.c");
	child = fork();
	if (!child) {
		enter_namespace(getuid(), getgid());
		_exit(!read_diff("1.so", "1.so", NULL));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 2)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void what_is_no_program_has_a_reason(void **state)
{
	(void)state;
	write_source("1.c", "int outer(int n) { return n; }\n");
	shell(BUILD "-o 1.so 1.c && cc -c -o 1.o 1.c");
	assert_false(read_diff("1.so", "1.c", NULL));
	assert_non_null(strstr(reason.text, "the file after: no function in it has a name"));
	assert_false(read_diff("1.o", "1.so", NULL));
	assert_non_null(strstr(reason.text, "the file before: not linked"));
}

/* The other process may be the file's by then. */
static void an_answer_is_taken_only_if_it_is_sound(void **state)
{
	const struct sent {
		struct summary summary;
		struct sent_change change;
		char name[8];
	} good = { .change = { .verdict = CODE_SIZE, .name = 8 }, .name = "abcdefg" };
	struct sent sent;
	int sockets[2];
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		sent = good;
		if (i == 1)
			sent.change.verdict = CODE_VERDICTS;
		if (i == 2)
			sent.change.name = NAME_BYTES_MAX + 1;
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
		assert_true(file_reader_send(sockets[0], &sent, sizeof(sent)));
		close(sockets[0]);
		diff = (struct code_diff){};
		/* It ends too early in any case. */
		assert_false(receive_diff(&diff, sockets[1], &reason));
		assert_int_equal(diff.count, i ? 0 : 1);
		code_diff_free(&diff);
		close(sockets[1]);
	}
}

static void every_mutation_is_survived(void **state)
{
	static char bytes[65536];
	size_t size, i;
	FILE *file;

	(void)state;
	write_source("1.c", "static int inner(int n) { return n + 7; }\n"
			    "int outer(int n) { return inner(n); }\n");
	shell(BUILD "-o 1.so 1.c");
	file = fopen("1.so", "re");
	assert_non_null(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	srand(7);
	for (i = 0; i < 60; i++) {
		size_t at = (size_t)rand() % (i % 2 ? size : 1024);
		char old = bytes[at];

		bytes[at] = (char)rand();
		file = fopen("2.so", "we");
		assert_non_null(file);
		fwrite(bytes, 1, size, file);
		fclose(file);
		bytes[at] = old;
		if (read_diff("1.so", "2.so", NULL))
			code_diff_free(&diff);
		else
			assert_null(strstr(reason.text, "early"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_function_gets_its_verdict),
		cmocka_unit_test(a_name_that_became_an_alias_is_not_removed),
		cmocka_unit_test(a_reference_to_data_without_a_name_is_uncertain),
		cmocka_unit_test(the_same_bytes_may_call_another_function),
		cmocka_unit_test(several_of_one_name_are_told_only_if_nothing_differs),
		cmocka_unit_test(of_a_stripped_file_only_what_both_export_is_compared),
		cmocka_unit_test(calls_of_other_files_go_by_name),
		cmocka_unit_test(a_user_namespace_need_have_nobody),
		cmocka_unit_test(what_is_no_program_has_a_reason),
		cmocka_unit_test(an_answer_is_taken_only_if_it_is_sound),
		cmocka_unit_test(every_mutation_is_survived),
	};

	return cmocka_run_group_tests(tests, sample_set_up, sample_tear_down);
}
