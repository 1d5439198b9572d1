// SPDX-License-Identifier: GPL-2.0
/* Mapped state: a question is a mapping, an answer a struct mapped_state. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/array.h"
#include "common/clock.h"
#include "common/hash_map.h"
#include "common/open_regular.h"
#include "common/process_stat.h"
#include "common/waits.h"
#include "content/mapped_files.h"
#include "content/mount_device.h"
#include "content/process_place.h"
#include "content/served_device.h"
#include "mapped_state.h"
#include "maps_query.h"

struct question {
	uint32_t pid;
	struct maps_query_file file;
	uint64_t start, end;
	bool ambiguous;
	char path[BUILDID_RECORD_MAX]; /* as in /proc/PID/maps, with " (deleted)" */
};

/* ------------------------------------------------------------ the worker -- */

/* What was read before: most files are mapped by many processes. */
static struct known {
	struct file_state *states;
	size_t count;
	struct hash_map by_version; /* indexes of @states */
} known;

/* Of all of it: a server gives its files the numbers and times that it likes. */
static uint64_t version_key(const struct file_state *state)
{
	uint64_t hash = hash_start();

	hash = hash_bytes(hash, &state->major, sizeof(state->major));
	hash = hash_bytes(hash, &state->minor, sizeof(state->minor));
	hash = hash_bytes(hash, &state->ino, sizeof(state->ino));
	hash = hash_bytes(hash, &state->ctime, sizeof(state->ctime));
	hash = hash_bytes(hash, &state->mtime, sizeof(state->mtime));
	return hash_bytes(hash, &state->size, sizeof(state->size));
}

static bool is_version(const struct file_state *one, const struct file_state *other)
{
	return one->ino == other->ino && one->major == other->major && one->minor == other->minor &&
	       one->ctime == other->ctime && one->mtime == other->mtime && one->size == other->size;
}

static const struct file_state *known_find(const struct file_state *version)
{
	const uint64_t key = version_key(version);
	struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&known.by_version, key, slot)))
		if (is_version(&known.states[slot->value], version))
			return &known.states[slot->value];
	return NULL;
}

/* Without memory it is read again. */
static void known_add(const struct file_state *state)
{
	if (state->identity.reason == BUILDID_REASON_CHANGING ||
	    !array_reserve(known.states, known.count) ||
	    !hash_map_add(&known.by_version, version_key(state), (uint32_t)known.count))
		return;
	known.states[known.count++] = *state;
}

static bool is_number(int handle, const struct question *question, bool *same_device)
{
	struct stat stat_;

	if (fstat(handle, &stat_) || stat_.st_ino != question->file.ino)
		return false;
	*same_device = major(stat_.st_dev) == question->file.major &&
		       minor(stat_.st_dev) == question->file.minor;
	return true;
}

static bool is_inode(int handle, const struct question *question)
{
	bool same_device;

	return is_number(handle, question, &same_device) && same_device;
}

/*
 * Of a file that is known to have the mapping's path, too: several subvolumes of btrfs, or layers of
 * an overlay, may have an inode of that number.
 */
static bool is_inode_of_path(int handle, const struct question *question)
{
	uint32_t major, minor;
	bool same_device;

	if (!is_number(handle, question, &same_device))
		return false;
	return same_device || (mount_device_of(question->pid, handle, &major, &minor) &&
			       major == question->file.major && minor == question->file.minor);
}

/* As /proc shows the file that is open: an overlay's has another inode than /proc/PID/maps. */
static bool has_path(int handle, const struct question *question)
{
	char link[32], target[BUILDID_RECORD_MAX];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", handle);
	size = readlink(link, target, sizeof(target) - 1);
	if (size <= 0)
		return false;
	target[size] = '\0';
	return !strcmp(target, question->path);
}

/* @handle, or -1 with @handle closed. */
static int only_if(bool good, int handle)
{
	if (good || handle < 0)
		return handle;
	close(handle);
	return -1;
}

static void map_files_link(char *link, size_t size, const struct question *question)
{
	snprintf(link, size, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, question->pid,
		 question->start, question->end);
}

/* The range alone does not say it: another file may be mapped there by now. */
static int open_range(const struct question *question)
{
	char link[96];
	int handle;

	map_files_link(link, sizeof(link), question);
	handle = open(link, O_PATH | O_CLOEXEC);
	return only_if(is_inode(handle, question) || has_path(handle, question), handle);
}

static int open_program(const struct question *question)
{
	char link[64];
	int handle;

	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", question->pid);
	handle = open(link, O_PATH | O_CLOEXEC);
	return only_if(is_inode(handle, question) ||
			       (has_path(handle, question) && is_inode_of_path(handle, question)),
		       handle);
}

static int open_place(const struct question *question)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	const char *path = question->path;
	int base = process_place(question->pid, &path);
	int handle;

	if (base < 0)
		return -1;
	handle = (int)syscall(SYS_openat2, base, path, &how, sizeof(how));
	close(base);
	return only_if(is_inode_of_path(handle, question), handle);
}

/* O_PATH, or -1. */
static int open_handle(const struct question *question)
{
	int handle = open_range(question);

	if (handle < 0)
		handle = open_program(question);
	return handle < 0 ? open_place(question) : handle;
}

/* Why a file is not read, whoever may read it; _NONE when it is. */
static enum buildid_reason reason_of_kind(int handle, const struct stat *stat_)
{
	struct statfs filesystem;

	if (!S_ISREG(stat_->st_mode))
		return BUILDID_REASON_NOT_REGULAR;
	if (fstatfs(handle, &filesystem))
		return BUILDID_REASON_IO;
	switch ((unsigned int)filesystem.f_type) {
	case HUGETLBFS_MAGIC:
		return BUILDID_REASON_HUGETLB;
	case SECRETMEM_MAGIC:
		return BUILDID_REASON_SECRET;
	case PROC_SUPER_MAGIC:
	case SYSFS_MAGIC:
		return BUILDID_REASON_PSEUDO;
	default:
		return BUILDID_REASON_NONE;
	}
}

/* Closes @handle. */
static void read_handle(int handle, struct file_state *state)
{
	const struct file_state *before;
	struct reason unused;
	int fd;

	before = known_find(state);
	fd = open_untrusted_handle(handle, &unused);
	if (fd < 0) {
		state->identity.reason = BUILDID_REASON_DENIED;
		return;
	}
	if (before) {
		*state = *before;
	} else {
		file_state_read(state, fd);
		known_add(state);
	}
	close(fd);
}

/* Nanoseconds since the epoch, by the clock as it is set now. */
static int64_t process_begin(uint32_t pid)
{
	struct process_stat stat_;

	if (!process_stat_read((pid_t)pid, &stat_))
		return 0;
	return (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME) + stat_.start);
}

/*
 * What is mapped of an overlay may be a file below it that the overlay does not show any more: once
 * written to it is copied up, and keeps its inode number and path. The copy has a ctime of its
 * own; one from before the process began says that there was none since.
 */
static bool may_be_copied_up(const struct question *question, int handle,
			     const struct file_state *state)
{
	struct statfs filesystem;

	return fstatfs(handle, &filesystem) ||
	       ((unsigned int)filesystem.f_type == OVERLAYFS_SUPER_MAGIC &&
		state->ctime >= process_begin(question->pid));
}

static void read_mapped(const struct question *question, struct file_state *state)
{
	int handle = open_handle(question);
	enum buildid_reason reason;
	struct stat stat_;

	*state = (struct file_state){ .identity.reason = BUILDID_REASON_DENIED };
	if (handle < 0)
		return;
	if (fstat(handle, &stat_)) {
		close(handle);
		return;
	}
	file_state_set(state, &stat_);
	if (may_be_copied_up(question, handle, state)) {
		*state = (struct file_state){ .identity.reason = BUILDID_REASON_DENIED };
		close(handle);
		return;
	}
	reason = reason_of_kind(handle, &stat_);
	if (reason == BUILDID_REASON_NONE) {
		read_handle(handle, state);
		return;
	}
	state->identity.reason = (uint16_t)reason;
	close(handle);
}

/* What nobody can read may still be told by the kernel. */
static void ask_kernel(const struct question *question, struct identity *identity)
{
	if (identity->reason != BUILDID_REASON_DENIED ||
	    served_device_is(question->pid, question->file.major, question->file.minor) ||
	    !maps_query_build_id(question->pid, question->start, &question->file, &identity->id))
		return;
	identity->kind = BUILDID_KIND_GNU;
	identity->reason = BUILDID_REASON_NONE;
}

/* A name may end so: then it leads to the file. */
static bool is_deleted(const struct question *question)
{
	int handle;

	if (!is_marked_deleted(question->path))
		return false;
	handle = open_place(question);
	if (handle >= 0)
		close(handle);
	return handle < 0;
}

static bool take_link(struct question *question, const char *link)
{
	char target[BUILDID_RECORD_MAX];
	const ssize_t size = readlink(link, target, sizeof(target) - 1);

	if (size <= 0)
		return false;
	target[size] = '\0';
	if (!process_maps_show_same(target, question->path))
		return false;
	memcpy(question->path, target, (size_t)size + 1);
	return true;
}

/* By a link, which the kernel shows as it is; "" if there is none. */
static void find_path(struct question *question)
{
	char link[96];
	int handle;

	map_files_link(link, sizeof(link), question);
	if (take_link(question, link))
		return;
	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", question->pid);
	handle = open(link, O_PATH | O_CLOEXEC);
	if (handle < 0 || !is_inode(handle, question) || !take_link(question, link))
		*question->path = '\0';
	if (handle >= 0)
		close(handle);
}

static void mapped_state_answer(const struct worker_message *message, struct worker_message *answer)
{
	struct question *question = message->data;
	struct mapped_state *state = answer->data;

	memset(state, 0, offsetof(struct mapped_state, path) + 1);
	answer->size = offsetof(struct mapped_state, path) + 1;
	if (question->ambiguous) {
		find_path(question);
		strcpy(state->path, question->path);
		answer->size += strlen(question->path);
	}
	read_mapped(question, &state->file);
	ask_kernel(question, &state->file.identity);
	state->deleted = is_deleted(question);
}

/* ------------------------------------------------------------ the parent -- */

struct worker mapped_state_worker(void)
{
	return (struct worker){
		.task = mapped_state_answer,
		.question_max = sizeof(struct question),
		.answer_max = sizeof(struct mapped_state),
		.socket = -1,
	};
}

int mapped_state_read(struct worker *worker, uint32_t pid, uint64_t user,
		      const struct process_mapping *mapping, struct mapped_state *state)
{
	struct question question = {
		.pid = pid,
		.file = { mapping->major, mapping->minor, mapping->ino },
		.start = mapping->start,
		.end = mapping->end,
		.ambiguous = mapping->ambiguous,
	};
	const size_t length = strlen(mapping->path);
	const struct worker_message message = { &question,
						offsetof(struct question, path) + length + 1, -1 };
	const struct waited waited = { user, mapping->major, mapping->minor };
	struct worker_message answer = { state, sizeof(*state), -1 };

	if (length >= sizeof(question.path))
		return ENAMETOOLONG;
	memcpy(question.path, mapping->path, length + 1);
	return waits_ask(&waited, worker, &message, &answer);
}
