// SPDX-License-Identifier: GPL-2.0
/*
 * A mapping made while perf recorded has an MMAP record from the module with the same process,
 * address, length and offset, and nearly the same time. Mappings inherited from a parent, and those
 * not executable, have no record, and are found by inode. That counts only while it is certain what
 * the inode held at the time: a file may be rewritten, and records may be lost.
 *
 * Records that perf made, without the module, have no such inode, see find_of_perf().
 */

#include <errno.h>
#include <string.h>
#include <sys/param.h>

#include "common/array.h"
#include "identities.h"
#include "images.h"
#include "versions.h"

/* perf takes its time of a mapping after the module does, but by less than this. */
#define MOMENT 1000000000ULL
/* Within this time no process maps another content at the same place. */
#define AT_ONCE 100000ULL

/* An MMAP record. */
struct mmap_event {
	uint64_t addr, len, pgoff;
	uint64_t time; /* once ready, without times: only_inode() */
	uint32_t pid;
	uint32_t version; /* index */
};

/* A process began, called exec, or ended: earlier mappings are gone. */
struct process_start {
	uint64_t time;
	uint32_t pid;
};

/* Records were lost in this time. */
struct loss {
	uint64_t from, to;
};

/* The records of one pid: first index and number, once ready. */
struct process {
	size_t mmaps, nr_mmaps;
	size_t starts, nr_starts;
};

/* Indices of the MMAP records in another order. Few recordings need it. */
struct mmap_order {
	bool sorted;
	uint32_t index[];
};

struct identities {
	enum perfdata_clock clock;
	bool converted;
	struct mono_clock other; /* then */
	uint64_t begin;
	uint64_t begin_slack; /* by which that may have been earlier or later */
	struct stream_clock stream;
	struct versions versions;
	struct mmap_event *mmaps; /* of a process by place and time, once ready */
	size_t nr_mmaps;
	struct mmap_order *by_path;   /* and place, and time */
	struct mmap_order *by_time;   /* of a place */
	struct process_start *starts; /* by process and time, once ready */
	size_t nr_starts;
	struct hash_map processes; /* from pid and start time to the start */
	struct process *pids;	   /* once ready */
	size_t nr_pids;
	struct hash_map by_pid;
	struct loss *losses; /* once ready, sorted by from, and to is the latest so far */
	size_t nr_losses;
	uint64_t lost;
	uint64_t first;		  /* time of the first record */
	uint64_t last, last_mono; /* time of the last record, by both clocks */
	uint64_t end;		  /* of the stream */
	struct images images;
};

struct identities *identities_new(enum perfdata_clock clock)
{
	struct identities *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->clock = clock;
	new->first = UINT64_MAX;
	new->end = UINT64_MAX;
	return new;
}

void identities_of_perf(struct identities *identities)
{
	identities->versions.by_path = true;
}

void identities_free(struct identities *identities)
{
	if (!identities)
		return;
	images_free(&identities->images);
	versions_free(&identities->versions);
	stream_clock_free(&identities->stream);
	hash_map_free(&identities->processes);
	hash_map_free(&identities->by_pid);
	free(identities->pids);
	free(identities->by_path);
	free(identities->by_time);
	free(identities->starts);
	free(identities->mmaps);
	free(identities->losses);
	free(identities);
}

static uint64_t time_of(const struct identities *identities, const struct buildid_record *record)
{
	return identities->clock == PERFDATA_CLOCK_PERF ? record->time_perf : record->time_mono;
}

static bool has_times(const struct identities *identities)
{
	return identities->converted || identities->clock == PERFDATA_CLOCK_PERF ||
	       identities->clock == PERFDATA_CLOCK_MONO;
}

/* ------------------------------------------------------------------ adding -- */

static int add_start(struct identities *identities, uint32_t pid, uint64_t time)
{
	if (!array_reserve(identities->starts, identities->nr_starts))
		return -ENOMEM;
	identities->starts[identities->nr_starts++] = (struct process_start){ time, pid };
	return 0;
}

/* The process's first record by time: the snapshot's are mixed with those sent meanwhile. */
static int add_process(struct identities *identities, uint32_t pid, uint64_t start_time,
		       uint64_t time)
{
	const uint64_t process[] = { pid, start_time };
	uint64_t key = hash_bytes(hash_start(), process, sizeof(process));
	uint32_t index = hash_map_get(&identities->processes, key, UINT32_MAX);

	if (index != UINT32_MAX) {
		if (time < identities->starts[index].time)
			identities->starts[index].time = time;
		return 0;
	}
	if (!hash_map_set(&identities->processes, key, (uint32_t)identities->nr_starts))
		return -ENOMEM;
	return add_start(identities, pid, time);
}

static int add_task(struct identities *identities, const struct buildid_task *task)
{
	uint64_t time = time_of(identities, &task->header);

	if (task->header.type == BUILDID_RECORD_FORK)
		return add_process(identities, task->pid, task->start_time, time);
	return add_start(identities, task->pid, time);
}

static int add_loss(struct identities *identities, uint64_t from, uint64_t to)
{
	if (!array_reserve(identities->losses, identities->nr_losses))
		return -ENOMEM;
	identities->losses[identities->nr_losses++] = (struct loss){ from, to };
	return 0;
}

static int add_mmap(struct identities *identities, const struct buildid_mmap *mmap)
{
	uint64_t time = time_of(identities, &mmap->header);
	struct version *version;
	uint32_t index;

	/* The state is UNRESOLVED; of perf's, its path is not known then. */
	if (!mmap->file_id)
		return identities->versions.by_path ? add_loss(identities, 0, time) : 0;
	index = versions_announce(&identities->versions, mmap->file_id);
	if (index == VERSIONS_NONE || !array_reserve(identities->mmaps, identities->nr_mmaps))
		return -ENOMEM;
	identities->mmaps[identities->nr_mmaps++] = (struct mmap_event){
		.addr = mmap->addr,
		.len = mmap->len,
		.pgoff = mmap->pgoff,
		.time = time,
		.pid = mmap->pid,
		.version = index,
	};
	version = &identities->versions.all[index];
	if (!version->mapped || time < version->first)
		version->first = time;
	if (!version->mapped || time > version->last)
		version->last = time;
	version->mapped = true;
	/* Of perf's, where it was gone before it could be asked for: it may be any of that pid. */
	if (!mmap->start_time && identities->versions.by_path)
		return 0;
	return add_process(identities, mmap->pid, mmap->start_time, time);
}

/*
 * A LOST record ends the gap, which began after the previous record; of perf's that may be another
 * processor's, and since when this one had no room is not known.
 */
static int add_lost(struct identities *identities, const struct buildid_lost *lost, uint64_t last)
{
	if (identities->versions.by_path)
		last = 0;
	identities->lost += lost->ring_full + lost->unresolved + lost->missed_probe;
	return add_loss(identities, last, time_of(identities, &lost->header));
}

int identities_ended(struct identities *identities, uint64_t mono)
{
	/* Both clocks advanced equally since the last record; drift does not matter here. */
	uint64_t since = mono > identities->last_mono ? mono - identities->last_mono : 0;

	identities->end = identities->last + since;
	return add_loss(identities, identities->end, UINT64_MAX);
}

void identities_wall_clock(struct identities *identities, uint64_t mono, uint64_t real)
{
	stream_clock_add_real(&identities->stream, mono, real);
}

void identities_wall_clock_before(struct identities *identities, uint64_t begin,
				  const struct wall_range *range)
{
	stream_clock_before(&identities->stream, begin, range);
}

void identities_wall_clock_until(struct identities *identities, uint64_t until)
{
	stream_clock_until(&identities->stream, until);
}

int identities_add(struct identities *identities, const struct buildid_record *record)
{
	uint64_t last = identities->last;
	const void *any = record;

	if (stream_clock_add(&identities->stream, record->time_mono, time_of(identities, record)))
		return -ENOMEM;
	if (time_of(identities, record) < identities->first)
		identities->first = time_of(identities, record);
	if (record->time_mono > identities->last_mono) {
		identities->last_mono = record->time_mono;
		identities->last = time_of(identities, record);
	}
	switch (record->type) {
	case BUILDID_RECORD_FILE:
		return versions_add(&identities->versions, any);
	case BUILDID_RECORD_MMAP:
		return add_mmap(identities, any);
	case BUILDID_RECORD_FORK:
	case BUILDID_RECORD_EXEC:
	case BUILDID_RECORD_EXIT:
		return add_task(identities, any);
	case BUILDID_RECORD_LOST:
		return add_lost(identities, any, last);
	case BUILDID_RECORD_KERNEL:
	case BUILDID_RECORD_MODULE:
		return images_add(&identities->images, any, time_of(identities, record));
	default:
		return 0;
	}
}

uint64_t identities_lost(const struct identities *identities)
{
	return identities->lost;
}

/* ----------------------------------------------------------------- sorting -- */

static int compare_places(const struct mmap_event *first, const struct mmap_event *second)
{
	int result = COMPARE(first->addr, second->addr);

	if (!result)
		result = COMPARE(first->len, second->len);
	return result ? result : COMPARE(first->pgoff, second->pgoff);
}

/* Within one process. */
static int compare_mmaps(const void *a, const void *b)
{
	const struct mmap_event *first = a, *second = b;
	int result = compare_places(first, second);

	return result ? result : COMPARE(first->time, second->time);
}

static uint64_t path_of(const struct identities *identities, const struct mmap_event *mmap)
{
	return identities->versions.all[mmap->version].path;
}

static int compare_paths(const void *a, const void *b, void *context)
{
	const struct identities *identities = context;
	const struct mmap_event *first = &identities->mmaps[*(const uint32_t *)a];
	const struct mmap_event *second = &identities->mmaps[*(const uint32_t *)b];
	int result = COMPARE(path_of(identities, first), path_of(identities, second));

	if (!result)
		result = compare_places(first, second);
	return result ? result : COMPARE(first->time, second->time);
}

/* The inode of the version if it can only have one, else 0; see may_be(). */
static uint64_t only_inode(const struct version *version)
{
	return version->dev == version->user_dev && version->ino == version->user_ino ?
		       version->ino :
		       0;
}

/* Without times: groups the versions of a file. */
static int compare_untimed(const void *a, const void *b, void *context)
{
	const struct identities *identities = context;
	const struct mmap_event *first = a, *second = b;
	int result = compare_mmaps(first, second);

	if (!result)
		result = COMPARE(identities->versions.all[first->version].ino,
				 identities->versions.all[second->version].ino);
	return result ? result : COMPARE(first->version, second->version);
}

static int compare_starts(const void *a, const void *b)
{
	const struct process_start *first = a, *second = b;
	int result = COMPARE(first->pid, second->pid);

	return result ? result : COMPARE(first->time, second->time);
}

static int compare_losses(const void *a, const void *b)
{
	const struct loss *first = a, *second = b;

	return COMPARE(first->from, second->from);
}

static int compare_times(const void *a, const void *b, void *context)
{
	const struct identities *identities = context;
	const struct mmap_event *first = &identities->mmaps[*(const uint32_t *)a];
	const struct mmap_event *second = &identities->mmaps[*(const uint32_t *)b];
	int result = compare_places(first, second);

	return result ? result : COMPARE(first->time, second->time);
}

static void sort_order(const struct identities *identities, struct mmap_order *order,
		       int (*compare)(const void *a, const void *b, void *context))
{
	uint32_t i;

	if (order->sorted)
		return;
	order->sorted = true;
	for (i = 0; i < identities->nr_mmaps; i++)
		order->index[i] = i;
	qsort_r(order->index, identities->nr_mmaps, sizeof(order->index[0]), compare,
		(void *)(uintptr_t)identities);
}

static struct mmap_order *new_order(const struct identities *identities)
{
	struct mmap_order *order;

	return calloc(1, sizeof(*order) + identities->nr_mmaps * sizeof(order->index[0]));
}

static void sort_losses(struct identities *identities)
{
	size_t i;

	array_sort(identities->losses, identities->nr_losses, compare_losses);
	for (i = 1; i < identities->nr_losses; i++)
		if (identities->losses[i].to < identities->losses[i - 1].to)
			identities->losses[i].to = identities->losses[i - 1].to;
}

/* ---------------------------------------------------------------- processes -- */

static struct process *find_process(const struct identities *identities, uint32_t pid)
{
	uint32_t index = hash_map_get(&identities->by_pid, pid, UINT32_MAX);

	return index == UINT32_MAX ? NULL : &identities->pids[index];
}

/* NULL without memory. */
static struct process *find_or_add_process(struct identities *identities, uint32_t pid)
{
	struct process *found = find_process(identities, pid);

	if (found)
		return found;
	if (!array_reserve(identities->pids, identities->nr_pids) ||
	    !hash_map_add(&identities->by_pid, pid, (uint32_t)identities->nr_pids))
		return NULL;
	identities->pids[identities->nr_pids] = (struct process){};
	return &identities->pids[identities->nr_pids++];
}

static int group_starts(struct identities *identities)
{
	struct process *process;
	size_t i;

	array_sort(identities->starts, identities->nr_starts, compare_starts);
	for (i = 0; i < identities->nr_starts; i++) {
		process = find_or_add_process(identities, identities->starts[i].pid);
		if (!process)
			return -ENOMEM;
		if (!process->nr_starts++)
			process->starts = i;
	}
	return 0;
}

/* Compute where each record goes, from the counts per process. */
static void place_mmaps(struct identities *identities, uint32_t *to)
{
	struct process *process;
	size_t count = 0, i;

	for (i = 0; i < identities->nr_pids; i++) {
		process = &identities->pids[i];
		process->mmaps = count;
		count += process->nr_mmaps;
		process->nr_mmaps = 0;
	}
	for (i = 0; i < identities->nr_mmaps; i++) {
		process = find_process(identities, identities->mmaps[i].pid);
		to[i] = (uint32_t)(process->mmaps + process->nr_mmaps++);
	}
}

/* Each step moves one record to its place; records already in order do not move. */
static void move_mmaps(struct identities *identities, uint32_t *to)
{
	struct mmap_event *mmaps = identities->mmaps, moved;
	uint32_t place;
	size_t i;

	for (i = 0; i < identities->nr_mmaps; i++)
		while (to[i] != i) {
			place = to[i];
			moved = mmaps[place];
			mmaps[place] = mmaps[i];
			mmaps[i] = moved;
			to[i] = to[place];
			to[place] = place;
		}
}

/*
 * Lookups are per process, and each has few of all records: so sort them per process.
 */
static int group_mmaps(struct identities *identities)
{
	uint32_t *to = calloc(identities->nr_mmaps + 1, sizeof(*to));
	struct process *process;
	size_t i;

	for (i = 0; to && i < identities->nr_mmaps; i++) {
		process = find_or_add_process(identities, identities->mmaps[i].pid);
		if (!process) {
			free(to);
			return -ENOMEM;
		}
		process->nr_mmaps++;
	}
	if (!to)
		return -ENOMEM;
	place_mmaps(identities, to);
	move_mmaps(identities, to);
	free(to);
	return 0;
}

/* Its first record; the array may be empty. */
static struct mmap_event *mmaps_of(const struct identities *identities,
				   const struct process *process)
{
	return process->nr_mmaps ? identities->mmaps + process->mmaps : NULL;
}

static void sort_mmaps(struct identities *identities)
{
	size_t i;

	for (i = 0; i < identities->nr_pids; i++)
		array_sort(mmaps_of(identities, &identities->pids[i]), identities->pids[i].nr_mmaps,
			   compare_mmaps);
}

/* Deduplicate; the first @count remain. */
static size_t keep_different_of(struct identities *identities, struct process *process,
				size_t count)
{
	const struct version *versions = identities->versions.all;
	struct mmap_event *mmaps = mmaps_of(identities, process);
	struct mmap_event *kept = mmaps ? identities->mmaps + count : NULL;
	size_t nr_kept = 0, i;

	for (i = 0; i < process->nr_mmaps; i++)
		mmaps[i].time = only_inode(&versions[mmaps[i].version]);
	if (process->nr_mmaps)
		qsort_r(mmaps, process->nr_mmaps, sizeof(*mmaps), compare_untimed, identities);
	for (i = 0; i < process->nr_mmaps; i++) {
		const struct mmap_event *last = nr_kept ? &kept[nr_kept - 1] : NULL;

		if (!last || compare_places(last, &mmaps[i]) ||
		    !version_alike(&versions[last->version], &versions[mmaps[i].version]))
			kept[nr_kept++] = mmaps[i];
	}
	process->mmaps = count;
	process->nr_mmaps = nr_kept;
	return count + nr_kept;
}

/*
 * A process may map a file at one place repeatedly. Without times these records are equivalent, and
 * comparing all of them with each mapping would be slow.
 */
static void keep_different(struct identities *identities)
{
	size_t count = 0, i;

	for (i = 0; i < identities->nr_pids; i++)
		count = keep_different_of(identities, &identities->pids[i], count);
	identities->nr_mmaps = count;
}

/* ------------------------------------------------------------------- ready -- */

void identities_convert(struct identities *identities, const struct mono_clock *clock)
{
	identities->converted = identities->clock == PERFDATA_CLOCK_OTHER;
	identities->other = *clock;
}

/* @time by the clock of the records; it may be off by @slack. */
static uint64_t in_stream(const struct identities *identities, uint64_t time, uint64_t *slack)
{
	/* Of two perfs either may have the earlier time of a mapping. */
	*slack = identities->versions.by_path && time && has_times(identities) ? MOMENT : 0;
	return identities->converted ? mono_clock_convert(&identities->other, time, slack) : time;
}

int identities_ready(struct identities *identities, uint64_t begin)
{
	int err = versions_ready(&identities->versions, &identities->stream);

	identities->begin = begin = in_stream(identities, begin, &identities->begin_slack);
	if (group_starts(identities) || group_mmaps(identities))
		return -ENOMEM;
	if (has_times(identities))
		sort_mmaps(identities);
	else
		keep_different(identities);
	sort_losses(identities);
	identities->by_path = new_order(identities);
	identities->by_time = new_order(identities);
	if (!identities->by_path || !identities->by_time)
		return -ENOMEM;
	return err ? err : images_ready(&identities->images, begin);
}

/* ----------------------------------------------------------------- finding -- */

static const struct version *version_of(const struct identities *identities,
					const struct mmap_event *mmap)
{
	return &identities->versions.all[mmap->version];
}

/*
 * Several overlayfs may have the same file, each with its own inode, and a version has that of the
 * first process that mapped it. So another inode may be the same file, unless its device is one of
 * the version's. A version without a FILE record may be any file.
 */
static bool may_be(const struct version *version, const struct perfdata_mapping *mapping)
{
	uint64_t dev = versions_device(mapping->major, mapping->minor);

	if (!version->described || version_is_of(version, mapping))
		return true;
	return version->dev != version->user_dev && dev != version->dev && dev != version->user_dev;
}

static bool lost_between(const struct identities *identities, uint64_t from, uint64_t to)
{
	const struct loss key = { .from = to };
	size_t count = array_lower_bound(&key, identities->losses, identities->nr_losses,
					 sizeof(key), compare_losses);

	return count && identities->losses[count - 1].to > from;
}

/* When it got its address space of @time, 0 if that is unknown. */
static uint64_t born(const struct identities *identities, const struct process *process,
		     uint32_t pid, uint64_t time)
{
	const struct process_start *starts =
		process->nr_starts ? identities->starts + process->starts : NULL;
	const struct process_start key = { .time = time + 1, .pid = pid };
	size_t count =
		array_lower_bound(&key, starts, process->nr_starts, sizeof(key), compare_starts);

	return count ? starts[count - 1].time : 0;
}

/* The number of its records before @request, by place and time. */
static size_t count_own_before(const struct identities *identities, const struct process *process,
			       const struct mmap_event *request)
{
	return array_lower_bound(request, mmaps_of(identities, process), process->nr_mmaps,
				 sizeof(*request), compare_mmaps);
}

static struct mmap_event request_of(const struct perfdata_mapping *mapping, uint64_t time)
{
	return (struct mmap_event){
		.addr = mapping->start,
		.len = mapping->len,
		.pgoff = mapping->pgoff,
		.time = time,
		.pid = mapping->pid,
	};
}

/* The last record of the process itself for this place, no later than @time + @slack. */
static const struct mmap_event *find_own(const struct identities *identities,
					 const struct perfdata_mapping *mapping, uint64_t time,
					 uint64_t slack)
{
	const struct mmap_event request = request_of(mapping, time + slack + 1);
	const struct process *process = find_process(identities, mapping->pid);
	uint64_t earliest;
	size_t i;

	if (!process)
		return NULL;
	earliest = born(identities, process, mapping->pid, time + slack);
	i = count_own_before(identities, process, &request);
	/* A mapping without a time existed before, for any length of time. */
	if (mapping->time >= MOMENT + slack && mapping->time - MOMENT - slack + 1 > earliest)
		earliest = mapping->time - MOMENT - slack + 1;
	while (i--) {
		const struct mmap_event *mmap = &identities->mmaps[process->mmaps + i];

		if (compare_places(mmap, &request) || mmap->time < earliest)
			return NULL;
		if (may_be(version_of(identities, mmap), mapping))
			return mmap;
	}
	return NULL;
}

/* Has the process had no other content there since @from? */
static bool is_only_since(const struct identities *identities, const struct mmap_event *own,
			  const struct perfdata_mapping *mapping, uint64_t from)
{
	const struct version *version = version_of(identities, own);
	const struct mmap_event *mmap = own;

	while (mmap-- > identities->mmaps) {
		if (compare_places(mmap, own) || mmap->pid != own->pid || mmap->time < from)
			return true;
		/* most often, and many times in a loop that maps: before anything is looked up */
		if (mmap->version == own->version)
			continue;
		if (may_be(version_of(identities, mmap), mapping) &&
		    !version_same_content(version_of(identities, mmap), version))
			return false;
	}
	return true;
}

/* With a loss in between, the process may have mapped another content there. */
static bool is_certain(const struct identities *identities, const struct mmap_event *own,
		       const struct perfdata_mapping *mapping, uint64_t time)
{
	if (mapping->time && time - own->time <= AT_ONCE &&
	    version_is_of(version_of(identities, own), mapping))
		return true;
	return !lost_between(identities, own->time, time);
}

static const struct version *find_by_inode_at(const struct identities *identities,
					      const struct perfdata_mapping *mapping, uint64_t time)
{
	const struct version *version;
	uint64_t until;

	version = versions_at(&identities->versions, mapping, time, &until);
	if (version && time > until && lost_between(identities, until, time))
		return NULL;
	return version;
}

static const struct version *find_by_inode(const struct identities *identities,
					   const struct perfdata_mapping *mapping, uint64_t time,
					   uint64_t slack)
{
	const struct version *version = find_by_inode_at(identities, mapping, time + slack), *early;

	if (!version || !slack)
		return version;
	early = find_by_inode_at(identities, mapping, time > slack ? time - slack : 1);
	return early && (early == version || version_unchanged(early, version)) ? version : NULL;
}

/* Without an inode: a child has the path mapped at the same place as its parent. */
static const struct version *find_by_path(const struct identities *identities,
					  const struct perfdata_mapping *mapping, uint64_t time)
{
	const struct mmap_event request = request_of(mapping, time);
	uint64_t path = versions_path(mapping->path);
	size_t low = 0, high = identities->nr_mmaps;
	const struct mmap_event *mmap;

	sort_order(identities, identities->by_path, compare_paths);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order;

		mmap = &identities->mmaps[identities->by_path->index[middle]];
		order = COMPARE(path_of(identities, mmap), path);
		if (!order)
			order = compare_places(mmap, &request);
		if (order < 0 || (!order && mmap->time <= time))
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	mmap = &identities->mmaps[identities->by_path->index[low - 1]];
	if (path_of(identities, mmap) != path || compare_places(mmap, &request) ||
	    lost_between(identities, mmap->time, time))
		return NULL;
	return version_of(identities, mmap);
}

/* Without an inode, by the path. */
static bool is_of_mapping(const struct version *version, const struct perfdata_mapping *mapping)
{
	return may_be(version, mapping) &&
	       (mapping->has_inode || version->path == versions_path(mapping->path));
}

/* The number of records before @request, by place and time. */
static size_t count_before(const struct identities *identities, const struct mmap_event *request)
{
	size_t low = 0, high = identities->nr_mmaps;

	sort_order(identities, identities->by_time, compare_times);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct mmap_event *mmap =
			&identities->mmaps[identities->by_time->index[middle]];
		int order = compare_places(mmap, request);

		if (order < 0 || (!order && mmap->time < request->time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What all processes ever had of this file at the place, if that is one content. */
static const struct version *find_at_place(const struct identities *identities,
					   const struct perfdata_mapping *mapping)
{
	const struct mmap_event place = request_of(mapping, 0);
	const struct version *only = NULL, *version;
	size_t i;

	for (i = count_before(identities, &place); i < identities->nr_mmaps; i++) {
		const struct mmap_event *mmap = &identities->mmaps[identities->by_time->index[i]];

		if (compare_places(mmap, &place))
			break;
		version = version_of(identities, mmap);
		if (!is_of_mapping(version, mapping))
			continue;
		if (only && !version_same_content(only, version))
			return NULL;
		only = version;
	}
	return only;
}

/* The first record of the process itself for this place after perf began. */
static const struct mmap_event *find_own_later(const struct identities *identities,
					       const struct perfdata_mapping *mapping)
{
	const struct mmap_event request = request_of(mapping, identities->begin + 1);
	const struct process *process = find_process(identities, mapping->pid);
	const struct mmap_event *mmap;
	size_t i;

	if (!process)
		return NULL;
	for (i = count_own_before(identities, process, &request); i < process->nr_mmaps; i++) {
		mmap = &identities->mmaps[process->mmaps + i];
		if (compare_places(mmap, &request))
			break;
		if (is_of_mapping(version_of(identities, mmap), mapping))
			return mmap;
	}
	return NULL;
}

/*
 * While perf lists existing processes, programs start: it makes up mappings for these as well,
 * without a time, seemingly before the program existed. Then the process has its own later record,
 * which is used if nobody ever had another content of this file at the place: the process may have
 * inherited it.
 */
static const struct version *find_later(const struct identities *identities,
					const struct perfdata_mapping *mapping)
{
	/* Most have no such record: only search all records of the place if there is one. */
	const struct mmap_event *own = find_own_later(identities, mapping);

	if (!own || lost_between(identities, identities->begin, own->time))
		return NULL;
	return find_at_place(identities, mapping);
}

/*
 * What was there when perf began: the process mapped it, or inherited it, or see find_later(). Only
 * a random place is that of relatives alone.
 */
static const struct version *find_present(const struct identities *identities,
					  const struct perfdata_mapping *mapping)
{
	const struct mmap_event *own = find_own(identities, mapping, identities->begin, 0);

	if (own)
		return lost_between(identities, own->time, identities->begin) ?
			       NULL :
			       version_of(identities, own);
	if (identities->lost ||
	    (mapping->start < IDENTITIES_RANDOM && !find_own_later(identities, mapping)))
		return NULL;
	return find_at_place(identities, mapping);
}

/*
 * By records of perf, which are of the same moment as the mapping in the perf.data; but either may
 * have the earlier time, and an interrupt or a hypervisor may have come in between. At once, by the
 * clock that both read, there is only one; in a longer time the process must have had only one
 * content there.
 */
static const struct version *find_of_perf(const struct identities *identities,
					  const struct perfdata_mapping *mapping, bool *several)
{
	const uint64_t time = mapping->time;
	const uint64_t until = MAX(time, MIN(time + MOMENT, identities->end));
	const struct mmap_event *own;

	if (!time)
		return find_present(identities, mapping);
	/* What is in a snapshot need not be what was there before. */
	if (time + AT_ONCE < identities->first)
		return NULL;
	own = identities->clock == PERFDATA_CLOCK_PERF ?
		      find_own(identities, mapping, time, AT_ONCE) :
		      NULL;
	if (own && own->time + AT_ONCE >= time &&
	    is_only_since(identities, own, mapping, time - AT_ONCE))
		return version_of(identities, own);
	own = find_own(identities, mapping, time, MOMENT);
	if (!own || own->time + MOMENT < time)
		return NULL;
	*several =
		!is_only_since(identities, own, mapping, time > 2 * MOMENT ? time - 2 * MOMENT : 0);
	return *several || lost_between(identities, MIN(own->time, time), until) ?
		       NULL :
		       version_of(identities, own);
}

/* @slack: by which @time may be off. @several: only exact times could distinguish the contents. */
static const struct version *find_version(const struct identities *identities,
					  const struct perfdata_mapping *mapping, uint64_t time,
					  uint64_t slack, bool *several)
{
	/* Data mappings have no record: one of the place is of what was there before. */
	bool recorded = !mapping->data || !mapping->has_inode;
	uint64_t from = time > MOMENT + slack ? time - MOMENT - slack : 0;
	const struct mmap_event *own = NULL;
	const struct version *version = NULL;

	if (identities->versions.by_path)
		return find_of_perf(identities, mapping, several);
	if (recorded)
		own = find_own(identities, mapping, time, slack);
	if (own && slack && !is_only_since(identities, own, mapping, from)) {
		*several = true;
		return NULL;
	}
	if (own && is_certain(identities, own, mapping, time + slack))
		return version_of(identities, own);
	if (mapping->has_inode)
		version = find_by_inode(identities, mapping, time, slack);
	else if (!mapping->time)
		version = find_by_path(identities, mapping, time);
	if (!version && !mapping->time && recorded && !own)
		version = find_later(identities, mapping);
	return version;
}

/* Search records with this only_inode(), or all without an inode; false for several contents. */
static bool find_only(const struct identities *identities, const struct perfdata_mapping *mapping,
		      uint64_t inode, const struct version **only)
{
	const struct mmap_event request = request_of(mapping, inode);
	const struct process *process = find_process(identities, mapping->pid);
	size_t i;

	if (!process)
		return true;
	for (i = count_own_before(identities, process, &request); i < process->nr_mmaps; i++) {
		const struct mmap_event *mmap = &identities->mmaps[process->mmaps + i];
		const struct version *version = version_of(identities, mmap);

		if (compare_places(mmap, &request) || (mapping->has_inode && mmap->time != inode))
			break;
		if (!may_be(version, mapping))
			continue;
		if (*only && !version_same_content(*only, version))
			return false;
		*only = version;
	}
	return true;
}

/*
 * Whatever the process ever had there, else whatever the inode ever held, if that is one content.
 */
static const struct version *find_without_time(const struct identities *identities,
					       const struct perfdata_mapping *mapping,
					       bool *several)
{
	const struct version *only = NULL;

	*several = !find_only(identities, mapping, 0, &only) ||
		   (mapping->has_inode && !find_only(identities, mapping, mapping->ino, &only));
	if (*several)
		return NULL;
	return only ? only : versions_only(&identities->versions, mapping);
}

static void find_file(const struct identities *identities, const struct perfdata_mapping *mapping,
		      struct perfdata_identity *identity)
{
	struct perfdata_mapping converted = *mapping;
	const struct version *version;
	bool several = false;
	uint64_t time, slack;

	if (identities->versions.by_path && mapping->data) {
		identity->reason = "without the module mappings of data are not recorded";
		return;
	}
	converted.time = in_stream(identities, mapping->time, &slack);
	time = converted.time ? converted.time : identities->begin;
	if (!mapping->time)
		slack = identities->begin_slack;
	version = has_times(identities) ?
			  find_version(identities, &converted, time, slack, &several) :
			  find_without_time(identities, mapping, &several);
	if (version)
		version_identity(version, identity);
	else if (identities->lost)
		identity->reason = "records were lost";
	else if (several)
		identity->reason = slack ? "by its clock its contents cannot be told apart" :
					   "without times its contents cannot be told apart";
	else
		identity->reason = "there is no record of it";
}

bool identities_has(const struct identities *identities, const struct perfdata_mapping *mapping,
		    bool *missing)
{
	struct perfdata_mapping converted = *mapping;
	uint64_t slack;

	*missing = false;
	if (mapping->kind != PERFDATA_KIND_USER || mapping->data || !has_times(identities))
		return false;
	converted.time = in_stream(identities, mapping->time, &slack);
	if (find_own(identities, &converted, converted.time ? converted.time : identities->begin,
		     slack))
		return true;
	*missing = converted.time > identities->first && converted.time < identities->end &&
		   !lost_between(identities, identities->first, converted.time);
	return false;
}

bool identities_pid_at(const struct identities *identities, const struct perfdata_mapping *mapping,
		       uint32_t *pid)
{
	uint64_t slack, time = in_stream(identities, mapping->time, &slack);
	const struct mmap_event request =
		request_of(mapping, time >= MOMENT + slack ? time - MOMENT - slack + 1 : 0);
	bool found = false;
	size_t i;

	if (mapping->kind != PERFDATA_KIND_USER || mapping->data || !time ||
	    mapping->start < IDENTITIES_RANDOM || !has_times(identities))
		return false;
	for (i = count_before(identities, &request); i < identities->nr_mmaps; i++) {
		const struct mmap_event *mmap = &identities->mmaps[identities->by_time->index[i]];

		if (compare_places(mmap, &request) || mmap->time > time + slack)
			break;
		if (!may_be(version_of(identities, mmap), mapping))
			continue;
		if (found && *pid != mmap->pid)
			return false;
		*pid = mmap->pid;
		found = true;
	}
	return found;
}

bool identities_ended_before(const struct identities *identities)
{
	return has_times(identities) && identities->end < identities->begin &&
	       identities->begin - identities->end > MOMENT;
}

uint64_t identities_real_begin(const struct identities *identities)
{
	return has_times(identities) ? stream_clock_real(&identities->stream, identities->begin) :
				       0;
}

void identities_find(const struct identities *identities, const struct perfdata_mapping *mapping,
		     struct perfdata_identity *identity)
{
	uint64_t slack;

	switch (mapping->kind) {
	case PERFDATA_KIND_USER:
		find_file(identities, mapping, identity);
		break;
	case PERFDATA_KIND_KERNEL:
	case PERFDATA_KIND_MODULE:
		images_find(&identities->images, mapping,
			    mapping->time ? in_stream(identities, mapping->time, &slack) :
					    identities->begin,
			    identity);
		break;
	default:
		identity->reason = "there is no record of it";
		break;
	}
}

uint64_t identities_text(const struct identities *identities)
{
	return images_text(&identities->images);
}

size_t identities_module_events(const struct identities *identities,
				const struct perfdata_module_event **events)
{
	*events = identities->images.module_events;
	/* They need times by the other clock. */
	return has_times(identities) && !identities->converted ?
		       identities->images.nr_module_events :
		       0;
}
