// SPDX-License-Identifier: GPL-2.0
/* Records: no malformed one makes a reader read beyond it. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "streams.h"

/* In memory of exactly @size bytes, so that the sanitizer sees a read beyond. */
static int check_first(const union any_record *record, size_t size)
{
	void *copy = aligned_alloc(8, size ? size : 8);
	int err;

	assert_non_null(copy);
	memcpy(copy, record, size);
	err = buildid_record_check(copy, size);
	free(copy);
	return err;
}

static void assert_cut_is_refused(const union any_record *record)
{
	uint32_t size = record->header.size;
	size_t cut;

	assert_int_equal(check_first(record, size), 0);
	for (cut = 0; cut < size; cut += 8)
		assert_int_equal(check_first(record, cut), -EBADMSG);
}

static void truncated_records_are_refused(void **state)
{
	union any_record record;

	(void)state;
	make_file(&record, 1, 20, 0, "/usr/bin/ls");
	assert_cut_is_refused(&record);
	make_mmap(&record, 1, 0, 10);
	assert_cut_is_refused(&record);
	make_image(&record, BUILDID_RECORD_KERNEL, 20, "6.12.1");
	assert_cut_is_refused(&record);
	make_image(&record, BUILDID_RECORD_MODULE, 20, "ext4");
	assert_cut_is_refused(&record);
	make_cookie(&record, 1, 8);
	assert_cut_is_refused(&record);
	make_process(&record, BUILDID_RECORD_FORK, 2, 1);
	assert_cut_is_refused(&record);
	make_lost(&record, 3);
	assert_cut_is_refused(&record);
}

/* The size is too small for what the record has to hold. */
static void shortened_records_are_refused(void **state)
{
	union any_record record;
	uint32_t size;

	(void)state;
	make_file(&record, 1, 20, 0, "/usr/bin/ls");
	for (size = 0; size < sizeof(record.file) + 24 + 16; size += 8) {
		record.header.size = size;
		assert_int_equal(check_first(&record, sizeof(record)), -EBADMSG);
	}
	make_mmap(&record, 1, 0, 10);
	for (size = 0; size < sizeof(record.mmap); size += 8) {
		record.header.size = size;
		assert_int_equal(check_first(&record, sizeof(record)), -EBADMSG);
	}
	make_image(&record, BUILDID_RECORD_MODULE, 20, "a_module");
	for (size = 0; size < sizeof(record.image) + 24 + 16; size += 8) {
		record.header.size = size;
		assert_int_equal(check_first(&record, sizeof(record)), -EBADMSG);
	}
	make_cookie(&record, 1, 20);
	for (size = 0; size < sizeof(record.cookie) + 24; size += 8) {
		record.header.size = size;
		assert_int_equal(check_first(&record, sizeof(record)), -EBADMSG);
	}
	make_process(&record, BUILDID_RECORD_EXIT, 1, 0);
	for (size = 0; size < sizeof(record.task); size += 8) {
		record.header.size = size;
		assert_int_equal(check_first(&record, sizeof(record)), -EBADMSG);
	}
}

static void longer_records_are_accepted(void **state)
{
	union any_record record;

	(void)state;
	make_file(&record, 1, 20, 0, "/usr/bin/ls");
	record.header.size += 64;
	assert_int_equal(check_first(&record, record.header.size), 0);
	make_lost(&record, 3);
	record.header.size += 8;
	assert_int_equal(check_first(&record, record.header.size), 0);
}

/* Fields that a newer module adds are before what varies in length. */
static void records_that_have_grown_are_read_as_before(void **state)
{
	union any_record record;
	size_t size;

	(void)state;
	make_extra = 16;
	make_file(&record, 1, 20, 0, "/usr/bin/ls");
	assert_int_equal(check_first(&record, record.header.size), 0);
	assert_int_equal(buildid_file_id_bytes(&record.file, &size)[0], 0x10);
	assert_int_equal(size, 20);
	assert_string_equal(buildid_file_path(&record.file), "/usr/bin/ls");
	make_mmap(&record, 1, 0, 10);
	assert_int_equal(check_first(&record, record.header.size), 0);
	make_image(&record, BUILDID_RECORD_MODULE, 20, "ext4");
	assert_int_equal(check_first(&record, record.header.size), 0);
	assert_int_equal(buildid_image_id_bytes(&record.image, &size)[0], 0x10);
	assert_string_equal(buildid_image_name(&record.image), "ext4");
	make_cookie(&record, 1, 8);
	assert_int_equal(check_first(&record, record.header.size), 0);
	assert_int_equal(buildid_cookie_id_bytes(&record.cookie, &size)[0], 0x10);
	make_process(&record, BUILDID_RECORD_FORK, 2, 1);
	assert_int_equal(check_first(&record, record.header.size), 0);
	make_lost(&record, 3);
	assert_int_equal(check_first(&record, record.header.size), 0);
	make_extra = 0;
}

static void data_in_the_fixed_part_or_beyond_the_end_is_refused(void **state)
{
	union any_record record;
	uint32_t at;

	(void)state;
	for (at = 0; at <= UINT16_MAX; at += 4) {
		make_file(&record, 1, 20, 0, "/usr/bin/ls");
		record.file.data_off = (uint16_t)at;
		if (at != sizeof(record.file))
			assert_int_equal(check_first(&record, record.header.size), -EBADMSG);
		make_image(&record, BUILDID_RECORD_MODULE, 20, "ext4");
		record.image.data_off = (uint16_t)at;
		if (at != sizeof(record.image))
			assert_int_equal(check_first(&record, record.header.size), -EBADMSG);
		make_cookie(&record, 1, 8);
		record.cookie.data_off = (uint16_t)at;
		if (at != sizeof(record.cookie))
			assert_int_equal(check_first(&record, record.header.size), -EBADMSG);
	}
}

static void unknown_types_are_accepted(void **state)
{
	union any_record record;

	(void)state;
	make_lost(&record, 3);
	record.header.type = 77;
	record.header.size = sizeof(record.header);
	assert_int_equal(check_first(&record, sizeof(record.header)), 0);
	assert_string_equal(buildid_type_name(77), "unknown");
}

static void impossible_sizes_are_refused(void **state)
{
	static const uint32_t sizes[] = {
		0, 8, 31, 33, 57, 0x7ffffff8, BUILDID_RECORD_BUSY | 56, UINT32_MAX,
	};
	union any_record record;
	size_t i;

	(void)state;
	make_lost(&record, 3);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		record.header.size = sizes[i];
		assert_int_equal(check_first(&record, sizeof(record)), -EBADMSG);
	}
	/* Of a type that is not known the header has to be there. */
	record.header.type = 77;
	for (record.header.size = 0; record.header.size < sizeof(record.header);
	     record.header.size += 8)
		assert_int_equal(check_first(&record, sizeof(record)), -EBADMSG);
	record.header.size = sizeof(record.header) + 4;
	assert_int_equal(check_first(&record, sizeof(record)), -EBADMSG);
	record.header.size = sizeof(record.header);
	assert_int_equal(check_first(&record, sizeof(record.header) - 8), -EBADMSG);
}

static void an_address_that_is_not_aligned_is_refused(void **state)
{
	union any_record record;

	(void)state;
	make_lost(&record, 3);
	assert_int_equal(buildid_record_check(record.bytes + 4, 64), -EINVAL);
}

static void assert_file_refused(const union any_record *record)
{
	assert_int_equal(check_first(record, record->header.size), -EBADMSG);
}

static void lengths_beyond_a_file_are_refused(void **state)
{
	static const uint16_t lengths[] = { 25, 129, 0x7fff, 0xfff8, UINT16_MAX };
	union any_record record;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		make_file(&record, 1, 20, 0, "/bin/sh");
		record.file.id_len = lengths[i];
		assert_file_refused(&record);
		make_file(&record, 1, 20, 0, "/bin/sh");
		record.file.path_len = lengths[i];
		assert_file_refused(&record);
	}
}

static void an_id_longer_than_any_is_refused(void **state)
{
	union any_record record;

	(void)state;
	make_file(&record, 1, BUILDID_ID_MAX, 0, "/bin/sh");
	record.header.size += 8;
	record.file.id_len++;
	record.file.path_len = 0;
	assert_file_refused(&record);
}

static void lengths_beyond_an_image_are_refused(void **state)
{
	static const uint16_t lengths[] = { 25, 129, 0x7fff, 0xfff8, UINT16_MAX };
	union any_record record;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		make_image(&record, BUILDID_RECORD_MODULE, 20, "a_mod");
		record.image.id_len = lengths[i];
		assert_file_refused(&record);
		make_image(&record, BUILDID_RECORD_MODULE, 20, "a_mod");
		record.image.name_len = lengths[i];
		assert_file_refused(&record);
		make_cookie(&record, 1, 20);
		record.cookie.id_len = lengths[i];
		assert_file_refused(&record);
	}
}

static void a_cookie_has_an_id_and_a_name(void **state)
{
	union any_record record;
	size_t size;

	(void)state;
	make_cookie(&record, 1, 0);
	assert_int_equal(check_first(&record, record.header.size), 0);
	assert_null(buildid_cookie_id_bytes(&record.cookie, &size));
	record.cookie.kind = BUILDID_KIND_COOKIE;
	assert_file_refused(&record);
	make_cookie(&record, 1, 8);
	record.cookie.kind = BUILDID_KIND_NONE;
	assert_file_refused(&record);
	make_cookie(&record, 1, BUILDID_ID_MAX);
	assert_int_equal(check_first(&record, record.header.size), 0);
	memset(record.cookie.comm, 'x', sizeof(record.cookie.comm));
	assert_file_refused(&record);
}

static void text_without_an_end_is_refused(void **state)
{
	union any_record record;

	(void)state;
	make_file(&record, 1, 20, 0, "/bin/sh");
	data_of(&record)[24 + 7] = 'x';
	assert_file_refused(&record);
	/* As long as the record, so that there is no NUL. */
	record.file.path_len = 8;
	assert_file_refused(&record);
	make_mmap(&record, 1, 0, 10);
	memset(record.mmap.comm, 'x', sizeof(record.mmap.comm));
	assert_file_refused(&record);
}

static void text_with_an_early_end_is_refused(void **state)
{
	union any_record record;

	(void)state;
	make_file(&record, 1, 20, 0, "/bin/sh");
	data_of(&record)[24 + 2] = '\0';
	assert_file_refused(&record);
}

static void a_kind_without_an_id_is_refused(void **state)
{
	union any_record record;

	(void)state;
	make_file(&record, 1, 0, 0, "/bin/sh");
	record.file.kind = BUILDID_KIND_GNU;
	assert_file_refused(&record);
	make_file(&record, 1, 20, 0, "/bin/sh");
	record.file.kind = BUILDID_KIND_NONE;
	assert_file_refused(&record);
	make_image(&record, BUILDID_RECORD_KERNEL, 0, "6.1");
	record.image.kind = BUILDID_KIND_GNU;
	assert_file_refused(&record);
	make_image(&record, BUILDID_RECORD_KERNEL, 20, "6.1");
	record.image.kind = BUILDID_KIND_NONE;
	assert_file_refused(&record);
}

static void accessors_return_what_is_there(void **state)
{
	union any_record record;
	const uint8_t *id;
	size_t size;

	(void)state;
	make_file(&record, 1, 3, 0, "/bin/sh");
	id = buildid_file_id_bytes(&record.file, &size);
	assert_int_equal(size, 3);
	assert_memory_equal(id, "\x10\x11\x12", 3);
	assert_string_equal(buildid_file_path(&record.file), "/bin/sh");

	make_file(&record, 1, 0, BUILDID_REASON_NO_NOTE, "");
	assert_null(buildid_file_id_bytes(&record.file, &size));
	assert_int_equal(size, 0);
	assert_string_equal(buildid_file_path(&record.file), "");

	make_image(&record, BUILDID_RECORD_MODULE, 3, "ext4");
	id = buildid_image_id_bytes(&record.image, &size);
	assert_int_equal(size, 3);
	assert_memory_equal(id, "\x10\x11\x12", 3);
	assert_string_equal(buildid_image_name(&record.image), "ext4");
	make_image(&record, BUILDID_RECORD_MODULE, 0, "");
	assert_null(buildid_image_id_bytes(&record.image, &size));
	assert_string_equal(buildid_image_name(&record.image), "");

	make_cookie(&record, 1, 3);
	id = buildid_cookie_id_bytes(&record.cookie, &size);
	assert_int_equal(size, 3);
	assert_memory_equal(id, "\x10\x11\x12", 3);
}

static void accessors_check_for_themselves(void **state)
{
	union any_record record;
	size_t size;

	(void)state;
	make_file(&record, 1, 20, 0, "/bin/sh");
	record.file.id_len = UINT16_MAX;
	assert_null(buildid_file_id_bytes(&record.file, &size));
	assert_int_equal(size, 0);
	assert_null(buildid_file_path(&record.file));
	make_image(&record, BUILDID_RECORD_MODULE, 3, "ext4");
	record.image.id_len = UINT16_MAX;
	assert_null(buildid_image_id_bytes(&record.image, &size));
	assert_null(buildid_image_name(&record.image));
	make_cookie(&record, 1, 3);
	record.cookie.id_len = 100;
	assert_null(buildid_cookie_id_bytes(&record.cookie, &size));
	assert_int_equal(size, 0);
}

static void the_longest_file_fits(void **state)
{
	union any_record record;
	char path[4096];

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	make_file(&record, 1, BUILDID_ID_MAX, 0, path);
	assert_int_equal(check_first(&record, record.header.size), 0);
	assert_string_equal(buildid_file_path(&record.file), path);
}

static void every_number_has_a_name(void **state)
{
	unsigned int i;

	(void)state;
	assert_null(buildid_reason_name(BUILDID_REASON_NONE));
	for (i = 1; i <= BUILDID_REASON_DENIED; i++)
		assert_string_not_equal(buildid_reason_name(i), "unknown");
	assert_string_equal(buildid_reason_name(i), "unknown");
	for (i = 0; i <= BUILDID_KIND_COOKIE; i++)
		assert_string_not_equal(buildid_kind_name(i), "unknown");
	assert_string_equal(buildid_kind_name(i), "unknown");
	for (i = 1; i <= BUILDID_RECORD_COMM; i++)
		assert_string_not_equal(buildid_type_name(i), "unknown");
	assert_string_equal(buildid_type_name(0), "unknown");
	assert_string_equal(buildid_type_name(i), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truncated_records_are_refused),
		cmocka_unit_test(shortened_records_are_refused),
		cmocka_unit_test(longer_records_are_accepted),
		cmocka_unit_test(records_that_have_grown_are_read_as_before),
		cmocka_unit_test(data_in_the_fixed_part_or_beyond_the_end_is_refused),
		cmocka_unit_test(unknown_types_are_accepted),
		cmocka_unit_test(impossible_sizes_are_refused),
		cmocka_unit_test(an_address_that_is_not_aligned_is_refused),
		cmocka_unit_test(lengths_beyond_a_file_are_refused),
		cmocka_unit_test(an_id_longer_than_any_is_refused),
		cmocka_unit_test(lengths_beyond_an_image_are_refused),
		cmocka_unit_test(a_cookie_has_an_id_and_a_name),
		cmocka_unit_test(text_without_an_end_is_refused),
		cmocka_unit_test(text_with_an_early_end_is_refused),
		cmocka_unit_test(a_kind_without_an_id_is_refused),
		cmocka_unit_test(accessors_return_what_is_there),
		cmocka_unit_test(accessors_check_for_themselves),
		cmocka_unit_test(the_longest_file_fits),
		cmocka_unit_test(every_number_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
