// SPDX-License-Identifier: GPL-2.0
/*
 * races TIMES
 *
 * Processes that each use the module in a way of their own, TIMES times, all of them the same
 * two files, the same rings, listener and cookies. Nothing is looked at but errors that none of
 * it explains, or that each call has: it is for a kernel that looks at every access, see
 * scripts/kcsan.config.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <buildid.h>

#include "elf_image.h"

#define ROOM (2 * BUILDID_RECORD_MAX)
#define RING 65536

/* One with a build-id, and one without, all of which is read. */
static int files[2];
static int device, ring, mapped_ring, listener;
static _Alignas(8) char room[ROOM];

/* Of @mapped_ring, which has one that consumes: nobody else may store the position. */
static struct buildid_ring_consumer *consumer;
static const struct buildid_ring_producer *producer;

static uint16_t family;

/* By the number of the ioctl: how many succeeded, and failed by what somebody else did. */
static unsigned int succeeded[_IOC_NRMASK + 1], disturbed[_IOC_NRMASK + 1];

static uint64_t address_of(const void *memory)
{
	return (uint64_t)(uintptr_t)memory;
}

/* @expected: what it may be that somebody else has done. */
static void call(int fd, unsigned long request, void *arg, int expected)
{
	if (!ioctl(fd, request, arg))
		succeeded[_IOC_NR(request)]++;
	else if (errno == expected)
		disturbed[_IOC_NR(request)]++;
	else
		err(1, "ioctl %#lx", request);
}

static void map(int number)
{
	size_t size = (size_t)getpagesize();
	void *p = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, files[number % 2], 0);

	if (p == MAP_FAILED || munmap(p, size))
		err(1, "mmap");
}

static void change(int number)
{
	if (ftruncate(files[number % 2], 8192 + number % 100))
		err(1, "ftruncate");
	map(number);
}

static void count(int number)
{
	struct buildid_stats stats = { .size = sizeof(stats) };
	struct buildid_info info = { .size = sizeof(info) };

	call(device, BUILDID_IOC_STATS, &stats, 0);
	if (!(number % 16))
		call(device, BUILDID_IOC_INFO, &info, 0);
}

/* Returns the record, if there was room for it: nobody else has @room. */
static const struct buildid_file *resolve_file(int number)
{
	struct buildid_resolve req = {
		.size = sizeof(req),
		.by = BUILDID_BY_FD,
		.fd = files[number % 2],
		.record_size = ROOM,
		.record = address_of(room),
	};

	call(device, BUILDID_IOC_RESOLVE, &req, 0);
	return (const void *)room;
}

static void resolve(int number)
{
	resolve_file(number);
}

/* Of what the cache may have lost by then. */
static void resolve_known(int number)
{
	const struct buildid_file *file = resolve_file(number);
	struct buildid_resolve id = {
		.size = sizeof(id),
		.by = BUILDID_BY_ID,
		.file_id = file->file_id,
		.record_size = ROOM,
		.record = address_of(room),
	};
	struct buildid_resolve key = {
		.size = sizeof(key),
		.by = BUILDID_BY_KEY,
		.flags = BUILDID_KEY_ANY_GENERATION | BUILDID_KEY_ANY_TREE,
		.dev_major = file->dev_major,
		.dev_minor = file->dev_minor,
		.ino = file->ino,
		.record_size = ROOM,
		.record = address_of(room),
	};

	call(device, BUILDID_IOC_RESOLVE, &id, ENOENT);
	call(device, BUILDID_IOC_RESOLVE, &key, ENOENT);
}

/* Of a mapping here, and of this program in the parent. */
static void resolve_addr(int number)
{
	size_t size = (size_t)getpagesize();
	void *p = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, files[number % 2], 0);
	struct buildid_resolve req = {
		.size = sizeof(req),
		.by = BUILDID_BY_ADDR,
		.pid = (uint32_t)getpid(),
		.record_size = ROOM,
		.addr = address_of(p),
		.record = address_of(room),
	};

	call(device, BUILDID_IOC_RESOLVE, &req, ETIMEDOUT);
	if (munmap(p, size))
		err(1, "munmap");
	req = (struct buildid_resolve){
		.size = sizeof(req),
		.by = BUILDID_BY_ADDR,
		.pid = (uint32_t)getppid(),
		.record_size = ROOM,
		.addr = (uint64_t)(uintptr_t)resolve_addr,
		.record = address_of(room),
	};
	call(device, BUILDID_IOC_RESOLVE, &req, ETIMEDOUT);
}

static void list(int number)
{
	struct buildid_maps maps = {
		.size = sizeof(maps),
		.pid = (uint32_t)(number % 2 ? getpid() : getppid()),
		.bytes = ROOM,
		.records = address_of(room),
	};
	struct buildid_history history = {
		.size = sizeof(history),
		.bytes = ROOM,
		.records = address_of(room),
	};

	call(device, BUILDID_IOC_MAPS, &maps, ETIMEDOUT);
	call(device, BUILDID_IOC_HISTORY, &history, 0);
}

static void flush(int number)
{
	struct buildid_flush req = { .size = sizeof(req) };

	(void)number;
	call(device, BUILDID_IOC_FLUSH, &req, 0);
}

static void name(int number)
{
	size_t size = (size_t)getpagesize();
	void *p = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct buildid_set_cookie req = {
		.size = sizeof(req),
		.kind = BUILDID_KIND_COOKIE,
		.id_len = sizeof(number),
		.addr = address_of(p),
		.len = size,
		.id = address_of(&number),
	};

	call(device, BUILDID_IOC_SET_COOKIE, &req, 0);
	if (munmap(p, size))
		err(1, "munmap");
	req = (struct buildid_set_cookie){
		.size = sizeof(req),
		.flags = BUILDID_COOKIE_FD,
		.fd = files[1],
		.kind = BUILDID_KIND_COOKIE,
		.id_len = sizeof(number),
		.id = address_of(&number),
	};
	call(device, BUILDID_IOC_SET_COOKIE, &req, EAGAIN);
}

static void subscribe_to(int fd)
{
	struct buildid_subscribe req = {
		.size = sizeof(req),
		.flags = BUILDID_SUB_PATH | BUILDID_SUB_TASKS | BUILDID_SUB_KERNEL,
		.ring_size = RING,
	};

	call(fd, BUILDID_IOC_SUBSCRIBE, &req, 0);
}

static void subscribe(int number)
{
	int fd = open("/dev/buildid", O_RDONLY);

	(void)number;
	if (fd < 0)
		err(1, "/dev/buildid");
	subscribe_to(fd);
	map(0);
	close(fd);
}

static void receive(int number)
{
	(void)number;
	if (read(ring, room, ROOM) < 0 && errno != EAGAIN)
		err(1, "read");
}

static void *map_part(off_t offset, size_t size, int prot)
{
	void *p = mmap(NULL, size, prot, MAP_SHARED, mapped_ring, offset);

	if (p == MAP_FAILED)
		err(1, "mmap of a ring");
	return p;
}

static void map_ring(void)
{
	long page = getpagesize();

	consumer = map_part(0, (size_t)page, PROT_READ | PROT_WRITE);
	producer = map_part(page, (size_t)page + 2 * RING, PROT_READ);
}

static uint64_t end_of_records(void)
{
	return __atomic_load_n(&producer->pos, __ATOMIC_ACQUIRE);
}

static void look_at_ring(int number)
{
	size_t page = (size_t)getpagesize();

	(void)number;
	map_ring();
	end_of_records();
	if (munmap(consumer, page) || munmap((void *)producer, page + 2 * RING))
		err(1, "munmap");
}

static void consume(int number)
{
	struct pollfd ready = { .fd = mapped_ring, .events = POLLIN };
	const struct buildid_record *record;
	const char *records;
	uint64_t pos, end;
	uint32_t size;

	(void)number;
	if (!consumer)
		map_ring();
	records = (const char *)producer + getpagesize();
	pos = consumer->pos;
	end = end_of_records();
	for (; pos < end; pos += size) {
		record = (const void *)(records + (pos & (RING - 1)));
		size = __atomic_load_n(&record->size, __ATOMIC_ACQUIRE);
		if (size & BUILDID_RECORD_BUSY)
			break;
	}
	__atomic_store_n(&consumer->pos, pos, __ATOMIC_RELEASE);
	if (poll(&ready, 1, 0) < 0)
		err(1, "poll");
}

/* ---------------------------------------------------------------------- netlink -- */

struct message {
	struct nlmsghdr header;
	struct genlmsghdr genl;
	char attrs[64];
};

static struct message message_of(uint16_t type, uint8_t command, uint16_t flags)
{
	return (struct message){
		.header = {
			.nlmsg_len = offsetof(struct message, attrs),
			.nlmsg_type = type,
			.nlmsg_flags = NLM_F_REQUEST | flags,
		},
		.genl = { .cmd = command, .version = BUILDID_GENL_VERSION },
	};
}

static void put(struct message *message, uint16_t type, const void *data, size_t size)
{
	const struct nlattr attr = {
		.nla_len = (uint16_t)(sizeof(attr) + size),
		.nla_type = type,
	};
	char *at = (char *)message + message->header.nlmsg_len;

	memcpy(at, &attr, sizeof(attr));
	memcpy(at + sizeof(attr), data, size);
	message->header.nlmsg_len += NLA_ALIGN(attr.nla_len);
}

static void put_u32(struct message *message, uint16_t type, uint32_t value)
{
	put(message, type, &value, sizeof(value));
}

static int open_socket(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	if (fd < 0)
		err(1, "netlink");
	return fd;
}

static ssize_t receive_message(int fd)
{
	ssize_t len = recv(fd, room, ROOM, 0);

	if (len < 0)
		err(1, "recv");
	return len;
}

static void send_message(int fd, const struct message *message)
{
	if (send(fd, message, message->header.nlmsg_len, 0) < 0)
		err(1, "send");
}

/* Sends it and takes in all up to the end of the answer. */
static void request(int fd, const struct message *message, int expected)
{
	send_message(fd, message);
	for (;;) {
		ssize_t len = receive_message(fd);
		const struct nlmsghdr *header = (const void *)room;

		for (; NLMSG_OK(header, len); header = NLMSG_NEXT(header, len)) {
			if (header->nlmsg_type != NLMSG_ERROR && header->nlmsg_type != NLMSG_DONE)
				continue;
			errno = -*(const int *)NLMSG_DATA(header);
			if (errno && errno != expected)
				err(1, "netlink command %u", message->genl.cmd);
			return;
		}
	}
}

static void find_family(void)
{
	struct message message = message_of(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	const struct nlattr *attr = (const void *)(room + offsetof(struct message, attrs));
	int fd = open_socket();
	ssize_t len;

	put(&message, CTRL_ATTR_FAMILY_NAME, BUILDID_GENL_NAME, sizeof(BUILDID_GENL_NAME));
	send_message(fd, &message);
	len = receive_message(fd);
	close(fd);
	for (; (const char *)(attr + 1) < room + len && attr->nla_len >= sizeof(*attr);
	     attr = (const void *)((const char *)attr + NLA_ALIGN(attr->nla_len)))
		if (attr->nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(&family, attr + 1, sizeof(family));
	if (!family)
		errx(1, "netlink: no family " BUILDID_GENL_NAME);
}

static void ask(int number)
{
	static int fd = -1;
	const struct buildid_file *file = resolve_file(number);
	bool all = number % 16 == 0;
	struct message message = message_of(family, BUILDID_CMD_GET, all ? NLM_F_DUMP : NLM_F_ACK);

	if (fd < 0)
		fd = open_socket();
	put_u32(&message, BUILDID_A_DEV_MAJOR, file->dev_major);
	put_u32(&message, BUILDID_A_DEV_MINOR, file->dev_minor);
	if (!all)
		put(&message, BUILDID_A_INO, &file->ino, sizeof(file->ino));
	request(fd, &message, ENOENT);
}

static void listen_by(int fd)
{
	struct message message = message_of(family, BUILDID_CMD_SUBSCRIBE, NLM_F_ACK);

	put_u32(&message, BUILDID_A_FLAGS, BUILDID_SUB_PATH | BUILDID_SUB_TASKS);
	put_u32(&message, BUILDID_A_RING_SIZE, RING);
	request(fd, &message, 0);
}

static void listen_once(int number)
{
	int fd = open_socket();

	listen_by(fd);
	map(number);
	close(fd);
}

static void hear(int number)
{
	(void)number;
	if (recv(listener, room, ROOM, MSG_DONTWAIT) < 0 && errno != EAGAIN)
		err(1, "recv");
}

/* ------------------------------------------------------------------------- users -- */

static void fork_once(int number)
{
	pid_t child = fork();

	if (!child) {
		map(number);
		_exit(0);
	}
	if (child < 0 || waitpid(child, NULL, 0) != child)
		err(1, "fork");
}

/* How many calls of each are one of its turns: some take a hundred times as long. */
static const struct {
	void (*use)(int number);
	int turns;
} users[] = {
	{ map, 20 },	    { map, 20 },	   { change, 10 },	{ count, 50 },
	{ resolve, 20 },    { resolve_known, 10 }, { resolve_addr, 5 }, { list, 1 },
	{ flush, 5 },	    { name, 5 },	   { subscribe, 1 },	{ receive, 20 },
	{ receive, 20 },    { consume, 20 },	   { look_at_ring, 5 }, { ask, 10 },
	{ listen_once, 1 }, { hear, 20 },	   { hear, 20 },	{ fork_once, 1 },
};

static void use(size_t user, int times)
{
	int i;

	for (i = 0; i < times * users[user].turns; i++)
		users[user].use(i);
	for (i = 0; i <= _IOC_NRMASK; i++)
		if (disturbed[i] && !succeeded[i])
			errx(1, "ioctl %d: none of %u succeeded", i, disturbed[i]);
	exit(0);
}

static int open_device(int flags)
{
	int fd = open("/dev/buildid", O_RDONLY | flags);

	if (fd < 0)
		err(1, "/dev/buildid");
	return fd;
}

int main(int argc, char **argv)
{
	int times = argc == 2 ? atoi(argv[1]) : 0, status, failed = 0;
	size_t i;

	if (times <= 0)
		errx(2, "usage: races TIMES");
	files[0] = memfd_create("whole", MFD_CLOEXEC);
	files[1] = memfd_create("resized", MFD_CLOEXEC);
	if (files[0] < 0 || files[1] < 0 || !elf_write_with_id(files[0], 1))
		err(1, "memfd_create");
	device = open_device(0);
	ring = open_device(O_NONBLOCK);
	subscribe_to(ring);
	mapped_ring = open("/dev/buildid", O_RDWR | O_CLOEXEC);
	subscribe_to(mapped_ring);
	find_family();
	listener = open_socket();
	listen_by(listener);
	for (i = 0; i < sizeof(users) / sizeof(*users); i++)
		if (!fork())
			use(i, times);
	while (wait(&status) > 0)
		if (status) {
			warnx("a user has ended with status %#x", status);
			failed = 1;
		}
	return failed;
}
