// SPDX-License-Identifier: GPL-2.0
/* Subject: what is measured, with nobody, a subscriber or a listener beside it. */

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"
#include "subject.h"

#define PAGE	   4096UL
#define RING	   (1UL << 20)
#define READ_BYTES (64UL << 10)

static char read_buffer[READ_BYTES] __attribute__((aligned(8)));

/* Not in the mapper, whose address space is to be the same for all subjects. */
static void *map_ring(int fd, size_t len, int prot, off_t offset)
{
	void *p = mmap(NULL, len, prot, MAP_SHARED | MAP_POPULATE, fd, offset);

	if (p == MAP_FAILED || madvise(p, len, MADV_DONTFORK))
		die("cannot map a ring");
	return p;
}

/* ---------------------------------------------------------------- modules -- */

void module_load(const char *dir, const char *name, const char *parameters)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.ko", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || syscall(SYS_finit_module, fd, parameters, 0))
		die("cannot load %s", path);
	close(fd);
}

void module_unload(const char *name)
{
	if (syscall(SYS_delete_module, name, O_NONBLOCK))
		die("cannot unload %s", name);
}

/* ----------------------------------------------------------------- device -- */

static int device = -1;

void device_open(void)
{
	device = open(BUILDID_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0)
		die("%s", BUILDID_DEVICE);
}

void device_close(void)
{
	close(device);
	device = -1;
}

struct buildid_stats device_stats(void)
{
	struct buildid_stats stats = { .size = sizeof(stats) };

	if (ioctl(device, BUILDID_IOC_STATS, &stats))
		die("STATS");
	return stats;
}

void device_flush(void)
{
	struct buildid_flush flush = { .size = sizeof(flush) };

	if (ioctl(device, BUILDID_IOC_FLUSH, &flush))
		die("FLUSH");
}

/* -------------------------------------------------------------------- IMA -- */

/* Until the next boot. */
void ima_start(void)
{
	static const char policy[] = "measure func=MMAP_CHECK mask=MAY_EXEC\n";
	int fd = open("/sys/kernel/security/ima/policy", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, policy, strlen(policy)) < 0 || close(fd))
		die("no policy for IMA");
}

/* ----------------------------------------------------------- subscription -- */

static struct {
	int fd;
	enum reader reader;
	struct buildid_ring_consumer *consumer;
	struct buildid_ring_producer *producer;
	const char *data;
} subscription;

void subscribe(uint32_t flags, enum reader reader)
{
	struct buildid_subscribe req = {
		.size = sizeof(req),
		.flags = flags,
		.ring_size = RING,
	};

	subscription.fd = open(BUILDID_DEVICE, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (subscription.fd < 0 || ioctl(subscription.fd, BUILDID_IOC_SUBSCRIBE, &req))
		die("SUBSCRIBE");
	subscription.reader = reader;
	if (reader != READER_MMAP)
		return;
	subscription.consumer = map_ring(subscription.fd, PAGE, PROT_READ | PROT_WRITE, 0);
	subscription.producer = map_ring(subscription.fd, PAGE + 2 * RING, PROT_READ, PAGE);
	subscription.data = (const char *)subscription.producer + PAGE;
}

void unsubscribe(void)
{
	if (subscription.reader == READER_MMAP) {
		munmap(subscription.consumer, PAGE);
		munmap(subscription.producer, PAGE + 2 * RING);
	}
	close(subscription.fd);
}

static void count_record(struct tally *tally, const struct buildid_record *record, uint32_t size)
{
	const struct buildid_mmap *map;
	const struct buildid_lost *lost;

	tally->records++;
	tally->bytes += size;
	switch (record->type) {
	case BUILDID_RECORD_MMAP:
		map = (const struct buildid_mmap *)record;
		tally->sum +=
			map->pid + map->tid + map->addr + map->len + map->pgoff + map->file_id;
		break;
	case BUILDID_RECORD_LOST:
		lost = (const struct buildid_lost *)record;
		tally->lost += lost->ring_full + lost->unresolved + lost->missed_probe;
		break;
	}
}

static void tell_all(struct tally *tally, const char *from, size_t len)
{
	const struct buildid_record *record;

	for (; len; from += record->size, len -= record->size) {
		record = (const struct buildid_record *)from;
		count_record(tally, record, record->size);
	}
}

static void drain_mapped(struct tally *tally)
{
	uint64_t pos = subscription.consumer->pos;
	uint64_t end = __atomic_load_n(&subscription.producer->pos, __ATOMIC_ACQUIRE);
	const struct buildid_record *record;
	uint32_t size;

	while (pos != end) {
		record = (const void *)(subscription.data + (pos & (RING - 1)));
		size = __atomic_load_n(&record->size, __ATOMIC_ACQUIRE);
		if (size & BUILDID_RECORD_BUSY)
			break;
		count_record(tally, record, size);
		pos += size;
	}
	__atomic_store_n(&subscription.consumer->pos, pos, __ATOMIC_RELEASE);
}

static void drain_by_read(int fd, struct tally *tally)
{
	ssize_t n;

	while ((n = read(fd, read_buffer, READ_BYTES)) > 0)
		tell_all(tally, read_buffer, n);
	if (errno != EAGAIN)
		die("read of records");
}

/* As a reader does that was woken: ask, and take what there is. */
struct tally subscription_drain(void)
{
	struct pollfd pollfd = { .fd = subscription.fd, .events = POLLIN };
	struct tally tally = { 0 };

	if (poll(&pollfd, 1, 0) < 0)
		die("poll");
	if (subscription.reader == READER_MMAP)
		drain_mapped(&tally);
	else
		drain_by_read(subscription.fd, &tally);
	return tally;
}

/* --------------------------------------------------------------- watchers -- */

#define CGROUP	     "/sys/fs/cgroup"
#define OTHER_CGROUP CGROUP "/bench-other"
#define OTHER_UID    12345
#define OTHER_PID    1

/* Whose mappings they ask for, and by which filters: pid, uid and cgroup take turns. */
enum watch {
	WATCH_ALL,
	WATCH_MAPPER,
	WATCH_OTHERS,
};

static int watchers[WATCHERS];

static void watch(int fd, enum watch which, unsigned int nr, pid_t mapper)
{
	uint32_t pid = which == WATCH_OTHERS ? OTHER_PID : mapper;
	struct buildid_subscribe req = { .size = sizeof(req), .ring_size = RING };

	switch (which == WATCH_ALL ? -1 : (int)nr % 3) {
	case 0:
		req.pids = (uintptr_t)&pid;
		req.nr_pids = 1;
		break;
	case 1:
		req.flags = BUILDID_SUB_UID;
		req.uid = which == WATCH_OTHERS ? OTHER_UID : 0;
		break;
	case 2:
		req.flags = BUILDID_SUB_CGROUP;
		if (which == WATCH_OTHERS && mkdir(OTHER_CGROUP, 0755) && errno != EEXIST)
			die(OTHER_CGROUP);
		req.cgroup_fd = open(which == WATCH_OTHERS ? OTHER_CGROUP : CGROUP,
				     O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		break;
	}
	if (fd < 0 || ioctl(fd, BUILDID_IOC_SUBSCRIBE, &req))
		die("SUBSCRIBE");
	if (req.flags & BUILDID_SUB_CGROUP)
		close(req.cgroup_fd);
}

static void watchers_start(enum watch which, pid_t mapper)
{
	unsigned int i;

	for (i = 0; i < WATCHERS; i++) {
		watchers[i] = open(BUILDID_DEVICE, O_RDWR | O_CLOEXEC | O_NONBLOCK);
		watch(watchers[i], which, i, mapper);
	}
}

void watch_all(pid_t mapper)
{
	watchers_start(WATCH_ALL, mapper);
}

void watch_mapper(pid_t mapper)
{
	watchers_start(WATCH_MAPPER, mapper);
}

void watch_others(pid_t mapper)
{
	watchers_start(WATCH_OTHERS, mapper);
}

void watchers_stop(void)
{
	unsigned int i;

	for (i = 0; i < WATCHERS; i++)
		close(watchers[i]);
}

struct tally watchers_drain(void)
{
	struct tally tally = { 0 };
	unsigned int i;

	for (i = 0; i < WATCHERS; i++)
		drain_by_read(watchers[i], &tally);
	return tally;
}

/* ---------------------------------------------------------------- netlink -- */

static struct nl_sock *sock;

/* The answer is what comes before the events. */
static void ask_for_events(void)
{
	int family = genl_ctrl_resolve(sock, BUILDID_GENL_NAME);
	struct nl_msg *msg = nlmsg_alloc();
	struct nlmsghdr *answer = (void *)read_buffer;

	if (family < 0 || !msg ||
	    !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, 0, BUILDID_CMD_SUBSCRIBE,
			 BUILDID_GENL_VERSION) ||
	    nla_put_u32(msg, BUILDID_A_RING_SIZE, RING) || nl_send_auto(sock, msg) < 0)
		die("cannot ask for events");
	nlmsg_free(msg);
	if (recv(nl_socket_get_fd(sock), read_buffer, READ_BYTES, 0) <= 0 ||
	    answer->nlmsg_type != family)
		die("no events to be had");
}

void listen_to_netlink(void)
{
	sock = nl_socket_alloc();
	if (!sock || genl_connect(sock))
		die("no netlink socket");
	nl_socket_disable_auto_ack(sock);
	if (nl_socket_set_buffer_size(sock, 16 << 20, 0))
		die("cannot set up the netlink socket");
	ask_for_events();
	if (nl_socket_set_nonblocking(sock))
		die("cannot set up the netlink socket");
}

void stop_listening(void)
{
	nl_socket_free(sock);
}

static void tell_message(struct tally *tally, struct nlmsghdr *header)
{
	struct nlattr *attr;
	int rest;

	nlmsg_for_each_attr(attr, header, GENL_HDRLEN, rest)
		if (nla_type(attr) == BUILDID_A_RECORD)
			count_record(tally, nla_data(attr), nla_len(attr));
}

struct tally netlink_drain(void)
{
	struct tally tally = { 0 };
	struct nlmsghdr *header;
	ssize_t n;
	int left;

	while ((n = recv(nl_socket_get_fd(sock), read_buffer, READ_BYTES, 0)) > 0) {
		left = n;
		for (header = (void *)read_buffer; nlmsg_ok(header, left);
		     header = nlmsg_next(header, &left))
			tell_message(&tally, header);
	}
	if (errno != EAGAIN)
		die("recv of records");
	return tally;
}

/* ------------------------------------------------------------------- perf -- */

static struct {
	int fd;
	struct perf_event_mmap_page *page;
	const char *data;
} perf;

/* What perf record -a asks for, but samples. */
void perf_start(bool build_id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = build_id,
		.watermark = 1,
		.wakeup_watermark = RING / 2,
	};

	perf.fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (perf.fd < 0)
		die("perf_event_open");
	perf.page = map_ring(perf.fd, PAGE + RING, PROT_READ | PROT_WRITE, 0);
	perf.data = (const char *)perf.page + PAGE;
}

void perf_stop(void)
{
	munmap(perf.page, PAGE + RING);
	close(perf.fd);
}

struct perf_mmap2 {
	struct perf_event_header header;
	uint32_t pid;
	uint32_t tid;
	uint64_t addr;
	uint64_t len;
	uint64_t pgoff;
	uint64_t file[3];
};

/* A record that goes around the end of the ring has to be put together. */
static const struct perf_event_header *perf_record(uint64_t pos)
{
	static uint64_t whole[UINT16_MAX / 8 + 1];
	uint64_t at = pos & (RING - 1);
	const struct perf_event_header *header = (const void *)(perf.data + at);

	if (at + header->size <= RING)
		return header;
	memcpy(whole, header, RING - at);
	memcpy((char *)whole + (RING - at), perf.data, at + header->size - RING);
	return (const void *)whole;
}

struct tally perf_drain(void)
{
	struct pollfd pollfd = { .fd = perf.fd, .events = POLLIN };
	const struct perf_event_header *header;
	const struct perf_mmap2 *map;
	struct tally tally = { 0 };
	uint64_t pos, end;

	if (poll(&pollfd, 1, 0) < 0)
		die("poll");
	pos = perf.page->data_tail;
	end = __atomic_load_n(&perf.page->data_head, __ATOMIC_ACQUIRE);
	for (; pos != end; pos += header->size) {
		header = perf_record(pos);
		tally.records++;
		tally.bytes += header->size;
		switch (header->type) {
		case PERF_RECORD_MMAP2:
			map = (const struct perf_mmap2 *)header;
			tally.sum += map->pid + map->tid + map->addr + map->len + map->pgoff +
				     map->file[0] + map->file[1] + map->file[2];
			break;
		case PERF_RECORD_LOST:
			tally.lost += ((const uint64_t *)header)[2];
			break;
		}
	}
	__atomic_store_n(&perf.page->data_tail, end, __ATOMIC_RELEASE);
	return tally;
}
