// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/timex.h>
#include <linux/vmalloc.h>

#include "history.h"

/* Mappings remembered on each processor; a power of two. */
#define DEPTH 1024

/**
 * struct past - a mapping that was made
 * @time: order among processors, in cycles; 0 while it is being written
 * @start: first address
 * @end: the one after the last
 * @offset: in the file, of @start
 * @file_id: as in struct buildid_file
 * @tgid: of the process, as the initial namespace counts
 */
struct past {
	u64 time;
	u64 start;
	u64 end;
	u64 offset;
	u64 file_id;
	pid_t tgid;
};

struct past_cpu {
	u32 next;
	struct past *ring;
};

static DEFINE_PER_CPU(struct past_cpu, history);

/* Preemption is off. */
void bid_history_add(const struct vm_area_struct *vma, u64 file_id)
{
	struct past_cpu *cpu = this_cpu_ptr(&history);
	struct past *past = &cpu->ring[cpu->next++ & (DEPTH - 1)];

	WRITE_ONCE(past->time, 0);
	smp_wmb();	/* pairs with the smp_rmb() in read_past() */
	past->start = vma->vm_start;
	past->end = vma->vm_end;
	past->offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	past->file_id = file_id;
	past->tgid = current->tgid;
	/* pairs with the acquire in read_past() */
	smp_store_release(&past->time, get_cycles() | 1);
}

/* False when it was written over meanwhile: it was the oldest of its processor. */
static bool read_past(const struct past *from, struct past *to)
{
	u64 time = smp_load_acquire(&from->time); /* pairs with bid_history_add() */

	*to = *from;
	smp_rmb();	/* pairs with the smp_wmb() in bid_history_add() */
	return time && READ_ONCE(from->time) == time;
}

/**
 * bid_history_find() - what a process had mapped last
 * @tgid: the process, as the initial namespace counts
 * @addr: in it
 * @offset: set to the offset in the file
 *
 * Return: the file_id, or 0.
 */
u64 bid_history_find(pid_t tgid, u64 addr, u64 *offset)
{
	u64 newest = 0, file_id = 0;
	struct past past;
	int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < DEPTH; i++) {
			if (!read_past(&per_cpu_ptr(&history, cpu)->ring[i], &past))
				continue;
			if (past.tgid != tgid || addr < past.start ||
			    addr >= past.end || past.time < newest)
				continue;
			newest = past.time;
			file_id = past.file_id;
			*offset = addr - past.start + past.offset;
		}
	return file_id;
}

int bid_history_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct past_cpu *past = per_cpu_ptr(&history, cpu);

		past->ring = vzalloc_node(array_size(DEPTH, sizeof(*past->ring)),
					  cpu_to_node(cpu));
		if (!past->ring) {
			bid_history_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void bid_history_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		vfree(per_cpu_ptr(&history, cpu)->ring);
		per_cpu_ptr(&history, cpu)->ring = NULL;
	}
}
