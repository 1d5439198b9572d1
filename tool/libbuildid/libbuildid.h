/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libbuildid: the stream of buildid.ko for user space.
 *
 * The shapes of all records, their units and what they promise are in
 * buildid.h, beside this header. Here is how to get at them:
 *
 *	struct buildid_recorder *recorder;
 *	const struct buildid_event *event;
 *
 *	buildid_recorder_new(&recorder, NULL);
 *	while (!buildid_recorder_next(recorder, -1, &event))
 *		...event->record, event->file...
 *	buildid_recorder_free(recorder);
 *
 * gives each mapping together with the identity of its content. What that is
 * made of can be had by itself: the records as they come (buildid_subscribe(),
 * buildid_next()), those of what is mapped already (struct buildid_snapshot),
 * and what joins them (struct buildid_files).
 *
 * Functions that can fail return 0, or what they say, or a negative errno;
 * buildid_strerror() and buildid_advice() have the words for it.
 *
 * Structs may grow at their end, and a program may meet a library, and that a
 * module, of another age. So a struct that a program fills in begins with its
 * size: set it to sizeof, and the rest to 0. What a shorter one lacks is taken
 * for 0; a longer one is -E2BIG unless the rest is 0; -EINVAL is one that is
 * shorter than ever published. A struct to be filled for a program comes with its
 * size, too, and nothing is written behind it. All else is the library's own.
 *
 * Threads: a handle, with its snapshots, a file table and a recorder belong to
 * one thread at a time; different ones share nothing. The functions without one
 * of them are for any thread at any time. None is for a signal handler. A child
 * of fork(2) shares the ring with its parent and must leave it alone, but for
 * closing it.
 */
#ifndef LIBBUILDID_H
#define LIBBUILDID_H

#include <stddef.h>
#include <stdint.h>

#include "buildid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------- handles -- */

struct buildid;

/**
 * buildid_open() - open the device
 * @handle: where to put the new handle
 *
 * Return: 0; -ENOENT, -ENODEV or -ENXIO when the module is not loaded; -EACCES
 * when the device may not be opened; -EPROTONOSUPPORT when the module's
 * BUILDID_ABI_VERSION is another; -ENOMEM, -EMFILE, -ENFILE.
 */
int buildid_open(struct buildid **handle);

/**
 * buildid_close() - give up a handle, its ring and every record from it
 * @handle: or NULL
 */
void buildid_close(struct buildid *handle);

/**
 * buildid_fd() - the file descriptor for an event loop
 * @handle: from buildid_open()
 *
 * Readable (POLLIN) when buildid_next() is worth a call. Wait for nothing else
 * on it, do not read from it and do not close it.
 *
 * Return: the descriptor; it is the handle's own.
 */
int buildid_fd(const struct buildid *handle);

/**
 * buildid_get_info() - what the module is
 * @handle: from buildid_open()
 * @info: to fill; fields that an older module lacks are 0
 * @size: of @info: sizeof(*info)
 *
 * Return: 0 or a negative errno.
 */
int buildid_get_info(struct buildid *handle, struct buildid_info *info, size_t size);

/**
 * buildid_get_stats() - the module's counters since load
 * @handle: from buildid_open()
 * @stats: to fill; counters that an older module lacks are 0
 * @size: of @stats: sizeof(*stats)
 *
 * Return: 0 or a negative errno.
 */
int buildid_get_stats(struct buildid *handle, struct buildid_stats *stats, size_t size);

/**
 * buildid_flush() - make the module forget every file
 * @handle: from buildid_open()
 * @flushed: how many they were; may be NULL
 *
 * Return: 0; -EPERM without CAP_SYS_ADMIN.
 */
int buildid_flush(struct buildid *handle, uint64_t *flushed);

/**
 * buildid_resolve_fd() - identify an open file
 * @handle: from buildid_open()
 * @fd: open for reading
 * @buffer: memory for the record, aligned to 8 bytes
 * @size: of @buffer; BUILDID_RECORD_MAX is always enough
 * @file: set to the record in @buffer, checked as by buildid_record_check()
 *
 * May sleep for as long as reading the file takes. A file without an identity
 * is no error, the record says why.
 *
 * Return: 0; -EBADF; -ENOSPC when @size is too small; -EINTR; -EINVAL when
 * @buffer is not aligned; -EBADMSG when the answer contradicts itself.
 */
int buildid_resolve_fd(struct buildid *handle, int fd, void *buffer, size_t size,
		       const struct buildid_file **file);

/**
 * struct buildid_key - an inode
 * @size: of the struct
 * @flags: BUILDID_KEY_ANY_GENERATION or 0
 * @dev_major: of the superblock it is on, as in struct buildid_file
 * @dev_minor: likewise
 * @ino: inode number, likewise
 * @generation: of the inode number
 * @reserved: 0
 */
struct buildid_key {
	uint32_t size;
	uint32_t flags;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint64_t ino;
	uint32_t generation;
	uint32_t reserved;
};

/**
 * buildid_resolve_key() - what was seen last of an inode
 * @handle: from buildid_open()
 * @key: the inode, which need not exist any more
 * @buffer: as for buildid_resolve_fd()
 * @size: likewise
 * @file: likewise; the newest version that is remembered
 *
 * Return: 0; -ENOENT when it is not remembered; -EPERM; -ENOSPC, -EINVAL and
 * -EBADMSG as of buildid_resolve_fd().
 */
int buildid_resolve_key(struct buildid *handle, const struct buildid_key *key, void *buffer,
			size_t size, const struct buildid_file **file);

/**
 * buildid_resolve_id() - what a file_id stands for
 * @handle: from buildid_open()
 * @file_id: as in a FILE or MMAP record
 * @buffer: as for buildid_resolve_fd()
 * @size: likewise
 * @file: likewise
 *
 * Return: as of buildid_resolve_key().
 */
int buildid_resolve_id(struct buildid *handle, uint64_t file_id, void *buffer, size_t size,
		       const struct buildid_file **file);

/**
 * struct buildid_address - an address in a process, and what is there
 * @size: of the struct
 * @pid: the process
 * @addr: the address
 * @start_time: which of those with that pid, as in struct buildid_mmap, 0 for the
 *	last; set to that of the one that is answered for
 * @offset: set to the offset in the file of @addr, in bytes
 * @source: set to BUILDID_ADDR_* or 0
 * @reserved: 0
 */
struct buildid_address {
	uint32_t size;
	uint32_t pid;
	uint64_t addr;
	uint64_t start_time;
	uint64_t offset;
	uint32_t source;
	uint32_t reserved;
};

/**
 * buildid_resolve_addr() - what file is mapped at an address
 * @handle: from buildid_open()
 * @address: pid, addr and start_time are taken; start_time, offset and source set
 * @buffer: as for buildid_resolve_fd()
 * @size: likewise
 * @file: likewise
 *
 * Of a process that has exited the last mappings are remembered for a while.
 *
 * Return: 0; -ESRCH when the process is not known; -ENOENT when no file is
 * mapped there, or it is not remembered; -EPERM; -EINTR; -ENOSPC, -EINVAL and
 * -EBADMSG as of buildid_resolve_fd().
 */
int buildid_resolve_addr(struct buildid *handle, struct buildid_address *address, void *buffer,
			 size_t size, const struct buildid_file **file);

/* -------------------------------------------------------------- cookies -- */

/**
 * buildid_set_cookie_mapping() - name what was put into memory
 * @handle: from buildid_open()
 * @addr: in the caller's own address space
 * @len: bytes from there on, all of them mapped
 * @kind: BUILDID_KIND_GNU, _GO or _COOKIE: what the identity is; of no matter
 *	when it is taken back
 * @id: the identity
 * @id_len: its length, 1 to BUILDID_ID_MAX bytes; 0 to take back what was set
 *
 * For code that no ELF file holds, as a JIT or a loader of its own makes it.
 * Holds until any of it is unmapped. Subscribers are told at once, also when it
 * is taken back. A child of fork(2) does not have it.
 *
 * Return: 0; -EINVAL; -ENOENT when not all of it is mapped, or there is nothing
 * to take back; -EDQUOT when the user has too many; -EOPNOTSUPP where the
 * kernel cannot tell of what is unmapped; -ENOTTY when the module is too old.
 */
int buildid_set_cookie_mapping(struct buildid *handle, const void *addr, size_t len,
			       unsigned int kind, const void *id, size_t id_len);

/**
 * buildid_set_cookie_fd() - name a file that has no identity of its own
 * @handle: from buildid_open()
 * @fd: open for reading; the file belongs to the caller's user
 * @id: the identity, of BUILDID_KIND_COOKIE
 * @id_len: its length, 1 to BUILDID_ID_MAX bytes; 0 to take back what was set
 *
 * Holds for the file's next mappings, until it changes.
 *
 * Return: 0; -EPERM for another user's file; -EBADF; -EEXIST when the content
 * has an identity of its own; -EIO, or -EAGAIN when it is being changed; -ENOENT
 * when there is nothing to take back; -EDQUOT; -EOPNOTSUPP for a file that is
 * never read; -EINVAL; -EINTR; -ENOTTY when the module is too old.
 */
int buildid_set_cookie_fd(struct buildid *handle, int fd, const void *id, size_t id_len);

/* --------------------------------------------------------------- stream -- */

/**
 * struct buildid_options - what to subscribe to
 * @size: of the struct
 * @flags: BUILDID_SUB_*
 * @ring_size: in bytes, a power of two between ring_min and ring_max of struct
 *	buildid_info; 0 for 1 MiB
 * @watermark: buildid_fd() becomes readable, and a buildid_next() that waits
 *	wakes, only when that many bytes wait; 0 for any
 * @pids: only these processes and, with BUILDID_SUB_CHILDREN, their
 *	descendants
 * @nr_pids: how many @pids, at most BUILDID_SUB_PIDS_MAX; 0 for every process
 * @uid: with BUILDID_SUB_UID: only processes with that real uid; else 0
 * @cgroup_fd: with BUILDID_SUB_CGROUP: only processes in or below that cgroup,
 *	an open cgroup v2 directory; else 0
 * @reserved: 0
 *
 * Filters add up: what passes all of them is delivered.
 */
struct buildid_options {
	uint32_t size;
	uint32_t flags;
	uint32_t ring_size;
	uint32_t watermark;
	const uint32_t *pids;
	uint32_t nr_pids;
	uint32_t uid;
	int cgroup_fd;
	uint32_t reserved;
};

/**
 * buildid_subscribe() - begin to receive records
 * @handle: from buildid_open(), not subscribed yet
 * @options: or NULL for all defaults
 *
 * From its return on nothing is missed without being counted in a LOST record.
 *
 * Return: 0; -EBUSY when @handle is subscribed; -EPERM; -ESRCH for a pid that
 * is not there; -EUSERS when the module has no ring left; -EINVAL; -ENOMEM, also
 * for more than RLIMIT_MEMLOCK.
 * After an error close the handle.
 */
int buildid_subscribe(struct buildid *handle, const struct buildid_options *options);

/**
 * buildid_next() - the next record
 * @handle: subscribed
 * @timeout_ms: how long to wait for one, in milliseconds; -1 for ever, 0 not
 *	at all
 * @record: set to the record; it lies in the ring and is valid until the next
 *	call with @handle
 *
 * Records of a known type have passed buildid_record_check(); skip those of a
 * type you do not know. A record that a waiting reader has not been woken for
 * (watermark) is delivered all the same once @timeout_ms is over, or when
 * asked with 0. Neither allocates nor copies.
 *
 * Return: 0; -EAGAIN when there was none in time; -EINTR when a signal came;
 * -EBADMSG for a record that contradicts itself: the next call goes on behind
 * it, or returns the same error when there is no going on; -EINVAL when not
 * subscribed.
 */
int buildid_next(struct buildid *handle, int timeout_ms, const struct buildid_record **record);

/* ------------------------------------------------------------- snapshot -- */

struct buildid_snapshot;

/**
 * buildid_snapshot_new() - look at the mappings that exist already
 * @snapshot: where to put it
 * @handle: from buildid_open(), subscribed or not; has to outlive the snapshot
 * @options: which processes and mappings: pids, uid, cgroup_fd, and of flags
 *	BUILDID_SUB_DATA, _CHILDREN, _UID and _CGROUP; NULL for all processes
 *
 * Finds out which processes there are, and takes their mappings one by one as
 * buildid_snapshot_next() gets to them, in memory of a fixed size.
 *
 * To miss nothing subscribe first; what is mapped in between comes from both.
 * A process that is forked in between has what its parent had, as it has in a
 * stream.
 *
 * Return: 0; -ENOMEM; -EINVAL for options that a subscription would refuse;
 * what opening /proc or reading the cgroup failed with.
 */
int buildid_snapshot_new(struct buildid_snapshot **snapshot, struct buildid *handle,
			 const struct buildid_options *options);

/**
 * buildid_snapshot_next() - the next record of a snapshot
 * @snapshot: from buildid_snapshot_new()
 * @record: set to the record, valid until the next call with @snapshot
 *
 * FILE and MMAP records, each MMAP behind its FILE, and COOKIE records behind
 * those of the process; all have passed buildid_record_check(), have a seq of
 * 0 and the flag BUILDID_RECORD_SNAPSHOT. May sleep for as long as reading the
 * files takes. Does not allocate. A process that is gone by now is no error,
 * nor is a kernel thread. One that calls exec meanwhile is started again: what
 * came of it before is of a program that it does not run any more.
 *
 * Return: 0; -ENODATA at the end; -EINTR when a signal came, call again;
 * -ESTALE of a process that does nothing but call exec, -EPERM and other errors
 * of a process: the next call goes on behind it.
 */
int buildid_snapshot_next(struct buildid_snapshot *snapshot, const struct buildid_record **record);

/**
 * buildid_snapshot_processes() - how many processes were looked into
 * @snapshot: from buildid_snapshot_new()
 *
 * Return: those so far that were there, whether they had mappings or not.
 */
size_t buildid_snapshot_processes(const struct buildid_snapshot *snapshot);

/**
 * buildid_snapshot_free() - end a snapshot
 * @snapshot: or NULL
 */
void buildid_snapshot_free(struct buildid_snapshot *snapshot);

/* -------------------------------------------------------------- records -- */

/**
 * buildid_record_check() - whether bytes are a well-formed record
 * @bytes: aligned to 8 bytes
 * @size: bytes that may be read there
 *
 * Checks the header, and every length inside a record of known type. A record
 * that passes is safe to use with all functions below. A record of another
 * type passes when its header does.
 *
 * Return: 0; -EBADMSG when not; -EINVAL when @bytes is not aligned.
 */
int buildid_record_check(const void *bytes, size_t size);

/**
 * buildid_file_id_bytes() - the identity in a FILE record
 * @file: all header.size bytes of it readable
 * @size: set to the number of bytes, 0 when there is none
 *
 * Return: the bytes; NULL when there are none, or their length contradicts
 * the record's.
 */
const uint8_t *buildid_file_id_bytes(const struct buildid_file *file, size_t *size);

/**
 * buildid_file_path() - the path in a FILE record
 * @file: all header.size bytes of it readable
 *
 * Any bytes but NUL may be in it, UTF-8 or not.
 *
 * Return: the path, "" when there is none, NULL when its length contradicts
 * the record's.
 */
const char *buildid_file_path(const struct buildid_file *file);

/**
 * buildid_mmap_path() - the path in a MMAP record
 * @mmap: all header.size bytes of it readable
 *
 * Return: as of buildid_file_path(); "" unless BUILDID_SUB_PATH was asked for.
 */
const char *buildid_mmap_path(const struct buildid_mmap *mmap);

/**
 * buildid_image_id_bytes() - the identity in a KERNEL or MODULE record
 * @image: all header.size bytes of it readable
 * @size: set to the number of bytes, 0 when there is none
 *
 * Return: as of buildid_file_id_bytes().
 */
const uint8_t *buildid_image_id_bytes(const struct buildid_image *image, size_t *size);

/**
 * buildid_image_name() - the kernel's release, or the module's name
 * @image: all header.size bytes of it readable
 *
 * Return: as of buildid_file_path().
 */
const char *buildid_image_name(const struct buildid_image *image);

/**
 * buildid_cookie_id_bytes() - the identity in a COOKIE record
 * @cookie: all header.size bytes of it readable
 * @size: set to the number of bytes, 0 when it was taken back
 *
 * Return: as of buildid_file_id_bytes().
 */
const uint8_t *buildid_cookie_id_bytes(const struct buildid_cookie *cookie, size_t *size);

/**
 * buildid_type_name() - "file", "mmap", "lost" for an enum buildid_record_type
 * @type: a number
 *
 * Return: the word, "unknown" for a number that is not known.
 */
const char *buildid_type_name(unsigned int type);

/**
 * buildid_kind_name() - "none", "gnu", "go", "htlhash" for an enum buildid_kind
 * @kind: a number
 *
 * Return: the word, "unknown" for a number that is not known.
 */
const char *buildid_kind_name(unsigned int kind);

/**
 * buildid_reason_name() - one word for an enum buildid_reason
 * @reason: a number
 *
 * Return: "no-note", "pending" and so on; "unknown" for a number that is not
 * known; NULL for BUILDID_REASON_NONE.
 */
const char *buildid_reason_name(unsigned int reason);

/* ------------------------------------------------------------ file table -- */

/**
 * struct buildid_files_options - bounds of a file table; 0 is the default
 * @size: of the struct
 * @reserved: 0
 * @max_files: FILE records to remember, 65536; the one not used for longest is
 *	forgotten first
 * @max_waiting: events to hold back for a FILE record that is to follow, 4096
 * @max_wait: how long to hold one back, in nanoseconds, one second
 */
struct buildid_files_options {
	uint32_t size;
	uint32_t reserved;
	size_t max_files;
	size_t max_waiting;
	uint64_t max_wait;
};

/**
 * struct buildid_event - a record, joined with what it refers to
 * @size: of the struct, as this library has it
 * @flags: BUILDID_EVENT_*; ignore bits that are not known
 * @record: any but a FILE record
 * @file: for a MMAP, the FILE record of its content; NULL when none is known,
 *	and for all other types
 */
struct buildid_event {
	uint32_t size;
	uint32_t flags;
	const struct buildid_record *record;
	const struct buildid_file *file;
};

/* From a snapshot, and an event told of this mapping already. */
#define BUILDID_EVENT_DUPLICATE (1U << 0)

/* For the now of buildid_files_next(): deliver what is held back as it is. */
#define BUILDID_FILES_ALL UINT64_MAX

struct buildid_files;

/**
 * buildid_files_new() - make a file table
 * @files: where to put it
 * @options: bounds, or NULL for the defaults
 *
 * Return: 0; -ENOMEM; -EINVAL and -E2BIG for the size of @options.
 */
int buildid_files_new(struct buildid_files **files, const struct buildid_files_options *options);

/**
 * buildid_files_free() - free a file table with all that it remembers
 * @files: or NULL
 */
void buildid_files_free(struct buildid_files *files);

/**
 * buildid_files_push() - put the next record of a stream in
 * @files: the table
 * @record: any; passed to buildid_record_check() again
 *
 * FILE records are remembered, all others come out of buildid_files_next().
 * Call that until it returns NULL after each push: @record is copied only when it
 * has to wait, and must else stay as it is until then. Memory is used again: a
 * table that is as full as it gets does not allocate.
 *
 * Return: 0; -EBADMSG; -ENOMEM; -EBUSY when the event of the push before was
 * not taken. The table stays good after an error.
 */
int buildid_files_push(struct buildid_files *files, const struct buildid_record *record);

/**
 * buildid_files_next() - take the next event out
 * @files: the table
 * @now: CLOCK_MONOTONIC in nanoseconds as of the stream, or BUILDID_FILES_ALL
 *
 * Events come in the order of their records. A MMAP whose file is still being
 * read holds back itself and all behind it until the FILE record with the
 * identity came, or a bound is reached: then it comes with the FILE record
 * that says BUILDID_REASON_PENDING.
 *
 * Return: the event, valid until the next call with @files; NULL when there is
 * none now.
 */
const struct buildid_event *buildid_files_next(struct buildid_files *files, uint64_t now);

/**
 * buildid_files_timeout() - how long an event may still be held back
 * @files: the table
 * @now: as for buildid_files_next()
 *
 * Return: milliseconds, fit for poll(2); -1 when none is held back.
 */
int buildid_files_timeout(const struct buildid_files *files, uint64_t now);

/**
 * buildid_files_pending() - how many files are known to be still being read
 * @files: the table
 *
 * Return: FILE records remembered whose reason is BUILDID_REASON_PENDING.
 */
size_t buildid_files_pending(const struct buildid_files *files);

/**
 * buildid_files_find() - look up a FILE record
 * @files: the table
 * @file_id: as in a MMAP record
 *
 * Return: the record, valid until the next push; NULL when it is not known.
 */
const struct buildid_file *buildid_files_find(struct buildid_files *files, uint64_t file_id);

/* ------------------------------------------------------------- recorder -- */

/**
 * struct buildid_recorder_options - what a recorder is to deliver
 * @size: of the struct
 * @flags: BUILDID_RECORDER_*
 * @subscribe: as for buildid_subscribe(), NULL likewise
 * @files: bounds, as for buildid_files_new(), NULL likewise
 */
struct buildid_recorder_options {
	uint32_t size;
	uint32_t flags;
	const struct buildid_options *subscribe;
	const struct buildid_files_options *files;
};

/* The mappings that exist already, too. */
#define BUILDID_RECORDER_SNAPSHOT (1U << 0)

struct buildid_recorder;

/**
 * buildid_recorder_new() - subscribe, and join what comes
 * @recorder: where to put it
 * @options: or NULL for all defaults, with no snapshot
 *
 * A handle, its subscription, a file table and a snapshot in one: all that a
 * recorder of mappings needs.
 *
 * Return: 0; what buildid_open(), buildid_subscribe(), buildid_files_new() and
 * buildid_snapshot_new() return.
 */
int buildid_recorder_new(struct buildid_recorder **recorder,
			 const struct buildid_recorder_options *options);

/**
 * buildid_recorder_free() - give up a recorder and every event from it
 * @recorder: or NULL
 */
void buildid_recorder_free(struct buildid_recorder *recorder);

/**
 * buildid_recorder_handle() - the handle that is subscribed
 * @recorder: from buildid_recorder_new()
 *
 * For buildid_fd(), buildid_get_stats() and the buildid_resolve_*() calls. Do
 * not read from it or close it.
 *
 * Return: the handle; it is the recorder's own.
 */
struct buildid *buildid_recorder_handle(struct buildid_recorder *recorder);

/**
 * buildid_recorder_snapshot() - take a snapshot, or another one
 * @recorder: from buildid_recorder_new()
 *
 * As BUILDID_RECORDER_SNAPSHOT does at the beginning; then for example after a
 * LOST record. What is left of one that is being taken is dropped.
 *
 * Return: as of buildid_snapshot_new(); -EINVAL after buildid_recorder_stop().
 */
int buildid_recorder_snapshot(struct buildid_recorder *recorder);

/**
 * buildid_recorder_snapshotting() - whether a snapshot is being taken
 * @recorder: from buildid_recorder_new()
 *
 * Return: 1 as long as not all of it was delivered, else 0.
 */
int buildid_recorder_snapshotting(const struct buildid_recorder *recorder);

/**
 * buildid_recorder_next() - the next event
 * @recorder: from buildid_recorder_new()
 * @timeout_ms: how long to wait for one, in milliseconds; -1 for ever, 0 not
 *	at all. Reading files for a snapshot takes what it takes
 * @event: set to the event, valid until the next call with @recorder
 *
 * Each mapping comes with the identity of its content, and in order: one whose
 * file is still being read holds back those behind it, for max_wait at most.
 * What was mapped before a part of the snapshot was taken comes before it. A
 * mapping that comes from both has BUILDID_EVENT_DUPLICATE the second time; in
 * memory of a fixed size, so that of more than 49,152 mappings made during one
 * snapshot the later ones are not marked.
 *
 * Does not allocate, but for files not known before as long as there are fewer
 * than max_files of them.
 *
 * Return: 0; -EAGAIN when there was none in time; -EINTR when a signal came;
 * -ENODATA when all is delivered after buildid_recorder_stop(); -ENOMEM when
 * a record was lost for want of memory; as of buildid_next(); as of
 * buildid_snapshot_next() for a process of the snapshot. After an error the
 * next call goes on behind it, if that is possible.
 */
int buildid_recorder_next(struct buildid_recorder *recorder, int timeout_ms,
			  const struct buildid_event **event);

/**
 * buildid_recorder_timeout() - when to call again although nothing is readable
 * @recorder: from buildid_recorder_new()
 *
 * For an event loop: call buildid_recorder_next() with a timeout of 0 until it
 * returns -EAGAIN, then wait for buildid_fd() for that long at most.
 *
 * Return: milliseconds, fit for poll(2); -1 for ever.
 */
int buildid_recorder_timeout(const struct buildid_recorder *recorder);

/**
 * buildid_recorder_stop() - take in nothing that is mapped from now on
 * @recorder: from buildid_recorder_new()
 *
 * Then call buildid_recorder_next() until it returns -ENODATA: it delivers what
 * was mapped before, and still waits for files that are being read. A snapshot
 * that is being taken ends.
 */
void buildid_recorder_stop(struct buildid_recorder *recorder);

/* --------------------------------------------------------------- errors -- */

/**
 * buildid_strerror() - what an error of this library means
 * @error: errno of any sign
 *
 * Return: a text without a full stop, never NULL.
 */
const char *buildid_strerror(int error);

/**
 * buildid_advice() - what to do about an error of this library
 * @error: errno of any sign
 *
 * Return: a text without a full stop, NULL when there is nothing to say.
 */
const char *buildid_advice(int error);

#ifdef __cplusplus
}
#endif

#endif /* LIBBUILDID_H */
