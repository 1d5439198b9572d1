// SPDX-License-Identifier: GPL-2.0
/* buildid annotate and list -i: a perf.data and a log, as commands. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "common/array.h"
#include "common/clock.h"
#include "content/process_maps.h"
#include "identities/log.h"
#include "identities/mono_clock.h"
#include "make_perfdata.h"
#include "samples.h"

#define ID "101112131415161718191a1b1c1d1e1f20212223"

static struct make made;
static int32_t clockid = -1;
static uint64_t clock_data[2];

#define TEXT 0xffffffff81000000

/* The kernel, as perf has it first. */
static void make_kernel(uint64_t text)
{
	size_t at = made.size;

	make_mmap_event(&made, PERFDATA_MISC_KERNEL, UINT32_MAX, text, 0x1000000, 0,
			"[kernel.kallsyms]_text");
	((struct perfdata_mmap *)(void *)(made.bytes + at))->pgoff = text;
}

/* Without a mapping that no log has. */
static bool known_only;

/* As make_mmap() has it: 0x7f0000001000 of inode 4711 on 8:1, at 2000. */
static void write_perfdata_of(const char *path, uint64_t text)
{
	FILE *file = fopen(path, "w");

	memset(&made, 0, sizeof(made));
	made.clockid = clockid;
	make_begin(&made);
	if (text)
		make_kernel(text);
	make_mmap2_event(&made, 10, 0x7f0000001000, 0x2000, 0x1000, 4711, 2100, "/lib.so");
	if (!known_only)
		make_mmap2_event(&made, 10, 0x400000, 0x2000, 0x1000, 4712, 2100, "/unknown");
	make_sample(&made, PERFDATA_MISC_USER, 10, 2200, 0x7f0000001010);
	make_end(&made);
	assert_non_null(file);
	assert_int_equal(fwrite(made.bytes, 1, made.size, file), made.size);
	assert_int_equal(fclose(file), 0);
}

static void write_perfdata(const char *path)
{
	write_perfdata_of(path, 0);
}

static void write_log(bool whole)
{
	struct log_writer *writer;
	struct reason reason;
	union any_record record;

	writer = log_create("log", true, &reason);
	assert_non_null(writer);
	make_image(&record, BUILDID_RECORD_KERNEL, 20, "6.1");
	assert_int_equal(log_write(writer, &record.header), 0);
	make_file(&record, 1, 20, 0, "/lib.so");
	assert_int_equal(log_write(writer, &record.header), 0);
	make_mmap(&record, 1, 0, 10);
	assert_int_equal(log_write(writer, &record.header), 0);
	assert_int_equal(log_finish(writer), 0);
	if (!whole)
		assert_int_equal(truncate("log", 56 + 112 + 176 + 120 + 10), 0);
}

static void assert_listed(const char *path)
{
	assert_int_equal(RUN(list, "-i", path), 0);
	assert_string_equal(out, ID " /lib.so\n");
	assert_string_equal(err, "");
}

static void a_log_annotates(void **state)
{
	(void)state;
	write_perfdata("perf.data");
	write_log(true);
	assert_int_equal(RUN(annotate, "--log", "log"), 0);
	assert_string_equal(out, "");
	assert_string_equal(err, "buildid: /unknown: not annotated: there is no record of it\n"
				 "buildid: perf.data: 1 mappings annotated, 0 without a build-id, "
				 "1 not annotated of 1 paths\n");
	assert_listed("perf.data");
}

/* Perf has no inode beside an id: the path is what says that it is this file. */
static void a_log_of_perf_s_records_annotates(void **state)
{
	struct log_writer *writer;
	struct reason reason;
	union any_record record;

	(void)state;
	write_perfdata("perf.data");
	writer = log_create("log", true, &reason);
	assert_non_null(writer);
	log_set_source(writer, LOG_SOURCE_PERF);
	make_file(&record, 1, 20, 0, "/lib.so");
	record.file.ino = record.file.user_ino = 0;
	assert_int_equal(log_write(writer, &record.header), 0);
	make_mmap(&record, 1, 0, 10);
	/* A moment after perf's own. */
	record.header.time_perf = 2150;
	assert_int_equal(log_write(writer, &record.header), 0);
	make_file(&record, 2, 20, 0, "/other");
	assert_int_equal(log_write(writer, &record.header), 0);
	make_mmap(&record, 2, 0, 10);
	record.mmap.addr = 0x400000;
	assert_int_equal(log_write(writer, &record.header), 0);
	assert_int_equal(log_finish(writer), 0);
	assert_int_equal(RUN(annotate, "--log", "log"), 0);
	assert_string_equal(err, "buildid: /unknown: not annotated: there is no record of it\n"
				 "buildid: perf.data: 1 mappings annotated, 0 without a build-id, "
				 "1 not annotated of 1 paths\n");
	assert_listed("perf.data");
}

static void put_module(uint64_t start, uint8_t byte, const char *path)
{
	struct perfdata_mmap2 *mmap = (void *)(made.bytes + made.size);

	make_mmap2_event(&made, UINT32_MAX, start, 0x1000, 0, 0, 0, path);
	mmap->event.misc = PERFDATA_MISC_KERNEL | PERFDATA_MISC_ID;
	mmap->id_size = 20;
	memset(mmap->reserved, 0, sizeof(mmap->reserved));
	memset(mmap->id, byte, 20);
}

static void modules_with_one_build_id_are_doubtful(void **state)
{
	FILE *file = fopen("perf.data", "w");

	(void)state;
	memset(&made, 0, sizeof(made));
	make_begin(&made);
	put_module(0x10000, 0x11, "[one]");
	put_module(0x20000, 0x11, "[other]");
	put_module(0x30000, 0x22, "[third]");
	make_end(&made);
	assert_non_null(file);
	assert_int_equal(fwrite(made.bytes, 1, made.size, file), made.size);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(RUN(list, "-m", "-i", "perf.data"), 0);
	assert_non_null(strstr(out, " [one] (doubtful)\n"));
	assert_non_null(strstr(out, " [other] (doubtful)\n"));
	assert_non_null(strstr(out, " [third]\n"));
	assert_non_null(strstr(err, "2 modules have a build-id that another one has, too"));
	assert_int_equal(RUN(list, "-m", "-j", "-i", "perf.data"), 0);
	assert_non_null(strstr(out, "\"flags\":[\"doubtful\"]"));
}

static void the_summary_is_an_object_that_spares_the_data(void **state)
{
	static const char summary[] = "{\"type\":\"annotate\",\"path\":\"perf.data\","
				      "\"annotated\":1,";

	(void)state;
	write_perfdata("perf.data");
	write_log(true);
	assert_int_equal(RUN(annotate, "-j", "--log", "log", "-o", "other", "-i", "perf.data"), 0);
	assert_non_null(strstr(
		out, "{\"type\":\"error\",\"error\":\"not annotated: there is no record of it\","
		     "\"object\":\"/unknown\"}\n"));
	assert_non_null(strstr(out, summary));
	assert_int_equal(RUN(annotate, "-j", "--log", "log", "-o", "-"), 0);
	assert_memory_equal(out, "PERFILE2", 8);
	assert_non_null(strstr(err, summary));
}

static void a_log_that_was_cut_does_as_far_as_it_goes(void **state)
{
	(void)state;
	write_perfdata("perf.data");
	write_log(false);
	assert_int_equal(RUN(annotate, "--log", "log", "-o", "other", "perf.data"), 0);
	assert_non_null(strstr(err, "buildid: log: cut short"));
	assert_listed("other");
}

static void write_made(const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(made.bytes, 1, made.size, file), made.size);
	assert_int_equal(fclose(file), 0);
}

static uint64_t place = 0x7f0000001000;

static void write_mappings_of(bool pipe, size_t count, const uint32_t *pids, const uint64_t *times)
{
	size_t i;

	memset(&made, 0, sizeof(made));
	made.clockid = clockid;
	made.pipe = pipe;
	memcpy(made.clock_data, clock_data, sizeof(clock_data));
	make_begin(&made);
	for (i = 0; i < count; i++)
		make_mmap2_event(&made, pids[i], place, 0x2000, 0x1000, 4711, times[i], "/lib.so");
	make_end(&made);
	write_made("perf.data");
}

static void write_mappings(size_t count, const uint32_t *pids, const uint64_t *times)
{
	write_mappings_of(false, count, pids, times);
}

static void write_one_mapping(uint32_t pid, uint64_t time)
{
	write_mappings(1, &pid, &time);
}

static void put_version(struct log_writer *writer, uint64_t file_id, uint8_t byte, uint64_t mono,
			int64_t ctime, uint32_t pid)
{
	union any_record record;

	make_file(&record, file_id, 20, 0, "/lib.so");
	record.header.time_mono = record.header.time_perf = mono;
	record.file.ctime = record.file.mtime = ctime;
	memset(data_of(&record), byte, 20);
	assert_int_equal(log_write(writer, &record.header), 0);
	make_mmap(&record, file_id, 0, pid);
	record.header.time_mono = record.header.time_perf = mono + 1;
	assert_int_equal(log_write(writer, &record.header), 0);
}

static void overwrite(const char *path, size_t offset, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, size, (off_t)offset), size);
	close(fd);
}

/* As its recorder was killed, nobody knows that the clock was set back by a minute. */
static void a_log_without_an_end_does_not_tell_when_a_file_changed(void **state)
{
	const uint64_t second = 1000000000;
	const uint64_t begin = clock_ns(CLOCK_MONOTONIC) - 200 * second;
	const int64_t real = (int64_t)begin + clock_real();
	/* one of the log's own, and a child's that has none */
	const uint32_t pids[] = { 10, 12 };
	const uint64_t times[] = { begin + second + 2, begin + 70 * second };
	const uint64_t clocks[] = { begin, (uint64_t)real };
	struct log_writer *writer;
	struct reason reason;
	struct stat status;

	(void)state;
	writer = log_create("log", true, &reason);
	assert_non_null(writer);
	put_version(writer, 1, 0x11, begin + second, real - 100 * (int64_t)second, 10);
	/* by which it would have been changed at 40 s, and was at 100 s */
	put_version(writer, 2, 0x22, begin + 100 * second, real + 40 * (int64_t)second, 11);
	assert_int_equal(log_finish(writer), 0);
	/* it began that long ago */
	overwrite("log", offsetof(struct log_header, time_mono), clocks, sizeof(clocks));
	write_mappings(2, pids, times);
	assert_int_equal(RUN(annotate, "--log", "log", "-o", "other"), 0);
	assert_non_null(strstr(err, " 2 mappings annotated, "));

	assert_int_equal(stat("log", &status), 0);
	assert_int_equal(truncate("log", status.st_size - (off_t)sizeof(struct log_end)), 0);
	assert_int_equal(RUN(annotate, "--log", "log", "-o", "other"), 0);
	assert_non_null(strstr(err, "buildid: perf.data: 0 mappings annotated, "));
}

/* By perf record -k, whose clock has slept for an hour longer than that of the records. */
static void another_clock_tells_contents_apart(void **state)
{
	const uint64_t second = 1000000000, hour = 3600 * second;
	const uint64_t begin = clock_ns(CLOCK_MONOTONIC) - 200 * second;
	const int64_t real = (int64_t)begin + clock_real();
	const uint64_t clocks[] = { begin, (uint64_t)real };
	/* a mapping of each content, and one of a time when it had neither */
	const uint32_t pids[] = { 10, 10 };
	const uint64_t times[] = { hour + begin + 11 * second, hour + begin + 21 * second };
	struct log_writer *writer;
	struct reason reason;
	size_t i;

	(void)state;
	writer = log_create("log", true, &reason);
	assert_non_null(writer);
	put_version(writer, 1, 0x11, begin + 11 * second - 1000, real - 100 * (int64_t)second, 10);
	put_version(writer, 2, 0x22, begin + 21 * second - 1000, real + 20 * (int64_t)second, 10);
	assert_int_equal(log_finish(writer), 0);
	overwrite("log", offsetof(struct log_header, time_mono), clocks, sizeof(clocks));

	for (i = 0; i < 3; i++) {
		static const int32_t clockids[] = { CLOCK_BOOTTIME, CLOCK_MONOTONIC_RAW,
						    CLOCK_REALTIME };

		clockid = clockids[i];
		clock_data[0] = 0;
		clock_data[1] = 0;
		write_mappings(2, pids, times);
		assert_int_equal(RUN(annotate, "--log", "log", "-o", "other"), 0);
		assert_non_null(strstr(err, "without times its contents cannot be told apart"));
		clock_data[0] = (uint64_t)real + 10 * second;
		clock_data[1] = hour + begin + 10 * second;
		write_mappings(2, pids, times);
		assert_int_equal(RUN(annotate, "--log", "log", "-o", "other"), 0);
		assert_non_null(strstr(err, "perf.data: 2 mappings annotated, "));
		assert_int_equal(RUN(list, "-i", "other"), 0);
		assert_non_null(strstr(out, "1111111111111111111111111111111111111111 /lib.so\n"));
		assert_non_null(strstr(out, "2222222222222222222222222222222222222222 /lib.so@"));
		/* As of a clock that was set: by as much as the two are apart. */
		clock_data[0] += 2 * hour;
		write_mappings(2, pids, times);
		assert_int_equal(RUN(annotate, "--log", "log", "-o", "other"), 1);
	}
	clockid = -1;
	clock_data[1] = 0;
}

static int64_t perf_shift; /* of the time namespace that perf is in */

/*
 * Two contents, each with a mapping. The clock was ahead by @set more until the log began; perf
 * began @began later, and was held up by @held_up between its clocks.
 */
static void annotate_versions(int64_t set, bool has_before, uint64_t began, uint64_t held_up)
{
	const uint64_t second = 1000000000;
	const uint64_t begin = clock_ns(CLOCK_MONOTONIC) - 200 * second;
	const int64_t real = (int64_t)begin + clock_real();
	const uint64_t clocks[] = { begin, (uint64_t)real };
	const int64_t ahead = clock_real(), earlier = ahead + set;
	const struct wall_range before = { earlier < ahead ? earlier : ahead,
					   earlier > ahead ? earlier : ahead };
	const uint32_t pids[] = { 10, 10 };
	const uint64_t times[] = { begin + 11 * second + 1000, begin + 21 * second + 1000 };
	struct log_writer *writer;
	struct reason reason;

	writer = log_create("log", true, &reason);
	assert_non_null(writer);
	if (has_before)
		log_clock_before(writer, &before);
	put_version(writer, 1, 0x11, times[0] - 1000, real - 100 * (int64_t)second, 10);
	put_version(writer, 2, 0x22, times[1] - 1000, real + 20 * (int64_t)second, 10);
	assert_int_equal(log_finish(writer), 0);
	overwrite("log", offsetof(struct log_header, time_mono), clocks, sizeof(clocks));
	clockid = CLOCK_MONOTONIC_RAW;
	clock_data[1] = begin + began;
	clock_data[0] = clock_data[1] + (uint64_t)(began > second ? ahead : earlier) - held_up;
	clock_data[1] += (uint64_t)perf_shift;
	write_mappings(2, pids, times);
	assert_int_equal(RUN(annotate, "--log", "log", "-o", "other"), 0);
	clockid = -1;
	memset(clock_data, 0, sizeof(clock_data));
}

/* perf began, somebody set the clock, and then the log began. */
static void the_clock_may_be_set_between_perf_and_the_log(void **state)
{
	const int64_t second = 1000000000;

	(void)state;
	annotate_versions(20 * second, true, 0 - 5 * (uint64_t)second, 0);
	assert_non_null(strstr(err, " 0 mappings annotated, "));
	annotate_versions(-20 * second, true, 0 - 5 * (uint64_t)second, 0);
	assert_non_null(strstr(err, " 0 mappings annotated, "));
	annotate_versions(0, false, 0 - 5 * (uint64_t)second, 0);
	assert_non_null(strstr(err, "without times its contents cannot be told apart"));
	/* It was set forward long before both. */
	annotate_versions(-20 * second, true, 5 * (uint64_t)second, 0);
	assert_non_null(strstr(err, " 2 mappings annotated, "));
	annotate_versions(0, true, 0 - 5 * (uint64_t)second, 0);
	assert_non_null(strstr(err, " 2 mappings annotated, "));
}

static void perf_may_be_held_up_between_its_clocks(void **state)
{
	const uint64_t second = 1000000000;
	const struct wall_range ahead = { clock_real(), clock_real() };
	const uint64_t held_up = second / 11;
	struct mono_clock clock;
	uint64_t slack, mono;

	(void)state;
	clock = mono_clock_of(5 * second, (uint64_t)ahead.min + 5 * second - held_up, &ahead);
	mono = mono_clock_convert(&clock, 6 * second, &slack);
	assert_true(mono < 6 * second && mono + slack > 6 * second);
	annotate_versions(0, true, 5 * second, held_up);
	assert_non_null(strstr(err, " 2 mappings annotated, "));
}

/* It has written the clock of there, and events have the initial one's. */
static void perf_in_a_time_namespace_has_told_no_clock(void **state)
{
	static const int64_t shifts[] = { 1000, 7, -1000, -86400 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(shifts); i++) {
		perf_shift = shifts[i] * 1000000000;
		annotate_versions(0, true, 5000000000, 0);
		assert_non_null(strstr(err, " 0 mappings annotated, "));
		assert_non_null(strstr(err, "without times its contents cannot be told apart"));
	}
	perf_shift = 0;
}

static void list_knows_hits_and_json(void **state)
{
	(void)state;
	write_perfdata("perf.data");
	write_log(true);
	assert_int_equal(RUN(annotate, "--log", "log", "perf.data"), 0);
	assert_int_equal(RUN(list, "-H", "-j", "-i", "perf.data"), 0);
	assert_string_equal(out, "{\"type\":\"file\",\"build_id\":\"" ID
				 "\",\"path\":\"/lib.so\",\"flags\":[\"hit\"]}\n");
	assert_int_equal(RUN(list, "-k", "-i", "perf.data"), 0);
	assert_string_equal(out, "");
}

/* As perf inject -j writes it: a file and its mapping, without a build-id by perf 7.2. */
static void make_jit(const char *path, uint64_t more)
{
	unsigned long long offset, size;
	struct perfdata_mmap2 *mmap;
	struct stat file;
	size_t at;

	assert_int_equal(stat(path, &file), 0);
	assert_int_equal(sscanf(shell_output("readelf -SW %s | sed -n 's/.* [.]text  *PROGBITS  *"
					     "[0-9a-f]* \\([0-9a-f]* [0-9a-f]*\\) .*/\\1/p'",
					     path),
				"%llx %llx", &offset, &size),
			 2);
	memset(&made, 0, sizeof(made));
	made.clockid = clockid;
	make_begin(&made);
	at = made.size;
	make_mmap2_event(&made, 10, 0x400000, size + more, offset, file.st_ino, 2100, path);
	mmap = (void *)(made.bytes + at);
	mmap->major = major(file.st_dev);
	mmap->minor = minor(file.st_dev);
	mmap->generation = 1;
	make_sample(&made, PERFDATA_MISC_USER, 10, 2200, 0x400010);
	make_end(&made);
}

static void assert_no_jit(const char *why)
{
	assert_int_equal(RUN(annotate, "--log", "log", "perf.data"), 0);
	assert_non_null(strstr(err, why));
	assert_int_equal(RUN(list, "-i", "perf.data"), 0);
	assert_string_equal(out, "");
}

static void the_code_of_a_jit_is_what_perf_inject_wrote(void **state)
{
	struct build_id id;
	char text[BUILD_ID_TEXT], path[PATH_MAX], cwd[PATH_MAX - 64];

	(void)state;
	write_log(true);
	shell("cp /bin/true jitted-10-0.so && mkdir home");
	assert_int_equal(setenv("HOME", "home", 1), 0);
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(path, sizeof(path), "%s/jitted-10-0.so", cwd);
	sample_id(path, &id);
	make_jit(path, 0);
	write_made("perf.data");
	/* The file is there, and says itself what it is. */
	assert_int_equal(RUN(store, "--dir", "debug", "--no-debuginfod", "-i", "perf.data"), 0);
	assert_non_null(strstr(out, build_id_text(&id, text)));
	assert_int_equal(RUN(annotate, "--log", "log", "perf.data"), 0);
	assert_int_equal(RUN(list, "-i", "perf.data"), 0);
	assert_non_null(strstr(out, text));
	assert_true(strcspn(strstr(out, text), "\n") > 70);
	assert_int_equal(command_finish_on_terminal(command_start_on_terminal(
				 cmd_list, 70, 24, WORDS("buildid list", "perf.data"))),
			 0);
	assert_non_null(strstr(out, text));
	assert_true(strcspn(strstr(out, text), "\n") <= 70);
	assert_int_equal(RUN(store, "--dir", "debug", "--no-debuginfod", "-i", "perf.data"), 0);
	assert_non_null(strstr(err, "buildid: perf.data: 0 stored, "));
	assert_non_null(strstr(err, " kept, 0 failed, 0 skipped\n"));
	assert_int_equal(RUN(store, "-q", "--dir", "debug", "--no-debuginfod", "perf.data"), 0);
	assert_string_equal(out, "");
	assert_string_equal(err, "");
	shell("cmp jitted-10-0.so debug%s/*/elf", path);

	make_jit(path, 1);
	write_made("perf.data");
	assert_no_jit("jitted-10-0.so: not annotated: the file has no code at that place\n");
	make_jit(path, 0);
	write_made("perf.data");
	shell("touch -d 'next week' jitted-10-0.so");
	assert_no_jit("jitted-10-0.so: not annotated: the file was written to after the recording");
	if (!getuid()) {
		shell("touch -d yesterday jitted-10-0.so; chown 12 jitted-10-0.so");
		write_made("perf.data");
		assert_no_jit("the file is of another user than the recording");
	}
	shell("cp /bin/true other && mv other jitted-10-0.so");
	assert_no_jit("another file is there than perf inject has written");
	shell("rm jitted-10-0.so");
	assert_no_jit("the file that perf inject has written cannot be read");
	assert_int_equal(RUN(store, "--dir", "debug", "--no-debuginfod", "-i", "perf.data"), 1);
}

static void strict_fails_if_anything_is_missing(void **state)
{
	(void)state;
	write_perfdata("perf.data");
	write_log(true);
	assert_int_equal(RUN(annotate, "perf.data", "log"), 0);
	assert_non_null(strstr(err, ", 1 not annotated"));
	assert_int_equal(RUN(annotate, "--strict", "-q", "perf.data", "log"), 1);
	assert_null(strstr(err, " mappings annotated"));
	assert_non_null(strstr(err, "not annotated: there is no record of it"));
	/* It is written nevertheless. */
	assert_int_equal(RUN(list, "perf.data"), 0);
	assert_non_null(strchr(out, '\n'));
}

/* What its end had is not known. */
static void strict_fails_with_a_log_that_was_cut(void **state)
{
	(void)state;
	known_only = true;
	write_perfdata("perf.data");
	write_log(true);
	assert_int_equal(RUN(annotate, "--strict", "-q", "-o", "other", "perf.data", "log"), 0);
	write_log(false);
	assert_int_equal(RUN(annotate, "--strict", "-q", "perf.data", "log"), 1);
	assert_listed("perf.data");
	known_only = false;
}

static void what_cannot_be_read_is_said_of_itself(void **state)
{
	(void)state;
	write_perfdata("perf.data");
	write_log(true);
	assert_int_equal(RUN(annotate, "perf.data", "nosuch"), 1);
	assert_string_equal(err, "buildid: nosuch: No such file or directory\n");
	assert_int_equal(RUN(annotate, "nosuch", "perf.data"), 1);
	assert_string_equal(err, "buildid: nosuch: No such file or directory\n");
	assert_int_equal(RUN(annotate, "nosuch", "log"), 1);
	assert_string_equal(err, "buildid: nosuch: No such file or directory\n");
	assert_int_equal(RUN(annotate, "log", "log"), 2);
	assert_non_null(strstr(err, "log: not together with another log"));
}

static void operands_are_what_is_in_them(void **state)
{
	(void)state;
	write_perfdata("perf.data");
	write_log(true);
	assert_int_equal(rename("log", "any.data"), 0);
	assert_int_equal(rename("perf.data", "a.log"), 0);
	assert_int_equal(RUN(annotate, "any.data", "a.log"), 0);
	assert_non_null(strstr(err, "buildid: a.log: "));
	assert_int_equal(RUN(annotate, "a.log", "any.data"), 0);
	assert_int_equal(RUN(list, "a.log"), 0);
	assert_non_null(strstr(out, "\n"));
	assert_int_equal(RUN(mon, "any.data"), 0);
	assert_non_null(strstr(out, "\n"));
	assert_int_equal(RUN(mon, "-i", "any.data"), 0);
	assert_int_equal(rename("any.data", "log"), 0);
	assert_int_equal(rename("a.log", "perf.data"), 0);
	/* The perf.data is the usual one. */
	assert_int_equal(RUN(annotate, "log"), 0);
}

static void what_is_wrong_is_reported(void **state)
{
	(void)state;
	write_perfdata("perf.data");
	write_log(true);
	assert_int_equal(RUN(annotate, "--log", "none", "perf.data"), 1);
	assert_string_equal(err, "buildid: none: No such file or directory\n");
	assert_int_equal(RUN(annotate, "--log", "log", "none"), 1);
	assert_string_equal(err, "buildid: none: No such file or directory\n");
	assert_int_equal(RUN(annotate, "--log", "log", "-i", "log"), 1);
	assert_string_equal(err, "buildid: log: not a perf.data file\n");
	assert_int_equal(RUN(list, "-i", "log"), 1);
	assert_string_equal(err, "buildid: log: not a perf.data file\n");
	/* One would be the recording, and one the log. */
	assert_int_equal(RUN(annotate, "a", "b"), 1);
	assert_string_equal(err, "buildid: a: No such file or directory\n");
	assert_int_equal(RUN(annotate, "-i", "a", "--log", "log", "b"), 2);
	assert_non_null(strstr(err, "buildid: b: not together with another log\n"));
	/* By what is in them. */
	assert_int_equal(RUN(annotate, "--log", "log", "log"), 2);
	assert_non_null(strstr(err, "buildid: log: not together with another log\n"));
	assert_int_equal(RUN(annotate, "perf.data", "perf.data"), 2);
	assert_int_equal(RUN(list, "log"), 2);
	assert_non_null(strstr(err, "buildid: log: a log; buildid mon shows it\n"));
	assert_int_equal(RUN(mon, "perf.data"), 2);
	assert_non_null(strstr(err, "buildid: perf.data: a perf.data; buildid list shows "));
	assert_int_equal(RUN(list, "-H"), 2);
	assert_int_equal(RUN(annotate, "--log", "-", "-"), 2);
}

static void what_moves_the_cursor_is_escaped_in_a_reason(void **state)
{
	(void)state;
	write_perfdata("perf.data");
	write_log(true);
	assert_int_equal(mkdir("\033[2J", 0700), 0);
	assert_int_equal(RUN(annotate, "-j", "--log", "log", "-o", "\033[2J", "perf.data"), 1);
	assert_non_null(strstr(err, "/\\033[2J: not a regular file\n"));
	assert_non_null(strstr(out, "/\\u001b[2J: not a regular file\","));
}

static void a_log_of_another_boot_is_refused(void **state)
{
	char before[4096], now[4096];

	(void)state;
	write_log(true);
	write_perfdata_of("perf.data", TEXT + 0x200000);
	command_slurp("perf.data", before, sizeof(before));
	assert_int_equal(RUN(annotate, "--log", "log", "perf.data"), 1);
	assert_string_equal(err, "buildid: log: from another boot than the recording\n");
	command_slurp("perf.data", now, sizeof(now));
	assert_memory_equal(now, before, made.size);
	write_perfdata_of("perf.data", TEXT);
	assert_int_equal(RUN(annotate, "--log", "log", "perf.data"), 0);
}

static void assert_refused(const char *why)
{
	char before[4096], after[4096], expected[256];

	command_slurp("perf.data", before, sizeof(before));
	assert_int_equal(RUN(annotate, "--log", "log", "perf.data"), 1);
	snprintf(expected, sizeof(expected), "buildid: log: %s\n", why);
	assert_string_equal(err, expected);
	command_slurp("perf.data", after, sizeof(after));
	assert_memory_equal(before, after, made.size);
}

/* Of user space alone, it does not say where the kernel was. */
static void a_recording_that_cannot_be_of_the_log_is_refused(void **state)
{
	const struct timespec longer_ago[] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct timespec now;
	uint64_t later;

	(void)state;
	write_log(true);
	write_perfdata("perf.data");
	assert_int_equal(utimensat(AT_FDCWD, "perf.data", longer_ago, 0), 0);
	assert_refused("from another boot than the recording, which was last written to before "
		       "it would have begun in that of the log");

	clock_gettime(CLOCK_MONOTONIC, &now);
	later = (uint64_t)(now.tv_sec + 3600) * 1000000000;
	write_one_mapping(10, later);
	assert_refused("ended before the recording began, or is of another boot");

	write_one_mapping(11, 2100);
	assert_refused("none of the recording's mappings is in it; it is of another boot, or of "
		       "other processes");
	write_one_mapping(10, 2100);
	assert_int_equal(RUN(annotate, "--log", "log", "perf.data"), 0);
	/* Of what was there before, records may be of the parent. */
	write_one_mapping(11, 0);
	assert_int_equal(RUN(annotate, "--log", "log", "perf.data"), 0);
}

/* By where they map files: pids 3 and 4 there are 10 and 11 here. */
static void perf_may_be_in_another_pid_namespace(void **state)
{
	const uint64_t second = 1000000000;
	const uint32_t pids[] = { 3, 4 };
	const uint64_t begin = clock_ns(CLOCK_MONOTONIC) - 200 * second;
	const int64_t real = (int64_t)begin + clock_real();
	const uint64_t clocks[] = { begin, (uint64_t)real };
	const uint64_t times[] = { begin + 11 * second, begin + 21 * second, begin + 31 * second,
				   begin + 41 * second };
	struct log_writer *writer;
	struct reason reason;

	(void)state;
	writer = log_create("log", true, &reason);
	assert_non_null(writer);
	put_version(writer, 1, 0x11, times[0] - 1000, real - 100 * (int64_t)second, 10);
	put_version(writer, 2, 0x22, times[1] - 1000, real + 20 * (int64_t)second, 11);
	assert_int_equal(log_finish(writer), 0);
	overwrite("log", offsetof(struct log_header, time_mono), clocks, sizeof(clocks));
	write_mappings(2, pids, times);
	assert_int_equal(RUN(annotate, "--log", "log", "-o", "other"), 0);
	assert_non_null(strstr(err, "buildid: perf.data: recorded in another pid namespace: 2 "
				    "processes found in the log by where they mapped files\n"));
	assert_non_null(strstr(err, "perf.data: 2 mappings annotated, "));
	assert_int_equal(RUN(list, "-i", "other"), 0);
	assert_non_null(strstr(out, "1111111111111111111111111111111111111111 /lib.so\n"));
	assert_non_null(strstr(out, "2222222222222222222222222222222222222222 /lib.so@"));
	/* Times are too far from those in the log. */
	write_mappings(2, pids, times + 2);
	assert_refused("none of the recording's mappings is in it; it is of another boot, or of "
		       "other processes");
}

/* One mapping, of now. */
static int answer_maps(struct buildid_maps *request)
{
	union any_record record;

	make_file(&record, 7, 20, 0, "/self");
	fake_add_map(request, &record);
	make_mmap(&record, 7, 0, request->pid);
	fake_add_map(request, &record);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void put_kernel(void)
{
	union any_record record;

	make_image(&record, BUILDID_RECORD_KERNEL, 20, "6.1");
	assert_true(fake_put(&record));
}

/* Its hostname is MAKE_HOSTNAME. */
static void what_was_recorded_elsewhere_needs_a_log(void **state)
{
	(void)state;
	fake.maps = answer_maps;
	write_perfdata_of("perf.data", TEXT + 0x200000);
	put_kernel();
	assert_int_equal(RUN(annotate, "perf.data"), 1);
	assert_string_equal(err, "buildid: perf.data: recorded on another machine or in another "
				 "boot; give a log with --log\n");
	fake_reset(NULL);
	fake.maps = answer_maps;
	fake.open_error = ENOENT;
	assert_int_equal(RUN(annotate, "perf.data"), 1);
	assert_string_equal(err, "buildid: perf.data: the module is not accessible; give a log "
				 "with --log, or load it: modprobe buildid\n");
	clockid = CLOCK_BOOTTIME;
	write_perfdata("perf.data");
	clockid = -1;
	assert_int_equal(RUN(annotate, "perf.data"), 1);
	assert_string_equal(err, "buildid: perf.data: its clock is neither perf's default nor "
				 "CLOCK_MONOTONIC; give a log with --log\n");
	fake_reset(NULL);
	fake.maps = answer_maps;
	write_perfdata_of("perf.data", TEXT);
	put_kernel();
	assert_int_equal(RUN(annotate, "perf.data"), 1);
	assert_string_equal(err, "buildid: perf.data: recorded on a machine of another name; give "
				 "a log with --log\n");
}

/* The first one that is executable. */
static void write_own_mapping(void)
{
	struct process_mapping mapping;
	struct process_maps maps;

	assert_true(process_maps_open(&maps, 0));
	do
		assert_true(process_maps_next(&maps, &mapping));
	while (!mapping.executable || !mapping.ino);
	memset(&made, 0, sizeof(made));
	made.clockid = -1;
	made.pipe = true;
	make_begin(&made);
	make_mmap2_event(&made, (uint32_t)getpid(), mapping.start, mapping.end - mapping.start, 0,
			 mapping.ino, 0, mapping.path);
	make_end(&made);
	write_made("perf.data");
	process_maps_close(&maps);
}

static int remember(struct buildid_history *request)
{
	union any_record record;

	make_mmap(&record, 1, 0, 10);
	record.mmap.addr = place;
	fake_add_history(request, &record);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

/* It says no host name and not where the kernel was; neither would that of a clone. */
static void what_nothing_shows_to_be_of_here_needs_a_log(void **state)
{
	static const char refused[] =
		"buildid: perf.data: nothing shows that it was recorded here:";

	(void)state;
	fake.maps = answer_maps;
	write_mappings_of(true, 1, &(uint32_t){ 10 }, &(uint64_t){ 2100 });
	assert_int_equal(RUN(annotate, "perf.data", "-o", "other"), 1);
	assert_memory_equal(err, refused, strlen(refused));
	fake.history = remember;
	assert_int_equal(RUN(annotate, "perf.data", "-o", "other"), 0);
	/* In another pid namespace it has another number. */
	write_mappings_of(true, 1, &(uint32_t){ 11 }, &(uint64_t){ 2100 });
	assert_int_equal(RUN(annotate, "perf.data", "-o", "other"), 0);
	/* Of another time. */
	write_mappings_of(true, 1, &(uint32_t){ 10 }, &(uint64_t){ 2000000000 });
	assert_int_equal(RUN(annotate, "perf.data", "-o", "other"), 1);

	/* Where it is on every machine without ASLR. */
	place = 0x7ffff7fc5000;
	write_mappings_of(true, 1, &(uint32_t){ 10 }, &(uint64_t){ 2100 });
	assert_int_equal(RUN(annotate, "perf.data", "-o", "other"), 1);
	place = 0x555555555000;
	write_mappings_of(true, 1, &(uint32_t){ 10 }, &(uint64_t){ 2100 });
	assert_int_equal(RUN(annotate, "perf.data", "-o", "other"), 1);
	place = 0x7f0000001000;

	/* This process has it. */
	fake.history = NULL;
	write_own_mapping();
	assert_int_equal(RUN(annotate, "perf.data", "-o", "other"), 0);
}

/* Behind a perf that does what a script says. */
static void each_of_several_outputs_is_annotated(void **state)
{
	static const char script[] = "#!/bin/sh\ncp perf.data data.2026010100000001\n"
				     "cp perf.data data.2026010100000002\n";
	union any_record record;
	FILE *file;

	(void)state;
	write_perfdata("perf.data");
	file = fopen("perf", "w");
	assert_non_null(file);
	fputs(script, file);
	fclose(file);
	assert_int_equal(chmod("perf", 0755), 0);
	make_file(&record, 1, 20, 0, "/lib.so");
	assert_true(fake_put(&record));
	make_mmap(&record, 1, 0, 10);
	assert_true(fake_put(&record));
	assert_int_equal(
		RUN(record, "--", "./perf", "record", "--switch-output", "-o", "data", "true"), 0);
	assert_listed("data.2026010100000001");
	assert_listed("data.2026010100000002");
	assert_int_equal(access("data.buildid", F_OK), -1);

	/* Of what cannot be annotated the log stays, and the rest is. */
	file = fopen("perf", "w");
	assert_non_null(file);
	fputs("#!/bin/sh\necho none >data.2026010100000003\n"
	      "cp perf.data data.2026010100000004\n",
	      file);
	fclose(file);
	fake_reset(NULL);
	make_file(&record, 1, 20, 0, "/lib.so");
	assert_true(fake_put(&record));
	make_mmap(&record, 1, 0, 10);
	assert_true(fake_put(&record));
	assert_int_equal(
		RUN(record, "--", "./perf", "record", "--switch-output", "-o", "data", "true"), 1);
	assert_non_null(strstr(err, "buildid: data.buildid: kept, as data.2026010100000003 is "
				    "not annotated; "));
	assert_listed("data.2026010100000004");
	assert_int_equal(access("data.buildid", F_OK), 0);
}

#define TEST(name) cmocka_unit_test_setup(name, fake_reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_log_annotates),
		TEST(a_log_of_perf_s_records_annotates),
		TEST(modules_with_one_build_id_are_doubtful),
		TEST(the_summary_is_an_object_that_spares_the_data),
		TEST(a_log_that_was_cut_does_as_far_as_it_goes),
		TEST(a_log_without_an_end_does_not_tell_when_a_file_changed),
		TEST(another_clock_tells_contents_apart),
		TEST(the_clock_may_be_set_between_perf_and_the_log),
		TEST(perf_may_be_held_up_between_its_clocks),
		TEST(perf_in_a_time_namespace_has_told_no_clock),
		TEST(list_knows_hits_and_json),
		TEST(the_code_of_a_jit_is_what_perf_inject_wrote),
		TEST(strict_fails_if_anything_is_missing),
		TEST(strict_fails_with_a_log_that_was_cut),
		TEST(what_cannot_be_read_is_said_of_itself),
		TEST(operands_are_what_is_in_them),
		TEST(what_is_wrong_is_reported),
		TEST(what_moves_the_cursor_is_escaped_in_a_reason),
		TEST(a_log_of_another_boot_is_refused),
		TEST(a_recording_that_cannot_be_of_the_log_is_refused),
		TEST(perf_may_be_in_another_pid_namespace),
		TEST(what_was_recorded_elsewhere_needs_a_log),
		TEST(what_nothing_shows_to_be_of_here_needs_a_log),
		TEST(each_of_several_outputs_is_annotated),
	};

	return cmocka_run_group_tests(tests, command_set_up, command_tear_down);
}
