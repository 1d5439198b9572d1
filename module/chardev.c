// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/buildid: open, ioctl, read, poll, mmap.
 *
 * One open file is one session, and has at most one subscriber. Only one of read(2) and
 * mmap(2) consumes its ring: once the consumer page is mapped, read is refused.
 *
 * The session's mutex is held while user memory is faulted in, which takes the mmap lock
 * of the reader. mmap(2) is called under that lock, and so only tries the mutex.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "chardev.h"
#include "event.h"
#include "hook.h"
#include "ioctl.h"
#include "process.h"

static int open(struct inode *inode, struct file *file)
{
	struct bid_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);

	if (!session)
		return -ENOMEM;
	mutex_init(&session->lock);
	init_waitqueue_head(&session->wait);
	file->private_data = session;
	return nonseekable_open(inode, file);
}

static int release(struct inode *inode, struct file *file)
{
	struct bid_session *session = file->private_data;

	bid_unsubscribe(session);
	mutex_destroy(&session->lock);
	kfree(session);
	return 0;
}

/*
 * By number and direction only: the size in the command grows with the struct, and what
 * counts is the struct's own.
 */
static long ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct bid_session *session = file->private_data;
	void __user *req = (void __user *)arg;

	if (_IOC_TYPE(cmd) != BUILDID_IOC_MAGIC || _IOC_DIR(cmd) != (_IOC_READ | _IOC_WRITE))
		return -ENOTTY;
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(BUILDID_IOC_INFO):
		return bid_ioctl_info(session, req);
	case _IOC_NR(BUILDID_IOC_STATS):
		return bid_ioctl_stats(session, req);
	case _IOC_NR(BUILDID_IOC_RESOLVE_FD):
		return bid_ioctl_resolve_fd(session, req);
	case _IOC_NR(BUILDID_IOC_SUBSCRIBE):
		return bid_ioctl_subscribe(session, req);
	case _IOC_NR(BUILDID_IOC_FLUSH):
		return bid_ioctl_flush(session, req);
	case _IOC_NR(BUILDID_IOC_RESOLVE_KEY):
		return bid_ioctl_resolve_key(session, req);
	case _IOC_NR(BUILDID_IOC_RESOLVE_ADDR):
		return bid_ioctl_resolve_addr(session, req);
	case _IOC_NR(BUILDID_IOC_MAPS):
		return bid_ioctl_maps(session, req);
	case _IOC_NR(BUILDID_IOC_SET_COOKIE):
		return bid_ioctl_set_cookie(session, req);
	case _IOC_NR(BUILDID_IOC_RESOLVE_ID):
		return bid_ioctl_resolve_id(session, req);
	case _IOC_NR(BUILDID_IOC_HISTORY):
		return bid_ioctl_history(session, req);
	default:
		return -ENOTTY;
	}
}

/*
 * Is there something to read? If not, the ring wakes the session. That is requested even
 * if there is: an edge-triggered poller looks again only after the next wake-up.
 */
static bool is_ready(struct bid_subscriber *subscriber)
{
	struct bid_ring *ring = &subscriber->ring;

	if (!bid_ring_sleep(ring))
		return true;
	bid_ring_report_lost(ring, bid_hook_missed());
	return bid_ring_ready(ring, ring->watermark);
}

static __poll_t poll(struct file *file, poll_table *wait)
{
	struct bid_session *session = file->private_data;
	struct bid_subscriber *subscriber = bid_session_subscriber(session);

	poll_wait(file, &session->wait, wait);
	if (!subscriber)
		return EPOLLERR;
	return is_ready(subscriber) ? EPOLLIN | EPOLLRDNORM : 0;
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

static ssize_t read(struct file *file, char __user *buf, size_t len, loff_t *pos)
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
		err = wait_event_interruptible(session->wait, is_ready(subscriber));
		if (err)
			return err;
	}
}

/* Called under the mmap lock, so it must not wait for the session's: see above. */
static int mmap(struct file *file, struct vm_area_struct *vma)
{
	struct bid_session *session = file->private_data;
	int err = -ENXIO;

	if (!mutex_trylock(&session->lock))
		return -EBUSY;
	if (session->subscriber)
		err = bid_ring_mmap(&session->subscriber->ring, vma);
	if (!err && !vma->vm_pgoff)
		session->mapped = true;
	mutex_unlock(&session->lock);
	return err;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = open,
	.release = release,
	.read = read,
	.poll = poll,
	.mmap = mmap,
	.unlocked_ioctl = ioctl,
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
