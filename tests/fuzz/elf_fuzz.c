// SPDX-License-Identifier: GPL-2.0
/*
 * module/elf.c in user space, under sanitizers.
 *
 *	elf_fuzz [-n ITERATIONS] [FILE...]	as TAP: the images of the KUnit
 *						suite, mutations of them, and
 *						FILEs, compared with libelf
 *	elf_fuzz -w DIRECTORY			write these images, as seeds
 *
 * Mutations follow from their number alone: the same ones every time. Built
 * with LIBFUZZER it is that fuzzer's target instead, with arguments of its own.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define __maybe_unused __attribute__((unused))
#include "elf_cases.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define IMAGE_ROOM    8192

/* What the hook and the worker allow; and next to nothing. */
static const struct bid_elf_limits all_limits[] = {
	{ .notes = 65536, .bytes = 16 << 20 },
	{ .notes = 32, .bytes = 8192 },
	{ .notes = 3, .bytes = 700 },
};

/* The image being looked at, should that be the end. */
static const u8 *current_image;
static size_t current_size;

static void save_current_image(int signal)
{
	static const char name[] = "elf_fuzz.crash";
	FILE *file = fopen(name, "w");

	if (!file)
		return;
	fwrite(current_image, 1, current_size, file);
	fclose(file);
	fprintf(stderr, "elf_fuzz: the image is in %s\n", name);
}

/* An end by abort() is one that leaves the image behind. */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
	return "abort_on_error=1";
}

const char *__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("elf_fuzz: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	abort();
}

/* --------------------------------------------------------- one image -- */

/**
 * struct image_reader - reads an image in memory, and keeps count
 * @reader: to hand to the parser
 * @bytes: of the image; nothing else is there
 * @window: what was looked at last
 * @reads: times it was called
 * @got: bytes it gave
 * @fail_at: the read that fails, counting from 1
 */
struct image_reader {
	struct bid_reader reader;
	const u8 *bytes;
	u8 *window;
	u64 reads;
	u64 got;
	u64 fail_at;
};

static int count_read(struct image_reader *image, u64 off, size_t len)
{
	u64 size = image->reader.size;

	if (off > size || len > size - off)
		die("read outside: %zu bytes at %llu of %llu", len, (unsigned long long)off,
		    (unsigned long long)size);
	/* what was looked at before may not be looked at any more */
	free(image->window);
	image->window = NULL;
	if (++image->reads == image->fail_at)
		return -EIO;
	image->got += len;
	return 0;
}

static int read_image(struct bid_reader *reader, u64 off, void *buf, size_t len)
{
	struct image_reader *image = (struct image_reader *)reader;

	if (count_read(image, off, len))
		return -EIO;
	memcpy(buf, image->bytes + off, len);
	return 0;
}

/* As in the page cache: what lies in one page, aligned as it is there. */
static const void *look_at_image(struct bid_reader *reader, u64 off, size_t len)
{
	struct image_reader *image = (struct image_reader *)reader;

	if (off % 4096 + len > 4096 || count_read(image, off, len))
		return NULL;
	image->window = malloc(off % 8 + len + !len);
	if (!image->window)
		err(1, "malloc");
	memcpy(image->window + off % 8, image->bytes + off, len);
	return image->window + off % 8;
}

static int identify(const u8 *bytes, size_t size, bool in_place,
		    const struct bid_elf_limits *limits, struct image_reader *reader,
		    struct bid_identity *id)
{
	int err;

	reader->reader.read = read_image;
	reader->reader.look = in_place ? look_at_image : NULL;
	reader->reader.size = size;
	reader->bytes = bytes;
	memset(id, 0xa5, sizeof(*id));
	err = bid_elf_identify(&reader->reader, limits, id);
	free(reader->window);
	reader->window = NULL;
	return err;
}

/* What is true of each and every image: @id, when there is as much to spend. */
static struct image_reader check_with_limits(const u8 *bytes, size_t size, bool in_place,
					     const struct bid_elf_limits *limits,
					     struct bid_identity *id)
{
	struct image_reader reader = {};
	const char *fault;

	if (identify(bytes, size, in_place, limits, &reader, id))
		die("an error although every read was good");
	fault = elf_identity_fault(id);
	if (fault)
		die("%s", fault);
	if (reader.got > limits->bytes)
		die("read %llu bytes", (unsigned long long)reader.got);
	/* headers are read a few at a time, a note may have an id to read */
	if (reader.reads > 4 + 2 * 65535 + 2 * (u64)limits->notes)
		die("read %llu times", (unsigned long long)reader.reads);
	return reader;
}

static bool same(const struct bid_identity *a, const struct bid_identity *b)
{
	return a->kind == b->kind && a->reason == b->reason && a->len == b->len &&
	       !memcmp(a->bytes, b->bytes, a->len);
}

/* @nearly: how many budgets that are nearly enough to try. */
static void check_image(const u8 *bytes, size_t size, u32 nearly)
{
	struct bid_identity generous, id;
	struct image_reader reader;
	struct bid_elf_limits less = all_limits[0];
	u64 reads, n;
	size_t i;

	current_image = bytes;
	current_size = size;
	reader = check_with_limits(bytes, size, false, &all_limits[0], &generous);
	reads = reader.reads;
	for (i = 1; i < 2 * ARRAY_SIZE(all_limits); i++) {
		check_with_limits(bytes, size, i & 1, &all_limits[i / 2], &id);
		if (i == 1 && !same(&id, &generous))
			die("another answer in place");
		if (id.kind == BUILDID_KIND_GNU && !same(&id, &generous))
			die("another id when there is less to spend");
	}

	/* a little less than enough: so many bytes less, or all of them */
	for (n = 1; n <= nearly; n++) {
		less.bytes = reader.got > n ? reader.got - n : 0;
		check_with_limits(bytes, size, n & 1, &less, &id);
		if (id.kind == BUILDID_KIND_GNU && !same(&id, &generous))
			die("another id when there is a little less to spend");
	}

	reader = (struct image_reader){
		.reader = { .read = read_image, .size = size },
		.bytes = bytes,
	};
	bid_elf_identify_notes(&reader.reader, &id);
	if (elf_identity_fault(&id))
		die("among notes: %s", elf_identity_fault(&id));

	for (n = 1; n <= reads; n += 1 + reads / 4) {
		reader = (struct image_reader){ .fail_at = n };
		if (identify(bytes, size, false, &all_limits[0], &reader, &id) != -EIO)
			die("failure of read %llu was lost", (unsigned long long)n);
		if (reader.reads != n)
			die("read on after a failure");
	}
}

/* A copy without a byte to spare, so that the sanitizer sees every step aside. */
static void check_copy(const u8 *bytes, size_t size, u32 nearly)
{
	u8 *copy = malloc(size ?: 1);

	if (!copy)
		err(1, "malloc");
	memcpy(copy, bytes, size);
	check_image(copy, size, nearly);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_copy(data, size, 4);
	return 0;
}

#ifndef LIBFUZZER

/* --------------------------------------------------------------- seeds -- */

struct seed {
	const struct elf_case *of;
	const struct elf_format *format;
	u8 *bytes;
	size_t size;
};

static struct seed seeds[(ARRAY_SIZE(elf_good) + ARRAY_SIZE(elf_odd)) * ARRAY_SIZE(elf_formats)];

static u8 *build(const struct elf_case *of, const struct elf_format *format, size_t *size)
{
	struct elf_image image = {
		.room = of->room ?: IMAGE_ROOM,
		.is64 = format->is64,
		.msb = format->msb,
	};

	image.bytes = malloc(image.room);
	if (!image.bytes)
		err(1, "malloc");
	elf_start(&image);
	of->build(&image, of->arg);
	if (!elf_fits(&image))
		errx(1, "%s: not room enough", of->name);
	*size = image.size;
	return image.bytes;
}

static void make_seeds(void)
{
	const size_t formats = ARRAY_SIZE(elf_formats);
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		n = i / formats;
		seeds[i].of = n < ARRAY_SIZE(elf_good) ? &elf_good[n] :
							 &elf_odd[n - ARRAY_SIZE(elf_good)];
		seeds[i].format = &elf_formats[i % formats];
		seeds[i].bytes = build(seeds[i].of, seeds[i].format, &seeds[i].size);
	}
}

static void free_seeds(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(seeds); i++)
		free(seeds[i].bytes);
}

static void write_seeds(const char *dir)
{
	char name[4096];
	FILE *file;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		snprintf(name, sizeof(name), "%s/seed-%03zu", dir, i);
		file = fopen(name, "w");
		if (!file)
			err(1, "%s", name);
		fwrite(seeds[i].bytes, 1, seeds[i].size, file);
		if (fclose(file))
			err(1, "%s", name);
	}
}

/* ----------------------------------------------------------------- TAP -- */

static unsigned int tests, failed;

static void ok(bool good, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("%sok %u - ", good ? "" : "not ", ++tests);
	vprintf(format, args);
	putchar('\n');
	fflush(stdout);
	va_end(args);
	failed += !good;
}

static void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	putchar('\n');
	va_end(args);
}

static bool is_expected(const struct elf_case *of, const struct bid_identity *id)
{
	const struct elf_answer *answer = &of->answer;
	const void *bytes = answer->kind == BUILDID_KIND_GO ? (const void *)go_id : gnu_id;

	return id->kind == answer->kind && id->reason == answer->reason && id->len == answer->len &&
	       !memcmp(id->bytes, bytes, answer->len);
}

static bool gives_what_it_should(const struct elf_case *of, const struct elf_format *format,
				 const u8 *bytes, size_t size)
{
	struct image_reader reader = {};
	struct bid_identity id;

	check_copy(bytes, size, size < IMAGE_ROOM ? 256 : 1);
	identify(bytes, size, false, &all_limits[0], &reader, &id);
	if (is_expected(of, &id))
		return true;
	note("%s, %s: kind %u, reason %u, length %u", of->name, format->name, id.kind, id.reason,
	     id.len);
	return false;
}

static void test_seeds(void)
{
	size_t i, good = 0;

	for (i = 0; i < ARRAY_SIZE(seeds); i++)
		good += gives_what_it_should(seeds[i].of, seeds[i].format, seeds[i].bytes,
					     seeds[i].size);
	ok(good == ARRAY_SIZE(seeds), "%zu images give what they are made to give",
	   ARRAY_SIZE(seeds));
}

static void test_large_images(void)
{
	size_t i, size, good = 0;
	u8 *bytes;

	for (i = 0; i < ARRAY_SIZE(elf_large); i++) {
		bytes = build(&elf_large[i], &elf_formats[0], &size);
		good += gives_what_it_should(&elf_large[i], &elf_formats[0], bytes, size);
		free(bytes);
	}
	ok(good == ARRAY_SIZE(elf_large), "%zu images of the largest numbers do",
	   ARRAY_SIZE(elf_large));
}

/* ------------------------------------------------------------ mutations -- */

static u64 random_state;

static u64 random_below(u64 n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state * 0x2545f4914f6cdd1dULL >> 16) % n;
}

/* Numbers that sizes and offsets go wrong at. */
static u64 odd_number(size_t size)
{
	static const u64 numbers[] = {
		0,
		1,
		2,
		3,
		4,
		5,
		7,
		8,
		11,
		12,
		15,
		16,
		20,
		128,
		129,
		0x7f,
		0xff,
		0x7fff,
		0xffff,
		0x10000,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		0xfffffffc,
		0xfffffff0,
		0x100000000,
		0x7fffffffffffffff,
		0x8000000000000000,
		0xffffffffffffff00,
		0xfffffffffffffff0,
		0xfffffffffffffffc,
		0xffffffffffffffff,
	};
	u64 n = random_below(ARRAY_SIZE(numbers) + 4);

	if (n < ARRAY_SIZE(numbers))
		return numbers[n];
	return size - 8 + random_below(16);
}

static void put_number(u8 *at, u64 value, u32 width, bool msb)
{
	u32 i;

	for (i = 0; i < width; i++)
		at[msb ? width - 1 - i : i] = value >> 8 * i;
}

static size_t mutate(u8 *bytes, size_t size)
{
	const struct seed *other;
	u64 from, to, len;
	u32 width;

	if (size < 16)
		return size;
	switch (random_below(8)) {
	case 0:
		bytes[random_below(size)] ^= 1 << random_below(8);
		break;
	case 1:
		bytes[random_below(size)] = random_below(256);
		break;
	case 2:
		return random_below(size + 1);
	case 3: /* bytes of another image */
		other = &seeds[random_below(ARRAY_SIZE(seeds))];
		if (!other->size)
			break;
		from = random_below(other->size) & ~3ULL;
		to = random_below(size) & ~3ULL;
		len = random_below(128);
		if (len > other->size - from)
			len = other->size - from;
		if (len > size - to)
			len = size - to;
		memcpy(bytes + to, other->bytes + from, len);
		break;
	default: /* a number, most often one of a header */
		width = 1 << (1 + random_below(3));
		to = random_below(random_below(4) ? (size < 256 ? size : 256) : size);
		to &= ~((u64)width - 1);
		if (width <= size - to)
			put_number(bytes + to, odd_number(size), width,
				   bytes[EI_DATA] == ELFDATA2MSB);
		break;
	}
	return size;
}

static void test_mutations(u64 iterations)
{
	static u8 bytes[IMAGE_ROOM];
	const struct seed *seed;
	size_t size;
	u64 i, n;

	for (i = 0; i < iterations; i++) {
		random_state = (i + 1) * 0x9e3779b97f4a7c15ULL;
		seed = &seeds[random_below(ARRAY_SIZE(seeds))];
		size = seed->size;
		memcpy(bytes, seed->bytes, size);
		for (n = 1 + random_below(6); n; n--)
			size = mutate(bytes, size);
		check_copy(bytes, size, 1);
	}
	ok(true, "%llu mutated images", (unsigned long long)iterations);
}

/* ---------------------------------------------------------- real files -- */

/* libelf's answer to the notes in @data: the length of the id, or 0. */
static size_t gnu_id_in(Elf_Data *data, u8 *id)
{
	size_t off = 0, name, desc;
	GElf_Nhdr note;

	while (data && (off = gelf_getnote(data, off, &note, &name, &desc))) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp((char *)data->d_buf + name, "GNU", 4) || !note.n_descsz ||
		    note.n_descsz > BUILDID_ID_MAX)
			continue;
		memcpy(id, (char *)data->d_buf + desc, note.n_descsz);
		return note.n_descsz;
	}
	return 0;
}

static size_t gnu_id_by_libelf(Elf *elf, u8 *id)
{
	size_t i, n, len = 0;
	Elf_Scn *section;
	GElf_Phdr phdr;
	GElf_Shdr shdr;

	if (elf_getphdrnum(elf, &n))
		return 0;
	for (i = 0; i < n && !len; i++)
		if (gelf_getphdr(elf, i, &phdr) && phdr.p_type == PT_NOTE)
			len = gnu_id_in(elf_getdata_rawchunk(elf, phdr.p_offset, phdr.p_filesz,
							     phdr.p_align == 8 ? ELF_T_NHDR8 :
										 ELF_T_NHDR),
					id);
	for (section = NULL; !len && (section = elf_nextscn(elf, section));)
		if (gelf_getshdr(section, &shdr) && shdr.sh_type == SHT_NOTE)
			len = gnu_id_in(elf_getdata(section, NULL), id);
	return len;
}

struct tally {
	unsigned int files, elf, gnu, go;
};

static bool same_as_libelf(const char *path, const u8 *bytes, size_t size, struct tally *tally)
{
	struct image_reader reader = {};
	struct bid_identity id;
	u8 expected[BUILDID_ID_MAX];
	size_t len = 0;
	bool is_elf;
	Elf *elf;

	check_image(bytes, size, 1);
	identify(bytes, size, false, &all_limits[0], &reader, &id);
	elf = elf_memory((char *)bytes, size);
	is_elf = elf && elf_kind(elf) == ELF_K_ELF;
	if (is_elf)
		len = gnu_id_by_libelf(elf, expected);
	elf_end(elf);

	tally->files++;
	tally->elf += is_elf;
	tally->gnu += !!len;
	tally->go += id.kind == BUILDID_KIND_GO;
	if (is_elf == (id.reason != BUILDID_REASON_NOT_ELF) &&
	    len == (id.kind == BUILDID_KIND_GNU ? id.len : 0) && !memcmp(id.bytes, expected, len))
		return true;
	note("%s: kind %u, reason %u, length %u; libelf: %s of %zu bytes", path, id.kind, id.reason,
	     id.len, is_elf ? "ELF, an id" : "no ELF, an id", len);
	return false;
}

static void test_files(char **paths, int n)
{
	struct tally tally = {};
	bool good = true;
	struct stat st;
	void *bytes;
	int i, fd;

	elf_version(EV_CURRENT);
	for (i = 0; i < n; i++) {
		fd = open(paths[i], O_RDONLY);
		if (fd < 0 || fstat(fd, &st))
			err(1, "%s", paths[i]);
		if (st.st_size) {
			/* libelf wants to write to what it is given */
			bytes = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
			if (bytes == MAP_FAILED)
				err(1, "%s", paths[i]);
			good &= same_as_libelf(paths[i], bytes, st.st_size, &tally);
			munmap(bytes, st.st_size);
		}
		close(fd);
	}
	note("%u files, %u of them ELF, %u with a GNU id, %u with a Go id alone", tally.files,
	     tally.elf, tally.gnu, tally.go);
	ok(good && tally.gnu, "real files have the GNU ids that libelf finds");
}

int main(int argc, char **argv)
{
	u64 iterations = 100000;
	int option;

	signal(SIGABRT, save_current_image);
	fill_ids();
	make_seeds();
	while ((option = getopt(argc, argv, "n:w:")) != -1)
		switch (option) {
		case 'n':
			iterations = strtoull(optarg, NULL, 0);
			break;
		case 'w':
			write_seeds(optarg);
			return 0;
		default:
			fputs("usage: elf_fuzz [-n ITERATIONS] [FILE...] | -w DIRECTORY\n", stderr);
			return 2;
		}

	test_seeds();
	test_large_images();
	test_mutations(iterations);
	if (optind < argc)
		test_files(argv + optind, argc - optind);
	printf("1..%u\n", tests);
	free_seeds();
	return !!failed;
}
#endif
