// SPDX-License-Identifier: GPL-2.0
/* Seeds: the images of the KUnit suite, which knows what is to be found in each. */

#include <err.h>
#include <stdlib.h>

#define __maybe_unused __attribute__((unused))
#include "elf_cases.h"
#include "seeds.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define IMAGE_ROOM    8192

static struct elf_image build(const struct elf_case *of, const struct elf_format *format)
{
	struct elf_image image = {
		.room = of->room ?: IMAGE_ROOM,
		.is64 = format->is64,
		.msb = format->msb,
	};

	image.bytes = calloc(1, image.room);
	if (!image.bytes)
		err(1, "malloc");
	elf_start(&image);
	of->build(&image, of->arg);
	if (!elf_fits(&image))
		errx(1, "%s: not room enough", of->name);
	return image;
}

static void write_cases(const char *directory, const struct elf_case *cases, size_t count,
			size_t formats)
{
	struct elf_image image;
	size_t i;

	for (i = 0; i < count * formats; i++) {
		image = build(&cases[i / formats], &elf_formats[i % formats]);
		seed_write(directory, image.bytes, image.size);
		free(image.bytes);
	}
}

void seed_elf(void)
{
	fill_ids();
	write_cases("elf", elf_good, ARRAY_SIZE(elf_good), ARRAY_SIZE(elf_formats));
	write_cases("elf", elf_odd, ARRAY_SIZE(elf_odd), ARRAY_SIZE(elf_formats));
	write_cases("elf-large", elf_large, ARRAY_SIZE(elf_large), 1);
}

const unsigned char *seed_image(size_t *size)
{
	static struct elf_image image;

	fill_ids();
	if (!image.bytes)
		image = build(&elf_good[3], &elf_formats[0]);
	/* As its PT_LOAD says. */
	*size = 4096;
	return image.bytes;
}
