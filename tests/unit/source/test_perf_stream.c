// SPDX-License-Identifier: GPL-2.0
/* Perf stream: what becomes of records of perf, by rings that are an array. */

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "content/running_kernel.h"
#include "source/perf_stream.c"
#include "streams.h"

#define GONE 4194303 /* a pid that nobody has */

static union {
	struct perf_event_header header;
	char bytes[512];
} queue[16];
static size_t nr_queued, next_queued;
static uint64_t last_until;

int perf_rings_open(struct perf_rings **rings, const uint32_t *pids, size_t nr_pids, bool data,
		    size_t ring_size)
{
	(void)ring_size;
	(void)pids;
	(void)nr_pids;
	(void)data;
	*rings = NULL;
	return 0;
}

void perf_rings_close(struct perf_rings *rings)
{
	(void)rings;
}

int perf_rings_fd(const struct perf_rings *rings)
{
	(void)rings;
	return -1;
}

static uint64_t dropped;
static bool counts_dropped;

void perf_rings_stop(struct perf_rings *rings)
{
	(void)rings;
}

bool perf_rings_dropped(const struct perf_rings *rings, uint64_t *count)
{
	(void)rings;
	*count = dropped;
	return counts_dropped;
}

const struct perf_event_header *perf_rings_next(struct perf_rings *rings, uint64_t until,
						uint64_t *time)
{
	(void)rings;
	last_until = until;
	*time = 1000 + next_queued;
	return next_queued < nr_queued ? &queue[next_queued++].header : NULL;
}

static void *put(uint32_t type, size_t size)
{
	memset(&queue[nr_queued], 0, sizeof(queue[0]));
	queue[nr_queued].header.type = type;
	queue[nr_queued].header.size = (uint16_t)size;
	return &queue[nr_queued++];
}

static struct perf_mmap2 *put_mmap2(uint32_t pid, uint8_t id_size, const char *path)
{
	struct perf_mmap2 *mmap = put(PERF_RECORD_MMAP2, sizeof(*mmap) + strlen(path) + 1);

	mmap->pid = mmap->tid = pid;
	mmap->addr = 0x1000;
	mmap->len = 0x2000;
	mmap->pgoff = 0x3000;
	mmap->prot = PROT_READ | PROT_EXEC;
	mmap->flags = MAP_PRIVATE;
	strcpy(mmap->path, path);
	if (id_size) {
		mmap->header.misc = PERF_RECORD_MISC_MMAP_BUILD_ID;
		mmap->id_size = id_size;
		memset(mmap->id, 0xab, id_size);
	} else {
		mmap->major = 8;
		mmap->minor = 1;
		mmap->ino = 4711;
		mmap->generation = 5;
	}
	return mmap;
}

static void put_comm(uint32_t tid, const char *comm)
{
	struct perf_comm *record = put(PERF_RECORD_COMM, sizeof(*record) + 16);

	record->pid = record->tid = tid;
	strcpy(record->comm, comm);
}

static void put_fork(uint32_t parent, uint32_t tid)
{
	struct perf_fork *record = put(PERF_RECORD_FORK, sizeof(*record));

	record->pid = record->tid = tid;
	record->ppid = record->ptid = parent;
}

static struct perf_stream *stream;
static struct buildid_file *file;
static const struct buildid_mmap *mapping;
static uint64_t file_copy[FILE_RECORD_WORDS];

static int open_stream(void **state)
{
	const struct buildid_options options = { .size = sizeof(options),
						 .nr_pids = 1,
						 .pids = &(uint32_t){ GONE } };

	(void)state;
	nr_queued = next_queued = 0;
	/* The thread of no process that is there: then those of no names are read. */
	stream = calloc(1, sizeof(*stream));
	stream->pids = calloc(2, sizeof(*stream->pids));
	stream->pids[0] = options.pids[0];
	stream->nr_pids = 1;
	stream->flags = BUILDID_SUB_PATH;
	stream->clock.ahead = 400;
	return 0;
}

static int close_stream(void **state)
{
	(void)state;
	perf_stream_close(stream);
	return 0;
}

static void expect_end(void)
{
	const struct buildid_record *record;

	assert_int_equal(perf_stream_next(stream, &record), -EAGAIN);
}

/* A FILE, and the MMAP that it is of. */
static void expect_mapping(void)
{
	const struct buildid_record *record;

	assert_int_equal(perf_stream_next(stream, &record), 0);
	assert_int_equal(record->type, BUILDID_RECORD_FILE);
	assert_int_equal(buildid_record_check(record, record->size), 0);
	memcpy(file_copy, record, record->size);
	file = (void *)file_copy;
	assert_int_equal(perf_stream_next(stream, &record), 0);
	assert_int_equal(record->type, BUILDID_RECORD_MMAP);
	assert_int_equal(buildid_record_check(record, record->size), 0);
	mapping = (const void *)record;
	assert_int_equal(mapping->file_id, file->file_id);
	assert_int_equal(record->seq, file->header.seq + 1);
	assert_int_equal(record->time_mono, file->header.time_mono);
}

static void a_build_id_comes_without_an_inode(void **state)
{
	const uint8_t *bytes;
	size_t size;

	(void)state;
	put_mmap2(GONE, 8, "/usr/bin/x");
	expect_mapping();
	bytes = buildid_file_id_bytes(file, &size);
	assert_int_equal(size, 8);
	assert_int_equal(bytes[7], 0xab);
	assert_int_equal(file->kind, BUILDID_KIND_GNU);
	assert_int_equal(file->reason, BUILDID_REASON_NONE);
	assert_int_equal(file->ino, 0);
	assert_int_equal(file->generation, 0);
	assert_string_equal(buildid_file_path(file), "/usr/bin/x");
	assert_int_equal(mapping->addr, 0x1000);
	assert_int_equal(mapping->len, 0x2000);
	assert_int_equal(mapping->pgoff, 0x3000);
	assert_int_equal(mapping->prot, PROT_READ | PROT_EXEC);
	assert_int_equal(mapping->map_flags, MAP_PRIVATE);
	assert_int_equal(mapping->header.time_mono, 600);
	assert_int_equal(mapping->header.time_perf, 1000);
	/* Nobody has that pid. */
	assert_int_equal(mapping->start_time, 0);
	assert_int_equal(mapping->uid, ~0U);
	expect_end();
}

static void without_a_build_id_it_is_not_known_why(void **state)
{
	(void)state;
	put_mmap2(GONE, 0, "/usr/bin/x (deleted)");
	expect_mapping();
	assert_int_equal(file->kind, BUILDID_KIND_NONE);
	assert_int_equal(file->reason, BUILDID_REASON_NOT_READ);
	assert_int_equal(file->dev_major, 8);
	assert_int_equal(file->ino, 4711);
	assert_int_equal(file->generation, 5);
	assert_int_equal(file->flags, BUILDID_FILE_DELETED);
	assert_string_equal(buildid_file_path(file), "/usr/bin/x");
}

static void what_is_no_file_or_not_asked_for_is_left_out(void **state)
{
	(void)state;
	put_mmap2(GONE, 0, "//anon");
	put_mmap2(GONE, 0, "[vdso]");
	put_mmap2(1, 20, "/sbin/init");
	put(PERF_RECORD_EXIT, sizeof(struct perf_fork));
	expect_end();
	stream->nr_pids = 0;
	put_mmap2(1, 20, "/sbin/init");
	expect_mapping();
	assert_int_equal(mapping->pid, 1);
}

static void a_path_that_perf_does_not_have_is_no_reason_to_leave_it_out(void **state)
{
	(void)state;
	put_mmap2(GONE, 20, "//toolong");
	expect_mapping();
	assert_int_equal(file->flags, BUILDID_FILE_NO_PATH);
	assert_int_equal(file->id_len, 20);
	put_mmap2(GONE, 20, "//enomem");
	expect_mapping();
	assert_int_equal(file->path_len, 0);
}

static void an_impossible_size_is_no_build_id(void **state)
{
	(void)state;
	put_mmap2(GONE, 8, "/f")->id_size = 21;
	expect_mapping();
	assert_int_equal(file->kind, BUILDID_KIND_NONE);
	assert_int_equal(file->id_len, 0);
}

static void names_are_those_of_then(void **state)
{
	(void)state;
	put_comm(GONE - 1, "parent");
	put_fork(GONE - 1, GONE);
	put_mmap2(GONE, 20, "/f");
	put_comm(GONE, "exactly15bytes!");
	put_mmap2(GONE, 20, "/f");
	/* A child of an unknown parent, with a tid that was another thread's. */
	put_fork(GONE - 2, GONE);
	put_mmap2(GONE, 20, "/f");
	expect_mapping();
	assert_string_equal((const char *)mapping->comm, "parent");
	expect_mapping();
	assert_string_equal((const char *)mapping->comm, "exactly15bytes!");
	expect_mapping();
	assert_string_equal((const char *)mapping->comm, "");
}

static void contents_of_a_path_have_file_ids_of_their_own(void **state)
{
	uint64_t first;

	(void)state;
	put_mmap2(GONE, 20, "/f");
	put_mmap2(GONE, 20, "/f");
	put_mmap2(GONE, 20, "/f")->id[0] = 1;
	expect_mapping();
	first = file->file_id;
	expect_mapping();
	assert_int_equal(file->file_id, first);
	expect_mapping();
	assert_int_not_equal(file->file_id, first);
}

static void losses_are_passed_on(void **state)
{
	struct perf_lost *lost = put(PERF_RECORD_LOST, sizeof(*lost));
	const struct buildid_record *record;

	(void)state;
	lost->lost = 7;
	assert_int_equal(perf_stream_next(stream, &record), 0);
	assert_int_equal(record->type, BUILDID_RECORD_LOST);
	assert_int_equal(buildid_record_check(record, record->size), 0);
	assert_int_equal(((const struct buildid_lost *)record)->ring_full, 7);
}

/* Perf tells of what it dropped with the next record, which may never come. */
static void losses_at_the_end_are_counted(void **state)
{
	const struct buildid_record *record;
	const struct buildid_lost *lost;
	uint64_t seq;

	(void)state;
	((struct perf_lost *)put(PERF_RECORD_LOST, sizeof(struct perf_lost)))->lost = 7;
	counts_dropped = true;
	dropped = 12;
	assert_int_equal(perf_stream_next(stream, &record), 0);
	seq = record->seq;
	assert_int_equal(seq, 8); /* a hole of seven */
	assert_int_equal(perf_stream_next(stream, &record), -EAGAIN);
	assert_false(perf_stream_losses_known(stream));
	perf_stream_stop(stream);
	assert_int_equal(perf_stream_next(stream, &record), 0);
	lost = (const void *)record;
	assert_int_equal(lost->header.type, BUILDID_RECORD_LOST);
	assert_int_equal(lost->ring_full, 5);
	assert_int_equal(lost->header.seq, seq + 6);
	assert_int_equal(perf_stream_next(stream, &record), -ENODATA);
	assert_true(perf_stream_losses_known(stream));
}

static void older_kernels_do_not_count_them(void **state)
{
	const struct buildid_record *record;

	(void)state;
	counts_dropped = false;
	perf_stream_stop(stream);
	assert_int_equal(perf_stream_next(stream, &record), -ENODATA);
	assert_false(perf_stream_losses_known(stream));
}

/* As the module does it, for a log. */
static void a_file_comes_once_where_paths_are_not_asked_for(void **state)
{
	const struct buildid_record *record;
	uint64_t id;

	(void)state;
	stream->flags = 0;
	put_mmap2(GONE, 20, "/f");
	put_mmap2(GONE, 20, "/f");
	put_mmap2(GONE, 20, "/g");
	expect_mapping();
	id = file->file_id;
	assert_int_equal(mapping->header.seq, 2);
	assert_int_equal(perf_stream_next(stream, &record), 0);
	assert_int_equal(record->type, BUILDID_RECORD_MMAP);
	assert_int_equal(((const struct buildid_mmap *)record)->file_id, id);
	assert_int_equal(record->seq, 3);
	expect_mapping();
	assert_int_not_equal(file->file_id, id);
}

static void a_process_keeps_its_start_when_it_is_gone(void **state)
{
	(void)state;
	stream->starts[GONE % NAMES] = (struct start){ GONE, 77 };
	put_mmap2(GONE, 20, "/f");
	expect_mapping();
	assert_int_equal(mapping->start_time, 77);
	assert_int_equal(mapping->uid, ~0U);
	/* A thread has the same pid, a process that is forked is another. */
	put_fork(GONE, GONE - 1);
	((struct perf_fork *)&queue[nr_queued - 1])->pid = GONE;
	put_mmap2(GONE, 20, "/f");
	expect_mapping();
	assert_int_equal(mapping->start_time, 77);
	put_fork(1, GONE);
	put_mmap2(GONE, 20, "/f");
	expect_mapping();
	assert_int_equal(mapping->start_time, 0);
}

static void children_are_whoever_inherits_the_events(void **state)
{
	(void)state;
	stream->flags |= BUILDID_SUB_CHILDREN;
	put_mmap2(GONE - 1, 20, "/f");
	expect_mapping();
	assert_int_equal(mapping->pid, GONE - 1);
}

/* Another processor's may yet come before them. */
static void records_of_just_now_are_left(void **state)
{
	const struct buildid_record *record;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	(void)state;
	assert_int_equal(perf_stream_next(stream, &record), -EAGAIN);
	assert_true(last_until >= now + 400 - HOLD_NS);
	assert_true(last_until < now + 400 - HOLD_NS + 1000000000);
	counts_dropped = false;
	perf_stream_stop(stream);
	assert_int_equal(perf_stream_next(stream, &record), -ENODATA);
	assert_true(last_until == UINT64_MAX);
}

static void the_kernel_comes_first(void **state)
{
	const struct buildid_record *record;
	const struct buildid_image *image;
	struct build_id id;
	const uint8_t *bytes;
	size_t size;

	(void)state;
	add_kernel(stream);
	/* As on one that has none, or hides it. */
	if (!running_kernel_build_id(&id)) {
		expect_end();
		return;
	}
	put_mmap2(GONE, 20, "/f");
	assert_int_equal(perf_stream_next(stream, &record), 0);
	assert_int_equal(record->type, BUILDID_RECORD_KERNEL);
	assert_int_equal(record->flags, BUILDID_RECORD_SNAPSHOT);
	assert_int_equal(buildid_record_check(record, record->size), 0);
	assert_int_equal(record->time_perf, record->time_mono + 400);
	image = (const void *)record;
	bytes = buildid_image_id_bytes(image, &size);
	assert_int_equal(size, id.size);
	assert_memory_equal(bytes, id.bytes, size);
	expect_mapping();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_stream, close_stream)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_build_id_comes_without_an_inode),
		TEST(without_a_build_id_it_is_not_known_why),
		TEST(what_is_no_file_or_not_asked_for_is_left_out),
		TEST(a_path_that_perf_does_not_have_is_no_reason_to_leave_it_out),
		TEST(an_impossible_size_is_no_build_id),
		TEST(names_are_those_of_then),
		TEST(contents_of_a_path_have_file_ids_of_their_own),
		TEST(losses_are_passed_on),
		TEST(losses_at_the_end_are_counted),
		TEST(older_kernels_do_not_count_them),
		TEST(a_file_comes_once_where_paths_are_not_asked_for),
		TEST(a_process_keeps_its_start_when_it_is_gone),
		TEST(children_are_whoever_inherits_the_events),
		TEST(records_of_just_now_are_left),
		TEST(the_kernel_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
