// SPDX-License-Identifier: GPL-2.0
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "chardev.h"
#include "cookie.h"
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

static long ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	static bid_ioctl_fn *const calls[] = {
		[_IOC_NR(BUILDID_IOC_INFO)] = bid_ioctl_info,
		[_IOC_NR(BUILDID_IOC_STATS)] = bid_ioctl_stats,
		[_IOC_NR(BUILDID_IOC_RESOLVE_FD)] = bid_ioctl_resolve_fd,
		[_IOC_NR(BUILDID_IOC_SUBSCRIBE)] = bid_ioctl_subscribe,
		[_IOC_NR(BUILDID_IOC_FLUSH)] = bid_ioctl_flush,
		[_IOC_NR(BUILDID_IOC_RESOLVE_KEY)] = bid_ioctl_resolve_key,
		[_IOC_NR(BUILDID_IOC_RESOLVE_ADDR)] = bid_ioctl_resolve_addr,
		[_IOC_NR(BUILDID_IOC_MAPS)] = bid_ioctl_maps,
		[_IOC_NR(BUILDID_IOC_SET_COOKIE)] = bid_ioctl_set_cookie,
		[_IOC_NR(BUILDID_IOC_RESOLVE_ID)] = bid_ioctl_resolve_id,
	};
	unsigned int nr = _IOC_NR(cmd);

	/* the size in the number grows with the struct; the struct's own counts */
	if (_IOC_TYPE(cmd) != BUILDID_IOC_MAGIC || nr >= ARRAY_SIZE(calls) ||
	    _IOC_DIR(cmd) != (_IOC_READ | _IOC_WRITE))
		return -ENOTTY;
	nr = array_index_nospec(nr, ARRAY_SIZE(calls));
	return calls[nr](file->private_data, (void __user *)arg);
}

/*
 * Something to read, or a promise to be woken. The promise is asked for even if
 * there is something: who polls for edges comes back only after the next one.
 */
static bool ready_or_asleep(struct bid_subscriber *subscriber)
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
	return ready_or_asleep(subscriber) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* Whole records, as many as fit. */
static ssize_t copy_records(struct bid_ring *ring, char __user *buf, size_t len)
{
	const struct buildid_record *record;
	size_t done = 0;

	/* no more waits than the ring holds */
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
		mutex_lock(&session->lock);
		bid_ring_report_lost(&subscriber->ring, bid_hook_missed());
		n = session->mapped ? -EBUSY : copy_records(&subscriber->ring, buf, len);
		mutex_unlock(&session->lock);
		if (n)
			return n;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		err = wait_event_interruptible(session->wait, ready_or_asleep(subscriber));
		if (err)
			return err;
	}
}

/*
 * Readers and SUBSCRIBE fault in user memory with the session locked, so here,
 * in the address space's lock, one must not wait for it.
 */
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

int bid_chardev_init(void)
{
	bid_cookie_init();
	bid_process_init();
	return misc_register(&device);
}

void bid_chardev_exit(void)
{
	misc_deregister(&device);
}
