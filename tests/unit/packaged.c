// SPDX-License-Identifier: GPL-2.0
/* Packaged: a header, one segment of notes, and what is in it. */

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "packaged.h"
#include "streams.h"

#define TYPE 0xcafe1a7e

static void pad(FILE *file)
{
	while (ftell(file) % 4)
		fputc(0, file);
}

static void put_note(FILE *file, const char *owner, uint32_t type, const void *bytes, size_t size)
{
	const ElfW(Nhdr) header = { (uint32_t)strlen(owner) + 1, (uint32_t)size, type };

	fwrite(&header, sizeof(header), 1, file);
	fwrite(owner, header.n_namesz, 1, file);
	pad(file);
	fwrite(bytes, size, 1, file);
	pad(file);
}

static void put_headers(FILE *file, long end)
{
	ElfW(Ehdr) header = { .e_ident = ELFMAG };
	const ElfW(Phdr) segment = {
		.p_type = PT_NOTE,
		.p_offset = sizeof(header) + sizeof(segment),
		.p_filesz = (size_t)end - sizeof(header) - sizeof(segment),
		.p_align = 4,
	};

	header.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	header.e_type = ET_DYN;
	header.e_machine = EM_X86_64;
	header.e_version = EV_CURRENT;
	header.e_phoff = sizeof(header);
	header.e_ehsize = sizeof(header);
	header.e_phentsize = sizeof(segment);
	header.e_phnum = 1;
	rewind(file);
	fwrite(&header, sizeof(header), 1, file);
	fwrite(&segment, sizeof(segment), 1, file);
}

static FILE *begin(const char *path)
{
	static const unsigned char id[20] = { 1, 2, 3 };
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	put_headers(file, sizeof(ElfW(Ehdr)) + sizeof(ElfW(Phdr)));
	put_note(file, "GNU", NT_GNU_BUILD_ID, id, sizeof(id));
	/* of the same owner, and about something else: .note.dlopen */
	put_note(file, "FDO", 0x407c0c0a, "[{\"name\":\"no\"}]", 16);
	return file;
}

static void end(FILE *file)
{
	put_headers(file, ftell(file));
	assert_int_equal(fclose(file), 0);
}

void packaged_write_bytes(const char *path, const void *note, size_t size)
{
	FILE *file = begin(path);

	put_note(file, "FDO", TYPE, note, size);
	end(file);
}

void packaged_write(const char *path, const char *const *notes, enum packaged_end end_)
{
	static const size_t more[] = { [PACKAGED_NUL] = 1, [PACKAGED_PADDING] = 32 };
	FILE *file = begin(path);
	char text[8192];

	for (; *notes; notes++) {
		size_t size = strlen(*notes);

		assert_true(size + 32 < sizeof(text));
		memset(text, 0, sizeof(text));
		strcpy(text, *notes);
		put_note(file, "FDO", TYPE, text,
			 size + (end_ == PACKAGED_NOTHING ? 0 : more[end_]));
	}
	end(file);
}

void packaged_file(const char *root, const char *path, const char *text)
{
	char whole[4096], *slash;
	FILE *file;

	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	for (slash = strchr(whole + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(whole, 0755);
		*slash = '/';
	}
	file = fopen(whole, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

void packaged_expect(const struct packages *found, enum package_text which, const char *text)
{
	assert_int_equal(found->count, 1);
	if (text)
		assert_string_equal(found->all[0].text[which], text);
	else
		assert_null(found->all[0].text[which]);
}

enum package_match packaged_match(const struct packages *found, const char *text)
{
	struct package_wish wish;
	enum package_match match;

	assert_true(package_wish_parse(&wish, text));
	match = packages_match(found, &wish);
	free(wish.name);
	return match;
}
