// SPDX-License-Identifier: GPL-2.0
/*
 * RESOLVE_ADDR and MAPS of a living process, in the caller's context.
 *
 * Reading a file under the mmap lock of a process can deadlock against a user-space
 * server of the file. So the vma's fields are copied and its file is held under the
 * lock, and the file is read after it was dropped. Whoever drops the last reference to
 * a file on FUSE, or the last one to an address space that has one mapped, may have to
 * wait for the server: no such file is held, and the address space by mmgrab() only.
 *
 * MAPS hands mappings out in calls as large as the caller's buffer. Between two calls,
 * and between two batches of one, nothing is held but the cursor; an instance number
 * tells whether it still belongs to the same address space.
 */
#include <linux/capability.h>
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
#include <linux/workqueue.h>

#include "cookie.h"
#include "history.h"
#include "ioctl.h"
#include "process.h"
#include "reply.h"

/* Mappings copied each time the mmap lock is taken. */
#define BATCH 16
/* How long a call waits for it, in all. */
#define LOCK_WAIT (HZ / 2)

/* Key of instance numbers: they hide the kernel addresses they are made of. */
static siphash_key_t secret __read_mostly;

/* In a cursor: all mappings are done, and the rest is the address of the next cookie. */
#define IN_COOKIES BIT_ULL(63)

/**
 * struct process - the process that is asked about
 * @task: held; its leader
 * @mm: held by mmgrab(), so that the address space may end; see acquire()
 * @start_time: as in struct buildid_mmap
 * @instance: as in struct buildid_maps
 * @end: in jiffies; no lock is waited for any more
 */
struct process {
	struct task_struct *task;
	struct mm_struct *mm;
	u64 start_time;
	u64 instance;
	unsigned long end;
};

/* Any thread's, as the leader may have exited before the others. */
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
 * An address of an mm_struct is used again, and exec sets the new mm before it increments
 * self_exec_id, so that neither says enough. Both together do: as long as the count has
 * not moved the old mm is there, and no other has its address. The count is sampled
 * before the mm: it may be older, never newer.
 */
static u64 instance_of(const struct process *process, u64 exec_id)
{
	return siphash_3u64(process->start_time, exec_id, (unsigned long)process->mm, &secret);
}

/* -ESRCH for a kernel thread, and for a process without an address space any more. */
static int get_process(struct pid *pid, struct process *process)
{
	u64 exec_id;

	process->task = get_pid_task(pid, PIDTYPE_TGID);
	if (!process->task)
		return -ESRCH;
	process->start_time = process->task->start_boottime;
	exec_id = READ_ONCE(process->task->self_exec_id);
	smp_rmb(); /* the count before the mm; exec sets them the other way round */
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
 * struct limit - ends a task's wait for a lock
 * @work: runs when the time is over
 * @task: who waits
 */
struct limit {
	struct delayed_work work;
	struct task_struct *task;
};

/* As the freezer does, by a signal that is none. */
static void end_wait(struct work_struct *work)
{
	struct limit *limit = container_of(to_delayed_work(work), struct limit, work);

	set_tsk_thread_flag(limit->task, TIF_SIGPENDING);
	wake_up_process(limit->task);
}

/*
 * 0; -EINTR, as a call that begins anew has all its time again; -ETIMEDOUT. In the lock's queue:
 * a process with threads that map all the time is never seen unlocked, so that it would be in
 * vain to try now and then.
 */
static int lock_in_time(struct mm_struct *mm, unsigned long end)
{
	/* A task's own does not change. */
	struct sighand_struct *signals = rcu_dereference_protected(current->sighand, true);
	struct limit limit = { .task = current };
	long left = end - jiffies;
	int err;

	if (left <= 0)
		return -ETIMEDOUT;
	INIT_DELAYED_WORK_ONSTACK(&limit.work, end_wait);
	/* Nobody's work that waits for a user's server holds this one up. */
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
 * Take the mmap lock: 0, and unlock it soon; -ESRCH when the mm has ended, and what
 * lock_in_time() returns. It is never waited for without an end: a process can map a file of
 * a FUSE server of its own, and hold its lock for as long as this one does not answer.
 */
static int lock(const struct process *process)
{
	struct mm_struct *mm = process->mm;
	int err;

	if (!atomic_read(&mm->mm_users))
		return -ESRCH;
	err = mmap_read_trylock(mm) ? 0 : lock_in_time(mm, process->end);
	if (err)
		return err;
	/* exit_mmap(), which comes after the last user, locks it before it frees a vma */
	if (atomic_read(&mm->mm_users))
		return 0;
	mmap_read_unlock(mm);
	return -ESRCH;
}

/* In a container only paths of processes with the caller's root; as for subscribers. */
static bool may_know_paths(struct task_struct *task)
{
	struct path root;
	bool may = false;

	if (task_active_pid_ns(current) == &init_pid_ns)
		return true;
	get_fs_root(current->fs, &root);
	task_lock(task);
	/*
	 * Not held: when the process has exited that would keep its root from being unmounted.
	 * If it calls chroot() meanwhile, either answer is right.
	 */
	if (task->fs)
		may = READ_ONCE(task->fs->root.mnt) == root.mnt &&
		      READ_ONCE(task->fs->root.dentry) == root.dentry;
	task_unlock(task);
	path_put(&root);
	return may;
}

/* Else it is not read either: what is known of it can be told while the address space is locked. */
static bool may_be_held(struct file *file)
{
	u8 reason;

	return bid_file_access(file, bid_file_inode(file), &reason) != BID_ACCESS_CALLER;
}

/*
 * The file mapped at @addr with all of @vm_flags, held; NULL with its @record where it must not
 * be held; or an ERR_PTR(). Sets the offset of @addr in it.
 */
static struct file *find_file(const struct process *process, u64 addr, unsigned long vm_flags,
			      u64 *offset, struct buildid_file *record)
{
	struct mm_struct *mm = process->mm;
	struct file *file = ERR_PTR(-ENOENT);
	struct vm_area_struct *vma;
	int err;

	err = lock(process);
	if (err)
		return ERR_PTR(err);
	vma = find_vma(mm, addr);
	if (vma && vma->vm_start <= addr && vma->vm_file &&
	    (vma->vm_flags & vm_flags) == vm_flags) {
		*offset = addr - vma->vm_start + ((u64)vma->vm_pgoff << PAGE_SHIFT);
		if (may_be_held(vma->vm_file))
			file = get_file(vma->vm_file);
		else
			file = ERR_PTR(bid_reply_file(vma->vm_file, true, record));
	}
	mmap_read_unlock(mm);
	return file;
}

static int resolve(const struct process *process, struct buildid_resolve_addr *req,
		   unsigned long vm_flags, struct buildid_file *record)
{
	bool with_path = may_know_paths(process->task);
	struct file *file;
	int err = 0;

	if (req->start_time && req->start_time != process->start_time)
		return -ESRCH;
	file = find_file(process, req->addr, vm_flags, &req->offset, record);
	if (IS_ERR(file))
		return PTR_ERR(file);
	if (file) {
		err = bid_reply_file(file, true, record);
		fput(file);
	}
	if (!err && !with_path)
		bid_reply_hide_path(record);
	req->start_time = process->start_time;
	return err;
}

/* -EPERM when the process is not the caller's own and the caller may not watch all. */
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
 * @vm_flags: which the mapping must have, or 0
 * @record: as for bid_reply_file()
 *
 * Process context.
 *
 * Return: 0; -EPERM; -ESRCH when there is no such process, or it is not the one that
 * is meant, or it has no address space any more; -ETIMEDOUT when it keeps that locked;
 * -EINTR when a signal came meanwhile; -ENOENT when no file is mapped there so; else as
 * bid_reply_file().
 */
int bid_process_resolve(struct buildid_resolve_addr *req, unsigned long vm_flags,
			struct buildid_file *record)
{
	struct pid *pid = find_allowed_pid(req->pid);
	struct process process;
	int err;

	if (IS_ERR(pid))
		return PTR_ERR(pid);
	err = get_process(pid, &process);
	if (!err) {
		err = resolve(&process, req, vm_flags, record);
		put_process(&process);
	}
	put_pid(pid);
	return err;
}

/**
 * bid_process_execs() - the low bits of how often a living process has called exec
 * @nr: the process, in the caller's pid namespace
 * @start_time: which one of those that had @nr
 *
 * An exec counts before its first mapping is made, and not only when it is done. Process
 * context.
 *
 * Return: bid_history_execs(), or -ESRCH.
 */
int bid_process_execs(u32 nr, u64 start_time)
{
	struct task_struct *task;
	int execs = -ESRCH;

	rcu_read_lock();
	/* found anew: a thread that calls exec takes the place of the leader */
	task = pid_task(find_vpid(nr), PIDTYPE_TGID);
	if (task && task->start_boottime == start_time)
		execs = bid_history_execs(task);
	rcu_read_unlock();
	return execs;
}

static bool is_selected(const struct vm_area_struct *vma, u32 flags)
{
	return vma->vm_file && (vma->vm_flags & VM_EXEC || flags & BUILDID_MAPS_DATA);
}

/*
 * Copy the next mappings from *@cursor on, and hold their files; or one without its file, and
 * with its @record. Sets *@cursor to where the next batch begins. Returns how many there are, or
 * what lock() and bid_reply_file() do.
 */
static int collect_mappings(const struct process *process, u64 *cursor, u32 flags,
			    struct bid_mapping *mappings, struct buildid_file *record)
{
	VMA_ITERATOR(vmi, process->mm, *cursor);
	struct vm_area_struct *vma;
	int n = 0, err;
	bool held;

	err = lock(process);
	if (err)
		return err;
	*cursor = BUILDID_MAPS_END;
	for_each_vma(vmi, vma) {
		if (!is_selected(vma, flags))
			continue;
		held = may_be_held(vma->vm_file);
		if (n == BATCH || (n && !held)) {
			*cursor = vma->vm_start;
			break;
		}
		bid_mapping_init(&mappings[n++], vma);
		if (held) {
			get_file(vma->vm_file);
			continue;
		}
		mappings[0].file = NULL;
		memset(record, 0, sizeof(*record));
		err = bid_reply_file(vma->vm_file, true, record);
		*cursor = vma->vm_end;
		break;
	}
	mmap_read_unlock(process->mm);
	return err ?: n;
}

/**
 * struct reply - the caller's buffer while it is being filled
 * @to: where the next record goes
 * @left: bytes left in the buffer
 * @last_file: file_id of the last FILE record in it
 * @with_paths: the caller may know the process's paths
 * @record: room for the next record, BUILDID_RECORD_MAX bytes
 * @task: the process's leader
 * @pid: of the process, in the caller's namespace
 */
struct reply {
	char __user *to;
	u32 left;
	u64 last_file;
	bool with_paths;
	struct buildid_file *record;
	const struct task_struct *task;
	u32 pid;
};

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

/* A FILE record, unless it is the last one anyway, and a MMAP record; -ENOSPC. */
static int put_mapping(struct reply *reply, struct bid_mapping *mapping)
{
	struct buildid_file *record = reply->record;
	struct buildid_mmap body;
	bool sent;
	int err;

	if (mapping->file) {
		memset(record, 0, sizeof(*record));
		err = bid_reply_file(mapping->file, true, record);
		if (err)
			return err;
	}
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
	if (record->reason == BUILDID_REASON_DEFERRED)
		mapping->state = BUILDID_STATE_DEFERRED;
	bid_record_mmap_write(mapping, reply->task, reply->pid, reply->pid, NULL, &body);
	return put_record(reply, &body.header, BUILDID_RECORD_MMAP, sizeof(body));
}

/* Drops the files. With an error *@cursor is set to the first mapping that is not there. */
static int put_mappings(struct reply *reply, struct bid_mapping *mappings, int n, u64 *cursor)
{
	int err = 0, i;

	for (i = 0; i < n; i++) {
		if (!err)
			err = put_mapping(reply, &mappings[i]);
		if (err && *cursor > mappings[i].start)
			*cursor = mappings[i].start;
		if (mappings[i].file)
			fput(mappings[i].file);
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
	}
	*cursor = BUILDID_MAPS_END;
	return 0;
}

static int put_all(struct reply *reply, const struct process *process, struct buildid_maps *req)
{
	struct bid_mapping *mappings;
	int err = 0, n;
	u64 from = 0;

	mappings = kcalloc(BATCH, sizeof(*mappings), GFP_KERNEL);
	if (!mappings)
		return -ENOMEM;
	if (req->cursor & IN_COOKIES)
		from = req->cursor & ~IN_COOKIES;
	while (!err && !(req->cursor & IN_COOKIES)) {
		n = collect_mappings(process, &req->cursor, req->flags, mappings, reply->record);
		err = n < 0 ? n : put_mappings(reply, mappings, n, &req->cursor);
	}
	kfree(mappings);
	return err ?: put_cookies(reply, process->mm, from, &req->cursor);
}

/* The call ends there, and the next one goes on. */
static bool is_to_go_on(int err)
{
	return err == -ENOSPC || err == -EINTR || err == -ETIMEDOUT;
}

static int fill(const struct process *process, struct buildid_maps *req)
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
	if (!reply.record)
		return -ENOMEM;
	err = put_all(&reply, process, req);
	kfree(reply.record);
	if (err && (reply.left == req->bytes || !is_to_go_on(err)))
		return err;
	req->bytes -= reply.left;
	return 0;
}

static int maps(struct pid *pid, struct buildid_maps *req)
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
	err = fill(&process, req);
	put_process(&process);
	/* the address space ended meanwhile: by exec, unless the process ended, too */
	if (err == -ESRCH && !get_process(pid, &process)) {
		put_process(&process);
		err = -ESTALE;
	}
	return err;
}

int bid_ioctl_maps(struct bid_session *session, void __user *arg)
{
	struct buildid_maps req;
	struct pid *pid;
	int err;

	err = bid_ioctl_copy_in(&req, sizeof(req), arg);
	if (err)
		return err;
	if (req.flags & ~BID_MAPS_FLAGS || req.bytes < 2 * BUILDID_RECORD_MAX)
		return -EINVAL;
	pid = find_allowed_pid(req.pid);
	if (IS_ERR(pid))
		return PTR_ERR(pid);
	err = maps(pid, &req);
	put_pid(pid);
	return err ?: bid_ioctl_copy_out(arg, &req, sizeof(req));
}

/* Called before the device is registered. */
void bid_process_init(void)
{
	get_random_bytes(&secret, sizeof(secret));
}
