// SPDX-License-Identifier: GPL-2.0
/*
 * RESOLVE by ADDR and MAPS of a living process, in the caller's context.
 *
 * What the cache knows is reported under the mmap lock of the process. Reading a file there could
 * deadlock against a user-space server of the file, so a file that has to be read is held, and read
 * after the lock was dropped. Dropping the last reference to a file on FUSE, or to an address space
 * that maps one, may wait for the server: so no such file is held, and the address space only by
 * mmgrab().
 *
 * MAPS returns mappings in as many calls as the caller's buffer requires. Between calls and between
 * mappings nothing is held but the cursor; an instance number shows whether it still belongs to the
 * same address space.
 */
#include <linux/capability.h>
#include <linux/fs_struct.h>
#include <linux/mm.h>
#include <linux/path.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "cookie.h"
#include "process.h"
#include "reply.h"

/* How long a call may wait for mmap locks in total. */
#define LOCK_WAIT (HZ / 2)

/* Key for instance numbers, to hide the kernel addresses that they are derived from. */
static siphash_key_t secret __read_mostly;

/* In a cursor: all mappings are done, and the other bits are the address of the next cookie. */
#define IN_COOKIES BIT_ULL(63)

/**
 * struct process - the process that was asked about
 * @task: held; its leader
 * @mm: held by mmgrab(), so the address space may end; see process_lock()
 * @start_time: as in struct buildid_mmap
 * @instance: as in struct buildid_maps
 * @end: in jiffies; the call waits for no lock after that
 */
struct process {
	struct task_struct *task;
	struct mm_struct *mm;
	u64 start_time;
	u64 instance;
	unsigned long end;
};

/* That of any thread, as the leader may have exited before the others. */
static struct mm_struct *get_mm(struct task_struct *leader)
{
	struct mm_struct *mm = NULL;
	struct task_struct *task;

	rcu_read_lock();
	for_each_thread(leader, task) {
		task_lock(task);
		mm = task->flags & PF_KTHREAD ? NULL : task->mm;
		if (mm)
			mmgrab(mm);
		task_unlock(task);
		if (mm)
			break;
	}
	rcu_read_unlock();
	return mm;
}

/*
 * The address of an mm_struct may be reused, and exec sets the new mm before it increments
 * self_exec_id, so neither is enough by itself. Both together are: while the count stays the same,
 * the old mm is there, and no other one has its address. The count is sampled before the mm: it may
 * be older, never newer.
 */
static u64 instance_of(const struct process *process, u64 exec_id)
{
	return siphash_3u64(process->start_time, exec_id, (unsigned long)process->mm, &secret);
}

/* -ESRCH for a kernel thread, or if the process has no address space any more. */
static int get_process(struct pid *pid, struct process *process)
{
	u64 exec_id;

	process->task = get_pid_task(pid, PIDTYPE_TGID);
	if (!process->task)
		return -ESRCH;
	process->start_time = process->task->start_boottime;
	exec_id = READ_ONCE(process->task->self_exec_id);
	smp_rmb(); /* the count before the mm; exec sets them in the opposite order */
	process->mm = get_mm(process->task);
	if (!process->mm) {
		put_task_struct(process->task);
		return -ESRCH;
	}
	process->instance = instance_of(process, exec_id);
	process->end = jiffies + LOCK_WAIT;
	return 0;
}

static void put_process(struct process *process)
{
	mmdrop(process->mm);
	put_task_struct(process->task);
}

/**
 * struct limit - limits how long a task waits for a lock
 * @work: runs when the time is up
 * @task: the waiting task
 */
struct limit {
	struct delayed_work work;
	struct task_struct *task;
};

/* Fake a signal, as fake_signal_wake_up() does for the freezer. */
static void end_wait(struct work_struct *work)
{
	struct limit *limit = container_of(to_delayed_work(work), struct limit, work);

	set_tsk_thread_flag(limit->task, TIF_SIGPENDING);
	wake_up_process(limit->task);
}

/*
 * Returns 0; -EINTR, not a restart, as a restarted call would have its full time again; or
 * -ETIMEDOUT. This queues for the lock: one that is contended all the time, by a process whose
 * threads keep mapping, is never seen unlocked, so that trylocks would be in vain.
 */
static int lock_in_time(struct mm_struct *mm, unsigned long end)
{
	/* A task's own sighand does not change. */
	struct sighand_struct *signals = rcu_dereference_protected(current->sighand, true);
	struct limit limit = { .task = current };
	long left = end - jiffies;
	int err;

	if (left <= 0)
		return -ETIMEDOUT;
	INIT_DELAYED_WORK_ONSTACK(&limit.work, end_wait);
	/* not queued behind work that waits for a user's server */
	queue_delayed_work(system_highpri_wq, &limit.work, left);
	err = down_read_interruptible(&mm->mmap_lock);
	if (!cancel_delayed_work_sync(&limit.work)) {
		spin_lock_irq(&signals->siglock);
		recalc_sigpending();
		spin_unlock_irq(&signals->siglock);
	}
	destroy_delayed_work_on_stack(&limit.work);
	if (!err)
		return 0;
	return signal_pending(current) ? -EINTR : -ETIMEDOUT;
}

/*
 * Take the mmap lock. Returns 0, and the caller unlocks it soon; -ESRCH if the mm has ended; or
 * what lock_in_time() returns. The wait is limited, because a process can map a file of its own
 * FUSE server and hold its lock for as long as the server does not reply.
 */
static int process_lock(const struct process *process)
{
	struct mm_struct *mm = process->mm;
	int err;

	if (!atomic_read(&mm->mm_users))
		return -ESRCH;
	err = mmap_read_trylock(mm) ? 0 : lock_in_time(mm, process->end);
	if (err)
		return err;
	/* after the last user is gone, exit_mmap() locks it before it frees any vma */
	if (atomic_read(&mm->mm_users))
		return 0;
	mmap_read_unlock(mm);
	return -ESRCH;
}

/* In a container, only paths of processes with the caller's root, as for subscribers. */
static bool may_know_paths(struct task_struct *task)
{
	struct path root;
	bool may = false;

	if (task_active_pid_ns(current) == &init_pid_ns)
		return true;
	get_fs_root(current->fs, &root);
	task_lock(task);
	/*
	 * Not held: that would keep an exited process's root from being unmounted. If the process
	 * calls chroot() meanwhile, either result is right.
	 */
	if (task->fs)
		may = READ_ONCE(task->fs->root.mnt) == root.mnt &&
		      READ_ONCE(task->fs->root.dentry) == root.dentry;
	task_unlock(task);
	path_put(&root);
	return may;
}

/*
 * The file mapped at @addr. Returns 0 with its @record, 1 if bid_reply_read_mapped() has to make
 * the record, or an error. Sets @offset to the offset of @addr in the file.
 */
static int find_file(const struct process *process, u64 addr, u64 *offset,
		     struct bid_mapped *mapped, struct buildid_file *record)
{
	struct vm_area_struct *vma;
	int err;

	err = process_lock(process);
	if (err)
		return err;
	vma = find_vma(process->mm, addr);
	err = -ENOENT;
	if (vma && vma->vm_start <= addr && vma->vm_file) {
		*offset = addr - vma->vm_start + ((u64)vma->vm_pgoff << PAGE_SHIFT);
		err = bid_reply_mapped(vma->vm_file, mapped, record);
	}
	mmap_read_unlock(process->mm);
	return err;
}

static int process_resolve(const struct process *process, struct buildid_resolve *req,
			   struct buildid_file *record)
{
	bool with_path = may_know_paths(process->task);
	struct bid_mapped *mapped;
	int err;

	if (req->start_time && req->start_time != process->start_time)
		return -ESRCH;
	mapped = kmalloc(sizeof(*mapped), GFP_KERNEL);
	if (!mapped)
		return -ENOMEM;
	err = find_file(process, req->addr, &req->offset, mapped, record);
	if (err > 0)
		err = bid_reply_read_mapped(mapped, record);
	kfree(mapped);
	if (!err && !with_path)
		bid_reply_hide_path(record);
	req->start_time = process->start_time;
	return err;
}

/* -EPERM if the process is another user's and the caller may not watch all processes. */
static struct pid *find_allowed_pid(u32 nr)
{
	struct pid *pid = find_get_pid(nr);

	if (pid != task_tgid(current) && !perfmon_capable()) {
		put_pid(pid);
		return ERR_PTR(-EPERM);
	}
	return pid ?: ERR_PTR(-ESRCH);
}

/**
 * bid_process_resolve() - identify what a living process has mapped at an address
 * @req: the request; start_time and offset are set
 * @record: as for bid_reply_file()
 *
 * Process context.
 *
 * Return: 0; -EPERM; -ESRCH if there is no such process, or another one has its pid, or it has no
 * address space any more; -ETIMEDOUT if it keeps its mmap lock; -EINTR if a signal came; -ENOENT if
 * no file is mapped there; else as bid_reply_file().
 */
int bid_process_resolve(struct buildid_resolve *req, struct buildid_file *record)
{
	struct pid *pid = find_allowed_pid(req->pid);
	unsigned long end = jiffies + LOCK_WAIT;
	struct process process;
	bool ended;
	int err;

	if (IS_ERR(pid))
		return PTR_ERR(pid);
	do {
		err = get_process(pid, &process);
		if (err)
			break;
		process.end = end;
		err = process_resolve(&process, req, record);
		/* by exec, unless the process has ended as well */
		ended = !atomic_read(&process.mm->mm_users);
		put_process(&process);
	} while (err == -ESRCH && ended);
	put_pid(pid);
	return err;
}

static bool is_selected(const struct vm_area_struct *vma, u32 flags)
{
	return vma->vm_file && (vma->vm_flags & VM_EXEC || flags & BUILDID_MAPS_DATA);
}

/**
 * struct reply - the caller's buffer while it is filled
 * @to: where the next record goes
 * @left: bytes left in the buffer
 * @last_file: file_id of the last FILE record in it
 * @with_paths: the caller may see the process's paths
 * @record: room for the next record, BUILDID_RECORD_MAX bytes
 * @mapped: the file of the next mapping
 * @task: the process's leader
 * @pid: of the process, in the caller's namespace
 */
struct reply {
	char __user *to;
	u32 left;
	u64 last_file;
	bool with_paths;
	struct buildid_file *record;
	struct bid_mapped *mapped;
	const struct task_struct *task;
	u32 pid;
};

/*
 * Copy the next mapping at or after *@cursor, and make its FILE record in reply->record. Sets
 * *@cursor to the end of that mapping. Returns 1; 0 if there is none; or the error of
 * process_lock() or bid_reply_read_mapped().
 */
static int next_mapping(const struct process *process, u64 *cursor, u32 flags,
			struct bid_mapping *mapping, struct reply *reply)
{
	VMA_ITERATOR(vmi, process->mm, *cursor);
	struct vm_area_struct *vma;
	bool unread = false;
	int err;

	err = process_lock(process);
	if (err)
		return err;
	memset(reply->record, 0, sizeof(*reply->record));
	for_each_vma(vmi, vma)
		if (is_selected(vma, flags))
			break;
	if (vma) {
		bid_mapping_init(mapping, vma, 0);
		unread = bid_reply_mapped(vma->vm_file, reply->mapped, reply->record);
	}
	mmap_read_unlock(process->mm);
	if (unread)
		err = bid_reply_read_mapped(reply->mapped, reply->record);
	if (err)
		return err;
	*cursor = vma ? mapping->end : BUILDID_MAPS_END;
	return !!vma;
}

static int put_record(struct reply *reply, struct buildid_record *header, u16 type, u32 size)
{
	header->type = type;
	header->flags = BUILDID_RECORD_SNAPSHOT;
	header->size = size;
	header->seq = 0;
	header->time_mono = ktime_get_mono_fast_ns();
	header->time_perf = local_clock();
	if (copy_to_user(reply->to, header, size))
		return -EFAULT;
	reply->to += size;
	reply->left -= size;
	return 0;
}

/* A FILE record, unless it repeats the last one, and an MMAP record. Returns 0 or -ENOSPC. */
static int put_mapping(struct reply *reply, struct bid_mapping *mapping)
{
	struct buildid_file *record = reply->record;
	struct buildid_mmap body;
	bool sent;
	int err;

	if (!reply->with_paths)
		bid_reply_hide_path(record);
	sent = record->file_id && record->file_id == reply->last_file;
	if (reply->left < sizeof(body) + (sent ? 0 : record->header.size))
		return -ENOSPC;
	if (!sent) {
		err = put_record(reply, &record->header, BUILDID_RECORD_FILE, record->header.size);
		if (err)
			return err;
	}
	reply->last_file = record->file_id;
	mapping->file_id = record->file_id;
	rcu_read_lock();
	bid_record_mmap_write(&body, reply->pid, reply->pid, mapping, BUILDID_STATE_KNOWN,
			      reply->task);
	rcu_read_unlock();
	return put_record(reply, &body.header, BUILDID_RECORD_MMAP, sizeof(body));
}

/* Between mappings: paths may be long, and mappings many. Returns an error to end the call. */
static int process_pause(void)
{
	cond_resched();
	return signal_pending(current) ? -EINTR : 0;
}

static int put_mappings(struct reply *reply, const struct process *process, u64 *cursor, u32 flags)
{
	struct bid_mapping mapping;
	int err;

	while ((err = next_mapping(process, cursor, flags, &mapping, reply)) > 0) {
		err = put_mapping(reply, &mapping);
		if (err) {
			*cursor = mapping.start;
			break;
		}
		err = process_pause();
		if (err)
			break;
	}
	return err;
}

static int put_cookies(struct reply *reply, const struct mm_struct *mm, u64 from, u64 *cursor)
{
	struct buildid_cookie *record = (void *)reply->record;
	struct bid_cookie_info info;
	int err;

	BUILD_BUG_ON(sizeof(*record) + BUILDID_ID_MAX > BUILDID_RECORD_MAX);
	for (; bid_mapping_cookie_next(mm, from, &info); from = info.end) {
		*cursor = IN_COOKIES | info.start;
		if (reply->left < bid_record_cookie_size(&info))
			return -ENOSPC;
		bid_record_cookie_write(&info, reply->task, reply->pid, reply->pid, record);
		err = put_record(reply, &record->header, BUILDID_RECORD_COOKIE,
				 bid_record_cookie_size(&info));
		if (err)
			return err;
		*cursor = IN_COOKIES | info.end;
		err = process_pause();
		if (err)
			return err;
	}
	*cursor = BUILDID_MAPS_END;
	return 0;
}

static int put_all(struct reply *reply, const struct process *process, struct buildid_maps *req)
{
	u64 from = 0;
	int err = 0;

	if (req->cursor & IN_COOKIES)
		from = req->cursor & ~IN_COOKIES;
	else
		err = put_mappings(reply, process, &req->cursor, req->flags);
	return err ?: put_cookies(reply, process->mm, from, &req->cursor);
}

/* The call ends here; the next one continues. */
static bool is_to_go_on(int err)
{
	return err == -ENOSPC || err == -EINTR || err == -ETIMEDOUT;
}

static int process_fill(const struct process *process, struct buildid_maps *req)
{
	struct reply reply = {
		.to = u64_to_user_ptr(req->records),
		.left = req->bytes,
		.with_paths = may_know_paths(process->task),
		.task = process->task,
		.pid = req->pid,
	};
	int err;

	if (req->cursor && req->instance != process->instance)
		return -ESTALE;
	req->instance = process->instance;
	reply.record = kmalloc(BUILDID_RECORD_MAX, GFP_KERNEL);
	reply.mapped = kmalloc(sizeof(*reply.mapped), GFP_KERNEL);
	err = reply.record && reply.mapped ? put_all(&reply, process, req) : -ENOMEM;
	kfree(reply.mapped);
	kfree(reply.record);
	if (err && (reply.left == req->bytes || !is_to_go_on(err)))
		return err;
	req->bytes -= reply.left;
	return 0;
}

static int process_maps(struct pid *pid, struct buildid_maps *req)
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
	err = process_fill(&process, req);
	put_process(&process);
	/* the address space ended: by exec, unless the process ended, too */
	if (err == -ESRCH && !get_process(pid, &process)) {
		put_process(&process);
		err = -ESTALE;
	}
	return err;
}

int bid_ioctl_maps(struct bid_session *session, void *arg)
{
	struct buildid_maps *req = arg;
	struct pid *pid;
	int err;

	if (req->bytes < 2 * BUILDID_RECORD_MAX)
		return -EINVAL;
	pid = find_allowed_pid(req->pid);
	if (IS_ERR(pid))
		return PTR_ERR(pid);
	err = process_maps(pid, req);
	put_pid(pid);
	return err;
}

/* Before the device is registered. */
void bid_process_init(void)
{
	get_random_bytes(&secret, sizeof(secret));
}
