// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "workload.h"

#define PAGE 4096
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

void mapper_start(const struct workload *work)
{
	int ends[2];

	if (!mapper.taken) {
		mapper.taken = mmap(NULL, FILES_MAX * sizeof(uint64_t),
				    PROT_READ | PROT_WRITE,
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

	if (send(mapper.socket, &byte, 1, 0) != 1 ||
	    recv(mapper.socket, &byte, 1, 0) != 1)
		die("the mapper died");
	return mapper.taken;
}

int throwaway_file(void)
{
	static struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
		Elf64_Nhdr note;
		char name[4];
		uint64_t id[2];
	} __attribute__((packed)) image = {
		.header = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				     ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_DYN,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_phoff = sizeof(Elf64_Ehdr),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1,
		},
		.segment = {
			.p_type = PT_NOTE,
			.p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
			.p_filesz = sizeof(Elf64_Nhdr) + 4 + 16,
			.p_memsz = sizeof(Elf64_Nhdr) + 4 + 16,
			.p_align = 4,
		},
		.note = { 4, 16, NT_GNU_BUILD_ID },
		.name = "GNU",
	};
	int fd = memfd_create(THROWAWAY_PATH + strlen("/memfd:"), MFD_CLOEXEC);

	image.id[0]++;
	if (fd < 0 || write(fd, &image, sizeof(image)) != sizeof(image))
		die("memfd_create");
	return fd;
}

/* -------------------------------------------------------------- hostile ones -- */

#define NOTES		64
#define SEGMENTS	220

static int deep_directory(const char *dir, unsigned int depth)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), below;

	while (fd >= 0 && depth--) {
		if (mkdirat(fd, "d", 0755) && errno != EEXIST)
			die("mkdirat");
		below = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(fd);
		fd = below;
	}
	if (fd < 0)
		die("%s", dir);
	return fd;
}

int hostile_file(const char *dir, unsigned int depth, unsigned int id_len)
{
	static struct {
		Elf64_Ehdr header;
		Elf64_Phdr segments[SEGMENTS];
	} head;
	static union {
		Elf64_Nhdr note;
		char page[PAGE];
	} last;
	static const Elf64_Nhdr other = { 4, 0, 1 };
	int directory = deep_directory(dir, depth), fd;
	char name[16];
	unsigned int i;

	snprintf(name, sizeof(name), "%u", id_len);
	fd = openat(directory, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	if (fd < 0)
		die("hostile file");
	close(directory);
	head.header = (Elf64_Ehdr) {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = SEGMENTS,
	};
	for (i = 0; i < SEGMENTS; i++) {
		unsigned int n = i < SEGMENTS - NOTES ? 0 : i - (SEGMENTS - NOTES);

		head.segments[i] = (Elf64_Phdr) {
			.p_type = i < SEGMENTS - NOTES ? PT_LOAD : PT_NOTE,
			.p_offset = (16 + n) * PAGE,
			.p_filesz = sizeof(Elf64_Nhdr) + 4 + (n == NOTES - 1 ? id_len : 0),
			.p_align = 4,
		};
		if (i >= SEGMENTS - NOTES &&
		    (pwrite(fd, &other, sizeof(other), (16 + n) * PAGE) != sizeof(other) ||
		     pwrite(fd, "XYZ", 4, (16 + n) * PAGE + sizeof(other)) != 4))
			die("hostile file");
	}
	last.note = (Elf64_Nhdr) { 4, id_len, NT_GNU_BUILD_ID };
	memcpy(last.page + sizeof(last.note), "GNU", 4);
	memset(last.page + sizeof(last.note) + 4, 0x5a, id_len);
	if (pwrite(fd, &last, PAGE, (16 + NOTES - 1) * PAGE) != PAGE ||
	    pwrite(fd, &head, sizeof(head), 0) != sizeof(head))
		die("hostile file");
	return fd;
}

/* As Linux has it inside, and a kernel of 65,536 chains would take it. */
static unsigned int chain_of(int fd)
{
	struct stat stat;
	uint64_t dev;

	if (fstat(fd, &stat))
		die("fstat");
	dev = (uint64_t)major(stat.st_dev) << 20 | minor(stat.st_dev);
	return ((stat.st_ino + (dev << 40)) * 0x61C8864680B583EBULL) >> 48;
}

int colliding_file(const int *fds, unsigned int count)
{
	static bool is_taken[1 << 16];
	unsigned int i;
	int fd;

	for (i = 0; i < count; i++)
		is_taken[chain_of(fds[i])] = true;
	for (;;) {
		fd = throwaway_file();
		if (is_taken[chain_of(fd)])
			return fd;
		close(fd);
	}
}

void map_new_version(int fd)
{
	static off_t size = PAGE;
	void *p;

	if (ftruncate(fd, size++))
		die("ftruncate");
	p = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED || munmap(p, PAGE))
		die("mmap");
}
