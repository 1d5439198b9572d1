// SPDX-License-Identifier: GPL-2.0
/*
 * perf.data of any content, read, listed and annotated, under sanitizers.
 *
 *	perfdata_fuzz [-n ITERATIONS]	as TAP: perf.data of all shapes, and
 *					mutations of them
 *	perfdata_fuzz -w DIRECTORY	write these shapes, as seeds
 *
 * Mutations follow from their number alone: the same ones every time. Built with
 * LIBFUZZER it is that fuzzer's target instead, with arguments of its own.
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "make_perfdata.h"
#include "perfdata/rewrite.h"

#define SHAPES 32

/* What is being looked at, should that be the end. */
static const unsigned char *current;
static size_t current_size;

static void save_current(int number)
{
	static const char name[] = "perfdata_fuzz.crash";
	FILE *file = fopen(name, "w");

	(void)number;
	if (!file)
		return;
	fwrite(current, 1, current_size, file);
	fclose(file);
	fprintf(stderr, "perfdata_fuzz: the perf.data is in %s\n", name);
}

/* An end by abort() is one that leaves it behind. */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
	return "abort_on_error=1";
}

const char *__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

/* Some of all answers there are. */
static void identify(void *context, const struct perfdata_mapping *mapping,
		     struct perfdata_identity *identity)
{
	(void)context;
	if (mapping->start & 0x1000) {
		identity->id.size = mapping->len & 8 ? 20 : 8;
		memset(identity->id.bytes, (int)(mapping->start >> 13), identity->id.size);
	} else {
		identity->known = mapping->pid & 1;
		identity->reason = "none";
	}
}

static void report(void *context, const char *path, uint64_t missing, uint64_t all,
		   const char *reason)
{
	(void)context;
	if (strlen(path) + strlen(reason) == 0 || !missing || missing > all)
		abort();
}

static void annotate(struct perfdata *data, const char *output)
{
	static const struct perfdata_module_event loads[] = {
		{ .time = 120, .start = 1, .len = 2, .path = "[a]", .id = { .size = 20 } },
		{ .time = 1ULL << 60, .start = 1, .len = 2, .path = "[b]" },
	};
	const struct perfdata_annotator annotator = {
		.identify = identify,
		.report = report,
		.module_events = loads,
		.nr_module_events = 2,
	};
	struct perfdata_counts counts;

	perfdata_rewrite(data, output, &annotator, &counts);
}

/* What was written can be read, or is none. */
static void look_at(const char *path, const char *output)
{
	struct perfdata *data = perfdata_open(path);
	const struct perfdata_dso *dsos;
	struct perfdata_mapping mapping;
	int count, i;

	if (!data)
		abort();
	count = perfdata_dsos(data, &dsos);
	for (i = 0; i < count; i++)
		if (dsos[i].id.size > PERFDATA_ID_MAX || !dsos[i].path)
			abort();
	perfdata_rewind(data);
	while (perfdata_next_mapping(data, &mapping) > 0)
		if (mapping.id.size > PERFDATA_ID_MAX || strlen(mapping.path) > 65536)
			abort();
	if (output && !perfdata_error(data))
		annotate(data, output);
	if (output && !perfdata_error(data))
		look_at(output, NULL);
	perfdata_close(data);
}

static void one(const unsigned char *bytes, size_t size)
{
	static char output[64];
	char path[64];
	int fd = memfd_create("perf.data", 0);

	current = bytes;
	current_size = size;
	if (!*output)
		snprintf(output, sizeof(output), "/dev/shm/perfdata_fuzz.%d", getpid());
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		err(1, "memfd");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	look_at(path, output);
	unlink(output);
	close(fd);
}

#ifdef LIBFUZZER
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
	one(bytes, size);
	return 0;
}
#else
static struct make make;

static void make_shape(unsigned int number)
{
	static const unsigned char aux[100];

	memset(&make, 0, sizeof(make));
	make.clockid = number & 1 ? 1 : -1;
	make.pipe = number & 2;
	make.sample_type = number & 4 ? MAKE_SAMPLE | PERFDATA_SAMPLE_IDENTIFIER |
						PERFDATA_SAMPLE_CALLCHAIN | PERFDATA_SAMPLE_READ :
					MAKE_SAMPLE;
	make.other_attr = number & 4;
	make.aux = number & 8;
	make_entry(&make, PERFDATA_MISC_USER, 0x20, "/usr/bin/program");
	make_entry(&make, PERFDATA_MISC_KERNEL, 0x30, "[kernel.kallsyms]");
	make_begin(&make);
	make_mmap_event(&make, PERFDATA_MISC_KERNEL, UINT32_MAX, 0xffffffff81001000, 0x8, 0,
			"[kernel.kallsyms]_text");
	make_mmap_event(&make, PERFDATA_MISC_USER, 9, 0x401000, 0x1000, 0, "/old");
	make_mmap2_event(&make, 10, 0x401000, 0x1000, 0, 7, 0, "/usr/bin/program");
	make_mmap2_event(&make, 10, 0x7f0000001000, 0x2008, 0, 8, 100, "/usr/lib/library.so");
	make_task(&make, PERFDATA_FORK, 0, 11, 10, 110);
	make_sample(&make, PERFDATA_MISC_USER, 11, 150, 0x7f0000001010);
	make_task(&make, PERFDATA_COMM, PERFDATA_MISC_EXEC, 11, 0, 160);
	make_mmap2_event(&make, 11, 0x400000, 0x1000, 0, 9, 170, "/usr/lib/library.so");
	make_build_id(&make, PERFDATA_MISC_USER, 0x30, "/usr/bin/program");
	make_round(&make);
	if (make.aux)
		make_auxtrace(&make, aux, sizeof(aux));
	if (number & 16) {
		if (make.pipe)
			make.events += 8 + sizeof(struct perfdata_attr) + 8;
		make_pack(&make, number & 1 ? PERFDATA_COMPRESSED2 : PERFDATA_COMPRESSED, 90);
	}
	make_end(&make);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static size_t mutate(unsigned char *bytes, size_t size, uint64_t number)
{
	static const uint64_t values[] = {
		0,
		1,
		7,
		8,
		0x7f,
		0x80,
		0xff,
		0xffff,
		0x10000,
		UINT32_MAX,
		INT64_MAX,
		UINT64_MAX,
		104,
		16,
		PERFDATA_AUXTRACE,
		PERFDATA_COMPRESSED,
	};
	uint64_t state = number * 0x9e3779b97f4a7c15ULL + 1;
	unsigned int changes = 1 + (unsigned int)(next_random(&state) % 4);

	while (changes--) {
		uint64_t value = values[next_random(&state) % 16] + next_random(&state) % 3 - 1;
		size_t width = (size_t)1 << next_random(&state) % 4;
		size_t at = (size_t)(next_random(&state) % size);

		if (next_random(&state) % 16 == 0) {
			size = at + 1;
		} else if (width <= size - at) {
			memcpy(bytes + at, &value, width);
		}
	}
	return size;
}

static void write_seeds(const char *directory)
{
	unsigned int i;

	for (i = 0; i < SHAPES; i++) {
		char path[4096];
		FILE *file;

		make_shape(i);
		snprintf(path, sizeof(path), "%s/perfdata-%u", directory, i);
		file = fopen(path, "w");
		if (!file || fwrite(make.bytes, 1, make.size, file) != make.size || fclose(file))
			err(1, "%s", path);
	}
}

int main(int argc, char **argv)
{
	unsigned long iterations = 0, i;
	int option;

	while ((option = getopt(argc, argv, "n:w:")) != -1) {
		if (option == 'w') {
			write_seeds(optarg);
			return 0;
		}
		if (option != 'n')
			return 2;
		iterations = strtoul(optarg, NULL, 10);
	}
	signal(SIGABRT, save_current);
	signal(SIGSEGV, save_current);
	printf("1..2\n");
	for (i = 0; i < SHAPES; i++) {
		make_shape((unsigned int)i);
		one(make.bytes, make.size);
	}
	printf("ok 1 - perf.data of %d shapes\n", SHAPES);
	for (i = 0; i < iterations; i++) {
		make_shape((unsigned int)(i % SHAPES));
		one(make.bytes, mutate(make.bytes, make.size, i));
	}
	printf("ok 2 - %lu mutations of them\n", iterations);
	return 0;
}
#endif
