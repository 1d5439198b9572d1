// SPDX-License-Identifier: GPL-2.0
/* Past: what a process that has exited had mapped, and what is not certain. */

#include <errno.h>
#include <string.h>

#include "fake_module.h"
#include "libbuildid/internal.h"

#define CHILD  7
#define PARENT 6
/* When they started, and the fork. */
#define STARTED	       700
#define PARENT_STARTED 600
#define FORKED	       5000
#define ADDR	       0x10000

static struct buildid *handle;
static struct buildid_address address;
static const struct buildid_file *file;
static union any_record buffer;

/* What the module remembers, and what processes have mapped now. */
static union any_record history[16], maps[4];
static size_t nr_history, nr_maps;
static uint64_t since;
static unsigned int histories_read, maps_read;
static bool maps_are_new;

static int reply_history(struct buildid_history *request)
{
	union any_record named;
	size_t i;

	histories_read++;
	assert_int_not_equal(request->pid, 0);
	/* What the parent maps after it was asked has to be in its history. */
	assert_true(request->pid != PARENT || maps_are_new);
	maps_are_new = false;
	for (i = 0; i < nr_history; i++) {
		/* The pid is at the same place in all of them. */
		if (history[i].mmap.pid != request->pid)
			continue;
		make_file(&named, history[i].mmap.file_id, 20, 0, "/f");
		if (history[i].header.type == BUILDID_RECORD_MMAP && history[i].mmap.file_id)
			fake_add_history(request, &named);
		fake_add_history(request, &history[i]);
	}
	request->cursor = BUILDID_MAPS_END;
	request->since = since;
	return 0;
}

static int reply_maps(struct buildid_maps *request)
{
	union any_record named;
	size_t i;

	maps_read++;
	maps_are_new = true;
	assert_int_equal(request->flags, 0);
	for (i = 0; i < nr_maps; i++) {
		if (maps[i].mmap.pid != request->pid)
			continue;
		make_file(&named, maps[i].mmap.file_id, 20, 0, "/f");
		fake_add_map(request, &named);
		fake_add_map(request, &maps[i]);
	}
	request->cursor = BUILDID_MAPS_END;
	return request->bytes ? 0 : ESRCH;
}

static int set_up(void **state)
{
	if (fake_reset(state))
		return -1;
	nr_history = nr_maps = 0;
	since = 0;
	histories_read = maps_read = 0;
	maps_are_new = false;
	fake.exited = true;
	fake.history = reply_history;
	fake.maps = reply_maps;
	return buildid_open(&handle);
}

static int tear_down(void **state)
{
	(void)state;
	buildid_close(handle);
	return 0;
}

/* ------------------------------------------------------ what has happened -- */

static struct buildid_mmap *set_mmap(union any_record *record, uint32_t pid, uint64_t start_time,
				     uint64_t time, uint64_t addr, uint64_t file_id)
{
	make_mmap(record, file_id, file_id ? BUILDID_STATE_KNOWN : BUILDID_STATE_UNRESOLVED, pid);
	record->header.time_mono = time;
	record->mmap.start_time = start_time;
	record->mmap.addr = addr;
	record->mmap.len = 0x3000;
	record->mmap.pgoff = 0x5000;
	return &record->mmap;
}

static void mapped(uint32_t pid, uint64_t start_time, uint64_t time, uint64_t addr,
		   uint64_t file_id)
{
	set_mmap(&history[nr_history++], pid, start_time, time, addr, file_id);
}

static void has_now(uint32_t pid, uint64_t start_time, uint64_t addr, uint64_t file_id)
{
	set_mmap(&maps[nr_maps++], pid, start_time, 9000, addr, file_id);
}

static void was_forked(void)
{
	union any_record *record = &history[nr_history++];

	make_process(record, BUILDID_RECORD_FORK, CHILD, PARENT);
	record->header.time_mono = FORKED;
	record->task.start_time = STARTED;
	record->task.parent_start_time = PARENT_STARTED;
}

static void called_exec(uint32_t pid, uint64_t start_time, uint64_t time)
{
	union any_record *record = &history[nr_history++];

	make_process(record, BUILDID_RECORD_EXEC, pid, 0);
	record->header.time_mono = time;
	record->task.start_time = start_time;
}

static int ask_in(size_t size, uint64_t addr, uint64_t start_time)
{
	address = (struct buildid_address){
		.size = sizeof(address),
		.pid = CHILD,
		.addr = addr,
		.start_time = start_time,
	};
	return buildid_resolve_addr(handle, &address, &buffer, size, &file);
}

static int ask(uint64_t addr, uint64_t start_time)
{
	return ask_in(sizeof(buffer), addr, start_time);
}

static void assert_file(uint64_t addr, uint64_t start_time, uint64_t file_id, uint64_t offset)
{
	assert_int_equal(ask(addr, start_time), 0);
	assert_ptr_equal(file, &buffer);
	assert_int_equal(file->file_id, file_id);
	assert_int_equal(address.offset, offset);
	assert_int_equal(address.source, BUILDID_ADDR_HISTORY);
}

/* ------------------------------------------------------------ of its own -- */

static void it_had_what_it_mapped_last(void **state)
{
	(void)state;
	mapped(CHILD, STARTED, 5200, ADDR + 0x1000, 2);
	mapped(CHILD, STARTED, 5300, ADDR + 0x9000, 4);
	mapped(CHILD, STARTED, 5100, ADDR, 1);
	assert_file(ADDR, 0, 1, 0x5000);
	assert_int_equal(address.start_time, STARTED);
	assert_file(ADDR + 0x1234, 0, 2, 0x5234);
	assert_file(ADDR + 0x3fff, 0, 2, 0x7fff);
	assert_int_equal(ask(ADDR + 0x4000, 0), -ENOENT);
	assert_null(file);
	assert_int_equal(ask(ADDR - 1, 0), -ENOENT);
}

static void who_had_the_pid_before_is_another(void **state)
{
	(void)state;
	mapped(CHILD, STARTED - 1, 5100, ADDR, 1);
	mapped(CHILD, STARTED, 5200, 0x90000, 2);
	mapped(CHILD, STARTED - 2, 5000, ADDR, 3);
	assert_int_equal(ask(ADDR, 0), -ENOENT);
	assert_file(ADDR, STARTED - 1, 1, 0x5000);
	assert_int_equal(address.start_time, STARTED - 1);
	assert_int_equal(ask(ADDR, STARTED + 1), -ESRCH);
	assert_int_equal(ask(ADDR, STARTED), -ENOENT);
}

static void nothing_is_known_of_who_was_never_seen(void **state)
{
	(void)state;
	assert_int_equal(ask(ADDR, 0), -ESRCH);
	address.pid = 0;
	assert_int_equal(buildid_resolve_addr(handle, &address, &buffer, sizeof(buffer), &file),
			 -ESRCH);
	assert_int_equal(histories_read, 1);
}

static void what_is_not_known_is_there_instead_of_what_was(void **state)
{
	(void)state;
	mapped(CHILD, STARTED, 5100, ADDR, 1);
	mapped(CHILD, STARTED, 5200, ADDR, 0);
	assert_int_equal(ask(ADDR, 0), -ENOENT);
}

/* ----------------------------------------------------- through its parent -- */

static void a_child_has_what_its_parent_has_had(void **state)
{
	(void)state;
	was_forked();
	mapped(PARENT, PARENT_STARTED, FORKED + 1, 0x90000, 9);
	has_now(PARENT, PARENT_STARTED, 0x90000, 9);
	has_now(PARENT, PARENT_STARTED, ADDR, 1);
	assert_file(ADDR + 5, 0, 1, 0x5005);
	assert_int_equal(address.start_time, STARTED);
}

static void what_it_mapped_itself_is_there_instead(void **state)
{
	(void)state;
	was_forked();
	mapped(CHILD, STARTED, FORKED + 5, ADDR, 2);
	has_now(PARENT, PARENT_STARTED, ADDR, 1);
	assert_file(ADDR, 0, 2, 0x5000);
	assert_int_equal(maps_read, 0);
}

/* It had mapped it before the fork, and unmapped it then or later: nobody recorded that. */
static void what_the_parent_has_no_more_is_not_certain(void **state)
{
	(void)state;
	was_forked();
	mapped(PARENT, PARENT_STARTED, FORKED - 9, ADDR, 1);
	assert_int_equal(ask(ADDR, 0), -ENOENT);
	has_now(PARENT, PARENT_STARTED, 0x90000, 9);
	assert_int_equal(ask(ADDR, STARTED), -ENOENT);
}

static void nor_what_it_has_mapped_since(void **state)
{
	(void)state;
	was_forked();
	mapped(PARENT, PARENT_STARTED, FORKED, ADDR - 0x1000, 1);
	has_now(PARENT, PARENT_STARTED, ADDR, 1);
	assert_int_equal(ask(ADDR, 0), -ENOENT);
	assert_int_equal(maps_read, 1);
}

static void nor_what_it_has_after_exec(void **state)
{
	(void)state;
	was_forked();
	called_exec(PARENT, PARENT_STARTED, FORKED + 9);
	has_now(PARENT, PARENT_STARTED, ADDR, 1);
	assert_int_equal(ask(ADDR, 0), -ENOENT);
}

static void its_own_exec_before_the_fork_does_no_harm(void **state)
{
	(void)state;
	was_forked();
	called_exec(PARENT, PARENT_STARTED, FORKED - 9);
	has_now(PARENT, PARENT_STARTED, ADDR, 1);
	assert_file(ADDR, 0, 1, 0x5000);
}

static void a_child_that_called_exec_has_nothing_of_it(void **state)
{
	(void)state;
	was_forked();
	called_exec(CHILD, STARTED, FORKED + 9);
	has_now(PARENT, PARENT_STARTED, ADDR, 1);
	assert_int_equal(ask(ADDR, 0), -ENOENT);
	assert_int_equal(maps_read, 0);
}

static void nor_one_whose_exec_may_be_forgotten(void **state)
{
	(void)state;
	was_forked();
	has_now(PARENT, PARENT_STARTED, ADDR, 1);
	since = FORKED;
	assert_int_equal(ask(ADDR, 0), -ENOENT);
	since = FORKED - 1;
	assert_file(ADDR, 0, 1, 0x5000);
}

static int forgets_meanwhile(struct buildid_history *request)
{
	since = request->pid == PARENT ? FORKED + 1 : 0;
	return reply_history(request);
}

static void nor_when_that_of_the_parent_may_be(void **state)
{
	(void)state;
	was_forked();
	has_now(PARENT, PARENT_STARTED, ADDR, 1);
	fake.history = forgets_meanwhile;
	assert_int_equal(ask(ADDR, 0), -ENOENT);
	assert_int_equal(maps_read, 1);
}

static void who_has_the_pid_of_the_parent_now_is_another(void **state)
{
	(void)state;
	was_forked();
	has_now(PARENT, PARENT_STARTED + 1, ADDR, 1);
	assert_int_equal(ask(ADDR, 0), -ENOENT);
}

static void without_its_fork_nothing_is_certain(void **state)
{
	(void)state;
	mapped(CHILD, STARTED, FORKED + 5, 0x90000, 2);
	has_now(PARENT, PARENT_STARTED, ADDR, 1);
	assert_int_equal(ask(ADDR, 0), -ENOENT);
}

/* --------------------------------------------------------------- requests -- */

static void one_reading_serves_all_addresses_of_a_process(void **state)
{
	int i;

	(void)state;
	was_forked();
	mapped(CHILD, STARTED, FORKED + 5, 0x90000, 2);
	has_now(PARENT, PARENT_STARTED, ADDR, 1);
	for (i = 0; i < 5; i++) {
		assert_file(0x90000, i ? STARTED : 0, 2, 0x5000);
		assert_file(ADDR, STARTED, 1, 0x5000);
	}
	assert_int_equal(histories_read, 2);
	assert_int_equal(maps_read, 1);
	/* Whoever had the pid may be another one by now. */
	mapped(CHILD, STARTED + 1, 9100, 0x90000, 3);
	histories_read = 0;
	assert_file(0x90000, 0, 3, 0x5000);
	assert_int_equal(histories_read, 1);
}

static int interrupted_once(struct buildid_history *request)
{
	(void)request;
	fake.history = reply_history;
	return EINTR;
}

static int not_permitted(struct buildid_history *request)
{
	(void)request;
	return EPERM;
}

static void failures_are_reported(void **state)
{
	(void)state;
	mapped(CHILD, STARTED, FORKED, ADDR, 2);
	fake.history = interrupted_once;
	assert_int_equal(ask(ADDR, 0), -EINTR);
	assert_null(file);
	assert_int_equal(ask_in(64, ADDR, 0), -ENOSPC);
	assert_file(ADDR, 0, 2, 0x5000);
	/* A caller that may only ask about itself just learns that the process is gone. */
	fake.history = not_permitted;
	assert_int_equal(ask(ADDR, 0), -ESRCH);
	fake.history = reply_history;
	history[0].header.size = 8;
	assert_int_equal(ask(ADDR, 0), -EBADMSG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_had_what_it_mapped_last),
		TEST(who_had_the_pid_before_is_another),
		TEST(nothing_is_known_of_who_was_never_seen),
		TEST(what_is_not_known_is_there_instead_of_what_was),
		TEST(a_child_has_what_its_parent_has_had),
		TEST(what_it_mapped_itself_is_there_instead),
		TEST(what_the_parent_has_no_more_is_not_certain),
		TEST(nor_what_it_has_mapped_since),
		TEST(nor_what_it_has_after_exec),
		TEST(its_own_exec_before_the_fork_does_no_harm),
		TEST(a_child_that_called_exec_has_nothing_of_it),
		TEST(nor_one_whose_exec_may_be_forgotten),
		TEST(nor_when_that_of_the_parent_may_be),
		TEST(who_has_the_pid_of_the_parent_now_is_another),
		TEST(without_its_fork_nothing_is_certain),
		TEST(one_reading_serves_all_addresses_of_a_process),
		TEST(failures_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
