// SPDX-License-Identifier: GPL-2.0
/* Packages: by notes as linkers write them, and as nobody should. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
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
		packaged_expect(&found, PACKAGE_NAME, "coreutils");
		packaged_expect(&found, PACKAGE_VERSION, "9.4-7.fc40");
		packaged_expect(&found, PACKAGE_TYPE, "rpm");
		packaged_expect(&found, PACKAGE_OS, NULL);
		packaged_expect(&found, PACKAGE_OS_CPE, "cpe:/o:fedoraproject:fedora:40");
		packaged_expect(&found, PACKAGE_NOTE, FEDORA);
		purl = package_purl(&found.all[0]);
		assert_string_equal(purl, "pkg:rpm/fedora/coreutils@9.4-7.fc40?arch=x86_64"
					  "&distro=fedora-40");
		free(purl);
	}
	packaged_write(file, NOTES(OPENSSL), PACKAGED_NUL);
	look();
	packaged_expect(&found, PACKAGE_OS_VERSION, "12");
	packaged_expect(&found, PACKAGE_DEBUG_INFO_URL, "https://debuginfod.debian.net");
	packaged_expect(&found, PACKAGE_NOTE, OPENSSL);
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
	packaged_expect(&found, PACKAGE_VERSION, "3");
	packaged_expect(&found, PACKAGE_OS_VERSION, "1.5");
	packaged_expect(&found, PACKAGE_TYPE, NULL);
	packaged_expect(&found, PACKAGE_OS, NULL);
	packaged_expect(&found, PACKAGE_ARCHITECTURE, NULL);
	packaged_expect(&found, PACKAGE_OS_CPE, NULL);
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
	packaged_expect(&found, PACKAGE_NAME, "a");
	packaged_expect(&found, PACKAGE_NOTE, NULL);
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
	assert_int_equal(packaged_match(&found, "two"), PACKAGE_MATCHES);
	assert_int_equal(packaged_match(&found, "three"), PACKAGE_OTHER);
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
	packaged_expect(&found, PACKAGE_NAME, "coreutils");
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
	assert_int_equal(packaged_match(&found, "openssl"), PACKAGE_MATCHES);
	assert_int_equal(packaged_match(&found, "open*"), PACKAGE_MATCHES);
	assert_int_equal(packaged_match(&found, "opens"), PACKAGE_OTHER);
	assert_int_equal(packaged_match(&found, "openssl=3.0.11"), PACKAGE_MATCHES);
	assert_int_equal(packaged_match(&found, "openssl=3.0.11-1~deb12u2"), PACKAGE_MATCHES);
	assert_int_equal(packaged_match(&found, "openssl=1:3.0.11-1~deb12u2"), PACKAGE_MATCHES);
	assert_int_equal(packaged_match(&found, "openssl=3.0.*"), PACKAGE_MATCHES);
	assert_int_equal(packaged_match(&found, "openssl=3.0.1"), PACKAGE_OTHER);
	assert_int_equal(packaged_match(&found, "openssl=3.0"), PACKAGE_OTHER);
	packaged_write(file, NOTES("{\"name\":\"openssl\"}"), PACKAGED_NUL);
	look();
	assert_int_equal(packaged_match(&found, "openssl"), PACKAGE_MATCHES);
	assert_int_equal(packaged_match(&found, "openssl=3.0.11"), PACKAGE_VERSION_UNKNOWN);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
