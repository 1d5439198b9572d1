/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ELF images as files of shared memory.
 */
#ifndef BID_KUNIT_IMAGES_H
#define BID_KUNIT_IMAGES_H

#include "elf_cases.h"
#include "files.h"

static inline struct file *make_named_image_file(struct kunit *test, const char *name,
						 const struct elf_case *of)
{
	struct elf_image image = { .room = of->room ?: 8192, .is64 = true };

	image.bytes = kunit_kzalloc(test, image.room, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, image.bytes);
	elf_start(&image);
	of->build(&image, of->arg);
	KUNIT_ASSERT_TRUE(test, elf_fits(&image));
	return make_file(test, name, image.bytes, image.size);
}

static inline struct file *make_image_file(struct kunit *test, const struct elf_case *of)
{
	return make_named_image_file(test, "image", of);
}

#define IMAGE_ID_LEN 20

/* With such an identity; changed a day ago. */
static inline struct file *make_named_file(struct kunit *test, const char *name)
{
	static const struct elf_case of = { "settled", gnu_of_len, IMAGE_ID_LEN };
	struct file *file = make_named_image_file(test, name, &of);

	date_file(file, -86400);
	return file;
}

static inline struct file *make_settled_file(struct kunit *test)
{
	return make_named_file(test, "image");
}

/* Changed an hour from now, so that only the clock distinguishes versions. */
static inline struct file *make_racy_file(struct kunit *test)
{
	struct file *file = make_settled_file(test);

	stub_no_change_counter = true;
	date_file(file, 3600);
	return file;
}

/* Another identity, with no change of version. */
static inline void store_id(struct kunit *test, struct file *file, u8 first)
{
	store(test, file, first, sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) + 16);
}

#endif /* BID_KUNIT_IMAGES_H */
