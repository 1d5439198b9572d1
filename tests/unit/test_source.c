// SPDX-License-Identifier: GPL-2.0
/* Source: what the netlink stream needs beside what the kernel sends. */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "netlink.h"
#include "streams.h"

/* Sockets by what they are for; struct netlink is never looked into. */
#define EVENTS	((struct netlink *)1)
#define DUMP	((struct netlink *)2)

/* What the kernel sends: FILE by file_id, others by seq; or an errno. */
struct step {
	struct netlink *from;
	int error;
	uint16_t type;
	uint64_t seq;
	uint64_t lost;
};

static const struct step *script;
static int sockets, dumps, joins, opened_before_join;
static int join_error;

static int fake_netlink_open(struct netlink **netlink)
{
	*netlink = sockets++ ? DUMP : EVENTS;
	return 0;
}

static void fake_netlink_close(struct netlink *netlink)
{
	(void)netlink;
}

static int fake_netlink_fd(const struct netlink *netlink)
{
	return netlink == EVENTS ? 100 : 200;
}

static int fake_netlink_dump(struct netlink *netlink)
{
	assert_ptr_equal(netlink, DUMP);
	dumps++;
	return 0;
}

static int fake_netlink_join(struct netlink *netlink)
{
	assert_ptr_equal(netlink, EVENTS);
	opened_before_join = dumps;
	joins++;
	return join_error;
}

static int fake_netlink_next(struct netlink *netlink,
			     const struct buildid_record **record)
{
	static union any_record any[2];
	union any_record *next = &any[netlink == DUMP];

	/* Each socket has what the script has for it next. */
	assert_ptr_equal(script->from, netlink);
	if (script->error)
		return script++->error;
	if (script->type == BUILDID_RECORD_FILE)
		make_file(next, script->seq, 20, 0, "/f");
	else if (script->type == BUILDID_RECORD_LOST)
		make_lost(next, script->lost);
	else
		make_mmap(next, 1, 0, 1, "");
	next->header.seq = script->seq;
	script++;
	*record = &next->header;
	return 0;
}

#define netlink_open(...) fake_netlink_open(__VA_ARGS__)
#define netlink_close(...) fake_netlink_close(__VA_ARGS__)
#define netlink_fd(...) fake_netlink_fd(__VA_ARGS__)
#define netlink_dump(...) fake_netlink_dump(__VA_ARGS__)
#define netlink_join(...) fake_netlink_join(__VA_ARGS__)
#define netlink_next(...) fake_netlink_next(__VA_ARGS__)
#include "../../tool/source.c"

static struct output out;

static struct source *start(const struct step *steps)
{
	struct source *source;

	sockets = dumps = joins = join_error = 0;
	script = steps;
	out_init(&out, stdout, false);
	source = source_netlink(&out);
	assert_non_null(source);
	assert_int_equal(joins, 1);
	assert_int_equal(dumps, 1);
	assert_int_equal(opened_before_join, 0);
	assert_int_equal(source_fd(source), 100);
	return source;
}

static void assert_record(struct source *source, uint16_t type, uint64_t seq,
			  uint64_t lost)
{
	const struct buildid_record *record;

	assert_int_equal(source_next(source, &record), SOURCE_RECORD);
	assert_int_equal(record->type, type);
	assert_int_equal(record->seq, seq);
	assert_int_equal(buildid_record_check(record, record->size), 0);
	if (type == BUILDID_RECORD_LOST)
		assert_int_equal(((const struct buildid_lost *)record)->ring_full, lost);
}

static void assert_none(struct source *source)
{
	const struct buildid_record *record;

	assert_int_equal(source_next(source, &record), SOURCE_NONE);
}

#define FILE_	BUILDID_RECORD_FILE
#define MMAP	BUILDID_RECORD_MMAP
#define LOST	BUILDID_RECORD_LOST

static void the_dump_comes_first(void **state)
{
	static const struct step steps[] = {
		{ .from = DUMP, .type = FILE_, .seq = 0 },
		{ .from = DUMP, .type = FILE_, .seq = 0 },
		{ .from = DUMP, .error = -ENODATA },
		{ .from = EVENTS, .type = MMAP, .seq = 500 },
		{ .from = EVENTS, .error = -EAGAIN },
	};
	struct source *source = start(steps);

	(void)state;
	assert_record(source, FILE_, 0, 0);
	assert_record(source, FILE_, 0, 0);
	/* Where the stream was before is nobody's loss. */
	assert_record(source, MMAP, 500, 0);
	assert_none(source);
	source_close(source);
}

static void a_hole_is_a_loss(void **state)
{
	static const struct step steps[] = {
		{ .from = DUMP, .error = -ENODATA },
		{ .from = EVENTS, .type = MMAP, .seq = 5 },
		{ .from = EVENTS, .type = MMAP, .seq = 6 },
		{ .from = EVENTS, .type = MMAP, .seq = 10 },
		{ .from = EVENTS, .type = MMAP, .seq = 11 },
	};
	struct source *source = start(steps);

	(void)state;
	assert_record(source, MMAP, 5, 0);
	assert_record(source, MMAP, 6, 0);
	assert_record(source, LOST, 9, 3);
	assert_record(source, MMAP, 10, 0);
	assert_record(source, MMAP, 11, 0);
	source_close(source);
}

static void a_loss_that_was_told_is_not_told_twice(void **state)
{
	static const struct step steps[] = {
		{ .from = DUMP, .error = -ENODATA },
		{ .from = EVENTS, .type = MMAP, .seq = 5 },
		{ .from = EVENTS, .type = LOST, .seq = 9, .lost = 3 },
		{ .from = EVENTS, .type = MMAP, .seq = 10 },
		/* Two of these five are lost on top of what is told. */
		{ .from = EVENTS, .type = LOST, .seq = 16, .lost = 3 },
		/* More told than there is room for. */
		{ .from = EVENTS, .type = LOST, .seq = 18, .lost = 9 },
	};
	struct source *source = start(steps);

	(void)state;
	assert_record(source, MMAP, 5, 0);
	assert_record(source, LOST, 9, 3);
	assert_record(source, MMAP, 10, 0);
	assert_record(source, LOST, 15, 2);
	assert_record(source, LOST, 16, 3);
	assert_record(source, LOST, 18, 9);
	source_close(source);
}

static void an_overrun_leads_to_another_dump(void **state)
{
	static const struct step steps[] = {
		{ .from = DUMP, .error = -ENODATA },
		{ .from = EVENTS, .type = MMAP, .seq = 5 },
		{ .from = EVENTS, .error = -ENOBUFS },
		{ .from = DUMP, .type = FILE_, .seq = 0 },
		{ .from = DUMP, .error = -ENODATA },
		{ .from = EVENTS, .type = MMAP, .seq = 7 },
	};
	struct source *source = start(steps);

	(void)state;
	assert_record(source, MMAP, 5, 0);
	assert_record(source, FILE_, 0, 0);
	assert_int_equal(dumps, 2);
	assert_record(source, LOST, 6, 1);
	assert_record(source, MMAP, 7, 0);
	source_close(source);
}

static void a_stream_that_starts_anew_is_no_loss(void **state)
{
	static const struct step steps[] = {
		{ .from = DUMP, .error = -ENODATA },
		{ .from = EVENTS, .type = MMAP, .seq = 500 },
		{ .from = EVENTS, .type = MMAP, .seq = 1 },
		{ .from = EVENTS, .type = MMAP, .seq = 2 },
	};
	struct source *source = start(steps);

	(void)state;
	assert_record(source, MMAP, 500, 0);
	assert_record(source, MMAP, 1, 0);
	assert_record(source, MMAP, 2, 0);
	source_close(source);
}

static void other_errors_are_failures(void **state)
{
	static const struct step steps[] = {
		{ .from = DUMP, .error = -EPERM },
	};
	struct source *source = start(steps);
	const struct buildid_record *record;

	(void)state;
	assert_int_equal(source_next(source, &record), SOURCE_FAILED);
	source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_dump_comes_first),
		cmocka_unit_test(a_hole_is_a_loss),
		cmocka_unit_test(a_loss_that_was_told_is_not_told_twice),
		cmocka_unit_test(an_overrun_leads_to_another_dump),
		cmocka_unit_test(a_stream_that_starts_anew_is_no_loss),
		cmocka_unit_test(other_errors_are_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
