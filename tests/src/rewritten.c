// SPDX-License-Identifier: GPL-2.0
/*
 * rewritten CALLS
 *
 * Makes so many ioctls of each kind while another thread rewrites their struct. Fails when
 * anything around the struct or an answer is written to, or an answer is out of bounds.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <buildid.h>

#define GUARD 4096
#define ROOM  16384
#define FILL  0xa5
#define PAGE  4096

union request {
	struct buildid_info info;
	struct buildid_stats stats;
	struct buildid_maps maps;
	struct buildid_set_cookie cookie;
	uint32_t words[128];
};

static struct {
	uint8_t before[GUARD];
	union request request;
	uint8_t behind[GUARD];
} area;

static struct {
	uint8_t before[GUARD];
	uint8_t room[ROOM];
	uint8_t behind[GUARD];
} answer;

static uint8_t identity[0x10000];
static void *code;
static size_t words;	       /* of the struct that is in use */
static unsigned int room_word; /* the one that says how much room there is, or 0 */
static union request good;
static atomic_bool done;

/* What a check that is made twice would get wrong, word by word. */
static void *rewrite(void *unused)
{
	static const uint32_t bad[] = { 0, 1, 8, 128, 129, 0xffff, 0x20004, ~0U };
	unsigned int seed = 1, i, n;

	(void)unused;
	while (!done) {
		/* half of them among the first, which each ioctl looks at */
		i = (unsigned int)rand_r(&seed) % (rand_r(&seed) % 2 ? 4 : (unsigned int)words);
		/* more room than there is would be this program's fault */
		n = room_word && i == room_word ? 5 : 8;
		__atomic_store_n(&area.request.words[i], bad[(unsigned int)rand_r(&seed) % n],
				 __ATOMIC_RELAXED);
		/* an emulator does not stop between two stores */
		if (rand_r(&seed) % 8 == 0)
			sched_yield();
		__atomic_store_n(&area.request.words[i], good.words[i], __ATOMIC_RELAXED);
	}
	return NULL;
}

static void expect_filled(const uint8_t *bytes, const char *where)
{
	size_t i;

	for (i = 0; i < GUARD; i++)
		if (bytes[i] != FILL)
			errx(1, "written to %s, at %zu", where, i);
}

/* Whole records, and no more than there is room for. */
static void check_maps(void)
{
	const struct buildid_record *record;
	uint32_t at;

	for (at = 0; at + sizeof(*record) <= ROOM; at += record->size) {
		record = (const void *)(answer.room + at);
		if (record->size == 0xa5a5a5a5)
			return;
		if (record->size < sizeof(*record) || record->size % 8 || record->size > ROOM - at)
			errx(1, "a record of %u bytes at %u", record->size, at);
	}
}

static unsigned long run(int fd, unsigned long command, size_t size, unsigned long calls)
{
	unsigned long i, succeeded = 0;
	pthread_t thread;
	int result;

	memset(area.before, FILL, GUARD);
	memset(area.behind, FILL, GUARD);
	words = size / 4;
	area.request = good;
	/* what is behind the struct is zero, as a newer caller's may be */
	done = false;
	if (pthread_create(&thread, NULL, rewrite, NULL))
		errx(1, "pthread_create");
	for (i = 0; i < calls; i++) {
		memset(&answer, FILL, sizeof(answer));
		memcpy(&area.request, &good, size);
		/* one processor goes to the other thread, and comes back at some moment */
		if (i % 100 == 0)
			sched_yield();
		result = ioctl(fd, command, &area.request);
		if (result > 0 || (result < 0 && errno == ENOTTY))
			err(1, "result %d", result);
		succeeded += !result;
		if (!result && command == BUILDID_IOC_MAPS)
			check_maps();
		expect_filled(area.before, "what is before the struct");
		expect_filled(area.behind, "what is behind the struct");
		expect_filled(answer.before, "what is before the answer");
		expect_filled(answer.behind, "what is behind the answer");
	}
	done = true;
	pthread_join(thread, NULL);
	return succeeded;
}

int main(int argc, char **argv)
{
	unsigned long calls = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	int fd = open(BUILDID_DEVICE, O_RDWR);

	if (fd < 0)
		err(1, BUILDID_DEVICE);
	code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		err(1, "mmap");

	memset(&good, 0, sizeof(good));
	good.info.size = sizeof(good.info);
	printf("INFO %lu\n", run(fd, BUILDID_IOC_INFO, sizeof(good.info), calls));

	memset(&good, 0, sizeof(good));
	good.stats.size = sizeof(good.stats);
	printf("STATS %lu\n", run(fd, BUILDID_IOC_STATS, sizeof(good.stats), calls));

	memset(&good, 0, sizeof(good));
	good.cookie = (struct buildid_set_cookie){
		.size = sizeof(good.cookie),
		.kind = BUILDID_KIND_COOKIE,
		.id_len = 128,
		.addr = (uintptr_t)code,
		.len = PAGE,
		.id = (uintptr_t)identity,
	};
	printf("SET_COOKIE %lu\n", run(fd, BUILDID_IOC_SET_COOKIE, sizeof(good.cookie), calls));

	memset(&good, 0, sizeof(good));
	good.maps = (struct buildid_maps){
		.size = sizeof(good.maps),
		.pid = (uint32_t)getpid(),
		.bytes = ROOM,
		.records = (uintptr_t)answer.room,
	};
	room_word = offsetof(struct buildid_maps, bytes) / 4;
	printf("MAPS %lu\n", run(fd, BUILDID_IOC_MAPS, sizeof(good.maps), calls));
	return 0;
}
