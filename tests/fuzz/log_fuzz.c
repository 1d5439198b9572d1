// SPDX-License-Identifier: GPL-2.0
/*
 * A log of any content: read, printed as mon does, asked for the content of each mapping in it,
 * and written again.
 */

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/print.h"
#include "commands/waiting.h"
#include "fuzz.h"
#include "identities/identities.h"
#include "identities/log.h"

struct reading {
	struct waiting *waiting;
	struct identities *identities;
	struct output out;
	char *text; /* of out.file */
	size_t text_size;
	struct log_reader *copy; /* written by this process, of the same records */
	uint64_t now;
};

/* One object per line, or a line of text. */
static void print(struct reading *reading, const struct buildid_event *event)
{
	struct print_view view = { .real = 1 };
	struct json_object *object;

	reading->out.json = !reading->out.json;
	rewind(reading->out.file);
	print_event(&reading->out, event, &view);
	fflush(reading->out.file);
	if (!reading->text_size)
		return;
	reading->text[reading->text_size] = '\0';
	if (memchr(reading->text, '\n', reading->text_size) !=
	    reading->text + reading->text_size - 1)
		fuzz_die("no line: %.*s", (int)reading->text_size, reading->text);
	if (!reading->out.json)
		return;
	object = json_tokener_parse(reading->text);
	if (!object)
		fuzz_die("no JSON: %.*s", (int)reading->text_size, reading->text);
	json_object_put(object);
}

static void find(const struct reading *reading, const struct buildid_mmap *mmap)
{
	const struct perfdata_mapping mapping = {
		.kind = PERFDATA_KIND_USER,
		.path = "/usr/lib/library.so",
		.pid = mmap->pid,
		.tid = mmap->tid,
		.start = mmap->addr,
		.len = mmap->len,
		.pgoff = mmap->pgoff,
		.time = mmap->header.time_perf,
	};
	struct perfdata_identity identity = {};
	bool missing;

	identities_find(reading->identities, &mapping, &identity);
	if (identity.id.size > PERFDATA_ID_MAX ||
	    !(identity.id.size || identity.known || identity.reason))
		fuzz_die("an identity of %zu bytes", identity.id.size);
	identities_has(reading->identities, &mapping, &missing);
}

/* Without a byte to spare, so that the sanitizer sees every step aside. */
static struct buildid_record *copy_record(const struct buildid_record *record)
{
	struct buildid_record *copy = malloc(record->size);

	if (!copy)
		abort();
	memcpy(copy, record, record->size);
	return copy;
}

static void add(struct reading *reading, const struct buildid_record *record)
{
	const struct buildid_event *event;
	const struct buildid_record *again;

	if (waiting_push(reading->waiting, record) || identities_add(reading->identities, record))
		fuzz_die("a record is refused that the reader has checked");
	reading->now = record->time_mono;
	while ((event = waiting_next(reading->waiting, reading->now)))
		print(reading, event);
	if (reading->copy &&
	    (log_next(reading->copy, &again) <= 0 || memcmp(record, again, record->size) != 0))
		fuzz_die("written again, it is another record");
}

static void read_all(struct reading *reading, struct log_reader *log)
{
	const struct buildid_record *record;

	while (log_next(log, &record) > 0) {
		struct buildid_record *copy = copy_record(record);

		add(reading, copy);
		free(copy);
	}
	if (reading->copy && log_next(reading->copy, &record))
		fuzz_die("written again: %s", log_error(reading->copy));
}

static void ask(struct reading *reading, struct log_reader *log)
{
	const struct perfdata_module_event *events;
	const struct buildid_record *record;
	size_t count;

	identities_wall_clock(reading->identities, log_header(log)->time_mono,
			      log_header(log)->time_real);
	while (log_next(log, &record) > 0)
		;
	if (identities_ended(reading->identities, log_ended(log)) ||
	    identities_ready(reading->identities, log_header(log)->time_mono))
		abort();
	count = identities_module_events(reading->identities, &events);
	while (count--)
		if (events[count].id.size > PERFDATA_ID_MAX || !events[count].path)
			fuzz_die("a module event");
}

static void ask_each(struct reading *reading, struct log_reader *log)
{
	const struct buildid_record *record;

	while (log_next(log, &record) > 0)
		if (record->type == BUILDID_RECORD_MMAP)
			find(reading, (const void *)record);
}

/* What can be read is written again. */
static struct log_reader *copy_of(struct log_reader *log)
{
	const char *path = fuzz_name("log");
	const struct buildid_record *record;
	struct log_writer *writer;
	struct reason reason;

	writer = log_create(path, true, &reason);
	if (!writer)
		fuzz_die("%s: %s", path, reason.text);
	log_set_source(writer, log_source(log));
	while (log_next(log, &record) > 0)
		if (log_write(writer, record))
			fuzz_die("a record that was read cannot be written");
	fuzz_count(log_error(log) ? "damaged" : "complete");
	if (log_finish(writer))
		fuzz_die("a log that was read cannot be written");
	return log_open(path);
}

/* @step with a new reader. */
static void with_log(const char *path, struct reading *reading,
		     void (*step)(struct reading *reading, struct log_reader *log))
{
	struct log_reader *log = log_open(path);

	step(reading, log);
	log_close(log);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *path = fuzz_path(0, bytes, size);
	const struct buildid_event *event;
	struct reading reading = {};
	struct log_reader *log = log_open(path);

	if (log_error(log)) {
		fuzz_count("no log");
		log_close(log);
		return 0;
	}
	reading.copy = copy_of(log);
	reading.identities = identities_new(PERFDATA_CLOCK_PERF);
	if (reading.identities && log_source(log) == LOG_SOURCE_PERF)
		identities_of_perf(reading.identities);
	log_close(log);
	out_init(&reading.out, open_memstream(&reading.text, &reading.text_size), false);
	reading.waiting = waiting_new(0);
	if (!reading.identities || !reading.waiting)
		abort();
	with_log(path, &reading, read_all);
	while ((event = waiting_next(reading.waiting, WAITING_END)))
		print(&reading, event);
	with_log(path, &reading, ask);
	with_log(path, &reading, ask_each);

	fclose(reading.out.file);
	free(reading.text);
	waiting_free(reading.waiting);
	identities_free(reading.identities);
	log_close(reading.copy);
	unlink(fuzz_name("log"));
	return 0;
}
