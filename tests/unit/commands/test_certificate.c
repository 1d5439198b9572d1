// SPDX-License-Identifier: GPL-2.0
/* Certificate: made by openssl req -x509, as DKMS calls it, of others' shape, and cut short. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/certificate.h"
#include "common/array.h"

/* The beginning, and the extensions: what is between them is not looked at. */
static const uint8_t of_dkms[] =
	"\x30\x82\x00\x4c\x30\x82\x00\x48\xa0\x03\x02\x01\x02\x02\x14"
	"\x5a\x15\x76\x55\x08\x91\x98\xa6\xe7\xac\xbe\x17\xbf\x89\x86\x71\x5a\xef\x72\xa0"
	"\x30\x0d\xa3\x2b\x30\x51\x30\x1d\x06\x03\x55\x1d\x0e\x04\x16\x04\x14"
	"\x1a\xbb\x22\x30\x23\xb2\xdd\x4e\x38\x74\x80\x61\xd8\x7d\xef\xf9\xad\xb4\x49\x71"
	"\x30\x1f\x06\x03\x55\x1d\x23\x04";
#define OF_DKMS (sizeof(of_dkms) - 1)

static void it_has_a_serial_and_a_key_id(void **state)
{
	struct certificate certificate;

	(void)state;
	assert_true(certificate_parse(of_dkms, OF_DKMS, &certificate));
	assert_string_equal(certificate.serial, "5a157655089198a6e7acbe17bf8986715aef72a0");
	assert_string_equal(certificate.key_id, "1abb223023b2dd4e38748061d87deff9adb44971");
}

static void without_an_id_the_key_goes_by_the_serial(void **state)
{
	static const uint8_t data[] = { 0x30, 0x07, 0x30, 0x05, 0x02, 0x03, 0x00, 0x9a, 0xbc };
	struct certificate certificate;

	(void)state;
	assert_true(certificate_parse(data, sizeof(data), &certificate));
	assert_string_equal(certificate.serial, "9abc");
	assert_string_equal(certificate.key_id, "009abc");
}

static void what_is_none_is_refused(void **state)
{
	/* text; no sequence in it; no number; zero; one that is longer than the file; than any */
	static const struct {
		size_t size;
		const char *data;
	} files[] = {
		{ 10, "-----BEGIN" },
		{ 4, "\x30\x02\x02\x00" },
		{ 6, "\x30\x04\x30\x02\x04\x00" },
		{ 7, "\x30\x05\x30\x03\x02\x01\x00" },
		{ 8, "\x30\x06\x30\x04\x02\x03\x12\x34" },
		{ 11, "\x30\x09\x30\x07\x02\x84\xff\xff\xff\xff\x01" },
		{ 0, "" },
	};
	struct certificate certificate;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(files); i++)
		assert_false(certificate_parse((const uint8_t *)files[i].data, files[i].size,
					       &certificate));
}

/* Each in memory of its size, for what watches over reads. */
static void a_part_of_one_is_not_read_beyond(void **state)
{
	struct certificate certificate;
	uint8_t *part;
	size_t size;

	(void)state;
	for (size = 1; size < OF_DKMS; size++) {
		part = malloc(size);
		assert_non_null(part);
		memcpy(part, of_dkms, size);
		assert_false(certificate_parse(part, size, &certificate));
		free(part);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_has_a_serial_and_a_key_id),
		cmocka_unit_test(without_an_id_the_key_goes_by_the_serial),
		cmocka_unit_test(what_is_none_is_refused),
		cmocka_unit_test(a_part_of_one_is_not_read_beyond),
	};

	return cmocka_run_group_tests_name("certificate", tests, NULL, NULL);
}
