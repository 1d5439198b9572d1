// SPDX-License-Identifier: LGPL-2.1-or-later
/* The device: open, ask, subscribe, and walk the mapped ring. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"
#include "libbuildid.h"

#define ASSERT_SIZE(type, size) _Static_assert(sizeof(struct type) == (size), "ABI: size of " #type)

ASSERT_SIZE(buildid_record, 32);
ASSERT_SIZE(buildid_file, 128);
ASSERT_SIZE(buildid_mmap, 112);
ASSERT_SIZE(buildid_lost, 64);
ASSERT_SIZE(buildid_info, 200);
ASSERT_SIZE(buildid_stats, 216);
ASSERT_SIZE(buildid_resolve_fd, 24);
ASSERT_SIZE(buildid_subscribe, 40);
ASSERT_SIZE(buildid_image, 64);
ASSERT_SIZE(buildid_resolve_key, 40);
ASSERT_SIZE(buildid_resolve_addr, 56);
ASSERT_SIZE(buildid_maps, 40);
ASSERT_SIZE(buildid_resolve_id, 32);
ASSERT_SIZE(buildid_task, 80);
ASSERT_SIZE(buildid_flush, 16);
ASSERT_SIZE(buildid_cookie, 88);
ASSERT_SIZE(buildid_set_cookie, 40);

/* A record stays busy for as long as one hook runs; an interrupt may be on top. */
#define BUSY_NAP_NS 20000

struct buildid {
	int fd;
	size_t page;
	uint64_t ring_size;
	struct buildid_ring_consumer *consumer;
	const struct buildid_ring_producer *producer;
	const unsigned char *data;
	uint64_t pos; /* behind the record handed out last */
};

static int request(struct buildid *handle, unsigned long number, void *argument)
{
	return ioctl(handle->fd, number, argument) < 0 ? -errno : 0;
}

int buildid_open(struct buildid **handle)
{
	struct buildid_info info;
	struct buildid *new;
	int err;

	*handle = NULL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;

	new->fd = open(BUILDID_DEVICE, O_RDWR | O_CLOEXEC);
	if (new->fd < 0) {
		err = -errno;
		goto free_new;
	}

	err = buildid_get_info(new, &info, sizeof(info));
	if (!err && info.abi != BUILDID_ABI_VERSION)
		err = -EPROTONOSUPPORT;
	if (err)
		goto close_fd;

	*handle = new;
	return 0;

close_fd:
	close(new->fd);
free_new:
	free(new);
	return err;
}

void buildid_close(struct buildid *handle)
{
	if (!handle)
		return;

	if (handle->producer)
		munmap((void *)(uintptr_t)handle->producer, handle->page + 2 * handle->ring_size);
	if (handle->consumer)
		munmap(handle->consumer, handle->page);
	close(handle->fd);
	free(handle);
}

int buildid_fd(const struct buildid *handle)
{
	return handle->fd;
}

/*
 * Into the caller's struct as it is: the module knows what to do with a longer
 * or a shorter one, and this library need not know what is in it.
 */
static int fill(struct buildid *handle, unsigned long number, void *to, size_t size)
{
	uint32_t head = (uint32_t)size;

	if (size < sizeof(head) || size > UINT32_MAX)
		return -EINVAL;
	memset(to, 0, size);
	memcpy(to, &head, sizeof(head));
	return request(handle, number, to);
}

int buildid_get_info(struct buildid *handle, struct buildid_info *info, size_t size)
{
	return fill(handle, BUILDID_IOC_INFO, info, size);
}

int buildid_get_stats(struct buildid *handle, struct buildid_stats *stats, size_t size)
{
	return fill(handle, BUILDID_IOC_STATS, stats, size);
}

int buildid_flush(struct buildid *handle, uint64_t *flushed)
{
	struct buildid_flush flush = { .size = sizeof(flush) };
	int err = request(handle, BUILDID_IOC_FLUSH, &flush);

	if (!err && flushed)
		*flushed = flush.flushed;
	return err;
}

static uint32_t record_room(size_t size)
{
	return size > BUILDID_RECORD_MAX ? BUILDID_RECORD_MAX : (uint32_t)size;
}

/* The answer of a module is looked at like any record. */
static int take_file(const void *buffer, size_t room, uint32_t size,
		     const struct buildid_file **file)
{
	const struct buildid_record *record = buffer;
	int err;

	if (size > room)
		return -EBADMSG;
	err = buildid_record_check(buffer, size);
	if (err)
		return err;
	if (record->type != BUILDID_RECORD_FILE)
		return -EBADMSG;

	*file = buffer;
	return 0;
}

int buildid_resolve_fd(struct buildid *handle, int fd, void *buffer, size_t size,
		       const struct buildid_file **file)
{
	struct buildid_resolve_fd resolve = {
		.size = sizeof(resolve),
		.fd = fd,
		.record_size = record_room(size),
		.record = (uintptr_t)buffer,
	};
	int err;

	*file = NULL;
	if ((uintptr_t)buffer % 8)
		return -EINVAL;
	err = request(handle, BUILDID_IOC_RESOLVE_FD, &resolve);
	return err ? err : take_file(buffer, size, resolve.record_size, file);
}

int buildid_resolve_key(struct buildid *handle, const struct buildid_key *key, void *buffer,
			size_t size, const struct buildid_file **file)
{
	struct buildid_resolve_key resolve = {
		.size = sizeof(resolve),
		.record_size = record_room(size),
		.record = (uintptr_t)buffer,
	};
	struct buildid_key known;
	int err;

	*file = NULL;
	err = buildid_struct_take(&known, sizeof(known), key, STRUCT_LEAST(buildid_key, reserved));
	if (err)
		return err;
	if ((uintptr_t)buffer % 8 || known.reserved)
		return -EINVAL;
	resolve.flags = known.flags;
	resolve.dev_major = known.dev_major;
	resolve.dev_minor = known.dev_minor;
	resolve.ino = known.ino;
	resolve.generation = known.generation;
	err = request(handle, BUILDID_IOC_RESOLVE_KEY, &resolve);
	return err ? err : take_file(buffer, size, resolve.record_size, file);
}

int buildid_resolve_id(struct buildid *handle, uint64_t file_id, void *buffer, size_t size,
		       const struct buildid_file **file)
{
	struct buildid_resolve_id resolve = {
		.size = sizeof(resolve),
		.file_id = file_id,
		.record_size = record_room(size),
		.record = (uintptr_t)buffer,
	};
	int err;

	*file = NULL;
	if ((uintptr_t)buffer % 8)
		return -EINVAL;
	err = request(handle, BUILDID_IOC_RESOLVE_ID, &resolve);
	return err ? err : take_file(buffer, size, resolve.record_size, file);
}

int buildid_resolve_addr(struct buildid *handle, struct buildid_address *address, void *buffer,
			 size_t size, const struct buildid_file **file)
{
	struct buildid_resolve_addr resolve = {
		.size = sizeof(resolve),
		.record_size = record_room(size),
		.record = (uintptr_t)buffer,
	};
	struct buildid_address known;
	int err;

	*file = NULL;
	err = buildid_struct_take(&known, sizeof(known), address,
				  STRUCT_LEAST(buildid_address, reserved));
	if (err)
		return err;
	if ((uintptr_t)buffer % 8 || known.reserved)
		return -EINVAL;
	resolve.pid = known.pid;
	resolve.addr = known.addr;
	resolve.start_time = known.start_time;
	err = request(handle, BUILDID_IOC_RESOLVE_ADDR, &resolve);
	if (!err)
		err = take_file(buffer, size, resolve.record_size, file);
	if (err)
		return err;

	address->start_time = resolve.start_time;
	address->offset = resolve.offset;
	address->source = resolve.source;
	return 0;
}

static int set_cookie(struct buildid *handle, struct buildid_set_cookie *cookie, const void *id,
		      size_t id_len)
{
	/* A longer one would come out as another length. */
	if (id_len > BUILDID_ID_MAX)
		return -EINVAL;
	cookie->size = sizeof(*cookie);
	if (!id_len)
		cookie->kind = BUILDID_KIND_NONE;
	cookie->id_len = (uint16_t)id_len;
	cookie->id = id_len ? (uintptr_t)id : 0;
	return request(handle, BUILDID_IOC_SET_COOKIE, cookie);
}

int buildid_set_cookie_mapping(struct buildid *handle, const void *addr, size_t len,
			       unsigned int kind, const void *id, size_t id_len)
{
	struct buildid_set_cookie cookie = {
		.kind = (uint16_t)kind,
		.addr = (uintptr_t)addr,
		.len = len,
	};

	if (kind > UINT16_MAX)
		return -EINVAL;
	return set_cookie(handle, &cookie, id, id_len);
}

int buildid_set_cookie_fd(struct buildid *handle, int fd, const void *id, size_t id_len)
{
	struct buildid_set_cookie cookie = {
		.flags = BUILDID_COOKIE_FD,
		.fd = fd,
		.kind = BUILDID_KIND_COOKIE,
	};

	return set_cookie(handle, &cookie, id, id_len);
}

int buildid_take_maps(struct buildid *handle, struct buildid_maps *maps)
{
	return request(handle, BUILDID_IOC_MAPS, maps);
}

static int map_ring(struct buildid *handle)
{
	void *map;

	handle->page = (size_t)sysconf(_SC_PAGESIZE);
	map = mmap(NULL, handle->page, PROT_READ | PROT_WRITE, MAP_SHARED, handle->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	handle->consumer = map;

	map = mmap(NULL, handle->page + 2 * handle->ring_size, PROT_READ, MAP_SHARED, handle->fd,
		   (off_t)handle->page);
	if (map == MAP_FAILED)
		return -errno;
	handle->producer = map;
	handle->data = (unsigned char *)map + handle->page;
	handle->pos = handle->consumer->pos;
	return 0;
}

int buildid_subscribe(struct buildid *handle, const struct buildid_options *options)
{
	struct buildid_subscribe subscribe = { .size = sizeof(subscribe) };
	struct buildid_options known;
	int err;

	err = buildid_options_take(&known, options);
	if (err)
		return err;
	subscribe.flags = known.flags;
	subscribe.ring_size = known.ring_size;
	subscribe.watermark = known.watermark;
	subscribe.pids = (uintptr_t)known.pids;
	subscribe.nr_pids = known.nr_pids;
	subscribe.uid = known.uid;
	subscribe.cgroup_fd = known.cgroup_fd;
	err = request(handle, BUILDID_IOC_SUBSCRIBE, &subscribe);
	if (err)
		return err;

	/* Positions are masked with it: anything else would leave the map. */
	if (!subscribe.ring_size || subscribe.ring_size & (subscribe.ring_size - 1))
		return -EBADMSG;
	handle->ring_size = subscribe.ring_size;
	return map_ring(handle);
}

/* -EAGAIN: the ring is empty; -EBUSY: its first record is not finished yet. */
static int peek(struct buildid *handle, const struct buildid_record **record)
{
	uint64_t end = __atomic_load_n(&handle->producer->pos, __ATOMIC_ACQUIRE);
	const struct buildid_record *first;
	uint32_t size;
	int err;

	if (end == handle->pos)
		return -EAGAIN;

	first = (const void *)(handle->data + (handle->pos & (handle->ring_size - 1)));
	size = __atomic_load_n(&first->size, __ATOMIC_ACQUIRE);
	if (size & BUILDID_RECORD_BUSY)
		return -EBUSY;

	/* Without a size to trust there is no finding the next record. */
	if (end - handle->pos > handle->ring_size || size > end - handle->pos ||
	    size < sizeof(*first) || size % 8)
		return -EBADMSG;

	handle->pos += size;
	err = buildid_record_check(first, size);
	if (!err)
		*record = first;
	return err;
}

uint64_t buildid_ring_end(const struct buildid *handle)
{
	return __atomic_load_n(&handle->producer->pos, __ATOMIC_ACQUIRE);
}

/* Positions only grow, and wrap around after more than anyone can read. */
bool buildid_ring_passed(const struct buildid *handle, uint64_t end)
{
	return (int64_t)(handle->pos - end) >= 0;
}

/* Rounded up, so that a wait never ends before its deadline. */
static int left_ms(uint64_t deadline)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	return now >= deadline ? 0 : (int)((deadline - now + 999999) / 1000000);
}

static int wait_readable(struct buildid *handle, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = handle->fd, .events = POLLIN };

	if (poll(&poll_fd, 1, timeout_ms) < 0)
		return -errno;
	return poll_fd.revents & (POLLERR | POLLHUP | POLLNVAL) ? -EIO : 0;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = BUSY_NAP_NS }, NULL);
}

int buildid_next(struct buildid *handle, int timeout_ms, const struct buildid_record **record)
{
	bool forever = timeout_ms < 0;
	uint64_t deadline = 0;
	int left = timeout_ms;
	int busy;
	int err;

	*record = NULL;
	if (!handle->data)
		return -EINVAL;

	__atomic_store_n(&handle->consumer->pos, handle->pos, __ATOMIC_RELEASE);
	busy = peek(handle, record);
	if (timeout_ms > 0 && (busy == -EAGAIN || busy == -EBUSY))
		deadline = clock_ns(CLOCK_MONOTONIC) + (uint64_t)timeout_ms * 1000000;

	while ((busy == -EAGAIN || busy == -EBUSY) && (forever || left)) {
		/* poll(2) would return at once for a record being written. */
		if (busy == -EBUSY) {
			nap();
		} else {
			err = wait_readable(handle, forever ? -1 : left);
			if (err)
				return err;
		}
		if (!forever)
			left = left_ms(deadline);
		busy = peek(handle, record);
	}
	return busy == -EBUSY ? -EAGAIN : busy;
}

const char *buildid_strerror(int error)
{
	const char *text;

	error = error < 0 ? -error : error;
	switch (error) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return "the module is not loaded";
	case EACCES:
	case EPERM:
		return "not permitted";
	case EPROTONOSUPPORT:
		return "the module speaks another version of its ABI";
	case ENOTTY:
	case E2BIG:
		return "the module is too old for this request";
	case EUSERS:
		return "all rings of the module are in use";
	case EBUSY:
		return "this handle is subscribed already";
	case ESRCH:
		return "no such process";
	case ENOBUFS:
		return "records came faster than they were read";
	case EBADMSG:
		return "a record that contradicts itself";
	case EINVAL:
		return "the module refuses the request";
	case ENOSPC:
		return "the buffer is too small for the record";
	case ENOMEM:
		return "out of memory";
	case EDQUOT:
		return "as many cookies as a user may have";
	case EEXIST:
		return "the content has an identity of its own";
	case EINTR:
		return "interrupted";
	case ESTALE:
		return "the process did not stop calling exec";
	case EAGAIN:
		return "no record in time";
	case EBADF:
		return "not a file that is open for reading";
	default:
		/* strerror() would take back what it said before. */
		text = strerrordesc_np(error);
		return text ? text : "unknown error";
	}
}

const char *buildid_advice(int error)
{
	switch (error < 0 ? -error : error) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return "load it: modprobe buildid";
	case EACCES:
		return "run as root, or have root give you " BUILDID_DEVICE;
	case EPERM:
		return "run as root, or with CAP_PERFMON";
	case EPROTONOSUPPORT:
	case ENOTTY:
	case E2BIG:
		return "install module and tool of one version";
	case EUSERS:
		return "end another recorder, see: buildid stats";
	case ENOMEM:
		return "a ring counts as locked memory: take a smaller one, or see ulimit -l";
	default:
		return NULL;
	}
}
