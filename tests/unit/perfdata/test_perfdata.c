// SPDX-License-Identifier: GPL-2.0
/* perf.data: what is in it is found, of whatever shape it is. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "common/array.h"
#include "make_perfdata.h"
#include "memory.h"
#include "perfdata/build_ids.h"
#include "perfdata/perfdata.h"
#include "streams.h"

#define KERNEL PERFDATA_MISC_KERNEL
#define USER   PERFDATA_MISC_USER

static char path[] = "/tmp/buildid-perfdata.XXXXXX";
static struct make *make;

static int set_up(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd >= 0)
		close(fd);
	make = malloc(sizeof(*make));
	return fd < 0 || !make;
}

static int tear_down(void **state)
{
	(void)state;
	free(make);
	return unlink(path);
}

static int reset(void **state)
{
	(void)state;
	memset(make, 0, sizeof(*make));
	make->clockid = -1;
	return 0;
}

static void write_bytes(const char *to, size_t size)
{
	FILE *file = fopen(to, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(make->bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* A kernel, a program and its library, each with a sample. */
static void make_events(void)
{
	make_mmap_event(make, KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000000, 0,
			"[kernel.kallsyms]_text");
	make_mmap_event(make, KERNEL, UINT32_MAX, 0xffffffffc0000000, 0x4000, 0,
			"/lib/modules/6.1/kernel/a-b.ko.xz");
	make_mmap2_event(make, 10, 0x400000, 0x1000, 0x1000, 7, 0, "/usr/bin/program");
	make_mmap2_event(make, 10, 0x7f0000001000, 0x2000, 0, 8, 100, "/usr/lib/library.so");
	make_sample(make, USER, 10, 150, 0x7f0000001010);
	make_sample(make, KERNEL, 10, 160, 0xffffffff81000010);
	make_round(make);
}

static struct perfdata *open_made(void)
{
	struct perfdata *data;

	write_bytes(path, make->size);
	data = perfdata_open(path);
	assert_non_null(data);
	return data;
}

static void check_mappings(struct perfdata *data)
{
	struct perfdata_mapping mapping;

	assert_null(perfdata_error(data));
	assert_int_equal(perfdata_next_mapping(data, &mapping), 1);
	assert_string_equal(mapping.path, "[kernel.kallsyms]_text");
	assert_int_equal(mapping.kind, PERFDATA_KIND_KERNEL);
	assert_int_equal(mapping.pid, UINT32_MAX);
	assert_false(mapping.has_inode);

	assert_int_equal(perfdata_next_mapping(data, &mapping), 1);
	assert_int_equal(mapping.kind, PERFDATA_KIND_MODULE);

	assert_int_equal(perfdata_next_mapping(data, &mapping), 1);
	assert_string_equal(mapping.path, "/usr/bin/program");
	assert_int_equal(mapping.kind, PERFDATA_KIND_USER);
	assert_int_equal(mapping.time, 0);

	assert_int_equal(perfdata_next_mapping(data, &mapping), 1);
	assert_string_equal(mapping.path, "/usr/lib/library.so");
	assert_int_equal(mapping.pid, 10);
	assert_int_equal(mapping.start, 0x7f0000001000);
	assert_int_equal(mapping.len, 0x2000);
	assert_int_equal(mapping.time, make->no_ids ? 0 : 100);
	assert_true(mapping.has_inode);
	assert_int_equal(mapping.major, 8);
	assert_int_equal(mapping.minor, 1);
	assert_int_equal(mapping.ino, 8);
	assert_int_equal(mapping.id.size, 0);
	assert_int_equal(perfdata_next_mapping(data, &mapping), 0);
	assert_null(perfdata_error(data));
}

static void check_made(void)
{
	struct perfdata *data = open_made();

	check_mappings(data);
	/* Once more. */
	perfdata_rewind(data);
	check_mappings(data);
	perfdata_close(data);
}

static void make_all(void)
{
	make_begin(make);
	make_events();
	make_end(make);
}

static void mappings_of_a_file(void **state)
{
	(void)state;
	make_all();
	check_made();
}

static void mappings_of_a_stream(void **state)
{
	(void)state;
	make->pipe = true;
	make_all();
	check_made();
}

static void mappings_without_times(void **state)
{
	(void)state;
	make->no_ids = true;
	make_all();
	check_made();
}

static void mappings_with_an_identifier(void **state)
{
	(void)state;
	make->sample_type = MAKE_SAMPLE | PERFDATA_SAMPLE_IDENTIFIER;
	make->other_attr = true;
	make_all();
	check_made();
}

/* In records of any size, so that events straddle them everywhere. */
static void mappings_that_are_compressed(void **state)
{
	size_t size;

	(void)state;
	for (size = 1; size < 300; size++) {
		reset(NULL);
		make->pipe = size % 2;
		make_begin(make);
		make_events();
		/* Attrs are not. */
		if (make->pipe)
			make->events += 8 + sizeof(struct perfdata_attr) + 8;
		make_pack(make, size % 3 ? PERFDATA_COMPRESSED2 : PERFDATA_COMPRESSED, size);
		make_end(make);
		check_made();
	}
}

/* zstd's frames and perf's events may hold none. */
static void mappings_behind_compressed_nothing(void **state)
{
	static const struct perfdata_compressed2 nothing = {
		.event = { .type = PERFDATA_COMPRESSED2, .size = sizeof(nothing) },
	};
	struct perfdata_event event = { .type = PERFDATA_COMPRESSED };
	unsigned char packed[4096];
	size_t empty, size;

	(void)state;
	make_begin(make);
	make_events();
	empty = ZSTD_compress(packed, sizeof(packed), NULL, 0, 3);
	size = ZSTD_compress(packed + empty, sizeof(packed) - empty, make->bytes + make->events,
			     make->size - make->events, 3);
	assert_false(ZSTD_isError(empty) || ZSTD_isError(size));
	size += empty;
	make->size = make->events;
	make_raw(make, &nothing, sizeof(nothing));
	event.size = (uint16_t)(sizeof(event) + size);
	make_raw(make, &event, sizeof(event));
	make_raw(make, packed, size);
	make_end(make);
	check_made();
}

static int pipe_to_read[2];

static struct perfdata *open_pipe(void)
{
	char name[32];
	struct perfdata *data;

	snprintf(name, sizeof(name), "/dev/fd/%d", pipe_to_read[0]);
	data = perfdata_open(name);
	assert_non_null(data);
	close(pipe_to_read[0]);
	return data;
}

static void write_into_pipe(void)
{
	if (write(pipe_to_read[1], make->bytes, make->size) != (ssize_t)make->size)
		abort();
	close(pipe_to_read[1]);
}

static void take_note(int signal)
{
	(void)signal;
}

static void wait_until_it_sleeps(pid_t pid)
{
	const struct timespec soon = { .tv_nsec = 1000000 };
	char name[32], state = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/stat", pid);
	while (state != 'S') {
		nanosleep(&soon, NULL);
		file = fopen(name, "r");
		if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
			abort();
		fclose(file);
	}
}

/* Interrupt the reader of the pipe when it waits for the first byte, and once more. */
static pid_t interrupt_and_write(void)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	wait_until_it_sleeps(getppid());
	kill(getppid(), SIGALRM);
	wait_until_it_sleeps(getppid());
	write_into_pipe();
	_exit(0);
}

static void mappings_of_a_pipe_whose_reader_is_interrupted(void **state)
{
	struct sigaction action = { .sa_handler = take_note }, before;
	struct perfdata *data;
	pid_t child;
	int status;

	(void)state;
	make_all();
	assert_int_equal(pipe(pipe_to_read), 0);
	assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
	child = interrupt_and_write();
	close(pipe_to_read[1]);
	data = open_pipe();
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
	check_mappings(data);
	perfdata_close(data);
}

/* That nothing is left open is seen in the end, by descriptors.c. */
static void a_pipe_without_room_for_it_is_closed(void **state)
{
	struct rlimit before, limit;
	struct perfdata *data;

	(void)state;
	make_all();
	assert_int_equal(pipe(pipe_to_read), 0);
	write_into_pipe();
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 100;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	data = open_pipe();
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_string_equal(perfdata_error(data), "cannot be kept in TMPDIR: File too large");
	perfdata_close(data);
}

static void assert_error(const char *expected)
{
	struct perfdata *data = open_made();
	struct perfdata_mapping mapping;

	while (!perfdata_error(data) && perfdata_next_mapping(data, &mapping) > 0)
		;
	assert_non_null(perfdata_error(data));
	assert_string_equal(perfdata_error(data), expected);
	perfdata_close(data);
}

/* Their payload, and their ids, would not be bounded by the file. */
static void some_events_are_never_compressed(void **state)
{
	static const uint32_t types[] = {
		PERFDATA_ATTR,
		PERFDATA_TRACING_DATA,
		PERFDATA_AUXTRACE,
		PERFDATA_COMPRESSED,
	};
	char expected[80];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct perfdata_event event = { .type = types[i], .size = sizeof(event) };

		reset(NULL);
		make_begin(make);
		make_raw(make, &event, sizeof(event));
		make_pack(make, PERFDATA_COMPRESSED2, 100);
		make_end(make);
		snprintf(expected, sizeof(expected),
			 "damaged: an event that cannot be compressed at byte %zu", make->events);
		assert_error(expected);
	}
}

/* Each byte as the others, it is events: of a type, a misc and a size that this makes. */
static void what_is_meant_to_fill_the_disk_is_not_decompressed(void **state)
{
	static unsigned char packed[60000];
	const size_t size = 256U << 20;
	unsigned char *plain = malloc(size);
	struct perfdata_event event = { .type = PERFDATA_COMPRESSED };
	char expected[80];
	size_t done;

	(void)state;
	assert_non_null(plain);
	memset(plain, 0x10, size);
	done = ZSTD_compress(packed, sizeof(packed), plain, size, 3);
	free(plain);
	assert_false(ZSTD_isError(done));
	make_begin(make);
	event.size = (uint16_t)(sizeof(event) + done);
	make_raw(make, &event, sizeof(event));
	make_raw(make, packed, done);
	make_end(make);
	snprintf(expected, sizeof(expected),
		 "decompresses to more than 1000 times its size at byte %zu", make->events);
	assert_error(expected);
}

static void mappings_behind_aux_data(void **state)
{
	static const unsigned char bytes[100000];

	(void)state;
	make_begin(make);
	/* What looks like an event is not one. */
	make_auxtrace(make, bytes, sizeof(bytes));
	make_events();
	make_end(make);
	check_made();
}

static void mappings_of_a_directory(void **state)
{
	char directory[] = "/tmp/buildid-perfdata.XXXXXX";
	struct perfdata_mapping mapping;
	struct perfdata *data;
	char file[64];
	int i;

	(void)state;
	assert_non_null(mkdtemp(directory));
	make_begin(make);
	make_round(make);
	make_end(make);
	snprintf(file, sizeof(file), "%s/data", directory);
	write_bytes(file, make->size);
	for (i = 0; i < 11; i++) {
		reset(NULL);
		make->bare = true;
		make_begin(make);
		make_mmap2_event(make, 10 + (uint32_t)i, 0x400000, 0x1000, 0, 7, 5, "/a");
		snprintf(file, sizeof(file), "%s/data.%d", directory, i);
		write_bytes(file, make->size);
	}

	data = perfdata_open(directory);
	assert_non_null(data);
	for (i = 0; i < 11; i++) {
		assert_int_equal(perfdata_next_mapping(data, &mapping), 1);
		assert_int_equal(mapping.pid, 10 + i);
		assert_int_equal(mapping.time, 5);
	}
	assert_int_equal(perfdata_next_mapping(data, &mapping), 0);
	assert_null(perfdata_error(data));
	perfdata_close(data);

	/* One that nobody writes to. */
	snprintf(file, sizeof(file), "%s/data.%d", directory, i);
	assert_int_equal(mkfifo(file, 0600), 0);
	data = perfdata_open(directory);
	assert_string_equal(perfdata_error(data), "data.11: not a regular file");
	perfdata_close(data);
	snprintf(file, sizeof(file), "rm -r %s", directory);
	assert_int_equal(system(file), 0);
}

static void clocks_are_distinguished(void **state)
{
	static const struct {
		int clockid;
		enum perfdata_clock clock;
	} clocks[] = {
		{ -1, PERFDATA_CLOCK_PERF },
		{ CLOCK_MONOTONIC, PERFDATA_CLOCK_MONO },
		{ CLOCK_REALTIME, PERFDATA_CLOCK_OTHER },
	};
	struct perfdata *data;
	size_t i;

	(void)state;
	for (i = 0; i < 6; i++) {
		reset(NULL);
		make->clockid = clocks[i / 2].clockid;
		make->pipe = i % 2;
		make_all();
		data = open_made();
		assert_int_equal(perfdata_clock(data), clocks[i / 2].clock);
		perfdata_close(data);
	}
	reset(NULL);
	make->no_ids = true;
	make_all();
	data = open_made();
	assert_int_equal(perfdata_clock(data), PERFDATA_CLOCK_NONE);
	perfdata_close(data);
}

static void the_first_time_is_the_beginning(void **state)
{
	struct perfdata *data;
	uint64_t begin, text;

	(void)state;
	make_all();
	data = open_made();
	assert_int_equal(perfdata_begin(data, &begin, &text), 0);
	assert_int_equal(begin, 100);
	perfdata_close(data);
}

/* One CPU's buffer after the other, in each round; the last is of no matter. */
static void the_beginning_is_the_earliest_time(void **state)
{
	static const uint64_t rounds[][2] = { { 300, 200 }, { 150, 400 }, { 500, 1 } };
	struct perfdata *data;
	uint64_t begin, text;
	size_t i;

	(void)state;
	make_begin(make);
	for (i = 0; i < ARRAY_SIZE(rounds); i++) {
		make_sample(make, PERFDATA_MISC_USER, 10, rounds[i][0], 0x400010);
		make_sample(make, PERFDATA_MISC_USER, 11, rounds[i][1], 0x400010);
		make_round(make);
	}
	make_end(make);
	data = open_made();
	assert_int_equal(perfdata_begin(data, &begin, &text), 0);
	assert_int_equal(begin, 150);
	perfdata_close(data);
}

/* ---------------------------------------------------------------- errors -- */

/* All that can be asked; 0 when nothing was wrong. */
static int read_all(void)
{
	struct perfdata *data = open_made();
	const struct perfdata_dso *dsos;
	struct perfdata_mapping mapping;
	int answer;

	while ((answer = perfdata_next_mapping(data, &mapping)) > 0)
		;
	if (!answer)
		answer = perfdata_dsos(data, true, &dsos) < 0 ? -1 : 0;
	assert_int_equal(answer < 0, !!perfdata_error(data));
	perfdata_close(data);
	return answer;
}

static void what_is_no_perfdata_is_reported(void **state)
{
	struct perfdata_header *header = (void *)make->bytes;
	struct perfdata *data;

	(void)state;
	make->size = 8;
	assert_error("not a perf.data file");
	make->size = 104;
	assert_error("not a perf.data file");
	make->size = 0;
	make_all();
	header->magic = __builtin_bswap64(header->magic);
	assert_error(
		"written on a machine of the other byte order; annotate it on one of that kind");
	memcpy(header, "PERFFILE", 8);
	assert_error("written by a perf of before Linux 2.6.34");
	header->magic = PERFDATA_MAGIC;
	header->data.size = 0;
	assert_error("no events: perf record has not ended, or was killed");
	assert_true(perfdata_is_unfinished(path));
	header->data.size = UINT64_MAX - 4096;
	assert_int_equal(read_all(), -1);

	assert_false(perfdata_is_unfinished(path));
	assert_false(perfdata_is_unfinished("/nonexistent"));
	data = perfdata_open("/nonexistent");
	assert_string_equal(perfdata_error(data), "No such file or directory");
	perfdata_close(data);
}

/* Of each of many attrs the same ids: a short file that would need much memory. */
static void ids_are_no_more_than_fit(void **state)
{
	struct perfdata_header *header = (void *)make->bytes;
	struct perfdata_section *ids;
	uint64_t i;

	(void)state;
	make_all();
	make_raw(make, make->bytes, -make->size & 7);
	header->attrs.size = 20 * header->attr_size;
	header->attrs.offset = make->size;
	for (i = 0; i < 20; i++)
		make_raw(make, make->bytes + header->data.offset - header->attr_size,
			 header->attr_size);
	assert_int_equal(read_all(), 0);
	for (i = 1; i <= 20; i++) {
		ids = (void *)(make->bytes + make->size - (20 - i) * header->attr_size -
			       sizeof(*ids));
		ids->offset = 0;
		ids->size = make->size / 16 * 8;
	}
	assert_error("damaged: more ids than the file has room for");
}

/* What is behind the first event moves, or goes, when the file is annotated. */
static void attrs_and_ids_are_on_one_side_of_the_events(void **state)
{
	struct perfdata_header *header = (void *)make->bytes;
	struct perfdata_section *ids;

	(void)state;
	make->other_attr = true;
	make_all();
	assert_int_equal(read_all(), 0);
	ids = (void *)(make->bytes + header->data.offset - sizeof(*ids));
	ids->offset = header->data.offset - ids->size + 1;
	assert_error("damaged: more ids than the file has room for");
	ids->offset--;
	assert_int_equal(read_all(), 0);
	ids->size = header->data.offset;
	ids->offset = 0;
	assert_error("damaged: more ids than the file has room for");
	ids->size = 0;
	assert_int_equal(read_all(), 0);
	ids->size = 8;
	assert_error("damaged: more ids than the file has room for");
	ids->offset = sizeof(*header);
	assert_int_equal(read_all(), 0);
	header->attrs.offset -= header->attr_size;
	assert_error("damaged: attrs neither in front of the events nor behind them");
	header->attrs.offset += header->attr_size;
	header->attrs.size += header->attr_size;
	assert_error("damaged: attrs neither in front of the events nor behind them");
}

static void shape(unsigned int number)
{
	reset(NULL);
	make->pipe = number & 1;
	make->sample_type = number & 2 ? MAKE_SAMPLE | PERFDATA_SAMPLE_IDENTIFIER |
						 PERFDATA_SAMPLE_CALLCHAIN :
					 MAKE_SAMPLE;
	make_entry(make, USER, 0x20, "/usr/bin/program");
	make_begin(make);
	make_events();
	make_task(make, PERFDATA_FORK, 0, 11, 10, 200);
	make_build_id(make, USER, 0x30, "/usr/bin/program");
	if (number & 4) {
		if (make->pipe)
			make->events += 8 + sizeof(struct perfdata_attr) + 8;
		make_pack(make, PERFDATA_COMPRESSED2, 100);
	}
	make_end(make);
}

static void an_event_that_is_cut_is_reported(void **state)
{
	struct perfdata_header *header = (void *)make->bytes;
	struct perfdata_event *event;
	size_t begin;

	(void)state;
	make_begin(make);
	make_sample(make, USER, 10, 150, 0x1000);
	make_end(make);
	assert_int_equal(read_all(), 0);
	event = (void *)(make->bytes + header->data.offset);
	assert_int_equal(header->data.size, event->size);
	while (--header->data.size)
		assert_int_equal(read_all(), -1);
	header->data.size = event->size;
	event->size = 0;
	assert_int_equal(read_all(), -1);
	reset(NULL);
	make->pipe = true;
	make_begin(make);
	begin = make->size;
	make_sample(make, USER, 10, 150, 0x1000);
	make_end(make);
	assert_int_equal(read_all(), 0);
	while (--make->size > begin)
		assert_int_equal(read_all(), -1);
}

static void every_cut_is_survived(void **state)
{
	unsigned int i;
	size_t whole;

	(void)state;
	for (i = 0; i < 8; i++) {
		shape(i);
		whole = make->size;
		assert_int_equal(read_all(), 0);
		while (make->size--) {
			/* A stream may end after any event. */
			if (!make->pipe)
				assert_int_equal(read_all(), -1);
			else
				read_all();
		}
		make->size = whole;
	}
}

static void every_damage_is_survived(void **state)
{
	static const unsigned char values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	unsigned int i;
	size_t at;

	(void)state;
	for (i = 0; i < 8; i++) {
		shape(i);
		/* one of them each, as all take minutes; tests/fuzz has the time */
		for (at = 0; at < make->size; at++) {
			unsigned char saved = make->bytes[at];

			make->bytes[at] = values[(at + i) % sizeof(values)];
			read_all();
			make->bytes[at] = saved;
		}
	}
}

/* ------------------------------------------------------------------- DSOs -- */

static void check_dso(const struct perfdata_dso *dso, const char *name, bool hit)
{
	assert_string_equal(dso->path, name);
	assert_int_equal(dso->hit, hit);
}

static void dsos_are_kernel_first_and_know_hits(void **state)
{
	const struct perfdata_dso *dsos;
	struct perfdata *data;

	(void)state;
	make_all();
	data = open_made();
	assert_int_equal(perfdata_dsos(data, true, &dsos), 4);
	check_dso(&dsos[0], "[kernel.kallsyms]", true);
	check_dso(&dsos[1], "/lib/modules/6.1/kernel/a-b.ko.xz", false);
	check_dso(&dsos[2], "/usr/bin/program", false);
	check_dso(&dsos[3], "/usr/lib/library.so", true);
	assert_int_equal(dsos[3].nr_pids, 1);
	assert_int_equal(dsos[3].pids[0], 10);
	perfdata_close(data);
}

/* The attr of a sample follows from its id. */
static void samples_with_an_identifier_hit(void **state)
{
	const struct perfdata_dso *dsos;
	struct perfdata *data;

	(void)state;
	make->sample_type = MAKE_SAMPLE | PERFDATA_SAMPLE_IDENTIFIER;
	make->other_attr = true;
	make_all();
	data = open_made();
	assert_int_equal(perfdata_dsos(data, true, &dsos), 4);
	check_dso(&dsos[2], "/usr/bin/program", false);
	check_dso(&dsos[3], "/usr/lib/library.so", true);
	perfdata_close(data);
}

static void a_call_chain_hits_too(void **state)
{
	const struct perfdata_dso *dsos;
	struct perfdata *data;

	(void)state;
	make->sample_type = MAKE_SAMPLE | PERFDATA_SAMPLE_CALLCHAIN;
	make_all();
	data = open_made();
	assert_int_equal(perfdata_dsos(data, true, &dsos), 4);
	check_dso(&dsos[2], "/usr/bin/program", true);
	perfdata_close(data);
}

/* Events say their size in 16 bits; one of a mapping may have more room for a path. */
static void a_path_too_long_for_the_table_is_left_out(void **state)
{
	const size_t most = UINT16_MAX - offsetof(struct perfdata_build_id, name);
	struct build_id id = { .size = 20, .bytes = { 0x11 } }, found;
	struct perfdata_build_ids *table;
	char name[UINT16_MAX + 1];
	struct perfdata *data;
	size_t size;

	(void)state;
	make_all();
	data = open_made();
	table = perfdata_build_ids_read(data);
	assert_non_null(table);
	/* Names are padded to 64 bytes. */
	for (size = most - 130; size < sizeof(name); size++) {
		size_t count = perfdata_build_ids_count(table);

		memset(name, 'a', size);
		name[size] = '\0';
		assert_int_equal(perfdata_build_ids_set(data, table, name, PERFDATA_KIND_USER, &id,
							true),
				 0);
		if (size + 1 > most)
			assert_int_equal(perfdata_build_ids_count(table), count);
		found.size = 0;
		perfdata_build_ids_find(table, name, &found);
		assert_int_equal(found.size, perfdata_build_ids_count(table) > count ? 20 : 0);
	}
	assert_true(perfdata_build_ids_count(table) > 2);
	memory_left = 0;
	assert_int_equal(perfdata_build_ids_set(data, table, "/new", PERFDATA_KIND_USER, &id, true),
			 -1);
	memory_left = SIZE_MAX;
	assert_non_null(strstr(perfdata_error(data), "memory"));
	perfdata_build_ids_free(table);
	perfdata_close(data);
}

/* Where it has a mapping at the same address. */
static void what_is_called_in_a_guest_hits_nothing(void **state)
{
	static const uint64_t contexts[] = { PERFDATA_CONTEXT_MAX, -2048, -2560 };
	const struct perfdata_dso *dsos;
	struct perfdata *data;
	size_t i;

	(void)state;
	make->sample_type = MAKE_SAMPLE | PERFDATA_SAMPLE_CALLCHAIN;
	make_begin(make);
	make_mmap2_event(make, 10, 0x400000, 0x1000, 0, 1, 100, "/program");
	/* In the chain the address of another function comes behind it. */
	for (i = 0; i < sizeof(contexts) / sizeof(*contexts); i++)
		make_sample(make, USER, 10, 200, contexts[i]);
	make_end(make);
	data = open_made();
	assert_int_equal(perfdata_dsos(data, true, &dsos), 1);
	check_dso(&dsos[0], "/program", false);
	perfdata_close(data);
}

static void the_table_is_for_what_has_no_id(void **state)
{
	const struct perfdata_dso *dsos;
	struct perfdata *data;

	(void)state;
	make_entry(make, KERNEL, 0x40, "[kernel.kallsyms]");
	make_entry(make, USER, 0x20, "/usr/lib/library.so");
	make_entry(make, USER, 0x60, "/elsewhere");
	make_all();
	data = open_made();
	assert_int_equal(perfdata_dsos(data, true, &dsos), 5);
	assert_int_equal(dsos[0].id.size, 20);
	assert_int_equal(dsos[0].id.bytes[0], 0x40);
	assert_int_equal(dsos[2].id.size, 0);
	assert_int_equal(dsos[3].id.bytes[19], 0x20 + 19);
	check_dso(&dsos[4], "/elsewhere", false);
	perfdata_close(data);
}

/* Two contents at one address, one after the other, in any order in the file. */
static void hits_go_by_time(void **state)
{
	const struct perfdata_dso *dsos;
	struct perfdata *data;

	(void)state;
	make_begin(make);
	make_sample(make, USER, 10, 250, 0x1000);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 1, 300, "/third");
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 200, "/second");
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 3, 100, "/first");
	make_sample(make, USER, 10, 50, 0x1000);
	make_end(make);
	data = open_made();
	assert_int_equal(perfdata_dsos(data, true, &dsos), 3);
	check_dso(&dsos[0], "/third", false);
	check_dso(&dsos[1], "/second", true);
	check_dso(&dsos[2], "/first", false);
	perfdata_close(data);
}

static void a_child_has_what_its_parent_had(void **state)
{
	const struct perfdata_dso *dsos;
	struct perfdata *data;

	(void)state;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 1, 100, "/before");
	make_task(make, PERFDATA_FORK, 0, 11, 10, 200);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 300, "/after");
	make_mmap2_event(make, 10, 0x5000, 0x1000, 0, 3, 100, "/gone");
	make_task(make, PERFDATA_COMM, PERFDATA_MISC_EXEC, 11, 0, 500);
	make_sample(make, USER, 11, 400, 0x1000);
	make_sample(make, USER, 11, 600, 0x5000);
	make_end(make);
	data = open_made();
	assert_int_equal(perfdata_dsos(data, true, &dsos), 3);
	check_dso(&dsos[0], "/before", true);
	check_dso(&dsos[1], "/after", false);
	check_dso(&dsos[2], "/gone", false);
	perfdata_close(data);
}

static void forks_in_circles_end(void **state)
{
	const struct perfdata_dso *dsos;
	struct perfdata *data;

	(void)state;
	make_begin(make);
	make_task(make, PERFDATA_FORK, 0, 11, 10, 100);
	make_task(make, PERFDATA_FORK, 0, 10, 11, 100);
	make_sample(make, USER, 11, 400, 0x1000);
	make_end(make);
	data = open_made();
	assert_int_equal(perfdata_dsos(data, true, &dsos), 0);
	perfdata_close(data);
}

static void a_feature_that_is_gone_is_an_error(void **state)
{
	char host[PERFDATA_HOST_MAX];
	struct perfdata *data;

	(void)state;
	make_all();
	data = open_made();
	assert_int_equal(perfdata_host(data, host), 0);
	assert_string_equal(host, MAKE_HOSTNAME + 4);
	assert_int_equal(truncate(path, 200), 0);
	assert_int_equal(perfdata_host(data, host), -1);
	assert_string_equal(host, "");
	assert_non_null(strstr(perfdata_error(data), "cut short"));
	perfdata_close(data);
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(mappings_of_a_file),
		TEST(mappings_of_a_stream),
		TEST(mappings_without_times),
		TEST(mappings_with_an_identifier),
		TEST(mappings_that_are_compressed),
		TEST(mappings_behind_compressed_nothing),
		TEST(mappings_of_a_pipe_whose_reader_is_interrupted),
		TEST(a_pipe_without_room_for_it_is_closed),
		TEST(some_events_are_never_compressed),
		TEST(what_is_meant_to_fill_the_disk_is_not_decompressed),
		TEST(mappings_behind_aux_data),
		TEST(mappings_of_a_directory),
		TEST(clocks_are_distinguished),
		TEST(the_first_time_is_the_beginning),
		TEST(the_beginning_is_the_earliest_time),
		TEST(what_is_no_perfdata_is_reported),
		TEST(ids_are_no_more_than_fit),
		TEST(attrs_and_ids_are_on_one_side_of_the_events),
		TEST(an_event_that_is_cut_is_reported),
		TEST(every_cut_is_survived),
		TEST(every_damage_is_survived),
		TEST(dsos_are_kernel_first_and_know_hits),
		TEST(samples_with_an_identifier_hit),
		TEST(a_call_chain_hits_too),
		TEST(what_is_called_in_a_guest_hits_nothing),
		TEST(a_path_too_long_for_the_table_is_left_out),
		TEST(the_table_is_for_what_has_no_id),
		TEST(hits_go_by_time),
		TEST(a_child_has_what_its_parent_had),
		TEST(forks_in_circles_end),
		TEST(a_feature_that_is_gone_is_an_error),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
