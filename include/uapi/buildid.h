/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The ABI of buildid.ko, and its manual.
 *
 * The module watches every executable file mapping on the machine, identifies
 * the mapped content once per version of an inode, and delivers a stream of
 * records in which each mapping names its content. There are two interfaces:
 *
 *	/dev/buildid		ioctls, and a ring per subscriber
 *	generic netlink		family "buildid": get, dump, subscribe
 *
 * Both carry the same records.
 *
 * Rules of this header
 * --------------------
 * Every field has a fixed width and its natural alignment, so a 32-bit program on a
 * 64-bit kernel needs no translation. Byte order is the machine's. Every reserved
 * byte that the kernel returns is zero; every reserved byte passed in must be. Times
 * are in nanoseconds, sizes and offsets in bytes.
 *
 * What may be added: record types, ioctls, flags, kinds, reasons, attributes, and
 * fields at the end of a struct or of a record's fixed part. So skip a record of an
 * unknown type by its size, find its variable part by @data_off and not by sizeof,
 * and ignore unknown bits in what you receive. Numbers, offsets, widths and meanings
 * in this header do not change. If one ever has to, BUILDID_ABI_VERSION is
 * incremented. It is 2 for everything described here; INFO begins with the module's,
 * whatever that is.
 *
 * A reader in five lines
 * ----------------------
 *	fd = open("/dev/buildid", O_RDWR | O_CLOEXEC);
 *	ioctl(fd, BUILDID_IOC_SUBSCRIBE, &(struct buildid_subscribe){
 *		.size = sizeof(struct buildid_subscribe) });
 *	while ((n = read(fd, buf, sizeof(buf))) > 0)
 *		for (r = buf; (char *)r < buf + n; r = (void *)r + r->size)
 *			...switch (r->type)...
 *
 * Permissions
 * -----------
 * The device is created with mode 0600, owner root; udev may give it to a group, as
 * with the Debian packages (0660, group buildid). A process that can open it may ask
 * for the module's version and counters (INFO, STATS), for files that it has open for
 * reading or, without an identity, by O_PATH (RESOLVE by FD) and for its own mappings
 * (MAPS, RESOLVE by ADDR), and may name what it loads itself (SET_COOKIE: its own
 * mappings, and files that its user owns). Everything else needs CAP_PERFMON or
 * CAP_SYS_ADMIN in the initial user namespace: SUBSCRIBE in all cases; MAPS and
 * RESOLVE by ADDR of another process; RESOLVE by KEY and ID; HISTORY; all of netlink.
 * FLUSH needs CAP_SYS_ADMIN. Kernel addresses need CAP_SYSLOG; they are 0 without it,
 * and where kptr_restrict is 2.
 *
 * Each ioctl checks its caller. A subscription is checked once, when it is made:
 * a process that has the open file afterwards may read and map its ring, as with
 * perf_event_open(2). Over netlink both the socket's opener and the sender of
 * the request must have the capability.
 *
 * The content of a file that the caller may not read, by the file's mode, ACL and
 * security label, is not read for it: see BUILDID_REASON_DENIED.
 *
 * Containers
 * ----------
 * A reader in the initial pid namespace belongs to the host: it gets the records
 * of all processes, with paths as each process sees its own, to be looked up below
 * /proc/PID/root. A reader in another pid namespace gets the records of the processes
 * visible there, with their pids in it. It gets a path only if the process has the
 * same root directory as the reader had when it subscribed, or has when it asks.
 * Otherwise, and in a FILE record that belongs to no particular process,
 * BUILDID_FILE_NO_PATH is set. dev, ino and identity are the same for all
 * readers. The netlink family is in the initial network namespace. A process there
 * can ask for all files, with their paths (GET and its dump); after SUBSCRIBE, its
 * pid namespace and root directory decide what it gets, as with the device.
 *
 * Order
 * -----
 * The records of a subscription are in the order in which they were reserved, and
 * @seq grows in that order. Times are taken just before: those of a record may be
 * slightly older than those of the record before it, if that is from another CPU or
 * thread. So sort by @seq, not by time. Mappings of one address space are in the
 * order in which they were made.
 *
 * An MMAP is sent as soon as the mapping is made. The FILE that it refers to follows:
 * the mapping thread reads the file and sends the record on its way back to user
 * space, before it runs anything in the mapping. Usually that takes microseconds;
 * longer if the thread waits for a disk or a server, or is stopped by a tracer. Other
 * records come in between, and another thread of the process may run the mapping
 * meanwhile. So keep an MMAP that says BUILDID_STATE_FOLLOWS until the FILE with its
 * @file_id comes, and hold back nothing else. A FILE that was dropped for lack of
 * room does not come: after a LOST with @ring_full, stop waiting for those announced
 * before it.
 */
#ifndef _UAPI_BUILDID_H
#define _UAPI_BUILDID_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define BUILDID_ABI_VERSION	2
#define BUILDID_DEVICE		"/dev/buildid"

/* The longest identity that is ever delivered, in bytes. */
#define BUILDID_ID_MAX		128

/* ------------------------------------------------------------- records -- */

/**
 * enum buildid_record_type - what a record is about
 * @BUILDID_RECORD_FILE: a file's identity; struct buildid_file
 * @BUILDID_RECORD_MMAP: a mapping was made; struct buildid_mmap
 * @BUILDID_RECORD_KERNEL: the running kernel's image; struct buildid_image
 * @BUILDID_RECORD_MODULE: a module was loaded or unloaded; struct buildid_image
 * @BUILDID_RECORD_COOKIE: a loader named a mapping of its own; struct buildid_cookie
 * @BUILDID_RECORD_LOST: records are missing here; struct buildid_lost
 * @BUILDID_RECORD_FORK: a process was created; struct buildid_task
 * @BUILDID_RECORD_EXEC: a process runs another program; struct buildid_task
 * @BUILDID_RECORD_EXIT: a process has ended; struct buildid_task
 * @BUILDID_RECORD_COMM: a thread's name has changed; struct buildid_task
 *
 * 0 is never sent.
 */
enum buildid_record_type {
	BUILDID_RECORD_FILE	= 1,
	BUILDID_RECORD_MMAP	= 2,
	BUILDID_RECORD_KERNEL	= 3,
	BUILDID_RECORD_MODULE	= 4,
	BUILDID_RECORD_COOKIE	= 5,
	BUILDID_RECORD_LOST	= 6,
	BUILDID_RECORD_FORK	= 7,
	BUILDID_RECORD_EXEC	= 8,
	BUILDID_RECORD_EXIT	= 9,
	BUILDID_RECORD_COMM	= 10,
};

/**
 * struct buildid_record - what every record starts with
 * @type: enum buildid_record_type; skip the record if it is unknown
 * @flags: BUILDID_RECORD_SNAPSHOT or 0; ignore unknown bits
 * @size: of the whole record, header included; a multiple of 8.
 *	In the mapped ring, and there only, BUILDID_RECORD_BUSY may be set
 * @seq: numbers this subscriber's records from 1. A gap is exactly as wide as the
 *	ring_full of the next LOST record. 0 in replies, which are not part of the
 *	stream
 * @time_mono: CLOCK_MONOTONIC
 * @time_perf: the clock perf records by default (local_clock)
 */
struct buildid_record {
	__u16	type;
	__u16	flags;
	__u32	size;
	__u64	seq;
	__u64	time_mono;
	__u64	time_perf;
};

/* The state when the subscriber asked, not an event. */
#define BUILDID_RECORD_SNAPSHOT	(1U << 0)

/* In the mapped ring: the record is still being written, stop before it. */
#define BUILDID_RECORD_BUSY	0x80000000U

/* The longest record: a FILE with the longest id and the longest path. */
#define BUILDID_RECORD_MAX	8192

/**
 * enum buildid_kind - what the bytes of an identity are
 * @BUILDID_KIND_NONE: no identity, see the reason
 * @BUILDID_KIND_GNU: NT_GNU_BUILD_ID, any length of 1 to 128 bytes
 * @BUILDID_KIND_GO: Go's build id (ELF note "Go", type 4), the text itself
 * @BUILDID_KIND_HTLHASH: OpenTelemetry's file hash: the first 16 bytes of
 *	SHA-256 over the first 4096 bytes, the last 4096 bytes and the length
 *	as 64 bits, big endian
 * @BUILDID_KIND_FSVERITY: fs-verity's digest of the file, 32 or 64 bytes
 * @BUILDID_KIND_COOKIE: the identity that the file's owner set for this content, see
 *	BUILDID_IOC_SET_COOKIE; the module does not verify it
 */
enum buildid_kind {
	BUILDID_KIND_NONE	= 0,
	BUILDID_KIND_GNU	= 1,
	BUILDID_KIND_GO		= 2,
	BUILDID_KIND_HTLHASH	= 3,
	BUILDID_KIND_FSVERITY	= 4,
	BUILDID_KIND_COOKIE	= 5,
};

/**
 * enum buildid_reason - why an identity is not a GNU build-id
 * @BUILDID_REASON_NONE: it is a GNU build-id
 * @BUILDID_REASON_NOT_ELF: the file does not start with an ELF header
 * @BUILDID_REASON_NO_NOTE: a valid ELF file without the note
 * @BUILDID_REASON_TRUNCATED: a header or note table extends past the end
 * @BUILDID_REASON_MALFORMED: an ELF file that contradicts itself
 * @BUILDID_REASON_LIMIT: more than the module will walk (65,535 headers of either
 *	kind, 65,536 notes, 16 MiB of both on 2,304 pages), or an identity of more
 *	than 128 bytes
 * @BUILDID_REASON_IO: reading the file failed
 * @BUILDID_REASON_INTERRUPTED: a signal ended the read, or the thread was killed
 *	before it. The result is not kept: the file is read again at its next mapping
 * @BUILDID_REASON_NOT_READ: not read for this caller: any user could stall the read
 *	(FUSE, a mount in a user namespace), the file is open for writing, or the
 *	descriptor is O_PATH. A process that maps it reads it
 * @BUILDID_REASON_NOT_REGULAR: a device, pipe or socket is never read
 * @BUILDID_REASON_SECRET: secretmem is never read
 * @BUILDID_REASON_HUGETLB: hugetlbfs is never read
 * @BUILDID_REASON_CHANGING: the file was changed during every attempt to read it, or
 *	after it was mapped and before it was read
 * @BUILDID_REASON_UNREADABLE: the mapped file is not open for reading
 * @BUILDID_REASON_PSEUDO: on sysfs, proc or the like, which generate their files'
 *	content at each read
 * @BUILDID_REASON_ANONYMOUS: shared anonymous memory
 * @BUILDID_REASON_DENIED: in a reply to MAPS or RESOLVE by ADDR: the caller may not
 *	read the file, and it is not in the cache, or its identity is a hash and the
 *	caller has no CAP_PERFMON
 */
enum buildid_reason {
	BUILDID_REASON_NONE		= 0,
	BUILDID_REASON_NOT_ELF		= 1,
	BUILDID_REASON_NO_NOTE		= 2,
	BUILDID_REASON_TRUNCATED	= 3,
	BUILDID_REASON_MALFORMED	= 4,
	BUILDID_REASON_LIMIT		= 5,
	BUILDID_REASON_IO		= 6,
	BUILDID_REASON_INTERRUPTED	= 7,
	BUILDID_REASON_NOT_READ		= 8,
	BUILDID_REASON_NOT_REGULAR	= 9,
	BUILDID_REASON_SECRET		= 10,
	BUILDID_REASON_HUGETLB		= 11,
	BUILDID_REASON_CHANGING		= 12,
	BUILDID_REASON_UNREADABLE	= 13,
	BUILDID_REASON_PSEUDO		= 14,
	BUILDID_REASON_ANONYMOUS	= 15,
	BUILDID_REASON_DENIED		= 16,
};

/* buildid_file.flags */
#define BUILDID_FILE_DELETED	(1U << 0) /* unlinked */
#define BUILDID_FILE_MEMFD	(1U << 1) /* memfd_create(2) */
#define BUILDID_FILE_UNSTABLE	(1U << 2) /* open or mapped for writing: may change unseen */
#define BUILDID_FILE_NO_PATH	(1U << 3) /* the path is not available to the reader */
/* On FUSE, perhaps as a layer of overlayfs, or on an overlayfs mounted by a user, whose
 * files may end up on FUSE: a read may never end.
 */
#define BUILDID_FILE_FUSE	(1U << 4)

/**
 * struct buildid_file - BUILDID_RECORD_FILE: one version of one file
 * @header: see struct buildid_record
 * @file_id: identifies this version of this inode; not reused while the module is
 *	loaded. A file that changes gets a new one, and so does one that had to be
 *	read again, even if the content proves to be the same: then the cache keeps
 *	the older one. 0 in a reply whose result was not stored
 * @ino: inode number, as mapped (on overlayfs the real file's)
 * @user_ino: inode number as /proc/PID/maps of this kernel shows it. Several
 *	overlayfs on top of one file each show a different one: this is that of the
 *	first mapping
 * @tree: distinguishes inodes with the same number: the subvolume on btrfs and
 *	bcachefs, the node on FUSE; else 0
 * @dev_major: major number of the superblock, as mapped
 * @dev_minor: minor number of the superblock, as mapped
 * @user_dev_major: major number as /proc/PID/maps of this kernel shows it; but on
 *	btrfs the subvolume's, as in stat(2), where /proc/PID/maps shows @dev_major
 * @user_dev_minor: the minor number, as @user_dev_major
 * @generation: of the inode number
 * @flags: BUILDID_FILE_*
 * @ctime: when the inode last changed, since the epoch
 * @mtime: when the content last changed, since the epoch
 * @file_size: in bytes
 * @change: the filesystem's change counter, 0 if it has none
 * @pid: process (thread group), in the reader's pid namespace, as whose path the
 *	record shows the file: that of the MMAP before it. 0 for no particular process
 * @tid: thread, in the reader's pid namespace: as in that MMAP
 * @kind: enum buildid_kind
 * @reason: enum buildid_reason
 * @id_len: bytes of identity, 0 to BUILDID_ID_MAX
 * @path_len: bytes of path without the NUL, 0 without a path
 * @data_off: from the start of the record to its variable part, a multiple of 8:
 *	@id_len bytes of identity, zeros up to a multiple of 8; then the path as the
 *	mapping process sees it and a NUL, zeros up to a multiple of 8; no path at all
 *	when @path_len is 0. "(deleted)" is not part of the path, it is a flag. In a
 *	reply about the present (MAPS, RESOLVE by FD and ADDR) the path is as the
 *	caller's /proc/PID/maps shows it. Processes may see a file under different
 *	paths: with @pid it is that process's, else that of the first mapping
 * @reserved: 0
 *
 * Everything known about the file. Comes once, before or after the first MMAP that
 * refers to it (enum buildid_state), and again after records were lost; with
 * BUILDID_SUB_PATH, after every MMAP. It may be repeated without need. The last one
 * with a file_id is valid; but if an earlier one had an identity and it does not,
 * keep the identity, as a reply may be older than the stream.
 */
struct buildid_file {
	struct buildid_record	header;
	__u64	file_id;
	__u64	ino;
	__u64	user_ino;
	__u64	tree;
	__u32	dev_major;
	__u32	dev_minor;
	__u32	user_dev_major;
	__u32	user_dev_minor;
	__u32	generation;
	__u32	flags;
	__s64	ctime;
	__s64	mtime;
	__u64	file_size;
	__u64	change;
	__u32	pid;
	__u32	tid;
	__u16	kind;
	__u16	reason;
	__u16	id_len;
	__u16	path_len;
	__u16	data_off;
	__u16	reserved[3];
};

/**
 * enum buildid_state - where the FILE record of a mapping is
 * @BUILDID_STATE_KNOWN: it was sent before, and no record has been lost since
 * @BUILDID_STATE_FOLLOWS: it follows: the mapping thread reads the file before it
 *	continues, or has yet to send the record. Usually that takes microseconds, and
 *	as long as the read if a disk or a server is slow; other records come in
 *	between. With BUILDID_SUB_PATH, one follows every MMAP that has a file, with
 *	its @file_id and @tid; otherwise, any FILE with its @file_id may be the one
 * @BUILDID_STATE_UNRESOLVED: there is no FILE, and none follows; @file_id is 0. The
 *	thread mapped more than four unknown files in this system call, or does not
 *	return to user space (a kernel thread, or an exiting one), or memory was
 *	short. Counted as unresolved
 */
enum buildid_state {
	BUILDID_STATE_KNOWN		= 0,
	BUILDID_STATE_FOLLOWS		= 1,
	BUILDID_STATE_UNRESOLVED	= 2,
};

/**
 * struct buildid_mmap - BUILDID_RECORD_MMAP: a file was mapped
 * @header: see struct buildid_record
 * @pid: process (thread group), in the subscriber's pid namespace
 * @tid: thread, in the subscriber's pid namespace
 * @addr: first address
 * @len: in bytes
 * @pgoff: offset in the file of @addr, in bytes
 * @file_id: of the FILE record with the content's identity
 * @start_time: of the process, CLOCK_BOOTTIME of the initial time namespace:
 *	tells it from another with the same @pid. /proc/PID/stat has it in clock
 *	ticks
 * @cgroup_id: of its cgroup v2, as the inode number of the directory; 0 in HISTORY
 * @uid: real user id of the thread, in the initial user namespace; ~0U in HISTORY
 * @prot: PROT_READ | PROT_WRITE | PROT_EXEC
 * @map_flags: MAP_SHARED or MAP_PRIVATE
 * @state: enum buildid_state
 * @comm: the thread's name, with a NUL
 *
 * Sent at once, and so in the order in which mappings are made. The path is in the
 * FILE record.
 *
 * An mprotect(2) that makes a mapping executable is reported like an mmap, as perf
 * does. mremap(2) and munmap(2) are not reported; for fork(2), see struct
 * buildid_task.
 *
 * A file that begins with code, as on arm64, is mapped as a whole by
 * the kernel and by ld.so, which then replace or unmap what is not code: @len covers
 * the whole file, parts of which may later belong to another mapping or the vdso.
 * MAPS shows what is left.
 */
struct buildid_mmap {
	struct buildid_record	header;
	__u32	pid;
	__u32	tid;
	__u64	addr;
	__u64	len;
	__u64	pgoff;
	__u64	file_id;
	__u64	start_time;
	__u64	cgroup_id;
	__u32	uid;
	__u32	prot;
	__u32	map_flags;
	__u32	state;
	__u8	comm[16];
};

/* buildid_image.flags */
#define BUILDID_IMAGE_UNLOAD	(1U << 0) /* the module is being unloaded */

/**
 * struct buildid_image - BUILDID_RECORD_KERNEL and _MODULE: code of the kernel
 * @header: see struct buildid_record. Its type distinguishes the kernel from a
 *	module; the name does not
 * @addr: of _text, or of the module's code; 0 if the subscriber may not see it
 * @len: bytes of code from @addr; 0 for a kernel whose kallsyms lack its end
 *	(CONFIG_KALLSYMS_ALL)
 * @flags: BUILDID_IMAGE_*
 * @kind: enum buildid_kind
 * @reason: enum buildid_reason
 * @id_len: bytes of identity
 * @name_len: bytes of name without the NUL
 * @data_off: from the start of the record to its variable part: @id_len bytes of
 *	identity, zeros up to a multiple of 8; then the release of the kernel (as
 *	uname -r) or the name of the module (as in /proc/modules) and a NUL, zeros
 *	up to a multiple of 8
 * @reserved: 0
 *
 * With BUILDID_SUB_KERNEL, the kernel and every loaded module, marked
 * BUILDID_RECORD_SNAPSHOT, are in the ring when SUBSCRIBE returns, or lost if the
 * ring is small; then each module follows as it is loaded or unloaded. The identity
 * is read from the notes in memory, so it is right even if the module's file is
 * compressed or gone.
 */
struct buildid_image {
	struct buildid_record	header;
	__u64	addr;
	__u64	len;
	__u32	flags;
	__u16	kind;
	__u16	reason;
	__u16	id_len;
	__u16	name_len;
	__u16	data_off;
	__u16	reserved;
};

/**
 * struct buildid_cookie - BUILDID_RECORD_COOKIE: a loader named its mapping
 * @header: see struct buildid_record
 * @pid: as in struct buildid_mmap
 * @tid: as in struct buildid_mmap
 * @addr: first address
 * @len: in bytes
 * @start_time: as in struct buildid_mmap
 * @kind: enum buildid_kind: what the loader says the bytes are
 * @id_len: bytes of identity, up to BUILDID_ID_MAX; 0 when it was removed
 * @data_off: from the start of the record to the identity, zeros up to a
 *	multiple of 8
 * @reserved: 0
 * @comm: the thread's name, with a NUL
 *
 * Valid for these addresses until any of them is unmapped or gets another COOKIE. It
 * takes precedence over the identity of the mapped file, as the loader may have
 * written anything there. Sent when it is set, if an MMAP of the process would pass
 * the filters, and in MAPS. A child of fork(2) does not inherit its parent's cookies.
 * Before Linux 6.2, punching a hole there in a file on hugetlbfs also removes it.
 */
struct buildid_cookie {
	struct buildid_record	header;
	__u32	pid;
	__u32	tid;
	__u64	addr;
	__u64	len;
	__u64	start_time;
	__u16	kind;
	__u16	id_len;
	__u16	data_off;
	__u16	reserved;
	__u8	comm[16];
};

/* buildid_task.flags */
#define BUILDID_TASK_SHARES_MM	(1U << 0) /* FORK: in its parent's address space */

/**
 * struct buildid_task - BUILDID_RECORD_FORK, _EXEC, _COMM and _EXIT: the life of
 *	a process; with BUILDID_SUB_TASKS
 * @header: see struct buildid_record
 * @pid: process (thread group), in the subscriber's pid namespace; with FORK the new
 *	one
 * @tid: thread, in the subscriber's pid namespace; with FORK the new process's first,
 *	with EXIT the last, with COMM the renamed one
 * @start_time: of the process, as in struct buildid_mmap
 * @parent_pid: with FORK: the process that forked, whose mappings the new one copies;
 *	0 for a helper program of the kernel's (core_pattern, modprobe), which has no
 *	mappings before its EXEC; else 0
 * @flags: BUILDID_TASK_*
 * @parent_start_time: with FORK, else 0
 * @cgroup_id: of the cgroup v2 that the process is in, as the inode number of its
 *	directory
 * @uid: real user id of the thread, in the initial user namespace
 * @exit_code: with EXIT: as in the status of wait(2); else 0
 * @comm: the thread's name, with a NUL; with EXEC and COMM the new one
 *
 * From these and MMAP a reader knows at any time what a process has mapped:
 *
 *	FORK	the new process has its parent's mappings. With SHARES_MM (vfork(2),
 *		posix_spawn(3), CLONE_VM) the two are one address space until either
 *		EXECs or EXITs: an MMAP of one applies to both
 *	EXEC	the process has nothing mapped; its MMAPs follow
 *	COMM	unchanged: a thread got another name, from itself (prctl(2)) or another
 *		thread of its process (/proc/PID/comm). EXEC also sets the name
 *	EXIT	it has nothing mapped. Sent once, when its last thread exits
 *
 * A new MMAP replaces what was mapped at any of its addresses; munmap(2) sends
 * nothing, as with perf. Kernel threads send no such records, and threads only COMM.
 * FORK passes the filters if the parent does, the others if the process does. A
 * mapping that another thread of the parent makes during the fork may precede the
 * FORK in the stream without being in the child.
 */
struct buildid_task {
	struct buildid_record	header;
	__u32	pid;
	__u32	tid;
	__u64	start_time;
	__u32	parent_pid;
	__u32	flags;
	__u64	parent_start_time;
	__u64	cgroup_id;
	__u32	uid;
	__u32	exit_code;
	__u8	comm[16];
};

/**
 * struct buildid_lost - BUILDID_RECORD_LOST: what is missing, by cause
 * @header: see struct buildid_record
 * @ring_full: records dropped because this ring had no room: the gap in seq before
 *	this record
 * @ring_full_mmaps: the MMAP records among these: mappings this subscriber lost
 * @unresolved: mappings that were reported as UNRESOLVED
 * @missed_probe: mappings the hook was not called for (kprobe nmissed), on the whole
 *	machine
 *
 * Counts since this subscriber's last LOST record. After one with ring_full, every
 * FILE is sent again with the next MMAP that refers to it.
 */
struct buildid_lost {
	struct buildid_record	header;
	__u64	ring_full;
	__u64	ring_full_mmaps;
	__u64	unresolved;
	__u64	missed_probe;
};

/* ------------------------------------------------------ the mapped ring -- */

/*
 * After SUBSCRIBE the ring can be mapped instead of using read(2):
 *
 *	offset 0		one page, read-write: struct buildid_ring_consumer
 *	offset 1 page		one page, read-only: struct buildid_ring_producer
 *	offset 2 pages		ring_size bytes of records, read-only, twice in
 *				a row, so that every record is contiguous
 *
 *	cons = mmap(0, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
 *	prod = mmap(0, page + 2 * ring_size, PROT_READ, MAP_SHARED, fd, page);
 *	data = (char *)prod + page;
 *
 * Records lie at data[pos & (ring_size - 1)] for pos from consumer.pos up to
 * producer.pos (read it with acquire semantics). Read each size with acquire
 * semantics too and stop at one that has BUILDID_RECORD_BUSY. When done with records
 * store the new consumer.pos with release semantics. Any other value makes the ring
 * look full: records are dropped, and counted.
 *
 * poll(2) reports when there is
 * something to read, and POLLERR before SUBSCRIBE. It also writes a LOST record that
 * is due once there is room, which causes an edge (EPOLLET).
 *
 * read(2) is refused
 * (EBUSY) once the consumer page was mapped from a writable descriptor; from a
 * read-only one, all pages can be mapped for reading only. Children of fork(2) do not
 * inherit these mappings, whatever madvise(2) says. Errors of mmap(2): ENXIO before
 * SUBSCRIBE; EBUSY while another thread is in read(2) or SUBSCRIBE; EINVAL for
 * anything outside these ranges, for more than one page at offset 0, and without
 * MAP_SHARED; EPERM for a writable mapping of anything but the consumer page.
 */
struct buildid_ring_consumer {
	__u64	pos;
};

/**
 * struct buildid_ring_producer - what the module writes
 * @pos: where the next record will begin
 * @ring_size: bytes of records, for a process that was passed the descriptor
 * @flags: BUILDID_SUB_* of the subscription
 * @abi: BUILDID_ABI_VERSION of the module
 * @reserved: 0
 */
struct buildid_ring_producer {
	__u64	pos;
	__u32	ring_size;
	__u32	flags;
	__u32	abi;
	__u32	reserved;
};

/* --------------------------------------------------------------- ioctls -- */

/*
 * Every ioctl takes a struct that starts with its own size, as compiled into the
 * caller. The struct may be longer than the module's, up to a page, if the tail is
 * zero; else the error is E2BIG, and size is set to the module's. It may be shorter,
 * down to the first version that was published: fields it lacks count as zero, and
 * nothing is written past its end. Anything shorter is EINVAL. Reserved bytes and
 * unknown flags that are not zero are EINVAL, as is any value that the description of
 * its field does not allow; an unknown number is ENOTTY; a bad address is EFAULT; any
 * ioctl may fail with ENOMEM. When the module replies in the struct, it fills in what
 * both sides know, leaves the tail zero, and sets size to the smaller of the two, so
 * that the struct can be reused as is.
 */
#define BUILDID_IOC_MAGIC	0xbd

/* buildid_info.features */
#define BUILDID_FEATURE_RING_MMAP	(1ULL << 0)
#define BUILDID_FEATURE_NETLINK		(1ULL << 1)
#define BUILDID_FEATURE_HTLHASH		(1ULL << 2)
#define BUILDID_FEATURE_FSVERITY	(1ULL << 3)

/* buildid_info.status */
#define BUILDID_STATUS_ARMED	(1U << 0) /* the hook fires; tested by INFO itself */

/**
 * struct buildid_info - BUILDID_IOC_INFO: version, features and limits
 * @size: of the struct
 * @abi: BUILDID_ABI_VERSION of the module
 * @features: BUILDID_FEATURE_*
 * @records: bit n set: record type n is delivered
 * @ioctls: bit n set: ioctl number n exists
 * @status: BUILDID_STATUS_*. Without ARMED no mappings are seen: kprobes or ftrace
 *	were turned off after the module was loaded
 * @max_entries: bound on the number of files in the cache
 * @ring_min: the smallest ring_size that SUBSCRIBE accepts
 * @ring_max: the largest ring_size
 * @subscribers_max: subscribers at a time, netlink's included
 * @pids_max: the most pids that one SUBSCRIBE accepts
 * @id_max: the longest identity
 * @record_max: the longest record
 * @cookies_max: cookies that a user may have
 * @cookies_total: cookies that all users may have together
 * @version: of the module, with a NUL
 * @hook: the kernel function that is probed, with a NUL
 * @real_offset_min: the minimum of CLOCK_REALTIME - CLOCK_MONOTONIC since the module
 *	was loaded. If it equals @real_offset_max, the clock has not been set, and the
 *	wall-clock time of a record is time_mono plus this. It grows by the time that
 *	the machine is suspended
 * @real_offset_max: the maximum of that
 * @slept: time suspended since the module was loaded: what CLOCK_BOOTTIME has gained
 *	on CLOCK_MONOTONIC
 * @known_flags: the bits of ioctl n's flags field that this module knows
 *
 * The first 8 bytes are the same in every version of the ABI and may be requested
 * alone. If @abi is not the caller's, call no other ioctl.
 */
struct buildid_info {
	__u32	size;
	__u32	abi;
	__u64	features;
	__u64	records;
	__u64	ioctls;
	__u32	status;
	__u32	max_entries;
	__u32	ring_min;
	__u32	ring_max;
	__u32	subscribers_max;
	__u32	pids_max;
	__u32	id_max;
	__u32	record_max;
	__u32	cookies_max;
	__u32	cookies_total;
	__u8	version[32];
	__u8	hook[32];
	__s64	real_offset_min;
	__s64	real_offset_max;
	__u64	slept;
	__u32	known_flags[64];
};

/**
 * struct buildid_stats - BUILDID_IOC_STATS: counters since the module was loaded
 * @size: of the struct
 * @reserved: 0
 * @mappings: file mappings seen by the hook: executable ones, and others while a
 *	subscriber asks for them
 * @hits: of these, mappings of file versions in the cache
 * @misses: of these, mappings of file versions not in the cache
 * @rechecks: of @hits, those for which the file was read again, as the content may
 *	have changed unseen
 * @read_mapper: files read by the task that maps them
 * @read_caller: files read for a caller of RESOLVE, MAPS or SET_COOKIE
 * @no_id: files without a build-id, including those of @io_errors
 * @io_errors: files that could not be read
 * @interrupted: reads that a signal ended
 * @changing: files that changed during every attempt to read them, or after they were
 *	mapped and before they were read
 * @evicted: cache entries dropped to make room, or because memory was short
 * @stale: cache entries replaced under an unchanged version, as the content differed
 * @not_stored: files that were read but not stored, for lack of memory
 * @entries: files in the cache now
 * @entries_max: the bound on @entries
 * @visits: tasks that have mapped a file and still have to read it before they return
 *	to user space; each of them keeps the module loaded
 * @oldest_visit_pid: the thread that has done so for longest, 0 outside the initial
 *	pid namespace
 * @oldest_visit_ns: for how long, to the tick
 * @unresolved: mappings that were UNRESOLVED, with or without subscribers
 * @missed_probe: mappings the hook was not called for (kprobe nmissed)
 * @records: records written to rings
 * @ring_full: records dropped because a ring had no room
 * @ring_full_mmaps: of these, MMAP records
 * @subscribers: current rings, including netlink's
 * @netlink_records: records sent over netlink
 * @memory: bytes used by the cache: table, entries, paths
 * @cookies: current cookies of mappings and files
 */
struct buildid_stats {
	__u32	size;
	__u32	reserved;
	__u64	mappings;
	__u64	hits;
	__u64	misses;
	__u64	rechecks;
	__u64	read_mapper;
	__u64	read_caller;
	__u64	no_id;
	__u64	io_errors;
	__u64	interrupted;
	__u64	changing;
	__u64	evicted;
	__u64	stale;
	__u64	not_stored;
	__u64	entries;
	__u64	entries_max;
	__u64	visits;
	__u64	oldest_visit_pid;
	__u64	oldest_visit_ns;
	__u64	unresolved;
	__u64	missed_probe;
	__u64	records;
	__u64	ring_full;
	__u64	ring_full_mmaps;
	__u64	subscribers;
	__u64	netlink_records;
	__u64	memory;
	__u64	cookies;
};

/**
 * enum buildid_by - how a file is named in struct buildid_resolve
 * @BUILDID_BY_FD: by @fd, a descriptor of the caller's
 * @BUILDID_BY_KEY: by @dev_major, @dev_minor, @ino, @tree and @generation: an inode
 * @BUILDID_BY_ID: by @file_id: one version of an inode
 * @BUILDID_BY_ADDR: by @pid, @addr and, optionally, @start_time: what a process has
 *	mapped
 */
enum buildid_by {
	BUILDID_BY_FD	= 1,
	BUILDID_BY_KEY	= 2,
	BUILDID_BY_ID	= 3,
	BUILDID_BY_ADDR	= 4,
};

/* buildid_resolve.flags, with BUILDID_BY_KEY */
#define BUILDID_KEY_ANY_GENERATION	(1U << 0) /* the newest; @generation is 0 */
#define BUILDID_KEY_ANY_TREE		(1U << 1) /* the only one; @tree is 0 */

/**
 * struct buildid_resolve - BUILDID_IOC_RESOLVE: the FILE record of a file
 * @size: of the struct
 * @flags: BUILDID_KEY_*
 * @by: enum buildid_by. Fields from @fd on that are not listed there for it are 0
 * @record_size: in: bytes at @record; out: of the FILE record
 * @record: address of a buffer for the FILE record
 * @fd: open for reading, or O_PATH
 * @pid: a process, in the caller's pid namespace
 * @file_id: as in struct buildid_file
 * @addr: in that process
 * @start_time: in: of the intended process, as in struct buildid_mmap, or 0; out: of
 *	the process found
 * @dev_major: as in struct buildid_file
 * @dev_minor: as in struct buildid_file
 * @ino: as in struct buildid_file
 * @tree: distinguishes inodes with that number: the subvolume or snapshot on btrfs
 *	and bcachefs, the node on FUSE; 0 elsewhere
 * @generation: as in struct buildid_file
 * @reserved: 0
 * @offset: with ADDR, out: offset of @addr in the file, in bytes
 *
 * A file without an identity is not an error: the record says why.
 *
 * FD	Reads the file in the caller's context if it has to; a fatal signal ends that,
 *	and any signal does where it interrupts a read of this filesystem. The result
 *	is cached. With O_PATH, which requires no permission to read the file, the
 *	record has no identity and no file_id, and the reason NOT_READ: so a program
 *	can find out, before it opens a file, that any user's server may serve it
 *	(BUILDID_FILE_FUSE). Errors: EBADF; the error of read(2) if a security module
 *	or a fanotify listener denies it; EINTR.
 *
 * KEY	The newest version in the cache, even if the inode, its filesystem and the
 *	processes that mapped it are gone. Errors: ENOENT if it is not in the cache;
 *	ENOTUNIQ with BUILDID_KEY_ANY_TREE if several trees have an inode with that
 *	number; EPERM.
 *
 * ID	That version. Errors: ENOENT if it is not in the cache; EPERM.
 *
 * ADDR	The file that is mapped there now. It is read if necessary, except as
 *	described for BUILDID_REASON_NOT_READ. Errors: ESRCH if there is no such
 *	process (any more; see HISTORY); ENOENT if no file is mapped at @addr;
 *	ETIMEDOUT as for MAPS; EPERM; EINTR.
 *
 * All: ENOSPC if the buffer is too small; @record_size is then the size needed.
 */
struct buildid_resolve {
	__u32	size;
	__u32	flags;
	__u32	by;
	__u32	record_size;
	__u64	record;
	__s32	fd;
	__u32	pid;
	__u64	file_id;
	__u64	addr;
	__u64	start_time;
	__u32	dev_major;
	__u32	dev_minor;
	__u64	ino;
	__u64	tree;
	__u32	generation;
	__u32	reserved;
	__u64	offset;
};

/**
 * struct buildid_maps - BUILDID_IOC_MAPS: the present mappings of a process
 * @size: of the struct
 * @flags: BUILDID_MAPS_*
 * @pid: a process, in the caller's pid namespace
 * @bytes: in: size of the buffer at @records, at least BUILDID_RECORD_MAX * 2; out:
 *	bytes used
 * @cursor: in: 0, then as returned by the previous call; out: where to continue,
 *	BUILDID_MAPS_END at the end
 * @instance: in: 0, then as returned by the previous call; out: which address space
 *	of which process
 * @records: address of a buffer: FILE and MMAP records, all marked
 *	BUILDID_RECORD_SNAPSHOT, seq 0, each MMAP after its FILE; then COOKIE records.
 *	comm is the process's; tid is @pid
 *
 * To miss nothing: SUBSCRIBE first, then call MAPS for each process. A mapping made
 * in between comes twice; the one from here is marked. The address space is not
 * locked while files are read: a file that changes meanwhile is described as it is
 * then, as in every reply about the present. Errors: ESTALE if the process has called
 * exec since the first call, or the pid has been reused: start again; ETIMEDOUT if
 * the process keeps its address space locked; ESRCH; EPERM; EINTR.
 */
struct buildid_maps {
	__u32	size;
	__u32	flags;
	__u32	pid;
	__u32	bytes;
	__u64	cursor;
	__u64	instance;
	__u64	records;
};

/* buildid_maps.flags */
#define BUILDID_MAPS_DATA	(1U << 0) /* mappings that are not executable, too */

#define BUILDID_MAPS_END	(~0ULL)

/**
 * struct buildid_history - BUILDID_IOC_HISTORY: what happened lately
 * @size: of the struct
 * @flags: 0
 * @pid: only of this process, in the initial pid namespace; 0 for all
 * @bytes: in: size of the buffer at @records, at least BUILDID_RECORD_MAX * 2; out:
 *	bytes used
 * @cursor: in: 0, then as returned by the previous call; out: where to continue,
 *	BUILDID_MAPS_END at the end
 * @records: address of a buffer: FILE, MMAP, FORK and EXEC records, all marked
 *	BUILDID_RECORD_SNAPSHOT, seq 0, each MMAP after its FILE. time_perf is that of
 *	the mapping, fork or exec; time_mono is calculated from it, and off by what
 *	the clocks have drifted since. comm is the thread's, with FORK the new
 *	process's; tid is the pid, and the path is that in the cache
 * @since: out, with the last call: the reply has everything from this time_mono to
 *	the first call; 0 if it has everything since the module was loaded. 0 with
 *	earlier calls
 *
 * The last mappings of each CPU, about a thousand, and as many forks and execs, the
 * newest of each first, even if the process has ended or has unmapped them. Mappings
 * are executable ones, and others while a subscriber asked for them. A mapping whose
 * file is not in the cache any more has a file_id of 0 and BUILDID_STATE_UNRESOLVED:
 * it still replaces what was mapped there before. EXEC comes after the kernel's
 * mappings of the new program and its interpreter, and before the mappings that these
 * make.
 *
 * munmap(2) and mremap(2) are not recorded. Mappings that a child of fork(2) inherits
 * are listed for the parent only: see buildid_resolve_addr() in libbuildid(3) on when
 * they can be inferred. No file is read. Errors: EPERM, also outside the initial pid
 * namespace; EINVAL for an invalid @cursor; EINTR.
 */
struct buildid_history {
	__u32	size;
	__u32	flags;
	__u32	pid;
	__u32	bytes;
	__u64	cursor;
	__u64	records;
	__u64	since;
};

/* buildid_subscribe.flags */
#define BUILDID_SUB_DATA	(1U << 0) /* mappings that are not executable, too */
#define BUILDID_SUB_PATH	(1U << 1) /* after every MMAP, a FILE with that process's path */
#define BUILDID_SUB_KERNEL	(1U << 2) /* KERNEL and MODULE records, too */
#define BUILDID_SUB_CHILDREN	(1U << 3) /* of @pids: their descendants, too */
#define BUILDID_SUB_UID		(1U << 4) /* only processes with real uid @uid */
#define BUILDID_SUB_CGROUP	(1U << 5) /* only processes in or below @cgroup_fd */
#define BUILDID_SUB_TASKS	(1U << 6) /* FORK, EXEC, COMM and EXIT records, too */

#define BUILDID_SUB_PIDS_MAX	64

/**
 * struct buildid_subscribe - BUILDID_IOC_SUBSCRIBE: a ring for this open file
 * @size: of the struct
 * @flags: BUILDID_SUB_*
 * @ring_size: in: bytes of records it holds, a power of two from ring_min to ring_max
 *	of struct buildid_info, 0 for 1 MiB; out: the size used. Counts against
 *	RLIMIT_MEMLOCK of the caller's user, with everything else that a subscription
 *	takes (512 KiB for CHILDREN), unless the caller has CAP_IPC_LOCK
 * @watermark: wake the reader when this many bytes are waiting, 0 for any, or records
 *	were dropped; less than @ring_size
 * @pids: address of @nr_pids __u32: only these processes (thread group ids in
 *	the caller's pid namespace)
 * @nr_pids: 0 for every process, at most BUILDID_SUB_PIDS_MAX
 * @uid: in the caller's user namespace; 0 without BUILDID_SUB_UID
 * @cgroup_fd: an open cgroup v2 directory; 0 without BUILDID_SUB_CGROUP
 * @reserved: 0
 *
 * A record is delivered if it passes all filters. With BUILDID_SUB_CHILDREN, all
 * descendants of @pids count as listed, whether forked before this call or after it.
 * KERNEL and MODULE pass every filter.
 *
 * Once it returns, every mapping that passes the filters is in the ring or counted as
 * lost. Mappings by processes outside the subscriber's pid namespace are not
 * delivered. A call that fails may have written @size and @ring_size. Errors: EBUSY
 * if this open file has a ring; EPERM; ESRCH for a pid that does not exist; EBADF if
 * @cgroup_fd is not a cgroup v2 directory; ENOENT if that cgroup was removed; EUSERS
 * if all rings are in use, or half of them by the caller's user, unless that is root;
 * EOPNOTSUPP if the kernel offers no way to watch forks or execs; ENOMEM, also beyond
 * RLIMIT_MEMLOCK.
 *
 * read(2) then returns as many whole records as fit. Its errors: ENXIO before
 * SUBSCRIBE; EAGAIN; EMSGSIZE if the next record does not fit, as it always does in
 * BUILDID_RECORD_MAX bytes; EBUSY once the ring was mapped; EFAULT; EINTR.
 */
struct buildid_subscribe {
	__u32	size;
	__u32	flags;
	__u32	ring_size;
	__u32	watermark;
	__u64	pids;
	__u32	nr_pids;
	__u32	uid;
	__s32	cgroup_fd;
	__u32	reserved;
};

/**
 * struct buildid_flush - BUILDID_IOC_FLUSH: remove every file from the cache
 * @size: of the struct
 * @flags: 0
 * @flushed: out: files removed
 */
struct buildid_flush {
	__u32	size;
	__u32	flags;
	__u64	flushed;
};

/*
 * The most cookies of a user, and of all users together. A user namespace counts as
 * one user, here and for the shares of subscriptions and cache entries: its owner, or
 * its root user if the owner is root. If both are root, or its root user is not
 * mapped, users in it count as those outside.
 */
#define BUILDID_COOKIES_MAX	1024
#define BUILDID_COOKIES_TOTAL	65536

/**
 * struct buildid_set_cookie - BUILDID_IOC_SET_COOKIE: a loader names what it loads
 * @size: of the struct
 * @flags: BUILDID_COOKIE_*
 * @fd: with BUILDID_COOKIE_FD: open for reading, of a file that the caller's user
 *	owns; else 0
 * @kind: enum buildid_kind: GNU, GO or COOKIE for a mapping, COOKIE for a file,
 *	NONE to remove what was set
 * @id_len: bytes at @id, 1 to BUILDID_ID_MAX; 0 with NONE
 * @addr: without BUILDID_COOKIE_FD: in the caller's address space, where all @len
 *	bytes are mapped, from a file or not; else 0
 * @len: without BUILDID_COOKIE_FD: more than 0; else 0
 * @id: address of the identity; 0 with NONE
 *
 * For code that no ELF file holds: JIT, Wine, a plugin host.
 *
 * A mapping: subscribers get a COOKIE record now, and MAPS has it while it is valid.
 * It replaces cookies of any of these addresses.
 *
 * A file: its identity is BUILDID_KIND_COOKIE while the content has no identity of
 * its own (GNU, GO, FSVERITY), and neither content (mtime and size) nor owner
 * changes. It has a new file_id from then on. As the module does not notice that a
 * file is gone, the user's oldest such cookie is dropped when there are too many.
 *
 * Errors: EPERM, unless the caller has CAP_FOWNER, for another user's file, as
 * reported by fstat(2), or on an overlay that was mounted in a user namespace or has
 * copied only the metadata (metacopy); EBADF, and errors of read(2) as for RESOLVE;
 * EEXIST if the content has an identity of its own; EIO, or EAGAIN if it is being
 * changed; ENOENT if part of the range is not mapped, or there is no cookie to
 * remove; EDQUOT if the user has BUILDID_COOKIES_MAX, or all users have
 * BUILDID_COOKIES_TOTAL; EOPNOTSUPP for a file that is never read, or without MMU
 * notifiers in the kernel; ENOMEM; EINTR. On any error, size may have been written,
 * but no cookie was set.
 */
struct buildid_set_cookie {
	__u32	size;
	__u32	flags;
	__s32	fd;
	__u16	kind;
	__u16	id_len;
	__u64	addr;
	__u64	len;
	__u64	id;
};

/* buildid_set_cookie.flags */
#define BUILDID_COOKIE_FD	(1U << 0) /* of a file, not of a mapping */

/* Retired numbers: 2, 5, 6 and 9 were RESOLVE_FD, _KEY, _ADDR and _ID of ABI 1. */
#define BUILDID_IOC_INFO	_IOWR(BUILDID_IOC_MAGIC, 0, struct buildid_info)
#define BUILDID_IOC_STATS	_IOWR(BUILDID_IOC_MAGIC, 1, struct buildid_stats)
#define BUILDID_IOC_SUBSCRIBE	_IOWR(BUILDID_IOC_MAGIC, 3, struct buildid_subscribe)
#define BUILDID_IOC_FLUSH	_IOWR(BUILDID_IOC_MAGIC, 4, struct buildid_flush)
#define BUILDID_IOC_MAPS	_IOWR(BUILDID_IOC_MAGIC, 7, struct buildid_maps)
#define BUILDID_IOC_SET_COOKIE	_IOWR(BUILDID_IOC_MAGIC, 8, struct buildid_set_cookie)
#define BUILDID_IOC_HISTORY	_IOWR(BUILDID_IOC_MAGIC, 10, struct buildid_history)
#define BUILDID_IOC_RESOLVE	_IOWR(BUILDID_IOC_MAGIC, 11, struct buildid_resolve)

/* ------------------------------------------------------ generic netlink -- */

/*
 * Family "buildid", in the initial network namespace; buildid.yaml beside this
 * header describes it for generators. All of it needs CAP_PERFMON or
 * CAP_SYS_ADMIN in the initial user namespace, of the sender and of the socket's
 * opener.
 *
 *	BUILDID_CMD_GET		request: BUILDID_A_DEV_MAJOR, BUILDID_A_DEV_MINOR,
 *				BUILDID_A_INO and, optional, BUILDID_A_GENERATION and
 *				BUILDID_A_TREE
 *				reply: one BUILDID_A_RECORD, the FILE record of the
 *				newest version in the cache; ENOENT when there is none;
 *				ENOTUNIQ when there are some of several trees, and it is
 *				not said of which; EINVAL without one of the first three
 *	BUILDID_CMD_GET, NLM_F_DUMP
 *				request: optional filters: BUILDID_A_DEV_MAJOR and
 *				BUILDID_A_DEV_MINOR, both or none; BUILDID_A_KIND.
 *				Any other attribute is EINVAL
 *				one message with one BUILDID_A_RECORD for each version
 *				of each file in the cache. NLM_F_DUMP_INTR is set when
 *				files came or went meanwhile: a file that was there all
 *				the time is never missing, others may be
 *	BUILDID_CMD_SUBSCRIBE	request, all optional: BUILDID_A_FLAGS,
 *				BUILDID_A_RING_SIZE, BUILDID_A_WATERMARK,
 *				BUILDID_A_PIDS, BUILDID_A_UID, BUILDID_A_CGROUP_FD:
 *				as the fields of struct buildid_subscribe
 *				reply: BUILDID_A_RING_SIZE, what it is; then EVENT
 *				messages to this socket until it is closed. Errors as
 *				of BUILDID_IOC_SUBSCRIBE; EBUSY when this socket has a
 *				subscription
 *	BUILDID_CMD_EVENT	to a socket that has subscribed: one or more
 *				BUILDID_A_RECORD: the same stream as that of a ring of
 *				/dev/buildid, seq from 1, LOST included. It ends when
 *				the module is unloaded: recv(2) fails with ENODEV, once.
 *				What it gives after that was sent before. The family
 *				has another number when the module is loaded again
 *
 * Records wait in the subscriber's ring while its socket is full; what does not fit
 * there is counted in LOST, exactly. There is no multicast group. Without memory a
 * request fails with ENOMEM, or ENOBUFS from the core kernel. A dump to a full socket
 * fails with ENOBUFS, too.
 */
#define BUILDID_GENL_NAME	"buildid"
#define BUILDID_GENL_VERSION	2 /* the ABI's; requests may have any */

/* 1 to 3 were those of ABI 1, with other records: EOPNOTSUPP. */
enum buildid_cmd {
	BUILDID_CMD_UNSPEC	= 0,
	BUILDID_CMD_GET		= 4,
	BUILDID_CMD_EVENT	= 5,
	BUILDID_CMD_SUBSCRIBE	= 6,
};

/**
 * enum buildid_attr - attributes
 * @BUILDID_A_UNSPEC: never sent
 * @BUILDID_A_RECORD: binary: one record, struct buildid_record first
 * @BUILDID_A_DEV_MAJOR: u32, as in struct buildid_file
 * @BUILDID_A_DEV_MINOR: u32, as in struct buildid_file
 * @BUILDID_A_INO: u64, as in struct buildid_file
 * @BUILDID_A_GENERATION: u32, as in struct buildid_file
 * @BUILDID_A_PAD: alignment of 64-bit attributes
 * @BUILDID_A_KIND: u32, enum buildid_kind
 * @BUILDID_A_FLAGS: u32, BUILDID_SUB_*
 * @BUILDID_A_RING_SIZE: u32, as in struct buildid_subscribe
 * @BUILDID_A_WATERMARK: u32, as in struct buildid_subscribe
 * @BUILDID_A_PIDS: binary: u32 each, as in struct buildid_subscribe
 * @BUILDID_A_UID: u32, as in struct buildid_subscribe
 * @BUILDID_A_CGROUP_FD: u32, a file descriptor of the sender, as in struct
 *	buildid_subscribe
 * @BUILDID_A_TREE: u64: as in struct buildid_file
 */
enum buildid_attr {
	BUILDID_A_UNSPEC	= 0,
	BUILDID_A_RECORD	= 1,
	BUILDID_A_DEV_MAJOR	= 2,
	BUILDID_A_DEV_MINOR	= 3,
	BUILDID_A_INO		= 4,
	BUILDID_A_GENERATION	= 5,
	BUILDID_A_PAD		= 6,
	BUILDID_A_KIND		= 7,
	BUILDID_A_FLAGS		= 8,
	BUILDID_A_RING_SIZE	= 9,
	BUILDID_A_WATERMARK	= 10,
	BUILDID_A_PIDS		= 11,
	BUILDID_A_UID		= 12,
	BUILDID_A_CGROUP_FD	= 13,
	BUILDID_A_TREE		= 14,
};

#endif /* _UAPI_BUILDID_H */
