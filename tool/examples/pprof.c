// SPDX-License-Identifier: GPL-2.0
/*
 * pprof: https://github.com/google/pprof/blob/main/proto/profile.proto
 *
 * A message is a sequence of fields. A field is a tag and a number, or a tag, a length
 * and that many bytes. A message within a message is such bytes.
 */

#include <string.h>

#include "pprof.h"

enum wire {
	NUMBER = 0,
	BYTES = 2
};

/* Numbers of the fields in each message. */
enum profile {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
};

enum value_type {
	TYPE_TYPE = 1,
	TYPE_UNIT = 2
};
enum sample {
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2
};
enum location {
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3
};
enum mapping {
	MAPPING_ID = 1,
	MAPPING_START = 2,
	MAPPING_LIMIT = 3,
	MAPPING_OFFSET = 4,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
};

/* The string table begins with these; the first has to be empty. */
static const char *const words[] = { "", "samples", "count", "cpu", "nanoseconds" };

enum word {
	NONE,
	SAMPLES,
	COUNT,
	CPU,
	NANOSECONDS,
	NR_WORDS
};

/* A small message, built in memory because its length is written before it. */
struct message {
	unsigned char bytes[256];
	size_t size;
};

static void put_varint(struct message *message, uint64_t value)
{
	do {
		message->bytes[message->size++] =
			(unsigned char)((value & 0x7f) | (value > 0x7f) << 7);
		value >>= 7;
	} while (value);
}

static void put_number(struct message *message, int field, uint64_t value)
{
	put_varint(message, (uint64_t)field << 3 | NUMBER);
	put_varint(message, value);
}

static void write_bytes(FILE *file, int field, const void *bytes, size_t size)
{
	struct message head = { .size = 0 };

	put_varint(&head, (uint64_t)field << 3 | BYTES);
	put_varint(&head, size);
	fwrite(head.bytes, head.size, 1, file);
	fwrite(bytes, size, 1, file);
}

static void write_message(FILE *file, int field, const struct message *message)
{
	write_bytes(file, field, message->bytes, message->size);
}

static void write_number(FILE *file, int field, uint64_t value)
{
	struct message message = { .size = 0 };

	put_number(&message, field, value);
	fwrite(message.bytes, message.size, 1, file);
}

static void write_type(FILE *file, int field, enum word type, enum word unit)
{
	struct message message = { .size = 0 };

	put_number(&message, TYPE_TYPE, type);
	put_number(&message, TYPE_UNIT, unit);
	write_message(file, field, &message);
}

/* Path and build-id of mapping n are strings NR_WORDS + 2n and the next. */
static void write_mapping(FILE *file, const struct pprof_mapping *mapping, size_t n)
{
	struct message message = { .size = 0 };

	put_number(&message, MAPPING_ID, n + 1);
	put_number(&message, MAPPING_START, mapping->start);
	put_number(&message, MAPPING_LIMIT, mapping->end);
	put_number(&message, MAPPING_OFFSET, mapping->start);
	put_number(&message, MAPPING_FILE, NR_WORDS + 2 * n);
	put_number(&message, MAPPING_BUILD_ID, NR_WORDS + 2 * n + 1);
	write_message(file, PROFILE_MAPPING, &message);
}

static void write_sample(FILE *file, const struct pprof *pprof, size_t n)
{
	const struct pprof_sample *sample = &pprof->samples[n];
	struct message location = { .size = 0 };
	struct message message = { .size = 0 };

	put_number(&location, LOCATION_ID, n + 1);
	put_number(&location, LOCATION_MAPPING, sample->mapping + 1);
	put_number(&location, LOCATION_ADDRESS, sample->address);
	write_message(file, PROFILE_LOCATION, &location);

	put_number(&message, SAMPLE_LOCATION, n + 1);
	put_number(&message, SAMPLE_VALUE, sample->count);
	put_number(&message, SAMPLE_VALUE, sample->count * pprof->period_ns);
	write_message(file, PROFILE_SAMPLE, &message);
}

static void write_string(FILE *file, const char *text)
{
	write_bytes(file, PROFILE_STRING, text, strlen(text));
}

int pprof_write(const struct pprof *pprof, FILE *file)
{
	size_t i;

	write_type(file, PROFILE_SAMPLE_TYPE, SAMPLES, COUNT);
	write_type(file, PROFILE_SAMPLE_TYPE, CPU, NANOSECONDS);
	for (i = 0; i < pprof->nr_mappings; i++)
		write_mapping(file, &pprof->mappings[i], i);
	for (i = 0; i < pprof->nr_samples; i++)
		write_sample(file, pprof, i);
	for (i = 0; i < NR_WORDS; i++)
		write_string(file, words[i]);
	for (i = 0; i < pprof->nr_mappings; i++) {
		write_string(file, pprof->mappings[i].path);
		write_string(file, pprof->mappings[i].build_id);
	}
	write_type(file, PROFILE_PERIOD_TYPE, CPU, NANOSECONDS);
	write_number(file, PROFILE_PERIOD, pprof->period_ns);
	write_number(file, PROFILE_TIME, pprof->start_ns);
	write_number(file, PROFILE_DURATION, pprof->duration_ns);
	return fflush(file) || ferror(file) ? -1 : 0;
}
