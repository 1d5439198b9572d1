// SPDX-License-Identifier: GPL-2.0
/* Symbols: functions and lines, and files that mean harm. */

#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"
#include "content/demangle.h"
#include "content/symbol_table.h"
#include "samples.h"
#include "streams.h"

/* For what the process that reads a file may answer. */
#include "content/symbols.c"

static const char source[] = "int one(int n) { return n * 3; }\\n"
			     "int two(int n) {\\n\\n  return one(n) + 2; }\\n"
			     "int _Z5threei(int n) { return n; }\\n";

static void compile(const char *options, const char *name)
{
	shell("printf '%s' > s.c; cc -O0 %s -shared -fPIC -Wl,-z,noseparate-code -o %s s.c", source,
	      options, name);
}

/* The offset in the file of @function, as its segments are at the same addresses. */
static uint64_t offset_of(const char *name, const char *function)
{
	return strtoull(shell_output("nm -D %s | sed -n 's/ T %s$//p'", name, function), NULL, 16);
}

static struct symbols *open_symbols(const char *name, const char *debug, bool raw)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	int other = debug ? open(debug, O_RDONLY | O_CLOEXEC) : -1;
	struct symbols *symbols = symbols_new(fd, other, raw);

	assert_non_null(symbols);
	close(fd);
	close(other);
	return symbols;
}

static void expect(struct symbols *symbols, uint64_t offset, const char *function, uint64_t in,
		   uint32_t line)
{
	struct symbol symbol;

	assert_true(symbols_find(symbols, offset, false, &symbol));
	assert_string_equal(symbol.function, function);
	assert_int_equal(symbol.function_offset, in);
	assert_int_equal(symbol.line, line);
	if (line)
		assert_non_null(strstr(symbol.source, "/s.c"));
	else
		assert_null(symbol.source);
}

static void functions_and_lines_by_offset(void **state)
{
	struct symbols *symbols;
	struct symbol symbol;
	uint64_t one, two;

	(void)state;
	compile("-g", "a.so");
	one = offset_of("a.so", "one");
	two = offset_of("a.so", "two");
	symbols = open_symbols("a.so", NULL, false);
	expect(symbols, one, "one", 0, 1);
	expect(symbols, one + 1, "one", 1, 1);
	expect(symbols, two, "two", 0, 2);
	assert_false(symbols_find(symbols, 3, false, &symbol));
	assert_false(symbols_find(symbols, UINT64_MAX, false, &symbol));
	expect(symbols, two, "two", 0, 2);
	symbols_free(symbols);
}

static void without_debug_info_there_are_no_lines(void **state)
{
	struct symbols *symbols;

	(void)state;
	compile("-s", "a.so");
	symbols = open_symbols("a.so", NULL, false);
	expect(symbols, offset_of("a.so", "two") + 3, "two", 3, 0);
	symbols_free(symbols);
}

static void a_debug_file_has_both(void **state)
{
	struct symbols *symbols;

	(void)state;
	compile("-g", "a.so");
	shell("objcopy --only-keep-debug a.so a.debug; objcopy --strip-all a.so");
	symbols = open_symbols("a.so", "a.debug", false);
	expect(symbols, offset_of("a.so", "two"), "two", 0, 2);
	symbols_free(symbols);
}

/* As Fedora's build of packages makes it, and gdb's manual has it. */
static void a_stripped_file_may_have_a_symbol_table_that_is_compressed(void **state)
{
	uint64_t local, two;
	struct symbols *symbols;

	(void)state;
	shell("printf '%%s' '__attribute__((noinline)) static int local(int n) { return n * 3; }\n"
	      "int two(int n) { return local(n) + 2; }' > s.c; "
	      "cc -O0 -g -shared -fPIC -Wl,-z,noseparate-code -o a.so s.c");
	local = strtoull(shell_output("nm a.so | sed -n 's/ t local$//p'"), NULL, 16);
	two = offset_of("a.so", "two");
	shell("objcopy --only-keep-debug a.so a.debug; echo local >keep; "
	      "objcopy -S --remove-section .comment --keep-symbols=keep a.debug mini; xz mini; "
	      "strip -s a.so; objcopy --add-section .gnu_debugdata=mini.xz a.so");
	symbols = open_symbols("a.so", NULL, false);
	expect(symbols, local + 1, "local", 1, 0);
	expect(symbols, two, "two", 0, 0);
	symbols_free(symbols);
	/* What is damaged costs only what is in it. */
	shell("truncate -s 50 mini.xz; objcopy --update-section .gnu_debugdata=mini.xz a.so");
	symbols = open_symbols("a.so", NULL, false);
	expect(symbols, two, "two", 0, 0);
	symbols_free(symbols);
}

/* clang writes no .debug_aranges, and the lines are found all the same. */
static void an_index_of_addresses_is_not_needed(void **state)
{
	struct symbols *symbols;

	(void)state;
	compile("-g", "a.so");
	shell("objcopy --remove-section .debug_aranges a.so");
	symbols = open_symbols("a.so", NULL, false);
	expect(symbols, offset_of("a.so", "two"), "two", 0, 2);
	symbols_free(symbols);
}

static void names_of_cxx_are_demangled(void **state)
{
	struct symbols *symbols;
	uint64_t offset;

	(void)state;
	compile("-s", "a.so");
	offset = offset_of("a.so", "_Z5threei");
	symbols = open_symbols("a.so", NULL, false);
	expect(symbols, offset, "three(int)", 0, 0);
	symbols_free(symbols);
	symbols = open_symbols("a.so", NULL, true);
	expect(symbols, offset, "_Z5threei", 0, 0);
	symbols_free(symbols);
}

/* Of rustc 1.95 and before 1.37, of a D compiler, and of GCC's parts of a function. */
static void names_of_other_languages_are_demangled(void **state)
{
	static const char *const names[][2] = {
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
		{ "_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>" },
		{ "_RNvXC3fooNtB2_1ANtB2_1B1c", "<foo::A as foo::B>::c" },
		{ "_RNCNvC6_123foo3bar0", "123foo::bar::{closure#0}" },
		{ "_RNvC3foo3bar.cold.1", "foo::bar" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "_ZN3foo3bar17h05af221e174051e9E.llvm.1234567", "foo::bar" },
		{ "_ZN34_$LT$A$u20$as$u20$core..ops..B$GT$1c17hc784c4a5a1f0f9b5E",
		  "<A as core::ops::B>::c" },
		{ "_D4test3fooFiZi", "test.foo(int)" },
		{ "_Dmain", "D main" },
		{ "_ZN1A1fEv.cold", "A::f() [clone .cold]" },
		{ "_Rfoo", "_Rfoo" },
		{ "_Dfoo", "_Dfoo" },
		{ "i", "i" },
	};
	struct symbols *symbols;
	FILE *file;
	size_t i;

	(void)state;
	file = fopen("s.S", "w");
	assert_non_null(file);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		fprintf(file, ".globl \"%s\"\n.type \"%s\", @function\n\"%s\": nop\n", names[i][0],
			names[i][0], names[i][0]);
	assert_int_equal(fclose(file), 0);
	shell("cc -shared -nostdlib -Wl,-z,noseparate-code -o a.so s.S");
	symbols = open_symbols("a.so", NULL, false);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		expect(symbols,
		       strtoull(shell_output("nm a.so | grep -F ' T %s' | head -1", names[i][0]),
				NULL, 16),
		       names[i][1], 0, 0);
	symbols_free(symbols);
}

/* With substitutions each six letters double the name. */
static void a_name_that_grows_without_end_costs_no_more_than_its_process(void **state)
{
	struct symbols *symbols;
	struct symbol symbol;
	char name[1024] = "_Z1fI";
	uint64_t offset;
	int i;

	(void)state;
	strcat(name, "1AIiiE");
	for (i = 0; i < 60; i++)
		sprintf(name + strlen(name), "1AIS%.*s_S%.*s_E", i ? 1 : 0,
			&"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZZZZZZZZZZZZZZZZZZZZZZZZZZ"[i ? i - 1 :
											     0],
			i ? 1 : 0,
			&"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZZZZZZZZZZZZZZZZZZZZZZZZZZ"[i ? i - 1 :
											     0]);
	strcat(name, "EvT_");
	shell("printf 'int %s(void) { return 0; }\\nint plain(void) { return 1; }\\n' > s.c; "
	      "cc -O0 -shared -fPIC -Wl,-z,noseparate-code -o a.so s.c",
	      name);
	offset = offset_of("a.so", name);
	symbols = open_symbols("a.so", NULL, false);
	/* Whatever it is called in the end: this process is there to say so. */
	symbols_find(symbols, offset, false, &symbol);
	symbols_free(symbols);
}

static const char inlined[] =
	"#include <stdlib.h>\\n"
	"#define IN static inline __attribute__((always_inline)) int\\n"
	"IN inner(int n)\\n{\\n\\treturn abs(n * rand()) / 7;\\n}\\n"
	"IN middle(int n)\\n{\\n\\tn += rand();\\n\\treturn n < 5 ? inner(n) * inner(n + 3) : 1;\\n}\\n"
	"int outer(int n)\\n{\\n\\tfor (; n; n--)\\n\\t\\tif (middle(n) > 6)\\n"
	"\\t\\t\\treturn middle(2);\\n\\treturn n + rand();\\n}\\n"
	"int plain(int n) { return n + rand(); }\\n";

/* "inner\ns.c:5\nmiddle\ns.c:10\nouter\ns.c:15\n", as addr2line -i -f -s prints it. */
static void print_frames(const struct symbol *symbol, char text[1024])
{
	size_t length = 0, i;

	for (i = 0; i <= symbol->nr_into; i++) {
		const char *function = i ? symbol->into[i - 1].function : symbol->function;
		const char *file = i ? symbol->into[i - 1].source : symbol->source;
		uint32_t line = i ? symbol->into[i - 1].line : symbol->line;

		length += (size_t)snprintf(text + length, 1024 - length, "%s\n%s:%u\n",
					   function ? function : "??", file ? basename(file) : "??",
					   line);
	}
}

/* Each address of outer() and plain(). Returns how many inlined frames there were. */
static size_t expect_as_addr2line(const char *options, bool lines)
{
	unsigned long long start, end, offset;
	struct symbols *symbols;
	struct symbol symbol;
	size_t frames = 0;
	char text[1024];

	shell("printf '%s' > s.c; %s -shared -fPIC -Wl,-z,noseparate-code -o a.so s.c", inlined,
	      options);
	assert_int_equal(
		sscanf(shell_output("nm -S a.so | grep -w outer"), "%llx %llx", &start, &end), 2);
	symbols = open_symbols("a.so", NULL, false);
	for (offset = start; offset < start + end; offset++) {
		assert_true(symbols_find(symbols, offset, false, &symbol));
		print_frames(&symbol, text);
		if (lines)
			assert_string_equal(text,
					    shell_output("addr2line -i -f -s -e a.so 0x%llx | "
							 "sed 's/ (disc.*//; s/.*:?$/??:0/'",
							 offset));
		else
			assert_string_equal(text, "outer\n??:0\n");
		assert_int_equal(symbol.function_offset, offset - start);
		frames += symbol.nr_into;
	}
	symbols_free(symbols);
	return frames;
}

static void inlined_functions_are_told_with_their_own_lines(void **state)
{
	(void)state;
	assert_true(expect_as_addr2line("cc -O2 -g", true) > 20);
	assert_true(expect_as_addr2line("cc -O2 -gdwarf-4", true) > 20);
	assert_true(expect_as_addr2line("cc -O1 -g1", true) > 20);
	assert_true(expect_as_addr2line("clang -O2 -g", true) > 20);
	assert_true(expect_as_addr2line("clang -O2 -gline-tables-only", true) > 20);
}

/* clang has no entry then for a function. */
static void where_nothing_is_inlined_the_line_is_certain(void **state)
{
	struct symbols *symbols;
	struct symbol symbol;

	(void)state;
	shell("printf '%s' >s.c; clang -O0 -gline-tables-only -shared -fPIC "
	      "-Wl,-z,noseparate-code -o s.so s.c",
	      source);
	symbols = open_symbols("s.so", NULL, false);
	assert_true(symbols_find(symbols, offset_of("s.so", "one"), false, &symbol));
	assert_string_equal(symbol.function, "one");
	assert_int_equal(symbol.line, 1);
	symbols_free(symbols);
}

/* No line then: it may be inner()'s, and the function outer(). */
static void where_it_is_not_known_what_is_inlined_there_is_no_line(void **state)
{
	(void)state;
	assert_int_equal(expect_as_addr2line("cc -O2 -g -gsplit-dwarf", false), 0);
}

/* Of C++, and within a namespace, where all of Rust's are. */
static void inlined_functions_have_the_names_of_their_language(void **state)
{
	struct symbols *symbols;
	struct symbol symbol;
	uint64_t offset;
	char text[1024];

	(void)state;
	shell("printf 'extern \"C\" int rand(void);\\nnamespace a { template <class T> struct S {\\n"
	      "static inline __attribute__((always_inline)) T in(T n) {\\nreturn n * rand(); } };\\n"
	      "T_\\nint out(int n) {\\nreturn S<int>::in(n); } }' | sed 's/^T_//' > s.cc; "
	      "c++ -O2 -g -shared -fPIC -Wl,-z,noseparate-code -o a.so s.cc");
	offset = strtoull(shell_output("nm a.so | sed -n 's/ T _ZN1a3outEi$//p'"), NULL, 16);
	offset = strtoull(shell_output("objdump -d a.so --start-address=0x%lx | "
				       "sed -n '/call.*rand/s/:.*//p' | head -1",
				       offset),
			  NULL, 16);
	symbols = open_symbols("a.so", NULL, false);
	assert_true(symbols_find(symbols, offset, false, &symbol));
	print_frames(&symbol, text);
	assert_string_equal(text, "a::S<int>::in(int)\ns.cc:4\na::out(int)\ns.cc:7\n");
	symbols_free(symbols);
	symbols = open_symbols("a.so", NULL, true);
	assert_true(symbols_find(symbols, offset, false, &symbol));
	assert_string_equal(symbol.function, "_ZN1a1SIiE2inEi");
	symbols_free(symbols);
}

/* What a process that is the file's may answer to a question about place 100. */
struct answer {
	struct reply reply;
	struct scope scopes[2];
	struct row rows[2];
	char texts[8];
};

static const struct answer good = {
	{ .first = 99, .last = 101, .nr_scopes = 2, .nr_rows = 2, .texts = 8 },
	{ {}, { .function = 1, .source = 5 } },
	{ { .start = 0, .scope = 1 }, { .start = 1, .source = 5 } },
	"\0one\0s.",
};

static bool is_taken(const struct answer *answer, size_t sent)
{
	struct symbols symbols = {};
	struct part *parts[2];
	int sockets[2];
	bool taken;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	assert_int_equal(send(sockets[0], answer, sent, 0), sent);
	close(sockets[0]);
	symbols.reader.socket = sockets[1];
	taken = read_answer(&symbols, 100, parts);
	close(sockets[1]);
	if (taken)
		free(parts[0]);
	return taken;
}

#define WRONG(field, value)                                                       \
	do {                                                                      \
		struct answer wrong = good;                                       \
                                                                                  \
		wrong.field = value;                                              \
		if (is_taken(&wrong, sizeof(wrong)))                              \
			fail_msg("%s = %llu", #field, (unsigned long long)value); \
	} while (0)

static void an_answer_is_taken_only_if_it_is_one(void **state)
{
	(void)state;
	assert_true(is_taken(&good, sizeof(good)));
	assert_false(is_taken(&good, sizeof(good) - 1));
	assert_false(is_taken(&good, sizeof(good.reply) - 1));
	WRONG(reply.first, 101);
	WRONG(reply.last, 99);
	WRONG(reply.last, 99 + AROUND);
	WRONG(reply.last, UINT64_MAX);
	WRONG(reply.more, 1);
	WRONG(reply.nr_scopes, 0);
	WRONG(reply.nr_scopes, SCOPES_MAX + 1);
	WRONG(reply.nr_scopes, UINT32_MAX);
	WRONG(reply.nr_rows, 0);
	WRONG(reply.nr_rows, AROUND + 1);
	WRONG(reply.nr_rows, UINT32_MAX);
	WRONG(reply.texts, 0);
	WRONG(reply.texts, TEXTS_MAX + 1);
	WRONG(reply.texts, UINT32_MAX);
	WRONG(scopes[0].function, 8);
	WRONG(scopes[1].source, 8);
	WRONG(scopes[1].into, 1);
	WRONG(scopes[1].into, UINT32_MAX);
	WRONG(rows[0].start, 1);
	WRONG(rows[1].start, 0);
	WRONG(rows[1].scope, 2);
	WRONG(rows[1].source, 8);
	WRONG(texts[0], 'a');
	WRONG(texts[7], 'a');
}

static bool are_taken(uint64_t first, uint64_t last)
{
	struct symbols symbols = {};
	struct answer answers[2] = { good, good };
	struct part *parts[2];
	int sockets[2];
	bool taken;

	answers[0].reply.more = 1;
	answers[1].reply.first = first;
	answers[1].reply.last = last;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	assert_int_equal(send(sockets[0], answers, sizeof(answers), 0), sizeof(answers));
	close(sockets[0]);
	symbols.reader.socket = sockets[1];
	taken = read_answer(&symbols, 100, parts);
	close(sockets[1]);
	if (taken) {
		assert_int_equal(parts[1]->reply.first, first);
		free(parts[0]);
		free(parts[1]);
	}
	return taken;
}

static void its_second_part_is_about_what_follows(void **state)
{
	(void)state;
	assert_true(are_taken(102, 104));
	assert_false(are_taken(103, 104));
	assert_false(are_taken(99, 101));
	assert_false(are_taken(102, 101));
}

static int reader_of_this(void)
{
	return atoi(shell_output("pgrep -P %d | grep -v $$ | head -1", getpid()));
}

/* A user who is not root, but has CAP_SYS_PTRACE. */
static bool become_one_with_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct some[_LINUX_CAPABILITY_U32S_3] = {
		{ .effective = 1 << CAP_SYS_PTRACE, .permitted = 1 << CAP_SYS_PTRACE },
	};

	return !prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) && !setresgid(12345, 12345, 12345) &&
	       !setresuid(12345, 12345, 12345) && !syscall(SYS_capset, &header, some);
}

static void nor_has_it_a_capability(void **state)
{
	struct symbols *symbols;
	int fd, status;
	pid_t child;

	(void)state;
	if (geteuid())
		skip();
	compile("-s", "a.so");
	fd = open("a.so", O_RDONLY | O_CLOEXEC);
	child = fork();
	if (!child) {
		if (!become_one_with_capabilities() ||
		    strcmp(shell_output("grep -c '^CapEff:.0*80000$' /proc/%d/status", getpid()),
			   "1\n"))
			_exit(2);
		symbols = symbols_new(fd, -1, false);
		_exit(!symbols || strcmp(shell_output("grep -c '^Cap[PE].*:.0*$' /proc/%d/status",
						      reader_of_this()),
					 "2\n"));
	}
	close(fd);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void the_other_process_has_nothing_to_lose(void **state)
{
	struct symbols *symbols;
	struct symbol symbol;
	uint64_t two;
	uint64_t answers;
	int pid;

	(void)state;
	compile("-s", "a.so");
	two = offset_of("a.so", "two");
	symbols = open_symbols("a.so", NULL, false);
	expect(symbols, two, "two", 0, 0);
	pid = reader_of_this();
	assert_true(pid > 0);
	assert_string_equal(shell_output("grep -c '^NoNewPrivs:.1' /proc/%d/status", pid), "1\n");
	assert_string_equal(
		shell_output("sed -n 's/^Max open files *\\([0-9]*\\).*/\\1/p' /proc/%d/limits",
			     pid),
		"0\n");
	if (!geteuid())
		assert_string_equal(shell_output("sed -n 's/^Uid:.//p' /proc/%d/status", pid),
				    "65534\t65534\t65534\t65534\n");
	assert_string_equal(
		shell_output("sed -n 's/^Max processes *\\([0-9]*\\).*/\\1/p' /proc/%d/limits",
			     pid),
		"0\n");
	assert_string_equal(
		shell_output("grep -c '^Max address space *[0-9]' /proc/%d/limits", pid), "1\n");
	assert_string_equal(shell_output("cat /proc/%d/oom_score_adj", pid), "1000\n");
	assert_int_equal(getsid(pid), pid);
	assert_false(symbols_ended(symbols, &answers));
	assert_int_equal(answers, 1);
	/* When it dies, its file has no more names than around those asked for, and that is all. */
	shell("kill -9 %d", pid);
	assert_false(symbols_find(symbols, offset_of("a.so", "one"), false, &symbol));
	assert_false(symbols_find(symbols, offset_of("a.so", "one"), false, &symbol));
	assert_true(symbols_ended(symbols, &answers));
	assert_int_equal(answers, 1);
	expect(symbols, two, "two", 0, 0);
	expect(symbols, two + 1, "two", 1, 0);
	symbols_free(symbols);
}

/* Names longer than what is passed on, of so many functions that all is forgotten. */
static void what_is_remembered_has_an_end(void **state)
{
	struct symbols *symbols;
	struct symbol symbol;
	uint64_t offset, answers;
	size_t i;

	(void)state;
	shell("(yes long | tr -d '\\n' | head -c 5000 >name; "
	      "for n in $(seq 3000); do echo \".type f$n$(cat name), @function\"; "
	      "echo \"f$n$(cat name): nop\"; done) >s.S; "
	      "cc -c s.S && ld -shared -z noseparate-code -o a.so s.o");
	offset = strtoull(shell_output("nm a.so | sed -n 's/ t f1long.*//p'"), NULL, 16);
	symbols = open_symbols("a.so", NULL, true);
	for (i = 0; i < 6000; i++) {
		assert_true(symbols_find(symbols, offset + i % 3000, false, &symbol));
		assert_int_equal(strlen(symbol.function), 4096);
		assert_true(symbols->nr_bytes <= PART_BYTES + 5000);
	}
	symbols_ended(symbols, &answers);
	/* Of the first 3000 the last are known, and are forgotten before they are asked for. */
	assert_true(answers > 3000);
	symbols_free(symbols);
}

/* What is told of an address is the same whether it or another one was asked for first. */
static void what_is_around_an_address_is_told_as_if_it_had_been_asked_for(void **state)
{
	unsigned long long start, size, offset;
	struct symbols *all, *one;
	struct symbol symbol;
	char expected[1024], text[1024];
	uint64_t answers, at;

	(void)state;
	shell("printf '%s' > s.c; cc -O2 -g -shared -fPIC -Wl,-z,noseparate-code -o a.so s.c",
	      inlined);
	assert_int_equal(
		sscanf(shell_output("nm -S a.so | grep -w outer"), "%llx %llx", &start, &size), 2);
	all = open_symbols("a.so", NULL, false);
	for (offset = start; offset < start + size; offset++) {
		assert_true(symbols_find(all, offset, false, &symbol));
		print_frames(&symbol, text);
		at = symbol.function_offset;
		one = open_symbols("a.so", NULL, false);
		assert_true(symbols_find(one, offset, false, &symbol));
		print_frames(&symbol, expected);
		assert_string_equal(text, expected);
		assert_int_equal(at, symbol.function_offset);
		symbols_free(one);
	}
	symbols_ended(all, &answers);
	assert_int_equal(answers, 1);
	symbols_free(all);
}

static unsigned char bytes[1 << 20], changed[1 << 20];
static size_t size;

static void write_changed(size_t length)
{
	FILE *file = fopen("changed", "w");

	assert_non_null(file);
	assert_int_equal(fwrite(changed, 1, length, file), length);
	fclose(file);
}

/* And it is the same in all of its range. */
static const struct function *function_at(const struct symbol_table *table, uint64_t address)
{
	struct code_range range = { 0, UINT64_MAX }, same = range;
	const struct function *function = symbol_table_find(table, address, &range);

	assert_true(range.first <= address && address <= range.last);
	assert_ptr_equal(symbol_table_find(table, range.first, &same), function);
	assert_ptr_equal(symbol_table_find(table, range.last, &same), function);
	assert_memory_equal(&same, &range, sizeof(same));
	return function;
}

/* In this process, which the sanitizers watch. */
static void read_table(void)
{
	struct symbol_table table;
	int fd = open("changed", O_RDONLY | O_CLOEXEC);
	uint64_t address;

	if (symbol_table_read(&table, fd, true)) {
		for (address = 0; address < 0x5000; address += 0x333)
			function_at(&table, address);
		function_at(&table, UINT64_MAX);
		symbol_table_free(&table);
	}
	close(fd);
}

static void read_in_process(uint64_t offset)
{
	struct symbols *symbols = open_symbols("changed", "changed", false);
	struct symbol symbol;

	symbols_find(symbols, offset, false, &symbol);
	symbols_free(symbols);
}

static void read_sample(void)
{
	FILE *file;

	compile("-g", "a.so");
	file = fopen("a.so", "r");
	assert_non_null(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	assert_true(size > 4096 && size < sizeof(bytes));
}

static void every_cut_is_survived(void **state)
{
	uint64_t two;
	size_t length;

	(void)state;
	read_sample();
	two = offset_of("a.so", "two");
	memcpy(changed, bytes, size);
	for (length = 0; length < size; length += 61) {
		write_changed(length);
		read_table();
		if (!(length % (61 * 16)))
			read_in_process(two);
	}
}

static void every_mutation_is_survived(void **state)
{
	unsigned int seed = 1, n, i;
	uint64_t two;

	(void)state;
	read_sample();
	two = offset_of("a.so", "two");
	for (n = 0; n < 2000; n++) {
		memcpy(changed, bytes, size);
		for (i = 0; i < 1 + n % 40; i++) {
			seed = seed * 1103515245 + 12345;
			changed[(n % 3 ? seed >> 4 : seed >> 4 & 63) % size] =
				(unsigned char)(seed >> 24);
		}
		write_changed(size);
		read_table();
		if (!(n % 20))
			read_in_process(two);
	}
}

/*
 * What starts at one address has one name, the one that perf shows, and what lies within
 * a function does not end it.
 */
static void names_at_one_address_and_within_another(void **state)
{
	static const char *const names[] = { "plain", "_under", "b_local", "a_weak" };
	struct symbol_table table;
	uint64_t start;
	size_t i, j;
	int fd;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		FILE *file = fopen("s.S", "w");

		assert_non_null(file);
		fputs(".weak a_weak\n.text\nouter: nop\nnosize: nop\n", file);
		/* Those that come first among the names alone are the last to be chosen. */
		for (j = i; j < ARRAY_SIZE(names); j++)
			fprintf(file, "%s%s\n.type %s, @function\n%s:\n", j < 2 ? ".globl " : "",
				j < 2 ? names[j] : "", names[j], names[j]);
		fputs("a_nosize: nop\n", file);
		for (j = i; j < ARRAY_SIZE(names); j++)
			fprintf(file, ".size %s, . - %s\n", names[j], names[j]);
		fputs("nop\n.size outer, . - outer\n.type outer, @function\n"
		      "last: nop\n.section .apart, \"ax\"\n.balign 64\napart: nop\n",
		      file);
		assert_int_equal(fclose(file), 0);
		shell("cc -c -o s.o s.S && ld -shared -o s.so s.o");
		start = strtoull(shell_output("nm s.so | sed -n 's/ t outer$//p'"), NULL, 16);
		fd = open("s.so", O_RDONLY | O_CLOEXEC);
		assert_true(symbol_table_read(&table, fd, false));
		close(fd);
		assert_string_equal(function_at(&table, start)->name, "outer");
		assert_string_equal(function_at(&table, start + 1)->name, "nosize");
		assert_string_equal(function_at(&table, start + 2)->name, names[i]);
		assert_string_equal(function_at(&table, start + 3)->name, "outer");
		assert_string_equal(function_at(&table, start + 4)->name, "last");
		assert_null(function_at(&table, start + 5));
		symbol_table_free(&table);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, sample_set_up, sample_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(functions_and_lines_by_offset),
		TEST(without_debug_info_there_are_no_lines),
		TEST(a_debug_file_has_both),
		TEST(an_index_of_addresses_is_not_needed),
		TEST(a_stripped_file_may_have_a_symbol_table_that_is_compressed),
		TEST(names_of_cxx_are_demangled),
		TEST(names_of_other_languages_are_demangled),
		TEST(names_at_one_address_and_within_another),
		TEST(a_name_that_grows_without_end_costs_no_more_than_its_process),
		TEST(the_other_process_has_nothing_to_lose),
		TEST(nor_has_it_a_capability),
		TEST(inlined_functions_are_told_with_their_own_lines),
		TEST(where_nothing_is_inlined_the_line_is_certain),
		TEST(where_it_is_not_known_what_is_inlined_there_is_no_line),
		TEST(inlined_functions_have_the_names_of_their_language),
		TEST(an_answer_is_taken_only_if_it_is_one),
		TEST(its_second_part_is_about_what_follows),
		TEST(what_is_around_an_address_is_told_as_if_it_had_been_asked_for),
		TEST(what_is_remembered_has_an_end),
		TEST(every_cut_is_survived),
		TEST(every_mutation_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
