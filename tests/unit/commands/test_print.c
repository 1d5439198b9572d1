// SPDX-License-Identifier: GPL-2.0
/* Print: columns, JSON keys, and names of any bytes. */

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "commands/print.h"
#include "common/array.h"
#include "common/columns.h"
#include "common/output.h"
#include "common/utf8.h"
#include "streams.h"

static struct output out;
static char *text;
static size_t size;

static void begin(bool json)
{
	out_init(&out, open_memstream(&text, &size), json);
	assert_non_null(out.file);
}

static void end(const char *expected)
{
	assert_int_equal(fclose(out.file), 0);
	if (expected)
		assert_string_equal(text, expected);
}

static void done(void)
{
	free(text);
	text = NULL;
}

static void show_event(bool json, const union any_record *record, const union any_record *file)
{
	struct buildid_event event = {
		.record = &record->header,
		.file = file ? &file->file : NULL,
	};

	begin(json);
	print_event(&out, &event, NULL);
}

static void assert_keys(struct json_object *object, const char *const *keys)
{
	struct json_object_iterator at = json_object_iter_begin(object);
	struct json_object_iterator end_ = json_object_iter_end(object);

	for (; *keys && !json_object_iter_equal(&at, &end_); keys++) {
		assert_string_equal(json_object_iter_peek_name(&at), *keys);
		json_object_iter_next(&at);
	}
	assert_null(*keys);
	assert_true(json_object_iter_equal(&at, &end_));
}

static struct json_object *parse(void)
{
	struct json_object *object = json_tokener_parse(text);

	assert_non_null(object);
	assert_ptr_equal(strchr(text, '\n'), text + size - 1);
	return object;
}

static const char *string_of(struct json_object *object, const char *key)
{
	struct json_object *value;

	assert_true(json_object_object_get_ex(object, key, &value));
	return value ? json_object_get_string(value) : NULL;
}

/* --------------------------------------------------------------- text -- */

static void a_mapping_is_a_line_of_columns(void **state)
{
	union any_record mmap, file;

	(void)state;
	make_mmap(&mmap, 1, 0, 4242);
	make_file(&file, 1, 20, 0, "/usr/bin/worker");
	show_event(false, &mmap, &file);
	end("   4242 worker          7f0000001000 r-xp "
	    "101112131415161718191a1b1c1d1e1f20212223 /usr/bin/worker\n");
	done();
}

static void flags_follow_the_path(void **state)
{
	union any_record mmap, file;

	(void)state;
	make_mmap(&mmap, 1, 0, 1);
	mmap.mmap.prot |= PROT_WRITE;
	mmap.mmap.map_flags = MAP_SHARED;
	make_file(&file, 1, 0, BUILDID_REASON_NO_NOTE, "/a");
	file.file.flags = BUILDID_FILE_DELETED | BUILDID_FILE_UNSTABLE;
	show_event(false, &mmap, &file);
	end("      1 worker          7f0000001000 rwxs "
	    "(no-note)                                /a (deleted) (unstable)\n");
	done();
}

static void a_mapping_without_a_file_says_so(void **state)
{
	union any_record mmap;

	(void)state;
	make_mmap(&mmap, 0, BUILDID_STATE_UNRESOLVED, 1);
	show_event(false, &mmap, NULL);
	end("      1 worker          7f0000001000 r-xp "
	    "(unresolved)                             -\n");
	done();
}

static void the_kernel_and_modules_are_lines(void **state)
{
	union any_record image;

	(void)state;
	make_image(&image, BUILDID_RECORD_KERNEL, 20, "6.12.1");
	image.header.flags = BUILDID_RECORD_SNAPSHOT;
	show_event(false, &image, NULL);
	end("      - kernel          ffffffff81000000 ---- "
	    "101112131415161718191a1b1c1d1e1f20212223 6.12.1 (snapshot)\n");
	done();
	make_image(&image, BUILDID_RECORD_MODULE, 0, "kernel");
	image.image.addr = 0;
	image.image.flags = BUILDID_IMAGE_UNLOAD;
	show_event(false, &image, NULL);
	end("      - module                     0 ---- "
	    "(no-note)                                kernel (unload)\n");
	done();
}

static void a_cookie_is_a_line_like_a_mapping(void **state)
{
	union any_record cookie;

	(void)state;
	make_cookie(&cookie, 7, 4);
	show_event(false, &cookie, NULL);
	end("      7 worker          7f0000001000 ---- "
	    "cookie:10111213                          [cookie]\n");
	done();
	cookie.cookie.kind = BUILDID_KIND_GNU;
	show_event(false, &cookie, NULL);
	end("      7 worker          7f0000001000 ---- "
	    "10111213                                 [cookie]\n");
	done();
	make_cookie(&cookie, 7, 0);
	show_event(false, &cookie, NULL);
	end("      7 worker          7f0000001000 ---- "
	    "(none)                                   [cookie]\n");
	done();
}

static void kernel_modules_and_cookies_are_objects(void **state)
{
	union any_record record;

	(void)state;
	make_image(&record, BUILDID_RECORD_MODULE, 4, "ext4");
	record.image.flags = BUILDID_IMAGE_UNLOAD;
	show_event(true, &record, NULL);
	end("{\"type\":\"module\",\"seq\":1,\"time_mono\":1000,\"time_perf\":2000,"
	    "\"addr\":18446744071578845184,\"addr_hex\":\"0xffffffff81000000\",\"len\":16777216,\"name\":\"ext4\","
	    "\"build_id\":\"10111213\",\"kind\":\"gnu\",\"reason\":null,"
	    "\"flags\":[\"unload\"]}\n");
	done();
	make_image(&record, BUILDID_RECORD_KERNEL, 0, "6.1");
	record.header.flags = BUILDID_RECORD_SNAPSHOT;
	show_event(true, &record, NULL);
	end("{\"type\":\"kernel\",\"seq\":1,\"time_mono\":1000,\"time_perf\":2000,"
	    "\"addr\":18446744071578845184,\"addr_hex\":\"0xffffffff81000000\",\"len\":16777216,\"name\":\"6.1\","
	    "\"build_id\":null,\"kind\":\"none\",\"reason\":\"no-note\","
	    "\"flags\":[\"snapshot\"]}\n");
	done();
	make_cookie(&record, 7, 4);
	show_event(true, &record, NULL);
	end("{\"type\":\"cookie\",\"seq\":1,\"time_mono\":1000,\"time_perf\":2000,"
	    "\"pid\":7,\"tid\":8,\"start_time\":1000007,\"comm\":\"worker\",\"addr\":139637976731648,\"addr_hex\":\"0x7f0000001000\","
	    "\"len\":8192,\"build_id\":\"10111213\",\"kind\":\"cookie\","
	    "\"flags\":[]}\n");
	done();
}

static void tasks_are_shown(void **state)
{
	union any_record task;

	(void)state;
	make_process(&task, BUILDID_RECORD_FORK, 8, 7);
	task.task.flags = BUILDID_TASK_SHARES_MM;
	show_event(false, &task, NULL);
	end("      8 worker          fork of 7 (shares-mm)\n");
	done();
	show_event(true, &task, NULL);
	end("{\"type\":\"fork\",\"seq\":1,\"time_mono\":1000,\"time_perf\":2000,"
	    "\"pid\":8,\"tid\":8,\"start_time\":1000008,\"comm\":\"worker\","
	    "\"parent_pid\":7,\"parent_start_time\":1000007,\"uid\":0,\"cgroup\":0,"
	    "\"flags\":[\"shares-mm\"]}\n");
	done();
	make_process(&task, BUILDID_RECORD_EXEC, 8, 0);
	show_event(false, &task, NULL);
	end("      8 worker          exec\n");
	done();
	make_process(&task, BUILDID_RECORD_EXIT, 8, 0);
	task.task.uid = 65534;
	task.task.cgroup_id = 77;
	task.task.exit_code = 0x100;
	show_event(true, &task, NULL);
	end("{\"type\":\"exit\",\"seq\":1,\"time_mono\":1000,\"time_perf\":2000,"
	    "\"pid\":8,\"tid\":8,\"start_time\":1000008,\"comm\":\"worker\","
	    "\"uid\":65534,\"cgroup\":77,\"exit_code\":256,\"flags\":[]}\n");
	done();
	make_process(&task, BUILDID_RECORD_COMM, 8, 0);
	show_event(false, &task, NULL);
	end("      8 worker          comm\n");
	done();
	make_process(&task, BUILDID_RECORD_FORK, 8, 0);
	show_event(false, &task, NULL);
	end("      8 worker          fork of the kernel\n");
	done();
}

static void losses_are_shown_by_cause(void **state)
{
	union any_record lost;

	(void)state;
	make_lost(&lost, 12);
	lost.lost.ring_full_mmaps = 7;
	show_event(false, &lost, NULL);
	end("lost 12 records, 7 of mappings (ring full)\n");
	done();
	lost.lost.unresolved = 3;
	lost.lost.missed_probe = 2;
	show_event(false, &lost, NULL);
	end("lost 12 records, 7 of mappings (ring full), 2 mappings (missed probe), "
	    "3 identities (unresolved)\n");
	done();
	make_lost(&lost, UINT64_MAX);
	lost.lost.unresolved = lost.lost.missed_probe = UINT64_MAX;
	show_event(false, &lost, NULL);
	end("lost 18446744073709551615 records, "
	    "18446744073709551615 of mappings (ring full), "
	    "18446744073709551615 mappings (missed probe), "
	    "18446744073709551615 identities (unresolved)\n");
	done();
}

static void the_time_of_day_is_before_it(void **state)
{
	struct print_view view = { .layout = layout_of(0, true, false), .real = 3723004000000 };
	struct buildid_event event = {};
	union any_record lost;

	(void)state;
	setenv("TZ", "UTC", 1);
	make_lost(&lost, 1);
	event.record = &lost.header;
	begin(false);
	print_event(&out, &event, &view);
	end("01:02:03.004 lost 1 records, 1 of mappings (ring full)\n");
	done();
}

static void an_object_has_the_date(void **state)
{
	struct print_view view = { .layout = layout_of(0, false, false) };
	struct buildid_event event = {};
	union any_record task;

	(void)state;
	setenv("TZ", "Asia/Kolkata", 1);
	make_process(&task, BUILDID_RECORD_EXIT, 8, 0);
	event.record = &task.header;
	view.real = 1700000000123455000; /* and a microsecond of time_mono */
	begin(true);
	print_event(&out, &event, &view);
	end("{\"type\":\"exit\",\"seq\":1,\"time_mono\":1000,\"time_perf\":2000,"
	    "\"time\":\"2023-11-14T22:13:20.123456Z\",\"pid\":8,\"tid\":8,"
	    "\"start_time\":1000008,\"comm\":\"worker\",\"uid\":0,\"cgroup\":0,\"exit_code\":0,"
	    "\"flags\":[]}\n");
	done();
	view.real = -2000;
	begin(true);
	print_event(&out, &event, &view);
	end(NULL);
	assert_non_null(strstr(text, "\"time\":\"1969-12-31T23:59:59.999999Z\""));
	done();
}

/* ------------------------------------------------------------ terminals -- */

static void show_at(int width, const union any_record *record, const union any_record *file)
{
	struct print_view view = { .layout = layout_of(width, false, false) };
	struct buildid_event event = {
		.record = &record->header,
		.file = file ? &file->file : NULL,
	};

	begin(false);
	out.width = width;
	print_header(&out, &view);
	print_event(&out, &event, &view);
}

static void lines_fit_the_terminal(void **state)
{
	union any_record mmap, file;

	(void)state;
	setenv("LC_ALL", "C", 1);
	make_mmap(&mmap, 1, 0, 4242);
	make_file(&file, 1, 20, 0, "/usr/lib/x86_64-linux-gnu/libcrypto.so.3");
	show_at(140, &mmap, &file);
	end("    PID COMM                 ADDRESS PROT IDENTITY                                 PATH\n"
	    "   4242 worker          7f0000001000 r-xp 101112131415161718191a1b1c1d1e1f20212223 "
	    "/usr/lib/x86_64-linux-gnu/libcrypto.so.3\n");
	done();
	show_at(80, &mmap, &file);
	end("    PID COMM                 ADDRESS PROT IDENTITY     PATH\n"
	    "   4242 worker          7f0000001000 r-xp 101112131415 "
	    "/usr/li.../libcrypto.so.3\n");
	done();
	file.file.flags = BUILDID_FILE_DELETED;
	show_at(66, &mmap, &file);
	end("    PID COMM            IDENTITY     PATH\n"
	    "   4242 worker          101112131415 /usr/...crypto.so.3 (deleted)\n");
	done();
}

static void other_kinds_stay_visible(void **state)
{
	union any_record mmap, file;

	(void)state;
	make_mmap(&mmap, 1, 0, 1);
	make_file(&file, 1, 32, BUILDID_REASON_NOT_ELF, "/f");
	file.file.kind = BUILDID_KIND_HTLHASH;
	show_at(80, &mmap, &file);
	assert_int_equal(fclose(out.file), 0);
	assert_non_null(strstr(text, "r-xp htlhash:1011 /f\n"));
	done();
	show_at(80, &mmap, NULL);
	assert_int_equal(fclose(out.file), 0);
	assert_non_null(strstr(text, "r-xp (unresolved) -\n"));
	done();
	show_at(OUT_ENDLESS, &mmap, &file);
	assert_int_equal(fclose(out.file), 0);
	assert_non_null(strstr(text, "r-xp htlhash:101112131415161718191a1b1c1d1e1f2021222324252627"
				     "28292a2b2c2d2e2f /f\n"));
	done();
}

/* The longest of everything, with wide and hostile characters. */
static void no_line_is_wider_than_the_terminal(void **state)
{
	union any_record mmap, file;
	int width;

	(void)state;
	make_mmap(&mmap, 1, 0, 4194304);
	memcpy(mmap.mmap.comm, "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\n\033", 15);
	make_file(&file, 1, 64, BUILDID_REASON_NOT_ELF,
		  "/\xe6\xbc\xa2\xe5\xad\x97/\xff\xff\n/a\xcc\x88/\033[2J/"
		  "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97");
	file.file.kind = BUILDID_KIND_HTLHASH;
	file.file.flags = BUILDID_FILE_DELETED | BUILDID_FILE_UNSTABLE;
	for (width = 44; width < 300; width++) {
		char *line, *end_;

		show_at(width, &mmap, &file);
		assert_int_equal(fclose(out.file), 0);
		for (line = text; *line; line = end_ + 1) {
			end_ = strchr(line, '\n');
			assert_non_null(end_);
			*end_ = '\0';
			assert_true(columns_of(line) <= width);
		}
		done();
	}
}

static void a_file_is_as_perf_buildid_list_has_it(void **state)
{
	union any_record file;

	(void)state;
	make_file(&file, 1, 8, 0, "/usr/bin/ls");
	begin(false);
	print_file(&out, &file.file, NULL);
	print_file(&out, &file.file, "as given");
	file.file.flags = BUILDID_FILE_DELETED;
	file.file.path_len = 0;
	print_file(&out, &file.file, NULL);
	end("1011121314151617                         /usr/bin/ls\n"
	    "1011121314151617                         as given\n"
	    "1011121314151617                         -\n");
	done();
}

static void other_kinds_are_named(void **state)
{
	static const char go[] = "a1_-/B \\\033";
	char word[PRINT_ID_MAX];
	union any_record file;
	unsigned int i;

	(void)state;
	make_file(&file, 1, 2, BUILDID_REASON_NO_NOTE, "/f");
	file.file.kind = BUILDID_KIND_HTLHASH;
	assert_string_equal(print_id(&file.file, word), "htlhash:1011");

	make_file(&file, 1, sizeof(go) - 1, BUILDID_REASON_NO_NOTE, "/f");
	file.file.kind = BUILDID_KIND_GO;
	memcpy(data_of(&file), go, sizeof(go) - 1);
	assert_string_equal(print_id(&file.file, word), "go:a1_-/B\\040\\134\\033");

	/* The longest there can be fits. */
	make_file(&file, 1, BUILDID_ID_MAX, BUILDID_REASON_NO_NOTE, "/f");
	file.file.kind = BUILDID_KIND_GO;
	memset(data_of(&file), 0xff, BUILDID_ID_MAX);
	assert_int_equal(strlen(print_id(&file.file, word)), 3 + 4 * BUILDID_ID_MAX);

	make_file(&file, 1, 0, 0, "/f");
	for (i = 0; i < 20; i++) {
		file.file.reason = (uint16_t)i;
		assert_true(print_id(&file.file, word)[0] == '(');
	}
}

static void what_moves_the_cursor_is_not_printed(void **state)
{
	union any_record file;

	(void)state;
	make_file(&file, 1, 1, 0,
		  "/a\nb\033[2J\x7f\xc2\x9bm\xc3\xa4\xff\x9b"
		  "2J\xe2\x9b");
	begin(false);
	print_file(&out, &file.file, NULL);
	end("10                                       "
	    "/a\\012b\\033[2J\\177\\302\\233m\xc3\xa4\xff\\2332J\xe2\\233\n");
	done();
}

static void nor_in_json(void **state)
{
	union any_record file;

	(void)state;
	make_file(&file, 1, 1, 0, "/a\nb\033[2J\x7f\xc2\x9bm\xc3\xa4");
	begin(true);
	print_file(&out, &file.file, NULL);
	end(NULL);
	assert_non_null(strstr(text, "\"/a\\nb\\u001b[2J\\u007f\\u009bm\xc3\xa4\""));
	json_object_put(parse());
	done();
}

/* --------------------------------------------------------------- JSON -- */

static void a_mapping_has_all_keys_in_order(void **state)
{
	static const char *const keys[] = {
		"type",	   "seq",      "time_mono", "time_perf", "pid",	     "tid",   "start_time",
		"comm",	   "uid",      "cgroup",    "addr",	 "addr_hex", "len",   "pgoff",
		"prot",	   "path",     "dev",	    "ino",	 "gen",	     "mtime", "size",
		"file_id", "build_id", "kind",	    "reason",	 "flags",    NULL,
	};
	struct json_object *object;
	union any_record mmap, file;

	(void)state;
	make_mmap(&mmap, 7, 0, 4242);
	make_file(&file, 7, 4, 0, "/usr/bin/worker");
	file.file.flags = BUILDID_FILE_DELETED | BUILDID_FILE_MEMFD;
	show_event(true, &mmap, &file);
	end("{\"type\":\"mmap\",\"seq\":1,\"time_mono\":1000,\"time_perf\":2000,"
	    "\"pid\":4242,\"tid\":4243,\"start_time\":1004242,\"comm\":\"worker\","
	    "\"uid\":1000,\"cgroup\":77,\"addr\":139637976731648,\"addr_hex\":\"0x7f0000001000\",\"len\":8192,\"pgoff\":4096,"
	    "\"prot\":\"r-xp\",\"path\":\"/usr/bin/worker\",\"dev\":\"8:1\","
	    "\"ino\":4711,\"gen\":99,\"mtime\":1700000000000000000,"
	    "\"size\":123456,\"file_id\":7,\"build_id\":\"10111213\","
	    "\"kind\":\"gnu\",\"reason\":null,\"flags\":[\"deleted\",\"memfd\"]}\n");
	object = parse();
	assert_keys(object, keys);
	json_object_put(object);
	done();

	/* Without a file the same keys are there. */
	show_event(true, &mmap, NULL);
	end(NULL);
	object = parse();
	assert_keys(object, keys);
	assert_null(string_of(object, "build_id"));
	assert_null(string_of(object, "path"));
	assert_string_equal(string_of(object, "kind"), "none");
	assert_string_equal(string_of(object, "reason"), "unresolved");
	assert_string_equal(string_of(object, "file_id"), "7");
	json_object_put(object);
	done();
}

static void a_mapping_whose_file_is_being_read_says_so(void **state)
{
	struct json_object *object;
	union any_record mmap;
	const struct buildid_event event = {
		.record = &mmap.header,
		.flags = BUILDID_EVENT_FILE_FOLLOWS,
	};

	(void)state;
	make_mmap(&mmap, 7, BUILDID_STATE_FOLLOWS, 1);
	begin(false);
	print_event(&out, &event, NULL);
	end("      1 worker          7f0000001000 r-xp "
	    "(being-read)                             -\n");
	done();
	begin(true);
	print_event(&out, &event, NULL);
	end(NULL);
	object = parse();
	assert_string_equal(string_of(object, "reason"), "being-read");
	assert_string_equal(string_of(object, "file_id"), "7");
	json_object_put(object);
	done();
}

static void a_file_has_all_keys_in_order(void **state)
{
	static const char *const keys[] = {
		"type",	    "seq",	"time_mono", "time_perf", "path",  "dev",  "ino",
		"tree",	    "user_dev", "user_ino",  "gen",	  "mtime", "size", "file_id",
		"build_id", "kind",	"reason",    "flags",	  NULL,
	};
	struct json_object *object;
	union any_record file;

	(void)state;
	make_file(&file, 7, 0, BUILDID_REASON_NOT_ELF, "/f");
	file.file.user_ino = 5;
	file.file.tree = 257;
	file.file.mtime = -1;
	begin(true);
	print_file(&out, &file.file, NULL);
	end(NULL);
	object = parse();
	assert_keys(object, keys);
	assert_null(string_of(object, "build_id"));
	assert_string_equal(string_of(object, "kind"), "none");
	assert_string_equal(string_of(object, "reason"), "not-elf");
	assert_string_equal(string_of(object, "mtime"), "-1");
	assert_string_equal(string_of(object, "user_ino"), "5");
	assert_string_equal(string_of(object, "tree"), "257");
	json_object_put(object);
	done();
}

static void an_id_is_hex_whatever_its_kind(void **state)
{
	struct json_object *object;
	union any_record file;

	(void)state;
	make_file(&file, 7, 2, BUILDID_REASON_NO_NOTE, "/f");
	file.file.kind = BUILDID_KIND_GO;
	begin(true);
	print_file(&out, &file.file, NULL);
	end(NULL);
	object = parse();
	assert_string_equal(string_of(object, "build_id"), "1011");
	assert_string_equal(string_of(object, "kind"), "go");
	assert_string_equal(string_of(object, "reason"), "no-note");
	json_object_put(object);
	done();
}

static void a_loss_has_all_keys_in_order(void **state)
{
	union any_record lost;

	(void)state;
	make_lost(&lost, 12);
	lost.lost.unresolved = 3;
	show_event(true, &lost, NULL);
	end("{\"type\":\"lost\",\"seq\":1,\"time_mono\":1000,\"time_perf\":2000,"
	    "\"ring_full\":12,\"ring_full_mmaps\":12,\"unresolved\":3,\"missed_probe\":0}\n");
	done();
}

static void large_numbers_stay_what_they_are(void **state)
{
	union any_record mmap;

	(void)state;
	make_mmap(&mmap, UINT64_MAX, 0, UINT32_MAX);
	mmap.mmap.addr = 0xffffffffff600000;
	show_event(true, &mmap, NULL);
	end(NULL);
	assert_non_null(strstr(text, "\"addr\":18446744073699065856,"));
	assert_non_null(strstr(text, "\"file_id\":18446744073709551615,"));
	assert_non_null(strstr(text, "\"pid\":4294967295,"));
	done();
}

static void any_path_gives_valid_json(void **state)
{
	static const struct {
		const char *path, *parsed, *bytes;
	} cases[] = {
		{ "/quote\"back\\slash/", "/quote\"back\\slash/", NULL },
		{ "/nl\ntab\t\001\x7f", "/nl\ntab\t\001\x7f", NULL },
		{ "/\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "/\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		  NULL },
		{ "/\xff", "/\xef\xbf\xbd", "2fff" },
		{ "/a\xc3", "/a\xef\xbf\xbd", "2f61c3" },
		{ "/\xc0\x80", "/\xef\xbf\xbd\xef\xbf\xbd", "2fc080" },
		{ "/\xed\xa0\x80", "/\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "2feda080" },
		{ "/\xf4\x90\x80\x80x",
		  "/\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
		  "\xef\xbf\xbdx",
		  "2ff490808078" },
	};
	struct json_object *object, *extra;
	union any_record file;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		make_file(&file, 1, 1, 0, cases[i].path);
		begin(true);
		print_file(&out, &file.file, NULL);
		end(NULL);
		assert_true(utf8_valid(text));
		object = parse();
		assert_string_equal(string_of(object, "path"), cases[i].parsed);
		assert_int_equal(json_object_object_get_ex(object, "path_bytes", &extra),
				 !!cases[i].bytes);
		if (cases[i].bytes)
			assert_string_equal(string_of(object, "path_bytes"), cases[i].bytes);
		json_object_put(object);
		done();
	}
}

static void every_byte_gives_valid_json(void **state)
{
	char path[] = "/?/?";
	struct json_object *object;
	union any_record file;
	int byte;

	(void)state;
	for (byte = 1; byte < 256; byte++) {
		path[1] = path[3] = (char)byte;
		make_file(&file, 1, 1, 0, path);
		begin(true);
		print_file(&out, &file.file, NULL);
		end(NULL);
		assert_true(utf8_valid(text));
		object = parse();
		if (byte < 0x80)
			assert_string_equal(string_of(object, "path"), path);
		json_object_put(object);
		done();
	}
}

static void a_name_cut_in_a_character_gives_valid_json(void **state)
{
	struct json_object *object;
	union any_record mmap;

	(void)state;
	make_mmap(&mmap, 0, 0, 1);
	memcpy(mmap.mmap.comm, "0123456789abcd\xc3", 16);
	show_event(true, &mmap, NULL);
	end(NULL);
	object = parse();
	assert_string_equal(string_of(object, "comm"), "0123456789abcd\xef\xbf\xbd");
	json_object_put(object);
	done();
}

static void no_colour_but_on_a_terminal(void **state)
{
	(void)state;
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	begin(false);
	assert_false(out.colour);
	end("");
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mapping_is_a_line_of_columns),
		cmocka_unit_test(flags_follow_the_path),
		cmocka_unit_test(a_mapping_without_a_file_says_so),
		cmocka_unit_test(the_kernel_and_modules_are_lines),
		cmocka_unit_test(a_cookie_is_a_line_like_a_mapping),
		cmocka_unit_test(kernel_modules_and_cookies_are_objects),
		cmocka_unit_test(tasks_are_shown),
		cmocka_unit_test(losses_are_shown_by_cause),
		cmocka_unit_test(the_time_of_day_is_before_it),
		cmocka_unit_test(an_object_has_the_date),
		cmocka_unit_test(lines_fit_the_terminal),
		cmocka_unit_test(other_kinds_stay_visible),
		cmocka_unit_test(no_line_is_wider_than_the_terminal),
		cmocka_unit_test(a_file_is_as_perf_buildid_list_has_it),
		cmocka_unit_test(other_kinds_are_named),
		cmocka_unit_test(what_moves_the_cursor_is_not_printed),
		cmocka_unit_test(nor_in_json),
		cmocka_unit_test(a_mapping_has_all_keys_in_order),
		cmocka_unit_test(a_mapping_whose_file_is_being_read_says_so),
		cmocka_unit_test(a_file_has_all_keys_in_order),
		cmocka_unit_test(an_id_is_hex_whatever_its_kind),
		cmocka_unit_test(a_loss_has_all_keys_in_order),
		cmocka_unit_test(large_numbers_stay_what_they_are),
		cmocka_unit_test(any_path_gives_valid_json),
		cmocka_unit_test(every_byte_gives_valid_json),
		cmocka_unit_test(a_name_cut_in_a_character_gives_valid_json),
		cmocka_unit_test(no_colour_but_on_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
