// SPDX-License-Identifier: GPL-2.0
/*
 * Good requests of each ioctl, and how they are spoiled: in the size, the address, a field, or
 * where the answer is to go.
 */
#include "requests.h"

#define FIELD(type, field)                                          \
	{                                                           \
		offsetof(struct buildid_##type, field),             \
			sizeof(((struct buildid_##type *)0)->field) \
	}

/* clang-format off */
#define RESOLVE(way)                                                      \
	.name = "RESOLVE_" #way,                                          \
	.number = BUILDID_IOC_RESOLVE,                                    \
	.size = sizeof(struct buildid_resolve),                           \
	.by = BUILDID_BY_##way,                                           \
	.room = offsetof(struct buildid_resolve, record_size),            \
	.records = offsetof(struct buildid_resolve, record)
/* clang-format on */

const struct ioctl ioctls[IOCTLS] = {
	[INFO] = {
		"INFO", BUILDID_IOC_INFO, sizeof(struct buildid_info), .least = 8,
		.outs = { { 4, sizeof(struct buildid_info) - 4 } },
	},
	[STATS] = {
		"STATS", BUILDID_IOC_STATS, sizeof(struct buildid_stats),
		.outs = { { 8, sizeof(struct buildid_stats) - 8 } },
	},
	[RESOLVE_FD] = {
		RESOLVE(FD),
		.errors = { EBADF, ENOSPC, EINTR },
		.outs = { FIELD(resolve, record_size) },
		.uses = { FIELD(resolve, fd) },
	},
	[SUBSCRIBE] = {
		"SUBSCRIBE", BUILDID_IOC_SUBSCRIBE, sizeof(struct buildid_subscribe),
		.flags = BUILDID_SUB_DATA | BUILDID_SUB_PATH | BUILDID_SUB_KERNEL |
			 BUILDID_SUB_CHILDREN | BUILDID_SUB_UID | BUILDID_SUB_CGROUP |
			 BUILDID_SUB_TASKS,
		.privileged = true,
		.errors = { EBUSY, EPERM, ESRCH, EBADF, ENOENT, EUSERS, EOPNOTSUPP, ENOMEM },
		.outs = { FIELD(subscribe, ring_size) },
	},
	[FLUSH] = {
		"FLUSH", BUILDID_IOC_FLUSH, sizeof(struct buildid_flush),
		.privileged = true,
		.outs = { FIELD(flush, flushed) },
	},
	[RESOLVE_KEY] = {
		RESOLVE(KEY),
		.flags = BUILDID_KEY_ANY_GENERATION | BUILDID_KEY_ANY_TREE,
		.privileged = true,
		.errors = { ENOENT, ENOTUNIQ, ENOSPC },
		.outs = { FIELD(resolve, record_size) },
		.uses = { FIELD(resolve, dev_major), FIELD(resolve, dev_minor), FIELD(resolve, ino),
			  FIELD(resolve, tree), FIELD(resolve, generation) },
	},
	[RESOLVE_ADDR] = {
		RESOLVE(ADDR),
		.errors = { ESRCH, ENOENT, ENOSPC, EINTR, ETIMEDOUT },
		.outs = { FIELD(resolve, record_size), FIELD(resolve, start_time),
			  FIELD(resolve, offset) },
		.uses = { FIELD(resolve, pid), FIELD(resolve, addr), FIELD(resolve, start_time),
			  FIELD(resolve, offset) },
	},
	[MAPS] = {
		"MAPS", BUILDID_IOC_MAPS, sizeof(struct buildid_maps),
		.flags = BUILDID_MAPS_DATA,
		.errors = { ESTALE, ESRCH, EINTR, ETIMEDOUT },
		.outs = { FIELD(maps, bytes), FIELD(maps, cursor), FIELD(maps, instance) },
		.room = offsetof(struct buildid_maps, bytes),
		.records = offsetof(struct buildid_maps, records),
		.many = true,
	},
	[SET_COOKIE] = {
		"SET_COOKIE", BUILDID_IOC_SET_COOKIE, sizeof(struct buildid_set_cookie),
		.flags = BUILDID_COOKIE_FD,
		.errors = { EPERM, EBADF, EEXIST, EIO, EAGAIN, ENOENT, EDQUOT, EOPNOTSUPP, ENOMEM,
			    EINTR },
	},
	[RESOLVE_ID] = {
		RESOLVE(ID),
		.privileged = true,
		.errors = { ENOENT, ENOSPC },
		.outs = { FIELD(resolve, record_size) },
		.uses = { FIELD(resolve, file_id) },
	},
	[HISTORY] = {
		"HISTORY", BUILDID_IOC_HISTORY, sizeof(struct buildid_history),
		.privileged = true,
		.errors = { EINTR },
		.outs = { FIELD(history, bytes), FIELD(history, cursor),
			  FIELD(history, since) },
		.room = offsetof(struct buildid_history, bytes),
		.records = offsetof(struct buildid_history, records),
		.many = true,
	},
};

/* --------------------------------------------------------------- good requests -- */

static const uint8_t cookie_id[BUILDID_ID_MAX] = "fuzz_device was here";

static const struct buildid_file *known_file(struct fuzz *f)
{
	static const struct buildid_file none = { .file_id = 1 };
	unsigned int n = f->nr_keys < KEYS ? f->nr_keys : KEYS;

	return n ? &f->keys[below(f, n)] : &none;
}

/* Of the files, the first are plain ones that can be read; see open_file(). */
static int some_fd(struct fuzz *f, bool *sure)
{
	unsigned int n = below(f, FILES + 4);

	*sure = n < 4 && !options.racing;
	switch (n) {
	case FILES:
		return DEVICE_FD;
	case FILES + 1:
		return CLOSED_FD;
	case FILES + 2:
		return SOCKET_FD;
	case FILES + 3:
		return (int)odd_number(f);
	default:
		return (int)(FILE_FD + n);
	}
}

static uint32_t some_pid(struct fuzz *f, bool *self)
{
	unsigned int n = below(f, 8);

	*self = n < 5;
	switch (n) {
	case 5:
		return f->child;
	case 6:
		return (uint32_t)getppid();
	case 7:
		return one_in(f, 2) ? 1 : (uint32_t)odd_number(f);
	default:
		return (uint32_t)getpid();
	}
}

static const struct mapping *some_mapping(struct fuzz *f)
{
	return &f->mappings[below(f, MAPPINGS)];
}

static void good_resolve_key(struct fuzz *f, struct buildid_resolve *req)
{
	const struct buildid_file *file = known_file(f);

	req->flags = below(f, 4);
	req->dev_major = file->dev_major;
	req->dev_minor = file->dev_minor;
	req->ino = file->ino;
	if (!(req->flags & BUILDID_KEY_ANY_GENERATION))
		req->generation = file->generation;
}

static bool good_resolve_addr(struct fuzz *f, struct buildid_resolve *req)
{
	const struct mapping *mapping = some_mapping(f);
	bool self;

	req->pid = some_pid(f, &self);
	if (mapping->at && one_in(f, 2)) {
		req->addr = (uintptr_t)mapping->at + below(f, (uint32_t)mapping->size);
		return false;
	}
	req->addr = one_in(f, 8) ? odd_number(f) : (uintptr_t)&fuzz_ioctl;
	return self && req->addr == (uintptr_t)&fuzz_ioctl;
}

static bool good_maps(struct fuzz *f, struct buildid_maps *req)
{
	bool self;

	req->flags = below(f, 2);
	req->pid = some_pid(f, &self);
	if (f->maps.cursor && one_in(f, 2)) {
		req->pid = f->maps.pid;
		req->cursor = f->maps.cursor;
		req->instance = f->maps.instance;
		return req->pid == (uint32_t)getpid();
	}
	return self;
}

static bool good_history(struct fuzz *f, struct buildid_history *req)
{
	bool self;

	if (one_in(f, 2))
		req->pid = some_pid(f, &self);
	if (one_in(f, 2))
		req->cursor = f->history.cursor;
	return true;
}

static bool good_subscribe(struct fuzz *f, struct buildid_subscribe *req, bool subscribed)
{
	static __thread uint32_t pids[BUILDID_SUB_PIDS_MAX];
	static const uint32_t sizes[] = { 0, 16384, 65536, 1 << 20 };

	req->ring_size = sizes[below(f, 4)];
	if (req->ring_size && one_in(f, 3))
		req->watermark = below(f, req->ring_size);
	req->flags = below(f, 8) | (one_in(f, 3) ? BUILDID_SUB_TASKS : 0);
	if (!one_in(f, 3)) {
		req->nr_pids = 1 + below(f, 3);
		req->pids = (uintptr_t)pids;
		pids[0] = (uint32_t)getpid();
		pids[1] = (uint32_t)getppid();
		pids[2] = 1;
		req->flags |= one_in(f, 3) ? BUILDID_SUB_CHILDREN : 0;
	}
	if (one_in(f, 8))
		req->flags |= BUILDID_SUB_UID;
	if (one_in(f, 8)) {
		req->flags |= BUILDID_SUB_CGROUP;
		req->cgroup_fd = FILE_FD + FILES - 1;
	}
	return !subscribed && !(req->flags & (BUILDID_SUB_TASKS | BUILDID_SUB_CGROUP));
}

static bool good_set_cookie(struct fuzz *f, struct buildid_set_cookie *req)
{
	static const uint16_t kinds[] = { BUILDID_KIND_GNU, BUILDID_KIND_GO, BUILDID_KIND_COOKIE };
	const struct mapping *mapping = some_mapping(f);
	bool sure;

	if (one_in(f, 5)) {
		req->kind = BUILDID_KIND_NONE;
	} else {
		req->kind = kinds[below(f, 3)];
		req->id_len = (uint16_t)(1 + below(f, BUILDID_ID_MAX));
		req->id = (uintptr_t)cookie_id;
	}
	if (one_in(f, 3)) {
		req->flags = BUILDID_COOKIE_FD;
		req->fd = some_fd(f, &sure);
		if (req->kind)
			req->kind = BUILDID_KIND_COOKIE;
		return false;
	}
	req->addr = (uintptr_t)mapping->at;
	req->len = mapping->at ? 1 + below(f, (uint32_t)mapping->size) : 0;
	return mapping->at && req->kind;
}

/* Returns whether it has to succeed for a caller with all rights. */
static bool good_request(struct fuzz *f, struct call *call)
{
	union request *req = &call->request;
	bool sure = true;

	if (call->io->by)
		req->resolve.by = call->io->by;
	switch (call->nr) {
	case RESOLVE_FD:
		req->resolve.fd = some_fd(f, &sure);
		break;
	case SUBSCRIBE:
		sure = good_subscribe(f, &req->subscribe, f->devices[call->device].subscribed);
		break;
	case RESOLVE_KEY:
		good_resolve_key(f, &req->resolve);
		sure = false;
		break;
	case RESOLVE_ADDR:
		sure = good_resolve_addr(f, &req->resolve);
		break;
	case MAPS:
		sure = good_maps(f, &req->maps);
		break;
	case SET_COOKIE:
		sure = good_set_cookie(f, &req->cookie);
		break;
	case RESOLVE_ID:
		req->resolve.file_id = known_file(f)->file_id;
		sure = false;
		break;
	case HISTORY:
		sure = good_history(f, &req->history);
		break;
	}
	return sure;
}

/* ------------------------------------------------------------------ to spoil it -- */

uint32_t room_of(const struct call *call)
{
	uint32_t room = 0;

	if (call->io->room)
		memcpy(&room, call->request.bytes + call->io->room, sizeof(room));
	return room;
}

uint64_t records_of(const struct call *call)
{
	uint64_t records = 0;

	if (call->io->records)
		memcpy(&records, call->request.bytes + call->io->records, sizeof(records));
	return records;
}

static void set_records(struct call *call, uint64_t at, uint32_t room)
{
	memcpy(call->request.bytes + call->io->room, &room, sizeof(room));
	memcpy(call->request.bytes + call->io->records, &at, sizeof(at));
}

static void place_records(struct fuzz *f, struct call *call)
{
	uint32_t room = call->io->many ? 2 * BUILDID_RECORD_MAX + 8 * below(f, 4096) :
					 BUILDID_RECORD_MAX;
	uint32_t off = below(f, (uint32_t)f->records.size - room);

	if (!call->io->room)
		return;
	off = one_in(f, 3) ? off : off & ~7U;
	if (one_in(f, 4))
		off = (uint32_t)f->records.size - room;
	set_records(call, (uintptr_t)f->records.start + off, room);
}

static void spoil_records(struct fuzz *f, struct call *call)
{
	static const uint32_t rooms[] = { 0, 1, 127, 128, 16383, 16384, 1 << 20, ~0U };
	uint64_t at = records_of(call);
	uint32_t room = room_of(call);

	switch (below(f, 4)) {
	case 0:
		at = (uintptr_t)odd_pointer(f);
		break;
	case 1:
		at = (uintptr_t)f->request.start + below(f, (uint32_t)f->request.size);
		call->loose = true;
		break;
	case 2:
		/* of the size of a FILE record, or an end of a range */
		room = one_in(f, 2) ? 8 * below(f, 40) : rooms[below(f, 8)];
		break;
	default:
		at = (uintptr_t)f->records.start + f->records.size - below(f, 512);
	}
	set_records(call, at, room);
}

static void spoil_size(struct fuzz *f, struct call *call)
{
	switch (below(f, 6)) {
	case 0:
		call->size = below(f, call->io->size);
		break;
	case 1:
		call->size = call->io->size - 4 * (1 + below(f, 2));
		break;
	case 2:
		call->size = call->io->size + 8;
		break;
	case 3:
		call->size = call->io->size + 1 + below(f, 4096);
		break;
	case 4:
		call->size = 4096 + below(f, 2);
		break;
	default:
		call->size = (uint32_t)odd_number(f);
	}
}

/* Not where the records go, as that could be anywhere in this process. */
static void spoil_field(struct fuzz *f, struct call *call)
{
	size_t at = 4 + 4 * below(f, (call->io->size - 4) / 4), n = one_in(f, 2) ? 2 : 4;
	uint64_t value = odd_number(f);

	if (!call->io->records || at - call->io->records >= 8)
		memcpy(call->request.bytes + at, &value, n);
	/* another way is another call */
	if (call->io->by && call->request.resolve.by <= BUILDID_BY_ADDR)
		call->request.resolve.by = call->io->by;
}

/* Where the struct is: in the arena, at its end, across it, or nowhere. */
static void place_request(struct fuzz *f, struct call *call, bool good)
{
	uint8_t *start = f->request.start, *end = start + f->request.size;

	call->at = start + 64 + 8 * below(f, (uint32_t)(f->request.size - 4500) / 8);
	if (one_in(f, 6))
		call->at += 1 + below(f, 7);
	if (one_in(f, 6))
		call->at = end - (call->size <= f->request.size ? call->size : 8);
	if (!good && one_in(f, 2))
		call->at = end - 4 - below(f, call->io->size);
	else if (!good)
		call->at = one_in(f, 4) ? f->read_only.start : odd_pointer(f);
	call->inside = call->at >= start && call->at + 4 <= end && call->at + call->size <= end &&
		       call->size <= f->request.size;
}

static void write_request(struct fuzz *f, struct call *call)
{
	uint8_t *end = f->request.start + f->request.size;
	uint32_t n = call->size < call->io->size ? call->size : call->io->size;

	call->request.size = call->size;
	if (call->at < f->request.start || call->at + 4 > end)
		return;
	/* the size is there, also where it says that nothing is */
	n = n < 4 ? 4 : n;
	if (call->at + n > end)
		n = (uint32_t)(end - call->at);
	memcpy(call->at, call->request.bytes, n);
	if (call->inside && call->size > call->io->size)
		memset(call->at + call->io->size, 0, call->size - call->io->size);
	if (call->inside && call->size > call->io->size && one_in(f, 3))
		call->at[call->io->size + below(f, call->size - call->io->size)] = 1;
}

/* ---------------------------------------------------------------------- a call -- */

/* What several threads hand in, while others write to it. */
static uint8_t *shared_request(void)
{
	static _Alignas(4096) uint8_t shared[512];

	return shared;
}

static void share(struct fuzz *f, struct call *call)
{
	uint8_t *to = shared_request();

	/* who takes it for another's writes there, and that may be after this call */
	if (call->io->room)
		set_records(call, (uintptr_t)shared_records.start, room_of(call));
	memcpy(to, call->request.bytes, call->io->size);
	call->at = to;
	call->inside = false;
	call->loose = true;
	/* shortly before somebody else does the same */
	if (one_in(f, 2))
		memcpy(to, &call->size, sizeof(call->size));
}

/*
 * INFO, STATS and FLUSH less often, the last as it makes others fail; SUBSCRIBE more often, as
 * it lets others succeed.
 */
static unsigned int some_ioctl(struct fuzz *f, bool unsubscribed)
{
	unsigned int nr = below(f, IOCTLS);

	if (unsubscribed && one_in(f, 4))
		return SUBSCRIBE;
	if (nr == FLUSH && !one_in(f, 4))
		nr = RESOLVE_FD;
	if ((nr == INFO || nr == STATS) && one_in(f, 2))
		nr = SET_COOKIE;
	return nr;
}

void make_call(struct fuzz *f, struct call *call)
{
	unsigned int spoil = one_in(f, 3) ? 1 + below(f, 15) : 0;
	bool shared = options.racing && one_in(f, 4);

	call->device = below(f, DEVICES);
	call->nr = some_ioctl(f, !f->devices[call->device].subscribed);
	call->io = &ioctls[call->nr];
	call->size = call->io->size;
	call->sure = good_request(f, call) && !spoil;
	place_records(f, call);
	if (spoil & 1 && call->io->room)
		spoil_records(f, call);
	/* another ioctl may take that field for where the records go */
	if (spoil & 2 && !shared)
		spoil_field(f, call);
	if (spoil & 4)
		spoil_size(f, call);
	place_request(f, call, !(spoil & 8));
	write_request(f, call);
	if (shared)
		share(f, call);
}
