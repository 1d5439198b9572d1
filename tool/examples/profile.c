// SPDX-License-Identifier: GPL-2.0
/*
 * A profiler: where CPU time goes, by the content of files. Samples come from
 * perf_event_open(2), mappings from libbuildid. Both use the same clock, and at the
 * end they are sorted and replayed: a sample belongs to what was mapped at its address
 * at that time, whatever is at that path now.
 */

#include <errno.h>
#include <inttypes.h>
#include <libbuildid.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "address_spaces.h"
#include "pprof.h"
#include "sampler.h"

static const char usage[] =
	"usage: profile [-F FREQUENCY] [-o PROFILE] COMMAND [ARGUMENT]...\n"
	"       profile [-F FREQUENCY] [-o PROFILE] -a SECONDS\n"
	"\n"
	"Samples COMMAND and what it starts, or everything for some seconds. Prints the\n"
	"number of samples, the build-id, the offset in the file, and its path. PROFILE\n"
	"is for pprof.\n";

#define PERIOD_MS   50
#define FREQUENCY   997
#define KERNEL_PATH "[kernel.kallsyms]"

/* From either source, until all are sorted. */
struct event {
	enum {
		MAPPED,
		FORKED,
		EXECED,
		SAMPLED
	} type;
	bool snapshot; /* comes before all that is not */
	uint64_t time;
	uint32_t pid;
	uint32_t parent;  /* of a fork */
	uint64_t address; /* of a sample; else: */
	struct range range;
};

struct profile {
	struct event *events;
	size_t nr_events, room;
	struct pprof_mapping *mappings;
	uint64_t *file_ids; /* of these, or 0 */
	size_t nr_mappings, mappings_room, file_ids_room;
	struct pprof_sample *samples;
	size_t nr_samples;

	uint64_t lost_samples, lost_mappings, unresolved;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "profile: %s: %s\n", what, why);
	exit(1);
}

/* Make @array, of @room elements of @size bytes, hold more than @count. */
static void *grow(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = *room ? 2 * *room : 1024;
	array = reallocarray(array, *room, size);
	if (!array)
		die("memory", strerror(ENOMEM));
	return array;
}

static struct event *new_event(struct profile *profile)
{
	profile->events =
		grow(profile->events, profile->nr_events, &profile->room, sizeof(*profile->events));
	return &profile->events[profile->nr_events++];
}

/* ------------------------------------------------------------- mappings -- */

static const char *to_hex(const uint8_t *bytes, size_t size)
{
	static char hex[2 * BUILDID_ID_MAX + 1];
	size_t i;

	for (i = 0; i < size; i++)
		sprintf(hex + 2 * i, "%02x", bytes[i]);
	hex[2 * size] = '\0';
	return hex;
}

static const char *copy(const char *text)
{
	char *new = strdup(text);

	if (!new)
		die("memory", strerror(ENOMEM));
	return new;
}

static size_t new_mapping(struct profile *profile, uint64_t file_id, uint64_t start, uint64_t end,
			  const char *path, const char *id)
{
	profile->file_ids = grow(profile->file_ids, profile->nr_mappings, &profile->file_ids_room,
				 sizeof(*profile->file_ids));
	profile->file_ids[profile->nr_mappings] = file_id;
	profile->mappings = grow(profile->mappings, profile->nr_mappings, &profile->mappings_room,
				 sizeof(*profile->mappings));
	profile->mappings[profile->nr_mappings] = (struct pprof_mapping){
		.start = start,
		.end = end,
		.path = copy(path),
		.build_id = copy(id),
	};
	return profile->nr_mappings++;
}

/* The index of the mapping with this part of a content other than a file. */
static size_t mapping_of(struct profile *profile, uint64_t start, uint64_t end, const char *path,
			 const char *id)
{
	struct pprof_mapping *mapping;
	size_t i;

	for (i = profile->nr_mappings; i--;) {
		mapping = &profile->mappings[i];
		if (mapping->start == start && mapping->end == end && !profile->file_ids[i] &&
		    !strcmp(mapping->build_id, id) && !strcmp(mapping->path, path))
			return i;
	}
	return new_mapping(profile, 0, start, end, path, id);
}

/* The same for a file, whose path and identity may come later. */
static size_t mapping_of_file(struct profile *profile, uint64_t file_id, uint64_t start,
			      uint64_t end)
{
	size_t i;

	if (!file_id)
		return mapping_of(profile, start, end, "", "");
	for (i = profile->nr_mappings; i--;)
		if (profile->file_ids[i] == file_id && profile->mappings[i].start == start &&
		    profile->mappings[i].end == end)
			return i;
	return new_mapping(profile, file_id, start, end, "", "");
}

static void describe(struct pprof_mapping *mapping, const struct buildid_file *file)
{
	const uint8_t *bytes;
	size_t size;

	if (*mapping->path || *mapping->build_id)
		return;
	bytes = buildid_file_id_bytes(file, &size);
	mapping->path = copy(buildid_file_path(file));
	mapping->build_id = copy(to_hex(bytes, size));
}

static void add_file(struct profile *profile, const struct buildid_file *file)
{
	size_t i;

	if (!file->file_id)
		return;
	for (i = 0; i < profile->nr_mappings; i++)
		if (profile->file_ids[i] == file->file_id)
			describe(&profile->mappings[i], file);
}

static void add_range(struct profile *profile, const struct buildid_record *record, uint32_t pid,
		      uint64_t addr, uint64_t len, size_t mapping)
{
	*new_event(profile) = (struct event){
		.type = MAPPED,
		.snapshot = record->flags & BUILDID_RECORD_SNAPSHOT,
		.time = record->time_mono,
		.pid = pid,
		.range = { addr, addr + len, mapping },
	};
}

static void add_mmap(struct profile *profile, const struct buildid_event *event)
{
	const struct buildid_mmap *mmap = (const void *)event->record;
	size_t mapping =
		mapping_of_file(profile, mmap->file_id, mmap->pgoff, mmap->pgoff + mmap->len);

	if (event->file)
		describe(&profile->mappings[mapping], event->file);
	add_range(profile, event->record, mmap->pid, mmap->addr, mmap->len, mapping);
}

/* The kernel is no file that is mapped: offsets are those in its code. */
static void add_image(struct profile *profile, const struct buildid_image *image)
{
	const char *path = image->header.type == BUILDID_RECORD_KERNEL ? KERNEL_PATH :
									 buildid_image_name(image);
	const uint8_t *bytes;
	size_t size;

	bytes = buildid_image_id_bytes(image, &size);
	if (image->addr && !(image->flags & BUILDID_IMAGE_UNLOAD))
		add_range(profile, &image->header, ADDRESS_SPACE_KERNEL, image->addr, image->len,
			  mapping_of(profile, 0, image->len, path, to_hex(bytes, size)));
}

static void add_cookie(struct profile *profile, const struct buildid_cookie *cookie)
{
	const uint8_t *bytes;
	size_t size;

	bytes = buildid_cookie_id_bytes(cookie, &size);
	add_range(profile, &cookie->header, cookie->pid, cookie->addr, cookie->len,
		  mapping_of(profile, 0, cookie->len, "[cookie]", to_hex(bytes, size)));
}

static void add_record(struct profile *profile, const struct buildid_event *event)
{
	const void *record = event->record;

	switch (event->record->type) {
	case BUILDID_RECORD_FILE:
		add_file(profile, record);
		break;
	case BUILDID_RECORD_MMAP:
		if (!(event->flags & BUILDID_EVENT_DUPLICATE))
			add_mmap(profile, event);
		break;
	case BUILDID_RECORD_KERNEL:
	case BUILDID_RECORD_MODULE:
		add_image(profile, record);
		break;
	case BUILDID_RECORD_COOKIE:
		add_cookie(profile, record);
		break;
	case BUILDID_RECORD_LOST:
		profile->lost_mappings += ((const struct buildid_lost *)record)->ring_full_mmaps +
					  ((const struct buildid_lost *)record)->missed_probe;
		break;
	}
}

/* Read all mappings there are. Return: why there are no more for now. */
static int read_mappings(struct profile *profile, struct buildid_recorder *recorder, int timeout_ms)
{
	const struct buildid_event *event;
	int err;

	while (!(err = buildid_recorder_next(recorder, timeout_ms, &event)))
		add_record(profile, event);
	if (err != -EAGAIN && err != -EINTR && err != -ENODATA)
		die(BUILDID_DEVICE, buildid_strerror(err));
	return err;
}

/* -------------------------------------------------------------- samples -- */

static void add_sample(const struct sampler_event *event, void *data)
{
	static const int types[] = {
		[SAMPLER_SAMPLE] = SAMPLED,
		[SAMPLER_FORK] = FORKED,
		[SAMPLER_EXEC] = EXECED,
	};
	struct profile *profile = data;

	if (event->type == SAMPLER_LOST) {
		profile->lost_samples += event->lost;
		return;
	}
	*new_event(profile) = (struct event){
		.type = types[event->type],
		.time = event->time,
		.pid = event->kernel ? ADDRESS_SPACE_KERNEL : event->pid,
		.parent = event->parent,
		.address = event->address,
	};
}

static int compare_times(const void *a, const void *b)
{
	const struct event *one = a, *other = b;

	if (one->snapshot != other->snapshot)
		return one->snapshot ? -1 : 1;
	if (one->time != other->time)
		return one->time > other->time ? 1 : -1;
	return one->type > other->type ? 1 : -(one->type < other->type);
}

static int compare_places(const void *a, const void *b)
{
	const struct pprof_sample *one = a, *other = b;

	if (one->mapping != other->mapping)
		return one->mapping > other->mapping ? 1 : -1;
	return (one->address > other->address) - (one->address < other->address);
}

static void attribute(struct profile *profile, const struct event *sample)
{
	const struct range *range = address_space_find(sample->pid, sample->address);

	if (!range) {
		profile->unresolved++;
		return;
	}
	profile->samples[profile->nr_samples++] = (struct pprof_sample){
		.mapping = range->mapping,
		.address = sample->address - range->start + profile->mappings[range->mapping].start,
		.count = 1,
	};
}

/* Merge the samples of one address. */
static void merge_samples(struct profile *profile)
{
	struct pprof_sample *samples = profile->samples;
	size_t last = 0, i;

	if (!profile->nr_samples)
		return;
	qsort(samples, profile->nr_samples, sizeof(*samples), compare_places);
	for (i = 1; i < profile->nr_samples; i++) {
		if (compare_places(&samples[i], &samples[last]))
			samples[++last] = samples[i];
		else
			samples[last].count++;
	}
	profile->nr_samples = last + 1;
}

static void replay(struct profile *profile)
{
	const struct event *event = profile->events;
	const struct event *end = event + profile->nr_events;

	profile->samples = reallocarray(NULL, profile->nr_events + 1, sizeof(*profile->samples));
	if (!profile->samples)
		die("memory", strerror(ENOMEM));
	qsort(profile->events, profile->nr_events, sizeof(*event), compare_times);
	for (; event < end; event++) {
		if (event->type == MAPPED)
			address_space_map(event->pid, &event->range);
		else if (event->type == FORKED)
			address_space_fork(event->pid, event->parent);
		else if (event->type == EXECED)
			address_space_exec(event->pid);
		else
			attribute(profile, event);
	}
	merge_samples(profile);
}

/* --------------------------------------------------------------- output -- */

static void print(const struct profile *profile)
{
	uint64_t total = 0;
	size_t i;

	for (i = 0; i < profile->nr_samples; i++) {
		const struct pprof_sample *sample = &profile->samples[i];
		const struct pprof_mapping *mapping = &profile->mappings[sample->mapping];

		total += sample->count;
		printf("%8" PRIu64 " %-40s %8" PRIx64 " %s\n", sample->count,
		       *mapping->build_id ? mapping->build_id : "-", sample->address,
		       mapping->path);
	}
	fprintf(stderr,
		"profile: %" PRIu64 " samples, %" PRIu64 " unresolved, %" PRIu64 " lost, %" PRIu64
		" mappings lost\n",
		total + profile->unresolved, profile->unresolved, profile->lost_samples,
		profile->lost_mappings);
}

static void write_profile(const struct profile *profile, const char *path, unsigned int frequency,
			  uint64_t start, uint64_t duration)
{
	const struct pprof pprof = {
		.mappings = profile->mappings,
		.nr_mappings = profile->nr_mappings,
		.samples = profile->samples,
		.nr_samples = profile->nr_samples,
		.period_ns = 1000000000 / frequency,
		.start_ns = start,
		.duration_ns = duration,
	};
	FILE *file = fopen(path, "we");

	if (!file || pprof_write(&pprof, file) || fclose(file))
		die(path, strerror(errno));
}

/* ----------------------------------------------------------------- main -- */

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A child that waits for a byte before it becomes COMMAND. */
static pid_t start_child(char **command, int *go)
{
	int ends[2];
	pid_t child;
	char byte;

	if (pipe(ends))
		die("pipe", strerror(errno));
	child = fork();
	if (child < 0)
		die("fork", strerror(errno));
	if (child) {
		close(ends[0]);
		*go = ends[1];
		return child;
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1) == 1) {
		close(ends[0]);
		execvp(*command, command);
		fprintf(stderr, "profile: %s: %s\n", *command, strerror(errno));
	}
	_exit(127);
}

static struct buildid_recorder *start_recorder(pid_t child)
{
	const uint32_t pid = (uint32_t)child;
	struct buildid_options subscribe = {
		.size = sizeof(subscribe),
		.flags = BUILDID_SUB_KERNEL,
		.ring_size = 4 << 20,
	};
	struct buildid_recorder_options options = {
		.size = sizeof(options),
		.subscribe = &subscribe,
	};
	struct buildid_recorder *recorder;
	int err;

	if (child) {
		subscribe.flags |= BUILDID_SUB_CHILDREN;
		subscribe.nr_pids = 1;
		subscribe.pids = &pid;
	} else {
		options.flags = BUILDID_RECORDER_SNAPSHOT;
	}
	err = buildid_recorder_new(&recorder, &options);
	if (err)
		die(BUILDID_DEVICE, buildid_strerror(err));
	return recorder;
}

/* Until the child exits, whose status is returned, or the time is over. */
static int watch(struct profile *profile, struct buildid_recorder *recorder,
		 struct sampler *sampler, pid_t child, uint64_t end)
{
	struct pollfd readable = {
		.fd = buildid_fd(buildid_recorder_handle(recorder)),
		.events = POLLIN,
	};
	int status = 0;

	while (child ? !waitpid(child, &status, WNOHANG) : now_ns(CLOCK_MONOTONIC) < end) {
		poll(&readable, 1, PERIOD_MS);
		read_mappings(profile, recorder, 0);
		sampler_read(sampler, add_sample, profile);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	uint64_t start = now_ns(CLOCK_REALTIME), begin = now_ns(CLOCK_MONOTONIC);
	unsigned long frequency = FREQUENCY, seconds = 0;
	struct buildid_recorder *recorder;
	struct profile profile = { 0 };
	const char *path = NULL;
	struct sampler *sampler;
	pid_t child = 0;
	int go = -1;
	int status;
	int option;

	while ((option = getopt(argc, argv, "+F:o:a:")) != -1) {
		if (option == 'F')
			frequency = strtoul(optarg, NULL, 10);
		else if (option == 'o')
			path = optarg;
		else if (option == 'a')
			seconds = strtoul(optarg, NULL, 10);
		else
			break;
	}
	if (option != -1 || !seconds == (optind == argc) || !frequency || frequency > 100000) {
		fputs(usage, stderr);
		return 2;
	}

	if (!seconds)
		child = start_child(argv + optind, &go);
	recorder = start_recorder(child);
	sampler = sampler_open(child, (unsigned int)frequency);
	if (!sampler)
		die("perf_event_open", strerror(errno));
	if (child && write(go, "", 1) != 1)
		die("pipe", strerror(errno));
	status = watch(&profile, recorder, sampler, child, begin + (uint64_t)seconds * 1000000000);

	buildid_recorder_stop(recorder);
	while (read_mappings(&profile, recorder, -1) != -ENODATA)
		;
	sampler_read(sampler, add_sample, &profile);
	replay(&profile);
	print(&profile);
	if (path)
		write_profile(&profile, path, (unsigned int)frequency, start,
			      now_ns(CLOCK_MONOTONIC) - begin);
	sampler_close(sampler);
	buildid_recorder_free(recorder);
	return status;
}
