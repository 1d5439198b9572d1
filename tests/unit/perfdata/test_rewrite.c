// SPDX-License-Identifier: GPL-2.0
/* perf.data, rewritten: what is to change does, and nothing else. */

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "memory.h"
#include "rewritten.h"

static uint64_t data_size(const void *bytes)
{
	return ((const struct perfdata_header *)bytes)->data.size;
}

/* What was written has these events. */
static void assert_events(const void *events, uint64_t size)
{
	assert_int_equal(data_size(after), size);
	assert_memory_equal(after + make->events, events, size);
}

static bool has_after(unsigned int feature)
{
	return ((const struct perfdata_header *)(const void *)after)->features[0] >> feature & 1;
}

/* The entry of @name in the table, after its fixed part; NULL when there is none. */
static const struct perfdata_build_id *entry_after(const char *name)
{
	static struct perfdata_build_id entry;
	size_t begin = make->events + data_size(after);
	const unsigned char *found =
		memmem(after + begin, after_size - begin, name, strlen(name) + 1);

	if (!has_after(PERFDATA_FEATURE_BUILD_ID) || !found)
		return NULL;
	memcpy(&entry, found - sizeof(entry), sizeof(entry));
	return &entry;
}

static void assert_entry(const char *name, uint16_t cpumode, uint8_t byte)
{
	const struct perfdata_build_id *entry = entry_after(name);

	assert_non_null(entry);
	assert_int_equal(entry->event.size - sizeof(*entry), (strlen(name) + 8) & ~7ULL);
	assert_int_equal(entry->event.misc, cpumode | PERFDATA_MISC_ID_SIZE);
	assert_int_equal(entry->pid, UINT32_MAX);
	assert_int_equal(entry->id_size, 20);
	assert_int_equal(entry->id[19], byte);
}

static void assert_mapping(const struct perfdata_mapping *mapping, const char *path, uint8_t byte)
{
	assert_string_equal(mapping->path, path);
	assert_id(mapping, byte ? 20 : 0, byte);
}

/* The mapping that was made last, its name with the usual padding only. */
static struct perfdata_mmap2 *last_made(void)
{
	struct perfdata_mmap2 *found = NULL;
	struct perfdata_event *event;
	size_t at;

	for (at = make->events; at < make->size; at += event->size) {
		event = (void *)(make->bytes + at);
		if (event->type == PERFDATA_MMAP2)
			found = (void *)event;
	}
	assert_non_null(found);
	return found;
}

static void set_made_id(uint8_t byte)
{
	struct perfdata_mmap2 *mmap = last_made();

	mmap->event.misc |= PERFDATA_MISC_ID;
	memset(&mmap->major, 0, 24);
	mmap->id_size = 20;
	memset(mmap->id, byte, 20);
}

static void an_id_takes_the_place_of_the_inode(void **state)
{
	struct perfdata_mmap2 *mmap;
	static unsigned char expected[4096];
	size_t at;

	(void)state;
	make_begin(make);
	make_round(make);
	at = make->size;
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_sample(make, USER, 10, 150, 0x1010);
	make_end(make);
	memcpy(expected, make->bytes, make->size);
	mmap = (void *)(expected + at);
	mmap->event.misc |= PERFDATA_MISC_ID;
	memset(&mmap->major, 0, 24);
	mmap->id_size = 20;
	memset(mmap->id, 2, 20);

	annotate_made();
	assert_int_equal(counts.annotated, 1);
	assert_int_equal(counts.paths, 0);
	assert_events(expected + make->events, data_size(make->bytes));
	assert_memory_equal(after + sizeof(struct perfdata_header),
			    expected + sizeof(struct perfdata_header),
			    make->events - sizeof(struct perfdata_header));
}

static void a_path_with_one_that_is_not_known_is_left_alone(void **state)
{
	(void)state;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_mmap2_event(make, 11, 0x1000, 0x1000, 0, 3, 100, "/a");
	make_mmap2_event(make, 12, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_end(make);
	annotate_made();
	assert_int_equal(counts.annotated, 0);
	assert_int_equal(counts.not_annotated, 3);
	assert_int_equal(counts.paths, 1);
	assert_string_equal(reported, "/a: 3 of 3: nobody knows");
	assert_events(make->bytes + make->events, data_size(make->bytes));
	/* By which perf would go for all of them. */
	assert_null(entry_after("/a"));

	/* The same beside one that is annotated; perf's table says what perf says. */
	reset(NULL);
	make_entry(make, USER, 0x20, "/a");
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_mmap2_event(make, 11, 0x1000, 0x1000, 0, 3, 100, "/a");
	make_mmap2_event(make, 12, 0x1000, 0x1000, 0, 4, 100, "/b");
	make_end(make);
	annotate_made();
	assert_int_equal(counts.annotated, 1);
	assert_int_equal(counts.not_annotated, 2);
	assert_memory_equal(after + make->events, make->bytes + make->events, 2 * (72 + 8 + 16));
	assert_int_equal(entry_after("/a")->id[19], 0x20 + 19);
	assert_entry("/b", USER, 4);
}

static void nothing_known_leaves_the_file_as_it_is(void **state)
{
	struct stat before, now;

	(void)state;
	make_entry(make, USER, 0x20, "/a");
	make_begin(make);
	make_mmap2_event(make, 11, 0x1000, 0x1000, 0, 3, 100, "/a");
	make_end(make);
	write_file("perf.data");
	assert_int_equal(stat("perf.data", &before), 0);
	assert_int_equal(annotate_to("perf.data", NULL), 0);
	assert_false(counts.changed);
	assert_int_equal(stat("perf.data", &now), 0);
	assert_int_equal(before.st_ino, now.st_ino);
	read_file("perf.data");
	assert_int_equal(after_size, make->size);
	assert_memory_equal(after, make->bytes, after_size);
}

static void some_contents_without_a_build_id(void **state)
{
	struct perfdata_mapping mappings[16];

	(void)state;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 100, 100, "/without");
	make_mmap2_event(make, 10, 0x3000, 0x1000, 0, 2, 100, "/with");
	make_end(make);
	annotate_made();
	assert_int_equal(counts.without, 1);
	assert_int_equal(counts.paths, 0);
	assert_int_equal(read_mappings("perf.data", mappings), 2);
	assert_id(&mappings[0], 0, 0);
	assert_id(&mappings[1], 20, 2);

	/* With one path they would be mixed up without their names. */
	reset(NULL);
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 100, 100, "/mixed");
	make_mmap2_event(make, 10, 0x3000, 0x1000, 0, 2, 100, "/mixed");
	make_end(make);
	annotate_made();
	assert_int_equal(counts.paths, 0);
	assert_int_equal(counts.named, 1);
	assert_int_equal(read_mappings("perf.data", mappings), 2);
	assert_mapping(&mappings[0], "/mixed", 0);
	assert_mapping(&mappings[1], "/mixed@02020202", 2);

	reset(NULL);
	keep_names = true;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 100, 100, "/mixed");
	make_mmap2_event(make, 10, 0x3000, 0x1000, 0, 2, 100, "/mixed");
	make_end(make);
	annotate_made();
	assert_int_equal(counts.paths, 1);
	assert_int_equal(read_mappings("perf.data", mappings), 2);
	assert_mapping(&mappings[1], "/mixed", 0);
}

/* ----------------------------------------------------------------- foreign -- */

static void make_image_mapping(uint64_t start, uint8_t byte, const char *path)
{
	make_mmap2_event(make, UINT32_MAX, start, 0x1000, 0, 0, 0, path);
	last_made()->event.misc = PERFDATA_MISC_KERNEL;
	if (byte)
		set_made_id(byte);
}

/* As perf 6.17 to 6.19 has them, except the last two. */
static void make_modules(void)
{
	make_begin(make);
	make_image_mapping(0x1000, 1, "[kernel.kallsyms]_text");
	make_image_mapping(0x10000, 3, "/lib/modules/6.17.0/kernel/fs/ext4/ext4.ko.xz");
	make_image_mapping(0x20000, 3, "/lib/modules/6.17.0/kernel/net/nf-tables.ko.xz");
	make_image_mapping(0x30000, 3, "[vendor]");
	make_image_mapping(0x40000, 5, "/lib/modules/6.17.0/kernel/fs/fuse-dev.ko");
	make_image_mapping(0x50000, 5, "[fuse_dev]");
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 0, 100, "/a");
	set_made_id(3);
}

static void a_build_id_of_several_modules_is_not_believed(void **state)
{
	static const uint8_t ids[] = { 1, 0, 0, 0, 5, 5, 3 };
	struct perfdata_mapping mappings[16];
	size_t i;

	(void)state;
	nothing_is_known = true;
	make_modules();
	make_entry(make, PERFDATA_MISC_KERNEL, 7, "/lib/modules/6.17.0/kernel/fs/xfs.ko.xz");
	make_end(make);
	annotate_made();
	assert_int_equal(counts.annotated, 4);
	assert_int_equal(counts.not_annotated, 3);
	assert_int_equal(counts.paths, 3);
	assert_non_null(strstr(reported, "[vendor]: 1 of 1: its build-id is not believed"));
	assert_int_equal(read_mappings("perf.data", mappings), 7);
	for (i = 0; i < 7; i++)
		assert_id(&mappings[i], ids[i] ? 20 : 0, ids[i]);
	assert_null(entry_after("[vendor]"));
	assert_non_null(entry_after("/lib/modules/6.17.0/kernel/fs/xfs.ko.xz"));
	assert_entry("[fuse_dev]", KERNEL, 5);
	/* What is known is more than what perf has recorded. */
	reset(NULL);
	make_modules();
	make_end(make);
	annotate_made();
	assert_int_equal(read_mappings("perf.data", mappings), 7);
	assert_id(&mappings[1], 20, 0xbb);
	assert_id(&mappings[2], 20, 0xbb);
}

/* As of --build-id=0x0000...: perf takes it for none. */
static void zeros_are_no_build_id(void **state)
{
	(void)state;
	nothing_is_known = true;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 0, 100, "/a");
	set_made_id(0);
	make_mmap2_event(make, 10, 0x3000, 0x1000, 0, 0, 100, "/b");
	set_made_id(2);
	make_end(make);
	annotate_made();
	assert_int_equal(counts.annotated, 1);
	assert_int_equal(counts.not_annotated, 1);
	assert_string_equal(reported, "/a: 1 of 1: nothing is known");
}

/* perf record has found it at that path; it is no other image. */
static void the_kernel_may_be_in_the_table_by_its_path(void **state)
{
	static const char *const paths[] = { "/usr/lib/debug/boot/vmlinux-6.1.0-13-amd64",
					     "/lib/modules/6.1.0/build/vmlinux",
					     "/boot/vmlinux-6.1.0.debug" };
	size_t i;

	(void)state;
	nothing_is_known = true;
	make_begin(make);
	make_image_mapping(0x1000, 1, "[kernel.kallsyms]_text");
	/* As the entries have it. */
	for (i = 0; i < 20; i++)
		last_made()->id[i] = (uint8_t)(1 + i);
	for (i = 0; i < 3; i++)
		make_entry(make, PERFDATA_MISC_KERNEL, 1, paths[i]);
	make_end(make);
	annotate_made();
	for (i = 0; i < 3; i++)
		assert_non_null(entry_after(paths[i]));
}

static void nor_is_one_of_the_table(void **state)
{
	(void)state;
	nothing_is_known = true;
	make_begin(make);
	make_image_mapping(0x10000, 0, "[one]");
	make_image_mapping(0x20000, 0, "[other]");
	make_image_mapping(0x30000, 0, "[third]");
	make_entry(make, PERFDATA_MISC_KERNEL, 3, "[one]");
	make_entry(make, PERFDATA_MISC_KERNEL, 3, "[other]");
	make_entry(make, PERFDATA_MISC_KERNEL, 5, "[third]");
	make_end(make);
	annotate_made();
	assert_int_equal(counts.not_annotated, 3);
	assert_null(entry_after("[one]"));
	assert_null(entry_after("[other]"));
	assert_non_null(entry_after("[third]"));
}

/* ------------------------------------------------------------------- names -- */

static void make_several(void)
{
	make_begin(make);
	/* Of another processor's buffer: later in time, first in the file. */
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0x10, 4, 300, "/a");
	make_mmap2_event(make, 11, 0x3000, 0x2000, 0x20, 2, 200, "/a");
	make_sample(make, USER, 11, 250, 0x3010);
	make_mmap2_event(make, 12, 0x5000, 0x3000, 0x30, 4, 400, "/a");
	make_mmap2_event(make, 13, 0x5000, 0x3000, 0x30, 6, 100, "/b");
	make_end(make);
}

/* As --build-id=0x000020260...N of the linker. */
static void make_numbered(uint32_t pid, uint64_t time, uint8_t number, const char *path)
{
	struct perfdata_mmap2 *mmap;

	make_mmap2_event(make, pid, 0x1000, 0x1000, 0, number, time, path);
	set_made_id(0);
	mmap = last_made();
	mmap->id[2] = 0x20;
	mmap->id[3] = 0x26;
	mmap->id[19] = number;
}

#define NUMBER(n) "000020260000000000000000000000000000000" #n

static void assert_names(const char *const *names)
{
	struct perfdata_mapping mappings[16];
	size_t count = read_mappings("perf.data", mappings), i;

	for (i = 0; i < count; i++) {
		assert_non_null(names[i]);
		assert_string_equal(mappings[i].path, names[i]);
	}
	assert_null(names[i]);
}

static void ids_that_begin_alike_get_names_that_differ(void **state)
{
	const char *names[] = { "/server", "/server@" NUMBER(2), "/server@" NUMBER(3),
				"/server@" NUMBER(2), NULL };

	(void)state;
	nothing_is_known = true;
	make_begin(make);
	make_numbered(10, 100, 1, "/server");
	make_numbered(11, 200, 2, "/server");
	make_numbered(12, 300, 3, "/server");
	make_numbered(13, 400, 2, "/server");
	make_end(make);
	annotate_made();
	assert_int_equal(counts.named, 2);
	assert_names(names);
	/* Once more: what has a name keeps it. */
	assert_int_equal(annotate_to("perf.data", NULL), 0);
	assert_false(counts.changed);
	assert_names(names);
}

static void names_of_several_directories_differ(void **state)
{
	(void)state;
	nothing_is_known = true;
	make_begin(make);
	make_numbered(10, 100, 1, "/a/server");
	make_numbered(11, 200, 2, "/a/server");
	make_numbered(12, 100, 3, "/b/server");
	make_numbered(13, 200, 4, "/b/server");
	make_end(make);
	annotate_made();
	assert_names((const char *[]){ "/a/server", "/a/server@" NUMBER(2), "/b/server",
				       "/b/server@" NUMBER(4), NULL });
}

static void a_file_that_is_called_so_keeps_its_name(void **state)
{
	struct perfdata_mapping mappings[16];

	(void)state;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_mmap2_event(make, 11, 0x1000, 0x1000, 0, 4, 200, "/a");
	make_mmap2_event(make, 12, 0x1000, 0x1000, 0, 6, 200, "/a@04040404");
	make_end(make);
	annotate_made();
	assert_int_equal(read_mappings("perf.data", mappings), 3);
	assert_mapping(&mappings[1], "/a@0404040404040404040404040404040404040404", 4);
	assert_mapping(&mappings[2], "/a@04040404", 6);
}

static void further_contents_of_a_path_get_names(void **state)
{
	struct perfdata_mapping mappings[16];

	(void)state;
	make_several();
	annotate_made();
	assert_int_equal(counts.annotated, 4);
	assert_int_equal(counts.named, 1);
	assert_int_equal(counts.unnamed, 0);
	assert_int_equal(read_mappings("perf.data", mappings), 4);
	assert_mapping(&mappings[0], "/a@04040404", 4);
	assert_mapping(&mappings[1], "/a", 2);
	assert_mapping(&mappings[2], "/a@04040404", 4);
	assert_mapping(&mappings[3], "/b", 6);
	assert_int_equal(mappings[2].pid, 12);
	assert_int_equal(mappings[2].start, 0x5000);
	assert_int_equal(mappings[2].len, 0x3000);
	assert_int_equal(mappings[2].pgoff, 0x30);
	/* The sample_id is where it is looked for. */
	assert_int_equal(mappings[0].time, 300);
	assert_int_equal(mappings[2].time, 400);
	assert_int_equal(data_size(after), data_size(make->bytes) + (2 * 8));
	/* Each name has one id, so the table can say it. */
	assert_entry("/a", USER, 2);
	assert_entry("/a@04040404", USER, 4);
	assert_entry("/b", USER, 6);
	assert_memory_equal(after + after_size - sizeof(MAKE_HOSTNAME), MAKE_HOSTNAME,
			    sizeof(MAKE_HOSTNAME));
}

static void in_events_of_every_format(void **state)
{
	static const struct make shapes[] = {
		{ .clockid = -1, .no_ids = true },
		{ .clockid = -1, .pipe = true },
		{ .clockid = -1,
		  .other_attr = true,
		  .sample_type = MAKE_SAMPLE | PERFDATA_SAMPLE_IDENTIFIER },
	};
	struct perfdata_mapping mappings[16];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		reset(NULL);
		*make = shapes[i];
		make_several();
		annotate_made();
		assert_int_equal(counts.named, 1);
		assert_int_equal(read_mappings("perf.data", mappings), 4);
		/* Without times the first is that which is first in the file. */
		assert_mapping(&mappings[0], i ? "/a@04040404" : "/a", 4);
		assert_mapping(&mappings[1], i ? "/a" : "/a@02020202", 2);
		assert_int_equal(mappings[2].time, i ? 400 : 0);
	}
}

static void to_annotate_twice_changes_nothing(void **state)
{
	static unsigned char before[MAKE_ROOM];
	size_t size;

	(void)state;
	make_several();
	annotate_made();
	memcpy(before, after, after_size);
	size = after_size;
	nothing_is_known = true;
	assert_int_equal(annotate_to("perf.data", NULL), 0);
	assert_false(counts.changed);
	assert_int_equal(counts.annotated, 4);
	assert_int_equal(counts.named, 1);
	/* Nor if it is written again, or names are to be left alone. */
	assert_int_equal(annotate_to("perf.data", "again"), 0);
	read_file("again");
	assert_int_equal(after_size, size);
	assert_memory_equal(after, before, size);
	keep_names = true;
	assert_int_equal(annotate_to("perf.data", "again"), 0);
	read_file("again");
	assert_int_equal(after_size, size);
	assert_memory_equal(after, before, size);
}

static void without_names_the_table_is_left_out(void **state)
{
	struct perfdata_mapping mappings[16];

	(void)state;
	keep_names = true;
	make_entry(make, USER, 0x20, "/a");
	make_several();
	annotate_made();
	assert_int_equal(counts.named, 0);
	assert_int_equal(counts.unnamed, 1);
	assert_int_equal(read_mappings("perf.data", mappings), 4);
	assert_mapping(&mappings[0], "/a", 4);
	assert_mapping(&mappings[1], "/a", 2);
	assert_false(has_after(PERFDATA_FEATURE_BUILD_ID));
}

static void aux_data_forbids_names(void **state)
{
	struct perfdata_mapping mappings[16];

	(void)state;
	make->aux = true;
	make_several();
	annotate_made();
	assert_int_equal(counts.named, 0);
	assert_int_equal(counts.unnamed, 1);
	assert_int_equal(data_size(after), data_size(make->bytes));
	assert_int_equal(read_mappings("perf.data", mappings), 4);
	assert_mapping(&mappings[2], "/a", 4);
}

/* An event's size is 16 bits wide. */
static void an_event_without_room_for_a_name_is_missing(void **state)
{
	static const size_t lengths[] = { 65438, 65430 };
	struct perfdata_mapping mappings[16];
	static char path[65536];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		reset(NULL);
		memset(path, 'a', lengths[i]);
		path[0] = '/';
		path[lengths[i]] = '\0';
		make_begin(make);
		make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, path);
		make_mmap2_event(make, 11, 0x1000, 0x1000, 0, 4, 200, path);
		make_mmap2_event(make, 12, 0x1000, 0x1000, 0, 2, 300, "/b");
		make_end(make);
		annotate_made();
		assert_int_equal(counts.named, i ? 1 : 0);
		assert_int_equal(counts.annotated, i ? 3 : 1);
		assert_int_equal(counts.not_annotated, i ? 0 : 2);
		assert_int_equal(read_mappings("perf.data", mappings), 3);
		assert_id(&mappings[0], i ? 20 : 0, 2);
		assert_id(&mappings[1], i ? 20 : 0, 4);
		assert_int_equal(mappings[1].time, 200);
		assert_id(&mappings[2], 20, 2);
		/* Nor does that change with the name that it has then. */
		assert_int_equal(annotate_to("perf.data", NULL), 0);
		assert_false(counts.changed);
	}
}

/* What is not known keeps the path, and no id: perf looks for it there as before. */
static void what_is_not_known_beside_contents_that_are(void **state)
{
	struct perfdata_mapping mappings[16];

	(void)state;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_mmap2_event(make, 11, 0x1000, 0x1000, 0, 4, 200, "/a");
	make_mmap2_event(make, 12, 0x1000, 0x1000, 0, 3, 300, "/a");
	make_end(make);
	annotate_made();
	assert_int_equal(counts.annotated, 2);
	assert_int_equal(counts.not_annotated, 1);
	assert_int_equal(counts.paths, 1);
	assert_string_equal(reported, "/a: 1 of 3: nobody knows");
	assert_int_equal(read_mappings("perf.data", mappings), 3);
	assert_mapping(&mappings[0], "/a@02020202", 2);
	assert_mapping(&mappings[1], "/a@04040404", 4);
	assert_mapping(&mappings[2], "/a", 0);
	assert_null(entry_after("/a"));
}

/* As a file that is called so, of which nothing else is in the recording. */
static void a_name_that_is_there_by_itself_stays(void **state)
{
	struct perfdata_mapping mappings[16];

	(void)state;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a@02020202");
	make_end(make);
	annotate_made();
	assert_int_equal(annotate_to("perf.data", "again"), 0);
	assert_int_equal(read_mappings("again", mappings), 1);
	assert_mapping(&mappings[0], "/a@02020202", 2);
}

/* perf record --buildid-mmap, of which there is no table. */
static void ids_that_perf_has_recorded_make_a_table(void **state)
{
	struct perfdata_mapping mappings[16];

	(void)state;
	nothing_is_known = true;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	set_made_id(2);
	make_mmap2_event(make, 11, 0x1000, 0x1000, 0, 2, 200, "/a");
	set_made_id(4);
	make_end(make);
	annotate_made();
	assert_true(counts.changed);
	assert_int_equal(counts.annotated, 2);
	assert_int_equal(read_mappings("perf.data", mappings), 2);
	assert_mapping(&mappings[0], "/a", 2);
	assert_mapping(&mappings[1], "/a@04040404", 4);
	assert_entry("/a", USER, 2);
	assert_entry("/a@04040404", USER, 4);
}

static void files_mapped_for_their_data_alone_are_not_reported(void **state)
{
	(void)state;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 3, 100, "/data");
	last_made()->event.misc |= PERFDATA_MISC_DATA;
	make_mmap2_event(make, 11, 0x1000, 0x1000, 0, 2, 200, "/a");
	make_end(make);
	annotate_made();
	assert_int_equal(counts.annotated, 1);
	assert_int_equal(counts.not_annotated, 0);
	assert_int_equal(counts.paths, 0);
	assert_string_equal(reported, "");
}

/* Each with what differs; times only where there are any. */
static void of_every_shape(void **state)
{
	static const struct make shapes[] = {
		{ .clockid = -1, .no_ids = true },
		{ .clockid = 1 },
		{ .clockid = -1, .attr_size = 64 },
		{ .clockid = -1, .attr_size = 80 },
		{ .clockid = -1, .attr_size = 136 },
		{ .clockid = -1,
		  .attr_size = 200,
		  .other_attr = true,
		  .sample_type = MAKE_SAMPLE | PERFDATA_SAMPLE_IDENTIFIER },
		{ .clockid = -1, .pipe = true },
		{ .clockid = -1, .pipe = true, .no_ids = true },
	};
	const struct perfdata_header *header = (const void *)after;
	struct perfdata_mapping mappings[16];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		reset(NULL);
		*make = shapes[i];
		make_begin(make);
		make_mmap_event(make, KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000, 0,
				"[kernel.kallsyms]_text");
		make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
		make_mmap2_event(make, 10, 0x3000, 0x1000, 0, 4, 200, "/a");
		make_end(make);
		annotate_made();
		assert_int_equal(counts.annotated, 3);
		if (!make->pipe)
			assert_int_equal(data_size(after),
					 data_size(make->bytes) + PERFDATA_MMAP_GROWS + 8);
		assert_int_equal(read_mappings("perf.data", mappings), 3);
		assert_id(&mappings[0], 20, 0xaa);
		assert_id(&mappings[1], 20, 2);
		assert_id(&mappings[2], 20, 4);
		assert_int_equal(mappings[2].time, make->no_ids ? 0 : 200);
		if (make->pipe)
			continue;
		assert_memory_equal(after + sizeof(*header), make->bytes + sizeof(*header),
				    make->events - sizeof(*header));
		assert_int_equal(header->attr_size,
				 ((const struct perfdata_header *)make->bytes)->attr_size);
	}
}

static void short_ids_are_as_long_as_they_are(void **state)
{
	struct perfdata_mapping mappings[16];

	(void)state;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 8, 100, "/a");
	make_end(make);
	annotate_made();
	assert_int_equal(read_mappings("perf.data", mappings), 1);
	assert_id(&mappings[0], 8, 8);
}

static void the_kernel_gets_room(void **state)
{
	struct perfdata_mapping mappings[16];

	(void)state;
	make_begin(make);
	make_mmap_event(make, KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000, 0,
			"[kernel.kallsyms]_text");
	make_mmap_event(make, KERNEL, UINT32_MAX, 0xffffffffc0000000, 0x1000, 0, "[module]");
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_end(make);
	annotate_made();
	assert_int_equal(data_size(after), data_size(make->bytes) + 64);
	assert_int_equal(read_mappings("perf.data", mappings), 3);
	assert_id(&mappings[0], 20, 0xaa);
	assert_int_equal(mappings[0].start, 0xffffffff81000000);
	assert_id(&mappings[1], 20, 0xbb);
	assert_id(&mappings[2], 20, 2);
	assert_int_equal(mappings[2].time, 100);
	/* Features have moved, and are what they were. */
	assert_memory_equal(after + after_size - sizeof(MAKE_HOSTNAME), MAKE_HOSTNAME,
			    sizeof(MAKE_HOSTNAME));
}

static void the_table_has_what_is_known(void **state)
{
	(void)state;
	make_entry(make, USER, 0x20, "/a");
	make_entry(make, KERNEL, 0x30, "[kernel.kallsyms]");
	make_entry(make, USER, 0x40, "/elsewhere");
	make_begin(make);
	make_mmap_event(make, KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000, 0,
			"[kernel.kallsyms]_text");
	make_mmap_event(make, KERNEL, UINT32_MAX, 0xffffffffc0000000, 0x1000, 0, "/module.ko");
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 100, 100, "/without");
	make_end(make);
	annotate_made();
	assert_int_equal(entry_after("/a")->id[19], 2);
	assert_int_equal(entry_after("[kernel.kallsyms]")->id[19], 0xaa);
	assert_entry("/module.ko", KERNEL, 0xbb);
	assert_int_equal(entry_after("/elsewhere")->id[19], 0x40 + 19);
	assert_null(entry_after("/without"));

	/* What is not known stays as perf had it. */
	reset(NULL);
	make_entry(make, USER, 0x30, "/unknown");
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 3, 100, "/unknown");
	make_end(make);
	annotate_made();
	assert_int_equal(entry_after("/unknown")->id[19], 0x30 + 19);
	assert_entry("/a", USER, 2);
}

static void a_vdso_has_its_id_from_the_table(void **state)
{
	struct perfdata_mapping mappings[16];

	(void)state;
	make_entry(make, USER, 0x20, "[vdso]");
	make_begin(make);
	make_mmap2_event(make, 10, 0x7f0000000000, 0x1000, 0, 0, 100, "[vdso]");
	make_mmap2_event(make, 10, 0x70000000, 0x1000, 0, 0, 100, "[vdso]");
	make_end(make);
	annotate_made();
	assert_int_equal(read_mappings("perf.data", mappings), 2);
	assert_id(&mappings[0], 20, 0x20 + 19);
	/* Of a process of 32 bits it is another. */
	assert_id(&mappings[1], 0, 0);
}

static void aux_data_stays_where_it_is(void **state)
{
	static unsigned char bytes[70000];
	struct perfdata_mapping mappings[16];

	(void)state;
	memset(bytes, 0x5a, sizeof(bytes));
	make->aux = true;
	make_begin(make);
	make_mmap_event(make, KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000, 0,
			"[kernel.kallsyms]_text");
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_auxtrace(make, bytes, sizeof(bytes));
	make_end(make);
	annotate_made();
	assert_int_equal(data_size(after), data_size(make->bytes));
	assert_memory_equal(after + make->events + data_size(after) - sizeof(bytes), bytes,
			    sizeof(bytes));
	assert_int_equal(read_mappings("perf.data", mappings), 2);
	assert_id(&mappings[0], 0, 0);
	assert_id(&mappings[1], 20, 2);
	/* There is room for the kernel's in the table. */
	assert_true(has_after(PERFDATA_FEATURE_BUILD_ID));
	assert_non_null(
		memmem(after + make->events + data_size(after), 200, "[kernel.kallsyms]", 18));
}

static void compressed_events_come_out_plain(void **state)
{
	struct perfdata_mapping mappings[16];
	size_t plain;
	uint32_t i;

	(void)state;
	make_begin(make);
	for (i = 0; i < 10; i++)
		make_mmap2_event(make, 10 + i, 0x1000, 0x1000, 0, 2, 100, "/a");
	plain = make->size - make->events;
	make_pack(make, PERFDATA_COMPRESSED, 77);
	make_end(make);
	annotate_made();
	assert_int_equal(data_size(after), plain);
	assert_false(has_after(PERFDATA_FEATURE_COMPRESSED));
	assert_int_equal(read_mappings("perf.data", mappings), 10);
	for (i = 0; i < 10; i++) {
		assert_int_equal(mappings[i].pid, 10 + i);
		assert_id(&mappings[i], 20, 2);
	}
}

/* Nothing is in it, but what is behind it would move. */
static void aux_data_forbids_compressed_nothing(void **state)
{
	static const struct perfdata_event nothing = {
		.type = PERFDATA_COMPRESSED,
		.size = sizeof(nothing),
	};

	(void)state;
	make->aux = true;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_raw(make, &nothing, sizeof(nothing));
	make_end(make);
	write_file("perf.data");
	assert_int_equal(annotate_to("perf.data", NULL), -1);
}

/* Only in a stream it says how the events are. */
static void a_feature_event_of_a_file_stays(void **state)
{
	static const struct perfdata_feature_event compressed = {
		.event = { .type = PERFDATA_FEATURE, .size = sizeof(compressed) },
		.feature = PERFDATA_FEATURE_COMPRESSED,
	};
	struct perfdata_mapping mappings[16];

	(void)state;
	make_entry(make, USER, 0x10, "/b");
	make_begin(make);
	make_raw(make, &compressed, sizeof(compressed));
	make_end(make);
	write_file("perf.data");
	assert_int_equal(annotate_to("perf.data", "out"), 0);
	read_file("out");
	assert_int_equal(data_size(after), sizeof(compressed));
	assert_int_equal(read_mappings("out", mappings), 0);
}

/* Where none are there is nothing to be beside the events, however short the file becomes. */
static void no_attrs_have_no_place(void **state)
{
	static const char zeros[4096];
	struct perfdata_header *header = (void *)make->bytes;
	struct perfdata_mapping mappings[16];

	(void)state;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 0, "/a");
	make_end(make);
	make_raw(make, zeros, sizeof(zeros));
	header->attrs.size = 0;
	header->attrs.offset = make->size;
	write_file("perf.data");
	assert_int_equal(annotate_to("perf.data", "out"), 0);
	read_file("out");
	assert_true(after_size < make->size);
	assert_int_equal(read_mappings("out", mappings), 1);
}

static void build_ids_of_a_stream_are_silenced(void **state)
{
	const struct perfdata_event *event;
	uint32_t types[8] = {};
	size_t at, count = 0;

	(void)state;
	make->pipe = true;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_mmap2_event(make, 10, 0x3000, 0x1000, 0, 3, 100, "/unknown");
	make_build_id(make, USER, 0x20, "/a");
	make_build_id(make, USER, 0x30, "/unknown");
	make_end(make);
	annotate_made();
	for (at = make->events; at < after_size; at += event->size) {
		event = (const void *)(after + at);
		assert_true(count < 8);
		types[count++] = event->type;
	}
	assert_int_equal(count, 5);
	assert_int_equal(types[3], PERFDATA_EVENT_TYPE);
	assert_int_equal(types[4], PERFDATA_BUILD_ID);
}

static void modules_go_before_what_came_after_them(void **state)
{
	struct perfdata_mapping mappings[16];

	(void)state;
	loads[0] = (struct perfdata_module_event){
		.time = 150,
		.start = 0xffffffffc0000000,
		.len = 0x3000,
		.path = "[module]",
		.id = { .size = 20, .bytes = { [19] = 7 } },
	};
	loads[1] = loads[0];
	loads[1].time = 180;
	/* After the last event it is of no use. */
	loads[2] = loads[0];
	loads[2].time = 1000;
	nr_module_events = 3;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_sample(make, USER, 10, 160, 0x1010);
	make_mmap2_event(make, 10, 0x3000, 0x1000, 0, 2, 170, "/a");
	make_sample(make, USER, 10, 200, 0x1010);
	make_end(make);
	annotate_made();
	assert_int_equal(counts.module_events, 2);
	assert_int_equal(read_mappings("perf.data", mappings), 4);
	assert_int_equal(mappings[1].kind, PERFDATA_KIND_MODULE);
	assert_int_equal(mappings[1].time, 150);
	assert_int_equal(mappings[1].pid, UINT32_MAX);
	assert_int_equal(mappings[1].start, 0xffffffffc0000000);
	assert_int_equal(mappings[1].len, 0x3000);
	assert_id(&mappings[1], 20, 7);
	assert_int_equal(mappings[2].time, 170);
	assert_int_equal(mappings[3].time, 180);
	assert_non_null(entry_after("[module]"));
	/* They are there the next time. */
	nothing_is_known = true;
	assert_int_equal(annotate_to("perf.data", NULL), 0);
	assert_false(counts.changed);
	assert_int_equal(counts.module_events, 0);
}

/* As a symbol of the kernel that goes, which takes what is mapped there with it. */
static void modules_that_go_are_unmapped(void **state)
{
	const struct perfdata_ksymbol *symbol;
	uint64_t time;

	(void)state;
	loads[0] = (struct perfdata_module_event){
		.time = 150,
		.start = 0xffffffffc0000000,
		.len = 0x3000,
		.unload = true,
		.path = "[module]",
	};
	nr_module_events = 1;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_sample(make, USER, 10, 160, 0x1010);
	make_end(make);
	annotate_made();
	assert_int_equal(counts.module_events, 0);
	symbol = (const void *)(after + make->events + 72 + 8 + 16);
	assert_int_equal(symbol->event.type, PERFDATA_KSYMBOL);
	assert_int_equal(symbol->event.size, sizeof(*symbol) + 16 + 16);
	assert_int_equal(symbol->addr, 0xffffffffc0000000);
	assert_int_equal(symbol->len, 0x3000);
	assert_int_equal(symbol->flags, PERFDATA_KSYMBOL_UNREGISTER);
	assert_string_equal(symbol->name, "[module]");
	memcpy(&time, (const char *)symbol + symbol->event.size - 8, sizeof(time));
	assert_int_equal(time, 150);
	assert_int_equal(data_size(after), 72 + 8 + 16 + symbol->event.size + 8 + 32);
	assert_int_equal(annotate_to("perf.data", NULL), 0);
	assert_false(counts.changed);
}

/* For perf an MMAP of a process is one to be executed unless it says other. */
static void what_gets_room_is_mapped_as_before(void **state)
{
	const struct perfdata_mmap2 *mmap = (const void *)after;

	(void)state;
	make_begin(make);
	make_mmap_event(make, KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000, 0,
			"[kernel.kallsyms]_text");
	make_end(make);
	annotate_made();
	mmap = (const void *)(after + make->events);
	assert_int_equal(mmap->event.type, PERFDATA_MMAP2);
	assert_int_equal(mmap->prot, 0);

	reset(NULL);
	make_begin(make);
	make_mmap_event(make, USER, 10, 0x1000, 0x1000, 0, "/by-pid");
	make_mmap_event(make, USER | PERFDATA_MISC_DATA, 10, 0x3000, 0x1000, 0, "/by-pid");
	make_end(make);
	annotate_made();
	mmap = (const void *)(after + make->events);
	assert_int_equal(mmap->event.type, PERFDATA_MMAP2);
	assert_int_equal(mmap->prot, PROT_EXEC);
	mmap = (const void *)((const char *)mmap + mmap->event.size);
	assert_int_equal(mmap->event.type, PERFDATA_MMAP2);
	assert_int_equal(mmap->prot, 0);
}

/* Of every kind: identified, without an id, unknown, several contents, without a file. */
static void make_some_of_each(void)
{
	make_begin(make);
	make_mmap_event(make, KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000, 0,
			"[kernel.kallsyms]_text");
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_mmap2_event(make, 10, 0x3000, 0x1000, 0, 4, 200, "/a");
	make_mmap2_event(make, 10, 0x5000, 0x1000, 0, 1, 300, "/unknown");
	make_mmap_event(make, USER, 10, 0x7000, 0x1000, 300, "//anon");
	make_sample(make, USER, 10, 310, 0x5000);
	make_sample(make, USER, 10, 320, 0x5000);
	make_mmap2_event(make, 11, 0x1000, 0x1000, 0, 100, 300, "/without");
	make_mmap2_event(make, 11, 0x3000, 0x1000, 0, 4, 400, "/a");
	make_sample(make, USER, 10, 420, 0x5000);
	make_end(make);
	write_file("perf.data");
}

static void a_mapping_is_identified_once(void **state)
{
	(void)state;
	make_some_of_each();
	assert_int_equal(annotate_to("perf.data", "out"), 0);
	assert_int_equal(identified, 6);
	assert_int_equal(counts.annotated, 4);
	assert_int_equal(counts.named, 1);
}

/* Where it takes more memory than there is, it is looked up again, which gives the same. */
static void without_memory_a_mapping_is_identified_again(void **state)
{
	static unsigned char good[MAKE_ROOM];
	size_t good_size, fails, again = 0;

	(void)state;
	make_some_of_each();
	assert_int_equal(annotate_to("perf.data", "out"), 0);
	read_file("out");
	memcpy(good, after, after_size);
	good_size = after_size;
	/* The first is for what has the error; until none fails any more. */
	for (fails = 1; fails < 200; fails++) {
		int err;

		identified = 0;
		memory_fails = fails;
		err = annotate_to("perf.data", "out");
		memory_fails = SIZE_MAX;
		if (err)
			continue;
		read_file("out");
		assert_int_equal(after_size, good_size);
		assert_memory_equal(after, good, good_size);
		again += identified > 6;
	}
	assert_int_equal(again, 1);
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_id_takes_the_place_of_the_inode),
		TEST(a_path_with_one_that_is_not_known_is_left_alone),
		TEST(nothing_known_leaves_the_file_as_it_is),
		TEST(some_contents_without_a_build_id),
		TEST(a_build_id_of_several_modules_is_not_believed),
		TEST(zeros_are_no_build_id),
		TEST(nor_is_one_of_the_table),
		TEST(the_kernel_may_be_in_the_table_by_its_path),
		TEST(further_contents_of_a_path_get_names),
		TEST(ids_that_begin_alike_get_names_that_differ),
		TEST(names_of_several_directories_differ),
		TEST(a_file_that_is_called_so_keeps_its_name),
		TEST(in_events_of_every_format),
		TEST(to_annotate_twice_changes_nothing),
		TEST(without_names_the_table_is_left_out),
		TEST(aux_data_forbids_names),
		TEST(an_event_without_room_for_a_name_is_missing),
		TEST(what_is_not_known_beside_contents_that_are),
		TEST(a_name_that_is_there_by_itself_stays),
		TEST(ids_that_perf_has_recorded_make_a_table),
		TEST(files_mapped_for_their_data_alone_are_not_reported),
		TEST(of_every_shape),
		TEST(short_ids_are_as_long_as_they_are),
		TEST(the_kernel_gets_room),
		TEST(what_gets_room_is_mapped_as_before),
		TEST(the_table_has_what_is_known),
		TEST(a_vdso_has_its_id_from_the_table),
		TEST(aux_data_stays_where_it_is),
		TEST(aux_data_forbids_compressed_nothing),
		TEST(a_feature_event_of_a_file_stays),
		TEST(no_attrs_have_no_place),
		TEST(compressed_events_come_out_plain),
		TEST(build_ids_of_a_stream_are_silenced),
		TEST(modules_go_before_what_came_after_them),
		TEST(modules_that_go_are_unmapped),
		TEST(a_mapping_is_identified_once),
		TEST(without_memory_a_mapping_is_identified_again),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
