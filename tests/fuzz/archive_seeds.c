// SPDX-License-Identifier: GPL-2.0
/* Seeds: archives as bundle writes them, in each format, and as nobody should. */

#include <archive.h>
#include <archive_entry.h>
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "seeds.h"

#define ID   "0104070a0d101316191c1f2225282b2e3134373a"
#define ROOM 65536

static struct archive *archive;

static void add(const char *name, mode_t type, const char *target, const void *bytes, size_t size)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, type);
	archive_entry_set_perm(entry, 06777);
	archive_entry_set_size(entry, (int64_t)size);
	if (type == S_IFLNK)
		archive_entry_set_symlink(entry, target);
	else if (target)
		archive_entry_set_hardlink(entry, target);
	if (archive_write_header(archive, entry) != ARCHIVE_OK ||
	    archive_write_data(archive, bytes, size) != (ssize_t)size)
		errx(1, "%s: %s", name, archive_error_string(archive));
	archive_entry_free(entry);
}

static void add_good(void)
{
	static const char symbols[] = "ffffffff81000000 T _text\n"
				      "ffffffff81000100 T schedule\n";
	const void *image;
	size_t size;

	image = seed_image(&size);
	add("usr/bin/true/" ID "/elf", S_IFREG, NULL, image, size);
	add("usr/bin/true/" ID "/probes", S_IFREG, NULL, "", 0);
	add(".build-id/01/04070a0d101316191c1f2225282b2e3134373a", S_IFLNK,
	    "../../usr/bin/true/" ID, NULL, 0);
	add("[kernel.kallsyms]/" ID "/kallsyms", S_IFREG, NULL, symbols, sizeof(symbols) - 1);
}

static void add_data(void)
{
	add("perf.data", S_IFREG, NULL, "PERFILE2", 8);
}

static void add_directory(void)
{
	add("perf.data/data", S_IFREG, NULL, "PERFILE2", 8);
	add("perf.data/kcore_dir/kcore", S_IFREG, NULL, "core", 4);
}

static void add_bad(void)
{
	add("../up/" ID "/elf", S_IFREG, NULL, "up", 2);
	add("usr/bin/false/" ID "/elf", S_IFREG, NULL, "no ELF file", 11);
	add("usr/bin/hard/" ID "/elf", S_IFREG, "/etc/hostname", NULL, 0);
	add(".build-id/01/x", S_IFLNK, "/etc", NULL, 0);
	add("perf.data/../../up", S_IFREG, NULL, "up", 2);
	add("usr/bin/pipe/" ID "/elf", S_IFIFO, NULL, NULL, 0);
	add("[vdso]/" ID "/vdso", S_IFREG, NULL, "no vdso", 7);
}

/* @number: bits of what is in it. */
static void write_archive(unsigned int number, int (*format)(struct archive *),
			  int (*filter)(struct archive *))
{
	static char bytes[ROOM];
	size_t used = 0;

	archive = archive_write_new();
	if (format(archive) || filter(archive) ||
	    archive_write_set_bytes_in_last_block(archive, 1) ||
	    archive_write_open_memory(archive, bytes, sizeof(bytes), &used))
		errx(1, "%s", archive_error_string(archive));
	if (number & 1)
		add_good();
	if (number & 2)
		add_data();
	if (number & 4)
		add_directory();
	if (number & 8)
		add_bad();
	if (archive_write_close(archive))
		errx(1, "%s", archive_error_string(archive));
	archive_write_free(archive);
	seed_write("archive", bytes, used);
}

void seed_archive(void)
{
	static int (*const formats[])(struct archive *) = {
		archive_write_set_format_pax_restricted,
		archive_write_set_format_pax,
		archive_write_set_format_ustar,
		archive_write_set_format_gnutar,
	};
	static int (*const filters[])(struct archive *) = {
		archive_write_add_filter_zstd,
		archive_write_add_filter_xz,
		archive_write_add_filter_gzip,
		archive_write_add_filter_bzip2,
	};
	unsigned int i;

	for (i = 0; i < 16; i++) {
		write_archive(i, formats[i % 4], archive_write_add_filter_none);
		write_archive(i, formats[0], filters[i % 4]);
	}
}
