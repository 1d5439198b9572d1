// SPDX-License-Identifier: GPL-2.0
/*
 * By bpf(2) alone, as a program that calls one helper needs no libbpf.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frame.h"
#include "measure.h"
#include "others.h"

#define PAGE 4096

/* ---------------------------------------------------------- PROCMAP_QUERY -- */

#ifndef PROCMAP_QUERY
struct procmap_query {
	uint64_t size;
	uint64_t query_flags;
	uint64_t query_addr;
	uint64_t vma_start;
	uint64_t vma_end;
	uint64_t vma_flags;
	uint64_t vma_page_size;
	uint64_t vma_offset;
	uint64_t inode;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint32_t vma_name_size;
	uint32_t build_id_size;
	uint64_t vma_name_addr;
	uint64_t build_id_addr;
};

#define PROCMAP_QUERY _IOWR('f', 17, struct procmap_query)
#endif

static struct {
	int maps;
	char *address;
} query;

bool query_start(int file)
{
	struct procmap_query none = { .size = sizeof(none) };

	query.maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	query.address = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	if (query.maps < 0 || query.address == MAP_FAILED)
		die("cannot query a mapping");
	if (!ioctl(query.maps, PROCMAP_QUERY, &none) || errno != ENOTTY)
		return true;
	query_stop();
	return false;
}

void query_stop(void)
{
	munmap(query.address, PAGE);
	close(query.maps);
}

static void run_query(char *build_id, uint32_t size)
{
	struct procmap_query arg = {
		.size = sizeof(arg),
		.query_addr = (uintptr_t)query.address,
		.build_id_addr = (uintptr_t)build_id,
		.build_id_size = size,
	};

	if (ioctl(query.maps, PROCMAP_QUERY, &arg) || arg.vma_start != arg.query_addr)
		die("PROCMAP_QUERY");
	if (size && !arg.build_id_size)
		die("PROCMAP_QUERY found no build-id");
}

void query_mapping(void)
{
	run_query(NULL, 0);
}

void query_build_id(void)
{
	char build_id[BPF_BUILD_ID_SIZE];

	run_query(build_id, sizeof(build_id));
}

/* -------------------------------------------------------------------- BPF -- */

#define FRAMES 8
#define STACKS 4096

/* A value of the map. Its size limits the depth: the kernel unwinds FRAMES frames. */
union stack {
	uint64_t addresses[FRAMES];
	struct bpf_stack_build_id build_ids[FRAMES];
};

static struct {
	enum sample sample;
	int map;
	int link;
	/* what frame() is given, for frames in one DSO, and in two */
	frame_fn one[2];
	frame_fn two[2];
} stack;

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int make_map(enum sample sample)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_STACK_TRACE,
		.key_size = sizeof(uint32_t),
		.value_size = FRAMES * sizeof(uint64_t),
		.max_entries = STACKS,
	};
	int map;

	if (sample == SAMPLE_BUILD_IDS) {
		attr.value_size = FRAMES * sizeof(struct bpf_stack_build_id);
		attr.map_flags = BPF_F_STACK_BUILD_ID;
	}
	map = bpf(BPF_MAP_CREATE, &attr);
	if (map < 0)
		die("no BPF map of stacks");
	return map;
}

static int load_program(enum sample sample, int map)
{
	const struct bpf_insn insns[] = {
		/* bpf_get_stackid(ctx, map, flags); ctx is in r1 */
		{ .code = BPF_LD | BPF_DW | BPF_IMM,
		  .dst_reg = BPF_REG_2,
		  .src_reg = BPF_PSEUDO_MAP_FD,
		  .imm = map },
		{ 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K,
		  .dst_reg = BPF_REG_3,
		  .imm = BPF_F_USER_STACK | BPF_F_REUSE_STACKID },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_stackid },
		/* return 0 */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const unsigned int skipped = sample == SAMPLE_NOTHING ? 4 : 0;
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.insns = (uintptr_t)&insns[skipped],
		.insn_cnt = sizeof(insns) / sizeof(*insns) - skipped,
		.license = (uintptr_t) "GPL",
	};
	int program = bpf(BPF_PROG_LOAD, &attr);

	if (program < 0)
		die("cannot load a BPF program");
	return program;
}

static int attach(int program)
{
	union bpf_attr attr = {
		.raw_tracepoint = { .name = (uintptr_t) "sys_enter", .prog_fd = program },
	};
	int link = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);

	if (link < 0)
		die("no raw tracepoint");
	return link;
}

static frame_fn load_frame(const char *dir, const char *name)
{
	char path[256];
	void *dso;
	frame_fn function;

	snprintf(path, sizeof(path), "%s/%s.so", dir, name);
	dso = dlopen(path, RTLD_NOW);
	function = dso ? (frame_fn)dlsym(dso, "frame") : NULL;
	if (!function)
		die("%s", path);
	return function;
}

void stack_start(const char *dir, enum sample sample)
{
	int program;

	stack.one[0] = stack.one[1] = stack.two[0] = load_frame(dir, "first");
	stack.two[1] = load_frame(dir, "second");
	stack.sample = sample;
	stack.map = make_map(sample);
	program = load_program(sample, stack.map);
	stack.link = attach(program);
	close(program);
}

void stack_in_one(void)
{
	stack.one[(FRAMES - 1) % 2](stack.one, FRAMES - 1);
}

void stack_in_two(void)
{
	stack.two[(FRAMES - 1) % 2](stack.two, FRAMES - 1);
}

static bool is_build_id_of(const struct bpf_stack_build_id *entry, frame_fn function)
{
	/* as the Makefile has them */
	const unsigned char byte = function == stack.two[0] ? 0x11 : 0x22;

	return entry->status == BPF_STACK_BUILD_ID_VALID && entry->build_id[0] == byte;
}

static bool is_stack_of(const union stack *sampled, const frame_fn frames[2])
{
	unsigned int i;

	for (i = 0; i < FRAMES; i++) {
		const uint64_t offset = sampled->addresses[i] - (uintptr_t)frames[i % 2];

		if (stack.sample == SAMPLE_BUILD_IDS ?
			    !is_build_id_of(&sampled->build_ids[i], frames[i % 2]) :
			    offset >= PAGE)
			return false;
	}
	return true;
}

static bool was_sampled(const frame_fn frames[2])
{
	union stack sampled;
	uint32_t key;
	union bpf_attr attr = {
		.map_fd = stack.map,
		.key = (uintptr_t)&key,
		.value = (uintptr_t)&sampled,
	};

	for (key = 0; key < STACKS; key++)
		if (!bpf(BPF_MAP_LOOKUP_ELEM, &attr) && is_stack_of(&sampled, frames))
			return true;
	return false;
}

void stack_stop(void)
{
	/* Sampled once more: close() adds the only other stack that could replace these. */
	stack_in_one();
	stack_in_two();
	close(stack.link);
	if (stack.sample != SAMPLE_NOTHING && !(was_sampled(stack.one) && was_sampled(stack.two)))
		die("BPF samples lack frames, or their build-ids");
	close(stack.map);
}
