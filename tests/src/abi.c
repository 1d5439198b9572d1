// SPDX-License-Identifier: GPL-2.0
/* What buildid.h promises of the ioctls and of read(2), with no library. */

#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "tap.h"

#define NOBODY	    65534
#define NO_SUCH_PID 0x3fffffff
#define RING	    (2 * BUILDID_RECORD_MAX)

_Static_assert(sizeof(struct buildid_record) == 32, "record");
_Static_assert(sizeof(struct buildid_file) == 144, "file");
_Static_assert(sizeof(struct buildid_mmap) == 120, "mmap");
_Static_assert(sizeof(struct buildid_lost) == 64, "lost");
_Static_assert(sizeof(struct buildid_info) == 416, "info");
_Static_assert(sizeof(struct buildid_stats) == 224, "stats");
_Static_assert(sizeof(struct buildid_resolve) == 96, "resolve");
_Static_assert(sizeof(struct buildid_maps) == 40, "maps");
_Static_assert(sizeof(struct buildid_task) == 96, "task");
_Static_assert(sizeof(struct buildid_image) == 64, "image");
_Static_assert(sizeof(struct buildid_subscribe) == 40, "subscribe");
_Static_assert(sizeof(struct buildid_flush) == 16, "flush");
_Static_assert(sizeof(struct buildid_cookie) == 88, "cookie");
_Static_assert(sizeof(struct buildid_set_cookie) == 40, "set_cookie");
_Static_assert(sizeof(struct buildid_history) == 40, "history");

static union {
	struct buildid_file file;
	struct buildid_mmap mmap;
	__u64 align;
	char bytes[BUILDID_RECORD_MAX];
} record;

static __u64 records[2 * BUILDID_RECORD_MAX / sizeof(__u64)];

/* A good argument of each ioctl, with room behind it. */
union argument {
	__u32 size;
	struct buildid_info info;
	struct buildid_stats stats;
	struct buildid_resolve resolve;
	struct buildid_maps maps;
	struct buildid_subscribe subscribe;
	struct buildid_flush flush;
	struct buildid_set_cookie cookie;
	struct buildid_history history;
	char bytes[512];
};

static const struct request {
	const char *name;
	unsigned long number;
	__u32 size;
	size_t reserved; /* offset of a field that must be 0, or 0 */
} requests[] = {
	{ "INFO", BUILDID_IOC_INFO, sizeof(struct buildid_info), 0 },
	{ "STATS", BUILDID_IOC_STATS, sizeof(struct buildid_stats),
	  offsetof(struct buildid_stats, reserved) },
	{ "RESOLVE by FD", BUILDID_IOC_RESOLVE, sizeof(struct buildid_resolve),
	  offsetof(struct buildid_resolve, flags) },
	{ "SUBSCRIBE", BUILDID_IOC_SUBSCRIBE, sizeof(struct buildid_subscribe),
	  offsetof(struct buildid_subscribe, reserved) },
	{ "RESOLVE by KEY", BUILDID_IOC_RESOLVE, sizeof(struct buildid_resolve),
	  offsetof(struct buildid_resolve, flags) },
	{ "RESOLVE by ADDR", BUILDID_IOC_RESOLVE, sizeof(struct buildid_resolve),
	  offsetof(struct buildid_resolve, flags) },
	{ "MAPS", BUILDID_IOC_MAPS, sizeof(struct buildid_maps),
	  offsetof(struct buildid_maps, flags) },
	{ "FLUSH", BUILDID_IOC_FLUSH, sizeof(struct buildid_flush),
	  offsetof(struct buildid_flush, flags) },
	{ "SET_COOKIE", BUILDID_IOC_SET_COOKIE, sizeof(struct buildid_set_cookie),
	  offsetof(struct buildid_set_cookie, fd) },
	{ "RESOLVE by ID", BUILDID_IOC_RESOLVE, sizeof(struct buildid_resolve),
	  offsetof(struct buildid_resolve, flags) },
	{ "HISTORY", BUILDID_IOC_HISTORY, sizeof(struct buildid_history),
	  offsetof(struct buildid_history, flags) },
};

/* Places in the table. */
enum {
	INFO,
	STATS,
	RESOLVE_FD,
	SUBSCRIBE,
	RESOLVE_KEY,
	RESOLVE_ADDR,
	MAPS,
	FLUSH,
	SET_COOKIE,
	RESOLVE_ID,
	HISTORY
};

#define REQUESTS (sizeof(requests) / sizeof(requests[0]))

static int self; /* this program, to resolve */

/* On a device of its own, as SUBSCRIBE works once. */
static int call(unsigned long number, void *argument)
{
	int fd = open_device(0);
	int result = ioctl(fd, number, argument);
	int error = errno;

	close(fd);
	errno = error;
	return result;
}

static int resolve(int fd, __u32 *size, void *to)
{
	struct buildid_resolve argument = {
		.size = sizeof(argument),
		.by = BUILDID_BY_FD,
		.fd = fd,
		.record_size = *size,
		.record = (unsigned long)to,
	};
	int result = call(BUILDID_IOC_RESOLVE, &argument);

	*size = argument.record_size;
	return result;
}

/* One that succeeds, about this program where it is about something. */
static union argument argument_of(int request)
{
	union argument argument = {};
	__u32 size = sizeof(record);

	switch (request) {
	case RESOLVE_FD:
		argument.resolve.by = BUILDID_BY_FD;
		argument.resolve.fd = self;
		argument.resolve.record_size = sizeof(record);
		argument.resolve.record = (unsigned long)&record;
		break;
	case RESOLVE_KEY:
		argument.resolve.by = BUILDID_BY_KEY;
		resolve(self, &size, &record);
		argument.resolve.dev_major = record.file.dev_major;
		argument.resolve.dev_minor = record.file.dev_minor;
		argument.resolve.ino = record.file.ino;
		argument.resolve.generation = record.file.generation;
		argument.resolve.record_size = sizeof(record);
		argument.resolve.record = (unsigned long)&record;
		break;
	case RESOLVE_ID:
		argument.resolve.by = BUILDID_BY_ID;
		resolve(self, &size, &record);
		argument.resolve.file_id = record.file.file_id;
		argument.resolve.record_size = sizeof(record);
		argument.resolve.record = (unsigned long)&record;
		break;
	case RESOLVE_ADDR:
		argument.resolve.by = BUILDID_BY_ADDR;
		argument.resolve.pid = (__u32)getpid();
		argument.resolve.addr = (unsigned long)argument_of;
		argument.resolve.record_size = sizeof(record);
		argument.resolve.record = (unsigned long)&record;
		break;
	case MAPS:
		argument.maps.pid = (__u32)getpid();
		argument.maps.bytes = sizeof(records);
		argument.maps.records = (unsigned long)records;
		break;
	case HISTORY:
		argument.history.bytes = sizeof(records);
		argument.history.records = (unsigned long)records;
		break;
	case SET_COOKIE:
		argument.cookie.kind = BUILDID_KIND_COOKIE;
		argument.cookie.id = (unsigned long)"cookie";
		argument.cookie.id_len = 6;
		argument.cookie.addr = (unsigned long)&record;
		argument.cookie.len = sizeof(record);
		break;
	}
	argument.size = requests[request].size;
	return argument;
}

static void test_structs(void)
{
	static const char nothing[16];
	char name[128];
	int i;

	for (i = 0; i < (int)REQUESTS; i++) {
		const struct request *request = &requests[i];
		union argument argument = argument_of(i);

#define NAME(what) (snprintf(name, sizeof(name), "%s: %s", request->name, what), name)
		is(call(request->number, &argument), 0, NAME("succeeds"));
		is(argument.size, request->size, NAME("returns the size that both know"));

		argument = argument_of(i);
		argument.size = i == INFO ? 7 : request->size - 1;
		fails(call(request->number, &argument), EINVAL,
		      NAME("a struct that is too short is EINVAL"));
		argument.size = 0;
		fails(call(request->number, &argument), EINVAL, NAME("size 0 is EINVAL"));

		argument = argument_of(i);
		argument.size += 16;
		is(call(request->number, &argument), 0,
		   NAME("a longer struct whose tail is zero succeeds"));
		is(argument.size, request->size, NAME("... and returns the size that is known"));
		is(memcmp(argument.bytes + request->size, nothing, 16), 0,
		   NAME("... and has its tail as it was"));

		argument = argument_of(i);
		argument.size += 16;
		argument.bytes[request->size + 15] = 1;
		fails(call(request->number, &argument), E2BIG,
		      NAME("a longer struct whose tail is not zero is E2BIG"));
		is(argument.size, request->size, NAME("... and returns the size that is known"));

		fails(call(request->number, NULL), EFAULT, NAME("NULL is EFAULT"));
		fails(call(request->number, (void *)-4096L), EFAULT,
		      NAME("a kernel's address is EFAULT"));
		if (!request->reserved)
			continue;
		argument = argument_of(i);
		argument.bytes[request->reserved + 3] = 0x40;
		fails(call(request->number, &argument), EINVAL,
		      NAME("a reserved byte or flag that is set is EINVAL"));
	}
}

static void test_numbers(void)
{
	union argument argument = argument_of(INFO);

	call(BUILDID_IOC_INFO, &argument);
	fails(call(_IOWR(BUILDID_IOC_MAGIC, __builtin_ffsll((long long)~argument.info.ioctls) - 1,
			 struct buildid_info),
		   &argument),
	      ENOTTY, "the first number that INFO does not have is ENOTTY");
	fails(call(_IOWR(BUILDID_IOC_MAGIC, 255, struct buildid_info), &argument), ENOTTY,
	      "number 255 is ENOTTY");
	fails(call(_IOWR('x', 0, struct buildid_info), &argument), ENOTTY,
	      "a number of another device is ENOTTY");
	fails(call(_IO(BUILDID_IOC_MAGIC, 0), &argument), ENOTTY,
	      "a number without a direction is ENOTTY");
	is(call(_IOWR(BUILDID_IOC_MAGIC, 0, union argument), &argument), 0,
	   "the size in the number may differ, as it grows with the struct");
}

static void test_info(void)
{
	union argument argument = { .size = sizeof(struct buildid_info) + 16 };
	const long types = 1 << BUILDID_RECORD_FILE | 1 << BUILDID_RECORD_MMAP |
			   1 << BUILDID_RECORD_KERNEL | 1 << BUILDID_RECORD_MODULE |
			   1 << BUILDID_RECORD_COOKIE | 1 << BUILDID_RECORD_LOST |
			   1 << BUILDID_RECORD_FORK | 1 << BUILDID_RECORD_EXEC |
			   1 << BUILDID_RECORD_EXIT | 1 << BUILDID_RECORD_COMM;
	long ioctls = 0;
	size_t i;

	argument.size = 8;
	is(call(BUILDID_IOC_INFO, &argument), 0, "INFO may be asked for the ABI alone");
	ok(argument.size == 8 && argument.info.abi == BUILDID_ABI_VERSION && !argument.info.records,
	   "... and writes no more");
	argument.size = sizeof(struct buildid_info) + 16;
	call(BUILDID_IOC_INFO, &argument);
	is(argument.size, sizeof(struct buildid_info), "INFO has the module's size");
	is(argument.info.abi, BUILDID_ABI_VERSION, "INFO has the ABI's version");
	is((long)argument.info.records & types, types, "INFO has the types of records");
	for (i = 0; i < REQUESTS; i++)
		ioctls |= 1L << _IOC_NR(requests[i].number);
	is((long)argument.info.ioctls & ioctls, ioctls, "INFO has the ioctls");
	is(argument.info.id_max, BUILDID_ID_MAX, "INFO has the longest identity");
	is(argument.info.record_max, BUILDID_RECORD_MAX, "INFO has the longest record");
	is(argument.info.pids_max, BUILDID_SUB_PIDS_MAX, "INFO has the most pids");
	is(argument.info.cookies_max, BUILDID_COOKIES_MAX, "INFO has a user's cookies");
	is(argument.info.cookies_total, BUILDID_COOKIES_TOTAL, "INFO has all cookies");
	ok(argument.info.ring_min >= 2 * BUILDID_RECORD_MAX &&
		   argument.info.ring_min < argument.info.ring_max,
	   "INFO has what rings there are");
	is(argument.info.status & BUILDID_STATUS_ARMED, BUILDID_STATUS_ARMED,
	   "INFO says that the hook fires");
	ok((argument.info.known_flags[_IOC_NR(BUILDID_IOC_SUBSCRIBE)] & 0x7f) == 0x7f &&
		   argument.info.known_flags[_IOC_NR(BUILDID_IOC_MAPS)] & BUILDID_MAPS_DATA &&
		   argument.info.known_flags[_IOC_NR(BUILDID_IOC_RESOLVE)] &
			   (BUILDID_KEY_ANY_GENERATION | BUILDID_KEY_ANY_TREE) &&
		   argument.info.known_flags[_IOC_NR(BUILDID_IOC_SET_COOKIE)] & BUILDID_COOKIE_FD &&
		   !argument.info.known_flags[_IOC_NR(BUILDID_IOC_FLUSH)],
	   "INFO has the flags of each ioctl");
	ok(!strcmp((char *)argument.info.hook, "perf_event_mmap"), "INFO has the hook");
	ok(argument.info.real_offset_min > 0 &&
		   argument.info.real_offset_min <= argument.info.real_offset_max,
	   "INFO has how far the clocks were apart");
	ok(memchr(argument.info.version, 0, sizeof(argument.info.version)) != argument.info.version,
	   "INFO has the module's version");
}

static void bad_fd(int fd, const char *name)
{
	__u32 size = sizeof(record);

	fails(resolve(fd, &size, &record), EBADF, name);
	close(fd);
}

static void test_resolve(void)
{
	/* a directory, links, a device, and what is generated as it is read */
	static const char *const anything[] = { "/",
						"/proc/self/exe",
						"/dev/null",
						"/proc/self/ns/net",
						"/proc/self/maps",
						"/sys/kernel/notes" };
	__u32 size = sizeof(record), needed;
	char name[128];
	int pipes[2], fd;
	size_t i, end;
	bool zero;

	bad_fd(-1, "RESOLVE by FD: -1 is EBADF");
	bad_fd(1000, "RESOLVE by FD: what is not open is EBADF");
	bad_fd(open("/tmp/abi.write-only", O_WRONLY | O_CREAT, 0600),
	       "RESOLVE by FD: what is open for writing only is EBADF");
	unlink("/tmp/abi.write-only");

	memset(&record, 0xff, sizeof(record));
	is(resolve(self, &size, &record), 0, "RESOLVE by FD: a program has an answer");
	needed = size;
	is(record.file.header.size, needed, "RESOLVE by FD: returns the record's size");
	is(record.file.header.type, BUILDID_RECORD_FILE, "RESOLVE by FD: it is a FILE");
	is((long)record.file.header.seq, 0, "RESOLVE by FD: seq is 0, as it is no stream");
	is(record.file.kind, BUILDID_KIND_GNU, "RESOLVE by FD: it has a build-id");
	is(record.file.reason, BUILDID_REASON_NONE, "RESOLVE by FD: so there is no reason");
	zero = true;
	for (i = record.file.data_off + record.file.id_len; i % 8; i++)
		zero &= !record.bytes[i];
	for (i += record.file.path_len, end = needed; i < end; i++)
		zero &= !record.bytes[i];
	ok(zero && i == end, "RESOLVE by FD: what pads the identity and the path is zero");
	is((unsigned char)record.bytes[needed], 0xff,
	   "RESOLVE by FD: nothing is written behind the record");

	size = needed - 8;
	memset(&record, 0xff, sizeof(record));
	fails(resolve(self, &size, &record), ENOSPC,
	      "RESOLVE by FD: a buffer that is too small is ENOSPC");
	is(size, needed, "RESOLVE by FD: and returns the size needed");
	is((unsigned char)record.bytes[0], 0xff, "RESOLVE by FD: and nothing is written");
	is(resolve(self, &size, &record), 0, "RESOLVE by FD: the size needed is enough");
	size = sizeof(record);
	fails(resolve(self, &size, (void *)-4096L), EFAULT,
	      "RESOLVE by FD: a bad address for the record is EFAULT");

	for (i = 0; i < sizeof(anything) / sizeof(anything[0]); i++) {
		snprintf(name, sizeof(name), "RESOLVE by FD: O_PATH has an answer of %s",
			 anything[i]);
		fd = open(anything[i], O_PATH | O_NOFOLLOW);
		size = sizeof(record);
		is(resolve(fd, &size, &record), 0, name);
		is(record.file.reason, BUILDID_REASON_NOT_READ,
		   "RESOLVE by FD: which opens nothing");
		close(fd);
	}
	fd = open("/proc/self/exe", O_PATH);
	size = sizeof(record);
	is(resolve(fd, &size, &record), 0, "RESOLVE by FD: O_PATH has an answer");
	is(record.file.reason, BUILDID_REASON_NOT_READ,
	   "RESOLVE by FD: which is not of the content");
	ok(!record.file.kind && !record.file.id_len && !record.file.file_id,
	   "RESOLVE by FD: though it is known");
	close(fd);

	if (pipe(pipes))
		err(1, "pipe");
	size = sizeof(record);
	is(resolve(pipes[0], &size, &record), 0, "RESOLVE by FD: a pipe has an answer");
	is(record.file.reason, BUILDID_REASON_NOT_REGULAR, "RESOLVE by FD: not regular");
	fd = open("/", O_RDONLY);
	size = sizeof(record);
	is(resolve(fd, &size, &record), 0, "RESOLVE by FD: a directory has an answer");
	is(record.file.reason, BUILDID_REASON_NOT_REGULAR, "RESOLVE by FD: not regular");
	close(fd);
	close(pipes[0]);
	close(pipes[1]);
}

static void test_resolve_key(void)
{
	union argument argument = argument_of(RESOLVE_KEY);

	is(call(BUILDID_IOC_RESOLVE, &argument), 0, "RESOLVE by KEY: a file that was seen");
	is(record.file.header.size, argument.resolve.record_size,
	   "RESOLVE by KEY: returns the size");
	argument.resolve.record_size = 8;
	fails(call(BUILDID_IOC_RESOLVE, &argument), ENOSPC,
	      "RESOLVE by KEY: a buffer that is too small is ENOSPC");
	is(argument.resolve.record_size, record.file.header.size,
	   "RESOLVE by KEY: and returns the size needed");
	argument.resolve.generation++;
	fails(call(BUILDID_IOC_RESOLVE, &argument), ENOENT,
	      "RESOLVE by KEY: another generation is ENOENT");
	argument.resolve.flags = BUILDID_KEY_ANY_GENERATION;
	fails(call(BUILDID_IOC_RESOLVE, &argument), EINVAL,
	      "RESOLVE by KEY: one generation and any is EINVAL");
	argument.resolve.generation = 0;
	argument.resolve.tree = 1;
	fails(call(BUILDID_IOC_RESOLVE, &argument), ENOENT,
	      "RESOLVE by KEY: another tree is ENOENT");
	argument.resolve.flags |= BUILDID_KEY_ANY_TREE;
	fails(call(BUILDID_IOC_RESOLVE, &argument), EINVAL,
	      "RESOLVE by KEY: one tree and any is EINVAL");
	argument.resolve.tree = 0;
	argument.resolve.record_size = sizeof(record);
	is(call(BUILDID_IOC_RESOLVE, &argument), 0,
	   "RESOLVE by KEY: unless any generation will do");
}

static void test_resolve_id(void)
{
	union argument argument = argument_of(RESOLVE_ID);

	is(call(BUILDID_IOC_RESOLVE, &argument), 0, "RESOLVE by ID: a file that was seen");
	is(record.file.header.size, argument.resolve.record_size,
	   "RESOLVE by ID: returns the size");
	ok(record.file.file_id == argument.resolve.file_id,
	   "RESOLVE by ID: and is of that version");
	argument.resolve.record_size = 8;
	fails(call(BUILDID_IOC_RESOLVE, &argument), ENOSPC,
	      "RESOLVE by ID: a buffer that is too small is ENOSPC");
	is(argument.resolve.record_size, record.file.header.size,
	   "RESOLVE by ID: and returns the size needed");
	argument.resolve.file_id = 0;
	fails(call(BUILDID_IOC_RESOLVE, &argument), ENOENT, "RESOLVE by ID: 0 is ENOENT");
	argument.resolve.file_id = ~0ULL;
	fails(call(BUILDID_IOC_RESOLVE, &argument), ENOENT,
	      "RESOLVE by ID: what was never sent is ENOENT");
}

static void test_resolve_addr(void)
{
	union argument argument = argument_of(RESOLVE_ADDR);
	__u64 start_time;

	is(call(BUILDID_IOC_RESOLVE, &argument), 0, "RESOLVE by ADDR: its own code");
	start_time = argument.resolve.start_time;
	ok(start_time, "RESOLVE by ADDR: returns when the process started");
	argument.resolve.record_size = sizeof(record);
	is(call(BUILDID_IOC_RESOLVE, &argument), 0,
	   "RESOLVE by ADDR: the struct can be used again as it is");
	ok(argument.resolve.start_time == start_time, "RESOLVE by ADDR: of the same process");
	argument.resolve.record_size = sizeof(record);
	argument.resolve.start_time++;
	fails(call(BUILDID_IOC_RESOLVE, &argument), ESRCH,
	      "RESOLVE by ADDR: a process of another start_time is ESRCH");
	argument = argument_of(RESOLVE_ADDR);
	call(BUILDID_IOC_RESOLVE, &argument);
	is(record.file.header.size, argument.resolve.record_size,
	   "RESOLVE by ADDR: returns the size");
	argument.resolve.record_size = 8;
	fails(call(BUILDID_IOC_RESOLVE, &argument), ENOSPC,
	      "RESOLVE by ADDR: a buffer that is too small is ENOSPC");
	is(argument.resolve.record_size, record.file.header.size,
	   "RESOLVE by ADDR: and returns the size needed");
	argument = argument_of(RESOLVE_ADDR);
	argument.resolve.addr = (unsigned long)&argument;
	fails(call(BUILDID_IOC_RESOLVE, &argument), ENOENT,
	      "RESOLVE by ADDR: where no file is mapped is ENOENT");
	argument.resolve.pid = NO_SUCH_PID;
	fails(call(BUILDID_IOC_RESOLVE, &argument), ESRCH,
	      "RESOLVE by ADDR: a process that never was is ESRCH");
}

/* Each field of another way to name a file, and each way that there is not. */
static void test_resolve_fields(void)
{
	static const struct {
		const char *name;
		size_t at;
		int owner; /* the way that has it */
	} fields[] = {
#define FIELD(field, owner) { #field, offsetof(struct buildid_resolve, field), owner }
		FIELD(fd, RESOLVE_FD),		 FIELD(pid, RESOLVE_ADDR),
		FIELD(file_id, RESOLVE_ID),	 FIELD(addr, RESOLVE_ADDR),
		FIELD(start_time, RESOLVE_ADDR), FIELD(dev_major, RESOLVE_KEY),
		FIELD(dev_minor, RESOLVE_KEY),	 FIELD(ino, RESOLVE_KEY),
		FIELD(tree, RESOLVE_KEY),	 FIELD(generation, RESOLVE_KEY),
		FIELD(offset, RESOLVE_ADDR),
	};
	static const int ways[] = { RESOLVE_FD, RESOLVE_KEY, RESOLVE_ID, RESOLVE_ADDR };
	union argument argument;
	char name[128];
	size_t i, j;

	for (i = 0; i < 4 * sizeof(fields) / sizeof(fields[0]); i++) {
		j = i / 4;
		if (fields[j].owner == ways[i % 4])
			continue;
		argument = argument_of(ways[i % 4]);
		argument.bytes[fields[j].at + 3] = 1;
		snprintf(name, sizeof(name), "%s: %s is EINVAL", requests[ways[i % 4]].name,
			 fields[j].name);
		fails(call(BUILDID_IOC_RESOLVE, &argument), EINVAL, name);
	}
	for (i = 0; i < 4; i++) {
		if (ways[i] == RESOLVE_KEY)
			continue;
		argument = argument_of(ways[i]);
		argument.resolve.flags = BUILDID_KEY_ANY_TREE;
		fails(call(BUILDID_IOC_RESOLVE, &argument), EINVAL,
		      "RESOLVE: a flag of KEY without that is EINVAL");
	}
	argument = argument_of(RESOLVE_FD);
	argument.resolve.by = 0;
	fails(call(BUILDID_IOC_RESOLVE, &argument), EINVAL, "RESOLVE: by nothing is EINVAL");
	argument.resolve.by = BUILDID_BY_ADDR + 1;
	fails(call(BUILDID_IOC_RESOLVE, &argument), EINVAL, "RESOLVE: by what is not is EINVAL");
}

static void test_maps(void)
{
	union argument argument = argument_of(MAPS);
	const struct buildid_record *first = (const void *)records;

	is(call(BUILDID_IOC_MAPS, &argument), 0, "MAPS: of itself");
	ok(argument.maps.bytes > sizeof(struct buildid_file) &&
		   argument.maps.bytes <= sizeof(records),
	   "MAPS: returns the bytes used");
	ok(first->type == BUILDID_RECORD_FILE && first->flags == BUILDID_RECORD_SNAPSHOT &&
		   !first->seq,
	   "MAPS: the first is a FILE, marked as SNAPSHOT");
	argument = argument_of(MAPS);
	argument.maps.bytes--;
	fails(call(BUILDID_IOC_MAPS, &argument), EINVAL,
	      "MAPS: less room than two records may take is EINVAL");
	argument = argument_of(MAPS);
	argument.maps.records = -4096L;
	fails(call(BUILDID_IOC_MAPS, &argument), EFAULT, "MAPS: a bad address is EFAULT");
	argument = argument_of(MAPS);
	argument.maps.pid = NO_SUCH_PID;
	fails(call(BUILDID_IOC_MAPS, &argument), ESRCH, "MAPS: a pid that is not there is ESRCH");
}

static void test_history(void)
{
	union argument argument = argument_of(HISTORY);
	const struct buildid_record *first = (const void *)records;

	/* the cache was flushed, and with it what the history needs */
	munmap(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, self, 0), 4096);
	is(call(BUILDID_IOC_HISTORY, &argument), 0, "HISTORY: of all");
	ok(argument.history.bytes > sizeof(struct buildid_file) &&
		   argument.history.bytes <= sizeof(records),
	   "HISTORY: returns the bytes used");
	ok(first->flags == BUILDID_RECORD_SNAPSHOT && !first->seq,
	   "HISTORY: the first is marked as SNAPSHOT");
	argument = argument_of(HISTORY);
	argument.history.bytes--;
	fails(call(BUILDID_IOC_HISTORY, &argument), EINVAL,
	      "HISTORY: less room than two records may take is EINVAL");
	argument = argument_of(HISTORY);
	argument.history.cursor = 1;
	fails(call(BUILDID_IOC_HISTORY, &argument), EINVAL, "HISTORY: a bad cursor is EINVAL");
	argument = argument_of(HISTORY);
	argument.history.records = -4096L;
	fails(call(BUILDID_IOC_HISTORY, &argument), EFAULT, "HISTORY: a bad address is EFAULT");
	argument = argument_of(HISTORY);
	argument.history.pid = NO_SUCH_PID;
	is(call(BUILDID_IOC_HISTORY, &argument), 0, "HISTORY: of a process that never was");
	ok(!argument.history.bytes && argument.history.cursor == BUILDID_MAPS_END,
	   "HISTORY: ... is empty");
}

static void bad_subscribe(struct buildid_subscribe subscribe, int error, const char *name)
{
	int fd = open_device(0);
	char byte;

	subscribe.size = sizeof(subscribe);
	fails(ioctl(fd, BUILDID_IOC_SUBSCRIBE, &subscribe), error, name);
	fails(read(fd, &byte, 1), ENXIO, "SUBSCRIBE: ... and leaves no ring behind");
	close(fd);
}

static void test_subscribe(void)
{
	struct buildid_subscribe subscribe = { .size = sizeof(subscribe) };
	__u32 nobody[] = { NO_SUCH_PID };
	int fd = open_device(0);

	bad_subscribe((struct buildid_subscribe){ .ring_size = RING + 8 }, EINVAL,
		      "SUBSCRIBE: a ring_size that is no power of two is EINVAL");
	bad_subscribe((struct buildid_subscribe){ .ring_size = RING / 2 }, EINVAL,
		      "SUBSCRIBE: a ring_size of less than ring_min is EINVAL");
	bad_subscribe((struct buildid_subscribe){ .ring_size = 1U << 31 }, EINVAL,
		      "SUBSCRIBE: a ring_size over ring_max is EINVAL");
	bad_subscribe((struct buildid_subscribe){ .ring_size = RING, .watermark = RING }, EINVAL,
		      "SUBSCRIBE: a watermark of all the ring is EINVAL");
	bad_subscribe((struct buildid_subscribe){ .nr_pids = BUILDID_SUB_PIDS_MAX + 1,
						  .pids = (unsigned long)nobody },
		      EINVAL, "SUBSCRIBE: more pids than the maximum is EINVAL");
	bad_subscribe((struct buildid_subscribe){ .nr_pids = 1 }, EFAULT,
		      "SUBSCRIBE: a bad address of the pids is EFAULT");
	bad_subscribe((struct buildid_subscribe){ .nr_pids = 1, .pids = (unsigned long)nobody },
		      ESRCH, "SUBSCRIBE: a pid that is not there is ESRCH");

	bad_subscribe((struct buildid_subscribe){ .uid = 1 }, EINVAL,
		      "SUBSCRIBE: a uid without its flag is EINVAL");
	bad_subscribe((struct buildid_subscribe){ .cgroup_fd = self }, EINVAL,
		      "SUBSCRIBE: a cgroup_fd without its flag is EINVAL");
	bad_subscribe((struct buildid_subscribe){ .cgroup_fd = -1, .flags = BUILDID_SUB_CGROUP },
		      EBADF, "SUBSCRIBE: a cgroup_fd that is not open is EBADF");
	bad_subscribe((struct buildid_subscribe){ .cgroup_fd = self, .flags = BUILDID_SUB_CGROUP },
		      EBADF, "SUBSCRIBE: a cgroup_fd that is no cgroup is EBADF");

	is(ioctl(fd, BUILDID_IOC_SUBSCRIBE, &subscribe), 0, "SUBSCRIBE: succeeds");
	is(subscribe.ring_size, 1 << 20, "SUBSCRIBE: returns the size of the ring");
	fails(ioctl(fd, BUILDID_IOC_SUBSCRIBE, &subscribe), EBUSY,
	      "SUBSCRIBE: a second time is EBUSY");
	close(fd);
}

static void test_read(void)
{
	struct pollfd polled = { .events = POLLIN };
	void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open_device(O_NONBLOCK);
	const struct buildid_file *file;
	long size;

	fails(read(fd, &record, sizeof(record)), ENXIO, "read: before SUBSCRIBE it is ENXIO");
	polled.fd = fd;
	poll(&polled, 1, 0);
	is(polled.revents, POLLERR, "poll: before SUBSCRIBE it is POLLERR");
	is(subscribe_self(fd, RING, 0), 0, "SUBSCRIBE: to itself succeeds");
	fails(read(fd, &record, sizeof(record)), EAGAIN,
	      "read: O_NONBLOCK and no record is EAGAIN");
	is(poll(&polled, 1, 0), 0, "poll: without a record it is not readable");

	map_times(2);
	is(poll(&polled, 1, -1), 1, "poll: with one it is");
	is(polled.revents, POLLIN, "poll: and says POLLIN");
	fails(read(fd, &record, 16), EMSGSIZE,
	      "read: a buffer that is too small for a record is EMSGSIZE");
	size = read(fd, &record, sizeof(record.file) + BUILDID_ID_MAX + 512);
	ok(size > 0 && record.mmap.header.type == BUILDID_RECORD_MMAP &&
		   record.mmap.header.seq == 1 && record.mmap.state == BUILDID_STATE_FOLLOWS,
	   "read: and loses none: an MMAP is the first");
	file = (const void *)(record.bytes + sizeof(record.mmap));
	ok(size > 0 && file->header.type == BUILDID_RECORD_FILE &&
		   file->header.size + 2 * sizeof(record.mmap) == (size_t)size,
	   "read: its FILE and the other MMAP follow, whole");
	fails(read(fd, &record, sizeof(record)), EAGAIN, "read: all was read then");
	map_once();
	fails(read(fd, hole, 4096), EFAULT, "read: a bad address is EFAULT");
	is(read(fd, &record, sizeof(record)), sizeof(struct buildid_mmap),
	   "read: and loses no record");
	close(fd);
}

/* ----------------------------------------------------------- who may what -- */

#define NONE	  0ULL
#define CAP(name) (1ULL << CAP_##name)

static void drop_to(__u64 capabilities)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = (__u32)capabilities, .permitted = (__u32)capabilities },
		{ .effective = capabilities >> 32, .permitted = capabilities >> 32 },
	};

	if (prctl(PR_SET_KEEPCAPS, 1) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY) || syscall(SYS_capset, &header, data))
		err(1, "dropping privileges");
}

/* 0 or the errno of @attempt, made with these capabilities and no other right. */
static int try_as(__u64 capabilities, int (*attempt)(void))
{
	int status;

	if (!fork()) {
		drop_to(capabilities);
		_exit(attempt() < 0 ? errno : 0);
	}
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int watch(const __u32 *pids, __u32 nr_pids)
{
	struct buildid_subscribe subscribe = {
		.size = sizeof(subscribe),
		.pids = (unsigned long)pids,
		.nr_pids = nr_pids,
	};

	return call(BUILDID_IOC_SUBSCRIBE, &subscribe);
}

static int watch_all(void)
{
	return watch(NULL, 0);
}

static int watch_self(void)
{
	__u32 pids[] = { (__u32)getpid() };

	return watch(pids, 1);
}

static int watch_parent(void)
{
	__u32 pids[] = { (__u32)getppid() };

	return watch(pids, 1);
}

static int maps_of(pid_t pid)
{
	union argument argument = argument_of(MAPS);

	argument.maps.pid = (__u32)pid;
	return call(BUILDID_IOC_MAPS, &argument);
}

static int maps_of_self(void)
{
	return maps_of(getpid());
}

static int maps_of_parent(void)
{
	return maps_of(getppid());
}

static int address_in(pid_t pid)
{
	union argument argument = argument_of(RESOLVE_ADDR);

	argument.resolve.pid = (__u32)pid;
	return call(BUILDID_IOC_RESOLVE, &argument);
}

static int address_in_self(void)
{
	return address_in(getpid());
}

static int address_in_parent(void)
{
	return address_in(getppid());
}

static int address_in_the_past(void)
{
	return address_in(NO_SUCH_PID);
}

static int resolve_key(void)
{
	union argument argument = argument_of(RESOLVE_KEY);

	return call(BUILDID_IOC_RESOLVE, &argument);
}

static int resolve_id(void)
{
	union argument argument = argument_of(RESOLVE_ID);

	return call(BUILDID_IOC_RESOLVE, &argument);
}

static int history(void)
{
	union argument argument = argument_of(HISTORY);

	return call(BUILDID_IOC_HISTORY, &argument);
}

static int flush(void)
{
	union argument argument = argument_of(FLUSH);

	return call(BUILDID_IOC_FLUSH, &argument);
}

static int resolve_self(void)
{
	__u32 size = sizeof(record);

	return resolve(self, &size, &record);
}

static int just_open(void)
{
	return open(BUILDID_DEVICE, O_RDWR);
}

static int ask_info(void)
{
	union argument argument = argument_of(INFO);

	return call(BUILDID_IOC_INFO, &argument);
}

static int ask_stats(void)
{
	union argument argument = argument_of(STATS);

	return call(BUILDID_IOC_STATS, &argument);
}

static int watch_all_as_root_of_a_namespace(void)
{
	return unshare(CLONE_NEWUSER) ? -1 : watch_all();
}

static int opened_before;

static int watch_all_with_a_device_opened_before(void)
{
	struct buildid_subscribe subscribe = { .size = sizeof(subscribe) };

	return ioctl(opened_before, BUILDID_IOC_SUBSCRIBE, &subscribe);
}

static void test_rights(void)
{
	struct stat stat_;

	ok(!stat(BUILDID_DEVICE, &stat_) && (stat_.st_mode & 07777) == 0600 && !stat_.st_uid,
	   "the device has mode 0600 and is root's");
	is(try_as(NONE, just_open), EACCES, "nobody cannot open it");

	chmod(BUILDID_DEVICE, 0666);
	opened_before = open_device(0);
	is(try_as(NONE, ask_info), 0, "who can open it may ask for INFO");
	is(try_as(NONE, ask_stats), 0, "who can open it may ask for STATS");
	is(try_as(NONE, resolve_self), 0, "who can open it may RESOLVE by FD");
	is(try_as(NONE, watch_self), EPERM, "... and not watch, not even itself");
	is(try_as(NONE, watch_all), EPERM, "... nor all");
	is(try_as(NONE, watch_all_with_a_device_opened_before), EPERM,
	   "... nor all with a device that root opened");
	is(try_as(NONE, maps_of_self), 0, "who can open it may have MAPS of itself");
	is(try_as(NONE, maps_of_parent), EPERM, "... and of no other process");
	is(try_as(NONE, address_in_self), 0, "who can open it may RESOLVE by ADDR in itself");
	is(try_as(NONE, address_in_parent), EPERM, "... and in no other process");
	is(try_as(NONE, address_in_the_past), EPERM, "... nor in one that has exited");
	is(try_as(NONE, resolve_key), EPERM, "... nor RESOLVE by KEY");
	is(try_as(NONE, resolve_id), EPERM, "... nor RESOLVE by ID");
	is(try_as(NONE, history), EPERM, "... nor HISTORY");
	is(try_as(NONE, flush), EPERM, "... nor FLUSH");
	is(try_as(NONE, watch_all_as_root_of_a_namespace), EPERM,
	   "all capabilities in another user namespace do not help");
	is(try_as(CAP(PERFMON), watch_all), 0, "CAP_PERFMON alone may watch all");
	is(try_as(CAP(PERFMON), watch_parent), 0, "... and another process");
	is(try_as(CAP(PERFMON), maps_of_parent), 0, "... and have MAPS of it");
	is(try_as(CAP(PERFMON), address_in_parent), 0, "... and RESOLVE by ADDR in it");
	is(try_as(CAP(PERFMON), resolve_key), 0, "... and RESOLVE by KEY");
	is(try_as(CAP(PERFMON), resolve_id), 0, "... and RESOLVE by ID");
	is(try_as(CAP(PERFMON), history), 0, "... and HISTORY");
	is(try_as(CAP(PERFMON), flush), EPERM, "... and not FLUSH");
	is(try_as(CAP(SYS_ADMIN), watch_all), 0, "CAP_SYS_ADMIN alone may watch all");
	is(try_as(CAP(SYS_ADMIN), flush), 0, "... and FLUSH");
	chmod(BUILDID_DEVICE, 0600);
	close(opened_before);
}

int main(void)
{
	self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	test_structs();
	test_numbers();
	test_info();
	test_resolve();
	test_resolve_key();
	test_resolve_id();
	test_resolve_addr();
	test_resolve_fields();
	test_maps();
	test_history();
	test_subscribe();
	test_read();
	test_rights();
	return tap_end();
}
