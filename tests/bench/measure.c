// SPDX-License-Identifier: GPL-2.0
/* Measure: batches of instructions, counted by the emulator, printed as JSON. */

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

#define WINDOW_NS     48000000ULL
#define SERIES	      64
#define SERIES_VALUES 4096

static struct {
	const char *name;
	unsigned int of;
	unsigned int count;
	uint64_t values[SERIES_VALUES];
} series[SERIES];

static int quiet_socket[2];
static pid_t idler;
static clockid_t idler_clock;

void die(const char *format, ...)
{
	int err = errno;
	va_list args;

	va_start(args, format);
	fputs("bench: ", stderr);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, " (errno %d: %s)\n", err, strerror(err));
	exit(1);
}

/* Two instructions a turn. */
static uint64_t count_loop(uint64_t turns)
{
	uint64_t start = counter();

	asm volatile("1: dec %0; jnz 1b" : "+r"(turns) : : "cc");
	return counter() - start;
}

static void check_counter(void)
{
	uint64_t least = UINT64_MAX;
	int i;

	for (i = 0; i < 16; i++) {
		uint64_t n = count_loop(10000);

		least = n < least ? n : least;
	}
	errno = 0;
	if (least < 20000 || least > 20100)
		die("20,000 instructions count as %" PRIu64 ": this needs scripts/vm --icount",
		    least);
}

static void write_proc(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		die("%s", path);
}

/* Runs when nobody else has anything to do, so that time never jumps. */
static void start_idler(void)
{
	volatile uint64_t spins = 0;

	idler = fork();
	if (idler < 0)
		die("fork");
	if (!idler) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 }))
			_exit(1);
		for (;;)
			spins++;
	}
	if (clock_getcpuclockid(idler, &idler_clock))
		die("clock of a process");
	if (kill(idler, SIGSTOP))
		die("kill");
}

void measure_init(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		die("sched_setaffinity");
	start_idler();
	if (mlockall(MCL_CURRENT))
		die("mlockall");
	write_proc("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	if (sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ 1 }))
		die("sched_setscheduler");
	check_counter();
}

void settle(void)
{
	/* this timeout, unlike that of other calls, is a number of ticks */
	static const struct timeval two_ticks = { .tv_usec = 8000 };
	char byte;

	if (!quiet_socket[0] &&
	    (socketpair(AF_UNIX, SOCK_DGRAM, 0, quiet_socket) ||
	     setsockopt(quiet_socket[0], SOL_SOCKET, SO_RCVTIMEO, &two_ticks, sizeof(two_ticks))))
		die("socketpair");
	if (recv(quiet_socket[0], &byte, 1, 0) >= 0 || errno != EAGAIN)
		die("recv of nothing");
}

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now))
		die("clock_gettime");
	return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t window(void (*work)(void *arg), void (*after)(void *arg), void *arg)
{
	uint64_t start, idle, end;
	struct timespec until;

	settle();
	kill(idler, SIGCONT);
	idle = nanoseconds(idler_clock);
	start = nanoseconds(CLOCK_MONOTONIC);
	work(arg);
	until.tv_sec = (start + WINDOW_NS) / 1000000000;
	until.tv_nsec = (start + WINDOW_NS) % 1000000000;
	if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		die("clock_nanosleep");
	if (after)
		after(arg);
	end = nanoseconds(CLOCK_MONOTONIC);
	idle = nanoseconds(idler_clock) - idle;
	kill(idler, SIGSTOP);
	return end - start - idle;
}

void series_add(const char *name, unsigned int of, uint64_t value)
{
	int i;

	for (i = 0; i < SERIES && series[i].name; i++)
		if (!strcmp(series[i].name, name))
			break;
	if (i == SERIES || series[i].count == SERIES_VALUES)
		die("%s: no room for a value", name);
	series[i].name = name;
	series[i].of = of;
	series[i].values[series[i].count++] = value;
}

void series_print(void)
{
	unsigned int j;
	int i;

	for (i = 0; i < SERIES && series[i].name; i++) {
		printf("{\"series\": \"%s\", \"of\": %u, \"values\": [", series[i].name,
		       series[i].of);
		for (j = 0; j < series[i].count; j++)
			printf("%s%" PRIu64, j ? ", " : "", series[i].values[j]);
		printf("]}\n");
	}
}

void number_print(const char *name, double value)
{
	printf("{\"number\": \"%s\", \"value\": %.17g}\n", name, value);
}

void missing_print(const char *name)
{
	printf("{\"missing\": \"%s\"}\n", name);
}
