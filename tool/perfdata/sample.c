// SPDX-License-Identifier: GPL-2.0
/* perf.data: a SAMPLE. Its fields are words, in an order that the attr does not change. */

#include "sample.h"

struct cursor {
	const uint64_t *words;
	size_t count;
};

static uint64_t next_word(struct cursor *cursor)
{
	if (!cursor->count)
		return 0;
	cursor->count--;
	return *cursor->words++;
}

static void skip_words(struct cursor *cursor, uint64_t count)
{
	if (count > cursor->count)
		count = cursor->count;
	cursor->words += count;
	cursor->count -= (size_t)count;
}

static void skip_read(struct cursor *cursor, uint64_t format)
{
	uint64_t times = !!(format & PERFDATA_READ_ENABLED) + !!(format & PERFDATA_READ_RUNNING);
	uint64_t each = 1 + !!(format & PERFDATA_READ_ID) + !!(format & PERFDATA_READ_LOST);
	uint64_t values = 1;

	if (format & PERFDATA_READ_GROUP)
		values = next_word(cursor);
	skip_words(cursor, times);
	/* No product that overflows. */
	skip_words(cursor, values > cursor->count ? cursor->count : values * each);
}

uint16_t perfdata_context_mode(uint64_t context)
{
	switch (context) {
	case PERFDATA_CONTEXT_KERNEL:
		return PERFDATA_MISC_KERNEL;
	case PERFDATA_CONTEXT_USER:
		return PERFDATA_MISC_USER;
	default:
		return 0;
	}
}

static void read_chain(struct cursor *cursor, struct perfdata_sample *sample)
{
	uint64_t count = next_word(cursor);

	if (count > cursor->count)
		count = cursor->count;
	sample->chain = cursor->words;
	sample->nr_chain = (size_t)count;
}

bool perfdata_sample(struct perfdata *data, const struct perfdata_event *event,
		     struct perfdata_sample *sample)
{
	const struct perfdata_sample_format *format = perfdata_sample_format(data, event);
	struct cursor cursor = {
		.words = (const uint64_t *)(event + 1),
		.count = (event->size - sizeof(*event)) / 8,
	};
	const uint64_t one_word = PERFDATA_SAMPLE_ADDR | PERFDATA_SAMPLE_ID |
				  PERFDATA_SAMPLE_STREAM_ID | PERFDATA_SAMPLE_CPU;
	uint64_t type, task;

	if (!format)
		return false;
	type = format->sample_type;
	if (!(type & PERFDATA_SAMPLE_IP) || !(type & PERFDATA_SAMPLE_TID))
		return false;
	*sample = (struct perfdata_sample){
		.cpumode = event->misc & PERFDATA_MISC_CPUMODE,
		.has_stack = type & (PERFDATA_SAMPLE_STACK_USER | PERFDATA_SAMPLE_BRANCH_STACK),
	};
	skip_words(&cursor, !!(type & PERFDATA_SAMPLE_IDENTIFIER));
	sample->ip = next_word(&cursor);
	task = next_word(&cursor);
	sample->pid = (uint32_t)task;
	sample->tid = (uint32_t)(task >> 32);
	/* Without times all are 0, and the last mapping counts. */
	if (type & PERFDATA_SAMPLE_TIME)
		sample->time = next_word(&cursor);
	skip_words(&cursor, (uint64_t)__builtin_popcountll(type & one_word));
	if (type & PERFDATA_SAMPLE_PERIOD)
		sample->period = next_word(&cursor);
	if (type & PERFDATA_SAMPLE_READ)
		skip_read(&cursor, format->read_format);
	if (type & PERFDATA_SAMPLE_CALLCHAIN)
		read_chain(&cursor, sample);
	return true;
}
