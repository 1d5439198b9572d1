// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/buildid: open, ioctl, read, poll, mmap.
 *
 * One open file is one session, and has at most one subscriber. Only one of read(2) and
 * mmap(2) consumes its ring: once the consumer page can be written to, read is refused.
 *
 * The session's mutex is held while user memory is faulted in, which takes the mmap lock
 * of the reader. mmap(2) is called under that lock, and so only tries the mutex.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "chardev.h"
#include "hook.h"
#include "ioctl.h"
#include "past.h"
#include "process.h"
#include "resolve.h"
#include "session.h"
#include "set_cookie.h"
#include "subscribe.h"

static int chardev_open(struct inode *inode, struct file *file)
{
	struct bid_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);

	if (!session)
		return -ENOMEM;
	mutex_init(&session->lock);
	init_waitqueue_head(&session->wait);
	file->private_data = session;
	return nonseekable_open(inode, file);
}

static void free_session(void *data)
{
	struct bid_session *session = data;

	mutex_destroy(&session->lock);
	kfree(session);
}

static int chardev_release(struct inode *inode, struct file *file)
{
	struct bid_session *session = file->private_data;

	if (session->subscriber)
		bid_subscriber_end(session->subscriber, free_session, session);
	else
		free_session(session);
	return 0;
}

static bool admin_capable(void)
{
	return capable(CAP_SYS_ADMIN);
}

/**
 * struct command - an ioctl
 * @size: of its struct
 * @published: of the first version of that, which is the least that is taken
 * @flags: all that are known, of the word behind the size
 * @may: has the caller the right to it? Asked at each call; NULL for anybody
 * @run: makes the answer in the struct that it is given; process context, no lock held
 * @check: refuses a bad request, and completes the answer, which goes out before @run: if
 *	that fails @run has had no effect. NULL where the answer is @run's
 */
struct command {
	u16 size, published;
	u32 flags;
	bool (*may)(void);
	int (*run)(struct bid_session *session, void *arg);
	int (*check)(void *arg);
};

#define COMMAND(nr, type, ...) \
	[_IOC_NR(nr)] = { sizeof(struct type), sizeof(struct type), __VA_ARGS__ }

/*
 * Who may what, as in SECURITY.md. NULL is not all where it can be about others: see ways[] in
 * resolve.c, find_allowed_pid() and name_file().
 */
static const struct command commands[] = {
	/* its abi, which is where others have flags, can be had with whatever ABI */
	[_IOC_NR(BUILDID_IOC_INFO)] = { sizeof(struct buildid_info),
					offsetofend(struct buildid_info, abi), ~0U, NULL,
					bid_ioctl_info },
	COMMAND(BUILDID_IOC_STATS, buildid_stats, 0, NULL, bid_ioctl_stats),
	COMMAND(BUILDID_IOC_SUBSCRIBE, buildid_subscribe, BID_SUBSCRIBE_FLAGS, perfmon_capable,
		bid_ioctl_subscribe, bid_subscribe_check),
	COMMAND(BUILDID_IOC_FLUSH, buildid_flush, 0, admin_capable, bid_ioctl_flush),
	COMMAND(BUILDID_IOC_MAPS, buildid_maps, BID_MAPS_FLAGS, NULL, bid_ioctl_maps),
	COMMAND(BUILDID_IOC_SET_COOKIE, buildid_set_cookie, BID_SET_COOKIE_FLAGS, NULL,
		bid_ioctl_set_cookie, bid_ioctl_check_cookie),
	COMMAND(BUILDID_IOC_HISTORY, buildid_history, 0, perfmon_capable, bid_ioctl_history),
	COMMAND(BUILDID_IOC_RESOLVE, buildid_resolve, BID_RESOLVE_FLAGS, NULL, bid_ioctl_resolve),
};

/* A struct that an ioctl takes and answers in. */
union argument {
	struct {
		u32 size;
		u32 flags;
	};
	struct buildid_info info;
	struct buildid_stats stats;
	struct buildid_subscribe subscribe;
	struct buildid_flush flush;
	struct buildid_maps maps;
	struct buildid_set_cookie set_cookie;
	struct buildid_history history;
	struct buildid_resolve resolve;
};

/*
 * What the caller's struct lacks counts as zero, and what this module does not know must be
 * zero. The size is read once, and set to what both sides know: what is copied out later fits
 * in what was copied in.
 */
static int copy_in(const struct command *command, union argument *to, void __user *from)
{
	u32 __user *user_size = from;
	u32 size;
	int err;

	if (get_user(size, user_size))
		return -EFAULT;
	if (size < command->published)
		return -EINVAL;
	err = size > PAGE_SIZE ? -E2BIG : copy_struct_from_user(to, command->size, from, size);
	if (err == -E2BIG && put_user((u32)command->size, user_size))
		return -EFAULT;
	to->size = min_t(u32, size, command->size);
	return err;
}

static int copy_out(void __user *to, const union argument *from)
{
	return copy_to_user(to, from, from->size) ? -EFAULT : 0;
}

static int chardev_run(const struct command *command, struct bid_session *session,
		       void __user *user)
{
	union argument arg;
	int err;

	err = copy_in(command, &arg, user);
	if (err)
		return err;
	if (arg.flags & ~command->flags)
		return -EINVAL;
	if (command->may && !command->may())
		return -EPERM;
	if (command->check) {
		err = command->check(&arg) ?: copy_out(user, &arg);
		return err ?: command->run(session, &arg);
	}
	err = command->run(session, &arg);
	/* with -ENOSPC it says how much room there has to be */
	if (!err || err == -ENOSPC)
		err = copy_out(user, &arg) ?: err;
	return err;
}

/*
 * By number and direction only: the size in the command grows with the struct, and what
 * counts is the struct's own.
 */
static long chardev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	unsigned int nr = _IOC_NR(cmd);

	if (_IOC_TYPE(cmd) != BUILDID_IOC_MAGIC || _IOC_DIR(cmd) != (_IOC_READ | _IOC_WRITE) ||
	    nr >= ARRAY_SIZE(commands))
		return -ENOTTY;
	nr = array_index_nospec(nr, ARRAY_SIZE(commands));
	if (!commands[nr].run)
		return -ENOTTY;
	return chardev_run(&commands[nr], file->private_data, (void __user *)arg);
}

static __poll_t chardev_poll(struct file *file, poll_table *wait)
{
	struct bid_session *session = file->private_data;
	struct bid_subscriber *subscriber = bid_session_subscriber(session);

	poll_wait(file, &session->wait, wait);
	smp_mb(); /* on older kernels it is not in poll_wait(): pairs with bid_ring_wake() */
	if (!subscriber)
		return EPOLLERR;
	return bid_ring_poll(&subscriber->ring, bid_hook_missed()) ? EPOLLIN | EPOLLRDNORM : 0;
}

/*
 * Copy whole records, as many as fit. Returns the bytes copied; -EMSGSIZE when not even
 * the first fits; -EFAULT. Under session->lock.
 */
static ssize_t copy_records(struct bid_ring *ring, char __user *buf, size_t len)
{
	const struct buildid_record *record;
	size_t done = 0;

	/* ends: the ring holds no more than its size ahead of the consumer */
	while ((record = bid_ring_peek(ring, done)) && record->size <= len - done) {
		if (copy_to_user(buf + done, record, record->size))
			break;
		done += record->size;
	}
	if (done)
		bid_ring_consume(ring, done);
	else if (record)
		return record->size <= len ? -EFAULT : -EMSGSIZE;
	return done;
}

static ssize_t chardev_read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	struct bid_session *session = file->private_data;
	struct bid_subscriber *subscriber = bid_session_subscriber(session);
	ssize_t n;
	int err;

	if (!subscriber)
		return -ENXIO;
	for (;;) {
		/* another reader may be at a page that a user's server is to bring */
		if (file->f_flags & O_NONBLOCK) {
			if (!mutex_trylock(&session->lock))
				return -EAGAIN;
		} else if (mutex_lock_interruptible(&session->lock)) {
			return -ERESTARTSYS;
		}
		bid_ring_report_lost(&subscriber->ring, bid_hook_missed());
		n = session->mapped ? -EBUSY : copy_records(&subscriber->ring, buf, len);
		mutex_unlock(&session->lock);
		if (n)
			return n;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		err = wait_event_interruptible(session->wait,
					       bid_ring_poll(&subscriber->ring, bid_hook_missed()));
		if (err)
			return err;
	}
}

/* Called under the mmap lock, so it must not wait for the session's: see above. */
static int chardev_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct bid_session *session = file->private_data;
	int err = -ENXIO;

	if (!mutex_trylock(&session->lock))
		return -EBUSY;
	if (session->subscriber)
		err = bid_ring_mmap(&session->subscriber->ring, vma);
	/* who can only look takes nothing from read(2) */
	if (!err && !vma->vm_pgoff && vma->vm_flags & VM_MAYWRITE)
		session->mapped = true;
	mutex_unlock(&session->lock);
	return err;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = chardev_open,
	.release = chardev_release,
	.read = chardev_read,
	.poll = chardev_poll,
	.mmap = chardev_mmap,
	.unlocked_ioctl = chardev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "buildid",
	.fops = &fops,
	.mode = 0600,
};

/* Before it returns user space can get in. Return: 0 or -errno. */
int bid_chardev_init(void)
{
	bid_process_init();
	return misc_register(&device);
}

/* The module's use count keeps it loaded while a file is open: there is none any more. */
void bid_chardev_exit(void)
{
	misc_deregister(&device);
}
