// SPDX-License-Identifier: GPL-2.0
/* Maps, cookie, list -k: what they ask for, and how it looks. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "common/array.h"

#define ID20 "101112131415161718191a1b1c1d1e1f20212223"

/* ----------------------------------------------------------------- maps -- */

/* In the memory that a request names: there is more than one call per process. */
static void add_mapping(struct buildid_maps *request, uint64_t file_id, uint64_t addr,
			uint16_t id_len, const char *path)
{
	union any_record record;

	make_file(&record, file_id, id_len, id_len ? 0 : BUILDID_REASON_NOT_ELF, path);
	record.file.user_ino += file_id;
	if (!strcmp(path, "/gone"))
		record.file.flags = BUILDID_FILE_DELETED;
	fake_add_map(request, &record);
	make_mmap(&record, file_id, 0, request->pid);
	record.mmap.addr = addr;
	fake_add_map(request, &record);
}

static int two_processes(struct buildid_maps *request)
{
	union any_record record;

	if (request->pid > 2)
		return ESRCH;
	fake.asked_flags = request->flags;
	add_mapping(request, 1, 0x1000, 20, "/a");
	if (request->pid == 2) {
		make_cookie(&record, 2, 4);
		fake_add_map(request, &record);
	}
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void maps_are_those_of_proc_with_identities(void **state)
{
	(void)state;
	fake.maps = two_processes;
	assert_int_equal(RUN(maps, "1"), 0);
	assert_string_equal(out, "00001000-00003000 r-xp 00001000 08:01 4712     " ID20 " /a\n");
	assert_string_equal(err, "");
	assert_int_equal(fake.asked_flags, 0);
	assert_int_equal(RUN(maps, "--data", "1"), 0);
	assert_int_equal(fake.asked_flags, BUILDID_MAPS_DATA);
}

static void several_processes_have_headings(void **state)
{
	(void)state;
	fake.maps = two_processes;
	assert_int_equal(RUN(maps, "1", "2"), 0);
	assert_string_equal(out, "1: worker\n"
				 "00001000-00003000 r-xp 00001000 08:01 4712     " ID20 " /a\n"
				 "2: worker\n"
				 "00001000-00003000 r-xp 00001000 08:01 4712     " ID20 " /a\n"
				 "7f0000001000-7f0000003000 ---- cookie:10111213 [cookie]\n");
}

static void maps_are_objects_as_in_mon(void **state)
{
	(void)state;
	fake.maps = two_processes;
	assert_int_equal(RUN(maps, "-j", "2"), 0);
	assert_ptr_equal(strstr(out, "{\"type\":\"mmap\",\"seq\":0,"), out);
	assert_non_null(strstr(
		out,
		"\"pid\":2,\"tid\":3,\"start_time\":1000002,\"comm\":\"worker\",\"uid\":1000,\"cgroup\":77,\"addr\":4096,"));
	assert_non_null(strstr(out, "\"build_id\":\"" ID20 "\""));
	assert_non_null(strstr(out, "\"flags\":[\"snapshot\"]}\n{\"type\":\"cookie\","));
	assert_int_equal(RUN(maps, "--format", "json", "1"), 0);
	assert_ptr_equal(strstr(out, "{\"type\":\"mmap\""), out);
}

static void a_missing_process_is_reported(void **state)
{
	(void)state;
	fake.maps = two_processes;
	assert_int_equal(RUN(maps, "2147483647", "1"), 1);
	assert_string_equal(err, "buildid: pid 2147483647: No such process\n");
	/* The others are done. */
	assert_non_null(strstr(out, "1: worker\n00001000-"));
	fake.maps = NULL;
	assert_int_equal(RUN(maps, "1"), 1);
	assert_string_equal(err, "buildid: pid 1: has no memory of its own: "
				 "a kernel thread, or exiting\n");
}

static int own_process(struct buildid_maps *request)
{
	add_mapping(request, 1, 0x1000, 20, "/a");
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static int refuses(struct buildid_maps *request)
{
	(void)request;
	return EPERM;
}

static void a_missing_permission_is_reported_with_what_helps(void **state)
{
	(void)state;
	fake.maps = refuses;
	assert_int_equal(RUN(maps, "1"), 1);
	assert_string_equal(err, "buildid: pid 1: not permitted; "
				 "run as root, or with CAP_PERFMON\n");
	/* Once, not for each of a thousand processes. */
	assert_int_equal(RUN(maps, "-A"), 1);
	assert_string_equal(err, "buildid: maps: not permitted; "
				 "run as root, or with CAP_PERFMON\n");
}

static int of_several_files(struct buildid_maps *request)
{
	assert_int_equal(request->flags, BUILDID_MAPS_DATA);
	add_mapping(request, 1, 0x1000, 20, "/nowhere/a");
	add_mapping(request, 1, 0x3000, 20, "/nowhere/a");
	/* What is not of a file lies in between, and is not printed. */
	add_mapping(request, 1, 0x8000, 20, "/nowhere/a");
	add_mapping(request, 2, 0x10000, 0, "/nowhere/data");
	add_mapping(request, 3, 0x20000, 20, "/gone");
	add_mapping(request, 1, 0x30000, 20, "/nowhere/a");
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

/* Of a process that is not there: it has no vdso, and no file can be opened. */
static void unstrip_has_a_line_for_each_file(void **state)
{
	(void)state;
	fake.maps = of_several_files;
	assert_int_equal(RUN(maps, "--format", "unstrip", "2147483647"), 0);
	assert_string_equal(out, "0x1000+0x9000 " ID20 " /nowhere/a - /nowhere/a\n"
				 "0x10000+0x2000 - /nowhere/data - /nowhere/data\n"
				 "0x20000+0x2000 " ID20 " . - /gone (deleted)\n"
				 "0x30000+0x2000 " ID20 " /nowhere/a - /nowhere/a\n");
}

static void processes_have_names_and_options(void **state)
{
	(void)state;
	fake.maps = two_processes;
	assert_int_equal(RUN(maps, "-p", "1,2"), 0);
	assert_ptr_equal(strstr(out, "1: worker\n"), out);
	assert_non_null(strstr(out, "\n2: worker\n"));
	assert_int_equal(RUN(maps, "no such name", "1"), 1);
	assert_string_equal(err, "buildid: no such name: no process has this name\n");
	assert_non_null(strstr(out, " /a\n"));
	assert_int_equal(RUN(maps, "no such name"), 1);
	assert_string_equal(out, "");
	fake.maps = own_process;
	assert_int_equal(RUN(maps, "test_maps"), 0);
	assert_non_null(strstr(out, " /a\n"));
}

static int far_away(struct buildid_maps *request)
{
	add_mapping(
		request, 1, 0x7f0000001000, 20,
		"/usr/lib/x86_64-linux-gnu/a/directory/of/many/more/libraries/libwork.so.1.2.3");
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void maps_at(unsigned short width, const char *option)
{
	pid_t child =
		command_start_on_terminal(cmd_maps, width, 24, WORDS("buildid maps", "1", option));

	assert_int_equal(command_finish_on_terminal(child), 0);
}

static void maps_fit_their_terminal(void **state)
{
	unsigned short width;

	(void)state;
	fake.maps = far_away;
	for (width = 70; width < 150; width += 7) {
		maps_at(width, NULL);
		assert_true(strcspn(out, "\n") <= width);
		assert_non_null(strstr(out, "libwork.so.1.2.3\n"));
	}
	maps_at(80, NULL);
	assert_ptr_equal(strstr(out, "7f0000001000-7f0000003000 r-xp 101112131415 /"), out);
	maps_at(80, "--full");
	assert_non_null(strstr(out, " 08:01 4712     " ID20 " /usr/lib/x86_64-linux-gnu/a/"));
}

static void maps_take_what_they_can(void **state)
{
	static const struct {
		const char *words[5];
	} wrong[] = {
		{ { "buildid maps" } },
		{ { "buildid maps", "-A", "-p", "1" } },
		{ { "buildid maps", "0" } },
		{ { "buildid maps", "1", "-1" } },
		{ { "buildid maps", "--all-processes", "1" } },
		{ { "buildid maps", "--format", "xml", "1" } },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(command_finish(command_start(cmd_maps, wrong[i].words)), 2);
		assert_string_equal(out, "");
		assert_non_null(strstr(err, "try 'buildid help maps'\n"));
	}
}

/* --------------------------------------------------------------- cookie -- */

static void resolve_a_cookie(int fd, union any_record *record)
{
	(void)fd;
	make_file(record, 1, 4, BUILDID_REASON_NOT_ELF, "/f");
	record->file.kind = BUILDID_KIND_COOKIE;
}

static void a_cookie_is_hex_or_text(void **state)
{
	(void)state;
	fclose(fopen("file", "w"));
	fake.resolve = resolve_a_cookie;
	assert_int_equal(RUN(cookie, "file", "00fFA0"), 0);
	assert_string_equal(out, "cookie:10111213                          file\n");
	assert_int_equal(fake.cookie.flags, BUILDID_COOKIE_FD);
	assert_int_equal(fake.cookie.id_len, 3);
	assert_memory_equal(fake.cookie_id, "\x00\xff\xa0", 3);

	assert_int_equal(RUN(cookie, "-j", "file", "--text", "v1.2"), 0);
	assert_non_null(strstr(out, "\"path\":\"file\""));
	assert_non_null(strstr(out, "\"kind\":\"cookie\",\"reason\":\"not-elf\""));
	assert_int_equal(fake.cookie.id_len, 4);
	assert_memory_equal(fake.cookie_id, "v1.2", 4);

	assert_int_equal(RUN(cookie, "--clear", "file"), 0);
	assert_int_equal(fake.cookie.id_len, 0);
}

static void a_refused_cookie_is_reported(void **state)
{
	(void)state;
	fclose(fopen("file", "w"));
	fake.cookie_error = EEXIST;
	assert_int_equal(RUN(cookie, "file", "00"), 1);
	assert_string_equal(err, "buildid: file: the content has an identity of its own\n");
	assert_string_equal(out, "");
	fake.cookie_error = EPERM;
	assert_int_equal(RUN(cookie, "file", "00"), 1);
	assert_string_equal(err, "buildid: file: not permitted; "
				 "only the owner of a file may give it a cookie\n");
	fake.cookie_error = ENOENT;
	assert_int_equal(RUN(cookie, "file", "--clear"), 1);
	assert_string_equal(err, "buildid: file: has no cookie\n");
	fake.cookie_error = EAGAIN;
	assert_int_equal(RUN(cookie, "file", "00"), 1);
	assert_string_equal(err, "buildid: file: is being changed; try again\n");
	assert_int_equal(RUN(cookie, "nowhere", "00"), 1);
	assert_string_equal(err, "buildid: nowhere: No such file or directory\n");
	assert_int_equal(RUN(cookie, "/dev/null", "00"), 1);
	assert_string_equal(err, "buildid: /dev/null: not a regular file\n");
}

static void a_cookie_that_is_none_is_wrong_usage(void **state)
{
	static const char long_hex[] = { [0 ... 257] = 'a', '\0' };
	const struct {
		const char *words[6];
	} wrong[] = {
		{ { "buildid cookie" } },
		{ { "buildid cookie", "file" } },
		{ { "buildid cookie", "file", "" } },
		{ { "buildid cookie", "file", "abc" } },
		{ { "buildid cookie", "file", "xy" } },
		{ { "buildid cookie", "file", long_hex } },
		{ { "buildid cookie", "file", "--text", long_hex } },
		{ { "buildid cookie", "file", "--text", "" } },
		{ { "buildid cookie", "file", "00", "--clear" } },
		{ { "buildid cookie", "file", "00", "--text", "a" } },
		{ { "buildid cookie", "file", "--clear", "--text", "a" } },
		{ { "buildid cookie", "file", "00", "11" } },
	};
	size_t i;

	(void)state;
	fclose(fopen("file", "w"));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(command_finish(command_start(cmd_cookie, wrong[i].words)), 2);
		assert_non_null(strstr(err, "try 'buildid help cookie'\n"));
	}
	/* 128 bytes are as many as there may be. */
	assert_int_equal(RUN(cookie, "file", long_hex + 2), 0);
	assert_int_equal(fake.cookie.id_len, BUILDID_ID_MAX);
}

/* ----------------------------------------------------------------- list -- */

static void put_image(uint16_t type, uint16_t flags, uint16_t id_len, const char *name)
{
	union any_record record;

	make_image(&record, type, id_len, name);
	record.header.flags = flags;
	assert_true(fake_put(&record));
}

static void put_kernel(void)
{
	fake_reset(NULL);
	put_image(BUILDID_RECORD_KERNEL, BUILDID_RECORD_SNAPSHOT, 20, "6.99.1");
	put_image(BUILDID_RECORD_MODULE, BUILDID_RECORD_SNAPSHOT, 4, "no_such_module");
	/* A name is nothing to go by. */
	put_image(BUILDID_RECORD_MODULE, BUILDID_RECORD_SNAPSHOT, 8, "kernel.kallsyms");
	put_image(BUILDID_RECORD_MODULE, BUILDID_RECORD_SNAPSHOT, 0, "without");
	/* Loaded just now: not of those that were there. */
	put_image(BUILDID_RECORD_MODULE, 0, 20, "late");
}

static void the_kernel_and_its_modules_are_listed(void **state)
{
	(void)state;
	put_kernel();
	assert_int_equal(RUN(list, "-k"), 0);
	assert_string_equal(out, ID20 " [kernel.kallsyms]\n");
	assert_int_equal(fake.subscribed.flags, BUILDID_SUB_KERNEL);
	/* Just of itself, as that needs no permission. */
	assert_int_equal(fake.subscribed.nr_pids, 1);
	put_kernel();
	assert_int_equal(RUN(list, "-m"), 0);
	assert_string_equal(out, "10111213                                 [no_such_module]\n"
				 "1011121314151617                         [kernel.kallsyms]\n");
	put_kernel();
	assert_int_equal(RUN(list, "-km", "--kind", "any"), 0);
	assert_string_equal(out, ID20 " [kernel.kallsyms]\n"
				      "10111213                                 [no_such_module]\n"
				      "1011121314151617                         [kernel.kallsyms]\n"
				      "(no-note)                                [without]\n");
	put_kernel();
	assert_int_equal(RUN(list, "-k", "-j"), 0);
	assert_string_equal(
		out,
		"{\"type\":\"kernel\",\"seq\":1,\"time_mono\":1000,\"time_perf\":2000,"
		"\"path\":null,\"addr\":18446744071578845184,\"addr_hex\":\"0xffffffff81000000\",\"len\":16777216,"
		"\"name\":\"6.99.1\",\"build_id\":\"" ID20 "\",\"kind\":\"gnu\","
		"\"reason\":null,\"flags\":[\"snapshot\"]}\n");
}

static void a_list_that_is_not_whole_is_a_failure(void **state)
{
	(void)state;
	put_kernel();
	put_lost(7);
	assert_int_equal(RUN(list, "-k"), 1);
	assert_string_equal(err, "buildid: /dev/buildid: lost 7 records\n");
	assert_string_equal(out, ID20 " [kernel.kallsyms]\n");
}

#define TEST(name) cmocka_unit_test_setup(name, fake_reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(maps_are_those_of_proc_with_identities),
		TEST(several_processes_have_headings),
		TEST(maps_are_objects_as_in_mon),
		TEST(a_missing_process_is_reported),
		TEST(a_missing_permission_is_reported_with_what_helps),
		TEST(unstrip_has_a_line_for_each_file),
		TEST(processes_have_names_and_options),
		TEST(maps_fit_their_terminal),
		TEST(maps_take_what_they_can),
		TEST(a_cookie_is_hex_or_text),
		TEST(a_refused_cookie_is_reported),
		TEST(a_cookie_that_is_none_is_wrong_usage),
		TEST(the_kernel_and_its_modules_are_listed),
		TEST(a_list_that_is_not_whole_is_a_failure),
	};

	return cmocka_run_group_tests(tests, command_set_up, command_tear_down);
}
