// SPDX-License-Identifier: GPL-2.0
/*
 * perf.data: open it, read what is not events (header, attrs, features) and find where
 * the events are. See format.h for the three shapes it has.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "common/array.h"
#include "common/copy.h"
#include "common/temporary.h"
#include "file.h"

/* Bounds for allocations, far beyond what perf writes. */
#define ATTR_SIZE_MAX 4096
#define ATTRS_MAX     (1U << 20)
#define FEATURE_MAX   (1U << 30)

#define SPOOL (1U << 16)

int perfdata_fail(struct perfdata *data, const char *format, ...)
{
	va_list arguments;

	if (*data->error)
		return -1;
	va_start(arguments, format);
	vsnprintf(data->error, sizeof(data->error), format, arguments);
	va_end(arguments);
	return -1;
}

const char *perfdata_error(const struct perfdata *data)
{
	return *data->error ? data->error : NULL;
}

int perfdata_no_memory(struct perfdata *data)
{
	return perfdata_fail(data, "%s", strerror(ENOMEM));
}

int perfdata_pread(struct perfdata *data, int fd, void *bytes, size_t size, uint64_t offset)
{
	unsigned char *next = bytes;

	while (size) {
		ssize_t done = pread(fd, next, size, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return perfdata_fail(data, "byte %" PRIu64 ": %s", offset, strerror(errno));
		if (!done)
			return perfdata_fail(data, "cut short: ends at byte %" PRIu64, offset);
		next += done;
		offset += (uint64_t)done;
		size -= (size_t)done;
	}
	return 0;
}

/* ------------------------------------------------------------------ streams -- */

static ssize_t read_again(int fd, void *bytes, size_t size)
{
	ssize_t got;

	do
		got = read(fd, bytes, size);
	while (got < 0 && errno == EINTR);
	return got;
}

static struct perfdata_stream *add_stream(struct perfdata *data, int fd, const char *name)
{
	struct perfdata_stream *stream;
	struct stat status;

	if (!array_reserve(data->streams, data->nr_streams) || fstat(fd, &status)) {
		perfdata_fail(data, "%s", strerror(errno));
		close(fd);
		return NULL;
	}
	if (!S_ISREG(status.st_mode)) {
		perfdata_fail(data, "%s: not a regular file", name);
		close(fd);
		return NULL;
	}
	stream = &data->streams[data->nr_streams++];
	*stream = (struct perfdata_stream){
		.fd = fd,
		.name = name ? strdup(name) : NULL,
		.end = (uint64_t)status.st_size,
	};
	return stream;
}

static int is_data_file(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "data.", 5) &&
	       strspn(entry->d_name + 5, "0123456789") == strlen(entry->d_name + 5);
}

static int add_data_file(struct perfdata *data, int directory, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return perfdata_fail(data, "%s: %s", name, strerror(errno));
	return add_stream(data, fd, name) ? 0 : -1;
}

static int add_directory(struct perfdata *data, int directory)
{
	struct dirent **entries;
	int count, i;

	data->directory = true;
	if (add_data_file(data, directory, "data"))
		return -1;
	count = scandirat(directory, ".", &entries, is_data_file, versionsort);
	if (count < 0)
		return perfdata_fail(data, "%s", strerror(errno));
	for (i = 0; i < count; i++) {
		if (!*data->error)
			add_data_file(data, directory, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return *data->error ? -1 : 0;
}

/*
 * Returns 0 if all was copied, else the number of @bytes that were not written, or -1; with errno.
 */
static ssize_t fill_spool(struct perfdata *data, int file, int input, char *bytes)
{
	ssize_t got;

	while ((got = read_again(input, bytes, SPOOL)) > 0) {
		if (!write_all(file, bytes, (size_t)got))
			break;
		data->spooled += (uint64_t)got;
	}
	return got;
}

/*
 * Copy standard input, or whatever else cannot be read twice, to a temporary file. If that runs out
 * of room, what was read is kept for perfdata_copy(), which continues from there.
 */
static int spool(struct perfdata *data, int input)
{
	ssize_t rest;
	int file;

	data->input = input;
	data->unspooled = malloc(SPOOL);
	if (!data->unspooled)
		return perfdata_no_memory(data);
	data->spool = temporary_unnamed();
	if (data->spool < 0)
		return perfdata_fail(data, "cannot be kept in TMPDIR: %s", strerror(errno));
	rest = fill_spool(data, data->spool, input, data->unspooled);
	if (rest < 0)
		return perfdata_fail(data, "%s", strerror(errno));
	data->nr_unspooled = (size_t)rest;
	if (rest)
		return perfdata_fail(data, "cannot be kept in TMPDIR: %s", strerror(errno));
	close(input);
	data->input = -1;
	file = data->spool;
	data->spool = -1;
	return add_stream(data, file, NULL) ? 0 : -1;
}

static int add_input(struct perfdata *data)
{
	struct stat status;
	int fd;

	fd = strcmp(data->path, "-") ? open(data->path, O_RDONLY | O_CLOEXEC) :
				       fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd < 0 || fstat(fd, &status)) {
		perfdata_fail(data, "%s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (S_ISDIR(status.st_mode)) {
		data->directory_fd = fd;
		return add_directory(data, fd);
	}
	if (!S_ISREG(status.st_mode))
		return spool(data, fd);
	return add_stream(data, fd, NULL) ? 0 : -1;
}

/* ------------------------------------------------------------------- header -- */

static bool is_inside(const struct perfdata_section *section, uint64_t end)
{
	return section->offset <= end && section->size <= end - section->offset;
}

/*
 * Attrs and their ids are between header and events, and stay there when events are added and
 * features dropped. perf inject puts both after the events.
 */
static uint64_t end_of_attrs(const struct perfdata *data)
{
	const struct perfdata_header *header = &data->header;

	return header->attrs.offset < header->data.offset ? header->data.offset : data->size;
}

static bool is_beside_events(const struct perfdata *data, const struct perfdata_section *section)
{
	return !section->size ||
	       (section->offset >= sizeof(data->header) && is_inside(section, end_of_attrs(data)));
}

bool perfdata_is_magic(const char bytes[8])
{
	uint64_t magic;

	memcpy(&magic, bytes, sizeof(magic));
	return magic == PERFDATA_MAGIC || magic == __builtin_bswap64(PERFDATA_MAGIC) ||
	       !memcmp(bytes, "PERFFILE", sizeof(magic));
}

static int check_magic(struct perfdata *data, uint64_t magic)
{
	if (magic == PERFDATA_MAGIC)
		return 0;
	if (magic == __builtin_bswap64(PERFDATA_MAGIC))
		return perfdata_fail(data, "written on a machine of the other byte order; "
					   "annotate it on one of that kind");
	if (!memcmp(&magic, "PERFFILE", 8))
		return perfdata_fail(data, "written by a perf of before Linux 2.6.34");
	return perfdata_fail(data, "not a perf.data file");
}

static int read_file_header(struct perfdata *data)
{
	struct perfdata_stream *stream = &data->streams[0];
	struct perfdata_header *header = &data->header;
	uint64_t end = data->size;

	if (end < sizeof(*header))
		return perfdata_fail(data, "cut short: ends in its header");
	if (perfdata_pread(data, stream->fd, header, sizeof(*header), 0))
		return -1;
	if (header->size != sizeof(*header))
		return perfdata_fail(data, "a header of %" PRIu64 " bytes, not of %zu",
				     header->size, sizeof(*header));
	data->unfinished = !header->data.size;
	if (data->unfinished)
		return perfdata_fail(data, "no events: perf record has not ended, or was killed");
	if (!is_inside(&header->data, end))
		return perfdata_fail(data,
				     "cut short: ends at byte %" PRIu64
				     ", its events at byte %" PRIu64,
				     end, header->data.offset + header->data.size);
	if (header->data.offset < sizeof(*header))
		return perfdata_fail(data, "damaged: events that are not behind the header");
	if (!is_beside_events(data, &header->attrs))
		return perfdata_fail(
			data, "damaged: attrs neither in front of the events nor behind them");
	stream->begin = header->data.offset;
	stream->end = stream->begin + header->data.size;
	return 0;
}

bool perfdata_has_feature(const struct perfdata_header *header, unsigned int number)
{
	return header->features[number / 64] >> number % 64 & 1;
}

/*
 * perf inject leaves such a section for a table that it did not write, or overwrote with attrs and
 * ids.
 */
static bool is_over_attrs(const struct perfdata *data, const struct perfdata_section *section)
{
	const struct perfdata_section *attrs = &data->header.attrs;

	return section->offset < attrs->offset + attrs->size &&
	       attrs->offset < section->offset + section->size;
}

static void drop_feature(struct perfdata *data, unsigned int number)
{
	data->header.features[number / 64] &= ~(1ULL << number % 64);
	data->features[number] = (struct perfdata_section){};
}

static int read_features(struct perfdata *data)
{
	uint64_t at = data->header.data.offset + data->header.data.size, all = 0;
	unsigned int i;

	for (i = 0; i < PERFDATA_FEATURES; i++) {
		if (!perfdata_has_feature(&data->header, i))
			continue;
		if (perfdata_pread(data, data->streams[0].fd, &data->features[i],
				   sizeof(data->features[i]), at))
			return -1;
		if (!is_inside(&data->features[i], data->size))
			return perfdata_fail(data, "cut short: feature %u is behind its end", i);
		/* Each is written, so overlapping ones would make a large file from a small one. */
		all += data->features[i].size;
		if (all > data->size)
			return perfdata_fail(data, "damaged: features that overlap");
		at += sizeof(data->features[i]);
		if (is_over_attrs(data, &data->features[i]))
			drop_feature(data, i);
	}
	return 0;
}

int perfdata_feature(struct perfdata *data, unsigned int number, unsigned char **bytes,
		     size_t *size)
{
	const struct perfdata_section *section = &data->features[number];

	*bytes = NULL;
	*size = 0;
	if (data->pipe || !perfdata_has_feature(&data->header, number) || !section->size)
		return 0;
	if (section->size > FEATURE_MAX)
		return perfdata_fail(data, "damaged: feature %u of %" PRIu64 " bytes", number,
				     section->size);
	*bytes = malloc((size_t)section->size);
	if (!*bytes)
		return perfdata_no_memory(data);
	*size = (size_t)section->size;
	if (!perfdata_pread(data, data->streams[0].fd, *bytes, *size, section->offset))
		return 0;
	free(*bytes);
	*bytes = NULL;
	return -1;
}

/* -------------------------------------------------------------------- attrs -- */

static enum perfdata_clock clock_of(const struct perfdata_attr *attr)
{
	if (!(attr->sample_type & PERFDATA_SAMPLE_TIME))
		return PERFDATA_CLOCK_NONE;
	if (!(attr->flags & PERFDATA_ATTR_USE_CLOCKID))
		return PERFDATA_CLOCK_PERF;
	return attr->clockid == CLOCK_MONOTONIC ? PERFDATA_CLOCK_MONO : PERFDATA_CLOCK_OTHER;
}

static int add_ids(struct perfdata *data, const uint64_t *ids, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (!array_reserve(data->ids, data->nr_ids))
			return perfdata_no_memory(data);
		data->ids[data->nr_ids++] = (struct perfdata_event_id){
			.id = ids[i],
			.format = (uint32_t)data->nr_formats - 1,
		};
		data->ids_sorted = false;
	}
	return 0;
}

static bool are_alike(const struct perfdata_sample_format *a,
		      const struct perfdata_sample_format *b)
{
	return a->sample_type == b->sample_type && a->read_format == b->read_format &&
	       a->sample_id_all == b->sample_id_all && a->clock == b->clock;
}

int perfdata_add_attr(struct perfdata *data, const void *bytes, size_t size, const uint64_t *ids,
		      size_t nr_ids)
{
	struct perfdata_attr attr = {};
	struct perfdata_sample_format *format;

	memcpy(&attr, bytes, size < sizeof(attr) ? size : sizeof(attr));
	if (data->nr_formats == ATTRS_MAX)
		return perfdata_fail(data, "more than %u attrs", ATTRS_MAX);
	if (!array_reserve(data->formats, data->nr_formats))
		return perfdata_no_memory(data);
	format = &data->formats[data->nr_formats++];
	*format = (struct perfdata_sample_format){
		.sample_type = attr.sample_type,
		.read_format = attr.read_format,
		.sample_id_all = attr.flags & PERFDATA_ATTR_SAMPLE_ID_ALL,
		.clock = clock_of(&attr),
	};
	perfdata_lay_out_format(format);
	data->uniform = data->nr_formats == 1 ||
			(data->uniform && are_alike(data->formats, format));
	return add_ids(data, ids, nr_ids);
}

static int read_attr(struct perfdata *data, uint64_t at, size_t size)
{
	unsigned char bytes[ATTR_SIZE_MAX];
	const uint64_t end = end_of_attrs(data);
	struct perfdata_section section;
	uint64_t *ids = NULL;
	int err;

	if (perfdata_pread(data, data->streams[0].fd, bytes, size, at))
		return -1;
	size -= sizeof(section);
	memcpy(&section, bytes + size, sizeof(section));
	/* Attrs share no ids, so there is room for all of them. */
	if (!is_beside_events(data, &section) || section.size > end - data->nr_ids * sizeof(*ids))
		return perfdata_fail(data, "damaged: more ids than the file has room for");
	if (section.size) {
		ids = malloc((size_t)section.size);
		if (!ids)
			return perfdata_no_memory(data);
		if (perfdata_pread(data, data->streams[0].fd, ids, section.size, section.offset)) {
			free(ids);
			return -1;
		}
	}
	err = perfdata_add_attr(data, bytes, size, ids, section.size / 8);
	free(ids);
	return err;
}

static int read_attrs(struct perfdata *data)
{
	const struct perfdata_header *header = &data->header;
	uint64_t size = header->attr_size;
	uint64_t at;

	if (size < PERFDATA_ATTR_MIN + sizeof(struct perfdata_section) || size > ATTR_SIZE_MAX ||
	    header->attrs.size % size)
		return perfdata_fail(data, "damaged: attrs of %" PRIu64 " bytes", size);
	for (at = 0; at < header->attrs.size; at += size)
		if (read_attr(data, header->attrs.offset + at, (size_t)size))
			return -1;
	return 0;
}

/* The attrs of a pipe's output come before its other events. */
static int read_pipe_attrs(struct perfdata *data)
{
	struct perfdata_item item;
	int answer;

	do
		answer = perfdata_next(data, &item);
	while (answer > 0 && item.event->type >= PERFDATA_USER_TYPE_START);
	data->attrs_read = true;
	perfdata_rewind(data);
	return answer < 0 ? -1 : 0;
}

/* --------------------------------------------------------------------- open -- */

static int read_header(struct perfdata *data)
{
	struct {
		uint64_t magic, size;
	} start;
	struct perfdata_stream *stream = &data->streams[0];

	data->size = stream->end;
	if (data->size < sizeof(start))
		return perfdata_fail(data, "not a perf.data file");
	if (perfdata_pread(data, stream->fd, &start, sizeof(start), 0) ||
	    check_magic(data, start.magic))
		return -1;
	if (start.size == PERFDATA_PIPE_HEADER) {
		data->pipe = true;
		stream->begin = PERFDATA_PIPE_HEADER;
		perfdata_rewind(data);
		return read_pipe_attrs(data);
	}
	if (read_file_header(data) || read_attrs(data) || read_features(data))
		return -1;
	data->aux = perfdata_has_feature(&data->header, PERFDATA_FEATURE_AUXTRACE);
	perfdata_rewind(data);
	return 0;
}

struct perfdata *perfdata_open(const char *path)
{
	struct perfdata *data = calloc(1, sizeof(*data));

	if (!data)
		return NULL;
	data->directory_fd = -1;
	data->input = -1;
	data->spool = -1;
	data->path = strdup(path);
	if (!data->path)
		perfdata_no_memory(data);
	else if (!add_input(data))
		read_header(data);
	return data;
}

bool perfdata_is_unfinished(const char *path)
{
	struct perfdata *data = perfdata_open(path);
	bool unfinished = data && data->unfinished;

	perfdata_close(data);
	return unfinished;
}

/* Copy the spool, the bytes that it had no room for, and the rest of the input. */
static bool copy_unspooled(const struct perfdata *data, int fd)
{
	char bytes[4096];
	uint64_t at = 0;
	ssize_t got = 0;

	while (at < data->spooled) {
		size_t part = data->spooled - at < sizeof(bytes) ? (size_t)(data->spooled - at) :
								   sizeof(bytes);

		got = pread(data->spool, bytes, part, (off_t)at);
		if (got <= 0 || !write_all(fd, bytes, (size_t)got))
			return false;
		at += (uint64_t)got;
	}
	if (!write_all(fd, data->unspooled, data->nr_unspooled))
		return false;
	while ((got = read_again(data->input, bytes, sizeof(bytes))) > 0)
		if (!write_all(fd, bytes, (size_t)got))
			return false;
	return !got;
}

int perfdata_copy(const struct perfdata *data, int fd)
{
	if (data->input >= 0)
		return copy_unspooled(data, fd) ? 0 : -errno;
	if (data->nr_streams != 1)
		return -EINVAL;
	return copy_stream(data->streams[0].fd, fd) ? 0 : -errno;
}

void perfdata_close(struct perfdata *data)
{
	size_t i;

	if (!data)
		return;
	for (i = 0; i < data->nr_streams; i++) {
		close(data->streams[i].fd);
		free(data->streams[i].name);
	}
	if (data->directory_fd >= 0)
		close(data->directory_fd);
	if (data->input >= 0)
		close(data->input);
	if (data->spool >= 0)
		close(data->spool);
	free(data->unspooled);
	ZSTD_freeDCtx(data->zstd);
	perfdata_dsos_free(data->dsos);
	free(data->streams);
	free(data->formats);
	free(data->ids);
	free(data->buffer);
	free(data->decompressed);
	free(data->aligned);
	free(data->path);
	free(data);
}
