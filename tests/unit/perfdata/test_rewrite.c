// SPDX-License-Identifier: GPL-2.0
/* perf.data, rewritten: what is to change does, and nothing else. */

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "rewritten.h"

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
	assert_int_equal(after_size, make->size);
	assert_memory_equal(after, expected, after_size);
}

static void a_path_with_one_that_is_not_known_is_left_alone(void **state)
{
	struct stat before, now;

	(void)state;
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_mmap2_event(make, 11, 0x1000, 0x1000, 0, 3, 100, "/a");
	make_mmap2_event(make, 12, 0x1000, 0x1000, 0, 4, 100, "/a");
	make_end(make);
	write_file("perf.data");
	assert_int_equal(stat("perf.data", &before), 0);
	assert_int_equal(annotate_to("perf.data", NULL), 0);
	assert_int_equal(counts.annotated, 0);
	assert_int_equal(counts.not_annotated, 3);
	assert_int_equal(counts.paths, 1);
	assert_string_equal(reported, "/a: nobody knows");
	read_file("perf.data");
	assert_int_equal(after_size, make->size);
	assert_memory_equal(after, make->bytes, after_size);
	assert_int_equal(stat("perf.data", &now), 0);

	/* The same beside one that is annotated. */
	reset(NULL);
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_mmap2_event(make, 11, 0x1000, 0x1000, 0, 3, 100, "/a");
	make_mmap2_event(make, 12, 0x1000, 0x1000, 0, 4, 100, "/b");
	make_end(make);
	annotate_made();
	assert_int_equal(counts.annotated, 1);
	assert_int_equal(counts.not_annotated, 2);
	assert_memory_equal(after + make->events, make->bytes + make->events, 2 * (72 + 8 + 16));
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

	/* Of one path they would be mixed up. */
	reset(NULL);
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 100, 100, "/mixed");
	make_mmap2_event(make, 10, 0x3000, 0x1000, 0, 2, 100, "/mixed");
	make_end(make);
	annotate_made();
	assert_int_equal(counts.paths, 1);
	assert_int_equal(read_mappings("perf.data", mappings), 2);
	assert_id(&mappings[1], 0, 0);
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
		assert_int_equal(after_size, make->size + PERFDATA_MMAP_GROWS);
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
	assert_int_equal(after_size, make->size + 64);
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

static const struct perfdata_header *header_after(void)
{
	return (const void *)after;
}

static bool has_after(unsigned int feature)
{
	return header_after()->features[0] >> feature & 1;
}

static void the_table_keeps_what_no_mapping_says(void **state)
{
	(void)state;
	make_entry(make, USER, 0x20, "/a");
	make_entry(make, KERNEL, 0x30, "[kernel.kallsyms]");
	make_begin(make);
	make_mmap_event(make, KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000, 0,
			"[kernel.kallsyms]_text");
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_end(make);
	annotate_made();
	assert_false(has_after(PERFDATA_FEATURE_BUILD_ID));

	/* What is not known stays as perf had it. */
	reset(NULL);
	make_entry(make, USER, 0x20, "/a");
	make_entry(make, USER, 0x30, "/unknown");
	make_begin(make);
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 2, 100, "/a");
	make_mmap2_event(make, 10, 0x1000, 0x1000, 0, 3, 100, "/unknown");
	make_end(make);
	annotate_made();
	assert_true(has_after(PERFDATA_FEATURE_BUILD_ID));
	assert_null(memmem(after + make->events + header_after()->data.size, 200, "/a", 3));
	assert_non_null(
		memmem(after + make->events + header_after()->data.size, 200, "/unknown", 9));
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
	assert_int_equal(header_after()->data.size,
			 ((struct perfdata_header *)(void *)make->bytes)->data.size);
	assert_memory_equal(after + make->events + header_after()->data.size - sizeof(bytes), bytes,
			    sizeof(bytes));
	assert_int_equal(read_mappings("perf.data", mappings), 2);
	assert_id(&mappings[0], 0, 0);
	assert_id(&mappings[1], 20, 2);
	/* There is room for the kernel's in the table. */
	assert_true(has_after(PERFDATA_FEATURE_BUILD_ID));
	assert_non_null(memmem(after + make->events + header_after()->data.size, 200,
			       "[kernel.kallsyms]", 18));
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
	assert_int_equal(header_after()->data.size, plain);
	assert_false(has_after(PERFDATA_FEATURE_COMPRESSED));
	assert_int_equal(read_mappings("perf.data", mappings), 10);
	for (i = 0; i < 10; i++) {
		assert_int_equal(mappings[i].pid, 10 + i);
		assert_id(&mappings[i], 20, 2);
	}
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
	assert_int_equal(header_after()->data.size, 72 + 8 + 16 + symbol->event.size + 8 + 32);
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

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_id_takes_the_place_of_the_inode),
		TEST(a_path_with_one_that_is_not_known_is_left_alone),
		TEST(some_contents_without_a_build_id),
		TEST(of_every_shape),
		TEST(short_ids_are_as_long_as_they_are),
		TEST(the_kernel_gets_room),
		TEST(what_gets_room_is_mapped_as_before),
		TEST(the_table_keeps_what_no_mapping_says),
		TEST(a_vdso_has_its_id_from_the_table),
		TEST(aux_data_stays_where_it_is),
		TEST(compressed_events_come_out_plain),
		TEST(build_ids_of_a_stream_are_silenced),
		TEST(modules_go_before_what_came_after_them),
		TEST(modules_that_go_are_unmapped),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
