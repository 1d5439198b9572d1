// SPDX-License-Identifier: GPL-2.0
/*
 * flood versions|inodes|processes|shared|DIRECTORY BURST
 *
 * What one process can do to fill the module's memory: for each byte on standard
 * input, maps BURST new contents, and answers with a byte. They are versions of
 * one memfd; a memfd each; a memfd each that a process of its own maps, or two; or
 * files of fuse_file, whose inode numbers are chosen.
 *
 * Chosen so that in a hash table of 1,024 chains without a secret all of them are
 * in the chain of number 1: the inverse of what is multiplied by gives those.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf_image.h"

#define PAGE	     4096
#define GOLDEN_RATIO 0x61C8864680B583EBULL
#define CHAIN_BITS   10

static void map(int fd)
{
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (p == MAP_FAILED || munmap(p, PAGE))
		err(1, "mmap");
}

static int new_memfd(void)
{
	static uint64_t number;
	int fd = memfd_create("flood", MFD_CLOEXEC);

	if (fd < 0 || !elf_write_with_id(fd, ++number))
		err(1, "memfd_create");
	return fd;
}

static void map_version(void)
{
	static off_t size = PAGE;
	static int fd = -1;

	if (fd < 0)
		fd = new_memfd();
	if (ftruncate(fd, size++))
		err(1, "ftruncate");
	map(fd);
}

static void map_inode(void)
{
	int fd = new_memfd();

	map(fd);
	close(fd);
}

static void map_in_child(int fd)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		map(fd);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		err(1, "fork");
}

static void map_in_children(int count)
{
	int fd = new_memfd();

	while (count--)
		map_in_child(fd);
	close(fd);
}

static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;
	int i;

	for (i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

static void map_chosen(const char *directory)
{
	static uint64_t n;
	static dev_t dev;
	struct stat stat;
	char path[256];
	uint64_t hash, key;
	int fd;

	if (!dev) {
		if (lstat(directory, &stat))
			err(1, "%s", directory);
		/* as the kernel has it inside */
		dev = (dev_t)major(stat.st_dev) << 20 | minor(stat.st_dev);
	}
	hash = 1ULL << (64 - CHAIN_BITS) | ++n;
	key = hash * inverse(GOLDEN_RATIO);
	snprintf(path, sizeof(path), "%s/%llu", directory, (unsigned long long)(key - (dev << 40)));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	map(fd);
	close(fd);
}

int main(int argc, char **argv)
{
	int burst, i;
	char byte;

	if (argc != 3)
		errx(2, "usage: flood versions|inodes|processes|shared|DIRECTORY BURST");
	burst = atoi(argv[2]);
	while (read(STDIN_FILENO, &byte, 1) == 1) {
		for (i = 0; i < burst; i++)
			if (!strcmp(argv[1], "versions"))
				map_version();
			else if (!strcmp(argv[1], "inodes"))
				map_inode();
			else if (!strcmp(argv[1], "processes"))
				map_in_children(1);
			else if (!strcmp(argv[1], "shared"))
				map_in_children(2);
			else
				map_chosen(argv[1]);
		if (write(STDOUT_FILENO, &byte, 1) != 1)
			err(1, "write");
	}
	return 0;
}
