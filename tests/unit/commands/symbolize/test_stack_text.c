// SPDX-License-Identifier: GPL-2.0
/* Stack text: what is an address, whose, and that nothing of the text is lost. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/symbolize/stack_text.h"
#include "streams.h"

static char shown[65536];  /* "PID ADDRESS", "~" for a caller, "ID+OFFSET", "'NAME'", a time */
static char text[4 << 20]; /* all text that was shown */
static size_t text_size;
static size_t passed;
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
	char *end = shown + strlen(shown), id[BUILD_ID_TEXT];
	size_t i, last = 0;

	(void)context;
	for (i = 0; i < block->nr_addresses; i++) {
		const struct stack_address *address = &block->addresses[i];

		assert_true(address->at + address->length <= block->size);
		assert_true(address->name_at + address->name_length <= block->size);
		assert_true(address->at >= last);
		last = address->at + address->length;
		assert_true(!address->name_length || address->name_at >= last);
		last += address->name_length ? address->name_at + address->name_length - last : 0;
		end += sprintf(end, "%s%u %s", end == shown ? "" : "; ", address->owner.pid,
			       address->caller ? "~" : "");
		if (!address->is_pair)
			end += sprintf(end, "%llx", (unsigned long long)address->value);
		if (address->owner.ambiguous)
			end += sprintf(end, "?");
		if (address->id.size)
			end += sprintf(end, "%s%s%c%llx", address->is_pair ? "" : " ",
				       build_id_text(&address->id, id),
				       address->is_elf_address ? '@' : '+',
				       (unsigned long long)address->place);
		if (address->name_length)
			end += sprintf(end, " '%.*s'", (int)address->name_length,
				       block->text + address->name_at);
		if (address->owner.time)
			end += sprintf(end, " @%llu", (unsigned long long)address->owner.time);
	}
	passed += block->nr_passed;
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
	passed = 0;
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
	/* What is no number of a process. */
	expect("12:34:56 bash 13 1234567890123 0x7f01 at x.c:4 cpu 2 007\n", "13 7f01");
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

#define ID20 "91f01b4ad171c80b6303d08d1f08cba8b990413d"
#define ID8  "91f01b4ad171c80b"

/* The first address of a line of a stack, wherever it is in it. */
static void stacks_of_debuggers_and_sanitizers(void **state)
{
	(void)state;
	/* coredumpctl info, and the same in the journal: the thread is not the process. */
	expect("           PID: 12 (a.out)\n           UID: 1000 (u)\n"
	       "       Message: Process 12 (a.out) of user 1000 dumped core.\n"
	       "                \n"
	       "                Stack trace of thread 13:\n"
	       "                #0  0x000055d3328b515d n/a (/tmp/a.out + 0x111d)\n"
	       "                #1  0x00007f7b5c828153 __libc_start_main (libc.so.6 + 0x27153)\n",
	       "12 55d3328b515d; 12 ~7f7b5c828153");
	expect("Oct 17 09:00:01 h systemd-coredump[99]: Process 12 (a) of user 1000 dumped core.\n"
	       "\n"
	       "Stack trace of thread 13:\n"
	       "#0  0x000055d3328b515d n/a (/tmp/a.out + 0x111d)\n",
	       "12 55d3328b515d");
	expect("Stack trace of thread 13:\n    #0 0x55d3328b515d\n", "13 55d3328b515d");
	/* gdb: arguments are no code. */
	expect("Thread 1 (Thread 0x7ffff7d8a740 (LWP 12)):\n"
	       "#0  0x00007ffff7e5a2b7 in raise (sig=sig@entry=6) at raise.c:50\n"
	       "#1  0x0000555555555151 in f (p=0x7ffe5555) at x.c:2\n"
	       "#2  main () at x.c:3\n",
	       "12 7ffff7d8a740; 12 7ffff7e5a2b7; 12 ~555555555151");
	/* Sanitizers: other numbers are no process. */
	expect("==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 "
	       "at pc 0x55d3328b515d bp 0x7ffc00000000 sp 0x7ffc00000008\n"
	       "READ of size 4 at 0x602000000010 thread T0\n"
	       "    #0 0x55d3328b515d in f /x.c:3:5\n"
	       "    #1 0x55d3328b5160  (/x/a.out+0x1160) (BuildId: " ID20 ")\n"
	       "\n"
	       "0x602000000010 is located 0 bytes inside of 4-byte region\n"
	       "freed by thread T0 here:\n"
	       "    #0 0x7f0000000001 in free (/x/a.out+0x9d)\n",
	       "12 55d3328b515d; 12 602000000010; 12 55d3328b515d; "
	       "12 ~55d3328b5160 " ID20 "@1160; 12 602000000010; 12 7f0000000001");
	expect("WARNING: ThreadSanitizer: data race (pid=12)\n"
	       "    #0 f /x.c:8 (a.out+0x4a5b3c) (BuildId: " ID8 ")\n",
	       "12 " ID8 "@4a5b3c");
}

static void stacks_of_runtimes(void **state)
{
	(void)state;
	/* Rust */
	expect("pid 12\n   0:     0x5581d4a8b3a2 - std::backtrace\n"
	       "                               at /rustc/x.rs:66:5\n"
	       "  10:     0x5581d4a8b3a8 - main\n",
	       "12 5581d4a8b3a2; 12 ~5581d4a8b3a8");
	/* Go: what has a label, and no number of a goroutine. */
	expect("pid 12\ngoroutine 1 [running]:\nmain.main()\n"
	       "\t/tmp/x.go:9 +0x1d fp=0xc000070f80 sp=0xc000070f68 pc=0x45d2bd\n",
	       "12 45d2bd");
	expect("[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x45d2bd]\n",
	       "0 45d2bd");
	/* Java */
	expect("#  SIGSEGV (0xb) at pc=0x00007f8b1c0b2e6d, pid=12, tid=13\n", "12 7f8b1c0b2e6d");
	/* backtrace_symbols(3) */
	expect("pid 12\n./a.out(func+0x1f) [0x55d3328b515d]\n./a.out() [0x55d3328b5160]\n"
	       "/lib/libc.so.6(+0x2724a) [0x7f5c82724a]\n",
	       "12 55d3328b515d; 12 ~55d3328b5160; 12 ~7f5c82724a");
	/* libbpf-tools and bcc say whose it is below. */
	expect("Tracing for 10 secs.\n\n"
	       "    #0  0xffffffc01018b7e8 nanosleep+0x0\n    --\n"
	       "    #4  0x0000007fa0bffd14 clock_nanosleep+0x94 (/usr/lib/libc-2.31.so+0x9ed14)\n"
	       "    #5  0x0000007fa0c0530c nanosleep+0x1c (/usr/lib/libc-2.31.so+0xa430c)\n"
	       "    -                Pm Log (Ctl) (12)\n        1\n\n"
	       "    #0  0x0000007fa0bffd14 x\n    -                b (13)\n        2\n",
	       "12 ffffffc01018b7e8; 12 7fa0bffd14; 12 ~7fa0c0530c; 13 7fa0bffd14");
	expect("    0x7f01\n    0x7f02\nbash 13\n", "0 7f01; 0 ~7f02");
	/* Inspektor Gadget */
	expect("proc:\n  pid: 12\nustack:\n"
	       "  addresses: '[0]0x00007f46ba58e4fb; [1]0x00007f46ba4913b8;\n"
	       "    [2]0x00007f46ba49147b; '\n",
	       "12 7f46ba58e4fb; 12 ~7f46ba4913b8; 12 ~7f46ba49147b");
	/* ftrace */
	expect("   x-y-12  [001] d..1.  5.000007: <user stack trace>\n => <00007f1200001139>\n"
	       " =>  <00000000004005c8>\n => /lib/libc.so.6[+0x2724a]\n",
	       "12 7f1200001139 @5000007999; 12 ~4005c8 @5000007999");
	expect("bash-12  [001] d..1.  5.000007: myprobe: (0x401136) a=b\n",
	       "12 401136 @5000007999");
	/* Names with an offset or a size, and paths, are no addresses. */
	expect("  f+0x3b/0x90 /x/0x12/y + 0x12 +0x13\n", "");
}

static void lines_of_the_kernel(void **state)
{
	(void)state;
	expect("[ 1234.567890] a.out[12]: segfault at 8 ip 000055d3328b5131 sp 00007ffc12345678 "
	       "error 4 in libfoo.so[55d3328b5000+1000] likely on CPU 1 (core 1, socket 0)\n",
	       "12 55d3328b5131");
	expect("traps: my prog[12] general protection fault ip:401136 sp:7ffd00000000 error:0 in "
	       "prog[401000+1000]\n",
	       "12 401136");
	expect("Nov 28 12:00:00 h kernel: a.out[12]: segfault at 0 ip 0000000000401136 sp 0 "
	       "error 6 in a.out[1136,401000+1000]\n",
	       "12 401136");
	expect("[   12.345678] CPU: 1 PID: 12 Comm: foo Not tainted 6.1.0 #1\n"
	       "[   12.345678] RIP: 0010:do_nanosleep+0x6e/0x160\n"
	       "[   12.345678] Code: 48 8b 05\n"
	       "[   12.345678] Call Trace:\n"
	       "[   12.345678]  [<ffffffff81000001>] ? foo+0x1/0x2\n"
	       "[   12.345678]  do_syscall_64+0x3b/0x90\n"
	       "[   12.345678] RIP: 0033:0x7f5c82724a\n",
	       "12 ffffffff81000001 '? foo+0x1/0x2'; 12 7f5c82724a");
	expect("PID: 12\nWrite of size 1 at addr ffff8801f44ec37b by task insmod/13\n", "");
	expect("pc : [<c0008000>]    lr : [<c0008010>]    psr: 60000013\n",
	       "0 c0008000; 0 c0008010 'psr: 60000013'");
	expect("pid 12\n\t0 [<00007f58de12155a>] malloc+0x10\n\t1 [<00007f58de12156a>]\n",
	       "12 7f58de12155a 'malloc+0x10'; 12 ~7f58de12156a");
}

static void perf_script_with_any_fields(void **state)
{
	(void)state;
	/* Without the event, without a time, without either, and without a thread. */
	expect("               d 12/13 5.000007:      56442e41b141 g (/tmp/d)\n",
	       "12 56442e41b141 'g (/tmp/d)' @5000007999");
	expect("               d 12      56442e41b141 g\n", "12 56442e41b141 'g'");
	expect("           cafe 12/13 [001]      50000 cycles:u:      56442e41b141\n",
	       "12 56442e41b141");
	expect("12      56442e41b141 g+0x18 (/tmp/d)\n  d.c:1\n",
	       "12 56442e41b141 'g+0x18 (/tmp/d)'");
	expect("5.000007:      56442e41b141\n", "0 56442e41b141 @5000007999");
	expect("     56442e41b141 g\n  d.c:1\n", "0 56442e41b141 'g'");
	expect("d 12 5.000007: ffffffff81000001 f\n", "12 ffffffff81000001 'f' @5000007999");
	/* Chains: by name, by address alone, with lines of the source between. */
	expect("d 12/13 \n\t            1141\n\t    7f0000001141\n", "12 1141; 12 ~7f0000001141");
	expect("d 12/13 [001]      50000 cycles: \n\t            1141 g\n", "12 1141 'g'");
	expect("d 12 5.000007: cycles: \n\tffffffff81000001 f+0x1 ([k])\n  f.c:1\n"
	       "\t    7f0000001141 g\n  d.c:2\n\t    7f0000001151 h\n  d.c:3\n",
	       "12 ffffffff81000001 'f+0x1 ([k])' @5000007999; "
	       "12 7f0000001141 'g' @5000007999; 12 ~7f0000001151 'h' @5000007999");
	expect("d 12 5.000007:   50000000 cpu-clock:u:      56442e41b141 g+0x18 (/tmp/d)\n",
	       "12 56442e41b141 'g+0x18 (/tmp/d)' @5000007999");
	expect("d 12/12 5.000007: PERF_RECORD_MMAP2 12/12: [0x56442e41a000(0x2000) @ 0]: /d\n", "");
	/* Branches, and data addresses. */
	expect("d 12 5.000007: cycles:      7f0000001141 g (/d)  0x7f01/0x7f02/P/-/-/3  "
	       "0x7f03/0x7f04/M/-/-/0 \n",
	       "12 7f0000001141 'g (/d)' @5000007999; 12 7f01 @5000007999; 12 7f02 @5000007999; "
	       "12 7f03 @5000007999; 12 7f04 @5000007999");
	expect("d 12 5.000007: mem:      7ffe00001141      7f0000001141 g (/d)\n",
	       "12 7ffe00001141 @5000007999; 12 7f0000001141 'g (/d)' @5000007999");
	expect("d 12 [000] 5.000007: probe_libc:x: (7f0000001141) arg=0x12\n",
	       "12 7f0000001141 @5000007999");
}

static void bpftrace_raw_stacks(void **state)
{
	(void)state;
	expect("12 \n401136\n7f058de12155\n1f3418b\n\n",
	       "12 401136; 12 ~7f058de12155; 12 ~1f3418b");
	expect("@[12, \n401136\n7f058de12155\n]: 3\n", "12 401136; 12 ~7f058de12155");
	expect("@[\nffffffff81000001\n, 7f0000001141\n, 12]: 3\n", "12 ffffffff81000001");
	expect("@[\n7f058de12155\n1f3418b\n, 12]: 3\n", "12 7f058de12155; 12 ~1f3418b");
	expect("@[12]: \n7f058de12155\n401136\n\n@[13]: \n7f058de12155\n",
	       "12 7f058de12155; 12 ~401136; 13 7f058de12155");
	/* Numbers. */
	expect("12\n13\n  0x7f01\n", "13 7f01");
}

static void pairs_need_no_process(void **state)
{
	(void)state;
	expect(ID20 " 0x1139\n" ID20 " 0x0f\n7f058de12155\n",
	       "0 " ID20 "+1139; 0 ~" ID20 "+f; 0 ~7f058de12155");
	expect("    " ID20 " + 1139\n    " ID20 "+0x1140\n", "0 " ID20 "+1139; 0 ~" ID20 "+1140");
	expect("@[bash, \n" ID20 " 0x1139\n" ID20 " 0x1140\n]: 5\n",
	       "0 " ID20 "+1139; 0 ~" ID20 "+1140");
	expect("x unknown ([buildid:" ID20 "]) <0x1139> buildid:" ID20 "+0x1140\n",
	       "0 " ID20 "+1139; 0 " ID20 "+1140");
	expect("  buildid: '[0]" ID20 " +1274fb; [1]" ID20 "\n    +2a3b8; [2]" ID8 " +5; '\n",
	       "0 " ID20 "+1274fb; 0 ~" ID20 "+2a3b8; 0 ~" ID8 "+5");
	expect("    #00 pc 000000000005f1a4  /apex/libc.so (abort+164) (BuildId: " ID20 ")\n",
	       "0 " ID20 "@5f1a4");
	expect(ID20 "\n+0x1139\n", "0 " ID20 "+1139");
	/* A list of commits or sums, and a diff. */
	expect("commit " ID20 "\n+1139\n", "");
	expect(" " ID20 "\n+1139 abc\n", "");
	expect(ID20 "\n +deadbeef\n", "");
	/* Not long enough, no number of bytes, or nothing behind it. */
	expect(ID8 " 0x1139x\n" ID20 "\n" ID20 "a 0x12x +0x12\n" ID20 " x\n", "");
}

static void strings_of_json(void **state)
{
	(void)state;
	expect("{\"type\": \"map\", \"data\": {\"@\": {\"12,\\n        0x7f01\\n        main+3\\n"
	       "        0x7f02\\n\": 5, \"13,\\n    0x7f03\\n\": 6}}}\n",
	       "12 7f01; 12 ~7f02; 13 7f03");
	expect("{\"type\": \"map\", \"data\": {\"@\": {\"\\n        0x7f01\\n, 12\": 5}}}\n",
	       "12 7f01");
	expect("{\"type\": \"map\", \"data\": {\"@x\": {\"12\": \"\\n    0x7f01\\n\", "
	       "\"13\": \"\\n7f058de12155\\n401136\\n\"}}}\n",
	       "12 7f01; 13 7f058de12155; 13 ~401136");
	expect("{\"type\": \"value\", \"data\": [12, \"\\n   0x7f01\\n   0x7f02\\n\"]}\n",
	       "12 7f01; 12 ~7f02");
	expect("{\"type\": \"printf\", \"data\": \"bash 12\\n\\t7f0001 f+5 (/x)\\n\"}\n",
	       "12 7f0001 'f+5 (/x)'");
	/* An object that says whose it is, before or behind, and that of another one inside. */
	expect("{\"msg\":\"error 5 at 0x7f01\",\"proc\":{\"parent\":{\"pid\":1},\"pid\":12}}\n",
	       "12 7f01");
	expect("{\"pid\":\"12\",\"stack\":[\"0x7f01\",\"0x7f02\",\"main+3\"],\"n\":3}\n",
	       "12 7f01; 12 ~7f02");
	expect("{\"pid\":12}\n{\"a\":\"0x7f01\"}\n", "0 7f01");
	expect("{\"a\":{\"pid\":12},\"b\":{\"pid\":13},\"c\":\"0x7f01\"}\n", "0 7f01?");
	expect("{\"buildid\":\"[0]" ID20 " +1274fb; [1]" ID20 " +2a3b8; \"}\n",
	       "0 " ID20 "+1274fb; 0 ~" ID20 "+2a3b8");
	expect("{\"pid\":12,\"t\":\"1690000000000000\",\"a\":[\"7f058de12155\",\"401136\"]}\n",
	       "12 7f058de12155; 12 ~401136");
	/* Over several lines. */
	expect("{\n  \"pid\": 12,\n  \"ustack\": \"\\n  0x7f01\\n\"\n}\n", "12 7f01");
	/* No JSON. */
	expect("{\"a 12 0x7f01\n", "12 7f01");
	expect("{\"\\u0022\\\\n\": \"\\\"\", \"x\": \"\"}\n", "");
}

static void what_may_be_an_address_is_counted(void **state)
{
	(void)state;
	expect("x deadbeef12 y\n#0 0x55d3328b515d in f (p=0x7ffe55555555)\n", "0 55d3328b515d");
	assert_int_equal(passed, 2);
	expect("2026 20261128 1234567890123456789 face main+0x12345678 " ID20 "\n", "");
	assert_int_equal(passed, 0);
	expect("{\"a\":\"deadbeef12\"}\n", "0 deadbeef12");
	assert_int_equal(passed, 0);
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
	expect("  deadbee\n\tdeadbeef x\n", "");
	expect("99999999999999999999999 0x12", "0 12");
}

/* Any bytes, and all of them come out as they are: read_text() looks. */
static void every_mutation_is_passed_on(void **state)
{
	static const char sample[] =
		"Attaching 1 probe...\n@[12, \n    0x7f0001\n    main+3\n]: 5\npid 3\n"
		"        0x7f0002\n\na b  12/13  [001]  5.000007:  1 cycles: \n\t 7f0001 x (y)\n\n"
		"12 7f1200001139 7f1200001140\npc : [<c0008000>] lr : [<c0008010>] x\n"
		"{\"a\":{\"12,\\n  0x7f01\\n\":1},\"pid\":3,\"b\":[\"7f058de12155\"]}\n"
		"#0 0x55d3328b5160 (/x+0x1160) (BuildId: " ID8 ")\n[0]" ID20 " +5; [1]" ID20
		"\n +7\n";
	static const char bytes[] = "\n\t 0x[]@:(),.9afg\0\xff\"{}\\<>+#/";
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
		cmocka_unit_test(stacks_of_debuggers_and_sanitizers),
		cmocka_unit_test(stacks_of_runtimes),
		cmocka_unit_test(lines_of_the_kernel),
		cmocka_unit_test(perf_script_with_any_fields),
		cmocka_unit_test(bpftrace_raw_stacks),
		cmocka_unit_test(pairs_need_no_process),
		cmocka_unit_test(strings_of_json),
		cmocka_unit_test(what_may_be_an_address_is_counted),
		cmocka_unit_test(options_say_what_the_text_does_not),
		cmocka_unit_test(other_text_has_no_addresses),
		cmocka_unit_test(every_mutation_is_passed_on),
		cmocka_unit_test(without_memory_all_text_is_there),
		cmocka_unit_test(long_lines_take_no_longer_for_each_byte),
		cmocka_unit_test(no_address_is_looked_for_in_what_is_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
