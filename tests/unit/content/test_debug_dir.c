// SPDX-License-Identifier: GPL-2.0
/* Debug dir: as perf lays it out, and nothing but what is what it says. */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"
#include "common/copy.h"
#include "content/debug_dir.h"
#include "samples.h"
#include "streams.h"

static struct debug_dir *dir;
static struct reason reason;

static int set_up(void **state)
{
	if (sample_set_up(state))
		return -1;
	sample_make("true");
	sample_make("false");
	dir = debug_dir_open(NULL, true, &reason);
	return dir ? 0 : -1;
}

static int tear_down(void **state)
{
	debug_dir_close(dir);
	return sample_tear_down(state);
}

static bool put_as(const char *file, const char *name, const struct build_id *id,
		   enum content_part part, bool link_)
{
	struct debug_item item = {
		.id = id,
		.name = name,
		.part = part,
		.may_link = link_,
	};
	bool done;

	item.fd = open(file, O_RDONLY);
	assert_true(item.fd >= 0);
	memset(&reason, 0, sizeof(reason));
	done = debug_dir_put(dir, &item, &reason);
	close(item.fd);
	return done;
}

static bool put(const char *file, const struct build_id *id)
{
	char *path = realpath(file, NULL);
	bool done = put_as(file, path, id, CONTENT_ELF, true);

	free(path);
	return done;
}

static bool is_there(const struct build_id *id, enum content_part part)
{
	int fd = debug_dir_find(dir, id, part);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void assert_empty(void)
{
	assert_string_equal(shell_output("find .debug -mindepth 1"), "");
}

/* Types, permissions, number of names, names, targets. */
static void assert_same_as_perf(const char *file)
{
	char *ours;

	shell("mkdir perf && HOME=$PWD/perf perf buildid-cache -a \"$PWD/%s\" 2>&1", file);
	ours = strdup(shell_output(
		"cd .debug && find . ! -name '*.debug' -printf '%%y %%m %%p %%l\\n' | sort"));
	assert_string_equal(shell_output("cd perf/.debug && find . -printf "
					 "'%%y %%m %%p %%l\\n' | sort"),
			    ours);
	free(ours);
}

static void the_layout_is_that_of_perf(void **state)
{
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	assert_true(put("true", &id));
	assert_same_as_perf("true");
	assert_true(is_there(&id, CONTENT_ELF));
	/* Linked by us and by perf. */
	assert_string_equal(shell_output("stat -c %%h true"), "3\n");
}

static void a_compressed_file_stays_compressed(void **state)
{
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	shell("mv true true.ko && xz true.ko");
	assert_true(put("true.ko.xz", &id));
	assert_same_as_perf("true.ko.xz");
	shell("cmp true.ko.xz .debug/\"$PWD\"/true.ko.xz/*/elf");
	assert_true(is_there(&id, CONTENT_ELF));
}

static void another_content_is_refused_and_leaves_nothing(void **state)
{
	char text[BUILD_ID_TEXT], want[BUILD_ID_TEXT + 32];
	struct build_id id, other;

	(void)state;
	sample_id("true", &id);
	sample_id("false", &other);
	assert_false(put("false", &id));
	snprintf(want, sizeof(want), "has build-id %s", build_id_text(&other, text));
	assert_string_equal(reason.text, want);
	assert_empty();
	assert_false(put_as("false", "/false", &id, CONTENT_ELF, false));
	assert_string_equal(reason.text, want);
	assert_empty();
}

static void a_file_that_is_cut_short_is_refused(void **state)
{
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	/* The note is in it still. */
	shell("truncate -s 8192 true");
	assert_false(put("true", &id));
	assert_string_equal(reason.text, "is truncated");
	assert_empty();
}

static void a_link_that_was_overwritten_is_missing_and_replaced(void **state)
{
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	assert_true(put("true", &id));
	shell("cat /bin/false > true");
	assert_false(is_there(&id, CONTENT_ELF));
	shell("rm true && cp /bin/true true");
	assert_true(put("true", &id));
	assert_true(is_there(&id, CONTENT_ELF));
}

static void a_copy_does_not_change_with_the_file(void **state)
{
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	assert_true(put_as("true", "/true", &id, CONTENT_ELF, false));
	shell("cat /bin/false > true");
	assert_true(is_there(&id, CONTENT_ELF));
}

static void a_setuid_program_is_copied_without_that(void **state)
{
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	shell("chmod 4755 true");
	assert_true(put("true", &id));
	assert_string_equal(shell_output("stat -c '%%a %%h' .debug/\"$PWD\"/true/*/elf"),
			    "755 1\n");
}

static enum content_owner owner_of(const struct build_id *id)
{
	int fd = debug_dir_find(dir, id, CONTENT_ELF);
	enum content_owner owner = content_owner(fd);

	close(fd);
	return owner;
}

static void what_another_can_write_to_is_copied_and_marked(void **state)
{
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	assert_true(put("true", &id));
	assert_int_equal(owner_of(&id), CONTENT_OURS);
	/* A link that perf may have made. */
	shell("chmod 666 true");
	assert_int_equal(owner_of(&id), CONTENT_OTHERS);
	assert_true(put("true", &id));
	assert_int_equal(owner_of(&id), CONTENT_COPIED);
	assert_string_equal(shell_output("stat -c '%%a %%h' .debug/\"$PWD\"/true/*/elf"),
			    "1755 1\n");
}

static enum content_owner owner_of_file(const char *mode, int gid)
{
	enum content_owner owner;
	int fd;

	shell("chown 0:%d true && chmod %s true", gid, mode);
	fd = open("true", O_RDONLY);
	assert_true(fd >= 0);
	owner = content_owner(fd);
	close(fd);
	return owner;
}

static void a_group_that_can_write_is_others_unless_it_is_one_s_own(void **state)
{
	const int own = (int)getegid(), other = 12345;

	(void)state;
	/* Root can give a file to any group. */
	if (geteuid())
		skip();
	assert_int_equal(owner_of_file("775", own), CONTENT_OURS);
	assert_int_equal(owner_of_file("775", 0), CONTENT_OURS);
	assert_int_equal(owner_of_file("755", other), CONTENT_OURS);
	assert_int_equal(owner_of_file("775", other), CONTENT_OTHERS);
	shell("chown 12345 true && chmod 755 true");
	assert_int_equal(content_owner(-1), CONTENT_OTHERS);
}

/* As of a process that has mapped it there. */
static void a_copy_of_anothers_file_never_becomes_ours(void **state)
{
	char stored[256];
	struct build_id id;
	int fd;

	(void)state;
	sample_id("true", &id);
	shell("chmod 666 true");
	assert_true(put_as("true", "/true", &id, CONTENT_ELF, true));
	assert_int_equal(sscanf(shell_output("echo .debug/true/*/elf"), "%255s", stored), 1);
	fd = open(stored, O_RDONLY);
	assert_true(fd >= 0);
	assert_false(content_is_ours(fd));
	close(fd);
	shell("cp -p %s kept", stored);
	assert_true(put("kept", &id));
	assert_int_equal(owner_of(&id), CONTENT_COPIED);
	assert_string_equal(shell_output("stat -c '%%a %%h' .debug/\"$PWD\"/kept/*/elf"),
			    "1755 1\n");
	/* Nor is it another's still when that file is ours. */
	shell("chmod 755 true");
	assert_true(put("true", &id));
	assert_int_equal(owner_of(&id), CONTENT_OURS);
}

static void who_may_not_read_a_file_may_not_read_its_copy(void **state)
{
	static const struct {
		const char *original, *copy;
	} modes[] = { { "700", "700\n" },
		      { "440", "750\n" },
		      { "4711", "700\n" },
		      { "644", "755\n" },
		      { "622", "1700\n" } };
	struct build_id id;
	size_t i;

	(void)state;
	sample_id("true", &id);
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		shell("chmod %s true", modes[i].original);
		assert_true(put_as("true", "/true", &id, CONTENT_ELF, false));
		assert_string_equal(shell_output("stat -c %%a .debug/true/*/elf"), modes[i].copy);
	}
}

static void of_an_entry_that_is_replaced_nothing_is_left(void **state)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	shell("mkdir .debug/evil");
	assert_true(put_as("true", "/evil/lib/true", &id, CONTENT_ELF, false));
	assert_true(put_as("true", "/lib/true", &id, CONTENT_ELF, false));
	build_id_text(&id, text);
	shell("! ls .debug/evil 2>/dev/null && ls .debug/lib/true/%s/elf >/dev/null", text);
}

/* @file of the entry is what gdb is led to. */
static void assert_debugger_reads(const struct build_id *id, const char *file)
{
	char text[BUILD_ID_TEXT];

	build_id_text(id, text);
	shell("test .debug/.build-id/%.2s/%s.debug -ef .debug/true/%s/%s", text, text + 2, text,
	      file);
}

static void what_else_is_in_an_entry_moves_with_it(void **state)
{
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	shell("objcopy --only-keep-debug true true.debug");
	assert_true(put_as("true", "/one", &id, CONTENT_ELF, false));
	assert_true(put_as("true.debug", "/one", &id, CONTENT_DEBUG, false));
	shell("echo probe | tee .debug/one/*/probes >/dev/null");
	assert_true(put_as("true", "/two", &id, CONTENT_ELF, false));
	assert_true(is_there(&id, CONTENT_DEBUG));
	shell("cmp .debug/.build-id/*/*.debug true.debug && grep -q probe .debug/two/*/probes");
	shell("! ls .debug/one 2>/dev/null");
	/* Except another user's. */
	shell("chmod +t .debug/two/*/debug");
	assert_true(put_as("true", "/one", &id, CONTENT_ELF, false));
	assert_false(is_there(&id, CONTENT_DEBUG));
}

static void an_entry_takes_the_place_of_a_further_name(void **state)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	assert_true(put_as("true", "/one", &id, CONTENT_ELF, false));
	assert_true(debug_dir_name(dir, &id, "/two"));
	build_id_text(&id, text);
	shell("rm -r .debug/one .debug/.build-id && test -L .debug/two/%s", text);
	assert_true(put_as("true", "/two", &id, CONTENT_ELF, false));
	assert_true(is_there(&id, CONTENT_ELF));
}

static void a_debugger_is_led_to_the_file_with_most(void **state)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	build_id_text(&id, text);
	shell("objcopy --only-keep-debug true true.debug");
	assert_false(debug_dir_link(dir, &id));
	assert_true(put_as("true", "/true", &id, CONTENT_ELF, true));
	assert_debugger_reads(&id, "elf");
	assert_true(put_as("true.debug", "/true", &id, CONTENT_DEBUG, true));
	assert_debugger_reads(&id, "debug");
	assert_true(put_as("true", "/true", &id, CONTENT_ELF, true));
	assert_debugger_reads(&id, "debug");
	/* An entry of perf's. */
	shell("rm .debug/true/*/debug .debug/.build-id/%.2s/*.debug", text);
	assert_true(debug_dir_link(dir, &id));
	assert_debugger_reads(&id, "elf");
}

static void the_path_of_the_content_moves(void **state)
{
	char *entry;
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	assert_true(put_as("true", "/one", &id, CONTENT_ELF, true));
	shell("rm -r .debug/one");
	assert_false(is_there(&id, CONTENT_ELF));
	assert_true(put_as("true", "/two", &id, CONTENT_ELF, true));
	entry = debug_dir_entry(dir, &id);
	assert_non_null(entry);
	assert_ptr_equal(strstr(entry, "two/"), entry);
	free(entry);
	assert_true(is_there(&id, CONTENT_ELF));
}

static void a_link_to_what_has_another_id_is_no_entry(void **state)
{
	static const char *const before[] = { "../../true/x", "../..//", "../", "/true/" };
	char text[BUILD_ID_TEXT];
	struct build_id id;
	size_t i;

	(void)state;
	sample_id("true", &id);
	build_id_text(&id, text);
	assert_true(put_as("true", "/true", &id, CONTENT_ELF, true));
	for (i = 0; i < ARRAY_SIZE(before); i++) {
		shell("ln -sfn %s%s .debug/.build-id/%.2s/%s", before[i], text, text, text + 2);
		assert_null(debug_dir_entry(dir, &id));
		assert_false(is_there(&id, CONTENT_ELF));
	}
}

static void names_that_lead_elsewhere_are_refused(void **state)
{
	static const char *const names[] = {
		"",
		"true",
		"/",
		"//",
		"/..",
		"/../x",
		"/a/../../x",
		"/a/..",
		"/./a",
		"/a/.",
		"/a//b",
		"/a/",
		"/.build-id",
		"/.build-id/x",
		"[a/b]",
		"[]",
		"[a",
		"a]",
		"[../x]",
		"[vdso]/..",
		"/true/1234abcd/elf",
		"/true/1234abcd/elf/x",
		"/true/abcd/probes",
	};
	struct build_id id;
	size_t i;

	(void)state;
	sample_id("true", &id);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		assert_false(debug_dir_is_name(names[i]));
		assert_false(put_as("true", names[i], &id, CONTENT_ELF, true));
	}
	assert_empty();
	assert_true(debug_dir_is_name("/..x/...")); /* just names */
	assert_true(debug_dir_is_name("/.build-idx"));
	assert_true(debug_dir_is_name("/true/1234abcd/elfs"));
	assert_true(debug_dir_is_name("/true/1234abc/elf"));
	assert_true(debug_dir_is_name("/a b/[x] (deleted)"));
}

static void names_that_are_too_long_are_refused(void **state)
{
	struct build_id id;
	char name[300];

	(void)state;
	sample_id("true", &id);
	memset(name, 'a', sizeof(name) - 1);
	name[0] = '/';
	name[sizeof(name) - 1] = '\0';
	assert_false(put_as("true", name, &id, CONTENT_ELF, true));
	assert_empty();
	name[256] = '\0';
	assert_true(put_as("true", name, &id, CONTENT_ELF, true));
}

static void a_link_in_the_directory_is_not_followed(void **state)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	shell("mkdir elsewhere && ln -s ../elsewhere .debug/usr");
	assert_false(put_as("true", "/usr/true", &id, CONTENT_ELF, true));
	assert_string_equal(shell_output("ls elsewhere"), "");
	/* Nor is what is empty there removed. */
	shell("mkdir -p elsewhere/true/%s", build_id_text(&id, text));
	assert_false(put_as("true", "/usr/true", &id, CONTENT_ELF, true));
	shell("test -d elsewhere/true/%s", text);
}

static void an_entry_elsewhere_is_none(void **state)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	build_id_text(&id, text);
	shell("mkdir -p out/%s .debug/.build-id/%.2s && cp true out/%s/elf", text, text, text);
	shell("ln -s ../../../out/%s .debug/.build-id/%.2s/%s", text, text, text + 2);
	assert_false(is_there(&id, CONTENT_ELF));
	shell("ln -sfn \"$PWD/out/%s\" .debug/.build-id/%.2s/%s", text, text, text + 2);
	assert_false(is_there(&id, CONTENT_ELF));
	/* And is put right. */
	assert_true(put("true", &id));
	assert_true(is_there(&id, CONTENT_ELF));
}

/* A byte is the directory; and no name has more than 255 digits. */
static void an_id_that_no_name_has_room_for_has_no_place(void **state)
{
	struct build_id id = { 1, { 0x12 } };

	(void)state;
	assert_false(put("true", &id));
	assert_string_equal(reason.text, "a build-id of 1 bytes has no place in the debug dir");
	id.size = BUILDID_ID_MAX;
	assert_false(put("true", &id));
	assert_string_equal(reason.text, "a build-id of 128 bytes has no place in the debug dir");
	assert_false(is_there(&id, CONTENT_ELF));
	assert_empty();
	id.size = 127;
	shell("printf 'ffffffff81000000 T _text\n' > kallsyms");
	assert_true(put_as("kallsyms", DEBUG_DIR_KERNEL, &id, CONTENT_KALLSYMS, false));
	assert_true(is_there(&id, CONTENT_KALLSYMS));
}

/* A name in the directory that is a directory is in the way of the link. */
static void what_cannot_be_linked_leaves_no_name(void **state)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	build_id_text(&id, text);
	shell("mkdir -p .debug/.build-id/%.2s/%s", text, text + 2);
	assert_false(put("true", &id));
	assert_non_null(strstr(reason.text, ".build-id: Is a directory"));
	assert_string_equal(shell_output("find .debug -name '.new-*'"), "");
}

static void holes_stay_holes(void **state)
{
	unsigned long size, blocks;
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	shell("truncate -s 8G true");
	assert_true(put_as("true", "/true", &id, CONTENT_ELF, false));
	assert_int_equal(sscanf(shell_output("stat -c '%%s %%b' .debug/true/*/elf"), "%lu %lu",
				&size, &blocks),
			 2);
	assert_int_equal(size, 8UL << 30);
	assert_in_range(blocks * 512, 1, 1 << 20);
	shell("head -c 1000000 true > head && head -c 1000000 .debug/true/*/elf | cmp - head");
}

static void no_more_is_copied_than_is_asked_for(void **state)
{
	struct debug_item item = { .name = "/true", .part = CONTENT_ELF, .most = 1 << 20 };
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	item.id = &id;
	shell("truncate -s 8G true");
	item.fd = open("true", O_RDONLY);
	assert_in_range(copy_size(item.fd), 4096, 1 << 20);
	assert_true(debug_dir_put(dir, &item, &reason));
	/* Its owner fills a hole. */
	shell("head -c 1M /dev/urandom | dd of=true bs=1M seek=7000 conv=notrunc status=none");
	shell("rm -r .debug/true .debug/.build-id");
	assert_in_range(copy_size(item.fd), 1 << 20, 2 << 20);
	assert_false(debug_dir_put(dir, &item, &reason));
	assert_string_equal(reason.text, "cannot be copied: File too large");
	assert_empty();
	close(item.fd);
}

/* Writes to the file until it is killed; has begun on return. */
static pid_t write_on(const char *path)
{
	int fd, notified, begun[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(begun), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		fd = open(path, O_WRONLY);
		for (notified = 0; pwrite(fd, "x", 1, 64 << 20) == 1; notified = 1)
			if (!notified && write(begun[1], "", 1) != 1)
				break;
		_exit(1);
	}
	assert_int_equal(read(begun[0], &byte, 1), 1);
	close(begun[0]);
	close(begun[1]);
	return pid;
}

static void what_is_written_to_is_not_copied(void **state)
{
	struct build_id id;
	pid_t writer;
	bool done;

	(void)state;
	sample_id("true", &id);
	shell("head -c 64M /dev/zero >> true");
	writer = write_on("true");
	done = put_as("true", "/true", &id, CONTENT_ELF, false);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	assert_false(done);
	assert_string_equal(reason.text, "changed while being copied");
	assert_empty();
	assert_true(put_as("true", "/true", &id, CONTENT_ELF, false));
}

/* Puts what is refused, so that directories come and go, until it is killed. */
static pid_t refuse_on(const struct build_id *id)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	while (!pid)
		if (put_as("false", "/a/b/c/true", id, CONTENT_ELF, false))
			_exit(1);
	return pid;
}

static void two_at_once_are_in_nobodys_way(void **state)
{
	struct build_id id;
	bool done = true;
	pid_t other;
	int i;

	(void)state;
	sample_id("true", &id);
	other = refuse_on(&id);
	for (i = 0; done && i < 300; i++) {
		done = put_as("true", "/a/b/c/true", &id, CONTENT_ELF, false);
		shell("rm -rf .debug/a 2>/dev/null || :");
	}
	assert_int_equal(waitpid(other, NULL, WNOHANG), 0);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	if (!done)
		fail_msg("round %d: %s", i, reason.text);
}

/* Puts and removes, until it is killed. */
static pid_t evict_on(const struct build_id *id)
{
	pid_t pid = fork();
	bool done = !pid && debug_dir_lock(dir, &reason);

	assert_true(pid >= 0);
	while (done)
		done = put_as("false", "/a/b/c/false", id, CONTENT_ELF, false) &&
		       debug_dir_remove(dir, id);
	if (!pid)
		_exit(1);
	return pid;
}

static void directories_may_be_removed_meanwhile(void **state)
{
	struct build_id id, other;
	bool done = true;
	pid_t evicter;
	int i;

	(void)state;
	sample_id("true", &id);
	sample_id("false", &other);
	evicter = evict_on(&other);
	for (i = 0; done && i < 100; i++) {
		done = put_as("true", "/a/b/c/true", &id, CONTENT_ELF, false);
		shell("rm -rf .debug/a/b/c/true");
	}
	assert_int_equal(waitpid(evicter, NULL, WNOHANG), 0);
	kill(evicter, SIGKILL);
	waitpid(evicter, NULL, 0);
	if (!done)
		fail_msg("round %d: %s", i, reason.text);
}

static void a_debug_file_goes_where_the_program_is(void **state)
{
	struct build_id id;

	(void)state;
	sample_id("true", &id);
	shell("objcopy --only-keep-debug true true.debug");
	assert_false(put_as("true.debug", "/true", &id, CONTENT_DEBUG, true));
	assert_string_equal(reason.text, "has no entry in the debug dir");
	assert_empty();
	assert_true(put_as("true", "/true", &id, CONTENT_ELF, true));
	assert_true(put_as("true.debug", "/other", &id, CONTENT_DEBUG, true));
	shell("cmp .debug/true/*/debug true.debug");
	assert_true(is_there(&id, CONTENT_DEBUG));
	assert_false(put_as("false", "/true", &id, CONTENT_DEBUG, true));
	assert_true(is_there(&id, CONTENT_DEBUG));
}

static void symbols_of_a_kernel_have_to_look_like_it(void **state)
{
	static const char *const wrong[] = {
		"",
		"root:x:0:0:root:/root:/bin/bash\n",
		"0000000000000000 T _text\n",
		"ffffffff81000000 T _text",
		"ffffffff81000000 T\n",
		"ffffffff81000000 T _text\nhello\n",
		"ffffffff81000000ff T _text\n",
		"ffffffff81000000 T _te xt\n",
	};
	struct build_id id = { 3, { 0xab, 0xcd, 0xef } };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		shell("printf '%%b' '%s' > kallsyms", wrong[i]);
		assert_false(put_as("kallsyms", DEBUG_DIR_KERNEL, &id, CONTENT_KALLSYMS, false));
		assert_empty();
	}
	shell("printf 'ffffffff81000000 T _text\\nffffffff84a26000 ? y\\n' > kallsyms");
	shell("printf 'ffffffffc0000000 t x\\t[loop]\\n' >> kallsyms");
	shell("printf 'ffffffffc0000000 r .L14472\\0021\\t[loop]\\n' >> kallsyms");
	assert_true(put_as("kallsyms", DEBUG_DIR_KERNEL, &id, CONTENT_KALLSYMS, false));
	assert_string_equal(shell_output("find .debug -type f -o -type l | sort"),
			    ".debug/.build-id/ab/cdef\n"
			    ".debug/[kernel.kallsyms]/abcdef/kallsyms\n");
	assert_true(is_there(&id, CONTENT_KALLSYMS));
}

static void an_entry_has_the_names_it_is_given(void **state)
{
	struct build_id id, other;

	(void)state;
	sample_id("true", &id);
	sample_id("false", &other);
	assert_false(debug_dir_name(dir, &id, "/bin/true@12345678"));
	assert_true(put_as("true", "/bin/true", &id, CONTENT_ELF, false));
	assert_true(debug_dir_name(dir, &id, "/bin/true@12345678"));
	assert_true(debug_dir_name(dir, &id, "/bin/true@12345678"));
	shell("cmp true .debug/bin/true@12345678/*/elf");
	assert_true(debug_dir_name(dir, &id, "/bin/true"));
	assert_string_equal(shell_output("test -L .debug/bin/true/* || echo no link"), "no link\n");

	/* To an entry that is no more. */
	shell("ln -s ../../nowhere .debug/bin/true@87654321 &&"
	      "mkdir .debug/other && ln -s nowhere .debug/other/%s",
	      basename(shell_output("ls -d .debug/bin/true/* | tr -d '\\n'")));
	assert_true(debug_dir_name(dir, &id, "/other"));
	shell("cmp true .debug/other/*/elf");
	/* Nor through links, to elsewhere. */
	assert_false(debug_dir_name(dir, &id, "/bin/true@87654321"));
	assert_false(debug_dir_name(dir, &id, "/bin/../true"));
	assert_false(debug_dir_name(dir, &id, DEBUG_DIR_VDSO));
	assert_false(debug_dir_name(dir, &other, "/bin/false"));
}

static void a_missing_directory_is_made_on_request_only(void **state)
{
	struct debug_dir *other;

	(void)state;
	assert_null(debug_dir_open("nosuch", false, &reason));
	assert_string_equal(reason.text, "No such file or directory");
	other = debug_dir_open("nosuch", true, &reason);
	assert_non_null(other);
	debug_dir_close(other);
	assert_null(debug_dir_open("true", true, &reason));
	assert_string_equal(reason.text, "Not a directory");
	unsetenv("HOME");
	assert_null(debug_dir_open(NULL, true, &reason));
	assert_string_equal(reason.text, "HOME is not set; use --dir DIR");
}

/* As root with the HOME of somebody else. */
static void what_others_have_left_is_not_touched(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	shell("mkdir secret home sticky && chmod 1777 sticky && ln -s ../secret home/.debug && "
	      "ln -s .. sticky/away && ln -s ../secret sticky/link && "
	      "chown -hR 65534:65534 home sticky/away sticky/link");
	assert_null(debug_dir_open("home/.debug", true, &reason));
	assert_null(debug_dir_open("sticky/link", true, &reason));
	assert_null(debug_dir_open("sticky/away/secret", true, &reason));
	assert_null(debug_dir_open("sticky/away/new", true, &reason));
	shell("test ! -e new -a -z \"$(ls -A secret)\"");
}

static void another_file_is_not_made_the_lock(void **state)
{
	struct debug_dir *other = debug_dir_open("other", true, &reason);

	(void)state;
	assert_non_null(other);
	shell("mkdir other/.buildid && echo a letter > letter && ln letter other/.buildid/lock");
	assert_false(debug_dir_lock(other, &reason));
	debug_dir_close(other);
	shell("grep -qx 'a letter' letter");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_layout_is_that_of_perf),
		TEST(a_compressed_file_stays_compressed),
		TEST(another_content_is_refused_and_leaves_nothing),
		TEST(a_file_that_is_cut_short_is_refused),
		TEST(a_link_that_was_overwritten_is_missing_and_replaced),
		TEST(a_copy_does_not_change_with_the_file),
		TEST(a_setuid_program_is_copied_without_that),
		TEST(what_another_can_write_to_is_copied_and_marked),
		TEST(a_group_that_can_write_is_others_unless_it_is_one_s_own),
		TEST(a_copy_of_anothers_file_never_becomes_ours),
		TEST(who_may_not_read_a_file_may_not_read_its_copy),
		TEST(of_an_entry_that_is_replaced_nothing_is_left),
		TEST(what_else_is_in_an_entry_moves_with_it),
		TEST(an_entry_takes_the_place_of_a_further_name),
		TEST(a_debugger_is_led_to_the_file_with_most),
		TEST(the_path_of_the_content_moves),
		TEST(a_link_to_what_has_another_id_is_no_entry),
		TEST(names_that_lead_elsewhere_are_refused),
		TEST(names_that_are_too_long_are_refused),
		TEST(a_link_in_the_directory_is_not_followed),
		TEST(an_entry_elsewhere_is_none),
		TEST(an_id_that_no_name_has_room_for_has_no_place),
		TEST(what_cannot_be_linked_leaves_no_name),
		TEST(holes_stay_holes),
		TEST(no_more_is_copied_than_is_asked_for),
		TEST(what_is_written_to_is_not_copied),
		TEST(two_at_once_are_in_nobodys_way),
		TEST(directories_may_be_removed_meanwhile),
		TEST(a_debug_file_goes_where_the_program_is),
		TEST(symbols_of_a_kernel_have_to_look_like_it),
		TEST(an_entry_has_the_names_it_is_given),
		TEST(what_others_have_left_is_not_touched),
		TEST(another_file_is_not_made_the_lock),
		TEST(a_missing_directory_is_made_on_request_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
