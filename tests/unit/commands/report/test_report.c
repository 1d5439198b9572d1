// SPDX-License-Identifier: GPL-2.0
/* buildid report: two contents of one path compared, with the samples of a recording. */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "common/array.h"
#include "content/running_kernel.h"
#include "make_perfdata.h"
#include "samples.h"
#include "streams.h"

#define USER 2
#define BASE 0x10000
#define LEN  0x10000

static struct make make;
static struct build_id ids[3];

static void begin_recording(void)
{
	memset(&make, 0, sizeof(make));
	make.sample_type = MAKE_SAMPLE;
	make.clockid = -1;
	make_begin(&make);
}

/* Three contents, which are stored as perf does. */
static int set_up(void **state)
{
	static const char *const bodies[] = { "n * 3", "n * 3 + n / 7 * n / 5", "n - 70000" };
	size_t i;

	if (sample_set_up(state))
		return -1;
	for (i = 0; i < 3; i++) {
		shell("printf 'int work(int n) { return %s; }\nint v%zu(int n) { return n; }\n"
		      "int stays(int n) { return n + 1; }\n' > s.c; "
		      "cc -O1 -shared -fPIC -Wl,-z,noseparate-code -o %zu.so s.c",
		      bodies[i], i, i);
		sample_id((const char *[]){ "0.so", "1.so", "2.so" }[i], &ids[i]);
	}
	begin_recording();
	return 0;
}

static const char *hex(size_t number)
{
	static char text[3][BUILD_ID_TEXT];

	return build_id_text(&ids[number], text[number]);
}

static void keep(size_t number, const char *path)
{
	const char *id = hex(number);

	shell("d=.debug/%s/%s; mkdir -p $d .debug/.build-id/%.2s && cp -p %zu.so $d/elf && "
	      "ln -s ../../%s/%s .debug/.build-id/%.2s/%s",
	      path, id, id, number, path, id, id, id + 2);
}

static uint64_t offset_of(size_t number, const char *function)
{
	return strtoull(shell_output("nm -D %zu.so | sed -n 's/ T %s$//p'", number, function), NULL,
			16);
}

static void put_samples(size_t number, uint32_t pid, const char *function, int count)
{
	uint64_t time;

	for (time = 1; count--; time++)
		make_sample(&make, USER, pid, 100 * pid + time, BASE + offset_of(number, function));
}

static void put_content(size_t number, uint32_t pid, const char *path)
{
	make_exec(&make, pid, 100 * pid, "program");
	make_identified_event(&make, pid, BASE, LEN, 100 * pid, &ids[number], path);
}

static void write_recording(void)
{
	FILE *file = fopen("perf.data", "we");

	assert_non_null(file);
	make_end(&make);
	assert_int_equal(fwrite(make.bytes, 1, make.size, file), make.size);
	fclose(file);
}

static void has(const char *line)
{
	if (!strstr(out, line))
		print_message("%s\n%s", out, err);
	assert_non_null(strstr(out, line));
}

static void two_files_are_compared(void **state)
{
	(void)state;
	assert_int_equal(RUN(report, "--diff", "0.so", "1.so"), 0);
	has("WHAT        BEFORE     AFTER FUNCTION\n");
	has("removed          3         - v0\n");
	has("added            -         3 v1\n");
	has("size             ");
	assert_null(strstr(out, "stays"));
	has(" 1 removed, 1 added, 1 size, ");
	assert_int_equal(RUN(report, "--diff", "--json", "0.so", "1.so"), 0);
	has("{\"type\":\"diff\",\"before_id\":\"");
	has("{\"type\":\"function\",\"change\":\"same\",\"before_size\":4,\"after_size\":4,"
	    "\"function\":\"stays\"}");
	has("\"change\":\"removed\",\"before_size\":3,\"after_size\":null,\"function\":\"v0\"}");
}

static void ids_and_their_first_digits_are_found_where_files_are_kept(void **state)
{
	char prefix[16];

	(void)state;
	keep(0, "opt/lib.so");
	keep(1, "opt/lib.so");
	snprintf(prefix, sizeof(prefix), "%.8s", hex(1));
	assert_int_equal(RUN(report, "--diff", hex(0), prefix), 0);
	has("removed          3         - v0\n");
	snprintf(prefix, sizeof(prefix), "%.8s", hex(2));
	assert_int_equal(RUN(report, "--diff", hex(0), prefix), 1);
	assert_non_null(strstr(err, "no file with this build-id found"));
	assert_int_equal(RUN(report, "--diff", hex(0), hex(2)), 1);
	assert_non_null(strstr(err, "no file with this build-id found"));
	assert_int_equal(RUN(report, "--diff", hex(0), "/no/such"), 1);
	assert_non_null(strstr(err, "/no/such: neither a file nor a build-id"));
}

static void of_a_path_the_kept_contents_and_the_one_that_is_there(void **state)
{
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/lib.so", sample_directory());
	shell("touch -d 2020-01-02 0.so; touch -d 2021-01-02 1.so; cp 2.so lib.so");
	assert_int_equal(RUN(report, "--diff", path), 1);
	assert_non_null(strstr(err, "one content of it is known here, and not two"));
	keep(0, path + 1);
	assert_int_equal(RUN(report, "--diff", path), 0);
	has("removed          3         - v0\n");
	has("added            -         3 v2\n");
	keep(1, path + 1);
	assert_int_equal(RUN(report, "--diff", path), 1);
	assert_non_null(strstr(err, "has had 3 contents; name two of them: "));
	shell("rm lib.so");
	assert_int_equal(RUN(report, "--diff", path), 0);
	has("removed          3         - v0\n");
	has("added            -         3 v1\n");
}

/* As of --call-graph dwarf. */
static void callers_that_are_not_read_are_said(void **state)
{
	(void)state;
	memset(&make, 0, sizeof(make));
	make.sample_type = MAKE_SAMPLE | PERFDATA_SAMPLE_STACK_USER;
	make_begin(&make);
	put_content(0, 1, "/opt/lib.so");
	put_samples(0, 1, "work", 3);
	write_recording();
	assert_int_equal(RUN(report, "--folded", "perf.data"), 0);
	assert_non_null(strstr(err, "perf.data: 3 samples without their callers, "));
}

/* As annotate names them: the further one has another name. */
static void samples_are_shares_of_their_content(void **state)
{
	const struct {
		struct perfdata_event event;
		uint64_t id, lost, trailer[3];
	} lost = {
		.event = { .type = PERFDATA_LOST, .size = sizeof(lost) },
		.lost = 1234,
	};
	char name[64];

	(void)state;
	keep(0, "opt/lib.so");
	keep(1, "opt/lib.so");
	snprintf(name, sizeof(name), "/opt/lib.so@%.8s", hex(1));
	put_content(0, 1, "/opt/lib.so");
	put_content(1, 2, name);
	put_samples(0, 1, "work", 3);
	put_samples(0, 1, "v0", 1);
	put_samples(1, 2, "work", 1);
	put_samples(1, 2, "stays", 3);
	make_sample(&make, USER, 7, 100, BASE);
	make_raw(&make, &lost, sizeof(lost));
	write_recording();
	assert_int_equal(RUN(report, "--diff", "-i", "perf.data", "/opt/lib.so"), 0);
	has(" /opt/lib.so (4 samples, 44.4% of all)\n");
	has(" BEFORE   AFTER  CHANGE FUNCTION\n");
	assert_non_null(strstr(err, "perf.data: 1234 records lost, "));
	has("   75.0%   25.0%   -50.0 work\n");
	has("same             4         4       -   75.0%   +75.0 stays\n");
	has("removed          3         -   25.0%       -   -25.0 v0\n");
	assert_int_equal(RUN(report, "--diff", "-i", "perf.data", "lib.so", "-j"), 0);
	has("\"before_samples\":4,\"before_samples_unnamed\":0,");
	has("\"after_samples\":4,\"after_samples_unnamed\":0,\"samples\":9,");
	has("\"before_samples\":1,\"after_samples\":0,\"function\":\"v0\"}");
	assert_int_equal(RUN(report, "--diff", "-i", "perf.data", name, hex(0)), 0);
	has("removed          3         -       -       -       - v1\n");
}

/* Those of any other file without one might be in it. */
static void samples_in_a_content_without_an_id_are_not_known(void **state)
{
	(void)state;
	shell("cc -O1 -shared -fPIC -Wl,--build-id=none -o none.so s.c");
	make_exec(&make, 1, 100, "program");
	make_mmap2_event(&make, 1, BASE, LEN, 0, 7, 100, "/opt/other.so");
	put_content(0, 2, "/opt/lib.so");
	put_samples(0, 1, "work", 3);
	put_samples(0, 2, "work", 1);
	write_recording();
	assert_int_equal(RUN(report, "--diff", "-i", "perf.data", "none.so", "0.so"), 0);
	has(" none.so (without a build-id; its samples are not known)\n");
	has(" 0.so (1 samples, 25.0% of all)\n");
	has("       -  100.0%       - work\n");
	assert_int_equal(RUN(report, "--diff", "-i", "perf.data", "none.so", "0.so", "-j"), 0);
	has("\"before_samples\":null,\"before_samples_unnamed\":null,");
	has("\"before_samples\":null,\"after_samples\":1,\"function\":\"work\"}");
}

static void what_is_not_two_contents_is_no_diff(void **state)
{
	(void)state;
	put_content(0, 1, "/opt/lib.so");
	put_content(1, 2, "/opt/lib.so");
	put_content(2, 3, "/opt/lib.so");
	put_content(2, 4, "/opt/other.so");
	write_recording();
	assert_int_equal(RUN(report, "--diff", "-i", "perf.data", "/opt/lib.so"), 1);
	assert_non_null(strstr(err, "has had 3 contents; name two of them: "));
	assert_int_equal(RUN(report, "--diff", "-i", "perf.data", "/opt/other.so"), 1);
	assert_non_null(strstr(err, "has one content in the recording, and not two"));
	assert_int_equal(RUN(report, "--diff", "-i", "none.data", "/opt/other.so"), 1);
	assert_non_null(strstr(err, "none.data: No such file"));
	assert_int_equal(RUN(report, "--diff"), 2);
}

static void which_contents_are_meant_is_not_guessed(void **state)
{
	char path[256];

	(void)state;
	put_content(0, 1, "/opt/lib.so");
	put_content(1, 2, "/srv/lib.so");
	/* One time, of two processes. */
	make_identified_event(&make, 3, BASE, LEN, 1000, &ids[1], "/opt/both.so");
	make_identified_event(&make, 4, BASE, LEN, 1000, &ids[0], "/opt/both.so");
	write_recording();
	assert_int_equal(RUN(report, "--diff", "-i", "perf.data", "lib.so"), 1);
	assert_non_null(strstr(err, "lib.so: is the name of several files, such as /opt/lib.so; "));
	assert_int_equal(RUN(report, "--diff", "-i", "perf.data", "both.so"), 1);
	assert_non_null(strstr(err, "both.so: has had two contents, and which of them was first is "
				    "not known; name both in order: "));
	/* What is there now is the last, whatever its file's time is. */
	snprintf(path, sizeof(path), "%s/now.so", sample_directory());
	shell("touch -d 2020-01-02 0.so; touch -d 2021-01-02 1.so; cp -p 0.so now.so");
	keep(0, path + 1);
	keep(1, path + 1);
	assert_int_equal(RUN(report, "--diff", path), 0);
	has("removed          3         - v1\n");
	has("added            -         3 v0\n");
	shell("rm now.so; touch -d 2020-01-02 .debug/%s/*/elf", path + 1);
	assert_int_equal(RUN(report, "--diff", path), 1);
	assert_non_null(strstr(err, "which of them was first is not known"));
}

static void more_contents_than_are_counted_are_said(void **state)
{
	struct build_id id = ids[0];
	uint32_t i;

	(void)state;
	for (i = 0; i < 70; i++) {
		id.bytes[0] = (uint8_t)i;
		make_identified_event(&make, 1, BASE, LEN, 100 + i, &id, "/opt/lib.so");
	}
	write_recording();
	assert_int_equal(RUN(report, "--diff", "-i", "perf.data", "lib.so"), 1);
	assert_non_null(strstr(err, "lib.so: has had more than 64 contents; name two of them: "));
}

static void put_two_contents(void)
{
	keep(0, "opt/lib.so");
	put_content(0, 1, "/opt/lib.so");
	put_content(1, 2, "/opt/lib.so");
	make_exec(&make, 3, 300, "a;b\n\302\233\177\233</script>");
	make_identified_event(&make, 3, BASE, LEN, 300, &ids[0], "/opt/lib.so");
	put_samples(0, 1, "work", 3);
	put_samples(0, 3, "v0", 1);
	put_samples(1, 2, "work", 2);
	make_sample(&make, USER, 2, 250, 0x10);
	write_recording();
}

static void folded_stacks_have_the_contents_of_functions(void **state)
{
	char line[128];

	(void)state;
	put_two_contents();
	assert_int_equal(RUN(report, "--folded", "--no-debuginfod", "perf.data"), 0);
	snprintf(line, sizeof(line), "program;lib.so@%.8s`work 3\n", hex(0));
	has(line);
	/* No file of that content is here. */
	snprintf(line, sizeof(line), "program;lib.so@%.8s`[unknown] 2\n", hex(1));
	has(line);
	has("program;[unknown]`[unknown] 1\n");
	snprintf(line, sizeof(line), "a_b___\357\277\275</script>;lib.so@%.8s`v0 1\n", hex(0));
	has(line);
	assert_non_null(strstr(err, "perf.data: 1 contents without a file"));
}

#define KERNEL	1
#define MODULES 400

/* Of the running kernel; 0 where /proc/kallsyms has no addresses. */
static uint64_t kernel_text(const char *symbol)
{
	return strtoull(shell_output("sed -n 's/ T %s$//p' /proc/kallsyms", symbol), NULL, 16);
}

static void put_of_kernel(uint64_t start, const struct build_id *id, const char *path)
{
	const size_t at = make.size + offsetof(struct perfdata_event, misc);
	const uint16_t misc = KERNEL | PERFDATA_MISC_ID;

	make_identified_event(&make, UINT32_MAX, start, 1 << 25, 1, id, path);
	memcpy(make.bytes + at, &misc, sizeof(misc));
}

static void put_kernel(uint64_t start, const struct build_id *id)
{
	put_of_kernel(start, id, "[kernel.kallsyms]_text");
	make_exec(&make, 1, 100, "program");
	make_sample(&make, KERNEL, 1, 101, kernel_text("vfs_read"));
	write_recording();
}

/* Another kernel that is loaded at the same address has other functions there. */
static void names_of_the_kernel_are_of_the_one_that_was_recorded(void **state)
{
	const uint64_t start = kernel_text("_text");
	struct build_id id;

	(void)state;
	if (!start || !running_kernel_build_id(&id))
		skip();
	put_kernel(start, &id);
	assert_int_equal(RUN(report, "--folded", "--no-debuginfod"), 0);
	has("`vfs_read 1\n");
	begin_recording();
	id.bytes[0] ^= 1;
	put_kernel(start, &id);
	assert_int_equal(RUN(report, "--folded", "--no-debuginfod"), 0);
	has("`[unknown] 1\n");
	assert_non_null(strstr(err, "perf.data: 1 contents without a file"));
}

/* Which would take a minute if the kernel's symbols were read for each of them. */
static void many_modules_are_named(void **state)
{
	const uint64_t start = kernel_text("_text"), modules = start + (1ULL << 29);
	char path[64];
	uint64_t i;

	(void)state;
	if (!start)
		skip();
	make_mmap_event(&make, KERNEL, UINT32_MAX, start, 1 << 25, 1, "[kernel.kallsyms]_text");
	for (i = 0; i < MODULES; i++) {
		snprintf(path, sizeof(path), "/lib/modules/x/m%d.ko", (int)i);
		make_mmap_event(&make, KERNEL, UINT32_MAX, modules + i * LEN, LEN, 1, path);
		make_sample(&make, KERNEL, 1, 101, modules + i * LEN);
	}
	put_of_kernel(modules + i * LEN, &ids[0], "/lib/modules/x/other.ko");
	make_sample(&make, KERNEL, 1, 101, modules + i * LEN);
	write_recording();
	assert_int_equal(RUN(report, "--folded", "--no-debuginfod"), 0);
	has("[unknown];m7.ko`[unknown] 1\n");
	/* The last one is not loaded. */
	assert_non_null(strstr(err, "perf.data: 1 contents without a file"));
}

/* In each frame they would be repeated; two of the same beginning are still two. */
static void long_names_are_cut(void **state)
{
	char name[512], path[1024] = "/", line[2048];
	size_t i;

	(void)state;
	memset(name, 'f', 300);
	name[300] = '\0';
	for (i = 0; i < 300; i++)
		strcat(path, "é");
	shell("printf 'int %s1(int n) { return n * 3; }\nint %s2(int n) { return n * 5; }\n' > s.c; "
	      "cc -O1 -shared -fPIC -Wl,-z,noseparate-code -o 0.so s.c",
	      name, name);
	sample_id("0.so", &ids[0]);
	keep(0, "opt/lib.so");
	put_content(0, 1, "/opt/lib.so");
	make_identified_event(&make, 2, BASE, LEN, 200, &ids[1], path);
	name[300] = '1';
	name[301] = '\0';
	put_samples(0, 1, name, 3);
	name[300] = '2';
	put_samples(0, 1, name, 2);
	make_sample(&make, USER, 2, 210, BASE);
	write_recording();
	assert_int_equal(RUN(report, "--folded", "--no-debuginfod"), 0);
	snprintf(line, sizeof(line), "program;lib.so@%.8s`%.256s… 3\n", hex(0), name);
	has(line);
	snprintf(line, sizeof(line), "program;lib.so@%.8s`%.256s… 2\n", hex(0), name);
	has(line);
	snprintf(line, sizeof(line), ";%.512s…@%.8s`[unknown] 1\n", path + 1, hex(1));
	has(line);
}

/* As a hostile file may have it end; only the readers of files call setsid(2). */
static bool end_readers(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setsid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { .len = ARRAY_SIZE(filter), .filter = filter };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int run_without_readers(void)
{
	const pid_t child = fork();
	int status = -1;

	if (!child)
		_exit(end_readers() ? RUN(report, "--html", "page.html", "--no-debuginfod") : 77);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_file_whose_reader_ended_is_not_one_without_names(void **state)
{
	int status;

	(void)state;
	put_two_contents();
	status = run_without_readers();
	if (status == 77)
		skip();
	assert_int_equal(status, 0);
	command_slurp("err", err, sizeof(err));
	/* The other content has no file. */
	assert_non_null(
		strstr(err, "perf.data: 2 places in files that could not be read to the end"));
	shell("grep -q '<li>2 places in files that could not be read to the end' page.html");
	shell("! grep -q 'name no function' page.html");
}

static void a_page_is_written_over_a_page_and_nothing_else(void **state)
{
	(void)state;
	put_two_contents();
	assert_int_equal(RUN(report, "--html", "page.html", "--flamegraph", "graph.svg",
			     "--no-debuginfod"),
			 0);
	assert_int_equal(RUN(report, "--html", "page.html", "--flamegraph", "graph.svg",
			     "--no-debuginfod"),
			 0);
	shell("grep -q \"Content-Security-Policy.*default-src 'none'.*sha256\" page.html");
	shell("grep -q 'a;b\\(\357\277\275\\)\\{4\\}&lt;/script&gt;' page.html");
	shell("[ $(grep -c '</script' page.html) = 1 ]");
	shell("grep -q '<td class=\"n\">3<td class=\"n\">0.000' page.html");
	shell("grep -q '^<svg class=\"flame\"' graph.svg && grep -q '</svg>' graph.svg");
	shell("echo '<!DOCTYPE html>' > page.html");
	assert_int_equal(RUN(report, "--html", "page.html", "--no-debuginfod"), 1);
	assert_non_null(strstr(err, "page.html: exists and is something else; remove it first"));
	assert_int_equal(RUN(report, "--html", "none/page.html", "--no-debuginfod"), 1);
	assert_non_null(strstr(err, "none/page.html: No such file"));
}

/* What the page says of a version, with the package. */
static void expect_version(const char *path, const struct build_id *id, const char *cells)
{
	begin_recording();
	if (id)
		make_identified_event(&make, 1, BASE, LEN, 100, id, path);
	else
		make_mmap2_event(&make, 1, BASE, LEN, 0, 7, 100, path);
	make_sample(&make, USER, 1, 101, BASE);
	write_recording();
	assert_int_equal(RUN(report, "--html", "page.html", "--no-debuginfod"), 0);
	shell("grep -q '<td>coreutils<td>%s' page.html", cells);
}

/* Of what is not known to be another content the page does not say so. */
static void a_version_is_of_the_content_that_is_at_the_path(void **state)
{
	struct build_id id;
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s",
		 shell_output("grep -hx '/[a-z/]*bin/[a-z]*' /var/lib/dpkg/info/coreutils.list "
			      "2>/dev/null | head -1 | tr -d '\\n'"));
	if (!*path)
		skip();
	sample_id(path, &id);
	expect_version(path, &id, "[0-9]");
	expect_version(path, &ids[0], "<i>another is there now</i>");
	expect_version(path, NULL, "<i>not known</i>");
	/* No ELF file. */
	expect_version("/usr/share/doc/coreutils/copyright", &ids[0], "<i>not known</i>");
}

/* The name that both have, and not the new one at the same address. */
static void samples_are_those_of_the_name_that_can_be_compared(void **state)
{
	(void)state;
	shell("echo 'int plain(int n) { return n * 3; }' > s.c; cc -O1 -shared -fPIC "
	      "-Wl,-z,noseparate-code -o 0.so s.c; echo 'int zaa(int n) { return n * 7; } "
	      "int plain(int n) __attribute__((weak, alias(\"zaa\")));' > s.c; cc -O1 -shared "
	      "-fPIC -Wl,-z,noseparate-code -o 1.so s.c");
	sample_id("0.so", &ids[0]);
	sample_id("1.so", &ids[1]);
	put_content(0, 1, "/opt/lib.so");
	put_content(1, 2, "/opt/lib.so");
	make_sample(&make, USER, 1, 150, BASE + offset_of(0, "plain"));
	make_sample(&make, USER, 2, 250, BASE + offset_of(1, "zaa"));
	write_recording();
	assert_int_equal(RUN(report, "--diff", "-i", "perf.data", "0.so", "1.so"), 0);
	has("100.0%  100.0%    +0.0 plain\n");
	has("added            -        10       -       -       - zaa\n");
}

static void without_samples_there_is_no_page(void **state)
{
	(void)state;
	put_content(0, 1, "/opt/lib.so");
	write_recording();
	assert_int_equal(RUN(report, "--html", "page.html", "--no-debuginfod"), 1);
	assert_non_null(strstr(err, "perf.data: has no samples with an address"));
	assert_int_equal(RUN(report, "--flamegraph", "a.svg", "--diff", "a", "b"), 2);
	assert_int_equal(RUN(report, "--html", "page.html", "-j", "--diff", "a", "b"), 2);
	assert_int_equal(RUN(report, "--folded", "a", "b"), 2);
	assert_int_equal(RUN(report, "--folded", "--json"), 2);
	assert_int_equal(RUN(report, "--html", "page.html", "--flamegraph", "a.svg", "-j"), 2);
	assert_non_null(strstr(err, "--json: only together with --diff"));
}

/* By the program itself, which becomes perf. */
static void perf_report_runs_when_its_files_are_in_place(void **state)
{
	const char *said;

	(void)state;
	put_two_contents();
	shell("cp 0.so lib.so; mkdir bin; printf '#!/bin/sh\necho perf \"$@\"\nls kept/opt/lib.so\n' "
	      "> bin/perf; chmod +x bin/perf; mkdir -p kept/opt kept/.build-id; "
	      "cp -a .debug/opt .debug/.build-id kept/");
	said = shell_output(
		"PATH=$PWD/bin:$PATH $BUILDID report --dir kept --no-debuginfod -- --stdio "
		"-n 2>&1");
	assert_non_null(
		strstr(said, "perf --buildid-dir kept report --input perf.data --stdio -n\n"));
	assert_non_null(strstr(said, hex(0)));
	assert_non_null(strstr(said, "buildid: perf.data: 1 files are in place, 1 missing\n"));
	assert_non_null(strstr(said, " /opt/lib.so: No such file or directory"));
	said = shell_output("PATH=$PWD/bin:$PATH $BUILDID report none.data 2>&1; [ $? = 1 ]");
	assert_non_null(strstr(said, "none.data: No such file or directory"));
	assert_null(strstr(said, "perf --"));
	said = shell_output("rm bin/perf; PATH=$PWD/bin:/none $BUILDID report --dir kept perf.data "
			    "2>&1; [ $? = 1 ]");
	assert_non_null(strstr(said, "buildid: perf: not found in PATH; it is in Debian's "
				     "linux-perf: apt install linux-perf\n"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, sample_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(two_files_are_compared),
		TEST(ids_and_their_first_digits_are_found_where_files_are_kept),
		TEST(of_a_path_the_kept_contents_and_the_one_that_is_there),
		TEST(callers_that_are_not_read_are_said),
		TEST(samples_are_shares_of_their_content),
		TEST(samples_in_a_content_without_an_id_are_not_known),
		TEST(what_is_not_two_contents_is_no_diff),
		TEST(which_contents_are_meant_is_not_guessed),
		TEST(more_contents_than_are_counted_are_said),
		TEST(folded_stacks_have_the_contents_of_functions),
		TEST(names_of_the_kernel_are_of_the_one_that_was_recorded),
		TEST(many_modules_are_named),
		TEST(long_names_are_cut),
		TEST(a_file_whose_reader_ended_is_not_one_without_names),
		TEST(a_page_is_written_over_a_page_and_nothing_else),
		TEST(a_version_is_of_the_content_that_is_at_the_path),
		TEST(samples_are_those_of_the_name_that_can_be_compared),
		TEST(without_samples_there_is_no_page),
		TEST(perf_report_runs_when_its_files_are_in_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
