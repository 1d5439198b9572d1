// SPDX-License-Identifier: GPL-2.0
/*
 * Print: the columns and keys of each type of record. A field is put once for both
 * outputs, see output.h; their order is that of the columns.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <time.h>

#include "common/array.h"
#include "common/columns.h"
#include "common/content_name.h"
#include "common/hex.h"
#include "common/utf8.h"
#include "news_words.h"
#include "print.h"
#include "print_package.h"

/* Of a path on a terminal; what follows it gives way. */
#define PATH_LEAST 8

/* Of a mapping that there is no FILE record for, and for which it has not come in time. */
#define UNRESOLVED "unresolved"
#define BEING_READ "being-read"

const char *print_path(const struct buildid_event *event)
{
	const char *path = event->file ? buildid_file_path(event->file) : NULL;

	return path ? path : "";
}

/* ------------------------------------------------------------- identity -- */

struct identity print_identity_of(const void *record)
{
	const struct buildid_file *file = record;
	const struct buildid_image *image = record;
	const struct buildid_cookie *cookie = record;
	struct identity identity = {};
	const uint8_t *bytes;
	size_t size;

	switch (file->header.type) {
	case BUILDID_RECORD_KERNEL:
	case BUILDID_RECORD_MODULE:
		identity.kind = image->kind;
		identity.reason = image->reason;
		bytes = buildid_image_id_bytes(image, &size);
		break;
	case BUILDID_RECORD_COOKIE:
		identity.kind = cookie->kind;
		bytes = buildid_cookie_id_bytes(cookie, &size);
		break;
	default:
		identity.kind = file->kind;
		identity.reason = file->reason;
		bytes = buildid_file_id_bytes(file, &size);
	}
	if (bytes)
		build_id_set(&identity.id, bytes, size);
	return identity;
}

/* Go's is text already, unless -buildid of its linker says otherwise. */
static void go_text(char *text, const struct build_id *id)
{
	size_t i;

	for (i = 0; i < id->size; i++) {
		if (id->bytes[i] > ' ' && id->bytes[i] < 0x7f && id->bytes[i] != '\\')
			*text++ = (char)id->bytes[i];
		else
			text += sprintf(text, "\\%03o", id->bytes[i]);
	}
	*text = '\0';
}

const char *print_identity(const struct identity *identity, char text[PRINT_ID_MAX])
{
	const char *reason = buildid_reason_name(identity->reason);
	char *end = text;

	if (!identity->id.size) {
		snprintf(text, PRINT_ID_MAX, "(%s)", reason ? reason : "none");
		return text;
	}
	if (identity->kind != BUILDID_KIND_GNU)
		end += sprintf(text, "%s:", buildid_kind_name(identity->kind));
	if (identity->kind == BUILDID_KIND_GO)
		go_text(end, &identity->id);
	else
		build_id_text(&identity->id, end);
	return text;
}

const char *print_id(const void *record, char text[PRINT_ID_MAX])
{
	struct identity identity;

	if (!record)
		return "(" UNRESOLVED ")";
	identity = print_identity_of(record);
	return print_identity(&identity, text);
}

void print_put_identity(struct output *out, int width, const struct identity *identity)
{
	char text[PRINT_ID_MAX];

	print_identity(identity, text);
	if (out->width && out->width != OUT_ENDLESS)
		text[width] = '\0';
	out_styled(out, identity->id.size ? OUT_GOOD : OUT_WEAK, NULL, width, text);
}

static void put_short_id(struct output *out, int width, const void *record)
{
	struct identity identity;

	if (!record) {
		out_styled(out, OUT_WEAK, NULL, width, print_id(NULL, NULL));
		return;
	}
	identity = print_identity_of(record);
	print_put_identity(out, width, &identity);
}

void print_put_id(struct output *out, int width, const void *record)
{
	put_short_id(out, width, record);
}

/* --------------------------------------------------------------- fields -- */

static void put_header(struct output *out, const struct buildid_record *record)
{
	out_string(out, "type", OUT_HIDDEN, buildid_type_name(record->type));
	out_number(out, "seq", OUT_HIDDEN, record->seq);
	out_number(out, "time_mono", OUT_HIDDEN, record->time_mono);
	out_number(out, "time_perf", OUT_HIDDEN, record->time_perf);
}

static void put_thread(struct output *out, const struct print_view *view, uint32_t pid,
		       uint32_t tid, uint64_t start_time, const uint8_t *comm)
{
	out_number(out, "pid", PRINT_WIDTH_PID, pid);
	out_number(out, "tid", OUT_HIDDEN, tid);
	out_number(out, "start_time", OUT_HIDDEN, start_time);
	out_fitted(out, OUT_PLAIN, "comm", view->layout.comm, (const char *)comm);
}

static void put_range(struct output *out, int width, uint64_t addr, uint64_t len)
{
	out_address(out, "addr", width, addr);
	out_number(out, "len", OUT_HIDDEN, len);
}

/* Beside the address, and with it left out where lines are narrow. */
static int width_of_prot(const struct print_view *view)
{
	return view->layout.address == OUT_HIDDEN ? OUT_HIDDEN : 0;
}

static void put_no_prot(struct output *out, const struct print_view *view)
{
	out_string(out, NULL, width_of_prot(view), "----");
}

/* The rest of the line but @tail columns. */
static void put_fitted_name(struct output *out, const char *name, int tail)
{
	int room = MAX(out_room(out) - tail, PATH_LEAST);

	out_fitted(out, OUT_PLAIN, NULL, out->width ? MIN(room, columns_of(name)) : 0, name);
}

/* JSON cannot hold what is no UTF-8: then the bytes come in hex besides. */
static void put_json_path(struct output *out, const char *path)
{
	size_t size = strlen(path);
	char hex[2 * BUILDID_RECORD_MAX + 1];

	if (!out->json)
		return;
	out_string(out, "path", 0, *path ? path : NULL);
	if (utf8_valid(path) || size > BUILDID_RECORD_MAX)
		return;
	hex_format(hex, (const uint8_t *)path, size);
	out_string(out, "path_bytes", OUT_HIDDEN, hex);
}

/* As much as there is room for. */
static void put_tail(struct output *out, const char *tail)
{
	int room = out_room(out);

	if (room > 0)
		out_fitted(out, OUT_PLAIN, NULL, out->width ? MIN(room, columns_of(tail)) : 0,
			   tail);
}

void print_put_path(struct output *out, const char *path, const char *note, const char *tail)
{
	char text[80] = "";
	int length = 0;

	if (out->json) {
		put_json_path(out, path);
		return;
	}
	if (note)
		length += 1 + snprintf(text, sizeof(text), "(%s)", note);
	if (tail)
		length += 1 + columns_of(tail);
	put_fitted_name(out, *path ? path : "-", length);
	if (note)
		put_tail(out, text);
	if (tail)
		put_tail(out, tail);
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
	if (file->tree)
		out_number(out, "tree", OUT_HIDDEN, file->tree);
	if (file->user_ino == file->ino && file->user_dev_major == file->dev_major &&
	    file->user_dev_minor == file->dev_minor)
		return;
	put_device(out, "user_dev", file->user_dev_major, file->user_dev_minor);
	out_number(out, "user_ino", OUT_HIDDEN, file->user_ino);
}

static void put_identity(struct output *out, const struct buildid_record *record)
{
	struct identity identity = print_identity_of(record);
	char hex[BUILD_ID_TEXT];

	out_string(out, "build_id", OUT_HIDDEN,
		   identity.id.size ? build_id_text(&identity.id, hex) : NULL);
	out_string(out, "kind", OUT_HIDDEN, buildid_kind_name(identity.kind));
	/* A cookie has none: nothing was read. */
	if (record->type != BUILDID_RECORD_COOKIE)
		out_string(out, "reason", OUT_HIDDEN, buildid_reason_name(identity.reason));
}

/* Of an identity before, flags, and a package. */
#define TAIL_MAX (PRINT_ID_MAX + 256 + 2 * PACKAGE_TEXT_MAX + 64)

#define FLAG_WORDS 8

/* @bits of the record of @type; @record, unless NULL, is the one of this line. */
static void flag_words(const struct buildid_record *record, unsigned int type, uint32_t bits,
		       const char *words[FLAG_WORDS + 2])
{
	static const struct {
		uint32_t type, bit;
		const char *word;
	} flags[FLAG_WORDS] = {
		{ BUILDID_RECORD_FILE, BUILDID_FILE_DELETED, "deleted" },
		{ BUILDID_RECORD_FILE, BUILDID_FILE_MEMFD, "memfd" },
		{ BUILDID_RECORD_FILE, BUILDID_FILE_FUSE, "fuse" },
		{ BUILDID_RECORD_FILE, BUILDID_FILE_UNSTABLE, "unstable" },
		{ BUILDID_RECORD_FILE, BUILDID_FILE_NO_PATH, "no-path" },
		{ BUILDID_RECORD_KERNEL, BUILDID_IMAGE_UNLOAD, "unload" },
		{ BUILDID_RECORD_MODULE, BUILDID_IMAGE_UNLOAD, "unload" },
		{ BUILDID_RECORD_FORK, BUILDID_TASK_SHARES_MM, "shares-mm" },
	};
	size_t count = 0, i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (type == flags[i].type && bits & flags[i].bit)
			words[count++] = flags[i].word;
	if (record && record->flags & BUILDID_RECORD_SNAPSHOT)
		words[count++] = "snapshot";
	words[count] = NULL;
}

static void put_flags(struct output *out, const struct buildid_record *record, unsigned int type,
		      uint32_t bits, int width)
{
	const char *words[FLAG_WORDS + 2];

	flag_words(record, type, bits, words);
	out_words(out, "flags", width, words);
}

void print_put_mapped(struct output *out, const char *path, const struct buildid_file *file,
		      const char *tail)
{
	const char *words[FLAG_WORDS + 2], **word;
	char text[FLAG_WORDS * 16] = "";
	int length = 0, behind;

	flag_words(NULL, BUILDID_RECORD_FILE, file ? file->flags : 0, words);
	for (word = words; *word; word++)
		length += snprintf(text + length, sizeof(text) - (size_t)length, "%s(%s)",
				   length ? " " : "", *word);
	behind = (length ? length + 1 : 0) + (tail ? columns_of(tail) + 1 : 0);
	if (path)
		put_fitted_name(out, path, behind);
	if (length)
		put_tail(out, text);
	if (tail)
		put_tail(out, tail);
}

/* Without the module some of it may not be known. */
static void put_version_in_part(struct output *out, const struct buildid_file *file)
{
	if (file->ino) {
		put_inode(out, file);
	} else {
		out_null(out, "dev");
		out_null(out, "ino");
	}
	if (file->generation)
		out_number(out, "gen", OUT_HIDDEN, file->generation);
	else
		out_null(out, "gen");
	if (file->ctime) {
		out_signed(out, "mtime", OUT_HIDDEN, file->mtime);
		out_number(out, "size", OUT_HIDDEN, file->file_size);
	} else {
		out_null(out, "mtime");
		out_null(out, "size");
	}
	out_number(out, "file_id", OUT_HIDDEN, file->file_id);
}

void print_version(struct output *out, const struct buildid_file *file)
{
	if (out->source) {
		put_version_in_part(out, file);
		return;
	}
	put_inode(out, file);
	out_number(out, "gen", OUT_HIDDEN, file->generation);
	out_signed(out, "mtime", OUT_HIDDEN, file->mtime);
	out_number(out, "size", OUT_HIDDEN, file->file_size);
	out_number(out, "file_id", OUT_HIDDEN, file->file_id);
}

static void put_file(struct output *out, const struct buildid_file *file)
{
	print_version(out, file);
	put_identity(out, &file->header);
}

/* With the same keys, so that a reader need not ask for each. */
static void put_no_file(struct output *out, uint64_t file_id, const char *reason)
{
	out_null(out, "dev");
	out_null(out, "ino");
	out_null(out, "gen");
	out_null(out, "mtime");
	out_null(out, "size");
	out_number(out, "file_id", OUT_HIDDEN, file_id);
	out_null(out, "build_id");
	out_string(out, "kind", OUT_HIDDEN, buildid_kind_name(BUILDID_KIND_NONE));
	out_string(out, "reason", OUT_HIDDEN, reason);
}

/* ---------------------------------------------------------------- lines -- */

static void put_time_of_day(struct output *out, int width, const struct timespec *real)
{
	char text[32], day[16];
	struct tm tm;

	if (!localtime_r(&real->tv_sec, &tm))
		memset(&tm, 0, sizeof(tm));
	strftime(day, sizeof(day), "%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s.%03ld", day, real->tv_nsec / 1000000);
	out_string(out, NULL, width, text);
}

/* RFC 3339; microseconds, as many a parser takes no more digits. */
static void put_date(struct output *out, const struct timespec *real)
{
	char text[64], second[32];
	struct tm tm;

	if (!gmtime_r(&real->tv_sec, &tm) ||
	    !strftime(second, sizeof(second), "%Y-%m-%dT%H:%M:%S", &tm)) {
		out_null(out, "time");
		return;
	}
	snprintf(text, sizeof(text), "%s.%06ldZ", second, real->tv_nsec / 1000);
	out_string(out, "time", OUT_HIDDEN, text);
}

static void put_time(struct output *out, const struct buildid_record *record,
		     const struct print_view *view)
{
	int64_t ns = (int64_t)(record->time_mono + (uint64_t)view->real);
	const struct timespec real = {
		.tv_sec = ns / 1000000000 - (ns % 1000000000 < 0),
		.tv_nsec = (ns % 1000000000 + 1000000000) % 1000000000,
	};

	if (out->json)
		put_date(out, &real);
	else if (view->layout.time != OUT_HIDDEN)
		put_time_of_day(out, view->layout.time, &real);
}

static void put_news_words(struct output *out, int width, const char *const *words)
{
	char text[64] = "";
	char *end = text;

	for (; *words; words++)
		end += sprintf(end, "%s%s", *words, words[1] ? "," : "");
	out_fitted(out, OUT_PLAIN, NULL, width, *text ? text : NULL);
}

static void put_news(struct output *out, const struct print_view *view)
{
	const char *words[NEWS_WORDS + 1];
	char hex[BUILD_ID_TEXT];

	if (view->layout.news == OUT_HIDDEN)
		return;
	news_words(view->news, words);
	if (!out->json) {
		put_news_words(out, view->layout.news, words);
		return;
	}
	out_words(out, "news", OUT_HIDDEN, words);
	if (!view->former)
		return;
	out_string(out, "former_build_id", OUT_HIDDEN, build_id_text(&view->former->id, hex));
	out_string(out, "former_kind", OUT_HIDDEN, buildid_kind_name(view->former->kind));
	out_string(out, "note", OUT_HIDDEN, view->note);
}

/* What follows the name: "(deleted) (was 0123abcd) (same id, other content) (openssl 3.0.11)". */
static char *tail_text(const struct print_view *view, const char *const *words, char text[TAIL_MAX])
{
	char *package = view->packages ? package_tail(view->packages, NULL) : NULL;
	char *end = text;
	char id[PRINT_ID_MAX];

	*text = '\0';
	for (; *words; words++)
		end += sprintf(end, "%s(%s)", end > text ? " " : "", *words);
	if (view->former) {
		print_identity(view->former, id);
		if (view->layout.id < PRINT_WIDTH_ID)
			id[view->layout.id] = '\0';
		end += sprintf(end, "%s(was %s)", end > text ? " " : "", id);
		if (view->note)
			end += sprintf(end, " (%s)", view->note);
	}
	if (package)
		sprintf(end, "%s%s", end > text ? " " : "", package);
	free(package);
	return text;
}

/* The last columns of a line of text; JSON has them by their keys. */
static void put_name(struct output *out, const struct print_view *view, const char *name,
		     unsigned int type, uint32_t bits, const struct buildid_record *record)
{
	const char *words[FLAG_WORDS + 2];
	char tail[TAIL_MAX];
	int room, length;

	if (out->json)
		return;
	flag_words(record, type, bits, words);
	length = (int)strlen(tail_text(view, words, tail));
	put_fitted_name(out, *name ? name : "-", length ? length + 1 : 0);
	room = out_room(out);
	if (length && room > 0)
		out_fitted(out, OUT_PLAIN, NULL, MIN(room, length), tail);
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

void print_member(struct output *out, const char *path, const struct elf_member *member)
{
	const struct identity identity = { member->kind, member->reason, member->id };
	const char *name = member->elf.name;
	char hex[BUILD_ID_TEXT], *text;

	if (!out->json) {
		print_put_identity(out, PRINT_WIDTH_ID, &identity);
		if (asprintf(&text, "%s%s%s", path, name ? "!" : "", name ? name : "") < 0)
			text = NULL;
		out_string(out, NULL, 0, text ? text : path);
		free(text);
		return;
	}
	out_string(out, "member", OUT_HIDDEN, name);
	out_number(out, "member_offset", OUT_HIDDEN, member->elf.start);
	out_string(out, "member_build_id", OUT_HIDDEN,
		   member->id.size ? build_id_text(&member->id, hex) : NULL);
	out_string(out, "member_kind", OUT_HIDDEN, buildid_kind_name(member->kind));
	out_string(out, "member_reason", OUT_HIDDEN, buildid_reason_name(member->reason));
}

static void put_mmap(struct output *out, const struct buildid_event *event,
		     const struct print_view *view)
{
	const struct buildid_mmap *mmap = (const void *)event->record;
	const struct buildid_file *file = event->file;
	uint32_t flags = file ? file->flags : 0;
	bool follows = event->flags & BUILDID_EVENT_FILE_FOLLOWS;
	const char *path = print_path(event);
	char prot[5];

	put_thread(out, view, mmap->pid, mmap->tid, mmap->start_time, mmap->comm);
	out_number(out, "uid", OUT_HIDDEN, mmap->uid);
	out_number(out, "cgroup", OUT_HIDDEN, mmap->cgroup_id);
	put_range(out, view->layout.address, mmap->addr, mmap->len);
	out_number(out, "pgoff", OUT_HIDDEN, mmap->pgoff);
	out_string(out, "prot", width_of_prot(view), print_prot(mmap, prot));
	put_news(out, view);
	if (file || !follows)
		put_short_id(out, view->layout.id, file);
	else
		out_styled(out, OUT_WEAK, NULL, view->layout.id, "(" BEING_READ ")");
	put_json_path(out, path);
	put_name(out, view, path, BUILDID_RECORD_FILE, flags, event->record);
	if (file)
		put_file(out, file);
	else
		put_no_file(out, mmap->file_id, follows ? BEING_READ : UNRESOLVED);
	put_flags(out, event->record, BUILDID_RECORD_FILE, flags, OUT_HIDDEN);
	if (view->packages)
		print_package(out, "", view->packages);
	if (view->member)
		print_member(out, path, view->member);
}

void print_lost_text(const struct buildid_lost *lost, char text[256])
{
	char *end = stpcpy(text, "lost");

	if (lost->ring_full)
		end += sprintf(end, " %" PRIu64 " records, %" PRIu64 " of mappings (ring full),",
			       (uint64_t)lost->ring_full, (uint64_t)lost->ring_full_mmaps);
	if (lost->missed_probe)
		end += sprintf(end, " %" PRIu64 " mappings (missed probe),",
			       (uint64_t)lost->missed_probe);
	if (lost->unresolved)
		end += sprintf(end, " %" PRIu64 " identities (unresolved),",
			       (uint64_t)lost->unresolved);
	if (end[-1] == ',')
		end[-1] = '\0';
}

static void put_lost(struct output *out, const struct buildid_event *event,
		     const struct print_view *view)
{
	const struct buildid_lost *lost = (const void *)event->record;
	char text[256];

	(void)view;
	print_lost_text(lost, text);
	out_styled(out, OUT_BAD, NULL, 0, text);
	out_number(out, "ring_full", OUT_HIDDEN, lost->ring_full);
	out_number(out, "ring_full_mmaps", OUT_HIDDEN, lost->ring_full_mmaps);
	out_number(out, "unresolved", OUT_HIDDEN, lost->unresolved);
	out_number(out, "missed_probe", OUT_HIDDEN, lost->missed_probe);
}

static void put_image(struct output *out, const struct buildid_event *event,
		      const struct print_view *view)
{
	const struct buildid_image *image = (const void *)event->record;

	out_string(out, NULL, PRINT_WIDTH_PID, "      -");
	out_fitted(out, OUT_PLAIN, NULL, view->layout.comm, buildid_type_name(image->header.type));
	put_range(out, view->layout.address, image->addr, image->len);
	put_no_prot(out, view);
	put_news(out, view);
	put_short_id(out, view->layout.id, event->record);
	out_string(out, "name", OUT_HIDDEN, buildid_image_name(image));
	put_name(out, view, buildid_image_name(image), event->record->type, image->flags,
		 event->record);
	put_identity(out, event->record);
	put_flags(out, event->record, event->record->type, image->flags, OUT_HIDDEN);
}

static void put_cookie(struct output *out, const struct buildid_event *event,
		       const struct print_view *view)
{
	const struct buildid_cookie *cookie = (const void *)event->record;

	put_thread(out, view, cookie->pid, cookie->tid, cookie->start_time, cookie->comm);
	put_range(out, view->layout.address, cookie->addr, cookie->len);
	put_no_prot(out, view);
	put_news(out, view);
	put_short_id(out, view->layout.id, event->record);
	put_name(out, view, "[cookie]", event->record->type, 0, event->record);
	put_identity(out, event->record);
	put_flags(out, event->record, event->record->type, 0, OUT_HIDDEN);
}

static void put_task(struct output *out, const struct buildid_event *event,
		     const struct print_view *view)
{
	const struct buildid_task *task = (const void *)event->record;
	bool fork = task->header.type == BUILDID_RECORD_FORK;
	char text[32] = "fork of the kernel";

	if (task->parent_pid)
		snprintf(text, sizeof(text), "fork of %" PRIu32, task->parent_pid);
	put_thread(out, view, task->pid, task->tid, task->start_time, task->comm);
	put_name(out, view, fork ? text : buildid_type_name(task->header.type), event->record->type,
		 task->flags, event->record);
	if (fork) {
		out_number(out, "parent_pid", OUT_HIDDEN, task->parent_pid);
		out_number(out, "parent_start_time", OUT_HIDDEN, task->parent_start_time);
	}
	out_number(out, "uid", OUT_HIDDEN, task->uid);
	out_number(out, "cgroup", OUT_HIDDEN, task->cgroup_id);
	if (task->header.type == BUILDID_RECORD_EXIT)
		out_number(out, "exit_code", OUT_HIDDEN, task->exit_code);
	put_flags(out, event->record, event->record->type, task->flags, OUT_HIDDEN);
}

void print_event(struct output *out, const struct buildid_event *event,
		 const struct print_view *view)
{
	static void (*const put[])(struct output *, const struct buildid_event *,
				   const struct print_view *) = {
		[BUILDID_RECORD_MMAP] = put_mmap,    [BUILDID_RECORD_KERNEL] = put_image,
		[BUILDID_RECORD_MODULE] = put_image, [BUILDID_RECORD_COOKIE] = put_cookie,
		[BUILDID_RECORD_LOST] = put_lost,    [BUILDID_RECORD_FORK] = put_task,
		[BUILDID_RECORD_EXEC] = put_task,    [BUILDID_RECORD_EXIT] = put_task,
		[BUILDID_RECORD_COMM] = put_task,
	};
	const struct print_view in_full = { .layout = layout_of(0, false, false) };
	const struct buildid_record *record = event->record;

	if (record->type >= ARRAY_SIZE(put) || !put[record->type])
		return;
	out_begin(out);
	put_header(out, record);
	if (view)
		put_time(out, record, view);
	put[record->type](out, event, view ? view : &in_full);
	out_end(out);
}

void print_header(struct output *out, const struct print_view *view)
{
	const struct layout *layout = &view->layout;

	out_begin(out);
	if (layout->time != OUT_HIDDEN)
		out_string(out, NULL, layout->time, "TIME");
	out_string(out, NULL, PRINT_WIDTH_PID, "    PID");
	out_string(out, NULL, layout->comm, "COMM");
	out_string(out, NULL, layout->address, "     ADDRESS");
	out_string(out, NULL, width_of_prot(view), "PROT");
	out_string(out, NULL, layout->news, "NEWS");
	out_string(out, NULL, layout->id, "IDENTITY");
	out_string(out, NULL, 0, "PATH");
	out_end(out);
}

void print_image(struct output *out, const struct buildid_image *image, const char *name,
		 const char *path)
{
	out_begin(out);
	put_header(out, &image->header);
	print_put_id(out, PRINT_WIDTH_ID, &image->header);
	out_string(out, NULL, name ? 0 : OUT_HIDDEN, name);
	out_string(out, "path", path ? 0 : OUT_HIDDEN, path);
	put_range(out, OUT_HIDDEN, image->addr, image->len);
	out_string(out, "name", OUT_HIDDEN, buildid_image_name(image));
	put_identity(out, &image->header);
	put_flags(out, &image->header, image->header.type, image->flags, OUT_HIDDEN);
	out_end(out);
}

void print_file(struct output *out, const struct buildid_file *file, const char *path)
{
	if (!path)
		path = buildid_file_path(file);

	out_begin(out);
	put_header(out, &file->header);
	print_put_id(out, PRINT_WIDTH_ID, file);
	put_json_path(out, path);
	if (!out->json)
		put_fitted_name(out, *path ? path : "-", 0);
	put_file(out, file);
	put_flags(out, &file->header, BUILDID_RECORD_FILE, file->flags, OUT_HIDDEN);
	out_end(out);
}

void print_file_member(struct output *out, const char *path, const struct elf_member *member)
{
	out_begin(out);
	out_string(out, "type", OUT_HIDDEN, "member");
	print_member(out, path, member);
	put_json_path(out, path);
	out_end(out);
}

void print_dso(struct output *out, const struct perfdata_dso *dso, const char *file)
{
	static const char *const types[] = {
		[PERFDATA_KIND_USER] = "file",	   [PERFDATA_KIND_KERNEL] = "kernel",
		[PERFDATA_KIND_MODULE] = "module", [PERFDATA_KIND_VDSO] = "vdso",
		[PERFDATA_KIND_OTHER] = "other",
	};
	const char *flags[3] = {};
	size_t nr_flags = 0;
	char hex[BUILD_ID_TEXT];
	char *path = NULL;

	if (dso->hit)
		flags[nr_flags++] = "hit";
	if (dso->doubtful)
		flags[nr_flags++] = "doubtful";
	build_id_text(&dso->id, hex);
	if (dso->kind == PERFDATA_KIND_USER)
		path = strndup(dso->path, content_name_path(dso->path, &dso->id));
	out_begin(out);
	out_string(out, "type", OUT_HIDDEN, types[dso->kind]);
	out_string(out, NULL, PRINT_WIDTH_ID, hex);
	out_string(out, "build_id", OUT_HIDDEN, dso->id.size ? hex : NULL);
	if (!out->json)
		put_fitted_name(out, dso->path, file ? columns_of(file) + 1 : 0);
	put_json_path(out, path ? path : dso->path);
	if (path && strcmp(path, dso->path) != 0)
		out_string(out, "name", OUT_HIDDEN, dso->path);
	if (file)
		out_string(out, "file", 0, file);
	if (dso->doubtful)
		out_string(out, NULL, 0, "(doubtful)");
	out_words(out, "flags", OUT_HIDDEN, flags);
	out_end(out);
	free(path);
}
