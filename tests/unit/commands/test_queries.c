// SPDX-License-Identifier: GPL-2.0
/* Queries: info, stats, flush and id, and how all commands refuse. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "common/array.h"
#include "content/elf_file.h"

/* --------------------------------------------------- info, stats, flush -- */

static void without_the_module_all_say_so(void **state)
{
	static const char expected[] =
		"buildid: /dev/buildid: the module is not loaded; load it: modprobe buildid, or see: buildid doctor\n";

	(void)state;
	fake.open_error = ENOENT;
	assert_int_equal(RUN(info), 1);
	assert_string_equal(err, expected);
	assert_string_equal(out, "");
	assert_int_equal(RUN(mon, "--source=module"), 1);
	assert_string_equal(err, expected);
	assert_int_equal(RUN(record, "--source=module", "-o", "never", "--", "touch", "ran"), 1);
	assert_string_equal(err, expected);
	assert_int_equal(access("never", F_OK), -1);
	assert_int_equal(access("ran", F_OK), -1);
	assert_int_equal(RUN(stats, "-j"), 1);
	assert_string_equal(err, expected);
	assert_string_equal(
		out, "{\"type\":\"error\",\"error\":\"the module is not loaded; load it: "
		     "modprobe buildid, or see: buildid doctor\",\"object\":\"/dev/buildid\"}\n");
}

static void permissions_come_with_what_helps(void **state)
{
	(void)state;
	fake.open_error = EACCES;
	assert_int_equal(RUN(info), 1);
	assert_non_null(strstr(err, "not permitted; run as root"));
	fake.open_error = 0;
	fake.subscribe_error = fake.flush_error = EPERM;
	assert_int_equal(RUN(mon), 1);
	assert_non_null(strstr(err, "CAP_PERFMON"));
	assert_int_equal(RUN(flush), 1);
	assert_non_null(strstr(err, "CAP_SYS_ADMIN"));
	assert_null(strstr(err, "CAP_PERFMON"));
}

static void info_is_rows_or_an_object(void **state)
{
	(void)state;
	assert_int_equal(RUN(info), 0);
	assert_non_null(strstr(out, "hook             hook\n"));
	assert_non_null(strstr(out, "records          file mmap\n"));
	assert_non_null(strstr(out, "ioctls           info stats\n"));
	assert_int_equal(RUN(info, "-j"), 0);
	assert_non_null(strstr(out, "\"records\":[\"file\",\"mmap\"],"));
	assert_non_null(strstr(out, "\"status\":[\"armed\"],"));
	assert_non_null(strstr(out, "\"flags\":[\"subscribe:0x7f\"],"));
	assert_non_null(strstr(out, "\"max_entries\":65536,\"ring_min\":16384,"));
	assert_string_equal(err, "");
	fake.status = 0;
	assert_int_equal(RUN(info), 0);
	assert_non_null(strstr(out, "status           \n"));
	assert_non_null(strstr(err, "no mapping is seen"));
}

/* Of 0.2.0, and one of tomorrow. */
static void a_module_of_another_abi_is_named_with_a_remedy(void **state)
{
	(void)state;
	fake.abi = 1;
	fake.grown = 200 - (int)sizeof(struct buildid_info);
	assert_int_equal(RUN(info), 1);
	assert_non_null(strstr(err, "(ABI 1), this tool needs ABI 2; install the module and the "
				    "tool of the same version, and load it: rmmod buildid && "
				    "modprobe buildid\n"));
	assert_int_equal(RUN(stats, "-j"), 1);
	assert_non_null(strstr(out, "(ABI 1), this tool needs ABI 2; "));
	fake.abi = 3;
	fake.grown = 8;
	assert_int_equal(RUN(flush), 1);
	assert_non_null(strstr(err, "(ABI 3), this tool needs ABI 2; "));
}

static void stats_are_rows_or_an_object(void **state)
{
	(void)state;
	fake.stats.mappings = 12;
	fake.stats.memory = UINT64_MAX;
	assert_int_equal(RUN(stats), 0);
	assert_non_null(strstr(out, "mappings         12\n"));
	assert_non_null(strstr(out, "memory           18446744073709551615 bytes\n"));
	assert_int_equal(RUN(stats, "--json"), 0);
	assert_ptr_equal(strstr(out, "{\"mappings\":12,\"hits\":0,"), out);
	assert_non_null(strstr(out, ",\"memory\":18446744073709551615,\"cookies\":0}\n"));
}

static void stats_are_openmetrics(void **state)
{
	(void)state;
	fake.stats.mappings = 12;
	fake.stats.entries = 3;
	fake.stats.memory = 4096;
	assert_int_equal(RUN(stats, "--openmetrics"), 0);
	assert_ptr_equal(strstr(out, "# TYPE buildid_info gauge\n"
				     "# HELP buildid_info The module that is loaded, always 1.\n"
				     "buildid_info{version=\""),
			 out);
	assert_non_null(strstr(out, ",abi=\"2\"} 1\n"));
	assert_non_null(strstr(out, "# TYPE buildid_mappings counter\n"
				    "# HELP buildid_mappings Executable file mappings seen.\n"
				    "buildid_mappings_total 12\n"));
	assert_non_null(strstr(out, "# TYPE buildid_entries gauge\n"));
	assert_non_null(strstr(out, "\nbuildid_entries 3\n"));
	assert_non_null(strstr(out, "# TYPE buildid_memory_bytes gauge\n"
				    "# UNIT buildid_memory_bytes bytes\n"));
	assert_non_null(strstr(out, "\nbuildid_memory_bytes 4096\n"));
	assert_string_equal(out + strlen(out) - 6, "# EOF\n");
}

static void openmetrics_say_whether_mappings_are_seen(void **state)
{
	(void)state;
	fake.status = 0;
	assert_int_equal(RUN(stats, "--openmetrics"), 0);
	assert_non_null(strstr(out, "\nbuildid_armed 0\n"));
	fake.status = BUILDID_STATUS_ARMED;
	assert_int_equal(RUN(stats, "--openmetrics"), 0);
	assert_non_null(strstr(out, "\nbuildid_armed 1\n"));
}

/* Two files in process 1, the first of them in parts, and in process 2 the second. */
static int two_files(struct buildid_maps *request)
{
	union any_record record;
	uint64_t file_id;

	if (request->pid > 2)
		return ESRCH;
	for (file_id = request->pid; file_id <= 2; file_id++) {
		make_file(&record, file_id, 20, 0, file_id == 1 ? "/quo\"te\\" : "/b\n");
		fake_add_map(request, &record);
		make_mmap(&record, file_id, 0, request->pid);
		fake_add_map(request, &record);
		fake_add_map(request, &record);
	}
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void openmetrics_count_the_processes_of_a_content(void **state)
{
	static const char quoted[] = "path=\"/quo\\\"te\\\\\"} 1\n";
	static const char *const pids[] = { "/proc/1", "/proc/2" };
	bool both = !access(pids[0], F_OK) && !access(pids[1], F_OK);

	(void)state;
	fake.maps = two_files;
	assert_int_equal(RUN(stats, "--openmetrics", "--contents", "5"), 0);
	assert_non_null(strstr(out, quoted));
	assert_non_null(strstr(out, both ? "path=\"/b\\n\"} 2\n" : "path=\"/b\\n\"} 1\n"));
	assert_non_null(strstr(out, "\nbuildid_mapped_contents_omitted 0\n"));
	assert_string_equal(out + strlen(out) - 6, "# EOF\n");
	assert_int_equal(RUN(stats, "--openmetrics", "--contents", "1"), 0);
	assert_non_null(strstr(out, "\nbuildid_mapped_contents_omitted 1\n"));

	fake.stats_error = 0;
	fake.maps = NULL;
	assert_int_equal(RUN(stats, "--contents", "5"), 2);
	assert_int_equal(RUN(stats, "--stale"), 2);
	assert_int_equal(RUN(stats, "--openmetrics", "--contents", "0"), 2);
}

/* In one process: names of three files that look the same when they are printed, and a fourth. */
static int files_of_invalid_names(struct buildid_maps *request)
{
	static const char *const paths[] = { "/x\xff", "/x\xfe", "/x\x1b", "/y" };
	union any_record record;
	uint64_t i;

	if (request->pid > 1)
		return ESRCH;
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		make_file(&record, i + 1, 20, 0, paths[i]);
		fake_add_map(request, &record);
		make_mmap(&record, i + 1, 0, request->pid);
		fake_add_map(request, &record);
	}
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void openmetrics_have_no_labels_twice(void **state)
{
	static const char repaired[] = "path=\"/x\xef\xbf\xbd\"} 1\n";
	const char *first;

	(void)state;
	fake.maps = files_of_invalid_names;
	assert_int_equal(RUN(stats, "--openmetrics", "--contents", "5"), 0);
	first = strstr(out, repaired);
	assert_non_null(first);
	assert_null(strstr(first + 1, repaired));
	assert_non_null(strstr(out, "path=\"/y\"} 1\n"));
}

static void flush_says_how_many(void **state)
{
	(void)state;
	fake.flushed = 7;
	assert_int_equal(RUN(flush), 0);
	assert_string_equal(out, "flushed          7\n");
	assert_int_equal(RUN(flush, "-j"), 0);
	assert_string_equal(out, "{\"flushed\":7}\n");
}

/* ------------------------------------------------------------------- id -- */

static void id_does_what_it_can(void **state)
{
	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(RUN(id, "/nonexistent", "/proc/self/exe", "fifo", "/tmp", "/dev/null"), 1);
	assert_string_equal(out, "101112131415161718191a1b1c1d1e1f20212223 /proc/self/exe\n");
	assert_string_equal(err, "buildid: /nonexistent: No such file or directory\n"
				 "buildid: fifo: not a regular file\n"
				 "buildid: /tmp: Is a directory\n"
				 "buildid: /dev/null: not a regular file\n");
	assert_int_equal(RUN(id, "-j", "/nonexistent"), 1);
	assert_string_equal(out, "{\"type\":\"error\",\"error\":\"No such file or directory\","
				 "\"object\":\"/nonexistent\"}\n");
}

static void resolve_nothing(int fd, union any_record *record)
{
	(void)fd;
	make_file(record, 1, 0, BUILDID_REASON_NOT_ELF, "/f");
}

static void a_file_without_an_id_is_no_failure(void **state)
{
	(void)state;
	fake.resolve = resolve_nothing;
	assert_int_equal(RUN(id, "/etc/passwd"), 0);
	assert_string_equal(out, "(not-elf)                                /etc/passwd\n");
	assert_string_equal(err, "");
	assert_int_equal(RUN(id, "-j", "/etc/passwd"), 0);
	assert_non_null(strstr(out, "\"path\":\"/etc/passwd\""));
	assert_non_null(strstr(out, "\"build_id\":null,\"kind\":\"none\","
				    "\"reason\":\"not-elf\""));
}

/* A stored library at a page and one that is not, a compressed one, what is no ELF file. */
static void what_an_archive_holds_is_identified(void **state)
{
	static const char script[] =
		"cc -shared -Wl,--build-id=0x0102030405060708 -o a.so -x c - </dev/null &&"
		"cc -shared -Wl,--build-id=none -o b.so -x c - </dev/null &&"
		"python3 -c \"import zipfile\n"
		"with zipfile.ZipFile('x.apk', 'w') as z:\n"
		"    z.write('a.so', 'lib/x86_64/a.so')\n"
		"    z.write('a.so', 'z/a.so', zipfile.ZIP_DEFLATED)\n"
		"    z.writestr('text', 'no')\n"
		"    z.writestr('short', b'\\x7fELF')\n"
		"    z.write('b.so', 'b\\n.so')\"";
	const char *line;

	(void)state;
	fake.resolve = resolve_nothing;
	assert_int_equal(system(script), 0);
	assert_int_equal(RUN(id, "x.apk", "/etc/passwd"), 0);
	assert_string_equal(out, "(not-elf)                                x.apk\n"
				 "0102030405060708                         x.apk!lib/x86_64/a.so\n"
				 "(no-note)                                x.apk!b\\012.so\n"
				 "(not-elf)                                /etc/passwd\n");
	assert_int_equal(RUN(id, "-j", "x.apk"), 0);
	line = strstr(out,
		      "{\"type\":\"member\",\"member\":\"lib/x86_64/a.so\",\"member_offset\":");
	assert_non_null(line);
	assert_non_null(strstr(line, "\"member_build_id\":\"0102030405060708\","
				     "\"member_kind\":\"gnu\",\"member_reason\":null,"
				     "\"path\":\"x.apk\"}\n"));
}

static void resolve_truly(int fd, union any_record *record)
{
	struct elf_info info;

	elf_file_id(fd, &info);
	make_file(record, 1, (uint16_t)info.id.size, info.reason, "/f");
	memcpy(data_of(record), info.id.bytes, info.id.size);
}

static void verify_compares_with_libelf(void **state)
{
	(void)state;
	fake.resolve = resolve_truly;
	assert_int_equal(RUN(id, "--verify", "/proc/self/exe", "/etc/passwd"), 0);
	assert_string_equal(err, "");

	fake.resolve = NULL;
	assert_int_equal(RUN(id, "--verify", "/proc/self/exe"), 1);
	assert_non_null(strstr(err, "buildid: /proc/self/exe: the module reads 101112"));
	assert_int_equal(RUN(id, "--verify", "/etc/passwd"), 1);
	assert_non_null(strstr(err, "libelf reads (not-elf)\n"));
	fake.resolve = resolve_nothing;
	assert_int_equal(RUN(id, "--verify", "/proc/self/exe"), 1);
	assert_non_null(strstr(err, "the module reads (not-elf), libelf reads "));
}

static void write_list(const char *bytes, size_t size)
{
	FILE *file = fopen("list", "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static void paths_may_come_from_a_file(void **state)
{
	static const char lines[] = "/etc/passwd\n\n/etc/group";
	static const char nuls[] = "new\nline\0/etc/passwd";
	FILE *file = fopen("new\nline", "w");

	(void)state;
	assert_non_null(file);
	fclose(file);
	fake.resolve = resolve_nothing;
	write_list(lines, sizeof(lines) - 1);
	assert_int_equal(RUN(id, "--files-from", "list"), 0);
	assert_string_equal(out, "(not-elf)                                /etc/passwd\n"
				 "(not-elf)                                /etc/group\n");
	write_list(nuls, sizeof(nuls));
	assert_int_equal(RUN(id, "-0", "--files-from", "list"), 0);
	assert_string_equal(out, "(not-elf)                                new\\012line\n"
				 "(not-elf)                                /etc/passwd\n");
	assert_int_equal(RUN(id, "--files-from", "/nonexistent"), 1);
	assert_int_equal(RUN(id, "--files-from", "/tmp"), 1);
	assert_non_null(strstr(err, strerror(EISDIR)));
}

static void many_paths_are_no_problem(void **state)
{
	FILE *file = fopen("list", "w");
	int i;

	(void)state;
	for (i = 0; i < 3500; i++)
		fputs("/etc/passwd\n", file);
	fclose(file);
	assert_int_equal(RUN(id, "--files-from", "list"), 0);
	assert_string_equal(err, "");
}

static bool has_two_intervals(void)
{
	const char *first;

	command_slurp("out", out, sizeof(out));
	first = strstr(out, "mappings");
	return first && strstr(first + 1, "\nmappings");
}

static bool has_json_rates(void)
{
	command_slurp("out", out, sizeof(out));
	return strstr(out, "_per_second\":0.0");
}

static void counters_have_rates(void **state)
{
	pid_t child;

	(void)state;
	child = START(stats, "--interval", "1");
	wait_until(has_two_intervals);
	kill(child, SIGTERM);
	assert_int_equal(command_finish_killed(child), SIGTERM);
	assert_non_null(strstr(out, " (0.0/s)\n"));
	child = START(stats, "-j", "--interval", "1");
	wait_until(has_json_rates);
	kill(child, SIGTERM);
	assert_int_equal(command_finish_killed(child), SIGTERM);
	assert_int_equal(RUN(stats, "--interval", "0"), 2);
	assert_int_equal(RUN(stats, "--interval", "1", "--openmetrics"), 2);
}

/* ---------------------------------------------------------------- usage -- */

static void wrong_usage_is_reported(void **state)
{
	static const struct {
		int (*command)(int, char **);
		const char *words[6];
	} cases[] = {
		{ cmd_info, { "buildid info", "x" } },
		{ cmd_flush, { "buildid flush", "--what" } },
		{ cmd_stats, { "buildid stats", "-j", "--openmetrics" } },
		{ cmd_list, { "buildid list", "x", "y" } },
		{ cmd_list, { "buildid list", "--dev", "8" } },
		{ cmd_list, { "buildid list", "--dev", "8:1x" } },
		{ cmd_list, { "buildid list", "--kind", "unknown" } },
		{ cmd_list, { "buildid list", "--kind", "go", "-k" } },
		{ cmd_id, { "buildid id" } },
		{ cmd_id, { "buildid id", "-" } },
		{ cmd_id, { "buildid id", "--files-from", "-", "x" } },
		{ cmd_mon, { "buildid mon", "x", "y" } },
		{ cmd_mon, { "buildid mon", "-p", "x" } },
		{ cmd_mon, { "buildid mon", "--count", "0" } },
		{ cmd_mon, { "buildid mon", "--count", "1x" } },
		{ cmd_mon, { "buildid mon", "--count", "-1" } },
		{ cmd_mon, { "buildid mon", "--netlink", "-l", "x" } },
		{ cmd_mon, { "buildid mon", "--data", "-l", "x" } },
		{ cmd_mon, { "buildid mon", "--tasks", "-l", "x" } },
		{ cmd_mon, { "buildid mon", "--uid", "1", "-l", "x" } },
		{ cmd_mon, { "buildid mon", "--children" } },
		{ cmd_mon, { "buildid mon", "--uid", "no user" } },
		{ cmd_record, { "buildid record", "--ring-size", "5000" } },
		{ cmd_record, { "buildid record", "--ring-size", "0" } },
		{ cmd_record, { "buildid record", "--ring-size", "4x" } },
		{ cmd_record, { "buildid record", "--ring-size", "4kk" } },
		{ cmd_record, { "buildid record", "--ring-size", "99999999999G" } },
		{ cmd_record, { "buildid record", "--children" } },
		{ cmd_mon, { "buildid mon", "--ring-size", "5000" } },
		{ cmd_mon, { "buildid mon", "--ring-size", "64k", "-l", "x" } },
		{ cmd_mon, { "buildid mon", "--ring-size", "64k", "--netlink" } },
		{ cmd_list, { "buildid list", "--kind", "any", "-i", "x" } },
		{ cmd_store, { "buildid store", "--children" } },
		{ cmd_store, { "buildid store", "--live", "--children" } },
		{ cmd_store, { "buildid store", "--ring-size", "64k" } },
		{ cmd_bundle, { "buildid bundle", "-i", "x", "y" } },
	};
	pid_t child;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		child = command_start(cases[i].command, cases[i].words);
		assert_int_equal(command_finish(child), 2);
		assert_string_equal(out, "");
		assert_non_null(strstr(err, "buildid: try 'buildid help "));
	}
}

static void every_command_has_help(void **state)
{
	(void)state;
	assert_int_equal(RUN(flush, "-h"), 0);
	assert_ptr_equal(strstr(out, "Usage: buildid flush"), out);
	assert_int_equal(RUN(id, "--help"), 0);
	assert_int_equal(RUN(info, "--help"), 0);
	assert_int_equal(RUN(list, "--help"), 0);
	assert_int_equal(RUN(mon, "--help"), 0);
	assert_int_equal(RUN(record, "--help"), 0);
	assert_int_equal(RUN(stats, "--help"), 0);
	assert_string_equal(err, "");
}

#define TEST(name) cmocka_unit_test_setup(name, fake_reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_the_module_all_say_so),
		TEST(permissions_come_with_what_helps),
		TEST(info_is_rows_or_an_object),
		TEST(a_module_of_another_abi_is_named_with_a_remedy),
		TEST(stats_are_rows_or_an_object),
		TEST(openmetrics_say_whether_mappings_are_seen),
		TEST(openmetrics_count_the_processes_of_a_content),
		TEST(openmetrics_have_no_labels_twice),
		TEST(stats_are_openmetrics),
		TEST(flush_says_how_many),
		TEST(id_does_what_it_can),
		TEST(a_file_without_an_id_is_no_failure),
		TEST(what_an_archive_holds_is_identified),
		TEST(verify_compares_with_libelf),
		TEST(paths_may_come_from_a_file),
		TEST(many_paths_are_no_problem),
		TEST(counters_have_rates),
		TEST(wrong_usage_is_reported),
		TEST(every_command_has_help),
	};

	return cmocka_run_group_tests(tests, command_set_up, command_tear_down);
}
