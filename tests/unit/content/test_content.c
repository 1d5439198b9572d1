// SPDX-License-Identifier: GPL-2.0
/* Content: what is in a file, compressed or not, and what is no file. */

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "common/open_regular.h"
#include "content/compressed.h"
#include "content/content.h"
#include "content/elf_file.h"
#include "content/kernel_modules.h"
#include "content/running_kernel.h"
#include "content/vdso.h"
#include "samples.h"
#include "streams.h"

/* As without sanitizers: who asks for too much gets nothing. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static struct build_id id;
static struct reason reason;

static int set_up(void **state)
{
	if (sample_set_up(state))
		return -1;
	sample_make("true");
	sample_id("true", &id);
	return 0;
}

static bool is(const char *path, enum content_part part)
{
	int fd = open(path, O_RDONLY);
	bool is_;

	assert_true(fd >= 0);
	memset(&reason, 0, sizeof(reason));
	is_ = content_is(fd, &id, part, &reason);
	close(fd);
	return is_;
}

static void look(const char *path, struct elf_info *info)
{
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	elf_file_info(fd, info);
	close(fd);
}

static void compressed_files_are_looked_into(void **state)
{
	static const char *const commands[] = { "gzip -c", "xz -c", "zstd -q -c" };
	struct elf_info info;
	size_t i;

	(void)state;
	look("true", &info);
	assert_false(info.compressed);
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		shell("%s true > true.z", commands[i]);
		look("true.z", &info);
		assert_true(info.compressed);
		assert_int_equal(info.id.size, id.size);
		assert_memory_equal(info.id.bytes, id.bytes, id.size);
		assert_true(is("true.z", CONTENT_ELF));
		/* What is inside is cut, or what is around it. */
		shell("head -c 9000 true > short && %s short > short.z", commands[i]);
		assert_false(is("short.z", CONTENT_ELF));
		assert_string_equal(reason.text, "is truncated");
		shell("%s true | head -c 5000 > short.z", commands[i]);
		assert_false(is("short.z", CONTENT_ELF));
		assert_string_equal(reason.text, "cannot be decompressed: corrupt or truncated");
	}
}

static void what_is_more_than_any_module_is_not_unpacked(void **state)
{
	const char *problem;
	int fd;

	(void)state;
	shell("truncate -s 257M zeros && zstd -q -1 zeros -o zeros.zst && rm zeros");
	fd = open("zeros.zst", O_RDONLY);
	assert_true(is_compressed(fd));
	assert_int_equal(decompress(fd, &problem), -1);
	close(fd);
	assert_false(is("zeros.zst", CONTENT_ELF));
	assert_string_equal(reason.text, "cannot be decompressed: larger than 256 MiB");
}

static void more_memory_than_a_module_needs_is_not_taken(void **state)
{
	static const char *const compress[] = { "xz -0 --lzma2=preset=0,dict=1GiB",
						"zstd -q -1 --zstd=wlog=31" };
	struct elf_info info;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(compress); i++) {
		shell("(cat true; head -c 1M /dev/urandom) | %s -c > true.z", compress[i]);
		look("true.z", &info);
		assert_int_equal(info.kind, BUILDID_KIND_NONE);
		assert_string_equal(info.problem, "corrupt or truncated");
	}
	/* As much as these take at most. */
	shell("(cat true; head -c 140M /dev/zero) > large; xz -0 -c --lzma2=preset=0,dict=64MiB "
	      "large > large.xz; zstd -q -1 -c --zstd=wlog=27 < large > large.zst; rm large");
	assert_true(is("large.xz", CONTENT_ELF));
	assert_true(is("large.zst", CONTENT_ELF));
}

/* Peak in kilobytes, since it was reset. */
static unsigned int peak(void)
{
	unsigned int kilobytes = 0;

	assert_int_equal(sscanf(shell_output("sed -n 's/^VmHWM: *//p' /proc/%d/status", getpid()),
				"%u", &kilobytes),
			 1);
	return kilobytes;
}

static void reset_peak(void)
{
	shell("echo 5 > /proc/%d/clear_refs", getpid());
}

/* Where the tables of a file of holes are. */
#define SEGMENTS (1L << 20)
#define SECTIONS (1L << 30)
#define NOTES	 (1L << 36)

/* A file of no size, which says of itself that it has tables of any. */
static int make_holes(unsigned int segments, unsigned int sections)
{
	/* Those of section 0. */
	const Elf64_Shdr numbers = { .sh_info = segments, .sh_size = sections };
	Elf64_Ehdr header = {
		.e_ident = ELFMAG,
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
		.e_phoff = SEGMENTS,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = PN_XNUM,
		.e_shoff = SECTIONS,
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	int fd;

	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	fd = open("holes", O_CREAT | O_TRUNC | O_RDWR, 0600);
	assert_int_equal(ftruncate(fd, 1LL << 39), 0);
	assert_int_equal(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
	assert_int_equal(pwrite(fd, &numbers, sizeof(numbers), SECTIONS), sizeof(numbers));
	return fd;
}

static void put_segment(int fd, unsigned int number, uint64_t offset, uint64_t size)
{
	const Elf64_Phdr note = {
		.p_type = PT_NOTE,
		.p_offset = offset,
		.p_filesz = size,
		.p_align = 4,
	};

	assert_int_equal(pwrite(fd, &note, sizeof(note), SEGMENTS + number * (long)sizeof(note)),
			 sizeof(note));
}

static void a_file_that_is_all_holes_takes_no_memory(void **state)
{
	static const unsigned int numbers[][2] = {
		{ 1, 1U << 24 }, { 1, 2500000 }, { 18000000, 1 }, { 1000, 1 }
	};
	unsigned int before, i, segment;
	struct elf_info info;
	int fd;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		fd = make_holes(numbers[i][0], numbers[i][1]);
		for (segment = 0; segment < 1000; segment++)
			put_segment(fd, segment, (uint64_t)(NOTES + segment * (16L << 20)),
				    16U << 20);
		reset_peak();
		before = peak();
		elf_file_info(fd, &info);
		assert_int_equal(info.kind, BUILDID_KIND_NONE);
		assert_in_range(peak(), before, before + (200 << 10));
		close(fd);
	}
}

/* 30 seconds of processor time for what takes less than one. */
static void a_file_of_many_notes_takes_no_hours(void **state)
{
	const unsigned int count = 100000;
	struct rlimit before, limit;
	struct elf_info info;
	struct rusage used;
	unsigned int i;
	int fd = make_holes(count, 1);

	(void)state;
	for (i = 0; i < count; i++)
		put_segment(fd, i, NOTES + i * 16, 16);
	getrusage(RUSAGE_SELF, &used);
	assert_int_equal(getrlimit(RLIMIT_CPU, &before), 0);
	limit = before;
	limit.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 30);
	assert_int_equal(setrlimit(RLIMIT_CPU, &limit), 0);
	elf_file_info(fd, &info);
	assert_int_equal(setrlimit(RLIMIT_CPU, &before), 0);
	assert_int_equal(info.kind, BUILDID_KIND_NONE);
	close(fd);
}

static void a_line_has_an_address_a_type_and_a_name(void **state)
{
	static const char *const wrong[] = {
		"ffffffff81000000 Tx name",
		"ffffffff81000000Tname",
		"ffffffff81000000 T\tname",
		"ffffffff810000001 T name",
		"ffffffff81000000 1 name",
		"fffffffg81000000 T name",
		" T name",
		"ffffffff81000000 T a name",
	};
	size_t i;

	(void)state;
	shell("echo 'ffffffff81000000 ? name' > line");
	assert_true(is("line", CONTENT_KALLSYMS));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		shell("printf '%s\\n' '%s' > line", "%s", wrong[i]);
		assert_false(is("line", CONTENT_KALLSYMS));
	}
}

static void a_line_without_an_end_is_no_symbol(void **state)
{
	(void)state;
	shell("(printf 'ffffffff81000000 T '; head -c 5000 /dev/zero | tr '\\0' x; echo) > long");
	assert_false(is("long", CONTENT_KALLSYMS));
	assert_string_equal(reason.text, "is not a copy of /proc/kallsyms");
	shell("(printf 'ffffffff81000000 T '; head -c 512 /dev/zero | tr '\\0' x; echo) > good");
	assert_true(is("good", CONTENT_KALLSYMS));
}

static void what_is_cut_at_any_place_is_refused(void **state)
{
	unsigned int size, at;

	(void)state;
	assert_int_equal(sscanf(shell_output("stat -c %%s true"), "%u", &size), 1);
	for (at = 0; at < size; at += at < 1024 ? 61 : 4093) {
		shell("head -c %u true > short", at);
		assert_false(is("short", CONTENT_ELF));
		assert_false(is("short", CONTENT_DEBUG));
	}
	shell("head -c -1 true > short");
	assert_false(is("short", CONTENT_ELF));
	/* More behind it is no harm: a module has its signature there. */
	shell("(cat true; echo signature) > long");
	assert_true(is("long", CONTENT_ELF));
}

static void symbols_are_found(void **state)
{
	struct elf_info info;

	(void)state;
	look("/proc/self/exe", &info);
	assert_true(info.symbols);
	shell("cp /proc/%d/exe self && strip self", getpid());
	look("self", &info);
	assert_false(info.symbols);
}

static void other_files_say_what_they_are(void **state)
{
	(void)state;
	shell("echo text > text; : > empty; objcopy -R .note.gnu.build-id true none");
	assert_false(is("text", CONTENT_ELF));
	assert_string_equal(reason.text, "is not an ELF file");
	assert_false(is("empty", CONTENT_ELF));
	assert_string_equal(reason.text, "is not an ELF file");
	assert_false(is("none", CONTENT_ELF));
	assert_string_equal(reason.text, "has no build-id");
	assert_false(content_is(-1, &id, CONTENT_ELF, &reason));
	assert_string_equal(reason.text, "cannot be read");
	/* A part of it is not it. */
	id.size--;
	assert_false(is("true", CONTENT_ELF));
}

static int try_open(const char *path)
{
	int fd = open_untrusted(AT_FDCWD, path, &reason);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void only_regular_files_are_opened(void **state)
{
	(void)state;
	shell("mkfifo fifo; ln -s true link");
	assert_true(try_open("true"));
	assert_true(try_open("link"));
	assert_false(try_open("fifo"));
	assert_string_equal(reason.text, "not a regular file");
	assert_false(try_open("/dev/null"));
	assert_string_equal(reason.text, "not a regular file");
	assert_false(try_open("/proc/version"));
	assert_string_equal(reason.text, "not a regular file");
	assert_false(try_open("/sys/kernel/notes"));
	assert_string_equal(reason.text, "not a regular file");
	assert_true(try_open("/proc/self/exe"));
	assert_false(try_open("."));
	assert_string_equal(reason.text, "Is a directory");
	assert_false(try_open("nosuch"));
	assert_string_equal(reason.text, "No such file or directory");
}

static void a_link_in_a_root_stays_in_it(void **state)
{
	int root, good;

	(void)state;
	shell("mkdir -p root/etc && ln -s /etc/passwd root/link && "
	      "ln -s ../../../../../../etc/passwd root/up && echo mine > root/mine && "
	      "ln -s /mine root/good");
	root = open("root", O_PATH | O_DIRECTORY);
	assert_int_equal(open_untrusted_in(root, "/link", &reason), -1);
	assert_string_equal(reason.text, "No such file or directory");
	assert_int_equal(open_untrusted_in(root, "/up", &reason), -1);
	good = open_untrusted_in(root, "/good", &reason);
	assert_int_not_equal(good, -1);
	close(good);
	close(root);
}

static void the_kernel_s_own_is_read_from_its_notes(void **state)
{
	struct build_id running;
	char text[BUILD_ID_TEXT];
	char want[256];

	(void)state;
	assert_true(running_kernel_build_id(&running));
	assert_int_equal(sscanf(shell_output("perf buildid-list -k"), "%255s", want), 1);
	assert_string_equal(build_id_text(&running, text), want);
}

static void the_vdso_is_a_whole_file(void **state)
{
	struct elf_info info;
	int fd = vdso_open(0);

	(void)state;
	assert_true(fd >= 0);
	elf_file_info(fd, &info);
	assert_int_equal(info.kind, BUILDID_KIND_GNU);
	id = info.id;
	assert_true(content_is(fd, &id, CONTENT_VDSO, &reason));
	close(fd);
}

static void names_of_modules_are_those_of_proc_modules(void **state)
{
	static const char *const names[][2] = {
		{ "/lib/modules/6.1/kernel/fs/fuse/fuse.ko.xz", "fuse" },
		{ "snd-hda-intel.ko", "snd_hda_intel" },
		{ "[loop]", "loop" },
		{ "/sys/module/snd_hda/snd_hda@0123abcd.ko", "snd_hda" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char name[MODULE_NAME_ROOM];

		module_name(names[i][0], name);
		assert_string_equal(name, names[i][1]);
	}
}

static void digits_are_read_and_written(void **state)
{
	static const char *const wrong[] = { "", "1", "123", "0x12", "1g", " 12", "12 " };
	char text[BUILD_ID_TEXT];
	char digits[2 * BUILDID_ID_MAX + 3];
	struct build_id read_;
	size_t i;

	(void)state;
	assert_true(build_id_parse(&read_, "00ABcd9f"));
	assert_string_equal(build_id_text(&read_, text), "00abcd9f");
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(build_id_parse(&read_, wrong[i]));
	memset(digits, 'a', sizeof(digits));
	digits[2 * BUILDID_ID_MAX] = '\0';
	assert_true(build_id_parse(&read_, digits));
	digits[2 * BUILDID_ID_MAX] = 'a';
	digits[2 * BUILDID_ID_MAX + 2] = '\0';
	assert_false(build_id_parse(&read_, digits));
}

static void a_hash_map_keeps_what_it_is_given(void **state)
{
	struct hash_map map = {};
	struct hash_slot *slot = NULL;
	unsigned int values = 0;
	uint64_t key;

	(void)state;
	assert_int_equal(hash_map_get(&map, 5, 3), 3);
	for (key = 0; key < 5000; key++)
		assert_true(hash_map_set(&map, key * 0x100000000, (uint32_t)(1 + key % 7)));
	assert_true(hash_map_set(&map, 0x100000000, 9));
	for (key = 2; key < 5000; key++)
		assert_int_equal(hash_map_get(&map, key * 0x100000000, 0), 1 + key % 7);
	assert_int_equal(hash_map_get(&map, 0x100000000, 0), 9);
	assert_int_equal(hash_map_get(&map, 0, 0), 1);
	assert_int_equal(hash_map_get(&map, 3, 0), 0);
	for (key = 0; key < 5; key++)
		assert_true(hash_map_add(&map, 3, 1U << key));
	while ((slot = hash_map_next(&map, 3, slot)))
		values += slot->value;
	assert_int_equal(values, 31);
	hash_map_free(&map);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, sample_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(compressed_files_are_looked_into),
		TEST(what_is_more_than_any_module_is_not_unpacked),
		TEST(more_memory_than_a_module_needs_is_not_taken),
		TEST(a_file_that_is_all_holes_takes_no_memory),
		TEST(a_file_of_many_notes_takes_no_hours),
		TEST(a_line_has_an_address_a_type_and_a_name),
		TEST(a_line_without_an_end_is_no_symbol),
		TEST(what_is_cut_at_any_place_is_refused),
		TEST(symbols_are_found),
		TEST(other_files_say_what_they_are),
		TEST(only_regular_files_are_opened),
		TEST(a_link_in_a_root_stays_in_it),
		TEST(the_kernel_s_own_is_read_from_its_notes),
		TEST(the_vdso_is_a_whole_file),
		TEST(names_of_modules_are_those_of_proc_modules),
		TEST(digits_are_read_and_written),
		TEST(a_hash_map_keeps_what_it_is_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
