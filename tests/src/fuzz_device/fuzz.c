// SPDX-License-Identifier: GPL-2.0
/*
 * usage: fuzz_device [--calls N] [--seed N] [--first ROUND] [--rounds N] [--racing]
 *                    [--faults] [--poison]
 *
 * Rounds of calls, and of each what fuzz.h says. With --faults some allocations and copies
 * fail, where the kernel can do that (FAULT_INJECTION); the caller confines it to the module.
 * With --poison nothing that is delivered may hold what the kernel or the compiler leaves in
 * memory that was not written. Prints "count NUMBER WHAT" and "finding ROUND CALL WHAT", and
 * to the kernel's log the round that begins.
 * Exit status: 1 with findings.
 */
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "fuzz.h"

#define CALLS_OF_ROUND	  500
#define THREADS		  4
#define FINDINGS_MAX	  20
#define NOBODY		  65534
#define FAULT_IN	  4
#define UNPRIVILEGED_IN	  8
#define FAULT_NTH_LARGEST 6

struct counts *counts;
struct options options = { .seed = 1 };
struct arena shared_records;
_Atomic bool stop;

/* -------------------------------------------------------------------- random -- */

/* splitmix64 */
uint64_t number(struct fuzz *f)
{
	uint64_t z = f->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

uint32_t below(struct fuzz *f, uint32_t n)
{
	return (uint32_t)(number(f) >> 32) % n;
}

bool one_in(struct fuzz *f, uint32_t n)
{
	return !below(f, n);
}

/* Ends of ranges, single bits, anything. */
uint64_t odd_number(struct fuzz *f)
{
	static const uint64_t ends[] = { 0,	     1,		 7,	    8,
					 4095,	     4096,	 4097,	    8192,
					 0x7fffffff, 0x80000000, ~0U,	    1ULL << 32,
					 1ULL << 63, ~0ULL,	 ~0ULL - 1, 1 << 20 };

	switch (below(f, 3)) {
	case 0:
		return ends[below(f, sizeof(ends) / sizeof(*ends))];
	case 1:
		return 1ULL << below(f, 64);
	default:
		return number(f) >> below(f, 64);
	}
}

/* Of nothing, not of user space, not to be written, and others that give EFAULT. */
void *odd_pointer(struct fuzz *f)
{
	switch (below(f, 7)) {
	case 0:
		return NULL;
	case 1:
		return (void *)1;
	case 2:
		return (void *)0xffff888000000000;
	case 3:
		return (void *)0x8000000000000000;
	case 4:
		return (void *)~7UL;
	case 5:
		return f->records.start + f->records.size + 8 * below(f, 16);
	default:
		return f->request.start + f->request.size + below(f, 64);
	}
}

/* -------------------------------------------------------------------- memory -- */

struct arena make_arena(size_t pages)
{
	uint8_t *at = mmap(NULL, (pages + 2) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || mprotect(at + PAGE, pages * PAGE, PROT_READ | PROT_WRITE))
		err(1, "arena");
	memset(at + PAGE, PATTERN, pages * PAGE);
	return (struct arena){ .start = at + PAGE, .size = pages * PAGE };
}

/* SLUB: freed, and in use; a freed page; gcc -ftrivial-auto-var-init=pattern. Four at a time. */
bool is_poison(const void *at, size_t size)
{
	static const uint8_t poisons[] = { 0x6b, 0x5a, 0xaa, 0xfe };
	const uint8_t *bytes = at;
	size_t i, n, run = 1;

	for (i = 1; i < size; i++) {
		run = bytes[i] == bytes[i - 1] ? run + 1 : 1;
		for (n = 0; run >= 4 && n < sizeof(poisons); n++)
			if (bytes[i] == poisons[n])
				return true;
	}
	return false;
}

void check_poison(struct fuzz *f, const void *at, size_t size, const char *what)
{
	if (options.poison && is_poison(at, size))
		finding(f, "%s has bytes that the kernel did not write", what);
}

/* ------------------------------------------------------------------- results -- */

void finding(struct fuzz *f, const char *format, ...)
{
	char text[512];
	va_list args;

	if (stop)
		return;
	stop = true;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	__atomic_add_fetch(&counts->findings, 1, __ATOMIC_RELAXED);
	printf("finding %u %u %s: %s\n", f->round, f->call, f->what, text);
	fflush(stdout);
}

void count_call(enum kind kind, long result)
{
	int error = result < 0 ? errno : 0;

	if (error >= ERRNOS)
		error = ERRNOS - 1;
	__atomic_add_fetch(&counts->calls[kind][error], 1, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ meetings -- */

static struct {
	_Atomic uint32_t running;	  /* calls */
	_Atomic uint32_t closing, closed; /* how often that has begun and ended */
} shared[DEVICES];

void begin_close(unsigned int device)
{
	shared[device].closing++;
}

void end_close(unsigned int device)
{
	shared[device].closed++;
}

bool is_in_use(unsigned int device)
{
	return shared[device].running;
}

struct meeting begin_meeting(unsigned int device)
{
	return (struct meeting){
		.device = device,
		.others = shared[device].running++,
		.closing = shared[device].closing,
	};
}

/* More closes have ended than had begun: one did both while the call ran. */
void end_meeting(const struct meeting *meeting, enum kind kind, bool success)
{
	uint32_t closed = shared[meeting->device].closed;

	shared[meeting->device].running--;
	if (meeting->others)
		__atomic_add_fetch(&counts->met[kind], 1, __ATOMIC_RELAXED);
	if (success && (int32_t)(closed - meeting->closing) > 0)
		__atomic_add_fetch(&counts->closed[kind], 1, __ATOMIC_RELAXED);
}

/* -------------------------------------------------------------------- faults -- */

/* Until end_faults() one of the thread's next allocations or copies fails. */
void begin_faults(struct fuzz *f)
{
	char text[16];
	int n;

	f->failed = false;
	if (f->fail_nth < 0 || !one_in(f, FAULT_IN))
		return;
	n = snprintf(text, sizeof(text), "%u", 1 + below(f, FAULT_NTH_LARGEST));
	if (pwrite(f->fail_nth, text, (size_t)n, 0) != n)
		err(1, "fail-nth");
	f->failed = true;
}

/* Keeps errno. */
void end_faults(struct fuzz *f)
{
	int error = errno;
	char text[16] = "";

	if (f->failed) {
		if (pread(f->fail_nth, text, sizeof(text) - 1, 0) < 0)
			err(1, "fail-nth");
		f->failed = !atoi(text);
		if (f->failed)
			__atomic_add_fetch(&counts->faults, 1, __ATOMIC_RELAXED);
		else if (pwrite(f->fail_nth, "0", 1, 0) != 1)
			err(1, "fail-nth");
	}
	errno = error;
}

/* -------------------------------------------------------------------- rounds -- */

static void one_call(struct fuzz *f)
{
	unsigned int what = below(f, 100);

	if (what < 52)
		fuzz_ioctl(f);
	else if (what < 54)
		fuzz_unknown_ioctl(f);
	else if (what < 64)
		fuzz_read(f);
	else if (what < 67)
		fuzz_poll(f);
	else if (what < 73)
		fuzz_mmap(f);
	else if (what < 78)
		fuzz_ring(f);
	else
		fuzz_netlink(f);
}

static void begin_thread(struct fuzz *f)
{
	f->state = options.seed * 0x2545f4914f6cdd1dULL + f->round * 64ULL + f->thread;
	f->request = make_arena(2);
	f->records = make_arena(16);
	f->read_only = make_arena(1);
	memset(f->read_only.start, 0, f->read_only.size);
	*(uint32_t *)f->read_only.start = sizeof(struct buildid_info);
	mprotect(f->read_only.start, f->read_only.size, PROT_READ);
	f->fail_nth = -1;
	if (options.faults)
		f->fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
}

static void calls(struct fuzz *f, unsigned int n)
{
	for (f->call = 0; f->call < n && !stop; f->call++) {
		if (one_in(f, 3))
			make_events(f);
		one_call(f);
	}
}

static void *racer(void *data)
{
	struct fuzz *f = data;

	begin_thread(f);
	calls(f, CALLS_OF_ROUND / THREADS);
	return NULL;
}

/* Until all have ended: one may wait for a record that does not come. */
static void race(struct fuzz *f)
{
	struct fuzz *threads = calloc(THREADS, sizeof(*threads));
	pthread_t ids[THREADS];
	unsigned int n;

	shared_records = make_arena(16);
	for (n = 0; n < THREADS; n++) {
		threads[n] = (struct fuzz){ .round = f->round, .thread = n };
		if (pthread_create(&ids[n], NULL, racer, &threads[n]))
			err(1, "thread");
	}
	for (n = 0; n < THREADS; n++) {
		while (pthread_tryjoin_np(ids[n], NULL)) {
			pthread_kill(ids[n], SIGUSR1);
			usleep(2000);
		}
	}
}

/* What was opened by root stays open. */
static void drop_rights(void)
{
	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		err(1, "setresuid");
}

static int run_round(unsigned int round)
{
	struct fuzz f = { .round = round };
	unsigned int n;

	begin_thread(&f);
	options.unprivileged = one_in(&f, UNPRIVILEGED_IN);
	for (n = 0; n < DEVICES; n++)
		open_device(&f, n);
	for (n = 0; n < SOCKETS; n++)
		open_socket(&f, n);
	for (n = 0; n < FILES; n++)
		open_file(&f, n);
	if (options.unprivileged)
		drop_rights();
	if (options.racing)
		race(&f);
	else
		calls(&f, CALLS_OF_ROUND);
	return stop;
}

/* dprintf() would seek, which kmsg refuses. */
static void log_round(unsigned int round)
{
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC), n;
	char text[128];

	n = snprintf(text, sizeof(text), "fuzz_device: round %u%s of seed %llu", round,
		     options.racing ? ", racing," : "", (unsigned long long)options.seed);
	if (fd < 0 || write(fd, text, (size_t)n) != n)
		err(1, "/dev/kmsg");
	close(fd);
}

static void fork_round(unsigned int round)
{
	struct fuzz f = { .round = round, .what = "round" };
	int status;
	pid_t pid;

	log_round(round);
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fflush(stdout);
		_exit(run_round(round));
	}
	if (waitpid(pid, &status, 0) != pid)
		err(1, "waitpid");
	if (WIFSIGNALED(status))
		finding(&f, "killed by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) && !counts->findings)
		errx(1, "round %u cannot be run", round);
	stop = false;
}

/* -------------------------------------------------------------------- report -- */

static const char *const kinds[KINDS] = {
	"INFO",
	"STATS",
	"RESOLVE_FD",
	"SUBSCRIBE",
	"FLUSH",
	"RESOLVE_KEY",
	"RESOLVE_ADDR",
	"MAPS",
	"SET_COOKIE",
	"RESOLVE_ID",
	"HISTORY",
	"unknown ioctl",
	"read",
	"poll",
	"mmap",
	"mapped ring",
	"netlink GET",
	"netlink dump",
	"netlink SUBSCRIBE",
	"other netlink message",
};

static const char *const record_types[RECORD_TYPES] = {
	[BUILDID_RECORD_FILE] = "FILE",	    [BUILDID_RECORD_MMAP] = "MMAP",
	[BUILDID_RECORD_KERNEL] = "KERNEL", [BUILDID_RECORD_MODULE] = "MODULE",
	[BUILDID_RECORD_COOKIE] = "COOKIE", [BUILDID_RECORD_LOST] = "LOST",
	[BUILDID_RECORD_FORK] = "FORK",	    [BUILDID_RECORD_EXEC] = "EXEC",
	[BUILDID_RECORD_EXIT] = "EXIT",	    [BUILDID_RECORD_COMM] = "COMM",
};

static void print_count(uint64_t n, const char *what, const char *more)
{
	printf("count %llu %s%s\n", (unsigned long long)n, what, more);
}

static void print_counts(void)
{
	uint64_t errors[ERRNOS] = {}, total = 0;
	unsigned int kind, error, type;

	for (kind = 0; kind < KINDS; kind++) {
		uint64_t sum = 0;

		for (error = 0; error < ERRNOS; error++) {
			sum += counts->calls[kind][error];
			errors[error] += counts->calls[kind][error];
		}
		total += sum;
		print_count(sum, kinds[kind], "");
		print_count(counts->calls[kind][0], kinds[kind], " succeeded");
		if (options.racing) {
			print_count(counts->met[kind], kinds[kind], " met another");
			print_count(counts->closed[kind], kinds[kind], " met a close");
		}
	}
	print_count(total, "calls", "");
	for (error = 1; error < ERRNOS; error++)
		if (errors[error])
			print_count(errors[error], strerrorname_np((int)error), "");
	for (type = 1; type < RECORD_TYPES; type++)
		print_count(counts->records[type], record_types[type], " records");
	print_count(counts->netlink_records, "records over netlink", "");
	print_count(counts->lost, "records lost", "");
	print_count(counts->faults, "faults injected", "");
}

/*
 * A subscription with TASKS for the whole run: with the first one the module has the kernel's
 * code patched, with the last one's end again, and QEMU is not safe with that while another of
 * its processors runs the same code.
 */
static void keep_probes(void)
{
	uint32_t self = (uint32_t)getpid();
	struct buildid_subscribe subscribe = {
		.size = sizeof(subscribe),
		.flags = BUILDID_SUB_TASKS,
		.ring_size = 2 * BUILDID_RECORD_MAX,
		.pids = (uintptr_t)&self,
		.nr_pids = 1,
	};
	int fd = open(BUILDID_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0 || (ioctl(fd, BUILDID_IOC_SUBSCRIBE, &subscribe) && errno != EOPNOTSUPP))
		err(1, BUILDID_DEVICE);
}

static void on_signal(int number_of)
{
	(void)number_of;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "calls", required_argument, NULL, 'c' },
		{ "seed", required_argument, NULL, 's' },
		{ "first", required_argument, NULL, 'f' },
		{ "rounds", required_argument, NULL, 'n' },
		{ "racing", no_argument, NULL, 'r' },
		{ "faults", no_argument, NULL, 'F' },
		{ "poison", no_argument, NULL, 'p' },
		{},
	};
	struct sigaction interrupt = { .sa_handler = on_signal };
	struct rlimit files = { 1024, 1024 };
	char directory[] = "/tmp/fuzz_device.XXXXXX";
	unsigned int first = 0, rounds = 1, round;
	int option;

	while ((option = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (option) {
		case 'c':
			rounds = (unsigned int)(strtoul(optarg, NULL, 0) / CALLS_OF_ROUND);
			break;
		case 's':
			options.seed = strtoull(optarg, NULL, 0);
			break;
		case 'f':
			first = (unsigned int)strtoul(optarg, NULL, 0);
			break;
		case 'n':
			rounds = (unsigned int)strtoul(optarg, NULL, 0);
			break;
		case 'r':
			options.racing = true;
			break;
		case 'F':
			options.faults = true;
			break;
		case 'p':
			options.poison = true;
			break;
		default:
			errx(1, "usage: see the top of fuzz.c");
		}
	}
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	options.directory = mkdtemp(directory);
	if (counts == MAP_FAILED || !options.directory || chmod(directory, 0755) ||
	    setrlimit(RLIMIT_NOFILE, &files) || sigaction(SIGUSR1, &interrupt, NULL))
		err(1, "%s", directory);
	if (!find_family())
		errx(1, "no netlink family " BUILDID_GENL_NAME);
	if (options.racing)
		keep_probes();
	for (round = first; round < first + rounds && counts->findings < FINDINGS_MAX; round++)
		fork_round(round);
	print_counts();
	return counts->findings > 0;
}
