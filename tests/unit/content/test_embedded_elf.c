// SPDX-License-Identifier: GPL-2.0
/* Embedded ELF: files that are made to be misread, or to take long. */

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "content/embedded_elf.h"
#include "samples.h"
#include "streams.h"

#define READS 100000

static unsigned int left; /* of these */

static bool find(uint64_t offset, struct embedded_elf *found)
{
	int fd = open("file", O_RDONLY | O_CLOEXEC);
	bool is;

	assert_true(fd >= 0);
	left = READS;
	is = embedded_elf_find(fd, offset, &left, found);
	close(fd);
	return is;
}

static void put(uint64_t offset, const void *bytes, size_t size)
{
	int fd = open("file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(pwrite(fd, bytes, size, (off_t)offset), size);
	close(fd);
}

#define NATIVE_DATA (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

/* A header at @start that says that @segments of @size begin there. */
static void put_header(uint64_t start, uint16_t segments, uint64_t size)
{
	Elf64_Phdr segment = { .p_type = PT_LOAD, .p_filesz = size };
	Elf64_Ehdr header = {
		.e_ident = ELFMAG,
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_phoff = sizeof(header),
		.e_phentsize = sizeof(segment),
		.e_phnum = segments,
	};

	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = NATIVE_DATA;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	put(start, &header, sizeof(header));
	put(start + sizeof(header), &segment, sizeof(segment));
}

static void the_nearest_that_reaches_there_counts(void **state)
{
	struct embedded_elf found;

	(void)state;
	shell("truncate -s 1M file");
	assert_false(find(0x5000, &found));
	assert_int_equal(found.first, 0x5000);
	assert_int_equal(found.last, 0x5fff);
	put_header(0x10000, 1, 0x8000);
	put_header(0x14000, 1, 0x1000);
	put_header(0x15000, 1, UINT64_MAX);
	put_header(0x16000, 1, 0x100000);
	put_header(0x17010, 1, 0x1000);
	assert_true(find(0x14fff, &found));
	assert_int_equal(found.start, 0x14000);
	assert_int_equal(found.size, 0x1000);
	assert_true(find(0x17020, &found));
	assert_int_equal(found.start, 0x10000);
	assert_int_equal(found.first, 0x10000);
	assert_int_equal(found.last, 0x17fff);
	assert_null(found.name);
	assert_false(find(0x18000, &found));
	assert_false(find(UINT64_MAX, &found));
	assert_false(find(1 << 20, &found));
}

static void one_of_32_bits_is_found(void **state)
{
	const Elf32_Phdr segment = { .p_type = PT_LOAD, .p_offset = 0x1234, .p_filesz = 0x100 };
	const Elf32_Shdr section = { .sh_type = SHT_STRTAB, .sh_offset = 0x1400, .sh_size = 16 };
	Elf32_Ehdr header = {
		.e_ident = ELFMAG,
		.e_type = ET_DYN,
		.e_machine = EM_ARM,
		.e_phoff = sizeof(header),
		.e_phentsize = sizeof(segment),
		.e_phnum = 1,
		.e_shoff = 0x1500,
		.e_shentsize = sizeof(section),
		.e_shnum = 1,
	};
	struct embedded_elf found;

	(void)state;
	header.e_ident[EI_CLASS] = ELFCLASS32;
	header.e_ident[EI_DATA] = NATIVE_DATA;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	shell("truncate -s 64K file");
	put(0x3000, &header, sizeof(header));
	put(0x3000 + sizeof(header), &segment, sizeof(segment));
	put(0x4500, &section, sizeof(section));
	assert_true(find(0x4333, &found));
	assert_int_equal(found.start, 0x3000);
	assert_int_equal(found.first, 0x4000);
	assert_int_equal(found.size, 0x1500 + sizeof(section));
	assert_false(find(0x4334, &found));
	assert_false(find(0x3fff, &found));
}

static void in_an_elf_file_there_is_none(void **state)
{
	struct embedded_elf found;

	(void)state;
	put_header(0, 1, 0x1000);
	put_header(0x1000, 1, 0x1000);
	assert_false(find(0x1000, &found));
	assert_int_equal(found.first, 0);
	assert_true(found.last == UINT64_MAX);
}

static void it_is_read_only_so_often(void **state)
{
	struct embedded_elf found;
	uint64_t at;

	(void)state;
	shell("truncate -s 8M file");
	for (at = 0x1000; at < 0x800000; at += 0x1000)
		put_header(at, 128, 0);
	assert_false(find(0x7fffff, &found));
	assert_int_equal(left, 0);
	/* A hole is one for the reader, too. */
	shell("truncate -s 1T file");
	assert_false(find((1ULL << 40) - 1, &found));
	assert_int_equal(left, 0);
}

/* Whatever bytes a zip's directory has. */
static void a_directory_is_not_believed(void **state)
{
	struct embedded_elf found;
	int i;

	(void)state;
	shell("cp /bin/true a; head -c 5000 /dev/zero >b; python3 -c 'import zipfile\n"
	      "with zipfile.ZipFile(\"z.zip\", \"w\") as zip:\n"
	      "    zip.write(\"a\"); zip.write(\"b\")'");
	srand(1);
	for (i = 0; i < 3000; i++) {
		unsigned char byte = (unsigned char)(rand() % 3 ? rand() : 0xff);
		int fd, at;

		if (i % 30 == 0)
			shell("cp z.zip file");
		fd = open("file", O_RDWR | O_CLOEXEC);
		at = (int)lseek(fd, 0, SEEK_END) - 1 - rand() % 200;
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		close(fd);
		if (find((uint64_t)at, &found))
			free(found.name);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, sample_set_up, sample_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_nearest_that_reaches_there_counts), TEST(one_of_32_bits_is_found),
		TEST(in_an_elf_file_there_is_none),	     TEST(it_is_read_only_so_often),
		TEST(a_directory_is_not_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
