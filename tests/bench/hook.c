// SPDX-License-Identifier: GPL-2.0
/*
 * Hook: what it takes, with preemption off, whatever it is given. By
 * kmod/hook_cost.c, as what a mapping takes in all has the visit in it. The cache has one set,
 * full of versions of the file that is mapped, so that a look-up goes through all of them.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hook.h"
#include "measure.h"
#include "subject.h"
#include "workload.h"

#define PARAMETER "/sys/module/hook_cost/parameters/mappings"
#define PAGE	  4096
#define ROUNDS	  12
#define FULL_SET  32
#define FILES	  5

/* What is done before each mapping. */
enum prelude {
	NOTHING,
	CHANGE,		 /* the file has another version */
	CHANGE_AND_READ, /* so young that the time stamps do not tell */
	SUBSCRIBE,	 /* the FILE record was not sent yet */
	LOSE,		 /* a LOST record is due */
};

/**
 * struct scene - a mapping, and what is to be done about it
 * @name: of its number
 * @prelude: what goes before
 * @files: mapped at once; the last one counts
 * @same: all of them are one file
 * @shared: stores to the mapping would be to the file
 * @roomy: the cache has nothing else
 * @full: the ring is full
 * @flags: of the subscriber
 * @path: of the file, below the directory of all; NULL for a hostile one
 * @hostile: that one
 * @hits: of the cache, of all files together
 * @unresolved: of these files
 */
struct scene {
	const char *name;
	enum prelude prelude;
	unsigned int files;
	bool same;
	bool shared;
	bool roomy;
	bool full;
	uint32_t flags;
	const char *path;
	struct hostile hostile;
	unsigned int hits;
	unsigned int unresolved;
};

static struct {
	int fd;
	void *mapping;
} mapped[FILES];

static uint64_t unwatched;

/* What the last mapping took. */
static uint64_t report(const struct scene *scene)
{
	uint64_t taken[FILES] = { 0 };
	char text[FILES * 24] = "", *at = text;
	unsigned int i;
	ssize_t n;
	int fd = open(PARAMETER, O_RDWR | O_CLOEXEC);

	for (i = 0; i < scene->files; i++)
		at += sprintf(at, "%#" PRIxPTR " ", (uintptr_t)mapped[i].mapping);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die(PARAMETER);
	n = pread(fd, text, sizeof(text) - 1, 0);
	if (n < 0)
		die(PARAMETER);
	text[n] = '\0';
	for (i = 0, at = text; i < scene->files; i++)
		taken[i] = strtoull(at, &at, 10);
	close(fd);
	return taken[scene->files - 1];
}

static void change(const struct scene *scene, unsigned int round)
{
	unsigned int i;

	for (i = 0; i < scene->files; i++)
		if (fchmod(mapped[i].fd, round & 1 ? 0755 : 0711))
			die("fchmod");
}

static void fill_ring(void)
{
	const uint64_t full = device_stats().ring_full;

	while (device_stats().ring_full == full)
		map_once(mapped[0].fd);
}

static void prepare(const struct scene *scene, unsigned int round)
{
	settle();
	switch (scene->prelude) {
	case NOTHING:
		break;
	case CHANGE:
		change(scene, round);
		break;
	case CHANGE_AND_READ:
		change(scene, round);
		map_once(mapped[0].fd);
		break;
	case SUBSCRIBE:
		unsubscribe();
		subscribe(scene->flags, READER_MMAP);
		break;
	case LOSE:
		fill_ring();
		change(scene, round);
		break;
	}
	if (scene->roomy)
		device_flush();
	if (!scene->full)
		subscription_drain();
}

static void check(const struct scene *scene, const struct buildid_stats *before)
{
	const struct buildid_stats now = device_stats();
	const uint64_t hits = now.hits - before->hits, misses = now.misses - before->misses;
	const uint64_t unresolved = now.unresolved - before->unresolved;

	if (hits != scene->hits || misses != scene->files - scene->hits ||
	    unresolved != scene->unresolved)
		die("%s: %" PRIu64 " hits, %" PRIu64 " misses, %" PRIu64 " unresolved", scene->name,
		    hits, misses, unresolved);
}

static uint64_t least_of(const struct scene *scene)
{
	uint64_t least = UINT64_MAX, taken;
	struct buildid_stats before;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		prepare(scene, i);
		before = device_stats();
		taken = report(scene);
		check(scene, &before);
		if (taken < least)
			least = taken;
	}
	return least;
}

static int open_file(const char *dir, const struct scene *scene, unsigned int i)
{
	char path[PATH_MAX];
	int fd;

	if (!scene->path)
		return hostile_file(dir, &scene->hostile);
	snprintf(path, sizeof(path), "%s/%s/%u", dir, scene->path, scene->same ? 0 : i);
	fd = open(path, (scene->shared ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (fd < 0)
		die("%s", path);
	return fd;
}

static void map_files(const char *dir, const struct scene *scene)
{
	const int kind = scene->shared ? MAP_SHARED : MAP_PRIVATE;
	unsigned int i;

	for (i = 0; i < scene->files; i++) {
		mapped[i].fd = open_file(dir, scene, i);
		mapped[i].mapping = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, kind, mapped[i].fd, 0);
		if (mapped[i].mapping == MAP_FAILED)
			die("%s: mmap", scene->name);
	}
}

static void unmap_files(const struct scene *scene)
{
	unsigned int i;

	for (i = 0; i < scene->files; i++) {
		munmap(mapped[i].mapping, PAGE);
		close(mapped[i].fd);
	}
}

/* With versions of the file that counts; the last one is in the last place that is looked at. */
static void fill_set(const struct scene *scene)
{
	unsigned int i;

	for (i = 0; i < FULL_SET; i++) {
		change(scene, i);
		settle();
		map_once(mapped[scene->files - 1].fd);
	}
}

static void play(const char *dir, const struct scene *scene)
{
	subscribe(scene->flags, READER_MMAP);
	map_files(dir, scene);
	fill_set(scene);
	if (scene->full)
		fill_ring();
	number_print(scene->name, (double)least_of(scene) - (double)unwatched);
	unmap_files(scene);
	unsubscribe();
}

/* What the function takes that the hook is on. */
static uint64_t least_unwatched(const char *dir)
{
	static const struct scene scene = { .name = "hook: none",
					    .files = 1,
					    .path = "disk/files" };
	uint64_t least = UINT64_MAX, taken;
	unsigned int i;

	map_files(dir, &scene);
	for (i = 0; i < ROUNDS; i++) {
		taken = report(&scene);
		if (taken < least)
			least = taken;
	}
	unmap_files(&scene);
	return least;
}

/* 460 headers of 32 bytes, in the other byte order, and 64 notes on two pages each */
#define NOTES \
	.headers = 460, .id_len = 128, .empty = true, .is32 = true, .swapped = true, .split = true

static const struct scene scenes[] = {
	{ .name = "hook: known", .files = 1, .path = "disk/files", .hits = 1 },
	{ .name = "hook: racy",
	  .prelude = CHANGE_AND_READ,
	  .files = 1,
	  .path = "disk/files",
	  .hits = 1 },
	{ .name = "hook: not sent",
	  .prelude = SUBSCRIBE,
	  .files = 1,
	  .path = "disk/files",
	  .hits = 1 },
	{ .name = "hook: paths",
	  .files = 1,
	  .path = "disk/files",
	  .hits = 1,
	  .flags = BUILDID_SUB_PATH },
	{ .name = "hook: first",
	  .prelude = CHANGE,
	  .files = 1,
	  .roomy = true,
	  .path = "disk/files" },
	{ .name = "hook: new", .prelude = CHANGE, .files = 1, .path = "disk/files" },
	{ .name = "hook: notes", .prelude = CHANGE, .files = 1, .hostile = { NOTES } },
	{ .name = "hook: long path",
	  .prelude = CHANGE,
	  .files = 1,
	  .hostile = { NOTES, .depth = 31, .name_len = 127 } },
	{ .name = "hook: deep path",
	  .prelude = CHANGE,
	  .files = 1,
	  .hostile = { NOTES, .depth = 200, .name_len = 1 } },
	{ .name = "hook: long path, paths",
	  .prelude = CHANGE,
	  .files = 1,
	  .flags = BUILDID_SUB_PATH,
	  .hostile = { NOTES, .depth = 31, .name_len = 127 } },
	{ .name = "hook: writer", .files = 1, .hostile = { NOTES, .writer = true }, .hits = 1 },
	{ .name = "hook: shared",
	  .prelude = CHANGE,
	  .files = 1,
	  .shared = true,
	  .path = "disk/files" },
	{ .name = "hook: second",
	  .prelude = CHANGE,
	  .files = 2,
	  .same = true,
	  .path = "disk/files" },
	{ .name = "hook: fourth", .prelude = CHANGE, .files = 4, .path = "disk/files" },
	{ .name = "hook: fifth",
	  .prelude = CHANGE,
	  .files = 5,
	  .path = "disk/files",
	  .unresolved = 1 },
	{ .name = "hook: full", .prelude = CHANGE, .files = 1, .full = true, .path = "disk/files" },
	{ .name = "hook: lost", .prelude = LOSE, .files = 1, .path = "disk/files" },
};

/* The files of a subvolume and of its snapshots, if there is one. */
static const struct scene btrfs_scenes[] = {
	{ .name = "hook: btrfs", .prelude = CHANGE, .files = 1, .path = "btrfs" },
	{ .name = "hook: btrfs, shared",
	  .prelude = CHANGE,
	  .files = 1,
	  .shared = true,
	  .path = "btrfs" },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

void count_hook(const char *dir)
{
	char btrfs[256];
	unsigned int i;

	module_load(dir, "hook_cost", "");
	unwatched = least_unwatched(dir);
	module_load(dir, "buildid", "max_entries=16");
	device_open();
	for (i = 0; i < COUNT(scenes); i++)
		play(dir, &scenes[i]);
	snprintf(btrfs, sizeof(btrfs), "%s/btrfs/0", dir);
	for (i = 0; i < COUNT(btrfs_scenes); i++) {
		if (!access(btrfs, F_OK))
			play(dir, &btrfs_scenes[i]);
		else
			missing_print(btrfs_scenes[i].name);
	}
	device_close();
	module_unload("buildid");
	module_unload("hook_cost");
}
