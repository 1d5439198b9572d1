// SPDX-License-Identifier: GPL-2.0
/* Doctor's texts: what kernels and perfs write, and what else may stand in a file. */

#include <stdio.h>

#include "command.h"
#include "commands/doctor/doctor_texts.h"
#include "common/array.h"

static void lockdown_is_the_word_in_brackets(void **state)
{
	(void)state;
	assert_int_equal(lockdown_parse("[none] integrity confidentiality\n"), LOCKDOWN_NONE);
	assert_int_equal(lockdown_parse("none [integrity] confidentiality\n"), LOCKDOWN_INTEGRITY);
	assert_int_equal(lockdown_parse("none integrity [confidentiality]\n"),
			 LOCKDOWN_CONFIDENTIALITY);
	assert_int_equal(lockdown_parse("none [severe]\n"), LOCKDOWN_UNKNOWN);
	assert_int_equal(lockdown_parse("none integrity"), LOCKDOWN_UNKNOWN);
	assert_int_equal(lockdown_parse(""), LOCKDOWN_UNKNOWN);
}

/* ------------------------------------------------------------------- keys -- */

#define FOR_ROOT                                                                                \
	"0af895ad I------     1 perm 1f0b0000     0     0 keyring   .builtin_trusted_keys: 1\n" \
	"1ef494a7 I------     1 perm 1f030000     0     0 asymmetri "                           \
	"Debian Secure Boot CA: 6ccece7e4c6c0d1f6149f3dd27dfcc5cbb419ea1: X509.rsa bb419ea1 []\n"

#define COLUMNS "1e0 I------ 1 perm 1f030000 0 0 "

static void a_key_has_a_subject(void **state)
{
	static const char with_organization[] = FOR_ROOT COLUMNS
		"asymmetri ACME: DKMS key: 0a: X509.rsa 0a []";

	(void)state;
	assert_int_equal(keys_find(FOR_ROOT, "Debian Secure Boot CA"), ENROLLED_YES);
	assert_int_equal(keys_find(with_organization, "DKMS key"), ENROLLED_YES);
}

static void a_part_of_a_subject_is_none(void **state)
{
	static const char *const words[] = {
		"Secure Boot",		"Debian Secure Boot", "Boot C", "Boot CA",   "CA",
		"ebian Secure Boot CA", "X509.rsa",	      "",	"asymmetri",
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(words); i++)
		assert_int_equal(keys_find(FOR_ROOT, words[i]), ENROLLED_NO);
}

static void a_key_of_another_type_signs_nothing(void **state)
{
	static const char *const lines[] = {
		COLUMNS "user      Mine: 32",
		COLUMNS "user      a asymmetri Mine: 32",
		COLUMNS "user      a asymmetri  Mine: 0a: X509.rsa 0a []: 32",
		"1e0 I------ 1 perm 1f030000 0 asymmetri Mine: 0a: X509.rsa 0a []",
		"1e0\nI------ 1 perm 1f030000 0 0 asymmetri Mine: 0a: X509.rsa 0a []",
	};
	char text[512];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		snprintf(text, sizeof(text), "%s%s\n", FOR_ROOT, lines[i]);
		assert_int_equal(keys_find(text, "Mine"), ENROLLED_NO);
	}
}

static void keys_that_a_user_is_not_shown_are_not_missing(void **state)
{
	(void)state;
	assert_int_equal(keys_find("1bf5868d I--Q--- 1 perm 1f3f0000 1000 65534 keyring _uid.1000: "
				   "empty\n",
				   "Debian Secure Boot CA"),
			 ENROLLED_HIDDEN);
	assert_int_equal(keys_find("", "Debian Secure Boot CA"), ENROLLED_HIDDEN);
}

/* ---------------------------------------------------------------- mokutil -- */

#define ENROLLED                                                                       \
	"[key 1]\nSHA1 Fingerprint: 53:61:0c:f8:1f:bd:7e:0c:eb:67:91:3c:9e:f3:e7:94\n" \
	"Certificate:\n    Data:\n        Version: 3 (0x2)\n        Serial Number:\n"  \
	"            ed:54:a1:d5:af:87:48:94:8d:9f:89:32:ee:9c:7c:34\n"                \
	"        Signature Algorithm: sha256WithRSAEncryption\n"                       \
	"            X509v3 Subject Key Identifier: \n                36:01:0C:F8\n\n" \
	"[key 2]\n        Serial Number: 39612 (0x9abc)\n        Serial Number:\n"     \
	"            9a:bc:9a:bc:9a:bc:9a:bc:9a\n"

static void a_certificate_is_known_by_its_number(void **state)
{
	(void)state;
	assert_true(enrolled_has(ENROLLED, "ed:54:a1:d5:af:87:48:94:8d:9f:89:32:ee:9c:7c:34"));
}

/* Parts; what is no number of a certificate; numbers that two may have. */
static void what_is_no_number_or_a_short_one_is_not_known(void **state)
{
	static const char *const serials[] = {
		"",
		"ed:54:a1:d5:af:87:48:94:8d:9f:89:32:ee:9c:7c",
		"54:a1:d5:af:87:48:94:8d:9f:89:32:ee:9c:7c:34",
		"53:61:0c:f8:1f:bd:7e:0c:eb:67:91:3c:9e:f3:e7:94",
		"36:01:0c:f8",
		"9a:bc",
		"9a:bc:9a:bc:9a:bc:9a:bc:9a",
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(serials); i++)
		assert_false(enrolled_has(ENROLLED, serials[i]));
	assert_false(enrolled_has("", "ed:54:a1:d5:af:87:48:94:8d:9f:89:32:ee:9c:7c:34"));
}

/* ----------------------------------------------------------------- rights -- */

static void either_capability_lets_watch(void **state)
{
	(void)state;
	assert_true(status_may_watch("Name:\tx\nCapPrm:\t0\nCapEff:\t0000000000200000\n"));
	assert_true(status_may_watch("Name:\tx\nCapEff:\t0000004000000000\n"));
	assert_true(status_may_watch("Name:\tx\nCapEff:\t000001ffffffffff\n"));
	assert_false(status_may_watch("Name:\tx\nCapEff:\t0000000000000000\n"));
	/* CAP_SYS_PTRACE and CAP_BPF, beside what is not effective */
	assert_false(status_may_watch("Name:\tx\nCapPrm:\t000001ffffffffff\n"
				      "CapEff:\t0000008000080000\n"));
	assert_false(status_may_watch("Name:\tx\n"));
}

/* ---------------------------------------------------------------- kernel -- */

static void a_function_is_the_kernels_own(void **state)
{
	(void)state;
	assert_true(kallsyms_has("0000000000000000 T _text\n0000000000000000 T register_kprobe\n",
				 "register_kprobe"));
	assert_true(kallsyms_has("ffffffff81000000 t register_kprobe", "register_kprobe"));
	/* others of that name, of that beginning, that end, a module's, and data */
	assert_false(kallsyms_has("0 T register_kprobes\n0 T unregister_kprobe\n"
				  "0 t register_kprobe\t[other]\n0 d register_kprobe\n"
				  "0 t register_kprobe.cold\n",
				  "register_kprobe"));
	assert_false(kallsyms_has("", "register_kprobe"));
	assert_false(kallsyms_has("register_kprobe\n", "register_kprobe"));
}

static void a_perf_has_two_numbers(void **state)
{
	unsigned int major, minor;

	(void)state;
	assert_true(perf_version_parse("perf version 6.1.187\n", &major, &minor));
	assert_int_equal(major, 6);
	assert_int_equal(minor, 1);
	assert_true(perf_version_parse("perf version 7.2.g0123456789ab", &major, &minor));
	assert_int_equal(minor, 2);
	assert_false(
		perf_version_parse("WARNING: perf not found for kernel 6.1\n", &major, &minor));
	assert_false(perf_version_parse("", &major, &minor));
}

static void a_thread_is_named_when_it_reads_for_longer_than_a_second(void **state)
{
	struct buildid_stats stats = {
		.visits = 2,
		.oldest_visit_pid = 1234,
		.oldest_visit_ns = 5999999999,
	};
	char text[128];

	(void)state;
	assert_true(visits_held(&stats, text, sizeof(text)));
	assert_string_equal(text, "thread 1234 has been reading a file that it mapped for 5 s: "
				  "rmmod says in use until it ends");
	stats.oldest_visit_pid = 0;
	assert_true(visits_held(&stats, text, sizeof(text)));
	assert_string_equal(text, "a thread has been reading a file that it mapped for 5 s: "
				  "rmmod says in use until it ends");
	stats.oldest_visit_ns = 999999999;
	assert_false(visits_held(&stats, text, sizeof(text)));
	stats.visits = 0;
	stats.oldest_visit_ns = 5000000000;
	assert_false(visits_held(&stats, text, sizeof(text)));
}

static void lines_are_broken_at_blanks(void **state)
{
	(void)state;
	assert_int_equal(doctor_line("one two", 7), 7);
	assert_int_equal(doctor_line("one two", 6), 3);
	assert_int_equal(doctor_line("one two three", 8), 7);
	assert_int_equal(doctor_line("", 8), 0);
	assert_int_equal(doctor_line(" one two", 6), 4);
	assert_int_equal(doctor_line("  one  two", 6), 6);
	assert_int_equal(doctor_line(" http://localhost two", 8), 17);
	/* A word that fits nowhere, such as an address, is whole. */
	assert_int_equal(doctor_line("http://localhost two", 8), 16);
	assert_int_equal(doctor_line("at http://localhost", 8), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_broken_at_blanks),
		cmocka_unit_test(lockdown_is_the_word_in_brackets),
		cmocka_unit_test(a_key_has_a_subject),
		cmocka_unit_test(a_part_of_a_subject_is_none),
		cmocka_unit_test(a_key_of_another_type_signs_nothing),
		cmocka_unit_test(keys_that_a_user_is_not_shown_are_not_missing),
		cmocka_unit_test(a_certificate_is_known_by_its_number),
		cmocka_unit_test(what_is_no_number_or_a_short_one_is_not_known),
		cmocka_unit_test(either_capability_lets_watch),
		cmocka_unit_test(a_function_is_the_kernels_own),
		cmocka_unit_test(a_perf_has_two_numbers),
		cmocka_unit_test(a_thread_is_named_when_it_reads_for_longer_than_a_second),
	};

	return cmocka_run_group_tests_name("doctor_texts", tests, NULL, NULL);
}
