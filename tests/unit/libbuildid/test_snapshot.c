// SPDX-License-Identifier: GPL-2.0
/* Snapshot: which processes it covers, and which records come of each. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "common/array.h"

#define REQUESTED_MAX 65536

static struct buildid *handle;
static struct buildid_snapshot *snapshot;

/* The processes of MAPS requests, in order. */
static uint32_t requested[REQUESTED_MAX];
static size_t nr_requested;

static int set_up(void **state)
{
	nr_requested = 0;
	snapshot = NULL;
	return fake_reset(state) || buildid_open(&handle);
}

static int tear_down(void **state)
{
	(void)state;
	buildid_snapshot_free(snapshot);
	buildid_close(handle);
	return 0;
}

static void add_mapping(struct buildid_maps *request, uint64_t file_id, uint64_t addr)
{
	union any_record record;

	make_file(&record, file_id, 20, 0, "/f");
	fake_add_map(request, &record);
	make_mmap(&record, file_id, 0, request->pid);
	record.mmap.addr = addr;
	fake_add_map(request, &record);
}

static int one_mapping_each(struct buildid_maps *request)
{
	assert_true(nr_requested < REQUESTED_MAX);
	requested[nr_requested++] = request->pid;
	assert_int_equal(request->cursor, 0);
	add_mapping(request, 1, 0x1000);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void start(const struct buildid_options *options)
{
	assert_int_equal(buildid_snapshot_new(&snapshot, handle, options), 0);
}

static void assert_next(uint16_t type, uint32_t pid, uint64_t addr)
{
	const struct buildid_record *record;

	assert_int_equal(buildid_snapshot_next(snapshot, &record), 0);
	assert_int_equal(record->type, type);
	assert_int_equal(record->flags, BUILDID_RECORD_SNAPSHOT);
	if (type != BUILDID_RECORD_MMAP)
		return;
	assert_int_equal(((const struct buildid_mmap *)record)->pid, pid);
	assert_int_equal(((const struct buildid_mmap *)record)->addr, addr);
}

static void assert_next_error(int error)
{
	const struct buildid_record *record;

	assert_int_equal(buildid_snapshot_next(snapshot, &record), error);
	assert_null(record);
}

/* Read a whole snapshot. */
static void read_all(const struct buildid_options *options)
{
	const struct buildid_record *record;
	int error;

	nr_requested = 0;
	fake.maps = one_mapping_each;
	start(options);
	while (!(error = buildid_snapshot_next(snapshot, &record)))
		;
	assert_int_equal(error, -ENODATA);
	assert_int_equal(buildid_snapshot_processes(snapshot), nr_requested);
	buildid_snapshot_free(snapshot);
	snapshot = NULL;
}

static bool was_requested(pid_t pid)
{
	size_t i, count = 0;

	for (i = 0; i < nr_requested; i++)
		count += requested[i] == (uint32_t)pid;
	assert_true(count <= 1);
	return count;
}

/* ------------------------------------------------------------ processes -- */

/* A child that waits to be killed; of user @uid if that is not 0. */
static pid_t start_child(uid_t uid)
{
	int ready[2];
	pid_t child;
	char byte;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (uid && setuid(uid))
			_exit(1);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

static void end_child(pid_t child)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void named_processes_are_listed(void **state)
{
	static const uint32_t pids[] = { 30, 10, 20 };

	(void)state;
	read_all(&(struct buildid_options){
		.size = sizeof(struct buildid_options),
		.nr_pids = 3,
		.pids = pids,
	});
	assert_int_equal(nr_requested, 3);
	assert_memory_equal(requested, pids, sizeof(pids));
}

static void all_processes_are_listed(void **state)
{
	pid_t child = start_child(0);

	(void)state;
	read_all(NULL);
	assert_true(was_requested(child));
	assert_true(was_requested(getpid()));
	end_child(child);
	read_all(NULL);
	assert_false(was_requested(child));
}

static void processes_of_other_users_are_left_out(void **state)
{
	struct buildid_options options = {
		.size = sizeof(options),
		.flags = BUILDID_SUB_UID,
		.uid = 12345,
	};
	pid_t child, other;

	(void)state;
	if (getuid()) {
		options.uid = getuid();
		child = start_child(0);
		read_all(&options);
		assert_true(was_requested(child));
		assert_false(was_requested(1));
		end_child(child);
		return;
	}
	child = start_child(12345);
	other = start_child(0);
	read_all(&options);
	assert_true(was_requested(child));
	assert_false(was_requested(other));
	options.uid = 0;
	read_all(&options);
	assert_false(was_requested(child));
	assert_true(was_requested(other));
	end_child(child);
	end_child(other);
}

/* A child that has a child, whose pid comes by the pipe. */
static pid_t start_family(pid_t *grandchild)
{
	int number[2];
	pid_t child;

	assert_int_equal(pipe(number), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		pid_t own = fork();

		if (own && write(number[1], &own, sizeof(own)) != sizeof(own))
			_exit(1);
		pause();
		_exit(1);
	}
	assert_int_equal(read(number[0], grandchild, sizeof(*grandchild)), sizeof(*grandchild));
	close(number[0]);
	close(number[1]);
	return child;
}

static void descendants_are_listed(void **state)
{
	uint32_t pid;
	struct buildid_options options = {
		.size = sizeof(options),
		.nr_pids = 1,
		.pids = &pid,
	};
	pid_t child, grandchild;

	(void)state;
	child = start_family(&grandchild);
	pid = (uint32_t)child;
	read_all(&options);
	assert_int_equal(nr_requested, 1);
	assert_true(was_requested(child));

	options.flags = BUILDID_SUB_CHILDREN;
	read_all(&options);
	assert_int_equal(nr_requested, 2);
	assert_true(was_requested(child));
	assert_true(was_requested(grandchild));

	pid = (uint32_t)getpid();
	read_all(&options);
	assert_int_equal(nr_requested, 3);
	assert_true(was_requested(grandchild));
	kill(grandchild, SIGKILL);
	end_child(child);
}

/* In any order. */
static void descendants_of_several_are_listed(void **state)
{
	uint32_t pids[3];
	struct buildid_options options = {
		.size = sizeof(options),
		.nr_pids = ARRAY_SIZE(pids),
		.pids = pids,
		.flags = BUILDID_SUB_CHILDREN,
	};
	pid_t children[ARRAY_SIZE(pids)], grandchildren[ARRAY_SIZE(pids)];
	size_t i, j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(pids); i++)
		children[i] = start_family(&grandchildren[i]);
	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		for (j = 0; j < ARRAY_SIZE(pids); j++)
			pids[(i + j) % ARRAY_SIZE(pids)] =
				(uint32_t)children[ARRAY_SIZE(pids) - 1 - j];
		read_all(&options);
		assert_int_equal(nr_requested, 2 * ARRAY_SIZE(pids));
		for (j = 0; j < ARRAY_SIZE(pids); j++)
			assert_true(was_requested(grandchildren[j]));
	}
	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		kill(grandchildren[i], SIGKILL);
		end_child(children[i]);
	}
}

/* -------------------------------------------------------------- cgroups -- */

static void write_list(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int make_cgroup(void)
{
	int fd;

	assert_int_equal(system("rm -rf group"), 0);
	assert_int_equal(mkdir("group", 0755), 0);
	assert_int_equal(mkdir("group/below", 0755), 0);
	write_list("group/cgroup.procs", "30\n10\n0\n");
	write_list("group/below/cgroup.procs", "20\n10\n");
	fd = open("group", O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	return fd;
}

static void cgroups_are_listed_with_those_below(void **state)
{
	static const uint32_t expected[] = { 10, 20, 30 };
	struct buildid_options options = {
		.size = sizeof(options),
		.flags = BUILDID_SUB_CGROUP,
	};

	(void)state;
	options.cgroup_fd = make_cgroup();
	/* Twice: the position in the directory must not be shared. */
	read_all(&options);
	read_all(&options);
	assert_int_equal(nr_requested, 3);
	assert_memory_equal(requested, expected, sizeof(expected));
	close(options.cgroup_fd);
}

static void a_process_has_to_pass_all_filters(void **state)
{
	static const uint32_t pids[] = { 40, 20, 30 };
	struct buildid_options options = {
		.size = sizeof(options),
		.flags = BUILDID_SUB_CGROUP,
		.nr_pids = 3,
		.pids = pids,
	};

	(void)state;
	options.cgroup_fd = make_cgroup();
	read_all(&options);
	assert_int_equal(nr_requested, 2);
	assert_true(was_requested(20));
	assert_true(was_requested(30));
	close(options.cgroup_fd);
}

static void what_is_no_cgroup_is_an_error(void **state)
{
	struct buildid_options options = {
		.size = sizeof(options),
		.flags = BUILDID_SUB_CGROUP,
	};

	(void)state;
	options.cgroup_fd = open("/", O_RDONLY | O_DIRECTORY);
	assert_int_equal(buildid_snapshot_new(&snapshot, handle, &options), -ENOENT);
	assert_null(snapshot);
	close(options.cgroup_fd);
	options.cgroup_fd = 99;
	assert_int_equal(buildid_snapshot_new(&snapshot, handle, &options), -EBADF);
}

static void options_that_subscribe_refuses_are_refused(void **state)
{
	static const struct buildid_options wrong[] = {
		{ .size = sizeof(*wrong), .uid = 1 },
		{ .size = sizeof(*wrong), .cgroup_fd = 1 },
		{ .size = sizeof(*wrong), .flags = BUILDID_SUB_CHILDREN },
		{ .size = sizeof(*wrong), .reserved = 1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(buildid_snapshot_new(&snapshot, handle, &wrong[i]), -EINVAL);
}

/* -------------------------------------------------------------- records -- */

static const uint32_t two[] = { 1, 2 };
static const struct buildid_options both = {
	.size = sizeof(both),
	.nr_pids = 2,
	.pids = two,
};

static int in_pieces(struct buildid_maps *request)
{
	assert_int_equal(request->flags, BUILDID_MAPS_DATA);
	add_mapping(request, 1, 0x1000 + request->cursor);
	request->cursor = request->cursor == 0x2000 ? BUILDID_MAPS_END : request->cursor + 0x1000;
	return 0;
}

static void a_process_may_come_in_pieces(void **state)
{
	struct buildid_options options = both;
	uint32_t pid;
	uint64_t addr;

	(void)state;
	options.flags = BUILDID_SUB_DATA;
	fake.maps = in_pieces;
	start(&options);
	for (pid = 1; pid <= 2; pid++) {
		for (addr = 0x1000; addr <= 0x3000; addr += 0x1000) {
			assert_next(BUILDID_RECORD_FILE, 0, 0);
			assert_next(BUILDID_RECORD_MMAP, pid, addr);
		}
	}
	assert_next_error(-ENODATA);
	assert_next_error(-ENODATA);
	assert_int_equal(buildid_snapshot_processes(snapshot), 2);
}

static int first_is_gone(struct buildid_maps *request)
{
	if (request->pid == 1)
		return ESRCH;
	add_mapping(request, 1, 0x1000);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void a_process_that_is_gone_is_left_out(void **state)
{
	(void)state;
	fake.maps = first_is_gone;
	start(&both);
	assert_next(BUILDID_RECORD_FILE, 0, 0);
	assert_next(BUILDID_RECORD_MMAP, 2, 0x1000);
	assert_next_error(-ENODATA);
	assert_int_equal(buildid_snapshot_processes(snapshot), 1);
}

/* Process 1 calls exec between two calls, as often as @execs says. */
static unsigned int execs, instance;

static int calls_exec(struct buildid_maps *request)
{
	if (request->pid == 1 && request->cursor && execs) {
		assert_int_equal(request->instance, instance);
		instance++;
		execs--;
		return ESTALE;
	}
	if (request->cursor)
		assert_int_equal(request->instance, instance);
	else
		assert_int_equal(request->instance, 0);
	request->instance = instance;
	add_mapping(request, 1, (request->cursor ? 0x2000 : 0x1000) + 0x10000 * instance);
	request->cursor = request->cursor ? BUILDID_MAPS_END : 0x2000;
	return 0;
}

static void a_process_that_calls_exec_is_started_over(void **state)
{
	(void)state;
	fake.maps = calls_exec;
	execs = instance = 1;
	start(&both);
	assert_next(BUILDID_RECORD_FILE, 0, 0);
	assert_next(BUILDID_RECORD_MMAP, 1, 0x11000);
	assert_next(BUILDID_RECORD_FILE, 0, 0);
	assert_next(BUILDID_RECORD_MMAP, 1, 0x21000);
	assert_next(BUILDID_RECORD_FILE, 0, 0);
	assert_next(BUILDID_RECORD_MMAP, 1, 0x22000);
	assert_next(BUILDID_RECORD_FILE, 0, 0);
	assert_next(BUILDID_RECORD_MMAP, 2, 0x21000);
	assert_next(BUILDID_RECORD_FILE, 0, 0);
	assert_next(BUILDID_RECORD_MMAP, 2, 0x22000);
	assert_next_error(-ENODATA);
	assert_int_equal(buildid_snapshot_processes(snapshot), 2);
}

static void a_process_that_keeps_calling_exec_is_given_up(void **state)
{
	const struct buildid_record *record;
	unsigned int records = 0;
	int error;

	(void)state;
	fake.maps = calls_exec;
	execs = UINT32_MAX;
	instance = 1;
	start(&both);
	while (!(error = buildid_snapshot_next(snapshot, &record)))
		assert_true(records++ < 1000);
	assert_int_equal(error, -ESTALE);
	/* The next process comes all the same. */
	assert_int_equal(buildid_snapshot_next(snapshot, &record), 0);
	assert_int_equal(buildid_snapshot_next(snapshot, &record), 0);
	assert_int_equal(((const struct buildid_mmap *)record)->pid, 2);
	assert_int_equal(buildid_snapshot_processes(snapshot), 2);
}

/* Process 1 keeps its address space locked when it is asked, as often as @locks says. */
static unsigned int locks;

static int is_locked(struct buildid_maps *request)
{
	if (request->pid == 1 && locks) {
		locks--;
		return ETIMEDOUT;
	}
	add_mapping(request, 1, 0x1000);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void a_process_that_is_locked_comes_last(void **state)
{
	const struct buildid_record *record;

	(void)state;
	fake.maps = is_locked;
	locks = 1;
	start(&both);
	assert_int_equal(buildid_snapshot_next(snapshot, &record), 0);
	assert_int_equal(buildid_snapshot_next(snapshot, &record), 0);
	assert_int_equal(((const struct buildid_mmap *)record)->pid, 2);
	assert_int_equal(buildid_snapshot_next(snapshot, &record), 0);
	assert_int_equal(buildid_snapshot_next(snapshot, &record), 0);
	assert_int_equal(((const struct buildid_mmap *)record)->pid, 1);
	assert_int_equal(buildid_snapshot_next(snapshot, &record), -ENODATA);
	assert_int_equal(buildid_snapshot_processes(snapshot), 2);
}

static void a_process_that_stays_locked_is_an_error(void **state)
{
	const struct buildid_record *record;

	(void)state;
	fake.maps = is_locked;
	locks = UINT32_MAX;
	start(&both);
	assert_int_equal(buildid_snapshot_next(snapshot, &record), 0);
	assert_int_equal(buildid_snapshot_next(snapshot, &record), 0);
	assert_int_equal(buildid_snapshot_next(snapshot, &record), -ETIMEDOUT);
	assert_int_equal(buildid_snapshot_next(snapshot, &record), -ENODATA);
	assert_int_equal(buildid_snapshot_processes(snapshot), 1);
}

static int goes_meanwhile(struct buildid_maps *request)
{
	if (request->cursor)
		return ESRCH;
	add_mapping(request, 1, 0x1000);
	request->cursor = 0x2000;
	return 0;
}

static void a_process_that_exits_meanwhile_comes_in_part(void **state)
{
	(void)state;
	fake.maps = goes_meanwhile;
	start(&both);
	assert_next(BUILDID_RECORD_FILE, 0, 0);
	assert_next(BUILDID_RECORD_MMAP, 1, 0x1000);
	assert_next(BUILDID_RECORD_FILE, 0, 0);
	assert_next(BUILDID_RECORD_MMAP, 2, 0x1000);
	assert_next_error(-ENODATA);
}

static int maps_nothing(struct buildid_maps *request)
{
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void a_process_without_mappings_is_counted(void **state)
{
	(void)state;
	fake.maps = maps_nothing;
	start(&both);
	assert_next_error(-ENODATA);
	assert_int_equal(buildid_snapshot_processes(snapshot), 2);
}

static int refuses_the_first(struct buildid_maps *request)
{
	return request->pid == 1 ? EPERM : one_mapping_each(request);
}

static void an_error_ends_one_process_only(void **state)
{
	(void)state;
	fake.maps = refuses_the_first;
	start(&both);
	assert_next_error(-EPERM);
	assert_next(BUILDID_RECORD_FILE, 0, 0);
	assert_next(BUILDID_RECORD_MMAP, 2, 0x1000);
	assert_next_error(-ENODATA);
}

static int is_interrupted_once(struct buildid_maps *request)
{
	fake.maps = one_mapping_each;
	assert_int_equal(request->pid, 1);
	return EINTR;
}

static void a_signal_loses_nothing(void **state)
{
	(void)state;
	fake.maps = is_interrupted_once;
	start(&both);
	assert_next_error(-EINTR);
	assert_next(BUILDID_RECORD_FILE, 0, 0);
	assert_next(BUILDID_RECORD_MMAP, 1, 0x1000);
}

static int replies_malformed_records(struct buildid_maps *request)
{
	union any_record record;

	if (request->pid == 2)
		return one_mapping_each(request);
	add_mapping(request, 1, 0x1000);
	make_file(&record, 1, 20, 0, "/path");
	record.file.path_len = 4000;
	fake_add_map(request, &record);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static int replies_more_than_fits(struct buildid_maps *request)
{
	request->bytes = 1 << 20;
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static int never_ends(struct buildid_maps *request)
{
	request->bytes = 0;
	return 0;
}

static void malformed_replies_are_reported_and_skipped(void **state)
{
	(void)state;
	fake.maps = replies_malformed_records;
	start(&both);
	assert_next(BUILDID_RECORD_FILE, 0, 0);
	assert_next(BUILDID_RECORD_MMAP, 1, 0x1000);
	assert_next_error(-EBADMSG);
	assert_next(BUILDID_RECORD_FILE, 0, 0);
	assert_next(BUILDID_RECORD_MMAP, 2, 0x1000);
	assert_next_error(-ENODATA);
	buildid_snapshot_free(snapshot);

	fake.maps = replies_more_than_fits;
	start(&both);
	assert_next_error(-EBADMSG);
	buildid_snapshot_free(snapshot);

	fake.maps = never_ends;
	start(&both);
	assert_next_error(-EBADMSG);
	assert_next_error(-EBADMSG);
	assert_next_error(-ENODATA);
}

/* -------------------------------------------------------------- history -- */

static int history_in_two_parts(struct buildid_history *request)
{
	union any_record record;

	assert_int_equal(request->flags, 0);
	assert_true(request->cursor == 0 || request->cursor == 7);
	make_file(&record, 1, 20, 0, "/f");
	fake_add_history(request, &record);
	make_mmap(&record, 1, 0, 4711);
	record.mmap.addr = 0x1000 + request->cursor;
	fake_add_history(request, &record);
	request->cursor = request->cursor ? BUILDID_MAPS_END : 7;
	return 0;
}

static void history_goes_on_to_its_end(void **state)
{
	(void)state;
	fake.history = history_in_two_parts;
	assert_int_equal(buildid_snapshot_history(&snapshot, handle, 0), 0);
	assert_next(BUILDID_RECORD_FILE, 0, 0);
	assert_next(BUILDID_RECORD_MMAP, 4711, 0x1000);
	assert_next(BUILDID_RECORD_FILE, 0, 0);
	assert_next(BUILDID_RECORD_MMAP, 4711, 0x1007);
	assert_next_error(-ENODATA);
	assert_next_error(-ENODATA);
}

static int interrupted_once(struct buildid_history *request)
{
	fake.history = history_in_two_parts;
	assert_int_equal(request->pid, 4711);
	return EINTR;
}

static void history_goes_on_after_a_signal(void **state)
{
	(void)state;
	fake.history = interrupted_once;
	assert_int_equal(buildid_snapshot_history(&snapshot, handle, 4711), 0);
	assert_next_error(-EINTR);
	assert_next(BUILDID_RECORD_FILE, 0, 0);
}

static int no_end(struct buildid_history *request)
{
	request->cursor = 3;
	return 0;
}

static void history_that_cannot_be_had_ends(void **state)
{
	(void)state;
	assert_int_equal(buildid_snapshot_history(&snapshot, handle, 0), 0);
	assert_next_error(-EPERM);
	assert_next_error(-ENODATA);
	buildid_snapshot_free(snapshot);

	fake.history = no_end;
	assert_int_equal(buildid_snapshot_history(&snapshot, handle, 0), 0);
	assert_next_error(-EBADMSG);
	assert_next_error(-ENODATA);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(named_processes_are_listed),
		TEST(all_processes_are_listed),
		TEST(processes_of_other_users_are_left_out),
		TEST(descendants_are_listed),
		TEST(descendants_of_several_are_listed),
		TEST(cgroups_are_listed_with_those_below),
		TEST(a_process_has_to_pass_all_filters),
		TEST(what_is_no_cgroup_is_an_error),
		TEST(options_that_subscribe_refuses_are_refused),
		TEST(a_process_may_come_in_pieces),
		TEST(a_process_that_is_gone_is_left_out),
		TEST(a_process_that_exits_meanwhile_comes_in_part),
		TEST(a_process_that_calls_exec_is_started_over),
		TEST(a_process_that_is_locked_comes_last),
		TEST(a_process_that_stays_locked_is_an_error),
		TEST(a_process_that_keeps_calling_exec_is_given_up),
		TEST(a_process_without_mappings_is_counted),
		TEST(an_error_ends_one_process_only),
		TEST(a_signal_loses_nothing),
		TEST(malformed_replies_are_reported_and_skipped),
		TEST(history_goes_on_to_its_end),
		TEST(history_goes_on_after_a_signal),
		TEST(history_that_cannot_be_had_ends),
	};

	return cmocka_run_group_tests(tests, command_set_up, command_tear_down);
}
