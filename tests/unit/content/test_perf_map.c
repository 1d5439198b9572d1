// SPDX-License-Identifier: GPL-2.0
/* Perf maps: of what was compiled to one place the last counts, whoever wrote the file. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "content/perf_map.h"
#include "streams.h"

static char path[64];
static FILE *file;
static struct perf_map *map;

static int set_up(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	file = fopen(path, "wx");
	return file ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	perf_map_free(map);
	return unlink(path);
}

static void add(uint64_t start, uint64_t size, unsigned int number)
{
	fprintf(file, "%" PRIx64 " %" PRIx64 " f%u\n", start, size, number);
}

static void read_map(void)
{
	assert_int_equal(fclose(file), 0);
	map = perf_map_read((uint32_t)getpid());
	assert_non_null(map);
}

static void assert_at(uint64_t addr, int number)
{
	const struct perf_map_entry *entry = perf_map_find(map, addr);

	if (number < 0 && !entry)
		return;
	if (!entry || number < 0 || atoi(entry->name + 1) != number ||
	    addr - entry->start >= entry->size)
		fail_msg("%" PRIx64 ": %s, not f%d", addr, entry ? entry->name : "none", number);
}

static void what_was_compiled_last_counts(void **state)
{
	(void)state;
	add(0x1000, 0x100, 0);
	add(0x1080, 0x10, 1); /* within */
	add(0x10f0, 0x20, 2); /* beyond its end */
	add(0x2000, 0x10, 3);
	add(0x1ff0, 0x100, 4); /* over all of it */
	add(0x3000, 0x10, 5);
	add(0x3000, 0x10, 6);
	add(0xfffffffffffffff0, 0xf, 7);
	add(0xfffffffffffffff0, 0x10, 8); /* no end */
	add(0x4000, 0, 9);
	fputs("5000 10\nxyz\n\n6000 10 f10", file); /* no name, no numbers, cut short */
	read_map();
	assert_at(0xfff, -1);
	assert_at(0x1000, 0);
	assert_at(0x107f, 0);
	assert_at(0x1080, 1);
	assert_at(0x108f, 1);
	assert_at(0x1090, 0);
	assert_at(0x10f0, 2);
	assert_at(0x110f, 2);
	assert_at(0x1110, -1);
	assert_at(0x1fef, -1);
	assert_at(0x2000, 4);
	assert_at(0x20ef, 4);
	assert_at(0x20f0, -1);
	assert_at(0x3008, 6);
	assert_at(0xfffffffffffffffe, 7);
	assert_at(0xffffffffffffffff, -1);
	assert_at(0x4000, -1);
	assert_at(0x6000, -1);
}

static void of_any_that_overlap_it_is_the_last(void **state)
{
	struct {
		uint64_t start, size;
	} all[500];
	uint64_t addr;
	int last, i;

	(void)state;
	srandom(1);
	for (i = 0; i < 500; i++) {
		all[i].start = 0x1000 + (uint64_t)(random() % 2000);
		all[i].size = 1 + (uint64_t)(random() % (random() % 8 ? 20 : 300));
		add(all[i].start, all[i].size, (unsigned int)i);
	}
	read_map();
	for (addr = 0xfff; addr < 0x1000 + 2400; addr++) {
		last = -1;
		for (i = 0; i < 500; i++)
			if (addr - all[i].start < all[i].size)
				last = i;
		assert_at(addr, last);
	}
}

static uint64_t cpu_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* As nobody's compiler does it, but anybody may. */
static void a_file_of_one_within_the_other_is_no_burden(void **state)
{
	const unsigned int count = 300000;
	uint64_t begin;
	unsigned int i;

	(void)state;
	add(0x1000000, 0x3fffffff, 0);
	for (i = 1; i < count; i++)
		add(0x1000000 + i, 1, i);
	read_map();
	begin = cpu_ms();
	for (i = 0; i < 10000; i++)
		assert_at(0x1000000 + 0x20000000 + i, 0);
	assert_in_range(cpu_ms() - begin, 0, 2000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(what_was_compiled_last_counts),
		TEST(of_any_that_overlap_it_is_the_last),
		TEST(a_file_of_one_within_the_other_is_no_burden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
