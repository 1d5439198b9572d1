// SPDX-License-Identifier: GPL-2.0
/*
 * What an agent can do on 7.3 without a module: sees executable mappings, reads the note of each
 * file on the way back to user space, and sends a record. It keeps nothing, as it cannot know when
 * an inode changes. A thread has one mapping that waits to be read; further ones are dropped.
 */
#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/elf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "agent.h"

#define VM_EXEC		4
#define NT_GNU_BUILD_ID 3
#define HEADERS_MAX	64
#define NOTES_MAX	16
#define ALIGN(value)	(((value) + 3) & ~3U)

/* --------------------------------------------------------------- kernel's -- */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	__u32 s_dev;
};

struct inode {
	__u64 i_ino;
	struct super_block *i_sb;
};

struct file {
	struct inode *f_inode;
};

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_pgoff, vm_flags;
	struct file *vm_file;
};

/* Complete, as libbpf compares the types of functions. */
struct task_struct {
	int pid;
};

struct bpf_map {
	__u32 id;
};

#pragma clang attribute pop

struct bpf_task_work {
	__u64 __opaque;
};
struct bpf_iter_task_vma {
	__u64 __opaque[1];
};

typedef int (*bpf_task_work_callback_t)(struct bpf_map *map, void *key, void *value);

extern int bpf_task_work_schedule_resume(struct task_struct *task, struct bpf_task_work *work,
					 void *map, bpf_task_work_callback_t callback) __ksym;
extern int bpf_dynptr_from_file(struct file *file, __u32 flags, struct bpf_dynptr *bytes) __ksym;
extern int bpf_dynptr_file_discard(struct bpf_dynptr *bytes) __ksym;
extern int bpf_iter_task_vma_new(struct bpf_iter_task_vma *iter, struct task_struct *task,
				 __u64 addr) __ksym;
extern struct vm_area_struct *bpf_iter_task_vma_next(struct bpf_iter_task_vma *iter) __ksym;
extern void bpf_iter_task_vma_destroy(struct bpf_iter_task_vma *iter) __ksym;

/* ------------------------------------------------------------------- maps -- */

struct waiting {
	struct bpf_task_work work;
	__u64 addr;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, struct waiting);
} waiting SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} ring SEC(".maps");

/* ------------------------------------------------------------------- note -- */

/* 0 with the id in @record, or -1. */
static int read_note(struct bpf_dynptr *bytes, __u64 at, const struct elf64_note *note,
		     struct agent_record *record)
{
	__u32 size = note->n_descsz;
	char name[4];

	if (note->n_type != NT_GNU_BUILD_ID || note->n_namesz != sizeof(name) || !size ||
	    size > AGENT_ID_MAX || bpf_dynptr_read(name, sizeof(name), bytes, at, 0) ||
	    name[0] != 'G' || name[1] != 'N' || name[2] != 'U' || name[3] ||
	    bpf_dynptr_read(record->id, size, bytes, at + sizeof(name), 0))
		return -1;
	record->id_len = size;
	return 0;
}

static int read_notes(struct bpf_dynptr *bytes, __u64 at, __u64 end, struct agent_record *record)
{
	struct elf64_note note;
	int i;

	for (i = 0; i < NOTES_MAX && at + sizeof(note) < end; i++) {
		if (bpf_dynptr_read(&note, sizeof(note), bytes, at, 0))
			return -1;
		at += sizeof(note);
		if (!read_note(bytes, at, &note, record))
			return 0;
		at += ALIGN(note.n_namesz) + ALIGN(note.n_descsz);
	}
	return -1;
}

static void read_id(struct bpf_dynptr *bytes, struct agent_record *record)
{
	struct elf64_hdr header;
	struct elf64_phdr segment;
	int i;

	if (bpf_dynptr_read(&header, sizeof(header), bytes, 0, 0) ||
	    *(__u32 *)header.e_ident != 0x464c457f)
		return;
	for (i = 0; i < HEADERS_MAX && i < header.e_phnum; i++) {
		if (bpf_dynptr_read(&segment, sizeof(segment), bytes,
				    header.e_phoff + i * sizeof(segment), 0))
			return;
		if (segment.p_type == PT_NOTE &&
		    !read_notes(bytes, segment.p_offset, segment.p_offset + segment.p_filesz,
				record))
			return;
	}
}

/* ------------------------------------------------------------------ hooks -- */

static void describe(struct vm_area_struct *vma, struct agent_record *record)
{
	struct file *file = vma->vm_file;
	struct bpf_dynptr bytes;

	record->addr = vma->vm_start;
	record->len = vma->vm_end - vma->vm_start;
	record->pgoff = vma->vm_pgoff;
	record->pid_tgid = bpf_get_current_pid_tgid();
	bpf_get_current_comm(record->comm, sizeof(record->comm));
	if (!file)
		return;
	record->ino = file->f_inode->i_ino;
	record->dev = file->f_inode->i_sb->s_dev;
	if (!bpf_dynptr_from_file(file, 0, &bytes))
		read_id(&bytes, record);
	bpf_dynptr_file_discard(&bytes);
}

static int on_resume(struct bpf_map *map, void *key, void *value)
{
	struct waiting *mapping = value;
	struct agent_record *record;
	struct bpf_iter_task_vma iter;
	struct vm_area_struct *vma;

	record = bpf_ringbuf_reserve(&ring, sizeof(*record), 0);
	if (!record)
		return 0;
	record->id_len = 0;
	bpf_iter_task_vma_new(&iter, bpf_get_current_task_btf(), mapping->addr);
	vma = bpf_iter_task_vma_next(&iter);
	if (vma)
		describe(vma, record);
	bpf_iter_task_vma_destroy(&iter);
	bpf_ringbuf_submit(record, 0);
	return 0;
}

SEC("fentry/perf_event_mmap")
int BPF_PROG(on_mmap, struct vm_area_struct *vma)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct waiting *mapping, none = {};

	if (!(vma->vm_flags & VM_EXEC) || !vma->vm_file)
		return 0;
	mapping = bpf_map_lookup_elem(&waiting, &tid);
	if (!mapping) {
		bpf_map_update_elem(&waiting, &tid, &none, BPF_NOEXIST);
		mapping = bpf_map_lookup_elem(&waiting, &tid);
		if (!mapping)
			return 0;
	}
	mapping->addr = vma->vm_start;
	bpf_task_work_schedule_resume(bpf_get_current_task_btf(), &mapping->work, &waiting,
				      on_resume);
	return 0;
}

char license_of_agent[] SEC("license") = "GPL";
