/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libbuildid - which content is mapped where, for recorders
 *
 * The kernel module buildid(4) reports which content every mapping of a file has: its
 * build-id, or another identity. This library is for programs that record it. The
 * records, their units and guarantees are described in buildid.h, which this header
 * includes; libbuildid(3) is generated from this header.
 *
 * Most programs only need a recorder. buildid_recorder_new() subscribes. From then on
 * buildid_recorder_next() returns each mapping, or a LOST record counts it. The identity
 * of its content comes with it, or a little later if the file has yet to be read: nothing
 * is held back for that.
 *
 * The parts of a recorder can be used by themselves: the stream of records
 * (buildid_subscribe(), buildid_next()), the records of mappings that exist already
 * (buildid_snapshot_new()), and the table that joins mappings with files
 * (buildid_files_new()). To miss nothing, subscribe before the snapshot. In all of them,
 * pids are reused: identify a process by pid and start_time.
 *
 * A handle without a subscription can resolve single files, inodes and addresses
 * (buildid_resolve_fd() and others), and lets a loader name code that is in no ELF file
 * (buildid_set_cookie_mapping()).
 *
 * Ownership
 * ---------
 * Records and events are in the ring, in the snapshot's buffer or in the file table, and
 * are valid until the next call with the object that they came from. No memory is
 * allocated for an event. A file table allocates for each new file until it has max_files
 * of them, and then reuses their memory.
 *
 * Threads
 * -------
 * A handle together with its snapshots, a file table, and a recorder may each be used by
 * one thread at a time; different ones share nothing. Functions that take no such object
 * may be called from any thread. No function is async-signal-safe. A child of fork(2)
 * shares the ring with its parent, and may only close it.
 *
 * Return value
 * ------------
 * Functions that can fail return 0 or a documented value, or a negative errno.
 * buildid_strerror() has a text for each, buildid_advice() what to do about it.
 *
 * Errors
 * ------
 * These mean the same everywhere, also where a function lists them without a text.
 *
 * -EPERM
 *	Subscribing, and asking about other processes, require CAP_PERFMON or
 *	CAP_SYS_ADMIN.
 * -EPROTONOSUPPORT, -ENOTTY, -E2BIG
 *	The versions of the module, the library and the program do not match.
 * -EAGAIN
 *	No record or event came in time.
 * -ENODATA
 *	There will be no more records or events.
 * -EINTR
 *	A signal came; call again.
 * -ENOMEM
 *	There is not enough memory.
 * -EBADMSG
 *	A record is malformed. The next call continues after it, if possible.
 *
 * Versions
 * --------
 * Symbols have the version LIBBUILDID_1. Structs may grow at their end. One that a
 * program fills in begins with its size: set it to sizeof and the rest to 0. Fields that
 * a shorter struct lacks count as 0. A longer one is -E2BIG unless the rest of it is 0,
 * and one shorter than its first published version is -EINVAL. A struct to be filled in
 * is passed with its size, and nothing is written past that. Records and events belong to
 * the library: find their variable parts by the functions here, ignore unknown flags, and
 * skip records of unknown types.
 *
 * Examples
 * --------
 * The path of every file that is mapped executable, now or later:
 *
 *	#include <libbuildid.h>
 *	#include <stdio.h>
 *
 *	int main(void)
 *	{
 *		struct buildid_recorder_options options = {
 *			.size = sizeof(options),
 *			.flags = BUILDID_RECORDER_SNAPSHOT,
 *		};
 *		const struct buildid_event *event;
 *		struct buildid_recorder *recorder;
 *		int err = buildid_recorder_new(&recorder, &options);
 *
 *		while (!err && !(err = buildid_recorder_next(recorder, -1, &event)))
 *			if (event->record->type == BUILDID_RECORD_FILE)
 *				puts(buildid_file_path(event->file));
 *		fprintf(stderr, "%s\n", buildid_strerror(err));
 *		buildid_recorder_free(recorder);
 *		return 1;
 *	}
 *
 * Three recorders are installed as examples with the documentation: mappings.c prints
 * JSON, addresses.c resolves addresses of processes that have exited, and profile.c
 * samples with perf_event_open(2) and writes a profile for pprof.
 *
 * See also
 * --------
 * buildid(1), buildid(4), perf_event_open(2)
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
 * Return: 0 or a negative errno.
 *
 * Errors:
 * -ENODEV
 *	The module is not loaded. No call with a handle returns this.
 * -EACCES
 *	The caller may not open the device.
 * -EPROTONOSUPPORT
 *	The module has another BUILDID_ABI_VERSION.
 * -EMFILE, -ENFILE
 *	Too many files are open.
 * -ENOMEM
 */
int buildid_open(struct buildid **handle);

/**
 * buildid_module_abi() - the BUILDID_ABI_VERSION of the module
 * @abi: set to the module's; buildid_open() requires that of this library
 *
 * Return: 0 or a negative errno.
 *
 * Errors:
 * -ENODEV
 *	The module is not loaded. No call with a handle returns this.
 * -EACCES
 *	The caller may not open the device.
 * -EMFILE, -ENFILE
 *	Too many files are open.
 */
int buildid_module_abi(uint32_t *abi);

/**
 * buildid_close() - close a handle, and free its ring with every record from it
 * @handle: from buildid_open(), or NULL
 */
void buildid_close(struct buildid *handle);

/**
 * buildid_fd() - the file descriptor for an event loop
 * @handle: from buildid_open()
 *
 * Poll it for POLLIN, and call buildid_next() when it is readable. Do not read from
 * it or close it.
 *
 * Return: the descriptor, which belongs to the handle.
 */
int buildid_fd(const struct buildid *handle);

/**
 * buildid_get_info() - the module's version, limits, known flags and status
 * @handle: from buildid_open()
 * @info: to fill; fields that an older module lacks are 0
 * @size: of @info: sizeof(*info)
 *
 * Without BUILDID_STATUS_ARMED in its status the module sees no mappings.
 *
 * Return: 0 or a negative errno.
 *
 * Errors:
 * -EINVAL
 *	@size is smaller than the struct ever was.
 */
int buildid_get_info(struct buildid *handle, struct buildid_info *info, size_t size);

/**
 * buildid_get_stats() - the module's counters since load
 * @handle: from buildid_open()
 * @stats: to fill; counters that an older module lacks are 0
 * @size: of @stats: sizeof(*stats)
 *
 * Return: 0 or a negative errno.
 *
 * Errors:
 * -EINVAL
 *	@size is smaller than the struct ever was.
 */
int buildid_get_stats(struct buildid *handle, struct buildid_stats *stats, size_t size);

/**
 * buildid_flush() - make the module forget every file
 * @handle: from buildid_open()
 * @flushed: set to their number; may be NULL
 *
 * Return: 0 or a negative errno.
 *
 * Errors:
 * -EPERM
 *	The caller does not have CAP_SYS_ADMIN.
 */
int buildid_flush(struct buildid *handle, uint64_t *flushed);

/**
 * buildid_resolve_fd() - identify an open file
 * @handle: from buildid_open()
 * @fd: open for reading, or O_PATH for a record without an identity, see uapi/buildid.h
 * @buffer: memory for the record, aligned to 8 bytes
 * @size: of @buffer; BUILDID_RECORD_MAX is always enough
 * @file: set to the record in @buffer, which has passed buildid_record_check()
 *
 * Needs no privilege, and may sleep for as long as reading the file takes. A file without
 * an identity is not an error; the record has the reason.
 *
 * Return: 0 or a negative errno.
 *
 * Errors:
 * -EBADF
 *	@fd is not open for reading, nor O_PATH.
 * -ENOSPC
 *	@size is too small.
 * -EINVAL
 *	@buffer is not aligned.
 * -EINTR, -EBADMSG
 */
int buildid_resolve_fd(struct buildid *handle, int fd, void *buffer, size_t size,
		       const struct buildid_file **file);

/**
 * struct buildid_key - an inode
 * @size: of the struct
 * @flags: BUILDID_KEY_*
 * @dev_major: as in struct buildid_file
 * @dev_minor: as in struct buildid_file
 * @ino: as in struct buildid_file
 * @generation: as in struct buildid_file; 0 with BUILDID_KEY_ANY_GENERATION
 * @reserved: 0
 * @tree: as in struct buildid_resolve; 0 with BUILDID_KEY_ANY_TREE
 */
struct buildid_key {
	uint32_t size;
	uint32_t flags;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint64_t ino;
	uint32_t generation;
	uint32_t reserved;
	uint64_t tree;
};

/**
 * buildid_resolve_key() - look up an inode in the module's cache
 * @handle: from buildid_open()
 * @key: the inode, which need not exist any more
 * @buffer: memory for the record, aligned to 8 bytes
 * @size: of @buffer; BUILDID_RECORD_MAX is always enough
 * @file: set to the record in @buffer, of the newest version in the cache
 *
 * Return: 0 or a negative errno.
 *
 * Errors:
 * -ENOENT
 *	It is not in the cache.
 * -ENOTUNIQ
 *	BUILDID_KEY_ANY_TREE leaves open which inode is meant.
 * -ENOSPC
 *	@size is too small.
 * -EINVAL
 *	@key is not valid, or @buffer is not aligned.
 * -EPERM, -E2BIG, -EBADMSG
 */
int buildid_resolve_key(struct buildid *handle, const struct buildid_key *key, void *buffer,
			size_t size, const struct buildid_file **file);

/**
 * buildid_resolve_id() - look up a file_id in the module's cache
 * @handle: from buildid_open()
 * @file_id: as in a FILE or MMAP record
 * @buffer: memory for the record, aligned to 8 bytes
 * @size: of @buffer; BUILDID_RECORD_MAX is always enough
 * @file: set to the record in @buffer
 *
 * Return: 0 or a negative errno.
 *
 * Errors:
 * -ENOENT
 *	It is not in the cache.
 * -ENOSPC
 *	@size is too small.
 * -EINVAL
 *	@buffer is not aligned.
 * -EPERM, -EBADMSG
 */
int buildid_resolve_id(struct buildid *handle, uint64_t file_id, void *buffer, size_t size,
		       const struct buildid_file **file);

/**
 * struct buildid_address - an address in a process, and what is there
 * @size: of the struct
 * @pid: the process
 * @addr: the address
 * @start_time: of the process, as in struct buildid_mmap; 0 for the last one with
 *	that pid. Set to that of the process found
 * @offset: set to the offset in the file that @addr stands for, in bytes
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

/* buildid_address.source */
#define BUILDID_ADDR_HISTORY (1U << 0) /* the process has exited */

/**
 * buildid_resolve_addr() - look up the file that is mapped at an address
 * @handle: from buildid_open()
 * @address: pid, addr and start_time are read; start_time, offset and source are set
 * @buffer: memory for the record, aligned to 8 bytes
 * @size: of @buffer; BUILDID_RECORD_MAX is always enough
 * @file: set to the record in @buffer
 *
 * For a living process this is the file that is mapped there now. For an exited process
 * it is the one that it mapped there last, if the module still remembers that: see
 * BUILDID_IOC_HISTORY. Whether it was unmapped later is unknown, as with perf.
 *
 * A process that forked without calling exec had its parent's mappings. As munmap(2) is
 * not recorded, these are inferred only if the parent is alive, has a file mapped
 * executable there, has mapped nothing there and not called exec since the fork, and the
 * module remembers all mappings, forks and execs of the machine since then. What another
 * thread of the parent mapped during the fork counts as inherited, and so does what was
 * moved there by mremap(2), or mapped by a process that shares the parent's memory
 * (vfork(2), CLONE_VM). If the parent has exited as well, nothing is inferred: a recorder
 * that subscribes with BUILDID_SUB_TASKS can know.
 *
 * What is read about an exited process is cached in the handle: resolve all its addresses
 * in a row, with the start_time that was set.
 *
 * Return: 0 or a negative errno.
 *
 * Errors:
 * -ESRCH
 *	The process is not known.
 * -ENOENT
 *	No file is mapped there, or it is not remembered.
 * -ETIMEDOUT
 *	The process keeps its address space locked.
 * -EPERM
 *	It is another process, and the caller has neither CAP_PERFMON nor
 *	CAP_SYS_ADMIN.
 * -ENOSPC
 *	@size is too small.
 * -EINVAL
 *	@address is not valid, or @buffer is not aligned.
 * -EINTR, -E2BIG, -EBADMSG, -ENOMEM
 */
int buildid_resolve_addr(struct buildid *handle, struct buildid_address *address, void *buffer,
			 size_t size, const struct buildid_file **file);

/* -------------------------------------------------------------- cookies -- */

/**
 * buildid_set_cookie_mapping() - name code in the caller's memory
 * @handle: from buildid_open()
 * @addr: in the caller's own address space
 * @len: bytes from @addr, all of them mapped
 * @kind: of the identity: BUILDID_KIND_GNU, _GO or _COOKIE; ignored on removal
 * @id: the identity
 * @id_len: its length, 1 to BUILDID_ID_MAX bytes; 0 to remove a cookie
 *
 * For code that is in no ELF file, such as that of a JIT or a private loader.
 * The cookie lasts until any of the memory is unmapped, and is not inherited by a
 * child of fork(2). Subscribers get a COOKIE record now, and one on removal.
 *
 * Return: 0 or a negative errno.
 *
 * Errors:
 * -EINVAL
 *	@addr, @len, @kind or @id_len is not valid.
 * -ENOENT
 *	Not all of it is mapped, or there is nothing to remove.
 * -EDQUOT
 *	The user has too many cookies.
 * -EOPNOTSUPP
 *	The kernel has no MMU notifiers.
 * -EINTR, -ENOMEM, -ENOTTY
 */
int buildid_set_cookie_mapping(struct buildid *handle, const void *addr, size_t len,
			       unsigned int kind, const void *id, size_t id_len);

/**
 * buildid_set_cookie_fd() - name a file that has no identity of its own
 * @handle: from buildid_open()
 * @fd: open for reading; the file belongs to the caller's user
 * @id: the identity, of BUILDID_KIND_COOKIE
 * @id_len: its length, 1 to BUILDID_ID_MAX bytes; 0 to remove a cookie
 *
 * From now on it is the identity of the file's mappings, until the file changes.
 *
 * Return: 0 or a negative errno.
 *
 * Errors:
 * -EPERM
 *	The file is another user's, and the caller does not have CAP_FOWNER.
 * -EBADF
 *	@fd is not open for reading.
 * -EEXIST
 *	The content has an identity of its own.
 * -EIO
 *	It cannot be read.
 * -EAGAIN
 *	It is being changed.
 * -ENOENT
 *	There is nothing to remove.
 * -EDQUOT
 *	The user has too many cookies.
 * -EOPNOTSUPP
 *	The file is one that is never read.
 * -EINVAL
 *	@id_len is not valid.
 * -EINTR, -ENOMEM, -ENOTTY
 */
int buildid_set_cookie_fd(struct buildid *handle, int fd, const void *id, size_t id_len);

/* --------------------------------------------------------------- stream -- */

/**
 * struct buildid_options - what to subscribe to
 * @size: of the struct
 * @flags: BUILDID_SUB_*
 * @ring_size: in bytes, a power of two between ring_min and ring_max of struct
 *	buildid_info; 0 for 1 MiB
 * @watermark: buildid_fd() becomes readable, and a waiting buildid_next() returns, when
 *	this many bytes are unread, 0 for any, or records were dropped
 * @pids: only these processes
 * @nr_pids: number of @pids, at most BUILDID_SUB_PIDS_MAX; 0 for every process
 * @uid: 0 without BUILDID_SUB_UID
 * @cgroup_fd: 0 without BUILDID_SUB_CGROUP
 * @reserved: 0
 *
 * A record is delivered if it passes all filters.
 *
 * BUILDID_SUB_DATA
 *	Mappings that are not executable, too.
 * BUILDID_SUB_PATH
 *	After each MMAP record a FILE record with the same file_id and tid, which has the
 *	path as that process sees it. Without this flag, one FILE for all processes that
 *	map the file, with the path of the first.
 * BUILDID_SUB_KERNEL
 *	The kernel and its modules: first those that are loaded, then each one as
 *	it is loaded and unloaded.
 * BUILDID_SUB_CHILDREN
 *	The descendants of @pids, too.
 * BUILDID_SUB_UID
 *	Only processes with the real uid @uid.
 * BUILDID_SUB_CGROUP
 *	Only processes in or below @cgroup_fd, an open cgroup v2 directory.
 * BUILDID_SUB_TASKS
 *	FORK, EXEC, COMM and EXIT records, too. With them a reader can follow the address
 *	space of each process; see struct buildid_task in buildid.h.
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
 * buildid_subscribe() - start to receive records
 * @handle: from buildid_open(), not yet subscribed
 * @options: or NULL for all defaults
 *
 * Once it returns, anything missed is counted in a LOST record.
 *
 * Return: 0 or a negative errno. After an error close the handle.
 *
 * Errors:
 * -EBUSY
 *	@handle is already subscribed.
 * -ESRCH
 *	A process of @pids does not exist.
 * -EBADF
 *	@cgroup_fd is not of a cgroup.
 * -ENOENT
 *	The cgroup was removed.
 * -EOPNOTSUPP
 *	Forks or execs cannot be watched.
 * -EUSERS
 *	All rings of the module are in use.
 * -EINVAL
 *	@options are not valid.
 * -ENOMEM
 *	No memory, or the ring is more than RLIMIT_MEMLOCK leaves.
 * -EPERM, -E2BIG
 */
int buildid_subscribe(struct buildid *handle, const struct buildid_options *options);

/**
 * buildid_next() - get the next record
 * @handle: subscribed
 * @timeout_ms: how long to wait, in milliseconds; -1 forever, 0 not at all
 * @record: set to the record, in the ring, valid until the next call with @handle
 *
 * Records of known types have passed buildid_record_check(); skip those of unknown types.
 * Below the watermark a waiting reader is not woken, but gets the records after
 * @timeout_ms. Neither allocates nor copies. With an empty ring it calls poll(2), even
 * with a @timeout_ms of 0, so that the last LOST record is not missed.
 *
 * Return: 0 or a negative errno.
 *
 * Errors:
 * -EAGAIN
 *	No record came in time.
 * -EBADMSG
 *	A record is malformed. The next call continues behind it, or returns the same
 *	error when its size is wrong.
 * -EINVAL
 *	@handle is not subscribed.
 * -EINTR
 */
int buildid_next(struct buildid *handle, int timeout_ms, const struct buildid_record **record);

/* ------------------------------------------------------------- snapshot -- */

struct buildid_snapshot;

/**
 * buildid_snapshot_new() - start a snapshot of the mappings that exist already
 * @snapshot: where to put it
 * @handle: from buildid_open(), subscribed or not; has to outlive the snapshot
 * @options: which processes and mappings: pids, uid, cgroup_fd, and the flags
 *	BUILDID_SUB_DATA, _CHILDREN, _UID and _CGROUP; NULL for all processes
 *
 * Lists the processes now; buildid_snapshot_next() then reads the mappings of one process
 * after the other, in memory of fixed size.
 *
 * To miss nothing, subscribe first; what is mapped in between comes from both. A process
 * forked in between has its parent's mappings, as in a stream.
 *
 * Return: 0 or a negative errno, that of opening /proc or of reading the cgroup
 * included.
 *
 * Errors:
 * -EINVAL, -E2BIG
 *	buildid_subscribe() would refuse @options.
 * -ENOMEM
 */
int buildid_snapshot_new(struct buildid_snapshot **snapshot, struct buildid *handle,
			 const struct buildid_options *options);

/**
 * buildid_snapshot_history() - start a walk through recent mappings, forks and execs
 * @snapshot: where to put it
 * @handle: from buildid_open(); has to outlive the snapshot
 * @pid: only of this process, 0 for all
 *
 * The last mappings of each processor, newest first, also of processes that have exited:
 * BUILDID_IOC_HISTORY. So are the last forks and execs. buildid_snapshot_next() gives FILE,
 * MMAP, FORK and EXEC records, which have the time of what happened.
 *
 * Return: 0 or a negative errno.
 *
 * Errors:
 * -ENOMEM
 */
int buildid_snapshot_history(struct buildid_snapshot **snapshot, struct buildid *handle,
			     uint32_t pid);

/**
 * buildid_snapshot_next() - get the next record of a snapshot
 * @snapshot: from buildid_snapshot_new() or buildid_snapshot_history()
 * @record: set to the record, valid until the next call with @snapshot
 *
 * For each process these are FILE and MMAP records, each MMAP after its FILE, and then
 * COOKIE records. All have passed buildid_record_check(), have a seq of 0 and the flag
 * BUILDID_RECORD_SNAPSHOT. May sleep for as long as reading the files takes. Does not
 * allocate. A process that has exited is not an error, nor is a kernel thread. If a
 * process calls exec meanwhile, it is started over: its earlier records belong to a
 * program that it no longer runs. A process whose address space is locked comes after the
 * others.
 *
 * Return: 0 or a negative errno. After one that is of a single process the next call
 * continues with the next process.
 *
 * Errors:
 * -ENODATA
 *	This is the end.
 * -ESTALE
 *	A process keeps calling exec.
 * -ETIMEDOUT
 *	The address space of a process is still locked.
 * -ENOTTY
 *	Of a history: the module is too old.
 * -EINTR, -EPERM
 */
int buildid_snapshot_next(struct buildid_snapshot *snapshot, const struct buildid_record **record);

/**
 * buildid_snapshot_processes() - count the processes of a snapshot
 * @snapshot: from buildid_snapshot_new()
 *
 * Return: the number of processes found alive so far, with mappings or without.
 */
size_t buildid_snapshot_processes(const struct buildid_snapshot *snapshot);

/**
 * buildid_snapshot_free() - free a snapshot, finished or not
 * @snapshot: from buildid_snapshot_new() or buildid_snapshot_history(), or NULL
 */
void buildid_snapshot_free(struct buildid_snapshot *snapshot);

/* -------------------------------------------------------------- records -- */

/**
 * buildid_record_check() - check that bytes are a well-formed record
 * @bytes: aligned to 8 bytes
 * @size: number of readable bytes
 *
 * Checks the header, and every length inside a record of known type. A record that passes
 * is safe to use with all functions below. For a record of unknown type only the header
 * is checked.
 *
 * Return: 0 or a negative errno.
 *
 * Errors:
 * -EBADMSG
 *	It is no such record.
 * -EINVAL
 *	@bytes is not aligned.
 */
int buildid_record_check(const void *bytes, size_t size);

/**
 * buildid_file_id_bytes() - the identity in a FILE record
 * @file: all header.size bytes of it readable
 * @size: set to the number of bytes, 0 when there is none
 *
 * Return: the bytes; NULL if there are none, or they exceed the record.
 */
const uint8_t *buildid_file_id_bytes(const struct buildid_file *file, size_t *size);

/**
 * buildid_file_path() - the path in a FILE record
 * @file: all header.size bytes of it readable
 *
 * It may contain any bytes but NUL, UTF-8 or not.
 *
 * Return: the path, "" if there is none, NULL if it exceeds the record.
 */
const char *buildid_file_path(const struct buildid_file *file);

/**
 * buildid_image_id_bytes() - the identity in a KERNEL or MODULE record
 * @image: all header.size bytes of it readable
 * @size: set to the number of bytes, 0 when there is none
 *
 * Return: the bytes; NULL when there are none, or they exceed the record.
 */
const uint8_t *buildid_image_id_bytes(const struct buildid_image *image, size_t *size);

/**
 * buildid_image_name() - the kernel's release or the module's name in a record
 * @image: all header.size bytes of it readable
 *
 * Return: the name, "" when there is none, NULL when it exceeds the record.
 */
const char *buildid_image_name(const struct buildid_image *image);

/**
 * buildid_cookie_id_bytes() - the identity in a COOKIE record
 * @cookie: all header.size bytes of it readable
 * @size: set to the number of bytes, 0 when the cookie was removed
 *
 * Return: the bytes; NULL when there are none, or they exceed the record.
 */
const uint8_t *buildid_cookie_id_bytes(const struct buildid_cookie *cookie, size_t *size);

/**
 * buildid_type_name() - the name of an enum buildid_record_type
 * @type: the number
 *
 * Return: "file", "mmap", "lost" and so on; "unknown" for an unknown number.
 */
const char *buildid_type_name(unsigned int type);

/**
 * buildid_kind_name() - the name of an enum buildid_kind
 * @kind: the number
 *
 * Return: "none", "gnu", "go", "htlhash" and so on; "unknown" for an unknown number.
 */
const char *buildid_kind_name(unsigned int kind);

/**
 * buildid_reason_name() - the name of an enum buildid_reason
 * @reason: the number
 *
 * Return: "no-note", "io-error" and so on; "unknown" for an unknown number; NULL for
 * BUILDID_REASON_NONE.
 */
const char *buildid_reason_name(unsigned int reason);

/* ------------------------------------------------------------ file table -- */

/**
 * struct buildid_files_options - bounds of a file table
 * @size: of the struct
 * @flags: BUILDID_SUB_PATH if the records are of a subscription with it: then a FILE
 *	record follows for each thread that has mapped the file. Other bits are ignored
 * @max_files: number of FILE records to remember; the least recently used is forgotten
 *	first. 0 for 65536
 * @max_following: number of announced FILE records to remember; the oldest is forgotten
 *	first. 0 for 4096
 */
struct buildid_files_options {
	uint32_t size;
	uint32_t flags;
	size_t max_files;
	size_t max_following;
};

/**
 * struct buildid_event - a record, joined with what it refers to
 * @size: of the struct in this library
 * @flags: BUILDID_EVENT_*; ignore unknown bits
 * @record: the record
 * @file: for an MMAP, the FILE record of its content if that is known, else NULL;
 *	for a FILE, @record itself; for all other types, NULL
 *
 * BUILDID_EVENT_DUPLICATE
 *	The record is from a snapshot, and the mapping came from the ring already.
 * BUILDID_EVENT_FILE_FOLLOWS
 *	For an MMAP: a FILE event with its file_id follows, perhaps after other events,
 *	unless it is lost. A non-NULL @file is right nevertheless, but with
 *	BUILDID_SUB_PATH the path may be another process's.
 */
struct buildid_event {
	uint32_t size;
	uint32_t flags;
	const struct buildid_record *record;
	const struct buildid_file *file;
};

#define BUILDID_EVENT_DUPLICATE	   (1U << 0)
#define BUILDID_EVENT_FILE_FOLLOWS (1U << 1)

struct buildid_files;

/**
 * buildid_files_new() - create a file table, which joins mappings with files
 * @files: where to put it
 * @options: bounds, or NULL for the defaults
 *
 * Return: 0 or a negative errno.
 *
 * Errors:
 * -EINVAL, -E2BIG
 *	The size of @options is not valid.
 * -ENOMEM
 */
int buildid_files_new(struct buildid_files **files, const struct buildid_files_options *options);

/**
 * buildid_files_free() - free a file table, with every record from it
 * @files: from buildid_files_new(), or NULL
 */
void buildid_files_free(struct buildid_files *files);

/**
 * buildid_files_join() - join the next record of a stream
 * @files: the table
 * @record: of any type; buildid_record_check() is called for it. Not copied, unless
 *	it is a FILE
 * @event: set to its event, valid as long as @record and until the next call with
 *	@files
 *
 * Return: 0 or a negative errno. After an error there is no event, and the table stays
 * usable.
 *
 * Errors:
 * -EBADMSG
 *	@record is malformed.
 * -EINVAL
 *	@record is not aligned.
 * -ENOMEM
 *	A FILE could not be remembered.
 */
int buildid_files_join(struct buildid_files *files, const struct buildid_record *record,
		       const struct buildid_event **event);

/**
 * buildid_files_following() - count the announced FILE records
 * @files: the table
 *
 * Return: how many were announced by the state of an MMAP and have not come yet.
 */
size_t buildid_files_following(const struct buildid_files *files);

/**
 * buildid_files_give_up() - stop expecting a FILE record
 * @files: the table
 *
 * For one that may have been lost; buildid_resolve_id() may know the file.
 *
 * Return: the file_id of the one that was announced first, 0 if none is expected.
 */
uint64_t buildid_files_give_up(struct buildid_files *files);

/**
 * buildid_files_find() - look up a FILE record
 * @files: the table
 * @file_id: as in an MMAP record
 *
 * Return: the record, valid until the next record is joined; NULL if there is none.
 */
const struct buildid_file *buildid_files_find(struct buildid_files *files, uint64_t file_id);

/* ------------------------------------------------------------- recorder -- */

/**
 * struct buildid_recorder_options - what a recorder delivers
 * @size: of the struct
 * @flags: BUILDID_RECORDER_SNAPSHOT or 0
 * @subscribe: as for buildid_subscribe(), or NULL
 * @files: as for buildid_files_new(), or NULL
 *
 * BUILDID_RECORDER_SNAPSHOT
 *	The mappings that exist already, too, marked with BUILDID_RECORD_SNAPSHOT in the
 *	flags of the record. Nothing is missed in between.
 */
struct buildid_recorder_options {
	uint32_t size;
	uint32_t flags;
	const struct buildid_options *subscribe;
	const struct buildid_files_options *files;
};

#define BUILDID_RECORDER_SNAPSHOT (1U << 0)

struct buildid_recorder;

/**
 * buildid_recorder_new() - open the device, subscribe, and join records
 * @recorder: where to put it
 * @options: or NULL for all defaults, without a snapshot
 *
 * Return: 0, or an error of buildid_open(), buildid_subscribe(), buildid_files_new() or
 * buildid_snapshot_new().
 */
int buildid_recorder_new(struct buildid_recorder **recorder,
			 const struct buildid_recorder_options *options);

/**
 * buildid_recorder_free() - free a recorder, with every event from it
 * @recorder: from buildid_recorder_new(), or NULL
 */
void buildid_recorder_free(struct buildid_recorder *recorder);

/**
 * buildid_recorder_handle() - the recorder's handle
 * @recorder: from buildid_recorder_new()
 *
 * For buildid_fd(), buildid_get_stats() and the buildid_resolve_*() functions. Do not
 * call buildid_next() or buildid_close() with it.
 *
 * Return: the handle, which belongs to the recorder.
 */
struct buildid *buildid_recorder_handle(struct buildid_recorder *recorder);

/**
 * buildid_recorder_snapshot() - start a snapshot, or another one
 * @recorder: from buildid_recorder_new()
 *
 * As BUILDID_RECORDER_SNAPSHOT does at the start; for example after a LOST record. The
 * rest of an unfinished snapshot is dropped.
 *
 * Return: 0 or a negative errno, as of buildid_snapshot_new().
 *
 * Errors:
 * -EINVAL
 *	buildid_recorder_stop() was called.
 * -ENOMEM
 */
int buildid_recorder_snapshot(struct buildid_recorder *recorder);

/**
 * buildid_recorder_snapshotting() - whether a snapshot is unfinished
 * @recorder: from buildid_recorder_new()
 *
 * Return: 1 until all of it has been delivered, else 0.
 */
int buildid_recorder_snapshotting(const struct buildid_recorder *recorder);

/**
 * buildid_recorder_next() - get the next event
 * @recorder: from buildid_recorder_new()
 * @timeout_ms: how long to wait, in milliseconds; -1 forever, 0 not at all. Reading files
 *	for a snapshot may take longer
 * @event: set to the event, valid until the next call with @recorder
 *
 * The events are those of buildid_files_join(), in the order of the ring. What was mapped
 * before a part of the snapshot was taken comes before that part. A mapping that comes
 * from both is marked BUILDID_EVENT_DUPLICATE the second time, unless its file was just
 * being read and has two file_ids. The memory for this is fixed: of more than 49,152
 * mappings made during one snapshot, the later ones are not marked.
 *
 * Return: 0, a negative errno of those below, one of buildid_next(), or one of
 * buildid_snapshot_next() for one process. After an error the next call continues
 * behind it, if that is possible.
 *
 * Errors:
 * -EAGAIN
 *	No event came in time.
 * -ENODATA
 *	All is delivered after buildid_recorder_stop().
 * -ENOMEM
 *	A record was lost for lack of memory.
 * -EINTR
 */
int buildid_recorder_next(struct buildid_recorder *recorder, int timeout_ms,
			  const struct buildid_event **event);

/**
 * buildid_recorder_timeout() - when to call again without anything to read
 * @recorder: from buildid_recorder_new()
 *
 * For an event loop: call buildid_recorder_next() with a timeout of 0 until it
 * returns -EAGAIN. Then wait until buildid_fd() of buildid_recorder_handle() is
 * readable, for this long at most.
 *
 * Return: milliseconds for poll(2); -1 for ever.
 */
int buildid_recorder_timeout(const struct buildid_recorder *recorder);

/**
 * buildid_recorder_stop() - ignore what is mapped from now on
 * @recorder: from buildid_recorder_new()
 *
 * Then call buildid_recorder_next() until it returns -ENODATA: it delivers earlier
 * mappings and their files, for which it waits a second at most. An unfinished snapshot
 * is dropped.
 */
void buildid_recorder_stop(struct buildid_recorder *recorder);

/* ----------------------------------------------------------- error texts -- */

/**
 * buildid_strerror() - what an error of this library means
 * @error: an errno, positive or negative
 *
 * Return: a text without a full stop, never NULL.
 */
const char *buildid_strerror(int error);

/**
 * buildid_advice() - what to do about an error of this library
 * @error: an errno, positive or negative
 *
 * Return: a text without a full stop, NULL if there is no advice.
 */
const char *buildid_advice(int error);

#ifdef __cplusplus
}
#endif

#endif /* LIBBUILDID_H */
