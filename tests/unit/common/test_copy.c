// SPDX-License-Identifier: GPL-2.0
/* Copy: no more than it was allowed, whatever the file is like. */

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/copy.h"

#define PIECES 16
/* Of data at the start of each piece. */
#define DATA  4096
#define PIECE 65536

static int new_file(void)
{
	int fd = memfd_create("copy", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static int sparse_file(void)
{
	int fd = new_file();
	char data[DATA];
	int n;

	memset(data, 'x', sizeof(data));
	for (n = 0; n < PIECES; n++)
		assert_true(pwrite_all(fd, data, sizeof(data), (off_t)n * PIECE));
	assert_int_equal(ftruncate(fd, (off_t)PIECES * PIECE), 0);
	return fd;
}

static void holes_stay_holes(void **state)
{
	int from = sparse_file(), to = new_file();
	struct reason reason;
	struct stat copied;
	char byte;

	(void)state;
	assert_true(copy_file(from, to, PIECES * DATA, &reason));
	assert_int_equal(fstat(to, &copied), 0);
	assert_int_equal(copied.st_size, PIECES * PIECE);
	assert_int_equal(copied.st_blocks * 512, PIECES * DATA);
	assert_int_equal(pread(to, &byte, 1, PIECE + DATA - 1), 1);
	assert_int_equal(byte, 'x');
	close(from);
	close(to);
}

static void a_part_has_its_holes_and_no_more(void **state)
{
	int from = sparse_file(), to = new_file();
	struct reason reason;
	struct stat copied;
	char bytes[2];

	(void)state;
	assert_true(copy_part(from, to, PIECE - 4096, 2 * PIECE, 2 * DATA, &reason));
	assert_int_equal(fstat(to, &copied), 0);
	assert_int_equal(copied.st_size, 2 * PIECE);
	assert_int_equal(copied.st_blocks * 512, 2 * DATA);
	assert_int_equal(pread(to, bytes, 2, 4095), 2);
	assert_memory_equal(bytes, "\0x", 2);
	assert_false(copy_part(from, to, 0, 2 * PIECE, 2 * DATA - 1, &reason));
	close(from);
	close(to);
}

static void more_than_allowed_is_refused(void **state)
{
	int from = sparse_file(), to = new_file();
	struct reason reason;

	(void)state;
	assert_false(copy_file(from, to, PIECES * DATA - 1, &reason));
	assert_string_equal(reason.text, "cannot be copied: File too large");
	close(from);
	close(to);
}

/* So is a file that has no size, and any content. */
static void of_a_file_without_a_size_too(void **state)
{
	int from = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	struct reason reason;
	struct stat copied;
	int to = new_file();

	(void)state;
	assert_true(from >= 0);
	assert_false(copy_file(from, to, 100, &reason));
	assert_string_equal(reason.text, "cannot be copied: File too large");
	assert_int_equal(fstat(to, &copied), 0);
	assert_int_equal(copied.st_size, 101);
	assert_int_equal(ftruncate(to, 0), 0);
	assert_true(copy_file(from, to, COPY_ALL, &reason));
	assert_int_equal(fstat(to, &copied), 0);
	assert_true(copied.st_size > 101);
	close(from);
	close(to);
}

/* As one that is made to take long: a hole of both has no bytes to look at. */
static void files_are_compared_where_they_have_bytes(void **state)
{
	const uint64_t far = 1ULL << 42;
	int one = sparse_file(), other = sparse_file(), empty = new_file();

	(void)state;
	assert_true(same_bytes(one, other, 0, PIECES * PIECE));
	assert_int_equal(ftruncate(one, (off_t)far), 0);
	assert_int_equal(ftruncate(other, (off_t)far), 0);
	assert_true(same_bytes(one, other, 0, UINT64_MAX));
	assert_true(pwrite_all(other, "y", 1, (off_t)far - 1));
	assert_false(same_bytes(one, other, 0, UINT64_MAX));
	assert_true(same_bytes(one, other, 0, far - 1));
	assert_false(same_bytes(one, other, far - 1, 1));
	assert_true(same_bytes(one, other, UINT64_MAX, 1));
	/* what is a hole in one alone */
	assert_true(pwrite_all(one, "\0", 1, (off_t)far - 1));
	assert_true(pwrite_all(other, "\0", 1, (off_t)far - 1));
	assert_true(same_bytes(one, other, far - PIECE, PIECE));
	/* what is not there is not known */
	assert_true(same_bytes(one, empty, 0, PIECE));
	close(one);
	close(other);
	close(empty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holes_stay_holes),
		cmocka_unit_test(a_part_has_its_holes_and_no_more),
		cmocka_unit_test(more_than_allowed_is_refused),
		cmocka_unit_test(of_a_file_without_a_size_too),
		cmocka_unit_test(files_are_compared_where_they_have_bytes),
	};

	return cmocka_run_group_tests_name("copy", tests, NULL, NULL);
}
