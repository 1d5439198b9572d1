// SPDX-License-Identifier: GPL-2.0
/* Process snapshot: what this process and its children have mapped, by the real /proc. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/process_stat.h"
#include "samples.h"
#include "source/mapped_state.h"
#include "source/process_snapshot.c"
#include "streams.h"

#define PAGE 4096
#define MAX  64

/* What a snapshot had of one path. */
static struct found {
	uint64_t file[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	struct buildid_mmap mmaps[MAX];
	size_t files, count;
} found;

static int last_error;
static size_t processes;

static const struct buildid_file *found_file(void)
{
	return (const void *)found.file;
}

static void take(const struct buildid_record *record, const char *path, uint64_t *file_id)
{
	const struct buildid_mmap *mmap = (const void *)record;
	const struct buildid_file *file = (const void *)record;

	assert_int_equal(buildid_record_check(record, record->size), 0);
	assert_true(record->flags & BUILDID_RECORD_SNAPSHOT);
	if (record->type == BUILDID_RECORD_FILE) {
		*file_id = strcmp(buildid_file_path(file) ?: "", path) ? 0 : file->file_id;
		if (!*file_id)
			return;
		memcpy(found.file, record, record->size);
		found.files++;
		return;
	}
	assert_int_equal(record->type, BUILDID_RECORD_MMAP);
	if (*file_id && mmap->file_id == *file_id && found.count < MAX)
		found.mmaps[found.count++] = *mmap;
}

/* Of process @pid, 0 for all, the mappings of @path. */
static void look(struct process_files *files, uint32_t pid, uint32_t flags, const char *path)
{
	const struct buildid_options options = {
		.size = sizeof(options), .flags = flags, .nr_pids = pid ? 1 : 0, .pids = &pid
	};
	const struct buildid_record *record;
	struct process_snapshot *snapshot;
	uint64_t file_id = 0;

	memset(&found, 0, sizeof(found));
	assert_int_equal(process_snapshot_new(&snapshot, files, &options), 0);
	last_error = 0;
	while (last_error != -ENODATA) {
		last_error = process_snapshot_next(snapshot, &record);
		if (!last_error)
			take(record, path, &file_id);
		else if (pid)
			break;
	}
	processes = process_snapshot_processes(snapshot);
	process_snapshot_free(snapshot);
}

static void look_once(uint32_t pid, uint32_t flags, const char *path)
{
	struct process_files files = { .worker = mapped_state_worker() };

	look(&files, pid, flags, path);
	process_files_free(&files);
}

static const char *own_path(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", sample_directory(), name);
	return path;
}

static void *map_of(const char *name, int prot, off_t offset)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	void *at = mmap(NULL, PAGE, prot, MAP_PRIVATE, fd, offset);

	assert_true(at != MAP_FAILED);
	close(fd);
	return at;
}

static void expect_id_of(const char *name)
{
	struct build_id id;
	const uint8_t *bytes;
	size_t size;

	sample_id(name, &id);
	bytes = buildid_file_id_bytes(found_file(), &size);
	assert_int_equal(found_file()->kind, BUILDID_KIND_GNU);
	assert_int_equal(size, id.size);
	assert_memory_equal(bytes, id.bytes, size);
}

static void a_mapping_has_the_identity_of_its_file(void **state)
{
	const uint32_t pid = (uint32_t)getpid();
	const struct buildid_file *file = found_file();
	struct process_stat self;
	struct stat stat_;
	void *one, *other;

	(void)state;
	sample_make("true");
	one = map_of("true", PROT_READ | PROT_EXEC, PAGE);
	other = map_of("true", PROT_READ, 0);
	look_once(pid, 0, own_path("true"));
	assert_int_equal(last_error, -ENODATA);
	assert_int_equal(processes, 1);
	assert_int_equal(found.files, 1);
	assert_int_equal(found.count, 1);
	expect_id_of("true");
	assert_int_equal(stat("true", &stat_), 0);
	assert_int_equal(file->ino, stat_.st_ino);
	assert_int_equal(file->user_ino, stat_.st_ino);
	assert_int_equal(file->dev_minor, minor(stat_.st_dev));
	assert_int_equal(file->file_size, stat_.st_size);
	assert_int_equal(file->ctime / 1000000000, stat_.st_ctim.tv_sec);
	assert_int_equal(file->flags, 0);
	assert_int_equal(file->pid, pid);

	assert_true(process_stat_read(getpid(), &self));
	assert_int_equal(found.mmaps[0].pid, pid);
	assert_int_equal(found.mmaps[0].start_time, self.start);
	assert_int_equal(found.mmaps[0].addr, (uintptr_t)one);
	assert_int_equal(found.mmaps[0].len, PAGE);
	assert_int_equal(found.mmaps[0].pgoff, PAGE);
	assert_int_equal(found.mmaps[0].prot, PROT_READ | PROT_EXEC);
	assert_int_equal(found.mmaps[0].map_flags, MAP_PRIVATE);
	assert_int_equal(found.mmaps[0].uid, getuid());

	look_once(pid, BUILDID_SUB_DATA, own_path("true"));
	assert_int_equal(found.count, 2);
	munmap(one, PAGE);
	munmap(other, PAGE);
}

static void what_is_deleted_is_told_by_inode_and_not_by_name(void **state)
{
	const uint32_t pid = (uint32_t)getpid();
	void *one, *other;

	(void)state;
	sample_make("true");
	sample_make("false");
	assert_int_equal(rename("false", "false (deleted)"), 0);
	one = map_of("true", PROT_READ | PROT_EXEC, 0);
	other = map_of("false (deleted)", PROT_READ | PROT_EXEC, 0);
	shell("cp true copy && mv copy true");
	look_once(pid, 0, own_path("true"));
	assert_int_equal(found.count, 1);
	assert_int_equal(found_file()->flags, BUILDID_FILE_DELETED);

	look_once(pid, 0, own_path("false (deleted)"));
	assert_int_equal(found.count, 1);
	assert_int_equal(found_file()->flags, 0);
	expect_id_of("/bin/false");
	munmap(one, PAGE);
	munmap(other, PAGE);
}

static void a_file_without_a_build_id_has_the_hash_of_the_module(void **state)
{
	/* sha256 of "no\n" "no\n" and 3 as eight bytes, big endian: its first half */
	static const char hash[] = "67853df7efe22a19c9b942679e166545";
	const uint8_t *bytes;
	char text[BUILD_ID_TEXT];
	struct build_id id;
	size_t size;
	void *at;

	(void)state;
	shell("echo no > text");
	at = map_of("text", PROT_READ | PROT_EXEC, 0);
	look_once((uint32_t)getpid(), 0, own_path("text"));
	assert_int_equal(found.count, 1);
	assert_int_equal(found_file()->kind, BUILDID_KIND_HTLHASH);
	assert_int_equal(found_file()->reason, BUILDID_REASON_NOT_ELF);
	bytes = buildid_file_id_bytes(found_file(), &size);
	assert_true(build_id_set(&id, bytes, size));
	assert_string_equal(build_id_text(&id, text), hash);
	munmap(at, PAGE);
}

static void versions_of_a_path_have_ids_of_their_own(void **state)
{
	struct process_files files = { .worker = mapped_state_worker() };
	const uint32_t pid = (uint32_t)getpid();
	void *before, *after;
	uint64_t first;

	(void)state;
	sample_make("true");
	before = map_of("true", PROT_READ | PROT_EXEC, 0);
	look(&files, pid, 0, own_path("true"));
	first = found_file()->file_id;
	assert_true(first >= FILE_IDS_FIRST);
	look(&files, pid, 0, own_path("true"));
	assert_int_equal(found_file()->file_id, first);

	shell("cp /bin/false copy && mv copy true");
	munmap(before, PAGE);
	after = map_of("true", PROT_READ | PROT_EXEC, 0);
	look(&files, pid, 0, own_path("true"));
	assert_int_equal(found.count, 1);
	assert_int_not_equal(found_file()->file_id, first);
	expect_id_of("true");
	munmap(after, PAGE);
	process_files_free(&files);
}

static void mappings_in_a_row_have_their_file_once(void **state)
{
	char *at = mmap(NULL, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd, i;

	(void)state;
	sample_make("true");
	fd = open("true", O_RDONLY | O_CLOEXEC);
	for (i = 0; i < 4; i++)
		assert_true(mmap(at + i * PAGE, PAGE, PROT_READ | PROT_EXEC,
				 MAP_PRIVATE | MAP_FIXED, fd, 0) != MAP_FAILED);
	close(fd);
	look_once((uint32_t)getpid(), 0, own_path("true"));
	assert_int_equal(found.files, 1);
	assert_int_equal(found.count, 4);
	munmap(at, 4 * PAGE);
}

static void who_is_gone_has_no_mappings(void **state)
{
	pid_t child = fork();

	(void)state;
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	look_once((uint32_t)child, 0, "");
	assert_int_equal(last_error, -ENODATA);
	assert_int_equal(processes, 0);
}

static void no_descriptor_is_not_the_end_of_a_process(void **state)
{
	struct rlimit limit, none;
	pid_t child = fork();
	int free_one;

	(void)state;
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	/* The worker is there. */
	look_once((uint32_t)child, 0, "");
	assert_int_equal(processes, 1);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	free_one = dup(0);
	close(free_one);
	none = (struct rlimit){ (rlim_t)free_one, limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	look_once((uint32_t)child, 0, "");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(last_error, -EMFILE);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* At each of its records the process calls exec, which ends the address space that is read. */
static void a_process_that_calls_exec_is_read_again(void **state)
{
	struct process_files files = { .worker = mapped_state_worker() };
	struct buildid_options options = { .size = sizeof(options), .nr_pids = 1 };
	const struct buildid_record *record;
	struct process_snapshot *snapshot;
	uint32_t pid;
	int go[2];
	pid_t child;
	char byte;

	(void)state;
	sample_make("true");
	shell("cp /bin/sleep other");
	assert_int_equal(pipe(go), 0);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		map_of("true", PROT_READ | PROT_EXEC, 0);
		(void)!write(go[1], "", 1);
		close(go[1]);
		raise(SIGSTOP);
		execl("other", "other", "1000", NULL);
		_exit(1);
	}
	close(go[1]);
	assert_int_equal(read(go[0], &byte, 1), 1);
	close(go[0]);
	pid = (uint32_t)child;
	options.pids = &pid;
	assert_int_equal(process_snapshot_new(&snapshot, &files, &options), 0);
	/* So that it is open, and nothing of it was read. */
	assert_int_equal(open_process(snapshot, pid), 0);
	snapshot->next = 1;
	assert_int_equal(waitpid(child, NULL, WUNTRACED), child);
	kill(child, SIGCONT);
	shell("until grep -q other /proc/%u/comm; do sleep 0.01; done", pid);
	memset(&found, 0, sizeof(found));
	while (!(last_error = process_snapshot_next(snapshot, &record)))
		found.files += record->type == BUILDID_RECORD_FILE &&
			       !strcmp(buildid_file_path((const void *)record), own_path("other"));
	assert_int_equal(last_error, -ENODATA);
	assert_int_equal(found.files, 1);
	assert_int_equal(process_snapshot_processes(snapshot), 1);
	process_snapshot_free(snapshot);
	process_files_free(&files);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void a_process_that_ends_is_no_other_one(void **state)
{
	struct process_files files = { .worker = mapped_state_worker() };
	struct buildid_options options = { .size = sizeof(options), .nr_pids = 1 };
	const struct buildid_record *record;
	struct process_snapshot *snapshot;
	siginfo_t info;
	uint32_t pid;
	pid_t child;

	(void)state;
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	pid = (uint32_t)child;
	options.pids = &pid;
	assert_int_equal(process_snapshot_new(&snapshot, &files, &options), 0);
	assert_int_equal(process_snapshot_next(snapshot, &record), 0);
	kill(child, SIGKILL);
	/* It is a zombie then. */
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	while (!(last_error = process_snapshot_next(snapshot, &record)))
		;
	assert_int_equal(last_error, -ENODATA);
	process_snapshot_free(snapshot);
	process_files_free(&files);
	waitpid(child, NULL, 0);
}

/* Which is denied to all but root, and to root in a user namespace. */
static int look_at_parent(void)
{
	if (!geteuid() && (setgid(65534) || setuid(65534)))
		return 2;
	look_once((uint32_t)getppid(), 0, "");
	return last_error == -EPERM ? 0 : 1;
}

static void others_are_not_looked_at(void **state)
{
	int status;
	pid_t child;

	(void)state;
	/* Also where the tests are not root. */
	prctl(PR_SET_DUMPABLE, 0);
	child = fork();
	if (!child)
		_exit(look_at_parent());
	assert_int_equal(waitpid(child, &status, 0), child);
	prctl(PR_SET_DUMPABLE, 1);
	assert_int_equal(status, 0);
}

/* /proc/PID/maps shows a newline as "\012", and these four characters, too. */
static void a_path_is_not_guessed_where_it_is_ambiguous(void **state)
{
	static const char *const names[] = { "a\\012b", "a\nb" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		pid_t child = fork();

		if (!child) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			shell("cp /bin/sleep '%s'", names[i]);
			execl(names[i], names[i], "1000", NULL);
			_exit(1);
		}
		shell("until grep -q ^a /proc/%d/comm; do sleep 0.01; done", child);
		look_once((uint32_t)child, 0, own_path(names[i]));
		assert_int_equal(found.files, 1);
		assert_int_equal(found_file()->flags, 0);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	assert_true(process_maps_show_same("a\\012b", "a\nb"));
	assert_true(process_maps_show_same("a\nb", "a\nb"));
	assert_false(process_maps_show_same("a\nb", "a\nc"));
	assert_false(process_maps_show_same("a\n", "a"));
	assert_false(process_maps_show_same("a\\01", "a\n"));
}

static void all_processes_are_looked_at(void **state)
{
	pid_t child;
	void *at;

	(void)state;
	sample_make("true");
	at = map_of("true", PROT_READ | PROT_EXEC, 0);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	look_once(0, 0, own_path("true"));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(last_error, -ENODATA);
	assert_int_equal(found.count, 2);
	assert_int_not_equal(found.mmaps[0].pid, found.mmaps[1].pid);
	assert_true(processes >= 2);
	munmap(at, PAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, sample_set_up, sample_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_mapping_has_the_identity_of_its_file),
		TEST(what_is_deleted_is_told_by_inode_and_not_by_name),
		TEST(a_file_without_a_build_id_has_the_hash_of_the_module),
		TEST(versions_of_a_path_have_ids_of_their_own),
		TEST(mappings_in_a_row_have_their_file_once),
		TEST(who_is_gone_has_no_mappings),
		TEST(no_descriptor_is_not_the_end_of_a_process),
		TEST(a_process_that_calls_exec_is_read_again),
		TEST(a_process_that_ends_is_no_other_one),
		TEST(others_are_not_looked_at),
		TEST(a_path_is_not_guessed_where_it_is_ambiguous),
		TEST(all_processes_are_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
