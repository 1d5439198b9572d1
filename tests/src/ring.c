// SPDX-License-Identifier: GPL-2.0
/* What buildid.h promises of the mapped ring, and of whoever waits for it. */

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

#include "tap.h"

#define PAGE ((size_t)sysconf(_SC_PAGESIZE))
#define RING (2 * BUILDID_RECORD_MAX)

struct ring {
	int fd;
	__u32 size;
	struct buildid_ring_consumer *consumer;
	const struct buildid_ring_producer *producer;
	const char *data;
	__u64 seq; /* of the record before */
	__u64 lost;
};

static struct ring ring_of_self(__u32 size, __u32 watermark)
{
	struct ring ring = { .fd = open_device(0), .size = size };
	char *rest;

	if (subscribe_self(ring.fd, size, watermark))
		err(1, "subscribe");
	ring.consumer = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, 0);
	rest = mmap(NULL, PAGE + 2 * size, PROT_READ, MAP_SHARED, ring.fd, PAGE);
	if (ring.consumer == MAP_FAILED || rest == MAP_FAILED)
		err(1, "mapping the ring");
	ring.producer = (void *)rest;
	ring.data = rest + PAGE;
	return ring;
}

static void drop(struct ring *ring)
{
	munmap(ring->consumer, PAGE);
	munmap((void *)ring->producer, PAGE + 2 * ring->size);
	close(ring->fd);
}

static __u64 produced(const struct ring *ring)
{
	return __atomic_load_n(&ring->producer->pos, __ATOMIC_ACQUIRE);
}

static void consume_to(struct ring *ring, __u64 pos)
{
	__atomic_store_n(&ring->consumer->pos, pos, __ATOMIC_RELEASE);
}

/*
 * Takes all records from @pos on. Returns where they end, or 0 when one is not
 * what it must be: in sequence, or behind a LOST that reports the hole's width.
 */
static __u64 take_all(struct ring *ring, __u64 pos)
{
	while (pos < produced(ring)) {
		const struct buildid_record *record =
			(const void *)(ring->data + (pos & (ring->size - 1)));
		const struct buildid_lost *lost = (const void *)record;
		__u64 hole = record->seq - ring->seq - 1;

		if (record->size & BUILDID_RECORD_BUSY || record->size % 8 ||
		    record->size < sizeof(*record) || record->size > ring->size)
			return 0;
		if (hole && (record->type != BUILDID_RECORD_LOST || lost->ring_full != hole))
			return 0;
		ring->seq = record->seq;
		ring->lost += hole;
		pos += record->size;
	}
	consume_to(ring, pos);
	return pos;
}

static void test_mapping(void)
{
	int fd = open_device(O_NONBLOCK);
	char buffer[BUILDID_RECORD_MAX];
	void *at, *rest;

	map_fails(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), ENXIO,
		  "mmap: before SUBSCRIBE it is ENXIO");
	if (subscribe_self(fd, RING, 0))
		err(1, "subscribe");
	map_once();

	map_fails(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0), EINVAL,
		  "mmap: private is EINVAL");
	map_fails(mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), EINVAL,
		  "mmap: more than the consumer page at offset 0 is EINVAL");
	map_fails(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, PAGE), EPERM,
		  "mmap: the producer page for writing is EPERM");
	map_fails(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 2 * PAGE), EPERM,
		  "mmap: a page of records for writing is EPERM");
	map_fails(mmap(NULL, 2 * PAGE + 2 * RING, PROT_READ, MAP_SHARED, fd, PAGE), EINVAL,
		  "mmap: more than there is is EINVAL");
	map_fails(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 2 * PAGE + 2 * RING), EINVAL,
		  "mmap: behind the end is EINVAL");

	rest = mmap(NULL, PAGE + 2 * RING, PROT_READ, MAP_SHARED, fd, PAGE);
	ok(rest != MAP_FAILED, "mmap: all but the consumer page for reading");
	fails(mprotect(rest, PAGE, PROT_READ | PROT_WRITE), EACCES,
	      "mprotect: writing to the producer page is EACCES");
	fails(mprotect((char *)rest + PAGE, 2 * RING, PROT_READ | PROT_WRITE), EACCES,
	      "mprotect: writing to the records is EACCES");
	ok(!memcmp((char *)rest + PAGE, (char *)rest + PAGE + RING, RING),
	   "the records are there twice in a row");
	ok(read(fd, buffer, sizeof(buffer)) > 0,
	   "read: goes on as long as the consumer page is not mapped");

	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ok(at != MAP_FAILED, "mmap: the consumer page for writing");
	fails(read(fd, buffer, sizeof(buffer)), EBUSY,
	      "read: is EBUSY once the consumer page was mapped");
	munmap(at, PAGE);
	fails(read(fd, buffer, sizeof(buffer)), EBUSY, "read: and stays so");
	munmap(rest, PAGE + 2 * RING);
	close(fd);
}

/* As a system call sees it. */
static bool is_mapped(const void *at, size_t size)
{
	return !madvise((void *)at, size, MADV_NORMAL);
}

static void test_fork(void)
{
	struct ring ring = ring_of_self(RING, 0);
	size_t rest = PAGE + 2 * RING;
	int status;

	fails(madvise((void *)ring.producer, rest, MADV_DOFORK), EINVAL,
	      "madvise: MADV_DOFORK is EINVAL");
	fails(madvise(ring.consumer, PAGE, MADV_DOFORK), EINVAL, "madvise: for either part");
	fails(madvise((void *)ring.producer, rest, MADV_DODUMP), EINVAL,
	      "madvise: MADV_DODUMP is EINVAL");
	if (!fork())
		_exit(is_mapped(ring.consumer, PAGE) + 2 * is_mapped(ring.producer, PAGE) +
		      4 * is_mapped(ring.data, 2 * RING));
	wait(&status);
	is(status, 0, "a child of fork has none of the ring");
	drop(&ring);
}

static void test_parts(void)
{
	struct ring ring = ring_of_self(RING, 0);
	char *rest = (char *)ring.producer;
	size_t size = PAGE + 2 * RING;
	char *moved;

	map_times(3);
	fails(mremap(rest, size, size + PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0, EFAULT,
	      "mremap: growing is EFAULT");
	fails(mremap(rest, 0, size, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0, EFAULT,
	      "mremap: a second one of it is EFAULT");
	is(munmap(rest + PAGE + RING, RING), 0, "munmap: of a part");
	ok(is_mapped(rest, PAGE + RING) && !is_mapped(rest + PAGE + RING, PAGE),
	   "which leaves the rest");
	moved = mremap(rest, PAGE + RING, PAGE + RING, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
	ok(moved == MAP_FAILED, "mremap: nor does it leave one behind");
	moved = mremap(rest + PAGE, RING, PAGE, MREMAP_MAYMOVE);
	ok(moved == rest + PAGE && ring.producer->pos, "mremap: shrinking works");
	close(ring.fd);
	map_times(3);
	ok(take_all(&ring, 0) > 0, "what is left can be read when the descriptor is closed");
	fails(mprotect(rest, PAGE, PROT_READ | PROT_WRITE), EACCES, "and not written to");
	munmap(rest, 2 * PAGE);
	munmap(ring.consumer, PAGE);
}

static void test_read_only(void)
{
	int fd = open(BUILDID_DEVICE, O_RDONLY | O_CLOEXEC);
	char buffer[BUILDID_RECORD_MAX];
	void *consumer, *rest;

	if (subscribe_self(fd, RING, 0))
		err(1, "subscribe");
	map_fails(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), EACCES,
		  "O_RDONLY: the consumer page for writing is EACCES");
	consumer = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	rest = mmap(NULL, PAGE + 2 * RING, PROT_READ, MAP_SHARED, fd, PAGE);
	ok(consumer != MAP_FAILED && rest != MAP_FAILED, "O_RDONLY: all can be mapped for reading");
	map_once();
	ok(read(fd, buffer, sizeof(buffer)) > 0,
	   "O_RDONLY: read goes on, as nobody else can consume");
	munmap(consumer, PAGE);
	munmap(rest, PAGE + 2 * RING);
	close(fd);
}

static void test_description(void)
{
	struct ring ring = ring_of_self(2 * RING, 0);
	const struct buildid_ring_producer *producer = ring.producer;

	is(producer->ring_size, 2 * RING, "the producer page has the ring's size");
	is(producer->flags, 0, "the subscription's flags");
	is(producer->abi, BUILDID_ABI_VERSION, "the ABI version");
	is(producer->reserved, 0, "and zeros");
	drop(&ring);
}

/*
 * Threads that map the ring of a descriptor while it is subscribed and while it is closed: none
 * ever sees memory that is not the ring's.
 */
struct contest {
	_Atomic int fd;
	atomic_bool end;
	atomic_long mapped;
	atomic_long bad;
};

static void *map_again_and_again(void *data)
{
	struct contest *contest = data;
	const struct buildid_ring_producer *producer;

	while (!contest->end) {
		producer = mmap(NULL, PAGE + 2 * RING, PROT_READ, MAP_SHARED, contest->fd, PAGE);
		if (producer == MAP_FAILED)
			continue;
		contest->mapped++;
		if (producer->ring_size != RING || producer->abi != BUILDID_ABI_VERSION ||
		    __atomic_load_n(&producer->pos, __ATOMIC_ACQUIRE) % 8)
			contest->bad++;
		munmap((void *)producer, PAGE + 2 * RING);
	}
	return NULL;
}

static void test_contest(void)
{
	struct contest contest = {};
	pthread_t threads[2];
	long rounds = 0;
	size_t i;

	contest.fd = -1;
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, map_again_and_again, &contest);
	while (rounds < 200 || contest.mapped < 200) {
		contest.fd = open_device(0);
		if (subscribe_self(contest.fd, RING, 0))
			err(1, "subscribe");
		map_times(3);
		close(contest.fd);
		rounds++;
	}
	contest.end = true;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	is(contest.bad, 0, "what is mapped while others subscribe and close is the ring");
}

static void test_records(void)
{
	struct ring ring = ring_of_self(RING, 0);
	__u64 pos = 0;
	int i;

	is((long)produced(&ring), 0, "a new ring is empty");
	/* Several times around, so that records lie across the end. */
	for (i = 0; i < 200 && (!i || pos); i++) {
		map_times(3);
		pos = take_all(&ring, pos);
	}
	ok(pos > 3 * RING, "records around the end of the ring are whole");
	is((long)ring.seq, 601, "and all are there: 600 MMAP, one FILE");
	is((long)ring.lost, 0, "and none is lost");

	map_times(1000);
	pos = take_all(&ring, pos);
	map_once();
	pos = take_all(&ring, pos);
	ok(pos && ring.lost, "a ring that was full reports how many are lost");
	ok(ring.seq >= 1602, "and each mapping has its number");
	drop(&ring);
}

static void hostile(struct ring *ring, __u64 pos, const char *name)
{
	struct pollfd polled = { .fd = ring->fd, .events = POLLIN };
	__u64 good = ring->consumer->pos, seq = ring->seq, end;

	map_times(2);
	consume_to(ring, pos);
	map_times(5);
	poll(&polled, 1, 0);
	map_times(200);
	poll(&polled, 1, 0);
	consume_to(ring, good);
	end = take_all(ring, good);
	map_once();
	end = end ? take_all(ring, end) : 0;
	ok(end && ring->seq >= seq + 208, "a consumer at %s does no harm", name);
}

static void test_hostile_consumer(void)
{
	struct ring ring = ring_of_self(RING, 0);
	__u64 before = 0;

	map_times(100);
	if (!take_all(&ring, 0))
		errx(1, "bad records to begin with");
	before = ring.consumer->pos;

	hostile(&ring, ~0ULL, "the highest position");
	hostile(&ring, 1ULL << 63, "half of the highest position");
	hostile(&ring, produced(&ring) + (1 << 20), "a position beyond the producer");
	hostile(&ring, ring.consumer->pos + RING + 8, "a position one ring ahead");
	hostile(&ring, 0, "0 again");
	hostile(&ring, before - 8, "a position it was at before");
	hostile(&ring, ring.consumer->pos - RING, "a position one ring behind");
	hostile(&ring, ring.consumer->pos + 1, "a position that is not aligned");
	hostile(&ring, ring.consumer->pos - 1, "... and behind");
	drop(&ring);
}

/* A consumer that skips takes from itself alone. */
static void test_skipping_consumer(void)
{
	struct ring ring = ring_of_self(RING, 0);
	const struct buildid_lost *lost;
	__u64 pos = 0;
	int i;

	for (i = 0; i < 1000; i++) {
		map_once();
		pos += 8;
		if (pos <= produced(&ring))
			consume_to(&ring, pos);
	}
	pos = produced(&ring);
	consume_to(&ring, pos);
	map_once();
	lost = (const void *)(ring.data + (pos & (ring.size - 1)));
	is(lost->header.type, BUILDID_RECORD_LOST, "a consumer inside of a record lost others");
	ring.seq = lost->header.seq - 1 - lost->ring_full;
	pos = take_all(&ring, pos);
	map_once();
	ok(pos && take_all(&ring, pos) > pos, "and once it is at the end, all are whole again");
	drop(&ring);
}

/* ---------------------------------------------------------------- waiting -- */

static void on_alarm(int number)
{
	(void)number;
}

/* Again and again, as the first may come before the wait has begun. */
static void interrupt_often(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval often = {
		.it_value = { .tv_usec = 20000 },
		.it_interval = { .tv_usec = 20000 },
	};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void no_alarm(void)
{
	struct itimerval never = {};

	setitimer(ITIMER_REAL, &never, NULL);
}

static void test_waiting(void)
{
	struct pollfd polled = { .events = POLLIN };
	char buffer[BUILDID_RECORD_MAX];
	int fd = open_device(0);

	if (subscribe_self(fd, RING, 1024))
		err(1, "subscribe");
	polled.fd = fd;

	interrupt_often();
	fails(read(fd, buffer, sizeof(buffer)), EINTR, "read: a signal ends the wait for a record");
	no_alarm();

	fcntl(fd, F_SETFL, O_NONBLOCK);
	map_once();
	while (read(fd, buffer, sizeof(buffer)) > 0)
		;
	map_times(2);
	is(poll(&polled, 1, 0), 0, "poll: less than the watermark does not count");
	map_times(20);
	is(poll(&polled, 1, -1), 1, "poll: the watermark does");
	while (read(fd, buffer, sizeof(buffer)) > 0)
		;
	map_once();
	is(read(fd, buffer, sizeof(buffer)), sizeof(struct buildid_mmap),
	   "read: with O_NONBLOCK takes less than the watermark, too");
	close(fd);
}

static int wait_by_poll(int fd)
{
	struct pollfd polled = { .fd = fd, .events = POLLIN };

	return poll(&polled, 1, -1) == 1 && polled.revents == POLLIN ? 0 : 1;
}

static int wait_by_read(int fd)
{
	char buffer[BUILDID_RECORD_MAX];

	return read(fd, buffer, sizeof(buffer)) > 0 ? 0 : 1;
}

static void wait_until_asleep(pid_t pid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	do {
		file = fopen(path, "re");
		if (!file || fscanf(file, "%*d %*s %c", &state) != 1)
			err(1, "%s", path);
		fclose(file);
	} while (state != 'S');
}

/* A child waits for what this process does. */
static void test_wake_up(int (*wait_for_record)(int fd), const char *name)
{
	int fd = open_device(0);
	int ready[2], status;
	pid_t child;
	char byte;

	if (subscribe_self(fd, RING, 0) || pipe(ready))
		err(1, "subscribe");
	child = fork();
	if (!child) {
		if (write(ready[1], "", 1) != 1)
			_exit(2);
		_exit(wait_for_record(fd));
	}
	if (read(ready[0], &byte, 1) != 1)
		err(1, "pipe");
	/* Or there is nothing to be woken from. */
	wait_until_asleep(child);
	map_once();
	wait(&status);
	is(status, 0, name);
	close(fd);
}

static void test_many(void)
{
	struct buildid_info info = { .size = sizeof(info) };
	int fds[256], count = 0, error = 0, again;

	fds[0] = open_device(0);
	ioctl(fds[0], BUILDID_IOC_INFO, &info);
	while (!subscribe_self(fds[count], RING, 0) && count < 255)
		fds[++count] = open_device(0);
	error = errno;
	is(error, EUSERS, "SUBSCRIBE: one ring too many is EUSERS");
	ok(count > 1 && count <= (int)info.subscribers_max,
	   "SUBSCRIBE: up to subscribers_max work");
	close(fds[--count]);
	again = subscribe_self(fds[count + 1], RING, 0);
	is(again, 0, "SUBSCRIBE: one that was closed makes room");
	close(fds[count + 1]);
	while (count--)
		close(fds[count]);
}

int main(void)
{
	test_mapping();
	test_fork();
	test_parts();
	test_read_only();
	test_description();
	test_contest();
	test_records();
	test_hostile_consumer();
	test_skipping_consumer();
	test_waiting();
	test_wake_up(wait_by_poll, "poll: another process that waits is woken");
	test_wake_up(wait_by_read, "read: another process that waits is woken");
	test_many();
	return tap_end();
}
