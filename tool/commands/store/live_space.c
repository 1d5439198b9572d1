// SPDX-License-Identifier: GPL-2.0
/* Live space: makes room. */

#include <errno.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/copy.h"
#include "content/kernel_modules.h"
#include "content/running_kernel.h"
#include "content/vdso.h"
#include "live_space.h"

/* Evict more than needed, so that it happens seldom: this fraction of --max-size. */
#define SPARE_PART 8
/* If everything is in use, retry after this many nanoseconds. */
#define RETRY_NS 10000000000ULL

bool live_space_open(struct live_space *space, struct debug_dir *dir, struct buildid *handle,
		     uint64_t max, struct reason *reason)
{
	*space = (struct live_space){ .dir = dir, .handle = handle, .max = max };
	if (!debug_dir_lock(dir, reason))
		return false;
	space->stored = stored_new(dir, reason);
	return space->stored;
}

void live_space_close(struct live_space *space)
{
	stored_free(space->stored);
}

/* ------------------------------------------------------------- evicting -- */

static void hold(struct live_space *space, const struct buildid_record *record)
{
	const struct buildid_file *file = (const void *)record;
	const uint8_t *bytes;
	struct build_id id;
	size_t size;

	if (record->type != BUILDID_RECORD_FILE || file->kind != BUILDID_KIND_GNU)
		return;
	bytes = buildid_file_id_bytes(file, &size);
	if (bytes && build_id_set(&id, bytes, size))
		stored_hold(space->stored, stored_find(space->stored, &id));
}

/*
 * Hold what processes have mapped. If that cannot be determined, nothing may be removed; except
 * that a process that keeps calling exec, or keeps its address space locked, is ignored, as any
 * user can have one.
 */
static bool hold_mapped(struct live_space *space)
{
	struct buildid_snapshot *snapshot;
	const struct buildid_record *record;
	int err = buildid_snapshot_new(&snapshot, space->handle, NULL);

	if (err)
		return false;
	do {
		err = buildid_snapshot_next(snapshot, &record);
		if (!err)
			hold(space, record);
	} while (!err || err == -EINTR || err == -ESTALE || err == -ETIMEDOUT);
	buildid_snapshot_free(snapshot);
	if (err == -ENODATA)
		return true;
	stored_release(space->stored);
	return false;
}

static bool is_of_kernel(const struct debug_mark *mark)
{
	struct build_id id;
	char *module;

	if (running_kernel_build_id(&id) && build_id_equal(&id, &mark->id))
		return true;
	if (vdso_build_id(&id) && build_id_equal(&id, &mark->id))
		return true;
	module = mark->module ? loaded_module_name(&mark->id) : NULL;
	free(module);
	return module;
}

static bool evict(struct live_space *space, uint64_t bytes)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	size_t count;

	if (now < space->retry_after)
		return false;
	if (!hold_mapped(space)) {
		space->retry_after = now + RETRY_NS;
		return false;
	}
	count = stored_evict(space->stored, bytes, is_of_kernel);
	space->evicted += count;
	space->forget = true;
	if (!count)
		space->retry_after = now + RETRY_NS;
	return count;
}

/* ------------------------------------------------------------------ room -- */

static uint64_t live_space_minus(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

static bool make_room(struct live_space *space, uint64_t bytes, struct reason *reason)
{
	uint64_t max = space->max;

	if (!max || stored_bytes(space->stored) + bytes <= max)
		return true;
	if (bytes > max)
		return reason_set(reason, "is larger than --max-size");
	evict(space, live_space_minus(max - bytes, max / SPARE_PART));
	return stored_bytes(space->stored) + bytes <= max ||
	       reason_set(reason, "no room below --max-size, as all that is stored is in use");
}

static bool put_item(struct live_space *space, const struct debug_item *item, uint64_t bytes,
		     struct reason *reason)
{
	if (!debug_dir_has_room(space->dir, bytes))
		return reason_set(reason, "No space left on the disk, of which a part stays free");
	if (!debug_dir_put(space->dir, item, reason))
		return false;
	stored_add(space->stored, item->id);
	return true;
}

bool live_space_put(struct live_space *space, const struct debug_item *file, struct reason *reason)
{
	uint64_t bytes = copy_size(file->fd);
	struct debug_item checked = *file, *item = &checked;

	if (!bytes)
		return reason_set(reason, "is empty");
	/* Unused blocks, and holes filled later, must not evict anything. */
	item->most = bytes;
	bytes = debug_dir_cost(item->name, bytes);
	if (!content_is(item->fd, item->id, item->part, reason) || !make_room(space, bytes, reason))
		return false;
	if (put_item(space, item, bytes, reason))
		return true;
	if (debug_dir_has_room(space->dir, bytes))
		return false;
	if (space->max &&
	    evict(space,
		  live_space_minus(stored_bytes(space->stored), bytes + space->max / SPARE_PART)) &&
	    put_item(space, item, bytes, reason))
		return true;
	space->needed = bytes;
	return false;
}

void live_space_add(struct live_space *space, const struct build_id *id)
{
	struct reason unused;

	stored_use(space->stored, stored_add(space->stored, id));
	make_room(space, 0, &unused);
}

bool live_space_has_room_again(struct live_space *space)
{
	if (!space->needed || !debug_dir_has_room(space->dir, space->needed))
		return false;
	space->needed = 0;
	return true;
}
