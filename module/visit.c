// SPDX-License-Identifier: GPL-2.0
/*
 * The hook only reports a mapping: it runs under the mmap lock with preemption off. What the cache
 * does not answer, the same task finds out on its way back to user space, as task work: with no
 * lock held, in its own context, and before this thread can run any instruction of the mapping. So
 * the task that maps pays: with its time, I/O and memory cgroup. Where task_work_add() is not
 * exported, the last fput() of a file of our own gets to the same place, as the core closes files
 * in task work; that costs a file per visit.
 *
 * A visit belongs to one task and has a few files. The hook takes it from a pool of its CPU, where
 * it is returned at the end. @task says whose it is: only that task sets and clears it, so a visit
 * whose @task is current is current's own. A work item refills the pool when it is half empty, as
 * visits may take long: their tasks may wait for a server, or be stopped by a tracer. That costs
 * half a KiB per such task, and delays nobody else.
 *
 * Each visit holds the module from the hook to its end: while a task is stopped, or its read does
 * not end, rmmod says "in use". For the rest of visit_run() after module_put(), which may be
 * preempted, rmmod waits by synchronize_rcu_tasks(): until each task has slept or been in user
 * space.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>

#include "history.h"
#include "lookup.h"
#include "stats.h"
#include "visit.h"

/* Files per visit: a program and its interpreter, and as many again. */
#define FILES_MAX 4

/* Mappings of one file whose history slots are remembered. */
#define SLOTS_MAX 4

/* Free visits in the pool of a CPU. */
#define POOL 32

/**
 * struct visited - a file to read, or whose FILE record to send again
 * @file: held
 * @file_id: the file_id in its MMAP records
 * @version: as seen by the hook
 * @read: it is not in the cache; else only some subscriber lacks its FILE record
 * @exec: it is mapped executable
 * @nr_slots: entries of @slots
 * @slots: slots of the history that have @file_id, too
 */
struct visited {
	struct file *file;
	u64 file_id;
	struct bid_version version;
	bool read;
	bool exec;
	u8 nr_slots;
	u64 *slots[SLOTS_MAX];
};

/**
 * struct visit - the files that a task has yet to look at
 * @work: runs in the task
 * @ticket: without task_work_add(): closing it runs the visit
 * @rcu: frees it; the hook on another CPU may be looking at @task
 * @task: its owner; NULL in a pool
 * @pid: of @task, in the initial namespace
 * @since: when it began, in jiffies
 * @next: in the pool
 * @all: in the list of all visits
 * @nr_files: entries of @files
 * @files: the files
 */
struct visit {
#ifdef BID_HAS_TASK_WORK_ADD
	struct callback_head work;
#else
	struct file *ticket;
#endif
	struct rcu_head rcu;
	struct task_struct *task;
	pid_t pid;
	unsigned long since;
	struct visit *next;
	struct list_head all;
	u32 nr_files;
	struct visited files[FILES_MAX];
};

/**
 * struct pool - free visits of a CPU
 * @free: the first one; used with preemption off
 * @count: number of free visits
 * @last: the last visit begun on this CPU
 * @refill: refills the pool
 */
struct pool {
	struct visit *free;
	u32 count;
	struct visit *last;
	struct work_struct refill;
};

static DEFINE_PER_CPU(struct pool, pools);
static LIST_HEAD(visits);
static DEFINE_SPINLOCK(visits_lock); /* for the list, in process context */
static bool started;

/* ------------------------------------------------------ how current comes back -- */

static void visit_run(struct visit *visit);

#ifdef BID_HAS_TASK_WORK_ADD
static void run_work(struct callback_head *work)
{
	visit_run(container_of(work, struct visit, work));
}

/* Return: 0, or an error if the task will not return to user space. */
static int come_back(struct visit *visit)
{
	init_task_work(&visit->work, run_work);
	return task_work_add(current, &visit->work, TWA_RESUME);
}

static bool can_begin_again(const struct visit *visit)
{
	return true;
}

static int get_ticket(struct visit *visit)
{
	return 0;
}

static void put_ticket(struct visit *visit)
{
}
#else
static int on_close(struct inode *inode, struct file *file)
{
	struct visit *visit = file->private_data;

	if (visit)
		visit_run(visit);
	return 0;
}

/* Without .owner: it would hold the module even while it waits in a pool. */
static const struct file_operations ticket_fops = { .release = on_close };

static int come_back(struct visit *visit)
{
	/* from an interrupt, such as a breakpoint kprobe's, fput() leaves it to a kernel thread */
	if (in_interrupt())
		return -EAGAIN;
	fput(visit->ticket);
	visit->ticket = NULL;
	return 0;
}

/* A ticket can be used only once. */
static bool can_begin_again(const struct visit *visit)
{
	return false;
}

static int get_ticket(struct visit *visit)
{
	visit->ticket = anon_inode_getfile("[buildid]", &ticket_fops, visit, O_RDONLY);
	if (!IS_ERR(visit->ticket))
		return 0;
	visit->ticket = NULL;
	return -ENOMEM;
}

/* Closes an unused ticket, in a kernel thread, where __fput_sync() is allowed. */
static void put_ticket(struct visit *visit)
{
	if (!visit->ticket)
		return;
	visit->ticket->private_data = NULL;
	__fput_sync(visit->ticket);
}
#endif

/* --------------------------------------------------------------- the pool -- */

static struct visit *alloc_visit(void)
{
	struct visit *visit = kzalloc(sizeof(*visit), GFP_KERNEL);

	if (!visit)
		return NULL;
	if (get_ticket(visit)) {
		kfree(visit);
		return NULL;
	}
	spin_lock(&visits_lock);
	list_add(&visit->all, &visits);
	spin_unlock(&visits_lock);
	return visit;
}

/* A visit with a ticket is freed in a kernel thread. */
static void free_visit(struct visit *visit)
{
	int cpu;

	spin_lock(&visits_lock);
	list_del(&visit->all);
	spin_unlock(&visits_lock);
	for_each_possible_cpu(cpu)
		cmpxchg(&per_cpu_ptr(&pools, cpu)->last, visit, NULL);
	put_ticket(visit);
	kfree_rcu(visit, rcu);
}

/* Put a visit into this CPU's pool; false if it is full. */
static bool put_visit(struct visit *visit)
{
	struct pool *pool;
	bool room;

	preempt_disable();
	pool = this_cpu_ptr(&pools);
	room = pool->count < POOL;
	if (room) {
		visit->next = pool->free;
		pool->free = visit;
		pool->count++;
	}
	preempt_enable();
	return room;
}

/* Runs on the pool's CPU, unless that went offline meanwhile. */
static void visit_refill(struct work_struct *work)
{
	struct visit *visit;

	do {
		visit = alloc_visit();
	} while (visit && put_visit(visit));
	if (visit)
		free_visit(visit);
}

/* ------------------------------------------------------------- in the task -- */

/* Send the FILE record of an entry, if the entry is what was mapped. */
static bool send_entry(const struct visited *visited, struct bid_entry *entry,
		       const struct bid_path *path)
{
	struct bid_file_info info;

	if (!entry)
		return false;
	bid_entry_info(entry, &info);
	info.file_id = visited->file_id;
	info.path = *path;
	bid_event_file(&info, visited->exec);
	return true;
}

static void correct_history(const struct visited *visited, u64 file_id)
{
	int i;

	if (file_id && file_id != visited->file_id)
		for (i = 0; i < visited->nr_slots; i++)
			bid_history_correct(visited->slots[i], visited->file_id, file_id);
}

/* The cache has it: it already did, or another task was faster. */
static bool send_known(const struct visited *visited, const struct bid_lookup *lookup,
		       const struct bid_path *path)
{
	struct bid_entry *entry;
	u64 file_id = 0;
	bool sent;

	rcu_read_lock();
	if (!visited->read)
		entry = bid_cache_find_id(visited->file_id);
	else if (bid_version_same_content(&visited->version, &lookup->version))
		entry = bid_lookup_find(lookup);
	else
		entry = NULL;
	if (entry)
		file_id = entry->file_id;
	sent = send_entry(visited, entry, path);
	rcu_read_unlock();
	correct_history(visited, file_id);
	return sent;
}

/* Read the file, unless it is never read. */
static void read_file(const struct visited *visited, struct bid_lookup *lookup)
{
	if (lookup->access == BID_ACCESS_NEVER)
		return;
	/* a task that is past its signals could not end a read */
	if (current->flags & PF_EXITING || bid_lookup_read(lookup)) {
		lookup->id = (struct bid_identity){ .reason = BUILDID_REASON_INTERRUPTED };
		return;
	}
	bid_stats_inc(BID_STAT_READ_MAPPER);
	/* the content that was read need not be what was mapped */
	if (!bid_version_same_content(&visited->version, &lookup->version)) {
		bid_stats_inc(BID_STAT_CHANGING);
		lookup->id = (struct bid_identity){ .reason = BUILDID_REASON_CHANGING };
	}
}

/* Most paths are short; a buffer for the longest is allocated, and zeroed, only for the others. */
static void find_path(const struct visited *visited, char *few, size_t few_bytes, char **buf,
		      struct bid_path *path)
{
	bid_file_path(visited->file, few, few_bytes, path);
	if (path->name)
		return;
	if (!*buf)
		*buf = kmalloc(PATH_MAX, GFP_KERNEL_ACCOUNT);
	if (*buf)
		bid_file_path(visited->file, *buf, PATH_MAX, path);
}

static void look_at(const struct visited *visited, char **buf)
{
	struct bid_lookup lookup __uninitialized;
	char few[192] __uninitialized;
	struct bid_file_info info;
	struct bid_path path;
	u64 file_id;

	find_path(visited, few, sizeof(few), buf, &path);
	bid_lookup_init(visited->file, bid_file_inode(visited->file), &lookup);
	if (send_known(visited, &lookup, &path))
		return;
	read_file(visited, &lookup);
	/*
	 * Store before sending: a subscriber may ask for the file_id at once. If an entry was
	 * removed, its file_id is not used again, as it may have been sent for other content.
	 */
	file_id = bid_lookup_store(&lookup, &path, visited->read ? visited->file_id : 0);
	correct_history(visited, file_id);
	bid_lookup_info(&lookup, &path, visited->file_id, &info);
	bid_event_file(&info, visited->exec);
}

static void visit_run(struct visit *visit)
{
	char *buf = NULL;
	u32 i;

	for (i = 0; i < visit->nr_files; i++) {
		look_at(&visit->files[i], &buf);
		fput(visit->files[i].file);
	}
	kfree(buf);
	WRITE_ONCE(visit->task, NULL);
	if (!can_begin_again(visit) || !put_visit(visit))
		free_visit(visit);
	module_put(THIS_MODULE);
}

/* ------------------------------------------------------------- in the hook -- */

/* Kernel threads do not return to user space. */
static bool returns_to_user(void)
{
	return !(current->flags & (PF_KTHREAD | PF_IO_WORKER | PF_EXITING));
}

static struct visit *visit_begin(struct pool *pool)
{
	struct visit *visit = pool->free;

	if (pool->count <= POOL / 2)
		queue_work_on(smp_processor_id(), system_highpri_wq, &pool->refill);
	if (!visit || !returns_to_user() || !try_module_get(THIS_MODULE))
		return NULL;
	if (come_back(visit)) {
		module_put(THIS_MODULE);
		return NULL;
	}
	pool->free = visit->next;
	pool->count--;
	visit->nr_files = 0;
	visit->pid = current->pid;
	visit->since = jiffies;
	WRITE_ONCE(visit->task, current);
	pool->last = visit;
	return visit;
}

/* current's visit on this CPU, or NULL. */
static struct visit *visit_own(const struct pool *pool)
{
	struct visit *visit = READ_ONCE(pool->last);

	return visit && READ_ONCE(visit->task) == current ? visit : NULL;
}

/* Room for a file in @visit, or in a new one if it is NULL. */
static struct visited *add_file(struct pool *pool, struct visit *visit, struct file *file)
{
	struct visited *visited;

	if (!visit)
		visit = visit_begin(pool);
	if (!visit || visit->nr_files == FILES_MAX) {
		bid_stats_inc(BID_STAT_UNRESOLVED);
		return NULL;
	}
	visited = &visit->files[visit->nr_files++];
	visited->file = get_file(file);
	visited->exec = false;
	visited->nr_slots = 0;
	return visited;
}

/* A file of this version that current has already mapped in the same system call. */
static struct visited *find_same(struct visit *visit, struct inode *inode,
				 const struct bid_version *version)
{
	struct visited *visited;
	u32 i;

	for (i = 0; visit && i < visit->nr_files; i++) {
		visited = &visit->files[i];
		if (visited->read && file_inode(visited->file) == inode &&
		    bid_version_equal(&visited->version, version))
			return visited;
	}
	return NULL;
}

/* NULL if no visit is available, or it has no room for another file. */
static struct visited *visit_to_read(const struct vm_area_struct *vma)
{
	struct pool *pool = this_cpu_ptr(&pools);
	struct inode *inode = file_inode(vma->vm_file);
	struct bid_version version __uninitialized;
	struct visit *visit = visit_own(pool);
	struct visited *visited;

	if (!READ_ONCE(started))
		return NULL;
	bid_file_version(inode, &version);
	visited = find_same(visit, inode, &version);
	if (visited)
		return visited;
	visited = add_file(pool, visit, vma->vm_file);
	if (!visited)
		return NULL;
	visited->read = true;
	visited->version = version;
	visited->file_id = bid_cache_new_id();
	return visited;
}

/**
 * bid_visit_read() - have current read a file that it maps, and remember the mapping
 * @vma: the mapping
 * @time_perf: local_clock()
 *
 * Called by the hook. A FILE record with the file_id follows.
 *
 * Return: the file_id, or 0 if the mapping is UNRESOLVED.
 */
u64 bid_visit_read(const struct vm_area_struct *vma, u64 time_perf)
{
	struct visited *visited = visit_to_read(vma);
	u64 *slot;

	slot = bid_history_add(vma, visited ? visited->file_id : 0, time_perf);
	if (!visited)
		return 0;
	visited->exec |= !!(vma->vm_flags & VM_EXEC);
	if (visited->nr_slots < SLOTS_MAX)
		visited->slots[visited->nr_slots++] = slot;
	return visited->file_id;
}

static struct visited *find_file(struct visit *visit, u64 file_id)
{
	u32 i;

	for (i = 0; visit && i < visit->nr_files; i++)
		if (visit->files[i].file_id == file_id)
			return &visit->files[i];
	return NULL;
}

/**
 * bid_visit_send() - have current send the FILE record of a cached file
 * @vma: a mapping for which some subscriber was not sent that record
 * @file_id: of the file
 *
 * Called by the hook.
 *
 * Return: whether it follows.
 */
bool bid_visit_send(const struct vm_area_struct *vma, u64 file_id)
{
	struct pool *pool = this_cpu_ptr(&pools);
	struct visit *visit = visit_own(pool);
	struct visited *visited = find_file(visit, file_id);

	if (!visited) {
		visited = add_file(pool, visit, vma->vm_file);
		if (!visited)
			return false;
		visited->read = false;
		visited->file_id = file_id;
		bid_file_version(file_inode(visited->file), &visited->version);
	}
	visited->exec |= !!(vma->vm_flags & VM_EXEC);
	return true;
}

/* ------------------------------------------------------------------ others -- */

/**
 * bid_visit_count() - the number of tasks with a visit pending or in progress
 * @oldest_ns: set to the age of the oldest one
 * @oldest_pid: set to its thread, 0 if that is outside the initial pid namespace
 */
u32 bid_visit_count(u64 *oldest_ns, u64 *oldest_pid)
{
	unsigned long now = jiffies, age, oldest = 0;
	struct visit *visit;
	u32 count = 0;

	*oldest_pid = 0;
	spin_lock(&visits_lock);
	list_for_each_entry(visit, &visits, all) {
		if (!READ_ONCE(visit->task))
			continue;
		count++;
		/* the visit may end, and begin again, at this moment */
		age = now - data_race(visit->since);
		if (*oldest_pid && age <= oldest)
			continue;
		oldest = age;
		/* racy for the same reason */
		*oldest_pid = data_race(visit->pid);
	}
	spin_unlock(&visits_lock);
	*oldest_ns = (u64)oldest * TICK_NSEC;
	if (task_active_pid_ns(current) != &init_pid_ns)
		*oldest_pid = 0;
	return count;
}

/* Return: 0 or -ENOMEM. May sleep. */
int bid_visit_init(void)
{
	struct visit *visit;
	struct pool *pool;
	int cpu;

	for_each_possible_cpu(cpu)
		INIT_WORK(&per_cpu_ptr(&pools, cpu)->refill, visit_refill);
	for_each_possible_cpu(cpu) {
		pool = per_cpu_ptr(&pools, cpu);
		while (pool->count < POOL) {
			visit = alloc_visit();
			if (!visit) {
				bid_visit_exit();
				return -ENOMEM;
			}
			visit->next = pool->free;
			pool->free = visit;
			pool->count++;
		}
	}
	return 0;
}

/* Called when the module's init cannot fail any more, as a visit may outlive it. */
void bid_visit_start(void)
{
	WRITE_ONCE(started, true);
}

static void free_all(struct work_struct *work)
{
	struct visit *visit, *next;

	list_for_each_entry_safe(visit, next, &visits, all)
		free_visit(visit);
}

/* The hook is gone, and so are all visits, as each holds the module. May sleep. */
void bid_visit_exit(void)
{
	struct work_struct work;
	struct pool *pool;
	int cpu;

	synchronize_rcu_tasks();
	for_each_possible_cpu(cpu) {
		pool = per_cpu_ptr(&pools, cpu);
		if (pool->refill.func)
			cancel_work_sync(&pool->refill);
	}
	INIT_WORK_ONSTACK(&work, free_all);
	schedule_work(&work);
	flush_work(&work);
	destroy_work_on_stack(&work);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&pools, cpu), 0, sizeof(struct pool));
	started = false;
}
