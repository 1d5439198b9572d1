// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <errno.h>
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

/* Where mappings are held, as far as possible from all others. */
#define HELD ((char *)(1UL << 32))
#define HELD_STEP 6
#define HELD_MAX 512

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

static uint64_t run(const struct workload *work)
{
	uint64_t start = counter();
	unsigned int i;
	void *p;

	for (i = 0; i < work->count; i++) {
		p = mmap(NULL, PAGE, work->prot, MAP_PRIVATE, work->fds[i], 0);
		if (p == MAP_FAILED)
			die("mmap");
		munmap(p, PAGE);
	}
	return counter() - start;
}

static struct {
	pid_t pid;
	int socket;
	unsigned int held;
} mapper;

static _Noreturn void serve(const struct workload *work, int socket)
{
	uint64_t taken = 0;

	while (recv(socket, &taken, sizeof(taken), 0) == sizeof(taken)) {
		taken = run(work);
		if (send(socket, &taken, sizeof(taken), 0) != sizeof(taken))
			break;
	}
	_exit(0);
}

/*
 * Whether the allocator has an object at hand depends on all that was ever
 * freed: have it begin anew.
 */
static void shrink_slabs(void)
{
	static const char *const slabs[] = { "maple_node", "vm_area_struct", "vma_lock" };
	char path[64];
	unsigned int i;
	int fd;

	settle(); /* what was freed under RCU */
	settle();
	for (i = 0; i < sizeof(slabs) / sizeof(*slabs); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", slabs[i]);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT)
			continue; /* not every kernel has them all */
		if (fd < 0 || write(fd, "1", 1) != 1)
			die("%s", path);
		close(fd);
	}
}

void mapper_start(const struct workload *work)
{
	int ends[2];

	shrink_slabs();
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

/*
 * When the allocator needs a new slab depends on what others hold: hold more
 * each time, so that a number of batches sees all there is to see.
 */
static void hold_more(void)
{
	unsigned int i;
	int prot;

	for (i = 0; i < HELD_STEP && mapper.held < HELD_MAX; i++) {
		prot = i & 1 ? PROT_READ : PROT_NONE; /* or they would merge */
		if (mmap(HELD + mapper.held++ * PAGE, PAGE, prot,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			die("cannot hold one more mapping");
	}
}

void mapper_stop(void)
{
	munmap(HELD, HELD_MAX * PAGE);
	mapper.held = 0;
	close(mapper.socket);
	if (waitpid(mapper.pid, NULL, 0) != mapper.pid)
		die("waitpid");
}

uint64_t mapper_run(void)
{
	uint64_t taken = 0;

	hold_more();
	if (send(mapper.socket, &taken, sizeof(taken), 0) != sizeof(taken) ||
	    recv(mapper.socket, &taken, sizeof(taken), 0) != sizeof(taken))
		die("the mapper died");
	return taken;
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
