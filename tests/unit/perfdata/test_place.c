// SPDX-License-Identifier: GPL-2.0
/* perf.data, rewritten: it takes the place of what was there, or leaves that be. */

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "rewritten.h"

static void write_one_mapping(const char *path)
{
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_end(make);
	write_file(path);
}

static void owner_mode_and_link_are_kept(void **state)
{
	struct stat status;

	(void)state;
	write_one_mapping("file");
	assert_int_equal(chmod("file", 0640), 0);
	if (!getuid())
		assert_int_equal(chown("file", 12, 34), 0);
	assert_int_equal(symlink("file", "perf.data"), 0);
	assert_int_equal(annotate_to("perf.data", NULL), 0);
	assert_int_equal(lstat("perf.data", &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(stat("perf.data", &status), 0);
	assert_int_equal(status.st_mode & 07777, 0640);
	if (!getuid()) {
		assert_int_equal(status.st_uid, 12);
		assert_int_equal(status.st_gid, 34);
	}
	read_file("file");
	assert_memory_not_equal(after, make->bytes, make->size);
}

static void assert_as_it_was(void)
{
	read_file("perf.data");
	assert_int_equal(after_size, make->size);
	assert_memory_equal(after, make->bytes, make->size);
}

static bool stop(void)
{
	return false;
}

static bool kill_oneself(void)
{
	kill(getpid(), SIGKILL);
	return true;
}

/* Some file systems make no file without a name. */
static bool has_tmpfile(void)
{
	int fd = open(".", O_TMPFILE | O_RDWR, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void who_is_killed_leaves_it_as_it_was(void **state)
{
	pid_t child;
	int status;

	(void)state;
	write_one_mapping("perf.data");
	on_progress = kill_oneself;
	child = fork();
	if (!child)
		_exit(annotate_to("perf.data", NULL) != 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_as_it_was();
	if (has_tmpfile())
		assert_int_equal(system("test \"$(ls -A)\" = perf.data"), 0);
}

/* As perf record does when there is one already. */
static bool record_anew(void)
{
	FILE *file;

	on_progress = NULL;
	assert_int_equal(rename("perf.data", "perf.data.old"), 0);
	file = fopen("perf.data", "w");
	assert_non_null(file);
	fputs("another", file);
	fclose(file);
	return true;
}

static void who_is_stopped_leaves_it_as_it_was(void **state)
{
	(void)state;
	write_one_mapping("perf.data");
	on_progress = stop;
	assert_int_equal(annotate_to("perf.data", NULL), -1);
	assert_as_it_was();
}

static bool stop_at_the_next(void)
{
	on_progress = stop;
	return true;
}

/* All was written already. */
static void who_is_stopped_in_the_end_leaves_it_as_it_was(void **state)
{
	(void)state;
	write_one_mapping("perf.data");
	on_progress = stop_at_the_next;
	assert_int_equal(annotate_to("perf.data", NULL), -1);
	assert_as_it_was();
}

static void a_recording_begun_meanwhile_is_left(void **state)
{
	(void)state;
	write_one_mapping("perf.data");
	on_progress = record_anew;
	assert_int_equal(annotate_to("perf.data", NULL), -1);
	read_file("perf.data");
	assert_int_equal(after_size, strlen("another"));
	read_file("perf.data.old");
	assert_memory_equal(after, make->bytes, make->size);
}

static bool make_out(void)
{
	on_progress = NULL;
	assert_int_equal(system("rm -f out; echo another > out"), 0);
	return true;
}

static void assert_another_is_left(const char *output)
{
	assert_int_equal(annotate_to("perf.data", output), -1);
	assert_non_null(
		strstr(error, ": something came or went there meanwhile, and is left as it is"));
	read_file(output);
	assert_int_equal(after_size, strlen("another\n"));
}

static void what_comes_to_another_output_meanwhile_is_left(void **state)
{
	(void)state;
	write_one_mapping("perf.data");
	on_progress = make_out;
	assert_another_is_left("out");
	assert_as_it_was();
	write_file("out");
	on_progress = make_out;
	assert_another_is_left("out");
	/* The input, as an output. */
	on_progress = record_anew;
	assert_int_equal(annotate_to("perf.data", "perf.data"), -1);
	read_file("perf.data");
	assert_int_equal(after_size, strlen("another"));
}

/* As perf inject -i - -o file leaves it: what is rewritten has them in front. */
static void attrs_behind_the_events(void **state)
{
	struct perfdata_mapping mappings[16];
	struct perfdata_header *header = (void *)make->bytes;
	struct perfdata_header moved;
	struct perfdata_section *ids, *table;

	(void)state;
	make_entry(make, USER, 0x20, "/a");
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_end(make);
	ids = (void *)(make->bytes + header->attrs.offset + header->attr_size - sizeof(*ids));
	ids->offset = make->size;
	make_raw(make, make->bytes + sizeof(*header), 8);
	make_raw(make, make->bytes + header->attrs.offset, header->attrs.size);
	header->attrs.offset = make->size - header->attrs.size;
	/* It has put them where it says that the table is. */
	table = (void *)(make->bytes + header->data.offset + header->data.size);
	assert_int_equal(header->features[0] & 1U << PERFDATA_FEATURE_BUILD_ID,
			 1U << PERFDATA_FEATURE_BUILD_ID);
	table->offset = ids->offset;
	table->size = make->size - table->offset;
	write_file("perf.data");
	assert_int_equal(read_mappings("perf.data", mappings), 1);
	assert_int_equal(mappings[0].time, 100);
	assert_int_equal(annotate_to("perf.data", NULL), 0);
	assert_int_equal(read_mappings("perf.data", mappings), 1);
	assert_id(&mappings[0], 20, 2);
	assert_int_equal(mappings[0].time, 100);
	read_file("perf.data");
	memcpy(&moved, after, sizeof(moved));
	assert_true(moved.attrs.offset < moved.data.offset);
	ids = (void *)(after + moved.attrs.offset + moved.attr_size - sizeof(*ids));
	assert_int_equal(ids->size, 8);
	assert_memory_equal(after + ids->offset, make->bytes + sizeof(*header), 8);
	/* The same as from then on. */
	assert_int_equal(annotate_to("perf.data", "again"), 0);
	assert_int_equal(read_mappings("again", mappings), 1);
	assert_id(&mappings[0], 20, 2);
}

static void another_output_leaves_the_input(void **state)
{
	struct perfdata_mapping mappings[16];

	(void)state;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_end(make);
	write_file("perf.data");
	assert_int_equal(annotate_to("perf.data", "out"), 0);
	read_file("perf.data");
	assert_memory_equal(after, make->bytes, make->size);
	assert_int_equal(read_mappings("out", mappings), 1);
	assert_id(&mappings[0], 20, 2);

	assert_int_equal(annotate_to("perf.data", "/dev/null"), -1);
	assert_int_equal(annotate_to("perf.data", "no/such/directory"), -1);
}

static void assert_owner_and_mode(const char *path, uid_t owner, mode_t mode)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, mode);
	if (!getuid())
		assert_int_equal(status.st_uid, owner);
}

/* As with cp(1): a new file is ours, and what is replaced stays as closed as it was. */
static void another_output_has_not_the_owner_of_the_input(void **state)
{
	mode_t mask = umask(027);

	(void)state;
	write_one_mapping("perf.data");
	assert_int_equal(chmod("perf.data", 0664), 0);
	if (!getuid())
		assert_int_equal(chown("perf.data", 12, 34), 0);
	assert_int_equal(annotate_to("perf.data", "out"), 0);
	assert_owner_and_mode("out", getuid(), 0640);
	assert_int_equal(chmod("out", 0600), 0);
	assert_int_equal(annotate_to("perf.data", "out"), 0);
	assert_owner_and_mode("out", getuid(), 0600);
	assert_owner_and_mode("perf.data", 12, 0664);
	umask(mask);
}

/* In /tmp anybody may have left a link of the name that root will write to. */
static void assert_not_followed(const char *input, const char *output)
{
	assert_int_equal(annotate_to(input, output), -1);
	read_file("secret");
	assert_int_equal(after_size, make->size);
	assert_memory_equal(after, make->bytes, make->size);
	assert_int_equal(access("absent", F_OK), -1);
	assert_int_equal(system("test \"$(find sticky theirs -type f)\" = sticky/file"), 0);
}

static void what_others_have_left_is_not_touched(void **state)
{
	static const char *const outputs[] = {
		"sticky/link",
		"sticky/dangling",
		"sticky/ours",
		"sticky/file",
		"theirs/link",
		"sticky/directory/secret",
		"sticky/device",
		"sticky/directory/../secret",
		"sticky/directory/absent",
	};
	size_t i;

	(void)state;
	if (geteuid())
		skip();
	write_one_mapping("perf.data");
	write_file("secret");
	assert_int_equal(system("mkdir sticky theirs && ln -s ../secret sticky/link && "
				"ln -s ../secret theirs/link && ln -s ../absent sticky/dangling && "
				"ln -s .. sticky/directory && ln -s /dev/null sticky/device && "
				": > sticky/file && chown -hR 65534:65534 sticky theirs && "
				"chown root sticky && chmod 1777 sticky && "
				"ln -s link sticky/ours"),
			 0);
	for (i = 0; i < sizeof(outputs) / sizeof(*outputs); i++)
		assert_not_followed("perf.data", outputs[i]);
	assert_not_followed("sticky/link", NULL);
	assert_not_followed("sticky/ours", NULL);
	assert_not_followed("sticky/directory/secret", NULL);
	assert_as_it_was();
}

static void another_output_replaces_only_its_kind(void **state)
{
	(void)state;
	write_one_mapping("perf.data");
	assert_int_equal(system("echo a letter > other && : > empty && cp perf.data before && "
				"ln -s before link && ln perf.data linked"),
			 0);
	assert_int_equal(annotate_to("perf.data", "other"), -1);
	assert_non_null(strstr(error, "/other: exists and is something else; remove it first"));
	assert_int_equal(system("test \"$(cat other)\" = 'a letter'"), 0);
	assert_int_equal(annotate_to("perf.data", "empty"), 0);
	assert_int_equal(annotate_to("perf.data", "link"), 0);
	assert_int_equal(system("test -L link && cmp before empty"), 0);
	assert_int_equal(annotate_to("before", "linked"), -1);
	assert_non_null(strstr(error, "/linked: has other hard links; remove it first"));
	assert_as_it_was();
}

static void set_acl(const char *path, const char *name, unsigned short group)
{
	struct {
		struct posix_acl_xattr_header header;
		struct posix_acl_xattr_entry entries[5];
	} acl = { { POSIX_ACL_XATTR_VERSION },
		  { { ACL_USER_OBJ, 6, ACL_UNDEFINED_ID },
		    { ACL_USER, 4, 12 },
		    { ACL_GROUP_OBJ, group, ACL_UNDEFINED_ID },
		    { ACL_MASK, 4, ACL_UNDEFINED_ID },
		    { ACL_OTHER, 0, ACL_UNDEFINED_ID } } };

	if (setxattr(path, name, &acl, sizeof(acl), 0)) {
		assert_int_equal(errno, ENOTSUP);
		skip();
	}
}

#define ACCESS	"system.posix_acl_access"
#define DEFAULT "system.posix_acl_default"

/* What one attribute says of two files. */
static bool is_alike(const char *one, const char *other, const char *name)
{
	char values[2][256];
	ssize_t size = getxattr(one, name, values[0], sizeof(values[0]));

	return getxattr(other, name, values[1], sizeof(values[1])) == size &&
	       (size < 0 || !memcmp(values[0], values[1], (size_t)size));
}

static void attributes_are_kept(void **state)
{
	(void)state;
	write_one_mapping("perf.data");
	set_acl("perf.data", ACCESS, 0);
	assert_int_equal(setxattr("perf.data", "user.note", "kept", 4, 0), 0);
	assert_int_equal(system("cp -a perf.data before && cp -a perf.data there"), 0);
	assert_int_equal(annotate_to("perf.data", NULL), 0);
	assert_true(is_alike("before", "perf.data", ACCESS));
	assert_true(is_alike("before", "perf.data", "user.note"));
	/* What another output replaces keeps its own. */
	assert_int_equal(annotate_to("before", "there"), 0);
	assert_true(is_alike("before", "there", ACCESS));
	assert_true(is_alike("before", "there", "user.note"));
	assert_int_equal(annotate_to("before", "new"), 0);
	assert_int_equal(getxattr("new", ACCESS, NULL, 0), -1);
}

/* Whoever may write to the directory could so have root run what they like. */
static void no_privilege_outlives_its_content(void **state)
{
	static const struct vfs_cap_data capability = { VFS_CAP_REVISION_2, { { 1, 0 } } };
	struct stat status;

	(void)state;
	write_one_mapping("perf.data");
	assert_int_equal(chmod("perf.data", 07751), 0);
	if (setxattr("perf.data", "security.capability", &capability, sizeof(capability), 0))
		assert_true(errno == EPERM || errno == ENOTSUP);
	assert_int_equal(annotate_to("perf.data", NULL), 0);
	assert_int_equal(stat("perf.data", &status), 0);
	assert_int_equal(status.st_mode & 07777, 01751);
	assert_int_equal(getxattr("perf.data", "security.capability", NULL, 0), -1);
}

static bool lists_twice;
ssize_t __real_flistxattr(int fd, char *list, size_t size);
ssize_t __wrap_flistxattr(int fd, char *list, size_t size);

/* XFS has its own name for an ACL as well, and lists both to root. */
ssize_t __wrap_flistxattr(int fd, char *list, size_t size)
{
	ssize_t listed = __real_flistxattr(fd, list, size);

	if (!lists_twice || listed <= 0 || 2 * (size_t)listed > size)
		return listed;
	memcpy(list + listed, list, (size_t)listed);
	return 2 * listed;
}

int __real_fremovexattr(int fd, const char *name);
int __wrap_fremovexattr(int fd, const char *name);

/* And the second is not there any more, of which ext4 makes nothing. */
int __wrap_fremovexattr(int fd, const char *name)
{
	return fgetxattr(fd, name, NULL, 0) < 0 ? -1 : __real_fremovexattr(fd, name);
}

/* A new file has them of its directory: nobody may read the copy who might not before. */
static void no_attribute_is_added(void **state)
{
	(void)state;
	assert_int_equal(mkdir("folder", 0755), 0);
	write_one_mapping("folder/perf.data");
	assert_int_equal(chmod("folder/perf.data", 0640), 0);
	set_acl("folder", DEFAULT, 4);
	assert_int_equal(annotate_to("folder/perf.data", NULL), 0);
	assert_int_equal(getxattr("folder/perf.data", ACCESS, NULL, 0), -1);
	write_file("folder/perf.data");
	lists_twice = true;
	assert_int_equal(annotate_to("folder/perf.data", NULL), 0);
	lists_twice = false;
	assert_int_equal(getxattr("folder/perf.data", ACCESS, NULL, 0), -1);
}

static void make_data_directory(void)
{
	int i;

	assert_int_equal(system("mkdir -p perf.data/kcore_dir && chmod 750 perf.data/kcore_dir "
				"&& echo x > perf.data/kcore_dir/kcore"),
			 0);
	make_begin(make);
	make_mmap2_event(make, 9, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_end(make);
	write_file("perf.data/data");
	for (i = 0; i < 3; i++) {
		char file[32];

		memset(make, 0, sizeof(*make));
		make->bare = true;
		make_begin(make);
		/* One that has no events stays there, too. */
		if (i != 1)
			make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 4, 100, "/a");
		snprintf(file, sizeof(file), "perf.data/data.%d", i);
		write_file(file);
	}
}

static void a_directory_is_replaced_as_one(void **state)
{
	struct perfdata_mapping mappings[16];

	(void)state;
	make_data_directory();
	assert_int_equal(annotate_to("perf.data", NULL), 0);
	assert_int_equal(counts.annotated, 3);
	assert_int_equal(read_mappings("perf.data", mappings), 3);
	assert_id(&mappings[0], 20, 2);
	assert_id(&mappings[1], 20, 4);
	assert_id(&mappings[2], 20, 4);
	assert_int_equal(system("test \"$(cat perf.data/kcore_dir/kcore)\" = x -a "
				"$(stat -c %a perf.data/kcore_dir) = 750 -a "
				"-e perf.data/data.1 -a $(ls | wc -l) = 1"),
			 0);
}

static void attributes_in_a_directory_are_kept(void **state)
{
	(void)state;
	make_data_directory();
	set_acl("perf.data", ACCESS, 5);
	set_acl("perf.data", DEFAULT, 5);
	set_acl("perf.data/data.0", ACCESS, 0);
	assert_int_equal(setxattr("perf.data/kcore_dir", "user.note", "kept", 4, 0), 0);
	assert_int_equal(system("cp -a perf.data before"), 0);
	assert_int_equal(annotate_to("perf.data", NULL), 0);
	assert_true(is_alike("before", "perf.data", ACCESS));
	assert_true(is_alike("before", "perf.data", DEFAULT));
	assert_true(is_alike("before/data", "perf.data/data", ACCESS));
	assert_true(is_alike("before/data.0", "perf.data/data.0", ACCESS));
	assert_true(is_alike("before/kcore_dir", "perf.data/kcore_dir", "user.note"));
	assert_true(is_alike("before/kcore_dir", "perf.data/kcore_dir", ACCESS));
}

static bool make_other(void)
{
	on_progress = NULL;
	assert_int_equal(system("mkdir late && echo x > late/file"), 0);
	return true;
}

static bool record_directory_anew(void)
{
	on_progress = NULL;
	assert_int_equal(system("mv perf.data old && mkdir perf.data && echo x > perf.data/data"),
			 0);
	return true;
}

static bool make_empty(void)
{
	on_progress = NULL;
	assert_int_equal(mkdir("empty", 0700), 0);
	return true;
}

static void a_directory_recorded_meanwhile_is_left(void **state)
{
	(void)state;
	make_data_directory();
	on_progress = make_empty;
	assert_int_equal(annotate_to("perf.data", "empty"), -1);
	assert_int_equal(system("rmdir empty"), 0);
	on_progress = record_directory_anew;
	assert_int_equal(annotate_to("perf.data", "perf.data"), -1);
	assert_int_equal(system("test \"$(cat perf.data/data)\" = x -a -d old/kcore_dir -a "
				"$(ls -A | wc -l) = 2"),
			 0);
}

static void no_other_directory_is_replaced(void **state)
{
	struct perfdata_mapping mappings[16];

	(void)state;
	make_data_directory();
	assert_int_equal(system("mkdir other && echo x > other/file"), 0);
	assert_int_equal(annotate_to("perf.data", "other"), -1);
	assert_int_equal(system("test $(cat other/file) = x -a $(ls | wc -l) = 2"), 0);
	assert_int_equal(annotate_to("perf.data", "."), -1);
	assert_int_equal(system("test -f other/file"), 0);
	on_progress = make_other;
	assert_int_equal(annotate_to("perf.data", "late"), -1);
	assert_int_equal(system("test $(cat late/file) = x -a $(ls -A | wc -l) = 3"), 0);
	assert_int_equal(annotate_to("perf.data", "new"), 0);
	assert_int_equal(read_mappings("new", mappings), 3);
	assert_int_equal(annotate_to("perf.data", "perf.data"), 0);
	/* Nobody makes a directory there. */
	assert_int_equal(annotate_to("perf.data", "/proc/new"), -1);
	assert_string_equal(error, "/proc/new: No such file or directory");
	assert_int_equal(read_mappings("perf.data", mappings), 3);
	assert_id(&mappings[0], 20, 2);
}

/* The owner of the folder, with something else in its place. */
static bool swap_folder(void)
{
	on_progress = NULL;
	assert_int_equal(system("mv folder moved && mkdir victim && cp -r moved/perf.data victim "
				"&& ln -s victim folder"),
			 0);
	return true;
}

static void a_folder_swapped_meanwhile(const char *path)
{
	struct perfdata_mapping mappings[16];

	assert_int_equal(system("mkdir folder && mv perf.data folder"), 0);
	on_progress = swap_folder;
	assert_int_equal(annotate_to("folder/perf.data", NULL), 0);
	assert_int_equal(read_mappings("victim/perf.data", mappings), counts.annotated);
	assert_id(&mappings[0], 0, 0);
	assert_int_equal(read_mappings("moved/perf.data", mappings), counts.annotated);
	assert_id(&mappings[0], 20, 2);
	assert_int_equal(system("test \"$(ls -A victim moved)\" = "
				"\"$(printf 'moved:\nperf.data\n\nvictim:\nperf.data')\""),
			 0);
	assert_int_equal(system(path), 0);
}

static void nothing_is_written_elsewhere(void **state)
{
	(void)state;
	write_one_mapping("perf.data");
	a_folder_swapped_meanwhile("test -f moved/perf.data");
	reset(NULL);
	make_data_directory();
	a_folder_swapped_meanwhile("test -f moved/perf.data/kcore_dir/kcore");
}

/* Cut or damaged anywhere: an error, and the file as it was; or a good one. */
static void what_is_damaged_is_left_as_it_was(void **state)
{
	static const unsigned char values[] = { 0x00, 0x01, 0xff };
	size_t whole, at, i;

	(void)state;
	make_entry(make, USER, 0x20, "/a");
	make_begin(make);
	make_mmap_event(make, KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000, 0,
			"[kernel.kallsyms]_text");
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_end(make);
	whole = make->size;
	for (at = 0; at < whole; at++) {
		make->size = at;
		write_file("perf.data");
		assert_int_equal(annotate_to("perf.data", NULL), -1);
		read_file("perf.data");
		assert_int_equal(after_size, at);
		assert_memory_equal(after, make->bytes, at);
	}
	make->size = whole;
	for (at = 0; at < whole; at++) {
		unsigned char saved = make->bytes[at];

		for (i = 0; i < sizeof(values); i++) {
			make->bytes[at] = values[i];
			write_file("perf.data");
			if (annotate_to("perf.data", NULL)) {
				read_file("perf.data");
				assert_memory_equal(after, make->bytes, whole);
			}
		}
		make->bytes[at] = saved;
	}
}

static int annotate_within(rlim_t most, const char *output)
{
	struct rlimit before, limit;
	int err;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = most;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	err = annotate_to("perf.data", output);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	return err;
}

/* As a disk that is full does it, with an error. */
static void a_disk_full_at_any_place_leaves_it_as_it_was(void **state)
{
	struct stat whole, status;
	rlim_t most;

	(void)state;
	make_entry(make, USER, 0x20, "/a");
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_sample(make, USER, 10, 200, 0x1000);
	make_end(make);
	write_file("perf.data");
	assert_int_equal(annotate_to("perf.data", "whole"), 0);
	assert_int_equal(stat("whole", &whole), 0);
	signal(SIGXFSZ, SIG_IGN);
	for (most = 0; most < (rlim_t)whole.st_size; most++) {
		assert_int_equal(annotate_within(most, "other"), -1);
		assert_int_equal(access("other", F_OK), -1);
		assert_int_equal(annotate_within(most, NULL), -1);
		assert_as_it_was();
	}
	assert_int_equal(annotate_within(most, NULL), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(stat("perf.data", &status), 0);
	assert_int_equal(status.st_size, whole.st_size);
	unlink("whole");
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(owner_mode_and_link_are_kept),
		TEST(who_is_stopped_leaves_it_as_it_was),
		TEST(who_is_killed_leaves_it_as_it_was),
		TEST(a_recording_begun_meanwhile_is_left),
		TEST(what_comes_to_another_output_meanwhile_is_left),
		TEST(attrs_behind_the_events),
		TEST(another_output_leaves_the_input),
		TEST(who_is_stopped_in_the_end_leaves_it_as_it_was),
		TEST(another_output_has_not_the_owner_of_the_input),
		TEST(what_others_have_left_is_not_touched),
		TEST(another_output_replaces_only_its_kind),
		TEST(attributes_are_kept),
		TEST(no_privilege_outlives_its_content),
		TEST(no_attribute_is_added),
		TEST(attributes_in_a_directory_are_kept),
		TEST(nothing_is_written_elsewhere),
		TEST(a_directory_is_replaced_as_one),
		TEST(a_directory_recorded_meanwhile_is_left),
		TEST(no_other_directory_is_replaced),
		TEST(what_is_damaged_is_left_as_it_was),
		TEST(a_disk_full_at_any_place_leaves_it_as_it_was),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
