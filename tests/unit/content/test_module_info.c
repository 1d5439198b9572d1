// SPDX-License-Identifier: GPL-2.0
/* Module info: what modinfo -0 prints, where there is none, and where it is of no use. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "content/module_info.h"
#include "streams.h"

static char directory[32];

static int set_up(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/buildid-test.XXXXXX");
	return !mkdtemp(directory) || chdir(directory) || setenv("PATH", ".:/usr/bin:/bin", 1);
}

static int tear_down(void **state)
{
	char remove[64];

	(void)state;
	snprintf(remove, sizeof(remove), "rm -r %s", directory);
	return chdir("/") || system(remove);
}

static void fake_modinfo(const char *script)
{
	FILE *file = fopen("modinfo", "w");

	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", script);
	fclose(file);
	assert_int_equal(chmod("modinfo", 0755), 0);
}

static void fields_are_read(void **state)
{
	struct module_info info;
	struct reason reason;

	(void)state;
	fake_modinfo("test \"$*\" = '-0 /a b/x.ko.xz' || exit 1\n"
		     "printf 'filename:       %s\\0' \"$2\"\n"
		     "printf 'alias=version=1\\0version=0.3.0\\0srcversion=0123ABC\\0'\n"
		     "printf 'vermagic=6.12.1 SMP preempt \\0sig_id=PKCS#7\\0signer=A = B\\0'\n"
		     "printf 'sig_key=15:FD:\\n\\t\\t5D:AE\\0sig_hashalgo=sha256\\0'");
	assert_true(module_info_read("/a b/x.ko.xz", &info, &reason));
	assert_string_equal(info.version, "0.3.0");
	assert_string_equal(info.source_version, "0123ABC");
	assert_string_equal(info.release, "6.12.1");
	assert_string_equal(info.signer, "A = B");
	assert_string_equal(info.serial, "15:fd:5d:ae");
	assert_true(info.is_signed);

	fake_modinfo("printf 'vermagic=6.12.1\\0'");
	assert_true(module_info_read("x", &info, &reason));
	assert_string_equal(info.version, "");
	assert_false(info.is_signed);
}

static void what_is_longer_than_a_field_is_cut(void **state)
{
	struct module_info info;
	struct reason reason;

	(void)state;
	fake_modinfo("long=$(head -c 5000 /dev/zero | tr '\\0' a)\n"
		     "for key in version srcversion vermagic signer sig_key; do\n"
		     "printf '%s=%s\\0' $key $long; done; printf 'sig_id='");
	assert_true(module_info_read("x", &info, &reason));
	assert_int_equal(strlen(info.version), sizeof(info.version) - 1);
	assert_int_equal(strlen(info.serial), sizeof(info.serial) - 1);
	assert_true(info.is_signed);
}

static void what_it_cannot_read_is_no_module(void **state)
{
	static const char *const scripts[] = {
		"exit 1",
		"printf 'filename:       x\\0'; echo message >&2; exit 1",
		"printf 'filename:       a=b\\0version=1\\0'; exit 1",
	};
	struct module_info info;
	struct reason reason;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		fake_modinfo(scripts[i]);
		assert_false(module_info_read("x", &info, &reason));
		assert_string_equal(reason.text, "modinfo does not find a module in it");
	}
	fake_modinfo("exec yes");
	assert_false(module_info_read("x", &info, &reason));
	assert_string_equal(reason.text, "modinfo: File too large");
}

/* Where it is not in PATH, it may be in the directories for root's programs. */
static void without_it_its_package_is_named(void **state)
{
	bool is_there = !access("/usr/sbin/modinfo", X_OK) || !access("/sbin/modinfo", X_OK);
	struct module_info info;
	struct reason reason;

	(void)state;
	unlink("modinfo");
	assert_false(module_info_read("/nowhere/at/all", &info, &reason));
	assert_string_equal(reason.text, is_there ? "modinfo does not find a module in it" :
						    "modinfo is not installed (package kmod)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_read),
		cmocka_unit_test(what_is_longer_than_a_field_is_cut),
		cmocka_unit_test(what_it_cannot_read_is_no_module),
		cmocka_unit_test(without_it_its_package_is_named),
	};

	return cmocka_run_group_tests_name("module_info", tests, set_up, tear_down);
}
