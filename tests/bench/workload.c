// SPDX-License-Identifier: GPL-2.0
/* Workload: files to map, a process that maps them, and hostile files. */

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/elf_image.h"
#include "measure.h"
#include "workload.h"

#define PAGE	  4096
#define FILES_MAX 512

void files_open(const char *dir, int *fds, unsigned int count)
{
	char path[256];
	unsigned int i;

	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%u", dir, i);
		fds[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (fds[i] < 0)
			die("%s", path);
	}
}

void files_drop(const int *fds, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (posix_fadvise(fds[i], 0, 0, POSIX_FADV_DONTNEED))
			die("posix_fadvise");
}

static struct {
	pid_t pid;
	int socket;
	uint64_t *taken; /* shared with it */
} mapper;

static void run(const struct workload *work)
{
	unsigned int i;
	uint64_t start;
	void *p;

	for (i = 0; i < work->count; i++) {
		start = counter();
		p = mmap(NULL, PAGE, work->prot, MAP_PRIVATE, work->fds[i], 0);
		if (p == MAP_FAILED)
			die("mmap");
		munmap(p, PAGE);
		mapper.taken[i] = counter() - start;
	}
}

static _Noreturn void serve(const struct workload *work, int socket)
{
	char byte = 0;

	while (recv(socket, &byte, 1, 0) == 1) {
		run(work);
		if (send(socket, &byte, 1, 0) != 1)
			break;
	}
	_exit(0);
}

pid_t mapper_start(const struct workload *work)
{
	int ends[2];

	if (!mapper.taken) {
		mapper.taken = mmap(NULL, FILES_MAX * sizeof(uint64_t), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (mapper.taken == MAP_FAILED)
			die("mmap");
	}
	if (work->count > FILES_MAX)
		die("too many files");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		die("socketpair");
	mapper.pid = fork();
	if (mapper.pid < 0)
		die("fork");
	if (!mapper.pid) {
		close(ends[0]);
		serve(work, ends[1]);
	}
	close(ends[1]);
	mapper.socket = ends[0];
	return mapper.pid;
}

void mapper_stop(void)
{
	close(mapper.socket);
	if (waitpid(mapper.pid, NULL, 0) != mapper.pid)
		die("waitpid");
}

const uint64_t *mapper_run(void)
{
	char byte = 0;

	if (send(mapper.socket, &byte, 1, 0) != 1 || recv(mapper.socket, &byte, 1, 0) != 1)
		die("the mapper died");
	return mapper.taken;
}

int throwaway_file(void)
{
	/* programs and libraries of Debian 12 below /usr, by sixteenths */
	static const unsigned char lengths[] = { 13, 15, 17, 22, 30, 36, 41, 42,
						 43, 45, 47, 50, 56, 67, 72, 74 };
	static const char path[] =
		"/memfd:-x86_64-linux-gnu/libexample.so.1-x86_64-linux-gnu/libexample.so.1.0";
	static uint64_t number;
	char name[sizeof(path)] = "";
	int fd;

	memcpy(name, path, lengths[number++ % sizeof(lengths)]);
	fd = memfd_create(name + strlen("/memfd:"), MFD_CLOEXEC);
	if (fd < 0 || !elf_write_with_id(fd, number))
		die("memfd_create");
	return fd;
}

/* -------------------------------------------------------------- hostile ones -- */

#define NOTES	   64
#define FIRST_NOTE 16 /* page */

static int deep_directory(const char *dir, unsigned int depth, unsigned int name_len)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), below;
	char name[NAME_MAX + 1] = "";

	memset(name, 'd', name_len);
	while (fd >= 0 && depth--) {
		if (mkdirat(fd, name, 0755) && errno != EEXIST)
			die("mkdirat");
		below = openat(fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(fd);
		fd = below;
	}
	if (fd < 0)
		die("%s", dir);
	return fd;
}

struct image {
	const struct hostile *hostile;
	int fd;
};

/* A field at its place, in the byte order that is wanted. */
static void put(const struct image *image, off_t at, uint64_t value, size_t size)
{
	char bytes[sizeof(value)];
	size_t i;

	for (i = 0; i < size; i++)
		bytes[image->hostile->swapped ? size - 1 - i : i] = (char)(value >> 8 * i);
	if (pwrite(image->fd, bytes, size, at) != (ssize_t)size)
		die("hostile file");
}

#define PUT(image, at, type, field, value) \
	put(image, (at) + offsetof(type, field), value, sizeof(((type *)NULL)->field))
#define PUT_IN(image, at, kind, field, value)                                  \
	((image)->hostile->is32 ? PUT(image, at, Elf32_##kind, field, value) : \
				  PUT(image, at, Elf64_##kind, field, value))

static size_t headers_at(const struct hostile *hostile)
{
	return (hostile->is32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr)) + hostile->split;
}

static void put_elf_header(const struct image *image)
{
	const struct hostile *hostile = image->hostile;
	const char ident[EI_NIDENT] = {
		ELFMAG0,
		ELFMAG1,
		ELFMAG2,
		ELFMAG3,
		hostile->is32 ? ELFCLASS32 : ELFCLASS64,
		hostile->swapped ? ELFDATA2MSB : ELFDATA2LSB,
		EV_CURRENT,
	};

	if (pwrite(image->fd, ident, sizeof(ident), 0) != sizeof(ident))
		die("hostile file");
	PUT_IN(image, 0, Ehdr, e_type, ET_DYN);
	PUT_IN(image, 0, Ehdr, e_version, EV_CURRENT);
	PUT_IN(image, 0, Ehdr, e_phoff, headers_at(hostile));
	PUT_IN(image, 0, Ehdr, e_phentsize,
	       hostile->is32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr));
	PUT_IN(image, 0, Ehdr, e_phnum, hostile->headers);
}

static void put_header(const struct image *image, unsigned int i, uint32_t type, uint64_t offset,
		       uint64_t size)
{
	const off_t at = headers_at(image->hostile) +
			 i * (image->hostile->is32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr));

	PUT_IN(image, at, Phdr, p_type, type);
	PUT_IN(image, at, Phdr, p_offset, offset);
	PUT_IN(image, at, Phdr, p_filesz, size);
	PUT_IN(image, at, Phdr, p_align, 4);
}

static void put_note(const struct image *image, off_t at, const char *name, uint32_t type,
		     unsigned int len)
{
	static char bytes[PAGE];

	memset(bytes, 0x5a, sizeof(bytes));
	if (pwrite(image->fd, bytes, PAGE, at) != PAGE)
		die("hostile file");
	PUT(image, at, Elf64_Nhdr, n_namesz, 4);
	PUT(image, at, Elf64_Nhdr, n_descsz, len);
	PUT(image, at, Elf64_Nhdr, n_type, type);
	if (pwrite(image->fd, name, 4, at + sizeof(Elf64_Nhdr)) != 4)
		die("hostile file");
}

static void put_notes(const struct image *image)
{
	const unsigned int others = image->hostile->headers - NOTES;
	unsigned int i;

	for (i = 0; i < others; i++)
		put_header(image, i, image->hostile->empty ? PT_NOTE : PT_LOAD, FIRST_NOTE * PAGE,
			   0);
	for (i = 0; i < NOTES; i++) {
		const off_t at = image->hostile->split ? (FIRST_NOTE + 2 * i + 1) * PAGE - 6 :
							 (FIRST_NOTE + i) * PAGE;
		const bool last = i == NOTES - 1;
		const unsigned int len = last ? image->hostile->id_len : 0;

		put_note(image, at, last ? "GNU" : "XYZ", last ? NT_GNU_BUILD_ID : 1, len);
		put_header(image, others + i, PT_NOTE, at, sizeof(Elf64_Nhdr) + 4 + len);
	}
}

int hostile_file(const char *dir, const struct hostile *hostile)
{
	int directory = deep_directory(dir, hostile->depth, hostile->name_len), fd;
	struct image image = { .hostile = hostile };

	unlinkat(directory, "hostile", 0);
	image.fd = openat(directory, "hostile", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (image.fd < 0)
		die("hostile file");
	put_elf_header(&image);
	put_notes(&image);
	if (hostile->writer)
		fd = image.fd;
	else
		fd = openat(directory, "hostile", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("hostile file");
	if (!hostile->writer)
		close(image.fd);
	close(directory);
	return fd;
}

void map_once(int fd)
{
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (p == MAP_FAILED || munmap(p, PAGE))
		die("mmap");
}
