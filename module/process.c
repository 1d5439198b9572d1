// SPDX-License-Identifier: GPL-2.0
/*
 * Reading a file with an address space locked can deadlock against whatever
 * serves the file. So: take what the mapping says and the file, let go, read. Nor
 * is the address space kept from ending meanwhile: its process's exit would wait,
 * and its memory and mounts with it.
 */
#include <linux/file.h>
#include <linux/fs_struct.h>
#include <linux/mm.h>
#include <linux/path.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/sched/clock.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "answer.h"
#include "cookie.h"
#include "process.h"

/* Mappings taken for each time the address space is locked. */
#define BATCH 16

/* Of instances: they are made of addresses in the kernel, among others. */
static siphash_key_t secret __read_mostly;

/* In a cursor: all mappings were given, what follows is an address in cookies. */
#define IN_COOKIES BIT_ULL(63)

/**
 * struct process - one that is asked about
 * @task: its leader; held
 * @mm: its address space; held, alive or not
 * @start_time: as in struct buildid_mmap
 * @instance: as in struct buildid_maps
 */
struct process {
	struct task_struct *task;
	struct mm_struct *mm;
	u64 start_time;
	u64 instance;
};

/* The leader may have ended before the others. */
static struct mm_struct *get_mm(struct task_struct *leader)
{
	struct mm_struct *mm = NULL;
	struct task_struct *task;

	rcu_read_lock();
	for_each_thread(leader, task) {
		mm = get_task_mm(task);
		if (mm)
			break;
	}
	rcu_read_unlock();
	return mm;
}

/*
 * exec puts the new address space in place before it counts, so neither of the two
 * says enough; together they do, as the old one is there until then. The count is
 * sampled before the address space is, and never behind it.
 */
static u64 instance_of(const struct process *process, u64 exec_id)
{
	return siphash_3u64(process->start_time, exec_id, (unsigned long)process->mm, &secret);
}

/* -ESRCH for a kernel thread, or a process that is as good as gone. */
static int get_process(struct pid *pid, struct process *process)
{
	u64 exec_id;

	process->task = get_pid_task(pid, PIDTYPE_TGID);
	if (!process->task)
		return -ESRCH;
	process->start_time = process->task->start_boottime;
	exec_id = READ_ONCE(process->task->self_exec_id);
	smp_rmb(); /* the address space is as old or newer */
	process->mm = get_mm(process->task);
	if (!process->mm) {
		put_task_struct(process->task);
		return -ESRCH;
	}
	process->instance = instance_of(process, exec_id);
	mmgrab(process->mm);
	mmput(process->mm);
	return 0;
}

static void put_process(struct process *process)
{
	mmdrop(process->mm);
	put_task_struct(process->task);
}

/* -ESRCH when the address space has ended; -EINTR. Else release() it, soon. */
static int acquire(struct mm_struct *mm)
{
	int err;

	if (fatal_signal_pending(current))
		return -EINTR;
	if (!mmget_not_zero(mm))
		return -ESRCH;
	err = mmap_read_lock_killable(mm);
	if (err)
		mmput(mm);
	return err;
}

static void release(struct mm_struct *mm)
{
	mmap_read_unlock(mm);
	mmput(mm);
}

/* As with a subscriber: in a container only what its own processes see. */
static bool may_know_paths(struct task_struct *task)
{
	struct path root;
	bool may;

	if (task_active_pid_ns(current) == &init_pid_ns)
		return true;
	get_fs_root(current->fs, &root);
	task_lock(task);
	may = false;
	if (task->fs) {
		spin_lock(&task->fs->lock);
		may = path_equal(&task->fs->root, &root);
		spin_unlock(&task->fs->lock);
	}
	task_unlock(task);
	path_put(&root);
	return may;
}

/* The file, held, or an error; *@offset is set to that of @addr in it. */
static struct file *get_file_at(struct mm_struct *mm, u64 addr, u64 *offset)
{
	struct file *file = ERR_PTR(-ENOENT);
	struct vm_area_struct *vma;
	int err;

	err = acquire(mm);
	if (err)
		return ERR_PTR(err);
	vma = find_vma(mm, addr);
	if (vma && vma->vm_start <= addr && vma->vm_file) {
		file = get_file(vma->vm_file);
		*offset = addr - vma->vm_start + ((u64)vma->vm_pgoff << PAGE_SHIFT);
	}
	release(mm);
	return file;
}

static int resolve(const struct process *process, struct buildid_resolve_addr *req,
		   struct buildid_file *record)
{
	bool with_path = may_know_paths(process->task);
	struct file *file;
	int err;

	if (req->start_time && req->start_time != process->start_time)
		return -ESRCH;
	file = get_file_at(process->mm, req->addr, &req->offset);
	if (IS_ERR(file))
		return PTR_ERR(file);
	err = bid_answer_file(file, true, record);
	if (!err && !with_path)
		bid_answer_hide_path(record);
	req->start_time = process->start_time;
	fput(file);
	return err;
}

/**
 * bid_process_resolve() - identify what is mapped at an address
 * @pid: the process
 * @req: the request; start_time and offset are set
 * @record: as for bid_answer_file()
 *
 * Return: 0; -ESRCH when the process is not the one that is meant, or has no
 * address space any more; -ENOENT when no file is mapped there; else as
 * bid_answer_file().
 */
int bid_process_resolve(struct pid *pid, struct buildid_resolve_addr *req,
			struct buildid_file *record)
{
	struct process process;
	int err;

	err = get_process(pid, &process);
	if (err)
		return err;
	err = resolve(&process, req, record);
	put_process(&process);
	return err;
}

static bool is_wanted(const struct vm_area_struct *vma, u32 flags)
{
	return vma->vm_file && (vma->vm_flags & VM_EXEC || flags & BUILDID_MAPS_DATA);
}

/* How many were taken, from *@cursor on; -ESRCH; -EINTR. Each file is held. */
static int take(struct mm_struct *mm, u64 *cursor, u32 flags, struct bid_mapping *taken)
{
	VMA_ITERATOR(vmi, mm, *cursor);
	struct vm_area_struct *vma;
	int n = 0, err;

	err = acquire(mm);
	if (err)
		return err;
	*cursor = BUILDID_MAPS_END;
	for_each_vma(vmi, vma) {
		if (!is_wanted(vma, flags))
			continue;
		if (n == BATCH) {
			*cursor = vma->vm_start;
			break;
		}
		bid_mapping_init(&taken[n], vma);
		get_file(taken[n].file);
		n++;
	}
	release(mm);
	return n;
}

/**
 * struct answer - the caller's buffer while it is being filled
 * @to: where the next record goes
 * @left: bytes left
 * @last_file: file_id of the last FILE record
 * @with_paths: the caller may know them
 * @record: for the next one, BUILDID_RECORD_MAX bytes
 * @task: whose mappings they are
 * @nr: its number, for the caller
 */
struct answer {
	char __user *to;
	u32 left;
	u64 last_file;
	bool with_paths;
	struct buildid_file *record;
	const struct task_struct *task;
	u32 nr;
};

static int put_record(struct answer *answer, struct buildid_record *header, u16 type, u32 size)
{
	header->type = type;
	header->flags = BUILDID_RECORD_SNAPSHOT;
	header->size = size;
	header->seq = 0;
	header->time_mono = ktime_get_mono_fast_ns();
	header->time_perf = local_clock();
	if (copy_to_user(answer->to, header, size))
		return -EFAULT;
	answer->to += size;
	answer->left -= size;
	return 0;
}

/* -ENOSPC when it does not fit any more. */
static int put_mapping(struct answer *answer, struct bid_mapping *mapping)
{
	struct buildid_file *record = answer->record;
	struct buildid_mmap body;
	bool told;
	int err;

	memset(record, 0, sizeof(*record));
	err = bid_answer_file(mapping->file, true, record);
	if (err)
		return err;
	if (!answer->with_paths)
		bid_answer_hide_path(record);
	told = record->file_id && record->file_id == answer->last_file;
	if (answer->left < sizeof(body) + (told ? 0 : record->header.size))
		return -ENOSPC;
	if (!told) {
		err = put_record(answer, &record->header, BUILDID_RECORD_FILE, record->header.size);
		if (err)
			return err;
	}
	answer->last_file = record->file_id;
	mapping->file_id = record->file_id;
	if (record->reason == BUILDID_REASON_DEFERRED)
		mapping->state = BUILDID_STATE_DEFERRED;
	bid_mapping_write(mapping, answer->task, answer->nr, answer->nr, NULL, &body);
	return put_record(answer, &body.header, BUILDID_RECORD_MMAP, sizeof(body));
}

static int put_taken(struct answer *answer, struct bid_mapping *taken, int n, u64 *cursor)
{
	int err = 0, i;

	for (i = 0; i < n; i++) {
		if (!err)
			err = put_mapping(answer, &taken[i]);
		if (err == -ENOSPC && *cursor > taken[i].start)
			*cursor = taken[i].start;
		fput(taken[i].file);
	}
	return err;
}

static int put_cookies(struct answer *answer, const struct mm_struct *mm, u64 from, u64 *cursor)
{
	struct buildid_cookie *record = (void *)answer->record;
	struct bid_cookie_facts facts;
	int err;

	BUILD_BUG_ON(sizeof(*record) + BUILDID_ID_MAX > BUILDID_RECORD_MAX);
	for (; bid_mapping_cookie_next(mm, from, &facts); from = facts.end) {
		*cursor = IN_COOKIES | facts.start;
		if (answer->left < bid_cookie_size(&facts))
			return -ENOSPC;
		bid_cookie_write(&facts, answer->task, answer->nr, answer->nr, record);
		err = put_record(answer, &record->header, BUILDID_RECORD_COOKIE,
				 bid_cookie_size(&facts));
		if (err)
			return err;
	}
	*cursor = BUILDID_MAPS_END;
	return 0;
}

static int put_all(struct answer *answer, struct mm_struct *mm, struct buildid_maps *req)
{
	struct bid_mapping *taken;
	int err = 0, n;
	u64 from = 0;

	taken = kcalloc(BATCH, sizeof(*taken), GFP_KERNEL);
	if (!taken)
		return -ENOMEM;
	if (req->cursor & IN_COOKIES)
		from = req->cursor & ~IN_COOKIES;
	while (!err && !(req->cursor & IN_COOKIES)) {
		n = take(mm, &req->cursor, req->flags, taken);
		err = n < 0 ? n : put_taken(answer, taken, n, &req->cursor);
	}
	kfree(taken);
	return err ?: put_cookies(answer, mm, from, &req->cursor);
}

static int maps(const struct process *process, u32 nr, struct buildid_maps *req)
{
	struct answer answer = {
		.to = u64_to_user_ptr(req->records),
		.left = req->bytes,
		.with_paths = may_know_paths(process->task),
		.task = process->task,
		.nr = nr,
	};
	int err;

	if (req->cursor && req->instance != process->instance)
		return -ESTALE;
	req->instance = process->instance;
	answer.record = kmalloc(BUILDID_RECORD_MAX, GFP_KERNEL);
	if (!answer.record)
		return -ENOMEM;
	err = put_all(&answer, process->mm, req);
	kfree(answer.record);
	if (err && err != -ENOSPC)
		return err;
	req->bytes -= answer.left;
	return 0;
}

/**
 * bid_process_maps() - the mappings of a process, as records
 * @pid: the process
 * @nr: its number, for the caller
 * @req: the request; bytes, cursor and instance are brought up to date
 *
 * Return: 0, -ESRCH, -ESTALE, -EINTR, -EFAULT, -ENOMEM.
 */
int bid_process_maps(struct pid *pid, u32 nr, struct buildid_maps *req)
{
	struct process process;
	int err;

	if (req->cursor == BUILDID_MAPS_END) {
		req->bytes = 0;
		return 0;
	}
	err = get_process(pid, &process);
	if (err)
		return err;
	err = maps(&process, nr, req);
	put_process(&process);
	/* the address space went meanwhile: by exec, unless the process did, too */
	if (err == -ESRCH && !get_process(pid, &process)) {
		put_process(&process);
		err = -ESTALE;
	}
	return err;
}

void bid_process_init(void)
{
	get_random_bytes(&secret, sizeof(secret));
}
