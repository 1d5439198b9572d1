// SPDX-License-Identifier: GPL-2.0
/* Tool: the program itself, for what needs no module. $BUILDID is it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"
#include "make_perfdata.h"
#include "streams.h"

static char output[16384];

/* Both outputs together. */
static int run(const char *words)
{
	char command[512];
	FILE *pipe_;
	int status;

	snprintf(command, sizeof(command), "\"$BUILDID\" %s 2>&1", words);
	pipe_ = popen(command, "r");
	assert_non_null(pipe_);
	output[fread(output, 1, sizeof(output) - 1, pipe_)] = '\0';
	status = pclose(pipe_);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void assert_said(const char *text)
{
	assert_non_null(strstr(output, text));
}

static void assert_fits_80_columns(void)
{
	const char *line;

	for (line = output; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
}

static void help_and_version_need_no_module(void **state)
{
	(void)state;
	assert_int_equal(run("help"), 0);
	assert_said("Usage: buildid COMMAND");
	assert_int_equal(run("--help"), 0);
	assert_int_equal(run("-h"), 0);
	assert_int_equal(run("help mon"), 0);
	assert_said("Usage: buildid mon");
	assert_int_equal(run("mon --help"), 0);
	assert_said("Usage: buildid mon");
	assert_int_equal(run("--version"), 0);
	assert_string_equal(output, "buildid " BUILDID_VERSION "\n");
	assert_int_equal(run("version"), 0);
	assert_string_equal(output, "buildid " BUILDID_VERSION "\n");
	assert_int_equal(run("-V"), 0);
	assert_string_equal(output, "buildid " BUILDID_VERSION "\n");
}

static void help_names_every_command_there_is(void **state)
{
	static const char *const names[] = {
		"mon",	 "maps",  "cookie", "record",  "id",	    "list",	"info",
		"stats", "flush", "store",  "resolve", "bundle",    "unbundle", "annotate",
		"perf",	 "stale", "users",  "doctor",  "symbolize",
	};
	char words[64];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(run("help"), 0);
		snprintf(words, sizeof(words), "\n  %s ", names[i]);
		assert_said(words);
		snprintf(words, sizeof(words), "help %s", names[i]);
		assert_int_equal(run(words), 0);
		snprintf(words, sizeof(words), "Usage: buildid %s", names[i]);
		assert_ptr_equal(strstr(output, words), output);
		assert_fits_80_columns();
		snprintf(words, sizeof(words), "\nExamples:\n  ");
		assert_said(words);
		assert_non_null(strstr(strstr(output, words), names[i]));
	}
}

static void doctor_fits_80_columns(void **state)
{
	(void)state;
	unsetenv("DEBUGINFOD_URLS");
	assert_true(run("doctor") < 2);
	assert_fits_80_columns();
	assert_said("debuginfod ");
	/* What to do has a line of its own, and objects are whole. */
	assert_int_equal(run("doctor -j | grep -c '^{.*}$'"), 0);
	assert_string_equal(output, "13\n");
	assert_int_equal(run("doctor | grep -A3 '^ok  *debuginfod'"), 0);
	assert_said("\n                   to fetch Debian's: ");
}

static void a_word_mistyped_is_answered_with_the_nearest(void **state)
{
	(void)state;
	assert_int_equal(run("recrod"), 2);
	assert_string_equal(output, "buildid: recrod: no such command\n"
				    "buildid: did you mean record?\n"
				    "buildid: try 'buildid help'\n");
	assert_int_equal(run("help annnotate"), 2);
	assert_said("buildid: did you mean annotate?\n");
	assert_int_equal(run("mon --chnages"), 2);
	assert_said("buildid: did you mean --changes?\n");
	assert_int_equal(run("id --files=x --file-form=list"), 2);
	assert_said("buildid: did you mean --files-from?\n");
	/* Not of a value that is missing. */
	assert_int_equal(run("mon --log"), 2);
	assert_null(strstr(output, "did you mean"));
}

static void wrong_usage_exits_with_2(void **state)
{
	(void)state;
	assert_int_equal(run(""), 2);
	assert_int_equal(run("nosuch"), 2);
	assert_string_equal(output,
			    "buildid: nosuch: no such command\nbuildid: try 'buildid help'\n");
	assert_int_equal(run("help nosuch"), 2);
	assert_int_equal(run("mon --nosuch"), 2);
	assert_string_equal(output, "buildid: unrecognized option '--nosuch'\n"
				    "buildid: try 'buildid help mon'\n");
}

static void its_other_name_is_mon(void **state)
{
	char command[] = "buildid-mon.XXXXXX";
	char *tool = realpath(getenv("BUILDID"), NULL);
	char link_[128], words[256];

	(void)state;
	snprintf(link_, sizeof(link_), "/tmp/%s", command);
	assert_non_null(mkdtemp(link_));
	snprintf(words, sizeof(words), "%s/buildid-mon", link_);
	assert_int_equal(symlink(tool, words), 0);
	free(tool);
	strcat(words, " --help | grep -q '^Usage: buildid mon'");
	assert_int_equal(system(words), 0);
	*strchr(words, ' ') = '\0';
	unlink(words);
	rmdir(link_);
}

static void a_full_disk_is_a_failure(void **state)
{
	(void)state;
	assert_int_equal(run("help mon 2>&1 >/dev/full #"), 1);
	assert_string_equal(output, "buildid: standard output: No space left on device\n");
	assert_int_equal(run("help 2>&1 >/dev/full #"), 1);
	assert_string_equal(output, "buildid: standard output: No space left on device\n");
}

static void without_the_module_netlink_says_so(void **state)
{
	(void)state;
	if (!access("/sys/module/buildid", F_OK))
		skip();
	assert_int_equal(run("list"), 1);
	assert_said("buildid: netlink family buildid: the module is not loaded; "
		    "load it: modprobe buildid, or see: buildid doctor\n");
	assert_int_equal(run("mon --netlink"), 1);
	assert_said("modprobe buildid");
}

/* Whose ids are from perf, so that nothing else is needed. */
static void make_recording(const char *path)
{
	struct make *make = calloc(1, sizeof(*make));
	struct perfdata_mmap2 *mmap;
	FILE *file = fopen(path, "w");

	assert_non_null(make);
	assert_non_null(file);
	make->clockid = -1;
	make_begin(make);
	mmap = (void *)(make->bytes + make->size);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	mmap->event.misc |= PERFDATA_MISC_ID;
	memset(&mmap->major, 0, 24);
	mmap->id_size = 20;
	mmap->id[0] = 1; /* all zeros is not an id */
	make_end(make);
	assert_int_equal(fwrite(make->bytes, make->size, 1, file), 1);
	assert_int_equal(fclose(file), 0);
	free(make);
}

static char directory[] = "/tmp/buildid-tool.XXXXXX";

static int enter_directory(void **state)
{
	(void)state;
	strcpy(directory + strlen(directory) - strlen("XXXXXX"), "XXXXXX");
	return mkdtemp(directory) ? chdir(directory) : -1;
}

static int leave_directory(void **state)
{
	char words[256];

	(void)state;
	snprintf(words, sizeof(words), "rm -r %s", directory);
	return chdir("/") || system(words) ? -1 : 0;
}

static void without_standard_files_no_other_gets_what_is_theirs(void **state)
{
	(void)state;
	make_recording("perf.data");
	assert_int_equal(run("annotate -o right perf.data"), 0);
	assert_said(" 1 mappings annotated");
	assert_int_equal(run("annotate -o out perf.data <&- >&- 2>&- #"), 0);
	assert_int_equal(system("cmp right out"), 0);
	assert_int_equal(run("annotate -o - perf.data 2>&1 >&- #"), 1);
	assert_said("standard output: Bad file descriptor");
}

static int bundle_to(const char *path)
{
	char words[256];

	snprintf(words, sizeof(words), "bundle --no-debuginfod --dir debug -o %s perf.data", path);
	return run(words);
}

static void an_archive_replaces_only_ones_own_archive(void **state)
{
	(void)state;
	make_recording("perf.data");
	/* There is no file of that id. */
	assert_int_equal(bundle_to("again"), 1);
	assert_int_equal(bundle_to("again"), 1);
	assert_said("again: 0 files");
	assert_int_equal(bundle_to("perf.data"), 1);
	assert_said("perf.data: exists and is something else; remove it first");
	assert_int_equal(bundle_to("."), 1);
	assert_said(".: Is a directory");
	if (!geteuid()) {
		assert_int_equal(system("mkdir sticky && chmod 1777 sticky && "
					"ln -s ../again sticky/link && ln -s .. sticky/away && "
					"chown -h 65534:65534 sticky/*"),
				 0);
		assert_int_equal(bundle_to("sticky/link"), 1);
		assert_said("sticky/link: is another user's, and no regular file");
		assert_int_equal(bundle_to("sticky/away/new"), 1);
		assert_int_equal(access("new", F_OK), -1);
	}
}

/* Up to the file size that is allowed, as on a full disk; or where nothing can be. */
static void a_stream_goes_through_without_room_for_it(void **state)
{
	static const char *const rooms[] = {
		"trap '' XFSZ; ulimit -f 0",
		"trap '' XFSZ; ulimit -f 300",
		"TMPDIR=/nonexistent",
	};
	char words[512];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rooms); i++) {
		snprintf(words, sizeof(words),
			 "test \"$({ seq 100000 | (%s; export TMPDIR; \"$BUILDID\" annotate - "
			 "2>/dev/null) | cksum; })\" = \"$(seq 100000 | cksum)\"",
			 rooms[i]);
		assert_int_equal(system(words), 0);
	}
	assert_int_equal(
		system("seq 9 | TMPDIR=/nonexistent \"$BUILDID\" annotate - 2>&1 "
		       ">/dev/null | grep -q 'standard input: cannot be kept in TMPDIR: '"),
		0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_and_version_need_no_module),
		cmocka_unit_test(help_names_every_command_there_is),
		cmocka_unit_test(doctor_fits_80_columns),
		cmocka_unit_test(a_word_mistyped_is_answered_with_the_nearest),
		cmocka_unit_test(wrong_usage_exits_with_2),
		cmocka_unit_test(its_other_name_is_mon),
		cmocka_unit_test_setup_teardown(an_archive_replaces_only_ones_own_archive,
						enter_directory, leave_directory),
		cmocka_unit_test(a_stream_goes_through_without_room_for_it),
		cmocka_unit_test_setup_teardown(without_standard_files_no_other_gets_what_is_theirs,
						enter_directory, leave_directory),
		cmocka_unit_test(a_full_disk_is_a_failure),
		cmocka_unit_test(without_the_module_netlink_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
