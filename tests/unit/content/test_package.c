// SPDX-License-Identifier: GPL-2.0
/* Packages: by notes as linkers write them, and as nobody should; by dpkg's database. */

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "content/dpkg.h"
#include "content/elf_file.h"
#include "content/package.h"
#include "packaged.h"
#include "streams.h"

#define NOTES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* systemd.io/ELF_PACKAGE_METADATA has this one, of Fedora. */
#define FEDORA                                                                                  \
	"{\"type\":\"rpm\",\"name\":\"coreutils\",\"version\":\"9.4-7.fc40\",\"architecture\":" \
	"\"x86_64\",\"osCpe\":\"cpe:/o:fedoraproject:fedora:40\"}"
#define OPENSSL                                                                          \
	"{\"type\":\"deb\",\"os\":\"debian\",\"osVersion\":\"12\",\"name\":\"openssl\"," \
	"\"version\":\"3.0.11-1~deb12u2\",\"architecture\":\"amd64\",\"debugInfoUrl\":"  \
	"\"https://debuginfod.debian.net\",\"vendor\":{\"x\":[1,null]},\"build\":7}"

static char directory[] = "/tmp/buildid-package.XXXXXX";
static char file[64];
static struct packages found;

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(file, sizeof(file), "%s/lib.so", directory);
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	packages_free(&found);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	if (system(command))
		return -1;
	strcpy(directory, "/tmp/buildid-package.XXXXXX");
	return 0;
}

static void add(void *packages, const char *text, size_t size)
{
	packages_add_note(packages, text, size);
}

static void look(void)
{
	int fd = open(file, O_RDONLY);

	packages_free(&found);
	assert_true(fd >= 0);
	assert_true(elf_file_package_notes(fd, add, &found));
	close(fd);
}

static void assert_text(enum package_text which, const char *text)
{
	assert_int_equal(found.count, 1);
	if (text)
		assert_string_equal(found.all[0].text[which], text);
	else
		assert_null(found.all[0].text[which]);
}

static enum package_match wish(const char *text)
{
	struct package_wish wish_;
	enum package_match match;

	assert_true(package_wish_parse(&wish_, text));
	match = packages_match(&found, &wish_);
	free(wish_.name);
	return match;
}

static void notes_of_distributions(void **state)
{
	static const enum packaged_end ends[] = { PACKAGED_NUL, PACKAGED_PADDING,
						  PACKAGED_NOTHING };
	char *purl;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		packaged_write(file, NOTES(FEDORA), ends[i]);
		look();
		assert_text(PACKAGE_NAME, "coreutils");
		assert_text(PACKAGE_VERSION, "9.4-7.fc40");
		assert_text(PACKAGE_TYPE, "rpm");
		assert_text(PACKAGE_OS, NULL);
		assert_text(PACKAGE_OS_CPE, "cpe:/o:fedoraproject:fedora:40");
		assert_text(PACKAGE_NOTE, FEDORA);
		purl = package_purl(&found.all[0]);
		assert_string_equal(purl, "pkg:rpm/fedora/coreutils@9.4-7.fc40?arch=x86_64"
					  "&distro=fedora-40");
		free(purl);
	}
	packaged_write(file, NOTES(OPENSSL), PACKAGED_NUL);
	look();
	assert_text(PACKAGE_OS_VERSION, "12");
	assert_text(PACKAGE_DEBUG_INFO_URL, "https://debuginfod.debian.net");
	assert_text(PACKAGE_NOTE, OPENSSL);
	purl = package_purl(&found.all[0]);
	assert_string_equal(purl, "pkg:deb/debian/openssl@3.0.11-1~deb12u2?arch=amd64"
				  "&distro=debian-12");
	free(purl);
	assert_int_equal(found.malformed, 0);
}

static void a_url_of_odd_names(void **state)
{
	char *purl;

	(void)state;
	packaged_write(file,
		       NOTES("{\"type\":\"rpm\",\"name\":\"libstdc++/x\",\"version\":\"1:2+3 4\","
			     "\"osCpe\":\"cpe:2.3:o:a:b c:9:*\"}"),
		       PACKAGED_NUL);
	look();
	purl = package_purl(&found.all[0]);
	assert_string_equal(purl,
			    "pkg:rpm/b%20c/libstdc%2B%2B%2Fx@2%2B3%204?distro=b%20c-9&epoch=1");
	free(purl);
	packaged_write(file, NOTES("{\"name\":\"x\"}"), PACKAGED_NUL);
	look();
	assert_null(package_purl(&found.all[0]));
}

static void values_that_are_no_strings(void **state)
{
	(void)state;
	packaged_write(file,
		       NOTES("{\"name\":\"x\",\"version\":3,\"type\":null,\"os\":[1],"
			     "\"osVersion\":1.5,\"architecture\":\"\",\"osCpe\":{}}"),
		       PACKAGED_NUL);
	look();
	assert_text(PACKAGE_VERSION, "3");
	assert_text(PACKAGE_OS_VERSION, "1.5");
	assert_text(PACKAGE_TYPE, NULL);
	assert_text(PACKAGE_OS, NULL);
	assert_text(PACKAGE_ARCHITECTURE, NULL);
	assert_text(PACKAGE_OS_CPE, NULL);
}

static void notes_that_are_none_are_counted(void **state)
{
	static const char *const bad[] = {
		"",
		"{",
		"{}",
		"[]",
		"\"openssl\"",
		"{\"version\":\"1\"}",
		"{\"name\":\"\"}",
		"{\"name\":\"a\",}",
		"{\"name\":\"a\"} more",
		"{'name':'a'}",
		"{\"name\":\"a\\nb\"}",
		"{\"name\":\"a\",\"version\":\"1\\u0000\"}",
		"{\"name\":\"a\",\"version\":\"\\u001b[2J\"}",
		"{\"name\":\"\xff\"}",
		"{\"name\":\"a\"",
	};
	char text[PACKAGE_TEXT_MAX + 64];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		packaged_write(file, NOTES(bad[i]), PACKAGED_NUL);
		look();
		assert_int_equal(found.count, 0);
		assert_int_equal(found.malformed, 1);
	}
	memset(text, 'a', sizeof(text));
	memcpy(text, "{\"name\":\"", 9);
	strcpy(text + sizeof(text) - 3, "\"}");
	packaged_write(file, NOTES(text), PACKAGED_NUL);
	look();
	assert_int_equal(found.malformed, 1);
	memset(text, '[', 200);
	packaged_write_bytes(file, text, 200);
	look();
	assert_int_equal(found.malformed, 1);
	packaged_write_bytes(file, "", 0);
	look();
	assert_int_equal(found.malformed, 1);
}

static void a_long_note_has_its_name(void **state)
{
	size_t size = 60000;
	char *text = malloc(size + 1);

	(void)state;
	memset(text, ' ', size);
	memcpy(text, "{\"name\":\"a\"", 11);
	strcpy(text + size - 1, "}");
	packaged_write_bytes(file, text, size);
	look();
	assert_text(PACKAGE_NAME, "a");
	assert_text(PACKAGE_NOTE, NULL);
	free(text);
}

static void of_several_notes_the_first_good_one_is_the_files(void **state)
{
	(void)state;
	packaged_write(file, NOTES("{", FEDORA, "{\"name\":\"two\"}", FEDORA), PACKAGED_NUL);
	look();
	assert_int_equal(found.count, 2);
	assert_int_equal(found.malformed, 1);
	assert_string_equal(found.all[0].text[PACKAGE_NAME], "coreutils");
	assert_int_equal(wish("two"), PACKAGE_MATCHES);
	assert_int_equal(wish("three"), PACKAGE_OTHER);
}

/* A file of 16 MB may have 700,000. */
static void the_first_notes_count_and_no_million_of_them(void **state)
{
	const char *notes[201];
	size_t i;

	(void)state;
	for (i = 0; i < 200; i++)
		notes[i] = "{";
	notes[20] = FEDORA;
	notes[150] = "{\"name\":\"two\"}";
	notes[200] = NULL;
	packaged_write(file, notes, PACKAGED_NUL);
	look();
	assert_text(PACKAGE_NAME, "coreutils");
	assert_int_equal(found.malformed, 199);
}

static void what_is_no_elf_file_has_none(void **state)
{
	(void)state;
	packaged_file(directory, "lib.so", "#!/bin/sh\n");
	look();
	assert_int_equal(found.count + found.malformed, 0);
	packaged_write(file, NOTES(NULL), PACKAGED_NUL);
	look();
	assert_int_equal(found.count + found.malformed, 0);
}

static void packages_are_told_to_others(void **state)
{
	struct packages copy;
	char data[4096];
	size_t size;

	(void)state;
	packaged_write(file, NOTES(OPENSSL, FEDORA), PACKAGED_NUL);
	look();
	size = packages_pack(&found, data, sizeof(data));
	assert_true(packages_unpack(&copy, data, size));
	assert_int_equal(copy.count, 2);
	assert_string_equal(copy.all[1].text[PACKAGE_NOTE], FEDORA);
	packages_free(&copy);
	while (size--)
		assert_false(packages_unpack(&copy, data, size));
	/* what does not fit */
	size = packages_pack(&found, data, 450);
	assert_true(packages_unpack(&copy, data, size));
	assert_int_equal(copy.count, 1);
	packages_free(&copy);
}

/* ---------------------------------------------------------------- wishes -- */

static void packages_are_asked_for_as_people_call_them(void **state)
{
	(void)state;
	packaged_write(file, NOTES("{\"name\":\"openssl\",\"version\":\"1:3.0.11-1~deb12u2\"}"),
		       PACKAGED_NUL);
	look();
	assert_int_equal(wish("openssl"), PACKAGE_MATCHES);
	assert_int_equal(wish("open*"), PACKAGE_MATCHES);
	assert_int_equal(wish("opens"), PACKAGE_OTHER);
	assert_int_equal(wish("openssl=3.0.11"), PACKAGE_MATCHES);
	assert_int_equal(wish("openssl=3.0.11-1~deb12u2"), PACKAGE_MATCHES);
	assert_int_equal(wish("openssl=1:3.0.11-1~deb12u2"), PACKAGE_MATCHES);
	assert_int_equal(wish("openssl=3.0.*"), PACKAGE_MATCHES);
	assert_int_equal(wish("openssl=3.0.1"), PACKAGE_OTHER);
	assert_int_equal(wish("openssl=3.0"), PACKAGE_OTHER);
	packaged_write(file, NOTES("{\"name\":\"openssl\"}"), PACKAGED_NUL);
	look();
	assert_int_equal(wish("openssl"), PACKAGE_MATCHES);
	assert_int_equal(wish("openssl=3.0.11"), PACKAGE_VERSION_UNKNOWN);
}

/* ------------------------------------------------------------------ dpkg -- */

static struct dpkg *database(void)
{
	int root = open(directory, O_PATH | O_DIRECTORY);
	struct dpkg *dpkg = dpkg_open(root);

	close(root);
	return dpkg;
}

static const char *owner_of(const struct dpkg *dpkg, const char *path)
{
	packages_free(&found);
	dpkg_find(dpkg, path, &found.all[0]);
	found.count = found.all[0].origin != PACKAGE_NONE;
	return found.count ? found.all[0].text[PACKAGE_NAME] : NULL;
}

static const char status[] =
	"Package: libssl3\nStatus: install ok installed\nArchitecture: amd64\n"
	"Multi-Arch: same\nSource: openssl\nVersion: 3.0.11-1~deb12u2\n"
	"Description: text\n Version: 9\n .\n Package: no\n\n"
	"Package: libc6\nStatus: hold ok unpacked\nArchitecture: amd64\nMulti-Arch: same\n"
	"Source: glibc (2.36-9)\nVersion: 2.36-9+deb12u4\n\n"
	"Package: gone\nStatus: deinstall ok config-files\nVersion: 1\n\n"
	"Package: ../../../etc/evil\nStatus: install ok installed\nVersion: 1\n\n"
	"package: dash\nstatus: install ok installed\nversion: 0.5\n";

static void dpkg_knows_whose_a_path_is(void **state)
{
	struct dpkg *dpkg;

	(void)state;
	assert_null(database());
	packaged_file(directory, "var/lib/dpkg/status", status);
	packaged_file(directory, "var/lib/dpkg/info/libssl3:amd64.list",
		      "/.\n/usr\n/usr/lib\n/usr/lib/libssl.so.3\n");
	packaged_file(directory, "var/lib/dpkg/info/libc6:amd64.list",
		      "/.\n/lib\n/usr\n/usr/lib\n/lib/libc.so.6\n");
	packaged_file(directory, "var/lib/dpkg/info/gone.list", "/usr/bin/gone\n");
	packaged_file(directory, "var/lib/dpkg/info/dash.list",
		      "/.\n/usr\n/bin\n/bin/dash\n/bin/sh\n");
	packaged_file(directory, "var/lib/dpkg/diversions",
		      "/bin/sh\n/bin/sh.distrib\ndash\n/bin/ls\n/bin/ls.distrib\n:\n");
	packaged_file(directory, "etc/os-release", "NAME=\"x\"\nID=debian\nVERSION_ID=\"12\"\n");
	dpkg = database();
	assert_non_null(dpkg);
	assert_string_equal(owner_of(dpkg, "usr/lib/libssl.so.3"), "libssl3");
	assert_text(PACKAGE_VERSION, "3.0.11-1~deb12u2");
	assert_text(PACKAGE_SOURCE, "openssl");
	assert_text(PACKAGE_SOURCE_VERSION, NULL);
	assert_text(PACKAGE_OS, "debian");
	assert_text(PACKAGE_OS_VERSION, "12");
	assert_int_equal(wish("openssl=3.0.11"), PACKAGE_MATCHES);
	assert_int_equal(wish("libssl3=3.0.11"), PACKAGE_MATCHES);
	assert_string_equal(owner_of(dpkg, "/lib/libc.so.6"), "libc6");
	assert_text(PACKAGE_SOURCE_VERSION, "2.36-9");
	/* what several have, nobody has, and what is not there */
	assert_null(owner_of(dpkg, "usr/lib"));
	assert_null(owner_of(dpkg, "usr/bin/none"));
	assert_null(owner_of(dpkg, "usr/bin/gone"));
	assert_null(owner_of(dpkg, "usr/lib/libc.so.6"));
	assert_string_equal(owner_of(dpkg, "bin/sh"), "dash");
	assert_string_equal(owner_of(dpkg, "bin/sh.distrib"), "dash");
	assert_null(owner_of(dpkg, "bin/ls"));
	assert_true(dpkg_is_current(dpkg));
	assert_false(dpkg_is_busy(dpkg));
	packaged_file(directory, "var/lib/dpkg/updates/0001", "");
	packaged_file(directory, "var/lib/dpkg/status", status);
	assert_true(dpkg_is_busy(dpkg));
	assert_false(dpkg_is_current(dpkg));
	dpkg_close(dpkg);
}

static void where_lib_is_a_link_both_paths_are_known(void **state)
{
	char link[64];
	struct dpkg *dpkg;

	(void)state;
	packaged_file(directory, "var/lib/dpkg/status", status);
	packaged_file(directory, "var/lib/dpkg/info/libc6.list", "/lib/libc.so.6\n");
	snprintf(link, sizeof(link), "%s/lib", directory);
	assert_int_equal(symlink("usr/lib", link), 0);
	dpkg = database();
	assert_string_equal(owner_of(dpkg, "usr/lib/libc.so.6"), "libc6");
	dpkg_close(dpkg);
}

static void a_distroless_image_has_a_file_for_each_package(void **state)
{
	struct dpkg *dpkg;

	(void)state;
	packaged_file(directory, "var/lib/dpkg/status.d/libssl3",
		      "Package: libssl3\nVersion: 3.0.11\nArchitecture: amd64\nSource: openssl\n");
	packaged_file(directory, "var/lib/dpkg/status.d/libssl3.md5sums",
		      "d41d8cd98f00b204e9800998ecf8427e  usr/lib/libssl.so.3\n"
		      "d41d8cd98f00b204e9800998ecf8427e  ./usr/lib/libcrypto.so.3\n");
	dpkg = database();
	assert_non_null(dpkg);
	assert_string_equal(owner_of(dpkg, "usr/lib/libssl.so.3"), "libssl3");
	assert_string_equal(owner_of(dpkg, "usr/lib/libcrypto.so.3"), "libssl3");
	dpkg_close(dpkg);
}

static void no_link_leads_out_of_the_root(void **state)
{
	char link[96];

	(void)state;
	packaged_file(directory, "var/lib/dpkg/info/x.list", "");
	snprintf(link, sizeof(link), "%s/var/lib/dpkg/status", directory);
	assert_int_equal(symlink("/../../../../../../var/lib/dpkg/status", link), 0);
	/* a link to itself, in this root */
	assert_null(database());
}

static void a_database_of_garbage(void **state)
{
	struct dpkg *dpkg;

	(void)state;
	packaged_file(directory, "var/lib/dpkg/status",
		      ":\n\n\n\n  x\nPackage\nPackage:\n\nPackage: x\nStatus:\n\n"
		      "Package: a\x01\nStatus: install ok installed\n\n"
		      "Package: b\nStatus: install ok installed\nVersion: \xff\n\n"
		      "Package: b\nStatus: install ok installed");
	packaged_file(directory, "var/lib/dpkg/info/a\x01.list", "/a\n");
	packaged_file(directory, "var/lib/dpkg/info/b.list", "/b\n\n\n/b\nx\n/\xff");
	packaged_file(directory, "var/lib/dpkg/diversions", "\n\n\n/b\n");
	dpkg = database();
	assert_non_null(dpkg);
	assert_null(owner_of(dpkg, "a"));
	/* of two packages of one name neither is told */
	assert_null(owner_of(dpkg, "b"));
	assert_null(owner_of(dpkg, ""));
	dpkg_close(dpkg);
}

size_t __attribute__((weak)) __sanitizer_get_current_allocated_bytes(void);

static size_t allocated(void)
{
	if (__sanitizer_get_current_allocated_bytes)
		return __sanitizer_get_current_allocated_bytes();
	return mallinfo2().uordblks + mallinfo2().hblkhd;
}

/* Anybody can make a root directory for his processes, and put anything there. */
static void a_database_takes_no_more_memory_than_a_large_one(void **state)
{
	const off_t size = 60 << 20;
	struct dpkg *dpkg;
	char path[96], other[96];
	int i;

	(void)state;
	packaged_file(directory, "var/lib/dpkg/status", status);
	packaged_file(directory, "var/lib/dpkg/status.d/hole0", "Package: x\n");
	snprintf(path, sizeof(path), "%s/var/lib/dpkg/status.d/hole0", directory);
	for (i = 1; i < 8; i++) {
		snprintf(other, sizeof(other), "%s/var/lib/dpkg/status.d/hole%d", directory, i);
		assert_int_equal(link(path, other), 0);
	}
	assert_int_equal(truncate(path, size), 0);
	dpkg = database();
	assert_non_null(dpkg);
	assert_in_range(allocated(), 0, size);
	dpkg_close(dpkg);
}

static void write_lines(const char *name, size_t size)
{
	char *lines = malloc(size + 1);

	memset(lines, '\n', size);
	lines[size] = '\0';
	packaged_file(directory, name, lines);
	free(lines);
}

static void what_is_beyond_a_large_database_is_none(void **state)
{
	char path[96], other[96];
	int i;

	(void)state;
	packaged_file(directory, "var/lib/dpkg/status", status);
	write_lines("var/lib/dpkg/diversions", 1 << 20);
	assert_null(database());
	packaged_file(directory, "var/lib/dpkg/diversions", "");
	write_lines("var/lib/dpkg/status.d/0", 60 << 20);
	snprintf(path, sizeof(path), "%s/var/lib/dpkg/status.d/0", directory);
	for (i = 1; i < 4; i++) {
		snprintf(other, sizeof(other), "%s/var/lib/dpkg/status.d/%d", directory, i);
		assert_int_equal(link(path, other), 0);
	}
	assert_null(database());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(notes_of_distributions),
		TEST(a_url_of_odd_names),
		TEST(values_that_are_no_strings),
		TEST(notes_that_are_none_are_counted),
		TEST(a_long_note_has_its_name),
		TEST(of_several_notes_the_first_good_one_is_the_files),
		TEST(the_first_notes_count_and_no_million_of_them),
		TEST(what_is_no_elf_file_has_none),
		TEST(packages_are_told_to_others),
		TEST(packages_are_asked_for_as_people_call_them),
		TEST(dpkg_knows_whose_a_path_is),
		TEST(where_lib_is_a_link_both_paths_are_known),
		TEST(a_distroless_image_has_a_file_for_each_package),
		TEST(no_link_leads_out_of_the_root),
		TEST(a_database_of_garbage),
		TEST(a_database_takes_no_more_memory_than_a_large_one),
		TEST(what_is_beyond_a_large_database_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
