// SPDX-License-Identifier: GPL-2.0
/* Commands: what they print and how they exit, with a fake module behind. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "commands.h"
#include "elf_notes.h"
#include "fake_module.h"
#include "log.h"

static char directory[] = "/tmp/buildid-commands.XXXXXX";
static char out[65536], err[65536];
static char log_path[64], list_path[64];

static int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(log_path, sizeof(log_path), "%s/log", directory);
	snprintf(list_path, sizeof(list_path), "%s/list", directory);
	return chdir(directory);
}

static int remove_directory(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command);
}

static void slurp(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
}

/* Not only the descriptor: a stream that was used keeps its way to buffer. */
static void redirect(FILE *stream, const char *path)
{
	if (!freopen(path, "w", stream))
		_exit(99);
}

/* In a child: a command may change what is the process's, like signals. */
static pid_t start(int (*command)(int, char **), const char *const *words)
{
	char *argv[32];
	int argc = 0;
	pid_t child;

	for (; *words; words++)
		argv[argc++] = strdup(*words);
	argv[argc] = NULL;
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		/* Rather fail than wait for ever. */
		alarm(60);
		redirect(stdout, "out");
		redirect(stderr, "err");
		exit(command(argc, argv));
	}
	while (argc)
		free(argv[--argc]);
	return child;
}

/* The exit status, with out[] and err[] filled. */
static int finish(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	slurp("out", out, sizeof(out));
	slurp("err", err, sizeof(err));
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#define WORDS(...) ((const char *const[]) { __VA_ARGS__, NULL })
#define RUN(command, ...) \
	finish(start(cmd_ ## command, WORDS("buildid " #command, ##__VA_ARGS__)))

static void put_file(uint64_t file_id, uint16_t id_len, uint16_t reason)
{
	union any_record record;

	make_file(&record, file_id, id_len, reason, "/f");
	assert_true(fake_put(&record));
}

static void put_mmap(uint64_t file_id, uint32_t state, const char *path)
{
	union any_record record;
	struct timespec now;

	make_mmap(&record, file_id, state, 77, path);
	clock_gettime(CLOCK_MONOTONIC, &now);
	record.header.time_mono = (uint64_t)now.tv_sec * 1000000000 +
				  (uint64_t)now.tv_nsec;
	assert_true(fake_put(&record));
}

static void put_lost(uint64_t count)
{
	union any_record record;

	make_lost(&record, count);
	assert_true(fake_put(&record));
}

#define WAIT_STEP_US	10000
#define WAIT_STEPS	3000

/* Until @is_so, for as long as a slow machine may take. */
static void wait_until(bool (*is_so)(void))
{
	int step;

	for (step = 0; step < WAIT_STEPS && !is_so(); step++)
		usleep(WAIT_STEP_US);
	assert_true(is_so());
}

static bool all_is_consumed(void)
{
	return fake_produced() && fake_consumed() == fake_produced();
}

static bool is_started(void)
{
	return !access("started", F_OK);
}

/* ---------------------------------------------------- info, stats, flush -- */

static void without_the_module_all_say_so(void **state)
{
	static const char expected[] =
		"buildid: /dev/buildid: the module is not loaded; load it: modprobe buildid\n";

	(void)state;
	fake.open_error = ENOENT;
	assert_int_equal(RUN(info), 1);
	assert_string_equal(err, expected);
	assert_string_equal(out, "");
	assert_int_equal(RUN(mon), 1);
	assert_string_equal(err, expected);
	assert_int_equal(RUN(record, "-o", "never", "--", "touch", "ran"), 1);
	assert_string_equal(err, expected);
	assert_int_equal(access("never", F_OK), -1);
	assert_int_equal(access("ran", F_OK), -1);
	assert_int_equal(RUN(stats, "-j"), 1);
	assert_string_equal(err, expected);
	assert_string_equal(out, "{\"error\":\"the module is not loaded; load it: "
			    "modprobe buildid\",\"object\":\"/dev/buildid\"}\n");
}

static void permissions_come_with_what_helps(void **state)
{
	(void)state;
	fake.open_error = EACCES;
	assert_int_equal(RUN(info), 1);
	assert_non_null(strstr(err, "not permitted; run as root"));
	fake.open_error = 0;
	fake.subscribe_error = fake.flush_error = EPERM;
	assert_int_equal(RUN(mon), 1);
	assert_non_null(strstr(err, "CAP_PERFMON"));
	assert_int_equal(RUN(flush), 1);
	assert_non_null(strstr(err, "CAP_SYS_ADMIN"));
	assert_null(strstr(err, "CAP_PERFMON"));
}

static void info_is_rows_or_an_object(void **state)
{
	(void)state;
	assert_int_equal(RUN(info), 0);
	assert_non_null(strstr(out, "hook             hook\n"));
	assert_non_null(strstr(out, "records          file mmap\n"));
	assert_non_null(strstr(out, "ioctls           info stats\n"));
	assert_int_equal(RUN(info, "-j"), 0);
	assert_non_null(strstr(out, "\"records\":[\"file\",\"mmap\"],"));
	assert_non_null(strstr(out, "\"max_entries\":65536,"));
}

static void stats_are_rows_or_an_object(void **state)
{
	(void)state;
	fake.stats.mappings = 12;
	fake.stats.memory = UINT64_MAX;
	assert_int_equal(RUN(stats), 0);
	assert_non_null(strstr(out, "mappings         12\n"));
	assert_non_null(strstr(out, "memory           18446744073709551615\n"));
	assert_int_equal(RUN(stats, "--json"), 0);
	assert_ptr_equal(strstr(out, "{\"mappings\":12,\"hits\":0,"), out);
	assert_non_null(strstr(out, ",\"memory\":18446744073709551615}\n"));
}

static void stats_are_openmetrics(void **state)
{
	(void)state;
	fake.stats.mappings = 12;
	fake.stats.entries = 3;
	fake.stats.memory = 4096;
	assert_int_equal(RUN(stats, "--openmetrics"), 0);
	assert_ptr_equal(strstr(out,
				"# TYPE buildid_mappings counter\n"
				"# HELP buildid_mappings Executable file mappings seen.\n"
				"buildid_mappings_total 12\n"), out);
	assert_non_null(strstr(out, "# TYPE buildid_entries gauge\n"));
	assert_non_null(strstr(out, "\nbuildid_entries 3\n"));
	assert_non_null(strstr(out, "# TYPE buildid_memory_bytes gauge\n"
			       "# UNIT buildid_memory_bytes bytes\n"));
	assert_non_null(strstr(out, "\nbuildid_memory_bytes 4096\n"));
	assert_string_equal(out + strlen(out) - 6, "# EOF\n");
}

static void flush_says_how_many(void **state)
{
	(void)state;
	fake.flushed = 7;
	assert_int_equal(RUN(flush), 0);
	assert_string_equal(out, "flushed          7\n");
	assert_int_equal(RUN(flush, "-j"), 0);
	assert_string_equal(out, "{\"flushed\":7}\n");
}

/* ------------------------------------------------------------------- id -- */

static void id_does_what_it_can(void **state)
{
	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(RUN(id, "/nonexistent", "/proc/self/exe", "fifo", "/tmp",
			     "/dev/null"), 1);
	assert_string_equal(out, "101112131415161718191a1b1c1d1e1f20212223 /proc/self/exe\n");
	assert_string_equal(err, "buildid: /nonexistent: No such file or directory\n"
			    "buildid: fifo: not a regular file\n"
			    "buildid: /tmp: Is a directory\n"
			    "buildid: /dev/null: not a regular file\n");
	assert_int_equal(RUN(id, "-j", "/nonexistent"), 1);
	assert_string_equal(out, "{\"error\":\"No such file or directory\","
			    "\"object\":\"/nonexistent\"}\n");
}

static void resolve_nothing(int fd, union any_record *record)
{
	(void)fd;
	make_file(record, 1, 0, BUILDID_REASON_NOT_ELF, "/f");
}

static void a_file_without_an_id_is_no_failure(void **state)
{
	(void)state;
	fake.resolve = resolve_nothing;
	assert_int_equal(RUN(id, "/etc/passwd"), 0);
	assert_string_equal(out, "(not-elf)                                /etc/passwd\n");
	assert_string_equal(err, "");
	assert_int_equal(RUN(id, "-j", "/etc/passwd"), 0);
	assert_non_null(strstr(out, "\"path\":\"/etc/passwd\""));
	assert_non_null(strstr(out, "\"build_id\":null,\"kind\":\"none\","
			       "\"reason\":\"not-elf\""));
}

static void resolve_truly(int fd, union any_record *record)
{
	struct elf_id id;

	elf_notes_read(fd, &id);
	make_file(record, 1, (uint16_t)id.size, id.reason, "/f");
	memcpy(record->file.data, id.bytes, id.size);
}

static void verify_compares_with_libelf(void **state)
{
	(void)state;
	fake.resolve = resolve_truly;
	assert_int_equal(RUN(id, "--verify", "/proc/self/exe", "/etc/passwd"), 0);
	assert_string_equal(err, "");

	fake.resolve = NULL;
	assert_int_equal(RUN(id, "--verify", "/proc/self/exe"), 1);
	assert_non_null(strstr(err, "buildid: /proc/self/exe: the module reads 101112"));
	assert_int_equal(RUN(id, "--verify", "/etc/passwd"), 1);
	assert_non_null(strstr(err, "libelf reads (not-elf)\n"));
	fake.resolve = resolve_nothing;
	assert_int_equal(RUN(id, "--verify", "/proc/self/exe"), 1);
	assert_non_null(strstr(err, "the module reads (not-elf), libelf reads "));
}

static void write_list(const char *bytes, size_t size)
{
	FILE *file = fopen(list_path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static void paths_may_come_from_a_file(void **state)
{
	static const char lines[] = "/etc/passwd\n\n/etc/group";
	static const char nuls[] = "new\nline\0/etc/passwd";
	FILE *file = fopen("new\nline", "w");

	(void)state;
	assert_non_null(file);
	fclose(file);
	fake.resolve = resolve_nothing;
	write_list(lines, sizeof(lines) - 1);
	assert_int_equal(RUN(id, "--files-from", list_path), 0);
	assert_string_equal(out, "(not-elf)                                /etc/passwd\n"
			    "(not-elf)                                /etc/group\n");
	write_list(nuls, sizeof(nuls));
	assert_int_equal(RUN(id, "-0", "--files-from", list_path), 0);
	assert_string_equal(out, "(not-elf)                                new\\012line\n"
			    "(not-elf)                                /etc/passwd\n");
	assert_int_equal(RUN(id, "--files-from", "/nonexistent"), 1);
	assert_int_equal(RUN(id, "--files-from", "/tmp"), 1);
	assert_non_null(strstr(err, strerror(EISDIR)));
}

static void many_paths_are_no_problem(void **state)
{
	FILE *file = fopen(list_path, "w");
	int i;

	(void)state;
	for (i = 0; i < 3500; i++)
		fputs("/etc/passwd\n", file);
	fclose(file);
	assert_int_equal(RUN(id, "--files-from", list_path), 0);
	assert_string_equal(err, "");
}

/* ------------------------------------------------------------------ mon -- */

static void mon_stops_after_its_count(void **state)
{
	(void)state;
	put_file(1, 4, 0);
	put_mmap(1, 0, "/a");
	put_lost(12);
	put_mmap(1, 0, "/b");
	put_mmap(1, 0, "/c");
	assert_int_equal(RUN(mon, "--count", "2"), 0);
	assert_string_equal(out,
			    "     77 worker          7f0000001000 r-xp "
			    "10111213                                 /a\n"
			    "lost 12 events (ring full)\n"
			    "     77 worker          7f0000001000 r-xp "
			    "10111213                                 /b\n");
	assert_string_equal(err, "buildid: 2 events, 12 lost\n");
}

static void mon_asks_for_what_it_was_asked_for(void **state)
{
	union any_record record;

	(void)state;
	make_mmap(&record, 0, BUILDID_STATE_UNRESOLVED, 1, "/a");
	assert_true(fake_put(&record));
	assert_int_equal(RUN(mon, "--count", "1", "-p", "1"), 0);
	assert_int_equal(fake.subscribed.flags, BUILDID_SUB_PATH);
	assert_int_equal(fake.subscribed.nr_pids, 1);
	assert_int_equal(fake.pids[0], 1);

	assert_true(fake_put(&record));
	assert_int_equal(RUN(mon, "--count", "1", "--data"), 0);
	assert_int_equal(fake.subscribed.flags, BUILDID_SUB_PATH | BUILDID_SUB_DATA);
	assert_int_equal(fake.subscribed.nr_pids, 0);

	assert_int_equal(RUN(mon, "-p", "2147483647"), 1);
	assert_string_equal(err, "buildid: pid 2147483647: No such process\n");
	assert_int_equal(RUN(mon, "-j", "-p", "2147483647"), 1);
	assert_string_equal(out, "{\"error\":\"No such process\","
			    "\"object\":\"pid 2147483647\"}\n");
}

static void mon_filters(void **state)
{
	(void)state;
	put_file(1, 4, 0);
	put_mmap(1, 0, "/lib/libc.so.6");
	put_mmap(1, 0, "/lib/libm.so.6");
	assert_int_equal(RUN(mon, "--count", "1", "--path", "*libm*", "-c", "worker"), 0);
	assert_null(strstr(out, "libc"));
	assert_non_null(strstr(out, "libm"));
}

static void mon_waits_for_identities(void **state)
{
	(void)state;
	put_file(1, 0, BUILDID_REASON_PENDING);
	put_mmap(1, BUILDID_STATE_PENDING, "/a");
	put_file(2, 4, 0);
	put_mmap(2, 0, "/b");
	put_file(1, 8, 0);
	assert_int_equal(RUN(mon, "--count", "2"), 0);
	assert_string_equal(out,
			    "     77 worker          7f0000001000 r-xp "
			    "1011121314151617                         /a\n"
			    "     77 worker          7f0000001000 r-xp "
			    "10111213                                 /b\n");
}

static void mon_does_not_wait_for_ever(void **state)
{
	(void)state;
	put_file(1, 0, BUILDID_REASON_PENDING);
	put_mmap(1, BUILDID_STATE_PENDING, "/a");
	assert_int_equal(RUN(mon, "--count", "1"), 0);
	assert_non_null(strstr(out, "(pending)"));
}

static void end_by(int signal_)
{
	pid_t child;

	fake_reset(NULL);
	put_file(1, 0, BUILDID_REASON_PENDING);
	put_mmap(1, BUILDID_STATE_PENDING, "/held");
	child = start(cmd_mon, WORDS("buildid mon"));
	wait_until(all_is_consumed);
	kill(child, signal_);
	assert_int_equal(finish(child), 0);
	assert_non_null(strstr(out, "(pending)"));
	assert_non_null(strstr(out, "/held\n"));
	assert_string_equal(err, "buildid: 1 events, 0 lost\n");
}

static void mon_ends_by_signals(void **state)
{
	(void)state;
	end_by(SIGINT);
	end_by(SIGTERM);
}

static void mon_prints_each_line_at_once(void **state)
{
	pid_t child;

	(void)state;
	put_mmap(0, BUILDID_STATE_UNRESOLVED, "/a");
	child = start(cmd_mon, WORDS("buildid mon"));
	wait_until(all_is_consumed);
	slurp("out", out, sizeof(out));
	assert_non_null(strstr(out, "/a\n"));
	kill(child, SIGINT);
	assert_int_equal(finish(child), 0);
}

/* As under "| head": the reader goes, and nothing more is mapped. */
static int mon_into_a_closed_pipe(int argc, char **argv)
{
	int ends[2];

	if (pipe(ends) || dup2(ends[1], STDOUT_FILENO) < 0)
		return 98;
	close(ends[0]);
	close(ends[1]);
	return cmd_mon(argc, argv);
}

static void mon_ends_with_its_reader(void **state)
{
	(void)state;
	assert_int_equal(finish(start(mon_into_a_closed_pipe, WORDS("buildid mon"))), 0);
	put_mmap(0, BUILDID_STATE_UNRESOLVED, "/a");
	assert_int_equal(finish(start(mon_into_a_closed_pipe, WORDS("buildid mon"))), 0);
}

static int mon_into_a_full_disk(int argc, char **argv)
{
	redirect(stdout, "/dev/full");
	return cmd_mon(argc, argv);
}

static void mon_tells_of_a_full_disk(void **state)
{
	(void)state;
	put_mmap(0, BUILDID_STATE_UNRESOLVED, "/a");
	assert_int_equal(finish(start(mon_into_a_full_disk, WORDS("buildid mon"))), 1);
	assert_non_null(strstr(err, "buildid: standard output: No space left on device\n"));
}

/* ------------------------------------------------------ record, mon -i -- */

static void a_recording_can_be_shown(void **state)
{
	(void)state;
	put_file(1, 4, 0);
	put_mmap(1, 0, "/a");
	put_lost(3);
	assert_int_equal(RUN(record, "-o", log_path, "--", "true"), 0);
	assert_string_equal(out, "");
	assert_non_null(strstr(err, "/log: 3 records, 3 lost\n"));

	assert_int_equal(RUN(mon, "-i", log_path), 0);
	assert_string_equal(out, "     77 worker          7f0000001000 r-xp "
			    "10111213                                 /a\n"
			    "lost 3 events (ring full)\n");
	assert_string_equal(err, "buildid: 1 events, 3 lost\n");
	assert_int_equal(RUN(mon, "-j", "-i", log_path), 0);
	assert_ptr_equal(strstr(out, "{\"type\":\"mmap\",\"seq\":2,"), out);
}

static void a_log_that_was_cut_is_shown_as_far_as_it_goes(void **state)
{
	(void)state;
	put_file(1, 0, BUILDID_REASON_PENDING);
	put_mmap(1, BUILDID_STATE_PENDING, "/held");
	assert_int_equal(RUN(record, "-o", log_path, "sh", "-c", "exit 0"), 0);
	assert_int_equal(truncate(log_path, 56 + 128 + 112 + 7), 0);
	assert_int_equal(RUN(mon, "-i", log_path), 1);
	assert_non_null(strstr(out, "/held\n"));
	assert_non_null(strstr(err, "/log: cut short: ends at byte 303, "
			       "in what starts at byte 296\n"));
}

static void record_exits_as_its_command(void **state)
{
	(void)state;
	assert_int_equal(RUN(record, "-o", log_path, "sh", "-c", "exit 3"), 3);
	assert_int_equal(RUN(record, "-o", log_path, "sh", "-c", "kill -9 $$"), 128 + 9);
	assert_int_equal(RUN(record, "-o", log_path, "/nonexistent"), 127);
	assert_string_equal(err, "buildid: /nonexistent: No such file or directory\n");
	assert_int_equal(RUN(record, "-o", log_path, "/tmp"), 126);
	assert_int_equal(RUN(record, "-o", log_path, "--", "sh", "-c", "echo -o"), 0);
	assert_string_equal(out, "-o\n");
}

static int run_itself(int argc, char **argv)
{
	(void)argc;
	return execvp(argv[0], argv);
}

static void record_leaves_its_command_no_trace(void **state)
{
	static const char look[] =
		"grep -E 'Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd";
	char without[sizeof(out)];

	(void)state;
	assert_int_equal(finish(start(run_itself, WORDS("sh", "-c", look))), 0);
	strcpy(without, out);
	assert_int_equal(RUN(record, "-o", log_path, "sh", "-c", look), 0);
	assert_string_equal(out, without);
}

static void record_without_a_command_ends_by_signals(void **state)
{
	pid_t child;

	(void)state;
	put_mmap(0, BUILDID_STATE_UNRESOLVED, "/a");
	child = start(cmd_record, WORDS("buildid record"));
	wait_until(all_is_consumed);
	kill(child, SIGINT);
	assert_int_equal(finish(child), 0);
	assert_string_equal(err, "buildid: buildid.log: 1 records, 0 lost\n");
	assert_int_equal(access("buildid.log", R_OK), 0);
}

static void record_passes_sigterm_on(void **state)
{
	pid_t child;

	(void)state;
	child = start(cmd_record, WORDS("buildid record", "-o", log_path, "sh", "-c",
					"touch started; exec sleep 60"));
	wait_until(is_started);
	kill(child, SIGINT);
	kill(child, SIGTERM);
	assert_int_equal(finish(child), 128 + SIGTERM);
}

static void record_tells_of_a_full_disk(void **state)
{
	(void)state;
	put_mmap(0, BUILDID_STATE_UNRESOLVED, "/a");
	assert_int_equal(RUN(record, "-o", "/dev/full", "sh", "-c", "echo done"), 1);
	assert_string_equal(err, "buildid: /dev/full: No space left on device\n");
	/* The command is none the worse for it. */
	assert_string_equal(out, "done\n");
	assert_int_equal(RUN(record, "-o", "/nonexistent/log", "touch", "ran"), 1);
	assert_int_equal(access("ran", F_OK), -1);
	assert_int_equal(RUN(record, "--ring-size", "128M", "touch", "ran"), 1);
	assert_string_equal(err, "buildid: --ring-size: more than the module takes, "
			    "67108864 bytes\n");
	assert_int_equal(access("ran", F_OK), -1);
}

/* ---------------------------------------------------------------- usage -- */

static void wrong_usage_is_told(void **state)
{
	static const struct {
		int (*command)(int, char **);
		const char *words[6];
	} cases[] = {
		{ cmd_info, { "buildid info", "x" } },
		{ cmd_flush, { "buildid flush", "--what" } },
		{ cmd_stats, { "buildid stats", "-j", "--openmetrics" } },
		{ cmd_list, { "buildid list", "x" } },
		{ cmd_id, { "buildid id" } },
		{ cmd_id, { "buildid id", "--files-from", "-", "x" } },
		{ cmd_mon, { "buildid mon", "x" } },
		{ cmd_mon, { "buildid mon", "-p", "x" } },
		{ cmd_mon, { "buildid mon", "--count", "0" } },
		{ cmd_mon, { "buildid mon", "--count", "1x" } },
		{ cmd_mon, { "buildid mon", "--count", "-1" } },
		{ cmd_mon, { "buildid mon", "--netlink", "--data" } },
		{ cmd_mon, { "buildid mon", "--netlink", "-i", "x" } },
		{ cmd_mon, { "buildid mon", "--data", "-i", "x" } },
		{ cmd_record, { "buildid record", "--ring-size", "5000" } },
		{ cmd_record, { "buildid record", "--ring-size", "1" } },
		{ cmd_record, { "buildid record", "--ring-size", "4x" } },
		{ cmd_record, { "buildid record", "--ring-size", "4kk" } },
		{ cmd_record, { "buildid record", "--ring-size", "99999999999G" } },
		{ cmd_record, { "buildid record", "-j" } },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(finish(start(cases[i].command, cases[i].words)), 2);
		assert_string_equal(out, "");
		assert_non_null(strstr(err, "buildid: try: buildid help "));
	}
}

static void every_command_has_help(void **state)
{
	(void)state;
	assert_int_equal(RUN(flush, "-h"), 0);
	assert_ptr_equal(strstr(out, "usage: buildid flush"), out);
	assert_int_equal(RUN(id, "--help"), 0);
	assert_int_equal(RUN(info, "--help"), 0);
	assert_int_equal(RUN(list, "--help"), 0);
	assert_int_equal(RUN(mon, "--help"), 0);
	assert_int_equal(RUN(record, "--help"), 0);
	assert_int_equal(RUN(stats, "--help"), 0);
	assert_string_equal(err, "");
}

#define TEST(name) cmocka_unit_test_setup(name, fake_reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_the_module_all_say_so),
		TEST(permissions_come_with_what_helps),
		TEST(info_is_rows_or_an_object),
		TEST(stats_are_rows_or_an_object),
		TEST(stats_are_openmetrics),
		TEST(flush_says_how_many),
		TEST(id_does_what_it_can),
		TEST(a_file_without_an_id_is_no_failure),
		TEST(verify_compares_with_libelf),
		TEST(paths_may_come_from_a_file),
		TEST(many_paths_are_no_problem),
		TEST(mon_stops_after_its_count),
		TEST(mon_asks_for_what_it_was_asked_for),
		TEST(mon_filters),
		TEST(mon_waits_for_identities),
		TEST(mon_does_not_wait_for_ever),
		TEST(mon_ends_by_signals),
		TEST(mon_prints_each_line_at_once),
		TEST(mon_ends_with_its_reader),
		TEST(mon_tells_of_a_full_disk),
		TEST(a_recording_can_be_shown),
		TEST(a_log_that_was_cut_is_shown_as_far_as_it_goes),
		TEST(record_exits_as_its_command),
		TEST(record_leaves_its_command_no_trace),
		TEST(record_without_a_command_ends_by_signals),
		TEST(record_passes_sigterm_on),
		TEST(record_tells_of_a_full_disk),
		TEST(wrong_usage_is_told),
		TEST(every_command_has_help),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
