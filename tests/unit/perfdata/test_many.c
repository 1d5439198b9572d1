// SPDX-License-Identifier: GPL-2.0
/*
 * Many of everything: what would take minutes if each of them were compared with all
 * others. And lookups in address spaces, compared with those of a list.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "perfdata/address_spaces.h"
#include "perfdata/build_ids.h"
#include "perfdata/paths.h"
#include "perfdata/task_names.h"
#include "perfdata/unhit.h"
#include "rewritten.h"

#define MANY 200000U

static void put_event(FILE *file, void *event, size_t size, const char *name)
{
	struct perfdata_event *header = event;
	char padded[16] = {};

	strcpy(padded, name);
	header->size = (uint16_t)(size + sizeof(padded));
	assert_int_equal(fwrite(event, size, 1, file), 1);
	assert_int_equal(fwrite(padded, sizeof(padded), 1, file), 1);
}

/* As of a JIT compiler that uses one place again and again. */
static void one_place_is_mapped_many_times(void **state)
{
	struct address_spaces *spaces = address_spaces_new();
	uint32_t i;

	(void)state;
	assert_non_null(spaces);
	for (i = 0; i < MANY; i++)
		assert_true(address_spaces_map(spaces, 10, 100 + i, 0x1000 + i % 2, 0x1000, i));
	assert_true(address_spaces_ready(spaces));
	for (i = 0; i < MANY; i++)
		assert_int_equal(address_spaces_find(spaces, 10, 100 + i, 0x1800, NULL), i);
	assert_int_equal(address_spaces_find(spaces, 10, 99, 0x1800, NULL), ADDRESS_SPACES_NOTHING);
	address_spaces_free(spaces);
}

#define RANGES 400
#define PIDS   3

struct range {
	uint32_t pid;
	uint64_t time, start, len;
};

static size_t slowly(const struct range *ranges, uint32_t pid, uint64_t time, uint64_t address)
{
	size_t best = ADDRESS_SPACES_NOTHING, i;

	for (i = 0; i < RANGES; i++)
		if (ranges[i].pid == pid && ranges[i].time <= time && address >= ranges[i].start &&
		    address - ranges[i].start < ranges[i].len &&
		    (best == ADDRESS_SPACES_NOTHING || ranges[i].time >= ranges[best].time))
			best = i;
	return best;
}

static void a_lookup_finds_the_last_of_those_that_overlap(void **state)
{
	struct address_spaces *spaces = address_spaces_new();
	struct range ranges[RANGES];
	size_t i;

	(void)state;
	srandom(1);
	assert_non_null(spaces);
	for (i = 0; i < RANGES; i++) {
		ranges[i] = (struct range){
			.pid = (uint32_t)random() % PIDS,
			.time = (uint64_t)random() % 100,
			.start = (uint64_t)random() % 200,
			.len = (uint64_t)random() % 60,
		};
		/* Up to the end of all addresses, where there is nothing behind it. */
		if (i % 10 == 0)
			ranges[i].start += UINT64_MAX - 220;
		if (i % 50 == 0)
			ranges[i].len = UINT64_MAX - ranges[i].start + 1;
		assert_true(address_spaces_map(spaces, ranges[i].pid, ranges[i].time,
					       ranges[i].start, ranges[i].len, i));
	}
	assert_true(address_spaces_ready(spaces));
	for (i = 0; i < 100000; i++) {
		uint32_t pid = (uint32_t)random() % (PIDS + 1);
		uint64_t time = (uint64_t)random() % 110;
		uint64_t address = (uint64_t)random() % 280;

		if (i % 4 == 0)
			address = UINT64_MAX - address;
		assert_int_equal(address_spaces_find(spaces, pid, time, address, NULL),
				 slowly(ranges, pid, time, address));
	}
	address_spaces_free(spaces);
}

/* Of a few processes, their forks and execs, at few addresses and times. */
static struct address_spaces *random_spaces(void)
{
	struct address_spaces *spaces = address_spaces_new();
	size_t i;

	assert_non_null(spaces);
	for (i = 0; i < RANGES; i++) {
		uint32_t pid = (uint32_t)random() % PIDS;
		uint64_t time = (uint64_t)random() % 100, start = (uint64_t)random() % 200;

		if (i % 10 == 0)
			start += UINT64_MAX - 220;
		assert_true(address_spaces_map(spaces, pid, time, start << (i % 3 * 16),
					       (uint64_t)random() % 60 << (i % 3 * 16), i));
		if (i % 20 == 0)
			assert_true(address_spaces_begin(spaces, pid, (uint64_t)random() % 100,
							 (uint32_t)random() % PIDS));
	}
	assert_true(address_spaces_ready(spaces));
	return spaces;
}

static uint64_t random_address(void)
{
	uint64_t address = (uint64_t)random() % 280;

	return random() % 4 ? address << (random() % 3 * 16) : UINT64_MAX - address;
}

static uint64_t between(uint64_t low, uint64_t high)
{
	uint64_t width = high - low;

	return low + (width < 1000 ? (uint64_t)random() % (width + 1) : (uint64_t)random() % 1000);
}

static void an_answer_holds_for_its_scope(void **state)
{
	size_t i, spaces_left;

	(void)state;
	srandom(2);
	for (spaces_left = 20; spaces_left; spaces_left--) {
		struct address_spaces *spaces = random_spaces();

		for (i = 0; i < 20000; i++) {
			uint32_t pid = (uint32_t)random() % (PIDS + 1);
			uint64_t time = (uint64_t)random() % 110, address = random_address();
			struct address_spaces_scope scope;
			size_t what = address_spaces_find(spaces, pid, time, address, &scope);

			assert_in_range(address, scope.start, scope.last);
			assert_in_range(time, scope.from, scope.until);
			time = between(scope.from, scope.until);
			address = between(scope.start, scope.last);
			assert_int_equal(address_spaces_find(spaces, pid, time, address, NULL),
					 what);
		}
		address_spaces_free(spaces);
	}
}

/* What a lookup of each address tells, each thing once. */
static void nothing_that_was_not_hit_is_passed_over(void **state)
{
	size_t i, spaces_left;

	(void)state;
	srandom(3);
	for (spaces_left = 20; spaces_left; spaces_left--) {
		struct address_spaces *spaces = random_spaces();
		struct unhit *unhit = unhit_new(spaces, RANGES);
		bool hit[RANGES] = {};

		assert_non_null(unhit);
		for (i = 0; i < 20000; i++) {
			uint32_t pid = (uint32_t)random() % (PIDS + 1);
			uint64_t time = (uint64_t)random() % 110, address = random_address();
			size_t what = address_spaces_find(spaces, pid, time, address, NULL);

			if (what != ADDRESS_SPACES_NOTHING && hit[what])
				what = ADDRESS_SPACES_NOTHING;
			if (what != ADDRESS_SPACES_NOTHING) {
				assert_true(unhit_any(unhit));
				assert_int_equal(unhit_pass(unhit, &address, 1, UINT64_MAX), 0);
				hit[what] = true;
			}
			assert_int_equal(unhit_hit(unhit, pid, time, address), what);
		}
		unhit_free(unhit);
		address_spaces_free(spaces);
	}
}

/* Then no more samples need be read. */
static void when_all_is_hit_nothing_is_left(void **state)
{
	static const uint64_t far[] = { 1ULL << 40, 1ULL << 40, 1ULL << 41 };
	struct address_spaces *spaces = address_spaces_new();
	struct unhit *unhit;

	(void)state;
	assert_true(address_spaces_map(spaces, 10, 1, 0x1000, 0x1000, 0));
	assert_true(address_spaces_map(spaces, 11, 1, 0x1000, 0x1000, 2));
	assert_true(address_spaces_ready(spaces));
	/* Number 1 is mapped nowhere. */
	unhit = unhit_new(spaces, 3);
	assert_non_null(unhit);
	assert_int_equal(unhit_pass(unhit, far, 3, 1ULL << 41), 2);
	assert_int_equal(unhit_pass(unhit, far, 2, 1ULL << 41), 2);
	assert_int_equal(unhit_hit(unhit, 10, 2, 0x1800), 0);
	assert_int_equal(unhit_hit(unhit, 10, 2, 0x1800), ADDRESS_SPACES_NOTHING);
	assert_true(unhit_any(unhit));
	assert_int_equal(unhit_hit(unhit, 11, 2, 0x1800), 2);
	assert_false(unhit_any(unhit));
	unhit_free(unhit);
	address_spaces_free(spaces);
}

/* Each process forked from the one before it, and of each many threads ended. */
static void names_of_many_forks_and_exits(void **state)
{
	struct task_names names = {};
	uint32_t i;

	(void)state;
	assert_true(task_names_comm(&names, 0, 1, "first", 5, false));
	for (i = 0; i < MANY; i++) {
		assert_true(task_names_exit(&names, i / 1000, 2));
		assert_true(task_names_comm(&names, MANY, 2, "other", 5, false));
	}
	for (i = 1; i < MANY; i++)
		assert_true(task_names_fork(&names, i, 2, i - 1));
	task_names_ready(&names);
	for (i = 0; i < MANY; i++) {
		assert_string_equal(task_names_find(&names, i, 3), "first");
		assert_int_equal(task_names_until(&names, MANY, 1), UINT64_MAX);
	}
	task_names_free(&names);
}

struct task {
	uint32_t pid, parent; /* @parent equal to @pid: it gets a name */
	uint64_t time;
	bool exit;
	char name[8];
};

static bool is_later(const struct task *task, const struct task *than)
{
	return !than || task->time >= than->time;
}

/* Event by event: the last that is not an exit has the name, or forked. */
static const char *slow_name(const struct task *tasks, uint32_t pid, uint64_t time)
{
	const struct task *last;
	size_t forks, i;

	for (forks = 0; forks <= RANGES; forks++) {
		for (last = NULL, i = 0; i < RANGES; i++)
			if (tasks[i].pid == pid && !tasks[i].exit && tasks[i].time <= time &&
			    is_later(&tasks[i], last))
				last = &tasks[i];
		if (!last)
			return "";
		if (last->parent == pid)
			return last->name;
		pid = last->parent;
		time = last->time;
	}
	return "";
}

static void add_random_task(struct task_names *names, struct task *task, size_t number)
{
	*task = (struct task){
		.pid = (uint32_t)random() % PIDS,
		.parent = (uint32_t)random() % PIDS,
		.time = (uint64_t)random() % 50,
		.exit = random() % 2,
	};
	snprintf(task->name, sizeof(task->name), "%zu", number);
	if (task->exit)
		assert_true(task_names_exit(names, task->pid, task->time));
	else if (task->parent != task->pid)
		assert_true(task_names_fork(names, task->pid, task->time, task->parent));
	else
		assert_true(task_names_comm(names, task->pid, task->time, task->name,
					    strlen(task->name), false));
}

/* Also where forks at one time are a loop. */
static void a_name_is_that_of_the_last_event_or_of_the_parent(void **state)
{
	struct task tasks[RANGES];
	struct task_names names;
	uint64_t time;
	uint32_t pid;
	size_t i, rounds;

	(void)state;
	srandom(4);
	for (rounds = 20; rounds; rounds--) {
		names = (struct task_names){};
		for (i = 0; i < RANGES; i++)
			add_random_task(&names, &tasks[i], i);
		task_names_ready(&names);
		for (pid = 0; pid <= PIDS; pid++)
			for (time = 0; time < 60; time++)
				assert_string_equal(task_names_find(&names, pid, time),
						    slow_name(tasks, pid, time));
		task_names_free(&names);
	}
}

/* A hole, which takes minutes to read. */
static void much_aux_data_is_not_read(void **state)
{
	const uint64_t header[] = { PERFDATA_MAGIC, PERFDATA_PIPE_HEADER };
	const struct perfdata_auxtrace aux = {
		.event = { .type = PERFDATA_AUXTRACE, .size = sizeof(aux) },
		.size = 1ULL << 39,
	};
	struct perfdata_mmap2 mmap = {
		.event = { .type = PERFDATA_MMAP2, .misc = USER },
		.len = 1,
	};
	struct perfdata_mapping mappings[16];
	FILE *file = fopen("perf.data", "w");

	(void)state;
	assert_non_null(file);
	assert_int_equal(fwrite(header, sizeof(header), 1, file), 1);
	assert_int_equal(fwrite(&aux, sizeof(aux), 1, file), 1);
	if (fseeko(file, (off_t)aux.size, SEEK_CUR) || fputc(0, file) == EOF || fflush(file))
		skip();
	assert_int_equal(fseeko(file, -1, SEEK_CUR), 0);
	put_event(file, &mmap, sizeof(mmap), "/a");
	assert_int_equal(fclose(file), 0);
	assert_int_equal(read_mappings("perf.data", mappings), 1);
	assert_string_equal(mappings[0].path, "/a");
}

/* Longer than what is read at once, and shorter. */
static const size_t runs[] = { 60000, 100, 30000, 0, 26000, 27000 };

static void put_samples(FILE *file, size_t count)
{
	uint64_t sample[5] = {};
	const struct perfdata_event head = { PERFDATA_SAMPLE, USER, sizeof(sample) };
	const struct perfdata_event round = { PERFDATA_FINISHED_ROUND, 0, sizeof(round) };

	memcpy(sample, &head, sizeof(head));
	for (sample[1] = 0; sample[1] < count; sample[1]++)
		assert_int_equal(fwrite(sample, sizeof(sample), 1, file), 1);
	assert_int_equal(fwrite(&round, sizeof(round), 1, file), 1);
}

static void assert_run(FILE *file, size_t count)
{
	unsigned char bytes[40];
	uint64_t number, i;

	for (i = 0; i < count; i++) {
		assert_int_equal(fread(bytes, sizeof(bytes), 1, file), 1);
		memcpy(&number, bytes + 8, sizeof(number));
		assert_int_equal(number, i);
	}
	assert_int_equal(fread(bytes, 8, 1, file), 1);
	assert_int_equal(bytes[0], PERFDATA_FINISHED_ROUND);
}

/* Each mapping between two of them grows, or not. */
static void long_runs_stay_as_they_are(void **state)
{
	struct perfdata_mmap2 mmap = {
		.event = { .type = PERFDATA_MMAP2, .misc = USER },
		.len = 1,
	};
	FILE *file = fopen("perf.data", "w");
	size_t i;

	(void)state;
	assert_non_null(file);
	make->pipe = true;
	make_begin(make);
	assert_int_equal(fwrite(make->bytes, make->size, 1, file), 1);
	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		put_samples(file, runs[i]);
		mmap.ino = 2 * (i + 1);
		put_event(file, &mmap, sizeof(mmap), "/a");
	}
	put_samples(file, 30000);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(annotate_to("perf.data", "out"), 0);

	file = fopen("out", "r");
	assert_non_null(file);
	assert_int_equal(fseek(file, (long)make->size, SEEK_SET), 0);
	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		assert_run(file, runs[i]);
		assert_int_equal(fread(&mmap, sizeof(mmap), 1, file), 1);
		assert_int_equal(mmap.event.type, PERFDATA_MMAP2);
		assert_int_equal(mmap.id[0], 2 * (i + 1));
		assert_int_equal(fseek(file, mmap.event.size - (long)sizeof(mmap), SEEK_CUR), 0);
	}
	assert_run(file, 30000);
	assert_int_equal(fgetc(file), EOF);
	fclose(file);
}

/* ------------------------------------------------------------------- table -- */

static const char *name_of(uint32_t number)
{
	static char name[32];

	snprintf(name, sizeof(name), "/%07x", number);
	return name;
}

static void set_number(uint8_t *id, uint32_t number)
{
	memset(id, 0, 20);
	memcpy(id, &number, sizeof(number));
}

static void many_paths_have_many_entries(void **state)
{
	const uint64_t header[] = { PERFDATA_MAGIC, PERFDATA_PIPE_HEADER };
	FILE *file = fopen("perf.data", "w");
	const struct perfdata_dso *dsos;
	struct perfdata *data;
	uint32_t i;

	(void)state;
	assert_non_null(file);
	assert_int_equal(fwrite(header, sizeof(header), 1, file), 1);
	for (i = 0; i < MANY; i++) {
		struct perfdata_mmap2 mmap = {
			.event = { .type = PERFDATA_MMAP2, .misc = USER },
			.pid = i,
			.len = 1,
		};

		put_event(file, &mmap, sizeof(mmap), name_of(i));
	}
	for (i = 0; i < MANY; i++) {
		struct perfdata_build_id entry = {
			.event = { .type = PERFDATA_BUILD_ID, .misc = USER },
		};

		set_number(entry.id, i);
		put_event(file, &entry, offsetof(struct perfdata_build_id, name), name_of(i));
	}
	assert_int_equal(fclose(file), 0);

	data = perfdata_open("perf.data");
	assert_int_equal(perfdata_dsos(data, true, &dsos), MANY);
	for (i = 0; i < MANY; i++) {
		assert_int_equal(dsos[i].id.size, 20);
		assert_memory_equal(dsos[i].id.bytes, &i, sizeof(i));
	}
	perfdata_close(data);
}

/* Each gets its id, and makes way for the next one. */
static void one_path_has_many_mappings_without_an_id(void **state)
{
	const uint64_t header[] = { PERFDATA_MAGIC, PERFDATA_PIPE_HEADER };
	FILE *file = fopen("perf.data", "w");
	const struct perfdata_dso *dsos;
	struct perfdata *data;
	uint32_t i;

	(void)state;
	assert_non_null(file);
	assert_int_equal(fwrite(header, sizeof(header), 1, file), 1);
	for (i = 0; i < MANY; i++) {
		struct perfdata_mmap2 mmap = {
			.event = { .type = PERFDATA_MMAP2, .misc = USER },
			.pid = i,
			.len = 1,
		};
		struct perfdata_build_id entry = {
			.event = { .type = PERFDATA_BUILD_ID, .misc = USER },
		};

		put_event(file, &mmap, sizeof(mmap), "/a");
		set_number(entry.id, i / 2);
		put_event(file, &entry, offsetof(struct perfdata_build_id, name), "/a");
	}
	assert_int_equal(fclose(file), 0);
	data = perfdata_open("perf.data");
	assert_int_equal(perfdata_dsos(data, true, &dsos), MANY);
	perfdata_close(data);
}

/* Which are all written, and found again. */
static void a_table_of_many_entries(void **state)
{
	struct build_id id = { .size = 20 };
	struct perfdata_build_ids *table;
	struct perfdata_paths paths = {};
	struct perfdata *data;
	uint32_t i;

	(void)state;
	make_begin(make);
	make_end(make);
	write_file("perf.data");
	data = perfdata_open("perf.data");
	table = perfdata_build_ids_read(data);
	assert_non_null(table);
	for (i = 0; i < MANY; i++) {
		size_t path = perfdata_paths_add(&paths, name_of(i), PERFDATA_KIND_USER);

		set_number(id.bytes, i);
		assert_int_equal(path, i);
		paths.all[path].annotated = 1;
		assert_true(perfdata_paths_add_content(&paths, path, &id, 0, true));
	}
	assert_true(perfdata_paths_judge(&paths, false));
	assert_false(perfdata_build_ids_changed(table));
	assert_int_equal(perfdata_build_ids_update(data, table, &paths), 0);
	assert_int_equal(perfdata_build_ids_count(table), MANY);
	assert_true(perfdata_build_ids_changed(table));
	perfdata_build_ids_free(table);
	perfdata_paths_free(&paths);
	perfdata_close(data);
}

/* In a table, of which the first is found. */
static void a_name_of_many_entries(void **state)
{
	struct perfdata_build_id entry = { .event = { .misc = USER } };
	struct perfdata_build_ids *table;
	struct perfdata_section section;
	struct perfdata_header header;
	struct build_id id;
	struct perfdata *data;
	FILE *file;
	uint32_t i;

	(void)state;
	make_entry(make, USER, 1, "/b");
	make_begin(make);
	make_round(make);
	make_end(make);
	/* In place of this table, whose section is the first, a longer one at the end. */
	section.offset = make->size;
	section.size = MANY * (sizeof(entry) + 16);
	memcpy(&header, make->bytes, sizeof(header));
	memcpy(make->bytes + make->events + header.data.size, &section, sizeof(section));
	write_file("perf.data");
	file = fopen("perf.data", "a");
	assert_non_null(file);
	for (i = 0; i < MANY; i++) {
		set_number(entry.id, i + 1);
		put_event(file, &entry, sizeof(entry), "/a");
	}
	assert_int_equal(fclose(file), 0);

	data = perfdata_open("perf.data");
	table = perfdata_build_ids_read(data);
	assert_non_null(table);
	assert_int_equal(perfdata_build_ids_count(table), MANY);
	perfdata_build_ids_find(table, "/a", &id);
	assert_int_equal(id.bytes[0], 1);
	assert_int_equal(id.bytes[1], 0);
	perfdata_build_ids_free(table);
	perfdata_close(data);
}

/* BUILD_ID events of one name, which say nothing. */
static void many_entries_without_an_id(void **state)
{
	const uint64_t header[] = { PERFDATA_MAGIC, PERFDATA_PIPE_HEADER };
	struct perfdata_build_id entry = {
		.event = { .type = PERFDATA_BUILD_ID, .misc = USER | PERFDATA_MISC_ID_SIZE },
	};
	FILE *file = fopen("perf.data", "w");
	const struct perfdata_dso *dsos;
	struct perfdata *data;
	uint32_t i;

	(void)state;
	assert_non_null(file);
	assert_int_equal(fwrite(header, sizeof(header), 1, file), 1);
	for (i = 0; i < MANY; i++)
		put_event(file, &entry, offsetof(struct perfdata_build_id, name), "/a");
	assert_int_equal(fclose(file), 0);
	data = perfdata_open("perf.data");
	assert_int_equal(perfdata_dsos(data, true, &dsos), 1);
	assert_int_equal(dsos[0].id.size, 0);
	perfdata_close(data);
}

/* Of one path, which all get names. */
static void a_path_of_many_contents(void **state)
{
	struct build_id id = { .size = 20 };
	struct perfdata_paths paths = {};
	char last[32];
	uint32_t i;

	(void)state;
	assert_int_equal(perfdata_paths_add(&paths, "/a", PERFDATA_KIND_USER), 0);
	for (i = 0; i < MANY; i++) {
		set_number(id.bytes, i);
		paths.all[0].annotated++;
		assert_true(perfdata_paths_add_content(&paths, 0, &id, MANY - i, true));
	}
	assert_true(perfdata_paths_judge(&paths, false));
	assert_int_equal(paths.all[0].first, MANY - 1);
	assert_null(paths.contents[MANY - 1].name);
	snprintf(last, sizeof(last), "/a@%02x%02x%02x%02x", 0, 0, 0, 0);
	assert_string_equal(paths.contents[0].name, last);
	perfdata_paths_free(&paths);
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_place_is_mapped_many_times),
		TEST(a_lookup_finds_the_last_of_those_that_overlap),
		TEST(an_answer_holds_for_its_scope),
		TEST(nothing_that_was_not_hit_is_passed_over),
		TEST(when_all_is_hit_nothing_is_left),
		TEST(names_of_many_forks_and_exits),
		TEST(a_name_is_that_of_the_last_event_or_of_the_parent),
		TEST(much_aux_data_is_not_read),
		TEST(long_runs_stay_as_they_are),
		TEST(many_paths_have_many_entries),
		TEST(one_path_has_many_mappings_without_an_id),
		TEST(a_table_of_many_entries),
		TEST(a_name_of_many_entries),
		TEST(many_entries_without_an_id),
		TEST(a_path_of_many_contents),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
