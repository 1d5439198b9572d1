// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctls, and what the header says of the result: which errors there are, which bytes may be
 * written, what an answer looks like.
 */
#include <err.h>

#include "requests.h"

/* ----------------------------------------------------------------- what has to be -- */

static bool is_bad_subscribe(const struct buildid_subscribe *req)
{
	uint32_t size = req->ring_size ?: 1 << 20;

	return req->reserved || (req->uid && !(req->flags & BUILDID_SUB_UID)) ||
	       (req->cgroup_fd && !(req->flags & BUILDID_SUB_CGROUP)) || size & (size - 1) ||
	       req->watermark >= size || req->nr_pids > BUILDID_SUB_PIDS_MAX;
}

static bool is_bad_cookie(const struct buildid_set_cookie *req)
{
	bool file = req->flags & BUILDID_COOKIE_FD;

	return req->id_len > BUILDID_ID_MAX || !req->kind != !req->id_len ||
	       (req->kind && req->kind != BUILDID_KIND_COOKIE &&
		(file || (req->kind != BUILDID_KIND_GNU && req->kind != BUILDID_KIND_GO))) ||
	       (file ? req->addr || req->len : req->fd || !req->len);
}

static bool is_in(const struct field *fields, size_t n, size_t i)
{
	while (n--)
		if (i - fields[n].at < fields[n].size)
			return true;
	return false;
}

/* A way that there is not, or a field of another one. */
static bool is_bad_resolve(const struct call *call)
{
	const struct buildid_resolve *req = &call->request.resolve;
	size_t i;

	for (i = offsetof(struct buildid_resolve, fd); i < sizeof(*req); i++)
		if (call->request.bytes[i] && !is_in(call->io->uses, 6, i))
			return true;
	return req->by != call->io->by ||
	       (req->flags & BUILDID_KEY_ANY_GENERATION && req->generation) ||
	       (req->flags & BUILDID_KEY_ANY_TREE && req->tree);
}

/* Of the fields alone: EINVAL by the header. */
static bool is_invalid(const struct call *call)
{
	const union request *req = &call->request;

	if (call->nr == INFO)
		return false;
	/* reserved in STATS */
	if (req->flush.flags & ~call->io->flags)
		return true;
	if (call->io->by)
		return is_bad_resolve(call);
	switch (call->nr) {
	case SUBSCRIBE:
		return is_bad_subscribe(&req->subscribe);
	case SET_COOKIE:
		return is_bad_cookie(&req->cookie);
	case MAPS:
	case HISTORY:
		return room_of(call) < 2 * BUILDID_RECORD_MAX;
	}
	return false;
}

/* Byte @i of the struct as it was. */
static uint8_t byte_before(const struct fuzz *f, const struct call *call, size_t i)
{
	return call->before[call->at - f->request.start + i];
}

/* For other reasons than its fields. */
static bool is_bad_struct(const struct fuzz *f, const struct call *call)
{
	uint32_t i;

	if (!call->inside || call->size < (call->io->least ?: call->io->size) || call->size > PAGE)
		return true;
	for (i = call->io->size; i < call->size; i++)
		if (byte_before(f, call, i))
			return true;
	return false;
}

static bool has_error(const struct ioctl *io, int error)
{
	unsigned int i;

	for (i = 0; i < ERRORS_MAX && io->errors[i]; i++)
		if (io->errors[i] == error)
			return true;
	return false;
}

/* What another thread writes to a shared request may name the file in another way. */
static bool is_one_of(const struct ioctl *io, const struct call *call)
{
	return io == call->io || (call->loose && io->number == call->io->number);
}

static bool may_fail_with(const struct fuzz *f, const struct call *call, int error)
{
	unsigned int i;

	switch (error) {
	case EINVAL:
	case EFAULT:
		return true;
	case E2BIG:
		return call->size > call->io->size || call->loose;
	case EPERM:
		if (options.unprivileged)
			return true;
		break;
	case ENOMEM:
		if (f->failed)
			return true;
		break;
	case EBADF:
	case ENOTTY:
		/* another thread has closed the device */
		if (options.racing)
			return true;
		break;
	}
	for (i = 0; i < IOCTLS; i++)
		if (is_one_of(&ioctls[i], call) && has_error(&ioctls[i], error))
			return true;
	return false;
}

/* -------------------------------------------------------------------- what was -- */

static bool is_out(const struct call *call, size_t i)
{
	return is_in(call->io->outs, 4, i);
}

/* The size that the header has the module leave: the smaller one. */
static uint32_t size_after(const struct call *call)
{
	return call->size < call->io->size ? call->size : call->io->size;
}

/* May a failed call have written that byte of the struct? */
static bool may_change(const struct call *call, int error, size_t i)
{
	/* the answer is copied out before what may still fail */
	if (call->nr == SUBSCRIBE)
		return i < 4 || is_out(call, i);
	if (i < 4)
		return error == ENOSPC || error == E2BIG || call->nr == SET_COOKIE;
	return error == ENOSPC && is_out(call, i);
}

/* Nothing was written that must not be, in and around the struct. */
static void check_request(struct fuzz *f, const struct call *call, int error)
{
	const uint8_t *now = f->request.start;
	size_t at = (size_t)(call->at - now), i;
	uint32_t size;

	for (i = 0; i < f->request.size; i++) {
		if (now[i] == call->before[i])
			continue;
		if (call->inside && i - at < size_after(call) &&
		    (error ? may_change(call, error, i - at) : i - at < 4 || is_out(call, i - at)))
			continue;
		if (error == E2BIG && i - at < 4)
			continue;
		finding(f, "%s: byte %zd of the struct of %u was written",
			error ? strerrorname_np(error) : "success", (ssize_t)(i - at), call->size);
		return;
	}
	if (at + 4 > f->request.size || (error && error != E2BIG && error != ENOSPC))
		return;
	memcpy(&size, call->at, sizeof(size));
	if (size != (error == E2BIG ? call->io->size : size_after(call)))
		finding(f, "size is %u, of a struct of %u", size, call->size);
}

/* May the call have written to the records although it failed? */
static bool may_have_begun(const struct call *call, int error)
{
	return error == EFAULT || error == EINTR ||
	       (call->io->many &&
		(error == ESTALE || error == ENOMEM || error == ESRCH || error == EINVAL));
}

/* Only @used bytes from @from on were written in the arena of records. */
static void check_outside(struct fuzz *f, uint64_t from, uint32_t used)
{
	uint64_t start = (uintptr_t)f->records.start, end = start + f->records.size, i;
	uint64_t first = from - start < f->records.size ? from : start;

	for (i = first - 64 < start ? start : first - 64; i < end; i++) {
		if (i == from)
			i += used;
		if (i < end && *(uint8_t *)i != PATTERN) {
			finding(f, "byte %lld of the buffer was written, %u are used",
				(long long)(i - from), used);
			return;
		}
		if (i > from + used + 4096)
			return;
	}
}

static void restore_records(struct fuzz *f)
{
	memset(f->records.start, PATTERN, f->records.size);
}

/* Of a reply, aligned, whatever the caller's buffer is. */
static const void *aligned(const void *at, uint32_t size)
{
	static __thread uint64_t copy[(1 << 20) / 8];

	return memcpy(copy, at, size);
}

static const struct buildid_file *file_reply(struct fuzz *f, uint64_t at, uint32_t used)
{
	const struct buildid_file *file;

	if (used > BUILDID_RECORD_MAX) {
		finding(f, "a reply of %u", used);
		return NULL;
	}
	file = aligned((const void *)at, used);
	if (file->header.type != BUILDID_RECORD_FILE || file->header.size != used ||
	    file->header.seq || file->header.flags) {
		finding(f, "the reply is no FILE record of %u", used);
		return NULL;
	}
	return check_record(f, file, used) ? file : NULL;
}

static bool is_task(const struct buildid_record *record, uint32_t pid)
{
	const struct buildid_task *task = (const void *)record;

	return (record->type == BUILDID_RECORD_FORK || record->type == BUILDID_RECORD_EXEC) &&
	       task->tid == task->pid && (!pid || task->pid == pid);
}

/*
 * FILE and MMAP records, each MMAP after its FILE, then COOKIE records; all marked. HISTORY has
 * no COOKIE, but FORK and EXEC records, and MMAPs whose file is forgotten.
 */
static void check_many(struct fuzz *f, uint64_t at, uint32_t used, uint32_t pid, bool history)
{
	const uint8_t *from = aligned((const void *)at, used), *end = from + used;
	uint64_t file_id = ~0ULL;
	bool after = false;

	while (from < end && !stop) {
		const struct buildid_record *record = (const void *)from;
		const struct buildid_mmap *map = (const void *)from;
		size_t n = check_record(f, from, (size_t)(end - from));

		if (!n)
			return;
		if (record->flags != BUILDID_RECORD_SNAPSHOT || record->seq)
			finding(f, "flags %#x and seq of a reply", record->flags);
		if (record->type == BUILDID_RECORD_FILE)
			file_id = ((const struct buildid_file *)from)->file_id;
		else if (record->type == BUILDID_RECORD_COOKIE && !history)
			after = true;
		else if (history && is_task(record, pid))
			;
		else if (record->type != BUILDID_RECORD_MMAP || after ||
			 (map->file_id != file_id && !(history && !map->file_id)) ||
			 map->tid != map->pid || (pid && map->pid != pid))
			finding(f, "a record of type %u is not in its place", record->type);
		from += n;
	}
}

static void check_file_reply(struct fuzz *f, struct call *call, const union request *reply,
			     const struct buildid_file *file)
{
	const union request *req = &call->request;

	switch (call->nr) {
	case RESOLVE_KEY:
		if (file->ino != req->resolve.ino || file->dev_major != req->resolve.dev_major ||
		    file->dev_minor != req->resolve.dev_minor ||
		    (!(req->resolve.flags & BUILDID_KEY_ANY_GENERATION) &&
		     file->generation != req->resolve.generation))
			finding(f, "a FILE of another inode");
		break;
	case RESOLVE_ID:
		if (file->file_id != req->resolve.file_id)
			finding(f, "a FILE of another file_id");
		break;
	case RESOLVE_ADDR:
		if (!reply->resolve.start_time ||
		    (req->resolve.start_time &&
		     req->resolve.start_time != reply->resolve.start_time))
			finding(f, "start_time");
		break;
	}
}

static bool good_text(const uint8_t *text, size_t size)
{
	size_t len = strnlen((const char *)text, size);

	while (len < size)
		if (text[len++])
			return false;
	return text[0] && !text[size - 1];
}

static void check_info(struct fuzz *f, const struct buildid_info *info)
{
	uint32_t flags[64] = {};
	uint64_t numbers = 0;
	unsigned int n;

	if (info->abi != BUILDID_ABI_VERSION)
		finding(f, "the ABI is %u", info->abi);
	if (info->size < sizeof(*info))
		return;
	for (n = 0; n < IOCTLS; n++) {
		numbers |= 1ULL << _IOC_NR(ioctls[n].number);
		flags[_IOC_NR(ioctls[n].number)] |= ioctls[n].flags;
	}
	if (info->records != 0x7fe || info->ioctls != numbers ||
	    info->record_max != BUILDID_RECORD_MAX || info->id_max != BUILDID_ID_MAX ||
	    info->real_offset_min > info->real_offset_max || !good_text(info->version, 32) ||
	    !good_text(info->hook, 32))
		finding(f, "what INFO says of this module");
	if (memcmp(info->known_flags, flags, sizeof(flags)))
		finding(f, "known_flags");
}

/* The answer in the struct, which was written as it should be. */
static void check_reply(struct fuzz *f, struct call *call)
{
	union request *req = &call->request, reply = {};
	const struct buildid_file *file;
	struct stream *stream = &f->devices[call->device];
	uint32_t used = 0;
	size_t n;

	memcpy(&reply, call->at, size_after(call));
	for (n = 0; n < 4; n++)
		check_poison(f, reply.bytes + call->io->outs[n].at, call->io->outs[n].size,
			     "answer");
	if (call->io->room)
		memcpy(&used, reply.bytes + call->io->room, sizeof(used));
	if (used > room_of(call)) {
		finding(f, "%u bytes used of %u", used, room_of(call));
		return;
	}
	check_outside(f, records_of(call), used);
	switch (call->nr) {
	case INFO:
		check_info(f, &reply.info);
		break;
	case STATS:
		if (reply.stats.entries > reply.stats.entries_max || reply.stats.reserved)
			finding(f, "entries or reserved of STATS");
		break;
	case SUBSCRIBE:
		if (reply.subscribe.ring_size != (req->subscribe.ring_size ?: 1 << 20))
			finding(f, "ring_size %u of %u", reply.subscribe.ring_size,
				req->subscribe.ring_size);
		*stream = (struct stream){ .subscribed = true,
					   .known = true,
					   .ring_size = reply.subscribe.ring_size };
		break;
	case MAPS:
		check_many(f, records_of(call), used, req->maps.pid, false);
		f->maps = reply.maps;
		if (reply.maps.cursor == BUILDID_MAPS_END)
			f->maps.cursor = 0;
		break;
	case HISTORY:
		check_many(f, records_of(call), used, req->history.pid, true);
		f->history = reply.history;
		if (reply.history.cursor == BUILDID_MAPS_END)
			f->history.cursor = 0;
		break;
	default:
		if (!call->io->room)
			break;
		file = file_reply(f, records_of(call), used);
		if (file)
			check_file_reply(f, call, &reply, file);
	}
}

/* Both ways: what must not succeed did not, and what must did. */
static void check_result(struct fuzz *f, const struct call *call, int error)
{
	bool bad = is_bad_struct(f, call), invalid = !bad && is_invalid(call);

	if (error && !may_fail_with(f, call, error))
		finding(f, "%s, which the header does not have", strerrorname_np(error));
	if (call->loose)
		return;
	if (!error && (bad || invalid))
		finding(f, "a bad %s succeeded", bad ? "struct" : "field");
	if (!error && call->io->privileged && options.unprivileged)
		finding(f, "succeeded without the right to it");
	if (invalid && !options.unprivileged && !options.racing && !f->failed && error != EINVAL)
		finding(f, "%s for a bad field, not EINVAL", strerrorname_np(error));
	if (error && call->sure && !f->failed && !options.racing &&
	    !(options.unprivileged && (call->io->privileged || error == EPERM)))
		finding(f, "%s for a good request", strerrorname_np(error));
	if (error == ENOSPC && room_of(call) >= BUILDID_RECORD_MAX)
		finding(f, "no room in %u", room_of(call));
}

static void check_call(struct fuzz *f, struct call *call, int error)
{
	check_result(f, call, error);
	if (call->loose || stop)
		return;
	check_request(f, call, error);
	if (!error && !stop)
		check_reply(f, call);
	else if (!may_have_begun(call, error))
		check_outside(f, records_of(call), 0);
}

/* --------------------------------------------------------------------- the call -- */

static unsigned int command(struct fuzz *f, const struct call *call)
{
	if (!one_in(f, 16))
		return (unsigned int)call->io->number;
	return _IOC(_IOC_READ | _IOC_WRITE, BUILDID_IOC_MAGIC, _IOC_NR(call->io->number),
		    below(f, 1 << 14));
}

static void describe(struct fuzz *f, const struct call *call)
{
	const uint32_t *word = (const void *)call->request.bytes;

	snprintf(f->what, sizeof(f->what),
		 "%s of device %u at %p, size %u, words %x %x %x %x %x %x %x %x", call->io->name,
		 call->device, (void *)call->at, call->size, word[1], word[2], word[3], word[4],
		 word[5], word[6], word[7], word[8]);
}

void fuzz_ioctl(struct fuzz *f)
{
	static __thread uint8_t *before;
	struct call call = {};
	struct meeting meeting;
	int result;

	before = before ?: malloc(f->request.size);
	if (!before)
		err(1, "malloc");
	make_call(f, &call);
	describe(f, &call);
	memcpy(before, f->request.start, f->request.size);
	call.before = before;
	begin_faults(f);
	meeting = begin_meeting(call.device);
	result = ioctl(DEVICE_FD + (int)call.device, command(f, &call), call.at);
	end_meeting(&meeting, call.nr, !result);
	end_faults(f);
	count_call(call.nr, result);
	check_call(f, &call, result ? errno : 0);
	memset(f->request.start, PATTERN, f->request.size);
	restore_records(f);
}

/* Numbers, directions and types that the module does not have. */
void fuzz_unknown_ioctl(struct fuzz *f)
{
	unsigned int type = BUILDID_IOC_MAGIC + (one_in(f, 3) ? 1 + below(f, 2) : 0);
	unsigned int direction = below(f, 4), nr = below(f, 256);
	static const unsigned int retired[] = { 2, 5, 6, 9 };
	int result;

	if (type == BUILDID_IOC_MAGIC && direction == (_IOC_READ | _IOC_WRITE) &&
	    nr <= _IOC_NR(BUILDID_IOC_RESOLVE))
		nr = retired[nr % 4];
	snprintf(f->what, sizeof(f->what), "ioctl %u of type %#x", nr, type);
	result = ioctl(DEVICE_FD + (int)below(f, DEVICES), _IOC(direction, type, nr, below(f, 256)),
		       f->request.start);
	count_call(UNKNOWN_IOCTL, result);
	if (!result || (errno != ENOTTY && !(options.racing && errno == EBADF)))
		finding(f, "%s, not ENOTTY", result ? strerrorname_np(errno) : "success");
}
