// SPDX-License-Identifier: GPL-2.0
/*
 * The ELF parser: elf_cases.h in both classes and byte orders, whole and cut off.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#include "elf.c"
#include "elf_cases.h"

/* Tight limits, and generous ones. */
static const struct bid_elf_limits hook_limits = { .notes = 32, .bytes = 8192 };
static const struct bid_elf_limits worker_limits = { .notes = 65536, .bytes = 16 << 20 };

static void describe(const struct elf_case *of, char *desc)
{
	strscpy(desc, of->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM_DESC(formats, elf_formats, name);

static void free_image(void *image)
{
	kvfree(((struct elf_image *)image)->bytes);
}

static struct elf_image *make_image(struct kunit *test, const struct elf_case *of,
				    const struct elf_format *format)
{
	struct elf_image *image = kunit_kzalloc(test, sizeof(*image), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, image);
	image->room = of->room ?: SZ_8K;
	image->is64 = format->is64;
	image->msb = format->msb;
	image->bytes = kvmalloc(image->room, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, image->bytes);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_image, image), 0);
	elf_start(image);
	of->build(image, of->arg);
	KUNIT_ASSERT_TRUE(test, elf_fits(image));
	return image;
}

static void drop_image(struct kunit *test, struct elf_image *image)
{
	kunit_release_action(test, free_image, image);
}

static u8 *make_page(struct kunit *test)
{
	u8 *page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	return page;
}

/**
 * struct trial - the parser and an image
 * @reader: reads the image
 * @bytes: of the image
 * @page: what may be looked at until the next read or look
 * @reads: calls of the reader
 * @got: bytes it returned
 * @outside: it was asked for bytes outside the image
 * @fail_at: the read that fails, counting from 1
 * @fail_with: the error
 * @err: what the parser returned
 * @id: what it found
 */
struct trial {
	struct bid_reader reader;
	const u8 *bytes;
	u8 *page;
	u32 reads;
	u64 got;
	bool outside;
	u32 fail_at;
	int fail_with;
	int err;
	struct bid_identity id;
};

static int read_image(struct bid_reader *reader, u64 off, void *buf, size_t len)
{
	struct trial *trial = container_of(reader, struct trial, reader);

	if (off > reader->size || len > reader->size - off) {
		trial->outside = true;
		return -EFAULT;
	}
	if (trial->page)
		memset(trial->page, 0xdb, PAGE_SIZE);
	if (++trial->reads == trial->fail_at)
		return trial->fail_with;
	memcpy(buf, trial->bytes + off, len);
	trial->got += len;
	return 0;
}

/* Like the page cache: only bytes of one page, valid until the next call. */
static const void *look_at_image(struct bid_reader *reader, u64 off, size_t len)
{
	struct trial *trial = container_of(reader, struct trial, reader);

	if (offset_in_page(off) + len > PAGE_SIZE)
		return NULL;
	if (read_image(reader, off, trial->page + offset_in_page(off), len))
		return NULL;
	return trial->page + offset_in_page(off);
}

/* The first @size bytes of @image. Returns what is wrong, or NULL. */
static const char *identify(struct trial *trial, const struct elf_image *image, u64 size,
			    const struct bid_elf_limits *limits)
{
	trial->reader.read = read_image;
	trial->reader.look = trial->page ? look_at_image : NULL;
	trial->reader.size = size;
	trial->bytes = image->bytes;
	trial->reads = 0;
	trial->got = 0;
	memset(&trial->id, 0xa5, sizeof(trial->id));
	trial->err = bid_elf_identify(&trial->reader, limits, &trial->id);
	if (trial->outside)
		return "read outside of the image";
	if (trial->got > limits->bytes)
		return "read more than allowed";
	if (trial->fail_at && trial->page)
		return NULL; /* look() may fail where read() succeeds */
	if (trial->err != (trial->fail_at ? trial->fail_with : 0))
		return "did not return what the reader did";
	return trial->err ? NULL : elf_identity_fault(&trial->id);
}

static const char *gnu_fault(const struct bid_identity *id, u8 len)
{
	if (id->len != len)
		return "the length is wrong";
	return memcmp(id->bytes, gnu_id, len) ? "the id is wrong" : NULL;
}

static const char *go_fault(const struct bid_identity *id)
{
	if (id->len != GO_LEN)
		return "the length is wrong";
	return memcmp(id->bytes, go_id, GO_LEN) ? "the id is wrong" : NULL;
}

static const char *answer_fault(const struct bid_identity *id, const struct elf_case *of)
{
	if (id->kind != of->answer.kind)
		return "the kind is wrong";
	if (id->reason != of->answer.reason)
		return "the reason is wrong";
	if (id->kind == BUILDID_KIND_GNU)
		return gnu_fault(id, of->answer.len);
	if (id->kind == BUILDID_KIND_GO)
		return go_fault(id);
	return NULL;
}

static void fail(struct kunit *test, const struct elf_case *of, const struct elf_format *format,
		 const struct trial *trial, const char *fault)
{
	KUNIT_FAIL(test, "%s, %s%s: %s: %llu bytes, %u reads, returned %d\n", of->name,
		   format->name, trial->page ? ", in place" : "", fault, trial->reader.size,
		   trial->reads, trial->err);
	KUNIT_FAIL(test, "kind %u, reason %u, length %u\n", trial->id.kind, trial->id.reason,
		   trial->id.len);
}

/* The answer, in every format, or the first few. */
static void expect_answer(struct kunit *test, const struct elf_case *of,
			  const struct bid_elf_limits *limits, u32 formats)
{
	u8 *page = make_page(test);
	const char *fault;
	u32 i;

	for (i = 0; i < 2 * formats; i++) {
		const struct elf_format *format = &elf_formats[i / 2];
		struct elf_image *image = make_image(test, of, format);
		struct trial trial = { .page = i & 1 ? page : NULL };

		fault = identify(&trial, image, image->size, limits) ?: answer_fault(&trial.id, of);
		if (fault)
			fail(test, of, format, &trial, fault);
		drop_image(test, image);
	}
}

KUNIT_ARRAY_PARAM(good, elf_good, describe);

static void finds_the_id(struct kunit *test)
{
	expect_answer(test, test->param_value, &hook_limits, ARRAY_SIZE(elf_formats));
}

static void finds_ids_of_every_length(struct kunit *test)
{
	u32 len;

	for (len = 1; len <= BUILDID_ID_MAX; len++) {
		struct elf_case of = { "any length", gnu_of_len, len, GNU(len) };

		expect_answer(test, &of, &hook_limits, ARRAY_SIZE(elf_formats));
	}
}

/* Wherever it is cut off: the right id, or the reason for its absence. */
static const char *cut_fault(const struct bid_identity *id, const struct elf_case *of, u64 size)
{
	if (id->kind == BUILDID_KIND_GNU)
		return gnu_fault(id, of->answer.len);
	if (id->reason != (size < SELFMAG ? BUILDID_REASON_NOT_ELF : BUILDID_REASON_TRUNCATED))
		return "the reason is wrong";
	return id->kind == BUILDID_KIND_GO ? go_fault(id) : NULL;
}

static const char *try_all_cuts(struct trial *trial, const struct elf_image *image,
				const struct elf_case *of)
{
	const char *fault;
	u64 size;

	for (size = 0; size < image->size; size++) {
		fault = identify(trial, image, size, &hook_limits);
		if (!fault)
			fault = cut_fault(&trial->id, of, size);
		if (fault)
			return fault;
	}
	return NULL;
}

static const char *try_all_failures(struct trial *trial, const struct elf_image *image,
				    const struct elf_case *of)
{
	static const int errors[] = { -EAGAIN, -EIO, -EINTR, -ESTALE, -ENODATA, -E2BIG };
	const char *fault;
	u32 reads, i;

	fault = identify(trial, image, image->size, &hook_limits);
	reads = trial->reads;
	for (trial->fail_at = 1; !fault && trial->fail_at <= reads; trial->fail_at++)
		for (i = 0; !fault && i < ARRAY_SIZE(errors); i++) {
			trial->fail_with = errors[i];
			fault = identify(trial, image, image->size, &hook_limits);
			if (trial->page && !fault && !trial->err)
				fault = answer_fault(&trial->id, of);
			else if (!fault && trial->err != errors[i])
				fault = "did not return what the reader did";
			else if (!fault && trial->reads != trial->fail_at)
				fault = "went on reading after a failure";
		}
	return fault;
}

static const char *try_all_limits(struct trial *trial, const struct elf_image *image,
				  const struct elf_case *of)
{
	struct bid_elf_limits limits = hook_limits;
	const char *fault;
	u32 all;

	fault = identify(trial, image, image->size, &limits);
	all = trial->got;
	for (limits.bytes = 0; !fault && limits.bytes < all; limits.bytes++) {
		fault = identify(trial, image, image->size, &limits);
		if (fault)
			break;
		/* a smaller budget may do, without the Go id before it */
		if (trial->id.kind == BUILDID_KIND_GNU)
			fault = gnu_fault(&trial->id, of->answer.len);
		else if (trial->id.reason != BUILDID_REASON_LIMIT)
			fault = "a limit on bytes is not the reason";
	}
	limits = hook_limits;
	for (limits.notes = 0; !fault; limits.notes++) {
		fault = identify(trial, image, image->size, &limits);
		if (fault || !answer_fault(&trial->id, of))
			break;
		if (trial->id.reason != BUILDID_REASON_LIMIT)
			fault = "a limit on notes is not the reason";
	}
	if (!fault && !limits.notes)
		fault = "a note was read although none may be";
	return fault;
}

/* For one format: all images of modest size. */
static void expect_for_all(struct kunit *test,
			   const char *(*try)(struct trial *trial, const struct elf_image *image,
					      const struct elf_case *of))
{
	const struct elf_format *format = test->param_value;
	u8 *page = make_page(test);
	const char *fault;
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(elf_good); i++) {
		const struct elf_case *of = &elf_good[i / 2];
		struct elf_image *image = make_image(test, of, format);
		struct trial trial = { .page = i & 1 ? page : NULL };

		fault = image->size > SZ_2K ? NULL : try(&trial, image, of);
		if (fault)
			fail(test, of, format, &trial, fault);
		drop_image(test, image);
	}
}

static void cut_anywhere_finds_the_id_or_says_so(struct kunit *test)
{
	expect_for_all(test, try_all_cuts);
}

static void passes_on_that_the_reader_failed(struct kunit *test)
{
	expect_for_all(test, try_all_failures);
}

static void stops_at_any_limit(struct kunit *test)
{
	expect_for_all(test, try_all_limits);
}

KUNIT_ARRAY_PARAM(odd, elf_odd, describe);

static void says_why_there_is_none(struct kunit *test)
{
	expect_answer(test, test->param_value, &hook_limits, ARRAY_SIZE(elf_formats));
}

KUNIT_ARRAY_PARAM(large, elf_large, describe);

/* A table of thousands would be a long way with preemption off. */
static void counts_headers_of_empty_notes(struct kunit *test)
{
	static const struct elf_case few = { "31 of nothing", notes_of_nothing, 31, GNU(20) };
	static const struct elf_case many = { "32 of nothing", notes_of_nothing, 32, NONE(LIMIT) };

	expect_answer(test, &few, &hook_limits, ARRAY_SIZE(elf_formats));
	expect_answer(test, &many, &hook_limits, ARRAY_SIZE(elf_formats));
}

static void does_no_more_work_than_allowed(struct kunit *test)
{
	static const struct bid_elf_limits limits[] = {
		{ .notes = 32, .bytes = 8192 },
		{ .notes = ~0U, .bytes = 16384 },
		{ .notes = 64, .bytes = ~0U },
	};
	const struct elf_case *of = test->param_value;
	struct elf_image *image = make_image(test, of, &elf_formats[0]);
	u8 *page = make_page(test);
	const char *fault;
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(limits); i++) {
		struct trial trial = { .page = i & 1 ? page : NULL };

		fault = identify(&trial, image, image->size, &limits[i / 2]);
		/* the headers, a note at a time, and the id */
		if (!fault && trial.reads > 4 + image->size / CHUNK_BYTES + limits[i / 2].notes)
			fault = "read more often than allowed";
		if (!fault && trial.id.kind == BUILDID_KIND_NONE &&
		    trial.id.reason != BUILDID_REASON_LIMIT)
			fault = "the limit is not the reason";
		if (fault)
			fail(test, of, &elf_formats[0], &trial, fault);
	}
}

static void bears_images_of_the_largest_numbers(struct kunit *test)
{
	/* two of them, as these images are large */
	expect_answer(test, test->param_value, &worker_limits, 2);
}

/* ------------------------------------------------------- notes in memory -- */

/* Like the notes of the kernel and its modules. */
static struct elf_image *make_notes(struct kunit *test, void (*build)(struct elf_image *image))
{
	struct elf_image *image = kunit_kzalloc(test, sizeof(*image), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, image);
	image->room = 1024;
	image->msb = IS_ENABLED(CONFIG_CPU_BIG_ENDIAN);
	image->bytes = kunit_kzalloc(test, image->room, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, image->bytes);
	build(image);
	KUNIT_ASSERT_TRUE(test, elf_fits(image));
	return image;
}

static void identify_notes(struct kunit *test, const struct elf_image *image, u64 size,
			   struct bid_identity *id)
{
	struct trial trial = {
		.reader = { .read = read_image, .size = size },
		.bytes = image->bytes,
	};

	memset(id, 0xa5, sizeof(*id));
	bid_elf_identify_notes(&trial.reader, id);
	KUNIT_EXPECT_FALSE(test, trial.outside);
	KUNIT_EXPECT_PTR_EQ(test, elf_identity_fault(id), NULL);
}

static void notes_of_the_kernel(struct elf_image *image)
{
	add_abi_tag(image);
	elf_add_note(image, "Linux", 0x101, wrong_id, 1, 4);
	elf_add_note(image, "Xen", 3, wrong_id, 8, 4);
	add_gnu(image, 20);
	add_wrong_gnu(image);
}

static void notes_without_gnu(struct elf_image *image)
{
	add_abi_tag(image);
	add_go(image);
}

static void finds_the_id_among_notes_in_memory(struct kunit *test)
{
	struct elf_image *image = make_notes(test, notes_of_the_kernel);
	u64 end = 0, size;
	struct bid_identity id;

	for (size = 0; size <= image->size; size++) {
		identify_notes(test, image, size, &id);
		if (id.kind == BUILDID_KIND_NONE) {
			KUNIT_EXPECT_EQ(test, end, 0);
			continue;
		}
		end = end ?: size;
		KUNIT_ASSERT_EQ(test, id.kind, BUILDID_KIND_GNU);
		KUNIT_ASSERT_EQ(test, id.len, 20);
		KUNIT_ASSERT_MEMEQ(test, id.bytes, gnu_id, 20);
	}
	KUNIT_EXPECT_NE(test, end, 0);
}

static void says_that_there_is_none_among_notes_in_memory(struct kunit *test)
{
	struct elf_image *image = make_notes(test, notes_without_gnu);
	struct bid_identity id;

	identify_notes(test, image, image->size, &id);
	KUNIT_EXPECT_EQ(test, id.kind, BUILDID_KIND_NONE);
	KUNIT_EXPECT_EQ(test, id.reason, BUILDID_REASON_NO_NOTE);
	identify_notes(test, image, 0, &id);
	KUNIT_EXPECT_EQ(test, id.reason, BUILDID_REASON_NO_NOTE);
}

static int init_suite(struct kunit_suite *suite)
{
	fill_ids();
	return 0;
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(finds_the_id, good_gen_params),
	KUNIT_CASE(finds_ids_of_every_length),
	KUNIT_CASE_PARAM(cut_anywhere_finds_the_id_or_says_so, formats_gen_params),
	KUNIT_CASE_PARAM(passes_on_that_the_reader_failed, formats_gen_params),
	KUNIT_CASE_PARAM(stops_at_any_limit, formats_gen_params),
	KUNIT_CASE_PARAM(says_why_there_is_none, odd_gen_params),
	KUNIT_CASE_PARAM(bears_images_of_the_largest_numbers, large_gen_params),
	KUNIT_CASE(counts_headers_of_empty_notes),
	KUNIT_CASE_PARAM(does_no_more_work_than_allowed, large_gen_params),
	KUNIT_CASE(finds_the_id_among_notes_in_memory),
	KUNIT_CASE(says_that_there_is_none_among_notes_in_memory),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_elf",
	.suite_init = init_suite,
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_DESCRIPTION("KUnit suites of buildid.ko");
MODULE_LICENSE("GPL");
