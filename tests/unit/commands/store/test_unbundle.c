// SPDX-License-Identifier: GPL-2.0
/* Unbundle: archives that anybody wrote. */

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "common/array.h"
#include "samples.h"

static struct archive *archive;
static char good[BUILD_ID_TEXT], other[BUILD_ID_TEXT];

/* ------------------------------------------------------------- archives -- */

static void begin(void)
{
	archive = archive_write_new();
	assert_int_equal(archive_write_set_format_pax_restricted(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_add_filter_zstd(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(archive, "b.tar.zst"), ARCHIVE_OK);
}

static void finish(void)
{
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_write_free(archive);
}

static void add_bytes(const char *name, const char *bytes, size_t size)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, S_IFREG);
	archive_entry_set_perm(entry, 06777);
	archive_entry_set_size(entry, (int64_t)size);
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(archive, bytes, size), size);
	archive_entry_free(entry);
}

static void add_file(const char *name, const char *path)
{
	static char bytes[1 << 20];
	int fd = open(path, O_RDONLY);
	ssize_t size;

	assert_true(fd >= 0);
	size = read(fd, bytes, sizeof(bytes));
	assert_true(size > 0 && (size_t)size < sizeof(bytes));
	close(fd);
	add_bytes(name, bytes, (size_t)size);
}

static void add_special(const char *name, mode_t type, const char *symlink_, const char *hardlink)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, type);
	archive_entry_set_perm(entry, 0777);
	if (symlink_)
		archive_entry_set_symlink(entry, symlink_);
	if (hardlink)
		archive_entry_set_hardlink(entry, hardlink);
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	archive_entry_free(entry);
}

/* "usr/bin/true/<id>/elf" and the like; valid until the third call after it. */
static const char *name(const char *format, const char *id)
{
	static char names[3][512];
	static unsigned int next;
	char *text = names[next++ % 3];
	const char *mark = strchr(format, '@');

	assert_non_null(mark);
	snprintf(text, 512, "%.*s%s%s", (int)(mark - format), format, id, mark + 1);
	return text;
}

static void add_good(void)
{
	char link[BUILD_ID_TEXT + 16];

	add_file(name("usr/bin/true/@/elf", good), "true");
	add_bytes(name("usr/bin/true/@/probes", good), "", 0);
	snprintf(link, sizeof(link), ".build-id/%.2s/%s", good, good + 2);
	add_special(link, S_IFLNK, name("../../usr/bin/true/@", good), NULL);
}

/* --------------------------------------------------------------- checks -- */

static int set_up(void **state)
{
	struct build_id id;

	if (fake_reset(state) || sample_set_up(state))
		return -1;
	sample_make("true");
	sample_make("false");
	sample_id("true", &id);
	build_id_text(&id, good);
	sample_id("false", &id);
	build_id_text(&id, other);
	begin();
	return 0;
}

static int unbundle(void)
{
	finish();
	return RUN(unbundle, "b.tar.zst");
}

/* The good content is there, and nothing else is. */
static void assert_only_good(void)
{
	char want[2048], line[700];

	snprintf(want, sizeof(want),
		 ".debug/.build-id/%.2s/%s\n.debug/.build-id/%.2s/%s.debug\n"
		 ".debug/usr/bin/true/%s/elf\n.debug/usr/bin/true/%s/probes\n"
		 "b.tar.zst\nerr\nfalse\nout\ntrue\n",
		 good, good + 2, good, good + 2, good, good);
	assert_string_equal(shell_output("find * .debug -not -type d | LC_ALL=C sort"), want);
	shell("cmp true .debug/usr/bin/true/%s/elf", good);
	snprintf(line, sizeof(line), "OK %s /usr/bin/true\n", good);
	assert_non_null(strstr(out, line));
}

static void assert_refused(const char *member)
{
	char line[700];

	snprintf(line, sizeof(line), "buildid: %s: refused", member);
	if (!strstr(err, line))
		fail_msg("%s is not in: %s", line, err);
}

/* --------------------------------------------------------------- archives -- */

static void what_is_good_is_taken(void **state)
{
	(void)state;
	add_good();
	assert_int_equal(unbundle(), 0);
	assert_string_equal(err, "");
	assert_only_good();
	/* Neither setuid nor writable by others. */
	assert_string_equal(shell_output("stat -c %%a .debug/usr/bin/true/*/elf"), "755\n");
	/* And again. */
	assert_int_equal(RUN(unbundle, "b.tar.zst"), 0);
	assert_only_good();
}

static void names_that_lead_elsewhere_are_refused(void **state)
{
	static const char *const formats[] = {
		"/usr/bin/x/@/elf",
		"../x/@/elf",
		"usr/../../x/@/elf",
		"usr//x/@/elf",
		"./x/@/elf",
		".build-id/x/@/elf",
		"@/elf",
		"usr/bin/x/@/../elf",
		"usr/bin/x/@/passwd",
		"usr/bin/x/@",
		"usr/bin/x@/elf",
		"usr/bin/x/../@/elf",
		"[vdso]/../@/elf",
	};
	char text[512];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(formats); i++)
		add_file(name(formats[i], good), "true");
	add_file("etc/passwd", "true");
	add_file("elf", "true");
	add_file("usr/bin/x/0/elf", "true");
	add_file("usr/bin/x/xyz/elf", "true");
	add_good();
	assert_int_equal(unbundle(), 1);
	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		strcpy(text, name(formats[i], good));
		assert_refused(text);
	}
	assert_refused("etc/passwd");
	assert_refused("elf");
	assert_refused("usr/bin/x/0/elf");
	assert_only_good();
}

static void digits_of_two_kinds_are_no_two_ids(void **state)
{
	char upper[BUILD_ID_TEXT];
	size_t i;

	(void)state;
	for (i = 0; good[i]; i++)
		upper[i] = (char)(good[i] >= 'a' ? good[i] - 'a' + 'A' : good[i]);
	upper[i] = '\0';
	add_file(name("usr/bin/x/@/elf", upper), "true");
	add_good();
	assert_int_equal(unbundle(), 1);
	assert_refused(name("usr/bin/x/@/elf", upper));
	assert_only_good();
}

static void links_that_lead_elsewhere_are_refused(void **state)
{
	char link[BUILD_ID_TEXT + 16];

	(void)state;
	snprintf(link, sizeof(link), ".build-id/%.2s/%s", good, good + 2);
	add_special(link, S_IFLNK, "/etc", NULL);
	add_special(link, S_IFLNK, "../../../../etc", NULL);
	add_special(link, S_IFLNK, name("../../../@", good), NULL);
	add_special(link, S_IFLNK, name("../../usr/bin/true/@", other), NULL);
	add_special(link, S_IFLNK, name("/usr/bin/true/@", good), NULL);
	add_special("usr", S_IFLNK, "/tmp", NULL);
	add_special("usr/bin", S_IFLNK, name("../../usr/bin/true/@", good), NULL);
	add_special("perf.data", S_IFLNK, "/etc/passwd", NULL);
	add_good();
	assert_int_equal(unbundle(), 1);
	assert_refused(link);
	assert_refused("usr");
	assert_refused("usr/bin");
	assert_refused("perf.data");
	assert_string_equal(shell_output("grep -c refused err"), "8\n");
	assert_only_good();
}

static void what_is_no_file_is_refused(void **state)
{
	(void)state;
	add_special(name("usr/bin/a/@/elf", good), S_IFIFO, NULL, NULL);
	add_special(name("usr/bin/b/@/elf", good), S_IFCHR, NULL, NULL);
	add_special(name("usr/bin/c/@/elf", good), S_IFREG, NULL, "/etc/passwd");
	add_special("usr/bin/d", S_IFDIR, NULL, NULL);
	add_good();
	assert_int_equal(unbundle(), 1);
	assert_refused(name("usr/bin/a/@/elf", good));
	assert_refused(name("usr/bin/b/@/elf", good));
	assert_refused(name("usr/bin/c/@/elf", good));
	assert_only_good();
}

static void another_content_is_refused(void **state)
{
	char line[700];

	(void)state;
	add_file(name("usr/bin/false/@/elf", good), "false");
	add_bytes(name("usr/bin/y/@/elf", other), "text", 4);
	add_bytes(name("[vdso]/@/vdso", other), "text", 4);
	add_bytes(name("usr/bin/y/@/debug", other), "text", 4);
	add_bytes(name("[kernel.kallsyms]/@/kallsyms", other), "text\n", 5);
	add_good();
	assert_int_equal(unbundle(), 1);
	snprintf(line, sizeof(line), "FAIL %s /usr/bin/false: has build-id %s\n", good, other);
	assert_non_null(strstr(out, line));
	snprintf(line, sizeof(line), "FAIL %s /usr/bin/y: is not an ELF file\n", other);
	assert_non_null(strstr(out, line));
	snprintf(line, sizeof(line), "FAIL %s [vdso]: is not an ELF file\n", other);
	assert_non_null(strstr(out, line));
	snprintf(line, sizeof(line), "FAIL %s [kernel.kallsyms]: is not a copy of /proc/kallsyms\n",
		 other);
	assert_non_null(strstr(out, line));
	assert_only_good();
}

static void what_is_there_is_not_replaced(void **state)
{
	(void)state;
	add_bytes("perf.data", "new", 3);
	add_good();
	shell("echo old > perf.data");
	assert_int_equal(unbundle(), 1);
	assert_string_equal(err, "buildid: perf.data: already exists; choose another name with "
				 "--output\n");
	assert_string_equal(shell_output("cat perf.data"), "old\n");
	assert_int_equal(RUN(unbundle, "-o", "other.data", "b.tar.zst"), 0);
	assert_string_equal(shell_output("cat other.data"), "new");
	assert_int_equal(RUN(unbundle, "--no-data", "b.tar.zst"), 0);
	shell("rm perf.data other.data && ln -s target perf.data");
	assert_int_equal(RUN(unbundle, "b.tar.zst"), 1);
	assert_string_equal(shell_output("ls target 2>/dev/null || :"), "");
	shell("rm perf.data");
	assert_only_good();
}

/* No build-id is in them. */
static const char symbols[] = "ffffffff81000000 T _text\n";

static void what_is_there_keeps_its_name(void **state)
{
	(void)state;
	add_good();
	assert_int_equal(unbundle(), 0);
	/* As of another user's file, which store copies. */
	shell("chmod 1755 .debug/usr/bin/true/*/elf");
	begin();
	add_bytes(name("evil/@/kallsyms", good), symbols, sizeof(symbols) - 1);
	assert_int_equal(unbundle(), 0);
	shell("cmp true .debug/usr/bin/true/%s/elf && cmp true .debug/.build-id/%.2s/%s.debug && "
	      "test ! -e .debug/evil",
	      good, good, good + 2);
}

static void a_recording_may_be_a_directory(void **state)
{
	(void)state;
	add_bytes("perf.data/data", "header", 6);
	add_bytes("perf.data/kcore_dir/modules", "modules", 7);
	add_bytes("perf.data/../elsewhere", "x", 1);
	add_bytes("perf.data/a/../../elsewhere", "x", 1);
	add_bytes("perf.data/a/b/c", "x", 1);
	add_bytes("perf.data//etc/passwd", "x", 1);
	add_good();
	assert_int_equal(unbundle(), 1);
	assert_refused("perf.data/../elsewhere");
	assert_refused("perf.data/a/../../elsewhere");
	assert_refused("perf.data//etc/passwd");
	assert_string_equal(shell_output("find perf.data -type f | sort"),
			    "perf.data/data\nperf.data/kcore_dir/modules\n");
	assert_string_equal(shell_output("cat perf.data/data perf.data/kcore_dir/modules"),
			    "headermodules");
	shell("rm -r perf.data");
	assert_only_good();
}

static void of_half_a_directory_nothing_is_kept(void **state)
{
	(void)state;
	add_bytes("perf.data/data", "header", 6);
	add_good();
	add_file("perf.data/kcore_dir/kcore", "false");
	finish();
	shell("zstd -q -d b.tar.zst && truncate -s -20000 b.tar && mv b.tar b.tar.zst");
	assert_int_equal(RUN(unbundle, "-o", "other/", "b.tar.zst"), 1);
	assert_only_good();
	begin();
	add_bytes("perf.data/data", "header", 6);
	finish();
	shell("mkdir other");
	assert_int_equal(RUN(unbundle, "-o", "other/", "b.tar.zst"), 1);
	assert_non_null(strstr(err, "already exists"));
	shell("rmdir other");
	assert_int_equal(RUN(unbundle, "-o", "other/", "b.tar.zst"), 0);
	assert_string_equal(shell_output("cat other/data && find -name '.new-*' && rm -r other"),
			    "header");
}

static void of_an_archive_that_ends_too_early_the_rest_is_kept(void **state)
{
	(void)state;
	add_good();
	add_file(name("usr/bin/false/@/elf", other), "false");
	finish();
	/* Its end is the end of the second file. */
	shell("zstd -q -d b.tar.zst && truncate -s -20000 b.tar && mv b.tar b.tar.zst");
	assert_int_equal(RUN(unbundle, "b.tar.zst"), 1);
	assert_only_good();
	shell("head -c 100000 /dev/urandom > b.tar.zst");
	assert_int_equal(RUN(unbundle, "b.tar.zst"), 1);
	assert_non_null(strstr(err, "buildid: b.tar.zst: "));
	assert_int_equal(RUN(unbundle, "nosuch"), 1);
	assert_string_equal(err, "buildid: nosuch: No such file or directory\n");
}

static void add_much(const char *name)
{
	static const char zeros[1 << 20];
	struct archive_entry *entry = archive_entry_new();
	int i;

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, S_IFREG);
	archive_entry_set_perm(entry, 0600);
	archive_entry_set_size(entry, 4LL << 30);
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	for (i = 0; i < 4096; i++)
		assert_int_equal(archive_write_data(archive, zeros, sizeof(zeros)), sizeof(zeros));
	archive_entry_free(entry);
}

/* Nor is it decompressed any further when it is refused. */
static void what_is_meant_to_fill_the_disk_is_not_unpacked(void **state)
{
	static const char *const names[] = { "perf.data", "../refused" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (i)
			begin();
		add_good();
		add_much(names[i]);
		add_file(name("usr/bin/false/@/elf", other), "false");
		assert_int_equal(unbundle(), 1);
		assert_non_null(strstr(err, "buildid: b.tar.zst: decompresses to more than "
					    "1000 times its size\n"));
		assert_only_good();
	}
}

/* A hole of a size that nobody has to send. */
static void holes_count(void **state)
{
	(void)state;
	finish();
	shell("echo x > perf.data && truncate -s 1T perf.data && "
	      "tar --zstd --sparse -cf b.tar.zst perf.data && rm perf.data");
	assert_int_equal(RUN(unbundle, "b.tar.zst"), 1);
	assert_non_null(strstr(err, "decompresses to more than 1000 times its size\n"));
	assert_int_not_equal(access("perf.data", F_OK), 0);
	shell("echo x > perf.data && truncate -s 1M perf.data && cp perf.data original && "
	      "tar --zstd --sparse -cf b.tar.zst perf.data && rm perf.data");
	assert_int_equal(RUN(unbundle, "b.tar.zst"), 0);
	shell("cmp perf.data original");
}

static void no_program_is_run_to_unpack(void **state)
{
	char *path = getenv("PATH"), *before = strdup(path);

	(void)state;
	finish();
	shell("printf '#!/bin/sh\\ntouch ran\\n' > lrzip && chmod +x lrzip && "
	      "(printf 'LRZI\\0\\006'; head -c 1000 /dev/zero) > b.tar.zst");
	assert_true(asprintf(&path, "%s:%s", sample_directory(), before) > 0);
	setenv("PATH", path, 1);
	assert_int_equal(RUN(unbundle, "b.tar.zst"), 1);
	setenv("PATH", before, 1);
	free(path);
	free(before);
	assert_int_not_equal(access("ran", F_OK), 0);
}

static void nothing_is_written_elsewhere(void **state)
{
	(void)state;
	add_bytes("perf.data/data", "new", 3);
	add_bytes("perf.data/data.0", "new", 3);
	finish();
	if (geteuid())
		skip();
	shell("mkdir secret sticky && chmod 1777 sticky && ln -s ../secret sticky/link && "
	      "chown -h 65534:65534 sticky/link");
	assert_int_equal(RUN(unbundle, "-o", "sticky/link/new", "b.tar.zst"), 1);
	assert_non_null(strstr(err, "leads through a symbolic link of another user"));
	assert_int_equal(RUN(unbundle, "-o", "sticky/link", "b.tar.zst"), 1);
	assert_int_equal(RUN(unbundle, "--dir", "sticky/link", "b.tar.zst"), 1);
	assert_string_equal(shell_output("ls -A secret"), "");
	assert_string_equal(shell_output("ls -A sticky"), "link\n");
	assert_int_equal(RUN(unbundle, "-o", "sticky/new", "b.tar.zst"), 0);
	assert_string_equal(shell_output("cat sticky/new/data.0"), "new");
}

static void json_has_the_same(void **state)
{
	(void)state;
	add_special("usr", S_IFLNK, "/tmp", NULL);
	add_good();
	finish();
	assert_int_equal(RUN(unbundle, "-j", "b.tar.zst"), 1);
	assert_non_null(strstr(
		out, "{\"type\":\"error\",\"error\":\"refused: a symbolic link to elsewhere\","
		     "\"object\":\"usr\"}\n"));
	assert_non_null(strstr(out, "\"status\":\"ok\""));
	assert_non_null(strstr(out, "\"source\":\"bundle\""));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, sample_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_good_is_taken),
		TEST(names_that_lead_elsewhere_are_refused),
		TEST(digits_of_two_kinds_are_no_two_ids),
		TEST(links_that_lead_elsewhere_are_refused),
		TEST(what_is_no_file_is_refused),
		TEST(another_content_is_refused),
		TEST(what_is_there_is_not_replaced),
		TEST(what_is_there_keeps_its_name),
		TEST(a_recording_may_be_a_directory),
		TEST(of_half_a_directory_nothing_is_kept),
		TEST(of_an_archive_that_ends_too_early_the_rest_is_kept),
		TEST(what_is_meant_to_fill_the_disk_is_not_unpacked),
		TEST(holes_count),
		TEST(no_program_is_run_to_unpack),
		TEST(nothing_is_written_elsewhere),
		TEST(json_has_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
