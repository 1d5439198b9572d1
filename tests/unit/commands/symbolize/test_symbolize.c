// SPDX-License-Identifier: GPL-2.0
/* Symbolize: what becomes of an address in text, in JSON and on the command line. */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "common/array.h"
#include "content/moved_code.h"
#include "content/vdso.h"
#include "identities/log.h"
#include "samples.h"

#define BASE 0x7f0000000000ULL
/* That of make_file(). */
#define ID "101112131415161718191a1b1c1d1e1f20212223"

static char path[64];
static unsigned long long start, size; /* of the function "caller" */

/* A call at the very end of a function: the return address is not in it any more. */
static const char source[] = "void die(void) __attribute__((noreturn));\\n"
			     "void die(void) { for (;;) ; }\\n"
			     "void caller(void) { die(); }\\n"
			     "__attribute__((aligned(1))) void after(void) { }\\n";

static void resolve_library(int fd, union any_record *record)
{
	(void)fd;
	make_file(record, 1, 20, 0, path);
}

/* The library is mapped there; counts how often it is asked for. */
static int reply_history(struct buildid_history *request)
{
	union any_record record;

	fake.asked_flags++;
	resolve_library(-1, &record);
	fake_add_history(request, &record);
	make_mmap(&record, 1, BUILDID_STATE_KNOWN, request->pid);
	record.mmap.addr = BASE;
	record.mmap.len = 0x100000;
	record.mmap.pgoff = 0;
	fake_add_history(request, &record);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void find_caller(void)
{
	assert_int_equal(sscanf(shell_output("nm -S lib.so | grep ' T caller$'"), "%llx %llx",
				&start, &size),
			 2);
}

static int set_up(void **state)
{
	if (fake_reset(state) || sample_set_up(state))
		return -1;
	shell("printf '%s' > s.c; cc -g -Og -fcf-protection=none -shared -fPIC "
	      "-Wl,-z,noseparate-code -Wl,--build-id=0x" ID " -o lib.so s.c",
	      source);
	snprintf(path, sizeof(path), "%s/lib.so", sample_directory());
	find_caller();
	fake.resolve = resolve_library;
	fake.mapped_at = BASE;
	return 0;
}

static int filter(const char *text, const char *option)
{
	int fd = open("in", O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	lseek(fd, 0, SEEK_SET);
	dup2(fd, STDIN_FILENO);
	close(fd);
	return option ? RUN(symbolize, option) : RUN(symbolize);
}

static const char *format(const char *text, ...) __attribute__((format(printf, 1, 2)));

static const char *format(const char *text, ...)
{
	static char formatted[2][4096];
	static int which;
	va_list arguments;

	va_start(arguments, text);
	which = !which;
	vsnprintf(formatted[which], sizeof(formatted[0]), text, arguments);
	va_end(arguments);
	return formatted[which];
}

static void the_names_are_behind_the_addresses(void **state)
{
	const char *expected;

	(void)state;
	expected = format("a\nx 7, 0x%llx caller+0x1 (%s+0x%llx) " ID " %s/s.c:3)\n",
			  BASE + start + 1, path, start + 1, sample_directory());
	assert_int_equal(filter(format("a\nx 7, 0x%llx)\n", BASE + start + 1), NULL), 0);
	assert_string_equal(out, expected);
	assert_string_equal(err, "");
	assert_int_equal(fake.resolved.pid, 7);
}

static void a_caller_is_named_by_its_call(void **state)
{
	unsigned long long behind = BASE + start + size;

	(void)state;
	/* What is interrupted there is the next function; who returns there is not. */
	filter(format("7\n  0x%llx\n  0x%llx\n", behind, behind), NULL);
	assert_non_null(strstr(out, format("  0x%llx after+0x0 (", behind)));
	assert_non_null(strstr(out, format("  0x%llx caller+0x%llx (%s+0x%llx) " ID, behind, size,
					   path, start + size)));
	assert_non_null(strstr(strstr(out, " caller+"), "s.c:3\n"));
}

static void only_a_better_name_replaces_one(void **state)
{
	unsigned long long address = BASE + start;

	(void)state;
	filter(format("7/7 1.000001: x: \n\t %llx other+0x5 (/other)\n", address), NULL);
	assert_non_null(strstr(out, format("\t %llx caller+0x0 (%s", address, path)));
	assert_null(strstr(out, "other"));
	filter("7/7 1.000001: x: \n\t ffffffff81000000 other+0x5 ([kernel.kallsyms])\n", NULL);
	assert_string_equal(
		out, "7/7 1.000001: x: \n\t ffffffff81000000 other+0x5 ([kernel.kallsyms])\n");
	unlink("lib.so");
	filter(format("7/7 1.000001: x: \n\t %llx other+0x5 (/other)\n", address), NULL);
	assert_string_equal(out,
			    format("7/7 1.000001: x: \n\t %llx other+0x5 (/other)\n", address));
	filter(format("7 0x%llx\n", address), NULL);
	assert_string_equal(out, format("7 0x%llx [unknown] (%s+0x%llx) " ID "\n", address, path,
					start));
}

static void json_has_an_object_for_each_address(void **state)
{
	(void)state;
	fake.exited = true;
	fake.history = reply_history;
	assert_int_equal(filter(format("a\n7 0x%llx\n0x12\n", BASE + start), "-j"), 0);
	assert_ptr_equal(
		strstr(out,
		       format("{\"type\":\"symbol\",\"pid\":7,\"addr\":%llu,\"addr_hex\":\"0x%llx\","
			      "\"function\":\"caller\",\"function_offset\":0,"
			      "\"path\":\"%s\",\"offset\":%llu,\"offset_hex\":\"0x%llx\",\"build_id\":\"" ID
			      "\",\"kind\":\"gnu\",\"reason\":null,",
			      BASE + start, BASE + start, path, start, start)),
		out);
	assert_non_null(strstr(out, "s.c\",\"line\":3,\"inlined_by\":[],\"known_from\":\"history\","
				    "\"symbols_from\":\"path\",\"problem\":null}\n"));
	/* The last process still counts. */
	assert_non_null(strstr(out, "\"pid\":7,\"addr\":18,"));
}

static void what_is_not_known_is_left_alone_and_counted(void **state)
{
	static const char text[] = "x 0x12\n7 8 9 0x12\npid 7 0x12 0x13\n0xffffffff81000000\n";

	(void)state;
	fake.resolve_error = ESRCH;
	assert_int_equal(filter(text, NULL), 0);
	assert_non_null(
		strstr(err, "buildid: symbolize: 1 address left as it is: no pid is there"));
	assert_non_null(strstr(err, "1 address left as it is: which number is the pid"));
	assert_non_null(strstr(err, "2 addresses left as they are: the process is not known\n"));
	*strstr(out, "0xffffffff8") = '\0';
	assert_memory_equal(out, text, strlen(out));
	assert_int_equal(filter("7 0x12\n", "-j"), 0);
	assert_non_null(strstr(out, "\"function\":null,"));
	assert_non_null(strstr(out, "\"problem\":\"the process is not known\"}\n"));
	assert_int_equal(RUN(symbolize, "7", "12"), 1);
	assert_string_equal(out, "7 12 the process is not known\n");
}

/* With the addresses that are in it, as some pieces begin and end within one. */
static void a_line_that_is_too_long_is_passed_on(void **state)
{
	const size_t length = (2 << 20) + 2;
	char *read = malloc(2 * length), *line = malloc(length + 64);
	size_t i;
	FILE *file;

	(void)state;
	for (i = 0; i < length; i += 2)
		memcpy(line + i, i % 16 ? "7 " : "0x", 2);
	strcpy(line + length, "\n7 0x12\n 0xfe");
	fake.resolve_error = ESRCH;
	assert_int_equal(filter(line, NULL), 0);
	assert_non_null(strstr(err, "2 addresses left as they are: the process is not known\n"));
	assert_non_null(strstr(err, "1 line is too long, and not looked at"));
	file = fopen("out", "r");
	assert_non_null(file);
	assert_int_equal(fread(read, 1, 2 * length, file), strlen(line));
	assert_memory_equal(read, line, strlen(line));
	fclose(file);
	free(read);
	free(line);
}

/* As bpftrace -f json prints a map with all its stacks. */
static void a_long_line_of_json_is_one(void **state)
{
	const size_t length = 3 << 20;
	char *line = malloc(2 * length + 64);

	(void)state;
	memset(line, ' ', length);
	line[0] = '{';
	strcpy(line + length, "\"pid\": 7, \"a\": \"0x7f0012\"}\n");
	fake.resolve_error = ESRCH;
	assert_int_equal(filter(line, NULL), 0);
	assert_non_null(strstr(err, "1 address left as it is: the process is not known\n"));
	assert_null(strstr(err, "too long"));
	/* Of text behind it there is no more than of other text. */
	strcpy(line + length, "}\n");
	memset(line + length + 2, 'x', length);
	strcpy(line + 2 * length, "\n");
	filter(line, NULL);
	assert_non_null(strstr(err, "1 line is too long"));
	free(line);
}

static void input_that_cannot_be_read_is_an_error(void **state)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY);

	(void)state;
	dup2(fd, STDIN_FILENO);
	close(fd);
	assert_int_equal(RUN(symbolize), 1);
	assert_string_equal(err, "buildid: standard input: Is a directory\n");
}

static void a_path_cannot_move_the_cursor(void **state)
{
	(void)state;
	strcpy(path, "/x\033[2J\n");
	filter("7 0x7f0000000010\n", NULL);
	assert_string_equal(out, "7 0x7f0000000010 [unknown] (/x\\033[2J\\012+0x10) " ID "\n");
}

static void without_the_module_there_has_to_be_a_log(void **state)
{
	(void)state;
	fake.open_error = ENOENT;
	assert_int_equal(filter("7 0x12\n", NULL), 1);
	assert_non_null(strstr(err, "the module is not loaded"));
	assert_int_equal(filter("7 0x12\n", "--log=/nonexistent"), 1);
	assert_string_equal(err, "buildid: /nonexistent: No such file or directory\n");
	assert_int_equal(filter("7 0x12\n", "--log=-"), 2);
}

static void write_log(uint32_t pid, uint64_t start_time)
{
	union any_record record;
	struct log_writer *writer;
	struct reason reason;

	writer = log_create("log", true, &reason);
	assert_non_null(writer);
	make_mmap(&record, 1, BUILDID_STATE_KNOWN, pid);
	record.mmap.addr = BASE - 0x100000;
	record.mmap.start_time = start_time;
	assert_int_equal(log_write(writer, &record.header), 0);
	assert_int_equal(log_finish(writer), 0);
}

static void of_a_process_in_the_log_no_other_with_its_pid_is_asked(void **state)
{
	(void)state;
	write_log(7, 4321);
	filter(format("7 0x%llx\n", BASE + start), "--log=log");
	assert_non_null(strstr(out, " caller+0x0 ("));
	assert_int_equal(fake.resolved.pid, 7);
	assert_int_equal(fake.resolved.start_time, 4321);
	/* It is not in the log, so that it may be any. */
	filter(format("8 0x%llx\n", BASE + start), "--log=log");
	assert_int_equal(fake.resolved.pid, 8);
	assert_int_equal(fake.resolved.start_time, 0);
}

static void a_process_that_has_exited_is_looked_for_once(void **state)
{
	(void)state;
	fake.exited = true;
	fake.history = reply_history;
	filter(format("7 0x%llx 0x%llx\n7 0x%llx\n", BASE + start, BASE + start + 1,
		      BASE + start + 2),
	       "-j");
	assert_non_null(strstr(out, "\"known_from\":\"history\""));
	assert_int_equal(fake.asked_flags, 1);
	filter(format("7 0x%llx\n8 0x%llx\n", BASE + start, BASE + start), NULL);
	assert_non_null(strstr(strstr(out, " caller+0x0"), "\n8 "));
	assert_int_equal(fake.asked_flags, 3);
}

/* Of this process itself, which has been here since another time than that of the log. */
static void the_vdso_is_of_no_other_process_either(void **state)
{
	uint64_t vdso, end;
	const char *line;

	(void)state;
	fake.resolve_error = ENOENT;
	assert_true(vdso_find(0, &vdso, &end));
	line = format("%d 0x%llx\n", getpid(), (unsigned long long)vdso);
	filter(line, NULL);
	assert_non_null(strstr(out, "([vdso]+0x0)"));
	write_log((uint32_t)getpid(), 10000000);
	filter(line, "--log=log");
	assert_null(strstr(out, "vdso"));
}

/* Neither a process nor the module: of what this one has mapped, and of ~/.debug. */
static void a_build_id_and_an_offset_are_enough(void **state)
{
	static const char zeros[] = "000000000000000000000000";
	unsigned long long inside = start + 1;
	void *library;

	(void)state;
	fake.open_error = ENOENT;
	assert_int_equal(filter(format(ID " + %llx\n", inside), NULL), 0);
	assert_string_equal(out, format(ID " + %llx\n", inside));
	assert_string_equal(err,
			    "buildid: symbolize: 1 address has no function, though it is known "
			    "where\n");
	library = dlopen(path, RTLD_NOW);
	assert_non_null(library);
	assert_int_equal(filter(format(ID " 0x%llx\n", inside), NULL), 0);
	assert_string_equal(out,
			    format(ID " 0x%llx caller+0x1 %s/s.c:3\n", inside, sample_directory()));
	assert_string_equal(err, "");
	/* A return address, and what a sanitizer has of it: of the file's own addresses. */
	filter(format("  " ID "+0x%llx\n  " ID "+0x%llx\n", start + size, start + size), NULL);
	assert_non_null(strstr(out, format(" after+0x0 ")));
	assert_non_null(strstr(out, format(" caller+0x%llx ", size)));
	filter(format("==7==x\n    #0 0x55d300000001  (/x+0x%llx) (BuildId: " ID ")\n", inside),
	       NULL);
	assert_non_null(strstr(out, "#0 0x55d300000001 caller+0x1 (?+0x"));
	filter(format(ID " + %llx\n", inside), "-j");
	assert_non_null(strstr(
		out, format("{\"type\":\"symbol\",\"pid\":null,\"addr\":null,"
			    "\"addr_hex\":null,\"function\":\"caller\",\"function_offset\":1,"
			    "\"path\":null,\"offset\":%llu,\"offset_hex\":\"0x%llx\","
			    "\"build_id\":\"" ID "\",\"kind\":\"gnu\",",
			    inside, inside)));
	assert_non_null(strstr(out, "\"known_from\":\"text\",\"symbols_from\":\"mapped\","
				    "\"problem\":null}\n"));
	/* The kernel has room for 20 bytes, and fills it up. */
	dlclose(library);
	shell("cc -g -Og -shared -fPIC -Wl,--build-id=0x1011121314151617 -o short.so s.c");
	library = dlopen("./short.so", RTLD_NOW);
	assert_non_null(library);
	filter(format("1011121314151617%s 0x%s\n", zeros,
		      shell_output("nm short.so | sed -n 's/^0*\\(.*\\) T caller$/\\1/p' | "
				   "tr -d '\\n'")),
	       NULL);
	assert_non_null(strstr(out, " caller+0x0 "));
	dlclose(library);
}

static void json_with_names_is_json(void **state)
{
	char escaped[256];

	(void)state;
	strcpy(path, "/a\"b\\\x01\xff");
	filter("{\"@\":{\"7,\\n    0x7f0000000010\\n\":5}}\n", NULL);
	snprintf(
		escaped, sizeof(escaped),
		"{\"@\":{\"7,\\n    0x7f0000000010 [unknown] (/a\\\"b\\\\\\\\001\xef\xbf\xbd+0x10) "
		"%s\\n\":5}}\n",
		ID);
	assert_string_equal(out, escaped);
	assert_int_equal(fake.resolved.pid, 7);
}

static void what_is_not_recognised_is_counted(void **state)
{
	(void)state;
	assert_int_equal(filter("x deadbeef12 y deadbeef13\n", NULL), 0);
	assert_string_equal(
		err, "buildid: symbolize: 2 words may be addresses, but are not recognised\n");
}

/* Of the callers perf script 6.1 has offsets, in a program at that address, too. */
static void an_offset_in_another_file_is_no_address(void **state)
{
	(void)state;
	fake.mapped_at = 0x400000;
	filter("7/7 1.000001: x: \n\t          401000 f+0x1 (/other)\n", NULL);
	assert_string_equal(out, "7/7 1.000001: x: \n\t          401000 f+0x1 (/other)\n");
	assert_non_null(strstr(err, "1 address left as it is: no file is mapped there"));
}

static void an_inlined_function_comes_before_what_it_was_inlined_into(void **state)
{
	unsigned long long at;

	(void)state;
	shell("printf 'int rand(void);\\nstatic inline int in(int n) {\\n\\treturn n * rand(); }\\n"
	      "void caller(int *n) {\\n\\t*n = in(5); }\\n' > s.c; "
	      "cc -g -O2 -fcf-protection=none -shared -fPIC -Wl,-z,noseparate-code "
	      "-Wl,--build-id=0x" ID " -o lib.so s.c");
	find_caller();
	at = strtoull(shell_output("objdump -d lib.so | sed -n '/call.*rand/s/:.*//p'"), NULL, 16);
	filter(format("7 0x%llx\n", BASE + at), NULL);
	assert_string_equal(out, format("7 0x%llx in (%s+0x%llx) " ID
					" %s/s.c:3 (inlined by) caller+0x%llx "
					"%s/s.c:5\n",
					BASE + at, path, at, sample_directory(), at - start,
					sample_directory()));
	filter(format("7 0x%llx\n", BASE + at), "-j");
	assert_non_null(strstr(out, "\"function\":\"in\",\"function_offset\":null,"));
	assert_non_null(strstr(out, format("\"source\":\"%s/s.c\",\"line\":3,\"inlined_by\":"
					   "[{\"function\":\"caller\",\"function_offset\":%llu,"
					   "\"source\":\"%s/s.c\",\"line\":5}],",
					   sample_directory(), at - start, sample_directory())));
}

static struct stat status; /* of a library as it was mapped */
static uint16_t other_kind;

/* As the module has it: without a GNU build-id, in this version. */
static void resolve_without_id(int fd, union any_record *record)
{
	(void)fd;
	make_file(record, 1, other_kind ? 20 : 0, 0, path);
	record->file.kind = other_kind;
	record->file.reason = BUILDID_REASON_NO_NOTE;
	record->file.user_ino = status.st_ino;
	record->file.ctime = status.st_ctim.tv_sec * 1000000000LL + status.st_ctim.tv_nsec;
	record->file.file_size = (uint64_t)status.st_size;
}

/* In this process. */
static void map_library(const char *options)
{
	void *mapped;
	int fd;

	shell("cc -g -Og -fcf-protection=none -shared -fPIC -Wl,-z,noseparate-code %s -o lib.so "
	      "s.c",
	      options);
	find_caller();
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(fstat(fd, &status), 0);
	mapped = mmap(NULL, 0x2000, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	close(fd);
	fake.mapped_at = (uint64_t)(uintptr_t)mapped;
}

static const char *line_of_this(void)
{
	return format("%d 0x%llx\n", getpid(), (unsigned long long)fake.mapped_at + start);
}

/* As Go's linker and --build-id=none leave it; two of Bazel's have one Go id, "redacted". */
static void without_a_build_id_it_is_the_very_file(void **state)
{
	static const uint16_t kinds[] = { BUILDID_KIND_GO, BUILDID_KIND_HTLHASH,
					  BUILDID_KIND_FSVERITY, BUILDID_KIND_COOKIE,
					  BUILDID_KIND_NONE };
	size_t i;

	(void)state;
	fake.resolve = resolve_without_id;
	map_library("-Wl,--build-id=none");
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		other_kind = kinds[i];
		filter(line_of_this(), NULL);
		assert_non_null(strstr(out, format(" caller+0x0 (%s+0x%llx) ", path, start)));
		assert_non_null(strstr(out, "s.c:3\n"));
	}
	/* Another file at its path, with the same identity: of this process, and of one gone. */
	shell("sed 's/caller/fooled/' s.c >t.c; cc -Og -shared -fPIC -o other.so t.c; "
	      "mv other.so lib.so");
	filter(line_of_this(), NULL);
	assert_null(strstr(out, "fooled"));
	filter(format("4194305 0x%llx\n", (unsigned long long)fake.mapped_at + start), "-j");
	assert_non_null(strstr(out, "\"function\":null"));
	assert_non_null(strstr(out, "\"problem\":\"the file has no GNU build-id, and is not there: "
				    "is another file, or was changed since\""));
}

/* A deleted file can be opened through the process, with the right to do so. */
static void without_a_build_id_and_without_a_path(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	fake.resolve = resolve_without_id;
	other_kind = BUILDID_KIND_GO;
	map_library("-Wl,--build-id=none");
	assert_int_equal(link("lib.so", "kept"), 0);
	unlink("lib.so");
	assert_int_equal(stat("kept", &status), 0);
	filter(line_of_this(), "-j");
	assert_non_null(strstr(out, "\"function\":\"caller\""));
	assert_non_null(strstr(out, "\"symbols_from\":\"mapped\""));
}

/* Builds app.apk: a member with other bytes, the library at a page, and what @more appends. */
static const char make_apk[] =
	"import struct, sys, zipfile\n"
	"def member(apk, name, data):\n"
	"    info = zipfile.ZipInfo(name)\n"
	"    at = apk.fp.tell() + 30 + len(name)\n"
	"    pad = -(at + 4) % 4096\n"
	"    info.extra = struct.pack('<HH', 0xd935, pad) + bytes(pad)\n"
	"    apk.writestr(info, data)\n"
	"prefix, size = sys.argv[1].encode(), int(sys.argv[2])\n"
	"open('app.apk', 'wb').write(prefix)\n"
	"with zipfile.ZipFile('app.apk', 'a') as apk:\n"
	"    member(apk, 'assets/a', b'a' * size)\n"
	"    member(apk, 'lib/x/libfoo.so', open('lib.so', 'rb').read())\n"
	"    member(apk, 'lib/x/libother.so', open('other.so', 'rb').read())\n";

static unsigned long long apk_offset; /* of the library in the file */

static void resolve_in_apk(int fd, union any_record *record)
{
	resolve_without_id(fd, record);
	record->file.reason = BUILDID_REASON_NOT_ELF;
	record->file.ino = status.st_ino;
}

/* As Android maps a library of an app with extractNativeLibs=false. */
static void map_apk(const char *options, const char *prefix, const char *change)
{
	void *mapped;
	int fd;

	snprintf(path, sizeof(path), "%s/app.apk", sample_directory());
	shell("cc -g -Og -fcf-protection=none -shared -fPIC -Wl,-z,noseparate-code %s -o lib.so "
	      "s.c; sed 's/caller/fooled/' s.c >t.c; cc -Og -shared -fPIC -o other.so t.c",
	      options);
	find_caller();
	shell("cat >apk.py <<'END'\n%s\nEND\npython3 apk.py '%s' 9000; %s", make_apk, prefix,
	      change);
	apk_offset = strtoull(shell_output("grep -abo \"$(printf '\\177ELF')\" app.apk | head -1"),
			      NULL, 10);
	assert_true(apk_offset && apk_offset % 4096 == 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(fstat(fd, &status), 0);
	mapped = mmap(NULL, 0x2000, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, (off_t)apk_offset);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	close(fd);
	fake.resolve = resolve_in_apk;
	other_kind = BUILDID_KIND_HTLHASH;
	fake.mapped_at = (uint64_t)(uintptr_t)mapped - apk_offset;
}

static const char *line_in_apk(void)
{
	return format("%d 0x%llx\n", getpid(),
		      (unsigned long long)fake.mapped_at + apk_offset + start);
}

static void a_library_in_a_zip_has_its_own_names(void **state)
{
	static const char *const prefixes[] = { "", "#!/usr/bin/env python3\n" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		map_apk("-Wl,--build-id=0x" ID " -Wl,-z,separate-code", prefixes[i], ":");
		filter(line_in_apk(), NULL);
		assert_non_null(strstr(out, format(" caller+0x0 (%s!lib/x/libfoo.so+0x%llx) " ID
						   " %s/s.c:3\n",
						   path, start, sample_directory())));
		filter(line_in_apk(), "-j");
		assert_non_null(strstr(out, format("\"path\":\"%s\",\"offset\":%llu,", path,
						   apk_offset + start)));
		assert_non_null(strstr(out,
				       "\"build_id\":\"" ID "\",\"kind\":\"gnu\",\"reason\":null,"
				       "\"member\":\"lib/x/libfoo.so\","));
		assert_non_null(strstr(out, format("\"member_offset\":%llu,", start)));
		/* Of a process that has exited the file at its path, if it is that one. */
		filter(format("4194305 0x%llx\n",
			      (unsigned long long)fake.mapped_at + apk_offset + start),
		       "-j");
		assert_non_null(strstr(out, "\"build_id\":\"" ID "\""));
		assert_non_null(strstr(out, "\"symbols_from\":\"path\""));
	}
}

/* Its names are those of the very file, which has them where it has no directory, too. */
static void one_without_an_id_or_a_directory_has_them_too(void **state)
{
	(void)state;
	map_apk("-Wl,--build-id=none", "", ":");
	filter(line_in_apk(), NULL);
	assert_non_null(strstr(out, format(" caller+0x0 (%s!lib/x/libfoo.so+0x%llx) htlhash:", path,
					   start)));
	assert_non_null(strstr(out, "s.c:3\n"));
	map_apk("-Wl,--build-id=0x" ID, "", "truncate -s -30 app.apk");
	filter(line_in_apk(), NULL);
	assert_non_null(
		strstr(out, format(" caller+0x0 (%s+0x%llx) " ID " ", path, apk_offset + start)));
}

static pid_t this_process;

static int maps_of_apk(struct buildid_maps *request)
{
	static const uint64_t offsets[] = { 0x1000, 0 };
	union any_record record;
	size_t i;

	if (request->pid != (uint32_t)this_process)
		return ESRCH;
	resolve_in_apk(-1, &record);
	record.file.file_id = 7;
	record.file.user_ino = record.file.ino;
	fake_add_map(request, &record);
	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		make_mmap(&record, 7, 0, request->pid);
		record.mmap.addr = fake.mapped_at + apk_offset + offsets[i];
		record.mmap.len = 0x1000;
		record.mmap.pgoff = apk_offset + offsets[i];
		fake_add_map(request, &record);
	}
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void maps_show_what_is_mapped_from_within_a_zip(void **state)
{
	char pid[16];

	(void)state;
	this_process = getpid();
	snprintf(pid, sizeof(pid), "%d", this_process);
	map_apk("-Wl,--build-id=0x" ID, "", ":");
	fake.maps = maps_of_apk;
	assert_int_equal(RUN(maps, pid), 0);
	assert_null(strstr(out, "!lib"));
	assert_int_equal(RUN(maps, "--long", pid), 0);
	assert_non_null(strstr(out, format(ID " %s!lib/x/libfoo.so\n", path)));
	assert_int_equal(RUN(maps, "--long", "-j", pid), 0);
	assert_non_null(strstr(out, format("\"member\":\"lib/x/libfoo.so\",\"member_offset\":%llu,"
					   "\"member_build_id\":\"" ID "\",",
					   apk_offset)));
	assert_non_null(strstr(out, "\"kind\":\"htlhash\""));
	/* another file is mapped there by now */
	status.st_ino++;
	assert_int_equal(RUN(maps, "--long", pid), 0);
	assert_null(strstr(out, "!lib"));
}

/* In front of the library, and in a file that was changed. */
static void what_is_not_in_a_library_has_no_names(void **state)
{
	(void)state;
	map_apk("-Wl,--build-id=0x" ID, "", ":");
	filter(line_of_this(), NULL);
	assert_non_null(strstr(out, format("[unknown] (%s+0x%llx) htlhash:", path, start)));
	shell("touch app.apk");
	filter(line_in_apk(), NULL);
	assert_non_null(
		strstr(out, format("[unknown] (%s+0x%llx) htlhash:", path, apk_offset + start)));
}

static uint64_t moved; /* a page of the library that is in no file any more */

static void resolve_but_moved(int fd, union any_record *record)
{
	resolve_library(fd, record);
	fake.resolve_error = fake.resolved.addr - moved < 4096 ? ENOENT : 0;
}

/* As iodlr does it, and what a linker's script or BOLT has put into programs. */
static void move_page(uint64_t addr, const void *bytes)
{
	void *page = (void *)(uintptr_t)addr;

	assert_ptr_equal(mmap(page, 4096, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 page);
	memcpy(page, bytes, 4096);
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

static void code_that_was_moved_is_that_of_the_file_around_it(void **state)
{
	static const char *const layouts[] = { "separate-code", "noseparate-code" };
	unsigned char copy[4096], other[4096];
	struct link_map *map;
	const char *line;
	void *library;
	size_t i;

	(void)state;
	fake.resolve = resolve_but_moved;
	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		shell("cc -g -Og -fcf-protection=none -nostartfiles -shared -fPIC -Wl,-z,%s "
		      "-Wl,--build-id=0x" ID " -o lib%zu.so s.c; cp lib%zu.so lib.so",
		      layouts[i], i, i);
		find_caller();
		snprintf(path, sizeof(path), "%s/lib%zu.so", sample_directory(), i);
		library = dlopen(path, RTLD_NOW);
		assert_non_null(library);
		assert_int_equal(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
		fake.mapped_at = map->l_addr;
		moved = (map->l_addr + start) & ~4095ULL;
		memcpy(copy, (void *)(uintptr_t)moved, sizeof(copy));
		move_page(moved, copy);
		line = format("%d 0x%llx\n", getpid(), (unsigned long long)map->l_addr + start);
		filter(line, NULL);
		assert_non_null(strstr(out, format(" caller+0x0 (%s+0x%llx) " ID, path, start)));
		/* What else comes to be there is not that. */
		memset(other, 0, sizeof(other));
		other[5] = 5;
		move_page(moved, other);
		filter(line, NULL);
		assert_string_equal(out, line);
		dlclose(library);
	}
}

static char map_path[64];

static void write_map(const char *text)
{
	FILE *file = fopen(map_path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static unsigned long long map_code(int protection)
{
	void *page = mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(page, MAP_FAILED);
	return (uintptr_t)page;
}

static bool is_named(unsigned long long addr, const char *name)
{
	filter(format("%d 0x%llx\n", getpid(), addr), NULL);
	return !strcmp(out, format("%d 0x%llx %s (%s+0x%llx) (anonymous)\n", getpid(), addr, name,
				   map_path, addr));
}

static void compiled_code_has_the_name_that_its_process_says(void **state)
{
	unsigned long long code = map_code(PROT_READ | PROT_EXEC), data = map_code(PROT_READ);

	(void)state;
	fake.resolve_error = ENOENT;
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", getpid());
	write_map(format(
		"%llx 40 a::b (x.js:1)\nrubbish\n%llx 20 old\n%llx 10 LazyCompile:*new x.js\n"
		"%llx 40 data\n%llx 40 cut",
		code, code + 0x40, code + 0x48, data, code + 0x100));
	assert_true(is_named(code, "a::b (x.js:1)+0x0"));
	assert_true(is_named(code + 0x3f, "a::b (x.js:1)+0x3f"));
	assert_true(is_named(code + 0x44, "old+0x4"));
	assert_true(is_named(code + 0x48, "LazyCompile:*new x.js+0x0"));
	assert_true(is_named(code + 0x58, "old+0x18"));
	assert_false(is_named(code + 0x60, "old+0x20"));
	assert_false(is_named(data, "data+0x0"));
	assert_false(is_named(code + 0x100, "cut+0x0"));
	/* A return address is that of the call before it. */
	filter(format("%d\n  0x%llx\n  0x%llx\n", getpid(), code, code + 0x40), NULL);
	assert_non_null(strstr(out, " a::b (x.js:1)+0x40 "));
	/* In other memory, which does not belong to a program. */
	fake.resolve_error = 0;
	fake.resolve = resolve_without_id;
	other_kind = BUILDID_KIND_NONE;
	strcpy(path, "/memfd:doublemapper");
	assert_true(is_named(code, "a::b (x.js:1)+0x0"));
	unlink(map_path);
}

/* What would make each address cost a walk through all of a map. */
static void an_entry_of_half_the_memory_is_none(void **state)
{
	unsigned long long code = map_code(PROT_READ | PROT_EXEC);

	(void)state;
	fake.resolve_error = ENOENT;
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", getpid());
	write_map(format("%llx 40 it\n0 7fffffffffffffff all\n%llx ffffffffffffffff wraps\n", code,
			 code));
	assert_true(is_named(code, "it+0x0"));
	unlink(map_path);
}

/* Huge pages of a file: who serves it may never give the page. */
static void code_in_another_file_is_not_read(void **state)
{
	struct moved_code found;
	struct link_map *map;
	unsigned char copy[4096];
	void *library;
	int fd;

	(void)state;
	shell("cc -g -Og -nostartfiles -shared -fPIC -Wl,-z,separate-code -o libf.so s.c; "
	      "cp libf.so lib.so");
	find_caller();
	snprintf(path, sizeof(path), "%s/libf.so", sample_directory());
	library = dlopen(path, RTLD_NOW);
	assert_non_null(library);
	assert_int_equal(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
	moved = (map->l_addr + start) & ~4095ULL;
	memcpy(copy, (void *)(uintptr_t)moved, sizeof(copy));
	move_page(moved, copy);
	assert_true(moved_code_find((uint32_t)getpid(), map->l_addr + start, &found));
	fd = open("page", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, copy, sizeof(copy)), sizeof(copy));
	assert_ptr_equal(mmap((void *)(uintptr_t)moved, 4096, PROT_READ | PROT_EXEC,
			      MAP_PRIVATE | MAP_FIXED, fd, 0),
			 (void *)(uintptr_t)moved);
	close(fd);
	assert_false(moved_code_find((uint32_t)getpid(), map->l_addr + start, &found));
	dlclose(library);
}

/* Whatever it is called: it may be another user's, of another process, or all memory. */
static void a_map_that_is_not_the_process_s_own_says_nothing(void **state)
{
	unsigned long long code = map_code(PROT_READ | PROT_EXEC);

	(void)state;
	fake.resolve_error = ENOENT;
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", getpid());
	write_map(format("%llx 40 it\n", code));
	assert_true(is_named(code, "it+0x0"));
	shell("touch -d '2 days ago' %s", map_path);
	assert_false(is_named(code, "it+0x0"));
	shell("touch %s; truncate -s 200M %s", map_path, map_path);
	assert_false(is_named(code, "it+0x0"));
	shell("rm %s; mkfifo %s", map_path, map_path);
	assert_false(is_named(code, "it+0x0"));
	shell("rm %s", map_path);
	write_map(format("%llx 40 it\n", code));
	if (!geteuid()) {
		assert_int_equal(chown(map_path, 12345, 12345), 0);
		assert_false(is_named(code, "it+0x0"));
	}
	unlink(map_path);
}

/* In a container: its /tmp and its pid. Says the pid that it has here. */
static void be_contained(int to, uint64_t code)
{
	pid_t pid;
	FILE *file;

	if (unshare(CLONE_NEWNS | CLONE_NEWPID) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", "/tmp", "tmpfs", 0, NULL))
		_exit(1);
	/* A test that fails leaves nobody behind. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pid = fork();
	if (pid) {
		waitpid(pid, NULL, 0);
		_exit(0);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	file = fopen("/tmp/perf-1.map", "w");
	fprintf(file, "%llx 40 contained\n", (unsigned long long)code);
	fclose(file);
	dprintf(to, "\n");
	pause();
}

static void in_a_container_it_is_the_container_s(void **state)
{
	unsigned long long code = map_code(PROT_READ | PROT_EXEC);
	int ends[2];
	int pid, result;
	pid_t child;
	char byte;

	(void)state;
	fake.resolve_error = ENOENT;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child)
		be_contained(ends[1], code);
	close(ends[1]);
	if (read(ends[0], &byte, 1) == 1) {
		pid = atoi(shell_output("pgrep -P %d", child));
		result = RUN(symbolize, format("%d", pid), format("%llx", code));
		kill(pid, SIGKILL);
		assert_int_equal(result, 0);
		assert_non_null(strstr(out, " contained+0x0 (/tmp/perf-1.map+"));
	}
	close(ends[0]);
	waitpid(child, NULL, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, sample_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_names_are_behind_the_addresses),
		TEST(a_caller_is_named_by_its_call),
		TEST(only_a_better_name_replaces_one),
		TEST(json_has_an_object_for_each_address),
		TEST(what_is_not_known_is_left_alone_and_counted),
		TEST(a_line_that_is_too_long_is_passed_on),
		TEST(a_long_line_of_json_is_one),
		TEST(input_that_cannot_be_read_is_an_error),
		TEST(a_path_cannot_move_the_cursor),
		TEST(without_the_module_there_has_to_be_a_log),
		TEST(of_a_process_in_the_log_no_other_with_its_pid_is_asked),
		TEST(a_process_that_has_exited_is_looked_for_once),
		TEST(a_build_id_and_an_offset_are_enough),
		TEST(json_with_names_is_json),
		TEST(what_is_not_recognised_is_counted),
		TEST(an_offset_in_another_file_is_no_address),
		TEST(the_vdso_is_of_no_other_process_either),
		TEST(an_inlined_function_comes_before_what_it_was_inlined_into),
		TEST(without_a_build_id_it_is_the_very_file),
		TEST(without_a_build_id_and_without_a_path),
		TEST(a_library_in_a_zip_has_its_own_names),
		TEST(maps_show_what_is_mapped_from_within_a_zip),
		TEST(one_without_an_id_or_a_directory_has_them_too),
		TEST(what_is_not_in_a_library_has_no_names),
		TEST(code_that_was_moved_is_that_of_the_file_around_it),
		TEST(compiled_code_has_the_name_that_its_process_says),
		TEST(an_entry_of_half_the_memory_is_none),
		TEST(code_in_another_file_is_not_read),
		TEST(a_map_that_is_not_the_process_s_own_says_nothing),
		TEST(in_a_container_it_is_the_container_s),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
