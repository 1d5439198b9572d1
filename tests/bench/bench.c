// SPDX-License-Identifier: GPL-2.0
/*
 * usage: bench DIR
 *
 * Counts what scripts/bench reports, in a guest that scripts/bench prepared:
 * DIR has buildid.ko, kprobe_only.ko, the program spawn, and a disk with ELF
 * files and a small root.
 *
 * All subjects take turns in each round, so that what drifts hits them all.
 * What is counted is also checked: that the module went the way through its
 * code that the line is named for.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "others.h"
#include "subject.h"
#include "workload.h"

/* Each is done ROUNDS times. */
#define ROUNDS	 4
#define BATCHES	 12
#define WINDOWS	 4
#define DRAINS	 8
#define SPAWNS	 30
#define MEASURED 32
#define CALLS	 32
/* The first ones fill caches and do not count. */
#define WARM_UPS      2
#define DISCARDED_MAX 4

#define FILES	 256
#define VERSIONS 5000
#define TABLE	 "2097152"
#define EXEC	 (PROT_READ | PROT_EXEC)

static int files[FILES], same[FILES];

/* A window's work is longer, as it is harder to tell apart from all the rest. */
static const struct workload one = { same, 32, EXEC };
static const struct workload one_long = { same, 256, EXEC };
static const struct workload data = { same, 32, PROT_READ };
static const struct workload many = { files, 32, EXEC };
static const struct workload many_long = { files, 96, EXEC };
static const struct workload all = { files, FILES, EXEC };

/**
 * struct subject - a way to be watched
 * @name: of its series
 * @work: what is watched
 * @machine: count what all the machine does, or else what the mapper does
 * @before: done before each batch, or NULL
 * @drain: empties the ring after each batch, or NULL
 * @module: buildid.ko is there; the rest is what it does for each mapping
 * @hits: of the cache
 * @resident: files identified in the hook
 * @worker: files identified by the worker
 * @records: records drained
 */
struct subject {
	const char *name;
	const struct workload *work;
	bool machine;
	void (*before)(const struct subject *subject);
	struct tally (*drain)(void);
	bool module;
	unsigned int hits;
	unsigned int resident;
	unsigned int worker;
	unsigned int records;
};

static void forget_files(const struct subject *subject)
{
	device_flush();
}

static void forget_files_and_pages(const struct subject *subject)
{
	device_flush();
	files_drop(subject->work->fds, subject->work->count);
}

/* ---------------------------------------------------------------- counting -- */

static bool is(const char *name, const char *what, uint64_t value, uint64_t expected)
{
	if (value == expected)
		return true;
	fprintf(stderr, "bench: %s: %" PRIu64 " %s where %" PRIu64 " were expected\n", name, value,
		what, expected);
	return false;
}

static bool went_its_way(const struct subject *subject, const struct tally *tally,
			 const struct buildid_stats *before)
{
	const unsigned int misses = subject->resident + subject->worker;
	const uint64_t mappings = subject->work->count;
	struct buildid_stats now;

#define GREW(field, each) is(subject->name, #field, now.field - before->field, (each)*mappings)
	if (!is(subject->name, "records", tally->records, subject->records * mappings) ||
	    !is(subject->name, "records lost", tally->lost, 0))
		return false;
	if (!subject->module)
		return true;
	device_wait();
	now = device_stats();
	return GREW(hits, subject->hits) && GREW(misses, misses) &&
	       GREW(parsed_resident, subject->resident) && GREW(parsed_worker, subject->worker) &&
	       GREW(rechecks, 0) && GREW(no_request, 0) && GREW(missed_probe, 0);
#undef GREW
}

static void prepare(const struct subject *subject)
{
	if (subject->module)
		device_wait();
	if (subject->before)
		subject->before(subject);
	settle();
}

struct batch {
	const struct subject *subject;
	const uint64_t *taken;	/* for each mapping */
	uint64_t machine_taken; /* for all of them */
	struct tally tally;
};

static void run_batch(void *arg)
{
	struct batch *batch = arg;

	batch->taken = mapper_run();
}

static void drain_batch(void *arg)
{
	struct batch *batch = arg;

	if (batch->subject->drain)
		batch->tally = batch->subject->drain();
}

static void count_batch(struct batch *batch)
{
	if (batch->subject->machine) {
		batch->machine_taken = window(run_batch, drain_batch, batch);
		return;
	}
	run_batch(batch);
	settle();
	drain_batch(batch);
}

/*
 * A batch counts as its cheapest mapping: in the others the kernel's allocator
 * made room for many to come, which is for luck to say.
 */
static void keep_batch(const struct batch *batch)
{
	const struct subject *subject = batch->subject;
	unsigned int i, mappings = subject->work->count;
	uint64_t least = UINT64_MAX;

	if (subject->machine) {
		series_add(subject->name, mappings, batch->machine_taken);
		return;
	}
	for (i = 0; i < mappings; i++)
		if (batch->taken[i] < least)
			least = batch->taken[i];
	series_add(subject->name, 1, least);
}

/* A batch that some other process had a part in is done again. */
static void count(const struct subject *subject)
{
	int i = -WARM_UPS, n = subject->machine ? WINDOWS : BATCHES, discarded = 0;
	struct buildid_stats before = { 0 };

	mapper_start(subject->work);
	while (i < n) {
		struct batch batch = { .subject = subject };

		prepare(subject);
		if (subject->module)
			before = device_stats();
		count_batch(&batch);
		if (i >= 0 && !went_its_way(subject, &batch.tally, &before)) {
			if (++discarded == DISCARDED_MAX)
				die("%s: never went its way", subject->name);
			continue;
		}
		if (i++ >= 0)
			keep_batch(&batch);
	}
	mapper_stop();
}

static void count_reader(const char *name, struct tally (*drain)(void))
{
	struct tally tally;
	uint64_t start, taken;
	int i, j;

	mapper_start(&one_long);
	for (i = -WARM_UPS; i < DRAINS; i++) {
		for (j = 0; j < 4; j++)
			mapper_run();
		settle();
		start = counter();
		tally = drain();
		taken = counter() - start;
		if (tally.records < 4 * one_long.count || tally.lost)
			die("%s: records are missing", name);
		if (i >= 0)
			series_add(name, tally.records, taken);
	}
	mapper_stop();
}

/* Starts the program spawn, and returns what it prints. */
static FILE *start_spawns(const char *dir, char *count, pid_t *pid)
{
	char program[256], root[256];
	int ends[2];

	snprintf(program, sizeof(program), "%s/spawn", dir);
	snprintf(root, sizeof(root), "%s/disk/root", dir);
	if (pipe(ends))
		die("pipe");
	*pid = fork();
	if (*pid < 0)
		die("fork");
	if (!*pid) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl(program, "spawn", root, count, "/bin/true", (char *)NULL);
		die("%s", program);
	}
	close(ends[1]);
	return fdopen(ends[0], "r");
}

static void count_spawns(const char *name, const char *dir)
{
	int n = -WARM_UPS, status;
	char number[16], line[32];
	FILE *output;
	pid_t pid;

	snprintf(number, sizeof(number), "%d", SPAWNS + WARM_UPS);
	output = start_spawns(dir, number, &pid);
	while (output && fgets(line, sizeof(line), output))
		if (n++ >= 0)
			series_add(name, 1, strtoull(line, NULL, 10));
	if (!output || fclose(output) || waitpid(pid, &status, 0) != pid || status || n != SPAWNS)
		die("spawn failed");
}

/* ------------------------------------------------------------------ rounds -- */

static void without_module(const char *dir)
{
	static const struct subject empty_one = { .name = "one: empty", .work = &one };
	static const struct subject empty_data = { .name = "data: empty", .work = &data };
	static const struct subject empty_many = { .name = "many: empty", .work = &many };
	static const struct subject machine_one = {
		.name = "machine, one: empty",
		.work = &one_long,
		.machine = true,
	};
	static const struct subject machine_many = {
		.name = "machine, many: empty",
		.work = &many_long,
		.machine = true,
	};

	count(&empty_one);
	count(&empty_data);
	count(&empty_many);
	count(&machine_one);
	count(&machine_many);
	count_spawns("spawn: empty", dir);
}

static void with_kprobe(const char *dir)
{
	static const struct subject kprobe = { .name = "one: kprobe", .work = &one };

	module_load(dir, "kprobe_only", "");
	count(&kprobe);
	module_unload("kprobe_only");
}

static void with_perf(void)
{
	static const struct subject plain = {
		.name = "one: perf",
		.work = &one,
		.drain = perf_drain,
		.records = 1,
	};
	static const struct subject build_id = {
		.name = "one: perf build-id",
		.work = &one,
		.drain = perf_drain,
		.records = 1,
	};

	perf_start(false);
	count(&plain);
	count_reader("reader: perf", perf_drain);
	perf_stop();
	perf_start(true);
	count(&build_id);
	perf_stop();
}

static void with_subscriber(const char *dir)
{
	static const struct subject cached = {
		.name = "one: cached",
		.work = &one,
		.drain = subscription_drain,
		.module = true,
		.hits = 1,
		.records = 1,
	};
	static const struct subject path = {
		.name = "one: path",
		.work = &one,
		.drain = subscription_drain,
		.module = true,
		.hits = 1,
		.records = 1,
	};
	static const struct subject filtered = {
		.name = "data: filtered",
		.work = &data,
		.drain = subscription_drain,
		.module = true,
	};

	subscribe(0, READER_MMAP);
	count(&cached);
	count(&filtered);
	count_reader("reader: ring", subscription_drain);
	unsubscribe();
	subscribe(BUILDID_SUB_PATH, READER_MMAP);
	count(&path);
	unsubscribe();
	subscribe(0, READER_READ);
	count_reader("reader: read", subscription_drain);
	count_spawns("spawn: subscriber", dir);
	unsubscribe();
}

/* A file that has to be read has two FILE records: before, and once it was read. */
static void with_new_files(void)
{
	static const struct subject first = {
		.name = "many: first sight",
		.work = &many,
		.before = forget_files,
		.drain = subscription_drain,
		.module = true,
		.resident = 1,
		.records = 2,
	};
	static const struct subject machine_first = {
		.name = "machine, many: first sight",
		.work = &many_long,
		.machine = true,
		.before = forget_files,
		.drain = subscription_drain,
		.module = true,
		.resident = 1,
		.records = 2,
	};
	static const struct subject cold = {
		.name = "many: not resident",
		.work = &many,
		.before = forget_files_and_pages,
		.drain = subscription_drain,
		.module = true,
		.worker = 1,
		.records = 3,
	};
	static const struct subject machine_cold = {
		.name = "machine, many: not resident",
		.work = &many_long,
		.machine = true,
		.before = forget_files_and_pages,
		.drain = subscription_drain,
		.module = true,
		.worker = 1,
		.records = 3,
	};

	subscribe(0, READER_MMAP);
	count(&first);
	count(&machine_first);
	count(&cold);
	count(&machine_cold);
	unsubscribe();
}

static void with_listener(void)
{
	static const struct subject netlink = {
		.name = "one: netlink",
		.work = &one,
		.drain = netlink_drain,
		.module = true,
		.hits = 1,
		.records = 1,
	};
	static const struct subject machine_netlink = {
		.name = "machine, one: netlink",
		.work = &one_long,
		.machine = true,
		.drain = netlink_drain,
		.module = true,
		.hits = 1,
		.records = 1,
	};

	listen_to_netlink();
	count(&netlink);
	count(&machine_netlink);
	stop_listening();
}

static void with_module(const char *dir)
{
	static const struct subject nobody = {
		.name = "one: nobody",
		.work = &one,
		.module = true,
		.hits = 1,
	};

	module_load(dir, "buildid", "");
	device_open();
	count(&nobody);
	count_spawns("spawn: nobody", dir);
	with_subscriber(dir);
	with_new_files();
	with_listener();
	device_close();
	module_unload("buildid");
}

/* ------------------------------------------------------------------- scale -- */

static void fill(uint64_t entries)
{
	uint64_t n, there;
	int fd;

	for (n = device_stats().entries; n < entries; n++) {
		fd = throwaway_file();
		device_resolve(fd);
		close(fd);
	}
	/* half full, one set in a thousand has more files than slots */
	there = device_stats().entries;
	if (there < entries - entries / 1000)
		die("%" PRIu64 " files of %" PRIu64 " are remembered", there, entries);
}

/* Of files[], the oldest in the cache, and the last in their buckets. */
static void count_at(uint64_t entries, const char *name, const char *empty_name)
{
	const struct subject cached = {
		.name = name,
		.work = &all,
		.drain = subscription_drain,
		.module = true,
		.hits = 1,
		.records = 1,
	};
	const struct subject empty = { .name = empty_name, .work = &all };

	fill(entries);
	count(&cached);
	/* without probes there is no module, as far as a mapping goes */
	probes_enable(false);
	count(&empty);
	probes_enable(true);
}

/* Bytes of slabs that the kernel cannot give back at will. */
static double slab_memory(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128];
	double kib = 0;

	if (!file)
		die("/proc/meminfo");
	while (fgets(line, sizeof(line), file))
		sscanf(line, "SUnreclaim: %lf", &kib);
	fclose(file);
	return kib * 1024;
}

static void with_many_entries(const char *dir)
{
	struct buildid_stats few, lots;
	double counted, slab, table;

	module_load(dir, "buildid", "max_entries=" TABLE);
	device_open();
	subscribe(0, READER_MMAP);
	mapper_start(&all);
	mapper_run();
	mapper_stop();
	device_wait();

	count_at(1000, "all: 1000", "all: 1000, empty");
	few = device_stats();
	slab = slab_memory();
	count_at(100000, "all: 100000", "all: 100000, empty");
	count_at(1000000, "all: 1000000", "all: 1000000, empty");
	lots = device_stats();
	slab = slab_memory() - slab;

	counted = (double)(lots.memory - few.memory) / (lots.entries - few.entries);
	slab /= lots.entries - few.entries;
	table = strtod(TABLE, NULL) * sizeof(void *) / lots.entries;
	number_print("memory: entry", counted - strlen(THROWAWAY_PATH));
	number_print("memory: table", counted + table - strlen(THROWAWAY_PATH));
	number_print("memory: slab", slab + table - strlen(THROWAWAY_PATH));
	unsubscribe();
	device_close();
	module_unload("buildid");
}

/* ---------------------------------------------------------------- attacks -- */

/*
 * What each of files[] takes at its best, and of that the most: a look-up that is
 * long for one file must not hide behind those of the others.
 */
static uint64_t slowest_of_all(void)
{
	static uint64_t best[FILES];
	const uint64_t *taken;
	uint64_t most = 0;
	int i, j;

	for (j = 0; j < FILES; j++)
		best[j] = UINT64_MAX;
	mapper_start(&all);
	for (i = -WARM_UPS; i < BATCHES; i++) {
		device_wait();
		taken = mapper_run();
		for (j = 0; i >= 0 && j < FILES; j++)
			if (taken[j] < best[j])
				best[j] = taken[j];
		subscription_drain();
	}
	mapper_stop();
	for (j = 0; j < FILES; j++)
		if (best[j] > most)
			most = best[j];
	return most;
}

/* Versions of one inode, as many as one likes; where files[] are is known. */
static void flood(void)
{
	int i, fd = colliding_file(files, FILES);

	for (i = 0; i < VERSIONS; i++) {
		map_new_version(fd);
		if (i % 100)
			continue;
		device_wait();
		subscription_drain();
	}
	device_wait();
	subscription_drain();
	close(fd);
}

static void with_flood(const char *dir)
{
	uint64_t before;

	module_load(dir, "buildid", "");
	device_open();
	subscribe(0, READER_MMAP);
	before = slowest_of_all();
	flood();
	number_print("flood: before", before);
	number_print("flood: after", slowest_of_all());
	unsubscribe();
	device_close();
	module_unload("buildid");
}

struct attack {
	const char *name;
	struct hostile file;
	uint32_t flags; /* of the subscriber */
	bool known;	/* as the version is, when it is mapped */
	bool full;	/* as the ring is */
};

/* The least of mapping a new version, with all that the hook has to do for it. */
static uint64_t cost_of(const struct attack *attack, const struct workload *work)
{
	uint64_t least = UINT64_MAX, taken;
	int i;

	mapper_start(work);
	for (i = -WARM_UPS; i < BATCHES; i++) {
		/* of another ctime */
		if (!attack->known && fchmod(work->fds[0], i & 1 ? 0755 : 0711))
			die("fchmod");
		device_wait();
		taken = mapper_run()[0];
		if (i >= 0 && taken < least)
			least = taken;
		if (!attack->full)
			subscription_drain();
	}
	mapper_stop();
	return least;
}

static void fill_ring(const struct workload *work)
{
	int i;

	mapper_start(work);
	for (i = 0; i < 10000; i++)
		mapper_run();
	mapper_stop();
}

/*
 * Preemption is off in the hook, whatever it is given: the most that mapping takes
 * longer than without it. The cache is so small that it is always full.
 */
static void with_hostile_files(const char *dir)
{
	/* headers of 56 and 32 bytes: as many as are read where one cannot sleep */
#define NOTES_64 .headers = 270
#define NOTES_32 .headers = 460, .empty = true, .is32 = true, .swapped = true
	/* of directories: any, as many as are walked, and as many where the file is read, too */
#define DEEP  .depth = 2000, .name_len = 1
#define LONG  .depth = 31, .name_len = 64
#define SHORT .depth = 11, .name_len = 44
	static const struct attack attacks[] = {
		{ .name = "worst: notes", .file = { NOTES_64, .id_len = 20 } },
		{ .name = "worst: long id", .file = { NOTES_64, .id_len = 128 } },
		{ .name = "worst: empty notes", .file = { NOTES_64, .id_len = 20, .empty = true } },
		{ .name = "worst: small headers", .file = { NOTES_32, .id_len = 20 } },
		{ .name = "worst: split notes", .file = { NOTES_64, .id_len = 20, .split = true } },
		{ .name = "worst: split, small headers",
		  .file = { NOTES_32, .id_len = 20, .split = true } },
		{ .name = "worst: deep path", .file = { NOTES_64, .id_len = 20, DEEP } },
		{ .name = "worst: deep path, in each record",
		  .flags = BUILDID_SUB_PATH,
		  .file = { NOTES_32, .id_len = 20, DEEP, .split = true } },
		{ .name = "worst: deep path, long id, in each record",
		  .flags = BUILDID_SUB_PATH,
		  .file = { NOTES_32, .id_len = 128, DEEP, .split = true } },
		{ .name = "worst: deep path, known",
		  .flags = BUILDID_SUB_PATH,
		  .known = true,
		  .file = { NOTES_64, .id_len = 20, DEEP } },
		{ .name = "worst: deep path, open for writing",
		  .flags = BUILDID_SUB_PATH,
		  .known = true,
		  .file = { NOTES_32, .id_len = 20, DEEP, .split = true, .writer = true } },
		{ .name = "worst: deep path, full ring",
		  .flags = BUILDID_SUB_PATH,
		  .full = true,
		  .file = { NOTES_32, .id_len = 128, DEEP, .split = true } },
		{ .name = "worst: long path", .file = { NOTES_64, .id_len = 128, LONG } },
		{ .name = "worst: long path, in each record",
		  .flags = BUILDID_SUB_PATH,
		  .file = { NOTES_64, .id_len = 128, LONG } },
		{ .name = "worst: path, long id, in each record",
		  .flags = BUILDID_SUB_PATH,
		  .file = { NOTES_32, .id_len = 128, SHORT, .split = true } },
	};
	unsigned int i;

	module_load(dir, "buildid", "max_entries=16");
	device_open();
	for (i = 0; i < sizeof(attacks) / sizeof(*attacks); i++) {
		int fd = hostile_file(dir, &attacks[i].file);
		const struct workload work = { &fd, 1, EXEC };
		uint64_t with, without;

		subscribe(attacks[i].flags, READER_MMAP);
		mapper_start(&all);
		mapper_run();
		mapper_stop();
		if (attacks[i].full)
			fill_ring(&work);
		with = cost_of(&attacks[i], &work);
		probes_enable(false);
		without = cost_of(&attacks[i], &work);
		probes_enable(true);
		number_print(attacks[i].name, (double)with - (double)without);
		unsubscribe();
		close(fd);
	}
	device_close();
	module_unload("buildid");
}

/* Each file is new to it once. */
static void with_ima(void)
{
	static const struct subject again = { .name = "one: ima", .work = &one };
	int i;

	ima_start();
	count(&again);
	for (i = MEASURED; i + MEASURED <= FILES; i += MEASURED) {
		const struct workload new = { &files[i], MEASURED, EXEC };
		struct subject first = { .name = "many: ima first sight", .work = &new };
		struct batch batch = { .subject = &first };

		mapper_start(&new);
		settle();
		count_batch(&batch);
		keep_batch(&batch);
		mapper_stop();
	}
}

/* A batch counts as its cheapest call, as one of mappings does. */
static void count_calls(const char *name, void (*call)(void))
{
	int i, j;

	for (i = -WARM_UPS; i < BATCHES; i++) {
		uint64_t least = UINT64_MAX;

		settle();
		for (j = 0; j < CALLS; j++) {
			const uint64_t start = counter();
			uint64_t taken;

			call();
			taken = counter() - start;
			if (taken < least)
				least = taken;
		}
		if (i >= 0)
			series_add(name, 1, least);
	}
}

static void with_queries(void)
{
	if (!query_start(files[0])) {
		missing_print("query: mapping");
		missing_print("query: build-id");
		return;
	}
	count_calls("query: mapping", query_mapping);
	count_calls("query: build-id", query_build_id);
	query_stop();
}

static void with_stacks(const char *dir)
{
	char disk[256];

	snprintf(disk, sizeof(disk), "%s/disk", dir);
	stack_start(disk, SAMPLE_NOTHING);
	count_calls("stack: empty", stack_in_one);
	stack_stop();
	stack_start(disk, SAMPLE_ADDRESSES);
	count_calls("stack: addresses", stack_in_one);
	stack_stop();
	stack_start(disk, SAMPLE_BUILD_IDS);
	count_calls("stack: build-ids, one DSO", stack_in_one);
	count_calls("stack: build-ids, two DSOs", stack_in_two);
	stack_stop();
}

/* Where things are in memory must be the same in every run. */
static void fix_addresses(char **argv)
{
	if (personality(~0U) & ADDR_NO_RANDOMIZE)
		return;
	personality(ADDR_NO_RANDOMIZE);
	execv("/proc/self/exe", argv);
	die("exec");
}

int main(int argc, char **argv)
{
	char path[256];
	int i;

	if (argc != 2) {
		fputs("usage: bench DIR\n", stderr);
		return 2;
	}
	fix_addresses(argv);
	snprintf(path, sizeof(path), "%s/disk/files", argv[1]);
	files_open(path, files, FILES);
	for (i = 0; i < FILES; i++)
		same[i] = files[0];
	measure_init();

	for (i = 0; i < ROUNDS; i++) {
		without_module(argv[1]);
		with_kprobe(argv[1]);
		with_perf();
		with_module(argv[1]);
		fprintf(stderr, "bench: round %d of %d\n", i + 1, ROUNDS);
	}
	with_flood(argv[1]);
	with_hostile_files(argv[1]);
	with_many_entries(argv[1]);
	with_ima();
	/* last, as what they map would be in the mapper's address space, too */
	with_queries();
	with_stacks(argv[1]);
	series_print();
	return 0;
}
