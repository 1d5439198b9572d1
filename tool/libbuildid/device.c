// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The device: open it, make its requests, subscribe, and read the mapped ring.
 *
 * The ring is two mappings. The page with the consumer's position is writable, the rest read-only,
 * and its records are mapped twice in a row, so that one that wraps around is contiguous. Neither
 * the ring nor a reply is trusted: a record passes buildid_record_check() before a caller sees it.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

#define ASSERT_SIZE(type, size) _Static_assert(sizeof(struct type) == (size), "ABI: size of " #type)

ASSERT_SIZE(buildid_record, 32);
ASSERT_SIZE(buildid_file, 144);
ASSERT_SIZE(buildid_mmap, 120);
ASSERT_SIZE(buildid_lost, 64);
ASSERT_SIZE(buildid_info, 416);
ASSERT_SIZE(buildid_stats, 224);
ASSERT_SIZE(buildid_subscribe, 40);
ASSERT_SIZE(buildid_image, 64);
ASSERT_SIZE(buildid_maps, 40);
ASSERT_SIZE(buildid_resolve, 96);
ASSERT_SIZE(buildid_task, 96);
ASSERT_SIZE(buildid_flush, 16);
ASSERT_SIZE(buildid_cookie, 88);
ASSERT_SIZE(buildid_set_cookie, 40);
ASSERT_SIZE(buildid_history, 40);

/* A record is busy while a hook runs, and perhaps an interrupt on top of it. */
#define BUSY_WAIT_NS 20000

struct buildid {
	int fd;
	size_t page;
	uint64_t ring_size;
	pid_t mapper; /* the process that mapped the ring: children do not inherit it */
	struct buildid_ring_consumer *consumer;
	const struct buildid_ring_producer *producer;
	const unsigned char *data;
	uint64_t pos; /* of the next record */
	struct buildid_past past;
};

static int request(struct buildid *handle, unsigned long number, void *argument)
{
	return ioctl(handle->fd, number, argument) < 0 ? -errno : 0;
}

/* Opens the device whatever the module's ABI is. */
static int open_any(struct buildid *handle, uint32_t *abi)
{
	/* The whole struct: modules refuse one shorter than their first version. */
	struct buildid_info info;
	int err;

	handle->fd = open(BUILDID_DEVICE, O_RDWR | O_CLOEXEC);
	/* Only here do these two mean that there is no device. */
	if (handle->fd < 0)
		return errno == ENOENT || errno == ENXIO ? -ENODEV : -errno;

	err = buildid_get_info(handle, &info, sizeof(info));
	if (err)
		close(handle->fd);
	else
		*abi = info.abi;
	return err;
}

int buildid_module_abi(uint32_t *abi)
{
	struct buildid handle = {};
	int err = open_any(&handle, abi);

	if (!err)
		close(handle.fd);
	return err;
}

int buildid_open(struct buildid **handle)
{
	struct buildid *new;
	uint32_t abi;
	int err;

	*handle = NULL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;

	err = open_any(new, &abi);
	if (err)
		goto free_new;
	if (abi != BUILDID_ABI_VERSION) {
		err = -EPROTONOSUPPORT;
		goto close_fd;
	}

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
	bool ours;

	if (!handle)
		return;

	/* A child may have mapped something else there. */
	ours = handle->mapper == getpid();
	if (ours && handle->producer)
		munmap((void *)(uintptr_t)handle->producer, handle->page + 2 * handle->ring_size);
	if (ours && handle->consumer)
		munmap(handle->consumer, handle->page);
	close(handle->fd);
	buildid_past_free(&handle->past);
	free(handle);
}

int buildid_fd(const struct buildid *handle)
{
	return handle->fd;
}

/*
 * The caller's struct goes to the module as is: the module handles longer and shorter ones, and
 * this library need not know the fields.
 */
static int get(struct buildid *handle, unsigned long number, void *to, size_t size)
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
	return get(handle, BUILDID_IOC_INFO, info, size);
}

int buildid_get_stats(struct buildid *handle, struct buildid_stats *stats, size_t size)
{
	return get(handle, BUILDID_IOC_STATS, stats, size);
}

int buildid_flush(struct buildid *handle, uint64_t *flushed)
{
	struct buildid_flush flush = { .size = sizeof(flush) };
	int err = request(handle, BUILDID_IOC_FLUSH, &flush);

	if (!err && flushed)
		*flushed = flush.flushed;
	return err;
}

/* The reply, a FILE record in @buffer, is checked like any record. */
static int device_resolve(struct buildid *handle, struct buildid_resolve *argument, void *buffer,
			  size_t size, const struct buildid_file **file)
{
	const struct buildid_record *reply = buffer;
	int err;

	*file = NULL;
	if ((uintptr_t)buffer % 8)
		return -EINVAL;
	argument->size = sizeof(*argument);
	argument->record = (uintptr_t)buffer;
	argument->record_size = size > BUILDID_RECORD_MAX ? BUILDID_RECORD_MAX : (uint32_t)size;
	err = request(handle, BUILDID_IOC_RESOLVE, argument);
	if (err)
		return err;
	err = argument->record_size > size ? -EBADMSG :
					     buildid_record_check(buffer, argument->record_size);
	if (err)
		return err;
	if (reply->type != BUILDID_RECORD_FILE)
		return -EBADMSG;
	*file = buffer;
	return 0;
}

int buildid_resolve_fd(struct buildid *handle, int fd, void *buffer, size_t size,
		       const struct buildid_file **file)
{
	struct buildid_resolve argument = { .by = BUILDID_BY_FD, .fd = fd };

	return device_resolve(handle, &argument, buffer, size, file);
}

int buildid_resolve_key(struct buildid *handle, const struct buildid_key *key, void *buffer,
			size_t size, const struct buildid_file **file)
{
	struct buildid_resolve argument = { .by = BUILDID_BY_KEY };
	struct buildid_key known;
	int err;

	*file = NULL;
	err = buildid_struct_copy_in(&known, sizeof(known), key,
				     offsetofend(buildid_key, reserved));
	if (err)
		return err;
	if (known.reserved)
		return -EINVAL;
	argument.flags = known.flags;
	argument.dev_major = known.dev_major;
	argument.dev_minor = known.dev_minor;
	argument.ino = known.ino;
	argument.generation = known.generation;
	argument.tree = known.tree;
	return device_resolve(handle, &argument, buffer, size, file);
}

int buildid_resolve_id(struct buildid *handle, uint64_t file_id, void *buffer, size_t size,
		       const struct buildid_file **file)
{
	struct buildid_resolve argument = { .by = BUILDID_BY_ID, .file_id = file_id };

	return device_resolve(handle, &argument, buffer, size, file);
}

int buildid_ioctl_resolve_addr(struct buildid *handle, struct buildid_address *address,
			       void *buffer, size_t size, const struct buildid_file **file)
{
	struct buildid_resolve argument = {
		.by = BUILDID_BY_ADDR,
		.pid = address->pid,
		.addr = address->addr,
		.start_time = address->start_time,
	};
	int err;

	err = device_resolve(handle, &argument, buffer, size, file);
	if (err)
		return err;
	address->start_time = argument.start_time;
	address->offset = argument.offset;
	return 0;
}

static int set_cookie(struct buildid *handle, struct buildid_set_cookie *cookie, const void *id,
		      size_t id_len)
{
	/* The request has 16 bits for the length: a longer one would be truncated. */
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

int buildid_ioctl_maps(struct buildid *handle, struct buildid_maps *maps)
{
	return request(handle, BUILDID_IOC_MAPS, maps);
}

int buildid_ioctl_history(struct buildid *handle, struct buildid_history *history)
{
	return request(handle, BUILDID_IOC_HISTORY, history);
}

struct buildid_past *buildid_past_of(struct buildid *handle)
{
	return &handle->past;
}

static int map_ring(struct buildid *handle)
{
	void *map;

	handle->page = (size_t)sysconf(_SC_PAGESIZE);
	handle->mapper = getpid();
	map = mmap(NULL, handle->page, PROT_READ | PROT_WRITE, MAP_SHARED, handle->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	handle->consumer = map;

	map = mmap(NULL, handle->page + 2 * handle->ring_size, PROT_READ, MAP_SHARED, handle->fd,
		   (off_t)handle->page);
	if (map == MAP_FAILED)
		return -errno;
	/* A child that outlives us would keep the subscription. */
	if (madvise(handle->consumer, handle->page, MADV_DONTFORK) ||
	    madvise(map, handle->page + 2 * handle->ring_size, MADV_DONTFORK))
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

	err = buildid_options_copy_in(&known, options);
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

	/* Positions are masked with it: another size would reach beyond the mapping. */
	if (!subscribe.ring_size || subscribe.ring_size & (subscribe.ring_size - 1))
		return -EBADMSG;
	handle->ring_size = subscribe.ring_size;
	return map_ring(handle);
}

/* -EAGAIN: the ring is empty; -EBUSY: its first record is still being written. */
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

	/* With a wrong size the next record cannot be found. */
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

/* Compared like sequence numbers: right even where they wrap. */
bool buildid_ring_passed(const struct buildid *handle, uint64_t end)
{
	return (int64_t)(handle->pos - end) >= 0;
}

static int wait_readable(struct buildid *handle, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = handle->fd, .events = POLLIN };

	if (poll(&poll_fd, 1, timeout_ms) < 0)
		return -errno;
	return poll_fd.revents & (POLLERR | POLLHUP | POLLNVAL) ? -EIO : 0;
}

static void wait_for_commit(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = BUSY_WAIT_NS }, NULL);
}

int buildid_next(struct buildid *handle, int timeout_ms, const struct buildid_record **record)
{
	uint64_t deadline = FOREVER;
	int left = timeout_ms;
	int found, err;

	*record = NULL;
	if (!handle->data)
		return -EINVAL;

	__atomic_store_n(&handle->consumer->pos, handle->pos, __ATOMIC_RELEASE);
	found = peek(handle, record);
	if (found == -EAGAIN || found == -EBUSY)
		deadline = deadline_after(timeout_ms);

	/* The module reports what was lost with the next record, or when it is asked. */
	if (found == -EAGAIN && !left) {
		err = wait_readable(handle, 0);
		if (err)
			return err;
		found = peek(handle, record);
	}
	while ((found == -EAGAIN || found == -EBUSY) && left) {
		/* poll(2) would return at once for a busy record. */
		if (found == -EBUSY) {
			wait_for_commit();
		} else {
			err = wait_readable(handle, left);
			if (err)
				return err;
		}
		left = deadline_left(deadline);
		found = peek(handle, record);
	}
	return found == -EBUSY ? -EAGAIN : found;
}
