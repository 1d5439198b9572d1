// SPDX-License-Identifier: GPL-2.0
/* ELF files: small images by hand, beside what readelf says of them. */

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/array.h"
#include "content/elf_file.h"
#include "streams.h"

#define GO_TYPE 4

static char path[] = "/tmp/buildid-elf.XXXXXX";
static unsigned char image[16384];
static size_t size;
static bool big_endian;

static int set_up(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd >= 0)
		close(fd);
	return fd < 0;
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

static uint16_t half(uint16_t value)
{
	return big_endian ? htobe16(value) : htole16(value);
}

static uint32_t word(uint32_t value)
{
	return big_endian ? htobe32(value) : htole32(value);
}

static uint64_t xword(uint64_t value)
{
	return big_endian ? htobe64(value) : htole64(value);
}

/* Segments are behind the header, up to 4 of them; all else comes behind. */
#define SEGMENTS_AT sizeof(Elf64_Ehdr)
#define CONTENT_AT  (SEGMENTS_AT + 4 * sizeof(Elf64_Phdr))

static void start(void)
{
	Elf64_Ehdr header = { .e_ident = ELFMAG };

	memset(image, 0, sizeof(image));
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	header.e_type = half(ET_DYN);
	header.e_machine = half(big_endian ? EM_S390 : EM_X86_64);
	header.e_version = word(EV_CURRENT);
	header.e_phoff = xword(SEGMENTS_AT);
	header.e_ehsize = half(sizeof(header));
	header.e_phentsize = half(sizeof(Elf64_Phdr));
	header.e_shentsize = half(sizeof(Elf64_Shdr));
	memcpy(image, &header, sizeof(header));
	size = CONTENT_AT;
}

static size_t padded(size_t at, size_t align)
{
	return (at + align - 1) & ~(align - 1);
}

/* A note with bytes @first, @first + 1 ... */
static void add_note(const char *owner, uint32_t owner_size, uint32_t type, uint32_t id_size,
		     uint8_t first, size_t align)
{
	size_t start_ = size;
	Elf64_Nhdr header = {
		.n_namesz = word(owner_size),
		.n_descsz = word(id_size),
		.n_type = word(type),
	};
	uint32_t i;

	memcpy(image + size, &header, sizeof(header));
	size += sizeof(header);
	memcpy(image + size, owner, owner_size);
	size = start_ + padded(size + owner_size - start_, align);
	for (i = 0; i < id_size; i++)
		image[size + i] = (uint8_t)(first + i);
	size = start_ + padded(size + id_size - start_, align);
}

static void add_gnu(uint32_t id_size, uint8_t first)
{
	add_note("GNU", 4, NT_GNU_BUILD_ID, id_size, first, 4);
}

static void add_go(uint32_t id_size, uint8_t first)
{
	add_note("Go\0", 4, GO_TYPE, id_size, first, 4);
}

static void add_segment(size_t from, uint64_t align)
{
	Elf64_Ehdr *header = (void *)image;
	uint16_t number = half(header->e_phnum);
	Elf64_Phdr segment = {
		.p_type = word(PT_NOTE),
		.p_offset = xword(from),
		.p_filesz = xword(size - from),
		.p_memsz = xword(size - from),
		.p_align = xword(align),
	};

	memcpy(image + SEGMENTS_AT + number * sizeof(segment), &segment, sizeof(segment));
	header->e_phnum = half((uint16_t)(number + 1));
}

/* The table of sections is put at the end, with one of notes. */
static void add_section(size_t from, uint64_t align)
{
	Elf64_Ehdr *header = (void *)image;
	Elf64_Shdr section = {
		.sh_type = word(SHT_NOTE),
		.sh_offset = xword(from),
		.sh_size = xword(size - from),
		.sh_addralign = xword(align),
	};

	size = padded(size, 8);
	header->e_shoff = xword(size);
	header->e_shnum = half(2);
	size += sizeof(section);
	memcpy(image + size, &section, sizeof(section));
	size += sizeof(section);
}

static void write_image(void)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(image, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void read_id(struct elf_info *info)
{
	int fd;

	write_image();
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	elf_file_id(fd, info);
	close(fd);
}

static void assert_id(uint16_t kind, size_t id_size, uint8_t first)
{
	struct elf_info info;
	size_t i;

	read_id(&info);
	assert_int_equal(info.kind, kind);
	assert_int_equal(info.reason, BUILDID_REASON_NONE);
	assert_int_equal(info.id.size, id_size);
	for (i = 0; i < id_size; i++)
		assert_int_equal(info.id.bytes[i], (uint8_t)(first + i));
}

static void assert_no_id(uint16_t reason)
{
	struct elf_info info;

	read_id(&info);
	assert_int_equal(info.kind, BUILDID_KIND_NONE);
	assert_int_equal(info.id.size, 0);
	assert_int_equal(info.reason, reason);
}

/* What readelf makes of the file must be the same. */
static void assert_readelf_agrees(void)
{
	char command[128], line[512], expected[2 * BUILDID_ID_MAX + 1] = "";
	bool found = false;
	struct elf_info info;
	FILE *output;
	size_t i;

	read_id(&info);
	for (i = 0; i < info.id.size; i++)
		sprintf(expected + 2 * i, "%02x", info.id.bytes[i]);
	snprintf(command, sizeof(command), "readelf -n %s 2>/dev/null", path);
	output = popen(command, "r");
	assert_non_null(output);
	while (fgets(line, sizeof(line), output)) {
		const char *text = strstr(line, "Build ID: ");

		if (!text)
			continue;
		found = true;
		line[strcspn(line, "\n")] = '\0';
		assert_string_equal(text + strlen("Build ID: "), expected);
	}
	assert_int_equal(pclose(output), 0);
	assert_true(found);
}

static void a_note_in_a_segment_is_read(void **state)
{
	(void)state;
	start();
	add_gnu(20, 1);
	add_segment(CONTENT_AT, 4);
	assert_id(BUILDID_KIND_GNU, 20, 1);
	assert_readelf_agrees();
}

static void padding_follows_the_alignment(void **state)
{
	(void)state;
	start();
	/* Its owner and content end off 8 bytes: the next is found only so. */
	add_note("GNU", 4, NT_GNU_PROPERTY_TYPE_0, 12, 50, 8);
	add_note("GNU", 4, NT_GNU_BUILD_ID, 20, 1, 8);
	add_segment(CONTENT_AT, 8);
	assert_id(BUILDID_KIND_GNU, 20, 1);
	assert_readelf_agrees();

	start();
	add_note("GNU", 4, NT_GNU_ABI_TAG, 12, 50, 4);
	add_note("GNU", 4, NT_GNU_BUILD_ID, 20, 1, 4);
	add_segment(CONTENT_AT, 4);
	assert_id(BUILDID_KIND_GNU, 20, 1);
	assert_readelf_agrees();

	/* No alignment at all is 4. */
	start();
	add_note("GNU", 4, NT_GNU_ABI_TAG, 12, 50, 4);
	add_note("GNU", 4, NT_GNU_BUILD_ID, 20, 1, 4);
	add_segment(CONTENT_AT, 0);
	assert_id(BUILDID_KIND_GNU, 20, 1);
}

static void every_length_up_to_the_longest_is_read(void **state)
{
	uint32_t id_size;

	(void)state;
	for (id_size = 1; id_size <= BUILDID_ID_MAX; id_size++) {
		start();
		add_gnu(id_size, 1);
		add_segment(CONTENT_AT, 4);
		assert_id(BUILDID_KIND_GNU, id_size, 1);
	}
}

static void no_other_length_is_read(void **state)
{
	(void)state;
	start();
	add_gnu(0, 1);
	add_gnu(BUILDID_ID_MAX + 1, 1);
	add_segment(CONTENT_AT, 4);
	assert_no_id(BUILDID_REASON_NO_NOTE);

	/* And it does not hide a good one behind it. */
	start();
	add_gnu(BUILDID_ID_MAX + 1, 1);
	add_gnu(20, 7);
	add_segment(CONTENT_AT, 4);
	assert_id(BUILDID_KIND_GNU, 20, 7);
}

static void a_later_segment_is_read(void **state)
{
	size_t second;

	(void)state;
	start();
	add_note("GNU", 4, NT_GNU_PROPERTY_TYPE_0, 16, 50, 8);
	add_segment(CONTENT_AT, 8);
	second = size;
	add_gnu(20, 1);
	add_segment(second, 4);
	assert_id(BUILDID_KIND_GNU, 20, 1);
	assert_readelf_agrees();
}

static void an_empty_segment_hides_none(void **state)
{
	(void)state;
	start();
	add_segment(CONTENT_AT, 4);
	add_gnu(20, 1);
	add_segment(CONTENT_AT, 4);
	assert_id(BUILDID_KIND_GNU, 20, 1);
}

static void a_section_is_read_when_no_segment_has_it(void **state)
{
	(void)state;
	start();
	add_gnu(20, 1);
	add_section(CONTENT_AT, 4);
	assert_id(BUILDID_KIND_GNU, 20, 1);
}

static void a_segment_goes_before_a_section(void **state)
{
	size_t second;

	(void)state;
	start();
	add_gnu(20, 1);
	second = size;
	add_gnu(20, 100);
	add_section(CONTENT_AT, 4);
	size = second + 36;
	add_segment(second, 4);
	size = sizeof(image);
	assert_id(BUILDID_KIND_GNU, 20, 100);
}

static void go_is_read_when_there_is_no_gnu(void **state)
{
	(void)state;
	start();
	add_go(83, 'A');
	add_segment(CONTENT_AT, 4);
	assert_id(BUILDID_KIND_GO, 83, 'A');
}

static void gnu_goes_before_go_wherever_it_is(void **state)
{
	size_t second;

	(void)state;
	start();
	add_go(20, 'A');
	add_gnu(20, 1);
	add_segment(CONTENT_AT, 4);
	assert_id(BUILDID_KIND_GNU, 20, 1);

	start();
	add_go(20, 'A');
	add_segment(CONTENT_AT, 4);
	second = size;
	add_gnu(20, 1);
	add_section(second, 4);
	assert_id(BUILDID_KIND_GNU, 20, 1);
}

static void other_owners_do_not_count(void **state)
{
	(void)state;
	start();
	add_note("GNU", 3, NT_GNU_BUILD_ID, 20, 1, 4);
	add_note("GNV", 4, NT_GNU_BUILD_ID, 20, 1, 4);
	add_note("GNU\0", 5, NT_GNU_BUILD_ID, 20, 1, 4);
	add_note("", 0, NT_GNU_BUILD_ID, 20, 1, 4);
	add_note("Go", 3, GO_TYPE, 20, 1, 4);
	add_note("GNU", 4, NT_GNU_ABI_TAG, 20, 1, 4);
	add_segment(CONTENT_AT, 4);
	assert_no_id(BUILDID_REASON_NO_NOTE);
}

static void the_other_byte_order_is_read(void **state)
{
	(void)state;
	big_endian = true;
	start();
	add_gnu(20, 1);
	add_segment(CONTENT_AT, 4);
	assert_id(BUILDID_KIND_GNU, 20, 1);
	assert_readelf_agrees();
	start();
	add_gnu(20, 1);
	add_section(CONTENT_AT, 4);
	assert_id(BUILDID_KIND_GNU, 20, 1);
	big_endian = false;
}

static void elf32_is_read(void **state)
{
	Elf32_Ehdr header = {
		.e_ident = ELFMAG,
		.e_type = htole16(ET_DYN),
		.e_machine = htole16(EM_386),
		.e_version = htole32(EV_CURRENT),
		.e_phoff = htole32(sizeof(header)),
		.e_ehsize = htole16(sizeof(header)),
		.e_phentsize = htole16(sizeof(Elf32_Phdr)),
		.e_phnum = htole16(1),
	};
	Elf32_Phdr segment = {
		.p_type = htole32(PT_NOTE),
		.p_align = htole32(4),
	};

	(void)state;
	start();
	memset(image, 0, CONTENT_AT);
	add_gnu(20, 1);
	header.e_ident[EI_CLASS] = ELFCLASS32;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	segment.p_offset = htole32(CONTENT_AT);
	segment.p_filesz = htole32((uint32_t)(size - CONTENT_AT));
	memcpy(image, &header, sizeof(header));
	memcpy(image + sizeof(header), &segment, sizeof(segment));
	assert_id(BUILDID_KIND_GNU, 20, 1);
	assert_readelf_agrees();
}

/* As a file that was not copied to its end. */
static void a_file_that_lost_its_sections_is_read(void **state)
{
	Elf64_Ehdr *header = (void *)image;

	(void)state;
	start();
	add_gnu(20, 1);
	add_segment(CONTENT_AT, 4);
	header->e_shoff = htole64(1 << 20);
	header->e_shnum = htole16(30);
	assert_id(BUILDID_KIND_GNU, 20, 1);
}

/* Of more than 65,279 sections the number is not in the header of the file. */
static void assert_cut_with(unsigned int number, bool cut)
{
	Elf64_Ehdr *header = (void *)image;
	struct elf_info info;
	int fd;

	start();
	add_gnu(20, 1);
	add_section(CONTENT_AT, 4);
	((Elf64_Shdr *)(void *)(image + header->e_shoff))->sh_size = number;
	header->e_shnum = 0;
	write_image();
	fd = open(path, O_RDONLY);
	elf_file_info(fd, &info);
	close(fd);
	assert_int_equal(info.sections_missing, cut);
	assert_int_equal(info.truncated, cut);
}

static void sections_that_section_0_counts_may_be_missing(void **state)
{
	(void)state;
	assert_cut_with(2, false);
	assert_cut_with(3, true);
	assert_cut_with(70000, true);
}

static void notes_that_were_cut_are_read_as_far_as_they_go(void **state)
{
	size_t whole;

	(void)state;
	start();
	add_gnu(20, 1);
	whole = size;
	add_note("GNU", 4, NT_GNU_ABI_TAG, 64, 1, 4);
	add_segment(CONTENT_AT, 4);
	size = whole;
	assert_id(BUILDID_KIND_GNU, 20, 1);
}

static void what_is_no_elf_file_is_reported(void **state)
{
	(void)state;
	size = 0;
	assert_no_id(BUILDID_REASON_NOT_ELF);
	memcpy(image, "#!/bin/sh\n", 10);
	size = 10;
	assert_no_id(BUILDID_REASON_NOT_ELF);
	/* libelf reads archives, too; the module does not. */
	memcpy(image, "!<arch>\n", 8);
	size = 8;
	assert_no_id(BUILDID_REASON_NOT_ELF);
	start();
	assert_no_id(BUILDID_REASON_NO_NOTE);
}

static off_t unreadable = -1;

/* Our own calls are of pread64(), as file offsets have 64 bits, and libelf's of pread(). */
ssize_t pread64(int fd, void *buf, size_t count, off_t offset)
{
	if (unreadable >= offset && unreadable < offset + (off_t)count) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_pread64, fd, buf, count, offset);
}
extern __typeof(pread64) pread_of_libelf __asm__("pread") __attribute__((alias("pread64")));

/* A read of this many bytes at once would hide where the bad byte is. */
#define FAR 12288

static void a_file_that_cannot_be_read_is_not_called_something_else(void **state)
{
	(void)state;
	start();
	size = FAR;
	add_gnu(20, 1);
	add_segment(FAR, 4);
	assert_id(BUILDID_KIND_GNU, 20, 1);
	unreadable = 0;
	assert_no_id(BUILDID_REASON_IO);
	unreadable = FAR + 4;
	assert_no_id(BUILDID_REASON_IO);
	unreadable = -1;
	assert_id(BUILDID_KIND_GNU, 20, 1);
}

/* No crash, and none of the reads leaves the image: the sanitizers look. */
static void every_damage_is_survived(void **state)
{
	static const unsigned char values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct elf_info info;
	size_t at, i, whole;

	(void)state;
	start();
	add_gnu(20, 1);
	add_segment(CONTENT_AT, 4);
	add_section(CONTENT_AT, 4);
	whole = size;
	for (at = 0; at < whole; at++) {
		unsigned char saved = image[at];

		for (i = 0; i < sizeof(values); i++) {
			image[at] = values[i];
			read_id(&info);
			assert_true(info.id.size <= BUILDID_ID_MAX);
		}
		image[at] = saved;
	}
	for (size = 0; size < whole; size++) {
		read_id(&info);
		assert_true(info.id.size == 0 || info.id.size == 20);
	}
}

static void this_program_is_read(void **state)
{
	struct elf_info info;
	int fd = open("/proc/self/exe", O_RDONLY);

	(void)state;
	elf_file_id(fd, &info);
	close(fd);
	assert_int_equal(info.kind, BUILDID_KIND_GNU);
}

/* ------------------------------------------------- files of this machine -- */

static int open_self(struct elf_info *info)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	elf_file_id(fd, info);
	assert_int_equal(info->kind, BUILDID_KIND_GNU);
	return fd;
}

/* Where the program was put, beside where it says that it wants to be. */
static int is_in_memory(struct dl_phdr_info *program, size_t program_size, void *data)
{
	const struct elf_info *info = data;
	struct elf_layout layout;
	struct elf_info same;
	int fd = open_self(&same);

	(void)program_size;
	assert_true(elf_file_layout(fd, 0, info->id_offset, &layout));
	/* The first is the program itself. */
	assert_memory_equal((const void *)(program->dlpi_addr + layout.id), info->id.bytes,
			    info->id.size);
	assert_memory_equal((const void *)(program->dlpi_addr + layout.start), ELFMAG, SELFMAG);
	assert_true(layout.debug_info);
	close(fd);
	return 1;
}

/* Wherever in between an offset is, it is as far from its address. */
static void a_layout_is_that_of_other_offsets_too(void **state)
{
	struct elf_layout layout, at_end;
	struct elf_info info;
	int fd = open_self(&info);
	uint64_t offset;

	(void)state;
	for (offset = 0; elf_file_layout(fd, offset, offset, &layout); offset = layout.last + 1) {
		assert_int_equal(layout.first, offset);
		assert_true(elf_file_layout(fd, layout.last, layout.last, &at_end));
		assert_int_equal(at_end.start - layout.last, layout.start - offset);
		assert_int_equal(at_end.first, layout.first);
		assert_int_equal(at_end.last, layout.last);
	}
	assert_true(offset > info.id_offset);
	close(fd);
}

static void an_id_has_a_place_in_memory(void **state)
{
	struct elf_layout layout;
	struct elf_info info;
	int fd = open_self(&info);

	(void)state;
	assert_int_equal(dl_iterate_phdr(is_in_memory, &info), 1);
	assert_false(elf_file_layout(fd, 1UL << 40, info.id_offset, &layout));
	assert_false(elf_file_layout(fd, 0, 1UL << 40, &layout));
	close(fd);
	fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	assert_false(elf_file_layout(fd, 0, 0, &layout));
	close(fd);
}

/* As modules are. */
static void compressed_files_are_decompressed(void **state)
{
	static const char *const programs[] = { "cat", "gzip -c", "xz -c", "zstd -qc" };
	struct elf_info info, self;
	char command[128];
	size_t i;
	int fd = open_self(&self);

	(void)state;
	close(fd);
	for (i = 0; i < ARRAY_SIZE(programs); i++) {
		snprintf(command, sizeof(command), "%s < /proc/%d/exe > %s", programs[i], getpid(),
			 path);
		assert_int_equal(system(command), 0);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		elf_file_info(fd, &info);
		close(fd);
		assert_int_equal(info.kind, BUILDID_KIND_GNU);
		assert_true(build_id_equal(&info.id, &self.id));
	}
	assert_int_equal(truncate(path, 100), 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	elf_file_info(fd, &info);
	close(fd);
	assert_int_equal(info.kind, BUILDID_KIND_NONE);
}

/* Each layer would multiply what a small file takes. */
static void what_is_compressed_twice_is_none(void **state)
{
	struct elf_info info;
	char command[128];
	int fd;

	(void)state;
	snprintf(command, sizeof(command), "gzip -c < /proc/%d/exe | gzip -c > %s", getpid(), path);
	assert_int_equal(system(command), 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	elf_file_info(fd, &info);
	close(fd);
	assert_int_equal(info.kind, BUILDID_KIND_NONE);
}

/* Frames to skip, in a file without blocks: hours of reading, without a byte. */
static void what_decompresses_to_nothing_is_read_no_further(void **state)
{
	static const uint8_t first[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0 };
	static const uint8_t skip[] = { 0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0xff };
	struct elf_info info;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), i;
	off_t at = sizeof(first);

	(void)state;
	assert_int_equal(pwrite(fd, first, sizeof(first), 0), sizeof(first));
	for (i = 0; i < 256; i++, at += sizeof(skip) + UINT32_MAX)
		assert_int_equal(pwrite(fd, skip, sizeof(skip), at), sizeof(skip));
	assert_int_equal(ftruncate(fd, at), 0);
	elf_file_info(fd, &info);
	close(fd);
	assert_int_equal(info.kind, BUILDID_KIND_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_note_in_a_segment_is_read),
		cmocka_unit_test(padding_follows_the_alignment),
		cmocka_unit_test(every_length_up_to_the_longest_is_read),
		cmocka_unit_test(no_other_length_is_read),
		cmocka_unit_test(a_later_segment_is_read),
		cmocka_unit_test(an_empty_segment_hides_none),
		cmocka_unit_test(a_section_is_read_when_no_segment_has_it),
		cmocka_unit_test(a_segment_goes_before_a_section),
		cmocka_unit_test(go_is_read_when_there_is_no_gnu),
		cmocka_unit_test(gnu_goes_before_go_wherever_it_is),
		cmocka_unit_test(other_owners_do_not_count),
		cmocka_unit_test(the_other_byte_order_is_read),
		cmocka_unit_test(elf32_is_read),
		cmocka_unit_test(a_file_that_lost_its_sections_is_read),
		cmocka_unit_test(sections_that_section_0_counts_may_be_missing),
		cmocka_unit_test(notes_that_were_cut_are_read_as_far_as_they_go),
		cmocka_unit_test(what_is_no_elf_file_is_reported),
		cmocka_unit_test(a_file_that_cannot_be_read_is_not_called_something_else),
		cmocka_unit_test(every_damage_is_survived),
		cmocka_unit_test(this_program_is_read),
		cmocka_unit_test(an_id_has_a_place_in_memory),
		cmocka_unit_test(a_layout_is_that_of_other_offsets_too),
		cmocka_unit_test(compressed_files_are_decompressed),
		cmocka_unit_test(what_is_compressed_twice_is_none),
		cmocka_unit_test(what_decompresses_to_nothing_is_read_no_further),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
