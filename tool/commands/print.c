// SPDX-License-Identifier: GPL-2.0
/* Lines: the columns and keys of mappings, files and losses. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "common/array.h"
#include "common/hex.h"
#include "common/utf8.h"
#include "print.h"

#define WIDTH_PID     7
#define WIDTH_COMM    15
#define WIDTH_ADDRESS 12
#define WIDTH_ID      40

#define UNRESOLVED "unresolved"

const char *print_path(const struct buildid_event *event)
{
	const char *path = buildid_mmap_path((const void *)event->record);

	if ((!path || !*path) && event->file)
		path = buildid_file_path(event->file);
	return path ? path : "";
}

/* Go's is text already, if its linker was let alone. */
static void to_word(char *text, const uint8_t *bytes, size_t size)
{
	for (; size--; bytes++) {
		if (*bytes > ' ' && *bytes < 0x7f && *bytes != '\\')
			*text++ = (char)*bytes;
		else
			text += sprintf(text, "\\%03o", *bytes);
	}
	*text = '\0';
}

/* Whatever record it is of; @bytes of NULL: there is none. */
struct identity {
	unsigned int kind;
	unsigned int reason;
	const uint8_t *bytes;
	size_t size;
};

static struct identity file_identity(const struct buildid_file *file)
{
	struct identity id = { .kind = file->kind, .reason = file->reason };

	id.bytes = buildid_file_id_bytes(file, &id.size);
	return id;
}

static struct identity image_identity(const struct buildid_image *image)
{
	struct identity id = { .kind = image->kind, .reason = image->reason };

	id.bytes = buildid_image_id_bytes(image, &id.size);
	return id;
}

static struct identity cookie_identity(const struct buildid_cookie *cookie)
{
	struct identity id = { .kind = cookie->kind };

	id.bytes = buildid_cookie_id_bytes(cookie, &id.size);
	return id;
}

static const char *reason_word(unsigned int reason)
{
	const char *word = buildid_reason_name(reason);

	return word ? word : "none";
}

static const char *to_text(const struct identity *id, char text[PRINT_ID_MAX])
{
	char *end = text;

	if (!id->bytes) {
		snprintf(text, PRINT_ID_MAX, "(%s)", reason_word(id->reason));
		return text;
	}

	if (id->kind != BUILDID_KIND_GNU)
		end += sprintf(text, "%s:", buildid_kind_name(id->kind));
	if (id->kind == BUILDID_KIND_GO)
		to_word(end, id->bytes, id->size);
	else
		hex_format(end, id->bytes, id->size);
	return text;
}

const char *print_id(const struct buildid_file *file, char text[PRINT_ID_MAX])
{
	struct identity id;

	if (!file)
		return "(" UNRESOLVED ")";
	id = file_identity(file);
	return to_text(&id, text);
}

const char *print_image_id(const struct buildid_image *image, char text[PRINT_ID_MAX])
{
	struct identity id = image_identity(image);

	return to_text(&id, text);
}

const char *print_cookie_id(const struct buildid_cookie *cookie, char text[PRINT_ID_MAX])
{
	struct identity id = cookie_identity(cookie);

	return to_text(&id, text);
}

static void put_word(struct output *out, bool good, const char *word)
{
	out_styled(out, good ? OUT_GOOD : OUT_WEAK, NULL, WIDTH_ID, word);
}

void print_put_id(struct output *out, const struct buildid_file *file)
{
	bool has_id = file && file->kind != BUILDID_KIND_NONE;
	char text[PRINT_ID_MAX];

	put_word(out, has_id, print_id(file, text));
}

/* ----------------------------------------------------------------- JSON -- */

static void put_header(struct output *out, const struct buildid_record *record)
{
	out_string(out, "type", OUT_HIDDEN, buildid_type_name(record->type));
	out_number(out, "seq", OUT_HIDDEN, record->seq);
	out_number(out, "time_mono", OUT_HIDDEN, record->time_mono);
	out_number(out, "time_perf", OUT_HIDDEN, record->time_perf);
}

/* JSON cannot hold what is no UTF-8: then the bytes come in hex besides. */
static void put_path(struct output *out, const char *path)
{
	size_t size = strlen(path);
	char hex[2 * BUILDID_RECORD_MAX + 1];

	out_string(out, "path", OUT_HIDDEN, *path ? path : NULL);
	if (!out->json || utf8_valid(path) || size > BUILDID_RECORD_MAX)
		return;
	hex_format(hex, (const uint8_t *)path, size);
	out_string(out, "path_bytes", OUT_HIDDEN, hex);
}

static void put_device(struct output *out, const char *key, uint32_t major, uint32_t minor)
{
	char device[32];

	snprintf(device, sizeof(device), "%" PRIu32 ":%" PRIu32, major, minor);
	out_string(out, key, OUT_HIDDEN, device);
}

static void put_inode(struct output *out, const struct buildid_file *file)
{
	put_device(out, "dev", file->dev_major, file->dev_minor);
	out_number(out, "ino", OUT_HIDDEN, file->ino);
	if (file->user_ino == file->ino && file->user_dev_major == file->dev_major &&
	    file->user_dev_minor == file->dev_minor)
		return;
	put_device(out, "user_dev", file->user_dev_major, file->user_dev_minor);
	out_number(out, "user_ino", OUT_HIDDEN, file->user_ino);
}

static void put_build_id(struct output *out, const struct identity *id)
{
	char hex[2 * BUILDID_ID_MAX + 1];

	out_string(out, "build_id", OUT_HIDDEN,
		   id->bytes ? hex_format(hex, id->bytes, id->size) : NULL);
	out_string(out, "kind", OUT_HIDDEN, buildid_kind_name(id->kind));
}

static void put_identity(struct output *out, const struct identity *id)
{
	put_build_id(out, id);
	out_string(out, "reason", OUT_HIDDEN, buildid_reason_name(id->reason));
}

struct flag {
	uint32_t bit;
	const char *word;
};

#define FLAGS_MAX 8

static size_t flag_words(uint32_t bits, const struct flag *flags, size_t nr_flags,
			 const char **words)
{
	size_t count = 0, i;

	for (i = 0; i < nr_flags; i++)
		if (bits & flags[i].bit)
			words[count++] = flags[i].word;
	return count;
}

/* Of any record: those of what it is about first, then its own. */
static void put_flags(struct output *out, const struct buildid_record *record, uint32_t bits,
		      const struct flag *flags, size_t nr_flags, int width)
{
	static const struct flag of_record[] = {
		{ BUILDID_RECORD_SNAPSHOT, "snapshot" },
	};
	const char *words[FLAGS_MAX + 1];
	size_t count;

	count = flag_words(bits, flags, nr_flags, words);
	count += flag_words(record->flags, of_record, ARRAY_SIZE(of_record), words + count);
	words[count] = NULL;
	out_words(out, "flags", width, words);
}

static void put_file_flags(struct output *out, const struct buildid_record *record,
			   const struct buildid_file *file, int width)
{
	static const struct flag flags[] = {
		{ BUILDID_FILE_DELETED, "deleted" },   { BUILDID_FILE_MEMFD, "memfd" },
		{ BUILDID_FILE_UNSTABLE, "unstable" }, { BUILDID_FILE_PATH_PART, "path-part" },
		{ BUILDID_FILE_NO_PATH, "no-path" },
	};

	put_flags(out, record, file ? file->flags : 0, flags, ARRAY_SIZE(flags), width);
}

void print_put_flags(struct output *out, const struct buildid_file *file)
{
	static const struct buildid_record no_record;

	put_file_flags(out, &no_record, file, 0);
}

static void put_file(struct output *out, const struct buildid_file *file)
{
	struct identity id = file_identity(file);

	put_inode(out, file);
	out_number(out, "gen", OUT_HIDDEN, file->generation);
	out_signed(out, "mtime", OUT_HIDDEN, file->mtime);
	out_number(out, "size", OUT_HIDDEN, file->file_size);
	out_number(out, "file_id", OUT_HIDDEN, file->file_id);
	put_identity(out, &id);
}

/* All keys are there, so that a reader need not ask for each. */
static void put_no_file(struct output *out, uint64_t file_id)
{
	out_null(out, "dev");
	out_null(out, "ino");
	out_null(out, "gen");
	out_null(out, "mtime");
	out_null(out, "size");
	out_number(out, "file_id", OUT_HIDDEN, file_id);
	out_null(out, "build_id");
	out_string(out, "kind", OUT_HIDDEN, buildid_kind_name(BUILDID_KIND_NONE));
	out_string(out, "reason", OUT_HIDDEN, UNRESOLVED);
}

/* ---------------------------------------------------------------- lines -- */

static void put_time(struct output *out, const struct buildid_record *record,
		     const struct print_clock *clock)
{
	int64_t real = (int64_t)(record->time_mono + (uint64_t)clock->real);
	time_t seconds = real / 1000000000;
	char text[32], day[16];
	struct tm tm;

	if (!clock->show)
		return;
	if (!localtime_r(&seconds, &tm))
		memset(&tm, 0, sizeof(tm));
	strftime(day, sizeof(day), "%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s.%03d", day, (int)(real % 1000000000 / 1000000));
	out_string(out, NULL, 0, text);
}

char *print_prot(const struct buildid_mmap *mmap, char text[static 5])
{
	text[0] = mmap->prot & PROT_READ ? 'r' : '-';
	text[1] = mmap->prot & PROT_WRITE ? 'w' : '-';
	text[2] = mmap->prot & PROT_EXEC ? 'x' : '-';
	text[3] = mmap->map_flags & MAP_SHARED ? 's' : 'p';
	text[4] = '\0';
	return text;
}

static void put_mmap(struct output *out, const struct buildid_event *event,
		     const struct print_clock *clock)
{
	const struct buildid_mmap *mmap = (const void *)event->record;
	const char *path = print_path(event);
	char prot[5];

	out_begin(out);
	put_header(out, event->record);
	put_time(out, event->record, clock);
	out_number(out, "pid", WIDTH_PID, mmap->pid);
	out_number(out, "tid", OUT_HIDDEN, mmap->tid);
	out_number(out, "start_time", OUT_HIDDEN, mmap->start_time);
	out_string(out, "comm", WIDTH_COMM, (const char *)mmap->comm);
	out_address(out, "addr", WIDTH_ADDRESS, mmap->addr);
	out_number(out, "len", OUT_HIDDEN, mmap->len);
	out_number(out, "pgoff", OUT_HIDDEN, mmap->pgoff);
	out_string(out, "prot", 0, print_prot(mmap, prot));
	print_put_id(out, event->file);
	put_path(out, path);
	out_string(out, NULL, 0, *path ? path : NULL);
	if (event->file)
		put_file(out, event->file);
	else
		put_no_file(out, mmap->file_id);
	put_file_flags(out, event->record, event->file, 0);
	out_end(out);
}

/* "lost 12 records, 8 of mappings (ring full), 3 identities (no request)" */
static void lost_text(const struct buildid_lost *lost, char *text, size_t size)
{
	char ring_full[64];
	const struct {
		uint64_t count;
		const char *what;
	} causes[] = {
		{ lost->ring_full, ring_full },
		{ lost->missed_probe, "mappings (missed probe)" },
		{ lost->no_request, "identities (no request)" },
	};
	const char *before = "lost";
	size_t length = 0, i;

	snprintf(ring_full, sizeof(ring_full), "records, %" PRIu64 " of mappings (ring full)",
		 (uint64_t)lost->ring_full_mmaps);
	*text = '\0';
	for (i = 0; i < ARRAY_SIZE(causes); i++) {
		if (!causes[i].count)
			continue;
		length += (size_t)snprintf(text + length, size - length, "%s %" PRIu64 " %s",
					   before, causes[i].count, causes[i].what);
		before = ",";
	}
}

static void put_lost(struct output *out, const struct buildid_lost *lost,
		     const struct print_clock *clock)
{
	char text[256];

	lost_text(lost, text, sizeof(text));
	out_begin(out);
	put_header(out, &lost->header);
	put_time(out, &lost->header, clock);
	out_styled(out, OUT_BAD, NULL, 0, text);
	out_number(out, "ring_full", OUT_HIDDEN, lost->ring_full);
	out_number(out, "ring_full_mmaps", OUT_HIDDEN, lost->ring_full_mmaps);
	out_number(out, "no_request", OUT_HIDDEN, lost->no_request);
	out_number(out, "missed_probe", OUT_HIDDEN, lost->missed_probe);
	out_end(out);
}

static void put_image_flags(struct output *out, const struct buildid_image *image, int width)
{
	static const struct flag flags[] = {
		{ BUILDID_IMAGE_UNLOAD, "unload" },
	};

	put_flags(out, &image->header, image->flags, flags, ARRAY_SIZE(flags), width);
}

static void put_image(struct output *out, const struct buildid_image *image,
		      const struct print_clock *clock)
{
	struct identity id = image_identity(image);
	char text[PRINT_ID_MAX];

	out_begin(out);
	put_header(out, &image->header);
	put_time(out, &image->header, clock);
	out_string(out, NULL, 0, "      -");
	out_string(out, NULL, WIDTH_COMM, buildid_type_name(image->header.type));
	out_address(out, "addr", WIDTH_ADDRESS, image->addr);
	out_number(out, "len", OUT_HIDDEN, image->len);
	out_string(out, NULL, 0, "----");
	put_word(out, id.bytes, to_text(&id, text));
	out_string(out, "name", 0, buildid_image_name(image));
	put_identity(out, &id);
	put_image_flags(out, image, 0);
	out_end(out);
}

void print_image(struct output *out, const struct buildid_image *image, const char *name,
		 const char *path)
{
	struct identity id = image_identity(image);
	char text[PRINT_ID_MAX];

	out_begin(out);
	put_header(out, &image->header);
	put_word(out, id.bytes, to_text(&id, text));
	out_string(out, NULL, name ? 0 : OUT_HIDDEN, name);
	out_string(out, "path", path ? 0 : OUT_HIDDEN, path);
	out_address(out, "addr", OUT_HIDDEN, image->addr);
	out_number(out, "len", OUT_HIDDEN, image->len);
	out_string(out, "name", OUT_HIDDEN, buildid_image_name(image));
	put_identity(out, &id);
	put_image_flags(out, image, OUT_HIDDEN);
	out_end(out);
}

static void put_cookie(struct output *out, const struct buildid_cookie *cookie,
		       const struct print_clock *clock)
{
	struct identity id = cookie_identity(cookie);
	char text[PRINT_ID_MAX];

	out_begin(out);
	put_header(out, &cookie->header);
	put_time(out, &cookie->header, clock);
	out_number(out, "pid", WIDTH_PID, cookie->pid);
	out_number(out, "tid", OUT_HIDDEN, cookie->tid);
	out_number(out, "start_time", OUT_HIDDEN, cookie->start_time);
	out_string(out, "comm", WIDTH_COMM, (const char *)cookie->comm);
	out_address(out, "addr", WIDTH_ADDRESS, cookie->addr);
	out_number(out, "len", OUT_HIDDEN, cookie->len);
	out_string(out, NULL, 0, "----");
	put_word(out, id.bytes, to_text(&id, text));
	out_string(out, NULL, 0, "[cookie]");
	put_build_id(out, &id);
	put_flags(out, &cookie->header, 0, NULL, 0, 0);
	out_end(out);
}

static void put_task(struct output *out, const struct buildid_task *task,
		     const struct print_clock *clock)
{
	static const struct flag flags[] = {
		{ BUILDID_TASK_SHARES_MM, "shares-mm" },
	};
	bool fork = task->header.type == BUILDID_RECORD_FORK;
	char text[32];

	snprintf(text, sizeof(text), "fork of %" PRIu32, task->parent_pid);
	out_begin(out);
	put_header(out, &task->header);
	put_time(out, &task->header, clock);
	out_number(out, "pid", WIDTH_PID, task->pid);
	out_number(out, "tid", OUT_HIDDEN, task->tid);
	out_number(out, "start_time", OUT_HIDDEN, task->start_time);
	out_string(out, "comm", WIDTH_COMM, (const char *)task->comm);
	out_string(out, NULL, 0, fork ? text : buildid_type_name(task->header.type));
	if (fork) {
		out_number(out, "parent_pid", OUT_HIDDEN, task->parent_pid);
		out_number(out, "parent_start_time", OUT_HIDDEN, task->parent_start_time);
	}
	put_flags(out, &task->header, task->flags, flags, ARRAY_SIZE(flags), 0);
	out_end(out);
}

void print_event(struct output *out, const struct buildid_event *event,
		 const struct print_clock *clock)
{
	const void *record = event->record;

	switch (event->record->type) {
	case BUILDID_RECORD_MMAP:
		put_mmap(out, event, clock);
		break;
	case BUILDID_RECORD_KERNEL:
	case BUILDID_RECORD_MODULE:
		put_image(out, record, clock);
		break;
	case BUILDID_RECORD_COOKIE:
		put_cookie(out, record, clock);
		break;
	case BUILDID_RECORD_LOST:
		put_lost(out, record, clock);
		break;
	case BUILDID_RECORD_FORK:
	case BUILDID_RECORD_EXEC:
	case BUILDID_RECORD_EXIT:
		put_task(out, record, clock);
		break;
	}
}

void print_file(struct output *out, const struct buildid_file *file, const char *path)
{
	if (!path)
		path = buildid_file_path(file);

	out_begin(out);
	put_header(out, &file->header);
	print_put_id(out, file);
	put_path(out, path);
	out_string(out, NULL, 0, *path ? path : NULL);
	put_file(out, file);
	put_file_flags(out, &file->header, file, OUT_HIDDEN);
	out_end(out);
}

void print_dso(struct output *out, const struct perfdata_dso *dso, const char *file)
{
	static const char *const types[] = {
		[PERFDATA_KIND_USER] = "file",	   [PERFDATA_KIND_KERNEL] = "kernel",
		[PERFDATA_KIND_MODULE] = "module", [PERFDATA_KIND_VDSO] = "vdso",
		[PERFDATA_KIND_OTHER] = "other",
	};
	const char *const flags[] = { dso->hit ? "hit" : NULL, NULL };
	char hex[BUILD_ID_TEXT];

	build_id_text(&dso->id, hex);
	out_begin(out);
	out_string(out, "type", OUT_HIDDEN, types[dso->kind]);
	out_string(out, NULL, WIDTH_ID, hex);
	out_string(out, "build_id", OUT_HIDDEN, dso->id.size ? hex : NULL);
	out_string(out, NULL, 0, dso->path);
	put_path(out, dso->path);
	if (file)
		out_string(out, "file", 0, file);
	out_words(out, "flags", OUT_HIDDEN, flags);
	out_end(out);
}
