// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/buildid: open, ioctl, read, poll, mmap.
 *
 * An open file is a session and has at most one subscriber. Either read(2) or mmap(2) consumes
 * its ring: once the consumer page is mapped writable, read(2) is refused.
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
#include "history_ioctl.h"
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
 * @published: the size of the struct's first version, the smallest that is accepted
 * @flags: known bits of the word after the size
 * @may: checks the caller's rights, at each call; NULL if anybody may
 * @run: handles the request and replies in its struct; process context, no lock held
 * @check: rejects bad requests and completes the reply, which is copied out before @run, so that a
 *	fault leaves no effect. NULL if @run writes the reply
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
 * Rights are as in SECURITY.md. NULL here does not mean that anything goes: see ways[] in
 * resolve.c, find_allowed_pid() and name_file() for requests about other users' processes.
 */
static const struct command commands[] = {
	/* has its abi where others have flags, and answers whatever ABI the caller asks for */
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

/* The request and the reply of an ioctl. */
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
 * Fields missing from the caller's struct count as zero, and fields that this module does not know
 * have to be zero. The size is read once and set to what both sides know, so that the reply fits in
 * the caller's struct.
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
	/* with -ENOSPC the reply says how much room is needed */
	if (!err || err == -ENOSPC)
		err = copy_out(user, &arg) ?: err;
	return err;
}

/* By number and direction only: the size in the command changes as the struct grows. */
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
	smp_mb(); /* not part of poll_wait() on older kernels; pairs with bid_ring_wake() */
	if (!subscriber)
		return EPOLLERR;
	return bid_ring_poll(&subscriber->ring, bid_hook_missed()) ? EPOLLIN | EPOLLRDNORM : 0;
}

/*
 * Copy as many whole records as fit. Returns the number of bytes, -EMSGSIZE when the first record
 * does not fit, or -EFAULT. Under session->lock.
 */
static ssize_t copy_records(struct bid_ring *ring, char __user *buf, size_t len)
{
	const struct buildid_record *record;
	size_t done = 0;

	/* terminates: the ring holds at most its size ahead of the consumer */
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
		/* another reader may be blocked on a page that a user's FUSE server is to supply */
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

/* Called under the mmap lock, so it may only try the session's lock: see above. */
static int chardev_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct bid_session *session = file->private_data;
	int err = -ENXIO;

	if (!mutex_trylock(&session->lock))
		return -EBUSY;
	if (session->subscriber)
		err = bid_ring_mmap(&session->subscriber->ring, vma);
	/* a read-only mapping consumes nothing, so read(2) remains possible */
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

/* User space can open the device before this returns. Return: 0 or -errno. */
int bid_chardev_init(void)
{
	bid_process_init();
	return misc_register(&device);
}

/* No file is open: open files hold the module. */
void bid_chardev_exit(void)
{
	misc_deregister(&device);
}
