// SPDX-License-Identifier: GPL-2.0
/*
 * The device except its ioctls: read, poll, the mapped ring. And what makes records: files of
 * all kinds that are mapped, changed and removed, processes that come and go.
 */
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../elf_image.h"
#include "fuzz.h"

/* ------------------------------------------------------------------- descriptors -- */

static void move_fd(int fd, int to)
{
	if (fd < 0)
		return;
	if (dup3(fd, to, O_CLOEXEC) != to)
		err(1, "dup3");
	close(fd);
}

static void forget_ring(struct stream *stream)
{
	if (stream->consumer)
		munmap((void *)stream->consumer, PAGE);
	if (stream->producer)
		munmap((void *)stream->producer, PAGE + 2 * stream->ring_size);
	*stream = (struct stream){};
}

/* In place of the one there was. In a race the last one waits in read(2). */
void open_device(struct fuzz *f, unsigned int n)
{
	int wait = options.racing && n == DEVICES - 1 ? 0 : O_NONBLOCK;

	forget_ring(&f->devices[n]);
	begin_close(n);
	move_fd(open(BUILDID_DEVICE, O_RDWR | O_CLOEXEC | wait), DEVICE_FD + (int)n);
	end_close(n);
}

/* In the middle of a call of another thread. */
static void replace_device_in_use(struct fuzz *f)
{
	unsigned int n;

	for (n = 0; n < DEVICES; n++) {
		if (is_in_use(n)) {
			open_device(f, n);
			return;
		}
	}
}

static int open_program(const char *path, uint64_t id)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	if (fd >= 0 && (!elf_write_with_id(fd, id) || ftruncate(fd, 3 * 4096)))
		err(1, "%s", path);
	return fd;
}

/* The first four can be read and mapped; the last one is a cgroup. */
void open_file(struct fuzz *f, unsigned int n)
{
	char path[128];
	int pair[2], fd = -1;

	snprintf(path, sizeof(path), "%s/file-%u", options.directory, n);
	switch (n) {
	case 0:
		fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
		break;
	case 1:
	case 2:
		fd = open_program(path, 0x0102030405060708 + number(f) % 64);
		break;
	case 3:
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
		if (fd >= 0 && (pwrite(fd, "no program", 10, 0) != 10 || ftruncate(fd, 1 << 20)))
			err(1, "%s", path);
		break;
	case 4:
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		if (fd >= 0 && !elf_write_with_id(fd, number(f)))
			err(1, "memfd");
		break;
	case 5:
		fd = open(options.directory, O_RDONLY | O_CLOEXEC);
		break;
	case 6:
		fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);
		break;
	case 7:
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		break;
	case 8:
		if (!pipe2(pair, O_CLOEXEC)) {
			fd = pair[0];
			close(pair[1]);
		}
		break;
	case 9:
		fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
		break;
	case 10:
		fd = open_program(path, number(f));
		unlink(path);
		break;
	default:
		fd = open("/sys/fs/cgroup", O_RDONLY | O_CLOEXEC);
	}
	move_fd(fd, FILE_FD + (int)n);
}

/* -------------------------------------------------------------------- read, poll -- */

/* The most that was read is what was written, and nothing behind it. */
static void check_rest(struct fuzz *f, const uint8_t *from, size_t used, size_t len)
{
	const uint8_t *end = f->records.start + f->records.size;
	size_t i;

	for (i = used; i < len + 64 && from + i < end; i++) {
		if (from[i] != PATTERN) {
			finding(f, "byte %zu of %zu was written, %zu were read", i, len, used);
			return;
		}
	}
}

static bool is_good_read_error(const struct fuzz *f, const struct stream *stream, int error)
{
	(void)f;
	if (options.racing && (error == EBADF || error == EINTR))
		return true;
	if (error == EFAULT)
		return true;
	if (options.racing)
		return error == ENXIO || error == EBUSY || error == EAGAIN || error == EMSGSIZE;
	if (!stream->subscribed)
		return error == ENXIO;
	return stream->mapped ? error == EBUSY : error == EAGAIN || error == EMSGSIZE;
}

void fuzz_read(struct fuzz *f)
{
	static const size_t lengths[] = { 0, 1, 31, 96, 128, 300, 8192, 8192, 65536, 65536 };
	static uint64_t copy[(16 << 16) / 8];
	unsigned int n = below(f, DEVICES);
	struct stream *stream = &f->devices[n];
	size_t len = lengths[below(f, 10)];
	uint8_t *at = f->records.start;
	uint64_t *records = options.racing ? malloc(f->records.size) : copy;
	struct meeting meeting;
	ssize_t got;

	if (len > f->records.size)
		len = f->records.size;
	if (one_in(f, 2))
		at += below(f, (uint32_t)(f->records.size - len) + 1);
	if (one_in(f, 10))
		at = odd_pointer(f);
	snprintf(f->what, sizeof(f->what), "read of %zu from device %u", len, n);
	begin_faults(f);
	meeting = begin_meeting(n);
	got = read(DEVICE_FD + (int)n, at, len);
	end_meeting(&meeting, READ, got >= 0);
	end_faults(f);
	count_call(READ, got);
	if (got < 0 && !is_good_read_error(f, stream, errno))
		finding(f, "%s", strerrorname_np(errno));
	if (got > (ssize_t)len || (!got && len)) {
		finding(f, "%zd were read", got);
	} else if (got > 0) {
		memcpy(records, at, (size_t)got);
		check_stream(f, stream, records, (size_t)got);
		check_rest(f, at, (size_t)got, len);
	} else if (errno != EFAULT && at - f->records.start < (ptrdiff_t)f->records.size &&
		   at >= f->records.start) {
		check_rest(f, at, 0, len);
	}
	memset(f->records.start, PATTERN, f->records.size);
	if (options.racing)
		free(records);
}

void fuzz_poll(struct fuzz *f)
{
	unsigned int n = below(f, DEVICES);
	struct pollfd polled = { .fd = DEVICE_FD + (int)n, .events = (short)below(f, 1 << 11) };
	int got = poll(&polled, 1, 0), wanted = f->devices[n].subscribed ? 0 : POLLERR;

	snprintf(f->what, sizeof(f->what), "poll of device %u for %#x", n, polled.events);
	count_call(POLL, got);
	if (options.racing)
		return;
	if (got < 0 || (polled.revents & POLLERR) != wanted ||
	    polled.revents & ~(POLLIN | POLLRDNORM | POLLERR))
		finding(f, "%d with %#x", got, polled.revents);
}

/* ------------------------------------------------------------------------- mmap -- */

/* After what was no position: all there was is read. */
static void skip_records(struct stream *stream)
{
	*stream->consumer = __atomic_load_n(stream->producer, __ATOMIC_ACQUIRE);
	stream->known = false;
}

/* Any part of the ring, in any way, for a moment; what has to work is kept for fuzz_ring(). */
void fuzz_mmap(struct fuzz *f)
{
	static const int kinds[] = { MAP_SHARED, MAP_SHARED, MAP_SHARED, MAP_PRIVATE };
	static const int prots[] = { PROT_READ, PROT_READ, PROT_READ | PROT_WRITE,
				     PROT_READ | PROT_EXEC };
	unsigned int n = below(f, DEVICES);
	struct stream *stream = &f->devices[n];
	size_t ring_size = options.racing ? 65536 : stream->ring_size;
	size_t pages = 2 + 2 * ring_size / PAGE;
	size_t offset = n % 2 && one_in(f, 2) ? below(f, 3) : 1 + below(f, (uint32_t)pages + 2);
	size_t len = one_in(f, 2) ? 1 : 1 + below(f, (uint32_t)pages + 2);
	int prot = prots[below(f, 4)], flags = kinds[below(f, 4)];
	bool in = offset ? offset + len <= pages && !(prot & PROT_WRITE) : len == 1;
	bool good = stream->subscribed && flags == MAP_SHARED && in;
	void *at;

	snprintf(f->what, sizeof(f->what), "mmap of %zu pages at %zu of device %u, prot %d, %s",
		 len, offset, n, prot, flags == MAP_SHARED ? "shared" : "private");
	begin_faults(f);
	at = mmap(NULL, len * PAGE, prot, flags, DEVICE_FD + (int)n, (off_t)(offset * PAGE));
	end_faults(f);
	count_call(MMAP, at == MAP_FAILED ? -1 : 0);
	if (at == MAP_FAILED) {
		if (good && !options.racing && !f->failed && !(prot & PROT_EXEC))
			finding(f, "%s", strerrorname_np(errno));
		return;
	}
	if (!good && !options.racing)
		finding(f, "success");
	if (!offset)
		stream->mapped = true;
	else if (!mprotect(at, PAGE, PROT_READ | PROT_WRITE))
		finding(f, "what is read-only can be made writable");
	if (options.poison && offset && is_poison(at, len * PAGE))
		finding(f, "the mapped ring has bytes that the kernel did not write");
	if (!offset && prot & PROT_WRITE)
		*(volatile uint64_t *)at = odd_number(f);
	else if (offset)
		counts->lost += *(volatile uint64_t *)at & 0;
	munmap(at, len * PAGE);
	if (!offset && stream->producer)
		skip_records(stream);
}

/* ------------------------------------------------------------------ mapped ring -- */

static bool map_ring(struct stream *stream, int fd)
{
	void *consumer, *producer;

	if (stream->producer)
		return true;
	consumer = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (consumer == MAP_FAILED)
		return false;
	stream->mapped = true;
	producer = mmap(NULL, PAGE + 2 * stream->ring_size, PROT_READ, MAP_SHARED, fd, (off_t)PAGE);
	if (producer == MAP_FAILED) {
		munmap(consumer, PAGE);
		return false;
	}
	stream->consumer = consumer;
	stream->producer = producer;
	skip_records(stream);
	return true;
}

/* Returns where it ended: at the last record, or before one that is being written. */
static uint64_t take_records(struct fuzz *f, struct stream *stream)
{
	const uint8_t *data = (const uint8_t *)stream->producer + PAGE;
	uint64_t pos = *stream->consumer;
	uint64_t end = __atomic_load_n(stream->producer, __ATOMIC_ACQUIRE);

	while (pos < end && !stop) {
		const struct buildid_record *record =
			(const void *)(data + (pos & (stream->ring_size - 1)));
		uint32_t size = __atomic_load_n(&record->size, __ATOMIC_ACQUIRE);

		if (size & BUILDID_RECORD_BUSY)
			break;
		if (size > BUILDID_RECORD_MAX)
			finding(f, "a record of %u in the ring", size);
		else
			check_stream(f, stream, record, size);
		pos += size;
	}
	return pos;
}

static void write_rubbish(struct fuzz *f, struct stream *stream, int fd)
{
	uint64_t end = *stream->producer;
	const uint64_t values[] = { ~0ULL,   1ULL << 63, end + (1 << 20),	  end - 8,  end - 4,
				    end + 1, 0,		 end - stream->ring_size, number(f) };
	struct pollfd polled = { .fd = fd, .events = POLLIN };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		*stream->consumer = values[below(f, 9)];
		make_events(f);
		/* the device may be another one now */
		if (!stream->producer)
			return;
		poll(&polled, 1, 0);
	}
	skip_records(stream);
}

/* Others may be reading, in a call or in the ring. */
static void race_for_ring(struct fuzz *f, unsigned int n)
{
	volatile uint64_t *consumer, *producer;
	unsigned int i;

	consumer = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, DEVICE_FD + (int)n, 0);
	producer = mmap(NULL, 5 * PAGE, PROT_READ, MAP_SHARED, DEVICE_FD + (int)n, (off_t)PAGE);
	if (consumer != MAP_FAILED && producer != MAP_FAILED) {
		for (i = 0; i < 8; i++) {
			*consumer = one_in(f, 2) ? *producer - 8 * below(f, 4096) : odd_number(f);
			make_events(f);
		}
		count_call(RING, 0);
	}
	if (consumer != MAP_FAILED)
		munmap((void *)consumer, PAGE);
	if (producer != MAP_FAILED)
		munmap((void *)producer, 5 * PAGE);
}

/* Of half of the devices, as the others are to be read. */
void fuzz_ring(struct fuzz *f)
{
	unsigned int n = below(f, DEVICES) | 1;
	struct stream *stream = &f->devices[n];

	snprintf(f->what, sizeof(f->what), "mapped ring of device %u", n);
	if (options.racing) {
		race_for_ring(f, n);
		return;
	}
	if (!stream->subscribed || !map_ring(stream, DEVICE_FD + (int)n)) {
		fuzz_mmap(f);
		return;
	}
	count_call(RING, 0);
	make_events(f);
	if (!stream->producer)
		return;
	snprintf(f->what, sizeof(f->what), "mapped ring of device %u", n);
	__atomic_store_n(stream->consumer, take_records(f, stream), __ATOMIC_RELEASE);
	if (one_in(f, 4))
		write_rubbish(f, stream, DEVICE_FD + (int)n);
}

/* ------------------------------------------------------------------------ events -- */

static void map_some(struct fuzz *f)
{
	struct mapping *mapping = &f->mappings[below(f, MAPPINGS)];
	int prot = PROT_READ | (one_in(f, 4) ? 0 : PROT_EXEC);
	unsigned int n = one_in(f, 3) ? 4 + 6 * below(f, 2) : below(f, 4);

	if (mapping->at)
		munmap(mapping->at, mapping->size);
	mapping->size = PAGE * (1 + below(f, 3));
	mapping->at = mmap(NULL, mapping->size, prot, one_in(f, 4) ? MAP_SHARED : MAP_PRIVATE,
			   FILE_FD + (int)n, 0);
	if (mapping->at == MAP_FAILED)
		mapping->at = NULL;
	else if (one_in(f, 4))
		mprotect(mapping->at, PAGE, PROT_READ | PROT_EXEC);
}

static void change_file(struct fuzz *f)
{
	int fd = FILE_FD + 1 + (int)below(f, 3);
	uint64_t value = number(f);

	if (one_in(f, 3) && ftruncate(fd, 4096 * (1 + below(f, 4))))
		return;
	if (pwrite(fd, &value, sizeof(value), 64 + below(f, 128)) < 0)
		return;
	if (one_in(f, 2))
		open_file(f, 1 + below(f, 2));
}

static void make_child(struct fuzz *f)
{
	bool program = one_in(f, 8);
	pid_t pid = fork();

	if (!pid) {
		if (one_in(f, 4))
			prctl(PR_SET_NAME, "fuzzed");
		if (program)
			execl("/bin/busybox", "true", NULL);
		_exit(0);
	}
	if (pid > 0) {
		f->child = (uint32_t)pid;
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
}

/* More than a small ring holds. */
static void map_many(void)
{
	unsigned int i;

	for (i = 0; i < 200; i++) {
		void *at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, FILE_FD, 0);

		if (at != MAP_FAILED)
			munmap(at, PAGE);
	}
}

/* With faults, which may fail in the hook as well. */
void make_events(struct fuzz *f)
{
	unsigned int what = below(f, 64);

	snprintf(f->what, sizeof(f->what), "events");
	begin_faults(f);
	if (what < 48)
		map_some(f);
	else if (what < 54)
		change_file(f);
	end_faults(f);
	if (what == 54 && one_in(f, 3))
		map_many();
	else if (what >= 62)
		make_child(f);
	else if ((what == 55 || what == 56) && options.racing && !options.unprivileged)
		replace_device_in_use(f);
	else if (what == 61 && !options.unprivileged)
		open_device(f, below(f, DEVICES));
	else if (what >= 59 && !options.unprivileged)
		open_socket(f, below(f, SOCKETS));
	else if (what == 58 && options.racing)
		close((int)(one_in(f, 2) ? DEVICE_FD + below(f, DEVICES) :
					   FILE_FD + below(f, FILES)));
	else if (what == 57)
		open_file(f, below(f, FILES));
}
