// SPDX-License-Identifier: GPL-2.0
/*
 * punch FILE ROUNDS NOTES module|reader
 *
 * Fills FILE with ones, has it read, by the module or by this program, and
 * punches a hole meanwhile. Prints how many pages of the hole were not zero
 * afterwards, in all rounds, and how often somebody was still reading.
 *
 * FILE is an ELF file with many notes, each on its own page, so that the module
 * has much to read. The pages of a hole are gone from the page cache before its
 * blocks are free. To make that take long, every other page is a hole from the
 * start, which makes many extents, and the journal is being committed all the time.
 */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf_image.h"

#define PAGE	  4096UL
#define NOTES_MAX 1500U
/* The headers are on the pages before. */
#define FIRST 32U

static int file;
static unsigned int notes;
static atomic_bool reading, ended;

static off_t note_at(unsigned int n)
{
	return (off_t)((FIRST + 2 * n) * PAGE);
}

static void put(const void *data, size_t size, off_t at)
{
	if (pwrite(file, data, size, at) != (ssize_t)size)
		err(1, "write");
}

static void fill(void)
{
	static struct {
		Elf64_Ehdr header;
		Elf64_Phdr segments[NOTES_MAX];
	} head;
	static union {
		Elf64_Nhdr note;
		unsigned char bytes[PAGE];
	} page;
	unsigned int n;

	head.header = elf_header(notes);
	memset(page.bytes, 0xaa, PAGE);
	page.note = (Elf64_Nhdr){ 4, 4, 1 };
	for (n = 0; n < notes; n++) {
		head.segments[n] = (Elf64_Phdr){
			.p_type = PT_NOTE,
			.p_offset = (Elf64_Off)note_at(n),
			.p_filesz = sizeof(Elf64_Nhdr) + 8,
			.p_align = 4,
		};
		put(&page, PAGE, note_at(n));
	}
	put(&head, sizeof(head), 0);
	if (fsync(file) || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED))
		err(1, "fsync");
}

static void read_notes(void)
{
	unsigned int n;
	char byte;

	for (n = 0; n < notes; n++)
		if (pread(file, &byte, 1, note_at(n)) != 1)
			err(1, "read");
}

/* The module reads before mmap(2) returns. */
static void have_it_read(void)
{
	const size_t size = (size_t)note_at(notes);
	void *map = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);

	if (map == MAP_FAILED || munmap(map, size))
		err(1, "mmap");
}

static void *read_all(void *module)
{
	if (module)
		have_it_read();
	else
		read_notes();
	atomic_store(&reading, false);
	return NULL;
}

/* Until a page is there, or nobody reads any more. */
static void wait_for_page(const void *page)
{
	/* The system's may be larger than those of the file. */
	uintptr_t start = (uintptr_t)page & -(uintptr_t)sysconf(_SC_PAGESIZE);
	unsigned char resident;

	do
		if (mincore((void *)start, PAGE, &resident))
			err(1, "mincore");
	while (!(resident & 1) && atomic_load(&reading));
}

static void *commit(void *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		err(1, "%s", (char *)name);
	while (!atomic_load(&ended))
		if (pwrite(fd, name, 1, 0) != 1 || ftruncate(fd, 0) || fsync(fd))
			err(1, "fsync");
	close(fd);
	return NULL;
}

static unsigned int count_ones(void)
{
	static unsigned char page[PAGE];
	unsigned int n, i, found = 0;

	for (n = 0; n < notes; n++) {
		if (pread(file, page, PAGE, note_at(n)) != (ssize_t)PAGE)
			err(1, "read");
		for (i = 0; i < PAGE && !page[i]; i++)
			;
		found += i < PAGE;
	}
	return found;
}

static bool punch_while_read(bool module, unsigned int start)
{
	const size_t size = (size_t)note_at(notes);
	char *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
	pthread_t thread;
	bool in_time;

	if (map == MAP_FAILED)
		err(1, "mmap");
	atomic_store(&reading, true);
	if (pthread_create(&thread, NULL, read_all, module ? map : NULL))
		errx(1, "pthread_create");
	wait_for_page(map + note_at(start));
	in_time = atomic_load(&reading);
	if (fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, note_at(0),
		      (off_t)(2 * notes * PAGE)))
		err(1, "fallocate");
	pthread_join(thread, NULL);
	munmap(map, size);
	return in_time;
}

int main(int argc, char **argv)
{
	unsigned int found = 0, in_time = 0, rounds, i;
	char other[4096];
	pthread_t thread;
	bool module;

	if (argc != 5)
		errx(2, "usage: punch FILE ROUNDS NOTES module|reader");
	rounds = (unsigned int)atoi(argv[2]);
	notes = (unsigned int)atoi(argv[3]);
	if (notes > NOTES_MAX)
		errx(2, "NOTES: at most %u", NOTES_MAX);
	module = !strcmp(argv[4], "module");
	file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	if (file < 0 || ftruncate(file, note_at(notes)))
		err(1, "%s", argv[1]);
	snprintf(other, sizeof(other), "%s.other", argv[1]);
	if (pthread_create(&thread, NULL, commit, other))
		errx(1, "pthread_create");
	for (i = 0; i < rounds; i++) {
		fill();
		in_time += punch_while_read(module, i * notes / rounds / 2);
		found += count_ones();
	}
	atomic_store(&ended, true);
	pthread_join(thread, NULL);
	printf("%u %u\n", found, in_time);
	return 0;
}
