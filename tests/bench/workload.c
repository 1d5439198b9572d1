// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
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
